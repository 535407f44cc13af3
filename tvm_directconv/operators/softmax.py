"""Softmax over the last axis longer than 1: per row three passes (maximum, exponentials and sum, scaling).

The row's maximum is subtracted first, so nothing overflows. Four vectors are in flight in each pass. The last
vector of a row whose length is no multiple of the lanes reaches back; its lanes that were already counted are
left out of the sum.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import (
    FLOAT_BYTES,
    VECTORS,
    Expr,
    Operator,
    build_operator,
    load,
    reduce_lanes,
    shuffle,
    splat,
    store,
)
from .expressions import exp_of_distance

if TYPE_CHECKING:
    from collections.abc import Callable

    from tvm_directconv.targets.target import CompileTarget

WORK_FACTOR = 4
"""An element takes this many times as long as copying it, for the decision to run in parallel."""


def softmax(
    shape: tuple[int, ...], target: CompileTarget, name: str = "softmax", axis: int = -1
) -> tirx.PrimFunc:
    """PrimFunc (data, output), both of ``shape``: ``exp(x - max) / sum(exp(x - max))`` along ``axis``, behind
    which all axes are of extent 1.

    A row that holds NaN or +infinity, or nothing but -infinity, gives NaN as the formula does.
    """
    length = math.prod(shape[axis:])
    with build_operator(name, target) as operator:
        data, output = operator.arguments({"data": shape, "output": shape})
        rows = math.prod(shape[:axis])
        with operator.outer_loop(rows, 2 * FLOAT_BYTES * WORK_FACTOR * math.prod(shape)) as row:
            _row(operator, data, output, T.Bind(row * length), length)
    return operator.prim_func


def _row(operator: Operator, data: tirx.Buffer, output: tirx.Buffer, base: Expr, length: int) -> None:
    width = min(length, operator.lanes)
    count = min(VECTORS, -(-length // width))

    largest = operator.accumulators(count, width)
    for number in range(count):
        store(largest, number * width, width, load(data, base, width))

    def find_largest(start: Expr, spans: list[tuple[int, int]]) -> None:
        for number, (offset, _) in enumerate(spans):
            value = T.max(load(largest, number * width, width), load(data, base + start + offset, width))
            store(largest, number * width, width, value)

    operator.blocks(length, count, find_largest)
    maximum = reduced(largest, count, width, T.max)

    sums = operator.accumulators(count, width)
    for number in range(count):
        store(sums, number * width, width, splat(0.0, width))

    def exponentiate(start: Expr, spans: list[tuple[int, int]]) -> None:
        for number, (offset, _) in enumerate(spans):
            position = base + start + offset
            value = T.Bind(exp_of_distance(load(data, position, width) - maximum))
            store(output, position, width, value)
            # Only a block at a fixed start ends short of a multiple of the lanes.
            again = -offset % width if start == 0 else 0
            if again:
                kept = [width if lane < again else lane for lane in range(width)]
                value = shuffle([value, splat(0.0, width)], kept)
            store(sums, number * width, width, load(sums, number * width, width) + value)

    operator.blocks(length, count, exponentiate)
    scale = T.Bind(T.float32(1) / reduced(sums, count, width, lambda a, b: a + b))

    # The reaching-back vector is read before its neighbour is scaled, and written last.
    whole = length // width * width
    last = T.Bind(load(output, base + (length - width), width)) if whole < length else None

    def rescale(start: Expr, spans: list[tuple[int, int]]) -> None:
        for offset, _ in spans:
            position = base + start + offset
            store(output, position, width, load(output, position, width) * scale)

    operator.blocks(whole, count, rescale)
    if last is not None:
        store(output, base + (length - width), width, last * scale)


def reduced(buffer: tirx.Buffer, count: int, width: int, combine: Callable[[Expr, Expr], Expr]) -> Expr:
    """All lanes of all accumulators combined into one scalar."""
    values = [load(buffer, number * width, width) for number in range(count)]
    while len(values) > 1:
        values = [combine(values[0], values[1]), *values[2:]]
    return T.Bind(reduce_lanes(values[0], width, combine))
