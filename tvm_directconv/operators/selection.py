"""Kernels that select: how much they find is known when they have run.

They write that beside what they found, for all of which their results have room.
"""

# mypy: disable-error-code="valid-type, misc, no-untyped-def"

from __future__ import annotations

from tvm import tirx
from tvm.script import tirx as T


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


def unique(rows: int, columns: int, dtype: str, is_sorted: bool) -> tirx.PrimFunc:
    """Return the kernel (data[rows, columns] of ``dtype``, order[rows]) -> (firsts[rows], counts[rows],
    inverse[rows], found[1], groups[rows], ranks[rows]), int64, of the rows that differ.

    ``order`` is that of the rows, equal ones in their own. ``firsts`` are the places of the first of each
    that are equal, in order where ``is_sorted``, else as they come; ``counts`` is how many are equal, and
    ``inverse`` which of these each row is. ``groups`` and ``ranks`` are working memory.
    """

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        data: T.Buffer((rows, columns), dtype),
        order: T.Buffer((rows,), "int64"),
        firsts: T.Buffer((rows,), "int64"),
        counts: T.Buffer((rows,), "int64"),
        inverse: T.Buffer((rows,), "int64"),
        found: T.Buffer((1,), "int64"),
        groups: T.Buffer((rows,), "int64"),
        ranks: T.Buffer((rows,), "int64"),
    ):
        with T.sblock("unique"):
            T.reads()
            T.writes()
            differ = T.alloc_buffer((1,), "int32", scope="local")
            found[0] = T.int64(-1)
            for i in range(rows):
                ranks[i] = T.int64(-1)
                differ[0] = T.Cast("int32", i == 0)
                for j in range(columns):
                    differ[0] = differ[0] | T.Cast(
                        "int32",
                        data[order[i], j]
                        != data[order[T.max(T.Cast("int64", i) - T.int64(1), T.int64(0))], j],
                    )
                found[0] = found[0] + T.Cast("int64", differ[0])
                groups[order[i]] = found[0]
            found[0] = T.int64(0)
            for i in range(rows):
                if ranks[groups[i]] < T.int64(0):
                    ranks[groups[i]] = groups[i] if is_sorted else found[0]
                    firsts[ranks[groups[i]]] = T.Cast("int64", i)
                    counts[ranks[groups[i]]] = T.int64(0)
                    found[0] = found[0] + T.int64(1)
                inverse[i] = ranks[groups[i]]
                counts[inverse[i]] = counts[inverse[i]] + T.int64(1)

    return kernel
