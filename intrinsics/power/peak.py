"""Loops of independent multiplications on POWER: in VSX's registers, and in the matrix unit's
accumulators."""

from __future__ import annotations

from intrinsics.peak_loop import LoopForm

VECTORS_OF_ACCUMULATOR = 4


class VsxLoop(LoopForm):
    """Registers are numbers; trips are counted in the counter register."""

    end = ("bdnz 1b",)
    others = ("r9", "ctr")

    def register(self, index: int) -> str:
        return str(index)

    def begin(self, accumulators: int) -> list[str]:
        return ["mtctr $0", *super().begin(accumulators)]

    def fill(self, register: str, bits: int) -> list[str]:
        word = [f"lis 9, {(bits >> 16) - (bits >> 31 << 16)}", f"ori 9, 9, {bits & 0xFFFF}"]
        return [*word, f"mtvsrwz {register}, 9", f"xxspltw {register}, {register}, 1"]

    def clobbers(self, accumulators: int) -> list[str]:
        return [f"vs{index}" for index in range(accumulators + 3)]


class MmaLoop(VsxLoop):
    """Accumulators begin with zeros, and lie over four vector registers each."""

    def operands(self, accumulators: int) -> tuple[str, str, str]:
        return super().operands(VECTORS_OF_ACCUMULATOR * accumulators)

    def begin(self, accumulators: int) -> list[str]:
        return ["mtctr $0", *(f"xxsetaccz {index}" for index in range(accumulators))]

    def clobbers(self, accumulators: int) -> list[str]:
        return super().clobbers(VECTORS_OF_ACCUMULATOR * accumulators)


VSX_LOOP, MMA_LOOP = VsxLoop(), MmaLoop()
