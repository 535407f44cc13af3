"""An importer of ONNX graphs: TVM's, with this project's converters first and errors that name nodes."""

from __future__ import annotations

import contextlib
import io
import operator
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tvm
from onnx import GraphProto, ModelProto, TensorProto, helper
from tvm import relax
from tvm.relax.frontend.onnx.onnx_frontend import ONNXGraphImporter, onnx_input

from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import constant, dtype_of, make_constant
from relay_strategies.relax.names import NamedBuilder
from tvm_directconv.errors import DirectConvError, ModelError, last_line, let_through

from .converters import CONVERTERS, Node
from .inference import LIGHT_ELEMENTS
from .nodes import DEFAULT_DOMAINS, static_dims, tensor_array

NARROW = ("float16", "bfloat16")
OF_BITS = ("BitCast",)
"""Operators whose operands stay as they are."""
MOST_DIMENSIONS = 8
"""A longer vector is not taken for a shape, which would be code for each of its numbers."""


def convert(model: ModelProto, constants: Mapping[str, np.ndarray]) -> tvm.IRModule:
    """The Relax module of a checked model whose nodes all have names, and of its ``constants``, which need
    not be in it. Raises ModelError."""
    opset = next(o.version for o in model.opset_import if o.domain in DEFAULT_DOMAINS)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")  # its warnings are about names it changes
            # The importer takes a dimension of 0 for an unknown one.
            empty = {
                value.name: dims
                for value in model.graph.input
                if 0 in (dims := static_dims(value.type.tensor_type) or [])
            }
            return GraphImporter(empty, "float32", constants).from_onnx(model.graph, opset)
    except DirectConvError:
        raise
    except Exception as error:
        let_through(error)
        raise ModelError(f"TVM's ONNX importer fails: {last_line(error)}") from error


class _Builder(NamedBuilder):
    """Calls that are operands of others, as TVM's converters write them, are bound under the name, too: the
    builder itself would bind them without one."""

    def normalize(self, expr: relax.Expr) -> relax.Expr:
        return super().normalize(self.with_name(expr))

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


class GraphImporter(ONNXGraphImporter):
    """The importer asks ``CONVERTERS`` first and TVM's table for everything else.

    TVM's converters do not all know float16 and bfloat16: operands come to them as float32, and results
    become what the graph declares at its outputs.
    """

    def __init__(self, shapes: dict[str, list[int]], dtype: str, constants: Mapping[str, np.ndarray]) -> None:
        super().__init__(shapes, dtype)
        self.bb = _Builder()
        self._constants = constants

    def _parse_graph_initializers(self, graph: GraphProto) -> None:
        stored = {tensor.name: tensor for tensor in graph.initializer if tensor.name not in self._constants}
        for name, array in self._constants.items():
            self._nodes[name] = make_constant(array)
        for name, tensor in stored.items():
            self._nodes[name] = make_constant(tensor_array(name, tensor))

    def _construct_nodes(self, graph: GraphProto) -> None:
        super()._construct_nodes(graph)
        for output in graph.output:
            value = self._nodes[output.name]
            kind = helper.tensor_dtype_to_np_dtype(output.type.tensor_type.elem_type or TensorProto.FLOAT)
            if str(kind) in NARROW and dtype_of(value) != str(kind):
                self._nodes[output.name] = self.bb.emit(relax.op.astype(value, str(kind)))

    def _convert_subgraph(self, builder: relax.BlockBuilder, graph: GraphProto) -> relax.Expr:
        """The results of two branches are of the same types."""
        result = super()._convert_subgraph(builder, graph)
        if isinstance(result, relax.Tuple):
            return relax.Tuple([self._in_float32(field) for field in result.fields])
        return self._in_float32(result)

    def _in_float32(self, operand: relax.Expr | None) -> relax.Expr | None:
        if operand is None or dtype_of(operand) not in NARROW:
            return operand
        array = constant(operand)
        if array is not None and array.size <= LIGHT_ELEMENTS:
            return make_constant(array.astype(FLOAT))
        return self.bb.emit(relax.op.astype(operand, FLOAT))

    def _check_for_unsupported_ops(self, graph: GraphProto) -> None:
        """Skip TVM's check: it does not know the converters here, and the rest was refused before."""

    def _convert_operator(
        self, op_name: str, inputs: Sequence[relax.Expr | None], attrs: dict[str, Any], opset: int
    ) -> relax.Expr:
        about = attrs["tvm_custom"]
        self.bb.name = about["name"]
        if op_name not in OF_BITS:
            inputs = onnx_input(map(self._in_float32, inputs))

        def by_tvm(operands: Sequence[relax.Expr | None]) -> relax.Expr:
            return super(GraphImporter, self)._convert_operator(op_name, onnx_input(operands), attrs, opset)

        node = Node(
            op_name, about["name"], tuple(inputs), attrs, about["num_outputs"], opset, self.bb, by_tvm
        )
        try:
            if op_name not in CONVERTERS:
                result = by_tvm(inputs)
            else:
                result = self.bb.normalize(CONVERTERS[op_name](node))
        except DirectConvError:
            raise
        except Exception as error:  # it raises whatever came up
            let_through(error)
            raise node.error(f"TVM's ONNX importer fails: {last_line(error)}") from error
        if isinstance(result, relax.ShapeExpr) and len(result.values) > MOST_DIMENSIONS:
            result = make_constant(np.array([int(size) for size in result.values], np.int64))
        result = self.bb.normalize(self.bb.with_name(result)) if isinstance(result, relax.Call) else result
        fields = result.ty.fields if isinstance(result, relax.Expr) and _is_tuple(result) else [result]
        if len(fields) < node.outputs:
            raise node.refusal(f"only its first {len(fields)} outputs are supported, not {node.outputs}")
        # A call that is not bound would be computed anew for some of those that use it.
        return self.bb.emit(result) if isinstance(result, relax.Call) else result


def _is_tuple(expr: relax.Expr) -> bool:
    return isinstance(expr.ty, relax.TupleType)
