"""Strips of a convolution: their geometry in any layout.

A strip is one row of output pixels by nr channels. The TE computation, the loops around strips, the calls
that cover one, the shape of the packed filter and the estimate of cost all follow from its geometry.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from tvm import tirx

from intrinsics.isa import Isa
from intrinsics.microkernel import DEPTHWISE, FLOATS, ROW, next_place
from intrinsics.tensorize import Intrinsic, Strip
from tvm_directconv.model.cost import FLOAT_BYTES
from tvm_directconv.model.tiling import RowTile, cover_row, cover_rows, tile_heights
from tvm_directconv.problem.extents import is_open, typical
from tvm_directconv.problem.frames import Frames
from tvm_directconv.problem.taps import Axis
from tvm_directconv.problem.workload import Conv2dWorkload, channel_block

from ..layer_geometry import LayerGeometry, flattens


@dataclass(frozen=True)
class Strides:
    """Distances in elements between images, rows, pixels and channels of activations; channels lie in
    blocks of ``block``, ``block_step`` apart."""

    image: int
    row: int
    pixel: int
    channel: int
    block: int
    block_step: int
    first: int = 0
    """Elements before the first channel."""

    @staticmethod
    def of(layout: str, height: int, width: int, channels: int, first: int = 0) -> Strides:
        pixels, block = height * width, channel_block(layout)
        if block:
            blocks = -(-channels // block)
            return Strides(blocks * pixels * block, width * block, block, 1, block, pixels * block)
        if layout == "NHWC":
            return Strides(pixels * channels, width * channels, channels, 1, channels, 0, first)
        return Strides(channels * pixels, width, 1, pixels, channels, 0)

    def channel_offset(self, channel: tirx.Expr) -> tirx.Expr:
        if not self.block_step:
            return channel * self.channel + self.first
        return channel // self.block * self.block_step + channel % self.block


@dataclass(frozen=True)
class Tile:
    """The knobs: ``nr`` output channels per block; ``strip`` output pixels per strip; ``rows`` strips per
    cache block, walked for one channel block before the next channel block; whether kernels ``prefetch``
    the next channel block's filter panel while they use this one's; ``c_ib`` input channels per pass over a
    cache block, partial sums staying in the output between passes, 0 for all in one; ``mr`` pixels per
    micro-kernel at most, 0 for as many as registers allow; whether micro-kernels go ``across`` row ends of a
    cache block, where they can; whether the input is ``bordered``, so that tiles may be loaded as they lie
    whatever is between and behind rows (bordered_nhwc.py)."""

    nr: int
    strip: int
    rows: int
    prefetch: bool = False
    c_ib: int = 0
    mr: int = 0
    across: bool = False
    bordered: bool = False


class SumAxes(NamedTuple):
    """Axes of the stage of sums, in numbers or expressions."""

    image: Any
    row: Any
    block: Any
    pixel: Any
    lane: Any


class FilterAxes(NamedTuple):
    """Axes of the filter as the stage of sums reads it, but of depthwise layers, which lack a channel."""

    block: Any
    row: Any
    column: Any
    channel: Any
    lane: Any


@dataclass(frozen=True)
class StripGeometry(LayerGeometry):
    """Geometry of the strips of one workload."""

    tile: Tile
    stored: Strides | None = None
    """Strides of the input's elements, if they are not the workload's."""

    @cached_property
    def depthwise(self) -> bool:
        return self.workload.is_depthwise

    @cached_property
    def across(self) -> bool:
        """Whether micro-kernels go across row ends."""
        return self.tile.across and self.tile.rows > 1 and can_cross(self.workload, self.isa)

    @cached_property
    def panels_first(self) -> bool:
        """Whether all images pass by a filter panel before the next one does: where they are in one row block
        each, and smaller than it."""
        w, elements = self.workload, math.prod(self.packed_filter_shape)
        image = w.height * w.width * w.in_channels
        several, whole = typical(self.batch) > 1, self.tile.rows >= typical(self.rows)
        return several and whole and typical(image) < elements // self.blocks

    @property
    def row_jump(self) -> int:
        """Elements of the input from a pixel read to the next at a row's end, beyond those within a row."""
        rows, _ = self.workload.strides
        return rows * self.source.row - self.workload.out_width * self.pixel_step

    @property
    def over_border(self) -> bool:
        """Whether micro-kernels go across row ends with empty rows of tiles for what lies there."""
        return self.across and self.tile.bordered

    def _following(self, place: int) -> int:
        """The row of tiles that follows another one at a row's end."""
        return next_place(place, self.row_jump, self.pixel_step, self.isa.tile_rows)

    @property
    def pixel_step(self) -> int:
        """Elements of the input from a pixel read to the next."""
        return self.workload.strides[1] * self.source.pixel

    @property
    def nr(self) -> int:
        return self.tile.nr

    @property
    def strip(self) -> int:
        return self.tile.strip

    @cached_property
    def source(self) -> Strides:
        w = self.workload
        if self.stored is not None:
            return self.stored
        if w.storage.frames is not None:
            return self._frames(w.storage.frames)
        first, channels = w.data_slice
        return Strides.of(w.data_layout, w.height, w.width, channels, first)

    def _frames(self, frames: Frames) -> Strides:
        """Strides of frames read in place: images overlap, and their channels lie in blocks, one for each
        tap."""
        w, channels = self.workload, self.workload.in_channels // frames.taps
        frame = w.height * w.width * channels
        return Strides(
            frames.stride * frame, w.width * channels, channels, 1, channels, frames.dilation * frame
        )

    def image(self, number: tirx.Expr) -> tirx.Expr:
        """Offset at which an image begins in the input; of frames, where the first tap's would, before it or
        not."""
        frames, source = self.workload.storage.frames, self.source
        if frames is None:
            return number * source.image
        frame = source.image // frames.stride
        first = number // frames.count * frames.depth - frames.before
        return number % frames.count * source.image + first * frame

    @cached_property
    def result(self) -> Strides:
        w = self.workload
        first, channels = w.out_slice
        return Strides.of(w.out_layout, w.out_height, w.out_width, channels, first)

    @property
    def _merged(self) -> bool:
        """Whether the pixels of all images lie behind each other, in input and output."""
        return (
            not is_open([self.workload.batch])
            and self.flattened
            and self.workload.data_layout == self.workload.out_layout == "NHWC"
        )

    @property
    def batch(self) -> int:
        return 1 if self._merged else self.workload.batch

    @property
    def pixels(self) -> int:
        """Pixels of a flattened image, or of all of them."""
        return self.workload.batch // self.batch * self.workload.height * self.workload.width

    @property
    def rows(self) -> int:
        """Strips that hold output; ``out_height`` rounds them up to whole row blocks."""
        return -(-self.pixels // self.strip) if self.flattened else self.workload.out_height

    @property
    def out_height(self) -> int:
        return -(-self.rows // self.tile.rows) * self.tile.rows

    @property
    def groups(self) -> int:
        return 1 if self.depthwise else self.workload.groups

    @property
    def group_out(self) -> int:
        return self.workload.out_channels // self.groups

    @property
    def group_blocks(self) -> int:
        return -(-self.group_out // self.nr)

    @property
    def blocks(self) -> int:
        return self.groups * self.group_blocks

    @property
    def in_block(self) -> int:
        """Input channels that lie together, of one group."""
        return 1 if self.depthwise else min(self.source.block, self.group_in)

    @property
    def in_blocks(self) -> int:
        """Blocks of them, the last of which may be shorter."""
        return 1 if self.depthwise else -(-self.group_in // self.in_block)

    types = FLOATS
    """Types of the kernels, as their names spell them."""
    step_bytes = FLOAT_BYTES
    """Bytes of the packed filter, for one step of one output channel."""

    @property
    def filter_row(self) -> int:
        """Elements of the packed filter from one step of a kernel to the next."""
        return self.nr

    @property
    def tap_elements(self) -> int:
        """Elements of the packed filter, for one tap of a channel block."""
        return self.in_block * self.nr

    @property
    def channel_steps(self) -> int:
        """Steps a kernel takes for one tap."""
        return 1 if self.depthwise else self.group_in

    @property
    def pass_channels(self) -> int:
        return self.tile.c_ib or self.group_in

    def most_rows(self, vectors: int) -> int:
        """Pixels of the tallest micro-kernels that are so many vectors wide."""
        most = self.isa.largest_mr(vectors * self.isa.lanes, self.layout)
        return min(most, self.tile.mr or most)

    def covered(self, pixels: int, channels: int) -> list[RowTile]:
        """The tiles of so many pixels behind each other by so many channels."""
        most = self.most_rows(-(-channels // self.isa.lanes))
        if self.over_border:
            return cover_rows(pixels, self.strip, self._following, most)
        return cover_row(pixels, most, self.isa.tile_rows)

    def heights(self, pixels: int, channels: int) -> list[tuple[int, int]]:
        """The heights of these tiles, each with its count, the tallest first."""
        if self.over_border:
            heights = Counter(tile.mr for tile in self.covered(pixels, channels))
            return sorted(heights.items(), reverse=True)
        return tile_heights(pixels, self.most_rows(-(-channels // self.isa.lanes)), self.isa.tile_rows)

    def tile_height(self, tile: RowTile) -> int:
        """Rows of a tile, with those left empty."""
        if not self.over_border:
            return tile.mr
        place = 0
        for x in range(tile.x + 1, tile.x + tile.mr):
            place = self._following(place) if x % self.strip == 0 else place + 1
        return place + 1

    @property
    def run(self) -> int:
        """Pixels behind each other that tiles cover: those of a strip, or of a row block."""
        return self.strip * self.tile.rows if self.across else self.strip

    @property
    def layout(self) -> str:
        """Layout of the input, as kernels name it."""
        return DEPTHWISE if self.depthwise else ROW

    @property
    def sums(self) -> SumAxes:
        """Extents of the stage of sums."""
        return SumAxes(self.batch, self.out_height, self.blocks, self.strip, self.nr)

    @property
    def passes(self) -> int:
        return 1 if self.depthwise else -(-self.group_in // self.pass_channels)

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        """[blocks, KH, KW, IC / groups, nr]; of a blocked input [blocks, IC blocks, KH, KW, block, nr]; of
        a depthwise layer [blocks, KH, KW, nr]."""
        if self.depthwise:
            return (self.blocks, *self.workload.kernel, self.nr)
        if self.in_blocks == 1:
            return (self.blocks, *self.workload.kernel, self.group_in, self.nr)
        return (self.blocks, self.in_blocks, *self.workload.kernel, self.in_block, self.nr)

    @property
    def intrinsic(self) -> Intrinsic:
        w = self.workload
        channels = 0 if self.depthwise else self.pass_channels
        return Strip(self.strip, self.nr, *w.kernel, channels, w.strides[1], *w.dilation)


def can_cross(workload: Conv2dWorkload, isa: Isa) -> bool:
    """Whether tiles may be of pixels of several rows: those of kernels that take any rows, where rows are in
    the image and lie behind each other."""
    w = workload
    inside = all(
        (axis.outputs - 1) * axis.stride < axis.size for axis in (Axis.of(workload, 0), Axis.of(workload, 1))
    )
    return isa.tile_rows > 1 and not w.is_depthwise and not flattens(w) and not w.storage.frames and inside


def pixels_read(workload: Conv2dWorkload) -> float:
    """The share of input pixels that any output needs: a quarter for 1x1 with stride 2."""
    w = workload
    return math.prod(min(1.0, kernel / stride) for kernel, stride in zip(w.kernel, w.strides, strict=True))


@lru_cache(maxsize=1024)
def taps_inside(workload: Conv2dWorkload) -> float:
    """The share of all taps of all output pixels that lies inside the image."""
    share = 1.0
    for axis in (Axis.of(workload, 0), Axis.of(workload, 1)):
        visits = (axis.positions_at(tap, 0, axis.outputs) for tap in range(axis.taps))
        share *= sum(max(0, last - first) for first, last in visits) / (axis.outputs * axis.taps)
    frames = workload.storage.frames
    return share if frames is None else share * frames.share


def unravel(index: tirx.Expr, shape: Sequence[int]) -> list[tirx.Expr]:
    """Coordinates of the ``index``-th element of a tensor of that shape."""
    coordinates: list[tirx.Expr] = []
    for extent in reversed(shape):
        coordinates.insert(0, index % extent)
        index = index // extent
    return coordinates
