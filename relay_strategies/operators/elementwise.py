"""Operators of one tensor, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from tvm import relax

from intrinsics.epilogue import Gelu, GeluTanh, Silu, Step
from relay_strategies.relax.epilogue_steps import number_of
from relay_strategies.relax.functions import EXPM1, LOG1P, STEP, defined, legalized_step, step_in
from relay_strategies.relax.graph import dtype_of
from tvm_directconv.operators import stable_definitions
from tvm_directconv.operators.definitions import logical_not, sign
from tvm_directconv.problem.steps import numpy_steps

from . import linear
from .clips import simplified_clip
from .layouts import Elementwise
from .operator import Operator, Simplifier, on_arrays


def _unary(name: str, function: Callable[[np.ndarray], np.ndarray] | None = None, **more: Any) -> Operator:
    """An entry; ``function`` is the operator on arrays, for constants."""
    evaluate = None if function is None else on_arrays(function)
    name = name if "." in name and not name.startswith("nn.") else f"relax.{name}"
    return Operator(name, layout=Elementwise(), **({"evaluate": evaluate} | more))


def _step(name: str, step: Step) -> Operator:
    """The entry of an operator of Relax that is a step of an epilogue."""
    return _unary(name, partial(_done, step), legalize=partial(legalized_step, step=step))


def _done(step: Step, array: np.ndarray) -> np.ndarray:
    return numpy_steps([step], array)


def _beta_and_threshold(call: relax.Call) -> tuple[float, float]:
    return float(call.attrs.beta), float(call.attrs.threshold)


def _astype(call: relax.Call, arrays: Any) -> np.ndarray:
    return arrays[0].astype(str(call.ty.dtype))


def _clipped(call: relax.Call, arrays: Any) -> np.ndarray:
    low, high = (number_of(argument) for argument in call.args[1:3])
    if low is None or high is None:
        raise NotImplementedError("its bounds are not numbers")
    return np.minimum(np.maximum(arrays[0], low), high).astype(arrays[0].dtype)


def _leaky(call: relax.Call, arrays: Any) -> np.ndarray:
    return np.where(arrays[0] > 0, arrays[0], arrays[0] * float(call.attrs.alpha))


def _softplus(call: relax.Call, arrays: Any) -> np.ndarray:
    beta, threshold = _beta_and_threshold(call)
    scaled = arrays[0] * beta
    grown = np.maximum(scaled, 0) + np.log1p(np.exp(-np.abs(scaled)))
    return np.where(scaled > threshold, arrays[0], grown / beta)


_erf = np.vectorize(math.erf, otypes=[np.float64])


def _selu(x: np.ndarray) -> np.ndarray:
    """Compute SELU with the constants of ONNX."""
    return 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))


def _no_cast(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
    return call.args[0] if dtype_of(call.args[0]) == dtype_of(call) else None


def _dropout(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
    return relax.Tuple([call.args[0], rewriter.emit(relax.op.ones_like(call.args[0]))])


OPERATORS = (
    _unary("abs", np.abs),
    _unary("acos"),
    _unary("acosh"),
    _unary("asin"),
    _unary("asinh"),
    _unary("astype", evaluate=_astype, simplify=_no_cast),
    _unary("atan"),
    _unary("atanh", legalize=defined(stable_definitions.atanh, "tir_atanh")),
    _unary("bitwise_not"),
    _unary("ceil"),
    _unary("clip", evaluate=_clipped, simplify=simplified_clip),
    _unary("cos"),
    _unary("cosh"),
    _unary("erf", _erf),
    _unary("exp", np.exp),
    _unary(EXPM1, np.expm1),
    _unary("floor"),
    _unary("isfinite", np.isfinite),
    _unary("isinf"),
    _unary("isnan", np.isnan),
    _unary("log", np.log),
    _unary(LOG1P, np.log1p),
    _unary("logical_not", np.logical_not, legalize=defined(logical_not, "tir_logical_not")),
    _unary("negative", np.negative),
    _unary(STEP, evaluate=lambda call, arrays: _done(step_in(call), arrays[0])),
    _step("nn.gelu", Gelu()),
    _step("nn.gelu_tanh", GeluTanh()),
    _unary("nn.leakyrelu", evaluate=_leaky, linear=linear.keeps_sign),
    _unary("nn.relu", lambda x: np.maximum(x, 0), simplify=simplified_clip, linear=linear.keeps_sign),
    _unary("nn.selu", _selu),
    _step("nn.silu", Silu()),
    _unary(
        "nn.softplus",
        evaluate=_softplus,
        legalize=defined(stable_definitions.softplus, "tir_softplus", _beta_and_threshold),
    ),
    _unary("ones_like"),
    _unary("round"),
    _unary("rsqrt", lambda x: 1 / np.sqrt(x)),
    _unary("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    _unary("sign", np.sign, legalize=defined(sign, "tir_sign")),
    _unary("sin"),
    _unary("sinh"),
    _unary("sqrt", np.sqrt),
    _unary("square", np.square),
    _unary("tan"),
    _unary("tanh", np.tanh),
    _unary("trunc"),
    _unary("zeros_like"),
    Operator("relax.nn.dropout", simplify=_dropout),
)
