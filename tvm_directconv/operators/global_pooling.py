"""Mean and maximum over height and width of NHWC activations.

Every image's channels are reduced a block of vectors at a time, held in registers over all pixels. Sums
are taken row by row and then added up, which keeps the rounding error of large maps near that of one row, and
lets 8-bit numbers be summed in 16-bit lanes along a row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import Step

from .builder import Expr, build_operator, element_bytes, load, splat, store, vector_type
from .quantized_type import QuantizedType, integer_accumulator
from .reductions import Maximum, Mean, QuantizedMean, Reduction

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget


def global_avg_pool2d(
    shape: tuple[int, int, int, int], target: CompileTarget, name: str = "global_avg_pool2d"
) -> tirx.PrimFunc:
    """PrimFunc (data NHWC of ``shape``, output (N, 1, 1, C))."""
    return _global_pool(shape, target, name, "float32", Mean(), "float32")


def global_max_pool2d(
    shape: tuple[int, int, int, int],
    target: CompileTarget,
    *,
    dtype: str = "float32",
    name: str = "global_max_pool2d",
) -> tirx.PrimFunc:
    """PrimFunc (data NHWC of ``shape``, output (N, 1, 1, C)), both of ``dtype``: float32, uint8 or int8."""
    return _global_pool(shape, target, name, dtype, Maximum(dtype), dtype)


def quantized_global_avg_pool2d(
    shape: tuple[int, int, int, int],
    source: QuantizedType,
    result: QuantizedType,
    target: CompileTarget,
    *,
    steps: Sequence[Step] = (),
    name: str = "quantized_global_avg_pool2d",
) -> tirx.PrimFunc:
    """PrimFunc (data NHWC of ``source``, output (N, 1, 1, C) of ``result``): the mean of the real numbers.

    ``saturate(round((sum - H * W * zero_point) * (scale / (result scale * H * W))) + result zero_point)``;
    ``steps`` are of real numbers.
    """
    reduction = QuantizedMean(source, result, integer_accumulator(shape[1] * shape[2]), steps)
    return _global_pool(shape, target, name, source.dtype, reduction, integer_accumulator(shape[2]))


def _global_pool(
    shape: tuple[int, int, int, int],
    target: CompileTarget,
    name: str,
    dtype: str,
    reduction: Reduction,
    row_dtype: str,
) -> tirx.PrimFunc:
    """``row_dtype`` holds what one row was reduced to, the reduction's accumulator what all were."""
    with build_operator(name, target, dtype) as operator:
        shapes = {"data": shape, "output": (shape[0], 1, 1, shape[3])}
        data, output = operator.arguments(shapes, {"output": reduction.dtype})
        batch, height, width, channels = shape

        def identity(lanes: int, accumulator: str) -> Expr:
            return splat(reduction.identity, lanes, accumulator)

        def block(image: Expr, channel: Expr, spans: list[tuple[int, int]]) -> None:
            lanes = spans[0][1]
            places = [i * lanes for i in range(len(spans))]
            totals = operator.accumulators(len(spans), lanes, reduction.accumulator)
            partial = operator.accumulators(len(spans), lanes, row_dtype)
            for place in places:
                store(totals, place, lanes, identity(lanes, reduction.accumulator))
            with T.serial(0, height) as row:
                for place in places:
                    store(partial, place, lanes, identity(lanes, row_dtype))
                with T.serial(0, width) as column:
                    pixel = (image * height + row) * width + column
                    for place, (offset, _) in zip(places, spans, strict=True):
                        value = load(data, pixel * channels + channel + offset, lanes)
                        value = T.cast(value, vector_type(row_dtype, lanes))
                        store(partial, place, lanes, reduction.combine(load(partial, place, lanes), value))
                for place in places:
                    value = reduction.widened(load(partial, place, lanes), lanes)
                    store(totals, place, lanes, reduction.combine(load(totals, place, lanes), value))
            finish = reduction.finishing(height * width, height * width)
            for place, (offset, _) in zip(places, spans, strict=True):
                value = finish(load(totals, place, lanes), lanes)
                store(output, image * channels + channel + offset, lanes, value)

        widening = element_bytes(reduction.accumulator) // operator.element_bytes
        vectors = max(1, operator.vector_registers // 4 // widening)
        with operator.outer_loop(batch, operator.element_bytes * math.prod(shape)) as image:
            operator.blocks(channels, vectors, lambda channel, spans: block(image, channel, spans))
    return operator.prim_func
