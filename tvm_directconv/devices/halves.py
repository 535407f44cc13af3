"""float16 in memory, float32 in registers: what OpenCL's core offers, also to devices that lack half.

Every device loads and stores halves by ``vload_half`` and ``vstore_half``; the type itself is an extension's,
which TVM's source demands wherever a buffer is of it. Kernels here compute in float32 in any case.
"""

from __future__ import annotations

from typing import Any

import tvm
from tvm import ir, tirx

from .rewriting import rewritten

HALF, FLOAT = "float16", "float32"
REFUSAL = '#error "Half precision floating point not supported by OpenCL implementation on your device."'


def halves_in_memory(module: tvm.IRModule) -> tvm.IRModule:
    """Return OpenCL kernels, about to be printed, that load float32 from buffers of float16 in global memory
    and store it there. What else is float16 in them stays so."""
    return rewritten(module, [(tirx.Cast, _widened), (tirx.BufferStore, _stored)])


def without_refusal(source: str) -> str:
    """Return a source without the line that refuses devices for the sake of pointers."""
    return source.replace(REFUSAL, "")


def _widened(cast: tirx.Cast) -> tirx.Expr:
    if str(cast.ty).startswith(FLOAT) and str(cast.value.ty).startswith(HALF):
        value = _float(cast.value)
        return cast if value is None else value
    return cast


def _stored(store: tirx.BufferStore) -> tirx.Stmt:
    buffer = store.buffer
    if str(buffer.dtype) != HALF or buffer.scope() != "global":
        return store
    value = _float(store.value)
    if value is None:
        return store
    start, lanes = _start(store.indices[-1])
    pointer = tirx.address_of(tirx.BufferLoad(buffer, [*store.indices[:-1], start]))
    return tirx.Evaluate(tirx.call_extern("int32", f"vstore_half{lanes}", value, 0, pointer))


def _float(value: Any) -> tirx.Expr | None:
    """An expression of halves as one of floats; None where something in it is not known here."""
    lanes = value.ty.dtype.lanes
    wide = FLOAT if lanes == 1 else f"{FLOAT}x{lanes}"
    if str(value.ty).startswith(FLOAT):
        return value
    if isinstance(value, tirx.Cast) and str(value.value.ty).startswith(FLOAT):
        return value.value
    if isinstance(value, tirx.FloatImm):
        return tirx.const(float(value.value), FLOAT)
    if isinstance(value, tirx.Broadcast):
        inner = _float(value.value)
        return None if inner is None else tirx.Broadcast(inner, lanes)
    if isinstance(value, ir.TensorLoad) and value.source.scope() == "global":
        start, count = _start(value.indices[-1])
        pointer = tirx.address_of(tirx.BufferLoad(value.source, [*value.indices[:-1], start]))
        return tirx.call_pure_extern(wide, f"vload_half{count}", 0, pointer)
    if isinstance(value, ir.Call) and getattr(value.op, "name", "") == "prim.if_then_else":
        condition, *branches = value.args
        yes, no = (_float(branch) for branch in branches)
        return None if yes is None or no is None else tirx.if_then_else(condition, yes, no)
    return None


def _start(index: tirx.Expr) -> tuple[tirx.Expr, str]:
    """Return where a load or store begins, and OpenCL's name of its width."""
    if isinstance(index, tirx.Ramp):
        return index.base, str(int(index.lanes))
    return index, ""
