"""Logarithms of sums of exponentials, ``m + log(1 + rest)``, and log-softmax, ``(x - m) - log(1 + rest)``.

``m`` is the largest element and ``rest`` the sum of the others' ``exp(x - m)``: where one element dominates,
the logarithm is nearly 0, and the logarithm of a rounded ``1 + rest`` would have none of its digits. Elements
equal to the largest are counted, which is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .axis_reductions import KINDS, along, parts, reduce_row
from .builder import FLOAT_BYTES, VECTORS, Expr, Operator, build_operator, load, shuffle, splat, store
from .expressions import exp_of_distance, log1p

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

WORK_FACTOR = 4
"""An element takes this many times as long as copying it, for the decision to run in parallel."""

SHORT = 8
"""Rows of fewer elements take less time side by side, as ``stable_definitions`` has them."""


@dataclass(frozen=True)
class _Part:
    """Elements that one result is made of: a row, or columns side by side. They begin at ``start``, ``width``
    of them at once; ``result`` is the place of what they are reduced to."""

    start: Expr
    result: Expr
    width: int
    largest: Expr
    logarithm: Expr


_Finish = Callable[[Operator, tirx.Buffer, tirx.Buffer, Sequence[_Part]], None]


def log_sum_exp(
    shape: tuple[int, ...], axes: tuple[int, int], result: tuple[int, ...], target: CompileTarget
) -> tirx.PrimFunc | None:
    """PrimFunc (data of ``shape``, output of ``result``): ``log(sum(exp(x)))`` along the axes from the first
    to the one before the second of ``axes``; None for short rows.

    The result is NaN where an element is, and infinite where the largest element is.
    """

    def finish(operator: Operator, data: tirx.Buffer, output: tirx.Buffer, found: Sequence[_Part]) -> None:
        for part in found:
            store(output, part.result, part.width, part.largest + part.logarithm)

    return _along_axes("log_sum_exp", shape, axes, result, target, finish)


def log_softmax(shape: tuple[int, ...], axis: int, target: CompileTarget) -> tirx.PrimFunc | None:
    """PrimFunc (data, output), both of ``shape``: ``x - log(sum(exp(x)))`` along ``axis``; None for short
    rows.

    A row that holds NaN or nothing but -infinity gives NaN, and so does +infinity at its place.
    """
    length, inner = shape[axis], math.prod(shape[axis + 1 :])

    def finish(operator: Operator, data: tirx.Buffer, output: tirx.Buffer, found: Sequence[_Part]) -> None:
        def emit(part: _Part, distance: Expr, width: int) -> None:
            at = part.start + distance
            store(output, at, width, load(data, at, width) - part.largest - part.logarithm)

        def block(start: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, width in spans:
                emit(found[0], start + offset, width)

        if inner == 1:
            operator.blocks(length, VECTORS, block)
            return
        with T.serial(0, length) as step:
            for part in found:
                emit(part, step * inner, part.width)

    return _along_axes("log_softmax", shape, (axis, axis + 1), shape, target, finish)


def _along_axes(
    name: str,
    shape: tuple[int, ...],
    axes: tuple[int, int],
    result: tuple[int, ...],
    target: CompileTarget,
    finish: _Finish,
) -> tirx.PrimFunc | None:
    outer, length, inner = (math.prod(part) for part in parts(shape, axes))
    if inner == 1 and length < SHORT:
        return None
    with build_operator(name, target) as operator:
        data, output = operator.arguments({"data": shape, "output": result}, scalars=["output"])
        with operator.outer_loop(outer, 2 * FLOAT_BYTES * WORK_FACTOR * math.prod(shape)) as row:
            base = T.Bind(row * (length * inner))
            if inner == 1:
                finish(operator, data, output, [_of_row(operator, data, base, length, row)])
            else:

                def columns(start: Expr, spans: list[tuple[int, int]]) -> None:
                    place = row * inner + start
                    found = _of_columns(operator, data, T.Bind(base + start), spans, (length, inner), place)
                    finish(operator, data, output, found)

                operator.blocks(inner, VECTORS, columns)
    return operator.prim_func


def _of_row(operator: Operator, data: tirx.Buffer, base: Expr, length: int, row: Expr) -> _Part:
    largest = reduce_row(operator, data, base, length, *KINDS["max"])
    rest = reduce_row(operator, data, base, length, *KINDS["sum"], lambda x: _less(x, largest))
    equal = reduce_row(operator, data, base, length, *KINDS["sum"], lambda x: _equal(x, largest))
    # One lane of a vector: TVM looks into the names of scalar expressions, and stops at them.
    logarithms = T.Bind(log1p(splat(T.Bind(rest + (equal - T.float32(1))), max(operator.lanes, 2))))
    return _Part(base, row, 1, largest, T.Bind(shuffle([logarithms], [0])))


def _of_columns(
    operator: Operator,
    data: tirx.Buffer,
    base: Expr,
    spans: list[tuple[int, int]],
    steps: tuple[int, int],
    place: Expr,
) -> list[_Part]:
    (length, inner), width = steps, spans[0][1]
    largest, rest, equal = (operator.accumulators(len(spans), width) for _ in range(3))
    along(largest, spans, data, base, steps, *KINDS["max"])
    slots = [(number * width, offset) for number, (offset, _) in enumerate(spans)]
    for slot, _ in slots:
        for sums in (rest, equal):
            store(sums, slot, width, splat(0.0, width))
    with T.serial(0, length) as step:
        for slot, offset in slots:
            x = T.Bind(load(data, base + step * inner + offset, width))
            most = T.Bind(load(largest, slot, width))
            store(rest, slot, width, load(rest, slot, width) + _less(x, most))
            store(equal, slot, width, load(equal, slot, width) + _equal(x, most))
    found = []
    for slot, offset in slots:
        others = T.Bind(load(rest, slot, width) + (load(equal, slot, width) - splat(1.0, width)))
        most, logarithm = T.Bind(load(largest, slot, width)), T.Bind(log1p(others))
        found.append(_Part(base + offset, place + offset, width, most, logarithm))
    return found


def _less(x: Expr, largest: Expr) -> Expr:
    """``exp(x - largest)`` where x is less than the largest or NaN, 0 where it is equal."""
    return T.Select(_is(x, largest), splat(0.0, x.ty.dtype.lanes), exp_of_distance(x - largest))


def _equal(x: Expr, largest: Expr) -> Expr:
    """1 where x is the largest, 0 elsewhere."""
    one, zero = (splat(number, x.ty.dtype.lanes) for number in (1.0, 0.0))
    return T.Select(_is(x, largest), one, zero)


def _is(x: Expr, largest: Expr) -> Expr:
    lanes = x.ty.dtype.lanes
    return tirx.EQ(x, largest if largest.ty.dtype.lanes == lanes else splat(largest, lanes))
