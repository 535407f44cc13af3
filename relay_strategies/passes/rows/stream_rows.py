"""StreamRows: runs of operators by blocks of rows, so that a network takes less memory.

A run becomes one call for each block, in the order of its schedule, and of a batch one image after the
other. What reads rows of several blocks is given them by ``ROWS``: rows are counted through all images, which
lie below each other. Nothing is computed twice.
"""

from __future__ import annotations

import tvm
from tvm import relax

from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    dtype_of,
    operator_name,
    rewrite_module,
    shape_of,
    variables,
)
from relay_strategies.relax.movement_calls import RESHAPE
from relay_strategies.relax.rows import rows_call
from tvm_directconv.problem.element_types import tensor_bytes
from tvm_directconv.problem.extents import is_open

from .choice import FASTEST, Operation, RowRun, choose_runs
from .rules import RowRule, row_rule


def StreamRows(memory: str) -> tvm.transform.Pass:
    """Return the pass that has ``main`` take as little memory as is asked for, "least" or "balanced"."""

    @tvm.transform.module_pass(opt_level=0, name="directconv.StreamRows")
    def stream(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        if memory == FASTEST:
            return module
        return rewrite_module(module, lambda f, builder: _StreamRows(f, builder, memory))

    return stream


class _StreamRows(Rewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder, memory: str) -> None:
        super().__init__(function, builder)
        self._memory = memory
        self._rules: dict[relax.Var, RowRule] = {}
        self._ends: dict[relax.Var, RowRun] = {}
        self._inside: set[relax.Var] = set()
        self._blocks: dict[relax.Var, list[tuple[int, int, relax.Var]]] = {}
        self._tall: dict[relax.Expr, relax.Var] = {}

    def prepare(self) -> None:
        bindings = self.graph.bindings
        shapes = [shape_of(var) for var, value in bindings if not isinstance(value, relax.Tuple)]
        if any(shape is None or is_open(shape) for shape in shapes):
            return
        operations, last = self._operations()
        self._vars = [var for var, _ in bindings]
        for run in choose_runs(operations, last, self._memory):
            self._ends[self._vars[run.end - 1]] = run
            self._inside.update(self._vars[run.first : run.end])

    def changes(self) -> bool:
        return bool(self._ends)

    def _operations(self) -> tuple[list[Operation], list[int]]:
        """The function's operators, and the last one that takes the result of each."""
        places: dict[relax.Var, tuple[int, ...]] = {}
        operations: list[Operation] = []
        last: list[int] = []
        for place, (var, value) in enumerate(self.graph.bindings):
            taken = tuple({at for used in variables(value) for at in places.get(used, ())})
            for at in taken:
                last[at] = place
            shares = not isinstance(value, relax.Call) or operator_name(value) == RESHAPE
            places[var] = taken if shares else (place,)
            size = 0 if shares else tensor_bytes(shape_of(var) or (), dtype_of(var))
            rule = None if shares else row_rule(self, var, value)
            operations.append(self._operation(size, taken, rule, places))
            last.append(place)
            if rule is not None:
                self._rules[var] = rule
        for used in variables(self.graph.function.body.body):
            for at in places.get(used, ()):
                last[at] = len(operations)
        return operations, last

    def _operation(
        self,
        size: int,
        taken: tuple[int, ...],
        rule: RowRule | None,
        places: dict[relax.Var, tuple[int, ...]],
    ) -> Operation:
        if rule is None:
            return Operation(size, taken)
        known = [places.get(each, ()) if isinstance(each, relax.Var) else () for each in rule.operands]
        pairs = [(at, read) for found, read in zip(known, rule.reads, strict=True) for at in found]
        reads = tuple((at, read) for at, read in pairs if read is not None)
        whole = tuple(at for at, read in pairs if read is None)
        return Operation(size, taken, rule.height, reads, whole, rule.step, rule.batch)

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        if var not in self._inside:
            return self.new(value)
        if var in self._ends:
            self._stream(self._ends[var])
        return None

    def _stream(self, run: RowRun) -> None:
        """Emit the blocks of a run, and the results that are needed whole."""
        inside = self._vars[run.first : run.end]
        for image in range(self._rules[inside[0]].batch):
            for flow, begin, end in run.schedule.blocks:
                self._emit_block(inside[flow], image, begin, end)
        for var in inside:
            if any(reader not in inside for reader in self._readers(var)):
                rule = self._rules[var]
                rows = self._rows(var, 0, rule.batch * rule.height)
                whole = relax.ShapeExpr(shape_of(var) or ())
                self.bind(var, rows if rule.batch == 1 else relax.op.reshape(self.emit(rows), whole))

    def _emit_block(self, var: relax.Var, image: int, begin: int, end: int) -> None:
        """Emit some rows of a result's image."""
        rule = self._rules[var]
        given = []
        for operand, read in zip(rule.operands, rule.reads, strict=True):
            if read is not None:
                first, last = (image * read.height + row for row in read.rows(begin, end))
                given.append(self._rows(operand, first, last))
            elif rule.batch > 1 and self._is_of_images(operand, rule.batch):
                given.append(self._rows(operand, image, image + 1))
            else:
                given.append(self.new(operand))
        block = self.emit(rule.make(self, given, begin, end, image), f"{var.name}_{image}_{begin}")
        first = image * rule.height
        self._blocks.setdefault(var, []).append((first + begin, first + end, block))

    @staticmethod
    def _is_of_images(operand: relax.Expr, batch: int) -> bool:
        """Return whether an operand has one row for each image, as what scales channels."""
        shape = shape_of(operand) or ()
        return len(shape) == 4 and tuple(shape[:2]) == (batch, 1) and constant(operand) is None

    def _readers(self, var: relax.Var) -> list[relax.Var | None]:
        readers: list[relax.Var | None] = list(self.graph.consumers.get(var, []))
        return readers if self.graph.uses[var] == len(readers) else [*readers, None]

    def _rows(self, operand: relax.Expr, begin: int, end: int) -> relax.Expr:
        """Rows of an old value: one of its blocks, rows of several, or of a tensor that is there whole."""
        blocks = self._blocks.get(operand)
        if blocks is None:
            whole = self._flat(operand)
            if (begin, end) == (0, (shape_of(whole) or ())[1]):
                return whole
            return self.emit(rows_call([whole], begin, end))
        # The block before is named, too, so that all of them come to lie below each other.
        read = [at for at, each in enumerate(blocks) if each[0] < end and begin < each[1]]
        named = blocks[max(read[0] - 1, 0) : read[-1] + 1]
        first = named[0][0]
        return self.emit(rows_call([each[2] for each in named], begin - first, end - first), "rows")

    def _flat(self, operand: relax.Expr) -> relax.Expr:
        """A tensor that is there whole, as one image."""
        whole = self.new(operand)
        batch, height, *rest = shape_of(operand) or ()
        if batch == 1:
            return whole
        if operand not in self._tall:
            tall = relax.op.reshape(whole, relax.ShapeExpr([1, batch * height, *rest]))
            self._tall[operand] = self.emit(tall, "images")
        return self._tall[operand]
