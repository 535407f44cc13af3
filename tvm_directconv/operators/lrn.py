"""Local response normalization across the channels of NHWC activations.

The window slides along the vector axis: every vector of window sums adds up unaligned loads of its
neighbours. Only the first and last vectors of a pixel see past its channels; there the load is moved
inside and its lanes are shifted back with zeros. No buffer of squares, no test per element. Semantics are
those of ONNX's LRN; the power of the denominator is made of square roots where ``beta`` allows (see
``expressions.power``).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from ..errors import WorkloadError
from .builder import FLOAT_BYTES, Expr, build_operator, load, shuffle, spans, splat, store
from .expressions import power

if TYPE_CHECKING:
    from ..target import CompileTarget

WORK_FACTOR = 4
"""Time of one element relative to copying it, for the decision to run in parallel."""


def lrn(
    shape: tuple[int, ...],
    size: int,
    target: CompileTarget,
    *,
    alpha: float = 1e-4,
    beta: float = 0.75,
    bias: float = 1.0,
    name: str = "lrn",
) -> tirx.PrimFunc:
    """PrimFunc (data, output), both of ``shape`` with channels last.

    ``output = data / (bias + alpha / size * sum of squares)^beta`` over the channels from
    ``c - (size - 1) // 2`` to ``c + size // 2``. The base of the power must stay positive (``bias > 0``).
    """
    if size < 1 or bias <= 0 or alpha < 0:
        raise WorkloadError(f"{name}: need size >= 1, bias > 0, alpha >= 0; got {size}, {bias}, {alpha}")
    channels = shape[-1]
    before, after = (size - 1) // 2, size // 2
    with build_operator(name, target) as operator:
        data, output = operator.arguments({"data": shape, "output": shape})
        pixels = math.prod(shape[:-1])

        def emit(base: Expr, channel: Expr, width: int) -> None:
            """One vector of outputs; ``channel`` is a Python int near the ends of the pixel."""
            center = T.Bind(load(data, base + channel, width))
            squares = []
            for shift in range(-before, after + 1):
                value = _shifted(data, base, channel, shift, width, channels) if shift else center
                if value is not None:
                    value = T.Bind(value)
                    squares.append(value * value)
            total = sum(squares[1:], squares[0])
            denominator = total * T.float32(alpha / size) + T.float32(bias)
            store(output, base + channel, width, center * power(denominator, -beta))

        with operator.outer_loop(pixels, 2 * FLOAT_BYTES * WORK_FACTOR * math.prod(shape)) as pixel:
            base = T.Bind(pixel * channels)
            vectors = spans(channels, operator.lanes)
            # A loop needs whole vectors at equal distances: not a narrow one, nor the one that reaches back.
            inner = [
                (start, width)
                for start, width in vectors
                if width == operator.lanes
                and start % width == 0
                and before <= start <= channels - width - after
            ]
            for start, width in vectors:
                if (start, width) not in inner:
                    emit(base, start, width)
            if inner:
                first, width = inner[0]
                with T.serial(0, len(inner)) as block:
                    emit(base, block * width + first, width)
    return operator.prim_func


def _shifted(
    data: tirx.Buffer, base: Expr, channel: Expr, shift: int, width: int, channels: int
) -> Expr | None:
    """``width`` channels from ``channel + shift`` on, zero outside the pixel; None where all are outside."""
    if not isinstance(channel, int):
        return load(data, base + channel + shift, width)
    wanted = channel + shift
    start = min(max(wanted, 0), channels - width)
    moved = wanted - start
    if moved == 0:
        return load(data, base + start, width)
    if abs(moved) >= width:
        return None
    lanes = [lane + moved if 0 <= lane + moved < width else width for lane in range(width)]
    return shuffle([load(data, base + start, width), splat(0.0, width)], lanes)
