"""A model taken apart: what its results follow from, with its large weights as inputs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

from relay_strategies.frontends.sizes import refuse_size
from tvm_directconv.errors import ModelError

from .expand import FILTER_INPUT
from .inference import LIGHT_ELEMENTS
from .nodes import attribute, node_name, sparse_array, tensor_array
from .order import reads

# Where a layer has its filter.
WEIGHTED = {"Conv": 1, "ConvTranspose": 1, "Gemm": 1, "MatMul": 1, **FILTER_INPUT}
# What may stand between a weight and the layer that uses it.
MOVES = ("Reshape", "Transpose", "Squeeze", "Unsqueeze", "Identity", "Flatten", "Cast", "DequantizeLinear")
# Tensors of more elements than this are no networks' but mistakes.
MOST_ELEMENTS = 2**31
# A Constant may hold its value as plain numbers.
NUMBER_ATTRIBUTES = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


def take_apart(proto: ModelProto, most: int | None) -> tuple[ModelProto, dict[str, np.ndarray]]:
    """The model light, and its weights. What no result follows from is left out, whatever it is."""
    graph = proto.graph
    nodes, read = _needed(graph)
    filters = _filters(nodes)
    # Before version 4 every initializer had to be an input; constants that become initializers are none.
    light = ModelProto(ir_version=max(proto.ir_version, 4))
    light.opset_import.extend(proto.opset_import)
    target = light.graph
    target.name = graph.name or "graph"
    unread = {tensor.name for tensor in graph.initializer} - read
    target.input.extend(value for value in graph.input if value.name not in unread)
    target.output.extend(graph.output)
    copies = _named_apart(target.output)
    for value in target.output:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_value < 0:  # some exporters' way to say that it is open
                dim.Clear()
    weights: dict[str, np.ndarray] = {}

    def store(name: str, array: np.ndarray) -> None:
        # Floats and bytes may be weights; shapes, axes, indices and scalars stay in.
        if name in filters or (array.size > LIGHT_ELEMENTS and array.dtype not in (np.int32, np.int64)):
            weights[name] = array
        else:
            target.initializer.append(numpy_helper.from_array(array, name))

    known = {t.name: tensor_array(t.name, t) for t in graph.initializer if t.name in read}
    known |= {
        t.values.name: sparse_array(t.values.name, t, most)
        for t in graph.sparse_initializer
        if t.values.name in read
    }
    for name, array in known.items():
        store(name, array)
    for node in nodes:
        value = constant_value(node, known, most)
        if value is None:
            target.node.append(node)
        else:
            known[node.output[0]] = value
            store(node.output[0], value)
    target.node.extend(copies)
    declared = {value.name for value in target.input}
    for name, array in weights.items():
        if name not in declared:
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            target.input.append(helper.make_tensor_value_info(name, kind, array.shape))
    return light, weights


def _named_apart(outputs: Sequence[ValueInfoProto]) -> list[NodeProto]:
    """Give outputs that are listed again names of their own, and return the nodes that make them."""
    copies, listed = [], Counter[str]()
    for value in outputs:
        listed[value.name] += 1
        if listed[value.name] > 1:
            again = f"{value.name}/{listed[value.name]}"
            copies.append(helper.make_node("Identity", [value.name], [again]))
            value.name = again
    return copies


def _needed(graph: GraphProto) -> tuple[list[NodeProto], set[str]]:
    """The nodes that the graph's outputs follow from, in order, and all that these and the outputs read."""
    read = {value.name for value in graph.output}
    nodes = []
    for node in reversed(graph.node):
        if not read.isdisjoint(node.output):
            nodes.append(node)
            read |= reads(node)
    return nodes[::-1], read


def _filters(nodes: Iterable[NodeProto]) -> set[str]:
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
