"""The frames that a 3-D convolution's taps of depth see, side by side as channels of one image.

A 3-D convolution is then a 2-D one over images with as many times the channels. Frames before the first and
behind the last are zeros, in integers their zero point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import SEEN_AS, Expr, Operator, build_operator, load, splat, store

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

VECTORS = 8
"""Vectors copied by one round of a loop."""


@dataclass(frozen=True)
class Stack:
    """Stacking of ``batch`` videos of ``depth`` frames: result ``t`` of ``count`` has the frames ``t * stride
    + tap``.

    The channels of a result are (groups, taps, rest). Frames outside the video hold ``fill``.
    """

    batch: int
    depth: int
    count: int
    stride: int
    taps: tuple[int, ...]
    groups: int = 1
    fill: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether the result is the video itself."""
        return (self.count, self.stride, self.taps) == (self.depth, 1, (0,))


def stack_frames(
    what: Stack, shape: Sequence[int], target: CompileTarget, *, dtype: str = "float32"
) -> tirx.PrimFunc:
    """PrimFunc (data (N x depth, H, W, C) of ``shape``, output (N x count, H, W, taps x C))."""
    _, height, width, channels = shape
    result = (what.batch * what.count, height, width, len(what.taps) * channels)
    pixels, runs = height * width, what.groups
    if len(what.taps) == 1:  # a frame is one run
        pixels, runs = 1, 1
    run = height * width * channels // (pixels * runs)
    with build_operator("stack_frames", target, dtype) as operator:
        data, output = operator.arguments({"data": shape, "output": result})
        traffic = 2 * operator.element_bytes * math.prod(result)
        with operator.outer_loop(what.batch * what.count, traffic) as number:
            for place, tap in enumerate(what.taps):
                frame = number % what.count * what.stride + tap
                source = (number // what.count * what.depth + frame) * (pixels * runs * run)
                with T.If(tirx.all(frame >= 0, frame < what.depth)):
                    with T.Then():
                        _fill(operator, what, (pixels, runs, run), (number, place), output, data, source)
                    with T.Else():
                        _fill(operator, what, (pixels, runs, run), (number, place), output)
    return operator.prim_func


def _fill(
    operator: Operator,
    what: Stack,
    extents: tuple[int, int, int],
    at: tuple[Expr, int],
    output: tirx.Buffer,
    data: tirx.Buffer | None = None,
    source: Expr = 0,
) -> None:
    """One tap's share of one result: a frame's runs, or what fills."""
    pixels, runs, run = extents
    number, place = at
    with T.serial(0, pixels) as pixel, T.serial(0, runs) as part:
        start = number * pixels + pixel
        result = ((start * runs + part) * len(what.taps) + place) * run
        begin = source + (pixel * runs + part) * run

        def emit(first: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, width in spans:
                inside = first + offset
                value = splat(what.fill, width, SEEN_AS.get(operator.dtype, operator.dtype))
                if data is not None:
                    value = load(data, begin + inside, width)
                store(output, result + inside, width, value)

        operator.blocks(run, VECTORS, emit)
