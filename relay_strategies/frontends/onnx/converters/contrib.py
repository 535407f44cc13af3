"""Float operators of com.microsoft, which ONNX Runtime's optimizers write: layers with their activations,
GELUs, and normalizations of sums.

Graph passes fuse by rules of their own. Definitions: ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from tvm import relax

from relay_strategies.functional.indexing import gather
from relay_strategies.functional.normalization import layer_norm, rms_norm
from relay_strategies.relax.graph import dtype_of, make_constant

from .convolutions import convolve
from .node import Converter, Node

ACTIVATIONS = {
    **dict.fromkeys(("", "HardSwish", "Relu", "Sigmoid", "Tanh"), ()),
    **{"Clip": ("min", "max"), "HardSigmoid": ("alpha", "beta"), "LeakyRelu": ("alpha",)},
}
"""The activations of fused layers, and what the standard calls their parameters."""
ACTIVATION_PARAMETERS = ("activation_alpha", "activation_beta", "activation_gamma")


def _fused_conv(node: Node) -> relax.Expr:
    activate = _activation(node, list(node.attributes.get("activation_params", ())))
    value = node.emit(convolve(node, node.data(), node.data(1), node.input(2)))
    if node.input(3) is not None:
        value = node.emit(relax.op.add(value, node.data(3)))
    return activate(value)


def _fused_gemm(node: Node) -> relax.Expr:
    given = [node.number(name, 0) for name in ACTIVATION_PARAMETERS if name in node.attributes]
    return _activation(node, given)(node.emit(node.by_tvm(kind="Gemm")))


def _activation(node: Node, parameters: Sequence[float]) -> Callable[[relax.Expr], relax.Expr]:
    """Return the activation that a fused layer names."""
    kind = node.text("activation", "")
    if kind not in ACTIVATIONS or (kind == "Clip" and len(parameters) != 2):
        raise node.refusal(f"the activation {kind} with {len(parameters)} parameters is not supported")
    if kind == "Clip":
        return lambda value: relax.op.clip(value, *parameters)
    attributes = dict(zip(ACTIVATIONS[kind], parameters, strict=False))
    return lambda value: replace(node, attributes=attributes).by_tvm([value], kind) if kind else value


def _fused_matmul(node: Node) -> relax.Expr:
    operands = [
        _ordered(node, node.data(index), bool(node.attributes.get(f"trans{which}")), f"transBatch{which}")
        for index, which in enumerate("AB")
    ]
    product, alpha = node.emit(relax.op.matmul(*operands)), node.number("alpha", 1.0)
    return product if alpha == 1 else relax.op.multiply(product, node.cast(alpha, dtype_of(product)))


def _ordered(node: Node, operand: relax.Expr, transposed: bool, rows_first: str) -> relax.Expr:
    """An operand as a stack of matrices, whose rows (columns where it is transposed) may stand before the
    stack's axes, as the attribute ``rows_first`` says."""
    order = [*range(len(node.shape_of(operand)))]
    if len(order) < 2 or not (transposed or node.attributes.get(rows_first)):
        return operand
    if node.attributes.get(rows_first):
        order.insert(-1, order.pop(0))
    if transposed:
        order.append(order.pop(-2))
    return node.emit(relax.op.permute_dims(operand, order))


def _quick_gelu(node: Node) -> relax.Expr:
    data, alpha = node.data(), node.number("alpha", 1.702)
    scaled = data if alpha == 1 else node.emit(relax.op.multiply(data, node.cast(alpha, dtype_of(data))))
    return relax.op.multiply(data, node.emit(relax.op.sigmoid(scaled)))


def _sum(node: Node, indices: Sequence[int]) -> relax.Expr:
    """The sum of those of the inputs that are given."""
    total, *rest = (node.data(index) for index in indices if node.input(index) is not None)
    for term in rest:
        total = node.emit(relax.op.add(total, term))
    return total


def _simplified_layer_normalization(node: Node) -> relax.Expr:
    node.refuse_results(1)
    axes = range(node.axis(-1), len(node.shape()))
    return rms_norm(node, node.data(), node.data(1), axes, node.number("epsilon", 1e-5))


def _skip_layer_normalization(node: Node) -> relax.Expr:
    """Normalize the sum of two tensors and a bias; the sum is the fourth result."""
    node.refuse_results(1, 2)
    total = _sum(node, (0, 1, 4))
    result = _normalized(node, total, node.data(2), node.input(3))
    return relax.Tuple([result, result, result, total])


def _skip_simplified_layer_normalization(node: Node) -> relax.Expr:
    node.refuse_results(1, 2)
    total = _sum(node, (0, 1, 3))
    axis = len(node.shape()) - 1
    result = node.emit(rms_norm(node, total, node.data(2), [axis], node.number("epsilon", 1e-12)))
    return relax.Tuple([result, result, result, total])


def _embed_layer_normalization(node: Node) -> relax.Expr:
    """Normalize the sum of the embeddings of words, positions and, where given, segments.

    The second result is how many tokens of each sequence its mask counts, 0 without a mask; the third is the
    sum.
    """
    batch, length = node.shape()
    positions = node.input(8)
    if positions is None:
        positions = make_constant(np.arange(operator.index(length)).reshape(1, -1))
    words, places = ((2, node.data()), (3, positions))
    total = relax.op.add(*(node.emit(gather(node, node.data(table), at, 0)) for table, at in (words, places)))
    total = node.emit(total)
    if node.input(4) is not None and node.input(1) is not None:
        total = node.emit(relax.op.add(total, node.emit(gather(node, node.data(4), node.data(1), 0))))
    mask = node.input(7)
    count = make_constant(np.zeros(batch, np.int32)) if mask is None else node.emit(relax.op.sum(mask, 1))
    return relax.Tuple([_normalized(node, total, node.data(5), node.data(6)), count, total])


def _normalized(node: Node, value: relax.Expr, scale: relax.Expr, bias: relax.Expr | None) -> relax.Expr:
    axis = len(node.shape_of(value)) - 1
    return node.emit(layer_norm(node, value, scale, bias, [axis], node.number("epsilon", 1e-12)))


CONVERTERS: dict[str, Converter] = {
    "com.microsoft::BiasGelu": Node.by_tvm,
    "com.microsoft::EmbedLayerNormalization": _embed_layer_normalization,
    "com.microsoft::FastGelu": lambda node: relax.op.nn.gelu_tanh(_sum(node, (0, 1))),
    "com.microsoft::FusedConv": _fused_conv,
    "com.microsoft::FusedGemm": _fused_gemm,
    "com.microsoft::FusedMatMul": _fused_matmul,
    "com.microsoft::Gelu": Node.by_tvm,
    "com.microsoft::QuickGelu": _quick_gelu,
    "com.microsoft::SkipLayerNormalization": _skip_layer_normalization,
    "com.microsoft::SkipSimplifiedLayerNormalization": _skip_simplified_layer_normalization,
    "com.microsoft::TransposeMatMul": _fused_matmul,
    "SimplifiedLayerNormalization": _simplified_layer_normalization,
}
