"""Quantized ONNX operators, written as what they mean.

ONNX has two spellings of a quantized network. QDQ surrounds float operators with DequantizeLinear and
QuantizeLinear; QOperator has one operator for the three (QLinearConv, QLinearMatMul, and those of the
com.microsoft domain that ONNX Runtime's quantizer writes). Here the second becomes the first, so that every
network is right wherever scales, zero points and weights come from, and recognising what can stay in 8 bits
is the business of one graph pass. ConvInteger becomes a convolution of 32-bit differences, its meaning to
the bit. The operators' definitions: ONNX Operators.md and ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from .expansion import CONTRIB, Expand, Expansion

FILTER_INPUT = {
    **{"QLinearConv": 3, "QLinearMatMul": 3, "QGemm": 3, "ConvInteger": 1, "MatMulInteger": 1},
    **{"MatMulIntegerToFloat": 1, "DynamicQuantizeMatMul": 1},
}
"""Layers in 8 bits have their filter at this input."""
CHANNELS_LAST = "channels_last"
QUANTIZED_TYPES = (TensorProto.UINT8, TensorProto.INT8, TensorProto.UINT16, TensorProto.INT16)


def _qlinear_conv(e: Expansion) -> None:
    data = e.dequantize(_channels_first(e), e.input(1), e.input(2))
    weight, bias = e.dequantized(3, axis=0), e.input(8)
    if bias:
        scale = e.emit("Mul", e.float32(e.input(1)), e.float32(e.input(4)))
        bias = e.dequantize(bias, scale, "", axis=0)
    value = e.emit("Conv", data, weight, bias, **e.without(CHANNELS_LAST))
    e.quantize(_as_it_came(e, value), 6)


def _channels_first(e: Expansion) -> str:
    """The first operand in ONNX's layout; ONNX Runtime's optimizers have it otherwise where they say so."""
    if not e.attributes.get(CHANNELS_LAST):
        return e.input(0)
    rank = len(e.extents(e.input(0)))
    return e.emit("Transpose", e.input(0), perm=[0, rank - 1, *range(1, rank - 1)])


def _as_it_came(e: Expansion, value: str) -> str:
    """A result in the first operand's layout."""
    if not e.attributes.get(CHANNELS_LAST):
        return value
    rank = len(e.extents(e.input(0)))
    return e.emit("Transpose", value, perm=[0, *range(2, rank), 1])


def _conv_integer(e: Expansion) -> None:
    data = e.emit("Cast", e.input(0), to=TensorProto.INT32)
    weight = e.emit("Cast", e.input(1), to=TensorProto.INT32)
    if e.input(2):
        data = e.emit("Sub", data, e.emit("Cast", e.input(2), to=TensorProto.INT32))
    if e.input(3):
        zero = e.emit("Cast", e.input(3), to=TensorProto.INT32)
        if e.size(e.input(3)) != 1:
            per_output = [-1, *[1] * ((e.rank(e.input(1)) or 4) - 1)]
            zero = e.emit("Reshape", zero, e.constant(np.array(per_output, np.int64)))
        weight = e.emit("Sub", weight, zero)
    e.emit("Conv", data, weight, output=e.node.output[0], **e.attributes)


def _qlinear_matmul(e: Expansion) -> None:
    """A scale per row of the first matrix and per column of the second."""
    operands = []
    for first, from_the_end in ((0, 2), (3, 1)):
        scale_rank, rank = e.rank(e.input(first + 1)), e.rank(e.input(first))
        if (scale_rank or 0) > 1 and e.size(e.input(first + 1)) != 1:
            raise e.refuse("a scale per row of a stack of matrices is not supported")
        axis = None if rank is None or rank < from_the_end else rank - from_the_end
        operands.append(e.dequantized(first, axis))
    e.quantize(e.emit("MatMul", *operands), 6)


def _qgemm(e: Expansion) -> None:
    """The bias has the scale alpha x (scale of a) x (scale of b)."""
    attributes = e.attributes
    bias = e.input(6)
    if bias:
        scale = e.emit("Mul", e.input(1), e.input(4))
        if attributes.get("alpha", 1.0) != 1.0:
            scale = e.emit("Mul", scale, e.constant(np.array(attributes["alpha"], np.float32)))
        bias = e.dequantize(bias, scale, "", axis=(e.rank(bias) or 1) - 1)
    # Axis 1 is DequantizeLinear's default, and all that opsets before 13 can say.
    weight = e.dequantized(3, axis=0 if attributes.get("transB") else None)
    product = (e.dequantized(0), weight, bias)
    if e.input(7):
        e.quantize(e.emit("Gemm", *product, **attributes), 7)
    else:
        e.emit("Gemm", *product, output=e.node.output[0], **attributes)


def _binary(kind: str) -> Expand:
    def expansion(e: Expansion) -> None:
        e.quantize(e.emit(kind, e.dequantized(0), e.dequantized(3)), 6)

    return expansion


def _unary(kind: str) -> Expand:
    """One operand and the operator's own attributes."""

    def expansion(e: Expansion) -> None:
        data = e.dequantize(_channels_first(e), e.input(1), e.input(2))
        e.quantize(_as_it_came(e, e.emit(kind, data, **e.without(CHANNELS_LAST))), 3)

    return expansion


def _max_pool(e: Expansion) -> None:
    """Pool bytes, whose channels are always last."""
    e.attributes[CHANNELS_LAST] = 1
    e.result(_as_it_came(e, e.emit("MaxPool", _channels_first(e), **e.without(CHANNELS_LAST))))


def _softmax(e: Expansion) -> None:
    """Before opset 13 the axes from ``axis`` on were one; the last axis alone means the same in both."""
    axis, rank = int(e.attributes.get("axis", -1)), e.rank(e.input(0))
    last = axis == -1 or (rank is not None and axis == rank - 1)
    if int(e.attributes["opset"]) < 13 and not last:
        axis = -1 if rank is None else axis
        raise e.refuse(f"a softmax over the axes from {axis} on is not supported")
    e.quantize(e.emit("Softmax", e.dequantized(0), axis=axis), 3)


def _concat(e: Expansion) -> None:
    parts = [e.dequantized(first) for first in range(2, len(e.node.input), 3)]
    e.quantize(e.emit("Concat", *parts, axis=e.attributes["axis"]), 0)


def _where(e: Expansion) -> None:
    e.quantize(e.emit("Where", e.input(0), e.dequantized(1), e.dequantized(4)), 7)


def _dequantize_blocks(e: Expansion) -> None:
    data = e.emit("Cast", e.input(0), to=TensorProto.INT32)
    if e.input(2):
        data = e.emit("Sub", data, e.emit("Cast", e.per_element(2), to=TensorProto.INT32))
    e.emit(
        "Mul",
        e.emit("Cast", data, to=TensorProto.FLOAT),
        e.float32(e.per_element(1)),
        output=e.node.output[0],
    )


def _quantize_blocks(e: Expansion) -> None:
    value = e.emit("Round", e.emit("Div", e.input(0), e.per_element(1)))
    if e.input(2):
        value = e.emit("Add", value, e.emit("Cast", e.per_element(2), to=TensorProto.FLOAT))
    limits = np.iinfo(helper.tensor_dtype_to_np_dtype(e.result_type()))
    ends = [e.constant(np.array(end, np.float32)) for end in (limits.min, limits.max)]
    e.emit("Cast", e.emit("Clip", value, *ends), to=e.result_type(), output=e.node.output[0])


def _matmul_integer_to_float(e: Expansion) -> None:
    _real_product(e, e.dequantize(e.input(0), e.input(2), e.input(4)), e.input(1), (3, 5, 6))


def _dynamic_quantize_matmul(e: Expansion) -> None:
    """The scale and zero point of the first matrix follow from its extremes."""
    data, scale, zero = parts = [f"{e.node.output[0]}/{name}" for name in ("bytes", "scale", "zero")]
    e.nodes.append(helper.make_node("DynamicQuantizeLinear", [e.input(0)], parts, data))
    _real_product(e, e.dequantize(data, scale, zero), e.input(1), (2, 3, 4))


def _real_product(e: Expansion, data: str, weight: str, rest: tuple[int, int, int]) -> None:
    """A product of floats with 8-bit weights, whose scale, zero point and bias are the inputs ``rest``."""
    scale, zero, bias = map(e.input, rest)
    per_column = e.size(scale) != 1
    axis = len(e.extents(weight)) - 1 if per_column else None
    value = e.emit("MatMul", data, e.dequantize(weight, scale, zero, axis))
    e.result(e.emit("Add", value, bias) if bias else value)


def _standard(e: Expansion) -> None:
    """What means the same in the standard's own domain."""
    e.emit(e.node.op_type, *e.node.input, output=e.node.output[0], **e.attributes)


STANDARD: dict[str, Expand] = {
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "ConvInteger": _conv_integer,
}

FOREIGN: dict[tuple[str, str], Expand] = {
    (CONTRIB, "QGemm"): _qgemm,
    (CONTRIB, "QLinearConv"): _qlinear_conv,
    (CONTRIB, "NhwcMaxPool"): _max_pool,
    (CONTRIB, "QLinearAdd"): _binary("Add"),
    (CONTRIB, "QLinearMul"): _binary("Mul"),
    (CONTRIB, "QLinearConcat"): _concat,
    (CONTRIB, "QLinearAveragePool"): _unary("AveragePool"),
    (CONTRIB, "QLinearGlobalAveragePool"): _unary("GlobalAveragePool"),
    (CONTRIB, "QLinearLeakyRelu"): _unary("LeakyRelu"),
    (CONTRIB, "QLinearSigmoid"): _unary("Sigmoid"),
    (CONTRIB, "QLinearSoftmax"): _softmax,
    (CONTRIB, "QLinearWhere"): _where,
    (CONTRIB, "QuantizeLinear"): _standard,
    (CONTRIB, "DequantizeLinear"): _standard,
    (CONTRIB, "MatMulIntegerToFloat"): _matmul_integer_to_float,
    (CONTRIB, "DynamicQuantizeMatMul"): _dynamic_quantize_matmul,
}
"""ONNX Runtime's own."""

IN_BLOCKS: dict[str, Expand] = {"DequantizeLinear": _dequantize_blocks, "QuantizeLinear": _quantize_blocks}
"""The standard's, where a scale is that of a block along an axis."""
