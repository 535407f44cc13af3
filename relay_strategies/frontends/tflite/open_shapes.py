"""Open dimensions of TensorFlow Lite models: those that a file leaves open, and arithmetic of shapes.

A file has -1 in the signature of a shape, and 1 or a typical size in the shape itself.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from relay_strategies.frontends.declared import Declared
from tvm_directconv.problem.extents import is_open
from tvm_directconv.problem.open_sizes import active_sizes, size_of

if TYPE_CHECKING:  # it needs the package that reads the format
    from .operator import Operator

EQUAL = ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "SELECT", "SELECT_V2")
"""Operators whose operands have equal sizes where none is 1."""


def declared_inputs(graph: Any) -> tuple[Declared, dict[str, int]]:
    """Return the dimensions of a graph's inputs by name, and what is typical of open ones: their sizes in the
    file, where these are more than 1. Open dimensions are called by their axis, as ``d1``, and by their input
    where several have some."""
    tensors = [graph.Tensors(int(index)) for index in (graph.InputsAsNumpy() if graph.InputsLength() else ())]
    several = sum(-1 in signature(tensor) for tensor in tensors) > 1
    declared: dict[str, tuple[int | str, ...]] = {}
    typical: dict[str, int] = {}
    for tensor in tensors:
        name = tensor.Name().decode("utf-8", "replace")
        before = re.sub(r"\W", "_", name) + "_" if several else ""
        dims = [f"{before}d{a}" if n == -1 else n for a, n in enumerate(signature(tensor))]
        declared[name] = tuple(dims)
        shape = [int(size) for size in tensor.ShapeAsNumpy()] if tensor.ShapeLength() else []
        typical |= {
            str(dim): size
            for dim, size in zip(dims, shape, strict=False)
            if isinstance(dim, str) and size > 1
        }
    return declared, typical


def signature(tensor: Any) -> list[int]:
    """Return the shape of a tensor, with -1 where it is open."""
    shape = [int(size) for size in tensor.ShapeAsNumpy()] if tensor.ShapeLength() else []
    if tensor.ShapeSignatureLength() != len(shape) or not shape:
        return shape
    signed = [int(size) for size in tensor.ShapeSignatureAsNumpy()]
    return signed if all(n in (-1, size) for n, size in zip(signed, shape, strict=True)) else shape


@contextmanager
def sizes_in_tvm() -> Iterator[None]:
    """Have TVM's converters compute with open sizes, which they would take for their typical ones.

    Models are compiled one at a time, and nothing else calls these functions.
    """
    from tvm.relax.frontend.tflite import tflite_frontend

    kept = tflite_frontend.to_int_list, tflite_frontend.get_pad_value
    tflite_frontend.to_int_list = lambda sizes: [
        int(size) if isinstance(size, np.integer) else size_of(size) for size in sizes
    ]
    tflite_frontend.get_pad_value = padding_of
    try:
        yield
    finally:
        tflite_frontend.to_int_list, tflite_frontend.get_pad_value = kept


def padding_of(size: int, taps: int, stride: int) -> tuple[int, int]:
    """Return the padding of mode SAME, before and after. Of an open size, what it leaves of a division by the
    stride is assumed."""
    total = max(taps - (int(size % stride) or stride), 0)
    return total // 2, total - total // 2


def is_folded(op: Operator) -> bool:
    """Whether an operator computes shapes, which are known then. Raises ModelError for any other whose
    operands are equal with ties of dimensions alone."""
    found = folded(op)
    if found is not None:
        op.converter.sizes[op.outputs[0].tensor_idx] = found
    elif op.kind in EQUAL:
        _demand_equal([op.shape_of(op.expr(tensor)) for tensor in op.inputs if op.is_computed(tensor)])
    return found is not None


def _demand_equal(shapes: Sequence[Sequence[int]]) -> None:
    sizes = active_sizes()
    for one, other in itertools.pairwise(tuple(reversed(shape)) for shape in shapes):
        pairs = [(a, b) for a, b in zip(one, other, strict=False) if is_open([a]) or is_open([b])]
        if sizes is not None:
            sizes.demand([(a, b) for a, b in pairs if 1 not in [n for n in (a, b) if isinstance(n, int)]])


def folded(op: Operator) -> np.ndarray | None:
    """Return what an operator computes of shapes: numbers, and extents where they are open. None for any
    other operator, and where its operands are not known."""
    if op.kind == "SHAPE":
        return settled(np.array(op.shape_of(op.expr(op.inputs[0])), object))
    if op.kind not in OPERATORS or not any(op.is_size(tensor) for tensor in op.inputs):
        return None
    if not all(op.is_size(tensor) or op.is_stored(tensor) for tensor in op.inputs):
        return None
    found = OPERATORS[op.kind](op, [op.value(tensor).astype(object) for tensor in op.inputs])
    return None if found is None else settled(np.asarray(found, object))


def settled(array: np.ndarray) -> np.ndarray:
    """Return an array as integers where all of it are numbers."""
    return array if is_open(array.reshape(-1).tolist()) else array.astype(np.int32)


# ---- operators of shapes


def _strided_slice(op: Operator, given: Sequence[Any]) -> Any:
    options = op.options("StridedSliceOptions")
    data, begin, end, stride = given
    if options.EllipsisMask() or options.NewAxisMask() or data.ndim != 1:
        return None
    first, last, step = int(begin[0]), int(end[0]), int(stride[0])
    if options.ShrinkAxisMask():
        return data[first]
    return data[None if options.BeginMask() else first : None if options.EndMask() else last : step]


def _gather(op: Operator, given: Sequence[Any]) -> Any:
    return np.take(given[0], given[1].astype(np.int64), op.options("GatherOptions").Axis())


def _slice(op: Operator, given: Sequence[Any]) -> Any:
    data, (begin, *_), (count, *_) = given
    return data[int(begin) :][: None if count == -1 else int(count)] if data.ndim == 1 else None


def _product(op: Operator, given: Sequence[Any]) -> Any:
    keeps = op.options("ReducerOptions").KeepDims()
    result = math.prod(given[0].reshape(-1).tolist())
    return np.array([result] if keeps else result, object) if given[0].ndim == 1 else None


def _binary(compute: Callable[[Any, Any], Any]) -> Callable[[Operator, Sequence[Any]], Any]:
    return lambda op, given: compute(*given)


OPERATORS: dict[str, Callable[[Operator, Sequence[Any]], Any]] = {
    "ADD": _binary(lambda a, b: a + b),
    "CAST": lambda op, given: given[0],
    "CONCATENATION": lambda op, given: np.concatenate(given, op.options("ConcatenationOptions").Axis()),
    "EXPAND_DIMS": lambda op, given: np.expand_dims(given[0], int(given[1].reshape(-1)[0])),
    "FLOOR_DIV": _binary(lambda a, b: a // b),
    "GATHER": _gather,
    "MUL": _binary(lambda a, b: a * b),
    "PACK": lambda op, given: np.stack(given, op.options("PackOptions").Axis()),
    "REDUCE_PROD": _product,
    "SLICE": _slice,
    "SQUEEZE": lambda op, given: given[0].reshape([n for n in given[0].shape if n != 1]),
    "STRIDED_SLICE": _strided_slice,
    "SUB": _binary(lambda a, b: a - b),
}
"""Functions of integers alone: what else they are used for in a file has operands that are computed."""
