"""Micro-kernels that cover a grouped convolution whose groups lie side by side in the lanes.

A block is ``rows`` output rows by ``nr`` channels. Inside, tiles of pixels follow the row, and for each tile
vectors of channels follow each other before the next tile: pixels are read whole, in the order in which they
lie in memory, so that lines are used up and prefetched. A micro-kernel computes one vector of channels of
``lines`` rows by ``width`` pixels; rows at the upper and lower border, whose taps are not all inside the
image, have kernels of one line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tvm import tirx

from intrinsics.isa import Isa
from intrinsics.microkernel import DEPTHWISE
from intrinsics.tensorize import RowsOfGroups
from tvm_directconv.problem.element_types import FLOATS
from tvm_directconv.problem.extents import given_to_tvm, is_open
from tvm_directconv.problem.taps import Axis
from tvm_directconv.problem.workload import Conv2dWorkload

from ..layer_geometry import LayerGeometry

MOST_LINES = 4
"""Tiles have at most so many output rows: with more, what rows share is little beside the columns' taps."""


@dataclass(frozen=True)
class SpanTile:
    """The knobs: ``nr`` channels and ``rows`` output rows of a block; ``lines`` output rows by ``width``
    pixels of a micro-kernel, and the pixels, ``single``, of those that are one row."""

    nr: int
    rows: int
    lines: int
    width: int
    single: int


@dataclass(frozen=True)
class SpanGeometry(LayerGeometry):
    """Geometry of the blocks of one workload, in NHWC."""

    tile: SpanTile

    def input_channel(self, channel: Any) -> Any:
        """The first input channel of the group that an output channel begins."""
        return channel if self.group_in == self.group_out else channel // self.group_out * self.group_in

    @property
    def blocks(self) -> int:
        return -(-self.workload.out_channels // self.tile.nr)

    @property
    def out_height(self) -> int:
        """Rounded up to whole blocks."""
        return -(-self.workload.out_height // self.tile.rows) * self.tile.rows

    @property
    def packed_filter_shape(self) -> tuple[int, int, int, int, int]:
        """[blocks, KH, KW, input channels of a group, nr]."""
        return (self.blocks, *self.workload.kernel, self.group_in, self.tile.nr)

    @property
    def types(self) -> str:
        """Types of the kernels, as their names spell them."""
        w = self.workload
        return "_".join(FLOATS[dtype] for dtype in (w.out_dtype, w.dtype, w.dtype))

    @property
    def tap_elements(self) -> int:
        """Elements of the packed filter, for one tap of a block."""
        return self.group_in * self.tile.nr

    @cached_property
    def inside(self) -> tuple[Any, Any]:
        """The output rows whose taps are all inside the image: the first, and the one behind the last, which
        is not behind the first where there are none."""
        axis = Axis.of(self.workload, 0)
        first = -(-axis.before // axis.stride)
        last = (axis.size - 1 - (axis.taps - 1) * axis.dilation + axis.before) // axis.stride + 1
        if is_open([last]):
            return first, tirx.min(given_to_tvm(axis.outputs), given_to_tvm(last))
        last = min(axis.outputs, last)
        return (first, last) if first < last else (0, 0)

    @property
    def intrinsic(self) -> RowsOfGroups:
        w, tile = self.workload, self.tile
        groups = self.group_in, self.group_out
        strides = *w.strides, *w.dilation
        return RowsOfGroups(tile.rows, w.out_width, tile.nr, *w.kernel, *groups, *strides, w.dtype)


def spans(workload: Conv2dWorkload, isa: Isa) -> bool:
    """Whether there are kernels whose lanes span the workload's groups."""
    w = workload
    group, group_out = w.in_channels // w.groups, w.out_channels // w.groups
    if w.quantized or w.groups == 1:
        return False
    if group == group_out:
        return group == 1 or group in isa.groups
    return group == 1 and group_out in isa.multipliers


def tiles_of(workload: Conv2dWorkload, isa: Isa) -> Iterator[tuple[int, int]]:
    """Lines and width of the micro-kernels worth a thought: as wide as accumulators, a row's taps and an
    input pixel fit the registers, or where taps leave no room, as accumulators do; or half as wide, where
    pixels would evict each other from L1."""
    w = workload
    stride, dilation = w.strides[0], w.dilation[0]
    most = isa.largest_mr(isa.lanes, DEPTHWISE)
    for lines in range(1, 1 + min(MOST_LINES, w.out_height)):
        # Lines that share no row of the input are not better than several tiles.
        if lines > 1 and (stride % dilation or stride // dilation >= w.kernel[0]):
            return
        room = (isa.vector_registers - beside(w, isa) - taps_held(w, lines)) // lines
        widths = {room, room // 2, most // lines}
        if lines > 1:
            # Without registers for taps, rows of the input are shared at the price of loading taps again.
            widths = {min(room, most // lines)}
        for width in sorted({min(width, most // lines, w.out_width) for width in widths}):
            if width >= 1:
                yield lines, width


def beside(workload: Conv2dWorkload, isa: Isa) -> int:
    """Registers that kernels need beside accumulators and taps: for pixels, two of which are on their way
    where registers are many, and for parts of them."""
    return 1 + (isa.vector_registers > 16) + 2 * (workload.in_channels // workload.groups > 1)


def taps_held(workload: Conv2dWorkload, lines: int) -> int:
    """Vectors of the filter that the input row in use is multiplied by, at most."""
    (kh, kw), stride, dilation = workload.kernel, workload.strides[0], workload.dilation[0]
    rows = min(lines, -(-kh * dilation // stride)) if stride % dilation == 0 else 1
    return rows * kw * (workload.in_channels // workload.groups)


def taps_fit(workload: Conv2dWorkload, isa: Isa, lines: int, width: int) -> bool:
    """Whether a kernel keeps the taps in use in registers."""
    return lines * width + taps_held(workload, lines) + beside(workload, isa) <= isa.vector_registers


def packed_elements(geometry: SpanGeometry) -> int:
    """Return the elements of one block of the packed filter."""
    return math.prod(geometry.packed_filter_shape[1:])
