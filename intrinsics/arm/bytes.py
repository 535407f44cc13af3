"""What AArch64 Neon micro-kernels of 8-bit integers share: int32 sums from the bias to the stored type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intrinsics.emit.byte_tile import (
    rows_of_equal_bias,
    scales_behind_bias,
    steps_behind_scale,
    vectors_stored_together,
)
from intrinsics.emit.short_vectors import LANES
from intrinsics.emit.steps import Help
from intrinsics.epilogue import Step
from intrinsics.instruction_set import CLIP_REGISTERS, Isa
from intrinsics.microkernel import KernelInstance

from .neon_base import BIAS, REGISTERS, RESIDUAL, VECTOR, C, NeonBase

SCALE = RESIDUAL
SIGN = 0x80
"""The exclusive or of a byte with it moves the byte by 128."""
EITHER, SIGNED, UNSIGNED = ("u8", "s8"), ("s8",), ("u8",)
EPILOGUE_REGISTERS = 2
"""An epilogue has registers for the zero point and for scales, beside those of its steps."""


class NeonBytes(NeonBase):
    """Emits one kernel instance. Once taps are walked, a row's sums are in ``accumulator(m, v)``."""

    element_bytes = 1

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.reserve(self.free)

    def reserve(self, accumulators: int) -> int:
        """The first register behind them, from where on the epilogue has its own."""
        self.free = accumulators
        self.zero, self.factor = self.free + CLIP_REGISTERS, self.free + CLIP_REGISTERS + 1
        return self.free

    def start_tile(self) -> None:
        """Accumulators start from the bias or from zero."""
        if self.instance.epilogue.bias:
            for run in self.bias_runs():
                for acc in run[1:]:
                    self.emit(f"mov v{acc}.16b, v{run[0]}.16b")
        else:
            self.clear(self.accumulator(m, v) for v in range(self.used) for m in range(self.rows))

    def bias_runs(self, register: int | None = None) -> Iterator[list[int]]:
        """Accumulators of equal bias, which is loaded to the register, or else to the first of them."""
        for v in range(self.used):
            for rows, at in rows_of_equal_bias(self.instance):
                accumulators = [self.accumulator(m, v) for m in rows]
                into = accumulators[0] if register is None else register
                self.load_channels(into, BIAS, 4 * (at + v * LANES), v)
                yield accumulators

    def add_bias(self) -> None:
        """Add the bias to the sums, which are complete only at the end."""
        if self.instance.epilogue.bias:
            for run in self.bias_runs(self.free):
                for acc in run:
                    self.emit(f"add v{acc}.4s, v{acc}.4s, v{self.free}.4s")

    def finish_tile(self) -> None:
        instance, destination = self.instance, self.kernel.destination
        if destination != "i32":
            self.scale()
        if destination in ("i32", "f32"):
            for m in range(self.rows):
                for v in range(self.used):
                    self.store_channels(self.accumulator(m, v), C, 4 * instance.c_offset(m, v * LANES), v)
            return
        for m in range(self.rows):
            for vectors, count in vectors_stored_together(instance, m, LANES):
                narrowed = self.narrowed([self.accumulator(m, v) for v in vectors])
                self.store_bytes(narrowed, C, instance.c_offset(m, vectors[0] * LANES), count)

    def scale(self) -> None:
        """Sums as floats of the output's unit, after the steps; for bytes then rounded to even, as
        integers."""
        zero, rounds = self.instance.zero, self.kernel.destination != "f32"
        others = [r for r in range(self.free, REGISTERS) if r not in (self.zero, self.factor)]
        behind = scales_behind_bias(self.instance)
        scales, at = (SCALE, 0) if behind is None else (BIAS, 4 * behind)
        steps = self.steps_in(others, [] if zero else [self.zero])
        steps.prepare()
        if rounds and zero:
            self.integer_constant(zero, self.zero)
        places = ((m, v) for v in range(self.used) for m in range(self.rows))
        for (m, v), register in zip(places, steps.elements(write_back=True), strict=True):
            if m == 0:
                self.load_channels(self.factor, scales, at + VECTOR * v, v)
            acc = f"v{register}.4s"
            self.emit(f"scvtf {acc}, {acc}")
            self.emit(f"fmul {acc}, {acc}, v{self.factor}.4s")
            steps.apply((register, (m, v)))
            if rounds:
                self.emit(f"fcvtns {acc}, {acc}")
            if rounds and zero:
                self.emit(f"add {acc}, {acc}, v{self.zero}.4s")

    @property
    def steps_taken(self) -> Sequence[Step]:
        return steps_behind_scale(self.instance)

    def spares(self, kinds: set[str]) -> int:
        return max(super().spares(kinds), int("add_residual" in kinds))

    def add_residual(self, target: int, value: int, help: Help[int]) -> None:
        """A residual's bytes are of C's type."""
        (m, v), term = help.place, help.spares[0]
        sign = self.kernel.destination[0]
        self.load_bytes(term, RESIDUAL, self.instance.c_offset(m, v * LANES), self.channels(v))
        self.emit(f"{sign}xtl v{term}.8h, v{term}.8b")
        self.emit(f"{sign}xtl v{term}.4s, v{term}.4h")
        self.emit(f"{sign}cvtf v{term}.4s, v{term}.4s")
        self.arithmetic("add", target, value, term)

    @property
    def accumulators(self) -> list[int]:
        """Vector by vector, since a vector's rows share its scales."""
        return [self.accumulator(m, v) for v in range(self.used) for m in range(self.rows)]

    def narrowed(self, registers: list[int]) -> int:
        """The low bytes of the vectors' lanes, gathered in the first of them."""
        for lanes in ("8h", "16b"):
            pairs = [registers[i : i + 2] for i in range(0, len(registers), 2)]
            for pair in pairs:
                self.emit(f"uzp1 v{pair[0]}.{lanes}, v{pair[0]}.{lanes}, v{pair[-1]}.{lanes}")
            registers = [pair[0] for pair in pairs]
        return registers[0]
