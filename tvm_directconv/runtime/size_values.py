"""Sizes as texts over open dimensions, which a library keeps beside its code, and their values.

A size that a model computes in floats is computed in the same floats here: ``whole(float32(h) / 3.0)``.
"""

from __future__ import annotations

import functools
import keyword
from collections.abc import Mapping
from typing import Any

import numpy as np


def whole(value: float) -> int:
    """Return a float rounded towards zero; 0, which no size is, for what no integer stands for."""
    return int(value) if np.isfinite(value) else 0


FUNCTIONS: dict[str, Any] = {
    **{"min": min, "max": max, "whole": whole},
    **{"float32": np.float32, "float64": np.float64, "floor": np.floor, "ceil": np.ceil},
}


def is_name(text: str) -> bool:
    """Return whether a variable may be called so in ``text_of``'s texts."""
    return text.isidentifier() and not keyword.iskeyword(text) and text not in FUNCTIONS


@functools.lru_cache(maxsize=4096)
def _compiled(text: str) -> Any:
    return compile(text, "<extent>", "eval")


def computed(text: str, values: Mapping[str, Any], functions: Mapping[str, Any] = FUNCTIONS) -> Any:
    """Return what a text that ``text_of`` wrote is of these values, numbers or what ``functions`` take."""
    return eval(_compiled(text), {"__builtins__": {}, **functions}, dict(values))


def names_in(text: str) -> set[str]:
    """Return the names of the open dimensions in what ``text_of`` wrote."""
    return {*_compiled(text).co_names} - FUNCTIONS.keys()


def evaluated(text: str, values: Mapping[str, int]) -> int:
    """Return the value of what ``text_of`` wrote where open dimensions have these values."""
    return int(computed(text, values))


def with_computed(values: Mapping[str, int], formulas: Mapping[str, str]) -> dict[str, int]:
    """Return the values of dimensions, and of the sizes that ``formulas`` make of them by name."""
    found = dict(values)
    with np.errstate(all="ignore"):
        for name, text in formulas.items():
            found[name] = evaluated(text, found)
    return found
