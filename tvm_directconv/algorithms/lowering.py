"""Lowering of a tensorized schedule to kernel calls: blocks expanded, stages that only re-describe data
removed.

Micro-kernels start from zero registers, skip padded taps, and apply the epilogue before they store. So of a
scheduled convolution the stages that re-describe the input (padded, or flattened), that hold the sums, and
that finish them need no memory and no loops. A stage says so itself, by an annotation in its TE definition;
this pass drops those blocks, and replaces each tensorized block by the calls that its plan gives for the
block's intrinsic, in terms of the function's operands and of the workspace it asked for. A buffer that only
such blocks write is gone with them.

Kernels are attached here too, from the names called, as LLVM IR for TVM to import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import tvm
from tvm import ir, tirx
from tvm.s_tir import SBlock, SBlockRealize, Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm_ffi import structural_map, structural_walk

from intrinsics import registry, tensorize
from intrinsics.tensorize import Intrinsic
from intrinsics.thread_state import LAUNCH, in_thread_states

STAGE = "directconv.stage"
"""The annotation by which a stage says what it is."""
FOLDED = {STAGE: "folded"}
"""Annotates stages that are dropped, because the calls that tensorized blocks become do their work."""
MATRIX = {STAGE: "matrix"}
"""Annotates a stage that is computed first, and then read by kernels in place of the input."""


@dataclass(frozen=True)
class Workspace:
    """Float32 memory an algorithm needs beyond its operands: one for each thread, allocated inside the
    parallel loop."""

    name: str
    elements: int

    @property
    def bytes(self) -> int:
        return 4 * self.elements

    @cached_property
    def buffer(self) -> tirx.Buffer:
        # Of this scope TVM makes a call of the runtime's allocator, whatever the size.
        return tirx.decl_buffer((self.elements,), "float32", self.name, scope="local")


@dataclass(frozen=True)
class Block:
    """A tensorized block about to be expanded: what it computes, and the function it stands in."""

    intrinsic: Intrinsic
    block: SBlock
    func: tirx.PrimFunc
    input: tirx.Buffer
    """What kernels read as the input: a matrix made of it where there is one, else the function's data."""

    def starts(self, operand: str) -> list[tirx.Expr]:
        """Return where the region of one of the intrinsic's operands ("A", "B", "C") begins, axis by axis."""
        if operand == self.intrinsic.written:
            region = self.block.writes[0]
        else:
            # What an update reads first is its own old value.
            names = [name for name in self.intrinsic.operands() if name != self.intrinsic.written]
            region = self.block.reads[names.index(operand) - len(names)]
        return [axis.min for axis in region.region]


Expand = Callable[[Block], "tirx.Stmt | None"]
"""The statement doing a tensorized block's work, None where there is none; its regions say where."""
Expansions = Mapping[Intrinsic, Expand]


def lower(mod: tvm.IRModule, expansions: Expansions, workspaces: Sequence[Workspace] = ()) -> tirx.PrimFunc:
    """The single PrimFunc of a scheduled module, with tensorized blocks expanded and folded stages gone."""
    flatten = tvm.transform.Sequential(
        [
            tvm.s_tir.transform.LowerInitBlock(),
            tvm.s_tir.transform.PlanAndUpdateBufferAllocationLocation(),
            tvm.s_tir.transform.ConvertBlocksToOpaque(),
        ]
    )
    (func,) = flatten(mod).functions.values()
    return func.with_body(_Lowering(func, expansions, workspaces).root(func.body))


def called_in_parallel(func: tirx.PrimFunc, loop: tirx.For, workspaces: Sequence[Workspace]) -> tirx.PrimFunc:
    """A function whose work is one parallel loop of kernel calls, each task of which has its workspaces."""
    body = tirx.For(loop.loop_var, loop.min, loop.extent, loop.kind, _allocating(workspaces, loop.body))
    root = SBlock([], [], [], "root", attach_kernels(body))
    return func.with_body(SBlockRealize([], tirx.IntImm("bool", 1), root))


def fold_initialization(sch: Schedule, sums: SBlockRV, loop: LoopRV) -> None:
    """Take the initialization out of ``loop``, for kernels begin with it themselves."""
    sch.annotate(sch.decompose_reduction(sums, loop), STAGE, FOLDED[STAGE])


def attach_kernels(body: tirx.Stmt) -> tirx.Stmt:
    """Import the LLVM IR of every micro-kernel and packing routine ``body`` calls, and of the states of the
    thread that these need."""
    body = in_thread_states(
        structural_map(body, [(tirx.FloorDiv, _quotient), (tirx.FloorMod, _rest)]), called_kernels
    )
    names = sorted(set(called_kernels(body)), reverse=True)
    if any("bf16" in name for name in names):
        body = structural_map(body, [(ir.Call, _bits_of_bfloat16)])
    for source in dict.fromkeys(map(registry.emit_named, names)):
        body = tirx.AttrStmt(tirx.IntImm("int32", 0), "pragma_import_llvm", tvm.ir.StringImm(source), body)
    return body


def _quotient(node: tirx.FloorDiv) -> tirx.Expr:
    """The quotient by a size, neither of which is negative: to say so is easier for TVM than to find it."""
    return node if isinstance(node.b, tirx.IntImm) else tirx.truncdiv(node.a, node.b)


def _rest(node: tirx.FloorMod) -> tirx.Expr:
    """The rest of that division."""
    return node if isinstance(node.b, tirx.IntImm) else tirx.truncmod(node.a, node.b)


def _bits_of_bfloat16(call: ir.Call) -> ir.Call:
    """Pointers to bfloat16 as ones to integers. TVM makes buffers of it those of integers before it makes
    code, and what speaks of its elements that of float32."""
    if isinstance(call.op, ir.Op) and call.op.name == "tirx.type_annotation" and str(call.ty) == "bfloat16":
        return tirx.type_annotation("uint16")
    return call


def serial(stmt: tirx.For | tirx.AttrStmt) -> tirx.Stmt:
    """The loop in one thread, where it is parallel; a statement without what says that there is one."""
    if isinstance(stmt, tirx.AttrStmt):
        return stmt.body if stmt.attr_key == LAUNCH else stmt
    if stmt.kind != tirx.ForKind.PARALLEL:
        return stmt
    return tirx.For(stmt.loop_var, stmt.min, stmt.extent, tirx.ForKind.SERIAL, stmt.body)


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
    def __init__(self, func: tirx.PrimFunc, expansions: Expansions, workspaces: Sequence[Workspace]) -> None:
        self._func = func
        self._expansions = {intrinsic.name: (intrinsic, expand) for intrinsic, expand in expansions.items()}
        self._workspaces = list(workspaces)
        self._input = func.params[0]
        self._dropped: list[tirx.Buffer] = []
        structural_walk(func.body, (SBlock, self._look_at))

    def _look_at(self, block: SBlock) -> None:
        """Find the buffers that nothing will write in the end, and what kernels read as the input."""
        stage = block.annotations.get(STAGE)
        if stage == FOLDED[STAGE] or self._intrinsic(block) is not None:
            self._dropped += [region.source for region in block.writes]
        elif stage == MATRIX[STAGE]:
            self._input = block.writes[0].source

    def _intrinsic(self, block: SBlock) -> tuple[Intrinsic, Expand] | None:
        marker = _extern_name(block.body) or ""
        return self._expansions[marker] if marker.startswith(tensorize.PREFIX) else None

    def root(self, stmt: tirx.Stmt) -> tirx.Stmt:
        body = self.rewrite(stmt)
        if body is None:
            raise AssertionError("a scheduled convolution holds no tensorized block")
        if self._workspaces:
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
            if stmt.kind == tirx.ForKind.PARALLEL and self._workspaces and _expanded(body):
                body, self._workspaces = _allocating(self._workspaces, body), []
            return tirx.For(
                stmt.loop_var, stmt.min, stmt.extent, stmt.kind, body, stmt.thread_binding, stmt.annotations
            )
        return stmt

    def _block(self, stmt: SBlockRealize) -> tirx.Stmt | None:
        block = stmt.block
        tensorized = self._intrinsic(block)
        if tensorized is not None:
            intrinsic, expand = tensorized
            return expand(Block(intrinsic, block, self._func, self._input))
        if block.annotations.get(STAGE) == FOLDED[STAGE]:
            return None
        body = self.rewrite(block.body)
        if body is None:
            return None
        kept = [b for b in block.alloc_buffers if not any(b.same_as(dropped) for dropped in self._dropped)]
        if block.name_hint == "root":
            body = attach_kernels(body)
        annotations = {name: value for name, value in block.annotations.items() if name != STAGE}
        rebuilt = SBlock(block.iter_vars, [], [], block.name_hint, body, None, kept, [], annotations)
        return SBlockRealize(stmt.iter_values, stmt.predicate, rebuilt)


def _allocating(workspaces: Sequence[Workspace], body: tirx.Stmt) -> tirx.Stmt:
    block = SBlock([], [], [], "workspace", body, None, [w.buffer for w in workspaces], [], {})
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
