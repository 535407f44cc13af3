"""The instructions of RISC-V's vector extension: what each element of a target is, of elements of sources.

Sources are in the order of the text, with the target's old value first where it counts, and the mask's first
of all. Elements have the size that ``vsetvli`` gave; a meaning for ``size`` 0 holds for all sizes, and gets
the bytes as its last argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Element = Any


@dataclass(frozen=True)
class Vectorwise:
    """An instruction on elements of ``size`` bytes. The target's are as large times two to the power of
    ``target``, those of vectors among the sources times two to the power of ``source``."""

    compute: Callable[..., Element]
    size: int = 4
    target: int = 0
    source: int = 0
    old: bool = False
    """Whether the target's old value counts; a scalar is then the first of the sources, not the last."""


def _sum(op: Any, a: Element, b: Element, size: int) -> Element:
    return op.wrapped(op.plus(op.signed(a, 8 * size), op.signed(b, 8 * size)), 8 * size)


def _multiply_add(op: Any, old: Element, a: Element, b: Element) -> Element:
    return op.wrapped(op.plus(op.signed(old, 32), op.times(op.signed(a, 16), op.signed(b, 16))), 32)


VECTORWISE: dict[str, Vectorwise] = {
    "vfadd": Vectorwise(lambda op, a, b: op.add(a, b)),
    "vfmul": Vectorwise(lambda op, a, b: op.multiply(a, b)),
    "vfdiv": Vectorwise(lambda op, a, b: op.divide(a, b)),
    "vfmacc": Vectorwise(lambda op, old, a, b: op.fma(a, b, old), old=True),
    "vfmadd": Vectorwise(lambda op, old, a, b: op.fma(old, a, b), old=True),
    "vfwmacc": Vectorwise(lambda op, old, a, b: op.fma(op.of_half(a), op.of_half(b), old), 2, 1, old=True),
    "vwmacc": Vectorwise(_multiply_add, 2, 1, old=True),
    "vfcvt.f.x": Vectorwise(lambda op, a: op.of_integer(op.signed(a, 32))),
    "vfcvt.x.f": Vectorwise(lambda op, a: op.to_integer_saturated(a)),
    "vfwcvt.f.f": Vectorwise(lambda op, a: op.of_half(a), 2, 1),
    "vfncvt.f.f": Vectorwise(lambda op, a: op.to_half(a), 2, source=1),
    "vzext.vf2": Vectorwise(lambda op, a, size: op.zero_extended(a, size // 2, size), 0, source=-1),
    "vsext.vf2": Vectorwise(lambda op, a, size: op.sign_extended(a, size, size // 2), 0, source=-1),
    "vzext.vf4": Vectorwise(lambda op, a: op.zero_extended(a, 1, 4), source=-2),
    "vsext.vf4": Vectorwise(lambda op, a: op.sign_extended(a, 4, 1), source=-2),
    "vadd": Vectorwise(_sum, 0),
    "vand": Vectorwise(lambda op, a, b, size: op.both(a, b, size), 0),
    "vsll": Vectorwise(lambda op, a, n, size: op.shift_left(a, n, size), 0),
    "vsrl": Vectorwise(lambda op, a, n, size: op.shift_right(a, n, size), 0),
    "vnsrl": Vectorwise(
        lambda op, a, n, size: op.low_half(op.shift_right(a, n, 2 * size), 2 * size), 0, source=1
    ),
    "vmv.v": Vectorwise(lambda op, a, size: a, 0),
    "vfmv.v": Vectorwise(lambda op, a: a),
}
"""Instructions whose results are computed element by element."""
SHIFTS = ("vsll", "vsrl", "vnsrl")
"""Instructions whose immediate is a number of places, not an element."""
MASKS: dict[str, Callable[..., Element]] = {
    "vmflt": lambda op, a, b: op.is_greater(b, a),
    "vmfgt": lambda op, a, b: op.is_greater(a, b),
    "vmfne": lambda op, a, b: op.differ(a, b),
}
"""Instructions on float32 that give an element's bit of a mask."""
MERGES: dict[str, Callable[..., Element]] = {
    "vmerge": lambda op, which, a, b: op.other_where(which, a, b),
    "vfmerge": lambda op, which, a, b: op.other_where(which, a, b),
}
"""Instructions that take elements of the last source where a mask says so."""
