"""An epilogue's elementwise steps as instructions on registers, for every architecture that emits assembly.

The architecture spells four operations of three registers, and how a register is filled with a constant;
which registers are whose is settled here. Constants are kept in registers as far as there are any, and made
anew at each use beyond that, so that tiles are as tall with any steps as with a clip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from intrinsics.epilogue import Step, program
from intrinsics.microkernel import RegisterBudgetError

Register = TypeVar("Register")


class Steps(Generic[Register]):
    """The steps of one epilogue, emitted for one element after the other.

    ``lasting`` are registers that nothing else writes from ``prepare`` on, ``passing`` those that other parts
    of the epilogue use before and after an element's steps, but not during them. ``constant`` fills a
    register; ``operate`` emits an operation by its name, into a register, of two others. Raises
    RegisterBudgetError where the steps' intermediate values alone leave no register for a constant.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        lasting: Sequence[Register],
        passing: Sequence[Register],
        constant: Callable[[float, Register], None],
        operate: Callable[[str, Register, Register, Register], None],
    ) -> None:
        self._program = program(steps)
        self._constant, self._operate = constant, operate
        constants, scratch = self._program.constants, self._program.slots - 1
        free, need = [*lasting, *passing], scratch + bool(constants)
        if need > len(free):
            text = "+".join(map(str, steps))
            raise RegisterBudgetError(
                f"the epilogue {text} needs {need} registers; the tile leaves {len(free)}"
            )
        self._scratch = [free.pop() for _ in range(scratch)]
        self._remade = None
        if len(constants) > sum(register in free for register in lasting):
            self._remade = free.pop()
        self._kept = dict(zip(constants, (r for r in lasting if r in free), strict=False))

    def prepare(self) -> None:
        """Fill the registers of constants that are kept."""
        for value, register in self._kept.items():
            self._constant(value, register)

    def apply(self, element: Register) -> None:
        """Replace the element by what the steps make of it."""
        slots = [element, *self._scratch]
        for operation in self._program.operations:
            b = slots[operation.b] if isinstance(operation.b, int) else self._register_of(operation.b)
            self._operate(operation.kind, slots[operation.target], slots[operation.a], b)

    def _register_of(self, constant: float) -> Register:
        register = self._kept.get(constant, self._remade)
        assert register is not None
        if constant not in self._kept:
            self._constant(constant, register)
        return register
