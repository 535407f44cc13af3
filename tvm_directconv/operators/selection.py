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
