"""A lowered function evaluated on numbers of a prime field: its loops, and its calls by their meaning.

All tasks of a parallel loop are evaluated at once, since none may depend on another; serial loops run one
iteration after the other, but for those that only move elements, whose iterations are evaluated at once, too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from tvm import ir, tirx
from tvm.s_tir import SBlock, SBlockRealize
from tvm_ffi import structural_walk

from .elements import Arguments, Memory, PlanError, Pointer, Tasks, Uncovered
from .prime_field import PRIME, residue

Ints = np.ndarray
"""Integers [tasks]."""
Routine = Callable[[Tasks, Arguments], None]
"""Does what a call does, for each task."""
INTEGERS: Mapping[type, Callable[[Any, Any], Any]] = {
    tirx.Add: operator.add,
    tirx.Sub: operator.sub,
    tirx.Mul: operator.mul,
    tirx.FloorDiv: operator.floordiv,
    tirx.FloorMod: operator.mod,
    tirx.Min: np.minimum,
    tirx.Max: np.maximum,
    tirx.EQ: operator.eq,
    tirx.NE: operator.ne,
    tirx.LT: operator.lt,
    tirx.LE: operator.le,
    tirx.GT: operator.gt,
    tirx.GE: operator.ge,
    tirx.And: operator.and_,
    tirx.Or: operator.or_,
    tirx.BitwiseAnd: operator.and_,
    tirx.RShift: operator.rshift,
}
TRUNCATED = {tirx.Div: operator.floordiv, tirx.Mod: operator.mod}
"""Divisions of numbers that are not negative."""
CALLS: Mapping[str, Callable[..., Any]] = {"if_then_else": np.where, "likely": lambda condition: condition}
INTEGER = 1 << 40
"""Integers that a buffer holds are so much more there, since numbers of the field are not negative."""


@dataclass
class Scope:
    """The tasks under way and what variables hold for each; buffers."""

    tasks: Tasks
    variables: dict[Any, Ints]
    buffers: dict[Any, Pointer]

    def chosen(self, chosen: np.ndarray) -> Scope:
        """Return some of the tasks, as a mask or by places, which may repeat."""
        return Scope(
            self.tasks.of(chosen),
            {name: values[chosen] for name, values in self.variables.items()},
            {name: pointer.of(chosen) for name, pointer in self.buffers.items()},
        )


class Interpretation:
    """One evaluation of a function.

    Args:
        operands: What the function is given, by its parameters.
        sizes: What variables of open sizes are.
        routine: Gives what a call of a name does; raises Uncovered for others.
    """

    def __init__(
        self,
        operands: Mapping[tirx.Buffer, Memory],
        sizes: Mapping[tirx.Var, int],
        routine: Callable[[str], Routine],
    ) -> None:
        one = np.zeros(1, np.int64)
        buffers = {
            buffer: Pointer(memory, one, memory.values.shape[1], one) for buffer, memory in operands.items()
        }
        self._next_task = 2
        self._routine = routine
        self._scope = Scope(Tasks(one + 1, 0), {var: one + size for var, size in sizes.items()}, buffers)
        self._moves: dict[Any, bool] = {}

    def run(self, func: tirx.PrimFunc) -> None:
        """Evaluate all of the function. Raises PlanError or Uncovered."""
        self._execute(func.body, self._scope)

    # ---- statements

    def _execute(self, stmt: tirx.Stmt, scope: Scope) -> None:
        if not len(scope.tasks.numbers):
            return
        visit = getattr(self, f"_{type(stmt).__name__.lower()}", None)
        if visit is None:
            raise Uncovered(f"a statement of the kind {type(stmt).__name__}")
        visit(stmt, scope)

    def _seqstmt(self, stmt: tirx.SeqStmt, scope: Scope) -> None:
        for part in stmt.seq:
            self._execute(part, scope)

    def _attrstmt(self, stmt: tirx.AttrStmt, scope: Scope) -> None:
        self._execute(stmt.body, scope)

    def _bind(self, stmt: tirx.Bind, scope: Scope) -> None:
        scope.variables[stmt.var] = self._integers(stmt.value, scope)

    def _ifthenelse(self, stmt: tirx.IfThenElse, scope: Scope) -> None:
        holds = self._integers(stmt.condition, scope).astype(bool)
        self._execute(stmt.then_case, scope.chosen(holds))
        if stmt.else_case is not None:
            self._execute(stmt.else_case, scope.chosen(~holds))

    def _sblockrealize(self, stmt: SBlockRealize, scope: Scope) -> None:
        block: SBlock = stmt.block
        holds = self._integers(stmt.predicate, scope).astype(bool)
        inner = scope.chosen(holds)
        for variable, value in zip(block.iter_vars, stmt.iter_values, strict=True):
            inner.variables[variable.var] = self._integers(value, inner)
        if block.match_buffers or block.init is not None:
            raise Uncovered("a block with an initialization or matched buffers")
        count = len(inner.tasks.numbers)
        for buffer in block.alloc_buffers:
            size = 1
            for extent in buffer.shape:
                size *= int(self._integers(extent, inner)[0])
            memory = Memory.empty(buffer.name, size * count)
            inner.buffers[buffer] = Pointer(memory, np.arange(count) * size, size, np.zeros(count, np.int64))
        self._execute(block.body, inner)

    def _for(self, loop: tirx.For, scope: Scope) -> None:
        first, extents = self._integers(loop.min, scope), self._integers(loop.extent, scope)
        if loop.kind == tirx.ForKind.PARALLEL or self._only_moves(loop):
            self._at_once(loop, scope, first, extents)
            return
        for i in range(int(extents.max())):
            running = extents > i
            inner = scope if running.all() else scope.chosen(running)
            inner.variables[loop.loop_var] = first[running] + i
            self._execute(loop.body, inner)

    def _at_once(self, loop: tirx.For, scope: Scope, first: Ints, extents: Ints) -> None:
        """Evaluate all iterations at once, as tasks of their own where the loop is parallel."""
        extents = np.maximum(extents, 0)
        places = np.repeat(np.arange(len(extents)), extents)
        inner = scope.chosen(places)
        number = np.arange(len(places)) - np.repeat(np.cumsum(extents) - extents, extents)
        inner.variables[loop.loop_var] = first[places] + number
        if loop.kind == tirx.ForKind.PARALLEL:
            if scope.tasks is not self._scope.tasks:
                raise PlanError("a parallel loop runs in another")
            inner.tasks = self._new_tasks(len(places))
            self._execute(loop.body, inner)
            after = self._new_tasks(1)
            scope.tasks.numbers, scope.tasks.first = after.numbers, after.first
        else:
            self._execute(loop.body, inner)

    def _new_tasks(self, count: int) -> Tasks:
        first, self._next_task = self._next_task, self._next_task + count + 1
        return Tasks(first + 1 + np.arange(count), first)

    def _only_moves(self, loop: tirx.For) -> bool:
        """Whether there are only stores in a loop, of elements of other buffers."""
        known = self._moves.get(loop)
        if known is None:
            stores: list[Any] = []
            others: list[Any] = []
            loads: list[Any] = []
            structural_walk(
                loop.body,
                [
                    (tirx.BufferStore, lambda node: stores.append(node.buffer)),
                    (ir.TensorLoad, lambda node: loads.append(node.source)),
                    ((tirx.Evaluate, tirx.Bind), others.append),
                    (tirx.For, lambda node: others.extend([node] * (node.kind == tirx.ForKind.PARALLEL))),
                    (SBlock, lambda node: others.extend(node.alloc_buffers)),
                ],
            )
            known = self._moves[loop] = not others and bool(stores) and not set(stores) & set(loads)
        return known

    def _bufferstore(self, stmt: tirx.BufferStore, scope: Scope) -> None:
        lanes = next((index.lanes for index in stmt.indices if isinstance(index, tirx.Ramp)), 1)
        count = len(scope.tasks.numbers)
        lane = np.tile(np.arange(int(lanes)), count)
        if int(lanes) > 1:
            scope = scope.chosen(np.repeat(np.arange(count), int(lanes)))
        scope.variables[LANE] = lane
        pointer = self._element(stmt.buffer, stmt.indices, scope)
        if stmt.buffer.dtype == "int32":
            value = self._integers(stmt.value, scope)[None] + INTEGER
        else:
            value = self._numbers(stmt.value, scope)
        pointer.memory.write(pointer.base + pointer.offset, value, scope.tasks)

    def _evaluate(self, stmt: tirx.Evaluate, scope: Scope) -> None:
        call = stmt.value
        if isinstance(call, tirx.IntImm):
            return
        if not isinstance(call, ir.Call) or not call.op.name.endswith("call_extern"):
            raise Uncovered(f"a call of {call}")
        name = call.args[0].value
        arguments: Arguments = [self._argument(argument, scope) for argument in call.args[1:]]
        try:
            self._routine(name)(scope.tasks, arguments)
        except PlanError as error:
            raise PlanError(f"{error}; in a call of {name}") from None

    def _argument(self, argument: Any, scope: Scope) -> Pointer | Ints:
        if isinstance(argument, ir.Call) and argument.op.name.endswith("tvm_access_ptr"):
            whole = scope.buffers[argument.args[1].args[0]]
            return Pointer(whole.memory, whole.base, whole.size, self._integers(argument.args[2], scope))
        return self._integers(argument, scope)

    # ---- expressions

    def _integers(self, node: Any, scope: Scope) -> Ints:
        """Return the integers [tasks] that an expression is."""
        count = len(scope.tasks.numbers)
        return np.broadcast_to(np.asarray(self._integer(node, scope), np.int64), (count,))

    def _integer(self, node: Any, scope: Scope) -> Any:
        if isinstance(node, int):
            return node
        if isinstance(node, tirx.IntImm):
            return int(node.value)
        operation = INTEGERS.get(type(node))
        if operation is not None:
            return operation(self._integer(node.a, scope), self._integer(node.b, scope))
        if isinstance(node, tirx.Var):
            if node not in scope.variables:
                raise Uncovered(f"the variable {node}")
            return scope.variables[node]
        if type(node) in TRUNCATED:
            a, b = self._integer(node.a, scope), self._integer(node.b, scope)
            if np.min(a) < 0:
                raise PlanError(f"a negative number is divided: {node}")
            return TRUNCATED[type(node)](a, b)
        if isinstance(node, ir.TensorLoad):
            pointer = self._element(node.source, node.indices, scope)
            return pointer.memory.read(pointer.base + pointer.offset, scope.tasks)[0] - INTEGER
        if isinstance(node, tirx.Cast):
            return np.asarray(self._integer(node.value, scope), np.int64)
        if isinstance(node, tirx.Not):
            return np.logical_not(self._integer(node.a, scope))
        if isinstance(node, tirx.Ramp):
            stride = self._integer(node.stride, scope)
            return self._integer(node.base, scope) + stride * scope.variables[LANE]
        if isinstance(node, tirx.Select):
            parts = (
                self._integer(part, scope) for part in (node.condition, node.true_value, node.false_value)
            )
            return np.where(*parts)
        if isinstance(node, ir.Call):
            return self._integer_call(node, scope)
        raise Uncovered(f"an integer of the kind {type(node).__name__}")

    def _integer_call(self, call: ir.Call, scope: Scope) -> Any:
        name = call.op.name.rpartition(".")[2]
        if name not in CALLS:
            raise Uncovered(f"a call of {name}")
        return CALLS[name](*(self._integer(argument, scope) for argument in call.args))

    def _element(self, buffer: tirx.Buffer, indices: Any, scope: Scope) -> Pointer:
        """Return where an element is. Raises PlanError where that is outside of the buffer; an index alone
        may go beyond its axis, to the next."""
        whole = scope.buffers.get(buffer)
        if whole is None:
            raise Uncovered(f"the buffer {buffer.name}")
        offset = np.zeros(len(scope.tasks.numbers), np.int64)
        for index, extent in zip(indices, buffer.shape, strict=True):
            offset = offset * self._integers(extent, scope) + self._integers(index, scope)
        found = Pointer(whole.memory, whole.base, whole.size, offset)
        found.within(0, 0)
        return found

    def _numbers(self, node: Any, scope: Scope) -> np.ndarray:
        """Return the numbers [DRAWS, tasks] that the value of an element is."""
        if isinstance(node, tirx.IntImm | tirx.FloatImm):
            return np.full((1, len(scope.tasks.numbers)), residue(node.value))
        if isinstance(node, tirx.Broadcast | tirx.Cast):
            return self._numbers(node.value, scope)
        if isinstance(node, ir.TensorLoad):
            pointer = self._element(node.source, node.indices, scope)
            return pointer.memory.read(pointer.base + pointer.offset, scope.tasks)
        if isinstance(node, tirx.Add | tirx.Sub | tirx.Mul):
            a, b = self._numbers(node.a, scope), self._numbers(node.b, scope)
            if min(a.min(), b.min()) < 0:
                raise PlanError("arithmetic on what nothing was stored to")
            return INTEGERS[type(node)](a, b) % PRIME
        if isinstance(node, ir.Call) and node.op.name.endswith("if_then_else"):
            return self._chosen(node.args[0], node.args[1], node.args[2], scope)
        if isinstance(node, tirx.Select):
            return self._chosen(node.condition, node.true_value, node.false_value, scope)
        raise Uncovered(f"a value of the kind {type(node).__name__}: {node}")

    def _chosen(self, condition: Any, yes: Any, no: Any, scope: Scope) -> np.ndarray:
        """Return one value or the other, of which only that one is looked at."""
        holds = self._integers(condition, scope).astype(bool)
        parts = [(mask, value) for mask, value in ((holds, yes), (~holds, no)) if mask.any()]
        if len(parts) == 1:
            return self._numbers(parts[0][1], scope)
        found = [self._numbers(value, scope.chosen(mask)) for mask, value in parts]
        result = np.zeros((max(len(values) for values in found), len(holds)), np.int64)
        for (mask, _), values in zip(parts, found, strict=True):
            result[:, mask] = values
        return result


LANE = "lane"
"""The variable that counts the elements of a vector."""
