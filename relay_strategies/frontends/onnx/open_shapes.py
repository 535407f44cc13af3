"""Arithmetic of shapes with open dimensions: arrays of numpy's objects, numbers and extents, by the operators
that exporters compute shapes with.

A question, as Equal's, is answered as every other one about an extent is: for all sizes, or by an assumption.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, TypeProto
from tvm import relax

from tvm_directconv.problem.extents import Extent, is_open, larger, smaller

from .nodes import attribute, static_dims

INTEGERS = (TensorProto.INT32, TensorProto.INT64)


def is_open_array(array: np.ndarray | None) -> bool:
    """Return whether an array holds extents."""
    return array is not None and array.dtype == object


def shape_expression(array: np.ndarray) -> relax.Expr:
    """Return the sizes of an array as Relax has them in the place of a constant."""
    return relax.ShapeExpr(array.reshape(-1).tolist())


def open_results(
    node: NodeProto, known: Mapping[str, np.ndarray], types: Mapping[str, TypeProto.Tensor]
) -> dict[str, np.ndarray] | None:
    """Return the results of a node on shapes with open dimensions, by name; None for any other node, and
    where they are not known."""
    kind = node.op_type
    if kind in ("Shape", "Size"):
        dims = static_dims(types.get(node.input[0]))
        if dims is None or not is_open(dims):
            return None
        whole = np.array(dims, object)[attribute(node, "start", 0) : attribute(node, "end", None)]
        results: Sequence[np.ndarray] | None = [
            whole if kind == "Shape" else np.array(math.prod(dims), object)
        ]
    else:
        inputs = [known.get(name) if name else None for name in node.input]
        if kind not in OPERATORS or not any(map(is_open_array, inputs)):
            return None
        if any(array is None for name, array in zip(node.input, inputs, strict=True) if name):
            return None
        found = OPERATORS[kind](node, inputs)
        results = found if found is None or isinstance(found, list) else [found]
    if results is None:
        return None
    return {name: _settled(result) for name, result in zip(node.output, results, strict=True)}


def _settled(result: np.ndarray) -> np.ndarray:
    """An array of integers where none of its sizes is open."""
    return result.astype(np.int64) if result.dtype == object and not is_open(result.flat) else result


def _elementwise(function: Callable[[Any, Any], Any]) -> Callable[[NodeProto, Sequence[Any]], np.ndarray]:
    def evaluate(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray:
        each = np.frompyfunc(lambda a, b: function(_plain(a), _plain(b)), 2, 1)
        return np.asarray(each(*(np.asarray(array, object) for array in inputs)), object)

    return evaluate


def _plain(value: Any) -> Any:
    return value if isinstance(value, Extent) else int(value)


def divided(a: Any, b: Any) -> Any:
    """Return the quotient of integers rounded towards zero, as ONNX has it."""
    signs = a < 0, b < 0
    quotient = (-a if signs[0] else a) // (-b if signs[1] else b)
    return quotient if signs[0] == signs[1] else -quotient


def _test(function: Callable[[Any, Any], bool]) -> Callable[[NodeProto, Sequence[Any]], np.ndarray]:
    evaluate = _elementwise(function)
    return lambda node, inputs: evaluate(node, inputs).astype(bool)


def _axes(node: NodeProto, inputs: Sequence[Any]) -> list[int] | None:
    given = inputs[1] if len(inputs) > 1 else attribute(node, "axes", None)
    return None if given is None else [int(axis) for axis in np.reshape(given, -1)]


def _unsqueeze(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray:
    return np.expand_dims(inputs[0], tuple(_axes(node, inputs) or ()))


def _squeeze(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray:
    axes = _axes(node, inputs)
    return np.asarray(np.squeeze(inputs[0], None if axes is None else tuple(axes)))


def _gather(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray | None:
    if any(map(is_open_array, inputs[1:])):
        return None
    return np.asarray(np.take(inputs[0], inputs[1].astype(np.int64), attribute(node, "axis", 0)), object)


def _slice(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray | None:
    if any(map(is_open_array, inputs[1:])):
        return None
    if len(inputs) == 1:
        starts, ends, axes = (attribute(node, name, None) for name in ("starts", "ends", "axes"))
        steps = None
    else:
        starts, ends, axes, steps = ([*inputs[1:], None, None])[:4]
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    where = [slice(None)] * inputs[0].ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        last = None if step < 0 and end < -inputs[0].shape[axis] else int(end)
        where[int(axis)] = slice(int(start), last, int(step))
    return np.asarray(inputs[0][tuple(where)])


def _cast(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray | None:
    return inputs[0] if attribute(node, "to", 0) in INTEGERS else None


def _reshape(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray | None:
    shape = inputs[1] if len(inputs) > 1 else np.array(attribute(node, "shape", None))
    return None if is_open_array(shape) else np.reshape(inputs[0], [int(size) for size in shape])


def _transpose(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray:
    return np.transpose(inputs[0], attribute(node, "perm", None))


def _concat(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray:
    return np.concatenate([np.asarray(array, object) for array in inputs], attribute(node, "axis", 0))


def _split(node: NodeProto, inputs: Sequence[Any]) -> list[np.ndarray] | None:
    sizes = inputs[1] if len(inputs) > 1 else attribute(node, "split", None)
    if is_open_array(sizes) or attribute(node, "axis", 0) not in (0, -inputs[0].ndim):
        return None
    count = len(node.output)
    each = -(-len(inputs[0]) // count)
    ends = np.cumsum([each] * count if sizes is None else sizes)[:-1]
    return [np.asarray(part, object) for part in np.split(inputs[0], ends)]


def _where(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray:
    return np.where(inputs[0].astype(bool), *(np.asarray(array, object) for array in inputs[1:]))


def _reduced(function: Callable[[Any, Any], Any]) -> Callable[[NodeProto, Sequence[Any]], np.ndarray | None]:
    def evaluate(node: NodeProto, inputs: Sequence[Any]) -> np.ndarray | None:
        if inputs[0].ndim != 1:
            return None
        whole = functools.reduce(function, map(_plain, inputs[0]))
        return np.array([whole] if attribute(node, "keepdims", 1) else whole, object)

    return evaluate


def _equal(a: Any, b: Any) -> bool:
    one, other = (a, b) if isinstance(a, Extent) else (b, a)
    return one.equals(other) if isinstance(one, Extent) else bool(one == other)


def emptiness(node: NodeProto, known: Mapping[str, np.ndarray]) -> Any:
    """Return the size that an Equal compares with 0; None for any other node."""
    arrays = [known.get(name) for name in node.input] if node.op_type == "Equal" else []
    found = [array.item() for array in arrays if array is not None and array.size == 1]
    sizes = [each for each in found if isinstance(each, Extent)]
    return sizes[0] if len(found) == 2 and len(sizes) == 1 and 0 in found else None


OPERATORS: dict[str, Callable[[NodeProto, Sequence[Any]], np.ndarray | list[np.ndarray] | None]] = {
    "Identity": lambda node, inputs: inputs[0],
    "Cast": _cast,
    "Split": _split,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Gather": _gather,
    "Slice": _slice,
    "Reshape": _reshape,
    "Concat": _concat,
    "Where": _where,
    "Neg": lambda node, inputs: -inputs[0],
    "Add": _elementwise(operator.add),
    "Sub": _elementwise(operator.sub),
    "Mul": _elementwise(operator.mul),
    "Div": _elementwise(divided),
    "Mod": _elementwise(operator.mod),
    "Min": _elementwise(smaller),
    "Max": _elementwise(larger),
    "Equal": _test(_equal),
    "Less": _test(operator.lt),
    "LessOrEqual": _test(operator.le),
    "Greater": _test(operator.gt),
    "GreaterOrEqual": _test(operator.ge),
    "ReduceProd": _reduced(operator.mul),
    "ReduceSum": _reduced(operator.add),
    "ReduceMax": _reduced(larger),
    "ReduceMin": _reduced(smaller),
}
