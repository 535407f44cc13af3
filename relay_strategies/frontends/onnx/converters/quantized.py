"""Quantized ONNX operators, as what they mean: float operators between dequantization and quantization.

ONNX has two spellings of a quantized network. QDQ surrounds float operators with DequantizeLinear and
QuantizeLinear; QOperator has one operator for the three (QLinearConv, QLinearMatMul, and those of the
com.microsoft domain that ONNX Runtime's quantizer writes). Here the second becomes the first, so that every
network is right wherever scales, zero points and weights come from, and recognising what can stay in 8 bits
is the business of one graph pass. ConvInteger becomes a convolution of 32-bit differences, its meaning to
the bit. The operators' definitions: ONNX Operators.md and ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from onnx import helper
from tvm import relax

from relay_strategies.functional import quantization
from relay_strategies.relax.graph import dtype_of

from .convolutions import convolve
from .node import Converter, Node
from .windows import pool_by_tvm

CHANNELS_LAST = "channels_last"


def _dequantized(node: Node, first: int, axis: int | None = None) -> relax.Expr:
    """The operand whose values, scale and zero point are the inputs from ``first`` on."""
    return quantization.dequantize(node, node.data(first), node.data(first + 1), node.input(first + 2), axis)


def _quantized(node: Node, value: relax.Expr, first: int) -> relax.Expr:
    """A result in the scale and zero point that are the inputs from ``first`` on."""
    return quantization.quantize(node, node.emit_layer(value), node.data(first), node.input(first + 1))


def _bias(node: Node, index: int, scales: tuple[int, int], factor: float = 1.0) -> relax.Expr | None:
    """A bias counted in the product of two scales."""
    if node.input(index) is None:
        return None
    scale = node.emit(relax.op.multiply(*(node.data(at) for at in scales)))
    if factor != 1:
        scale = node.emit(relax.op.multiply(scale, relax.const(factor, "float32")))
    axis = max(len(node.shape(index)) - 1, 0)
    return quantization.dequantize(node, node.data(index), scale, axis=axis)


def _qlinear_conv(node: Node) -> relax.Expr:
    weight, bias = _dequantized(node, 3, axis=0), _bias(node, 8, (1, 4))
    return _of_maps(node, lambda data: convolve(node, data, weight, bias), 6)


def _of_maps(node: Node, operator: Callable[[relax.Expr], relax.Expr], result: int) -> relax.Expr:
    """A quantized operator of maps, which ONNX Runtime's optimizers have with channels last where they say
    so; the scale and zero point of its result are the inputs from ``result`` on."""
    last = bool(node.attributes.get(CHANNELS_LAST))
    data = _channels_first(node, node.data()) if last else node.data()
    data = quantization.dequantize(node, data, node.data(1), node.input(2))
    value = node.emit_layer(operator(data))
    return _quantized(node, _channels_last(node, value) if last else value, result)


def _channels_first(node: Node, data: relax.Expr) -> relax.Expr:
    rank = len(node.shape_of(data))
    return node.emit(relax.op.permute_dims(data, [0, rank - 1, *range(1, rank - 1)]))


def _channels_last(node: Node, data: relax.Expr) -> relax.Expr:
    return node.emit(relax.op.permute_dims(data, [0, *range(2, len(node.shape_of(data))), 1]))


def _conv_integer(node: Node) -> relax.Expr:
    data, weight = (node.cast(node.data(index), "int32") for index in range(2))
    if node.input(2) is not None:
        data = node.emit(relax.op.subtract(data, node.cast(node.data(2), "int32")))
    if node.input(3) is not None:
        zero = node.cast(node.data(3), "int32")
        if math.prod(node.shape(3)) != 1:
            zero = node.emit(relax.op.reshape(zero, [-1, *[1] * (len(node.shape(1)) - 1)]))
        weight = node.emit(relax.op.subtract(weight, zero))
    return convolve(node, data, weight)


def _qlinear_matmul(node: Node) -> relax.Expr:
    """A scale per row of the first matrix and per column of the second."""
    operands = []
    for first, from_the_end in ((0, 2), (3, 1)):
        rank, scales = len(node.shape(first)), node.shape(first + 1)
        if len(scales) > 1 and math.prod(scales) != 1:
            raise node.refusal("a scale per row of a stack of matrices is not supported")
        operands.append(_dequantized(node, first, None if rank < from_the_end else rank - from_the_end))
    return _quantized(node, relax.op.matmul(*operands), 6)


def _qgemm(node: Node) -> relax.Expr:
    """The bias has the scale alpha x (scale of a) x (scale of b)."""
    bias = _bias(node, 6, (1, 4), node.number("alpha", 1.0))
    operands = _dequantized(node, 0), _dequantized(node, 3, 0 if node.attributes.get("transB") else 1), bias
    product = replace(node, inputs=operands).by_tvm(kind="Gemm")
    return product if node.input(7) is None else _quantized(node, product, 7)


def _binary(operator: Callable[[relax.Expr, relax.Expr], relax.Expr]) -> Converter:
    return lambda node: _quantized(node, operator(_dequantized(node, 0), _dequantized(node, 3)), 6)


def _unary(operator: Callable[[Node, relax.Expr], relax.Expr]) -> Converter:
    return lambda node: _of_maps(node, lambda data: operator(node, data), 3)


def _average(node: Node, data: relax.Expr) -> relax.Expr:
    return relax.op.mean(data, list(range(2, len(node.shape_of(data)))), keepdims=True)


def _max_pool(node: Node) -> relax.Expr:
    """Pool bytes, whose channels are always last."""
    pooled = node.emit(pool_by_tvm(node, _channels_first(node, node.data()), "MaxPool"))
    return _channels_last(node, pooled)


def _softmax(node: Node) -> relax.Expr:
    """Before opset 13 the axes from ``axis`` on were one; the last axis alone means the same in both."""
    axis, rank = node.integer("axis", -1), len(node.shape())
    if node.integer("opset", 13) < 13 and axis not in (-1, rank - 1):
        raise node.refusal(f"a softmax over the axes from {axis} on is not supported")
    return _quantized(node, relax.op.nn.softmax(_dequantized(node, 0), axis), 3)


def _concat(node: Node) -> relax.Expr:
    parts = [_dequantized(node, first) for first in range(2, len(node.inputs), 3)]
    return _quantized(node, relax.op.concat(parts, node.integer("axis", 0)), 0)


def _dequantize(node: Node) -> relax.Expr:
    block = node.integer("block_size", 0)
    if not block:
        return node.by_tvm()
    operands = node.data(), node.data(1), node.input(2)
    return quantization.dequantize_blocks(node, *operands, node.axis(1), block)


def _quantize(node: Node) -> relax.Expr:
    block, kind = node.integer("block_size", 0), node.integer("output_dtype", 0)
    if not block:
        return node.by_tvm()
    operands = node.data(), node.data(1), node.input(2)
    zero = "uint8" if operands[2] is None else dtype_of(operands[2])
    dtype = str(helper.tensor_dtype_to_np_dtype(kind)) if kind else zero
    return quantization.quantize_blocks(node, *operands, node.axis(1), block, dtype)


def _matmul_integer_to_float(node: Node) -> relax.Expr:
    data = quantization.dequantize(node, node.data(), node.data(2), node.input(4))
    return _real_product(node, data, (3, 5, 6))


def _dynamic_quantize_matmul(node: Node) -> relax.Expr:
    """The scale and zero point of the first matrix follow from its extremes."""
    stored = node.emit(node.by_tvm([node.data()], "DynamicQuantizeLinear"))
    fields = (node.emit(relax.TupleGetItem(stored, number)) for number in range(3))
    return _real_product(node, quantization.dequantize(node, *fields), (2, 3, 4))


def _real_product(node: Node, data: relax.Expr, rest: tuple[int, int, int]) -> relax.Expr:
    """A product of floats with 8-bit weights, whose scale, zero point and bias are the inputs ``rest``."""
    scale, zero, bias = rest
    axis = None if math.prod(node.shape(scale)) == 1 else len(node.shape(1)) - 1
    weight = quantization.dequantize(node, node.data(1), node.data(scale), node.input(zero), axis)
    product = relax.op.matmul(data, weight)
    return product if node.input(bias) is None else relax.op.add(node.emit(product), node.data(bias))


CONVERTERS: dict[str, Converter] = {
    "ConvInteger": _conv_integer,
    "DequantizeLinear": _dequantize,
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize,
    **{
        f"com.microsoft::{kind}": converter
        for kind, converter in {
            "DequantizeLinear": _dequantize,
            "DynamicQuantizeMatMul": _dynamic_quantize_matmul,
            "MatMulIntegerToFloat": _matmul_integer_to_float,
            "NhwcMaxPool": _max_pool,
            "QGemm": _qgemm,
            "QLinearAdd": _binary(relax.op.add),
            "QLinearAveragePool": _unary(lambda node, data: pool_by_tvm(node, data, "AveragePool")),
            "QLinearConcat": _concat,
            "QLinearConv": _qlinear_conv,
            "QLinearGlobalAveragePool": _unary(_average),
            "QLinearLeakyRelu": _unary(lambda n, data: relax.op.nn.leakyrelu(data, n.number("alpha", 0.01))),
            "QLinearMul": _binary(relax.op.multiply),
            "QLinearSigmoid": _unary(lambda node, data: relax.op.sigmoid(data)),
            "QLinearSoftmax": _softmax,
            "QLinearWhere": lambda node: _quantized(
                node, relax.op.where(node.data(), _dequantized(node, 1), _dequantized(node, 4)), 7
            ),
            "QuantizeLinear": _quantize,
        }.items()
    },
}
