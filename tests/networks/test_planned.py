"""Planned functions read as calls on tensors: what is the same memory, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relax

from relay_strategies.passes import finish_passes, operator_passes
from relay_strategies.relax.planned import PlannedCalls, planned_calls
from tvm_directconv.errors import ModelError

Build = Callable[[relax.BlockBuilder, relax.Var], relax.Expr]
PLANNED = [
    relax.transform.CallTIRRewrite(),
    relax.transform.StaticPlanBlockMemory(),
]


def read(module: tvm.IRModule, ends: list[tvm.transform.Pass]) -> PlannedCalls:
    plain = [relax.transform.ToNonDataflow(), relax.transform.RemovePurityChecking()]
    passes = tvm.transform.Sequential([*operator_passes(), *plain, *ends])
    with tvm.target.Target("llvm"):
        return planned_calls(passes(module)["main"], "run here")


def module_of(build: Build, shape: Sequence[Any] = (2, 3)) -> tvm.IRModule:
    builder = relax.BlockBuilder()
    given = relax.Var("given", relax.TensorType(shape, "float32"))
    with builder.function("main", [given]):
        with builder.dataflow():
            result = builder.emit_output(build(builder, given))
        builder.emit_func_output(result)
    return builder.get()


def two_sums(builder: relax.BlockBuilder, given: relax.Var) -> relax.Expr:
    """Sums of 24 and 24 bytes, one of the other as a row; fusion leaves both, since both are results."""
    table, row = (relax.const(np.ones(shape, "float32")) for shape in ((2, 3), (6,)))
    first = builder.emit(relax.op.add(given, table))
    second = builder.emit(relax.op.add(relax.op.reshape(first, (6,)), row))
    return relax.Tuple([second, first, given])


@pytest.mark.parametrize("ends", [PLANNED, finish_passes()], ids=["planned", "for the virtual machine"])
def test_tensors_are_known_again(ends: list[tvm.transform.Pass]) -> None:
    found = read(module_of(two_sums), ends)
    (given, table, first), (as_row, row, second) = (call.operands for call in found.calls)
    assert as_row is first, "a reshape is the same memory"
    assert found.inputs == (given,) and found.outputs == (second, first, given)
    assert [tensor.size for tensor in (given, table, first, row, second)] == [24] * 5
    assert table.values is not None and row.values is not None and table is not row
    assert {tensor.values is None for tensor in (given, first, second)} == {True}


def test_storages_are_shared() -> None:
    def chain(builder: relax.BlockBuilder, given: relax.Var) -> relax.Expr:
        for _ in range(5):  # no fusion joins products of matrices
            given = builder.emit(relax.op.matmul(given, relax.const(np.eye(3, dtype="float32"))))
        return given

    made = [call.operands[-1] for call in read(module_of(chain), PLANNED).calls]
    storages = [tensor.storage for tensor in made[:-1]]
    assert storages[0] is storages[2] and storages[1] is storages[3] and storages[0] is not storages[1]
    assert len(set(made)) == 5, "tensors themselves are not"


@pytest.mark.parametrize(
    ("build", "shape", "message"),
    [
        (
            lambda builder, given: relax.op.add(given, given),
            (tvm.tirx.Var("n", "int64"), 3),
            "not known before",
        ),
        (lambda builder, given: relax.op.sort(given), (2, 3), "calls 'relax.sort'"),
        (lambda builder, given: relax.op.shape_of(given), (2, 3), "calls 'relax.shape_of'"),
    ],
)
def test_all_else_is_refused(build: Build, shape: Sequence[Any], message: str) -> None:
    with pytest.raises(ModelError, match=f"the network cannot be run here: it .*{message}"):
        read(module_of(build, shape), PLANNED)
