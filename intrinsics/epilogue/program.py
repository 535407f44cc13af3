"""Steps as instructions on slots, for whatever emits code of registers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .operations import Operations
from .step import Step


@dataclass(frozen=True)
class Operation:
    """``slots[target] = kind(*operands)``, each a slot (int) or a constant (float)."""

    kind: str
    target: int
    operands: tuple[int | float, ...]
    at: int = 0
    """Elements from a channel's bias to its constant, of operations with one."""


@dataclass(frozen=True)
class Program:
    """Steps as instructions on slots: slot 0 holds the element before and after, the others are scratch.
    Every kind is a method of ``Operations``, and its first operand is a slot."""

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
        self.lines: list[tuple[str, tuple[_Line | float, ...], int]] = []

    def _record(self, kind: str, *operands: _Line | float, at: int = 0) -> _Line:
        self.lines.append((kind, tuple(o if isinstance(o, _Line) else float(o) for o in operands), at))
        return _Line(len(self.lines))

    def maximum(self, a: _Line, b: _Line | float) -> _Line:
        return self._record("maximum", a, b)

    def minimum(self, a: _Line, b: _Line | float) -> _Line:
        return self._record("minimum", a, b)

    def add(self, a: _Line, b: _Line | float) -> _Line:
        return self._record("add", a, b)

    def multiply(self, a: _Line, b: _Line | float) -> _Line:
        return self._record("multiply", a, b)

    def multiply_add(self, a: _Line, b: _Line | float, c: _Line | float) -> _Line:
        return self._record("multiply_add", a, b, c)

    def divide(self, a: _Line, b: _Line) -> _Line:
        return self._record("divide", a, b)

    def power_of_two(self, a: _Line) -> _Line:
        return self._record("power_of_two", a)

    def add_channel(self, a: _Line, at: int) -> _Line:
        return self._record("add_channel", a, at=at)

    def multiply_channel(self, a: _Line, at: int) -> _Line:
        return self._record("multiply_channel", a, at=at)

    def add_residual(self, a: _Line) -> _Line:
        return self._record("add_residual", a)


def program(steps: Iterable[Step]) -> Program:
    """What computes ``steps``, with as few slots as their values' lives allow. An operation on two constants
    has a slot of its own to bring one to, unless it is the last."""
    recorder, result = _Recorder(), _Line(0)
    for step in steps:
        result = step.apply(result, recorder)
    lines = recorder.lines
    last_use = {v: at for at, (_, operands, _) in enumerate(lines) for v in operands if isinstance(v, _Line)}
    slot_of, free, slots = {_Line(0): 0}, set[int](), 1
    operations: list[Operation] = []
    for at, (kind, values, elements) in enumerate(lines):
        operands = tuple(slot_of[v] if isinstance(v, _Line) else v for v in values)
        ending = {slot_of.pop(value) for value in list(slot_of) if last_use.get(value) == at}
        apart = sum(isinstance(o, float) for o in operands) > 1
        usable = free if apart else free | ending
        own = [o for o in operands if isinstance(o, int) and o in usable]
        slot = own[0] if own else min(usable, default=slots)
        slot = 0 if at + 1 == len(lines) else slot
        free = (free | ending) - {slot}
        slots = max(slots, slot + 1)
        slot_of[_Line(at + 1)] = slot
        operations.append(Operation(kind, slot, operands, elements))
    if result != len(lines):
        raise ValueError("the last operation of the last step is not its result")
    constants = tuple(dict.fromkeys(c for o in operations for c in o.operands if isinstance(c, float)))
    return Program(tuple(operations), constants, slots)
