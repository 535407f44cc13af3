"""Softmax, log-softmax and logarithms of sums of exponentials along axes.

The line's largest element ``m`` is subtracted first, so nothing overflows. The logarithms are ``m + log(1 +
rest)``, where ``rest`` is the sum of the other elements' ``exp(x - m)``: if one element dominates, the
logarithm is nearly 0, and the logarithm of a rounded ``1 + rest`` would have none of its digits. Elements
equal to the largest are counted, which is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import Expr, shuffle, splat
from .expressions import exp_of_distance, log1p
from .lines import Line, Value
from .reductions import SUM, Largest, Maximum
from .row_program import RowProgram, split

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

WORK = 8
"""An element takes as long as copying so many numbers."""

SHORT = 8
"""Rows of fewer elements take less time side by side, as ``stable_definitions`` computes them."""


def softmax(shape: tuple[int, ...], target: CompileTarget, axis: int = -1) -> tirx.PrimFunc:
    """Build the PrimFunc (data, output), both of ``shape``: ``exp(x - max) / sum(exp(x - max))`` along
    ``axis``.

    A line that holds NaN or +infinity, or nothing but -infinity, gives NaN as the formula does.
    """

    def body(line: Line) -> None:
        largest = line.reduce(Largest())
        total = line.reduce(SUM, lambda x, most: exp_of_distance(x - most), largest, kept=True)
        scale = line.compute(lambda total: T.float32(1) / total, total)
        line.write(lambda x, scale: x * scale, scale, in_place=True)

    axis %= len(shape)
    return RowProgram("softmax", shape, split(shape, (axis, axis + 1)), body, work=WORK).build(target)


def log_softmax(shape: tuple[int, ...], axis: int, target: CompileTarget) -> tirx.PrimFunc | None:
    """Build the PrimFunc (data, output), both of ``shape``: ``x - log(sum(exp(x)))`` along ``axis``; return
    None for short rows.

    A line that holds NaN or nothing but -infinity gives NaN, and so does +infinity at its place.
    """

    def body(line: Line) -> None:
        line.write(lambda x, largest, logarithm: x - largest - logarithm, *_largest_and_logarithm(line))

    extents = split(shape, (axis, axis + 1))
    return _unless_short(RowProgram("log_softmax", shape, extents, body, work=WORK), target)


def log_sum_exp(
    shape: tuple[int, ...], axes: tuple[int, int], result: tuple[int, ...], target: CompileTarget
) -> tirx.PrimFunc | None:
    """Build the PrimFunc (data of ``shape``, output of ``result``): ``log(sum(exp(x)))`` along the axes from
    the first to the one before the second of ``axes``; return None for short rows.

    The result is NaN where an element is, and infinite where the largest element is.
    """

    def body(line: Line) -> None:
        line.store_result(line.compute(lambda a, b: a + b, *_largest_and_logarithm(line)))

    return _unless_short(
        RowProgram("log_sum_exp", shape, split(shape, axes), body, result, work=WORK), target
    )


def _unless_short(program: RowProgram, target: CompileTarget) -> tirx.PrimFunc | None:
    _, length, inner = program.extents
    return None if inner == 1 and length < SHORT else program.build(target)


def _largest_and_logarithm(line: Line) -> tuple[Value, Value]:
    """The largest element ``m`` of each line, and ``log(sum(exp(x - m)))``."""
    largest = line.reduce(Maximum())
    rest, equal = line.reduce_together([(SUM, _less), (SUM, _equal)], largest)
    return largest, line.compute(lambda rest, equal: _log1p(rest + (equal - T.float32(1))), rest, equal)


def _log1p(value: Expr) -> Expr:
    """The logarithm of a vector, or of a scalar as a lane of one: TVM looks into the names of scalar
    expressions, and stops at them."""
    if value.ty.dtype.lanes > 1:
        return log1p(value)
    return shuffle([T.Bind(log1p(splat(T.Bind(value), 4)))], [0])


def _less(x: Expr, largest: Expr) -> Expr:
    """``exp(x - largest)`` where x is less than the largest or NaN, 0 where it is equal."""
    return T.Select(tirx.EQ(x, largest), splat(0.0, x.ty.dtype.lanes), exp_of_distance(x - largest))


def _equal(x: Expr, largest: Expr) -> Expr:
    """1 where x is the largest, 0 elsewhere."""
    one, zero = (splat(number, x.ty.dtype.lanes) for number in (1.0, 0.0))
    return T.Select(tirx.EQ(x, largest), one, zero)
