"""Element-wise operators at the edges of, and between, 8-bit quantized tensors.

``quantize`` and ``dequantize`` are ONNX's to the bit. The others compute what dequantizing, the operator and
quantizing would, with the scales divided at compile time: results differ from the longer way only where it
lands within float32's rounding of a tie.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import Step
from tvm_directconv.errors import WorkloadError

from .builder import Expr, Operator, build_operator, load, row_groups, store, vector_type
from .elementwise import elementwise
from .quantized_type import (
    DTYPES,
    QuantizedType,
    centered,
    check_dtype,
    last_clip,
    ratio,
    saturated,
)

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

WORK_FACTOR = 3
"""An element takes this many times as long as copying it, for the decision to run in parallel."""
PIXELS = 8
"""This many pixels share what is made of a channel's factor."""
FOLDED_RATIOS = 4.0
"""Up to this sum of ratios an addition takes off its zero points as one constant, rounded by below 2^-14."""


def quantize(shape: tuple[int, ...], result: QuantizedType, target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (data float32, output), both of ``shape``: ``saturate(round(data / scale) + zero_point)``."""

    def function(value: Expr) -> Expr:
        return saturated(value / T.float32(result.scale), _lanes(value), math.inf, result)

    return elementwise(
        function, shape, 1, target, work_factor=WORK_FACTOR, dtypes=["float32", result.dtype], name="quantize"
    )


def dequantize(shape: tuple[int, ...], source: QuantizedType, target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (data, output float32), both of ``shape``: ``(data - zero_point) * scale``."""

    def function(value: Expr) -> Expr:
        return centered(value, source, _lanes(value)) * T.float32(source.scale)

    return elementwise(function, shape, 1, target, dtypes=[source.dtype, "float32"], name="dequantize")


def quantize_channels(shape: tuple[int, ...], dtype: str, target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (data float32, scale (C,) float32, zero_point (C,) int32, output of ``dtype``), channels last.

    ``output = saturate(round(data / scale[c]) + zero_point[c])``; data and output have ``shape``.
    """
    check_dtype("quantize_channels", dtype)
    smallest, largest = (float(bound) for bound in (np.iinfo(dtype).min, np.iinfo(dtype).max))

    def function(value: Expr, scale: Expr, zero: Expr, width: int) -> Expr:
        # Rounding first, as ONNX does: a zero point added to the float would move its ties.
        number = T.nearbyint(value / scale) + T.cast(zero, vector_type("float32", width))
        number = T.min(T.max(number, T.float32(smallest)), T.float32(largest))
        return T.cast(T.cast(number, vector_type("int32", width)), vector_type(dtype, width))

    return _by_channels(shape, "float32", dtype, function, target, "quantize_channels")


def dequantize_channels(shape: tuple[int, ...], dtype: str, target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (data of ``dtype``, scale (C,) float32, zero_point (C,) int32, output float32), channels last.

    ``output = (data - zero_point[c]) * scale[c]``; data and output have ``shape``.
    """
    check_dtype("dequantize_channels", dtype)

    def function(value: Expr, scale: Expr, zero: Expr, width: int) -> Expr:
        wide = T.cast(value, vector_type("int32", width)) - zero
        return T.cast(wide, vector_type("float32", width)) * scale

    return _by_channels(shape, dtype, "float32", function, target, "dequantize_channels")


def requantization(
    source: QuantizedType, result: QuantizedType, steps: Sequence[Step] = ()
) -> Callable[[Expr, int], Expr]:
    """The map of one vector, given it and its width, to the same real numbers in another quantization, after
    ``steps``, which are of real numbers:
    ``saturate(round((data - source zero_point) * (source scale / result scale)) + result zero_point)`` where
    there are none."""
    steps, clip = last_clip(steps)
    if source == result and not steps:
        smallest, largest = result.bounds(clip)
        if (smallest, largest) == (result.smallest, result.largest):
            return lambda value, width: value
        bounds = (tirx.const(bound, result.dtype) for bound in (smallest, largest))
        least, most = bounds
        return lambda value, width: T.min(T.max(value, least), most)
    factor = ratio(source.scale, result.scale)

    def function(value: Expr, width: int) -> Expr:
        number = centered(value, source, width) * T.float32(factor)
        return saturated(number, width, factor * source.reach, result, (*steps, clip))

    return function


def quantized_add(
    shape: tuple[int, ...],
    sources: Sequence[QuantizedType],
    result: QuantizedType,
    target: CompileTarget,
    *,
    steps: Sequence[Step] = (),
) -> tirx.PrimFunc:
    """PrimFunc (input 0, ..., input n-1, output), all of ``shape``: ``steps`` of the sum of the real numbers.

    ``saturate(round(sum of (input - zero_point) * (scale / result scale)) + result zero_point)`` where there
    are no steps.
    """
    if not sources:
        raise WorkloadError("quantized_add: an addition needs at least one input")
    factors = [ratio(source.scale, result.scale) for source in sources]
    pairs = list(zip(sources, factors, strict=True))
    reach = sum(factor * source.reach for source, factor in pairs)
    folded = sum(factors) <= FOLDED_RATIOS
    shift = -sum(factor * source.zero_point for source, factor in pairs)

    def function(*values: Expr) -> Expr:
        width = _lanes(values[0])
        terms = []
        for value, (source, factor) in zip(values, pairs, strict=True):
            if folded:
                number = T.cast(T.cast(value, vector_type("int32", width)), vector_type("float32", width))
            else:
                number = centered(value, source, width)
            terms.append(number * T.float32(factor))
        if folded and shift:
            terms.append(T.float32(shift))
        # From the right, each product is one fused multiply-add onto the sum so far.
        total = functools.reduce(lambda sum_so_far, term: term + sum_so_far, reversed(terms))
        return saturated(total, width, reach, result, steps)

    dtypes = [*(source.dtype for source in sources), result.dtype]
    return elementwise(
        function, shape, len(sources), target, work_factor=WORK_FACTOR, dtypes=dtypes, name="quantized_add"
    )


def quantized_multiply(
    shape: tuple[int, ...],
    other: tuple[int, ...],
    sources: Sequence[QuantizedType],
    result: QuantizedType,
    target: CompileTarget,
    *,
    steps: Sequence[Step] = (),
) -> tirx.PrimFunc:
    """PrimFunc (data, factor, output): ``steps`` of the product of the real numbers. Data and output have
    ``shape``; the factor has the shape ``other``, which is the same or has 1 for some axes next to each
    other, none of them the last; axes that it lacks are such.

    ``saturate(round((data - zero_point) * (factor - zero_point) * (scale * scale / result scale)) + result
    zero_point)`` where there are no steps.
    """
    of_data, of_factor = sources
    ratio_ = float(np.float32(ratio(of_data.scale, result.scale)) * np.float32(of_factor.scale))
    reach = abs(ratio_) * of_data.reach * of_factor.reach
    if other == shape:

        def function(value: Expr, factor: Expr) -> Expr:
            width = _lanes(value)
            product = centered(value, of_data, width) * centered(factor, of_factor, width)
            return saturated(product * T.float32(ratio_), width, reach, result, steps)

        dtypes = [of_data.dtype, of_factor.dtype, result.dtype]
        return elementwise(
            function, shape, 2, target, work_factor=WORK_FACTOR, dtypes=dtypes, name="quantized_multiply"
        )
    images, pixels, channels = _gated("quantized_multiply", shape, other)
    types = {"data": of_data.dtype, "factor": of_factor.dtype, "output": result.dtype}
    with build_operator("quantized_multiply", target, result.dtype) as operator:
        shapes = {"data": shape, "factor": other, "output": shape}
        data, gate, output = operator.arguments(shapes, types)

        def prepare(image: Expr, channel: Expr, width: int) -> Callable[[Expr], Expr]:
            value = load(gate, image * channels + channel, width)
            number = T.Bind(centered(value, of_factor, width) * T.float32(ratio_))

            def apply(value: Expr) -> Expr:
                product = centered(value, of_data, width) * number
                return saturated(product, width, reach, result, steps)

            return apply

        _over_pixels(operator, data, output, (images, pixels, channels), prepare)
    return operator.prim_func


def quantized_affine(
    shape: tuple[int, ...],
    source: QuantizedType,
    result: QuantizedType,
    target: CompileTarget,
    *,
    steps: Sequence[Step] = (),
) -> tirx.PrimFunc:
    """PrimFunc (data, scale (C,) float32, shift (C,) float32, output): ``steps(data * scale[c] + shift[c])``
    of the real numbers. Data and output have ``shape`` with channels last."""
    channels, pixels = shape[-1], math.prod(shape[:-1])
    types = {"data": source.dtype, "scale": "float32", "shift": "float32", "output": result.dtype}
    with build_operator("quantized_affine", target, result.dtype) as operator:
        shapes = {"data": shape, "scale": (channels,), "shift": (channels,), "output": shape}
        data, scale, shift, output = operator.arguments(shapes, types)

        def prepare(image: Expr, channel: Expr, width: int) -> Callable[[Expr], Expr]:
            unit = T.float32(ratio(source.scale, result.scale))
            factor = T.Bind(load(scale, channel, width) * unit)
            term = T.Bind(load(shift, channel, width) * T.float32(ratio(1.0, result.scale)))

            def apply(value: Expr) -> Expr:
                number = centered(value, source, width) * factor + term
                return saturated(number, width, math.inf, result, steps)

            return apply

        _over_pixels(operator, data, output, (1, pixels, channels), prepare)
    return operator.prim_func


def _over_pixels(
    operator: Operator,
    data: tirx.Buffer,
    output: tirx.Buffer,
    extents: tuple[int, int, int],
    prepare: Callable[[Expr, Expr, int], Callable[[Expr], Expr]],
) -> None:
    """``output = prepare(image, channel, width)(data)`` of vectors of channels, of ``extents`` (images,
    pixels, channels); some pixels share what is prepared."""
    images, pixels, channels = extents

    def emit(image: Expr, pixel: Expr, count: int) -> None:
        base = T.Bind((image * pixels + pixel) * channels)

        def block(channel: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, width in spans:
                apply = prepare(image, channel + offset, width)
                for number in range(count):
                    at = base + channel + (offset + number * channels)
                    store(output, at, width, apply(load(data, at, width)))

        operator.blocks(channels, 1, block)

    with T.serial(0, images) as image:
        for pixel, count in row_groups(operator, pixels, PIXELS, WORK_FACTOR * 2 * pixels * channels):
            emit(image, pixel, count)


def _gated(name: str, shape: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, int, int]:
    """(elements of the axes before those that ``other`` has 1 for, of these, of those behind)."""
    ones = len(shape) - len(other)
    if ones >= 0:
        other = (1,) * ones + other
        for first in range(len(shape)):
            for end in range(first + 1, len(shape)):
                if other == (*shape[:first], *[1] * (end - first), *shape[end:]):
                    return math.prod(shape[:first]), math.prod(shape[first:end]), math.prod(shape[end:])
    raise WorkloadError(f"{name}: no factor of shape {other} for data of shape {shape}")


def _by_channels(
    shape: tuple[int, ...],
    source: str,
    result: str,
    function: Callable[[Expr, Expr, Expr, int], Expr],
    target: CompileTarget,
    name: str,
) -> tirx.PrimFunc:
    """PrimFunc (data, scale, zero_point, output): ``function(value, scale, zero point, width)``."""
    channels, pixels = shape[-1], math.prod(shape[:-1])
    dtypes = {"data": source, "scale": "float32", "zero_point": "int32", "output": result}
    narrow = source if source in DTYPES else result
    with build_operator(name, target, narrow) as operator:
        shapes = {"data": shape, "scale": (channels,), "zero_point": (channels,), "output": shape}
        data, scale, zero_point, output = operator.arguments(shapes, dtypes)
        with operator.outer_loop(pixels, WORK_FACTOR * 5 * math.prod(shape)) as pixel:
            base = T.Bind(pixel * channels)

            def block(channel: Expr, spans: list[tuple[int, int]]) -> None:
                for offset, width in spans:
                    at = channel + offset
                    value = load(data, base + at, width)
                    factor, zero = load(scale, at, width), load(zero_point, at, width)
                    store(output, base + at, width, function(value, factor, zero, width))

            operator.blocks(channels, 1, block)
    return operator.prim_func


def _lanes(value: Expr) -> int:
    return value.ty.dtype.lanes
