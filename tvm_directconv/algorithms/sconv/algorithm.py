"""sconv: tiled direct convolution on NCHW, its tiles sized and ordered by Convolution Slicing Analysis.

SConv ("Advancing Direct Convolution Using Convolution Slicing Optimization and ISA Extensions", ACM TACO
2023). Tiles of windows are packed on demand, right before they are used; tiles of filters at compile time, or
by the same macro-kernel where they are no constants. Micro-kernels compute the outer product of filters
(rows) and windows (lanes), so that NCHW output is stored as it lies.

The macro-kernel's five layers (section 4.2), from the outside: channel sets; sets of the stationary operand;
sets of the other one; the stationary set's tiles; the other set's. Here threads share out sets of windows,
and each runs the five layers on its own; padding, stride and dilation are the packing's affair, so that the
input is never copied as a whole. Windows of a 1x1 convolution without stride are read where they lie: there
is nothing to expand, and measured, packing them pays with no number of filters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import Isa, best_isa
from intrinsics.microkernel import PANEL, MicroKernel
from intrinsics.tensorize import Intrinsic
from tvm_directconv.algorithms.lowering import lower
from tvm_directconv.algorithms.strips.plan import flattens
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.model.cost import EXPOSED, LINES_IN_FLIGHT, STREAMED, Cost
from tvm_directconv.model.knobs import KnobSpace, Value, divisions, with_choice
from tvm_directconv.model.tiling import tile_cycles
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, Machine

from .plan import FILTER_PANEL, INPUT_PANEL, SconvPlan, Slices
from .slicing import INPUT_STATIONARY, WEIGHT_STATIONARY, Slicing, slice_convolution

NAME = "sconv"
PLEVEL = 10
MOST_VECTORS = 4
"""Widest tile tried, in vectors of windows."""
LEAST_SETS = 4
"""Input sets there are at least, where there are as many tiles, for threads to share."""
PACKING_CYCLES = 2.0
"""Of a vector of windows: a load, a shift and a store, with masks at borders; measured."""


@dataclass(frozen=True)
class OuterProduct(Intrinsic):
    """``C[m, j] += sum_{c, h, w} A[c, h, w, m] * B[c, h, w, j]``: ``m`` filters by ``j`` windows."""

    m: int
    j: int
    c: int
    h: int
    w: int

    kind = "outer_product"

    def loops(self) -> Mapping[str, tuple[str, int]]:
        kinds = {"m": "S", "j": "S", "c": "R", "h": "R", "w": "R"}
        return {name: (kind, getattr(self, name)) for name, kind in kinds.items()}

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        k = (self.c, self.h, self.w)
        return {"A": (*k, self.m), "B": (*k, self.j), "C": (self.m, self.j)}

    def statement(self, v: Mapping[str, str]) -> str:
        k, c = f"{v['c']}, {v['h']}, {v['w']}", f"C[{v['m']}, {v['j']}]"
        return f"{c} = {c} + A[{k}, {v['m']}] * B[{k}, {v['j']}]"


@dataclass(frozen=True)
class PackTile(Intrinsic):
    """``C[c, h, w, i] = A[c, h, w, i]``: a tile of windows or filters, from what only describes it."""

    c: int
    h: int
    w: int
    i: int

    kind = "pack_tile"

    def loops(self) -> Mapping[str, tuple[str, int]]:
        return {name: ("S", getattr(self, name)) for name in ("c", "h", "w", "i")}

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        shape = (self.c, self.h, self.w, self.i)
        return {"A": shape, "C": shape}

    def statement(self, v: Mapping[str, str]) -> str:
        at = f"{v['c']}, {v['h']}, {v['w']}, {v['i']}"
        return f"C[{at}] = A[{at}]"


def layouts(workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
    """NCHW in and out."""
    return "NCHW", "NCHW"


def applies(workload: Conv2dWorkload) -> bool:
    """Everything in NCHW but depthwise layers: without a sum over channels, packing costs what it saves."""
    w = workload
    return not w.quantized and w.data_layout == w.out_layout == "NCHW" and not w.is_depthwise


def compute(workload: Conv2dWorkload, target: CompileTarget, knobs: Slices | None = None) -> tirx.PrimFunc:
    """The convolution in TE, unscheduled: (data, packed filter[, bias][, residual], output).

    ``knobs`` None asks the slicing analysis, here and in the functions below.
    """
    data = te.placeholder(workload.input_shape, workload.dtype, name="data")
    return te_tiles(plan_slices(workload, target, knobs), data, data, workload)


def te_tiles(plan: SconvPlan, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
    """Stages view (every window, by output pixel), panel (tiles of windows), filter_view (the filter by
    tiles), filter_panel where filters are packed at run time, conv, epilogue.

    ``source`` is what the plan's convolution reads, ``data`` what the function takes; bias, residual and
    output are those of ``outer``, whose pixels are the plan's in the same order.
    """
    w, k = plan.workload, plan.knobs
    packed = te.placeholder(plan.packed_filter_shape, w.dtype, name="packed_filter")
    bias = te.placeholder((w.out_channels,), w.dtype, name="bias")
    residual = te.placeholder(outer.output_shape, w.dtype, name="residual")
    zero = tirx.const(0, w.dtype)
    depth = plan.channel_sets * k.n_c
    inputs, filters = plan.input_sets * k.input_set, plan.filter_sets * k.filter_set
    top, left, _, _ = w.padding

    def window(
        n: tirx.Var, g: tirx.Var, t: tirx.Var, c: tirx.Var, kh: tirx.Var, kw: tirx.Var, j: tirx.Var
    ) -> tirx.Expr:
        pixel = t * k.n_win + j
        y = pixel // w.out_width * w.strides[0] + kh * w.dilation[0] - top
        x = pixel % w.out_width * w.strides[1] + kw * w.dilation[1] - left
        inside = tirx.all(pixel < plan.windows, c < plan.group_in, y >= 0, y < w.height, x >= 0, x < w.width)
        return tirx.if_then_else(inside, source[n, g * plan.group_in + c, y, x], zero)

    window_shape = (w.batch, w.groups, inputs, depth, *w.kernel, k.n_win)
    view = te.compute(window_shape, window, name="view")
    panel = te.compute(window_shape, lambda *at: view[at], name=INPUT_PANEL)

    def tiled(g: tirx.Var, f: tirx.Var, c: tirx.Var, kh: tirx.Var, kw: tirx.Var, m: tirx.Var) -> tirx.Expr:
        inside = tirx.all(f * k.n_f + m < plan.group_out, c < plan.group_in)
        if k.pack_filters_at_run_time:
            value = packed[g * plan.group_out + f * k.n_f + m, c, kh, kw]
        else:
            value = packed[g * plan.filters + f, c, kh, kw, m]
        return tirx.if_then_else(inside, value, zero)

    filter_shape = (w.groups, filters, depth, *w.kernel, k.n_f)
    tiles = te.compute(filter_shape, tiled, name="filter_view")
    if k.pack_filters_at_run_time:
        from_view = tiles
        tiles = te.compute(filter_shape, lambda *at: from_view[at], name=FILTER_PANEL)

    rc = te.reduce_axis((0, depth), name="ic")
    rh, rw = (te.reduce_axis((0, e), name=name) for e, name in zip(w.kernel, ("kh", "kw"), strict=True))
    conv = te.compute(
        (w.batch, w.groups, filters, inputs, k.n_f, k.n_win),
        lambda n, g, f, t, m, j: te.sum(
            tiles[g, f, rc, rh, rw, m] * panel[n, g, t, rc, rh, rw, j], axis=[rc, rh, rw]
        ),
        name="conv",
    )

    def finished(n: tirx.Var, oc: tirx.Var, y: tirx.Var, x: tirx.Var) -> tirx.Expr:
        g, within, pixel = oc // plan.group_out, oc % plan.group_out, y * outer.out_width + x
        value = conv[n, g, within // k.n_f, pixel // k.n_win, within % k.n_f, pixel % k.n_win]
        value = value + bias[oc] if w.epilogue.bias else value
        value = value + residual[n, oc, y, x] if w.epilogue.residual else value
        value = tirx.max(value, tirx.const(w.epilogue.low, w.dtype))
        return tirx.min(value, tirx.const(w.epilogue.high, w.dtype))

    output = te.compute(outer.output_shape, finished, name="epilogue")
    extra = [t for t, used in ((bias, w.epilogue.bias), (residual, w.epilogue.residual)) if used]
    return te.create_prim_func([data, packed, *extra, output])


def schedule(
    func: tirx.PrimFunc, workload: Conv2dWorkload, target: CompileTarget, knobs: Slices | None = None
) -> tirx.PrimFunc:
    """Schedule and tensorize ``compute``'s function, and lower it to packing and micro-kernel calls."""
    plan = plan_slices(workload, target, knobs)
    return lower(tensorized(Schedule(func), plan).mod, plan.expand, plan.workspace)


def tensorized(sch: Schedule, plan: SconvPlan) -> Schedule:
    """The five layers; packing and the outer product inside them go to generated routines."""
    k, kernel = plan.knobs, plan.workload.kernel
    conv, panel = sch.get_sblock("conv"), sch.get_sblock(INPUT_PANEL)
    n, g, f, t, m, j, ic, kh, kw = sch.get_loops(conv)
    input_set, t = sch.split(t, [None, k.input_set])
    filter_set, f = sch.split(f, [None, k.filter_set])
    channel_set, ic = sch.split(ic, [None, k.n_c])
    stationary, moving = (t, f) if plan.stationary_input else (f, t)
    sch.reorder(n, g, input_set, channel_set, filter_set, stationary, moving, m, j, ic, kh, kw)
    sch.compute_at(panel, t if plan.stationary_input else channel_set, preserve_unit_loops=True)
    blocks = [(panel, k.n_win)]
    if k.pack_filters_at_run_time:
        filters = sch.get_sblock(FILTER_PANEL)
        sch.compute_at(filters, filter_set if plan.stationary_input else f, preserve_unit_loops=True)
        blocks.append((filters, k.n_f))
    sch.parallel(sch.fuse(n, g, input_set))
    sch.decompose_reduction(conv, channel_set)
    sch.tensorize(m, OuterProduct(k.n_f, k.n_win, k.n_c, *kernel).register())
    for block, width in blocks:
        sch.tensorize(sch.get_loops(block)[-4], PackTile(k.n_c, *kernel, width).register())
    return sch


def pack(workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    """The filter in tiles of n_f, [tiles, IC / groups, KH, KW, n_f], zero beyond a group's filters; a shape
    of four extents is the filter in OIHW."""
    oihw = np.transpose(weights, [workload.filter_layout.index(axis) for axis in "OIHW"])
    if len(packed_shape) == 4:
        return np.ascontiguousarray(oihw)
    per_group, n_f = workload.out_channels // workload.groups, packed_shape[-1]
    tiles = packed_shape[0] // workload.groups
    padded = np.zeros((workload.groups, tiles * n_f, *oihw.shape[1:]), oihw.dtype)
    padded[:, :per_group] = oihw.reshape(workload.groups, per_group, *oihw.shape[1:])
    padded = padded.reshape(workload.groups * tiles, n_f, *oihw.shape[1:])
    return np.ascontiguousarray(padded.transpose(0, 2, 3, 4, 1))


def pack_func(workload: Conv2dWorkload, packed_shape: tuple[int, ...]) -> tirx.PrimFunc:
    """``pack`` as a TE PrimFunc (filter, packed)."""
    source = te.placeholder(workload.filter_shape, workload.dtype, name="filter")
    return te.create_prim_func([source, te_pack(workload, packed_shape, source)])


def te_pack(workload: Conv2dWorkload, packed_shape: tuple[int, ...], source: te.Tensor) -> te.Tensor:
    """``pack`` in TE."""
    per_group, n_f = workload.out_channels // workload.groups, packed_shape[-1]
    tiles = packed_shape[0] // workload.groups

    def element(*at: tirx.Var) -> tirx.Expr:
        if len(packed_shape) == 4:
            oc, (ic, kh, kw), inside = at[0], at[1:], tirx.IntImm("bool", 1)
        else:
            tile, ic, kh, kw, m = at
            within = tile % tiles * n_f + m
            oc, inside = tile // tiles * per_group + within, within < per_group
        index = {"O": oc, "I": ic, "H": kh, "W": kw}
        value = source(*(index[axis] for axis in workload.filter_layout))
        return tirx.if_then_else(inside, value, tirx.const(0, workload.dtype))

    return te.compute(packed_shape, element, name="packed_filter")


def workspace_bytes(workload: Conv2dWorkload, target: CompileTarget, knobs: Slices | None = None) -> int:
    """Per thread one packed input tile (IS) or a set of them (WS); of windows read in place one at most.
    Beside it, where filters are packed at run time, a set of filter tiles (IS) or one (WS)."""
    return sum(workspace.bytes for workspace in plan_slices(workload, target, knobs).workspace)


def describe(workload: Conv2dWorkload, target: CompileTarget, knobs: Slices | None = None) -> dict[str, Any]:
    """The knobs in use, and the slicing analysis behind them: k2, k3, both schedules' costs, cache use."""
    plan = plan_slices(workload, target, knobs)
    sliced = slicing(workload, target.machine, plan.knobs.n_f, plan.knobs.n_win)
    return asdict(plan.knobs) | {
        "k2": sliced.k2,
        "k3": sliced.k3,
        "cost": {name: round(cost) for name, cost in sliced.cost.items()},
        "cache_use": {f"L{level}": used for level, used in sliced.cache_use.items()},
    }


def cost(workload: Conv2dWorkload, target: CompileTarget, knobs: Slices | None = None) -> Cost:
    """Micro-kernels tile by tile; a vector packed for each vector of windows not read in place, once per
    filter set where one input tile is kept; the slicing analysis's lines; partial sums stored and loaded
    between channel sets."""
    plan = plan_slices(workload, target, knobs)
    w, k, machine = workload, plan.knobs, target.machine
    images = w.batch * w.groups
    arithmetic = images * _arithmetic(workload, plan.isa, machine, (k.n_f, k.n_win), k.n_c)
    packings = plan.filter_sets if plan.stationary_input else 1
    tile_vectors = images * k.n_win / plan.isa.lanes
    packed = int(plan.packs_inputs) if plan.in_place else plan.inputs
    packing = PACKING_CYCLES * packed * tile_vectors * plan.group_in * plan.taps * packings
    sliced = slicing(workload, machine, k.n_f, k.n_win)
    traffic = images * STREAMED * EXPOSED * sliced.cost[k.schedule] / LINES_IN_FLIGHT
    passes = 2 * (plan.channel_sets - 1) * plan.inputs * tile_vectors * plan.group_out
    return Cost(arithmetic, packing, traffic, passes)


def knob_spaces(workload: Conv2dWorkload, target: CompileTarget) -> list[KnobSpace]:
    """What a tuner may choose, by micro-kernel of filters by windows: N_c, the schedule, the sizes of its two
    sets of tiles, and where windows lie as a tile does, whether they are packed."""
    plan = plan_slices(workload, target)
    isa, spaces = plan.isa, []
    for vectors in range(1, MOST_VECTORS + 1):
        n_f, n_win = _tile_of(workload, isa, vectors)
        if not n_f:
            continue
        inputs, filters = -(-plan.windows // n_win), -(-plan.group_out // n_f)
        choices: dict[str, tuple[Value, ...]] = {
            "n_c": divisions(plan.group_in, (1, 2, 4, 8, 16)),
            "schedule": (INPUT_STATIONARY, WEIGHT_STATIONARY),
            "input_set": divisions(inputs, (1, 2, 4, 8, 16, 32)),
            "filter_set": divisions(filters, (1, 2, 4, 8)),
            "in_place": (False, True) if flattens(workload) else (False,),
        }
        fixed: dict[str, Value] = {"n_f": n_f, "n_win": n_win, "pack_filters_at_run_time": False}
        spaces.append(KnobSpace(NAME, f"{n_f}x{n_win}", Slices, fixed, choices))
    chosen = plan.knobs
    return with_choice(spaces, NAME, f"{chosen.n_f}x{chosen.n_win}", chosen)


@lru_cache(maxsize=1024)
def plan_slices(workload: Conv2dWorkload, target: CompileTarget, knobs: Slices | None = None) -> SconvPlan:
    if not applies(workload):
        raise AlgorithmError(f"{NAME} needs NCHW data and more than one channel per group, not {workload}")
    isa = best_isa(target.features)
    return SconvPlan(workload, isa, knobs or choose_slices(workload, isa, target.machine))


def choose_slices(
    workload: Conv2dWorkload, isa: Isa, machine: Machine, n_f: int = 0, n_win: int = 0
) -> Slices:
    """The slicing analysis's choice, for a tile of ``n_f`` x ``n_win`` (24 x 16 is the paper's for AVX-512),
    or for the one whose micro-kernels take the fewest cycles."""
    if not n_f or not n_win:
        tiles = [_tile_of(workload, isa, vectors) for vectors in range(1, MOST_VECTORS + 1)]
        n_f, n_win = min(
            (tile for tile in tiles if tile[0]),
            key=lambda tile: _arithmetic(workload, isa, machine, tile, slicing(workload, machine, *tile).n_c),
        )
    sliced = slicing(workload, machine, n_f, n_win)
    n_win = -(-sliced.n_win // isa.lanes) * isa.lanes
    inputs = -(-workload.out_height * workload.out_width // n_win)
    stationary = sliced.schedule == INPUT_STATIONARY
    share = -(-inputs // LEAST_SETS)
    return Slices(
        sliced.n_f,
        n_win,
        sliced.n_c,
        sliced.schedule,
        min(sliced.k3 if stationary else sliced.k2, share),
        sliced.k2 if stationary else sliced.k3,
        in_place=flattens(workload),
    )


@lru_cache(maxsize=4096)
def slicing(workload: Conv2dWorkload, machine: Machine, n_f: int, n_win: int) -> Slicing:
    """The analysis with the paper's parameters."""
    return slice_convolution(workload, machine, n_f=n_f, n_win=n_win)


def _tile_of(workload: Conv2dWorkload, isa: Isa, vectors: int) -> tuple[int, int]:
    """As many filters as fit beside that many vectors of windows, all tiles about equally high."""
    filters = workload.out_channels // workload.groups
    most = isa.largest_mr(vectors * isa.lanes, PANEL)
    return (-(-filters // -(-filters // most)) if most else 0), vectors * isa.lanes


def _arithmetic(
    workload: Conv2dWorkload, isa: Isa, machine: Machine, tile: tuple[int, int], n_c: int
) -> float:
    """Cycles of all micro-kernel calls for one image and group, by tiles of (filters, windows)."""
    n_f, n_win = tile
    filters = workload.out_channels // workload.groups
    windows = workload.out_height * workload.out_width
    channels, taps = workload.in_channels // workload.groups, workload.kernel[0] * workload.kernel[1]
    total = 0.0
    for rows, rows_count in ((n_f, filters // n_f), (filters % n_f, 1)):
        for lanes, lanes_count in ((n_win, windows // n_win), (windows % n_win, 1)):
            if rows and lanes:
                kernel = MicroKernel(rows, -(-lanes // isa.lanes) * isa.lanes, PANEL, isa.name)
                for depth, count in ((n_c, channels // n_c), (channels % n_c, 1)):
                    if depth:
                        cycles = tile_cycles(isa, machine, kernel, depth * taps)
                        total += rows_count * lanes_count * count * cycles
    return total
