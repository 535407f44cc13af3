"""What this library or TVM's importer cannot compile is refused here, by name and before anything starts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import GraphProto, TensorProto, numpy_helper

from tvm_directconv.errors import ModelError, UnsupportedOperatorError

from .converters import CONVERTERS
from .convolutions import CONVOLUTIONS, DIMENSIONS
from .expand import is_expanded
from .expansion import CONTRIB
from .functions import is_defined_by_others
from .loops import UNROLLED
from .nodes import DEFAULT_DOMAINS, all_nodes, attribute, node_name, subgraphs

# Operators that are part of the importer itself and so missing from its table.
BUILT_IN = ("If", "Constant")
ELEMENTS = (
    *(TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.BOOL),
    *(TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64),
    *(TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64),
)
"""The types that elements of tensors may have."""
# The shapes of their results follow from values.
DATA_DEPENDENT = ("Compress", "NonMaxSuppression", "NonZero", "Unique")
# As many of them are named; a detector's last part has hundreds.
MOST_NAMED = 8
BROADCASTING = ("Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less", "PRelu")


def refuse_operators(
    graph: GraphProto, opsets: Mapping[str, int], kept: Mapping[str, str] | None = None
) -> None:
    """Name every operator that TVM's importer does not know, before it starts.

    ``kept`` says by name why loops are left. Without it the graph has not been walked: loops are let through,
    and so is what inner graphs alone have, which may be in branches that are not taken.
    """
    from tvm.relax.frontend.onnx.onnx_frontend import _get_convert_map

    walked = kept is not None
    known = {*_get_convert_map(), *CONVERTERS, *BUILT_IN, *(() if walked else UNROLLED)}
    unknown: dict[str, list[str]] = {}
    certain = False
    for place, node in enumerate(all_nodes(graph)):
        standard = node.domain in DEFAULT_DOMAINS
        name = node.op_type if standard else f"{node.domain}::{node.op_type}"
        supported = standard and node.op_type in known
        if not (supported or is_expanded(node) or is_defined_by_others(node, opsets)):
            unknown.setdefault(name, []).append(node_name(node))
            certain |= walked or place < len(graph.node)
        if node.op_type in BROADCASTING and attribute(node, "broadcast", 0):
            raise ModelError(
                f"node '{node_name(node)}' ({node.op_type}) uses the broadcast attribute of opsets before 7; "
                "convert the model with onnx.version_converter"
            )
    if certain:
        if kept and unknown.keys() <= set(UNROLLED):
            _refuse_loops(graph, kept)
        listed = "; ".join(f"{name} ({', '.join(map(repr, nodes))})" for name, nodes in unknown.items())
        optimized = any(name.startswith(CONTRIB) for name in unknown)
        remedy = (
            "; if ONNX Runtime's optimizers wrote those of com.microsoft, give the model from before them"
        )
        raise UnsupportedOperatorError(
            f"operators that are not supported: {listed}{remedy if optimized else ''}",
            [name for nodes in unknown.values() for name in nodes],
        )


def _refuse_loops(graph: GraphProto, kept: Mapping[str, str]) -> None:
    """Name the loops that are left, and why: where the number of turns is known they are none any more."""
    loops = [n for n in all_nodes(graph) if n.domain in DEFAULT_DOMAINS and n.op_type in UNROLLED]
    inside = "it is in a loop that is left"
    refused = [
        f"node '{node_name(node)}' ({node.op_type}): {kept.get(node_name(node), inside)}"
        for node in loops[:MOST_NAMED]
    ]
    if len(loops) > MOST_NAMED:
        refused.append(f"and {len(loops) - MOST_NAMED} more")
    raise UnsupportedOperatorError(
        "loops are compiled turn by turn, where the number of turns is constant. "
        f"{'; '.join(refused)}; give what it follows from a constant value, or cut the model there: "
        "tvm_directconv.split does",
        map(node_name, loops),
    )


def refuse_values(graph: GraphProto) -> None:
    """Name the inputs and outputs, inner graphs' included, that are sequences or the like and no tensors."""
    for each in (graph, *subgraphs(graph)):
        for value in (*each.input, *each.output):
            if value.type.WhichOneof("value") not in (None, "tensor_type"):
                kind = value.type.WhichOneof("value").removesuffix("_type")
                raise UnsupportedOperatorError(f"'{value.name}' is not a tensor but of type {kind}")


def refuse_elements(graph: GraphProto, types: Mapping[str, onnx.TypeProto.Tensor]) -> None:
    """Refuse tensors of element types that no processor computes in, or that are not numbers, by name."""
    makers = {name: node for node in graph.node for name in node.output}
    refused, nodes = [], []
    for name, kind in types.items():
        if kind.elem_type in ELEMENTS:
            continue
        what = f"'{name}'"
        if name in makers:
            nodes.append(node_name(makers[name]))
            what += f" of node '{node_name(makers[name])}' ({makers[name].op_type})"
        refused.append(f"{what} is of {TensorProto.DataType.Name(kind.elem_type)}")
    if refused:
        raise UnsupportedOperatorError(f"element types that are not supported: {'; '.join(refused)}", nodes)


def refuse_dynamic(graph: GraphProto, types: Mapping[str, onnx.TypeProto.Tensor]) -> None:
    """Name the nodes, among those that are left, whose results' shapes follow from values."""
    refused, nodes = [], []
    for node in all_nodes(graph):
        for name in node.output[:1] if node.op_type in DATA_DEPENDENT else ():
            dims = types[name].shape.dim if name in types and types[name].HasField("shape") else ()
            axes = [str(axis) for axis, dim in enumerate(dims) if not dim.HasField("dim_value")]
            where = f"dimension {' and '.join(axes)} of " if axes else "the shape of "
            refused.append(f"{where}'{name}' (node '{node_name(node)}', {node.op_type})")
            nodes.append(node_name(node))
    if refused:
        more = len(refused) - MOST_NAMED
        named = [*refused[:MOST_NAMED], *([f"and {more} more"] if more > 0 else [])]
        raise UnsupportedOperatorError(
            "shapes that follow from values, which are known at run time only, are not supported: "
            f"{'; '.join(named)}; cut the model before these nodes: tvm_directconv.split does",
            nodes,
        )


def refuse_convolutions(graph: GraphProto, types: Mapping[str, onnx.TypeProto.Tensor]) -> None:
    refused, nodes = [], []
    for node in all_nodes(graph):
        if node.op_type not in CONVOLUTIONS:
            continue
        filter_input, computed = CONVOLUTIONS[node.op_type]
        known = next((types[n] for n in (node.input[0], node.input[filter_input]) if n in types), None)
        rank = len(known.shape.dim) if known is not None else len(attribute(node, "kernel_shape", ())) + 2
        if rank - 2 not in DIMENSIONS:
            what = f"a {rank - 2}-D convolution"
        elif known is not None and known.elem_type not in computed:
            what = f"of {TensorProto.DataType.Name(known.elem_type)}"
        else:
            continue
        refused.append(f"'{node_name(node)}' is {what}")
        nodes.append(node_name(node))
    if refused:
        raise UnsupportedOperatorError(
            f"only 1-D to 3-D convolutions of floats or 8 bits are supported: {'; '.join(refused)}", nodes
        )


def refuse_training(graph: GraphProto, opset: int) -> None:
    """The importer converts these as if they were in inference mode.

    From opset 14 on a BatchNormalization says itself whether it is training, and has a converter.
    """
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in all_nodes(graph):
        training = False
        if node.op_type == "BatchNormalization" and opset < 14:
            training = sum(map(bool, node.output)) > 1
        elif node.op_type == "Dropout" and len(node.input) > 2 and node.input[2]:
            training = bool(constants.get(node.input[2], np.True_))
        if training:
            raise UnsupportedOperatorError(
                f"node '{node_name(node)}' ({node.op_type}) is in training mode; export for inference",
                [node_name(node)],
            )
