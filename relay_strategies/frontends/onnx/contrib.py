"""Float operators of com.microsoft, written as the standard's.

ONNX Runtime's optimizers fuse what stood there before: a convolution with its activation, a GELU's five
operators, attention. Whoever has the optimized file alone has those; here they come apart again, and the
compiler fuses by its own rules. Definitions: ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from onnx import helper

from .expansion import CONTRIB, Expand, Expansion

FILTER_INPUT = {"FusedConv": 1, "FusedGemm": 1, "FusedMatMul": 1}
"""Layers have their filter at this input."""
NORMALIZING_OPSET = 17
"""From this opset on the standard has LayerNormalization."""


def _fused_conv(e: Expansion) -> None:
    attributes = _without(e, "activation", "activation_params")
    value = e.emit("Conv", e.input(0), e.input(1), e.input(2), **attributes)
    if e.input(3):
        value = e.emit("Add", value, e.input(3))
    _activate(e, value, list(e.attributes.get("activation_params", [])))


def _fused_gemm(e: Expansion) -> None:
    parameters = [f"activation_{name}" for name in ("alpha", "beta", "gamma")]
    given = [e.attributes[name] for name in parameters if name in e.attributes]
    attributes = _without(e, "activation", *parameters)
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
    _refuse_attributes(e, "transBatchA", "transBatchB")
    operands = []
    for index, attribute in enumerate(("transA", "transB")):
        operand = e.input(index)
        if e.attributes.get(attribute):
            rank = len(e.extents(operand))
            if rank > 1:
                operand = e.emit("Transpose", operand, perm=[*range(rank - 2), rank - 1, rank - 2])
        operands.append(operand)
    value = e.emit("MatMul", *operands)
    alpha = e.attributes.get("alpha", 1.0)
    e.result(value if alpha == 1 else e.emit("Mul", value, _number(e, alpha)))


def _gelu(e: Expansion) -> None:
    e.result(_gelu_of(e, e.input(0)))


def _bias_gelu(e: Expansion) -> None:
    e.result(_gelu_of(e, e.emit("Add", e.input(0), e.input(1))))


def _gelu_of(e: Expansion, value: str) -> str:
    erf = e.emit("Erf", e.emit("Div", value, _number(e, math.sqrt(2))))
    return e.emit("Mul", e.emit("Mul", value, e.emit("Add", erf, _number(e, 1))), _number(e, 0.5))


def _fast_gelu(e: Expansion) -> None:
    value = e.emit("Add", e.input(0), e.input(1)) if e.input(1) else e.input(0)
    cube = e.emit("Mul", e.emit("Pow", value, _number(e, 3)), _number(e, 0.044715))
    inner = e.emit("Mul", e.emit("Add", value, cube), _number(e, math.sqrt(2 / math.pi)))
    tanh = e.emit("Add", e.emit("Tanh", inner), _number(e, 1))
    e.result(e.emit("Mul", e.emit("Mul", value, _number(e, 0.5)), tanh))


def _quick_gelu(e: Expansion) -> None:
    alpha = e.attributes.get("alpha", 1.702)
    scaled = e.input(0) if alpha == 1 else e.emit("Mul", e.input(0), _number(e, alpha))
    e.result(e.emit("Mul", e.input(0), e.emit("Sigmoid", scaled)))


def _layer_normalization(e: Expansion) -> None:
    """The standard's of later opsets, in a network of an earlier one."""
    _refuse_outputs(e, 1, 2)
    axis = e.attributes.get("axis", -1)
    if axis != -1 and axis != len(e.extents(e.input(0))) - 1:
        raise e.refuse(f"axis {axis} is not supported before opset {NORMALIZING_OPSET}, but the last axis is")
    e.result(_normalized(e, e.input(0), e.input(1), e.input(2), 1e-5))


def _simplified_layer_normalization(e: Expansion) -> None:
    _refuse_outputs(e, 1)
    axis = e.attributes.get("axis", -1)
    if axis != -1 and axis != len(e.extents(e.input(0))) - 1:
        raise e.refuse(f"axis {axis} is not supported, but the last axis is")
    e.result(_scaled_by_deviation(e, e.input(0), e.input(1), 1e-5))


def _skip_layer_normalization(e: Expansion) -> None:
    """Of the sum of two tensors and a bias, which is its fourth result."""
    total = _sum_of(e, 4)
    e.result(_normalized(e, total, e.input(2), e.input(3), 1e-12))


def _skip_simplified_layer_normalization(e: Expansion) -> None:
    total = _sum_of(e, 3)
    e.result(_scaled_by_deviation(e, total, e.input(2), 1e-12))


def _sum_of(e: Expansion, bias: int) -> str:
    _refuse_outputs(e, 1, 2)
    asked = e.node.output[3] if len(e.node.output) > 3 else ""
    if not e.input(bias):
        return e.emit("Add", e.input(0), e.input(1), output=asked)
    return e.emit("Add", e.emit("Add", e.input(0), e.input(1)), e.input(bias), output=asked)


def _normalized(e: Expansion, value: str, scale: str, bias: str, epsilon: float) -> str:
    """Less its mean and over its deviation along the last axis."""
    epsilon = e.attributes.get("epsilon", epsilon)
    if e.opset >= NORMALIZING_OPSET:
        return e.emit("LayerNormalization", value, scale, bias, axis=-1, epsilon=epsilon)
    centered = e.emit("Sub", value, e.emit("ReduceMean", value, axes=[-1]))
    result = _scaled_by_deviation(e, centered, scale, epsilon)
    return e.emit("Add", result, bias) if bias else result


def _scaled_by_deviation(e: Expansion, value: str, scale: str, epsilon: float) -> str:
    """Over the root of its mean square along the last axis."""
    epsilon = e.attributes.get("epsilon", epsilon)
    last: dict[str, Any] = {"axes": [-1]} if e.opset < 18 else {}
    axes = [] if last else [e.constant(np.array([-1]))]
    mean = e.emit("ReduceMean", e.emit("Pow", value, _number(e, 2)), *axes, **last)
    deviation = e.emit("Sqrt", e.emit("Add", mean, _number(e, epsilon)))
    return e.emit("Mul", e.emit("Div", value, deviation), scale)


def _attention(e: Expansion) -> None:
    """Input (B, S, I), weights (I, 3 D) and bias (3 D) of query, key and value."""
    _refuse_attributes(e, "unidirectional", "qkv_hidden_sizes", "do_rotary")
    _refuse_inputs(e, 3, 4, 6)
    _refuse_outputs(e, 1)
    width = e.extents(e.input(1))[1] // 3
    joint = e.emit("MatMul", e.input(0), e.input(1))
    if e.input(2):
        joint = e.emit("Add", joint, e.input(2))
    _attend(e, _thirds(e, joint, axis=2), width)


def _multi_head_attention(e: Expansion) -> None:
    """Query, key and value (B, S, D), and their biases (3 D)."""
    _refuse_attributes(e, "unidirectional")
    _refuse_inputs(e, 4, 6, 7)
    _refuse_outputs(e, 1, 2)
    operands = [e.input(index) for index in range(3)]
    shapes = [e.extents(name) for name in operands if name]
    if len(shapes) != 3 or any(len(shape) != 3 for shape in shapes):
        raise e.refuse("query, key and value are to be three tensors (batch, sequence, hidden)")
    if e.input(3):
        biases = _thirds(e, e.input(3), axis=0)
        operands = [e.emit("Add", data, bias) for data, bias in zip(operands, biases, strict=True)]
    _attend(e, operands, shapes[0][2])


def _thirds(e: Expansion, joint: str, axis: int) -> list[str]:
    parts = [f"{joint}/{name}" for name in ("query", "key", "value")]
    number = {"num_outputs": 3} if e.opset >= 18 else {}
    e.nodes.append(helper.make_node("Split", [joint], parts, parts[0], axis=axis, **number))
    return parts


def _attend(e: Expansion, operands: list[str], width: int) -> None:
    """Scaled dot products of ``num_heads`` heads of query, key and value (B, S, D), plus input 5."""
    heads = int(e.attributes["num_heads"])
    apart, together = (e.constant(np.array(shape)) for shape in ([0, 0, heads, -1], [0, 0, -1]))
    query, key, value = (
        e.emit("Transpose", e.emit("Reshape", data, apart), perm=perm)
        for data, perm in zip(operands, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
    )
    scale = e.attributes.get("scale") or math.sqrt(heads / width)
    scores = e.emit("Mul", e.emit("MatMul", query, key), _number(e, scale))
    if e.input(5):
        scores = e.emit("Add", scores, e.input(5))
    result = e.emit("MatMul", e.emit("Softmax", scores, axis=3), value)
    e.result(e.emit("Reshape", e.emit("Transpose", result, perm=[0, 2, 1, 3]), together))


def _number(e: Expansion, value: float) -> str:
    return e.constant(np.array(value, np.float32))


def _without(e: Expansion, *names: str) -> dict[str, Any]:
    return {name: value for name, value in e.attributes.items() if name not in names}


def _refuse_attributes(e: Expansion, *names: str) -> None:
    given = [name for name in names if e.attributes.get(name)]
    if given:
        raise e.refuse(f"the attribute {' and '.join(given)} is not supported")


def _refuse_inputs(e: Expansion, *indices: int) -> None:
    given = [str(index) for index in indices if e.input(index)]
    if given:
        raise e.refuse(f"input {' and '.join(given)} (a mask or a past state) is not supported")


def _refuse_outputs(e: Expansion, *indices: int) -> None:
    given = [e.node.output[index] for index in indices if index < len(e.node.output)]
    if any(given):
        raise e.refuse(f"its result {' and '.join(filter(None, given))} is not supported")


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
    (CONTRIB, "Attention"): _attention,
    (CONTRIB, "MultiHeadAttention"): _multi_head_attention,
    ("", "SimplifiedLayerNormalization"): _simplified_layer_normalization,
}

EARLY = {"LayerNormalization": _layer_normalization}
"""The standard's, in networks of opsets before it had them."""
