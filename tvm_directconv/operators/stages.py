"""What default schedules ask of a stage of a function: what it computes of what, and how much."""

from __future__ import annotations

import math
from typing import Any

from tvm import ir, s_tir, tirx
from tvm_ffi import structural_walk

from tvm_directconv.problem.element_types import element_bytes
from tvm_directconv.problem.extents import magnitude

from .contiguity import typical_size
from .vector_calls import VECTOR_CALLS

COSTLY_FACTOR = 8
"""An element with calls in it takes this many times as long as one without."""
CHEAP_CALLS = frozenset({"tirx.sqrt", "tirx.rsqrt", "tirx.fabs", "tirx.reinterpret", "tirx.likely"})
BRANCH = "tirx.if_then_else"
SCALAR_CALLS = frozenset({"tirx.sinh", "tirx.cosh", "tirx.nearbyint"})
"""Calls of which TVM's code generator refuses vectors, or makes slow ones: of roundings in serial loops LLVM
makes vectors itself, in a sixth of the time."""


def is_injective(stage: s_tir.SBlock) -> bool:
    """Whether each of its elements is computed by itself."""
    return all(axis.iter_type == tirx.IterVar.DataPar for axis in stage.iter_vars)


def has_vectors(stage: s_tir.SBlock) -> bool:
    """Whether it can be computed in vectors; those of booleans are miscompiled, and those of several results
    at once, as the largest element and its place, whose values TVM binds to scalars."""
    dtypes = {region.source.dtype for region in [*stage.reads, *stage.writes]}
    calls = called(stage)
    if dtypes == {"float32"}:
        calls -= VECTOR_CALLS.keys()
    return "bool" not in dtypes and len(stage.writes) == 1 and not calls & SCALAR_CALLS


def loads_of(node: Any, stage: s_tir.SBlock) -> list[ir.TensorLoad]:
    """The reads of what the stage computes."""
    loads: list[ir.TensorLoad] = []
    structural_walk(node, (ir.TensorLoad, loads.append))
    return [load for load in loads if load.source.same_as(stage.writes[0].source)]


def divides_by(consumer: s_tir.SBlock, stage: s_tir.SBlock) -> bool:
    """Whether a consumer divides by what the stage computes."""
    divisions: list[tirx.Div] = []
    structural_walk(consumer.body, (tirx.Div, divisions.append))
    return any(loads_of(division.b, stage) for division in divisions)


def nodes_of(stage: s_tir.SBlock) -> int:
    """The size of an expression, as a tree."""
    nodes: list[ir.Expr] = []
    structural_walk(stage.body, (ir.Expr, nodes.append))
    return len(nodes)


def called(stage: s_tir.SBlock | tirx.PrimFunc) -> set[str]:
    """Names of the operators called; element-wise arithmetic is not a call."""
    calls: list[ir.Call] = []
    structural_walk(stage.body, (ir.Call, calls.append))
    return {call.op.name if isinstance(call.op, ir.Op) else "extern" for call in calls}


def is_costly(stage: s_tir.SBlock) -> bool:
    """Whether it calls functions that take long."""
    return bool(called(stage) - CHEAP_CALLS - {BRANCH})


def volume_of(stage: s_tir.SBlock) -> int:
    """The iterations of all its loops."""
    return math.prod(magnitude(axis.dom.extent) for axis in stage.iter_vars)


def traffic_of(stage: s_tir.SBlock, among: tirx.PrimFunc | None = None) -> float:
    """Bytes moved, more of them where there are calls in the stage, or in the function that it ends."""
    factor = COSTLY_FACTOR if called(among or stage) - CHEAP_CALLS else 1
    moved = sum(element_bytes(str(region.source.dtype)) for region in [*stage.reads, *stage.writes])
    return math.prod(typical_size(axis.dom.extent) for axis in stage.iter_vars) * moved * factor
