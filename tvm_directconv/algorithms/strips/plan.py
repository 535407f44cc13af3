"""Strips of a convolution: their geometry in any layout, and their expansion into micro-kernel calls.

A strip is one row of output pixels by nr channels. Its plan is what direct_nhwc and blocked share: the TE
computation, the loops around strips, the shape of the packed filter and the estimate of cost follow from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from tvm import tirx
from tvm.s_tir import SBlock

from intrinsics.isa import Isa
from intrinsics.microkernel import DEPTHWISE, FLOATS, ROW
from intrinsics.tensorize import Intrinsic, Strip
from tvm_directconv.model.cost import FLOAT_BYTES, STREAMED, Cost, level_holding, traffic_cycles
from tvm_directconv.model.tiling import PANEL_OF_L2, channel_blocks, cover_row, row_cycles
from tvm_directconv.problem.workload import Conv2dWorkload, channel_block
from tvm_directconv.targets.target import Machine

from .calls import StripPart

KERNEL_CYCLES = 1000
"""Reading a micro-kernel's instructions for the first time in a call, as between other layers; measured on
layers that take less than 50 us."""


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

    @staticmethod
    def of(layout: str, height: int, width: int, channels: int) -> Strides:
        pixels, block = height * width, channel_block(layout)
        if block:
            blocks = -(-channels // block)
            return Strides(blocks * pixels * block, width * block, block, 1, block, pixels * block)
        if layout == "NHWC":
            return Strides(pixels * channels, width * channels, channels, 1, channels, 0)
        return Strides(channels * pixels, width, 1, pixels, channels, 0)

    def channel_offset(self, channel: tirx.Expr) -> tirx.Expr:
        if not self.block_step:
            return channel * self.channel
        return channel // self.block * self.block_step + channel % self.block


@dataclass(frozen=True)
class Tile:
    """The knobs: ``nr`` output channels per block; ``strip`` output pixels per strip; ``rows`` strips per
    cache block, walked for one channel block before the next channel block; whether kernels ``prefetch``
    the next channel block's filter panel while they use this one's; ``c_ib`` input channels per pass over a
    cache block, partial sums staying in the output between passes, 0 for all in one; ``mr`` pixels per
    micro-kernel at most, 0 for as many as registers allow."""

    nr: int
    strip: int
    rows: int
    prefetch: bool = False
    c_ib: int = 0
    mr: int = 0


@dataclass(frozen=True)
class StripPlan:
    """Geometry of the strips of one workload, and their expansion into kernel calls."""

    workload: Conv2dWorkload
    isa: Isa
    tile: Tile

    @cached_property
    def flattened(self) -> bool:
        return flattens(self.workload)

    @cached_property
    def depthwise(self) -> bool:
        return self.workload.is_depthwise

    @property
    def nr(self) -> int:
        return self.tile.nr

    @property
    def strip(self) -> int:
        return self.tile.strip

    @cached_property
    def source(self) -> Strides:
        w = self.workload
        return Strides.of(w.data_layout, w.height, w.width, w.in_channels)

    @cached_property
    def result(self) -> Strides:
        w = self.workload
        return Strides.of(w.out_layout, w.out_height, w.out_width, w.out_channels)

    @property
    def _merged(self) -> bool:
        """Whether the pixels of all images lie behind each other, in input and output."""
        return self.flattened and self.workload.data_layout == self.workload.out_layout == "NHWC"

    @property
    def batch(self) -> int:
        return 1 if self._merged else self.workload.batch

    @property
    def pixels(self) -> int:
        """Of a flattened image, or of all of them."""
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
    def group_in(self) -> int:
        return self.workload.in_channels // self.workload.groups

    @property
    def group_out(self) -> int:
        return self.workload.out_channels // self.groups

    @property
    def group_blocks(self) -> int:
        return -(-self.group_out // self.nr)

    @property
    def blocks(self) -> int:
        return self.groups * self.group_blocks

    def data(self, func: tirx.PrimFunc) -> tirx.Buffer:
        """What the kernels read as the input."""
        return func.params[0]

    @property
    def in_block(self) -> int:
        """Input channels that lie together, of one group."""
        return 1 if self.depthwise else min(self.source.block, self.group_in)

    @property
    def in_blocks(self) -> int:
        """Blocks of them, the last of which may be shorter."""
        return 1 if self.depthwise else -(-self.group_in // self.in_block)

    types = FLOATS
    """Of the kernels, as their names have them."""
    step_bytes = FLOAT_BYTES
    """Of the packed filter, for one step of one output channel."""

    @property
    def filter_row(self) -> int:
        """Elements of the packed filter from one step of a kernel to the next."""
        return self.nr

    @property
    def tap_elements(self) -> int:
        """Of the packed filter, for one tap of a channel block."""
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
        most = self.isa.largest_mr(vectors * self.isa.lanes, DEPTHWISE if self.depthwise else ROW)
        return min(most, self.tile.mr or most)

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
    def strip_intrinsic(self) -> Intrinsic:
        w = self.workload
        channels = 0 if self.depthwise else self.pass_channels
        return Strip(self.strip, self.nr, *w.kernel, channels, w.strides[1], *w.dilation)

    def part(self, *at: Any) -> StripPart:
        """What expands one strip in one pass; ``at`` are StripPart's remaining fields."""
        return StripPart(self, *at)

    def expand(self, func: tirx.PrimFunc, strip: SBlock) -> tirx.Stmt:
        """Kernel calls for a strip; tails where the extents leave any."""
        if self.passes == 1:
            return self._of_pass(func, strip, 0)
        channel = strip.reads[-1].region[3].min
        at = [tirx.EQ(channel, index * self.pass_channels) for index in (0, self.passes - 1)]
        first, last = self._of_pass(func, strip, 0), self._of_pass(func, strip, self.passes - 1)
        middle = self._of_pass(func, strip, 1, channel) if self.passes > 2 else None
        return tirx.IfThenElse(at[0], first, tirx.IfThenElse(at[1], last, middle))

    def _of_pass(
        self, func: tirx.PrimFunc, strip: SBlock, index: int, channel: tirx.Expr | None = None
    ) -> tirx.Stmt:
        """A strip in pass ``index``, which begins at input channel ``channel`` where that is no constant."""
        n, y, block = (strip.writes[0].region[axis].min for axis in range(3))
        tail_channels = self.group_out % self.nr
        short = self.pixels % self.strip if self.flattened else 0
        part = self.part(func, n, y, block, index, channel)

        def of_width(width: int) -> tirx.Stmt:
            full = part.calls(width, min(self.nr, self.group_out))
            if not tail_channels or self.group_out < self.nr:
                return full
            tail = part.calls(width, tail_channels)
            is_tail = tirx.EQ(block % self.group_blocks, self.group_blocks - 1)
            return tirx.IfThenElse(is_tail, tail, full)

        stmt = of_width(self.strip)
        if short and self.rows == 1:
            stmt = of_width(short)
        elif short:
            stmt = tirx.IfThenElse(tirx.EQ(y, self.rows - 1), of_width(short), stmt)
        if self.out_height > self.rows:
            stmt = tirx.IfThenElse(y < self.rows, stmt, None)
        return stmt

    def cost(self, machine: Machine) -> Cost:
        """Every strip's tiles with operands in L1, less the taps outside the image; and beside it the traffic
        of row blocks and panels.

        A panel is read from where it lies once per row block, and stays in L2 for the rows of the block; the
        block's input rows are read once per panel, from L2 where they fit it beside the panel.
        """
        w = self.workload
        layout = DEPTHWISE if self.depthwise else ROW
        steps = w.kernel[0] * w.kernel[1] * self.channel_steps
        rows = self.batch * self.rows
        width = min(self.strip, self.pixels) if self.flattened else w.out_width
        mr, pixel_bytes = self.tile.mr, w.element_bytes * w.strides[1] * self.source.pixel
        at = (layout, steps, mr, 0 if self.depthwise else pixel_bytes)
        row = row_cycles(self.isa, machine, width, self.group_out, self.nr, *at)
        last = self.pixels % self.strip if self.flattened else 0
        arithmetic = self.groups * rows * row
        if last and rows > 1:
            short = row_cycles(self.isa, machine, last, self.group_out, self.nr, *at)
            arithmetic += self.groups * (short - row)
        arithmetic *= taps_inside(w)
        filter_bytes = w.element_bytes * math.prod(self.packed_filter_shape)
        panel_bytes = filter_bytes / self.blocks
        row_blocks = -(-rows // self.tile.rows)
        input_bytes = w.element_bytes * math.prod(w.input_shape) * pixels_read(w)
        output_bytes = w.out_bytes * math.prod(w.output_shape)
        block_bytes = input_bytes / row_blocks
        vectors = -(-min(self.nr, self.group_out) // self.isa.lanes)
        tiles = len(cover_row(width, self.most_rows(vectors)))
        overhead = KERNEL_CYCLES * len(self._shapes(width) | (self._shapes(last) if last else set()))
        moved: dict[int, float] = {}
        for level, size in (
            (level_holding(machine, filter_bytes + input_bytes), filter_bytes * row_blocks),
            (level_holding(machine, block_bytes + panel_bytes), block_bytes * row_blocks * self.blocks),
            (level_holding(machine, panel_bytes, PANEL_OF_L2), panel_bytes * self.blocks * rows * tiles),
        ):
            if level > 1:
                moved[level] = moved.get(level, 0.0) + size
        traffic = STREAMED * traffic_cycles(machine, moved)
        if (level := level_holding(machine, input_bytes + output_bytes)) > 1:
            # Parts of pixels are no stream that a prefetcher follows.
            whole = self.nr >= w.out_channels or self.result.block_step
            traffic += (STREAMED if whole else 1.0) * traffic_cycles(machine, {level: output_bytes})
        return Cost(arithmetic, traffic=traffic, overhead=overhead)

    def _shapes(self, width: int) -> set[tuple[int, int]]:
        """Pixels and vectors of the micro-kernels of a strip."""
        blocks = (-(-channels // self.isa.lanes) for channels, _ in channel_blocks(self.group_out, self.nr))
        return {(v, tile.mr) for v in blocks for tile in cover_row(width, self.most_rows(v))}


def flattens(workload: Conv2dWorkload) -> bool:
    """1x1, stride 1, no padding: each output pixel needs its own input pixel alone."""
    w = workload
    return w.kernel == (1, 1) and w.strides == (1, 1) and w.padding == (0, 0, 0, 0)


def pixels_read(workload: Conv2dWorkload) -> float:
    """The share of input pixels that any output needs: a quarter for 1x1 with stride 2."""
    w = workload
    return math.prod(min(1.0, kernel / stride) for kernel, stride in zip(w.kernel, w.strides, strict=True))


@lru_cache(maxsize=1024)
def taps_inside(workload: Conv2dWorkload) -> float:
    """The share of all taps of all output pixels that lies inside the image."""
    w, share = workload, 1.0
    sizes = (w.height, w.width), (w.out_height, w.out_width)
    for axis in range(2):
        before, stride, dilation = w.padding[axis], w.strides[axis], w.dilation[axis]
        taps = range(w.kernel[axis])
        positions = (at * stride - before + tap * dilation for at in range(sizes[1][axis]) for tap in taps)
        inside = sum(0 <= position < sizes[0][axis] for position in positions)
        share *= inside / (sizes[1][axis] * w.kernel[axis])
    return share
