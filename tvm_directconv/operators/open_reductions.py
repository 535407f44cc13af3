"""Reductions of an open number of elements, of which there may be none."""

from __future__ import annotations

from tvm import s_tir, tirx
from tvm.s_tir import ScheduleError


def with_begun_reductions(schedule: s_tir.Schedule) -> tirx.PrimFunc:
    """Return what is scheduled, each reduction of an open number of elements begun before the first of them,
    and not with it."""
    for block in schedule.get_child_blocks(schedule.get_sblock("root")):
        stage = schedule.get(block)
        reduced = [axis for axis in stage.iter_vars if axis.iter_type == tirx.IterVar.CommReduce]
        if stage.init is None or all(isinstance(axis.dom.extent, tirx.IntImm) for axis in reduced):
            continue
        for loop in reversed(schedule.get_loops(block)):
            try:
                schedule.decompose_reduction(block, loop)
            except ScheduleError:  # a loop around it is of the reduction, too
                continue
            break
    return schedule.mod["main"]
