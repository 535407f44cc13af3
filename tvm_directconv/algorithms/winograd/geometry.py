"""One workload cut in blocks of tiles: their numbers, and what lies where in workspace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from intrinsics.isa import Isa
from intrinsics.microkernel import CACHE_LINE_BYTES, ROW
from intrinsics.winograd.cook_toom import FILTERINGS, Filtering

from ..layer_geometry import LayerGeometry
from ..lowering import Workspace

LINE = CACHE_LINE_BYTES // 4
"""Elements of a cache line."""


@dataclass(frozen=True)
class TileBlocks:
    """The knobs: micro-kernels of ``nr`` output channels; blocks of ``tiles`` tiles; ``channels`` output
    channels whose products are made before they are transformed, and ``shared`` for which a block of the
    input is transformed once."""

    nr: int
    tiles: int
    channels: int
    shared: int

    @staticmethod
    def least(isa: Isa) -> TileBlocks:
        """One tile and one vector."""
        return TileBlocks(isa.lanes, 1, isa.lanes, isa.lanes)


@dataclass(frozen=True)
class WinogradGeometry(LayerGeometry):
    """One workload by minimal filtering of ``outputs`` by ``outputs`` pixels, cut by the knobs."""

    outputs: int
    knobs: TileBlocks

    @property
    def filtering(self) -> Filtering:
        return FILTERINGS[self.outputs, self.workload.kernel[0]]

    @cached_property
    def points(self) -> int:
        """Points of a tile in two dimensions, each of which has a matrix product."""
        return self.filtering.size**2

    @property
    def nr(self) -> int:
        return self.knobs.nr

    @cached_property
    def most_rows(self) -> int:
        """Tiles of a micro-kernel."""
        return self.isa.largest_mr(self.nr, ROW)

    def kernel_text(self, nr: int) -> str:
        """The micro-kernel of that width, as spaces of knobs name it."""
        return f"{min(self.isa.largest_mr(nr, ROW), self.all_tiles)}x{nr}"

    # ---- tiles

    @cached_property
    def tile_rows(self) -> int:
        return -(-self.workload.out_height // self.outputs)

    @cached_property
    def tile_columns(self) -> int:
        return -(-self.workload.out_width // self.outputs)

    @cached_property
    def all_tiles(self) -> int:
        return self.workload.batch * self.tile_rows * self.tile_columns

    @cached_property
    def tiles(self) -> int:
        """Tiles of a block."""
        return min(self.knobs.tiles, self.all_tiles)

    @cached_property
    def blocks(self) -> int:
        return -(-self.all_tiles // self.tiles)

    # ---- output channels of a group, in panels of nr

    @cached_property
    def panels(self) -> int:
        return -(-self.group_out // self.nr)

    @cached_property
    def together(self) -> int:
        """Panels whose products are made before they are transformed."""
        return max(1, min(self.knobs.channels // self.nr, self.panels))

    @cached_property
    def turns(self) -> int:
        """How many times some panels' products are made and transformed, per group."""
        return -(-self.panels // self.together)

    @cached_property
    def sharing(self) -> int:
        """Panels for which a block of the input is transformed once: a multiple of those."""
        blocks = -(-min(self.knobs.shared // self.nr, self.panels) // self.together)
        return max(1, blocks) * self.together

    @cached_property
    def parts(self) -> int:
        """Pieces of work of a block of tiles, per group."""
        return -(-self.panels // self.sharing)

    @cached_property
    def pieces(self) -> int:
        """What threads share."""
        return self.workload.groups * self.parts * self.blocks

    @cached_property
    def packed_filter_shape(self) -> tuple[int, ...]:
        """[group, turn of panels, point, panel, IC / groups, nr]: in the order in which it is read."""
        return self.workload.groups, self.turns, self.points, self.together, self.group_in, self.nr

    # ---- workspace: a slab of tiles for each point

    @property
    def depth(self) -> int:
        """Elements from a tile's transformed channels to the next tile's."""
        return -(-self.group_in // self.isa.lanes) * self.isa.lanes

    @property
    def width(self) -> int:
        """Elements from a tile's products to the next tile's."""
        return self.together * self.nr

    @cached_property
    def transformed_slab(self) -> int:
        return _spread(self.tiles * self.depth)

    @cached_property
    def products_slab(self) -> int:
        return _spread(self.tiles * self.width)

    @cached_property
    def transformed(self) -> Workspace:
        return Workspace("transformed", self.points * self.transformed_slab)

    @cached_property
    def products(self) -> Workspace:
        return Workspace("products", self.points * self.products_slab)


def _spread(elements: int) -> int:
    """Return at least so many elements, in an odd number of lines: one vector of all points is written at a
    time, and must not meet in one set of L1."""
    return (-(-elements // LINE) | 1) * LINE
