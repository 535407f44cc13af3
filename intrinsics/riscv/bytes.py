"""RISC-V Vector micro-kernels of 8-bit integers: exact products of 16-bit numbers, summed in 32 bits
(``vwmacc``).

A vector of B is widened to 16 bits once for all rows, as are pixels and taps of depthwise kernels; elements
of A are general registers. Between the bias and the epilogue, elements have 16 bits and a group half of its
registers; the vector length stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intrinsics.emit.byte_tile import rows_of_equal_bias, scales_behind_bias, steps_behind_scale
from intrinsics.emit.short_vectors import LANES
from intrinsics.emit.steps import Help, Steps
from intrinsics.epilogue import Step
from intrinsics.microkernel import BYTES, DEPTHWISE
from intrinsics.peak_loop import PeakLoop

from .peak import RVV_NARROW_LOOP
from .registers import B_AT, BIAS, LEFT_IN_BLOCK, REGISTERS, RESIDUAL, ROWS, SCRATCH, A, B, C
from .rvv import RVV, RvvKernel

EITHER = ("u8", "s8")
POINTERS, ELEMENTS = ROWS[:6], (*ROWS[6:], LEFT_IN_BLOCK)
"""General registers for rows of A, and for elements of it. The last counts nothing: channels of bytes lie
together."""


class RvvBytes(RvvKernel):
    """Emits one kernel instance."""

    element_bytes = 1
    elements, pointers = ELEMENTS, POINTERS

    # ---- sums

    @property
    def moving(self) -> Sequence[tuple[str, int]]:
        """The fifth operand is the scales, unless it is a residual of C's type."""
        of_result = BYTES[self.kernel.destination]
        of_fifth = 4 if scales_behind_bias(self.instance) is None else of_result
        own = ((A, 1),) if self.kernel.layout == DEPTHWISE else ()
        return (C, of_result), (RESIDUAL, of_fifth), (BIAS, 4), (B, 1), *own

    def start_tile(self) -> None:
        """Accumulators start from the bias or from zero."""
        if not self.instance.epilogue.bias:
            self.clear(self.accumulators)
            return
        for rows, at in rows_of_equal_bias(self.instance):
            first, *others = (self.accumulator(m, 0) for m in rows)
            self.load_channels(first, BIAS, 4 * at, 0)
            for other in others:
                self.copy(other, first)

    def walk_taps(self) -> None:
        self.set_bits(16)
        super().walk_taps()
        self.set_bits(32)

    def b_register(self, turn: int) -> int:
        return turn * self.group if self.group > 1 else 0

    def bytes_register(self, turn: int) -> int:
        """What has been loaded and not widened: it takes half of what it becomes."""
        return turn * self.group + self.group // 2 if self.group > 1 else 1

    def load_b(self, turn: int) -> None:
        self.emit(f"vle8.v v{self.bytes_register(turn)}, ({B_AT})")

    def finish_b(self, turn: int) -> None:
        self.widen(self.b_register(turn), self.bytes_register(turn), self.kernel.types[-2])

    def widen(self, register: int, source: int, sign: str) -> None:
        self.emit(f"v{'z' if sign == 'u' else 's'}ext.vf2 v{register}, v{source}")

    def load_scalar(self, element: str, at: int, pointer: str) -> None:
        self.emit(f"{'lbu' if self.kernel.lhs == 'u8' else 'lb'} {element}, {at}({pointer})")

    def multiply(self, accumulator: int, element: str, b: int) -> None:
        self.emit(f"vwmacc.vx v{accumulator}, {element}, v{b}")

    # ---- depthwise kernels

    def pixel(self, turn: int) -> int:
        """The register behind is of what has not been widened."""
        return 0

    def load_pixel(self, register: int, a: int) -> None:
        self.emit(f"vle8.v v1, {self.address(self.a, a)}")
        self.widen(register, 1, self.kernel.lhs[0])

    def load_tap(self, register: int, b: int, v: int) -> None:
        self.emit(f"vle8.v v1, {self.address(self.b, b)}")
        self.widen(register, 1, self.kernel.types[-2])

    def multiply_vectors(self, accumulator: int, pixel: int, tap: int) -> None:
        self.emit(f"vwmacc.vv v{accumulator}, v{pixel}, v{tap}")

    # ---- the epilogue

    def finish_tile(self) -> None:
        destination = self.kernel.destination
        if destination != "i32":
            self.scale()
        if destination in ("i32", "f32"):
            for m in range(self.rows):
                self.store_result(self.accumulator(m, 0), m, 0)
            return
        for bits in (16, 8):
            self.set_bits(bits)
            for register in self.accumulators:
                self.emit(f"vnsrl.wi v{register}, v{register}, 0")
        for m in range(self.rows):
            address = self.address(C, self.instance.c_offset(m, 0))
            self.emit(f"vse8.v v{self.accumulator(m, 0)}, {address}")
        self.set_bits(32)

    def scale(self) -> None:
        """Sums as floats of the output's unit, after the steps; for bytes then rounded to even, as
        integers."""
        factor, zero, rounds = self.group, self.instance.zero, self.kernel.destination != "f32"
        behind = scales_behind_bias(self.instance)
        steps = self.steps_of_sums()
        steps.prepare()
        if behind is None:
            self.load_channels(factor, RESIDUAL, 0, 0)
        else:
            self.load_channels(factor, BIAS, 4 * behind, 0)
        for m, register in enumerate(steps.elements(write_back=True)):
            self.emit(f"vfcvt.f.x.v v{register}, v{register}")
            self.emit(f"vfmul.vv v{register}, v{register}, v{factor}")
            steps.apply((register, (m, 0)))
            if rounds:
                self.emit(f"vfcvt.x.f.v v{register}, v{register}")
            if rounds and zero:
                self.immediate(SCRATCH, zero)
                self.emit(f"vadd.vx v{register}, v{register}, {SCRATCH}")

    def steps_of_sums(self) -> Steps[int]:
        return self.steps_in(range(self.accumulator(self.rows, 0), REGISTERS, self.group), [])

    @property
    def steps_taken(self) -> Sequence[Step]:
        return steps_behind_scale(self.instance)

    @property
    def residual(self) -> int:
        """The scales have the second group, and masks are done with when this is loaded."""
        return 0

    def spares(self, kinds: set[str]) -> int:
        return max(super().spares(kinds), int("add_residual" in kinds))

    def add_residual(self, target: int, value: int, help: Help[int]) -> None:
        """A residual's bytes are of C's type."""
        (m, v), (term, *_) = help.place, help.spares
        sign = "z" if self.kernel.destination[0] == "u" else "s"
        self.emit(f"vle8.v v0, {self.address(RESIDUAL, self.instance.c_offset(m, v * LANES))}")
        self.emit(f"v{sign}ext.vf4 v{term}, v0")
        self.emit(f"vfcvt.f.x.v v{term}, v{term}")
        self.arithmetic("add", target, value, term)


RVVBYTES = replace(
    RVV,
    name="rvvbytes",
    emitter=RvvBytes,
    loop=PeakLoop(("vwmacc.vv {c}, {a}, {b}",), 16, 6, RVV_NARROW_LOOP, "vwmacc"),
    most_rows=len(POINTERS),
    lhs=EITHER,
    rhs=EITHER,
    bytes_by_columns=True,
)
"""Bytes of either sign are multiplied as numbers of 16 bits (vwmacc)."""
