"""Reductions along one run of axes: sums, means, extremes and their places; running sums and products.

Global pools of NHWC activations are means and maxima along height and width. They take them row by row, which
keeps the rounding error of large maps near that of one row, and lets 8-bit numbers be summed in 16-bit lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import Step
from tvm_directconv.problem.element_types import element_bytes

from .builder import Expr, load, splat, store, vector_type
from .lines import PLACES, Line, Vector
from .quantized_type import QuantizedType, integer_accumulator
from .reductions import SUM, FirstPlace, Maximum, Mean, Minimum, Product, QuantizedMean, Reduction
from .row_program import RowProgram, split

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

KINDS: dict[str, Reduction] = {
    "sum": SUM,
    "prod": Product(),
    "mean": Mean(),
    "max": Maximum(),
    "min": Minimum(),
}
RUNNING: dict[str, Reduction] = {"cumsum": SUM, "cumprod": Product()}


def reduce_axes(
    shape: tuple[int, ...], axes: tuple[int, int], result: tuple[int, ...], kind: str, target: CompileTarget
) -> tirx.PrimFunc:
    """Build the PrimFunc (data of ``shape``, output of ``result``): ``kind`` of KINDS along the axes from the
    first to the one before the second of ``axes``."""
    return _reduction(kind, shape, axes, result, KINDS[kind]).build(target)


def global_avg_pool2d(shape: tuple[int, int, int, int], target: CompileTarget) -> tirx.PrimFunc:
    """Build the PrimFunc (data NHWC of ``shape``, output (N, 1, 1, C))."""
    return _global_pool(shape, target, "global_avg_pool2d", "float32", Mean())


def global_max_pool2d(
    shape: tuple[int, int, int, int], target: CompileTarget, *, dtype: str = "float32"
) -> tirx.PrimFunc:
    """Build the PrimFunc (data NHWC of ``shape``, output (N, 1, 1, C)), both of ``dtype``: float32, uint8 or
    int8."""
    return _global_pool(shape, target, "global_max_pool2d", dtype, Maximum(dtype))


def quantized_global_avg_pool2d(
    shape: tuple[int, int, int, int],
    source: QuantizedType,
    result: QuantizedType,
    target: CompileTarget,
    *,
    steps: Sequence[Step] = (),
) -> tirx.PrimFunc:
    """Build the PrimFunc (data NHWC of ``source``, output (N, 1, 1, C) of ``result``): the mean of the real
    numbers.

    ``saturate(round((sum - H * W * zero_point) * (scale / (result scale * H * W))) + result zero_point)``;
    ``steps`` are of real numbers.
    """
    whole, row = integer_accumulator(shape[1] * shape[2]), integer_accumulator(shape[2])
    mean = QuantizedMean(source, result, whole, steps, row)
    return _global_pool(shape, target, "quantized_global_avg_pool2d", source.dtype, mean)


def _global_pool(
    shape: tuple[int, int, int, int], target: CompileTarget, name: str, dtype: str, reduction: Reduction
) -> tirx.PrimFunc:
    result = shape[0], 1, 1, shape[3]
    program = _reduction(name, shape, (1, 3), result, reduction, dtype, portion=shape[2])
    widening = element_bytes(reduction.accumulator) // element_bytes(dtype)
    return program.build(target, max(1, target.machine.vector_registers // 4 // widening))


def _reduction(
    name: str,
    shape: tuple[int, ...],
    axes: tuple[int, int],
    result: tuple[int, ...],
    reduction: Reduction,
    dtype: str = "float32",
    portion: int = 0,
) -> RowProgram:
    extents = split(shape, axes)

    def body(line: Line) -> None:
        finish = reduction.finishing(extents[1], extents[1])
        value = line.reduce(reduction)
        line.store_result(line.compute(lambda reduced: finish(reduced, reduced.ty.dtype.lanes), value))

    return RowProgram(name, shape, extents, body, result, {}, dtype, reduction.dtype, work=1, portion=portion)


def first_place(
    shape: tuple[int, ...], axis: int, result: tuple[int, ...], largest: bool, target: CompileTarget
) -> tirx.PrimFunc:
    """Build the PrimFunc (data, float32 of ``shape``, output, int64 of ``result``): the index along ``axis``
    of the first largest, or smallest, element. The first NaN counts as such an element, as it does in numpy.

    The extreme itself comes first, then the least index of those that are it: in one pass every step would
    depend on the comparison before it.
    """
    length = shape[axis]

    def place(x: Expr, extreme: Expr, place: Expr) -> Expr:
        width = x.ty.dtype.lanes
        found = tirx.Or(tirx.EQ(x, extreme), tirx.isnan(x))
        return T.Select(found, place, splat(length, width, "int32"))

    def body(line: Line) -> None:
        extreme = line.reduce(KINDS["max" if largest else "min"])
        found = line.reduce(FirstPlace(length), place, extreme, PLACES)
        wide = line.compute(lambda place: T.cast(place, vector_type("int64", place.ty.dtype.lanes)), found)
        line.store_result(wide)

    extents = split(shape, (axis, axis + 1))
    return RowProgram("first_place", shape, extents, body, result, result_dtype="int64").build(target)


def accumulate_along(
    shape: tuple[int, ...], axis: int, kind: str, exclusive: bool, target: CompileTarget
) -> tirx.PrimFunc:
    """Build the PrimFunc (data, output), both of ``shape``: at each place along ``axis``, what ``kind`` of
    RUNNING makes of the elements up to it, or of those before it if ``exclusive``.

    Elements along the axis must not lie side by side: extents behind it are not all 1.
    """
    reduction = RUNNING[kind]

    def body(line: Line) -> None:
        sums = line.accumulators(reduction)

        def step(vectors: Sequence[Vector]) -> None:
            for vector in vectors:
                slot, width = vector.slot * vector.width, vector.width
                before = T.Bind(load(sums, slot, width))
                up_to = T.Bind(reduction.combine(before, load(line.data, vector.position, width)))
                store(sums, slot, width, up_to)
                store(line.output, vector.position, width, before if exclusive else up_to)

        line.each(step)

    return RowProgram(kind, shape, split(shape, (axis, axis + 1)), body).build(target)
