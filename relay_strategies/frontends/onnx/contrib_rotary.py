"""Rotary embeddings of com.microsoft: pairs of elements turned by the angles of their tokens' places.

Definition: ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

import numpy as np

from .expansion import Expansion


def rotary_embedding(e: Expansion) -> None:
    """Tokens (B, S, heads D) or (B, heads, S, D), places (1), from which they count on, or (B, S)."""
    e.refuse_attributes("is_packed_batching")
    if e.attributes.get("scale", 1.0) != 1.0:
        raise e.refuse("the attribute scale is not supported")
    data, places = e.input(0), e.input(1)
    shape = e.extents(data)
    length = shape[-2]
    turned = int(e.attributes.get("rotary_embedding_dim", 0))
    heads = int(e.attributes.get("num_heads", 0))
    width = 2 * e.extents(e.input(2))[1]
    if len(shape) == 4:
        width = shape[3]
    elif turned and not heads:
        raise e.refuse("with rotary_embedding_dim, num_heads is to be given")
    elif turned:
        width = shape[2] // heads
    if len(shape) == 3:
        data = e.emit("Reshape", data, e.constant(np.array([0, 0, -1, width])))
        data = e.emit("Transpose", data, perm=[0, 2, 1, 3])
    if e.extents(places) == [1]:
        places = e.emit("Add", places, e.constant(np.arange(length)))
        places = e.emit("Reshape", places, e.constant(np.array([1, -1])))
    interleaved = bool(e.attributes.get("interleaved"))
    result = rotated(e, data, places, e.input(2), e.input(3), width, interleaved)
    if len(shape) == 3:
        result = e.emit("Transpose", result, perm=[0, 2, 1, 3])
        result = e.emit("Reshape", result, e.constant(np.array([0, 0, -1])))
    e.result(result)


def rotated(
    e: Expansion, data: str, places: str, cosines: str, sines: str, width: int, interleaved: bool
) -> str:
    """Heads (B, heads, S, ``width``) turned at ``places`` (B or 1, S) by the angles of the tables [places,
    pairs].

    A pair is two neighbours if ``interleaved``, else an element of the first half and its like of the second.
    Elements behind all pairs stay.
    """
    pairs = e.extents(cosines)[1]
    length = e.extents(e.input(0))[-2]
    apart = e.constant(np.array([-1, 1, length, pairs]))  # the same for all heads
    cos, sin = (e.emit("Reshape", e.emit("Gather", name, places), apart) for name in (cosines, sines))
    order = np.arange(2 * pairs)
    order = np.concatenate([order[::2], order[1::2]]) if interleaved else order
    first, second = (e.emit("Gather", data, e.constant(half), axis=3) for half in np.split(order, 2))
    parts = [
        e.emit("Sub", e.emit("Mul", first, cos), e.emit("Mul", second, sin)),
        e.emit("Add", e.emit("Mul", second, cos), e.emit("Mul", first, sin)),
    ]
    turned = e.emit("Concat", *parts, axis=3)
    if interleaved:
        turned = e.emit("Gather", turned, e.constant(np.argsort(order)), axis=3)
    if width == 2 * pairs:
        return turned
    rest = e.emit("Gather", data, e.constant(np.arange(2 * pairs, width)), axis=3)
    return e.emit("Concat", turned, rest, axis=3)
