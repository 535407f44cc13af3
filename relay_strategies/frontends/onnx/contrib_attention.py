"""Attention of com.microsoft, written as the standard's products: with masks, without a past.

Definitions: ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

import math

import numpy as np
from onnx import helper

from .expansion import Expansion

MASKED = -10000.0
"""What is added to the scores of tokens that a mask hides, where mask_filter_value says nothing else."""
MASK = "a mask is to be of shape (batch), (batch, keys) or (batch, queries, keys)"


def attention(e: Expansion) -> None:
    """Input (B, S, I), weights (I, 3 D) and bias (3 D) of query, key and value."""
    e.refuse_attributes("qkv_hidden_sizes", "do_rotary")
    e.refuse_inputs(4, 6)
    e.refuse_outputs(1)
    batch, length = e.extents(e.input(0))[:2]
    width = e.extents(e.input(1))[1] // 3
    joint = e.emit("MatMul", e.input(0), e.input(1))
    if e.input(2):
        joint = e.emit("Add", joint, e.input(2))
    biases = [_hidden(e, e.input(3), batch, length), e.input(5)]
    if e.attributes.get("unidirectional"):
        biases.append(_later(e, length))
    _attend(e, _thirds(e, joint, axis=2), width, biases)


def multi_head_attention(e: Expansion) -> None:
    """Query, key and value (B, S, D), and their biases (3 D)."""
    e.refuse_attributes("unidirectional")
    e.refuse_inputs(6, 7, 8, 9)
    e.refuse_outputs(1, 2)
    operands = [e.input(index) for index in range(3)]
    shapes = [e.extents(name) for name in operands if name]
    if len(shapes) != 3 or any(len(shape) != 3 for shape in shapes):
        raise e.refuse("query, key and value are to be three tensors (batch, sequence, hidden)")
    if e.input(3):
        parts = _thirds(e, e.input(3), axis=0)
        operands = [e.emit("Add", data, bias) for data, bias in zip(operands, parts, strict=True)]
    hidden = _hidden(e, e.input(4), shapes[1][0], shapes[1][1])
    _attend(e, operands, shapes[0][2], [hidden, e.input(5)])


def _thirds(e: Expansion, joint: str, axis: int) -> list[str]:
    parts = [f"{joint}/{name}" for name in ("query", "key", "value")]
    number = {"num_outputs": 3} if e.opset >= 18 else {}
    e.nodes.append(helper.make_node("Split", [joint], parts, parts[0], axis=axis, **number))
    return parts


def _attend(e: Expansion, operands: list[str], width: int, biases: list[str]) -> None:
    """Scaled dot products of ``num_heads`` heads of query, key and value (B, S, D), plus ``biases``."""
    heads = int(e.attributes["num_heads"])
    apart, together = (e.constant(np.array(shape)) for shape in ([0, 0, heads, -1], [0, 0, -1]))
    query, key, value = (
        e.emit("Transpose", e.emit("Reshape", data, apart), perm=perm)
        for data, perm in zip(operands, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
    )
    scale = e.attributes.get("scale") or math.sqrt(heads / width)
    scores = e.emit("Mul", e.emit("MatMul", query, key), e.number(scale))
    for bias in filter(None, biases):
        scores = e.emit("Add", scores, bias)
    result = e.emit("MatMul", e.emit("Softmax", scores, axis=3), value)
    e.result(e.emit("Reshape", e.emit("Transpose", result, perm=[0, 2, 1, 3]), together))


def _hidden(e: Expansion, mask: str, batch: int, keys: int) -> str:
    """What a mask adds to the scores (B, heads, S, T): 1 keeps a token, or each of B numbers keeps as many
    of the first."""
    if not mask:
        return ""
    shape = e.extents(mask)
    value = e.attributes.get("mask_filter_value", MASKED)
    if shape == [batch]:
        ends = e.emit("Reshape", mask, e.constant(np.array([-1, 1, 1, 1])))
        places = e.constant(np.arange(keys, dtype=np.int32).reshape(1, 1, 1, -1))
        kept = e.emit("Less", places, ends)
    elif shape == [batch, keys] or (len(shape) == 3 and shape[::2] == [batch, keys]):
        apart = [batch, 1, *([1] * (3 - len(shape))), *shape[1:]]
        spread = e.emit("Reshape", mask, e.constant(np.array(apart)))
        kept = e.emit("Greater", spread, e.constant(np.array(0, np.int32)))
    else:
        raise e.refuse(f"{MASK}, and is {tuple(shape)}")
    return e.emit("Where", kept, e.number(0), e.number(value))


def _later(e: Expansion, length: int) -> str:
    """What hides the tokens after each."""
    return e.number(np.triu(np.full((length, length), -np.inf), 1))
