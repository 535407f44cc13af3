"""GroupNorm and InstanceNorm of channels-last activations.

Sums go along the pixels, a block of channels at a time, in portions that keep the rounding error of large
maps near that of one portion; then a group's channels are added up. As in ``row_normalization``, the mean
comes first, then the mean of the squared distances from it, then the result. Its workspace is three numbers
for each channel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError

from .builder import FLOAT_BYTES, VECTORS, Expr, Operator, build_operator, load, splat, store
from .row_normalization import WORK_FACTOR

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

PORTION = 64
"""So many pixels are summed at a time."""


@dataclass(frozen=True)
class GroupNormalization:
    """Of a tensor of ``shape``, (N, ..., C), whose channels are in ``groups``; ``scaled`` and ``shifted`` by
    parameters for each channel."""

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
        """Of an image."""
        return math.prod(self.shape[1:-1])


def normalize_groups(
    what: GroupNormalization, target: CompileTarget, name: str = "group_norm"
) -> tirx.PrimFunc:
    """PrimFunc (data, [scale (C,),] [shift (C,),] output), data and output of the shape."""
    channels = what.channels
    with build_operator(name, target) as operator:
        tensors = {"data": what.shape}
        tensors |= {"scale": (channels,)} if what.scaled else {}
        tensors |= {"shift": (channels,)} if what.shifted else {}
        data, *parameters, output = operator.arguments(tensors | {"output": what.shape})
        scale = parameters[0] if what.scaled else None
        shift = parameters[-1] if what.shifted else None
        with operator.outer_loop(
            what.shape[0], 2 * FLOAT_BYTES * WORK_FACTOR * math.prod(what.shape)
        ) as image:
            base = T.Bind(image * (what.pixels * channels))
            sums, means, factors = (T.alloc_buffer((channels,), "float32", scope="local") for _ in range(3))
            _sum_channels(operator, what, data, base, sums, lambda value, channel: value)
            _of_groups(what, sums, means, lambda mean: mean, None)

            def squared(value: Expr, channel: Expr) -> Expr:
                distance = T.Bind(value - load(means, channel, value.ty.dtype.lanes))
                return distance * distance

            _sum_channels(operator, what, data, base, sums, squared)

            def inverse_root(variance: Expr) -> Expr:
                return T.float32(1) / T.sqrt(variance + T.float32(what.epsilon))

            _of_groups(what, sums, factors, inverse_root, scale)
            with T.serial(0, what.pixels) as pixel:
                start = T.Bind(base + pixel * channels)

                def write(channel: Expr, spans: list[tuple[int, int]]) -> None:
                    for offset, width in spans:
                        at = channel + offset
                        value = load(data, start + at, width) - load(means, at, width)
                        value = value * load(factors, at, width)
                        value = value if shift is None else value + load(shift, at, width)
                        store(output, start + at, width, value)

                operator.blocks(channels, VECTORS, write)
    assert operator.prim_func is not None
    return operator.prim_func


def _sum_channels(
    operator: Operator,
    what: GroupNormalization,
    data: tirx.Buffer,
    base: Expr,
    sums: tirx.Buffer,
    of: Callable[[Expr, Expr], Expr],
) -> None:
    """The sum over the pixels of each channel, of elements as ``of`` sees them, given their channel."""

    def block(channel: Expr, spans: list[tuple[int, int]]) -> None:
        width = spans[0][1]
        totals, portion = (operator.accumulators(len(spans), width) for _ in range(2))
        slots = [(number * width, channel + offset) for number, (offset, _) in enumerate(spans)]
        for slot, _ in slots:
            store(totals, slot, width, splat(0.0, width))

        def add(first: Expr, count: int) -> None:
            for slot, _ in slots:
                store(portion, slot, width, splat(0.0, width))
            with T.serial(0, count) as step:
                for slot, at in slots:
                    value = load(data, base + (first + step) * what.channels + at, width)
                    store(portion, slot, width, load(portion, slot, width) + of(T.Bind(value), at))
            for slot, _ in slots:
                store(totals, slot, width, load(totals, slot, width) + load(portion, slot, width))

        whole, rest = divmod(what.pixels, PORTION)
        if whole:
            with T.serial(0, whole) as number:
                add(T.Bind(number * PORTION), PORTION)
        if rest:
            add(whole * PORTION, rest)
        for slot, at in slots:
            store(sums, at, width, load(totals, slot, width))

    operator.blocks(what.channels, VECTORS, block)


def _of_groups(
    what: GroupNormalization,
    sums: tirx.Buffer,
    result: tirx.Buffer,
    of: Callable[[Expr], Expr],
    scale: tirx.Buffer | None,
) -> None:
    """For each channel ``of`` its group's mean, times its scale."""
    each = what.channels // what.groups
    with T.serial(0, what.groups) as group:
        total = T.alloc_buffer((1,), "float32", layout=None)
        store(total, 0, 1, T.float32(0))
        with T.serial(0, each) as channel:
            store(total, 0, 1, load(total, 0, 1) + load(sums, group * each + channel, 1))
        number = T.Bind(of(load(total, 0, 1) * T.float32(1 / (each * what.pixels))))
        with T.serial(0, each) as channel:
            at = T.Bind(group * each + channel)
            store(result, at, 1, number if scale is None else number * load(scale, at, 1))
