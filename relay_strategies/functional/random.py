"""Random numbers: Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).

Each element's number is a function of its place, of the draw's number, which the host counts (``DRAWN``), and
of a key: the seed, and the node. So threads need no state, and the same draw gives the same bits on every CPU
but for the logarithm and cosine of normal numbers.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

from tvm import relax, te, tirx

from tvm_directconv.problem.extents import is_open

from .builder import Builder

DRAWN = "tvm_directconv.random.drawn"
"""The host's function: int64 (2,), a draw's number and a seed for those that a network does not seed."""
ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
"""The increments of the key."""
WORD = 0xFFFFFFFF


def uniform(
    b: Builder, like: relax.Expr, seed: int | None = None, low: float = 0, high: float = 1
) -> relax.Expr:
    """Emit float32 numbers of the shape of ``like``, evenly distributed from ``low`` on to below ``high``:
    multiples of 2^-24 between them. ``seed`` is of 32 bits; for None the process draws one."""

    def number(words: list[Any]) -> Any:
        unit = (words[0] >> tirx.const(8, "uint32")).astype("float32") * tirx.const(2.0**-24, "float32")
        return unit * tirx.const(high - low, "float32") + tirx.const(low, "float32")

    return _drawn(b, like, seed, number)


def normal(
    b: Builder, like: relax.Expr, seed: int | None = None, mean: float = 0, scale: float = 1
) -> relax.Expr:
    """Emit normally distributed float32 numbers of the shape of ``like`` (Box and Muller, 1958), at most 6.7
    times ``scale`` from ``mean``; ``seed`` is as in ``uniform``."""

    def number(words: list[Any]) -> Any:
        one, other = (word.astype("float32") * tirx.const(2.0**-32, "float32") for word in words[:2])
        radius = te.sqrt(te.log(one + tirx.const(2.0**-33, "float32")) * tirx.const(-2.0, "float32"))
        turned = te.cos(other * tirx.const(2 * math.pi, "float32"))
        return radius * turned * tirx.const(scale, "float32") + tirx.const(mean, "float32")

    return _drawn(b, like, seed, number)


def bernoulli(b: Builder, chances: relax.Expr, seed: int | None = None) -> relax.Expr:
    """Emit in bool whether each of ``chances``, probabilities, came true."""
    wide = b.cast(chances, "float32")
    return b.emit(relax.op.less(uniform(b, wide, seed), wide))


def multinomial(b: Builder, weights: relax.Expr, count: int, seed: int | None = None) -> relax.Expr:
    """Emit so many classes for each row of ``weights`` (N, classes), logarithms of what probabilities are in
    proportion to, as int64 (N, count): where a weight and a number of Gumbel's distribution are largest."""
    shape = b.shape_of(weights)
    if len(shape) != 2 or count < 1:
        raise b.error(f"{count} draws of weights of shape {shape} are none of rows of classes")
    rows = b.emit(relax.op.expand_dims(b.cast(weights, "float32"), 1))
    rows = b.emit(relax.op.broadcast_to(rows, (shape[0], count, shape[1])))
    inner = b.emit(relax.op.negative(b.emit(relax.op.log(uniform(b, rows, seed)))))
    outer = b.emit(relax.op.log(inner))
    return b.emit(relax.op.argmax(b.emit(relax.op.subtract(rows, outer)), 2))


def dropout(
    b: Builder, data: relax.Expr, ratio: float, seed: int | None = None
) -> tuple[relax.Expr, relax.Expr]:
    """Emit ``data``, each element zero by the probability ``ratio`` and else divided by 1 - ratio, and where
    it is kept, in bool. Raises ModelError for a ratio that is not from 0 on to below 1."""
    if not 0 <= ratio < 1:
        raise b.error(f"it drops a share of {ratio}, which is not at least 0 and below 1")
    kept = b.emit(relax.op.greater_equal(uniform(b, data, seed), relax.const(ratio, "float32")))
    scaled = b.emit(relax.op.multiply(data, b.cast(1 / (1 - ratio), str(data.ty.dtype))))
    return b.emit(relax.op.where(kept, scaled, b.cast(0, str(data.ty.dtype)))), kept


def _drawn(b: Builder, like: relax.Expr, seed: int | None, number: Any) -> relax.Expr:
    """Emit what ``number`` makes of four words of 32 random bits for each element."""
    shape = b.shape_of(like)
    if is_open(shape):
        raise b.refusal("the number of random numbers is open")
    node = zlib.crc32(b.label.encode())
    state = b.emit(relax.op.call_pure_packed(DRAWN, ty_args=relax.TensorType((2,), "int64")))

    def compute(state: te.Tensor) -> te.Tensor:
        def word(value: Any) -> Any:
            return value.astype("uint32")

        def element(*indices: Any) -> Any:
            place: Any = tirx.const(0, "int64")
            for index, size in zip(indices, shape, strict=True):
                place = place * tirx.const(int(size), "int64") + index.astype("int64")
            key = word(state[1]) if seed is None else seed
            half = tirx.const(32, "int64")
            # A loaded word in each product, since TVM's products of constants do not wrap around either.
            draw = [word(state[0]), word(state[0] >> half)]
            counter = [word(place) ^ draw[0], word(place >> half), *draw]
            return number(_philox(counter, key, node))

        return te.compute(shape, element, name="random")

    return b.builder.call_te(compute, state, primfunc_name_hint="random")


def _philox(counter: list[Any], key: Any, other: int) -> list[Any]:
    """Four words of a counter of four and a key of two."""
    for turn in range(ROUNDS):
        # TVM's sums of constants do not wrap around.
        more = WEYL[0] * turn & WORD
        given = isinstance(key, int)
        first = tirx.const((key + more) & WORD, "uint32") if given else key + tirx.const(more, "uint32")
        keys = [first, tirx.const((other + WEYL[1] * turn) & WORD, "uint32")]
        wide = [
            counter[place].astype("uint64") * tirx.const(factor, "uint64")
            for place, factor in zip((0, 2), MULTIPLIERS, strict=True)
        ]
        high = [(each >> tirx.const(32, "uint64")).astype("uint32") for each in wide]
        low = [each.astype("uint32") for each in wide]
        counter = [high[1] ^ counter[1] ^ keys[0], low[1], high[0] ^ counter[3] ^ keys[1], low[0]]
    return counter
