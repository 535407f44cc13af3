"""Loops of independent multiplications in RISC-V's vectors."""

from __future__ import annotations

from intrinsics.peak_loop import LoopForm

GROUP = 4
"""Registers of a group: multiplications take as many vectors as one as those of kernels do."""


class RvvLoop(LoopForm):
    """Registers are groups of as many channels as a group of the shortest vectors holds, whatever the length,
    so that a trip's products are known."""

    end = ("addi $0, $0, -1", "bnez $0, 1b")
    others = ("x5", "vl", "vtype")

    def register(self, index: int) -> str:
        return f"v{GROUP * index}"

    def begin(self, accumulators: int) -> list[str]:
        return [f"vsetivli x0, {4 * GROUP}, e32, m{GROUP}, ta, ma", *super().begin(accumulators)]

    def fill(self, register: str, bits: int) -> list[str]:
        return [f"li x5, {bits}", f"vmv.v.x {register}, x5"]

    def clobbers(self, accumulators: int) -> list[str]:
        return [f"v{index}" for index in range(GROUP * (accumulators + 2))]


class RvvNarrowLoop(RvvLoop):
    """Factors have 16 bits, and fill half of a group."""

    def begin(self, accumulators: int) -> list[str]:
        return [*super().begin(accumulators), f"vsetivli x0, {4 * GROUP}, e16, m{GROUP // 2}, ta, ma"]


RVV_LOOP, RVV_NARROW_LOOP = RvvLoop(), RvvNarrowLoop()
