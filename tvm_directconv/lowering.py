"""From a tensorized schedule to kernel calls: strips expanded, stages that only re-describe data removed.

A scheduled convolution has four stages: ``view`` (the input with its padding, or flattened), ``conv``
(tensorized strip by strip), its initialization, and ``epilogue`` (bias, residual, clip, the final layout).
A micro-kernel starts from zero registers, skips padded taps, and applies the epilogue before it stores; so
``view`` and ``conv`` need no memory. This pass drops the three other stages with their buffers and replaces
each strip by the calls that an algorithm's ``expand`` gives for it, in terms of the function's parameters.

Kernels are attached here too, from the names called, as LLVM IR for TVM to import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import tvm
from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize

from .intrinsics import registry, tensorize
from .intrinsics.microkernel import KernelInstance

FOLDED_BLOCKS = ("view", "conv_init", "epilogue")
FOLDED_BUFFERS = ("view", "conv")

Expand = Callable[[tirx.PrimFunc, tirx.Expr, tirx.Expr, tirx.Expr], tirx.Stmt]
"""(function, n, y, block) -> the statement computing that strip of the output."""


def lower_strips(mod: tvm.IRModule, expand: Expand) -> tirx.PrimFunc:
    """The single PrimFunc of a scheduled module, with strips expanded and folded stages gone."""
    flatten = tvm.transform.Sequential(
        [
            tvm.s_tir.transform.LowerInitBlock(),
            tvm.s_tir.transform.PlanAndUpdateBufferAllocationLocation(),
            tvm.s_tir.transform.ConvertBlocksToOpaque(),
        ]
    )
    (func,) = flatten(mod).functions.values()
    body = _rewrite(func.body, lambda n, y, block: expand(func, n, y, block))
    if body is None:
        raise AssertionError("a scheduled convolution holds no strip")
    return func.with_body(body)


def attach_kernels(body: tirx.Stmt) -> tirx.Stmt:
    """Import the LLVM IR of every micro-kernel ``body`` calls."""
    for name in sorted(set(called_kernels(body)), reverse=True):
        source = registry.emit(KernelInstance.parse(name))
        body = tirx.AttrStmt(tirx.IntImm("int32", 0), "pragma_import_llvm", tvm.ir.StringImm(source), body)
    return body


def called_kernels(stmt: tirx.Stmt) -> Iterable[str]:
    """Names of the micro-kernel instances called, in program order."""
    for node in _walk(stmt):
        name = _extern_name(node)
        if name and "__" in name:
            yield name


def _rewrite(
    stmt: tirx.Stmt, expand: Callable[[tirx.Expr, tirx.Expr, tirx.Expr], tirx.Stmt]
) -> tirx.Stmt | None:
    """``stmt`` with strips expanded; None when nothing of it is left."""
    if isinstance(stmt, SBlockRealize):
        block = stmt.block
        if block.name_hint in FOLDED_BLOCKS:
            return None
        marker = _extern_name(block.body)
        if marker and marker.startswith(tensorize.PREFIX):
            n, y, channel_block = (block.writes[0].region[axis].min for axis in range(3))
            return expand(n, y, channel_block)
        body = _rewrite(block.body, expand)
        if body is None:
            return None
        if block.name_hint == "root":
            body = attach_kernels(body)
        kept = [b for b in block.alloc_buffers if b.name not in FOLDED_BUFFERS]
        rebuilt = SBlock(block.iter_vars, [], [], block.name_hint, body, None, kept, [], block.annotations)
        return SBlockRealize(stmt.iter_values, stmt.predicate, rebuilt)
    if isinstance(stmt, tirx.SeqStmt):
        parts = [part for part in (_rewrite(s, expand) for s in stmt.seq) if part is not None]
        return None if not parts else parts[0] if len(parts) == 1 else tirx.SeqStmt(parts)
    if isinstance(stmt, tirx.For):
        body = _rewrite(stmt.body, expand)
        if body is None:
            return None
        return tirx.For(
            stmt.loop_var, stmt.min, stmt.extent, stmt.kind, body, stmt.thread_binding, stmt.annotations
        )
    return stmt


def _walk(stmt: tirx.Stmt) -> Iterable[tirx.Stmt]:
    yield stmt
    if isinstance(stmt, SBlockRealize):
        yield from _walk(stmt.block.body)
    elif isinstance(stmt, tirx.SeqStmt):
        for part in stmt.seq:
            yield from _walk(part)
    elif isinstance(stmt, tirx.For | tirx.AttrStmt):
        yield from _walk(stmt.body)
    elif isinstance(stmt, tirx.IfThenElse):
        yield from _walk(stmt.then_case)
        if stmt.else_case is not None:
            yield from _walk(stmt.else_case)


def _extern_name(stmt: tirx.Stmt) -> str | None:
    """The function a bare ``call_extern`` statement calls."""
    if isinstance(stmt, tirx.Evaluate) and isinstance(stmt.value, tvm.ir.Call):
        call = stmt.value
        if getattr(call.op, "name", "") == "tirx.call_extern":
            return str(call.args[0].value)
    return None
