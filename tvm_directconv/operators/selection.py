"""Kernels that select: how much they find is known when they have run.

They write that beside what they found, for all of which their results have room.
"""

# mypy: disable-error-code="valid-type, misc, no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence

from tvm import tirx
from tvm.script import tirx as T

SIZE, AT, CHILD, FIRST, LAST, FOUND, OTHER = range(7)
"""The variables of ``suppression``."""
TESTED = 32
"""Boxes that are tested together."""


def nonzero(elements: int, dtype: str) -> tirx.PrimFunc:
    """Return the kernel (data[elements] of ``dtype``) -> (places[elements], count[1]), both int64, of the
    places of what is not zero, in order."""

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


def suppression(sizes: Sequence[int], overlap: float, least: float | None, centered: bool) -> tirx.PrimFunc:
    """Return the kernel of ONNX's NonMaxSuppression: (corners[images, boxes, 4], scores[images, classes,
    boxes]) -> (chosen[images * classes, most], counts[images * classes], heap[images * classes, boxes],
    taken[images * classes, 5, most + TESTED]).

    Boxes of each class of an image are looked at from the highest score on, the first of equal ones first,
    where there is a ``least`` score those above it. One is chosen unless what it shares with one chosen
    before is more than ``overlap`` of their union. Boxes are two opposite corners, or with ``centered`` a
    center and extents. ``heap`` is a binary heap, of which no more is sorted than is looked at; ``taken`` are
    the ends and areas of chosen boxes, side by side, which are tested several at a time. ``sizes`` are
    images, classes, boxes and ``most``.
    """
    images, classes, boxes, most = sizes
    bound, limit = T.float32(overlap), tirx.Cast("int64", most)

    def is_wanted(score):
        return tirx.const(True, "bool") if least is None else score > T.float32(least)

    def ends(box):
        """The ends of a box along both sides, as (from, from, to, to)."""
        sides = []
        for low, high in ((box[0], box[2]), (box[1], box[3])):
            half = high * T.float32(0.5)
            sides.append((low - half, low + half) if centered else (tirx.min(low, high), tirx.max(low, high)))
        return [sides[0][0], sides[1][0], sides[0][1], sides[1][1]]

    def shares(a, b):
        """Whether two boxes, each its ends and its area, share too much."""
        common = [tirx.min(a[i + 2], b[i + 2]) - tirx.max(a[i], b[i]) for i in (0, 1)]
        both = common[0] * common[1]
        union = a[4] + b[4] - both
        positive = [value > T.float32(0) for value in (*common, a[4], b[4], union)]
        return tirx.all(*positive, both / union > bound)

    def column(taken, row, place):
        return [taken[row, i, place] for i in range(5)]

    def is_before(scores, row, a, b):
        """Whether box ``a`` is looked at before ``b``."""
        image, of = tirx.floordiv(row, classes), tirx.floormod(row, classes)
        one, other = scores[image, of, a], scores[image, of, b]
        return tirx.any(one > other, tirx.all(one == other, a < b))

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        corners: T.Buffer((images, boxes, 4), "float32"),
        scores: T.Buffer((images, classes, boxes), "float32"),
        chosen: T.Buffer((images * classes, most), "int64"),
        counts: T.Buffer((images * classes,), "int64"),
        heap: T.Buffer((images * classes, boxes), "int64"),
        taken: T.Buffer((images * classes, 5, most + TESTED), "float32"),
    ):
        for row in T.parallel(images * classes):
            with T.sblock("suppress"):
                T.reads()
                T.writes()
                now = T.alloc_buffer((7,), "int64", scope="local")
                raw = T.alloc_buffer((4,), "float32", scope="local")
                box = T.alloc_buffer((5,), "float32", scope="local")
                hits = T.alloc_buffer((1,), "int32", scope="local")
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
                    for i in T.unroll(4):
                        raw[i] = corners[T.floordiv(row, classes), now[FIRST], i]
                    box[0] = ends(raw)[0]
                    box[1] = ends(raw)[1]
                    box[2] = ends(raw)[2]
                    box[3] = ends(raw)[3]
                    box[4] = (box[2] - box[0]) * (box[3] - box[1])
                    hits[0] = 0
                    now[OTHER] = T.int64(0)
                    while now[OTHER] < now[FOUND] and hits[0] == 0:
                        for i in range(TESTED):
                            hits[0] = hits[0] | T.Cast(
                                "int32",
                                now[OTHER] + T.Cast("int64", i) < now[FOUND]
                                and shares(box, column(taken, row, now[OTHER] + T.Cast("int64", i))),
                            )
                        now[OTHER] = now[OTHER] + T.int64(TESTED)
                    if hits[0] == 0:
                        chosen[row, now[FOUND]] = now[FIRST]
                        for k in T.unroll(5):
                            taken[row, k, now[FOUND]] = box[k]
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
