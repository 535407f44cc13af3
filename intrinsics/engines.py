"""How rows of A meet vectors of B in an instruction set, and what that takes of a tile's registers and loads.

A *step* of a kernel multiplies one column of A's rows (``channels_per_step`` channels of each) by the same
rows of B and adds the products to every accumulator. Instruction sets differ in how an element of A reaches
the multiplier beside a vector of B; each way there is stands here as an ``Engine``, whose numbers say which
tiles fit and what they cost.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass, replace
from typing import ClassVar

from .microkernel import DEPTHWISE, PANEL, ROW

LEAST_RING = 2
"""This many registers at least are gone round by vectors of B, where rows of A fill others."""
SPLAT_RING = 4
"""This many registers are gone round by splats of A's elements."""
SIDE = 4
"""A matrix accumulator has this many rows, and this many lanes of 32 bits."""


@dataclass(frozen=True)
class Tile:
    """A kernel's tile as an instruction set sees it: ``mr`` rows by ``vectors`` of ``lanes`` 32-bit lanes,
    and the layout of A."""

    mr: int
    vectors: int
    lanes: int
    layout: str


@dataclass(frozen=True)
class Engine(abc.ABC):
    """One way to multiply. Registers are vector registers; a depthwise tile reads A by vectors, as it does
    B."""

    scratch_registers: int = 0
    """This many registers hold constants and products while taps are walked."""
    instructions_per_multiply: int = 1
    """This many instructions multiply two vectors and add the products to an accumulator."""

    whole_columns: ClassVar[bool] = False
    """Panels are loaded by vectors, so that a column is best made of whole ones, if this is true."""

    tile_rows: ClassVar[int] = 1
    """Rows of A are multiplied so many at once, whether or not a tile has them. Where they are more than one,
    a tile may be of pixels across row ends (``Segment.skipped``, ``KernelInstance.a_rows``)."""

    def refusal(self, tile: Tile) -> str | None:
        """What of such a tile there is too little of, beside registers; None where there is enough."""
        return None

    def vectors_per_multiply(self, tile: Tile) -> int:
        """How many vectors an instruction that multiplies takes as one."""
        return 1

    def accumulator_registers(self, tile: Tile) -> int:
        """How many registers the tile's sums take."""
        return tile.mr * tile.vectors

    @abc.abstractmethod
    def operand_registers(self, tile: Tile) -> int:
        """How many registers a step takes beside the accumulators."""

    def loads_per_step(self, tile: Tile) -> float:
        """How many vectors and broadcasts a step loads."""
        if tile.layout == DEPTHWISE:
            return tile.vectors + tile.mr * tile.vectors
        return self._loads(tile)

    @abc.abstractmethod
    def _loads(self, tile: Tile) -> float:
        """The loads of a step whose rows of A share the vectors of B."""

    def multiplications_per_step(self, tile: Tile) -> int:
        """How many times a step multiplies two vectors: as many as vectors where rows and lanes are one."""
        return tile.mr * tile.vectors

    def instructions_per_step(self, tile: Tile) -> int:
        """How many instructions a step takes beside its loads."""
        return self.multiplications_per_step(tile) * self.instructions_per_multiply


@dataclass(frozen=True)
class Broadcast(Engine):
    """An element of A is broadcast from memory: to a register, or by the multiply-add itself.

    The multiply-add ``folds`` the load where its memory operand can be broadcast. With two or more vectors a
    broadcast is shared between them, so that a register for it pays; with one it does not.
    """

    folds: bool = False
    """A multiply-add can take its element of A from memory, broadcast or masked, if this is true."""
    filter_registers: int = 1
    """A vector of B takes so many registers, but for depthwise kernels."""
    instructions_per_row: int = 0
    """This many instructions make of a row's broadcast what is multiplied, but in depthwise kernels."""
    instructions_per_vector: int = 0
    """This many make of a vector of B what is multiplied, but in depthwise kernels."""
    mask_in_register: bool = False
    """The mask of a channel tail is a vector, which a depthwise kernel needs at every tap, if this is
    true."""

    def folds_a(self, tile: Tile) -> bool:
        """Whether A is an operand of the multiply-adds of this tile."""
        return self.folds and (tile.layout == DEPTHWISE or tile.vectors == 1)

    def operand_registers(self, tile: Tile) -> int:
        mask = self.mask_in_register and tile.layout == DEPTHWISE
        of_filter = tile.vectors * (1 if tile.layout == DEPTHWISE else self.filter_registers)
        return of_filter + (not self.folds_a(tile)) + self.scratch_registers + mask

    def instructions_per_step(self, tile: Tile) -> int:
        multiplying = super().instructions_per_step(tile)
        if tile.layout == DEPTHWISE:
            return multiplying
        of_loads = tile.mr * self.instructions_per_row + tile.vectors * self.instructions_per_vector
        return multiplying + of_loads

    def _loads(self, tile: Tile) -> float:
        return tile.vectors + tile.mr


@dataclass(frozen=True)
class ByScalar(Engine):
    """A multiply-add takes a scalar register, so that A is loaded by scalars, and groups of registers as one.

    How many channels a group holds is known when the code runs. A tile's channels are walked in passes of as
    many, in each of which a row has one group; the numbers here are those of the shortest vectors. Depthwise
    kernels, which want registers for taps, have groups of one.
    """

    largest_group: int = 4
    """A group of a tile of several rows has at most so many registers."""

    def vectors_per_multiply(self, tile: Tile) -> int:
        """Return the registers of a group: the power of two whose passes take the fewest in all, and of such
        the largest; not one where a row has more than one vector, for each takes a load of A's element. That
        of one or two rows may be twice as large: a group's multiply-adds wait for those before."""
        if tile.layout == DEPTHWISE or tile.vectors == 1:
            return 1
        most = self.largest_group * (2 if tile.mr <= 2 else 1)
        groups = (1 << power for power in range(1, most.bit_length()))
        return min(groups, key=lambda group: (group * -(-tile.vectors // group), -group))

    def accumulator_registers(self, tile: Tile) -> int:
        return tile.mr * self.vectors_per_multiply(tile)

    def operand_registers(self, tile: Tile) -> int:
        return (
            LEAST_RING * self.vectors_per_multiply(tile) + self.scratch_registers + (tile.layout == DEPTHWISE)
        )

    def _loads(self, tile: Tile) -> float:
        return tile.vectors + tile.mr * self._passes(tile)

    def multiplications_per_step(self, tile: Tile) -> int:
        """Groups are multiplied whole, however few channels the last pass has."""
        return tile.mr * self.vectors_per_multiply(tile) * self._passes(tile)

    def _passes(self, tile: Tile) -> int:
        return -(-tile.vectors // self.vectors_per_multiply(tile))


@dataclass(frozen=True)
class ByElement(Engine):
    """A multiply-add takes one element of a vector register, so that A is loaded by vectors. Its scratch
    registers are of kernels that read rows."""

    whole_columns = True

    def operand_registers(self, tile: Tile) -> int:
        return _vectors_of_a(tile) + LEAST_RING + (self.scratch_registers if tile.layout == ROW else 0)

    def _loads(self, tile: Tile) -> float:
        return tile.vectors + _loads_of_a(tile)


@dataclass(frozen=True)
class ByElementOfHalves(ByElement):
    """Multiplication by elements of vectors of 16-bit lanes, each of which spans two of the tile's. Sums of
    such lanes are added to those of 32 bits from time to time, which are in memory. Depthwise sums are of 32
    bits."""

    def accumulator_registers(self, tile: Tile) -> int:
        return super().accumulator_registers(tile if tile.layout == DEPTHWISE else self._wide(tile))

    def operand_registers(self, tile: Tile) -> int:
        return super().operand_registers(self._wide(tile))

    def loads_per_step(self, tile: Tile) -> float:
        return super().loads_per_step(self._wide(tile))

    def multiplications_per_step(self, tile: Tile) -> int:
        return super().multiplications_per_step(tile if tile.layout == DEPTHWISE else self._wide(tile))

    def _wide(self, tile: Tile) -> Tile:
        return replace(tile, vectors=-(-tile.vectors // 2), lanes=2 * tile.lanes)


@dataclass(frozen=True)
class BySplat(Engine):
    """A is loaded by vectors, and an element splat over a register before it is multiplied."""

    whole_columns = True

    def operand_registers(self, tile: Tile) -> int:
        of_a = -(-tile.mr // tile.lanes) if tile.layout == PANEL else _vectors_of_a(tile)
        return of_a + tile.vectors + SPLAT_RING

    def _loads(self, tile: Tile) -> float:
        return tile.vectors + _loads_of_a(tile)


@dataclass(frozen=True)
class MatrixTiles(BySplat):
    """A tile is made of accumulators of 4x4, each of which lies over four vector registers; a step multiplies
    every four of A's rows by every vector of B. Depthwise kernels do not need it: they splat."""

    accumulators: int = 8
    """Number of accumulators."""

    def refusal(self, tile: Tile) -> str | None:
        count = self._fours(tile) * tile.vectors
        if tile.layout == DEPTHWISE or count <= self.accumulators:
            return None
        return f"needs {count} accumulators of 4x4, of which there are {self.accumulators}"

    def accumulator_registers(self, tile: Tile) -> int:
        if tile.layout == DEPTHWISE:
            return super().accumulator_registers(tile)
        return SIDE * self._fours(tile) * tile.vectors

    def operand_registers(self, tile: Tile) -> int:
        if tile.layout == DEPTHWISE:
            return super().operand_registers(tile)
        return self._fours(tile) + tile.vectors

    def _loads(self, tile: Tile) -> float:
        return self._fours(tile) + tile.vectors

    def multiplications_per_step(self, tile: Tile) -> int:
        if tile.layout == DEPTHWISE:
            return super().multiplications_per_step(tile)
        return self.accumulator_registers(tile)

    def _fours(self, tile: Tile) -> int:
        return -(-tile.mr // SIDE)


@dataclass(frozen=True)
class PartialSums(Engine):
    """An accumulator holds as many partial sums as a vector has lanes, all of one element of the tile; a step
    multiplies a vector of each row by a vector of each channel, in two halves. There are only panels of
    it."""

    def accumulator_registers(self, tile: Tile) -> int:
        return tile.mr * tile.vectors * tile.lanes

    def operand_registers(self, tile: Tile) -> int:
        return tile.mr + tile.vectors * tile.lanes + self.scratch_registers

    def _loads(self, tile: Tile) -> float:
        return tile.mr + tile.vectors * tile.lanes

    def multiplications_per_step(self, tile: Tile) -> int:
        return 2 * tile.mr * tile.vectors * tile.lanes


@dataclass(frozen=True)
class PairsOfRows(Engine):
    """An accumulator is a tile of two rows by two channels: a vector of two rows of A is multiplied by one of
    two channels of B. There are only panels of it."""

    whole_columns = True

    def accumulator_registers(self, tile: Tile) -> int:
        return self._pairs(tile) * (tile.vectors * tile.lanes // 2)

    def operand_registers(self, tile: Tile) -> int:
        return self._pairs(tile) + LEAST_RING

    def _loads(self, tile: Tile) -> float:
        return self._pairs(tile) + tile.vectors * tile.lanes // 2

    def multiplications_per_step(self, tile: Tile) -> int:
        return self.accumulator_registers(tile)

    def _pairs(self, tile: Tile) -> int:
        return -(-tile.mr // 2)


def panel_pieces(elements: int, most: int = 4) -> list[int]:
    """``elements`` consecutive ones as loads of at most ``most``, a power of two, where there are no masks:
    of 4, 2 and 1 if these are fp32."""
    whole, rest = divmod(elements, most)
    return [most] * whole + [1 << bit for bit in reversed(range(most.bit_length() - 1)) if rest >> bit & 1]


def _vectors_of_a(tile: Tile) -> int:
    """Registers that a step's elements of A are read from: one of each row, or those of a panel's column."""
    return {ROW: tile.mr, PANEL: len(panel_pieces(tile.mr, tile.lanes))}.get(tile.layout, 1)


def _loads_of_a(tile: Tile) -> float:
    """Loads of A in a step; a vector of a row serves as many steps as it has lanes."""
    return tile.mr / tile.lanes if tile.layout == ROW else len(panel_pieces(tile.mr, tile.lanes))
