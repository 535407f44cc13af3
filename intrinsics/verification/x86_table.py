"""The instructions on x86's vectors: what each element of a target is, of elements of the sources.

Sources are in Intel's order, which is the reverse of AT&T's text, with the target's old value first where it
counts. A meaning is a function of an arithmetic and of elements; where several elements of a source make one
of the target, it gets them as a tuple.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Element = Any
Meaning = Callable[..., Element]


@dataclass(frozen=True)
class Lanewise:
    """An instruction that computes each element of the target, of ``target`` bytes, from ``per`` elements of
    ``source`` bytes of each source."""

    compute: Meaning
    source: int = 4
    target: int = 4
    per: int = 1
    old: bool = False
    """The target's old value is the first source."""
    number: bool = False
    """The first operand of the text is a number, which the meaning gets first."""
    aligned: bool = False
    """An operand in memory has to be aligned."""


def _pairs(op: Any, a: tuple[Element, Element], b: tuple[Element, Element], bits: int = 16) -> Any:
    """The sum of two products of signed elements."""
    return op.plus(*(op.times(op.signed(x, bits), op.signed(y, bits)) for x, y in zip(a, b, strict=True)))


def _dot_bytes(op: Any, old: Element, a: tuple[Element, ...], b: tuple[Element, ...]) -> Element:
    total = op.signed(old, 32)
    for x, y in zip(a, b, strict=True):
        total = op.plus(total, op.times(op.unsigned(x, 8), op.signed(y, 8)))
    return op.wrapped(total, 32)


def _pairs_saturated(op: Any, a: tuple[Element, Element], b: tuple[Element, Element]) -> Element:
    products = (op.times(op.unsigned(x, 8), op.signed(y, 8)) for x, y in zip(a, b, strict=True))
    return op.saturated(op.plus(*products), 16)


def _sum(op: Any, a: Element, b: Element) -> Element:
    return op.wrapped(op.plus(op.signed(a, 32), op.signed(b, 32)), 32)


def _difference(op: Any, a: Element, b: Element) -> Element:
    return op.wrapped(op.minus(op.signed(a, 32), op.signed(b, 32)), 32)


def _same(op: Any, x: Element) -> Element:
    return x


LANEWISE: dict[str, Lanewise] = {
    "vaddps": Lanewise(lambda op, a, b: op.add(a, b)),
    "vmulps": Lanewise(lambda op, a, b: op.multiply(a, b)),
    "vdivps": Lanewise(lambda op, a, b: op.divide(a, b)),
    # Where a source is NaN, or both are zero, the result is the second.
    "vmaxps": Lanewise(lambda op, a, b: op.greater(a, b)),
    "vminps": Lanewise(lambda op, a, b: op.less(a, b)),
    "vfmadd132ps": Lanewise(lambda op, old, a, b: op.fma(old, b, a), old=True),
    "vfmadd213ps": Lanewise(lambda op, old, a, b: op.fma(a, old, b), old=True),
    "vfmadd231ps": Lanewise(lambda op, old, a, b: op.fma(a, b, old), old=True),
    "vfmadd231ph": Lanewise(lambda op, old, a, b: op.fma(a, b, old, "h"), 2, 2, old=True),
    "vaddph": Lanewise(lambda op, a, b: op.add(a, b, "h"), 2, 2),
    "vmulph": Lanewise(lambda op, a, b: op.multiply(a, b, "h"), 2, 2),
    "vdpbf16ps": Lanewise(lambda op, old, a, b: op.dot_bfloat16(old, a, b), 2, 4, 2, old=True),
    "vcvtneps2bf16": Lanewise(lambda op, a: op.to_bfloat16_flushed(a), 4, 2),
    "vcvtph2ps": Lanewise(lambda op, a: op.of_half(a), 2, 4),
    "vcvtph2psx": Lanewise(lambda op, a: op.of_half(a), 2, 4),
    "vcvtps2phx": Lanewise(lambda op, a: op.to_half(a), 4, 2),
    "vcvtdq2ps": Lanewise(lambda op, a: op.of_integer(op.signed(a, 32))),
    "vcvtps2dq": Lanewise(lambda op, a: op.wrapped(op.to_integer(a), 32)),
    "vpmovsxbd": Lanewise(lambda op, a: op.sign_extended(a, 4), 1, 4),
    "vpmovzxbd": Lanewise(lambda op, a: op.zero_extended(a, 1, 4), 1, 4),
    "vpmovsxbw": Lanewise(lambda op, a: op.sign_extended(a, 2), 1, 2),
    "vpmovzxbw": Lanewise(lambda op, a: op.zero_extended(a, 1, 2), 1, 2),
    "vpmovzxwd": Lanewise(lambda op, a: op.zero_extended(a, 2, 4), 2, 4),
    "vpmovzxdq": Lanewise(lambda op, a: op.zero_extended(a, 4, 8), 4, 8),
    "vpmovdb": Lanewise(lambda op, a: op.wrapped(op.signed(a, 32), 8), 4, 1),
    "vpmovdw": Lanewise(lambda op, a: op.low_half(a), 4, 2),
    "vpmovusdb": Lanewise(lambda op, a: op.saturated(op.unsigned(a, 32), 8, False), 4, 1),
    "vpaddd": Lanewise(_sum),
    "vpsubd": Lanewise(_difference),
    "vpabsb": Lanewise(lambda op, a: op.magnitude(a), 1, 1),
    "vpsignb": Lanewise(lambda op, a, b: op.with_sign(a, b), 1, 1),
    "vpmaddubsw": Lanewise(_pairs_saturated, 1, 2, 2),
    "vpmaddwd": Lanewise(lambda op, a, b: op.wrapped(_pairs(op, a, b), 32), 2, 4, 2),
    "vpdpbusd": Lanewise(_dot_bytes, 1, 4, 4, old=True),
    "vpdpwssd": Lanewise(
        lambda op, old, a, b: op.wrapped(op.plus(op.signed(old, 32), _pairs(op, a, b)), 32),
        2,
        4,
        2,
        old=True,
    ),
    **dict.fromkeys(("vxorps", "vpxor", "vpxord"), Lanewise(lambda op, a, b: op.exclusive_or(a, b))),
    **dict.fromkeys(("vandps", "vpand", "vpandd"), Lanewise(lambda op, a, b: op.both(a, b))),
    **dict.fromkeys(("vorps", "vpor", "vpord"), Lanewise(lambda op, a, b: op.either(a, b))),
    **dict.fromkeys(("vmovups", "vmovdqu", "vmovdqu32"), Lanewise(_same)),
    **dict.fromkeys(("vmovaps", "vmovdqa", "vmovdqa32"), Lanewise(_same, aligned=True)),
    "vmovdqu16": Lanewise(_same, 2, 2),
    "vmovdqu8": Lanewise(_same, 1, 1),
    "vpslld": Lanewise(lambda op, n, x: op.shift_left(x, n, 4), number=True),
    "vpsllw": Lanewise(lambda op, n, x: op.shift_left(x, n, 2), 2, 2, number=True),
    "vpsrld": Lanewise(lambda op, n, x: op.shift_right(x, n, 4), number=True),
    "vpsrlw": Lanewise(lambda op, n, x: op.shift_right(x, n, 2), 2, 2, number=True),
    "vpsrad": Lanewise(lambda op, n, x: op.shift_right_signed(x, n, 4), number=True),
    "vpsraw": Lanewise(lambda op, n, x: op.shift_right_signed(x, n, 2), 2, 2, number=True),
    "vcvtps2ph": Lanewise(lambda op, n, x: op.to_half_rounding(x, n), 4, 2, number=True),
}
"""Instructions whose results are computed element by element."""


@dataclass(frozen=True)
class Moving:
    """An instruction that moves elements of ``size`` bytes within parts of ``part`` bytes of its sources
    (all of a register if 0): ``places`` gives, of its number and of how many elements a part has, where in
    the sources, one behind the other, each element comes from."""

    places: Callable[[int, int], list[int]]
    size: int = 4
    part: int = 16
    sources: int = 1


def _parts_permuted(number: int, count: int) -> list[int]:
    """128-bit parts of two vectors: the lower two of the first, the upper two of the second."""
    parts = [(i // 2) * (count // 4) + (number >> 2 * i & 3) for i in range(4)]
    return [4 * part + at for part in parts for at in range(4)]


def _halves_permuted(number: int, count: int) -> list[int]:
    """Halves of two vectors, each chosen by two bits; a third bit, which makes zeros, is not known here."""
    return [4 * part + at for part in (number & 3, number >> 4 & 3) for at in range(4)]


MOVING: dict[str, Moving] = {
    "vpunpcklbw": Moving(lambda number, count: [i // 2 + i % 2 * 16 for i in range(16)], 1, sources=2),
    "vpunpckldq": Moving(lambda number, count: [0, 4, 1, 5], sources=2),
    "vpunpckhdq": Moving(lambda number, count: [2, 6, 3, 7], sources=2),
    "vpunpcklqdq": Moving(lambda number, count: [0, 1, 4, 5], sources=2),
    "vpshufd": Moving(lambda number, count: [number >> 2 * i & 3 for i in range(4)]),
    "vpermilps": Moving(lambda number, count: [number >> 2 * i & 3 for i in range(4)]),
    "vmovsldup": Moving(lambda number, count: [0, 0, 2, 2]),
    "vshuff32x4": Moving(_parts_permuted, part=0, sources=2),
    "vperm2f128": Moving(_halves_permuted, part=0, sources=2),
}
WITHOUT_NUMBER = ("vmovsldup", "vpunpcklbw", "vpunpckldq", "vpunpckhdq", "vpunpcklqdq")
BROADCASTS = {
    "vbroadcasti128": 16,
    "vbroadcastss": 4,
    "vpbroadcastd": 4,
    "vpbroadcastw": 2,
    "vpbroadcastb": 1,
}
"""Instructions that fill a vector with one element, of so many bytes."""
PACKS = {
    "vpackssdw": (4, 2, True),
    "vpackusdw": (4, 2, False),
    "vpacksswb": (2, 1, True),
    "vpackuswb": (2, 1, False),
}
"""Instructions that saturate two vectors, of so many bytes an element, to one of half as many, signed or
not."""
SCALARS = {"vmovd": 4, "vmovss": 4, "vmovq": 8, "vmovsd": 8, "vmovw": 2}
"""Moves of the lowest element, of so many bytes, to or from a vector, whose others become zero."""
ELEMENTS = {
    "vpextrb": 1,
    "vpextrw": 2,
    "vpextrd": 4,
    "vpinsrb": 1,
    "vpinsrw": 2,
    "vpinsrd": 4,
    "vinsertps": 4,
}
"""Moves of one element out of a vector, or into it."""
PARTS = {"vextracti128": 16, "vextractf128": 16, "vextracti32x4": 16, "vextracti64x4": 32}
"""Instructions that take a part of so many bytes from a vector."""
