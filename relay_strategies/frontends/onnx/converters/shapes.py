"""What follows from static shapes and constants: shapes as tensors, ranges, slices, positions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from onnx import helper
from tvm import relax

from relay_strategies.functional import movement
from relay_strategies.functional.indexing import one_hot
from relay_strategies.relax.graph import dtype_of, make_constant, shape_of
from tvm_directconv.errors import ModelError, UnsupportedOperatorError
from tvm_directconv.problem.extents import depends_on_data, given_to_tvm, is_open

from .node import Converter, Node

MOST_ELEMENTS = 2**24
"""The longest Range that is supported; networks number their positions with shorter ones."""


def _shape(node: Node) -> relax.Expr:
    start, end = node.attributes.get("start", 0), node.attributes.get("end")
    return make_constant(np.array(node.shape()[start:end], np.int64))


def _range(node: Node) -> relax.Expr:
    if any(isinstance(node.input(index), relax.ShapeExpr) for index in range(3)):
        return _open_range(node)
    operands = [array for index in range(3) if (array := node.array(index)) is not None]
    return make_constant(range_values(operands, node.name))


def _open_range(node: Node) -> relax.Expr:
    """A range of integers, of which some are open."""
    start, limit, delta = (size for index in range(3) for size in node.sizes(index) or [])
    kinds = [dtype_of(node.data(index)) for index in range(3)]
    return movement.open_range(start, limit, delta, next(filter(None, kinds), "int64"))


def range_values(operands: Sequence[np.ndarray], name: str) -> np.ndarray:
    """The elements of the Range ``name``, of start, limit and delta; raises as ``range_length`` does."""
    count, (start, _, delta) = range_length(operands, name), operands
    return (start.item() + np.arange(count) * delta.item()).astype(start.dtype)


def range_length(operands: Sequence[np.ndarray], name: str) -> int:
    """The number of elements of the Range ``name``, of start, limit and delta.

    Integers are exact. Floats are subtracted in their type and divided in float64, as in ONNX Runtime. Raises
    ModelError where the result is not a number and UnsupportedOperatorError for more than ``MOST_ELEMENTS``.
    """
    label = f"node '{name}' (Range)"
    if len(operands) != 3 or any(array.size != 1 for array in operands) or not operands[2].all():
        raise ModelError(f"{label}: start, limit and delta are to be numbers, delta not 0")
    start, limit, delta = (array.reshape(-1)[0] for array in operands)
    with np.errstate(all="ignore"):
        if np.issubdtype(start.dtype, np.integer):
            count = -((int(start) - int(limit)) // int(delta))
        else:
            count = np.ceil(np.float64(limit - start) / np.float64(delta))
    about = f"a range from {start} to {limit} by {delta}"
    if np.isnan(count):
        raise ModelError(f"{label}: {about} has an undefined number of elements")
    if count > MOST_ELEMENTS:
        raise UnsupportedOperatorError(
            f"{label}: {about} has {count:.4g} elements; at most {MOST_ELEMENTS} are supported", [name]
        )
    return max(0, int(count))


def _eye_like(node: Node) -> relax.Expr:
    shape, offset = node.shape(), int(node.attributes.get("k", 0))
    if len(shape) != 2:
        raise node.error(f"a tensor of shape {shape} is not a matrix")
    kind = node.attributes.get("dtype")
    dtype = dtype_of(node.data()) if kind is None else helper.tensor_dtype_to_np_dtype(int(kind))
    return make_constant(np.eye(*shape, k=offset).astype(dtype))


def _one_hot(node: Node) -> relax.Expr:
    shape, depths = node.shape(), node.sizes(1) or []
    if len(depths) != 1 or node.shape(2) != (2,):
        raise node.error("depth is to be one number, and values two")
    depth = depths[0] if is_open(depths) else int(depths[0])
    axis = node.axis(-1, len(shape) + 1)
    off, on = (movement.select(node, node.data(2), place, 0) for place in range(2))
    return one_hot(node, node.data(), depth, axis, on, off)


def _slice(node: Node) -> relax.Expr:
    """Starts and ends outside the data are its own; a negative step goes from the end."""
    rank = len(node.shape())
    starts, ends, axes, steps = _slice_operands(node)
    for axis, step in zip(axes, steps, strict=True):
        if not -rank <= axis < rank or step == 0:
            raise node.error(f"axis {axis} with step {step} is none of {rank} axes")
    axes = [axis % rank for axis in axes]
    return movement.slices(node, node.data(), axes, starts, ends, steps)


def _slice_operands(node: Node) -> list[list[int]]:
    """Starts, ends, axes and steps, as attributes before opset 10 and as inputs since."""
    if node.opset < 10:
        given = [node.attributes.get(name) for name in ("starts", "ends", "axes")]
        starts, ends, axes, steps = *(None if g is None else list(g) for g in given), None
    else:
        starts, ends, axes, steps = (node.sizes(index) for index in range(1, 5))
    if starts is None or ends is None:
        raise node.error("starts and ends are missing")
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise node.error(f"starts {starts}, ends {ends}, axes {axes} and steps {steps} differ in number")
    return [starts, ends, axes, steps]


def _expand(node: Node) -> relax.Expr:
    """An extent of 1 becomes that of the other shape, whichever has it; both may be open. Another one stays:
    a size that is known when the model runs can only be the same, or 1."""
    data, shape, wanted = node.data(), node.shape(), node.sizes(1) or []
    if not is_open([*shape, *wanted]):
        return node.by_tvm()
    rank = max(len(shape), len(wanted))
    pairs = zip(*([1] * (rank - len(each)) + list(each) for each in (shape, wanted)), strict=True)
    dims = []
    for own, size in pairs:
        if own == 1 and size != -1:
            dims.append(size)
        elif depends_on_data(size) or size in (1, -1) or own == size or not bool(own - size):
            dims.append(own)
        else:
            raise node.error(f"shape {list(shape)} cannot be expanded to {wanted}")
    return data if dims == list(shape) else relax.op.broadcast_to(data, relax.ShapeExpr(dims))


def _squeeze(node: Node) -> relax.Expr:
    """Axes of an open size are dropped for the sizes at which they are of one element."""
    data, shape = node.data(), node.shape()
    given = node.sizes(1) if node.opset >= 13 else node.attributes.get("axes")
    axes = {axis % len(shape) for axis in given or [] if -len(shape) <= axis < len(shape)}
    if not is_open([shape[axis] for axis in axes]):
        return node.by_tvm()
    for axis in sorted(axes, reverse=True):
        if bool(shape[axis] - 1):
            raise node.error(f"axis {axis} of {shape} is not of one element")
        data = movement.select(node, data, 0, axis)
    return data


def _reshape(node: Node) -> relax.Expr:
    """The extent that follows from the others is what is left of the data's where theirs are taken out."""
    wanted, shape = node.sizes(1) if node.opset >= 5 else None, shape_of(node.data())
    if wanted is None or shape is None or -1 not in wanted or not is_open([*wanted, *shape]):
        return node.by_tvm()
    if not node.integer("allowzero", 0):
        wanted = [shape[axis] if size == 0 else size for axis, size in enumerate(wanted)]
    rest, divisor = list(shape), 1
    for size in wanted:
        if size in rest:
            rest.remove(size)
        elif size != -1:
            divisor *= size
    if is_open([divisor]):
        return node.by_tvm()
    # By the numbers among them first: of 64 times open sizes over 32, it is seen to be whole.
    numbers = math.prod(size for size in rest if not is_open([size]))
    common = math.gcd(numbers, divisor)
    left = numbers // common * math.prod(size for size in rest if is_open([size]))
    dims = [left // (divisor // common) if size == -1 else size for size in wanted]
    return relax.op.reshape(node.data(), relax.ShapeExpr(dims))


def _trilu(node: Node) -> relax.Expr:
    """The diagonal may be an open one."""
    if not isinstance(node.input(1), relax.ShapeExpr):
        return node.by_tvm()
    (diagonal,) = map(given_to_tvm, node.sizes(1) or [])
    return (relax.op.triu if node.integer("upper", 1) else relax.op.tril)(node.data(), diagonal)


CONVERTERS: dict[str, Converter] = {
    "EyeLike": _eye_like,
    "Expand": _expand,
    "OneHot": _one_hot,
    "Range": _range,
    "Reshape": _reshape,
    "Shape": _shape,
    "Size": lambda node: make_constant(np.array(np.prod(node.shape(), dtype=np.int64))),
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Trilu": _trilu,
}
