"""An ONNX node as its converter sees it: operands that are Relax already, attributes, and what TVM does."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tvm import relax
from tvm.relax.frontend.onnx.onnx_frontend import _get_convert_map, onnx_input

from relay_strategies.frontends.budget import spend
from relay_strategies.functional.builder import Builder
from relay_strategies.relax.graph import constant, ints, shape_of
from tvm_directconv.errors import UnsupportedOperatorError


@dataclass(frozen=True)
class Node(Builder):
    """One node of a graph, while the graph becomes Relax.

    ``inputs`` has None where an optional input is left out; ``operands`` are their names in the model, and
    ``results`` those of the results, "" for those that nothing asks for.
    """

    kind: str
    name: str
    operands: Sequence[str]
    results: Sequence[str]
    inputs: Sequence[relax.Expr | None]
    attributes: Mapping[str, Any]
    opset: int
    builder: relax.BlockBuilder

    @property
    def outputs(self) -> int:
        """The number of results."""
        return len(self.results)

    def asks(self, index: int) -> bool:
        """Whether a result is asked for."""
        return index < len(self.results) and bool(self.results[index])

    def by_tvm(self, inputs: Sequence[relax.Expr | None] | None = None, kind: str = "") -> relax.Expr:
        """Convert the node by TVM's own converter, on other operands or as another operator where they are
        given."""
        convert = _converter_of_tvm(kind or self.kind, self.opset)
        attributes = dict(self.attributes, tvm_custom={"name": self.name, "num_outputs": self.outputs})
        given = onnx_input(self.inputs if inputs is None else inputs)
        return self.builder.normalize(convert(self.builder, given, attributes, [{}, {}]))

    def input(self, index: int) -> relax.Expr | None:
        """The operand at ``index``; None where it is left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def data(self, index: int = 0) -> relax.Expr:
        """The tensor at ``index``, which the operator cannot do without."""
        value = self.input(index)
        if value is None:
            raise self.error(f"input {index} is missing")
        return value

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """The static shape of an operand."""
        shape = shape_of(self.data(index))
        if shape is None:
            raise self.refusal(f"the shape of input {index} is known at run time only")
        return shape

    def array(self, index: int) -> np.ndarray | None:
        """A constant operand; None where it is left out. Raises UnsupportedOperatorError for others."""
        value = self.input(index)
        if value is None:
            return None
        array = constant(self.data(index))
        if array is None:
            raise self.refusal(f"input {index} has to be a constant")
        return array

    def sizes(self, index: int) -> list[int] | None:
        """The integers of a constant operand, or of one that holds sizes, which may be open; None where it is
        left out."""
        value = self.input(index)
        if isinstance(value, relax.ShapeExpr):
            return list(ints(value.values))
        array = self.array(index)
        return None if array is None else list(array.reshape(-1).tolist())

    def text(self, name: str, default: str) -> str:
        """An attribute that is a string."""
        value = self.attributes.get(name, default)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

    def axis(self, default: int, rank: int | None = None) -> int:
        """The attribute ``axis``, from 0 on. Raises ModelError where the data lacks that axis."""
        rank = len(self.shape()) if rank is None else rank
        axis = self.integer("axis", default)
        if not -rank <= axis < rank:
            raise self.error(f"axis {axis} is none of {rank} axes")
        return axis % rank

    def integer(self, name: str, default: int) -> int:
        """An attribute that is an integer."""
        return int(self.attributes.get(name, default))

    def number(self, name: str, default: float) -> float:
        """An attribute that is a float."""
        return float(self.attributes.get(name, default))

    def ints(self, name: str, default: Sequence[int] = ()) -> list[int]:
        """An attribute that is a list of integers."""
        return [int(value) for value in self.attributes.get(name, default)]

    def refuse_attributes(self, *names: str) -> None:
        """Raise UnsupportedOperatorError for attributes that are set."""
        given = [name for name in names if self.attributes.get(name)]
        if given:
            raise self.refusal(f"the attribute {' and '.join(given)} is not supported")

    def refuse_inputs(self, *indices: int) -> None:
        """Raise UnsupportedOperatorError for operands that are given."""
        given = [str(index) for index in indices if self.input(index) is not None]
        if given:
            raise self.refusal(f"input {' and '.join(given)} (a past state or a length) is not supported")

    def refuse_results(self, *indices: int) -> None:
        """Raise UnsupportedOperatorError for results that are asked for."""
        given = [self.results[index] for index in indices if self.asks(index)]
        if given:
            raise self.refusal(f"its result {' and '.join(given)} is not supported")

    @property
    def label(self) -> str:
        return f"node '{self.name}' ({self.kind})"

    def spend(self, nodes: int) -> None:
        spend(nodes)

    def refusal(self, why: str) -> UnsupportedOperatorError:
        return UnsupportedOperatorError(f"{self.label}: {why}", [self.name])


Converter = Callable[[Node], relax.Expr]
"""A function that makes a node's result, a tuple if there are several.

Raises ModelError for what ONNX does not allow, and UnsupportedOperatorError for what ONNX does and this
library does not."""


@functools.cache
def operators_of_tvm() -> dict[str, Any]:
    """Return TVM's converters by operator: classes with a method for each version of it."""
    return dict(_get_convert_map())


@functools.cache
def _converter_of_tvm(kind: str, opset: int) -> Callable[..., relax.Expr]:
    if kind not in operators_of_tvm():
        raise NotImplementedError(f"Operator {kind} not implemented.")
    converter: Callable[..., relax.Expr] = operators_of_tvm()[kind].get_converter(opset)
    return converter
