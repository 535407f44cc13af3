"""sconv: tiled direct convolution on NCHW, its tiles sized and ordered by Convolution Slicing Analysis.

SConv ("Advancing Direct Convolution Using Convolution Slicing Optimization and ISA Extensions", ACM TACO
2023). Tiles of windows are packed on demand, right before they are used; tiles of filters at compile time, or
by the same macro-kernel where they are not constants. Micro-kernels compute the outer product of filters
(rows) and windows (lanes), so that NCHW output is stored as it lies.

The macro-kernel's five layers (section 4.2), from the outside: channel sets; sets of the stationary operand;
sets of the other one; the stationary set's tiles; the other set's. Here threads share out sets of windows,
and each runs the five layers on its own; padding, stride and dilation are the packing's affair, so that the
input is never copied as a whole. Windows of a 1x1 convolution without stride are read where they lie: there
is nothing to expand, and measured, packing them pays with no number of filters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import Isa, best_isa
from intrinsics.microkernel import PANEL, MicroKernel
from tvm_directconv.model.cost import Cost, level_holding, traffic_cycles
from tvm_directconv.model.knobs import KnobSpace, Value, divisions, with_choice
from tvm_directconv.model.tiling import tile_cycles
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, Machine

from ..base import Algorithm, KernelPlan
from ..layer_geometry import flattens
from ..lowering import Expansions, Workspace
from ..packing import as_oihw, tap
from . import calls
from .compute import te_tiles, tensorize
from .geometry import SconvGeometry, Slices
from .slicing import INPUT_STATIONARY, WEIGHT_STATIONARY, Slicing, slice_convolution

MOST_VECTORS = 4
"""Vectors of windows of the widest tile tried."""
LEAST_SETS = 4
"""Input sets there are at least, where there are as many tiles, for threads to share."""


@dataclass(frozen=True)
class SconvPlan(KernelPlan[Slices]):
    """A convolution by SConv's tiles.

    Its workspace is per thread one packed input tile (IS) or a set of them (WS); of windows read in place one
    at most. Beside it, where filters are packed at run time, a set of filter tiles (IS) or one (WS).
    """

    @cached_property
    def geometry(self) -> SconvGeometry:
        return SconvGeometry(self.workload, self.isa, self.knobs)

    @property
    def slicing(self) -> Slicing:
        """The analysis of these tiles."""
        return slicing(self.workload, self.machine, self.knobs.n_f, self.knobs.n_win)

    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        return te_tiles(self.geometry, data, source, outer)

    def tensorize(self, sch: Schedule) -> None:
        tensorize(sch, self.geometry)

    @property
    def expansions(self) -> Expansions:
        g = self.geometry
        return {
            g.pack_windows: lambda block: calls.pack_windows(g, block),
            g.pack_filters: lambda block: calls.pack_filters(g, block),
            g.outer_product: lambda block: calls.multiply(g, block),
        }

    @property
    def workspaces(self) -> list[Workspace]:
        return self.geometry.workspaces

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return self.geometry.packed_filter_shape

    def pack(self, weights: np.ndarray) -> np.ndarray:
        """Tiles of n_f, [tiles, IC / groups, KH, KW, n_f], zero beyond a group's filters; OIHW where filters
        are packed at run time."""
        oihw = as_oihw(self.workload, weights)
        if self.knobs.pack_filters_at_run_time:
            return np.ascontiguousarray(oihw)
        g, groups = self.geometry, self.workload.groups
        padded = np.zeros((groups, g.filters * self.knobs.n_f, *oihw.shape[1:]), oihw.dtype)
        padded[:, : g.group_out] = oihw.reshape(groups, g.group_out, *oihw.shape[1:])
        padded = padded.reshape(groups * g.filters, self.knobs.n_f, *oihw.shape[1:])
        return np.ascontiguousarray(padded.transpose(0, 2, 3, 4, 1))

    def te_pack(self, source: te.Tensor) -> te.Tensor:
        w, g = self.workload, self.geometry

        def of_tile(tile: tirx.Var, ic: tirx.Var, kh: tirx.Var, kw: tirx.Var, m: tirx.Var) -> tirx.Expr:
            within = tile % g.filters * self.knobs.n_f + m
            oc = tile // g.filters * g.group_out + within
            value = tap(w, source, O=oc, I=ic, H=kh, W=kw)
            return tirx.if_then_else(within < g.group_out, value, tirx.const(0, w.dtype))

        def as_it_is(oc: tirx.Var, ic: tirx.Var, kh: tirx.Var, kw: tirx.Var) -> tirx.Expr:
            return tap(w, source, O=oc, I=ic, H=kh, W=kw)

        element = as_it_is if self.knobs.pack_filters_at_run_time else of_tile
        return te.compute(self.packed_filter_shape, element, name="packed_filter")

    def cost(self) -> Cost:
        """Micro-kernels tile by tile; a vector packed for each vector of windows not read in place, once per
        filter set where one input tile is kept; the slicing analysis's lines, and those of output that is
        written here and there; partial sums stored and loaded between channel sets."""
        g, k, costs = self.geometry, self.knobs, self.machine.costs
        images = self.workload.batch * self.workload.groups
        tile = k.n_f, k.n_win
        arithmetic = images * _arithmetic(self.workload, self.isa, self.machine, tile, k.n_c)
        packings = g.filter_sets if g.stationary_input else 1
        tile_vectors = images * k.n_win / self.isa.lanes
        packed = int(g.packs_inputs) if g.in_place else g.inputs
        # A vector of windows is picked from as many as they are apart.
        packing = costs.window_packing_cycles * min(self.workload.strides[1], self.isa.lanes)
        packing *= packed * tile_vectors * g.group_in * g.taps * packings
        if g.in_place:
            visits = images * g.inputs * g.group_in * (1 if g.stationary_input else g.filters)
            hidden = k.n_f * k.n_win / self.isa.lanes / self.machine.fma_per_cycle
            packing += visits * max(0, costs.row_visit_cycles - hidden)
        waited = costs.streamed_traffic * costs.exposed_traffic / costs.misses_in_flight
        traffic = images * waited * self.slicing.cost[k.schedule] + self._scattered()
        passes = 2 * (g.channel_sets - 1) * g.inputs * tile_vectors * g.group_out
        return Cost(arithmetic, packing, traffic, passes)

    def _scattered(self) -> float:
        """Cycles waited for lines of output where a kept input tile is multiplied by all filters: parts of as
        many planes are then written in turns, which are more streams than are fetched ahead. A kept filter
        tile writes its planes from end to end."""
        w, g = self.workload, self.geometry
        output = w.out_bytes * math.prod(w.output_shape)
        level = level_holding(self.machine, w.element_bytes * math.prod(w.input_shape) + output)
        if level == 1 or not g.stationary_input or g.filters == 1:
            return 0.0
        waited = (1 - self.machine.costs.streamed_traffic) * traffic_cycles(self.machine, {level: output})
        # Nothing hides them from L3 on.
        return waited / self.machine.costs.exposed_traffic if level > 2 else waited

    def describe(self) -> Mapping[str, Any]:
        """The knobs in use, and the slicing analysis behind them: k2, k3, both schedules' costs, cache
        use."""
        sliced = self.slicing
        return asdict(self.knobs) | {
            "k2": sliced.k2,
            "k3": sliced.k3,
            "cost": {name: round(cost) for name, cost in sliced.cost.items()},
            "cache_use": {f"L{level}": used for level, used in sliced.cache_use.items()},
        }

    def knob_spaces(self, algorithm: str) -> list[KnobSpace]:
        """N_c, the schedule, the sizes of its two sets of tiles, and where windows lie as a tile does,
        whether they are packed; a space for each micro-kernel of filters by windows."""
        g, spaces = self.geometry, []
        for vectors in range(1, MOST_VECTORS + 1):
            n_f, n_win = _tile_of(self.workload, self.isa, vectors)
            if not n_f:
                continue
            choices: dict[str, tuple[Value, ...]] = {
                "n_c": divisions(g.group_in, (1, 2, 4, 8, 16)),
                "schedule": (INPUT_STATIONARY, WEIGHT_STATIONARY),
                "input_set": divisions(-(-g.windows // n_win), (1, 2, 4, 8, 16, 32)),
                "filter_set": divisions(-(-g.group_out // n_f), (1, 2, 4, 8)),
                "in_place": (False, True) if g.flattened else (False,),
            }
            fixed: dict[str, Value] = {"n_f": n_f, "n_win": n_win, "pack_filters_at_run_time": False}
            spaces.append(KnobSpace(algorithm, f"{n_f}x{n_win}", Slices, fixed, choices))
        return with_choice(spaces, algorithm, f"{self.knobs.n_f}x{self.knobs.n_win}", self.knobs)


def has_channels_as_rows(workload: Conv2dWorkload) -> bool:
    """Return whether a product whose rows are channels and vectors pixels computes the workload: constants of
    channels are vectors of theirs."""
    return workload.dtype == FLOAT32 and not workload.epilogue.per_channel


class Sconv(Algorithm[Slices]):
    """Everything in NCHW but depthwise layers: without a sum over channels, packing costs what it saves."""

    name = "sconv"
    needs = "NCHW data in floats, and more than one channel per group"

    def layouts(self, workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
        return "NCHW", "NCHW"

    def applies(self, workload: Conv2dWorkload) -> bool:
        w = workload
        return has_channels_as_rows(w) and w.data_layout == w.out_layout == "NCHW" and not w.is_depthwise

    def make_plan(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Slices | None) -> SconvPlan:
        isa = best_isa(target)
        slices = knobs or choose_slices(workload, isa, target.machine)
        return SconvPlan(workload, isa, target.machine, slices)


ALGORITHMS = (Sconv(),)


# ---- what the analytical model chooses


def choose_slices(
    workload: Conv2dWorkload, isa: Isa, machine: Machine, n_f: int = 0, n_win: int = 0
) -> Slices:
    """The slicing analysis's choice, for a tile of ``n_f`` x ``n_win`` (24 x 16 is the paper's for AVX-512),
    or for the one of least estimated cost."""
    if not n_f or not n_win:
        tiles = [_tile_of(workload, isa, vectors) for vectors in range(1, MOST_VECTORS + 1)]
        found = [choose_slices(workload, isa, machine, *tile) for tile in tiles if tile[0]]
        return min(found, key=lambda slices: SconvPlan(workload, isa, machine, slices).cost().total)
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
    """Return a tile of as many filters as fit beside that many vectors of windows, all tiles about equally
    high."""
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
