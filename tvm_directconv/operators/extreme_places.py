"""Where the first largest or smallest element along an axis is: what ends segmentation and classification.

Two passes over what is in L1: the extreme itself, in several vectors, then the least index of those that are
it. In one pass every step would depend on the comparison before it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .axis_reductions import KINDS, along, parts, reduce_row
from .builder import (
    FLOAT_BYTES,
    VECTORS,
    Expr,
    Operator,
    build_operator,
    load,
    reduce_lanes,
    splat,
    store,
    vector_type,
)

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

_INFINITY_BITS, _SIZE_BITS = 0x7F80_0000, 0x7FFF_FFFF


def first_place(
    shape: tuple[int, ...], axis: int, result: tuple[int, ...], largest: bool, target: CompileTarget
) -> tirx.PrimFunc:
    """PrimFunc (data, float32 of ``shape``, output, int64 of ``result``): the index along ``axis`` of the
    first largest, or smallest, element. The first NaN counts as such an element, as it does in numpy."""
    outer, length, inner = (math.prod(part) for part in parts(shape, (axis, axis + 1)))
    identity, combine = KINDS["max" if largest else "min"]
    with build_operator("first_place", target) as operator:
        shapes = {"data": shape, "output": result}
        data, output = operator.arguments(shapes, {"output": "int64"}, scalars=["output"])
        with operator.outer_loop(outer, 2 * FLOAT_BYTES * math.prod(shape)) as row:
            if inner == 1:
                base = T.Bind(row * length)
                extreme = reduce_row(operator, data, base, length, identity, combine)
                store(output, row, 1, T.cast(_in_row(operator, data, base, length, extreme), "int64"))
            else:

                def columns(start: Expr, spans: list[tuple[int, int]]) -> None:
                    count, width = len(spans), spans[0][1]
                    slots, places = (operator.accumulators(count, width, d) for d in ("float32", "int32"))
                    base = T.Bind(row * (length * inner) + start)
                    along(slots, spans, data, base, (length, inner), identity, combine)
                    with T.serial(0, length) as turn:
                        step = T.Bind(length - 1 - turn)  # the first one is looked at last
                        for number, (offset, _) in enumerate(spans):
                            at, slot = base + step * inner + offset, number * width
                            value = T.Bind(load(data, at, width))
                            found = splat(step, width), load(places, slot, width)
                            place = _where(value, load(slots, slot, width), found, width)
                            store(places, slot, width, place)
                    for number, (offset, _) in enumerate(spans):
                        place = T.cast(load(places, number * width, width), vector_type("int64", width))
                        store(output, row * inner + (start + offset), width, place)

                operator.blocks(inner, VECTORS, columns)
    assert operator.prim_func is not None
    return operator.prim_func


def _in_row(operator: Operator, data: tirx.Buffer, base: Expr, length: int, extreme: Expr) -> Expr:
    """The least index in a row of elements that are ``extreme``."""
    width = min(length, operator.lanes)
    places = operator.accumulators(1, width, "int32")
    store(places, 0, width, splat(length, width, "int32"))

    def look(start: Expr, spans: list[tuple[int, int]]) -> None:
        for offset, _ in spans:
            first = start + offset
            numbers = tirx.const(0, "int32") + first if width == 1 else T.ramp(first, 1, width)
            value = T.Bind(load(data, base + first, width))
            known = load(places, 0, width)
            place = _where(value, splat(extreme, width), (T.min(numbers, known), known), width)
            store(places, 0, width, place)

    operator.blocks(length, VECTORS, look)
    return reduce_lanes(load(places, 0, width), width, T.min)


def _where(value: Expr, extreme: Expr, places: tuple[Expr, Expr], width: int) -> Expr:
    """The first of two places in the lanes where ``value`` is ``extreme`` or NaN, the second in others."""
    bits = T.bitwise_and(T.reinterpret(vector_type("int32", width), value), splat(_SIZE_BITS, width, "int32"))
    is_nan = bits > splat(_INFINITY_BITS, width, "int32")
    found, other = places
    return T.Select(value == extreme, found, T.Select(is_nan, found, other))
