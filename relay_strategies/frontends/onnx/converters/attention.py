"""Attention of com.microsoft: with masks, and behind a past of constant length.

Definitions: ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.frontends.sizes import refuse_size
from relay_strategies.functional.attention import (
    attention,
    hide,
    hide_later,
    joined_heads,
    repeated_heads,
    rotate,
    split_heads,
)
from relay_strategies.functional.movement import select, split, stack
from relay_strategies.functional.quantization import dequantize
from relay_strategies.relax.graph import constant, dtype_of, make_constant

from .node import Converter, Node

MASKED = -10000.0
"""What is added to the scores of tokens that a mask hides, where mask_filter_value says nothing else."""
SCORE_BYTES = 8
"""Masks are made in integers of this size."""
MASK = "a mask is to be of shape (batch), (batch, keys) or (batch, queries, keys)"


def _attention(node: Node) -> relax.Expr:
    """Input (B, S, I), weights (I, 3 D) and bias (3 D) of query, key and value; a past (2, B, heads, P, D
    / heads)."""
    node.refuse_inputs(6)
    product = node.emit(relax.op.matmul(node.data(0), node.data(1)))
    return _of_one_input(node, product, mask=3, past=4, bias=5)


def _quantized_attention(node: Node) -> relax.Expr:
    """The same, where input and weights are bytes, the latter with a scale and zero point of all or of each
    column."""
    data = dequantize(node, node.data(0), node.data(3), node.input(6))
    axis = None if math.prod(node.shape(4)) == 1 else 1
    weight = dequantize(node, node.data(1), node.data(4), node.input(7), axis)
    return _of_one_input(node, node.emit(relax.op.matmul(data, weight)), mask=5, past=8)


def _of_one_input(node: Node, joint: relax.Expr, mask: int, past: int, bias: int | None = None) -> relax.Expr:
    """Attention of the products of one input; the number of the inputs that are its mask, its past, and what
    is added to its scores."""
    node.refuse_attributes("do_rotary")
    batch, length = node.shape()[:2]
    heads, total = node.integer("num_heads", 1), node.shape(1)[1]
    before = 0 if node.input(past) is None else node.shape(past)[3]
    biases = [_mask(node, mask, batch, before + length, dtype_of(joint))]
    widths = node.ints("qkv_hidden_sizes") or [total // 3] * 3
    if node.input(2) is not None:
        joint = node.emit(relax.op.add(joint, node.data(2)))
    query, key, value = (split_heads(node, part, heads) for part in split(node, joint, widths, 2))
    if before:
        pasts = (select(node, node.data(past), half, 0) for half in range(2))
        key, value = (_behind(node, *pair) for pair in zip(pasts, (key, value), strict=True))
    if bias is not None:
        biases.append(node.input(bias))
    if node.attributes.get("unidirectional"):
        biases.append(_later(node, length, before, query))
    result = node.emit(attention(node, query, key, value, _scale(node, widths[0] // heads), biases))
    if not node.asks(1):
        return result
    return relax.Tuple([result, node.emit(stack(node, [key, value], 0))])


def _multi_head_attention(node: Node) -> relax.Expr:
    """Query, key and value (B, S, D), of heads, or packed as (B, S, heads, 3 or 2, D / heads); their
    biases (3 D)."""
    node.refuse_inputs(8, 9)
    node.refuse_results(3)
    heads = node.integer("num_heads", 1)
    given = [node.input(index) for index in range(3)]
    ranks = [0 if value is None else len(node.shape_of(value)) for value in given]
    if ranks == [5, 0, 0]:
        tensors = _unpacked(node, 0)
    elif ranks == [3, 5, 0]:
        tensors = [node.data(0), *_unpacked(node, 1)]
    elif ranks in ([3, 3, 3], [3, 4, 4]):
        tensors = [node.data(index) for index in range(3)]
    else:
        raise node.refusal(
            "query, key and value are to be three tensors (batch, tokens, hidden), the last two of heads or "
            f"packed as one tensor of five dimensions, and have {ranks} dimensions"
        )
    biases: Sequence[relax.Expr | None] = [None] * 3
    if node.input(3) is not None:
        total, width = node.shape(3)[0], node.shape_of(tensors[0])[-1]
        biases = split(node, node.data(3), [width, width, total - 2 * width], 0)
    query, key, value = (_of_heads(node, *pair, heads) for pair in zip(tensors, biases, strict=True))
    batch, _, length, width = node.shape_of(query)
    key, value = (_behind(node, node.input(6 + half), new) for half, new in enumerate((key, value)))
    keys = node.shape_of(key)[2]
    added = [_mask(node, 4, batch, keys, dtype_of(query)), node.input(5)]
    if node.attributes.get("unidirectional"):
        added.append(_later(node, length, keys - length, query))
    return relax.Tuple([attention(node, query, key, value, _scale(node, width), added), key, value])


def _unpacked(node: Node, index: int) -> list[relax.Expr]:
    """The tensors (B, S, heads x D) of one (B, S, heads, count, D)."""
    batch, length, _, count, _ = node.shape(index)
    parts = (select(node, node.data(index), number, 3) for number in range(count))
    return [node.emit(relax.op.reshape(part, (batch, length, -1))) for part in parts]


def _of_heads(node: Node, data: relax.Expr, bias: relax.Expr | None, heads: int) -> relax.Expr:
    """A tensor of tokens plus its bias, by heads; of one that is of heads already, the bias is ignored."""
    if len(node.shape_of(data)) == 4:
        return data
    return split_heads(node, data if bias is None else node.emit(relax.op.add(data, bias)), heads)


def _group_query_attention(node: Node) -> relax.Expr:
    """Attend among the first tokens of sequences, behind an empty past; query heads share keys and values.

    Query (B, S, heads D), key and value (B, S, kv heads D), or all three in one. The tokens past a sequence's
    length stand behind it, so that none of it attends to them.
    """
    node.refuse_attributes("smooth_softmax", "kv_cache_bit_width")
    node.refuse_inputs(*range(11, 14))
    node.refuse_results(3)
    for index in (3, 4):
        if node.input(index) is not None and node.shape(index)[2] != 0:
            raise node.refusal(
                f"a past, '{node.operands[index]}', is not supported but one of no tokens; fix its third "
                "dimension to 0 with shapes="
            )
    heads, shared = (node.integer(name, 1) for name in ("num_heads", "kv_num_heads"))
    counts = heads, shared, shared
    length, width = node.shape()[1:]
    if node.input(1) is None:
        each = width // sum(counts)
        tensors = split(node, node.data(), [count * each for count in counts], 2)
    else:
        each, tensors = width // heads, [node.data(index) for index in range(3)]
    query, key, value = (split_heads(node, *pair) for pair in zip(tensors, counts, strict=True))
    if node.attributes.get("do_rotary"):
        places = node.input(9)
        places = make_constant(np.arange(operator.index(length)).reshape(1, -1)) if places is None else places
        angles = places, node.data(7), node.data(8), bool(node.attributes.get("rotary_interleaved"))
        query, key = (rotate(node, data, *angles) for data in (query, key))
    present = key, value
    if heads != shared:
        key, value = (repeated_heads(node, data, heads // shared) for data in present)
    window = node.integer("local_window_size", -1)
    biases = [_later(node, length, 0, query, window), node.input(10)]
    cap = node.number("softcap", 0.0)
    return relax.Tuple([attention(node, query, key, value, _scale(node, each), biases, cap), *present])


def _rotary_embedding(node: Node) -> relax.Expr:
    """Tokens (B, S, heads D) or (B, heads, S, D), places (1), from which they count on, or (B, S)."""
    node.refuse_attributes("is_packed_batching")
    if node.number("scale", 1.0) != 1.0:
        raise node.refusal("the attribute scale is not supported")
    data, places, shape = node.data(0), node.data(1), node.shape()
    length, heads = shape[-2], node.integer("num_heads", 0)
    if len(shape) == 3:
        if node.integer("rotary_embedding_dim", 0):
            if not heads:
                raise node.refusal("with rotary_embedding_dim, num_heads is to be given")
        else:
            heads = shape[2] // (2 * node.shape(2)[1])
        data = split_heads(node, data, heads)
    if node.shape(1) == (1,):
        counted = np.arange(operator.index(length)).astype(dtype_of(places)).reshape(1, -1)
        first = constant(places)
        if first is None:
            places = node.emit(relax.op.add(places, make_constant(counted)))
        else:
            places = make_constant(first + counted)
    interleaved = bool(node.attributes.get("interleaved"))
    result = rotate(node, data, places, node.data(2), node.data(3), interleaved)
    return joined_heads(node, result) if len(shape) == 3 else result


def _behind(node: Node, past: relax.Expr | None, new: relax.Expr) -> relax.Expr:
    """Keys or values behind those of a past, which may be of no tokens."""
    if past is None or node.shape_of(past)[2] == 0:
        return new
    return node.emit(relax.op.concat([past, new], 2))


def _scale(node: Node, width: int) -> float:
    return node.number("scale", 0.0) or 1 / math.sqrt(width)


def _later(node: Node, length: int, before: int, query: relax.Expr, window: int = -1) -> relax.Expr:
    """What hides later tokens, which is a tensor of as many elements as all scores of a head."""
    refuse_size((length, before + length), SCORE_BYTES, f"{node.label}: its mask", None)
    return hide_later(length, before, dtype_of(query), window)


def _mask(node: Node, index: int, batch: int, keys: int, dtype: str) -> relax.Expr | None:
    """What a mask adds to the scores (B, heads, S, T): 1 keeps a token, or each of B numbers keeps as many
    of the first."""
    mask = node.input(index)
    if mask is None:
        return None
    shape, known = node.shape(index), constant(mask)
    apart: tuple[int, ...] = (batch, 1, 1, 1)
    least: np.ndarray = np.arange(operator.index(keys)).reshape(1, 1, 1, -1)
    if shape == (batch, keys) or (len(shape) == 3 and shape[::2] == (batch, keys)):
        apart, least = (batch, 1, *([1] * (3 - len(shape))), *shape[1:]), np.zeros(())
    elif shape != (batch,):
        raise node.refusal(f"{MASK}, and is {shape}")
    value = node.number("mask_filter_value", MASKED)
    if known is not None:
        return make_constant(np.where(known.reshape(apart) > least, 0, value).astype(dtype))
    spread = node.emit(relax.op.reshape(mask, apart))
    kept = node.emit(relax.op.greater(spread, make_constant(least.astype(dtype_of(mask)))))
    return hide(node, kept, value, dtype)


CONVERTERS: dict[str, Converter] = {
    "com.microsoft::Attention": _attention,
    "com.microsoft::GroupQueryAttention": _group_query_attention,
    "com.microsoft::MultiHeadAttention": _multi_head_attention,
    "com.microsoft::QAttention": _quantized_attention,
    "com.microsoft::RotaryEmbedding": _rotary_embedding,
}
