"""Loops of independent multiplications on AArch64, in Neon's vectors."""

from __future__ import annotations

from intrinsics.peak_loop import LoopForm


class NeonLoop(LoopForm):
    """Registers are named without their arrangement, which mnemonics' operands add."""

    end = ("subs $0, $0, #1", "b.ne 1b")
    others = ("x9", "cc")

    def register(self, index: int) -> str:
        return f"v{index}"

    def fill(self, register: str, bits: int) -> list[str]:
        halves = f"movz w9, #{bits & 0xFFFF}", f"movk w9, #{bits >> 16}, lsl #16"
        return [*halves, f"dup {register}.4s, w9"]

    def clobbers(self, accumulators: int) -> list[str]:
        return [f"v{index}" for index in range(accumulators + 3)]


NEON_LOOP = NeonLoop()
