"""Builds the loop nests of the non-convolution operators as explicit vector code.

TE and its schedules place loops; they cannot say "keep these sums in registers over a range of taps that is
only known per row" or "shuffle two vectors". The operators of this folder therefore write their PrimFuncs
with TVM's IRBuilder, through the few helpers below, which hold the conventions shared by all of them:

* every buffer is contiguous and addressed by one flat index, so that (W, C) is one loop where that pays;
* a vector value is an ordinary expression of dtype ``float32x<lanes>`` or ``uint8x<lanes>``; ``T.Bind`` keeps
  it in a register, or in several where arithmetic widens it;
* a length that is not a multiple of the lanes ends in a vector that overlaps its neighbour and is computed
  twice: no masks and no scalar tails. Output buffers must therefore not alias inputs;
* accumulators of loops whose bounds are dynamic live in a buffer under 1 KiB, which becomes a stack slot that
  LLVM promotes to registers. Nothing here allocates workspace from the heap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from tvm import tirx
from tvm.script.ir_builder import IRBuilder
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.element_types import element_bytes
from tvm_directconv.problem.extents import Extent, given_to_tvm, typical

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

Expr: TypeAlias = Any
"""A scalar or vector TIR expression, or a Python number."""

FLOAT_BYTES = 4

PARALLEL_BYTES = 512 * 1024
"""Least traffic (bytes read and written, compute-heavy operators scaled up) that wakes the thread pool.

Measured with two threads: a launch costs 1.7 microseconds, and breaks even between 512 KiB and 1 MiB of
copying.
"""

SEEN_AS = {"bfloat16": "uint16", "float16": "uint16"}
"""Kernels that only move numbers of these types see their bits, for TVM lacks vectors of some."""

_STORED: ContextVar[Mapping[int, str] | None] = ContextVar("stored", default=None)

BFLOAT16 = "bfloat16"
_QUIET_NAN, _INFINITY = 0x7FC0, 0x7F80_0000
"""Bits of a bfloat16, and of a float32."""

VECTORS = 4
"""Loops take this many vectors at a time."""

ROW_LANES = 16
"""Rows of float32 are summed by so many elements at a time whatever a register holds, so that sums have the
same bits on every target: the widest vectors, of which narrower registers hold parts."""

STACK_BYTES = 1023
"""TVM places buffers of scope ``global`` on the stack up to this size."""


class Operator:
    """One PrimFunc under construction; ``build_operator`` makes it, ``prim_func`` is the result.

    ``dtype`` is that of its buffers, unless they say otherwise; ``lanes`` of them fill a vector.
    """

    def __init__(self, name: str, target: CompileTarget, dtype: str) -> None:
        self.name = name
        self.dtype = dtype
        self.element_bytes = element_bytes(dtype)
        self.lanes = max(1, target.machine.vector_bits // (8 * self.element_bytes))
        self.vector_registers = target.machine.vector_registers
        self.prim_func: tirx.PrimFunc | None = None
        self._parameters = 0

    def arguments(
        self,
        shapes: Mapping[str, Sequence[int]],
        dtypes: Mapping[str, str] | None = None,
        scalars: Sequence[str] = (),
    ) -> list[tirx.Buffer]:
        """Add parameters of these names and shapes, in order; return a flat view of each.

        ``dtypes`` names those that are not of the operator's own dtype, ``scalars`` those that may lack
        axes.
        """
        stored, own = _STORED.get() or {}, dtypes or {}
        types = [
            stored.get(number) or own.get(name, self.dtype)
            for number, name in enumerate(shapes, self._parameters)
        ]
        self._parameters += len(shapes)
        buffers = []
        for (name, shape), dtype in zip(shapes.items(), types, strict=True):
            if shape or name not in scalars:
                check_shape(f"{self.name}: {name}", shape)
            buffers.append(T.arg(name, T.buffer(tuple(shape), dtype, layout=None)))
        return [
            buffer
            if len(shape) == 1 and self._seen(dtype) == dtype
            else T.decl_buffer((math.prod(shape),), self._seen(dtype), data=buffer.data, layout=None)
            for buffer, shape, dtype in zip(buffers, shapes.values(), types, strict=True)
        ]

    def _seen(self, dtype: str) -> str:
        """What elements of a parameter are in the code: bits where the operator only moves them."""
        return SEEN_AS.get(dtype, dtype) if dtype == self.dtype else dtype

    def accumulators(self, vectors: int, width: int, dtype: str | None = None) -> tirx.Buffer:
        """Room for ``vectors`` vectors that dynamic loops update; registers once LLVM has seen it."""
        dtype = dtype or self.dtype
        if vectors * width * element_bytes(dtype) > STACK_BYTES:
            raise WorkloadError(f"{self.name}: {vectors} accumulators of {width} lanes exceed the stack slot")
        return T.alloc_buffer((vectors * width,), dtype, layout=None)

    def spans(self, extent: int, start: int = 0, lanes: int = 0) -> list[tuple[int, int]]:
        """``spans`` of this operator's vectors, or of those of ``lanes``.

        A length below one vector of 8-bit lanes gets two vectors of a power of two instead of one of its own
        length: arithmetic widens their lanes, and LLVM takes odd widths apart lane by lane.
        """
        lanes = lanes or self.lanes
        if self.element_bytes == 1 and extent < lanes:
            lanes = 1 << extent.bit_length() - 1
        return spans(extent, lanes, start)

    def outer_loop(self, extent: int, traffic: float) -> Any:
        """A loop over independent iterations: parallel if ``traffic`` bytes in all are worth it."""
        if typical(extent) > 1 and typical(traffic) >= PARALLEL_BYTES:
            return T.parallel(0, extent)
        return T.serial(0, extent)

    def blocks(
        self, extent: int, vectors: int, emit: Callable[[Expr, list[tuple[int, int]]], None], lanes: int = 0
    ) -> None:
        """Cover ``[0, extent)`` with blocks of ``vectors`` vectors, by a loop and one smaller last block.

        ``emit(start, spans)`` writes the code of one block whose vectors start at ``start + offset`` and
        are ``width`` lanes wide, for each ``(offset, width)`` of ``spans``: this operator's vectors, or
        those of ``lanes``. Of an open extent, what is left behind the last block is vectors, and then those
        of powers of two elements.
        """
        lanes = lanes or self.lanes
        size = vectors * lanes
        if isinstance(extent, Extent):
            with T.serial(0, extent // size) as block:
                emit(block * size, self.spans(size, 0, lanes))
            if vectors > 1:
                with T.serial(0, extent % size // lanes) as block:
                    emit(extent // size * size + block * lanes, [(0, lanes)])
            for _, width in pieces(lanes - 1, lanes):
                with T.serial(0, extent % (2 * width) // width):
                    emit(extent // (2 * width) * (2 * width) + 0, [(0, width)])
            return
        whole = extent // size
        if whole == 1:
            emit(0, self.spans(size, 0, lanes))
        elif whole > 1:
            with T.serial(0, whole) as block:
                emit(block * size, self.spans(size, 0, lanes))
        done = whole * size
        if done < extent:
            emit(0, self.spans(extent, done, lanes))


@contextmanager
def build_operator(name: str, target: CompileTarget, dtype: str = "float32") -> Iterator[Operator]:
    """Open a PrimFunc called ``name``; code emitted inside the ``with`` becomes its body."""
    operator = Operator(name, target, dtype)
    with IRBuilder() as builder, T.prim_func(s_tir=True):
        T.func_name(name)
        T.func_attr({"global_symbol": name, "tirx.noalias": True})
        yield operator
    operator.prim_func = builder.get()


def spans(extent: int, lanes: int, start: int = 0) -> list[tuple[int, int]]:
    """``(offset, width)`` of the vectors that cover ``[start, extent)``; the last may reach back.

    A length below ``lanes`` gets one vector of exactly that width.
    """
    if extent < lanes:
        return [(0, extent)]
    return [(min(offset, extent - lanes), lanes) for offset in range(start, extent, lanes)]


def pieces(count: int, lanes: int) -> Iterator[tuple[int, int]]:
    """(offset, width) of vectors of powers of two, at most ``lanes``, that cover ``count`` once."""
    done = 0
    while done < count:
        width = min(lanes, 1 << (count - done).bit_length() - 1)
        yield done, width
        done += width


def row_groups(operator: Operator, rows: int, together: int, traffic: float) -> Iterator[tuple[Expr, int]]:
    """(first row, number of rows) of code that covers all rows, ``together`` at a time, in a loop that is
    parallel if ``traffic`` bytes in all are worth it: the last ones reach back, and are computed twice. Of an
    open number, what is left is done in a loop of one."""
    if isinstance(rows, Extent):
        with operator.outer_loop(rows // together, traffic) as group:
            yield group * together, together
        with T.serial(0, rows % together) as row:
            yield rows // together * together + row, 1
    elif rows < together:
        yield 0, rows
    else:
        with operator.outer_loop(-(-rows // together), traffic) as group:
            first = group * together
            yield (T.Bind(T.min(first, rows - together)) if rows % together else first), together


def over_once(operator: Operator, extent: int, emit: Callable[[Expr, list[tuple[int, int]]], None]) -> None:
    """Cover ``[0, extent)`` as ``Operator.blocks`` does, for what is changed in place: no vector overlaps
    another, and the last are of powers of two."""
    if isinstance(extent, Extent):
        operator.blocks(extent, VECTORS, emit)
        return
    whole = extent // operator.lanes * operator.lanes
    operator.blocks(whole, VECTORS, emit)
    for offset, width in pieces(extent - whole, operator.lanes):
        emit(whole + offset, [(0, width)])


@contextmanager
def stored_as(types: Mapping[int, str]) -> Iterator[None]:
    """Operators of float32 built inside have these of their parameters, by number, in half precision: they
    are widened as they are loaded, and rounded as they are stored."""
    token = _STORED.set(types)
    try:
        yield
    finally:
        _STORED.reset(token)


def load(buffer: tirx.Buffer, start: Expr, width: int) -> Expr:
    """Load ``width`` elements; those of half precision in float32."""
    start = given_to_tvm(start)
    value = buffer[start] if width == 1 else buffer[T.ramp(start, 1, width)]
    return widened(value, str(buffer.dtype), width)


def store(buffer: tirx.Buffer, start: Expr, width: int, value: Expr) -> None:
    """Store so many elements; to half precision, float32 rounded to nearest, ties to even."""
    value, start = narrowed(value, str(buffer.dtype), width), given_to_tvm(start)
    T.buffer_store(buffer, value, [start if width == 1 else T.ramp(start, 1, width)])


def widened(number: Expr, dtype: str, width: int = 1) -> Expr:
    """Widen ``width`` lanes of ``dtype``: those of half precision to float32."""
    if dtype == "float16":
        return T.cast(number, vector_type("float32", width))
    if dtype != BFLOAT16:
        return number
    upper = T.cast(T.reinterpret(vector_type("uint16", width), number), vector_type("uint32", width))
    return T.reinterpret(vector_type("float32", width), T.shift_left(upper, splat(16, width, "uint32")))


def narrowed(number: Expr, dtype: str, width: int = 1) -> Expr:
    """Narrow ``width`` lanes to ``dtype``: to half precision, float32 is rounded. TVM's own rounding to
    bfloat16 has the number twice, and makes zero of some NaNs."""
    if dtype == "float16":
        return T.cast(number, vector_type("float16", width))
    if dtype != BFLOAT16:
        return number

    def const(value: int) -> Expr:
        return splat(value, width, "uint32")

    kind = vector_type("uint32", width)
    bits = tirx.Var("bits", kind)
    odd = T.bitwise_and(T.shift_right(bits, const(16)), const(1))
    rounded = T.shift_right(bits + const(0x7FFF) + odd, const(16))
    is_nan = T.bitwise_and(bits, const(0x7FFF_FFFF)) > const(_INFINITY)
    upper = T.cast(T.Select(is_nan, const(_QUIET_NAN), rounded), vector_type("uint16", width))
    return T.reinterpret(vector_type(BFLOAT16, width), tirx.Let(bits, T.reinterpret(kind, number), upper))


def splat(value: Expr, width: int, dtype: str = "float32") -> Expr:
    """``value`` in every one of ``width`` lanes; ``dtype`` is that of a number."""
    scalar = tirx.const(value, dtype) if isinstance(value, (int, float)) else value
    return scalar if width == 1 else T.broadcast(scalar, width)


def least_value(dtype: str) -> float:
    """What every number of ``dtype`` is at least: the identity of the maximum."""
    return -math.inf if dtype == "float32" else int(np.iinfo(dtype).min)


def vector_type(dtype: str, width: int) -> str:
    """The dtype of ``width`` lanes of ``dtype``."""
    return dtype if width == 1 else f"{dtype}x{width}"


def shuffle(vectors: Sequence[Expr], lanes: Sequence[int]) -> Expr:
    """The chosen lanes of the concatenated ``vectors``; one lane gives a scalar."""
    return tirx.Shuffle(list(vectors), [tirx.const(lane, "int32") for lane in lanes])


def unseen(value: Expr) -> Expr:
    """A vector that TVM's simplifier does not look into; a scalar is left as it is.

    The simplifier puts the whole value of a name that only computes in the place of each of its uses, and
    does so again at every use of what is computed from them: a chain of names takes it time that doubles with
    each, and longer than all of LLVM. It leaves alone what calls return; this call is LLVM's for the vector
    itself, and nothing is left of it in the code.
    """
    if value.ty.dtype.lanes == 1:
        return value
    return tirx.call_llvm_intrin(value.ty, "llvm.vector.extract", value, tirx.const(0, "int64"))


def rounded_alone(value: Expr) -> Expr:
    """A value that is rounded before anything is added to it: LLVM fuses a product with a sum where the
    product is not used otherwise, and on POWER also where it is."""
    return tirx.call_llvm_pure_intrin(value.ty, "llvm.arithmetic.fence", value)


def held(value: Expr) -> Expr:
    """A name for a value that others are computed from, which the simplifier does not look into."""
    return T.Bind(unseen(value))


def kept(place: Expr) -> Expr:
    """Return a number that is stored, so that the simplifier does not put in place of its name what it is
    computed from: open sizes are divided by others there."""
    slot = T.alloc_buffer((1,), "int32", layout=None)
    store(slot, 0, 1, T.cast(place, "int32"))
    return load(slot, 0, 1)


def reduce_lanes(value: Expr, width: int, combine: Callable[[Expr, Expr], Expr]) -> Expr:
    """All lanes of one vector combined into a scalar, by halves.

    Of an odd number of lanes the halves are those of a vector of a power of two that they are the end of, as
    where a longer row's last vector reaches back.
    """
    if width == 1:
        return value
    value = T.Bind(value)
    half = 1 << (width - 1).bit_length() - 1
    low, high = shuffle([value], range(width - half)), shuffle([value], range(width - half, width))
    if 2 * half > width:
        # Lanes of the upper half that have none beside them stay as they are.
        both = combine(low, shuffle([high], range(2 * half - width, half)))
        alone = range(2 * half - width)
        return reduce_lanes(shuffle([high, both], [*alone, *range(half, width)]), half, combine)
    return reduce_lanes(combine(low, high), half, combine)


def real(value: float) -> Expr:
    """Return a number as float32, or an open size as it is when the kernel runs."""
    return T.cast(given_to_tvm(value), "float32") if isinstance(value, Extent) else T.float32(value)


def reciprocal(count: int) -> Expr:
    """Return 1 / count, which is computed where the count is open."""
    return T.float32(1) / real(count) if isinstance(count, Extent) else T.float32(1 / count)


def check_shape(what: str, shape: Sequence[int]) -> None:
    """Raise WorkloadError unless every extent is a positive integer, or open."""
    if not shape or any(not isinstance(extent, Integral | Extent) or extent < 1 for extent in shape):
        raise WorkloadError(f"{what}: shape {tuple(shape)} must hold positive static extents")
