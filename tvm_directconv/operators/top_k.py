"""The largest few of many numbers: a heap of the best so far, which vectors of numbers are compared with.

Of numbers in no order most vectors have nothing larger than the least of the heap, and are passed over.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import FLOAT_BYTES, Expr, build_operator, load, splat

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

MOST = 1024
"""Larger heaps are not made."""
LEAST_SHARE = 4
"""A heap has at most one in so many of the numbers; of more of them sorting all takes less."""

_PLACES = 2**31 - 1
"""Places are at most this; its bits are those of a place in a key, and of a float below its sign."""


def pays(length: int, count: int) -> bool:
    """Return whether ``count`` of ``length`` numbers are few enough for a heap."""
    return 0 < count <= min(MOST, length // LEAST_SHARE)


def top_k(
    shape: tuple[int, ...], axis: int, count: int, largest: bool, target: CompileTarget
) -> tirx.PrimFunc:
    """Build the PrimFunc (data, float32 of ``shape``, places, int64 of ``count`` along ``axis``): where the
    largest, or smallest, numbers along the axis are, in order, the first of equal ones first. None is NaN."""
    outer, length, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    result = (*shape[:axis], count, *shape[axis + 1 :])
    with build_operator("top_k", target) as operator:
        data, places = operator.arguments({"data": shape, "places": result}, {"places": "int64"})
        with operator.outer_loop(outer * inner, 2 * FLOAT_BYTES * math.prod(shape)) as row:
            first = T.Bind(row // inner * (length * inner) + row % inner)
            sign = T.float32(1 if largest else -1)
            heap = _Heap(count, lambda at: _key(data[first + at * inner] * sign, at))
            whole = (length - count) // operator.lanes if inner == 1 else 0
            with T.serial(0, whole) as block:
                start = T.Bind(block * operator.lanes + count)
                numbers = load(data, first + start, operator.lanes) * splat(sign, operator.lanes)
                best = tirx.call_llvm_pure_intrin("float32", "llvm.vector.reduce.fmax", numbers)
                with T.If(best > heap.least), T.Then(), T.serial(0, operator.lanes) as lane:
                    heap.offer(start + lane)
            with T.serial(count + whole * operator.lanes, length) as at:
                heap.offer(at)
            start = T.Bind(row // inner * (count * inner) + row % inner)
            with T.serial(0, count) as taken:
                last = T.Bind(T.int32(count - 1) - T.cast(taken, "int32"))
                T.buffer_store(places, _place(heap.keys[0]), [start + last * inner])
                heap.sift(0, last, heap.keys[last])
    assert operator.prim_func is not None
    return operator.prim_func


def _key(number: Expr, place: Expr) -> Expr:
    """An integer in the order of numbers, of equal ones greater for the first."""
    # Both zeros are one; what is less than zero has its bits below the sign turned round.
    ordered = _turned(T.reinterpret("int32", T.Select(number == T.float32(0), T.float32(0), number)))
    return T.shift_left(T.cast(ordered, "int64"), T.int64(32)) + (T.int64(_PLACES) - T.cast(place, "int64"))


def _place(key: Expr) -> Expr:
    return T.int64(_PLACES) - T.bitwise_and(key, T.int64(_PLACES))


def _turned(bits: Expr) -> Expr:
    return T.bitwise_xor(bits, T.bitwise_and(T.shift_right(bits, 31), T.int32(_PLACES)))


class _Heap:
    """A binary heap of the greatest keys, the least of them first."""

    def __init__(self, count: int, key: Callable[[Expr], Expr]) -> None:
        """Take the first ``count`` keys."""
        self._count, self._key = count, key
        self.keys = T.alloc_buffer((count,), "int64", layout=None)
        self._hole, self._child = (T.alloc_buffer((1,), "int32", layout=None) for _ in range(2))
        with T.serial(0, count) as at:
            T.buffer_store(self.keys, key(at), [at])
        with T.serial(0, count // 2) as number:
            at = T.Bind(T.int32(count // 2 - 1) - T.cast(number, "int32"))
            self.sift(at, count, self.keys[at])

    @property
    def least(self) -> Expr:
        """The number of the least key."""
        return T.reinterpret("float32", _turned(T.cast(T.shift_right(self.keys[0], T.int64(32)), "int32")))

    def offer(self, at: Expr) -> None:
        """Take a key in the least one's stead, if it is greater."""
        key = T.Bind(self._key(at))
        with T.If(key > self.keys[0]), T.Then():
            self.sift(0, self._count, key)

    def sift(self, at: Expr, size: Expr, key: Expr) -> None:
        """Put a key ``at`` a place, or below, with those of the first ``size`` that are less above it."""
        key, size = T.Bind(key), T.Bind(T.cast(size, "int32"))
        hole, child = self._hole, self._child
        T.buffer_store(hole, T.cast(at, "int32"), [0])
        T.buffer_store(child, T.cast(at, "int32") * 2 + 1, [0])
        with T.While(child[0] < size):
            # A child that is not there is compared with itself.
            beside = T.Bind(T.min(child[0] + 1, size - 1))
            least = T.Bind(T.Select(self.keys[beside] < self.keys[child[0]], beside, child[0]))
            above = T.Bind(self.keys[least])
            stays = T.Bind(key < above)
            T.buffer_store(self.keys, T.min(key, above), [hole[0]])
            T.buffer_store(hole, T.Select(stays, hole[0], least), [0])
            T.buffer_store(child, T.Select(stays, size, least * 2 + 1), [0])
        T.buffer_store(self.keys, key, [hole[0]])
