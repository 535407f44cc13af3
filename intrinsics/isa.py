"""Instruction sets as data: vector width, registers, what a kernel may ask of them, and which tiles fit."""

from __future__ import annotations

from dataclasses import dataclass

from .microkernel import DEPTHWISE, PANEL, ROW, MicroKernel

LEAST_RING = 2
"""Registers that vectors of B go round where A fills others."""
SPLAT_RING = 4
"""Registers that splats of A's elements go round."""


@dataclass(frozen=True)
class Isa:
    """One instruction set micro-kernels are written for.

    ``features`` are LLVM's names of what a CPU must have; ``broadcast_operand`` says that an FMA can
    broadcast its memory operand, so that a tile may use the register a broadcast would need;
    ``mask_registers`` that masks live outside the vector registers; ``by_element`` that an FMA takes one
    element of a vector register, so that A is loaded by vectors; ``by_splat`` that the element has to be
    splat over a register first; ``most_rows`` how many rows of A there are general registers to point to.
    """

    name: str
    features: frozenset[str]
    vector_bits: int
    vector_registers: int
    broadcast_operand: bool = False
    mask_registers: bool = False
    by_element: bool = False
    by_splat: bool = False
    most_rows: int = 32

    @property
    def vector_bytes(self) -> int:
        return self.vector_bits // 8

    @property
    def lanes(self) -> int:
        """fp32 elements per vector."""
        return self.vector_bits // 32

    def refusal(self, kernel: MicroKernel) -> str | None:
        """Why the tile does not fit this instruction set's registers, or None when it does."""
        if kernel.mr < 1 or kernel.nr < 1 or kernel.nr % self.lanes:
            return f"nr {kernel.nr} is not a positive multiple of the vector's {self.lanes} lanes"
        if kernel.layout == ROW and kernel.mr > self.most_rows:
            return f"{self.name} has general registers for {self.most_rows} rows, not {kernel.mr}"
        need = self.registers_needed(kernel)
        if need <= self.vector_registers:
            return None
        vectors = kernel.nr // self.lanes
        return (
            f"tile {kernel.mr}x{kernel.nr} needs {need} vector registers ({kernel.mr * vectors} accumulators"
            f" + {need - kernel.mr * vectors} for operands); {self.name} has {self.vector_registers}"
        )

    def registers_needed(self, kernel: MicroKernel) -> int:
        """Accumulators, then one row of B and a broadcast or loaded element of A, or if more, what the
        epilogue needs when those are done with."""
        vectors = kernel.nr // self.lanes
        if self.by_splat:
            of_a = {ROW: kernel.mr, PANEL: -(-kernel.mr // self.lanes)}.get(kernel.layout, 1)
            return kernel.mr * vectors + max(of_a + vectors + SPLAT_RING, self.epilogue_registers)
        if self.by_element:
            of_a = {ROW: kernel.mr, PANEL: len(panel_pieces(kernel.mr))}.get(kernel.layout, 1)
            return kernel.mr * vectors + max(of_a + LEAST_RING, self.epilogue_registers)
        operands = vectors + (0 if self.folds_a(kernel) else 1)
        if kernel.layout == DEPTHWISE and not self.mask_registers:
            operands += 1  # the tail's mask is needed at every tap
        return kernel.mr * vectors + max(operands, self.epilogue_registers)

    @property
    def epilogue_registers(self) -> int:
        """The two clip bounds; a residual, where it is no operand; where masks are vectors, also the mask."""
        return 3 if self.by_element else 2 if self.mask_registers and not self.by_splat else 4

    def folds_a(self, kernel: MicroKernel) -> bool:
        """Whether A is an operand of the FMA itself. With two or more vectors a broadcast is shared
        between them, so that a register for it pays; with one it does not."""
        vectors = kernel.nr // self.lanes
        if kernel.layout == DEPTHWISE:
            return self.broadcast_operand
        return self.broadcast_operand and vectors == 1

    def loads_per_step(self, kernel: MicroKernel) -> float:
        """Vector and broadcast loads of one multiply-accumulate of the whole tile."""
        vectors = kernel.nr // self.lanes
        if kernel.layout == DEPTHWISE:
            return vectors + kernel.mr * vectors
        if not (self.by_element or self.by_splat):
            return vectors + kernel.mr
        return vectors + (kernel.mr / self.lanes if kernel.layout == ROW else len(panel_pieces(kernel.mr)))

    def largest_mr(self, nr: int, layout: str) -> int:
        """The most rows a tile of ``nr`` channels should have; 0 when none fit. A column of a panel that is
        loaded by vectors is best made of whole ones."""
        mr = 0
        while self.refusal(MicroKernel(mr + 1, nr, layout, self.name)) is None:
            mr += 1
        if layout == PANEL and (self.by_element or self.by_splat) and mr > self.lanes:
            mr -= mr % self.lanes
        return mr


@dataclass(frozen=True)
class MmaIsa(Isa):
    """POWER10's matrix unit: tiles are made of 4x4 accumulators, which lie over half of the vector
    registers. Depthwise kernels have no use for it."""

    accumulators: int = 8

    def refusal(self, kernel: MicroKernel) -> str | None:
        plain = super().refusal(kernel)
        if plain or kernel.layout == DEPTHWISE:
            return plain
        count = self.accumulators_needed(kernel)
        if count <= self.accumulators:
            return None
        return (
            f"tile {kernel.mr}x{kernel.nr} needs {count} accumulators of 4x4; {self.name} has "
            f"{self.accumulators}"
        )

    def accumulators_needed(self, kernel: MicroKernel) -> int:
        return -(-kernel.mr // 4) * (kernel.nr // self.lanes)

    def registers_needed(self, kernel: MicroKernel) -> int:
        if kernel.layout == DEPTHWISE:
            return super().registers_needed(kernel)
        operands = -(-kernel.mr // 4) + kernel.nr // self.lanes
        return 4 * self.accumulators_needed(kernel) + max(operands, self.epilogue_registers)

    def loads_per_step(self, kernel: MicroKernel) -> float:
        if kernel.layout == DEPTHWISE:
            return super().loads_per_step(kernel)
        return -(-kernel.mr // 4) + kernel.nr // self.lanes


AVX512 = Isa("avx512", frozenset({"avx512f", "avx512vl", "avx512dq"}), 512, 32, True, True)
AVX2 = Isa("avx2", frozenset({"avx2", "fma"}), 256, 16)
MMA = MmaIsa(
    "mma",
    frozenset({"mma", "vsx", "power10-vector", "isa-v31-instructions"}),
    128,
    64,
    by_splat=True,
    most_rows=8,
)
VSX = Isa("vsx", frozenset({"vsx", "power8-vector"}), 128, 64, by_splat=True, most_rows=11)
NEON = Isa("neon", frozenset({"neon"}), 128, 32, by_element=True, most_rows=14)
PORTABLE = Isa("portable", frozenset(), 128, 16, mask_registers=True)
"""LLVM vectors without inline asm, for every target; 16 registers is what the poorest of them has.
LLVM masks by constants, which cost no register."""

ISAS = {isa.name: isa for isa in (AVX512, AVX2, NEON, MMA, VSX, PORTABLE)}
"""Best first: the first whose features a target has is used."""


def best_isa(features: frozenset[str]) -> Isa:
    """The first instruction set whose every feature is in ``features`` (LLVM's names)."""
    return next(isa for isa in ISAS.values() if isa.features <= features)


def panel_pieces(elements: int) -> list[int]:
    """``elements`` consecutive fp32 as loads of 4, 2 and 1, where there are no masks."""
    fours, rest = divmod(elements, 4)
    return [4] * fours + [piece for piece in (2, 1) if rest & piece]
