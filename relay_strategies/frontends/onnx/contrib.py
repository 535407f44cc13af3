"""Float operators of com.microsoft, written as the standard's.

ONNX Runtime's optimizers fuse what stood there before: a convolution with its activation, a GELU's five
operators, attention. Whoever has the optimized file alone has those; here they come apart again, and the
compiler fuses by its own rules. Definitions: ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .contrib_attention import (
    attention,
    group_query_attention,
    multi_head_attention,
    quantized_attention,
)
from .contrib_rotary import rotary_embedding
from .expansion import CONTRIB, Expand, Expansion

FILTER_INPUT = {"FusedConv": 1, "FusedGemm": 1, "FusedMatMul": 1}
"""Layers have their filter at this input."""
NORMALIZING_OPSET = 17
"""The first opset in which the standard has LayerNormalization."""


def _fused_conv(e: Expansion) -> None:
    attributes = e.without("activation", "activation_params")
    value = e.emit("Conv", e.input(0), e.input(1), e.input(2), **attributes)
    if e.input(3):
        value = e.emit("Add", value, e.input(3))
    _activate(e, value, list(e.attributes.get("activation_params", [])))


def _fused_gemm(e: Expansion) -> None:
    parameters = [f"activation_{name}" for name in ("alpha", "beta", "gamma")]
    given = [e.attributes[name] for name in parameters if name in e.attributes]
    attributes = e.without("activation", *parameters)
    _activate(e, e.emit("Gemm", e.input(0), e.input(1), e.input(2), **attributes), given)


def _activate(e: Expansion, value: str, parameters: list[float]) -> None:
    """The activation that a fused layer names, of its sums."""
    kind = e.attributes.get("activation", b"").decode()
    names = {"LeakyRelu": ("alpha",), "HardSigmoid": ("alpha", "beta")}
    if kind == "Clip" and len(parameters) == 2:
        value = _clip(e, value, *parameters)
    elif kind == "HardSwish":
        value = e.emit("Mul", value, e.emit("HardSigmoid", value, alpha=1 / 6, beta=0.5))
    elif kind in ("Relu", "Sigmoid", "Tanh", *names):
        attributes: dict[str, Any] = dict(zip(names.get(kind, ()), parameters, strict=False))
        value = e.emit(kind, value, **attributes)
    elif kind:
        raise e.refuse(f"the activation {kind} with {len(parameters)} parameters is not supported")
    e.result(value)


def _clip(e: Expansion, value: str, low: float, high: float) -> str:
    if e.opset < 11:
        return e.emit("Clip", value, min=low, max=high)
    return e.emit("Clip", value, *(e.constant(np.array(end, np.float32)) for end in (low, high)))


def _fused_matmul(e: Expansion) -> None:
    operands = [
        _ordered(e, e.input(index), bool(e.attributes.get(f"trans{which}")), f"transBatch{which}")
        for index, which in enumerate("AB")
    ]
    value = e.emit("MatMul", *operands)
    alpha = e.attributes.get("alpha", 1.0)
    e.result(value if alpha == 1 else e.emit("Mul", value, e.number(alpha)))


def _ordered(e: Expansion, operand: str, transposed: bool, rows_first: str) -> str:
    """An operand as a stack of matrices, whose rows (columns where it is transposed) may stand before the
    stack's axes, as the attribute ``rows_first`` says."""
    if not transposed and not e.attributes.get(rows_first):
        return operand
    order = [*range(len(e.extents(operand)))]
    if len(order) < 2:
        return operand
    if e.attributes.get(rows_first):
        order.insert(-1, order.pop(0))
    if transposed:
        order.append(order.pop(-2))
    return e.emit("Transpose", operand, perm=order)


def _gelu(e: Expansion) -> None:
    e.result(_gelu_of(e, e.input(0)))


def _bias_gelu(e: Expansion) -> None:
    e.result(_gelu_of(e, e.emit("Add", e.input(0), e.input(1))))


def _gelu_of(e: Expansion, value: str) -> str:
    erf = e.emit("Erf", e.emit("Div", value, e.number(math.sqrt(2))))
    return e.emit("Mul", e.emit("Mul", value, e.emit("Add", erf, e.number(1))), e.number(0.5))


def _fast_gelu(e: Expansion) -> None:
    value = e.emit("Add", e.input(0), e.input(1)) if e.input(1) else e.input(0)
    cube = e.emit("Mul", e.emit("Pow", value, e.number(3)), e.number(0.044715))
    inner = e.emit("Mul", e.emit("Add", value, cube), e.number(math.sqrt(2 / math.pi)))
    tanh = e.emit("Add", e.emit("Tanh", inner), e.number(1))
    e.result(e.emit("Mul", e.emit("Mul", value, e.number(0.5)), tanh))


def _quick_gelu(e: Expansion) -> None:
    alpha = e.attributes.get("alpha", 1.702)
    scaled = e.input(0) if alpha == 1 else e.emit("Mul", e.input(0), e.number(alpha))
    e.result(e.emit("Mul", e.input(0), e.emit("Sigmoid", scaled)))


def _layer_normalization(e: Expansion) -> None:
    """The standard's of later opsets, in a network of an earlier one."""
    e.refuse_outputs(1, 2)
    e.result(_normalized(e, e.input(0), e.input(1), e.input(2), 1e-5, _axes(e)))


def _simplified_layer_normalization(e: Expansion) -> None:
    e.refuse_outputs(1)
    e.result(_scaled_by_deviation(e, e.input(0), e.input(1), 1e-5, _axes(e)))


def _axes(e: Expansion) -> list[int]:
    """The axes from the attribute ``axis`` on, from the end."""
    rank, axis = len(e.extents(e.input(0))), int(e.attributes.get("axis", -1))
    if not -rank <= axis < rank:
        raise e.refuse(f"axis {axis} is none of a tensor of {rank} dimensions")
    return [*range(axis if axis < 0 else axis - rank, 0)]


def _skip_layer_normalization(e: Expansion) -> None:
    """Normalize the sum of two tensors and a bias; the sum is the fourth result."""
    total = _sum_of(e, 4)
    e.result(_normalized(e, total, e.input(2), e.input(3), 1e-12))


def _skip_simplified_layer_normalization(e: Expansion) -> None:
    total = _sum_of(e, 3)
    e.result(_scaled_by_deviation(e, total, e.input(2), 1e-12))


def _sum_of(e: Expansion, bias: int) -> str:
    e.refuse_outputs(1, 2)
    asked = e.node.output[3] if len(e.node.output) > 3 else ""
    if not e.input(bias):
        return e.emit("Add", e.input(0), e.input(1), output=asked)
    return e.emit("Add", e.emit("Add", e.input(0), e.input(1)), e.input(bias), output=asked)


def _embed_layer_normalization(e: Expansion) -> None:
    """Normalize the sum of the embeddings of words, positions and, where given, segments.

    The second result is the sum of the mask.
    """
    ids = e.input(0)
    length = e.extents(ids)[1]
    total = e.emit("Gather", e.input(2), ids)
    positions = e.input(8) or e.constant(np.arange(length).reshape(1, -1))
    asked = e.node.output[2] if len(e.node.output) > 2 else ""
    segments = e.input(1) if e.input(4) else ""
    place = e.emit("Gather", e.input(3), positions)
    total = e.emit("Add", total, place, output="" if segments else asked)
    if segments:
        total = e.emit("Add", total, e.emit("Gather", e.input(4), segments), output=asked)
    if len(e.node.output) > 1 and e.node.output[1]:
        _count_of_mask(e, e.input(7), e.extents(ids)[0])
    e.result(_normalized(e, total, e.input(5), e.input(6), 1e-12))


def _count_of_mask(e: Expansion, mask: str, batch: int) -> None:
    """The second result: how many tokens of each sequence count, 0 where there is no mask."""
    if not mask:
        e.emit("Identity", e.constant(np.zeros(batch, np.int32)), output=e.node.output[1])
        return
    axes = {"axes": [1]} if e.opset < 13 else {}
    along = [] if axes else [e.constant(np.array([1]))]
    e.emit("ReduceSum", mask, *along, keepdims=0, output=e.node.output[1], **axes)


def _normalized(
    e: Expansion, value: str, scale: str, bias: str, epsilon: float, along: Sequence[int] = (-1,)
) -> str:
    """Less its mean and over its deviation along the last axes."""
    epsilon = e.attributes.get("epsilon", epsilon)
    if e.opset >= NORMALIZING_OPSET:
        return e.emit("LayerNormalization", value, scale, bias, axis=along[0], epsilon=epsilon)
    centered = e.emit("Sub", value, e.emit("ReduceMean", value, axes=along))
    result = _scaled_by_deviation(e, centered, scale, epsilon, along)
    return e.emit("Add", result, bias) if bias else result


def _scaled_by_deviation(
    e: Expansion, value: str, scale: str, epsilon: float, along: Sequence[int] = (-1,)
) -> str:
    """Divide a value by the root of its mean square along the last axes, and multiply it by the scale."""
    epsilon = e.attributes.get("epsilon", epsilon)
    last: dict[str, Any] = {"axes": along} if e.opset < 18 else {}
    axes = [] if last else [e.constant(np.array(along))]
    mean = e.emit("ReduceMean", e.emit("Pow", value, e.number(2)), *axes, **last)
    deviation = e.emit("Sqrt", e.emit("Add", mean, e.number(epsilon)))
    return e.emit("Mul", e.emit("Div", value, deviation), scale)


EXPANSIONS: dict[tuple[str, str], Expand] = {
    (CONTRIB, "FusedConv"): _fused_conv,
    (CONTRIB, "FusedGemm"): _fused_gemm,
    (CONTRIB, "FusedMatMul"): _fused_matmul,
    (CONTRIB, "TransposeMatMul"): _fused_matmul,
    (CONTRIB, "Gelu"): _gelu,
    (CONTRIB, "BiasGelu"): _bias_gelu,
    (CONTRIB, "FastGelu"): _fast_gelu,
    (CONTRIB, "QuickGelu"): _quick_gelu,
    (CONTRIB, "SkipLayerNormalization"): _skip_layer_normalization,
    (CONTRIB, "SkipSimplifiedLayerNormalization"): _skip_simplified_layer_normalization,
    (CONTRIB, "EmbedLayerNormalization"): _embed_layer_normalization,
    (CONTRIB, "Attention"): attention,
    (CONTRIB, "MultiHeadAttention"): multi_head_attention,
    (CONTRIB, "QAttention"): quantized_attention,
    (CONTRIB, "GroupQueryAttention"): group_query_attention,
    (CONTRIB, "RotaryEmbedding"): rotary_embedding,
    ("", "SimplifiedLayerNormalization"): _simplified_layer_normalization,
}

EARLY = {"LayerNormalization": _layer_normalization}
"""The standard's, in networks of opsets before it had them."""
