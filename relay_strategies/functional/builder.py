"""Builder: what the functions of this library emit into, and how their errors name the imported operator."""

from __future__ import annotations

from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant, shape_of
from tvm_directconv.errors import ModelError, UnsupportedOperatorError
from tvm_directconv.problem.extents import given_to_tvm, is_open


class Builder:
    """The base of what frontends hand to their converters: one node or call of the model.

    A subclass has a ``builder`` and a ``label``, with which errors begin.
    """

    builder: relax.BlockBuilder

    @property
    def label(self) -> str:
        raise NotImplementedError

    def emit(self, value: relax.Expr) -> relax.Expr:
        """Bind ``value`` to a variable, unless it is one."""
        return value if isinstance(value, relax.Var) else self.builder.emit(value)

    def emit_layer(self, value: relax.Expr) -> relax.Expr:
        """Bind a convolution or matrix product to a variable, under the layer's name where that is known."""
        return self.emit(value)

    def cast(self, value: Any, dtype: str) -> relax.Expr:
        """Return a tensor or number in a type; an open size is computed when the model runs."""
        if is_open([value]):
            sizes = self.emit(relax.op.shape_to_tensor(relax.ShapeExpr([given_to_tvm(value)])))
            value = self.emit(relax.op.reshape(sizes, ()))
        if not isinstance(value, relax.Expr):
            return relax.const(np.asarray(value).astype("float32" if dtype == "bfloat16" else dtype), dtype)
        value = self.emit(value) if isinstance(value, relax.Call) else value
        if dtype_of(value) == dtype:
            return value
        if dtype == "bfloat16" and "float" not in dtype_of(value):  # of which TVM makes no code
            value = self.emit(relax.op.astype(value, "float32"))
        return self.emit(relax.op.astype(value, dtype))

    def shape_of(self, value: relax.Expr) -> tuple[int, ...]:
        """Return the static shape of a tensor. Raises UnsupportedOperatorError for an open one."""
        shape = shape_of(value)
        if shape is None:
            raise self.refusal(f"the shape of an operand, {value.ty}, is known at run time only")
        return shape

    def take(self, data: relax.Expr, positions: np.ndarray, axis: int) -> relax.Expr:
        """Emit the elements of ``data`` at constant ``positions`` along an axis, none of them outside."""
        return self.emit(relax.op.take(data, make_constant(positions.astype(np.int32)), axis, mode="clip"))

    def spend(self, nodes: int) -> None:
        """Count operators that are about to be written out, against the limit of the import if it has one."""

    def error(self, why: str) -> ModelError:
        """Return the error for what the format does not allow."""
        return ModelError(f"{self.label}: {why}")

    def refusal(self, why: str) -> UnsupportedOperatorError:
        """Return the error for what the format allows and this library does not support."""
        return UnsupportedOperatorError(f"{self.label}: {why}")
