"""Planned functions read as calls on tensors: aliases, constants, storages, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import relax

from relay_strategies.passes import finish_passes, operator_passes
from relay_strategies.relax.planned import PlannedCalls, planned_calls
from tvm_directconv.errors import ModelError

PLANNED = [
    relax.transform.ToNonDataflow(),
    relax.transform.RemovePurityChecking(),
    relax.transform.CallTIRRewrite(),
    relax.transform.StaticPlanBlockMemory(),
]


def module_of(shape: tuple[int | tvm.tirx.Var, ...] = (2, 3)) -> tvm.IRModule:
    """The hyperbolic tangent of input + 1, as a row and as it is, the row once more with a constant added
    that is another object with equal values."""
    builder = relax.BlockBuilder()
    given = relax.Var("given", relax.TensorType(shape, "float32"))
    with builder.function("main", [given]):
        with builder.dataflow():
            one = relax.const(np.ones((2, 3), np.float32))
            bounded = builder.emit(relax.op.tanh(builder.emit(relax.op.sort(relax.op.add(given, one)))))
            row = builder.emit(relax.op.reshape(bounded, (6,)))
            both = builder.emit_output(relax.Tuple([row, bounded, given]))
        builder.emit_func_output(both)
    return builder.get()


def read(module: tvm.IRModule, ends: list[tvm.transform.Pass]) -> PlannedCalls:
    passes = [relax.transform.LegalizeOps(skip_ops=["relax.reshape"]), *ends]
    return planned_calls(tvm.transform.Sequential(passes)(module)["main"], "run here")
