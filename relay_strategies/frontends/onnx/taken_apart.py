"""A graph taken apart: the nodes that its results follow from, its constants and which are weights."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Set

import numpy as np
from onnx import (
    GraphProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    ValueInfoProto,
    helper,
)

from relay_strategies.frontends.sizes import refuse_size
from tvm_directconv.errors import ModelError

from .inference import LIGHT_ELEMENTS
from .nodes import attribute, node_name, sparse_array, tensor_array
from .order import reads

WEIGHTED = {
    **dict.fromkeys(("Conv", "ConvTranspose", "ConvInteger", "Gemm", "MatMul", "MatMulInteger"), 1),
    **dict.fromkeys(("FusedConv", "FusedGemm", "FusedMatMul", "MatMulIntegerToFloat"), 1),
    **dict.fromkeys(("QLinearConv", "QLinearMatMul", "QGemm"), 3),
    "DynamicQuantizeMatMul": 1,
}
"""Layers have their filter at this input."""
# What may stand between a weight and the layer that uses it.
MOVES = ("Reshape", "Transpose", "Squeeze", "Unsqueeze", "Identity", "Flatten", "Cast", "DequantizeLinear")
WIDER = {
    getattr(TensorProto, name): kind
    for name, kind in (("INT4", np.int8), ("UINT4", np.uint8), ("INT2", np.int8), ("UINT2", np.uint8))
    if hasattr(TensorProto, name)  # those of 2 bits since ONNX 1.20
}
"""The bytes that hold each narrow type."""
DEQUANTIZING = ("DequantizeLinear", "GatherBlockQuantized")
# Tensors of more elements than this are no networks' but mistakes.
MOST_ELEMENTS = 2**31
# A Constant may hold its value as plain numbers.
NUMBER_ATTRIBUTES = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


def is_weight(name: str, array: np.ndarray, filters: Set[str]) -> bool:
    """Whether floats and bytes may be weights; shapes, axes, indices and scalars are none."""
    large = array.size > LIGHT_ELEMENTS and array.dtype not in (np.int32, np.int64)
    return bool(array.size) and (name in filters or large)


def initial_arrays(
    graph: GraphProto, nodes: Iterable[NodeProto], read: Set[str], most: int | None
) -> dict[str, np.ndarray]:
    """The tensors of a graph, by name, as far as they are ``read``; none is larger than ``most`` bytes.

    Numbers of fewer than 8 bits that ``nodes`` dequantize, and nothing else reads, are bytes.
    """
    dense = {t.name: tensor_array(t.name, t) for t in graph.initializer if t.name in read}
    narrow = {
        t.name: WIDER[t.data_type] for t in graph.initializer if t.name in dense and t.data_type in WIDER
    }
    for node in nodes if narrow else ():
        if node.op_type not in DEQUANTIZING:
            for name in narrow.keys() & reads(node):
                del narrow[name]
    dense |= {name: dense[name].astype(kind) for name, kind in narrow.items()}
    sparse = (t for t in graph.sparse_initializer if t.values.name in read)
    return dense | {t.values.name: sparse_array(t.values.name, t, most) for t in sparse}


def named_apart(graph: GraphProto) -> tuple[list[ValueInfoProto], list[NodeProto]]:
    """The outputs, of which those listed again have names of their own, and the nodes that make these."""
    outputs = [ValueInfoProto.FromString(value.SerializeToString()) for value in graph.output]
    copies, listed = [], Counter[str]()
    for value in outputs:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_value < 0:  # some exporters' way to say that it is open
                dim.Clear()
        listed[value.name] += 1
        if listed[value.name] > 1:
            again = f"{value.name}/{listed[value.name]}"
            copies.append(helper.make_node("Identity", [value.name], [again]))
            value.name = again
    return outputs, copies


def needed(graph: GraphProto) -> tuple[list[NodeProto], set[str]]:
    """The nodes that the graph's outputs follow from, in order, and all that these and the outputs read."""
    read = {value.name for value in graph.output}
    nodes = []
    for node in reversed(graph.node):
        if not read.isdisjoint(node.output):
            nodes.append(node)
            read |= reads(node)
    return nodes[::-1], read


def filters_of(nodes: Iterable[NodeProto]) -> set[str]:
    """The tensors that nodes use as filters, directly or reshaped or transposed."""
    filters: set[str] = set()
    source: dict[str, str] = {}
    for node in nodes:
        if node.op_type in MOVES:
            source[node.output[0]] = source.get(node.input[0], node.input[0])
        if node.op_type in WEIGHTED and len(node.input) > WEIGHTED[node.op_type]:
            weight = node.input[WEIGHTED[node.op_type]]
            filters.add(source.get(weight, weight))
    return filters


def constant_value(node: NodeProto, known: Mapping[str, np.ndarray], most: int | None) -> np.ndarray | None:
    """The value of a Constant node, or of a ConstantOfShape whose shape is known; None for other nodes."""
    value = attribute(node, "value", None)
    if node.op_type == "Constant" and isinstance(value, TensorProto):
        return tensor_array(node.output[0], value)
    if node.op_type == "Constant":
        sparse = attribute(node, "sparse_value", None)
        if isinstance(sparse, SparseTensorProto):
            return sparse_array(node.output[0], sparse, most)
        for name, dtype in NUMBER_ATTRIBUTES.items():
            numbers = attribute(node, name, None)
            if numbers is not None:
                return np.asarray(numbers, dtype)
    if node.op_type == "ConstantOfShape" and node.input[0] in known:
        element = np.zeros(1, np.float32) if value is None else tensor_array(node.output[0], value)
        shape = _filled_shape(node, known[node.input[0]])
        refuse_size(shape, element.itemsize, f"node '{node_name(node)}' (ConstantOfShape)", most)
        return np.broadcast_to(element.reshape(-1)[0], shape)
    return None


def _filled_shape(node: NodeProto, shape: np.ndarray) -> list[int]:
    """The shape of a ConstantOfShape's result."""
    dims = shape.tolist() if shape.ndim == 1 and shape.dtype == np.int64 else None
    if dims is None or any(dim < 0 for dim in dims) or math.prod(dims) > MOST_ELEMENTS:
        raise ModelError(
            f"node '{node_name(node)}' (ConstantOfShape): its shape is to be a vector of int64, none of them "
            f"negative, of at most {MOST_ELEMENTS} elements, not {shape.dtype}{shape.tolist()}"
        )
    return dims
