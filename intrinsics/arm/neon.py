"""AArch64 Neon micro-kernels of float32: fused multiply-adds by element."""

from __future__ import annotations

import itertools

from intrinsics.emit.columns import ColumnWalk, InputRow, TapRegisters
from intrinsics.engines import ByElement
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import RegisterBudgetError
from intrinsics.peak_loop import PeakLoop

from .base import BIAS, LANES, REGISTERS, ROWS, SCRATCH, VECTOR, A, B, C
from .peak import NEON_LOOP
from .pipelined import NeonPipelined


class NeonKernel(ColumnWalk[int], NeonPipelined):
    """Emits one kernel instance."""

    def start_tile(self) -> None:
        """Accumulators start from C, from the bias, or from zero."""
        instance, epilogue = self.instance, self.instance.epilogue
        for v in range(self.used):
            if epilogue.bias and not instance.bias_by_row:
                self.load_channels(self.free, BIAS, 4 * v * LANES, v)
            for m in range(self.rows):
                acc = self.accumulator(m, v)
                if instance.accumulate:
                    self.load_channels(acc, C, 4 * instance.c_offset(m, v * LANES), v)
                elif epilogue.bias and instance.bias_by_row:
                    self.emit(f"add {SCRATCH}, {BIAS}, #{4 * m}")
                    self.emit(f"ld1r {{v{acc}.4s}}, [{SCRATCH}]")
                elif epilogue.bias:
                    self.emit(f"mov v{acc}.16b, v{self.free}.16b")
                else:
                    self.emit(f"movi v{acc}.4s, #0")

    def finish_tile(self) -> None:
        others = [register for register in range(self.free, REGISTERS) if register != self.residual]
        steps = self.steps_in(others, [] if self.instance.epilogue.residual else [self.residual])
        steps.prepare()
        places = ((m, v) for m in range(self.rows) for v in range(self.used))
        for (m, v), acc in zip(places, steps.elements(), strict=True):
            steps.apply(acc, (m, v))
            self.store_channels(acc, C, 4 * self.instance.c_offset(m, v * LANES), v)

    def multiply(self, m: int, v: int, b: int, a: tuple[int, int]) -> None:
        register, lane = a
        self.emit(f"fmla v{self.accumulator(m, v)}.4s, v{b}.4s, v{register}.s[{lane}]")

    # ---- depthwise kernels, by columns of the input

    def tap_registers(self) -> TapRegisters[int]:
        """Behind two pixels, and what is made of one where lanes are of groups."""
        begin = self.free + 2 + (self.instance.group > 1)
        if begin == REGISTERS:
            raise RegisterBudgetError(f"{self.kernel.name} leaves no registers for groups' channels")
        return TapRegisters(
            self.input_rows,
            self.used,
            range(begin, REGISTERS),
            lambda register, b, v: self.load("q", register, B, 4 * b + v * VECTOR),
        )

    def walk_row(self, row: InputRow, taps: TapRegisters[int]) -> None:
        """The multiply-adds of one row of the input. Taps that registers lack are loaded as they are used, to
        the last one, which is free then."""
        if taps.fit:
            taps.begin(row)
        for turn, (column, v) in enumerate(itertools.product(row.columns, range(self.used))):
            pixel = self.free + turn % 2
            if self.instance.multiplier == 1:
                self.load_channels(pixel, A, 4 * (column.a + v * LANES), v)
            else:
                count = self.tail // 2 if self.is_tail(v) else LANES // 2
                self.load_bytes(pixel, A, 4 * (column.a + v * LANES // 2), 4 * count)
                self.emit(f"zip1 v{pixel}.4s, v{pixel}.4s, v{pixel}.4s")
            for k, products in itertools.groupby(column.products, key=lambda product: product.k):
                x = pixel
                if self.instance.group > self.instance.multiplier:
                    x = self.free + 2
                    self.emit(f"trn{k + 1} v{x}.4s, v{pixel}.4s, v{pixel}.4s")
                for product in products:
                    tap = taps(product.b, v) if taps.fit else REGISTERS - 1
                    if not taps.fit:
                        self.load("q", tap, B, 4 * product.b + v * VECTOR)
                    self.emit(f"fmla v{self.accumulator(product.m, v)}.4s, v{x}.4s, v{tap}.4s")


NEON = Isa(
    name="neon",
    arch="aarch64",
    features=frozenset({"neon"}),
    vector_bits=128,
    vector_registers=REGISTERS,
    engine=ByElement(),
    emitter=NeonKernel,
    cpus=(Cpu("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a57", "cortex-a57"),),
    loop=PeakLoop(("fmla {c}.4s, {b}.4s, {a}.s[0]",), 4, 24, NEON_LOOP, "fmla"),
    epilogue_registers=1,
    most_rows=len(ROWS),
    groups=(2,),
    multipliers=(2,),
)
