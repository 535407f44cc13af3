"""The activation functions of ONNX's recurrent layers, with the numbers that some of them take.

Alphas and betas are two lists, out of which each function in turn takes those it has.
https://onnx.ai/onnx/operators/onnx__LSTM.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tvm import relax

from relay_strategies.relax import functions
from relay_strategies.relax.graph import dtype_of
from relay_strategies.relax.recurrent_steps import Activation, Emit

from .node import Node

Calculation = Callable[..., relax.Expr]
"""It takes how to emit a call, a function that makes a number a constant, a value, and its alpha and beta."""


def _affine(emit: Any, number: Any, x: relax.Expr, alpha: float, beta: float) -> relax.Expr:
    return emit(relax.op.add(emit(relax.op.multiply(x, number(alpha))), number(beta)))


def _leaky_relu(emit: Any, number: Any, x: relax.Expr, alpha: float) -> relax.Expr:
    return emit(relax.op.nn.leakyrelu(x, alpha))


def _thresholded_relu(emit: Any, number: Any, x: relax.Expr, alpha: float) -> relax.Expr:
    return emit(relax.op.where(emit(relax.op.greater_equal(x, number(alpha))), x, number(0)))


def _scaled_tanh(emit: Any, number: Any, x: relax.Expr, alpha: float, beta: float) -> relax.Expr:
    return emit(
        relax.op.multiply(number(alpha), emit(relax.op.tanh(emit(relax.op.multiply(x, number(beta))))))
    )


def _hard_sigmoid(emit: Any, number: Any, x: relax.Expr, alpha: float, beta: float) -> relax.Expr:
    return emit(relax.op.clip(_affine(emit, number, x, alpha, beta), 0, 1))


def _elu(emit: Any, number: Any, x: relax.Expr, alpha: float) -> relax.Expr:
    return emit(functions.elu(emit, x, alpha))


def _softsign(emit: Any, number: Any, x: relax.Expr) -> relax.Expr:
    return emit(relax.op.divide(x, emit(relax.op.add(emit(relax.op.abs(x)), number(1)))))


@dataclass(frozen=True)
class _Function:
    """A function, and the default values of its alpha and beta; without one it has to be given."""

    calculate: Calculation
    parameters: tuple[float | None, ...] = ()


FUNCTIONS = {
    "relu": _Function(lambda emit, number, x: emit(relax.op.nn.relu(x))),
    "tanh": _Function(lambda emit, number, x: emit(relax.op.tanh(x))),
    "sigmoid": _Function(lambda emit, number, x: emit(relax.op.sigmoid(x))),
    "affine": _Function(_affine, (None, None)),
    "leakyrelu": _Function(_leaky_relu, (0.01,)),
    "thresholdedrelu": _Function(_thresholded_relu, (1.0,)),
    "scaledtanh": _Function(_scaled_tanh, (None, None)),
    "hardsigmoid": _Function(_hard_sigmoid, (0.2, 0.5)),
    "elu": _Function(_elu, (1.0,)),
    "softsign": _Function(_softsign),
    "softplus": _Function(lambda emit, number, x: emit(relax.op.nn.softplus(x))),
}
"""By the names in lower case: the standard does not say in which case they are written."""


def names_of(node: Node, defaults: Sequence[str], direction: int) -> list[str]:
    """The functions' names of one direction, in lower case."""
    given = node.attributes.get("activations")
    names = [name.decode("utf-8", "replace") for name in given] if given else [*defaults, *defaults]
    return [name.lower() for name in names[direction * len(defaults) : (direction + 1) * len(defaults)]]


def activations(node: Node, defaults: Sequence[str], direction: int) -> tuple[Activation, ...]:
    """The functions of one direction of a recurrent layer. Raises ModelError for those ONNX has not."""
    given = node.attributes.get("activations")
    names = [name.decode("utf-8", "replace") for name in given] if given else [*defaults, *defaults]
    lists = [list(node.attributes.get(f"activation_{which}", ())) for which in ("alpha", "beta")]
    found: list[Activation] = []
    for name in names:
        function = FUNCTIONS.get(name.lower())
        if function is None:
            raise node.error(f"activation '{name}' is none of ONNX's: {', '.join(FUNCTIONS)}")
        parameters: list[float] = []
        for values, default in zip(lists, function.parameters, strict=False):
            value = values.pop(0) if values else default
            if value is None:
                raise node.error(f"activation '{name}' has no alpha and beta")
            parameters.append(value)
        found.append(partial(_applied, function, parameters))
    chosen = found[direction * len(defaults) : (direction + 1) * len(defaults)]
    if len(chosen) < len(defaults):
        raise node.error(f"{len(names)} activations are too few: {len(defaults)} for each direction")
    return tuple(chosen)


def _applied(function: _Function, parameters: Sequence[float], emit: Emit, x: relax.Expr) -> relax.Expr:
    def number(value: float) -> relax.Expr:
        return relax.const(value, dtype_of(x))

    return function.calculate(emit, number, x, *parameters)
