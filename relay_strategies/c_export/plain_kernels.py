"""Kernels as functions of plain pointers, without TVM's calling convention, allocator and threads.

A kernel becomes one function, or several that are called one after the other: each parallel loop that is not
part of another statement is one of its own, of which every task does its share, and what stands between them
is done by one task. All have the same parameters: the number of the task, that of all tasks, the kernel's
operands, and the workspace, in which TVM's allocations have fixed places: those that functions share first,
then one part for each task. What TVM puts on the stack stays there. The sizes that a kernel has open come
behind its operands, each a pointer to the number; places are expressions over them.

Below ``launcher.py``, which calls them. What TVM's own pipeline does before and behind MakePackedAPI is left
to it (``lowering.py``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tvm import ir, tirx
from tvm_ffi import structural_map, structural_walk

from intrinsics.thread_state import LAUNCH
from relay_strategies.relax.placement import aligned
from tvm_directconv.algorithms.lowering import serial
from tvm_directconv.errors import ModelError
from tvm_directconv.problem.element_types import element_bytes
from tvm_directconv.targets.target import CompileTarget

from .lowering import finished_functions, lowered_kernels, open_sizes, operands_of

STACK_BYTES = 1024
"""Most bytes of an allocation of the global scope that TVM's code generator puts on the stack."""
ALLOCATE, RELEASE = "tirx.TVMBackendAllocWorkspace", "tirx.TVMBackendFreeWorkspace"
"""Some kernels ask for workspace themselves, and give it back."""
RUNTIME_CALLS = ("tirx.tvm_call_packed", "tirx.tvm_call_cpacked", "tirx.tvm_call_packed_lowered")
NOTHING = tirx.Evaluate(tirx.IntImm("int32", 0))


@dataclass(frozen=True)
class Phase:
    """A function ``symbol(task, tasks, operands..., sizes..., workspace)``; where it is not ``parallel``
    there is one task. ``operands`` counts sizes too."""

    symbol: str
    function: tirx.PrimFunc
    operands: int
    parallel: bool


@dataclass(frozen=True)
class PlainKernel:
    """A kernel's functions in the order of their calls, the bytes of workspace that they share and that each
    task has, and the sizes that it has open: each by an operand and a dimension of that, or behind operands
    by its place among the numbers that the kernel is given."""

    phases: tuple[Phase, ...]
    shared_bytes: Any
    task_bytes: Any
    sizes: Mapping[tirx.Var, tuple[int, int]]


def plain_kernels(kernels: dict[str, tirx.PrimFunc], target: CompileTarget) -> dict[str, PlainKernel]:
    """Return the kernels of these names as functions whose symbols begin with them.

    Raises ModelError for one that calls TVM's runtime.
    """
    lowered = lowered_kernels(kernels, target)
    plain = {name: _plain(name, function) for name, function in lowered.items()}
    finished = finished_functions({p.symbol: p.function for k in plain.values() for p in k.phases})
    return {
        name: PlainKernel(
            tuple(Phase(p.symbol, finished[p.symbol], p.operands, p.parallel) for p in kernel.phases),
            kernel.shared_bytes,
            kernel.task_bytes,
            kernel.sizes,
        )
        for name, kernel in plain.items()
    }


def _plain(name: str, kernel: tirx.PrimFunc) -> PlainKernel:
    calls: list[ir.Call] = []
    structural_walk(kernel.body, (ir.Call, calls.append))
    for call in calls:
        if getattr(call.op, "name", "") in RUNTIME_CALLS:
            called = getattr(call.args[0], "value", call.args[0])
            raise ModelError(f"'{name}' cannot be exported as C: it calls '{called}' of TVM's runtime")
    sizes = open_sizes(kernel)
    places = _Places(name, sizes)
    parts = _parts(kernel.body)
    if parts is None:
        parts = [_Part([places.in_task(kernel.body)], parallel=False)]
    else:
        parts = [part.mapped(places) for part in parts]
    phases = [
        Phase(
            f"{name}_{number}",
            _function(part, kernel, places, [*sizes]),
            len(operands_of(kernel)) + len(sizes),
            part.parallel,
        )
        for number, part in enumerate(parts)
    ]
    return PlainKernel(tuple(phases), places.shared_bytes, places.task_bytes, sizes)


# ---- which part of a kernel is which function


@dataclass
class _Part:
    """Statements that become one function; what they only declare, or bind to a pure value, comes before
    them."""

    statements: list[tirx.Stmt]
    parallel: bool
    declared: list[tirx.Stmt] = field(default_factory=list)

    def mapped(self, places: _Places) -> _Part:
        declared = [places.shared(statement) for statement in self.declared]
        return _Part([places.in_task(s) for s in self.statements], self.parallel, declared)


def _parts(body: tirx.Stmt) -> list[_Part] | None:
    """The parts of a kernel; None where it is to stay in one: without a parallel loop that stands alone, or
    with values that only hold where they are computed."""
    statements = _flat(body)
    if not any(map(_is_parallel, statements)):
        return None
    parts: list[_Part] = []
    declared: list[tirx.Stmt] = []
    for statement in statements:
        if isinstance(statement, tirx.DeclBuffer | tirx.AllocBuffer | tirx.Bind):
            if isinstance(statement, tirx.Bind) and not _is_pure(statement.value):
                return None
            declared.append(statement)
        elif _is_parallel(statement) or not parts or parts[-1].parallel:
            parts.append(_Part([statement], _is_parallel(statement), list(declared)))
        else:
            parts[-1].statements.append(statement)
            parts[-1].declared = list(declared)
    return parts


def _flat(statement: tirx.Stmt) -> list[tirx.Stmt]:
    """A statement as a sequence; an attribute of several is one of each."""
    if isinstance(statement, tirx.SeqStmt):
        return [each for part in statement.seq for each in _flat(part)]
    if isinstance(statement, tirx.AttrStmt) and statement.attr_key != LAUNCH and _has_parallel(statement):
        parts = _flat(statement.body)
        declared = (tirx.DeclBuffer, tirx.AllocBuffer, tirx.Bind)
        return [
            part
            if isinstance(part, declared)
            else tirx.AttrStmt(statement.node, statement.attr_key, statement.value, part)
            for part in parts
        ]
    return [statement]


def _is_parallel(statement: tirx.Stmt) -> bool:
    if isinstance(statement, tirx.AttrStmt):
        return statement.attr_key == LAUNCH or _is_parallel(statement.body)
    return isinstance(statement, tirx.For) and statement.kind == tirx.ForKind.PARALLEL


def _has_parallel(statement: tirx.Stmt) -> bool:
    loops: list[tirx.For] = []
    structural_walk(statement, (tirx.For, loops.append))
    return any(loop.kind == tirx.ForKind.PARALLEL for loop in loops)


def _is_pure(value: ir.Expr) -> bool:
    """Whether a value is the same wherever it is computed: without loads, and without calls but
    arithmetic's."""
    reads: list[object] = []
    structural_walk(value, (ir.TensorLoad, reads.append))
    structural_walk(value, (ir.Call, reads.append))
    return not reads


# ---- allocations


class _Places:
    """The places of a kernel's allocations in the workspace.

    ``shared`` and ``in_task`` replace allocations in statements by views of the workspace.
    """

    def __init__(self, name: str, sizes: Container[tirx.Var]) -> None:
        self._name, self._sizes = name, sizes
        self.workspace = tirx.Var("workspace", ir.PointerType(ir.PrimType("uint8")))
        self.own = tirx.Var("own", ir.PointerType(ir.PrimType("void")))
        self.shared_bytes: Any = 0
        self.task_bytes: Any = 0
        self._offsets: dict[tirx.Buffer, Any] = {}

    def shared(self, statement: tirx.Stmt) -> tirx.Stmt:
        """A statement that is in several functions, whose allocation is one of all of them, however small."""
        if not isinstance(statement, tirx.AllocBuffer):
            return statement
        buffer = statement.buffer
        if buffer not in self._offsets:
            self._offsets[buffer] = self.shared_bytes
            self.shared_bytes += aligned(self._bytes(buffer))
        return _view(buffer, self.workspace, self._offsets[buffer])

    def in_task(self, statement: tirx.Stmt) -> tirx.Stmt:
        rules = [
            (tirx.AllocBuffer, self._allocation),
            (tirx.DeclBuffer, self._requested),
            (tirx.IfThenElse, lambda node: NOTHING if _calls(node.condition, "tirx.isnullptr") else node),
            (tirx.Evaluate, lambda node: NOTHING if _calls(node.value, RELEASE) else node),
        ]
        return structural_map(statement, rules)

    def _allocation(self, statement: tirx.AllocBuffer) -> tirx.Stmt:
        buffer = statement.buffer
        size = self._bytes(buffer)
        if isinstance(size, int) and size < STACK_BYTES and buffer.ty.storage_scope == "global":
            return statement
        return self._own_view(buffer, size)

    def _requested(self, statement: tirx.DeclBuffer) -> tirx.Stmt:
        if not _calls(statement.data, ALLOCATE):
            return statement
        return self._own_view(statement.buffer, self._known(statement.data.args[2], statement.buffer))

    def _own_view(self, buffer: tirx.Buffer, size: Any) -> tirx.Stmt:
        offset = self.task_bytes
        self.task_bytes += aligned(size)
        return _view(buffer, self.own, offset)

    def _bytes(self, buffer: tirx.Buffer) -> Any:
        elements = math.prod(self._known(extent, buffer) for extent in buffer.shape)
        return elements * element_bytes(str(buffer.dtype))

    def _known(self, extent: ir.Expr, buffer: tirx.Buffer) -> Any:
        """A number, or an expression over the kernel's sizes."""
        if isinstance(extent, tirx.IntImm):
            return int(extent)
        variables: list[tirx.Var] = []
        structural_walk(extent, (tirx.Var, variables.append))
        if not all(var in self._sizes for var in variables):
            raise ModelError(
                f"'{self._name}' cannot be exported as C: the size of its '{buffer.name}' is not known "
                "before it runs"
            )
        return tirx.Cast("int64", extent)


def _calls(value: ir.Expr, name: str) -> bool:
    return isinstance(value, ir.Call) and getattr(value.op, "name", "") == name


def _view(buffer: tirx.Buffer, base: tirx.Var, offset: Any) -> tirx.Stmt:
    return tirx.DeclBuffer(buffer, data=tirx.handle_add_byte_offset(base, _number(offset)))


def _number(value: Any) -> tirx.Expr:
    return tirx.IntImm("int64", value) if isinstance(value, int) else value


# ---- functions


def _function(
    part: _Part, kernel: tirx.PrimFunc, places: _Places, sizes: Sequence[tirx.Var]
) -> tirx.PrimFunc:
    task, tasks = tirx.Var("task", "int32"), tirx.Var("tasks", "int32")
    given = operands_of(kernel)
    operands = [tirx.Var(str(p.name), tirx.buffer.buffer_data_pointer_type(p)) for p in given]
    named = [tirx.DeclBuffer(buffer, data=pointer) for buffer, pointer in zip(given, operands, strict=True)]
    # Buffers that a kernel declares itself leave open where they begin: here at their pointers.
    begins = [
        tirx.Bind(buffer.elem_offset, tirx.IntImm(str(buffer.elem_offset.ty), 0))
        for buffer in given
        if isinstance(buffer.elem_offset, tirx.Var)
    ]
    pointers = [tirx.Var(f"size{n}", ir.PointerType(ir.PrimType("int64"))) for n in range(len(sizes))]
    known = [statement for each in zip(sizes, pointers, strict=True) for statement in _read(*each)]
    before, each = _number(places.shared_bytes), _number(places.task_bytes)
    own = tirx.handle_add_byte_offset(places.workspace, before + each * tirx.Cast("int64", task))
    shares = _Shares(task, tasks)
    rewrite: Callable[[tirx.Stmt], tirx.Stmt] = shares.divided if part.parallel else _serial
    body = tirx.SeqStmt(
        [
            *known,
            *begins,
            *named,
            tirx.Bind(places.own, own),
            *part.declared,
            *(rewrite(s) for s in part.statements),
        ]
    )
    attributes = {
        name: kernel.attrs[name] for name in ("target", "tirx.noalias", "s_tir") if name in kernel.attrs
    }
    parameters = [task, tasks, *operands, *pointers, places.workspace]
    return tirx.PrimFunc(parameters, body, ir.TupleType([])).with_attrs(attributes)


def _read(size: tirx.Var, pointer: tirx.Var) -> list[tirx.Stmt]:
    """What gives a kernel's size the number behind a pointer."""
    buffer = tirx.decl_buffer((1,), "int64", "size")
    value = buffer[0] if str(size.ty) == "int64" else tirx.Cast(str(size.ty), buffer[0])
    return [tirx.DeclBuffer(buffer, data=pointer), tirx.Bind(size, value)]


@dataclass(frozen=True)
class _Shares:
    """Parallel loops as those of one task's iterations, as many as TVM's code generator gives it."""

    task: tirx.Var
    tasks: tirx.Var

    def divided(self, statement: tirx.Stmt) -> tirx.Stmt:
        if isinstance(statement, tirx.AttrStmt):
            body = self.divided(statement.body)
            if statement.attr_key == LAUNCH:
                return body
            return tirx.AttrStmt(statement.node, statement.attr_key, statement.value, body)
        if isinstance(statement, tirx.SeqStmt):
            return tirx.SeqStmt([self.divided(each) for each in statement.seq])
        if not isinstance(statement, tirx.For) or statement.kind != tirx.ForKind.PARALLEL:
            return statement
        extent = statement.extent
        dtype = str(extent.ty)
        task, tasks = (v if dtype == "int32" else tirx.Cast(dtype, v) for v in (self.task, self.tasks))
        share = tirx.truncdiv(extent + tasks - 1, tasks)
        first = tirx.Var("first", dtype)
        place = tirx.Var("place", dtype)
        body = tirx.SeqStmt(
            [tirx.Bind(statement.loop_var, statement.min + first + place), _serial(statement.body)]
        )
        count = tirx.max(tirx.min(share, extent - first), tirx.IntImm(dtype, 0))
        loop = tirx.For(place, tirx.IntImm(dtype, 0), count, tirx.ForKind.SERIAL, body)
        return tirx.SeqStmt([tirx.Bind(first, share * task), loop])


def _serial(statement: tirx.Stmt) -> tirx.Stmt:
    """A statement whose parallel loops one task does alone."""

    def launch(node: tirx.AttrStmt) -> tirx.Stmt:
        return node.body if node.attr_key == LAUNCH else node

    return structural_map(statement, [(tirx.For, serial), (tirx.AttrStmt, launch)])
