"""Logarithms of sums of exponentials, ``m + log(1 + rest)``, and log-softmax, ``(x - m) - log(1 + rest)``.

``m`` is the largest element and ``rest`` the sum of the others' ``exp(x - m)``: where one element dominates,
the logarithm is nearly 0, and ``log(1 + rest)`` of a rounded sum would lose all of its digits. Elements equal to
the largest are counted, which is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
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

Finish = Callable[[Operator, tirx.Buffer, tirx.Buffer, "Part"], None]


class Part:
    """The elements that one result is of, a row or a vector of neighbouring columns, and what they sum to.

    Element ``i`` is ``width`` numbers at ``base + i * step``; ``number`` is the place of the result.
    """

    def __init__(self, place: tuple[Expr, Expr, int], width: int, found: tuple[Expr, Expr]) -> None:
        self.number, self.base, self.step = place
        self.width = width
        self.largest, self.logarithm = found


def log_sum_exp(
    shape: tuple[int, ...], axes: tuple[int, int], result: tuple[int, ...], target: CompileTarget
) -> tirx.PrimFunc:
    """PrimFunc (data of ``shape``, output of ``result``): ``log(sum(exp(x)))`` along the axes from the first
    to the one before the second of ``axes``.

    The result is NaN where an element is, and infinite where the largest element is.
    """

    def finish(operator: Operator, data: tirx.Buffer, output: tirx.Buffer, part: Part) -> None:
        store(output, part.number, part.width, part.largest + part.logarithm)

    return _along_axes("log_sum_exp", shape, axes, result, target, finish)


def log_softmax(shape: tuple[int, ...], axis: int, target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (data, output), both of ``shape``: ``x - log(sum(exp(x)))`` along ``axis``.

    A row that holds NaN or +infinity, or nothing but -infinity, gives NaN where the formula does.
    """
    _, (length,), inner = parts(shape, (axis, axis + 1))
    by_rows = math.prod(inner) == 1

    def finish(operator: Operator, data: tirx.Buffer, output: tirx.Buffer, part: Part) -> None:
        def emit(at: Expr, width: int) -> None:
            store(output, at, width, load(data, at, width) - part.largest - part.logarithm)

        if by_rows:

            def block(start: Expr, spans: list[tuple[int, int]]) -> None:
                for offset, width in spans:
                    emit(part.base + start + offset, width)

            operator.blocks(length, VECTORS, block)
        else:
            with T.serial(0, length) as step:
                emit(part.base + step * part.step, part.width)

    return _along_axes("log_softmax", shape, (axis, axis + 1), shape, target, finish)


def _along_axes(
    name: str,
    shape: tuple[int, ...],
    axes: tuple[int, int],
    result: tuple[int, ...],
    target: CompileTarget,
    finish: Finish,
) -> tirx.PrimFunc:
    outer, length, inner = (math.prod(part) for part in parts(shape, axes))
    with build_operator(name, target) as operator:
        data, output = operator.arguments({"data": shape, "output": result}, scalars=["output"])
        with operator.outer_loop(outer, 2 * FLOAT_BYTES * WORK_FACTOR * math.prod(shape)) as row:
            base = T.Bind(row * (length * inner))
            if inner == 1:
                found = _of_row(operator, data, base, length)
                finish(operator, data, output, Part((row, base, 1), 1, found))
            else:

                def columns(start: Expr, spans: list[tuple[int, int]]) -> None:
                    for offset, width in spans:
                        at = T.Bind(base + start + offset)
                        found = _of_columns(operator, data, at, width, (length, inner))
                        finish(
                            operator,
                            data,
                            output,
                            Part((row * inner + (start + offset), at, inner), width, found),
                        )

                operator.blocks(inner, 1, columns)
    assert operator.prim_func is not None
    return operator.prim_func


def _of_row(operator: Operator, data: tirx.Buffer, base: Expr, length: int) -> tuple[Expr, Expr]:
    """The largest of a row's elements, and the logarithm of the sum of ``exp(x - largest)``."""
    largest = reduce_row(operator, data, base, length, *KINDS["max"])
    rest = reduce_row(operator, data, base, length, *KINDS["sum"], lambda x: _less(x, largest))
    equal = reduce_row(operator, data, base, length, *KINDS["sum"], lambda x: _equal(x, largest))
    # One lane of a vector: TVM looks into the names of scalar expressions, and stops at them.
    logarithms = T.Bind(log1p(splat(T.Bind(rest + (equal - T.float32(1))), max(operator.lanes, 2))))
    return largest, T.Bind(shuffle([logarithms], [0]))


def _of_columns(
    operator: Operator, data: tirx.Buffer, base: Expr, width: int, steps: tuple[int, int]
) -> tuple[Expr, Expr]:
    """The same for so many columns side by side."""

    def reduced(kind: str, of: Callable[[Expr], Expr] = lambda value: value) -> Expr:
        slots = operator.accumulators(1, width)
        along(slots, [(0, width)], data, base, steps, *KINDS[kind], of)
        return T.Bind(load(slots, 0, width))

    largest = reduced("max")
    rest = reduced("sum", lambda x: _less(x, largest))
    equal = reduced("sum", lambda x: _equal(x, largest))
    return largest, T.Bind(log1p(rest + (equal - splat(1.0, width))))


def _less(x: Expr, largest: Expr) -> Expr:
    """``exp(x - largest)`` where x is less than the largest or NaN, 0 where it is equal."""
    zero = splat(0.0, x.ty.dtype.lanes)
    return T.Select(_is(x, largest), zero, exp_of_distance(x - largest))


def _equal(x: Expr, largest: Expr) -> Expr:
    lanes = x.ty.dtype.lanes
    return T.Select(_is(x, largest), splat(1.0, lanes), splat(0.0, lanes))


def _is(x: Expr, largest: Expr) -> Expr:
    lanes = x.ty.dtype.lanes
    return tirx.EQ(x, largest if largest.ty.dtype.lanes == lanes else splat(largest, lanes))
