"""Operators of one tensor, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of
from relay_strategies.relax.steps import FLOAT
from tvm_directconv.operators.bfloat16 import BFLOAT16, from_bfloat16, to_bfloat16
from tvm_directconv.operators.definitions import sign
from tvm_directconv.targets.target import CompileTarget

from .clips import simplified_clip
from .layouts import Elementwise
from .operator import Kernel, Operator, Shape, Simplifier, on_arrays


def _unary(name: str, function: Callable[[np.ndarray], np.ndarray] | None = None, **more: Any) -> Operator:
    """An entry; ``function`` is the operator on arrays, for constants."""
    evaluate = None if function is None else on_arrays(function)
    return Operator(f"relax.{name}", layout=Elementwise(), **({"evaluate": evaluate} | more))


def _astype(call: relax.Call, arrays: Any) -> np.ndarray:
    return arrays[0].astype(str(call.ty.dtype))


def _bfloat16_cast(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    kinds = dtype_of(call.args[0]), str(call.attrs.dtype)
    make = {(BFLOAT16, FLOAT): from_bfloat16, (FLOAT, BFLOAT16): to_bfloat16}.get(kinds)
    return None if make is None else Kernel(make.__name__, make(shape, target), call.args)


def _dropout(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
    return relax.Tuple([call.args[0], rewriter.emit(relax.op.ones_like(call.args[0]))])


OPERATORS = (
    _unary("abs", np.abs),
    _unary("acos"),
    _unary("acosh"),
    _unary("asin"),
    _unary("asinh"),
    _unary("astype", evaluate=_astype, kernel=_bfloat16_cast),
    _unary("atan"),
    _unary("atanh"),
    _unary("bitwise_not"),
    _unary("ceil"),
    _unary("clip", simplify=simplified_clip),
    _unary("cos"),
    _unary("cosh"),
    _unary("erf"),
    _unary("exp", np.exp),
    _unary("floor"),
    _unary("isfinite", np.isfinite),
    _unary("isinf"),
    _unary("isnan", np.isnan),
    _unary("log", np.log),
    _unary("logical_not", np.logical_not),
    _unary("negative", np.negative),
    _unary("nn.gelu"),
    _unary("nn.gelu_tanh"),
    _unary("nn.leakyrelu"),
    _unary("nn.relu", simplify=simplified_clip),
    _unary("nn.selu"),
    _unary("nn.silu"),
    _unary("nn.softplus"),
    _unary("ones_like"),
    _unary("round"),
    _unary("rsqrt", lambda x: 1 / np.sqrt(x)),
    _unary("sigmoid"),
    _unary("sign", np.sign, legalize=lambda builder, call: builder.call_te(sign, call.args[0])),
    _unary("sin"),
    _unary("sinh"),
    _unary("sqrt", np.sqrt),
    _unary("square"),
    _unary("tan"),
    _unary("tanh"),
    _unary("trunc"),
    _unary("zeros_like"),
    Operator("relax.nn.dropout", simplify=_dropout),
)
