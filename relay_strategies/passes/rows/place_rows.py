"""PlaceRows: blocks of rows lie below each other in memory that holds as many rows as are needed at once.

A tensor's rows go through such memory from its beginning to its end. When a block does not fit any more, the
rows that are still needed are copied to the beginning: where blocks have as many rows as that memory has more
than is kept, about as often as a block is computed. Rows of a tensor that is there whole are a part of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import tvm
from tvm import relax, tirx
from tvm.ir import GlobalVar
from tvm_ffi import structural_map

from relay_strategies.relax.copying import copying_kernel
from relay_strategies.relax.graph import bindings, dtype_of, operator_name, shape_of, variables
from relay_strategies.relax.kernels import scheduled
from relay_strategies.relax.main_body import update_main
from relay_strategies.relax.movement_calls import RESHAPE
from relay_strategies.relax.rows import ROWS, VIEW, is_call_of, read_call, view_call
from tvm_directconv.memory import ALIGNMENT
from tvm_directconv.problem.element_types import tensor_bytes

ALLOC = "relax.builtin.alloc_tensor"
MOVE = "move_rows"
BYTES = "uint8"


@tvm.transform.module_pass(opt_level=0, name="directconv.PlaceRows")
def PlaceRows(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Give ``main``, whose kernels are called with their results, places for the rows of all blocks."""
    main = module["main"]
    if not any(is_call_of(binding.value, ROWS) for binding in bindings(main.body)):
        return module
    builder = relax.BlockBuilder(module.clone())
    rows = _PlaceRows(main, builder)
    update_main(builder, rows.body())
    for kernel, alignment in rows.alignments().items():
        builder.update_func(kernel, _with_alignment(builder.get()[kernel], alignment))
    return builder.get()


@dataclass
class _Column:
    """Blocks below each other: the first row of each, where rows of them are used, and their memory."""

    starts: dict[relax.Var, int] = field(default_factory=dict)
    rows: int = 0
    uses: list[tuple[int, int]] = field(default_factory=list)
    """Places of bindings, in order, and the first row that each uses."""
    most: int = 0
    """The most rows that are there at once."""
    row_bytes: int = 0
    memory: relax.Var | None = None
    base: int = 0
    """The row that is at the beginning of the memory."""

    def add(self, block: relax.Var) -> None:
        self.starts[block] = self.rows
        self.rows += _height(block)
        self.row_bytes = tensor_bytes(shape_of(block) or (), dtype_of(block)) // _height(block)

    def needed(self, place: int, start: int) -> int:
        """The first row that is used from a place on, or ``start`` if that is less."""
        return min([start, *(row for at, row in self.uses if at >= place)])


class _PlaceRows:
    def __init__(self, main: relax.Function, builder: relax.BlockBuilder) -> None:
        self._builder = builder
        self._bindings = list(bindings(main.body))
        self._result = main.body.body
        self._same: dict[relax.Var, relax.Var] = {}
        self._columns: dict[relax.Var, _Column] = {}
        self._made: list[relax.Binding] = []
        self._moves: dict[int, GlobalVar] = {}

    def body(self) -> relax.SeqExpr:
        self._find()
        self._measure()
        for place, binding in enumerate(self._bindings):
            value = binding.value
            if is_call_of(value, ROWS):
                self._bind(binding.var, self._rows(value))
            elif binding.var in self._columns:
                self._bind(binding.var, self._block(binding.var, place))
            else:
                self._made.append(binding)
        return relax.SeqExpr([relax.BindingBlock(self._made)], self._result)

    def alignments(self) -> dict[GlobalVar, int]:
        """The bytes that operands of kernels begin at a multiple of, where that is less than kernels
        expect."""
        offsets: dict[relax.Var, int] = {}
        found: dict[GlobalVar, int] = {}
        for binding in self._made:
            value = binding.value
            if is_call_of(value, VIEW):
                (offsets[binding.var],) = read_call(value)[1]
            elif isinstance(value, relax.Var) and value in offsets:
                offsets[binding.var] = offsets[value]
            elif isinstance(value, relax.Call) and isinstance(value.op, GlobalVar):
                given = (offsets.get(each, 0) for each in variables(value))
                found[value.op] = math.gcd(found.get(value.op, ALIGNMENT), *given)
        return {kernel: alignment for kernel, alignment in found.items() if alignment < ALIGNMENT}

    # ---- what lies below what

    def _root(self, expr: relax.Expr) -> relax.Expr:
        """The variable that the memory of an expression was allocated for."""
        while isinstance(expr, relax.Var) and expr in self._same:
            expr = self._same[expr]
        return expr

    def _find(self) -> None:
        """Find the columns, of blocks in the order in which they are made."""
        made = {binding.var for binding in self._bindings if operator_name(binding.value) == ALLOC}
        above: dict[relax.Var, relax.Var] = {}
        for binding in self._bindings:
            value = binding.value
            if isinstance(value, relax.Var):
                self._same[binding.var] = value
            elif operator_name(value) == RESHAPE and isinstance(value.args[0], relax.Var):
                self._same[binding.var] = value.args[0]
            elif is_call_of(value, ROWS):
                blocks = [self._root(block) for block in read_call(value)[0]]
                above |= dict(zip(blocks[1:], blocks[:-1], strict=True))
        below = set(above.values())
        for block in (binding.var for binding in self._bindings if binding.var in made):
            if block in above:
                self._columns[block] = self._columns[above[block]]
            elif block in below:
                self._columns[block] = _Column()
            if block in self._columns:
                self._columns[block].add(block)

    def _measure(self) -> None:
        """Find out how many rows each column has at once."""
        for place, binding in enumerate(self._bindings):
            value, begin = binding.value, 0
            used = [value] if isinstance(value, relax.Var) else variables(value)
            if is_call_of(value, ROWS):
                blocks, (begin, _) = read_call(value)
                used = blocks[:1]  # which may be a block that is above all that is read
            for root in map(self._root, used):
                if root in self._columns:
                    column = self._columns[root]
                    column.uses.append((place, column.starts[root] + begin))
        for place, binding in enumerate(self._bindings):
            if binding.var in self._columns:
                column = self._columns[binding.var]
                start = column.starts[binding.var]
                end = start + _height(binding.var)
                column.most = max(column.most, end - column.needed(place, start))

    # ---- where it lies

    def _bind(self, var: relax.Var, value: relax.Expr) -> None:
        self._made.append(relax.VarBinding(var, value))

    def _emit(self, value: relax.Expr, name: str) -> relax.Var:
        value = self._builder.normalize(value)
        var = relax.Var(name, value.ty)
        self._bind(var, value)
        return var

    def _rows(self, call: relax.Call) -> relax.Expr:
        """Rows of blocks, where they lie now."""
        blocks, (begin, _) = read_call(call)
        root = self._root(blocks[0])
        kind, column = call.ty_args[0], self._columns.get(root)
        if column is None or column.memory is None:
            row = tensor_bytes(shape_of(blocks[0]) or (), dtype_of(blocks[0])) // _height(blocks[0])
            return view_call(blocks[0], begin * row, kind)
        first = column.starts[root] + begin
        assert first >= column.base, "rows are used that were given up"
        return view_call(column.memory, (first - column.base) * column.row_bytes, kind)

    def _block(self, block: relax.Var, place: int) -> relax.Expr:
        """A block's memory; rows that it takes the place of are given up before."""
        column = self._columns[block]
        start = column.starts[block]
        if column.memory is None:
            column.memory = self._emit(_allocated(column.most * column.row_bytes), "rows")
        if start + _height(block) - column.base > column.most:
            first = column.needed(place, start)
            self._move(column, first, start)
            column.base = first
        return view_call(column.memory, (start - column.base) * column.row_bytes, block.ty)

    def _move(self, column: _Column, first: int, end: int) -> None:
        """Copy rows to the beginning, as many at once as do not overlap."""
        assert column.memory is not None
        by = first - column.base
        for row in range(first, end, by):
            size = min(by, end - row) * column.row_bytes
            kind = relax.TensorType((size,), BYTES)
            at = (row - column.base) * column.row_bytes
            pair = [
                self._emit(view_call(column.memory, offset, kind), "row")
                for offset in (at, at - by * column.row_bytes)
            ]
            self._made.append(relax.VarBinding(relax.Var("_", relax.TupleType([])), self._copy(size, pair)))

    def _copy(self, size: int, pair: Sequence[relax.Var]) -> relax.Expr:
        if size not in self._moves:
            self._moves[size] = self._builder.add_func(scheduled(copying_kernel(size)), MOVE)
        return relax.Call(self._moves[size], list(pair), ty_args=[relax.TupleType([])])


def _with_alignment(kernel: tirx.PrimFunc, alignment: int) -> tirx.PrimFunc:
    """A kernel whose tensors begin at a multiple of so many bytes."""
    buffers = {}
    for param in kernel.params:
        kind = param.ty
        if isinstance(kind, tirx.BufferType):
            buffers[param] = tirx.decl_buffer(
                kind.shape,
                str(kind.dtype),
                str(param.name),
                strides=list(kind.strides) or None,
                elem_offset=kind.elem_offset,
                scope=kind.storage_scope,
                data_alignment=alignment,
                offset_factor=kind.offset_factor,
            )
    body = structural_map(kernel.body, [(tirx.Var, lambda var: buffers.get(var, var))])
    params = [buffers.get(param, param) for param in kernel.params]
    return tirx.PrimFunc(params, body, kernel.ret_type, kernel.attrs)


def _allocated(size: int) -> relax.Expr:
    return relax.op.builtin.alloc_tensor(relax.ShapeExpr([size]), BYTES, 0)


def _height(block: relax.Expr) -> int:
    return (shape_of(block) or (0, 1))[1]
