"""Suppression: which of many boxes are left where those that share much with a better one are not."""

# mypy: disable-error-code="valid-type, misc, no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence

from tvm import tirx
from tvm.script import tirx as T

SIZE, AT, CHILD, FIRST, LAST, FOUND, OTHER = range(7)
"""The variables of a row, by their places in one buffer."""
TESTED = 32
"""Boxes that are tested together."""


def _is_above(score, least: float | None):
    """Whether a score is above one, if there is one."""
    return tirx.const(True, "bool") if least is None else score > T.float32(least)


def _is_before(scores, a, b):
    """Whether box ``a`` is looked at before ``b``: its score is higher, or it is the first of equal ones."""
    one, other = scores(a), scores(b)
    return tirx.any(one > other, tirx.all(one == other, a < b))


def _ends(box, centered: bool):
    """The ends of a box along both sides, as (from, from, to, to)."""
    sides = []
    for low, high in ((box[0], box[2]), (box[1], box[3])):
        half = high * T.float32(0.5)
        sides.append((low - half, low + half) if centered else (tirx.min(low, high), tirx.max(low, high)))
    return [sides[0][0], sides[1][0], sides[0][1], sides[1][1]]


def _shares(a, b, overlap: float):
    """Whether two boxes, each its ends and its area, share more than ``overlap`` of their union."""
    common = [tirx.min(a[i + 2], b[i + 2]) - tirx.max(a[i], b[i]) for i in (0, 1)]
    both = common[0] * common[1]
    union = a[4] + b[4] - both
    positive = [value > T.float32(0) for value in (*common, a[4], b[4], union)]
    return tirx.all(*positive, both / union > T.float32(overlap))


@T.inline
def _push(now, heap, row, scores):
    """Put box LAST into the heap."""
    now[AT] = now[SIZE]
    now[SIZE] = now[SIZE] + T.int64(1)
    # The first has no parent, and a condition is computed as a whole.
    heap[row, now[AT]] = now[LAST]
    while now[AT] > T.int64(0) and _is_before(
        scores, now[LAST], heap[row, T.truncdiv(now[AT] - T.int64(1), T.int64(2))]
    ):
        heap[row, now[AT]] = heap[row, T.truncdiv(now[AT] - T.int64(1), T.int64(2))]
        now[AT] = T.truncdiv(now[AT] - T.int64(1), T.int64(2))
    heap[row, now[AT]] = now[LAST]


@T.inline
def _pop(now, heap, row, scores):
    """Take the box that comes first from the heap, as FIRST."""
    now[FIRST] = heap[row, 0]
    now[SIZE] = now[SIZE] - T.int64(1)
    now[LAST] = heap[row, now[SIZE]]
    now[AT] = T.int64(0)
    now[CHILD] = T.int64(1)
    while now[CHILD] < now[SIZE]:
        now[OTHER] = T.min(now[CHILD] + T.int64(1), now[SIZE] - T.int64(1))
        if _is_before(scores, heap[row, now[OTHER]], heap[row, now[CHILD]]):
            now[CHILD] = now[OTHER]
        if _is_before(scores, heap[row, now[CHILD]], now[LAST]):
            heap[row, now[AT]] = heap[row, now[CHILD]]
            now[AT] = now[CHILD]
            now[CHILD] = now[CHILD] * T.int64(2) + T.int64(1)
        else:
            now[CHILD] = now[SIZE]
    heap[row, now[AT]] = now[LAST]


def suppression(sizes: Sequence[int], overlap: float, least: float | None, centered: bool) -> tirx.PrimFunc:
    """Return the kernel of ONNX's NonMaxSuppression: (corners[images, boxes, 4], scores[images, classes,
    boxes]) -> (chosen[images * classes, most], counts[images * classes], heap[images * classes, boxes],
    taken[images * classes, 5, most + TESTED]). ``sizes`` are images, classes, boxes and ``most``.

    Boxes of each class of an image are looked at from the highest score on, the first of equal ones first,
    where there is a ``least`` score those above it. One is chosen unless what it shares with one chosen
    before is more than ``overlap`` of their union. Boxes are two opposite corners, or with ``centered`` a
    center and extents. ``heap`` is a binary heap, of which no more is sorted than is looked at; ``taken`` are
    the ends and areas of chosen boxes, side by side, which are tested several at a time.
    """
    images, classes, boxes, most = sizes
    limit = tirx.Cast("int64", most)

    def of(row, scores):
        """The scores of a row by the numbers of boxes."""
        image, kind = tirx.floordiv(row, classes), tirx.floormod(row, classes)
        return lambda box: scores[image, kind, box]

    def hits(now, box, taken, row, place):
        column = [taken[row, i, now[OTHER] + place] for i in range(5)]
        return tirx.all(now[OTHER] + place < now[FOUND], _shares(box, column, overlap))

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
                hit = T.alloc_buffer((1,), "int32", scope="local")
                now[SIZE] = T.int64(0)
                for i in range(boxes):
                    now[LAST] = T.Cast("int64", i)
                    if _is_above(of(row, scores)(now[LAST]), least):
                        _push(now, heap, row, of(row, scores))
                now[FOUND] = T.int64(0)
                while now[SIZE] > T.int64(0) and now[FOUND] < limit:
                    _pop(now, heap, row, of(row, scores))
                    for i in T.unroll(4):
                        raw[i] = corners[T.floordiv(row, classes), now[FIRST], i]
                    box[0] = _ends(raw, centered)[0]
                    box[1] = _ends(raw, centered)[1]
                    box[2] = _ends(raw, centered)[2]
                    box[3] = _ends(raw, centered)[3]
                    box[4] = (box[2] - box[0]) * (box[3] - box[1])
                    hit[0] = 0
                    now[OTHER] = T.int64(0)
                    while now[OTHER] < now[FOUND] and hit[0] == 0:
                        for i in range(TESTED):
                            hit[0] = hit[0] | T.Cast("int32", hits(now, box, taken, row, T.Cast("int64", i)))
                        now[OTHER] = now[OTHER] + T.int64(TESTED)
                    if hit[0] == 0:
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
