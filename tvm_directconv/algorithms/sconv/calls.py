"""The packing and micro-kernel calls that SConv's tiles stand for.

Everything that is not a loop is here: which windows a tile has, what of them lies in which row of the output,
tails of channels, filters and windows, and where operands are.
"""

from __future__ import annotations

from collections.abc import Callable

from tvm import sym, tirx

from intrinsics.microkernel import PANEL, KernelInstance, MicroKernel, Segment
from intrinsics.packing.panels import PanelPacking
from intrinsics.packing.windows import WindowPacking

from ..branches import but_last, by_pass, either
from ..epilogue import Operands, Place, kernel_call
from ..lowering import Block
from .geometry import FilterAxes, SconvGeometry, SumAxes, WindowAxes


def pack_windows(g: SconvGeometry, block: Block) -> tirx.Stmt | None:
    """The calls that pack one tile: a run of windows for each row of the output it has part in."""
    w, k = g.workload, g.knobs
    at = WindowAxes(*block.starts("C"))
    height, width = g.image
    routine = WindowPacking(k.n_win, height, width, w.kernel, w.strides[1], w.dilation, g.isa.name)
    simplify = sym.Analyzer().simplify
    plane = (at.image * w.in_channels + at.group * g.group_in + at.channel) * (height * width)
    source = block.input.access_ptr("r", offset=simplify(plane))
    start = at.windows * k.n_win
    end = tirx.min(start + k.n_win, g.windows)
    channels = tirx.min(tirx.IntImm("int32", k.n_c), g.group_in - at.channel)
    slot = _input_slot(g, at.windows)

    def run(y: tirx.Expr, first: tirx.Expr, last: tirx.Expr) -> tirx.Stmt:
        row = y * w.strides[0] - w.padding[0]
        column = (first - y * g.out_width) * w.strides[1] - w.padding[1]
        into = g.input_workspace.buffer.access_ptr("w", offset=simplify(slot + first - start))
        numbers = [tirx.Cast("int64", simplify(x)) for x in (row, column, last - first, channels)]
        return tirx.Evaluate(tirx.call_extern("int32", routine.name, into, source, *numbers))

    if g.out_width == g.windows:
        stmt = run(tirx.IntImm("int32", 0), start, end)
    else:
        line = tirx.Var("line", "int32")
        top = start // g.out_width
        y = top + line
        first = tirx.max(start, y * g.out_width)
        last = tirx.min(end, (y + 1) * g.out_width)
        rows = (end - 1) // g.out_width - top + 1
        stmt = tirx.For(line, 0, rows, tirx.ForKind.SERIAL, run(y, first, last))
    if g.in_place:
        return either(tirx.EQ(at.windows, g.inputs - 1), stmt) if g.packs_inputs else None
    return either(at.windows < g.inputs, stmt) if g.inputs % k.input_set else stmt


def pack_filters(g: SconvGeometry, block: Block) -> tirx.Stmt:
    """The call that packs one tile of filters, which come as [OC, IC / groups, KH, KW]."""
    k = g.knobs
    at = FilterAxes(*block.starts("C"))
    filters = Operands.of(g.workload, block.func).packed
    source = ((at.group * g.group_out + at.filters * k.n_f) * g.group_in + at.channel) * g.taps
    slot = _filter_slot(g, at.filters)
    simplify = sym.Analyzer().simplify

    def of(rows: int, channels: int) -> tirx.Stmt:
        routine = PanelPacking(k.n_f, channels * g.taps, g.group_in * g.taps, 0, rows, g.isa.name)
        into = g.filter_workspace.buffer.access_ptr("w", offset=simplify(slot))
        given = filters.access_ptr("r", offset=simplify(source))
        return tirx.Evaluate(tirx.call_extern("int32", routine.name, into, given))

    def of_channels(rows: int) -> tirx.Stmt:
        rest, sets = g.group_in % k.n_c, g.channel_sets
        return but_last(at.channel // k.n_c, sets, k.n_c, rest, lambda channels: of(rows, channels))

    return _by_filters(g, at.filters, of_channels)


def multiply(g: SconvGeometry, block: Block) -> tirx.Stmt:
    """One micro-kernel call, of the variant that filters, windows and channel set ask for."""
    at, channel = SumAxes(*block.starts("C")), FilterAxes(*block.starts("A")).channel

    def of_windows(rows: int) -> tirx.Stmt:
        rest, loops = g.windows % g.knobs.n_win, g.window_axes.windows
        return but_last(at.windows, g.inputs, g.knobs.n_win, rest, lambda lanes: of_sets(rows, lanes), loops)

    def of_sets(rows: int, lanes: int) -> tirx.Stmt:
        in_place = g.in_place and lanes == g.knobs.n_win

        def of_set(index: int, start: tirx.Expr) -> tirx.Stmt:
            instance = _instance(g, rows, lanes, index, in_place)
            return _call(g, block, at, start, instance, in_place)

        return by_pass(channel, g.knobs.n_c, g.channel_sets, of_set)

    return _by_filters(g, at.filters, of_windows)


def _by_filters(g: SconvGeometry, tile: tirx.Expr, make: Callable[[int], tirx.Stmt]) -> tirx.Stmt:
    """The last filter tile may be shorter; beyond it, where sets are filled up, there is nothing."""
    n_f = g.knobs.n_f
    return but_last(tile, g.filters, n_f, g.group_out % n_f, make, g.filter_axes.filters)


def _instance(g: SconvGeometry, rows: int, lanes: int, index: int, in_place: bool) -> KernelInstance:
    """``rows`` filters by ``lanes`` windows in channel set ``index``."""
    k, e = g.knobs, g.workload.epilogue
    assert not e.per_channel, "rows are channels here, and their constants vectors of lanes"
    channels = min(k.n_c, g.group_in - index * k.n_c)
    return KernelInstance(
        MicroKernel(rows, -(-lanes // g.isa.lanes) * g.isa.lanes, PANEL, g.isa.name),
        lanes,
        a_row=1,
        a_step=0,
        b_row=g.windows if in_place else k.n_win,
        b_step=0,
        c_row=g.windows,
        segments=(Segment(0, rows, 0, 0, channels * g.taps),),
        epilogue=e.of_pass(index == 0, index == g.channel_sets - 1),
        a_k=k.n_f,
        accumulate=index > 0,
        bias_by_row=e.bias,
    )


def _call(
    g: SconvGeometry, block: Block, at: SumAxes, channel: tirx.Expr, instance: KernelInstance, in_place: bool
) -> tirx.Stmt:
    w, k = g.workload, g.knobs
    operands = Operands.of(w, block.func)
    simplify = sym.Analyzer().simplify
    oc = at.group * g.group_out + at.filters * k.n_f
    c = simplify((at.image * w.out_channels + oc) * g.windows + at.windows * k.n_win)
    a: Place
    if k.pack_filters_at_run_time:
        a = g.filter_workspace.buffer, _filter_slot(g, at.filters)
    else:
        tile = at.group * g.filters + at.filters
        a = operands.packed, (tile * g.group_in + channel) * (g.taps * k.n_f)
    b: Place
    if in_place:
        plane = at.image * w.in_channels + at.group * g.group_in + channel
        b = block.input, plane * g.windows + at.windows * k.n_win
    else:
        b = g.input_workspace.buffer, _input_slot(g, at.windows)
    of_a, of_b = ((buffer, simplify(offset)) for buffer, offset in (a, b))
    return kernel_call(instance.name, operands, c, of_a, of_b, (simplify(oc), c))


def _input_slot(g: SconvGeometry, tile: tirx.Expr) -> tirx.Expr:
    """Elements into the workspace at which a tile of windows is: of a set, or the one there is room for."""
    one = g.stationary_input or g.in_place
    return tirx.IntImm("int32", 0) if one else tile % g.knobs.input_set * g.input_tile


def _filter_slot(g: SconvGeometry, tile: tirx.Expr) -> tirx.Expr:
    """Offset of a tile of filters in the workspace."""
    one = not g.stationary_input
    return tirx.IntImm("int32", 0) if one else tile % g.knobs.filter_set * g.filter_tile
