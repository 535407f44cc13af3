"""A rule for reductions of few terms and many results, such as pooling: each result is a thread's.

TVM's dlight gives every result a work group, which nine terms leave mostly idle, and pays a barrier for each
halving of it.
"""

from __future__ import annotations

import math
from typing import Any

import tvm
from tvm import s_tir, tirx
from tvm.s_tir import dlight
from tvm.s_tir.dlight.analysis import normalize_prim_func
from tvm.s_tir.dlight.base import max_threads_per_block, try_inline_contiguous_spatial

THREADS = 256
"""A work group has so many threads, where the device allows it."""


class ThreadReduction(dlight.ScheduleRule):
    """Takes one reduction, with elementwise steps before and behind it, that has at least as many results as
    terms, where neighbouring results read neighbouring elements: with fewer, or where what is contiguous is
    what is summed, threads had better work together."""

    def apply(self, func: tirx.PrimFunc, target: tvm.target.Target, tunable: bool) -> Any:
        schedule = s_tir.Schedule(func)
        found = normalize_prim_func(schedule)
        blocks = None if found is None else try_inline_contiguous_spatial(schedule, found)
        if not blocks or not blocks[0].is_reduction() or len(blocks) > 2:
            return None
        summed, last = blocks[0], blocks[-1]
        if len(blocks) == 2 and not last.is_injective():
            return None
        kinds, extents = summed.dom_kind(), summed.dom()
        if not all(isinstance(extent, int | tirx.IntImm) for extent in extents) or set(kinds) != {"S", "R"}:
            return None
        sizes = {
            kind: math.prod(int(e) for e, k in zip(extents, kinds, strict=True) if k == kind) for kind in "SR"
        }
        if sizes["S"] < sizes["R"] or _sums_neighbours(schedule.get(summed.block_rv)):
            return None
        results = [loop for loop, kind in zip(last.get_loops(), last.dom_kind(), strict=True) if kind == "S"]
        schedule.reorder(*results)
        if len(blocks) == 2:
            # At loops that are not fused yet: indices of fused ones are too much for TVM's checks.
            schedule.compute_at(summed.block_rv, results[-1], preserve_unit_loops=True)
            # A normalization has two: of numbers and of their squares.
            for output in range(len(schedule.get(summed.block_rv).writes)):
                schedule.set_scope(summed.block_rv, output, "local")
        size = min(THREADS, max_threads_per_block(target))
        groups, threads = schedule.split(schedule.fuse(*results), factors=[None, size])
        schedule.bind(groups, "blockIdx.x")
        schedule.bind(threads, "threadIdx.x")
        inner = schedule.get_loops(summed.block_rv)[2:]
        schedule.decompose_reduction(summed.block_rv, inner[0])
        return schedule


def _sums_neighbours(block: tirx.SBlock) -> bool:
    """Whether neighbouring elements of something that a block reads go to one result alone: its last axis is
    summed over, and not in windows, as of normalization over channels."""
    summed = {each.var for each in block.iter_vars if each.iter_type == tirx.IterVar.CommReduce}

    def names(expression: tirx.Expr) -> set[tirx.Var]:
        return set(tirx.analysis.undefined_vars(expression))

    last = [names(read.region[-1].min) for read in block.reads if len(read.region)]
    return any(each & summed and not each - summed for each in last)
