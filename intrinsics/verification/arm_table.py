"""The instructions on Neon's vectors: what each element of a target is, of elements of the sources.

Sources are in the order of the text, with the target's old value first where it counts. Elements are of the
bytes that the arrangements of the text say; where several of a source make one of the target, a meaning gets
them as a tuple.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Element = Any


@dataclass(frozen=True)
class Vectorwise:
    """An instruction on whole vectors of ``source`` bytes an element, or of one element of the last source
    for all, that computes elements of ``target`` bytes."""

    compute: Callable[..., Element]
    source: int = 4
    target: int = 4
    old: bool = False


VECTORWISE: dict[str, Vectorwise] = {
    "fadd": Vectorwise(lambda op, a, b: op.add(a, b)),
    "fmul": Vectorwise(lambda op, a, b: op.multiply(a, b)),
    "fdiv": Vectorwise(lambda op, a, b: op.divide(a, b)),
    # A NaN of either source is kept, and zeros are told apart by their signs.
    "fmax": Vectorwise(lambda op, a, b: op.greater(b, a)),
    "fmin": Vectorwise(lambda op, a, b: op.less(b, a)),
    "fmla": Vectorwise(lambda op, old, a, b: op.fma(a, b, old), old=True),
}
"""Instructions whose results are computed element by element, of float32."""
SHIFTS = {
    "shl": lambda op, x, n, size: op.shift_left(x, n, size),
    "ushr": lambda op, x, n, size: op.shift_right(x, n, size),
    "sshr": lambda op, x, n, size: op.shift_right_signed(x, n, size),
}
"""Instructions that shift each element."""
PERMUTED: dict[str, Callable[[int], list[tuple[int, int]]]] = {
    "trn1": lambda count: [(at % 2, at // 2 * 2) for at in range(count)],
    "trn2": lambda count: [(at % 2, at // 2 * 2 + 1) for at in range(count)],
    "zip1": lambda count: [(at % 2, at // 2) for at in range(count)],
    "zip2": lambda count: [(at % 2, count // 2 + at // 2) for at in range(count)],
    "uzp1": lambda count: [(2 * at // count, 2 * at % count) for at in range(count)],
    "uzp2": lambda count: [(2 * at // count, 2 * at % count + 1) for at in range(count)],
}
"""Instructions that move elements of two sources: of which source, and from where in it, each is."""
