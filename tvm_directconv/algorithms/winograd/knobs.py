"""Blocks of tiles: what the analytical model chooses, and what a tuner may."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from intrinsics.microkernel import ROW
from tvm_directconv.model.knobs import KnobSpace, divisions, with_choice
from tvm_directconv.model.tiling import RowTiles
from tvm_directconv.targets.target import Machine

from .cost import winograd_cost
from .geometry import TileBlocks, WinogradGeometry

PARTS = (1, 2, 4)
"""A group's output channels are cut in about so many pieces of work."""
PIECES = 4
"""Pieces of work to leave, if that is cheap."""
CHEAP = 1.05
"""Most times the least cycles that a choice may cost: the input is transformed once for every part of the
channels."""
NEAR = 1.02
"""Estimates closer than this count as equal."""
TURNS = (1, 2, 4, 8, 16, 32)
"""Products of so many parts of a piece's output channels are made one after the other."""
BLOCKS = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256)
"""Tiles are cut in about so many blocks."""
LEAST_TILES = 8
"""Blocks of fewer tiles read the filter too often."""


def choose_blocks(g: WinogradGeometry, machine: Machine) -> TileBlocks:
    """Micro-kernels by the tiling model; of blocks, those that leave threads some pieces of work where that
    is cheap by estimate, and of these that are about as fast as the fastest, those with the least
    workspace."""
    nr = _best_nr(g, machine)
    cuts = [replace(g, knobs=knobs) for knobs in _blocks(g, nr, divisions(g.all_tiles, BLOCKS))]
    estimated = [(winograd_cost(cut, machine).total, cut) for cut in cuts]
    cheap = _within(CHEAP, estimated)
    most = max(min(PIECES, cut.pieces) for _, cut in cheap)
    near = _within(NEAR, [(cycles, cut) for cycles, cut in cheap if cut.pieces >= most])
    least = min(near, key=lambda each: (each[1].transformed.elements + each[1].products.elements, each[0]))
    return least[1].knobs


def _within(
    factor: float, estimated: Sequence[tuple[float, WinogradGeometry]]
) -> list[tuple[float, WinogradGeometry]]:
    """Return the geometries of at most so many times the least cycles."""
    least = min(cycles for cycles, _ in estimated)
    return [each for each in estimated if each[0] <= factor * least]


def _best_nr(g: WinogradGeometry, machine: Machine) -> int:
    """The width whose kernels take the fewest cycles; packed filters are zeros beyond the channels."""

    tiles = RowTiles(g.isa, ROW, g.group_in)

    def cycles(nr: int) -> tuple[float, int]:
        padded = -(-g.group_out // nr) * nr
        return replace(tiles, nr=nr).cycles(machine, g.all_tiles, padded), nr

    return min(tiles.widths(machine, g.group_out, reused=True), key=cycles)


def _blocks(g: WinogradGeometry, nr: int, tiles: tuple[int, ...]) -> Iterator[TileBlocks]:
    panels = -(-g.group_out // nr)
    for count in tiles:
        if count < LEAST_TILES and count < g.all_tiles:
            continue
        for shared in divisions(panels, PARTS):
            for together in divisions(shared, TURNS):
                yield TileBlocks(nr, count, nr * together, nr * shared)


def knob_spaces(g: WinogradGeometry, algorithm: str) -> list[KnobSpace]:
    """Return the spaces: for every width of micro-kernels some blocks of tiles and channels; the chosen ones
    among them."""
    spaces = []
    for vectors in range(1, min(g.isa.most_vectors, -(-g.group_out // g.isa.lanes)) + 1):
        nr = vectors * g.isa.lanes
        if not g.isa.largest_mr(nr, ROW):
            continue
        panels = -(-g.group_out // nr)
        choices = {
            "tiles": divisions(g.all_tiles, (1, 2, 4, 8, 16, 32)),
            "channels": tuple(nr * count for count in divisions(panels, (1, 2, 4, 8))),
            "shared": tuple(nr * count for count in divisions(panels, PARTS)),
        }
        spaces.append(KnobSpace(algorithm, g.kernel_text(nr), TileBlocks, {"nr": nr}, choices, _in_order))
    return with_choice(spaces, algorithm, g.kernel_text(g.nr), g.knobs)


def _in_order(knobs: TileBlocks) -> bool:
    return knobs.channels <= knobs.shared
