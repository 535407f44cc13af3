"""Operators in TE where TVM's own definitions (``tvm.topi``) are not the standard's for NaN and infinities.

They do not have a schedule of their own: ``default_schedule`` gives them one, after fusion, and keeps NaN in
their extremes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from tvm import te, tirx, topi

from .builder import Expr


def sign(data: te.Tensor) -> te.Tensor:
    """-1, 0 or 1 of every element; zeros keep their sign, and NaN stays NaN."""

    def function(value: Expr) -> Expr:
        one, zero = tirx.const(1, data.dtype), tirx.const(0, data.dtype)
        return tirx.Select(value > zero, one, tirx.Select(value < zero, zero - one, value))

    return by_element("sign", data, function)


def logical_not(data: te.Tensor) -> te.Tensor:
    """Whether elements are false. Of "not x < y" TVM's simplifier makes y <= x, which NaN is not."""

    def function(value: Expr) -> Expr:
        return (tirx.Cast("uint8", value) if data.dtype == "bool" else value) == tirx.const(0, "uint8")

    return by_element("logical_not", data, function)


def by_element(name: str, data: te.Tensor, function: Callable[[Expr], Expr]) -> te.Tensor:
    """A function of every element."""
    return te.compute(data.shape, lambda *index: function(data(*index)), name=name, tag="elemwise")


def difference(a: te.Tensor, b: te.Tensor) -> te.Tensor:
    """``a - b`` of tensors of floats that broadcast, as a sum: of (x + y) - y TVM's simplifier makes x."""
    shape = topi.add(a, b).shape
    minus_one = tirx.const(-1, a.dtype)

    def element(*index: tirx.Var) -> Expr:
        return _broadcast(a, index) + _broadcast(b, index) * minus_one

    return te.compute(shape, element, name="difference", tag="broadcast")


QUOTIENT_BITS = 28
"""A quotient of two float32 below two to this power is truncated exactly in float64, and its product with the
divisor, of 24 bits, is exact."""


def remainder(a: te.Tensor, b: te.Tensor) -> te.Tensor:
    """``fmod`` of float32 that broadcast: by one division where the quotient is small, else the C library's,
    which takes a hundred times as long."""
    most = float(np.finfo(np.float32).max)

    def element(*index: tirx.Var) -> Expr:
        x, y = _broadcast(a, index), _broadcast(b, index)
        wide, divisor = tirx.Cast("float64", x), tirx.Cast("float64", y)
        small = tirx.abs(wide) < tirx.abs(divisor) * tirx.const(2.0**QUOTIENT_BITS, "float64")
        rest = tirx.Cast("float32", wide - tirx.trunc(wide / divisor) * divisor)
        exact = tirx.all(small, tirx.abs(y) <= tirx.const(most, "float32"))
        # LLVM would compute a remainder of its own in both cases, to choose without a jump.
        else_ = tirx.call_pure_extern("float32", "fmodf", x, y)
        return tirx.if_then_else(exact, tirx.copysign(rest, x), else_)

    return te.compute(topi.add(a, b).shape, element, name="remainder", tag="broadcast")


def _broadcast(data: te.Tensor, index: Sequence[tirx.Var]) -> Expr:
    """The element that a result at ``index`` takes of a tensor, whose extents of 1 are known."""
    last = index[len(index) - len(data.shape) :]
    return data(*(0 if is_one(extent) else place for extent, place in zip(data.shape, last, strict=True)))


def is_one(extent: Expr) -> bool:
    """Return whether an extent of TE's is known to be 1."""
    return isinstance(extent, int | tirx.IntImm) and int(extent) == 1


def plain(extent: Expr) -> Expr | int:
    """Return an extent of TE's as a number, unless it is open."""
    return int(extent) if isinstance(extent, int | tirx.IntImm) else extent


def extreme(data: te.Tensor, axes: Sequence[int] | None, keepdims: bool, largest: bool) -> te.Tensor:
    """The largest, or smallest, element along ``axes``, or of all where they are None.

    TVM's definition starts from the least finite number and so loses negative infinities.
    """
    reduction = _Reduction(data, axes, keepdims)

    def choose(a: Expr, b: Expr) -> Expr:
        return tirx.max(a, b) if largest else tirx.min(a, b)

    reducer = te.comm_reducer(choose, lambda dtype: _worst(str(dtype), largest), name="extreme")
    return te.compute(
        reduction.result_shape,
        lambda *index: reducer(data(*reduction.place(index)), axis=reduction.variables),
        name="extreme",
        tag="comm_reduce",
    )


def first_extreme(data: te.Tensor, axis: int | None, keepdims: bool, largest: bool) -> te.Tensor:
    """Index (int64) of the first largest, or smallest, element along ``axis``, or of all where it is None.

    The first NaN counts as such an element, as it does in numpy.
    """
    reduction = _Reduction(data, None if axis is None else [axis], keepdims)
    reducer = _first_extreme(str(data.dtype), largest)
    indices, _ = te.compute(
        reduction.result_shape,
        lambda *index: reducer((reduction.number, data(*reduction.place(index))), axis=reduction.variables),
        name="first_extreme",
    )
    # One result only: the values that were compared are of no use to anyone.
    return te.compute(reduction.result_shape, lambda *index: indices(*index), name="indices", tag="injective")


def reinterpreted(data: te.Tensor, dtype: str) -> te.Tensor:
    """The bits of every element as a number of another type that is as wide."""
    return by_element("reinterpreted", data, lambda value: tirx.reinterpret(dtype, value))


def window_positions(
    data: te.Tensor,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    before: Sequence[int],
    results: Sequence[int],
    weights: Sequence[int],
) -> te.Tensor:
    """Return where in an (N, C, ...) tensor, as one number (int64), the first largest element of each window
    is.

    Windows start ``before`` elements outside the data, which lacks elements there; ``results`` is how many
    windows each spatial axis has, ``weights`` what a step along each axis of the data adds to the number.
    """
    rank, sizes = len(kernel), [int(extent) for extent in data.shape[2:]]
    taps = [te.reduce_axis((0, extent), name=f"k{axis}") for axis, extent in enumerate(kernel)]
    reducer = _first_extreme(str(data.dtype), largest=True)
    lowest = _worst(str(data.dtype), largest=True)

    def candidate(*index: tirx.Var) -> tuple[Expr, Expr]:
        places = [index[2 + a] * strides[a] + taps[a] * dilations[a] - before[a] for a in range(rank)]
        inside = tirx.all(*(tirx.all(p >= 0, p < size) for p, size in zip(places, sizes, strict=True)))
        whole = [*index[:2], *places]
        number = sum(
            (tirx.Cast("int64", place) * weight for place, weight in zip(whole, weights, strict=True)),
            tirx.const(0, "int64"),
        )
        nowhere = tirx.const(2**62, "int64")
        value = tirx.if_then_else(inside, data(*whole), lowest)
        return reducer((tirx.if_then_else(inside, number, nowhere), value), axis=taps)

    positions, _ = te.compute([*data.shape[:2], *results], candidate, name="window_positions")
    shape = [*data.shape[:2], *results]
    return te.compute(shape, lambda *index: positions(*index), name="positions", tag="injective")


class _Reduction:
    """The axes of a reduction, and where its results come from."""

    def __init__(self, data: te.Tensor, axes: Sequence[int] | None, keepdims: bool) -> None:
        self._shape, self._keepdims = [plain(extent) for extent in data.shape], keepdims
        rank = len(self._shape)
        self._axes = list(range(rank)) if axes is None else sorted(axis % rank for axis in axes)
        self.variables = [te.reduce_axis((0, self._shape[axis]), name=f"k{axis}") for axis in self._axes]

    @property
    def result_shape(self) -> list[Expr | int]:
        shape = [1 if axis in self._axes else extent for axis, extent in enumerate(self._shape)]
        return shape if self._keepdims else [shape[axis] for axis in self._kept]

    @property
    def _kept(self) -> list[int]:
        return [axis for axis in range(len(self._shape)) if axis not in self._axes]

    def place(self, index: Sequence[tirx.Var]) -> list[Expr]:
        """The element of the data that a result at ``index`` takes at the variables."""
        kept = [index[axis] for axis in self._kept] if self._keepdims else index
        where = dict(zip(self._kept, kept, strict=True))
        where |= {axis: k.var for axis, k in zip(self._axes, self.variables, strict=True)}
        return [where[axis] for axis in range(len(self._shape))]

    @property
    def number(self) -> Expr:
        """The number, in int64, of that element among those that make one result."""
        number: Expr = tirx.const(0, "int64")
        for variable, axis in zip(self.variables, self._axes, strict=True):
            number = number * tirx.Cast("int64", self._shape[axis]) + variable.var.astype("int64")
        return number


def _first_extreme(dtype: str, largest: bool) -> Callable[..., tuple[Expr, Expr]]:
    def combine(a: Sequence[Expr], b: Sequence[Expr]) -> tuple[Expr, Expr]:
        better = a[1] > b[1] if largest else a[1] < b[1]
        equal = a[1] == b[1]
        if _is_float(dtype):
            better = tirx.any(better, tirx.all(tirx.isnan(a[1]), tirx.Not(tirx.isnan(b[1]))))
            equal = tirx.any(equal, tirx.all(tirx.isnan(a[1]), tirx.isnan(b[1])))
        chosen = tirx.any(better, tirx.all(equal, a[0] < b[0]))
        return tirx.Select(chosen, a[0], b[0]), tirx.Select(chosen, a[1], b[1])

    def identity(index: str, value: str) -> tuple[Expr, Expr]:
        """Return the worst element, at a place behind every other."""
        return tirx.max_value(index), _worst(dtype, largest)

    return te.comm_reducer(combine, identity, name="first_extreme")


def _worst(dtype: str, largest: bool) -> Expr:
    """What no number of ``dtype`` is worse than."""
    if _is_float(dtype):
        return tirx.const(-math.inf if largest else math.inf, dtype)
    return tirx.min_value(dtype) if largest else tirx.max_value(dtype)


def _is_float(dtype: str) -> bool:
    return "float" in dtype
