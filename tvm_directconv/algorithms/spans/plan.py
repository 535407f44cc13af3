"""The plan of a convolution whose lanes span groups: its stages, schedule, filter and knobs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import Isa
from tvm_directconv.model.cost import Cost
from tvm_directconv.model.knobs import KnobSpace, divisions, with_choice
from tvm_directconv.problem.element_types import FLOAT32, rounded
from tvm_directconv.problem.extents import is_open, typical
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import Machine

from ..base import KernelPlan
from ..epilogue import cast, finished
from ..lowering import FOLDED, Expansions, fold_initialization
from ..packing import pack_filter, te_pack_filter
from ..strips.sharing import even_rows
from .calls import expand
from .cost import block_widths, span_cost
from .geometry import SpanGeometry, SpanTile, taps_fit, tiles_of
from .open_rows import open_rows


@dataclass(frozen=True)
class SpanPlan(KernelPlan[SpanTile]):
    """A grouped convolution in NHWC; it needs no workspace, whatever the workload."""

    @cached_property
    def geometry(self) -> SpanGeometry:
        return SpanGeometry(self.workload, self.isa, self.knobs)

    @property
    def sums_in_order(self) -> bool:
        return True

    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        """Stages view (the input padded), conv [N, rows, block, column, lane], epilogue."""
        g, w = self.geometry, self.workload
        nr, group, (top, left) = g.tile.nr, g.group_in, w.padding[:2]
        packed = te.placeholder(g.packed_filter_shape, w.dtype, name="packed_filter")

        def element(n: tirx.Var, y: tirx.Var, x: tirx.Var, c: tirx.Var) -> tirx.Expr:
            inside = y >= top, y < w.height + top, x >= left, x < w.width + left, c < w.in_channels
            value = source(n, y - top, x - left, c)
            return tirx.if_then_else(tirx.all(*inside), cast(value, w.dtype, FLOAT32), tirx.const(0, FLOAT32))

        height = (g.out_height - 1) * w.strides[0] + (w.kernel[0] - 1) * w.dilation[0] + 1
        width = (w.out_width - 1) * w.strides[1] + (w.kernel[1] - 1) * w.dilation[1] + 1
        view = te.compute(
            (w.batch, height, width, g.input_channel(g.blocks * nr)), element, name="view", attrs=FOLDED
        )
        kh, kw = (te.reduce_axis((0, e), name=name) for e, name in zip(w.kernel, ("kh", "kw"), strict=True))
        k = te.reduce_axis((0, group), name="k")

        def product(n: tirx.Var, y: tirx.Var, b: tirx.Var, x: tirx.Var, i: tirx.Var) -> tirx.Expr:
            pixel = y * w.strides[0] + kh * w.dilation[0], x * w.strides[1] + kw * w.dilation[1]
            channel = b * g.input_channel(nr) + (i if g.group_out == 1 else i // g.group_out * group + k)
            tap = cast(packed[b, kh, kw, k, i], w.dtype, FLOAT32)
            return te.sum(view(n, *pixel, channel) * tap, axis=[kh, kw, k])

        sums = (w.batch, g.out_height, g.blocks, w.out_width, nr)
        conv = te.compute(sums, product, name="conv")
        return finished(outer, data, packed, lambda n, y, x, oc: conv(n, y, oc // nr, x, oc % nr))

    def schedule(self, func: tirx.PrimFunc) -> tirx.PrimFunc:
        if not is_open([self.workload.width]):
            return super().schedule(func)
        fixed = replace(self.workload, width=typical(self.workload.width))
        return open_rows(self.geometry, replace(self, workload=fixed).geometry, func)

    def tensorize(self, sch: Schedule) -> None:
        """Loops n, row block, channel block, which threads share; the rows inside go to micro-kernels."""
        conv = sch.get_sblock("conv")
        n, y, block, x, _, *_ = sch.get_loops(conv)
        row_block, row = sch.split(y, [None, self.knobs.rows])
        sch.reorder(n, row_block, block, row, x)
        sch.parallel(sch.fuse(n, row_block, block))
        fold_initialization(sch, conv, row)
        sch.tensorize(row, self.geometry.intrinsic.register())

    @property
    def expansions(self) -> Expansions:
        return {self.geometry.intrinsic: lambda block: expand(self.geometry, block)}

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return self.geometry.packed_filter_shape

    @property
    def _ungrouped(self) -> Conv2dWorkload:
        """The convolution without groups that has the same filter."""
        return replace(self.workload, in_channels=self.geometry.group_in, groups=1)

    def pack(self, weights: np.ndarray) -> np.ndarray:
        return pack_filter(self._ungrouped, self.packed_filter_shape, rounded(weights, self.workload.dtype))

    def te_pack(self, source: te.Tensor) -> te.Tensor:
        return te_pack_filter(self._ungrouped, self.packed_filter_shape, source)

    def cost(self) -> Cost:
        return span_cost(self.geometry, self.machine)

    def knob_spaces(self, algorithm: str) -> list[KnobSpace]:
        """Return the knobs to try: for every tile of lines some blocks of channels and rows."""
        w, isa = self.workload, self.isa
        spaces = []
        for lines, width in tiles_of(w, isa):
            fixed = {"lines": lines, "width": width, "single": single_width(w, isa, lines, width)}
            choices = {"nr": block_widths(w, isa), "rows": divisions(w.out_height)}
            spaces.append(KnobSpace(algorithm, f"{lines}x{width}x{isa.lanes}", SpanTile, fixed, choices))
        knobs = self.knobs
        return with_choice(spaces, algorithm, f"{knobs.lines}x{knobs.width}x{isa.lanes}", knobs)


def single_width(workload: Conv2dWorkload, isa: Isa, lines: int, width: int) -> int:
    """Pixels of the kernels of one row beside tiles of so many lines and pixels: their own where they are one
    row themselves, else as many as leave the taps registers, or any."""
    if lines == 1:
        return width
    widths = [pixels for rows, pixels in tiles_of(workload, isa) if rows == 1]
    return max([pixels for pixels in widths if taps_fit(workload, isa, 1, pixels)] or widths)


def choose_spans(workload: Conv2dWorkload, isa: Isa, machine: Machine) -> SpanPlan:
    """The plan of the least estimated cost, with rows that threads share evenly."""
    w = workload
    plans = []
    shared: dict[tuple[int, int], int] = {}
    for lines, width in tiles_of(w, isa):
        single = single_width(w, isa, lines, width)
        for nr in block_widths(w, isa):
            tile = SpanTile(nr, lines, lines, width, single)
            blocks = SpanGeometry(w, isa, tile).blocks
            if (lines, blocks) not in shared:  # how wide the blocks are makes no difference
                choices = range(lines, w.out_height + lines, lines)
                shared[lines, blocks] = even_rows(w.out_height, choices, [1] * blocks, w.batch)
            plans.append(SpanPlan(w, isa, machine, replace(tile, rows=shared[lines, blocks])))
    return min(plans, key=lambda plan: plan.cost().total)
