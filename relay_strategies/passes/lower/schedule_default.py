"""ScheduleDefault: a vectorized, parallel schedule for every kernel that still has none.

These are what LegalizeOps writes for operators without a kernel of ours, after FuseTIR has fused them. The
rules are TVM's kind (``tvm.s_tir.dlight``), and so is the pass; a user's own rules may stand before ours or
in their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tvm
from tvm import tirx
from tvm.s_tir import SBlock
from tvm.s_tir.dlight import ApplyDefaultSchedule, ScheduleRule
from tvm_ffi import structural_map, structural_walk

from relay_strategies.relax.kernels import is_scheduled
from tvm_directconv.operators.default_schedule import DefaultSchedule
from tvm_directconv.targets.target import CompileTarget, resolve_target

REDUCES = "directconv.reduces"
"""This attribute marks the kernels scheduled here that sum or compare along axes, for reports to count."""
SCOPE = "pragma_scope"


def ScheduleDefault(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
    rules: Sequence[ScheduleRule] | None = None,
) -> tvm.transform.Pass:
    """The pass for ``target``; it leaves kernels marked ``tirx.is_scheduled`` as they are.

    The first of ``rules`` that does not decline schedules a kernel; None stands for ``DefaultSchedule``
    alone.
    """
    resolved = resolve_target(target)
    apply = ApplyDefaultSchedule(*([DefaultSchedule(resolved)] if rules is None else rules))

    @tvm.transform.module_pass(opt_level=0, name="directconv.ScheduleDefault")
    def schedule(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        marked = module.clone()  # the rule changes the module it is given
        for name, function in module.functions_items():
            if isinstance(function, tirx.PrimFunc) and not is_scheduled(function):
                function = without_scopes(function)
                marked.update_func(
                    name, function.with_attr(REDUCES, True) if _reduces(function) else function
                )
        with resolved.tvm_target:
            return apply(marked)

    return schedule


def without_scopes(function: tirx.PrimFunc) -> tirx.PrimFunc:
    """The function without the pragmas of TVM's scatters that its own code generator warns of."""

    def bare(statement: tirx.AttrStmt) -> tirx.Stmt:
        return statement.body if statement.attr_key == SCOPE else statement

    return function.with_body(structural_map(function.body, (tirx.AttrStmt, bare)))


def _reduces(function: tirx.PrimFunc) -> bool:
    """Whether a kernel has an axis that it reduces."""
    blocks: list[SBlock] = []
    structural_walk(function.body, (SBlock, blocks.append))
    return any(axis.iter_type == tirx.IterVar.CommReduce for block in blocks for axis in block.iter_vars)
