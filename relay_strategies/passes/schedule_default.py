"""ScheduleDefault: a vectorized, parallel schedule for every kernel that still has none.

These are what LegalizeOps writes for operators without a kernel of ours, after FuseTIR has fused them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tvm
from tvm import tirx

from tvm_directconv import operators
from tvm_directconv.targets.target import CompileTarget, resolve_target


def ScheduleDefault(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
) -> tvm.transform.Pass:
    """The pass for ``target``; it leaves kernels marked opaque, which are scheduled, as they are."""
    resolved = resolve_target(target)

    @tvm.transform.module_pass(opt_level=0, name="directconv.ScheduleDefault")
    def schedule(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        scheduled = {}
        for global_var, function in module.functions_items():
            if isinstance(function, tirx.PrimFunc) and not _is_opaque(function):
                scheduled[global_var] = operators.schedule_default(function, resolved)
        result = module.clone()
        for global_var, function in scheduled.items():
            result.update_func(global_var, function)
        return result

    return schedule


def _is_opaque(function: tirx.PrimFunc) -> bool:
    return bool(function.attrs) and function.attrs.get("op_pattern") is not None
