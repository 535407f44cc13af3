"""Tiles in vectors of four lanes whose registers are numbers, which is how Neon and POWER name them.

How a tile begins and ends, and its epilogue's steps, in terms of what the architectures spell differently.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable, Sequence

from intrinsics.epilogue import Step
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import KernelInstance

from .steps import EXTREMES, OF_CHANNELS, Help, StepEmitter, Steps
from .walk import Walk

LANES = 4


class ShortVectors(Walk, StepEmitter[int]):
    """Emits one kernel instance. A tile is of 32-bit lanes, four channels of a row per vector."""

    c: str
    bias: str
    residuals: str
    """General registers that point to C, the bias and the residual."""

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.rows = self.kernel.mr
        self.used = -(-instance.channels // LANES)
        self.tail = instance.channels % LANES
        self.free = self.accumulator_registers
        """This is the first vector register that holds no accumulator."""

    # ---- the tile

    @property
    def accumulator_registers(self) -> int:
        """Return how many registers hold the tile's sums: whole vectors of its rows."""
        return self.rows * self.used

    def accumulator(self, m: int, v: int) -> int:
        """The register of row m's vector v, before and after taps are walked."""
        return m * self.used + v

    @property
    def accumulators(self) -> list[int]:
        """Return the accumulators of every row and vector."""
        return [self.accumulator(m, v) for m in range(self.rows) for v in range(self.used)]

    def start_tile(self) -> None:
        """Accumulators start from C, from the bias, or from zero."""
        instance, epilogue = self.instance, self.instance.epilogue
        for v in range(self.used):
            if epilogue.bias and not instance.bias_by_row:
                self.load_channels(self.free, self.bias, 4 * v * LANES, v)
            for m in range(self.rows):
                acc = self.accumulator(m, v)
                if instance.accumulate:
                    self.load_result(acc, self.c, m, v)
                elif epilogue.bias and instance.bias_by_row:
                    self.splat_element(acc, self.bias, 4 * m)
                elif epilogue.bias:
                    self.copy(acc, self.free)
                else:
                    self.clear([acc])
                self.begun(m, v)

    def begun(self, m: int, v: int) -> None:
        """What is done to an accumulator that has its first value."""

    def finish_tile(self) -> None:
        steps = self.steps_of_sums()
        steps.prepare()
        places = [(m, v) for m in range(self.rows) for v in range(self.used)]
        for batch in steps.batches(places):
            steps.apply(*batch)
            for register, (m, v) in batch:
                self.store_result(register, m, v)

    @abc.abstractmethod
    def steps_of_sums(self) -> Steps[int]:
        """The steps, in registers that neither residuals nor stores write."""

    def steps_in(self, lasting: Sequence[int], passing: Sequence[int], most: int = 1) -> Steps[int]:
        """The epilogue's steps, of up to ``most`` elements side by side, in registers that nothing else, or
        nothing else at that time, uses."""
        return Steps(self, self.steps_taken, lasting, passing, self.accumulators, most=most)

    @property
    def steps_taken(self) -> Sequence[Step]:
        """What is done to accumulators by way of ``steps_in``."""
        return self.instance.epilogue.steps

    # ---- steps

    @property
    @abc.abstractmethod
    def residual(self) -> int:
        """The register that residuals and channels' constants are loaded to, of kernels that have any."""

    def operate(self, kind: str, target: int, operands: Sequence[int], help: Help[int]) -> None:
        if kind == "add_residual":
            self.add_residual(target, operands[0], help)
        elif kind in OF_CHANNELS:
            _, v = help.place
            self.load_channels(self.residual, self.bias, 4 * (help.at + v * LANES), v)
            self.arithmetic(OF_CHANNELS[kind], target, operands[0], self.residual)
        elif kind in EXTREMES:
            self.extreme(kind, target, *operands)
        elif kind == "power_of_two":
            self.power_of_two(target, operands[0], help)
        elif kind == "multiply_add":
            a, b, c = operands
            self.multiply_add(target, a, b, c, help)
        else:
            self.arithmetic(kind, target, *operands)

    def add_residual(self, target: int, value: int, help: Help[int]) -> None:
        m, v = help.place
        self.load_result(self.residual, self.residuals, m, v)
        self.arithmetic("add", target, value, self.residual)

    def extreme(self, kind: str, target: int, a: int, b: int) -> None:
        """Write the larger or smaller operand; a NaN in the first one is kept."""
        self.arithmetic(kind, target, a, b)

    @abc.abstractmethod
    def arithmetic(self, kind: str, target: int, a: int, b: int) -> None:
        """``target = a (kind) b``."""

    @abc.abstractmethod
    def power_of_two(self, target: int, exponent: int, help: Help[int]) -> None: ...

    @abc.abstractmethod
    def multiply_add(self, target: int, a: int, b: int, c: int, help: Help[int]) -> None: ...

    @abc.abstractmethod
    def copy(self, target: int, source: int) -> None: ...

    @abc.abstractmethod
    def clear(self, registers: Iterable[int]) -> None: ...

    # ---- vectors and their parts; ``at`` is in bytes

    def is_tail(self, v: int) -> bool:
        return bool(self.tail) and v == self.used - 1

    def channels(self, v: int) -> int:
        """How many channels vector ``v`` has."""
        return self.tail if self.is_tail(v) else LANES

    @abc.abstractmethod
    def splat_element(self, register: int, pointer: str, at: int) -> None:
        """Fill a register with a float32 in memory."""

    @abc.abstractmethod
    def load_channels(self, register: int, pointer: str, at: int, v: int) -> None:
        """Vector ``v`` of 32-bit channels, ``at`` from ``pointer``."""

    @abc.abstractmethod
    def store_channels(self, register: int, pointer: str, at: int, v: int) -> None: ...

    def result_at(self, pointer: str, m: int, v: int) -> int:
        """Elements from a pointer to C, or to what lies as C does, to row m's vector v."""
        self.move_to_line(pointer, m)
        return self.instance.c_offset(m, v * LANES)

    def load_result(self, register: int, pointer: str, m: int, v: int) -> None:
        """Row m's vector ``v`` of what lies as C does, as float32."""
        self.load_channels(register, pointer, 4 * self.result_at(pointer, m, v), v)

    def store_result(self, register: int, m: int, v: int) -> None:
        """Row m's vector ``v``, of float32, to C."""
        self.store_channels(register, self.c, 4 * self.result_at(self.c, m, v), v)
