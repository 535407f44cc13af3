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
    "xxlor": Wordwise(lambda op, a, b: op.either(a, b)),
    "xxlxor": Wordwise(lambda op, a, b: op.exclusive_or(a, b)),
}
"""Instructions whose results are computed word by word."""
MERGED: dict[str, tuple[int, ...]] = {"xxmrghw": (0, 4, 1, 5), "xxmrglw": (2, 6, 3, 7)}
"""Instructions that move words of two sources, one behind the other: which each is."""
WORDS_IN_ORDER = {"lxvw4x": True, "lxvx": False, "lxv": False, "lxvl": False}
"""Loads, and whether their first word is the first in memory; of others, on little-endian machines, the last
word is."""
STORES_IN_ORDER = {"stxvw4x": True, "stxvx": False, "stxv": False, "stxvl": False}
