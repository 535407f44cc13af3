"""Blocks of algorithm B: their geometry, and the intrinsics that pack and multiply them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..layer_geometry import LayerGeometry
from ..lowering import Workspace
from ..tile_intrinsics import PackTile, TileProduct


@dataclass(frozen=True)
class Blocks:
    """The knobs: micro-kernels of ``mr`` output pixels by ``nr`` output channels; blocks of ``w_ob`` pixels
    of a row, ``c_ib`` input channels and ``c_ob`` output channels; ``rows`` output rows that go through all
    blocks of input channels before the next rows do, and through all of a thread's work together."""

    mr: int
    nr: int
    w_ob: int
    c_ib: int
    c_ob: int
    rows: int


class PanelAxes(NamedTuple):
    """Axes of the stage of micro-panels, in numbers or expressions."""

    image: Any
    line: Any
    w_block: Any
    filter_row: Any
    filter_column: Any
    group: Any
    panel: Any
    channel: Any
    pixel: Any


class SumAxes(NamedTuple):
    """Axes of the stage of sums."""

    image: Any
    line: Any
    group: Any
    w_block: Any
    filter: Any
    panel: Any
    pixel: Any
    lane: Any


@dataclass(frozen=True)
class PackedGeometry(LayerGeometry):
    """One workload cut in blocks.

    A 1x1 convolution without stride or padding is not bound to rows: its N * H * W pixels are cut in lines of
    w_ob."""

    knobs: Blocks

    # ---- extents, those of the loops rounded up to whole blocks

    @property
    def batch(self) -> int:
        return 1 if self.flattened else self.workload.batch

    @property
    def out_width(self) -> int:
        """Pixels that blocks of w_ob are cut from."""
        w = self.workload
        return w.batch * w.height * w.width if self.flattened else w.out_width

    @property
    def w_ob(self) -> int:
        return min(self.knobs.w_ob, self.out_width)

    @property
    def w_blocks(self) -> int:
        """Per line."""
        return 1 if self.flattened else -(-self.out_width // self.w_ob)

    @property
    def lines(self) -> int:
        return -(-self.out_width // self.w_ob) if self.flattened else self.workload.out_height

    @property
    def rows(self) -> int:
        return min(self.knobs.rows, self.lines)

    @property
    def loop_lines(self) -> int:
        return -(-self.lines // self.rows) * self.rows

    @property
    def panels(self) -> int:
        """Micro-panels per block of pixels."""
        return -(-self.w_ob // self.knobs.mr)

    @property
    def c_ib(self) -> int:
        return min(self.knobs.c_ib, self.group_in)

    @property
    def in_blocks(self) -> int:
        return -(-self.group_in // self.c_ib)

    @property
    def filters(self) -> int:
        """Micro-panels of the filter, per group."""
        return -(-self.group_out // self.knobs.nr)

    @property
    def block_filters(self) -> int:
        """Micro-panels of the filter per block of c_ob."""
        return min(self.filters, max(1, self.knobs.c_ob // self.knobs.nr))

    @property
    def loop_filters(self) -> int:
        return -(-self.filters // self.block_filters) * self.block_filters

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        """[OC / nr, KH, KW, IC / groups, nr]."""
        w = self.workload
        return w.groups * self.filters, *w.kernel, self.group_in, self.knobs.nr

    @cached_property
    def workspace(self) -> Workspace:
        """The packed block: w_ob x c_ib elements, none of them padding."""
        return Workspace("panel", self.w_ob * self.c_ib)

    @property
    def depth(self) -> int:
        """Input channels of a group, rounded up to whole blocks."""
        return self.in_blocks * self.c_ib

    @property
    def panel(self) -> PanelAxes:
        """Extents of the stage of micro-panels."""
        pixels = self.batch, self.loop_lines, self.w_blocks
        return PanelAxes(
            *pixels, *self.workload.kernel, self.workload.groups, self.panels, self.depth, self.knobs.mr
        )

    @property
    def sums(self) -> SumAxes:
        """Extents of the stage of sums."""
        pixels = self.batch, self.loop_lines, self.workload.groups, self.w_blocks
        return SumAxes(*pixels, self.loop_filters, self.panels, self.knobs.mr, self.knobs.nr)

    @property
    def pack_panels(self) -> PackTile:
        """The intrinsic that packs a block: pixels of channels become micro-panels."""
        return PackTile("pkm", "pkm", (self.panels, self.c_ib, self.knobs.mr))

    @property
    def panel_gemm(self) -> TileProduct:
        """The intrinsic that multiplies a packed block by a block of the filter."""
        k = self.knobs
        return TileProduct("pkm", "bpmn", (self.block_filters, self.panels, k.mr, k.nr, self.c_ib), "bkn")
