"""Constant weights that ONNX Runtime packs in bytes, as floats, each what its definition says:
(element - zero point) * scale, with one scale and zero point for each block.

MatMulNBits and GatherBlockQuantized become a product with and a gather of float weights. DynamicQuantizeLSTM
rounds its data and states to bytes, and multiplies bytes, as ONNX Runtime does.
Definitions: ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tvm import relax

from relay_strategies.functional.indexing import gather
from relay_strategies.functional.quantization import dequantize
from relay_strategies.relax.graph import constant, make_constant
from tvm_directconv.problem.quantized_types import filter_range

from .node import Converter, Node
from .recurrent import Bytes, convert_recurrent

BITS = (2, 4, 8)


def _matmul(node: Node) -> relax.Expr:
    weights = _matrix(node, _bits(node), *(_constant(node, index) for index in range(1, 5)))
    product = relax.op.matmul(node.cast(node.data(), "float32"), make_constant(weights))
    if node.input(5) is None:
        return product
    return relax.op.add(node.emit(product), node.cast(node.data(5), "float32"))


def _gather(node: Node) -> relax.Expr:
    table = _table(node, _bits(node), *(_constant(node, index) for index in (0, 2, 3)))
    return gather(node, make_constant(table), node.data(1), node.integer("gather_axis", 0) % table.ndim)


def _lstm(node: Node) -> relax.Expr:
    """An LSTM. The weights in bytes are [directions, inputs, 4 * hidden], with scales and zero points for
    each direction, or for each column of each; the data and, in each step, the state are rounded to bytes."""
    inputs = [node.input(index) for index in range(8)]
    matrices: list[list[Bytes]] = []
    for place, scale, zero in ((1, 8, 9), (2, 10, 11)):
        elements, scales, zeros = (_constant(node, index) for index in (place, scale, zero))
        if elements is None or scales is None or elements.ndim != 3:
            raise node.error("it lacks weights of three dimensions, or scales")
        columns = (elements.shape[0], 1, -1)
        whole = elements.astype(np.int16)
        whole -= 0 if zeros is None else zeros.astype(np.int16).reshape(columns)
        units = np.broadcast_to(scales.reshape(columns), (len(whole), 1, whole.shape[2]))
        matrices.append(list(zip(whole, units[:, 0], strict=True)))
        inputs[place] = make_constant(np.ascontiguousarray((whole * units).transpose(0, 2, 1)))
    stored = node.emit(node.by_tvm([node.data()], "DynamicQuantizeLinear"))
    inputs[0] = dequantize(node, *(node.emit(relax.TupleGetItem(stored, number)) for number in range(3)))
    layer = replace(node, kind="LSTM", inputs=inputs)
    if any(filter_range(matrix)[0] != "int8" for of_kind in matrices for matrix, _ in of_kind):
        return convert_recurrent(layer)
    weights, recurrences = (
        [(matrix.astype(np.int8), np.ascontiguousarray(unit)) for matrix, unit in of_kind]
        for of_kind in matrices
    )
    return convert_recurrent(layer, list(zip(weights, recurrences, strict=True)))


def _bits(node: Node) -> int:
    bits = node.integer("bits", 4)
    if bits not in BITS:
        raise node.refusal(f"weights of {bits} bits are not supported, of 2, 4, 8 are")
    return bits


def _constant(node: Node, index: int) -> np.ndarray | None:
    value = node.input(index)
    array = None if value is None else constant(value)
    if value is not None and array is None:
        raise node.refusal(f"its operand '{node.operands[index]}' is to be constant, and is computed")
    return array


def _matrix(
    node: Node,
    bits: int,
    packed: np.ndarray | None,
    scales: np.ndarray | None,
    zeros: np.ndarray | None,
    groups: np.ndarray | None,
) -> np.ndarray:
    """The weights [K, N] of a MatMulNBits, rounded to the type of its scales.

    ``packed`` is [N, blocks, bytes of a block], ``scales`` [N, blocks], ``zeros`` the same or packed along
    the blocks, ``groups`` the block of each of K rows where it is not the one that it lies in.
    """
    depth, width, block = (node.integer(name, 0) for name in ("K", "N", "block_size"))
    blocks = -(-depth // block) if block > 0 else 0
    if packed is None or scales is None or packed.size * 8 != width * blocks * block * bits:
        raise node.error(f"its weights are not of {width} x {depth} elements in blocks of {block}")
    values = _elements(packed.reshape(width, -1), bits).astype(np.float32)[:, :depth]
    owner = np.arange(depth) // block if groups is None else groups.reshape(-1)
    if (
        scales.size != width * blocks
        or owner.shape != (depth,)
        or not (owner >= 0).all()
        or (owner >= blocks).any()
    ):
        raise node.error(f"its scales are not {width} x {blocks}, one for each block")
    values -= _zero_points(node, bits, zeros, (width, blocks))[:, owner]
    values *= scales.reshape(width, blocks).astype(np.float32)[:, owner]
    return np.ascontiguousarray(values.T.astype(scales.dtype).astype(np.float32))


def _zero_points(node: Node, bits: int, zeros: np.ndarray | None, shape: tuple[int, int]) -> np.ndarray:
    if zeros is None:
        return np.full(shape, 2.0 ** (bits - 1), np.float32)
    if zeros.dtype == np.uint8 and zeros.size == shape[0] * -(-shape[1] * bits // 8):
        return _elements(zeros.reshape(shape[0], -1), bits).astype(np.float32)[:, : shape[1]]
    if zeros.size != shape[0] * shape[1]:
        raise node.error(f"its zero points are not {shape[0]} x {shape[1]}, one for each block")
    return zeros.reshape(shape).astype(np.float32)


def _table(
    node: Node, bits: int, data: np.ndarray | None, scales: np.ndarray | None, zeros: np.ndarray | None
) -> np.ndarray:
    """What a GatherBlockQuantized gathers from, rounded to the type of its scales."""
    if data is None or scales is None:
        raise node.error("it lacks data or scales")
    block, axis = node.integer("block_size", 128), node.integer("quantize_axis", 1) % data.ndim
    packs = data.dtype == np.uint8 and scales.shape != _blocks(data, block, axis)
    values = (_elements(data, bits) if packs else data).astype(np.float32)
    if scales.shape != _blocks(values, block, axis):
        raise node.error(
            f"its scales are not {-(-values.shape[axis] // block)} along axis {axis}, one for each block"
        )
    owner = np.arange(values.shape[axis]) // block
    if zeros is not None:
        points = (_elements(zeros, bits)[..., : scales.shape[-1]] if packs else zeros).astype(np.float32)
        values -= np.take(points, owner, axis)
    elif packs:
        values -= np.float32(2 ** (bits - 1))
    return (values * np.take(scales.astype(np.float32), owner, axis)).astype(scales.dtype).astype(np.float32)


def _blocks(values: np.ndarray, block: int, axis: int) -> tuple[int, ...]:
    """The shape of a scale for each block along an axis."""
    return (*values.shape[:axis], -(-values.shape[axis] // block), *values.shape[axis + 1 :])


def _elements(packed: np.ndarray, bits: int) -> np.ndarray:
    """The elements of bytes along the last axis, that of the lowest bits first."""
    parts = [(packed >> shift) & (2**bits - 1) for shift in range(0, 8, bits)]
    return np.stack(parts, -1).reshape(*packed.shape[:-1], packed.shape[-1] * len(parts))


CONVERTERS: dict[str, Converter] = {
    "com.microsoft::DynamicQuantizeLSTM": _lstm,
    "com.microsoft::GatherBlockQuantized": _gather,
    "com.microsoft::MatMulNBits": _matmul,
}
