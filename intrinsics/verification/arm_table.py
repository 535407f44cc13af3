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
    """An instruction on whole vectors, or of one element of the last source for all, that computes elements
    of ``target`` bytes from elements of ``source`` bytes; of several such pairs, which ``sizes`` are, a
    meaning gets the sizes as well."""

    compute: Callable[..., Element]
    source: int = 4
    target: int = 4
    old: bool = False
    sizes: tuple[tuple[int, int], ...] = ()
    upper: bool = False
    """Whether a source's upper half counts, of which twice as many elements are written."""


def _sum(op: Any, a: Element, b: Element) -> Element:
    return op.wrapped(op.plus(op.signed(a, 32), op.signed(b, 32)), 32)


VECTORWISE: dict[str, Vectorwise] = {
    "fadd": Vectorwise(lambda op, a, b: op.add(a, b)),
    "fmul": Vectorwise(lambda op, a, b: op.multiply(a, b)),
    "fdiv": Vectorwise(lambda op, a, b: op.divide(a, b)),
    # A NaN of either source is kept, and zeros are told apart by their signs.
    "fmax": Vectorwise(lambda op, a, b: op.greater(b, a)),
    "fmin": Vectorwise(lambda op, a, b: op.less(b, a)),
    "fmla": Vectorwise(
        lambda op, old, a, b, size, to: op.fma(a, b, old, "h" if size == 2 else ""),
        old=True,
        sizes=((4, 4), (2, 2)),
    ),
    "fcvtl": Vectorwise(lambda op, a: op.of_half(a), 2, 4),
    "fcvtl2": Vectorwise(lambda op, a: op.of_half(a), 2, 4, upper=True),
    "fcvtn": Vectorwise(lambda op, a: op.to_half(a), 4, 2),
    "bfcvtn": Vectorwise(lambda op, a: op.to_bfloat16(a), 4, 2),
    "scvtf": Vectorwise(lambda op, a: op.of_integer(op.signed(a, 32))),
    "ucvtf": Vectorwise(lambda op, a: op.of_unsigned(a)),
    "fcvtns": Vectorwise(lambda op, a: op.to_integer_saturated(a)),
    "add": Vectorwise(_sum),
    "eor": Vectorwise(lambda op, a, b: op.exclusive_or(a, b, 1), 1, 1),
    "orn": Vectorwise(lambda op, a, b: op.or_not(a, b), 1, 1),
    "raddhn": Vectorwise(lambda op, a, b: op.upper_half_of_sum(a, b), 4, 2),
    "xtn": Vectorwise(lambda op, a: op.low_half(a), 4, 2),
    "sxtl": Vectorwise(lambda op, a, size, to: op.sign_extended(a, to, size), sizes=((1, 2), (2, 4))),
    "uxtl": Vectorwise(lambda op, a, size, to: op.zero_extended(a, size, to), sizes=((1, 2), (2, 4))),
}
"""Instructions whose results are computed element by element."""


def _dot(first: str, second: str) -> Callable[..., Element]:
    def compute(op: Any, old: Element, a: tuple[Element, ...], b: tuple[Element, ...]) -> Element:
        total = op.signed(old, 32)
        for x, y in zip(a, b, strict=True):
            total = op.plus(total, op.times(getattr(op, first)(x, 8), getattr(op, second)(y, 8)))
        return op.wrapped(total, 32)

    return compute


def _multiply_add(op: Any, old: Element, a: Element, b: Element) -> Element:
    return op.wrapped(op.plus(op.signed(old, 32), op.times(op.signed(a, 16), op.signed(b, 16))), 32)


def _products(read: str) -> Callable[..., Element]:
    return lambda op, a, b: op.wrapped(op.times(getattr(op, read)(a, 8), getattr(op, read)(b, 8)), 16)


def _more_products(op: Any, old: Element, a: Element, b: Element) -> Element:
    return op.wrapped(op.plus(op.signed(old, 16), op.times(op.signed(a, 8), op.signed(b, 8))), 16)


PRODUCTS: dict[str, tuple[Callable[..., Element], int, bool]] = {
    "smull": (_products("signed"), 0, False),
    "smull2": (_products("signed"), 8, False),
    "umull": (_products("unsigned"), 0, False),
    "umull2": (_products("unsigned"), 8, False),
    "smlal": (_more_products, 0, True),
    "smlal2": (_more_products, 8, True),
}
"""Instructions that multiply bytes, from so many on, to 16 bits, and whether they add to these."""
PAIRWISE = {"sadalp": "signed", "uadalp": "unsigned"}
"""Instructions that add pairs of 16 bits, so read, to 32."""


def _fused_halves(op: Any, old: Element, a: Element, b: Element) -> Element:
    return op.fma(op.of_half(a), op.of_half(b), old)


WIDENING: dict[str, tuple[Callable[..., Element], int, int]] = {
    "smlal": (_multiply_add, 0, 4),
    "smlal2": (_multiply_add, 4, 8),
    "fmlal": (_fused_halves, 0, 4),
    "fmlal2": (_fused_halves, 4, 4),
}
"""Instructions that add products of half as wide elements: from so many elements on, of so many as are
written."""
MATRICES: dict[str, tuple[Callable[..., Element], int]] = {
    "smmla": (_dot("signed", "signed"), 1),
    "ummla": (_dot("unsigned", "unsigned"), 1),
    "usmmla": (_dot("unsigned", "signed"), 1),
    "bfmmla": (lambda op, old, a, b: op.dot_bfloat16_once(old, a, b), 2),
}
"""Instructions that add to a matrix of 2 by 2 the products of two rows of eight bytes, of elements of so many
bytes, by two others."""
DOTS: dict[str, tuple[Callable[..., Element], int, int]] = {
    "sdot": (_dot("signed", "signed"), 1, 4),
    "udot": (_dot("unsigned", "unsigned"), 1, 4),
    "sudot": (_dot("signed", "unsigned"), 1, 4),
    "usdot": (_dot("unsigned", "signed"), 1, 4),
    "bfdot": (lambda op, old, a, b: op.dot_bfloat16_once(old, a, b), 2, 2),
}
"""Instructions that add to each 32 bits a sum of products: of elements of so many bytes, and how many."""
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
