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
from typing import Generic, NamedTuple, TypeVar

from intrinsics.epilogue import Operation, Program, Step, program

Register = TypeVar("Register")
Place = tuple[int, int]
"""A row of the tile, and a vector of it."""
EXTREMES = ("maximum", "minimum")


class Help(NamedTuple, Generic[Register]):
    """What an operation has beside its operands: where its element lies, and registers to write at will."""

    place: Place
    spares: Sequence[Register]


class StepEmitter(abc.ABC, Generic[Register]):
    """What an architecture says of steps."""

    wants_constants_kept = False
    """Accumulators go to the stack for constants, too, if making these anew is dear."""
    takes_memory = False
    """Operands may be constants in memory."""

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
    """The steps of one epilogue, emitted for one accumulator after the other.

    ``lasting`` are registers that nothing else writes from ``prepare`` on, ``passing`` those that other parts
    of the epilogue use before and after an element's steps, but not during them. Where ``spilled`` elements
    are on the stack from the start, in room made for so many, ``accumulators`` is one register for each in
    turn.
    """

    def __init__(
        self,
        emitter: StepEmitter[Register],
        steps: Sequence[Step],
        lasting: Sequence[Register],
        passing: Sequence[Register],
        accumulators: Sequence[Register],
        spilled: int = 0,
    ) -> None:
        self._emitter, self._accumulators = emitter, accumulators
        self._program = program(steps)
        self._spilled = spilled
        self.on_stack = bool(spilled) or not self._fit(lasting, passing)
        """Whether the accumulators are on the stack, or brought there."""
        if self.on_stack:
            lasting = [*accumulators[1:], *lasting]
        free = [*lasting, *passing]
        self._scratch = [free.pop() for _ in range(self._program.slots - 1)]
        self._spares = [free.pop() for _ in range(self._spare_count)]
        self._remade = None
        constants = _by_need(self._program)
        if len(constants) > sum(register in free for register in lasting) and self._remakes:
            self._remade = free.pop()
        self._kept = dict(zip(constants, (r for r in lasting if r in free), strict=False))

    @property
    def _spare_count(self) -> int:
        return self._emitter.spares({operation.kind for operation in self._program.operations})

    @property
    def _remakes(self) -> bool:
        """Whether constants that are not kept may take a register."""
        return bool(_of_extremes(self._program) if self._emitter.takes_memory else self._program.constants)

    def _fit(self, lasting: Sequence[Register], passing: Sequence[Register]) -> bool:
        constants = self._program.constants
        need = self._program.slots - 1 + self._spare_count
        if self._emitter.wants_constants_kept:
            return need + len(constants) <= len(lasting) + len(passing)
        return need + self._remakes <= len(lasting) + len(passing)

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

    def elements(self, write_back: bool = False) -> Iterator[Register]:
        """The register of each accumulator in order, for the steps and what surrounds them. With
        ``write_back`` the accumulators have what became of them when all are done with, else what is at hand
        has to be stored."""
        if not self.on_stack:
            yield from self._accumulators
            return
        count = self._spilled or len(self._accumulators)
        for index in range(count):
            self._emitter.reload(self._accumulators[0], index)
            yield self._accumulators[0]
            if write_back:
                self._emitter.spill(self._accumulators[0], index)
        for index, register in enumerate(self._accumulators if write_back else ()):
            self._emitter.reload(register, index)
        self._emitter.release_stack(count)

    def apply(self, element: Register, place: Place) -> None:
        """Replace the element, which lies there in the tile, by what the steps make of it."""
        slots = [element, *self._scratch]
        for operation in self._program.operations:
            self._apply(operation, slots, Help(place, self._spares))

    def _apply(self, operation: Operation, slots: Sequence[Register], help: Help[Register]) -> None:
        kind, target = operation.kind, slots[operation.target]
        values = [slots[o] for o in operation.operands if isinstance(o, int)]
        absent = [o for o in operation.operands if isinstance(o, float) and o not in self._kept]
        if len(absent) < 2:
            operands = [self._operand(o, slots, kind) for o in operation.operands]
            self._emitter.operate(kind, target, operands, help)
            return
        # A multiply-add of a value and two constants of which no register is.
        factor, term = absent
        if target in values:
            self._emitter.operate("multiply", target, [*values, self._operand(factor, slots, kind)], help)
            self._emitter.operate("add", target, [target, self._operand(term, slots, kind)], help)
            return
        self._emitter.constant_again(term, target)
        self._emitter.operate(kind, target, [*values, self._operand(factor, slots, kind), target], help)

    def _operand(self, operand: int | float, slots: Sequence[Register], kind: str) -> Register:
        if isinstance(operand, int):
            return slots[operand]
        if operand in self._kept:
            return self._kept[operand]
        if self._emitter.takes_memory and kind not in EXTREMES:
            return self._emitter.in_memory(operand)
        assert self._remade is not None
        self._emitter.constant_again(operand, self._remade)
        return self._remade


def _of_extremes(steps: Program) -> list[float]:
    """The constants that values are compared with."""
    return [c for o in steps.operations if o.kind in EXTREMES for c in o.operands if isinstance(c, float)]


def _by_need(steps: Program) -> list[float]:
    """The constants, those of extremes first: these are no operands in memory."""
    return list(dict.fromkeys([*_of_extremes(steps), *steps.constants]))
