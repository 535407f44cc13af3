"""Recurrent layers: a direction is one call, whose kernel runs all steps.

Relax lacks an operator for it. The call is one of an external function whose name says what it computes;
``LowerOperators`` puts a kernel in its place, and ``UnrollRecurrences`` steps where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from tvm import relax

from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import constant, make_constant
from relay_strategies.relax.kernels import FLOPS
from tvm_directconv.operators.recurrent import Recurrence, packed_matrix, recurrent
from tvm_directconv.problem.extents import typical
from tvm_directconv.targets.target import CompileTarget

from .operator import Kernel, Operator, Shape

_PREFIX = "tvm_directconv.recurrence "


def recurrence(what: Recurrence, operands: Sequence[relax.Expr]) -> relax.Call:
    """The call that computes ``what`` of its operands, of ``what.operands``' shapes and ``what.dtypes``."""
    function, result = relax.ExternFunc(_PREFIX + str(what)), relax.TensorType(what.output_shape, FLOAT)
    return relax.call_dps_packed(function, relax.Tuple(list(operands)), result)


def recurrence_of(call: relax.Call) -> tuple[Recurrence, list[relax.Expr]] | None:
    """Return what such a call computes, and its operands; None for another one."""
    function = call.args[0] if call.args else None
    if not isinstance(function, relax.ExternFunc):
        return None
    name = str(function.global_symbol)
    if not name.startswith(_PREFIX):
        return None
    return Recurrence.parse(name.removeprefix(_PREFIX)), list(call.args[1].fields)


def _kernel(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    found = recurrence_of(call)
    if found is None:
        return None
    what, operands = found
    matrix = constant(operands[1])
    if matrix is not None:
        operands[1] = make_constant(packed_matrix(what, matrix, target))
    function = recurrent(what, target, packed=matrix is not None, name=what.kind.lower())
    return Kernel(what.kind.lower(), function.with_attr(FLOPS, 2 * typical(what.multiplies)), operands)


OPERATORS = (Operator("relax.call_dps_packed", kernel=_kernel),)
