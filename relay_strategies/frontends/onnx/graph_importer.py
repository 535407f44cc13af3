"""TVM's importer of ONNX graphs, with this project's converters before its own and errors that name nodes."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Sequence
from typing import Any

import tvm
from onnx import GraphProto, ModelProto
from tvm import relax
from tvm.relax.frontend.onnx.onnx_frontend import ONNXGraphImporter, onnx_input

from tvm_directconv.errors import DirectConvError, ModelError, last_line

from .converters import CONVERTERS, Node
from .nodes import DEFAULT_DOMAINS, static_dims


def convert(model: ModelProto) -> tvm.IRModule:
    """The Relax module of a checked model whose nodes all have names. Raises ModelError."""
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
            return GraphImporter(empty, "float32").from_onnx(model.graph, opset)
    except DirectConvError:
        raise
    except Exception as error:
        raise ModelError(f"TVM's ONNX importer fails: {last_line(error)}") from error


class GraphImporter(ONNXGraphImporter):
    """The importer asks ``CONVERTERS`` first and TVM's table for everything else."""

    def _check_for_unsupported_ops(self, graph: GraphProto) -> None:
        """They were refused by name before; TVM knows nothing of those that have converters here."""

    def _convert_operator(
        self, op_name: str, inputs: Sequence[relax.Expr | None], attrs: dict[str, Any], opset: int
    ) -> relax.Expr:
        about = attrs["tvm_custom"]

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
            raise node.error(f"TVM's ONNX importer fails: {last_line(error)}") from error
        fields = result.ty.fields if isinstance(result, relax.Expr) and _is_tuple(result) else [result]
        if len(fields) < node.outputs:
            raise node.refusal(f"only its first {len(fields)} outputs are supported, not {node.outputs}")
        return result


def _is_tuple(expr: relax.Expr) -> bool:
    return isinstance(expr.ty, relax.TupleType)
