"""Blocks of algorithm B: their geometry, what they cost, and how they are expanded into calls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tvm import tirx
from tvm.s_tir import SBlock

from ..intrinsics.isa import Isa
from ..lowering import Workspace
from ..workload import Conv2dWorkload
from .branches import either as either
from .packed_calls import Expansion
from .strips import flattens


@dataclass(frozen=True)
class Blocks:
    """The knobs: micro-kernels of ``mr`` output pixels by ``nr`` output channels; blocks of ``w_ob`` pixels
    of a row, ``c_ib`` input channels and ``c_ob`` output channels; ``rows`` output rows that go through all
    blocks of input channels before the next rows do, ``prefetch`` whether kernels fetch the filter panel
    after theirs."""

    mr: int
    nr: int
    w_ob: int
    c_ib: int
    c_ob: int
    rows: int
    prefetch: bool = False


@dataclass(frozen=True)
class PackedPlan:
    """One workload cut in blocks.

    A 1x1 convolution without stride or padding has no rows: its N * H * W pixels are cut in lines of w_ob.
    """

    workload: Conv2dWorkload
    isa: Isa
    knobs: Blocks

    # ---- extents, those of the loops rounded up to whole blocks

    @cached_property
    def flattened(self) -> bool:
        return flattens(self.workload)

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
    def group_in(self) -> int:
        return self.workload.in_channels // self.workload.groups

    @property
    def group_out(self) -> int:
        return self.workload.out_channels // self.workload.groups

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

    # ---- expansion of tensorized blocks

    def expand(self, func: tirx.PrimFunc, block: SBlock) -> tirx.Stmt:
        """Calls for one tensorized block: panels to pack, or tiles to compute."""
        return Expansion(self, func, block).statement()
