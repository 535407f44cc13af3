"""What a step of an epilogue is: float32 constants, a formula, a text and a code in kernels' names."""

from __future__ import annotations

import abc
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import ClassVar

from .operations import Operations, Value

MOST_DIGITS = 9
"""This many decimal digits tell any two float32 apart."""


@dataclass(frozen=True)
class Step(abc.ABC):
    """One elementwise step; its fields are float32 constants."""

    name: ClassVar[str]
    """The step's texts and codes begin so: with two lower-case letters or more, and no word that kernels'
    names have for anything else (bias, rows, acc, empty)."""

    def __post_init__(self) -> None:
        for f in fields(self):
            object.__setattr__(self, f.name, _float32(getattr(self, f.name)))

    @abc.abstractmethod
    def apply(self, x: Value, op: Operations[Value]) -> Value:
        """The step of ``x``."""

    @classmethod
    def fitted(cls, at: Callable[[float], float]) -> Step | None:
        """Return the step of this kind that a function may be, by its values at a few multiples of 1/16; None
        for none. Graph passes compare it at all other points, and take it for the function if it agrees.

        A step without constants is a candidate for every function, others only where they say so.
        """
        return None if fields(cls) else cls()

    @property
    def constants(self) -> tuple[float, ...]:
        """The values of the fields, in order."""
        return tuple(getattr(self, f.name) for f in fields(self))

    def __str__(self) -> str:
        """The name alone stands for the step with its usual constants."""
        usual = all(_same(f.default, getattr(self, f.name)) for f in fields(self))
        return self.name if usual else self.text

    @property
    def text(self) -> str:
        """The name and all constants."""
        # Parts of an epilogue are joined by "+", which an exponent must not hold.
        numbers = ",".join(map(_shortest, self.constants)).replace("e+", "e")
        return f"{self.name}({numbers})" if numbers else self.name

    @property
    def code(self) -> str:
        """The step in a kernel's name: its own name, then its constants' bits."""
        return self.name + ".".join(float_bits(value) for value in self.constants)

    def after(self, step: Step) -> Step | None:
        """One step that does ``step`` and then this; None where there is none."""
        return None


def float_bits(value: float) -> str:
    """The eight digits of a float32."""
    return struct.pack(">f", value).hex()


def float_from_bits(bits: str) -> float:
    """The inverse of ``float_bits``."""
    return float(struct.unpack(">f", bytes.fromhex(bits))[0])


def _float32(value: float) -> float:
    try:
        return float_from_bits(float_bits(value))
    except OverflowError:
        return math.copysign(math.inf, value)


def _same(default: object, value: float) -> bool:
    return isinstance(default, float) and _float32(default) == value


def _shortest(value: float) -> str:
    """The shortest decimal that is this float32."""
    if not math.isfinite(value):
        return repr(value)
    texts = (repr(float(f"{value:.{digits}g}")) for digits in range(1, MOST_DIGITS + 1))
    return next(text for text in texts if _float32(float(text)) == value)
