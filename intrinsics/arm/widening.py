"""AArch64 micro-kernels of 8-bit integers for every Armv8 CPU, without dot products.

Panels: 16 channels of a row and of a filter are multiplied into 16-bit products (umull, umull2), whose pairs
are added to four 32-bit partial sums (uadalp); at the end partial sums are added up (addp). This is the 4x4
kernel of "Improve quantized convolution performance for armv8 architectures" (Tensor Virtual Machine RFC),
section "Convolution core algorithm". Where no two products overflow 16 bits, they are added there first
(smull, smlal2, sadalp), as that section's last note says.

Depthwise kernels widen both operands to 16 bits, which holds any byte of either sign.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from intrinsics.emit.short_vectors import LANES
from intrinsics.engines import ByElement, PartialSums
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import DEPTHWISE, PANEL, KernelInstance, Segment
from intrinsics.peak_loop import PeakLoop

from .bytes import EITHER, EPILOGUE_REGISTERS, SIGNED, UNSIGNED, NeonBytes
from .neon import NEON
from .neon_base import B_AT, COUNTER, REGISTERS, ROWS, VECTOR
from .peak import NEON_LOOP

BATCH = 4
"""This many multiplications are under way before the first of their products is added."""
APART = ((("{}mull", "8b"),), (("{}mull2", "16b"),))
TOGETHER = ((("{}mull", "8b"), ("{}mlal2", "16b")),)
"""These are multiplied in stages; after each its products are added to partial sums. ``{}`` is the sign."""


class NeonLongKernel(NeonBytes):
    """Emits one kernel instance of layout panel."""

    stages: tuple[tuple[tuple[str, str], ...], ...] = APART

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.group = isa.channels_per_multiply
        self.columns = LANES * self.used
        self.sign = self.kernel.lhs[0]
        self.a_at = self.reserve(self.rows * self.columns)
        self.b_at = self.a_at + self.rows
        self.products = self.b_at + self.columns

    def accumulator(self, m: int, v: int) -> int:
        return m * self.columns + LANES * v

    def start_tile(self) -> None:
        self.clear(range(self.free))

    def finish_tile(self) -> None:
        for first in range(0, self.free, LANES):
            for into, other in ((0, 1), (2, 3), (0, 2)):
                self.emit(f"addp v{first + into}.4s, v{first + into}.4s, v{first + other}.4s")
        self.add_bias()
        super().finish_tile()

    def walk_segment(self, segment: Segment) -> None:
        self.point_to(segment)
        for m in range(self.rows):
            self.load("q", self.a_at + m, ROWS[0], m * VECTOR)
        for j in range(self.columns):
            self.load("q", self.b_at + j, B_AT, j * VECTOR)
        steps = -(-segment.length // self.group)
        if steps > 1:
            self.immediate(COUNTER, steps - 1)
            self.emit("1:")
            self.advance(ROWS[0], ROWS[0], self.group * self.instance.a_k)
            self.advance(B_AT, B_AT, self.instance.b_row)
            self.step(more=True)
            self.count_down(COUNTER, 1)
        self.step(more=False)

    def step(self, *, more: bool) -> None:
        """16 channels. One row's products of a few columns are added while the next are multiplied, so that
        few registers hold any; operands of the next step, if there are ``more``, are loaded as soon as this
        one no longer needs the register."""
        waiting: list[str] = []
        turn = 0
        for m, first in itertools.product(range(self.rows), range(0, self.columns, BATCH)):
            last_of_row = first == self.columns - BATCH
            for stage in self.stages:
                turn += 1
                products = [self.products + turn % 2 * BATCH + i for i in range(BATCH)]
                for (mnemonic, half), (i, product) in itertools.product(stage, enumerate(products)):
                    b = self.b_at + first + i
                    self.emit(
                        f"{mnemonic.format(self.sign)} v{product}.8h, v{self.a_at + m}.{half}, v{b}.{half}"
                    )
                    if waiting:
                        self.emit(waiting.pop(0))
                    if more and half == "16b" and m == self.rows - 1:
                        self.load("q", b, B_AT, (first + i) * VECTOR)
                waiting = [
                    f"{self.sign}adalp v{m * self.columns + first + i}.4s, v{product}.8h"
                    for i, product in enumerate(products)
                ]
            if more and last_of_row:
                self.load("q", self.a_at + m, ROWS[0], m * VECTOR)
        for line in waiting:
            self.emit(line)


class NeonFastKernel(NeonLongKernel):
    """Emits one kernel instance whose two products fit 16 bits together."""

    stages = TOGETHER


class NeonDepthwiseKernel(NeonBytes):
    """Emits one kernel instance of layout dw: eight channels at a time."""

    def walk_segment(self, segment: Segment) -> None:
        self.point_to(segment)
        _, *signs = (kind[0] for kind in self.kernel.types.split("_"))
        b, rings = self.free, REGISTERS - self.free - 1
        turn = 0
        for step, v in itertools.product(range(segment.length), range(0, self.used, 2)):
            self.load_bytes(b, B_AT, step * self.instance.b_row + v * LANES, min(8, (self.used - v) * LANES))
            self.emit(f"{signs[1]}shll v{b}.8h, v{b}.8b, #0")
            for m in range(segment.first, segment.last):
                a = self.free + 1 + turn % rings
                turn += 1
                channels = min(8, self.instance.channels - v * LANES)
                self.load_bytes(a, ROWS[0], m * self.instance.a_row + v * LANES, channels)
                self.emit(f"{signs[0]}shll v{a}.8h, v{a}.8b, #0")
                self.emit(f"smlal v{self.accumulator(m, v)}.4s, v{a}.4h, v{b}.4h")
                if v + 1 < self.used:
                    self.emit(f"smlal2 v{self.accumulator(m, v + 1)}.4s, v{a}.8h, v{b}.8h")


NEONSMLAL = Isa(
    name="neonsmlal",
    arch="aarch64",
    features=NEON.features,
    vector_bits=128,
    vector_registers=REGISTERS,
    engine=PartialSums(scratch_registers=2 * BATCH),
    emitter=NeonFastKernel,
    cpus=NEON.cpus,
    loop=PeakLoop(
        ("smull {t}.8h, {a}.8b, {b}.8b", "smlal2 {t}.8h, {a}.16b, {b}.16b", "sadalp {c}.4s, {t}.8h"),
        *(16, 24, NEON_LOOP, "smull2?|smlal2"),
    ),
    epilogue_registers=EPILOGUE_REGISTERS,
    layouts=(PANEL,),
    lhs=EITHER,
    rhs=SIGNED,
    lhs_offset_by_128="u8",
    channels_per_multiply=16,
    largest_weight=127,
)
"""Pairs of products of signed bytes are summed in 16 bits (smull, smlal2, sadalp): two of -128 by -127
fit."""
NEONSMULL = replace(
    NEONSMLAL,
    name="neonsmull",
    emitter=NeonLongKernel,
    loop=PeakLoop(("smull {t}.8h, {a}.8b, {b}.8b", "sadalp {c}.4s, {t}.8h"), *(8, 24, NEON_LOOP, "smull2?")),
    largest_weight=128,
)
"""Products of signed bytes are made in 16 bits and summed in 32 (smull, sadalp)."""
NEONUMULL = replace(
    NEONSMULL,
    name="neonumull",
    loop=PeakLoop(("umull {t}.8h, {a}.8b, {b}.8b", "uadalp {c}.4s, {t}.8h"), *(8, 24, NEON_LOOP, "umull2?")),
    lhs=UNSIGNED,
    rhs=UNSIGNED,
    lhs_offset_by_128="",
)
"""Products of unsigned bytes are made in 16 bits and summed in 32 (umull, uadalp)."""
NEONWIDE = replace(
    NEONSMLAL,
    name="neonwide",
    engine=ByElement(),
    emitter=NeonDepthwiseKernel,
    loop=None,
    layouts=(DEPTHWISE,),
    rhs=EITHER,
    lhs_offset_by_128="",
    channels_per_multiply=1,
    largest_weight=128,
)
"""Bytes of either sign are widened to 16 bits and multiplied (smlal)."""
