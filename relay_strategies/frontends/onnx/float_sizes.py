"""Open sizes in floats: exporters write ``ceil(h / 2)``, as padding to equal sizes needs it, by floats that
are cast back to integers.

Such a float is a size over a number. Sizes are small enough for floats to be exact where the number is a
power of two; another number may divide a size once, before that is rounded. What is computed in other ways is
not known here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto

from tvm_directconv.errors import DataDependentError
from tvm_directconv.problem.extents import Extent, is_open, larger, smaller

from .nodes import attribute
from .open_shapes import INTEGERS, OPERATORS, divided, is_open_array

FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE)
MOVING = ("Identity", "Unsqueeze", "Squeeze", "Gather", "Slice", "Reshape", "Concat", "Split", "Transpose")
"""Operators that move elements, whatever these are."""
SMALLEST = 1 << 20


@dataclass(frozen=True)
class Ratio:
    """A size over a positive number; numpy takes it for an object, and does not look into it."""

    top: Any
    bottom: int


class Unknown(Exception):
    """A result that floats would round."""


def float_results(
    node: NodeProto, known: Mapping[str, np.ndarray], floats: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray] | None:
    """Return the results of a node on ``floats`` by name, arrays of ratios, or of integers and extents where
    it returns to integers; None for any other node, and where they are not known."""
    if node.op_type == "Cast" and is_open_array(known.get(node.input[0])):
        if attribute(node, "to", 0) not in FLOATS:
            return None
        return {node.output[0]: _each(_ratio, known[node.input[0]])}
    if node.op_type not in TAKEN or not any(name in floats for name in node.input):
        return None
    if any(name and name not in floats and name not in known for name in node.input):
        return None
    inputs = [floats.get(name, known.get(name)) if name else None for name in node.input]
    try:
        results = TAKEN[node.op_type](node, inputs)
    except (Unknown, DataDependentError):
        return None
    if results is None:
        return None
    listed = results if isinstance(results, list) else [results]
    return dict(zip(node.output, listed, strict=True))


def is_float(array: np.ndarray) -> bool:
    """Return whether an array holds ratios."""
    return array.dtype == object and any(isinstance(each, Ratio) for each in array.flat)


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
    if not np.isfinite(value):
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


def _elementwise(function: Callable[..., Any]) -> Callable[[NodeProto, Sequence[Any]], np.ndarray]:
    return lambda node, inputs: _each(function, *inputs)


def _asked(function: Callable[[Any, Any], bool]) -> Callable[[NodeProto, Sequence[Any]], np.ndarray]:
    return lambda node, inputs: _each(_compared(function), *inputs).astype(bool)


def _cast(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray | None:
    to = attribute(node, "to", 0)
    if to in FLOATS:
        return inputs[0]
    if to not in INTEGERS:
        return None
    whole = _each(lambda each: divided(_ratio(each).top, _ratio(each).bottom), inputs[0])
    return whole if is_open(whole.flat) else whole.astype(np.int64)


def _clip(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray:
    least, most = ([*inputs[1:], None, None])[:2]
    least = attribute(node, "min", None) if least is None else least
    most = attribute(node, "max", None) if most is None else most
    result = inputs[0]
    if least is not None:
        result = _each(_chosen(larger), result, least)
    return result if most is None else _each(_chosen(smaller), result, most)


ARITHMETIC: dict[str, Callable[[NodeProto, Sequence[Any]], np.ndarray | None]] = {
    "Cast": _cast,
    "Clip": _clip,
    "Add": _elementwise(_added),
    "Sub": _elementwise(lambda a, b: _added(a, b, -1)),
    "Mul": _elementwise(_times),
    "Div": _elementwise(_over),
    "Neg": _elementwise(lambda a: _times(a, -1)),
    "Ceil": _elementwise(lambda a: Ratio(-(-_ratio(a).top // _ratio(a).bottom), 1)),
    "Floor": _elementwise(lambda a: Ratio(_ratio(a).top // _ratio(a).bottom, 1)),
    "Relu": _elementwise(lambda a: _chosen(larger)(a, 0)),
    "Max": _elementwise(_chosen(larger)),
    "Min": _elementwise(_chosen(smaller)),
    "Less": _asked(operator.lt),
    "LessOrEqual": _asked(operator.le),
    "Greater": _asked(operator.gt),
    "GreaterOrEqual": _asked(operator.ge),
}
TAKEN: Mapping[str, Callable[[NodeProto, Sequence[Any]], Any]] = {
    **{name: OPERATORS[name] for name in MOVING},
    **ARITHMETIC,
}
