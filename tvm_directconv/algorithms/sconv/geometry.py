"""SConv's tiles of one workload: how many there are of each operand, in which sets, and what packs and
multiplies them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..layer_geometry import LayerGeometry
from ..lowering import Workspace
from ..tile_intrinsics import PackTile, TileProduct
from .slicing import INPUT_STATIONARY

INPUT_PANEL, FILTER_PANEL = "panel", "filter_panel"


@dataclass(frozen=True)
class Slices:
    """The knobs: the tile (``n_f`` filters by ``n_win`` windows by ``n_c`` channels), the ``schedule``, sets
    of ``input_set`` input and ``filter_set`` filter tiles, whether filters are packed at run time, and
    whether windows are read ``in_place``: a 1x1 convolution's lie as a packed tile's do, only further apart,
    and with few filters packing costs more than that.

    Of IS, an input set are the tiles of layer 4, and a filter set the k2 tiles of layer 3; of WS, an input
    set are the k2 tiles of layer 3. Threads share input sets out.
    """

    n_f: int
    n_win: int
    n_c: int
    schedule: str
    input_set: int
    filter_set: int
    pack_filters_at_run_time: bool = False
    in_place: bool = False


class SumAxes(NamedTuple):
    """Axes of the stage of sums, in numbers or expressions."""

    image: Any
    group: Any
    filters: Any
    windows: Any
    filter: Any
    window: Any


class WindowAxes(NamedTuple):
    """Axes of the stage of windows, each a tile's."""

    image: Any
    group: Any
    windows: Any
    channel: Any
    row: Any
    column: Any
    window: Any


class FilterAxes(NamedTuple):
    """Axes of the filter by tiles."""

    group: Any
    filters: Any
    channel: Any
    row: Any
    column: Any
    filter: Any


@dataclass(frozen=True)
class SconvGeometry(LayerGeometry):
    """Geometry of one workload's tiles. A 1x1 convolution without stride or padding has one long row."""

    knobs: Slices

    @property
    def stationary_input(self) -> bool:
        return self.knobs.schedule == INPUT_STATIONARY

    @property
    def windows(self) -> int:
        return self.workload.out_height * self.workload.out_width

    @property
    def out_width(self) -> int:
        return self.windows if self.flattened else self.workload.out_width

    @property
    def image(self) -> tuple[int, int]:
        """(height, width) of the input, as packing sees it."""
        w = self.workload
        return (1, w.height * w.width) if self.flattened else (w.height, w.width)

    @property
    def inputs(self) -> int:
        """Input tiles of an image; loops run over whole sets of them."""
        return -(-self.windows // self.knobs.n_win)

    @property
    def filters(self) -> int:
        return -(-self.group_out // self.knobs.n_f)

    @property
    def channel_sets(self) -> int:
        return -(-self.group_in // self.knobs.n_c)

    @property
    def input_sets(self) -> int:
        return -(-self.inputs // self.knobs.input_set)

    @property
    def filter_sets(self) -> int:
        return -(-self.filters // self.knobs.filter_set)

    @property
    def input_tile(self) -> int:
        """Elements."""
        return self.knobs.n_c * self.taps * self.knobs.n_win

    @property
    def filter_tile(self) -> int:
        return self.knobs.n_c * self.taps * self.knobs.n_f

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        """[filter tiles, IC / groups, KH, KW, n_f]; the filter as it is where it is packed at run time."""
        if self.knobs.pack_filters_at_run_time:
            return (self.workload.out_channels, self.group_in, *self.workload.kernel)
        return (self.workload.groups * self.filters, self.group_in, *self.workload.kernel, self.knobs.n_f)

    @cached_property
    def input_workspace(self) -> Workspace:
        """One input tile, packed when it is its turn; where filters are stationary, a set of them. Where
        windows are read in place, one for the last, incomplete tile."""
        tiles = 1 if self.stationary_input or self.in_place else self.knobs.input_set
        return Workspace(INPUT_PANEL, tiles * self.input_tile)

    @property
    def in_place(self) -> bool:
        return self.knobs.in_place and self.flattened

    @property
    def packs_inputs(self) -> bool:
        """Vectors of an incomplete tile would be read beyond the image, so that it is packed in any case."""
        return not self.in_place or self.windows % self.knobs.n_win != 0

    @cached_property
    def filter_workspace(self) -> Workspace:
        """The stationary filter tile; where inputs are stationary, a set of them."""
        tiles = self.knobs.filter_set if self.stationary_input else 1
        return Workspace(FILTER_PANEL, tiles * self.filter_tile)

    @property
    def workspaces(self) -> list[Workspace]:
        at_run_time = [self.filter_workspace] if self.knobs.pack_filters_at_run_time else []
        return [*([self.input_workspace] if self.packs_inputs else []), *at_run_time]

    @property
    def window_axes(self) -> WindowAxes:
        """Extents of the stage of windows, rounded up to whole sets of tiles."""
        w, k = self.workload, self.knobs
        tiles = self.input_sets * k.input_set
        return WindowAxes(w.batch, w.groups, tiles, self.channel_sets * k.n_c, *w.kernel, k.n_win)

    @property
    def filter_axes(self) -> FilterAxes:
        """Extents of the filter by tiles, rounded up likewise."""
        w, k = self.workload, self.knobs
        tiles = self.filter_sets * k.filter_set
        return FilterAxes(w.groups, tiles, self.channel_sets * k.n_c, *w.kernel, k.n_f)

    @property
    def sums(self) -> SumAxes:
        """Extents of the stage of sums."""
        windows, k = self.window_axes, self.knobs
        return SumAxes(*windows[:2], self.filter_axes.filters, windows.windows, k.n_f, k.n_win)

    @property
    def outer_product(self) -> TileProduct:
        """The intrinsic of a tile of filters by a tile of windows."""
        k = self.knobs
        return TileProduct("chwm", "mj", (k.n_f, k.n_win, k.n_c, *self.workload.kernel), "chwj")

    @property
    def pack_windows(self) -> PackTile:
        """The intrinsic that packs a tile of windows."""
        return PackTile("chwj", "chwj", (self.knobs.n_c, *self.workload.kernel, self.knobs.n_win))

    @property
    def pack_filters(self) -> PackTile:
        """The intrinsic that packs a tile of filters."""
        return PackTile("chwm", "chwm", (self.knobs.n_c, *self.workload.kernel, self.knobs.n_f))
