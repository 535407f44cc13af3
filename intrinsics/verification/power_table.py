"""The instructions on VSX's registers: what each word of a target is, of words of the sources.

Words are numbered from the left, as the manual does. Sources are in the order of the text, with the target's
old value first where it counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Element = Any


@dataclass(frozen=True)
class Wordwise:
    """An instruction that computes each word of the target from a word of each source."""

    compute: Callable[..., Element]
    old: bool = False


WORDWISE: dict[str, Wordwise] = {
    "xvaddsp": Wordwise(lambda op, a, b: op.add(a, b)),
    "xvmulsp": Wordwise(lambda op, a, b: op.multiply(a, b)),
    "xvdivsp": Wordwise(lambda op, a, b: op.divide(a, b)),
    "xvmaddasp": Wordwise(lambda op, old, a, b: op.fma(a, b, old), old=True),
    "xvmaddmsp": Wordwise(lambda op, old, a, b: op.fma(a, old, b), old=True),
    "xvcmpgtsp": Wordwise(lambda op, a, b: op.is_greater(a, b)),
    "xxsel": Wordwise(lambda op, a, b, which: op.other_where(which, a, b)),
    # The extremes of a NaN and a number are the number.
    "xvmaxsp": Wordwise(lambda op, a, b: op.greater(b, a)),
    "xvminsp": Wordwise(lambda op, a, b: op.less(b, a)),
    "xvcvsxwsp": Wordwise(lambda op, a: op.of_integer(op.signed(a, 32))),
    "xvrspic": Wordwise(lambda op, a: op.rounded_to_integer(a)),
    "xvcvspsxws": Wordwise(lambda op, a: op.truncated_saturated(a)),
    "vadduwm": Wordwise(lambda op, a, b: op.wrapped(op.plus(op.signed(a, 32), op.signed(b, 32)), 32)),
    "xvcvspbf16": Wordwise(lambda op, a: op.lower_half_only(op.to_bfloat16(a))),
    "xvcvsphp": Wordwise(lambda op, a: op.lower_half_only(op.to_half(a))),
    "xvcvbf16spn": Wordwise(lambda op, a: op.shift_left(op.zero_extended(op.equal_halves(a), 2, 4), 16, 4)),
    "xvcvhpsp": Wordwise(lambda op, a: op.of_half(op.equal_halves(a))),
    "xxlor": Wordwise(lambda op, a, b: op.either(a, b)),
    "xxlxor": Wordwise(lambda op, a, b: op.exclusive_or(a, b)),
}
"""Instructions whose results are computed word by word."""
OF_ALTIVEC = ("vadduwm",)
"""Instructions that number Altivec's registers."""


def _dot(op: Any, old: Element, a: tuple[Element, ...], b: tuple[Element, ...]) -> Element:
    total = op.signed(old, 32)
    for x, y in zip(a, b, strict=True):
        total = op.plus(total, op.times(op.signed(x, 8), op.unsigned(y, 8)))
    return op.wrapped(total, 32)


OUTER: dict[str, tuple[Callable[..., Element], int]] = {
    "xvf32gerpp": (lambda op, old, a, b: op.fma(a[0], b[0], old), 4),
    "xvbf16ger2pp": (lambda op, old, a, b: op.dot_bfloat16_once(old, a, b), 2),
    "xvf16ger2pp": (lambda op, old, a, b: op.dot_half(old, a, b), 2),
    "xvi8ger4pp": (_dot, 1),
}
"""Instructions that add the products of each word of a source by each of the other: of elements of so many
bytes, the last in a word first, as memory has them."""
BYTES_MOVED: dict[str, list[int]] = {
    "vmrglb": [16 * (at % 2) + 8 + at // 2 for at in range(16)],
    "vmrghh": [16 * (at // 2 % 2) + at // 4 * 2 + at % 2 for at in range(16)],
    "vmrglh": [16 * (at // 2 % 2) + 8 + at // 4 * 2 + at % 2 for at in range(16)],
    "vpkuwum": [at // 2 * 4 + 2 + at % 2 for at in range(16)],
    "vpkuhum": [2 * at + 1 for at in range(16)],
}
"""Instructions on Altivec's registers that move bytes: which of two sources', numbered from the left, one
behind the other, each is."""
EXTENDED = {"vupklsb": 1, "vupklsh": 2}
"""Instructions that extend the last eight bytes, of signed elements of so many bytes, to twice as many."""
MERGED: dict[str, tuple[int, ...]] = {"xxmrghw": (0, 4, 1, 5), "xxmrglw": (2, 6, 3, 7)}
"""Instructions that move words of two sources, one behind the other: which each is."""
WORDS_IN_ORDER = {"lxvw4x": True, "lxvx": False, "lxv": False, "lxvl": False}
"""Loads, and whether their first word is the first in memory; of others, on little-endian machines, the last
word is."""
STORES_IN_ORDER = {"stxvw4x": True, "stxvx": False, "stxv": False, "stxvl": False}
