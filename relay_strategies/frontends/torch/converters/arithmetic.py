"""Element by element: operands are promoted as PyTorch does it, numbers take part in their own kind."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from tvm import relax

from relay_strategies.functional import activations
from relay_strategies.relax import functions
from relay_strategies.relax.graph import dtype_of

from .node import NAMES, Converter, Node

MOST_FACTORS = 16
"""A power of integers is written as a product of at most so many."""
Operator = Callable[..., relax.Expr]


def _unary(operator: Operator) -> Converter:
    """An operator whose operand is first of the result's type: integers may become floats."""

    def convert(node: Node) -> relax.Expr:
        return operator(node.cast(node.tensor("self"), node.dtype))

    return convert


def _predicate(operator: Operator) -> Converter:
    """An operator of numbers; truths are taken as such."""

    def convert(node: Node) -> relax.Expr:
        data = node.tensor("self")
        return operator(node.cast(data, "float32") if dtype_of(data) == "bool" else data)

    return convert


def _binary(operator: Operator, on_bools: Operator | None = None) -> Converter:
    """Both operands in the result's type; ``alpha`` scales the second."""

    def convert(node: Node) -> relax.Expr:
        left, right = (node.cast(node[name], node.dtype) for name in ("self", "other"))
        alpha = node.arguments.get("alpha", 1)
        if alpha != 1:
            right = node.emit(relax.op.multiply(right, node.cast(alpha, node.dtype)))
        return (on_bools if on_bools is not None and node.dtype == "bool" else operator)(left, right)

    return convert


def _comparison(operator: Operator) -> Converter:
    """Both operands in the type that PyTorch promotes them to."""

    def convert(node: Node) -> relax.Expr:
        dtype = promoted(node, "self", "other")
        return operator(node.cast(node["self"], dtype), node.cast(node["other"], dtype))

    return convert


def promoted(node: Node, *names: str) -> str:
    """The type that PyTorch computes in, of tensors and numbers."""
    schema = node.source.target._schema.arguments
    given = dict(node.source.kwargs)
    given.update(zip([argument.name for argument in schema], node.source.args, strict=False))
    values = [given[name] for name in names]
    values = [v.meta["val"] if isinstance(v, torch.fx.Node) else v for v in values]
    values = [1 if isinstance(v, torch.SymInt) else v for v in values]
    return NAMES[torch.result_type(*values)]


def _logical(operator: Operator) -> Converter:
    def convert(node: Node) -> relax.Expr:
        return operator(*(node.cast(node[name], "bool") for name in ("self", "other")))

    return convert


def _reversed_difference(node: Node) -> relax.Expr:
    left, right = (node.cast(node[name], node.dtype) for name in ("self", "other"))
    if node["alpha"] != 1:
        left = node.emit(relax.op.multiply(left, node.cast(node["alpha"], node.dtype)))
    return relax.op.subtract(right, left)


def _divided(node: Node) -> relax.Expr:
    mode = node.arguments.get("rounding_mode")
    left, right = (node.cast(node[name], node.dtype) for name in ("self", "other"))
    if mode == "floor":
        return relax.op.floor_divide(left, right)
    quotient = relax.op.divide(left, right)
    return quotient if mode is None or "float" not in node.dtype else relax.op.trunc(node.emit(quotient))


def _power(node: Node) -> relax.Expr:
    exponent = node["exponent"]
    base = node.cast(node["self"], node.dtype)
    if exponent == 2:
        return relax.op.multiply(base, base)
    if exponent == 0.5 and "float" in node.dtype:
        return relax.op.sqrt(base)
    if "float" not in node.dtype:
        if not isinstance(exponent, int) or not 0 <= exponent <= MOST_FACTORS:
            raise node.refusal(f"powers of integers are supported with exponents from 0 to {MOST_FACTORS}")
        power = node.emit(relax.op.broadcast_to(node.cast(1, node.dtype), node.result_shape))
        for _ in range(exponent):
            power = node.emit(relax.op.multiply(power, base))
        return power
    return relax.op.power(base, node.cast(exponent, node.dtype))


def _shifted(operator: Operator) -> Converter:
    """All bits are shifted out by distances that a number's width does not hold."""

    def convert(node: Node) -> relax.Expr:
        data, distance = (node.cast(node[name], node.dtype) for name in ("self", "other"))
        last = node.cast(int(node.dtype.lstrip("uint")) - 1, node.dtype)
        within = node.emit(relax.op.less_equal(distance, last))
        if not node.dtype.startswith("u"):
            above = node.emit(relax.op.greater_equal(distance, node.cast(0, node.dtype)))
            within = node.emit(relax.op.logical_and(within, above))
        shifted = node.emit(operator(data, node.emit(relax.op.where(within, distance, last))))
        if operator is relax.op.right_shift:
            return shifted
        return relax.op.where(within, shifted, node.cast(0, node.dtype))

    return convert


def _clamp(node: Node) -> relax.Expr:
    result = node.cast(node["self"], node.dtype)
    low, high = node.arguments.get("min"), node.arguments.get("max")
    if "float" in node.dtype and not isinstance(low, relax.Expr) and not isinstance(high, relax.Expr):
        return relax.op.clip(
            result, -float("inf") if low is None else low, float("inf") if high is None else high
        )
    larger, smaller = relax.op.maximum, relax.op.minimum
    if node.dtype == "bool":
        larger, smaller = relax.op.logical_or, relax.op.logical_and
    if low is not None:
        result = node.emit(larger(result, node.cast(low, node.dtype)))
    return result if high is None else smaller(result, node.cast(high, node.dtype))


def _hardsigmoid(node: Node) -> relax.Expr:
    data = node.tensor("self")
    shifted = node.emit(relax.op.add(data, node.cast(3, node.dtype)))
    clipped = node.emit(relax.op.clip(shifted, 0.0, 6.0))
    return relax.op.multiply(clipped, node.cast(1 / 6, node.dtype))


def _elu(node: Node) -> relax.Expr:
    numbers = (float(node[name]) for name in ("alpha", "scale", "input_scale"))
    return functions.elu(node.emit, node.tensor("self"), *numbers)


def _gelu(node: Node) -> relax.Expr:
    data = node.tensor("self")
    return relax.op.nn.gelu_tanh(data) if node["approximate"] == "tanh" else relax.op.nn.gelu(data)


def _prelu(node: Node) -> relax.Expr:
    """One slope for all, or one per channel."""
    rank = len(node.shape("self"))
    shape = [1] * rank if rank < 2 else [-1, *[1] * (rank - 2)]
    slope = node.emit(relax.op.reshape(node.tensor("weight"), shape))
    return activations.prelu(node, node.tensor("self"), slope)


def _log_of_base(scale: float) -> Converter:
    def convert(node: Node) -> relax.Expr:
        logarithm = node.emit(relax.op.log(node.cast(node.tensor("self"), node.dtype)))
        return relax.op.multiply(logarithm, node.cast(scale, node.dtype))

    return convert


def _log_add_exp(node: Node) -> relax.Expr:
    left, right = (node.cast(node[name], node.dtype) for name in ("self", "other"))
    return functions.log_add_exp(node.emit, left, right)


def _where(node: Node) -> relax.Expr:
    left, right = (node.cast(node[name], node.dtype) for name in ("self", "other"))
    return relax.op.where(node.cast(node["condition"], "bool"), left, right)


def _masked_fill(node: Node) -> relax.Expr:
    value = node.cast(node["value"], node.dtype)
    return relax.op.where(node.tensor("mask"), value, node.tensor("self"))


def _cast(node: Node) -> relax.Expr:
    """Another type; numbers lose their fraction as PyTorch's do, and truth is what is not zero."""
    data = node.tensor("self")
    if node.dtype == "bool" and dtype_of(data) != "bool":
        return relax.op.not_equal(data, node.cast(0, dtype_of(data)))
    return node.cast(data, node.dtype)


def _not(node: Node) -> relax.Expr:
    data = node.tensor("self")
    return relax.op.logical_not(data) if dtype_of(data) == "bool" else relax.op.bitwise_not(data)


def _logical_not(node: Node) -> relax.Expr:
    data = node.tensor("self")
    return relax.op.equal(data, node.cast(0, dtype_of(data))) if dtype_of(data) != "bool" else _not(node)


def _filled(node: Node) -> relax.Expr:
    """A tensor of one value; where it is like another tensor, nothing of that decides."""
    values = {"zeros_like": 0, "ones_like": 1, "new_zeros": 0, "new_ones": 1}
    name = node.source.target.__name__.partition(".")[0]
    value = node.cast(values[name] if name in values else node["fill_value"], node.dtype)
    return relax.op.broadcast_to(value, node.result_shape)  # TVM's full has no infinities


def _angle(node: Node) -> relax.Expr:
    """The angle of real numbers: pi of negative ones."""
    data = node.cast(node.tensor("self"), node.dtype)
    negative = node.emit(relax.op.less(data, node.cast(0, node.dtype)))
    angle = node.emit(relax.op.where(negative, node.cast(math.pi, node.dtype), node.cast(0, node.dtype)))
    return relax.op.where(node.emit(relax.op.isnan(data)), data, angle)


def _dropout(node: Node) -> relax.Expr:
    if node["train"]:
        raise node.refusal("it draws random numbers; export the network in evaluation mode")
    return node.tensor("input")


UNARY = {
    **{
        name: getattr(relax.op, name)
        for name in (
            *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp"),
            *("floor", "log", "round", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "square"),
            *("tan", "tanh", "trunc"),
        )
    },
    "expm1": functions.expm1,
    "log1p": functions.log1p,
    "log_sigmoid": functions.log_sigmoid,
    "mish": functions.mish,
    "neg": relax.op.negative,
    "sign": lambda data: data if dtype_of(data) == "bool" else relax.op.sign(data),
    "relu": relax.op.nn.relu,
    "silu": relax.op.nn.silu,
    "relu6": lambda data: relax.op.clip(data, 0.0, 6.0),
}
BINARY = {
    "add": _binary(relax.op.add, relax.op.logical_or),
    "sub": _binary(relax.op.subtract),
    "mul": _binary(relax.op.multiply, relax.op.logical_and),
    "div": _divided,
    "rsub": _reversed_difference,
    "remainder": _binary(relax.op.floor_mod),
    "fmod": _binary(relax.op.mod),
    "bitwise_and": _binary(relax.op.bitwise_and, relax.op.logical_and),
    "bitwise_or": _binary(relax.op.bitwise_or, relax.op.logical_or),
    "bitwise_xor": _binary(relax.op.bitwise_xor, relax.op.logical_xor),
    "eq": _comparison(relax.op.equal),
    "ne": _comparison(relax.op.not_equal),
    "ge": _comparison(relax.op.greater_equal),
    "gt": _comparison(relax.op.greater),
    "le": _comparison(relax.op.less_equal),
    "lt": _comparison(relax.op.less),
}
OF_OPEN_NUMBERS = frozenset(
    {
        *(f"{name}.{kind}" for name in BINARY for kind in ("Tensor", "Scalar")),
        *("div.Tensor_mode", "div.Scalar_mode", "where.self", "masked_fill.Scalar"),
        *("full.default", "full_like.default", "new_full.default", "scalar_tensor.default"),
    }
)
"""Operators whose operands may be open sizes, as numbers: those with ``Builder.cast``."""
CONVERTERS: dict[str, Converter] = {
    **{f"{name}.default": _unary(operator) for name, operator in UNARY.items()},
    **{f"{name}.{kind}": c for name, c in BINARY.items() for kind in ("Tensor", "Scalar")},
    **{f"{name}.default": _predicate(getattr(relax.op, name)) for name in ("isfinite", "isinf", "isnan")},
    **dict.fromkeys(("div.Tensor_mode", "div.Scalar_mode"), _divided),
    **{
        name: _shifted(getattr(relax.op, f"{side}_shift"))
        for side in ("left", "right")
        for name in (
            f"bitwise_{side}_shift.Tensor",
            f"__{side[0]}shift__.Tensor",
            f"__{side[0]}shift__.Scalar",
        )
    },
    "maximum.default": _binary(relax.op.maximum, relax.op.logical_or),
    "minimum.default": _binary(relax.op.minimum, relax.op.logical_and),
    "atan2.default": _binary(relax.op.atan2),
    **{f"pow.{kind}": _power for kind in ("Tensor_Scalar", "Tensor_Tensor", "Scalar")},
    **{f"logical_{n}.default": _logical(getattr(relax.op, f"logical_{n}")) for n in ("and", "or", "xor")},
    "logical_not.default": _logical_not,
    "bitwise_not.default": _not,
    **dict.fromkeys(("clamp.default", "clamp.Tensor", "clamp_min.default", "clamp_max.default"), _clamp),
    "hardtanh.default": lambda node: relax.op.clip(
        node.tensor("self"), float(node["min_val"]), float(node["max_val"])
    ),
    "hardsigmoid.default": _hardsigmoid,
    "hardswish.default": lambda node: relax.op.multiply(node.tensor("self"), node.emit(_hardsigmoid(node))),
    "elu.default": _elu,
    "gelu.default": _gelu,
    "softplus.default": lambda node: relax.op.nn.softplus(
        node.tensor("self"), float(node["beta"]), float(node["threshold"])
    ),
    "leaky_relu.default": lambda n: relax.op.nn.leakyrelu(n.tensor("self"), float(n["negative_slope"])),
    "prelu.default": _prelu,
    "log2.default": _log_of_base(1.4426950408889634),
    "log10.default": _log_of_base(0.4342944819032518),
    "logaddexp.default": _log_add_exp,
    "reciprocal.default": lambda node: relax.op.divide(
        node.cast(1, node.dtype), node.cast(node.tensor("self"), node.dtype)
    ),
    "where.self": _where,
    **dict.fromkeys(("masked_fill.Scalar", "masked_fill.Tensor"), _masked_fill),
    "_to_copy.default": _cast,
    **dict.fromkeys(
        ("clone.default", "alias.default", "lift_fresh_copy.default", "detach.default"),
        lambda node: node.tensor("self"),
    ),
    **{
        f"{name}.default": _filled
        for name in ("full", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full")
    },
    "scalar_tensor.default": lambda node: node.cast(node["s"], node.dtype),
    "native_dropout.default": _dropout,
    "angle.default": _angle,
}
