"""Constant weights of few bits, as tensors of elements that kernels have.

Those of the standard's DequantizeLinear become bytes of the same values, which layers in 8 bits compute
with. ONNX Runtime's MatMulNBits and GatherBlockQuantized, which pack elements in bytes themselves, become
a product with and a gather of float weights, each what its definition says: (element - zero point) *
scale, with one scale and zero point for each block. Its DynamicQuantizeLSTM, whose weights are bytes, becomes
an LSTM of float weights; what flows is not rounded to bytes in each step. Definitions: ONNX's
DequantizeLinear, ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tvm_directconv.errors import ModelError, UnsupportedOperatorError

from .nodes import CONTRIB, all_nodes, attribute, node_name, subgraphs, tensor_array

WIDER = {
    TensorProto.INT4: np.int8,
    TensorProto.UINT4: np.uint8,
    **{
        getattr(TensorProto, name): kind
        for name, kind in (("INT2", np.int8), ("UINT2", np.uint8))
        if hasattr(TensorProto, name)  # since ONNX 1.20
    },
}
"""The bytes that hold each narrow type."""
PACKED = ("MatMulNBits", "GatherBlockQuantized", "DynamicQuantizeLSTM")
BITS = (2, 4, 8)


def widen_weights(proto: ModelProto) -> ModelProto:
    """Return ``proto`` itself if it does not have such weights, else a copy whose weights are wider.

    Raises UnsupportedOperatorError for weights that are computed, ModelError for those whose shapes do not
    fit.
    """
    tensors = {tensor.name: tensor for tensor in proto.graph.initializer}
    packed = [node for node in proto.graph.node if node.domain == CONTRIB and node.op_type in PACKED]
    narrow = _dequantized_alone(proto.graph)
    if not packed and not narrow:
        return proto
    made: dict[str, TensorProto] = {}
    for name in narrow:
        kind = WIDER[tensors[name].data_type]
        made[name] = numpy_helper.from_array(tensor_array(name, tensors[name]).astype(kind), name)
    nodes = []
    for node in proto.graph.node:
        if node.domain == CONTRIB and node.op_type in PACKED:
            nodes += _unpacked(node, tensors, made)
        else:
            nodes.append(node)
    return _with(proto, nodes, made)


def _with(proto: ModelProto, nodes: list[NodeProto], made: Mapping[str, TensorProto]) -> ModelProto:
    """A copy of the model with other nodes, and other or further constants."""
    graph = proto.graph
    nodes_alone = GraphProto(node=nodes)
    used = {name for node in all_nodes(nodes_alone) for name in node.input}
    used |= {value.name for each in (graph, *subgraphs(nodes_alone)) for value in each.output}
    constants = [t for t in graph.initializer if t.name not in made and t.name in used]
    new = helper.make_graph(
        nodes,
        graph.name or "graph",
        [value for value in graph.input if value.name not in made],
        graph.output,
        [*constants, *made.values()],
        value_info=[value for value in graph.value_info if value.name not in made],
        sparse_initializer=graph.sparse_initializer,
    )
    model = ModelProto(ir_version=proto.ir_version, producer_name=proto.producer_name, graph=new)
    model.opset_import.extend(proto.opset_import)
    model.functions.extend(proto.functions)
    return model


def _dequantized_alone(graph: GraphProto) -> list[str]:
    """The narrow constants that nothing but DequantizeLinear reads."""
    narrow = {tensor.name for tensor in graph.initializer if tensor.data_type in WIDER}
    for node in graph.node if narrow else ():
        if node.op_type != "DequantizeLinear":
            narrow -= set(node.input)
    pairs = [[name for name in (*node.input[:1], *node.input[2:3]) if name] for node in graph.node]
    dequantizing = [
        pair for pair, node in zip(pairs, graph.node, strict=True) if node.op_type == "DequantizeLinear"
    ]
    # Values and zero points are of one type: neither changes without the other.
    while mixed := [pair for pair in dequantizing if 0 < len(narrow.intersection(pair)) < len(set(pair))]:
        for pair in mixed:
            narrow -= set(pair)
    return sorted(narrow)


def _unpacked(
    node: NodeProto, tensors: Mapping[str, TensorProto], made: dict[str, TensorProto]
) -> list[NodeProto]:
    if node.op_type == "DynamicQuantizeLSTM":
        return [_float_lstm(node, tensors, made)]
    names = [*node.input, *[""] * (6 - len(node.input))]
    bits = int(attribute(node, "bits", 4))
    if bits not in BITS:
        raise UnsupportedOperatorError(
            f"{_about(node)}: weights of {bits} bits are not supported, of 2, 4, 8 are", [node_name(node)]
        )
    if node.op_type == "GatherBlockQuantized":
        table = _table(node, bits, *(_constant(node, names[i], tensors) for i in (0, 2, 3)))
        name = _store(node, table, made)
        return [_like(node, "Gather", [name, names[1]], axis=int(attribute(node, "gather_axis", 0)))]
    weights = _matrix(node, bits, *(_constant(node, names[i], tensors) for i in (1, 2, 3, 4)))
    operands = [names[0], _store(node, weights, made)]
    if not names[5]:
        return [_like(node, "MatMul", operands)]
    product = f"{node.output[0]}/product"
    return [
        helper.make_node("MatMul", operands, [product], node.name or node.output[0]),
        helper.make_node("Add", [product, names[5]], [node.output[0]], f"{node_name(node)}/bias"),
    ]


def _float_lstm(
    node: NodeProto, tensors: Mapping[str, TensorProto], made: dict[str, TensorProto]
) -> NodeProto:
    """An LSTM. The weights in bytes are [directions, inputs, 4 * hidden], with scales and zero points for
    each direction, or for each column of each."""
    names = [*node.input, *[""] * (12 - len(node.input))]
    new = NodeProto.FromString(node.SerializeToString())
    new.op_type, new.domain, new.name, new.input[:] = "LSTM", "", node_name(node), names[:8]
    for place, scale, zero in ((1, 8, 9), (2, 10, 11)):
        elements, scales, zeros = (_constant(node, names[i], tensors) for i in (place, scale, zero))
        if elements is None or scales is None or elements.ndim != 3:
            raise ModelError(f"{_about(node)}: it lacks weights of three dimensions, or scales")
        columns = (elements.shape[0], 1, -1)
        points = np.zeros_like(scales) if zeros is None else zeros.astype(np.float32)
        values = (elements.astype(np.float32) - points.reshape(columns)) * scales.reshape(columns)
        new.input[place] = f"{node.output[0]}/{('weights', 'recurrence')[place - 1]}"
        made[new.input[place]] = numpy_helper.from_array(values.transpose(0, 2, 1), new.input[place])
    return new


def _like(node: NodeProto, kind: str, inputs: Iterable[str], **attributes: int) -> NodeProto:
    return helper.make_node(kind, inputs, [node.output[0]], node_name(node), **attributes)


def _constant(node: NodeProto, name: str, tensors: Mapping[str, TensorProto]) -> np.ndarray | None:
    if not name:
        return None
    if name not in tensors:
        raise UnsupportedOperatorError(
            f"{_about(node)}: its operand '{name}' is to be constant, and is computed", [node_name(node)]
        )
    return tensor_array(name, tensors[name])


def _store(node: NodeProto, array: np.ndarray, made: dict[str, TensorProto]) -> str:
    name = f"{node.output[0]}/weights"
    made[name] = numpy_helper.from_array(array, name)
    return name


def _matrix(
    node: NodeProto,
    bits: int,
    packed: np.ndarray | None,
    scales: np.ndarray | None,
    zeros: np.ndarray | None,
    groups: np.ndarray | None,
) -> np.ndarray:
    """The weights [K, N] of a MatMulNBits, in the type of its scales.

    ``packed`` is [N, blocks, bytes of a block], ``scales`` [N, blocks], ``zeros`` the same or packed along
    the blocks, ``groups`` the block of each of K rows where it is not the one that it lies in.
    """
    depth, width, block = (int(attribute(node, name, 0)) for name in ("K", "N", "block_size"))
    blocks = -(-depth // block) if block > 0 else 0
    if packed is None or scales is None or packed.size * 8 != width * blocks * block * bits:
        raise ModelError(
            f"{_about(node)}: its weights are not of {width} x {depth} elements in blocks of {block}"
        )
    values = _elements(packed.reshape(width, -1), bits).astype(np.float32)[:, :depth]
    owner = np.arange(depth) // block if groups is None else groups.reshape(-1)
    if (
        scales.size != width * blocks
        or owner.shape != (depth,)
        or not (owner >= 0).all()
        or (owner >= blocks).any()
    ):
        raise ModelError(f"{_about(node)}: its scales are not {width} x {blocks}, one for each block")
    values -= _zero_points(node, bits, zeros, (width, blocks))[:, owner]
    values *= scales.reshape(width, blocks).astype(np.float32)[:, owner]
    return np.ascontiguousarray(values.T.astype(scales.dtype))


def _zero_points(node: NodeProto, bits: int, zeros: np.ndarray | None, shape: tuple[int, int]) -> np.ndarray:
    if zeros is None:
        return np.full(shape, 2.0 ** (bits - 1), np.float32)
    if zeros.dtype == np.uint8 and zeros.size == shape[0] * -(-shape[1] * bits // 8):
        return _elements(zeros.reshape(shape[0], -1), bits).astype(np.float32)[:, : shape[1]]
    if zeros.size != shape[0] * shape[1]:
        raise ModelError(
            f"{_about(node)}: its zero points are not {shape[0]} x {shape[1]}, one for each block"
        )
    return zeros.reshape(shape).astype(np.float32)


def _table(
    node: NodeProto, bits: int, data: np.ndarray | None, scales: np.ndarray | None, zeros: np.ndarray | None
) -> np.ndarray:
    """What a GatherBlockQuantized gathers from, in the type of its scales."""
    if data is None or scales is None:
        raise ModelError(f"{_about(node)}: it lacks data or scales")
    packs = data.dtype == np.uint8
    values = (_elements(data, bits) if packs else data).astype(np.float32)
    block, axis = int(attribute(node, "block_size", 128)), int(attribute(node, "quantize_axis", 1))
    axis += values.ndim if axis < 0 else 0
    blocks = -(-values.shape[axis] // block)
    if scales.ndim != values.ndim or scales.shape[axis] != blocks:
        raise ModelError(f"{_about(node)}: its scales are not {blocks} along axis {axis}, one for each block")
    owner = np.arange(values.shape[axis]) // block
    if zeros is not None:
        points = (_elements(zeros, bits)[..., : scales.shape[-1]] if packs else zeros).astype(np.float32)
        values -= np.take(points, owner, axis)
    elif packs:
        values -= np.float32(2 ** (bits - 1))
    return (values * np.take(scales.astype(np.float32), owner, axis)).astype(scales.dtype)


def _elements(packed: np.ndarray, bits: int) -> np.ndarray:
    """The elements of bytes along the last axis, that of the lowest bits first."""
    parts = [(packed >> shift) & (2**bits - 1) for shift in range(0, 8, bits)]
    return np.stack(parts, -1).reshape(*packed.shape[:-1], packed.shape[-1] * len(parts))


def _about(node: NodeProto) -> str:
    return f"node '{node_name(node)}' ({node.op_type})"
