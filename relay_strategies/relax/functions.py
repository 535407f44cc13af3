"""Functions that Relax does not have, by one definition for all ways in: naive formulas of them cancel.

``log1p``, ``expm1``, ``log_sum_exp`` and the steps of epilogues are operators of this project, each with an
entry in the table of operators. The others are made of these and of Relax's softplus.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import tvm
from tvm import relax, te

from intrinsics.epilogue import Mish, Step, parse_step
from tvm_directconv.operators import stable_definitions

from .composite import Emit
from .graph import dtype_of

LOG1P, EXPM1, LOG_SUM_EXP = "directconv.log1p", "directconv.expm1", "directconv.log_sum_exp"
STEP = "directconv.step"
"""This operator does a step of an epilogue, which its attribute ``step`` names, to each element."""


Legalize = Callable[[relax.BlockBuilder, relax.Call], relax.Expr]


def _register(name: str, like: str, legalize: Legalize) -> None:
    """Make an operator of one tensor, whose results have the types of those of one of Relax's."""
    inferred = tvm.ir.Op.get(like).get_attr("FInferType")
    attributes = {"FInferType": inferred, "FLegalize": legalize, "FPurity": True, "TScriptPrinterName": name}
    for key, value in attributes.items():
        tvm.ir.register_op_attr(name, key, value)
    operator = tvm.ir.Op.get(name)
    operator.add_argument("x", "Tensor", "The input tensor.")
    operator.set_num_inputs(1)


def defined(
    definition: Callable[..., te.Tensor],
    name: str,
    numbers: Callable[[relax.Call], Sequence[Any]] = lambda call: (),
) -> Legalize:
    """The rule that writes a call by a definition in TE, given its tensors and what ``numbers`` reads of its
    attributes."""
    return lambda builder, call: builder.call_te(
        definition, *call.args, *numbers(call), primfunc_name_hint=name
    )


def over_axes(call: relax.Call) -> tuple[list[int] | None, bool]:
    """Return the axes of a reduction as they are given, and whether it keeps them."""
    axes = None if call.attrs.axis is None else [int(axis) for axis in call.attrs.axis]
    return axes, bool(call.attrs.keepdims)


def legalized_step(builder: relax.BlockBuilder, call: relax.Call, step: Step | None = None) -> relax.Expr:
    """Write a call of ``STEP``, or of an operator that is a ``step``, by the step's own formula."""
    step = step_in(call) if step is None else step
    definition = partial(stable_definitions.stepped, step=step)
    return builder.call_te(definition, call.args[0], primfunc_name_hint=f"tir_{step.name}")


_register(LOG1P, "relax.exp", defined(stable_definitions.log1p, "tir_log1p"))
_register(EXPM1, "relax.exp", defined(stable_definitions.expm1, "tir_expm1"))
_register(STEP, "relax.exp", legalized_step)
_register(LOG_SUM_EXP, "relax.sum", defined(stable_definitions.log_sum_exp, "log_sum_exp", over_axes))


def log1p(x: relax.Expr) -> relax.Call:
    """``log(1 + x)``."""
    return relax.Call(tvm.ir.Op.get(LOG1P), [x])


def expm1(x: relax.Expr) -> relax.Call:
    """``e^x - 1``."""
    return relax.Call(tvm.ir.Op.get(EXPM1), [x])


def log_sum_exp(x: relax.Expr, axes: Sequence[int] | None, keepdims: bool) -> relax.Call:
    """``log(sum(exp(x)))`` along ``axes``, all where they are None."""
    like = relax.op.sum(x, None if axes is None else list(axes), keepdims)
    return relax.Call(tvm.ir.Op.get(LOG_SUM_EXP), [x], like.attrs)


def log_sigmoid(x: relax.Expr) -> relax.Call:
    """``log(1 / (1 + e^-x))``, which is ``-softplus(-x)``."""
    return relax.op.nn.softplus(x, beta=-1.0)


def log_add_exp(emit: Emit, a: relax.Expr, b: relax.Expr) -> relax.Expr:
    """``log(e^a + e^b)``; of equal operands, which may be infinite, it is ``a + log(2)``."""
    kind = dtype_of(a)
    larger, smaller = emit(relax.op.maximum(a, b)), emit(relax.op.minimum(a, b))
    power = emit(relax.op.exp(emit(relax.op.subtract(smaller, larger))))
    equal = emit(relax.op.equal(a, b))
    power = emit(relax.op.where(equal, relax.const(1, kind), power))
    return relax.op.add(larger, emit(log1p(power)))


def elu(
    emit: Emit, x: relax.Expr, alpha: float = 1.0, gamma: float = 1.0, input_scale: float = 1.0
) -> relax.Expr:
    """``gamma * x`` where x is positive, ``gamma * alpha * (e^(input_scale * x) - 1)`` elsewhere."""
    kind = dtype_of(x)

    def scaled(value: relax.Expr, factor: float) -> relax.Expr:
        return value if factor == 1 else emit(relax.op.multiply(value, relax.const(factor, kind)))

    below = scaled(emit(expm1(scaled(x, input_scale))), gamma * alpha)
    positive = emit(relax.op.greater(x, relax.const(0, kind)))
    return relax.op.where(positive, scaled(x, gamma), below)


def mish(x: relax.Expr) -> relax.Call:
    """``x * tanh(softplus(x))``."""
    return stepped(x, Mish())


def stepped(x: relax.Expr, step: Step) -> relax.Call:
    """``x`` after a step that is a function of the element alone."""
    return relax.Call(tvm.ir.Op.get(STEP), [x], tvm.ir.make_node("ir.DictAttrs", step=str(step)))


def step_in(call: relax.Call) -> Step:
    """Return the step that a call of ``STEP`` does."""
    return parse_step(str(call.attrs["step"]))
