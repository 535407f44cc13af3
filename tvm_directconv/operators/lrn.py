"""Local response normalization across the channels of NHWC activations.

The window slides along the vector axis: every vector of window sums adds up unaligned loads of its
neighbours. Only the first and last vectors of a pixel see past its channels; there the load is moved
inside and its lanes are shifted back with zeros. No buffer of squares, no test per element. Semantics are
those of ONNX's LRN; the power of the denominator is made of square roots where ``beta`` allows (see
``expressions.power``). Quantized tensors are widened to floats as they are loaded, and rounded before they
are stored.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError

from .builder import FLOAT_BYTES, Expr, build_operator, load, shuffle, spans, splat, store
from .expressions import power
from .quantized_type import QuantizedType, centered, ratio, saturated

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

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
    source: QuantizedType | None = None,
    result: QuantizedType | None = None,
    name: str = "lrn",
) -> tirx.PrimFunc:
    """PrimFunc (data, output), both of ``shape`` with channels last; float32 where no quantization is given.

    ``output = data / (bias + alpha / size * sum of squares)^beta`` over the channels from
    ``c - (size - 1) // 2`` to ``c + size // 2``. The base of the power must stay positive (``bias > 0``).
    """
    if size < 1 or bias <= 0 or alpha < 0:
        raise WorkloadError(f"{name}: need size >= 1, bias > 0, alpha >= 0; got {size}, {bias}, {alpha}")
    channels = shape[-1]
    before, after = (size - 1) // 2, size // 2
    unit = 1.0 if source is None else source.scale
    gain = unit if result is None else ratio(unit, result.scale)
    reach = math.inf if source is None else gain * source.reach * bias**-beta

    def real(value: Expr, width: int) -> Expr:
        """A loaded vector in units of the source's scale."""
        return value if source is None else centered(value, source, width)

    with build_operator(name, target) as operator:
        types = {"data": source, "output": result}
        dtypes = {key: "float32" if of is None else of.dtype for key, of in types.items()}
        data, output = operator.arguments({"data": shape, "output": shape}, dtypes)
        zero = 0.0 if source is None else source.zero_point
        pixels = math.prod(shape[:-1])

        def emit(base: Expr, channel: Expr, width: int) -> None:
            """One vector of outputs; ``channel`` is a Python int near the ends of the pixel."""
            center = T.Bind(real(load(data, base + channel, width), width))
            squares = []
            for shift in range(-before, after + 1):
                if shift == 0:
                    squares.append(center * center)
                    continue
                neighbour = _shifted(data, base, channel, shift, width, channels, zero)
                if neighbour is not None:
                    neighbour = T.Bind(real(neighbour, width))
                    squares.append(neighbour * neighbour)
            total = sum(squares[1:], squares[0])
            denominator = total * T.float32(alpha / size * unit**2) + T.float32(bias)
            value = center * power(denominator, -beta)
            if gain != 1.0:
                value = value * T.float32(gain)
            store(
                output,
                base + channel,
                width,
                value if result is None else saturated(value, width, reach, result),
            )

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
    data: tirx.Buffer, base: Expr, channel: Expr, shift: int, width: int, channels: int, zero: float
) -> Expr | None:
    """``width`` channels from ``channel + shift`` on, ``zero`` outside the pixel; None where all are."""
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
    return shuffle([load(data, base + start, width), splat(zero, width, data.dtype)], lanes)
