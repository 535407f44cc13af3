"""The conversion of an ONNX node to Relax, by this project's converters or TVM's; errors name the node."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper
from tvm import relax
from tvm.relax.frontend.onnx.onnx_frontend import ONNXGraphImporter

from relay_strategies.functional.finding import computed_sizes
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import constant, dtype_of, make_constant
from relay_strategies.relax.names import ClosingBuilder
from relay_strategies.relax.tied_sizes import tie_sizes
from tvm_directconv.errors import DirectConvError, last_line, let_through

from .converters import CONVERTERS, Node
from .inference import LIGHT_ELEMENTS
from .nodes import node_name, operator_name

NARROW = ("float16", "bfloat16")
AS_STORED = ("BitCast", "DynamicQuantizeLSTM", "GatherBlockQuantized", "MatMulNBits")
"""Operators whose operands stay as they are."""


class _Builder(ClosingBuilder):
    """Calls that are operands of others, as TVM's converters write them, are bound under the name, too: the
    builder itself would bind them without one."""

    def normalize(self, expr: relax.Expr) -> relax.Expr:
        result = super().normalize(self.with_name(expr))
        tie_sizes(result, result.ty)
        return result

    def with_name(self, expr: relax.Expr) -> relax.Expr:
        return super().with_name(self._of_bound(expr, {}))

    def _of_bound(self, expr: relax.Expr, done: dict[relax.Expr, relax.Expr]) -> relax.Expr:
        """The expression with the calls bound that it is made of."""
        if type(expr) is relax.Call:
            old = expr.args[:]
            new = [self._bound(argument, done) for argument in old]
            same = all(map(operator.is_, new, old))
            return expr if same else relax.Call(expr.op, new, expr.attrs, expr.ty_args, expr.span)
        if type(expr) is relax.Tuple:
            old = expr.fields[:]
            new = [self._bound(field, done) for field in old]
            return expr if all(map(operator.is_, new, old)) else relax.Tuple(new)
        if type(expr) is relax.TupleGetItem:
            whole = self._bound(expr.tuple_value, done)
            return expr if whole is expr.tuple_value else relax.TupleGetItem(whole, expr.index)
        return expr

    def _bound(self, expr: relax.Expr, done: dict[relax.Expr, relax.Expr]) -> relax.Expr:
        if type(expr) not in (relax.Call, relax.Tuple, relax.TupleGetItem):
            return expr
        if expr not in done:
            inner = self._of_bound(expr, done)
            done[expr] = inner if type(inner) is relax.Tuple else self.emit(inner)
        return done[expr]


class NodeConverter(ONNXGraphImporter):
    """Converts nodes one by one into the bindings of a function: ``CONVERTERS`` are asked first, TVM's table
    for everything else.

    TVM's converters do not all know float16 and bfloat16: operands come to them as float32, and results
    become what the graph declares at its outputs.
    """

    def __init__(self, opset: int) -> None:
        super().__init__({}, "float32")
        self.bb, self.opset = _Builder(), opset

    def input(self, name: str, shape: Sequence[int], dtype: str) -> relax.Var:
        """A parameter of the function; its name is one that Relax allows."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about names that change
            return self._new_var(self._sanitize_name(name), shape, dtype)

    def convert(self, node: NodeProto, operands: Sequence[relax.Expr | None]) -> list[relax.Expr]:
        """The results of a node. Raises ModelError and UnsupportedOperatorError."""
        name, wanted = node_name(node), len(node.output)
        if node.op_type not in AS_STORED:
            operands = [self.in_float32(operand) for operand in operands]
        self.bb.name = name
        attributes: dict[str, Any] = {}
        own = Node(node.op_type, name, node.input, node.output, operands, attributes, self.opset, self.bb)
        try:
            attributes.update(self._parse_attr(node.attribute))
            result = self.bb.normalize(CONVERTERS.get(operator_name(node), Node.by_tvm)(own))
        except DirectConvError:
            raise
        except Exception as error:  # it raises whatever came up
            let_through(error)
            raise own.error(f"TVM's ONNX importer fails: {last_line(error)}") from error
        if isinstance(result, relax.ShapeExpr):
            result = make_constant(np.array([int(size) for size in result.values], np.int64))
        made = len(result.ty.fields) if _is_tuple(result) else 1
        if made < wanted:
            raise own.refusal(f"only its first {made} outputs are supported, not {wanted}")
        # A call that is not bound would be computed anew for some of those that use it.
        return self._fields(self.bb.emit(result) if isinstance(result, relax.Call) else result)

    def _fields(self, value: relax.Expr) -> list[relax.Expr]:
        """A value, or those that it is a tuple of."""
        if isinstance(value, relax.Tuple):
            return list(value.fields)
        if not _is_tuple(value):
            return [value]
        return [self.bb.emit(relax.TupleGetItem(value, at)) for at in range(len(value.ty.fields))]

    def of_sizes(self, sizes: relax.ShapeExpr, shape: Sequence[int], dtype: str) -> relax.Expr:
        """Sizes as a tensor."""
        self.bb.name = ""
        tensor = self.bb.emit(relax.op.shape_to_tensor(sizes))
        tensor = self.bb.emit(relax.op.reshape(tensor, shape)) if len(shape) != 1 else tensor
        return tensor if dtype == "int64" else self.bb.emit(relax.op.astype(tensor, dtype))

    def measured(self, values: relax.Expr, node: NodeProto) -> list[int]:
        """The elements of a tensor of integers as sizes."""
        self.bb.name = node_name(node)
        of = Node(node.op_type, self.bb.name, node.input, node.output, [], {}, self.opset, self.bb)
        return computed_sizes(of, values)

    def zeros(self, shape: Sequence[int], dtype: str) -> relax.Expr:
        """Zeros of an open shape."""
        self.bb.name = ""
        return self.bb.emit(relax.op.zeros(relax.ShapeExpr(list(shape)), dtype))

    def output(self, value: relax.Expr, element: int) -> relax.Expr:
        """A result of the function, of the type that the graph declares."""
        kind = str(helper.tensor_dtype_to_np_dtype(element or TensorProto.FLOAT))
        if kind in NARROW and dtype_of(value) != kind:
            return self.bb.emit(relax.op.astype(value, kind))
        return value

    def in_float32(self, operand: relax.Expr | None) -> relax.Expr | None:
        """A value of a narrow float type as the converters compute with it, all others as they are."""
        if operand is None or dtype_of(operand) not in NARROW:
            return operand
        array = constant(operand)
        if array is not None and array.size <= LIGHT_ELEMENTS:
            return make_constant(array.astype(FLOAT))
        return self.bb.emit(relax.op.astype(operand, FLOAT))


def new_builder() -> relax.BlockBuilder:
    """Return a builder for another function."""
    return _Builder()


def _is_tuple(expr: relax.Expr) -> bool:
    return isinstance(expr.ty, relax.TupleType)
