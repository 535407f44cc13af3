"""Normalization of rows by their own mean and variance: LayerNorm, RMSNorm, GroupNorm of NCHW, L2 norms.

A row is what lies side by side and is normalized together. Its mean comes first, then the mean of the squared
distances from it, so that nothing cancels however far a row is from zero; then it is written. Each pass has
four vectors in flight, and finds the row in cache. RMSNorm and L2 norms have no mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError

from .axis_reductions import KINDS, reduce_row
from .builder import FLOAT_BYTES, VECTORS, Expr, Operator, build_operator, load, splat, store
from .expressions import maximum

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

WORK_FACTOR = 2
"""An element takes this many times as long as copying it, for the decision to run in parallel."""


@dataclass(frozen=True)
class RowNormalization:
    """``(x - mean) / spread * scale + shift`` over rows of ``row`` elements of a tensor of ``shape``.

    ``spread`` is ``sqrt(mean of (x - mean)^2 + epsilon)``, and the mean is 0 where rows are not ``centered``;
    of an L2 norm, which is ``by_length``, it is ``max(sqrt(sum of x^2), epsilon)``. ``scale`` and ``shift``
    are the shapes of these parameters, None where there is none. Both have an element for each of a row's, or
    where ``channels`` is not 0, one for each of that many runs that a row is made of; then ``groups`` rows
    one after the other have their own.
    """

    shape: tuple[int, ...]
    row: int
    epsilon: float
    scale: tuple[int, ...] | None = None
    shift: tuple[int, ...] | None = None
    centered: bool = True
    by_length: bool = False
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
        """The shapes of those there are, by name."""
        return {
            name: shape for name, shape in (("scale", self.scale), ("shift", self.shift)) if shape is not None
        }


def normalize_rows(what: RowNormalization, target: CompileTarget, name: str = "layer_norm") -> tirx.PrimFunc:
    """PrimFunc (data, [scale,] [shift,] output), data and output of the normalization's shape."""
    with build_operator(name, target) as operator:
        tensors = {"data": what.shape} | what.parameters | {"output": what.shape}
        data, *parameters, output = operator.arguments(tensors)
        given = dict(zip(what.parameters, parameters, strict=True))
        traffic = 2 * FLOAT_BYTES * WORK_FACTOR * math.prod(what.shape)
        with operator.outer_loop(what.rows, traffic) as row:
            base = T.Bind(row * what.row)
            mean, factor = _statistics(operator, what, data, base)

            def at(name: str, place: Expr, width: int) -> Expr:
                return load(given[name], place, width) if name in given else None

            def normalized(place: Expr, width: int, scale: Expr, shift: Expr) -> None:
                value = load(data, base + place, width)
                value = value - splat(mean, width) if what.centered else value
                value = value * splat(factor, width)
                value = value if scale is None else value * scale
                store(output, base + place, width, value if shift is None else value + shift)

            def write(start: Expr, spans: list[tuple[int, int]]) -> None:
                for offset, width in spans:
                    place = start + offset
                    normalized(place, width, at("scale", place, width), at("shift", place, width))

            if not what.channels:
                operator.blocks(what.row, VECTORS, write)
            else:
                _write_channels(operator, what, row % what.groups * what.channels, at, normalized)
    assert operator.prim_func is not None
    return operator.prim_func


def _write_channels(
    operator: Operator,
    what: RowNormalization,
    first: Expr,
    at: Callable[[str, Expr, int], Expr],
    normalized: Callable[[Expr, int, Expr, Expr], None],
) -> None:
    """A row channel by channel, each with one scale and shift, which begin at ``first``."""
    run = what.row // what.channels
    with T.serial(0, what.channels) as channel:
        number = T.Bind(first + channel)
        found = [at(name, number, 1) for name in ("scale", "shift")]
        scale, shift = (None if value is None else T.Bind(value) for value in found)

        def write(start: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, width in spans:
                wide = (None if value is None else splat(value, width) for value in (scale, shift))
                normalized(channel * run + (start + offset), width, *wide)

        operator.blocks(run, VECTORS, write)


def _statistics(
    operator: Operator, what: RowNormalization, data: tirx.Buffer, base: Expr
) -> tuple[Expr, Expr]:
    """The row's mean, and the inverse of its spread."""
    mean: Expr = T.float32(0)
    if what.centered:
        mean = T.Bind(_sum(operator, what, data, base) * T.float32(1 / what.row))

    def squared(value: Expr) -> Expr:
        distance = T.Bind(value - mean) if what.centered else value
        return distance * distance

    total = _sum(operator, what, data, base, squared)
    if what.by_length:
        spread = maximum(T.sqrt(total), T.float32(what.epsilon))
    else:
        spread = T.sqrt(total * T.float32(1 / what.row) + T.float32(what.epsilon))
    return mean, T.Bind(T.float32(1) / spread)


def _sum(
    operator: Operator,
    what: RowNormalization,
    data: tirx.Buffer,
    base: Expr,
    of: Callable[[Expr], Expr] = lambda value: value,
) -> Expr:
    return reduce_row(operator, data, base, what.row, *KINDS["sum"], of)
