"""Normalization by mean and variance, or by length: LayerNorm, RMSNorm, GroupNorm, InstanceNorm, L2 norms.

The mean comes first, then the mean of the squared distances from it, so that nothing cancels however far a
row is from zero; then the result. Each pass has four vectors in flight, and finds the row in cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError

from .builder import FLOAT_BYTES, VECTORS, Expr, Operator, build_operator, load, reciprocal, splat, store
from .expressions import maximum
from .lines import Element, Line, Operand, Value
from .reductions import SUM
from .row_program import Columns, Row, RowProgram, split

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

WORK = 4
"""An element takes as long as copying so many numbers."""
PORTION = 64
"""Pixels of channels-last activations that are summed at a time. Sums of portions keep the rounding error of
large maps near that of one portion."""


@dataclass(frozen=True)
class RowNormalization:
    """``(x - mean) / sqrt(mean of (x - mean)^2 + epsilon) * scale + shift`` over rows of ``row`` elements of
    a tensor of ``shape``.

    A row is what lies side by side and is normalized together. The mean is 0 where rows are not ``centered``.
    ``scale`` and ``shift`` are the shapes of these parameters, or None. Both have an element for each of a
    row's, or where ``channels`` is not 0, one for each of that many runs that a row is made of; then
    ``groups`` rows one after the other have their own.
    """

    shape: tuple[int, ...]
    row: int
    epsilon: float
    scale: tuple[int, ...] | None = None
    shift: tuple[int, ...] | None = None
    centered: bool = True
    channels: int = 0
    groups: int = 1

    def __post_init__(self) -> None:
        elements = self.channels * self.groups or self.row
        given = [shape for shape in (self.scale, self.shift) if shape is not None]
        fits = all(math.prod(shape) == elements for shape in given)
        if self.row < 1 or math.prod(self.shape) % self.row or self.epsilon < 0 or not fits:
            raise WorkloadError(f"no rows of {self.row} in {self.shape}, parameters {given}")
        if self.channels and (self.row % self.channels or self.rows % self.groups):
            raise WorkloadError(
                f"{self.channels} channels in {self.groups} groups do not divide {self.shape}"
            )

    @property
    def rows(self) -> int:
        return math.prod(self.shape) // self.row

    @property
    def parameters(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the parameters, by name."""
        named = {"scale": self.scale, "shift": self.shift}
        return {name: shape for name, shape in named.items() if shape is not None}


def normalize_rows(what: RowNormalization, target: CompileTarget, name: str = "layer_norm") -> tirx.PrimFunc:
    """Build the PrimFunc (data, [scale,] [shift,] output), data and output of the normalization's shape."""

    def body(line: Line, *parameters: tirx.Buffer) -> None:
        given = dict(zip(what.parameters, parameters, strict=True))
        mean, share = None, reciprocal(what.row)
        if what.centered:
            mean = line.compute(lambda total: total * share, line.reduce(SUM))
        total = line.reduce(SUM, _squared_distance, mean)

        def inverse(total: Expr) -> Expr:
            return T.float32(1) / T.sqrt(total * share + T.float32(what.epsilon))

        statistics = mean, line.compute(inverse, total)
        if not what.channels:
            line.write(_normalized, *statistics, given.get("scale"), given.get("shift"))
            return
        # A row channel by channel, each with one scale and shift.
        run = what.row // what.channels
        with T.serial(0, what.channels) as channel:
            number = T.Bind(line.result % what.groups * what.channels + channel)
            own: dict[str, Value] = {key: (T.Bind(load(given[key], number, 1)),) for key in given}
            part = replace(line, base=line.base + channel * run, length=run)
            part.write(_normalized, *statistics, own.get("scale"), own.get("shift"))

    extents = what.rows, what.row, 1
    return RowProgram(name, what.shape, extents, body, parameters=what.parameters, work=WORK).build(target)


def l2_norm(shape: tuple[int, ...], axis: int, epsilon: float, target: CompileTarget) -> tirx.PrimFunc:
    """Build the PrimFunc (data, output), both of ``shape``: ``x / max(sqrt(sum of x^2), epsilon)`` along
    ``axis``."""

    def inverse(total: Expr) -> Expr:
        return T.float32(1) / maximum(T.sqrt(total), splat(epsilon, total.ty.dtype.lanes))

    def body(line: Line) -> None:
        factor = line.compute(inverse, line.reduce(SUM, lambda x: x * x))
        line.write(lambda x, factor: x * factor, factor)

    return RowProgram("l2_norm", shape, split(shape, (axis, axis + 1)), body, work=WORK).build(target)


def _squared_distance(x: Expr, mean: Expr | None) -> Expr:
    distance = x if mean is None else T.Bind(x - mean)
    return distance * distance


def _normalized(x: Expr, mean: Expr | None, factor: Expr, scale: Expr | None, shift: Expr | None) -> Expr:
    value = (x if mean is None else x - mean) * factor
    value = value if scale is None else value * scale
    return value if shift is None else value + shift


@dataclass(frozen=True)
class GroupNormalization:
    """Normalization of a tensor of ``shape``, (N, ..., C), whose channels are in ``groups``, ``scaled`` and
    ``shifted`` by parameters for each channel."""

    shape: tuple[int, ...]
    groups: int
    epsilon: float
    scaled: bool = True
    shifted: bool = True

    def __post_init__(self) -> None:
        if self.groups < 1 or self.channels % self.groups or len(self.shape) < 2 or self.epsilon < 0:
            raise WorkloadError(f"{self.groups} groups of {self.shape}, epsilon {self.epsilon}")

    @property
    def channels(self) -> int:
        return self.shape[-1]

    @property
    def pixels(self) -> int:
        """The pixels of an image."""
        return math.prod(self.shape[1:-1])


def normalize_groups(
    what: GroupNormalization, target: CompileTarget, name: str = "group_norm"
) -> tirx.PrimFunc:
    """Build the PrimFunc (data, [scale (C,),] [shift (C,),] output), data and output of the shape.

    Sums go along the pixels, a block of channels at a time; then a group's channels are added up. The
    workspace is three numbers for each channel.
    """
    channels = what.channels
    with build_operator(name, target) as operator:
        tensors = {"data": what.shape}
        tensors |= {"scale": (channels,)} if what.scaled else {}
        tensors |= {"shift": (channels,)} if what.shifted else {}
        data, *parameters, output = operator.arguments(tensors | {"output": what.shape})
        scale = parameters[0] if what.scaled else None
        shift = parameters[-1] if what.shifted else None
        traffic = WORK * FLOAT_BYTES * math.prod(what.shape)
        with operator.outer_loop(what.shape[0], traffic) as image:
            base = T.Bind(image * (what.pixels * channels))
            sums, means, factors = (T.alloc_buffer((channels,), "float32", scope="local") for _ in range(3))

            def inverse_root(variance: Expr) -> Expr:
                return T.float32(1) / T.sqrt(variance + T.float32(what.epsilon))

            _sum_channels(operator, what, data, sums, base, None)
            _of_groups(what, sums, means, lambda mean: mean, None)
            _sum_channels(operator, what, data, sums, base, _squared_distance, means)
            _of_groups(what, sums, factors, inverse_root, scale)
            with T.serial(0, what.pixels) as pixel:
                start = T.Bind(base + pixel * channels)
                row = Row(operator, data, output, start, channels, pixel)
                row.write(_normalized, means, factors, None, shift)
    assert operator.prim_func is not None
    return operator.prim_func


def _sum_channels(
    operator: Operator,
    what: GroupNormalization,
    data: tirx.Buffer,
    sums: tirx.Buffer,
    base: Expr,
    of: Element | None,
    *operands: Operand,
) -> None:
    """Store the sum over the pixels of each channel, of what ``of`` makes of the elements."""

    def block(channel: Expr, spans: list[tuple[int, int]]) -> None:
        place, channels = T.Bind(base + channel), what.channels
        line = Columns(operator, data, sums, place, what.pixels, channel, channels, channel, spans, PORTION)
        line.store_result(line.reduce(SUM, of, *operands))

    operator.blocks(what.channels, VECTORS, block)


def _of_groups(
    what: GroupNormalization,
    sums: tirx.Buffer,
    result: tirx.Buffer,
    of: Callable[[Expr], Expr],
    scale: tirx.Buffer | None,
) -> None:
    """Store for each channel ``of`` its group's mean, times its scale."""
    each = what.channels // what.groups
    with T.serial(0, what.groups) as group:
        total = T.alloc_buffer((1,), "float32", layout=None)
        store(total, 0, 1, T.float32(0))
        with T.serial(0, each) as channel:
            store(total, 0, 1, load(total, 0, 1) + load(sums, group * each + channel, 1))
        number = T.Bind(of(load(total, 0, 1) * reciprocal(each * what.pixels)))
        with T.serial(0, each) as channel:
            at = T.Bind(group * each + channel)
            store(result, at, 1, number if scale is None else number * load(scale, at, 1))
