"""Mean and maximum over height and width of NHWC activations.

Every image's channels are reduced a block of vectors at a time, held in registers over all pixels. Sums
are taken row by row and then added up, which keeps the rounding error of large maps near that of one row.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import FLOAT_BYTES, Expr, build_operator, load, splat, store

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..target import CompileTarget


def global_avg_pool2d(
    shape: tuple[int, int, int, int], target: CompileTarget, name: str = "global_avg_pool2d"
) -> tirx.PrimFunc:
    """PrimFunc (data NHWC of ``shape``, output (N, 1, 1, C))."""
    return _global_pool(shape, target, name, lambda a, b: a + b, 0.0, 1.0 / (shape[1] * shape[2]))


def global_max_pool2d(
    shape: tuple[int, int, int, int], target: CompileTarget, name: str = "global_max_pool2d"
) -> tirx.PrimFunc:
    """PrimFunc (data NHWC of ``shape``, output (N, 1, 1, C))."""
    return _global_pool(shape, target, name, T.max, -math.inf, 1.0)


def _global_pool(
    shape: tuple[int, int, int, int],
    target: CompileTarget,
    name: str,
    combine: Callable[[Expr, Expr], Expr],
    identity: float,
    scale: float,
) -> tirx.PrimFunc:
    with build_operator(name, target) as operator:
        data, output = operator.arguments({"data": shape, "output": (shape[0], 1, 1, shape[3])})
        batch, height, width, channels = shape

        def block(image: Expr, channel: Expr, spans: list[tuple[int, int]]) -> None:
            lanes = spans[0][1]
            totals = operator.accumulators(len(spans), lanes)
            partial = operator.accumulators(len(spans), lanes)
            for i in range(len(spans)):
                store(totals, i * lanes, lanes, splat(identity, lanes))
            with T.serial(0, height) as row:
                for i in range(len(spans)):
                    store(partial, i * lanes, lanes, splat(identity, lanes))
                with T.serial(0, width) as column:
                    pixel = (image * height + row) * width + column
                    for i, (offset, _) in enumerate(spans):
                        value = load(data, pixel * channels + channel + offset, lanes)
                        store(partial, i * lanes, lanes, combine(load(partial, i * lanes, lanes), value))
                for i in range(len(spans)):
                    value = combine(load(totals, i * lanes, lanes), load(partial, i * lanes, lanes))
                    store(totals, i * lanes, lanes, value)
            for i, (offset, _) in enumerate(spans):
                value = load(totals, i * lanes, lanes)
                if scale != 1.0:
                    value = value * T.float32(scale)
                store(output, image * channels + channel + offset, lanes, value)

        with operator.outer_loop(batch, FLOAT_BYTES * math.prod(shape)) as image:
            operator.blocks(
                channels,
                operator.vector_registers // 4,
                lambda channel, spans: block(image, channel, spans),
            )
    return operator.prim_func
