"""The function of a chain: what a thread does for its blocks, and windows on what lies between parts.

A part's calls are made in coordinates of whole tensors, as for the layer by itself. Of a tensor between parts
only some rows exist, and a ``Window`` says which. TVM gives each thread blocks that follow each other, so a
block finds rows of the one before, but for the thread's first. Workspace therefore has to outlive a block:
it is allocated where the threads are launched, and by a call of the runtime, because TVM's passes would move
the allocation of a buffer into the loop, or out of what is launched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize

from intrinsics.thread_state import LAUNCH
from tvm_directconv.problem.extents import given_to_tvm

from ..branches import but_last, either, loop
from ..epilogue import Operands
from ..lowering import attach_kernels, called_kernels
from ..spans.calls import SpanCalls
from ..spans.plan import SpanPlan
from ..strips.calls import StripCalls
from ..strips.geometry import SumAxes
from ..strips.plan import StripPlan
from .geometry import Chain

ZERO, ALWAYS = tirx.IntImm("int32", 0), tirx.IntImm("bool", 1)
CPU, FLOAT = (1, 0), (2, 32)
"""DLPack's type of the device and its number; its code of the type and the bits."""


@dataclass(frozen=True)
class Window:
    """Elements of a tensor from ``start`` on, in a buffer of their own."""

    buffer: tirx.Buffer
    start: tirx.Expr

    def access_ptr(self, mask: str, offset: tirx.Expr) -> tirx.Expr:
        """Return a pointer, as a buffer does, with the offset in the tensor."""
        return self.buffer.access_ptr(mask, offset=offset - self.start)

    def same_as(self, other: Window) -> bool:
        """Return False: the function is given other buffers."""
        return False


class ChainFunction(NamedTuple):
    """The function (data, then of each part the packed filter and, if its epilogue has one, the bias (OC,),
    then the last part's residual if it has one, output), all float32; and the micro-kernels that each part
    calls, in the order of the parts."""

    prim_func: tirx.PrimFunc
    kernels: tuple[tuple[str, ...], ...]


def chain_function(chain: Chain) -> ChainFunction:
    """The function of a chain, scheduled and lowered to micro-kernel calls."""
    emitter = _ChainEmitter(chain.by_rows)
    return ChainFunction(emitter.prim_func(), tuple(emitter.kernels.values()))


class _ChainEmitter:
    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        into, out = chain.parts[0].workload, chain.parts[-1].workload
        self._data, self._output = _operand("data", into.input_shape), _operand("output", out.output_shape)
        self._residual = _operand("residual", out.output_shape) if out.epilogue.residual else None
        self._filters = {}
        for name, part in (("first", chain.first), ("middle", chain.middle), ("last", chain.last)):
            if part is not None:
                packed = _operand(f"{name}_filter", part.packed_filter_shape)
                bias = _operand(f"{name}_bias", part.workload.bias_shape)
                self._filters[name] = packed, bias if part.workload.epilogue.bias else None
        self._sizes = {space.name: space.bytes for space in chain.workspaces}
        self._buffers = {space.name: space.buffer for space in chain.workspaces}
        self.kernels: dict[str, tuple[str, ...]] = {}

    def prim_func(self) -> tirx.PrimFunc:
        index = tirx.Var("block", "int32")
        count = self.chain.middle.workload.batch * self.chain.blocks
        blocks = tirx.For(index, 0, count, tirx.ForKind.PARALLEL, tirx.SeqStmt(self._block(index)))
        body = attach_kernels(self._launched(blocks))
        root = SBlockRealize([], ALWAYS, SBlock([], [], [], "root", body))
        filters = [buffer for pair in self._filters.values() for buffer in pair]
        operands = [self._data, *filters, self._residual, self._output]
        function = tirx.PrimFunc([operand for operand in operands if operand is not None], root)
        return function.with_attrs({"global_symbol": "main", "s_tir": True, "tirx.noalias": True})

    def _launched(self, blocks: tirx.Stmt) -> tirx.Stmt:
        """What each thread runs: its part of the blocks, with workspace of its own."""
        allocations: list[tirx.Stmt] = []
        for name, buffer in self._buffers.items():
            size = tirx.IntImm("uint64", self._sizes[name])
            memory = tirx.TVMBackendAllocWorkspace(*CPU, size, *FLOAT)
            failed = tirx.Evaluate(tirx.tvm_throw_last_error())
            allocations.append(tirx.DeclBuffer(buffer, data=memory))
            allocations.append(tirx.IfThenElse(tirx.isnullptr(buffer.data), failed, None))
        begin = [self._set_begun(0)] if self.chain.first else []
        release = [
            tirx.Evaluate(tirx.TVMBackendFreeWorkspace(*CPU, buffer.data))
            for buffer in reversed(self._buffers.values())
        ]
        body = tirx.SeqStmt([*allocations, *begin, blocks, *release])
        return tirx.AttrStmt(ZERO, LAUNCH, tirx.IntImm("int32", 1), body)

    def _set_begun(self, value: int) -> tirx.Stmt:
        return tirx.BufferStore(self._buffers["begun"], tirx.const(float(value), "float32"), [ZERO])

    # ---- a block

    def _block(self, index: tirx.Expr) -> list[tirx.Stmt]:
        """What is done for the ``index``-th block of rows of all images."""
        c, w = self.chain, self.chain.middle.workload
        image, within = tirx.floordiv(index, c.blocks), tirx.floormod(index, c.blocks)
        row, end = c.start(within), c.start(within + 1)
        source: Any = self._data
        result: Any = self._output
        if c.first is not None:
            begin, _ = c.rows_read(row, end)
            source = Window(self._buffers["before"], (image * w.height + begin) * w.width * w.in_channels)
        if c.last is not None:
            start = (image * w.out_height + row) * w.out_width * w.out_channels
            result = Window(self._buffers["behind"], start)
        parts: dict[str, list[tirx.Stmt]] = {}
        if c.first is not None:
            parts["first"] = self._first(c.first, source, image, within)
        parts["middle"] = [self._middle(c.middle, source, result, image, row, end)]
        if c.last is not None:
            last, operands = c.last, self._operands("last", self._output)

            def finish(rows: int) -> tirx.Stmt:
                return _strips(last, operands, result, image, row, rows)

            most, *fewer = map(finish, c.extents)
            parts["last"] = [either(tirx.EQ(end - row, c.extents[0]), most, *fewer) if fewer else most]
        for name, statements in parts.items():
            called = (kernel for statement in statements for kernel in called_kernels(statement))
            self.kernels[name] = tuple(dict.fromkeys(kernel.partition("__")[0] for kernel in called))
        return [statement for statements in parts.values() for statement in statements]

    def _first(self, part: StripPlan, window: Window, image: tirx.Expr, block: tirx.Expr) -> list[tirx.Stmt]:
        """The rows that a block of an image reads: those of the block before are moved, the others
        computed."""
        c, w = self.chain, self.chain.middle.workload
        before, begun = self._buffers["before"], tirx.BufferLoad(self._buffers["begun"], [ZERO])
        row = c.start(block)
        begin, end = c.rows_read(row, c.start(block + 1))
        begin_before, end_before = c.rows_read(c.start(block - 1), row)
        follows = tirx.all(begun > 0.5, row > 0)
        kept = tirx.Var("kept", "int32")
        common = tirx.Select(follows, tirx.max(end_before - begin, 0), 0)
        elements = w.width * w.in_channels
        lanes = math.gcd(elements, part.isa.lanes)

        def move(index: tirx.Expr) -> tirx.Stmt:
            here, there = index * lanes, (begin - begin_before) * elements + index * lanes
            to, of = (at if lanes == 1 else tirx.Ramp(at, 1, lanes) for at in (here, there))
            return tirx.BufferStore(before, tirx.BufferLoad(before, [of]), [to])

        computed, operands = begin + kept, self._operands("first", window)
        several, rows = c.new_rows, end - computed
        times = tirx.floordiv(rows, several)

        def new(first: tirx.Expr, count: int) -> tirx.Stmt:
            return _strips(part, operands, self._data, image, first, count)

        statements = [
            tirx.Bind(kept, common),
            loop(kept * (elements // lanes), move),
            loop(times, lambda index: new(computed + index * several, several)),
            loop(rows - times * several, lambda index: new(computed + times * several + index, 1)),
            self._set_begun(1),
        ]
        return statements

    def _middle(
        self, part: SpanPlan, source: Any, result: Any, image: tirx.Expr, row: tirx.Expr, end: tirx.Expr
    ) -> tirx.Stmt:
        g, operands = part.geometry, self._operands("middle", result)
        rest = g.workload.out_channels % g.tile.nr

        def channels(block: tirx.Expr) -> tirx.Stmt:
            calls = SpanCalls(g, operands, source, image, row, block, end)
            return but_last(block, g.blocks, g.tile.nr, rest, calls.calls)

        return loop(g.blocks, channels)

    def _operands(self, name: str, output: Any) -> Operands:
        packed, bias = self._filters[name]
        return Operands(self._data, packed, bias, self._residual, output)


def _strips(
    part: StripPlan, operands: Operands, source: Any, image: tirx.Expr, row: tirx.Expr, rows: int
) -> tirx.Stmt:
    """All channels of so many output rows from ``row`` on, a block of channels after the other."""
    g, w = part.geometry, part.workload
    rest = g.group_out % g.nr

    def strip(block: tirx.Expr, row: tirx.Expr, width: int) -> tirx.Stmt:
        at = SumAxes(ZERO, image * w.out_height + row, block, ZERO, ZERO)
        at = at if g.flattened else at._replace(image=image, row=row)
        calls = StripCalls(g, operands, source, at, 0, ZERO)
        of_group = tirx.floormod(block, g.group_blocks)
        return but_last(of_group, g.group_blocks, g.nr, rest, lambda channels: calls.calls(width, channels))

    def of_block(block: tirx.Expr) -> tirx.Stmt:
        if g.flattened:
            return strip(block, row, rows * w.out_width)
        return loop(rows, lambda index: strip(block, row + index, w.out_width))

    return loop(g.blocks, of_block)


def _operand(name: str, shape: Sequence[int]) -> tirx.Buffer:
    return tirx.decl_buffer(list(map(given_to_tvm, shape)), "float32", name)
