"""Loops of independent multiplications in RISC-V's vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from intrinsics.peak_loop import LoopForm

SETTING = re.compile(r"^vset.*, e(\d+), (mf?\d)")
"""This reads the bits of elements, and the registers of a group, off an instruction that sets them."""
LENGTH, SHORTEST = re.compile(r"zvl(\d+)b"), 128
"""LLVM says so how many bits a CPU's vectors have at least; those of CPUs with V have 128."""
GROUP = 4
"""Registers of a group: multiplications take as many vectors as one as those of kernels do."""


class RvvLoop(LoopForm):
    """Registers are groups of as many channels as a group of the shortest vectors holds, whatever the length,
    so that a trip's products are known."""

    end = ("addi $0, $0, -1", "bnez $0, 1b")
    others = ("x5", "vl", "vtype")
    vectors = GROUP

    def register(self, index: int) -> str:
        return f"v{GROUP * index}"

    def begin(self, accumulators: int) -> list[str]:
        return [f"vsetivli x0, {4 * GROUP}, e32, m{GROUP}, ta, ma", *super().begin(accumulators)]

    def fill(self, register: str, bits: int) -> list[str]:
        return [f"li x5, {bits}", f"vmv.v.x {register}, x5"]

    def clobbers(self, accumulators: int) -> list[str]:
        return [f"v{index}" for index in range(GROUP * (accumulators + 2))]

    def longer(self, features: frozenset[str]) -> int:
        return max(int(found[1]) for found in map(LENGTH.fullmatch, features) if found) // SHORTEST

    def modelled(self, before: Sequence[str]) -> list[str]:
        bits, registers = [found for line in before for found in SETTING.findall(line)][-1]
        return [f"# LLVM-MCA-RISCV-LMUL {registers.upper()}", f"# LLVM-MCA-RISCV-SEW E{bits}"]


class RvvNarrowLoop(RvvLoop):
    """Factors have 16 bits, and fill half of a group."""

    def begin(self, accumulators: int) -> list[str]:
        return [*super().begin(accumulators), f"vsetivli x0, {4 * GROUP}, e16, m{GROUP // 2}, ta, ma"]


RVV_LOOP, RVV_NARROW_LOOP = RvvLoop(), RvvNarrowLoop()
