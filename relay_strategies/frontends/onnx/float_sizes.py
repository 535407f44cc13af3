"""Open sizes in floats: exporters write ``ceil(h / 2)``, as padding to equal sizes needs it, by floats that
are cast back to integers.

Such a float is a size over a number. Sizes are small enough for floats to be exact where the number is a
power of two; another number may divide a size once, before that is rounded. What is computed otherwise, as
the scale that makes an image fit into a square, is kept as it is written; the integer that is made of it is a
dimension that is computed, in the same floats, when a run begins (``OpenSizes.compute``).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, TypeProto
from tvm import tirx

from tvm_directconv.errors import DataDependentError
from tvm_directconv.problem.extents import Extent, is_open, larger, smaller
from tvm_directconv.problem.open_sizes import active_sizes

from .nodes import attribute
from .open_shapes import INTEGERS, OPERATORS, divided, is_open_array

FLOATS = {TensorProto.FLOAT: "float32", TensorProto.DOUBLE: "float64"}
MOVING = ("Identity", "Unsqueeze", "Squeeze", "Gather", "Slice", "Reshape", "Concat", "Split", "Transpose")
"""Operators that move elements, whatever these are."""
SMALLEST = 1 << 20

Function = Callable[..., Any]
Converter = Callable[[NodeProto, Sequence[Any], str], Any]
"""A function of a node, its operands and their type."""


@dataclass(frozen=True)
class Ratio:
    """A size over a positive number; numpy takes it for an object, and does not look into it."""

    top: Any
    bottom: int


@dataclass(frozen=True)
class Rounded:
    """A float of sizes as a model computes it; its expression is of the model's type."""

    expr: tirx.Expr


class Unknown(Exception):
    """A result that floats would round."""


def float_results(
    node: NodeProto,
    known: Mapping[str, np.ndarray],
    floats: Mapping[str, np.ndarray],
    types: Mapping[str, TypeProto.Tensor],
) -> dict[str, np.ndarray] | None:
    """Return the results of a node on ``floats`` by name, arrays of ratios and of what is rounded, or of
    integers and extents where it returns to integers; None for any other node, and where they are not
    known."""
    if node.op_type == "Cast" and is_open_array(known.get(node.input[0])):
        if attribute(node, "to", 0) not in FLOATS:
            return None
        return {node.output[0]: _each(_ratio, known[node.input[0]])}
    kind = node.op_type
    if not (kind in MOVING or kind in ARITHMETIC) or not any(name in floats for name in node.input):
        return None
    if any(name and name not in floats and name not in known for name in node.input):
        return None
    inputs = [floats.get(name, known.get(name)) if name else None for name in node.input]
    of = next(types[name].elem_type for name in node.input if name in floats)
    try:
        results = (
            OPERATORS[kind](node, inputs) if kind in MOVING else ARITHMETIC[kind](node, inputs, FLOATS[of])
        )
    except (Unknown, DataDependentError):
        return None
    if results is None:
        return None
    listed = results if isinstance(results, list) else [results]
    return dict(zip(node.output, listed, strict=True))


def is_float(array: np.ndarray) -> bool:
    """Return whether an array holds floats that follow from sizes."""
    return array.dtype == object and any(isinstance(each, Ratio | Rounded) for each in array.flat)


def integers(
    names: Sequence[str], known: Mapping[str, np.ndarray], floats: Mapping[str, np.ndarray]
) -> list[np.ndarray] | None:
    """Return arrays of floats, by name, as integers and extents; None where some are others."""
    found = []
    for array in (floats.get(name, known.get(name)) for name in names):
        if array is None:
            return None
        try:
            is_whole = all(_ratio(each).bottom == 1 for each in array.flat)
        except Unknown:
            return None
        if not is_whole:
            return None
        whole = _each(lambda each: _ratio(each).top, array)
        found.append(whole if is_open(whole.flat) else whole.astype(np.int64))
    return found


def _ratio(value: Any) -> Ratio:
    """A number or a size as a ratio."""
    if isinstance(value, Ratio):
        return value
    if isinstance(value, Extent):
        return Ratio(value, 1)
    if isinstance(value, Rounded) or not np.isfinite(value):
        raise Unknown
    exact = Fraction(float(value))
    if exact.denominator > SMALLEST:
        raise Unknown
    return Ratio(exact.numerator, exact.denominator)


def _reduced(top: Any, bottom: int) -> Ratio:
    whole = top // bottom
    return Ratio(whole, 1) if whole * bottom == top else Ratio(top, bottom)


def _exact(value: Any) -> Ratio:
    """An operand of anything but rounding."""
    ratio = _ratio(value)
    if ratio.bottom & (ratio.bottom - 1):
        raise Unknown
    return ratio


def _added(a: Any, b: Any, sign: int = 1) -> Ratio:
    one, other = _exact(a), _exact(b)
    top = one.top * other.bottom + sign * other.top * one.bottom
    return _reduced(top, one.bottom * other.bottom)


def _times(a: Any, b: Any) -> Ratio:
    one, other = _exact(a), _exact(b)
    return _reduced(one.top * other.top, one.bottom * other.bottom)


def _over(a: Any, b: Any) -> Ratio:
    one, other = _exact(a), _exact(b)
    if isinstance(other.top, Extent) or other.top <= 0:
        raise Unknown
    if one.bottom != 1 and other.top & (other.top - 1):
        raise Unknown
    return _reduced(one.top * other.bottom, one.bottom * other.top)


def _chosen(choose: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Ratio]:
    def function(a: Any, b: Any) -> Ratio:
        one, other = _exact(a), _exact(b)
        return _reduced(choose(one.top * other.bottom, other.top * one.bottom), one.bottom * other.bottom)

    return function


def _compared(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def function(a: Any, b: Any) -> bool:
        one, other = _exact(a), _exact(b)
        return bool(compare(one.top * other.bottom, other.top * one.bottom))

    return function


def _each(function: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
    return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), object)


def _rounded(value: Any, dtype: str) -> tirx.Expr:
    """A number, a ratio or what is rounded as an expression of floats. A ratio is divided once, which is
    exact, or what the model does."""
    if isinstance(value, Rounded):
        return value.expr
    if not isinstance(value, Ratio):
        return tirx.FloatImm(dtype, float(value))
    top = (
        tirx.Cast(dtype, value.top.expr) if isinstance(value.top, Extent) else tirx.FloatImm(dtype, value.top)
    )
    return top if value.bottom == 1 else tirx.Div(top, tirx.FloatImm(dtype, value.bottom))


def _function(exact: Callable[..., Any], rounding: Callable[..., tirx.Expr]) -> Function:
    """Return the function of an element of each operand: ``exact`` on ratios, or ``rounding`` on floats."""

    def function(dtype: str, *values: Any) -> Any:
        try:
            return exact(*values)
        except Unknown:
            return Rounded(rounding(*(_rounded(value, dtype) for value in values)))

    return function


def _elementwise(exact: Callable[..., Any], rounding: Callable[..., tirx.Expr]) -> Converter:
    function = _function(exact, rounding)
    return lambda node, inputs, dtype: _each(functools.partial(function, dtype), *inputs)


def _folded(exact: Callable[..., Any], rounding: Callable[..., tirx.Expr]) -> Converter:
    """The function of all elements of a vector."""
    function = _function(exact, rounding)

    def convert(node: NodeProto, inputs: Sequence[Any], dtype: str) -> np.ndarray | None:
        if inputs[0].ndim != 1:
            return None
        whole = functools.reduce(functools.partial(function, dtype), inputs[0])
        return np.array([whole] if attribute(node, "keepdims", 1) else whole, object)

    return convert


def _asked(function: Callable[[Any, Any], bool]) -> Converter:
    return lambda node, inputs, dtype: _each(_compared(function), *inputs).astype(bool)


def _cast(node: NodeProto, inputs: Sequence[Any], dtype: str) -> np.ndarray | None:
    to = attribute(node, "to", 0)
    if to in FLOATS:
        return _each(lambda each: _as_float(each, dtype, FLOATS[to]), inputs[0])
    if to not in INTEGERS:
        return None
    whole = _each(_as_integer, inputs[0])
    return whole if is_open(whole.flat) else whole.astype(np.int64)


def _as_float(value: Any, dtype: str, to: str) -> Any:
    """A float in another type; what is exact is so in any."""
    is_exact = isinstance(value, Ratio) and not value.bottom & (value.bottom - 1)
    return value if dtype == to or is_exact else Rounded(tirx.Cast(to, _rounded(value, dtype)))


def _as_integer(value: Any) -> Any:
    sizes = active_sizes()
    if isinstance(value, Rounded) and sizes is not None:
        return sizes.compute(tirx.Cast("int64", value.expr))
    return divided(_ratio(value).top, _ratio(value).bottom)


def _clip(node: NodeProto, inputs: Sequence[Any], dtype: str) -> np.ndarray:
    least, most = ([*inputs[1:], None, None])[:2]
    least = attribute(node, "min", None) if least is None else least
    most = attribute(node, "max", None) if most is None else most
    result = inputs[0]
    if least is not None:
        result = LARGER(node, [result, least], dtype)
    return result if most is None else SMALLER(node, [result, most], dtype)


LARGER = _elementwise(_chosen(larger), tirx.Max)
SMALLER = _elementwise(_chosen(smaller), tirx.Min)
ARITHMETIC: Mapping[str, Converter] = {
    "Cast": _cast,
    "Clip": _clip,
    "Add": _elementwise(_added, tirx.Add),
    "Sub": _elementwise(lambda a, b: _added(a, b, -1), tirx.Sub),
    "Mul": _elementwise(_times, tirx.Mul),
    "Div": _elementwise(_over, tirx.Div),
    "Reciprocal": _elementwise(lambda a: _over(1, a), lambda a: tirx.Div(tirx.FloatImm(a.ty.dtype, 1.0), a)),
    "Neg": _elementwise(lambda a: _times(a, -1), lambda a: tirx.Sub(tirx.FloatImm(a.ty.dtype, 0.0), a)),
    "Ceil": _elementwise(lambda a: Ratio(-(-_ratio(a).top // _ratio(a).bottom), 1), tirx.ceil),
    "Floor": _elementwise(lambda a: Ratio(_ratio(a).top // _ratio(a).bottom, 1), tirx.floor),
    "Relu": _elementwise(
        lambda a: _chosen(larger)(a, 0), lambda a: tirx.Max(a, tirx.FloatImm(a.ty.dtype, 0.0))
    ),
    "Max": LARGER,
    "Min": SMALLER,
    "ReduceMax": _folded(_chosen(larger), tirx.Max),
    "ReduceMin": _folded(_chosen(smaller), tirx.Min),
    "Less": _asked(operator.lt),
    "LessOrEqual": _asked(operator.le),
    "Greater": _asked(operator.gt),
    "GreaterOrEqual": _asked(operator.ge),
}
