"""From a tensorized schedule to kernel calls: blocks expanded, stages that only re-describe data removed.

A scheduled convolution has the stages ``view`` (the input with its padding, or flattened), for some
algorithms a packed copy, ``conv`` (tensorized), its initialization, and ``epilogue`` (bias, residual, clip,
the final layout). Micro-kernels start from zero registers, skip padded taps, and apply the epilogue before
they store; so ``view`` and ``conv`` need no memory. This pass drops those stages with their buffers and
replaces each tensorized block by the calls that an algorithm's ``expand`` gives for it, in terms of the
function's parameters and of the workspace it asked for.

Kernels are attached here too, from the names called, as LLVM IR for TVM to import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import tvm
from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize
from tvm_ffi import structural_walk

from intrinsics import registry, tensorize

FOLDED_BLOCKS = ("conv_init", "epilogue")
FOLDED_BUFFERS = ("conv",)
VIEW = "view"
"""A stage whose name ends so only re-describes its operand."""

Expand = Callable[[tirx.PrimFunc, SBlock], tirx.Stmt]
"""(function, tensorized block) -> the statement doing its work; the block's regions say where."""


@dataclass(frozen=True)
class Workspace:
    """Float32 memory an algorithm needs beyond its operands, taking the place of the stage ``name``.

    One per thread, allocated inside the parallel loop; ``shared``: one for all, outside of it.
    """

    name: str
    elements: int
    shared: bool = False

    @property
    def bytes(self) -> int:
        return 4 * self.elements

    @cached_property
    def buffer(self) -> tirx.Buffer:
        # Of this scope TVM makes a call of the runtime's allocator, whatever the size.
        return tirx.decl_buffer((self.elements,), "float32", self.name, scope="local")


def lower(mod: tvm.IRModule, expand: Expand, workspace: Sequence[Workspace] = ()) -> tirx.PrimFunc:
    """The single PrimFunc of a scheduled module, with tensorized blocks expanded and folded stages gone."""
    flatten = tvm.transform.Sequential(
        [
            tvm.s_tir.transform.LowerInitBlock(),
            tvm.s_tir.transform.PlanAndUpdateBufferAllocationLocation(),
            tvm.s_tir.transform.ConvertBlocksToOpaque(),
        ]
    )
    (func,) = flatten(mod).functions.values()
    body = _Lowering(func, expand, workspace).root(func.body)
    return func.with_body(body)


def attach_kernels(body: tirx.Stmt) -> tirx.Stmt:
    """Import the LLVM IR of every micro-kernel and packing routine ``body`` calls."""
    for name in sorted(set(called_kernels(body)), reverse=True):
        source = tvm.ir.StringImm(registry.emit_named(name))
        body = tirx.AttrStmt(tirx.IntImm("int32", 0), "pragma_import_llvm", source, body)
    return body


def called_kernels(stmt: tirx.Stmt) -> Iterable[str]:
    """Names of the generated routines called, in program order."""
    names: list[str] = []

    def collect(node: tirx.Evaluate) -> None:
        name = _extern_name(node)
        if name and "__" in name:
            names.append(name)

    structural_walk(stmt, (tirx.Evaluate, collect))
    return names


class _Lowering:
    def __init__(self, func: tirx.PrimFunc, expand: Expand, workspace: Sequence[Workspace]) -> None:
        self._func, self._expand = func, expand
        self._workspace = {w.name: w for w in workspace}
        self._private = [w for w in workspace if not w.shared]

    def root(self, stmt: tirx.Stmt) -> tirx.Stmt:
        body = self.rewrite(stmt)
        if body is None:
            raise AssertionError("a scheduled convolution holds no tensorized block")
        if self._private:
            raise AssertionError("workspace for every thread, but no parallel loop")
        return body

    def rewrite(self, stmt: tirx.Stmt) -> tirx.Stmt | None:
        """``stmt`` with tensorized blocks expanded; None when nothing of it is left."""
        if isinstance(stmt, SBlockRealize):
            return self._block(stmt)
        if isinstance(stmt, tirx.SeqStmt):
            parts = [part for part in map(self.rewrite, stmt.seq) if part is not None]
            return None if not parts else parts[0] if len(parts) == 1 else tirx.SeqStmt(parts)
        if isinstance(stmt, tirx.For):
            body = self.rewrite(stmt.body)
            if body is None:
                return None
            if stmt.kind == tirx.ForKind.PARALLEL and self._private and _expanded(body):
                body, self._private = _allocating(self._private, body), []
            return tirx.For(
                stmt.loop_var, stmt.min, stmt.extent, stmt.kind, body, stmt.thread_binding, stmt.annotations
            )
        return stmt

    def _block(self, stmt: SBlockRealize) -> tirx.Stmt | None:
        block = stmt.block
        if block.name_hint in FOLDED_BLOCKS or block.name_hint.endswith(VIEW):
            return None
        marker = _extern_name(block.body)
        if marker and marker.startswith(tensorize.PREFIX):
            return self._expand(self._func, block)
        body = self.rewrite(block.body)
        if body is None:
            return None
        kept = [b for b in block.alloc_buffers if not self._is_folded(b.name)]
        if block.name_hint == "root":
            body = attach_kernels(body)
            kept += [w.buffer for w in self._workspace.values() if w.shared]
        rebuilt = SBlock(block.iter_vars, [], [], block.name_hint, body, None, kept, [], block.annotations)
        return SBlockRealize(stmt.iter_values, stmt.predicate, rebuilt)

    def _is_folded(self, name: str) -> bool:
        return name in FOLDED_BUFFERS or name.endswith(VIEW) or name in self._workspace


def _allocating(workspace: Sequence[Workspace], body: tirx.Stmt) -> tirx.Stmt:
    block = SBlock([], [], [], "workspace", body, None, [w.buffer for w in workspace], [], {})
    return SBlockRealize([], tirx.IntImm("bool", 1), block)


def _expanded(body: tirx.Stmt) -> bool:
    return any(True for _ in called_kernels(body))


def _extern_name(stmt: object) -> str | None:
    """The function a bare ``call_extern`` statement calls."""
    if isinstance(stmt, tirx.Evaluate) and isinstance(stmt.value, tvm.ir.Call):
        call = stmt.value
        if getattr(call.op, "name", "") == "tirx.call_extern":
            return str(call.args[0].value)
    return None
