"""An epilogue's elementwise steps as instructions on registers, for every architecture that emits assembly.

The architecture spells the operations, and how a register is filled with a constant; which registers are
whose is settled here. Constants are kept in registers as far as there are any. Beyond that they are operands
in memory where instructions have those, and made anew at each use elsewhere. Where the tile leaves too few
registers, its accumulators go to the stack, and come back one by one: tiles are as tall with any steps as
with a clip.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from intrinsics.epilogue import Operation, Program, Step, program

Register = TypeVar("Register")
Place = tuple[int, int]
"""A row of the tile, and a vector of it."""
EXTREMES = ("maximum", "minimum")
SIDE_BY_SIDE = 4
"""Long chains are done to at most so many elements side by side."""
OF_CHANNELS = {"add_channel": "add", "multiply_channel": "multiply"}
"""Operations with a channel's constant, and what they do with it."""
LONG_CHAIN = 8
"""Least number of operations in a long chain."""


@dataclass(frozen=True)
class Help(Generic[Register]):
    """What an operation has beside its operands: where its element lies, and registers to write at will."""

    place: Place
    spares: Sequence[Register]
    at: int = 0
    """Elements from a channel's bias to the constant that it has for the operation."""


class StepEmitter(abc.ABC, Generic[Register]):
    """What an architecture says of steps."""

    wants_constants_kept = False
    """Accumulators go to the stack for constants, too, if making these anew is dear."""
    takes_memory = False
    """Operands may be constants in memory."""
    scalar_constants = False
    """All operations take constants in registers of their own, which ``in_memory`` gives: no constant is kept
    in a register of values."""

    @abc.abstractmethod
    def constant(self, value: float, register: Register) -> None:
        """Fill a register."""

    @abc.abstractmethod
    def operate(
        self, kind: str, target: Register, operands: Sequence[Register], help: Help[Register]
    ) -> None:
        """Emit an operation by its name. Operands are registers; but for those of extremes, the last one or,
        of ``multiply_add``, one of the last two may be what ``in_memory`` gave. The target of a
        ``multiply_add`` may be any of them, or none."""

    def in_memory(self, value: float) -> Register:
        """A constant as an operand in memory, of those that take such."""
        raise AssertionError("there are no operands in memory")

    def constant_again(self, value: float, register: Register) -> None:
        """Fill a register for one use."""
        self.constant(value, register)

    def spares(self, kinds: set[str]) -> int:
        """How many registers the operations of these kinds write beside their targets."""
        return 0

    @abc.abstractmethod
    def reserve_stack(self, vectors: int) -> None:
        """Make room for so many vectors, where no code outside has its own."""

    @abc.abstractmethod
    def release_stack(self, vectors: int) -> None: ...

    @abc.abstractmethod
    def spill(self, register: Register, index: int) -> None:
        """Store a register in that vector of the room made."""

    @abc.abstractmethod
    def reload(self, register: Register, index: int) -> None: ...


class Steps(Generic[Register]):
    """The steps of one epilogue, emitted for a few accumulators at a time.

    ``lasting`` are registers that nothing else writes from ``prepare`` on, ``passing`` those that other parts
    of the epilogue use before and after an element's steps, but not during them. Where ``spilled`` elements
    are on the stack from the start, in room made for so many, ``accumulators`` is one register for each in
    turn. Steps that are a long chain are done to several elements side by side, up to ``most``, if registers
    allow: cores look too few instructions ahead to find those of the next element by themselves.
    """

    def __init__(
        self,
        emitter: StepEmitter[Register],
        steps: Sequence[Step],
        lasting: Sequence[Register],
        passing: Sequence[Register],
        accumulators: Sequence[Register],
        spilled: int = 0,
        most: int = 1,
    ) -> None:
        self._emitter, self._accumulators = emitter, accumulators
        self._program = program(steps)
        self._spilled = spilled
        self._count = spilled or len(accumulators)
        on_stack = [*accumulators[1:], *lasting]
        most = min(most, self._count) if len(self._program.operations) >= LONG_CHAIN else 1
        in_place = self._side_by_side(most, len(lasting), len(passing))
        from_stack = self._side_by_side(most, len(on_stack), len(passing), on_stack=True)
        self.on_stack = bool(spilled) or not in_place or in_place == 1 < from_stack
        """Whether the accumulators are on the stack, or brought there."""
        self.side_by_side = max(1, from_stack if self.on_stack else in_place)
        """Elements are done so many at a time."""
        kept = list(on_stack if self.on_stack else lasting)
        self._elements = [accumulators[0]]
        if self.on_stack:
            self._elements += [kept.pop(0) for _ in range(self.side_by_side - 1)]
        free = [*kept, *passing]
        slots = self._program.slots - 1
        self._scratch = [[free.pop() for _ in range(slots)] for _ in range(self.side_by_side)]
        self._spares = [free.pop() for _ in range(self._spare_count)]
        self._remade = None
        constants = [] if emitter.scalar_constants else _by_need(self._program)
        if len(constants) > sum(register in free for register in kept) and self._remakes:
            self._remade = free.pop()
        self._kept = dict(zip(constants, (r for r in kept if r in free), strict=False))

    @property
    def _spare_count(self) -> int:
        return self._emitter.spares({operation.kind for operation in self._program.operations})

    @property
    def _remakes(self) -> bool:
        """Whether constants that are not kept may take a register."""
        if self._emitter.scalar_constants:
            return False
        return bool(_of_extremes(self._program) if self._emitter.takes_memory else self._program.constants)

    def _side_by_side(self, most: int, lasting: int, passing: int, on_stack: bool = False) -> int:
        """How many elements, up to ``most``, so many registers are enough for: 0 if not for one. On the stack
        elements have registers of their own, but for the first."""
        constants = len(self._program.constants) if self._emitter.wants_constants_kept else self._remakes
        fitting = 0
        for count in range(1, most + 1):
            own = (count - 1) * on_stack
            need = own + count * (self._program.slots - 1) + self._spare_count + constants
            if own <= lasting and need <= lasting + passing:
                fitting = count
        return fitting

    def prepare(self) -> None:
        """Bring accumulators to the stack if they go there, and fill the registers of constants kept."""
        if self.on_stack and not self._spilled:
            self._emitter.reserve_stack(len(self._accumulators))
            for index, register in enumerate(self._accumulators):
                self._emitter.spill(register, index)
        # Where constants are in memory anyway, they are soonest loaded.
        fill = self._emitter.constant_again if self.on_stack else self._emitter.constant
        for value, register in self._kept.items():
            fill(value, register)

    def batches(self, places: Sequence[Place]) -> Iterator[list[tuple[Register, Place]]]:
        """The registers of accumulators in order, with the places given for each, as many at a time as are
        done side by side. What the steps made of them has to be stored before the next are asked for."""
        for first in range(0, self._count, self.side_by_side):
            last = min(first + self.side_by_side, self._count)
            registers = self._elements if self.on_stack else self._accumulators[first:last]
            if self.on_stack:
                for index, register in zip(range(first, last), registers, strict=False):
                    self._emitter.reload(register, index)
            yield list(zip(registers, places[first:last], strict=False))
        if self.on_stack:
            self._emitter.release_stack(self._count)

    def elements(self, write_back: bool = False) -> Iterator[Register]:
        """The register of each accumulator in order, for the steps and what surrounds them. With
        ``write_back`` the accumulators have what became of them when all are done with, else what is at hand
        has to be stored."""
        if not self.on_stack:
            yield from self._accumulators
            return
        for index in range(self._count):
            self._emitter.reload(self._accumulators[0], index)
            yield self._accumulators[0]
            if write_back:
                self._emitter.spill(self._accumulators[0], index)
        for index, register in enumerate(self._accumulators if write_back else ()):
            self._emitter.reload(register, index)
        self._emitter.release_stack(self._count)

    def apply(self, *batch: tuple[Register, Place]) -> None:
        """Replace the elements, each of which lies there in the tile, by what the steps make of them."""
        slots = [[element, *own] for (element, _), own in zip(batch, self._scratch, strict=False)]
        for operation in self._program.operations:
            self._apply(operation, slots, [Help(place, self._spares, operation.at) for _, place in batch])

    def _apply(
        self, operation: Operation, slots: Sequence[Sequence[Register]], helps: Sequence[Help[Register]]
    ) -> None:
        kind = operation.kind
        absent = [o for o in operation.operands if isinstance(o, float) and o not in self._kept]
        # A multiply-add of a value and two constants may lack a register for either.
        known = {
            o: self._constant(o, kind) for o in operation.operands if isinstance(o, float) and len(absent) < 2
        }
        for own, help in zip(slots, helps, strict=True):
            target, values = own[operation.target], [own[o] for o in operation.operands if isinstance(o, int)]
            if len(absent) < 2:
                operands = [own[o] if isinstance(o, int) else known[o] for o in operation.operands]
                self._emitter.operate(kind, target, operands, help)
                continue
            factor, term = absent
            if target in values:
                self._emitter.operate("multiply", target, [*values, self._constant(factor, kind)], help)
                self._emitter.operate("add", target, [target, self._constant(term, kind)], help)
                continue
            self._emitter.constant_again(term, target)
            self._emitter.operate(kind, target, [*values, self._constant(factor, kind), target], help)

    def _constant(self, value: float, kind: str) -> Register:
        """A constant as an operand."""
        if value in self._kept:
            return self._kept[value]
        if self._emitter.scalar_constants or (self._emitter.takes_memory and kind not in EXTREMES):
            return self._emitter.in_memory(value)
        assert self._remade is not None
        self._emitter.constant_again(value, self._remade)
        return self._remade


def _of_extremes(steps: Program) -> list[float]:
    """The constants that values are compared with."""
    return [c for o in steps.operations if o.kind in EXTREMES for c in o.operands if isinstance(c, float)]


def _by_need(steps: Program) -> list[float]:
    """The constants, those of extremes first: these are not operands in memory."""
    return list(dict.fromkeys([*_of_extremes(steps), *steps.constants]))
