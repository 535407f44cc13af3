"""SConv's tiles of one workload, and their expansion into packing and micro-kernel calls.

Everything that is not a loop is here: which windows a tile has, what of them lies in which row of the output,
tails of channels, filters and windows, and where operands are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from tvm import sym, tirx
from tvm.s_tir import SBlock

from intrinsics.isa import Isa
from intrinsics.microkernel import PANEL, KernelInstance, MicroKernel, Segment, TileEpilogue
from intrinsics.packing.panels import PanelPacking
from intrinsics.packing.windows import WindowPacking
from tvm_directconv.algorithms.lowering import Workspace
from tvm_directconv.algorithms.packed.plan import either
from tvm_directconv.algorithms.strips.plan import flattens
from tvm_directconv.problem.workload import Conv2dWorkload

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


@dataclass(frozen=True)
class SconvPlan:
    """Geometry of one workload's tiles. A 1x1 convolution without stride or padding has one long row."""

    workload: Conv2dWorkload
    isa: Isa
    knobs: Slices

    @cached_property
    def flattened(self) -> bool:
        return flattens(self.workload)

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
    def taps(self) -> int:
        return self.workload.kernel[0] * self.workload.kernel[1]

    @property
    def group_in(self) -> int:
        return self.workload.in_channels // self.workload.groups

    @property
    def group_out(self) -> int:
        return self.workload.out_channels // self.workload.groups

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
    def workspace(self) -> list[Workspace]:
        at_run_time = [self.filter_workspace] if self.knobs.pack_filters_at_run_time else []
        return [*([self.input_workspace] if self.packs_inputs else []), *at_run_time]

    def data(self, func: tirx.PrimFunc) -> tirx.Buffer:
        """What is packed as the input."""
        return func.params[0]

    # ---- expansion

    def expand(self, func: tirx.PrimFunc, block: SBlock) -> tirx.Stmt:
        name = block.name_hint
        starts = [axis.min for axis in block.writes[0].region]
        if name.startswith(INPUT_PANEL):
            return self._pack_inputs(func, *starts[:4])
        if name.startswith(FILTER_PANEL):
            return self._pack_filters(func, *starts[:3])
        n, g, f, t = starts[:4]
        channel = block.reads[-1].region[3].min
        return self._tile(func, n, g, f, t, channel)

    def _pack_inputs(
        self, func: tirx.PrimFunc, n: tirx.Expr, g: tirx.Expr, t: tirx.Expr, channel: tirx.Expr
    ) -> tirx.Stmt:
        """One tile: a run of windows for each row of the output it has part in."""
        w, k = self.workload, self.knobs
        height, width = self.image
        routine = WindowPacking(k.n_win, height, width, w.kernel, w.strides[1], w.dilation, self.isa.name)
        simplify = sym.Analyzer().simplify
        plane = (n * w.in_channels + g * self.group_in + channel) * (height * width)
        source = self.data(func).access_ptr("r", offset=simplify(plane))
        start = t * k.n_win
        end = tirx.min(start + k.n_win, self.windows)
        channels = tirx.min(tirx.IntImm("int32", k.n_c), self.group_in - channel)
        slot = self._slot(INPUT_PANEL, t)

        def run(y: tirx.Expr, first: tirx.Expr, last: tirx.Expr) -> tirx.Stmt:
            row = y * w.strides[0] - w.padding[0]
            column = (first - y * self.out_width) * w.strides[1] - w.padding[1]
            into = self.input_workspace.buffer.access_ptr("w", offset=simplify(slot + first - start))
            numbers = [tirx.Cast("int64", simplify(x)) for x in (row, column, last - first, channels)]
            return tirx.Evaluate(tirx.call_extern("int32", routine.name, into, source, *numbers))

        if self.out_width == self.windows:
            stmt = run(tirx.IntImm("int32", 0), start, end)
        else:
            line = tirx.Var("line", "int32")
            top = start // self.out_width
            y = top + line
            first = tirx.max(start, y * self.out_width)
            last = tirx.min(end, (y + 1) * self.out_width)
            rows = (end - 1) // self.out_width - top + 1
            stmt = tirx.For(line, 0, rows, tirx.ForKind.SERIAL, run(y, first, last))
        if self.in_place:
            return either(tirx.EQ(t, self.inputs - 1), stmt) if self.packs_inputs else _nothing()
        return either(t < self.inputs, stmt) if self.inputs % k.input_set else stmt

    def _pack_filters(self, func: tirx.PrimFunc, g: tirx.Expr, f: tirx.Expr, channel: tirx.Expr) -> tirx.Stmt:
        """One tile of filters that come as [OC, IC / groups, KH, KW]."""
        k = self.knobs
        depth = self.group_in * self.taps
        source = ((g * self.group_out + f * k.n_f) * self.group_in + channel) * self.taps
        slot = self._slot(FILTER_PANEL, f)
        simplify = sym.Analyzer().simplify

        def of(rows: int, channels: int) -> tirx.Stmt:
            routine = PanelPacking(k.n_f, channels * self.taps, depth, 0, rows, self.isa.name)
            into = self.filter_workspace.buffer.access_ptr("w", offset=simplify(slot))
            given = func.params[1].access_ptr("r", offset=simplify(source))
            return tirx.Evaluate(tirx.call_extern("int32", routine.name, into, given))

        def of_channels(rows: int) -> tirx.Stmt:
            rest = self.group_in % k.n_c
            if not rest or self.channel_sets == 1:
                return of(rows, min(k.n_c, self.group_in))
            is_rest = tirx.EQ(channel, (self.channel_sets - 1) * k.n_c)
            return either(is_rest, of(rows, rest), of(rows, k.n_c))

        return self._by_filters(f, of_channels)

    def _tile(
        self,
        func: tirx.PrimFunc,
        n: tirx.Expr,
        g: tirx.Expr,
        f: tirx.Expr,
        t: tirx.Expr,
        channel: tirx.Expr,
    ) -> tirx.Stmt:
        """One micro-kernel call, of the variant that filters, windows and channel set ask for."""
        k, last_set = self.knobs, self.channel_sets - 1

        def of(rows: int, lanes: int, index: int) -> tirx.Stmt:
            in_place = self.in_place and lanes == k.n_win
            instance = self._instance(rows, lanes, index, in_place)
            return self._call(func, n, g, f, t, channel, instance, in_place)

        def of_sets(rows: int, lanes: int) -> tirx.Stmt:
            if not last_set:
                return of(rows, lanes, 0)
            middle = of(rows, lanes, 1) if last_set > 1 else None
            stmt = either(tirx.EQ(channel, last_set * k.n_c), of(rows, lanes, last_set), middle)
            return either(tirx.EQ(channel, 0), of(rows, lanes, 0), stmt)

        def of_windows(rows: int) -> tirx.Stmt:
            rest = self.windows % k.n_win
            if not rest or self.inputs == 1:
                stmt = of_sets(rows, min(k.n_win, self.windows))
            else:
                stmt = either(tirx.EQ(t, self.inputs - 1), of_sets(rows, rest), of_sets(rows, k.n_win))
            return either(t < self.inputs, stmt) if self.inputs % k.input_set else stmt

        return self._by_filters(f, of_windows)

    def _by_filters(self, f: tirx.Expr, make: object) -> tirx.Stmt:
        """The last filter tile may be shorter; beyond it, where sets are filled up, there is nothing."""
        assert callable(make)
        k, rest = self.knobs, self.group_out % self.knobs.n_f
        if not rest or self.filters == 1:
            stmt = make(min(k.n_f, self.group_out))
        else:
            stmt = either(tirx.EQ(f, self.filters - 1), make(rest), make(k.n_f))
        return either(f < self.filters, stmt) if self.filters % k.filter_set else stmt

    def _instance(self, rows: int, lanes: int, index: int, in_place: bool) -> KernelInstance:
        """``rows`` filters by ``lanes`` windows in channel set ``index``."""
        k, e = self.knobs, self.workload.epilogue
        first, last = index == 0, index == self.channel_sets - 1
        channels = min(k.n_c, self.group_in - index * k.n_c)
        vectors = -(-lanes // self.isa.lanes)
        return KernelInstance(
            MicroKernel(rows, vectors * self.isa.lanes, PANEL, self.isa.name),
            lanes,
            a_row=1,
            a_step=0,
            b_row=self.windows if in_place else k.n_win,
            b_step=0,
            c_row=self.windows,
            segments=(Segment(0, rows, 0, 0, channels * self.taps),),
            epilogue=TileEpilogue(
                e.bias and first,
                e.residual and last,
                e.low if last else -math.inf,
                e.high if last else math.inf,
            ),
            a_k=k.n_f,
            accumulate=not first,
            bias_by_row=e.bias,
        )

    def _call(
        self,
        func: tirx.PrimFunc,
        n: tirx.Expr,
        g: tirx.Expr,
        f: tirx.Expr,
        t: tirx.Expr,
        channel: tirx.Expr,
        instance: KernelInstance,
        in_place: bool,
    ) -> tirx.Stmt:
        w, k = self.workload, self.knobs
        _, filters, *extra, output = func.params
        simplify = sym.Analyzer().simplify
        oc = g * self.group_out + f * k.n_f
        c = simplify((n * w.out_channels + oc) * self.windows + t * k.n_win)
        if k.pack_filters_at_run_time:
            filters, a = self.filter_workspace.buffer, self._slot(FILTER_PANEL, f)
        else:
            a = ((g * self.filters + f) * self.group_in + channel) * (self.taps * k.n_f)
        if in_place:
            plane = n * w.in_channels + g * self.group_in + channel
            panel, b = self.data(func), plane * self.windows + t * k.n_win
        else:
            panel, b = self.input_workspace.buffer, self._slot(INPUT_PANEL, t)
        pointers = [
            output.access_ptr("w", offset=c),
            filters.access_ptr("r", offset=simplify(a)),
            panel.access_ptr("r", offset=simplify(b)),
        ]
        for used, offset in ((w.epilogue.bias, simplify(oc)), (w.epilogue.residual, c)):
            # An operand the epilogue lacks is never read; any pointer will do.
            pointers.append(extra.pop(0).access_ptr("r", offset=offset) if used else pointers[0])
        return tirx.Evaluate(tirx.call_extern("int32", instance.name, *pointers, tirx.IntImm("int64", 1)))

    def _slot(self, panel: str, tile: tirx.Expr) -> tirx.Expr:
        """Elements into the workspace at which a tile is: of a set, or the one there is room for."""
        if panel == INPUT_PANEL:
            one, size = self.stationary_input or self.in_place, self.input_tile
            count = self.knobs.input_set
        else:
            one, size, count = not self.stationary_input, self.filter_tile, self.knobs.filter_set
        return tirx.IntImm("int32", 0) if one else tile % count * size


def _nothing() -> tirx.Stmt:
    return tirx.Evaluate(tirx.IntImm("int32", 0))
