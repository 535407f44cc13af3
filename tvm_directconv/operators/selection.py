"""Kernels that select: how much they find is known when they have run. They write that beside what they found,
for all of which their results have room.
"""

# mypy: disable-error-code="valid-type, misc, no-untyped-def"

from __future__ import annotations

from tvm import tirx
from tvm.script import tirx as T


SIZE, AT, CHILD, FIRST, LAST, FOUND, OTHER = range(7)
"""The variables of ``suppression``."""


def nonzero(elements: int, dtype: str) -> tirx.PrimFunc:
    """Return the kernel (data[elements] of ``dtype``) -> (places[elements], count[1]) of the places of what is
    not zero, in order; int64."""

    def is_set(value):
        return value if dtype == "bool" else value != tirx.const(0, dtype)

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        data: T.Buffer((elements,), dtype),
        places: T.Buffer((elements,), "int64"),
        count: T.Buffer((1,), "int64"),
    ):
        with T.sblock("nonzero"):
            T.reads()
            T.writes()
            count[0] = T.int64(0)
            for i in range(elements):
                if is_set(data[i]):
                    places[count[0]] = T.Cast("int64", i)
                    count[0] = count[0] + T.int64(1)

    return kernel


def measured(count: int, most: int, message: str) -> tirx.PrimFunc:
    """Return the kernel (sizes[count]) -> (sizes[count]), int64, that raises InputError with ``message`` for
    a size below 0 or above ``most``."""
    limit = T.int64(most)

    @T.prim_func(private=True, s_tir=True)
    def kernel(sizes: T.Buffer((count,), "int64"), checked: T.Buffer((count,), "int64")):
        with T.sblock("measure"):
            T.reads()
            T.writes()
            for i in range(count):
                assert sizes[i] >= T.int64(0) and sizes[i] <= limit, ("InputError", [message])
                checked[i] = sizes[i]

    return kernel


def suppression(
    images: int, classes: int, boxes: int, most: int, overlap: float, least: float | None, centered: bool
) -> tirx.PrimFunc:
    """Return the kernel of ONNX's NonMaxSuppression: (corners[images, boxes, 4], scores[images, classes,
    boxes]) -> (chosen[images * classes, most], counts[images * classes], heap[images * classes, boxes]).

    Boxes of each class of an image are looked at from the highest score on, the first of equal ones first,
    where there is a ``least`` score those above it. One is chosen unless what it shares with one chosen
    before is more than ``overlap`` of their union. Boxes are two opposite corners, or with ``centered`` a
    center and extents. ``heap`` is a binary heap, of which no more is sorted than is looked at.
    """
    bound, limit = T.float32(overlap), tirx.Cast("int64", most)

    def is_wanted(score):
        return tirx.const(True, "bool") if least is None else score > T.float32(least)

    def ends(low, high):
        """The ends of a side of a box."""
        if centered:
            half = high * T.float32(0.5)
            return low - half, low + half
        return tirx.min(low, high), tirx.max(low, high)

    def shares(a, b):
        """Whether two boxes, of four numbers each, share too much."""
        sides = [(ends(a[i], a[i + 2]), ends(b[i], b[i + 2])) for i in (0, 1)]
        both, first, second = T.float32(1), T.float32(1), T.float32(1)
        positive = []
        for (from_a, to_a), (from_b, to_b) in sides:
            common = tirx.min(to_a, to_b) - tirx.max(from_a, from_b)
            positive.append(common > T.float32(0))
            both, first, second = both * common, first * (to_a - from_a), second * (to_b - from_b)
        union = first + second - both
        areas = [area > T.float32(0) for area in (first, second, union)]
        return tirx.all(*positive, *areas, both / union > bound)

    def is_before(scores, row, a, b):
        """Whether box ``a`` is looked at before ``b``."""
        image, of = tirx.floordiv(row, classes), tirx.floormod(row, classes)
        one, other = scores[image, of, a], scores[image, of, b]
        return tirx.any(one > other, tirx.all(one == other, a < b))

    def box(corners, row, place):
        return [corners[tirx.floordiv(row, classes), place, i] for i in range(4)]

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        corners: T.Buffer((images, boxes, 4), "float32"),
        scores: T.Buffer((images, classes, boxes), "float32"),
        chosen: T.Buffer((images * classes, most), "int64"),
        counts: T.Buffer((images * classes,), "int64"),
        heap: T.Buffer((images * classes, boxes), "int64"),
    ):
        for row in T.parallel(images * classes):
            with T.sblock("suppress"):
                T.reads()
                T.writes()
                now = T.alloc_buffer((7,), "int64", scope="local")
                now[SIZE] = T.int64(0)
                for i in range(boxes):
                    if is_wanted(scores[T.floordiv(row, classes), T.floormod(row, classes), i]):
                        now[LAST] = T.Cast("int64", i)
                        now[AT] = now[SIZE]
                        now[SIZE] = now[SIZE] + T.int64(1)
                        # The first has no parent, and a condition is computed as a whole.
                        heap[row, now[AT]] = now[LAST]
                        while now[AT] > T.int64(0) and is_before(
                            scores, row, now[LAST], heap[row, T.truncdiv(now[AT] - T.int64(1), T.int64(2))]
                        ):
                            heap[row, now[AT]] = heap[row, T.truncdiv(now[AT] - T.int64(1), T.int64(2))]
                            now[AT] = T.truncdiv(now[AT] - T.int64(1), T.int64(2))
                        heap[row, now[AT]] = now[LAST]
                now[FOUND] = T.int64(0)
                while now[SIZE] > T.int64(0) and now[FOUND] < limit:
                    now[FIRST] = heap[row, 0]
                    now[SIZE] = now[SIZE] - T.int64(1)
                    now[LAST] = heap[row, now[SIZE]]
                    now[AT] = T.int64(0)
                    now[CHILD] = T.int64(1)
                    while now[CHILD] < now[SIZE]:
                        now[OTHER] = T.min(now[CHILD] + T.int64(1), now[SIZE] - T.int64(1))
                        if is_before(scores, row, heap[row, now[OTHER]], heap[row, now[CHILD]]):
                            now[CHILD] = now[OTHER]
                        if is_before(scores, row, heap[row, now[CHILD]], now[LAST]):
                            heap[row, now[AT]] = heap[row, now[CHILD]]
                            now[AT] = now[CHILD]
                            now[CHILD] = now[CHILD] * T.int64(2) + T.int64(1)
                        else:
                            now[CHILD] = now[SIZE]
                    heap[row, now[AT]] = now[LAST]
                    now[OTHER] = T.int64(0)
                    while now[OTHER] < now[FOUND]:
                        if shares(box(corners, row, now[FIRST]), box(corners, row, chosen[row, now[OTHER]])):
                            now[OTHER] = now[FOUND]
                        now[OTHER] = now[OTHER] + T.int64(1)
                    if now[OTHER] == now[FOUND]:
                        chosen[row, now[FOUND]] = now[FIRST]
                        now[FOUND] = now[FOUND] + T.int64(1)
                counts[row] = now[FOUND]

    return kernel


def suppressed(rows: int, classes: int, most: int, found: int) -> tirx.PrimFunc:
    """Return the kernel (chosen[rows, most], counts[rows]) -> (found, 3) of the image,
    the class and the box of each that was chosen; int64."""

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        chosen: T.Buffer((rows, most), "int64"),
        counts: T.Buffer((rows,), "int64"),
        result: T.Buffer((found, 3), "int64"),
    ):
        with T.sblock("collect"):
            T.reads()
            T.writes()
            at = T.alloc_buffer((1,), "int64", scope="local")
            at[0] = T.int64(0)
            for row in range(rows):
                for i in range(counts[row]):
                    result[at[0], 0] = T.Cast("int64", T.floordiv(row, classes))
                    result[at[0], 1] = T.Cast("int64", T.floormod(row, classes))
                    result[at[0], 2] = chosen[row, i]
                    at[0] = at[0] + T.int64(1)

    return kernel
