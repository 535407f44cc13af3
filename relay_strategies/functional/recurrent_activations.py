"""The activation functions of recurrent layers, with the numbers that some of them take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tvm import relax

from relay_strategies.relax import functions
from relay_strategies.relax.graph import dtype_of

from .recurrent_steps import Emit

Calculation = Callable[..., relax.Expr]
"""A function of how to emit a call, how to make a number a constant, a value, and its alpha and beta."""


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


FUNCTIONS: dict[str, Calculation] = {
    "relu": lambda emit, number, x: emit(relax.op.nn.relu(x)),
    "tanh": lambda emit, number, x: emit(relax.op.tanh(x)),
    "sigmoid": lambda emit, number, x: emit(relax.op.sigmoid(x)),
    "affine": _affine,
    "leakyrelu": _leaky_relu,
    "thresholdedrelu": _thresholded_relu,
    "scaledtanh": _scaled_tanh,
    "hardsigmoid": _hard_sigmoid,
    "elu": _elu,
    "softsign": _softsign,
    "softplus": lambda emit, number, x: emit(relax.op.nn.softplus(x)),
}
"""Activations by name; some take the parameters alpha and beta."""


@dataclass(frozen=True)
class Activation:
    """One of ``FUNCTIONS`` and its parameters."""

    name: str
    parameters: tuple[float, ...] = ()

    def __call__(self, emit: Emit, x: relax.Expr) -> relax.Expr:
        def number(value: float) -> relax.Expr:
            return relax.const(value, dtype_of(x))

        return FUNCTIONS[self.name](emit, number, x, *self.parameters)
