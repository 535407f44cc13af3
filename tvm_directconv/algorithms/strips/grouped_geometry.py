"""Strips of 8-bit and half-precision convolutions: rows of output pixels, channels in groups.

The filter is packed [blocks, KH, KW * terms, groups, nr, group]: kernels multiply ``group`` channels at once,
and a filter of more than 8 bits is the sum of ``terms`` beside each other as further columns. Where
``Isa.complements`` is true there are 2 * nr: the weights, then what activations are exclusive-or'd with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from intrinsics.tensorize import GroupedStrip
from tvm_directconv.problem.element_types import FLOATS

from .geometry import StripGeometry


@dataclass(frozen=True)
class GroupedStripGeometry(StripGeometry):
    """Geometry of the strips of one workload in half precision, and what it has in common with bytes."""

    @cached_property
    def group(self) -> int:
        """Channels that kernels multiply at once."""
        return self.isa.channels_per_step(self.layout)

    terms = 1
    """Filters that are summed."""

    moved = 0
    """What kernels add to the input's elements."""

    @property
    def filter_dtype(self) -> str:
        """Type of the packed filter."""
        return self.workload.dtype

    @property
    def types(self) -> str:  # type: ignore[override]
        w = self.workload
        return "_".join(FLOATS[dtype] for dtype in (w.out_dtype, w.dtype, w.dtype))

    @property
    def step_bytes(self) -> int:  # type: ignore[override]
        return self.filter_row // self.nr * self.workload.element_bytes

    @property
    def filter_row(self) -> int:
        return self.isa.filter_row(self.nr, self.layout)

    @property
    def channel_groups(self) -> int:
        return -(-self.group_in // self.group)

    @property
    def tap_elements(self) -> int:
        return self.terms * self.channel_groups * self.filter_row

    @property
    def channel_steps(self) -> int:
        return self.terms * self.channel_groups

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        kh, kw = self.workload.kernel
        if self.depthwise:
            return (self.blocks, kh, kw * self.terms, self.nr)
        rows = self.filter_row // self.group
        return (self.blocks, kh, kw * self.terms, self.channel_groups, rows, self.group)

    @property
    def intrinsic(self) -> GroupedStrip:
        w = self.workload
        groups = 0 if self.depthwise else self.channel_groups
        return GroupedStrip(
            self.strip,
            self.nr,
            *w.kernel,
            groups,
            self.group,
            w.strides[1],
            *w.dilation,
            self.terms,
            self.filter_dtype,
            *((self.tile.rows, w.strides[0]) if self.across else ()),
        )
