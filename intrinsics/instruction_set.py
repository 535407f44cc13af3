"""What an instruction set is: one entry that says all the rest of the project asks of it.

An entry stands beside the emitter of its kernels, in the folder of its architecture, and in the list in
``isa.py``. What schedules choose by, the tests that run its kernels and where, the peak they are held to and
the tables that print them all follow from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from .emit.asm import ThreadSetup
from .engines import Engine, Tile
from .microkernel import DEPTHWISE, HALVES, PANEL, ROW, KernelInstance, MicroKernel
from .peak_loop import PeakLoop

HALF_ROUNDOFF = 2.0**-11
"""float16 rounds by this much at most."""
CLIP_REGISTERS = 2
"""An epilogue has registers for this many constants at least: a clip's bounds."""


@dataclass(frozen=True)
class Cpu:
    """A CPU that has an instruction set, and no more than it takes: what tests compile its kernels for.

    ``target`` is a target string. The code runs under qemu as its model ``emulated_as``; natively, where the
    host is such a CPU, if that is empty. The same code gives the same bits as each model of ``also_as``.
    """

    target: str
    emulated_as: str = ""
    also_as: tuple[str, ...] = ()


ANY_ARCH = ""
"""This is the architecture of an instruction set whose kernels LLVM compiles for all of them."""


class Processor(Protocol):
    """The properties of CPUs that instruction sets depend on, by LLVM's names."""

    @property
    def arch(self) -> str: ...

    @property
    def features(self) -> frozenset[str]: ...

    def rate(self, isa: str) -> float:
        """Return how often an instruction set multiplies, where float32's multiply-adds do once."""
        ...


class Emitter(Protocol):
    """A writer of a kernel instance as LLVM IR."""

    def llvm_ir(self) -> str: ...


@dataclass(frozen=True)
class HalfSums:
    """Sums of so many ``terms`` at most in float16, which are then added to sums of float32.

    Adding them to a vector of float32 takes as long as ``sum_cost`` multiplications of vectors, beginning a
    vector of float16 sums anew as long as ``part_cost``.
    """

    terms: int
    sum_cost: float
    part_cost: float = 0.0

    def multiplications(self, sums: int, parts: int) -> float:
        """Return what a step's share of this takes, for so many vectors of both kinds, in multiplications."""
        return (sums * self.sum_cost + parts * self.part_cost) / self.terms


@dataclass(frozen=True, kw_only=True)
class Isa:
    """One instruction set that micro-kernels are written for."""

    name: str
    """The name, of lower-case letters and digits; kernels' names end with it."""
    arch: str
    """LLVM's name of the architecture that kernels are code of, or ANY_ARCH. Others may have features of the
    same names: 32-bit Arm has "neon", too."""
    features: frozenset[str]
    """A CPU must have these, by LLVM's names."""
    vector_bits: int
    """A vector has this many bits."""
    vector_registers: int
    """This many registers hold vectors."""
    engine: Engine
    """The engine: how A reaches the multipliers, and what that takes of a tile."""
    emitter: Callable[[Isa, KernelInstance], Emitter] = field(repr=False)
    """The class or function that makes a kernel's emitter, from the instruction set and the instance."""
    cpus: tuple[Cpu, ...]
    """These are the least CPUs that have it; its kernels are tested on each."""
    loop: PeakLoop | None = None
    """The loop that shows the peak rate of multiplications; None where LLVM writes the kernels, and that loop
    too."""
    epilogue_registers: int = 0
    """An epilogue may take this many registers beside those of its steps: for a residual, a zero point, a
    mask, or a vector being narrowed."""
    most_vectors: int = 8
    """Tiles listed, and blocks of channels, are at most so many vectors wide: a single row (dense layers)
    wants many to hide the multiply-add's latency."""
    least_vectors: int = 1
    """Blocks of channels are chosen at least so many vectors wide, where there are as many channels: vectors
    that turn out longer than ``vector_bits`` would be in part empty."""
    most_rows: int = 32
    """Rows of A that general registers are left to point to."""
    layouts: tuple[str, ...] = (ROW, PANEL, DEPTHWISE)
    """Layouts of A that kernels take."""
    groups: tuple[int, ...] = ()
    """Lanes of depthwise kernels may be of groups of so many channels, in and out, beside those of one."""
    multipliers: tuple[int, ...] = ()
    """Lanes of depthwise kernels may be of groups of one channel in and so many out, beside one."""
    span_vectors: int = 1
    """A depthwise kernel computes so many vectors of channels in a call, where channels lie side by side."""
    lhs: tuple[str, ...] = ("f32",)
    """Types of A that kernels take."""
    rhs: tuple[str, ...] = ("f32",)
    """Types of B that kernels take."""
    lhs_offset_by_128: str = ""
    """Kernels move A by 128 as they load it if it is of this type, since the instructions multiply bytes of
    the other sign only."""
    channels_per_multiply: int = 1
    """A multiplication sums this many consecutive channels in each lane."""
    largest_weight: int = 128
    """Sums of bytes are exact for weights up to this magnitude."""
    roundoff: float = 2.0**-24
    """A floating-point sum is off by this much of it at most, each time that something is added."""
    widening: int = 0
    """Instructions that widen a vector of halves as it is loaded, where multiply-adds would be issued."""
    half_sums: HalfSums | None = None
    """How products are summed in float16, if they are, before they are added to sums of float32."""
    complements: bool = False
    """A row of B is twice as long, but in depthwise kernels: behind its weights lie as many bytes, which A's
    are exclusive-or'd with, lane by lane, before they are multiplied as unsigned ones. Of two products whose
    sum might exceed 16 bits, one is of ``255 - a`` and ``-w`` instead, which is off by a constant."""
    bytes_by_columns: bool = False
    """Depthwise kernels of bytes load a pixel once for all sums of a row that it counts in, if this is true,
    and a tile leaves registers for the taps of a filter row."""
    rows_together: int = 1
    """Depthwise kernels of bytes whose filter rows are of a known number multiply so many rows at once."""
    thread_setup: ThreadSetup | None = None
    """The state of the thread that instructions need, if any."""

    @property
    def types(self) -> tuple[str, ...]:
        """The types of the kernels listed, whose destination is of the type of A."""
        if self.of_halves:
            return tuple(f"{half}_{half}_{half}" for half in self.lhs)
        return tuple(f"{lhs}_{lhs}_{rhs}" for lhs in self.lhs for rhs in self.rhs)

    @property
    def of_bytes(self) -> bool:
        """Return whether it multiplies 8-bit integers."""
        return "8" in self.lhs[0]

    @property
    def of_floats(self) -> bool:
        """Return whether it multiplies float32."""
        return self.lhs == ("f32",)

    @property
    def of_halves(self) -> bool:
        """Return whether it multiplies numbers of half precision."""
        return self.lhs[0] in HALVES

    def runs_on(self, processor: Processor) -> bool:
        """Return whether code for that processor may use the instruction set."""
        return self.arch in (ANY_ARCH, processor.arch) and self.features <= processor.features

    def channels_per_step(self, layout: str) -> int:
        """Return how many channels a step sums; those of depthwise kernels are not summed."""
        return 1 if layout == DEPTHWISE else self.channels_per_multiply

    def filter_row(self, nr: int, layout: str) -> int:
        """Return how many elements of B a step reads for so many channels."""
        doubled = self.complements and layout != DEPTHWISE
        return nr * self.channels_per_step(layout) * (2 if doubled else 1)

    def sum_error(self, terms: int, layout: str = ROW) -> float:
        """The most that a sum of so many products is off, relative to the sum of their magnitudes (Higham,
        "Accuracy and Stability of Numerical Algorithms", section 3.1), while nothing is denormal or
        overflows."""
        in_halves = min(terms, 0 if layout == DEPTHWISE else self.half_terms)
        return _gamma(terms, self.roundoff) + _gamma(in_halves, HALF_ROUNDOFF)

    def lhs_offset(self, lhs: str) -> int:
        """Return what kernels add to activations of that type before they multiply them."""
        return 0 if lhs != self.lhs_offset_by_128 else 128 if lhs == "s8" else -128

    @property
    def half_terms(self) -> int:
        """The most products that are summed in float16; 0 if none are."""
        return 0 if self.half_sums is None else self.half_sums.terms

    @property
    def tile_rows(self) -> int:
        """Rows of A are multiplied so many at once (``Engine.tile_rows``)."""
        return self.engine.tile_rows

    @property
    def vector_bytes(self) -> int:
        return self.vector_bits // 8

    @property
    def lanes(self) -> int:
        """Elements of 32 bits per vector, which sums are."""
        return self.vector_bits // 32

    def widths(self, channels: int) -> range:
        """Return the widths that blocks of so many channels may be chosen of: whole vectors, in channels."""
        widest = min(self.most_vectors, -(-channels // self.lanes))
        return range(min(self.least_vectors, widest) * self.lanes, widest * self.lanes + 1, self.lanes)

    @property
    def instructions_per_multiply(self) -> int:
        """Return how many instructions multiply two vectors and add the products."""
        return self.engine.instructions_per_multiply

    def refusal(self, kernel: MicroKernel) -> str | None:
        """Why there is no such kernel, or the tile does not fit the registers; None when it does."""
        if kernel.layout not in self.layouts:
            return f"{self.name} lacks kernels of layout {kernel.layout}"
        if kernel.lhs not in self.lhs or kernel.types.split("_")[2] not in self.rhs:
            return f"{self.name} lacks kernels of types {kernel.types}"
        if kernel.mr < 1 or kernel.nr < 1 or kernel.nr % self.lanes:
            return f"nr {kernel.nr} is not a positive multiple of the vector's {self.lanes} lanes"
        if kernel.layout == PANEL and self.of_bytes and kernel.lhs == self.lhs_offset_by_128:
            return f"{self.name} takes panels of what it multiplies; {kernel.lhs} is moved as they are packed"
        if kernel.layout == ROW and kernel.mr > self.most_rows:
            return f"{self.name} has general registers for {self.most_rows} rows, not {kernel.mr}"
        need, tile = self.registers_needed(kernel), self.tile(kernel)
        if need > self.vector_registers:
            accumulators = self.engine.accumulator_registers(tile)
            return (
                f"tile {kernel.mr}x{kernel.nr} needs {need} vector registers ({accumulators} accumulators"
                f" + {need - accumulators} for operands); {self.name} has {self.vector_registers}"
            )
        lacking = self.engine.refusal(tile)
        return lacking and f"{self.name}: tile {kernel.mr}x{kernel.nr} {lacking}"

    def registers_needed(self, kernel: MicroKernel) -> int:
        """The accumulators, and beside them a step's operands, or if more, what the epilogue needs when those
        are done with."""
        tile = self.tile(kernel)
        epilogue = CLIP_REGISTERS + self.epilogue_registers
        beside = max(self.engine.operand_registers(tile), epilogue)
        return self.engine.accumulator_registers(tile) + beside

    def row_registers(self, nr: int, layout: str) -> int:
        """How many accumulators a row of so many channels has."""
        return self.engine.accumulator_registers(Tile(1, nr // self.lanes, self.lanes, layout))

    def loads_per_step(self, kernel: MicroKernel) -> float:
        """Vector and broadcast loads of one multiply-accumulate of the whole tile."""
        return self.engine.loads_per_step(self.tile(kernel))

    def multiplications_per_step(self, kernel: MicroKernel) -> int:
        """Return how many times such a step multiplies two vectors."""
        return self.engine.multiplications_per_step(self.tile(kernel))

    def instructions_per_step(self, kernel: MicroKernel) -> int:
        """Return how many instructions such a step takes beside its loads."""
        return self.engine.instructions_per_step(self.tile(kernel))

    def largest_mr(self, nr: int, layout: str) -> int:
        """The most rows a tile of ``nr`` channels should have; 0 when none fit. A column of a panel that is
        loaded by vectors is best made of whole ones."""
        return _largest_mr(self, nr, layout)

    def tile(self, kernel: MicroKernel) -> Tile:
        """Return a kernel's tile as engines see it."""
        return Tile(kernel.mr, kernel.nr // self.lanes, self.lanes, kernel.layout)


def _gamma(additions: int, roundoff: float) -> float:
    return additions * roundoff / (1 - additions * roundoff)


@lru_cache(maxsize=4096)
def _largest_mr(isa: Isa, nr: int, layout: str) -> int:
    """Return what choosing tiles asks for again and again."""
    mr, offset = 0, isa.lhs_offset_by_128
    types = next(types for types in isa.types if not offset or f"_{offset}_" not in types)
    while isa.refusal(MicroKernel(mr + 1, nr, layout, isa.name, types)) is None:
        mr += 1
    if layout == PANEL and isa.engine.whole_columns and mr > isa.lanes:
        mr -= mr % isa.lanes
    return mr
