"""What is done to each element of a tile before it is stored: terms added, then elementwise steps.

A step is a formula over four operations (``Operations``), so that one text is its meaning in numpy, in TE and
in every instruction set: what can add, multiply, and take the larger and the smaller of two values has all
steps. Kernels, workloads and reports carry steps as values and know none by name; ``STEPS`` is the one list.
"""

from __future__ import annotations

import abc
import math
import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import ClassVar, Generic, TypeVar

Value = TypeVar("Value")
INFINITY = math.inf


class Operations(abc.ABC, Generic[Value]):
    """What steps are made of; operands are values, or floats for constants.

    Where the first operand of an extreme is a NaN, so is the result: what is computed from an element that is
    a NaN stays one.
    """

    @abc.abstractmethod
    def maximum(self, a: Value, b: Value | float) -> Value: ...

    @abc.abstractmethod
    def minimum(self, a: Value, b: Value | float) -> Value: ...

    @abc.abstractmethod
    def add(self, a: Value, b: Value | float) -> Value: ...

    @abc.abstractmethod
    def multiply(self, a: Value, b: Value | float) -> Value: ...


@dataclass(frozen=True)
class Step(abc.ABC):
    """One elementwise step; its fields are float32 constants."""

    name: ClassVar[str]
    """The step's texts and codes begin so: with two lower-case letters or more, and no word that kernels'
    names have for anything else (bias, residual, rows, acc, empty)."""

    def __post_init__(self) -> None:
        for f in fields(self):
            object.__setattr__(self, f.name, float(getattr(self, f.name)))

    @abc.abstractmethod
    def apply(self, x: Value, op: Operations[Value]) -> Value:
        """The step of ``x``."""

    @property
    def constants(self) -> tuple[float, ...]:
        """The values of the fields, in order."""
        return tuple(getattr(self, f.name) for f in fields(self))

    def __str__(self) -> str:
        # Parts of an epilogue are joined by "+", which an exponent must not hold.
        numbers = ",".join(repr(value) for value in self.constants).replace("e+", "e")
        return f"{self.name}({numbers})" if numbers else self.name

    @property
    def code(self) -> str:
        """The step in a kernel's name: its own name, then its constants' bits."""
        return self.name + ".".join(_float_bits(value) for value in self.constants)

    def after(self, step: Step) -> Step | None:
        """One step that does ``step`` and then this; None where there is none."""
        return None


@dataclass(frozen=True)
class Clip(Step):
    """``min(max(x, low), high)``; ReLU is ``low=0``."""

    low: float = -INFINITY
    high: float = INFINITY

    name = "clip"

    def __post_init__(self) -> None:
        super().__post_init__()
        if math.isnan(self.low) or math.isnan(self.high) or self.low > self.high:
            raise ValueError(f"epilogue clip range [{self.low}, {self.high}] is empty")

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        x = x if self.low == -INFINITY else op.maximum(x, self.low)
        return x if self.high == INFINITY else op.minimum(x, self.high)

    def __str__(self) -> str:
        return "relu" if self == Clip(low=0.0) else super().__str__()

    def after(self, step: Step) -> Step | None:
        if not isinstance(step, Clip):
            return None
        return Clip(*(min(max(bound, self.low), self.high) for bound in (step.low, step.high)))


STEPS: dict[str, type[Step]] = {step.name: step for step in (Clip,)}
"""This holds every step there is by its name; texts and kernels' names are read by it."""

ALIASES: dict[str, Step] = {"relu": Clip(low=0.0)}
"""These texts stand for a step with its constants."""


def joined(steps: Iterable[Step]) -> tuple[Step, ...]:
    """``steps`` with neighbours made one where they can be, and clips without bounds left out."""
    result: list[Step] = []
    for step in steps:
        if step == Clip():
            continue
        both = step.after(result[-1]) if result else None
        result[-1:] = [both] if both is not None else [*result[-1:], step]
    return tuple(result)


def parse_step(text: str) -> Step:
    """The step that ``str`` wrote as ``text``. Raises ValueError."""
    if text in ALIASES:
        return ALIASES[text]
    match = re.fullmatch(r"([a-z]+)(?:\(([^()]*)\))?", text)
    kind = STEPS.get(match[1]) if match else None
    if match is None or kind is None:
        known = ", ".join([*ALIASES, *(f"{name}({_signature(step)})" for name, step in STEPS.items())])
        raise ValueError(f"unknown part '{text}'; use bias, residual, {known.replace('()', '')}")
    try:
        numbers = [float(number) for number in (match[2] or "").split(",") if number]
    except ValueError:
        numbers = []
    if len(numbers) != len(fields(kind)):
        raise ValueError(f"'{text}' is not {kind.name}({_signature(kind)}) with {len(fields(kind))} numbers")
    return kind(*numbers)


def parse_codes(text: str) -> tuple[Step, ...]:
    """The steps whose codes are joined by "_" in a kernel's name, as ``CODES`` matches them. Raises
    ValueError."""
    return tuple(_parse_code(code) for code in text.split("_") if code)


def _parse_code(code: str) -> Step:
    for name, kind in STEPS.items():
        bits = rf"[0-9a-f]{{8}}(?:\.[0-9a-f]{{8}}){{{len(fields(kind)) - 1}}}" if fields(kind) else ""
        match = re.fullmatch(f"{name}({bits})", code)
        if match:
            return kind(*(_float_from_bits(part) for part in match[1].split(".") if part))
    raise ValueError(f"'{code}' is no epilogue step")


CODES = r"(?:_[a-z]{2,}(?:[0-9a-f]{8}(?:\.[0-9a-f]{8})*)?)*"
"""This pattern matches the codes of any steps, each with a "_" before it."""


def _signature(kind: type[Step]) -> str:
    return ",".join(f.name for f in fields(kind))


@dataclass(frozen=True, init=False)
class TileEpilogue:
    """Applied to the tile in registers before its only store: ``steps(tile + bias + residual)``.

    ``low`` and ``high`` are short for a last step that clips.
    """

    bias: bool
    residual: bool
    steps: tuple[Step, ...]

    def __init__(
        self,
        bias: bool = False,
        residual: bool = False,
        low: float = -INFINITY,
        high: float = INFINITY,
        steps: Iterable[Step] = (),
    ) -> None:
        object.__setattr__(self, "bias", bias)
        object.__setattr__(self, "residual", residual)
        object.__setattr__(self, "steps", joined([*steps, Clip(low, high)]))

    @property
    def low(self) -> float:
        """The least value stored, as far as the last step says."""
        last = self.steps[-1] if self.steps else None
        return last.low if isinstance(last, Clip) else -INFINITY

    @property
    def high(self) -> float:
        """The largest value stored, as far as the last step says."""
        last = self.steps[-1] if self.steps else None
        return last.high if isinstance(last, Clip) else INFINITY

    def of_pass(self, first: bool, last: bool) -> TileEpilogue:
        """What one of several passes over a tile does of it: the bias comes with the first, the rest with the
        last."""
        return TileEpilogue(self.bias and first, self.residual and last, steps=self.steps if last else ())


# ---- steps as instructions


@dataclass(frozen=True)
class Operation:
    """``slots[target] = kind(slots[a], b)``, where ``b`` is a slot (int) or a constant (float)."""

    kind: str
    target: int
    a: int
    b: int | float


@dataclass(frozen=True)
class Program:
    """Steps as two-operand instructions on slots: slot 0 holds the element before and after, the others
    are scratch. Every kind is a method of ``Operations``."""

    operations: tuple[Operation, ...]
    constants: tuple[float, ...]
    """These are the constants that operations have, each once, in the order of their first use."""
    slots: int
    """The program needs this many slots."""


class _Line(int):
    """The number of the line that made a value; 0 is the element."""


class _Recorder(Operations[_Line]):
    """Writes down what is done, a line for each operation."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, _Line, _Line | float]] = []

    def _record(self, kind: str, a: _Line, b: _Line | float) -> _Line:
        self.lines.append((kind, a, b if isinstance(b, _Line) else float(b)))
        return _Line(len(self.lines))

    def maximum(self, a: _Line, b: _Line | float) -> _Line:
        return self._record("maximum", a, b)

    def minimum(self, a: _Line, b: _Line | float) -> _Line:
        return self._record("minimum", a, b)

    def add(self, a: _Line, b: _Line | float) -> _Line:
        return self._record("add", a, b)

    def multiply(self, a: _Line, b: _Line | float) -> _Line:
        return self._record("multiply", a, b)


def program(steps: Iterable[Step]) -> Program:
    """What computes ``steps``, with as few slots as their values' lives allow."""
    recorder, result = _Recorder(), _Line(0)
    for step in steps:
        result = step.apply(result, recorder)
    lines = recorder.lines
    last_use = {v: at for at, (_, *operands) in enumerate(lines) for v in operands if isinstance(v, _Line)}
    slot_of, free, slots = {_Line(0): 0}, set[int](), 1
    operations: list[Operation] = []
    for at, (kind, a, b) in enumerate(lines):
        operands = slot_of[a], slot_of[b] if isinstance(b, _Line) else b
        free |= {slot_of.pop(value) for value in list(slot_of) if last_use.get(value) == at}
        slot = operands[0] if operands[0] in free else min(free, default=slots)
        slot = 0 if at + 1 == len(lines) else slot
        free.discard(slot)
        slots = max(slots, slot + 1)
        slot_of[_Line(at + 1)] = slot
        operations.append(Operation(kind, slot, *operands))
    if result != len(lines):
        raise ValueError("the last operation of the last step is not its result")
    constants = tuple(dict.fromkeys(o.b for o in operations if isinstance(o.b, float)))
    return Program(tuple(operations), constants, slots)


def _float_bits(value: float) -> str:
    return struct.pack(">f", value).hex()


def _float_from_bits(bits: str) -> float:
    return float(struct.unpack(">f", bytes.fromhex(bits))[0])
