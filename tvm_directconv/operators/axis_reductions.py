"""Sums, means and extremes along one run of axes; running sums and products, softmax and L2 norms along an
axis that is not the last.

A tensor is (outer, reduced, inner) then. Where nothing is inside the axes, every row gives one number, summed
in several vectors; elsewhere vectors of neighbours go along the axes together, as in pooling.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
    over_once,
    shuffle,
    splat,
    store,
)
from .expressions import exp_of_distance, maximum, minimum
from .softmax import reduced

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

KINDS: dict[str, tuple[float, Callable[[Expr, Expr], Expr]]] = {
    "sum": (0.0, lambda a, b: a + b),
    "mean": (0.0, lambda a, b: a + b),
    "max": (-math.inf, maximum),
    "min": (math.inf, minimum),
}
"""What reductions begin with and how they go on; one NaN makes an extreme NaN."""
RUNNING: dict[str, tuple[float, Callable[[Expr, Expr], Expr]]] = {
    "cumsum": KINDS["sum"],
    "cumprod": (1.0, lambda a, b: a * b),
}
"""What running sums and products begin with, and how they go on."""
WORK_FACTOR = 4
"""As of ``softmax``."""


def reduce_axes(
    shape: tuple[int, ...],
    axes: tuple[int, int],
    result: tuple[int, ...],
    kind: str,
    target: CompileTarget,
    name: str = "",
) -> tirx.PrimFunc:
    """PrimFunc (data of ``shape``, output of ``result``): ``kind`` of KINDS along the axes from the first to
    the one before the second of ``axes``."""
    outer, length, inner = (math.prod(part) for part in parts(shape, axes))
    identity, combine = KINDS[kind]
    with build_operator(name or kind, target) as operator:
        data, output = operator.arguments({"data": shape, "output": result}, scalars=["output"])

        def finished(value: Expr, width: int) -> Expr:
            return value / splat(float(length), width) if kind == "mean" else value

        with operator.outer_loop(outer, FLOAT_BYTES * math.prod(shape)) as row:
            if inner == 1:
                value = reduce_row(operator, data, T.Bind(row * length), length, identity, combine)
                store(output, row, 1, finished(value, 1))
            else:

                def columns(start: Expr, spans: list[tuple[int, int]]) -> None:
                    slots = operator.accumulators(len(spans), spans[0][1])
                    base = T.Bind(row * (length * inner) + start)
                    along(slots, spans, data, base, (length, inner), identity, combine)
                    for number, (offset, width) in enumerate(spans):
                        value = finished(load(slots, number * width, width), width)
                        store(output, row * inner + (start + offset), width, value)

                operator.blocks(inner, VECTORS, columns)
    assert operator.prim_func is not None
    return operator.prim_func


def accumulate_along(
    shape: tuple[int, ...], axis: int, kind: str, exclusive: bool, target: CompileTarget
) -> tirx.PrimFunc:
    """PrimFunc (data, output), both of ``shape``: at each place along ``axis``, not the last, what ``kind``
    of RUNNING makes of the elements up to it, or of those before it where that is ``exclusive``."""
    identity, combine = RUNNING[kind]

    def columns(what: _Columns, base: Expr, spans: list[tuple[int, int]]) -> None:
        width = spans[0][1]
        slots = what.operator.accumulators(len(spans), width)
        for number in range(len(spans)):
            store(slots, number * width, width, splat(identity, width))
        with T.serial(0, what.length) as step:
            for number, (offset, _) in enumerate(spans):
                at, slot = base + step * what.inner + offset, number * width
                before = T.Bind(load(slots, slot, width))
                up_to = T.Bind(combine(before, load(what.data, at, width)))
                store(slots, slot, width, up_to)
                store(what.output, at, width, before if exclusive else up_to)

    return _by_columns(kind, shape, axis, target, columns)


def softmax_along(shape: tuple[int, ...], axis: int, target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (data, output), both of ``shape``: ``exp(x - max) / sum(exp(x - max))`` along ``axis``, not
    the last. NaN and infinities are as in ``softmax``."""
    outer, length, inner = (math.prod(part) for part in parts(shape, (axis, axis + 1)))
    with build_operator("softmax", target) as operator:
        data, output = operator.arguments({"data": shape, "output": shape})
        with operator.outer_loop(outer, 2 * FLOAT_BYTES * WORK_FACTOR * math.prod(shape)) as row:

            def columns(start: Expr, spans: list[tuple[int, int]]) -> None:
                width = spans[0][1]
                largest, sums = (operator.accumulators(len(spans), width) for _ in range(2))
                base = T.Bind(row * (length * inner) + start)
                along(largest, spans, data, base, (length, inner), *KINDS["max"])
                for number in range(len(spans)):
                    store(sums, number * width, width, splat(0.0, width))
                with T.serial(0, length) as step:
                    for number, (offset, _) in enumerate(spans):
                        at, slot = base + step * inner + offset, number * width
                        value = T.Bind(exp_of_distance(load(data, at, width) - load(largest, slot, width)))
                        store(output, at, width, value)
                        store(sums, slot, width, load(sums, slot, width) + value)
                factors = [
                    T.Bind(splat(1.0, width) / load(sums, n * width, width)) for n in range(len(spans))
                ]
                with T.serial(0, length) as step:
                    for number, (offset, _) in enumerate(spans):
                        at = base + step * inner + offset
                        store(output, at, width, load(output, at, width) * factors[number])

            over_once(operator, inner, columns)
    assert operator.prim_func is not None
    return operator.prim_func


def l2_norm_along(shape: tuple[int, ...], axis: int, epsilon: float, target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (data, output), both of ``shape``: ``x / max(sqrt(sum of x^2), epsilon)`` along ``axis``, not
    the last."""

    def columns(what: _Columns, base: Expr, spans: list[tuple[int, int]]) -> None:
        width, steps = spans[0][1], (what.length, what.inner)
        sums = what.operator.accumulators(len(spans), width)
        along(sums, spans, what.data, base, steps, *KINDS["sum"], lambda value: value * value)
        factors = []
        for number in range(len(spans)):
            spread = maximum(T.sqrt(load(sums, number * width, width)), splat(epsilon, width))
            factors.append(T.Bind(splat(1.0, width) / spread))
        with T.serial(0, what.length) as step:
            for (offset, _), factor in zip(spans, factors, strict=True):
                at = base + step * what.inner + offset
                store(what.output, at, width, load(what.data, at, width) * factor)

    return _by_columns("l2_norm", shape, axis, target, columns)


@dataclass(frozen=True)
class _Columns:
    """What a kernel goes over along an axis: so many elements, ``inner`` apart."""

    operator: Operator
    data: tirx.Buffer
    output: tirx.Buffer
    length: int
    inner: int


def _by_columns(
    name: str,
    shape: tuple[int, ...],
    axis: int,
    target: CompileTarget,
    columns: Callable[[_Columns, Expr, list[tuple[int, int]]], None],
) -> tirx.PrimFunc:
    """PrimFunc (data, output), both of ``shape``, of vectors of neighbours that go along an axis together:
    ``columns`` emits those at the spans given, of which the first begins at a place."""
    outer, length, inner = (math.prod(part) for part in parts(shape, (axis, axis + 1)))
    with build_operator(name, target) as operator:
        data, output = operator.arguments({"data": shape, "output": shape})
        what = _Columns(operator, data, output, length, inner)
        with operator.outer_loop(outer, 2 * FLOAT_BYTES * math.prod(shape)) as row:

            def emit(start: Expr, spans: list[tuple[int, int]]) -> None:
                columns(what, T.Bind(row * (length * inner) + start), spans)

            operator.blocks(inner, VECTORS, emit)
    assert operator.prim_func is not None
    return operator.prim_func


def parts(shape: Sequence[int], axes: tuple[int, int]) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """The extents before, in and behind a run of axes."""
    return shape[: axes[0]], shape[axes[0] : axes[1]], shape[axes[1] :]


def along(
    slots: tirx.Buffer,
    spans: list[tuple[int, int]],
    data: tirx.Buffer,
    base: Expr,
    steps: tuple[int, int],
    identity: float,
    combine: Callable[[Expr, Expr], Expr],
    of: Callable[[Expr], Expr] = lambda value: value,
) -> None:
    """Reduces the vectors at ``spans`` from ``base`` on, seen through ``of``, in ``steps``: how many there
    are, and how far apart."""
    width, (length, distance) = spans[0][1], steps
    for number in range(len(spans)):
        store(slots, number * width, width, splat(identity, width))
    with T.serial(0, length) as step:
        for number, (offset, _) in enumerate(spans):
            value = of(T.Bind(load(data, base + step * distance + offset, width)))
            store(slots, number * width, width, combine(load(slots, number * width, width), value))


def reduce_row(
    operator: Operator,
    data: tirx.Buffer,
    base: Expr,
    length: int,
    identity: float,
    combine: Callable[[Expr, Expr], Expr],
    of: Callable[[Expr], Expr] = lambda value: value,
) -> Expr:
    """All elements of a row, each seen through ``of``, combined in several vectors, then into one number."""
    width = min(length, operator.lanes)
    count = min(VECTORS, -(-length // width))
    slots = operator.accumulators(count, width)
    for number in range(count):
        store(slots, number * width, width, splat(identity, width))

    def add(start: Expr, spans: list[tuple[int, int]]) -> None:
        for number, (offset, _) in enumerate(spans):
            value = of(T.Bind(load(data, base + start + offset, width)))
            # Only a block at a fixed start ends short of a multiple of the lanes, where it reaches back.
            again = -offset % width if start == 0 else 0
            if again:
                kept = [width if lane < again else lane for lane in range(width)]
                value = shuffle([value, splat(identity, width)], kept)
            store(slots, number * width, width, combine(load(slots, number * width, width), value))

    operator.blocks(length, count, add)
    return reduced(slots, count, width, combine)
