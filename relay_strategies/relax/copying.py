"""The kernel that copies bytes from one tensor to another."""

from __future__ import annotations

from typing import Any

from tvm import tirx

from tvm_directconv.problem.extents import is_open


def copying_kernel(size: Any) -> tirx.PrimFunc:
    """Return a kernel of one task that copies so many bytes; where the size is open, as many as there are."""
    count = tirx.Var("bytes", "int64") if is_open([size]) else tirx.IntImm("int64", size)
    source = tirx.decl_buffer((count,), "uint8", "source")
    result = tirx.decl_buffer((count,), "uint8", "result")
    place = tirx.Var("place", "int64")
    body = tirx.BufferStore(result, source[place], [place])
    loop = tirx.For(place, tirx.IntImm("int64", 0), count, tirx.ForKind.SERIAL, body)
    return tirx.PrimFunc([source, result], loop).with_attrs({"tirx.noalias": True, "s_tir": True})
