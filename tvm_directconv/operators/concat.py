"""Concatenation by vector copies, alone or fused with a per-channel affine map and an epilogue's steps.

Around the concatenation axis the tensors are matrices: ``outer`` rows of ``extent * inner`` contiguous
elements for each input, next to each other in the output's rows. For channels-last activations ``inner``
is 1 and the rows are pixels. The fused form reads every input once and writes the result once; nothing is
stored in between; dense blocks need it for their batch normalization and ReLU.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import Step
from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.extents import is_open, typical
from tvm_directconv.problem.steps import te_steps

from .builder import Expr, Operator, build_operator, load, row_groups, shuffle, store
from .quantized_elementwise import requantization
from .quantized_type import QuantizedType

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

VECTORS = 8
"""The innermost loop copies this many vectors at a time; shorter rows are copied without a loop."""
ROWS = 2
"""This many rows of one input are handled together, and share the loads of scale and shift: with those of
data as many as two stores take. More rows are only more code, of which each input has its own."""
FEW_ROWS = 16
"""Below this many rows the parallel loops are inside the rows: joining along the batch has one row."""

Transform = Callable[[int, Expr, int], Callable[[Expr], Expr]]
"""A function that takes the input's number, output channel and width, loads what the channels need, and
returns the map of one vector."""


def concat(
    shapes: Sequence[Sequence[int]], axis: int, target: CompileTarget, *, dtype: str = "float32"
) -> tirx.PrimFunc:
    """PrimFunc (input 0, ..., input n-1, output): the inputs of ``shapes`` joined along ``axis``."""
    rows, lengths, output_shape = _as_rows("concat", shapes, axis)
    with build_operator("concat", target, dtype) as operator:
        inputs = {f"input{i}": shape for i, shape in enumerate(shapes)}
        *data, output = operator.arguments({**inputs, "output": output_shape})
        _join(operator, _whole(data, lengths), output, rows, lengths)
    return operator.prim_func


def joined_channels(
    shapes: Sequence[Sequence[int]],
    firsts: Sequence[int],
    channels: Sequence[int],
    target: CompileTarget,
    *,
    interleaved: bool = False,
    dtype: str = "float32",
) -> tirx.PrimFunc:
    """PrimFunc (input 0, ..., input n-1, output): so many channels of the last axis of each input, from the
    ``first`` on, joined along it; with ``interleaved`` the first of each input before the second ones."""
    parts = [(*shape[:-1], count) for shape, count in zip(shapes, channels, strict=True)]
    rows, lengths, output_shape = _as_rows("joined_channels", parts, -1)
    reach = [first + count for first, count in zip(firsts, channels, strict=True)]
    if min(firsts) < 0 or any(end > shape[-1] for end, shape in zip(reach, shapes, strict=True)):
        raise WorkloadError(
            f"joined_channels: inputs {list(map(tuple, shapes))} do not have channels up to {reach}"
        )
    if interleaved and len(set(channels)) > 1:
        raise WorkloadError(f"joined_channels: {list(channels)} channels cannot be interleaved")
    with build_operator("joined_channels", target, dtype) as operator:
        inputs = {f"input{i}": shape for i, shape in enumerate(shapes)}
        *data, output = operator.arguments({**inputs, "output": output_shape})
        sources = [_Rows(b, s[-1], first) for b, s, first in zip(data, shapes, firsts, strict=True)]
        if interleaved:
            _interleave(operator, sources, output, rows, channels[0])
        else:
            _join(operator, sources, output, rows, lengths)
    return operator.prim_func


def placed_channels(
    shape: Sequence[int], first: int, channels: int, target: CompileTarget, *, dtype: str = "float32"
) -> tirx.PrimFunc:
    """PrimFunc (input, output): the input as channels ``first`` and following of an output that has so many,
    channels last in both; the other channels of the output are left as they are."""
    count = shape[-1]
    if not 0 <= first <= channels - count:
        raise WorkloadError(f"placed_channels: {count} channels from {first} on are not a part of {channels}")
    rows = math.prod(shape[:-1])
    with build_operator("placed_channels", target, dtype) as operator:
        data, output = operator.arguments({"input": shape, "output": (*shape[:-1], channels)})

        def emit(row: Expr, rows: int, start: Expr, vectors: list[tuple[int, int]]) -> None:
            for offset, width in vectors:
                for r in range(rows):
                    value = load(data, (row + r) * count + start + offset, width)
                    store(output, (row + r) * channels + (first + start + offset), width, value)

        traffic = 2 * operator.element_bytes * rows * count
        for row, together in row_groups(operator, rows, ROWS, traffic):
            operator.blocks(count, VECTORS, functools.partial(emit, row, together))
    return operator.prim_func


def quantized_concat(
    shapes: Sequence[Sequence[int]],
    axis: int,
    sources: Sequence[QuantizedType],
    result: QuantizedType,
    target: CompileTarget,
    *,
    steps: Sequence[Step] = (),
) -> tirx.PrimFunc:
    """PrimFunc (input 0, ..., input n-1, output): inputs of ``sources`` joined along ``axis`` in ``result``.

    Each input is requantized as ``requantize`` does on its own; one that is quantized as the result is
    copied. ``steps`` are of real numbers.
    """
    rows, lengths, output_shape = _as_rows("quantized_concat", shapes, axis)
    if len(sources) != len(shapes):
        raise WorkloadError(f"quantized_concat: {len(shapes)} inputs with {len(sources)} quantizations")
    maps = [requantization(source, result, steps) for source in sources]
    with build_operator("quantized_concat", target, result.dtype) as operator:
        inputs = {f"input{i}": shape for i, shape in enumerate(shapes)}
        dtypes = {f"input{i}": source.dtype for i, source in enumerate(sources)}
        *data, output = operator.arguments({**inputs, "output": output_shape}, dtypes)

        def transform(number: int, channel: Expr, width: int) -> Callable[[Expr], Expr]:
            return lambda value: maps[number](value, width)

        _join(operator, _whole(data, lengths), output, rows, lengths, transform)
    return operator.prim_func


def concat_affine(
    shapes: Sequence[Sequence[int]], target: CompileTarget, *, steps: Sequence[Step] = ()
) -> tirx.PrimFunc:
    """PrimFunc (input 0, ..., input n-1, scale (C,), shift (C,), output), channels last.

    ``output = steps(concat(inputs) * scale[c] + shift[c])`` over the C channels of all inputs
    together.
    """
    rows, lengths, output_shape = _as_rows("concat_affine", shapes, -1)
    with build_operator("concat_affine", target) as operator:
        inputs = {f"input{i}": shape for i, shape in enumerate(shapes)}
        parameters = {"scale": output_shape[-1:], "shift": output_shape[-1:]}
        *data, scale, shift, output = operator.arguments({**inputs, **parameters, "output": output_shape})

        def transform(number: int, channel: Expr, width: int) -> Callable[[Expr], Expr]:
            factor = T.Bind(load(scale, channel, width))
            term = T.Bind(load(shift, channel, width))
            return lambda value: te_steps(steps, value * factor + term)

        _join(operator, _whole(data, lengths), output, rows, lengths, transform)
    return operator.prim_func


class _Rows(NamedTuple):
    """Rows of a buffer: how far from one to the next, and where the first begins."""

    buffer: tirx.Buffer
    stride: int
    first: int = 0


def _whole(data: Sequence[tirx.Buffer], lengths: Sequence[int]) -> list[_Rows]:
    return [_Rows(buffer, length) for buffer, length in zip(data, lengths, strict=True)]


def _interleave(
    operator: Operator, sources: Sequence[_Rows], output: tirx.Buffer, rows: int, channels: int
) -> None:
    """One element of each source's row after another, whole vectors at a time."""
    count = len(sources)
    traffic = 2 * operator.element_bytes * rows * channels * count
    width = min(operator.lanes, channels)

    def emit(row: Expr, start: Expr) -> None:
        places = [row * source.stride + (source.first + start) for source in sources]
        vectors = [
            T.Bind(load(source.buffer, place, width)) for source, place in zip(sources, places, strict=True)
        ]
        for number in range(count):
            elements = range(number * width, (number + 1) * width)
            lanes = [element % count * width + element // count for element in elements]
            value = vectors[number] if width == 1 else shuffle(vectors, lanes)
            store(output, row * (count * channels) + start * count + number * width, width, value)

    with operator.outer_loop(rows, traffic) as row:
        whole, rest = divmod(channels, width)
        with T.serial(0, whole) as block:
            emit(row, block * width)
        if rest:
            emit(row, channels - width)


def _join(
    operator: Operator,
    data: Sequence[_Rows],
    output: tirx.Buffer,
    rows: int,
    lengths: Sequence[int],
    transform: Transform | None = None,
) -> None:
    """Rows of ``lengths`` joined, as they are where nothing is to be done with them."""
    row_length = sum(lengths)
    # Long rows that are copied have nothing to share: more of them at once are only more code.
    together = 1 if transform is None and typical(row_length) >= VECTORS * operator.lanes else ROWS
    traffic = 2 * operator.element_bytes * rows * row_length

    def emit(number: int, row: Expr, count: int, start: Expr, vectors: list[tuple[int, int]]) -> None:
        """``vectors`` of ``count`` rows of input ``number``."""
        buffer, stride, skipped = data[number]
        first = sum(lengths[:number])
        source, destination = T.Bind(row * stride + skipped), T.Bind(row * row_length)
        for offset, width in vectors:
            apply = None if transform is None else transform(number, start + (first + offset), width)
            for r in range(count):
                value = load(buffer, source + start + (offset + r * stride), width)
                position = destination + start + (first + offset + r * row_length)
                store(output, position, width, value if apply is None else apply(value))

    if typical(rows) >= FEW_ROWS or is_open([rows, *lengths]):
        for row, count in row_groups(operator, rows, together, traffic):
            for number, length in enumerate(lengths):
                operator.blocks(length, VECTORS, functools.partial(emit, number, row, count))
        return
    size = VECTORS * operator.lanes
    for row in range(rows):
        for number, length in enumerate(lengths):
            blocks = length // size
            if blocks:
                with operator.outer_loop(blocks, 2 * operator.element_bytes * length) as block:
                    emit(number, row, 1, block * size, operator.spans(size))
            if length % size:
                emit(number, row, 1, 0, operator.spans(length, blocks * size))


def _as_rows(name: str, shapes: Sequence[Sequence[int]], axis: int) -> tuple[int, list[int], tuple[int, ...]]:
    """Number of rows, row length of each input, and the output's shape."""
    first = tuple(shapes[0]) if shapes else ()
    if not first or not -len(first) <= axis < len(first):
        raise WorkloadError(f"{name}: axis {axis} of shapes {list(map(tuple, shapes))} does not exist")
    axis %= len(first)
    for shape in shapes:
        others = (*shape[:axis], *shape[axis + 1 :])
        if len(shape) != len(first) or others != (*first[:axis], *first[axis + 1 :]):
            raise WorkloadError(
                f"{name}: shapes {first} and {tuple(shape)} differ outside the joined axis {axis}"
            )
    inner = math.prod(first[axis + 1 :])
    lengths = [shape[axis] * inner for shape in shapes]
    total = sum(shape[axis] for shape in shapes)
    return math.prod(first[:axis]), lengths, (*first[:axis], total, *first[axis + 1 :])
