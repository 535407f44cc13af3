"""Attention of com.microsoft, written as the standard's products: with masks, and behind a past of
constant length.

Query, key and value are of heads (batch, heads, sequence, elements) unless they are operands of the model.
Definitions: ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from onnx import helper

from .contrib_rotary import rotated
from .expansion import Expansion

MASKED = -10000.0
"""What is added to the scores of tokens that a mask hides, where mask_filter_value says nothing else."""
MASK = "a mask is to be of shape (batch), (batch, keys) or (batch, queries, keys)"


def attention(e: Expansion) -> None:
    """Input (B, S, I), weights (I, 3 D) and bias (3 D) of query, key and value; a past (2, B, heads, P, D
    / heads)."""
    e.refuse_inputs(6)
    _of_one_input(e, e.emit("MatMul", e.input(0), e.input(1)), mask=3, past=4, bias=5)


def quantized_attention(e: Expansion) -> None:
    """The same, where input and weights are bytes, the latter with a scale and zero point of all or of each
    column."""
    data, (weight, scale) = e.dequantize(e.input(0), e.input(3), e.input(6)), (e.input(1), e.input(4))
    axis = None if e.size(scale) == 1 else 1
    product = e.emit("MatMul", data, e.dequantize(weight, scale, e.input(7), axis))
    _of_one_input(e, product, mask=5, past=8)


def _of_one_input(e: Expansion, joint: str, mask: int, past: int, bias: int | None = None) -> None:
    """Attention of the products of one input; the number of the inputs that are its mask, its past, and what
    is added to its scores."""
    e.refuse_attributes("do_rotary")
    batch, length = e.extents(e.input(0))[:2]
    heads, total = int(e.attributes["num_heads"]), e.extents(e.input(1))[1]
    widths = [int(width) for width in e.attributes.get("qkv_hidden_sizes", ())] or [total // 3] * 3
    if e.input(2):
        joint = e.emit("Add", joint, e.input(2))
    query, key, value = (_heads(e, part, heads) for part in _parts(e, joint, 2, widths))
    before, pasts = 0, ["", ""]
    if e.input(past):
        before = e.extents(e.input(past))[3]
        pasts = [e.emit("Gather", e.input(past), e.constant(np.array(half)), axis=0) for half in range(2)]
    key, value = (_behind(e, last, before, new) for last, new in zip(pasts, (key, value), strict=True))
    if len(e.node.output) > 1 and e.node.output[1]:
        halves = [_unsqueezed(e, half, 0) for half in (key, value)]
        e.emit("Concat", *halves, axis=0, output=e.node.output[1])
    biases = [_hidden(e, e.input(mask), batch, before + length), "" if bias is None else e.input(bias)]
    if e.attributes.get("unidirectional"):
        biases.append(_later(e, length, before))
    _attend(e, query, key, value, _scale(e, widths[0] // heads), biases)


def multi_head_attention(e: Expansion) -> None:
    """Query, key and value (B, S, D), of heads, or packed as (B, S, heads, 3 or 2, D / heads); their
    biases (3 D)."""
    e.refuse_inputs(8, 9)
    e.refuse_outputs(3)
    heads = int(e.attributes["num_heads"])
    names = [e.input(index) for index in range(3)]
    ranks = [len(e.extents(name)) if name else 0 for name in names]
    if ranks == [5, 0, 0]:
        names = _unpacked(e, names[0], 3)
    elif ranks == [3, 5, 0]:
        names = [names[0], *_unpacked(e, names[1], 2)]
    elif ranks not in ([3, 3, 3], [3, 4, 4]):
        raise e.refuse(
            "query, key and value are to be three tensors (batch, tokens, hidden), the last two of heads or "
            f"packed as one tensor of five dimensions, and have {ranks} dimensions"
        )
    query, key, value = names
    biases = ["", "", ""]
    if e.input(3):
        total = e.extents(e.input(3))[0]
        width = e.extents(query)[2] if ranks[0] == 3 else total // 3
        biases = _parts(e, e.input(3), 0, [width, width, total - 2 * width])
    parts = []
    for data, rank, bias in zip((query, key, value), (ranks[0], *_ranks_behind(ranks)), biases, strict=True):
        if rank == 3:
            data = _heads(e, e.emit("Add", data, bias) if bias else data, heads)
        elif rank == 5:
            flat = e.emit("Reshape", data, e.constant(np.array([0, 0, -1])))
            data = _heads(e, e.emit("Add", flat, bias) if bias else flat, heads)
        parts.append(data)
    query, key, value = parts
    before = e.extents(e.input(6))[2] if e.input(6) else 0
    key, value = (
        _behind(e, e.input(6 + half), before, new, 1 + half) for half, new in enumerate((key, value))
    )
    shape = e.extents(e.input(0))
    length, width = shape[1], shape[-1] if ranks[0] == 5 else shape[2] // heads
    new = length if ranks[1] == 0 else e.extents(e.input(1))[2 if ranks[1] == 4 else 1]
    added = [_hidden(e, e.input(4), shape[0], before + new), e.input(5)]
    if e.attributes.get("unidirectional"):
        added.append(_later(e, length, before + new - length))
    _attend(e, query, key, value, _scale(e, width), added)


def group_query_attention(e: Expansion) -> None:
    """Attend among the first tokens of sequences, behind an empty past; query heads share keys and values.

    Query (B, S, heads D), key and value (B, S, kv heads D), or all three in one. The tokens past a sequence's
    length stand behind it, so that none of it attends to them.
    """
    e.refuse_attributes("smooth_softmax", "kv_cache_bit_width")
    e.refuse_inputs(*range(11, 14))
    e.refuse_outputs(3)
    for index in (3, 4):
        if e.input(index) and e.extents(e.input(index))[2] != 0:
            raise e.refuse(
                f"a past, '{e.input(index)}', is not supported but one of no tokens; fix its third "
                "dimension to 0 with shapes="
            )
    heads, shared = int(e.attributes["num_heads"]), int(e.attributes["kv_num_heads"])
    batch, length, width = e.extents(e.input(0))
    packed = not e.input(1)
    each = width // (heads + 2 * shared) if packed else width // heads
    names = [e.input(index) for index in range(3)]
    if packed:
        names = _parts(e, e.input(0), 2, [heads * each, shared * each, shared * each])
    query, key, value = (_heads(e, data, n) for data, n in zip(names, (heads, shared, shared), strict=True))
    if e.attributes.get("do_rotary"):
        interleaved = bool(e.attributes.get("rotary_interleaved"))
        places = e.input(9) or e.constant(np.arange(length).reshape(1, -1))
        query, key = (
            rotated(e, data, places, e.input(7), e.input(8), each, interleaved) for data in (query, key)
        )
    for index, data in ((1, key), (2, value)):
        if index < len(e.node.output) and e.node.output[index]:
            e.emit("Identity", data, output=e.node.output[index])
    if heads != shared:
        repeated = e.constant(np.array([batch, shared, heads // shared, length, each]))
        joined = e.constant(np.array([batch, heads, length, each]))
        key, value = (
            e.emit("Reshape", e.emit("Expand", _unsqueezed(e, data, 2), repeated), joined)
            for data in (key, value)
        )
    window = int(e.attributes.get("local_window_size", -1))
    biases = [_later(e, length, 0, window), e.input(10)]
    _attend(e, query, key, value, _scale(e, each), biases, e.attributes.get("softcap", 0.0))


def _ranks_behind(ranks: Sequence[int]) -> tuple[int, int]:
    """The ranks of key and value once they are unpacked."""
    return (5, 5) if ranks[1] in (0, 5) else (ranks[1], ranks[2])


def _parts(e: Expansion, joint: str, axis: int, widths: Sequence[int]) -> list[str]:
    parts = [f"{joint}/{e.node.output[0]}/{name}" for name in ("query", "key", "value")]
    if e.opset >= 13:
        sizes = [e.constant(np.array(widths))]
        e.nodes.append(helper.make_node("Split", [joint, *sizes], parts, parts[0], axis=axis))
    else:
        e.nodes.append(helper.make_node("Split", [joint], parts, parts[0], axis=axis, split=list(widths)))
    return parts


def _unpacked(e: Expansion, packed: str, count: int) -> list[str]:
    """Tensors (B, S, heads, 1, D) of one (B, S, heads, ``count``, D)."""
    return [e.emit("Gather", packed, e.constant(np.array([n])), axis=3) for n in range(count)]


def _heads(e: Expansion, data: str, heads: int) -> str:
    """(B, S, heads x D) as (B, heads, S, D)."""
    apart = e.constant(np.array([0, 0, heads, -1]))
    return e.emit("Transpose", e.emit("Reshape", data, apart), perm=[0, 2, 1, 3])


def _behind(e: Expansion, past: str, before: int, new: str, present: int = 0) -> str:
    """Keys or values behind those of the past's ``before`` tokens; all are the result ``present``, if any."""
    output = e.node.output[present] if 0 < present < len(e.node.output) else ""
    if past and before != 0:
        return e.emit("Concat", past, new, axis=2, output=output)
    if output:
        e.emit("Identity", new, output=output)
    return new


def _unsqueezed(e: Expansion, data: str, axis: int) -> str:
    if e.opset < 13:
        return e.emit("Unsqueeze", data, axes=[axis])
    return e.emit("Unsqueeze", data, e.constant(np.array([axis])))


def _scale(e: Expansion, width: int) -> float:
    return float(e.attributes.get("scale") or 1 / math.sqrt(width))


def _attend(
    e: Expansion, query: str, key: str, value: str, scale: float, biases: list[str], cap: float = 0.0
) -> None:
    """Scaled dot products of heads, bounded by ``cap`` if it is not 0, plus ``biases``, as (B, S, D)."""
    scores = e.emit("MatMul", query, e.emit("Transpose", key, perm=[0, 1, 3, 2]))
    scores = e.emit("Mul", scores, e.number(scale))
    if cap:
        scores = e.emit("Mul", e.emit("Tanh", e.emit("Div", scores, e.number(cap))), e.number(cap))
    for bias in filter(None, biases):
        scores = e.emit("Add", scores, bias)
    result = e.emit("MatMul", e.emit("Softmax", scores, axis=3), value)
    together = e.constant(np.array([0, 0, -1]))
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


def _later(e: Expansion, length: int, before: int, window: int = -1) -> str:
    """What hides the tokens after each of ``length``, which follow ``before`` others, and those that lie
    ``window`` or more before it."""
    places = np.arange(before + length)
    back = (before + np.arange(length))[:, None] - places
    hidden = (back < 0) | (back >= window if window > 0 else False)
    return e.number(np.where(hidden, -np.inf, 0))
