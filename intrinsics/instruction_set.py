"""What an instruction set is: vector width, registers, what a kernel may ask of them, which tiles fit."""

from __future__ import annotations

from dataclasses import dataclass

from .microkernel import DEPTHWISE, FLOATS, PANEL, ROW, MicroKernel

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

    Of those that multiply 8-bit integers: ``group`` is how many consecutive channels one multiplication
    sums; ``lhs`` and ``rhs`` the types it takes, of which ``moves`` names one that is moved by 128 to be of
    the other sign; ``spare`` the registers that holding constants or products takes. ``layouts`` are those
    of A there are kernels for; ``largest_weight`` the magnitude up to which its sums are exact;
    ``instructions`` of how many one multiplication of two vectors is made.
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
    group: int = 1
    moves: str = ""
    lhs: tuple[str, ...] = ("f32",)
    rhs: tuple[str, ...] = ("f32",)
    spare: int = 0
    layouts: tuple[str, ...] = (ROW, PANEL, DEPTHWISE)
    largest_weight: int = 128
    instructions: int = 1

    @property
    def types(self) -> tuple[str, ...]:
        """Of the kernels listed: bytes to bytes of the same sign."""
        if not self.of_bytes:
            return (FLOATS,)
        return tuple(f"{lhs}_{lhs}_{rhs}" for lhs in self.lhs for rhs in self.rhs)

    @property
    def of_bytes(self) -> bool:
        """Whether it multiplies 8-bit integers."""
        return self.lhs != ("f32",)

    def group_of(self, layout: str) -> int:
        """Channels that one multiplication sums; those of depthwise kernels are not summed."""
        return 1 if layout == DEPTHWISE else self.group

    def moved(self, lhs: str) -> int:
        """What is added to activations of that type before they are multiplied."""
        return 0 if lhs != self.moves else 128 if lhs == "s8" else -128

    @property
    def vector_bytes(self) -> int:
        return self.vector_bits // 8

    @property
    def lanes(self) -> int:
        """fp32 elements per vector."""
        return self.vector_bits // 32

    def refusal(self, kernel: MicroKernel) -> str | None:
        """Why there is no such kernel, or the tile does not fit the registers; None when it does."""
        if kernel.layout not in self.layouts:
            return f"{self.name} has no kernels of layout {kernel.layout}"
        if self.of_bytes != (kernel.types != FLOATS):
            return f"{self.name} has no kernels of types {kernel.types}"
        if kernel.mr < 1 or kernel.nr < 1 or kernel.nr % self.lanes:
            return f"nr {kernel.nr} is not a positive multiple of the vector's {self.lanes} lanes"
        if kernel.layout == PANEL and self.of_bytes and kernel.lhs == self.moves:
            return f"{self.name} takes panels of what it multiplies; {kernel.lhs} is moved as they are packed"
        if kernel.layout == ROW and kernel.mr > self.most_rows:
            return f"{self.name} has general registers for {self.most_rows} rows, not {kernel.mr}"
        need = self.registers_needed(kernel)
        if need <= self.vector_registers:
            return None
        accumulators = self.accumulator_registers(kernel)
        return (
            f"tile {kernel.mr}x{kernel.nr} needs {need} vector registers ({accumulators} accumulators"
            f" + {need - accumulators} for operands); {self.name} has {self.vector_registers}"
        )

    def accumulator_registers(self, kernel: MicroKernel) -> int:
        return kernel.mr * (kernel.nr // self.lanes)

    def registers_needed(self, kernel: MicroKernel) -> int:
        """Accumulators, then one row of B and a broadcast or loaded element of A, or if more, what the
        epilogue needs when those are done with."""
        vectors = kernel.nr // self.lanes
        if self.by_splat:
            of_a = {ROW: kernel.mr, PANEL: -(-kernel.mr // self.lanes)}.get(kernel.layout, 1)
            return kernel.mr * vectors + max(of_a + vectors + SPLAT_RING, self.epilogue_registers)
        if self.by_element:
            of_a = {ROW: kernel.mr, PANEL: len(panel_pieces(kernel.mr))}.get(kernel.layout, 1)
            of_a += bool(self.moves) and kernel.layout == ROW
            return kernel.mr * vectors + max(of_a + LEAST_RING, self.epilogue_registers)
        operands = vectors + (0 if self.folds_a(kernel) else 1) + self.spare + bool(self.moves)
        if kernel.layout == DEPTHWISE and not self.mask_registers:
            operands += 1  # the tail's mask is needed at every tap
        return kernel.mr * vectors + max(operands, self.epilogue_registers)

    @property
    def epilogue_registers(self) -> int:
        """The two clip bounds; a residual, where it is no operand; where masks are vectors, also the mask.
        Of bytes, also the zero point, and where narrowing takes a register, that."""
        if self.of_bytes:
            return 3 if self.mask_registers else 4 if self.by_element or self.by_splat else 5
        return 3 if self.by_element else 2 if self.mask_registers and not self.by_splat else 4

    def folds_a(self, kernel: MicroKernel) -> bool:
        """Whether A is an operand of the FMA itself. With two or more vectors a broadcast is shared
        between them, so that a register for it pays; with one it does not."""
        vectors = kernel.nr // self.lanes
        if kernel.layout == DEPTHWISE:
            return self.broadcast_operand
        return self.broadcast_operand and vectors == 1 and not self.of_bytes

    def loads_per_step(self, kernel: MicroKernel) -> float:
        """Vector and broadcast loads of one multiply-accumulate of the whole tile."""
        vectors = kernel.nr // self.lanes
        if kernel.layout == DEPTHWISE:
            return vectors + kernel.mr * vectors
        if not (self.by_element or self.by_splat):
            return vectors + kernel.mr
        return vectors + (kernel.mr / self.lanes if kernel.layout == ROW else len(panel_pieces(kernel.mr)))

    def multiplications_per_step(self, kernel: MicroKernel) -> int:
        """Instructions that multiply, of such a step; as many as vectors where rows and lanes are one."""
        return kernel.mr * (kernel.nr // self.lanes)

    def largest_mr(self, nr: int, layout: str) -> int:
        """The most rows a tile of ``nr`` channels should have; 0 when none fit. A column of a panel that is
        loaded by vectors is best made of whole ones."""
        mr = 0
        types = next(types for types in self.types if not self.moves or f"_{self.moves}_" not in types)
        while self.refusal(MicroKernel(mr + 1, nr, layout, self.name, types)) is None:
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


@dataclass(frozen=True)
class PartialSumsIsa(Isa):
    """Panels only: an accumulator holds four partial sums of one element of the tile; ``spare`` registers
    hold products."""

    def accumulator_registers(self, kernel: MicroKernel) -> int:
        return kernel.mr * kernel.nr

    def registers_needed(self, kernel: MicroKernel) -> int:
        operands = kernel.mr + kernel.nr + self.spare
        return self.accumulator_registers(kernel) + max(operands, self.epilogue_registers)

    def loads_per_step(self, kernel: MicroKernel) -> float:
        return kernel.mr + kernel.nr

    def multiplications_per_step(self, kernel: MicroKernel) -> int:
        return 2 * kernel.mr * kernel.nr


@dataclass(frozen=True)
class PairsIsa(Isa):
    """Panels only: an accumulator is a tile of two by two."""

    def accumulator_registers(self, kernel: MicroKernel) -> int:
        return -(-kernel.mr // 2) * (kernel.nr // 2)

    def registers_needed(self, kernel: MicroKernel) -> int:
        operands = -(-kernel.mr // 2) + LEAST_RING
        return self.accumulator_registers(kernel) + max(operands, self.epilogue_registers)

    def loads_per_step(self, kernel: MicroKernel) -> float:
        return -(-kernel.mr // 2) + kernel.nr // 2

    def multiplications_per_step(self, kernel: MicroKernel) -> int:
        return self.accumulator_registers(kernel)


def panel_pieces(elements: int) -> list[int]:
    """``elements`` consecutive fp32 as loads of 4, 2 and 1, where there are no masks."""
    fours, rest = divmod(elements, 4)
    return [4] * fours + [piece for piece in (2, 1) if rest & piece]
