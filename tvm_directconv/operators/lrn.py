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
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError

from .builder import FLOAT_BYTES, Expr, build_operator, held, load, shuffle, spans, splat, store
from .expressions import power
from .quantized_type import QuantizedType, centered, ratio, saturated

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

WORK_FACTOR = 4
"""An element takes this many times as long as copying it, for the decision to run in parallel."""


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
) -> tirx.PrimFunc:
    """PrimFunc (data, output), both of ``shape`` with channels last; float32 where no quantization is given.

    ``output = data / (bias + alpha / size * sum of squares)^beta`` over the channels from
    ``c - (size - 1) // 2`` to ``c + size // 2``. The base of the power must stay positive (``bias > 0``).
    """
    if size < 1 or bias <= 0 or alpha < 0:
        raise WorkloadError(f"lrn: need size >= 1, bias > 0, alpha >= 0; got {size}, {bias}, {alpha}")
    formula = _Formula(size, alpha, beta, bias, source, result)
    channels, pixels = shape[-1], math.prod(shape[:-1])
    with build_operator("lrn", target) as operator:
        types = {"data": source, "output": result}
        dtypes = {key: "float32" if of is None else of.dtype for key, of in types.items()}
        data, output = operator.arguments({"data": shape, "output": shape}, dtypes)
        with operator.outer_loop(pixels, 2 * FLOAT_BYTES * WORK_FACTOR * math.prod(shape)) as pixel:
            base = T.Bind(pixel * channels)

            def emit(channel: Expr, width: int) -> None:
                value = formula.normalized(data, base, channel, width, channels)
                store(output, base + channel, width, value)

            _over_channels(channels, operator.lanes, formula, emit)
    return operator.prim_func


@dataclass(frozen=True)
class _Formula:
    """The arithmetic of one vector: ``lrn``'s parameters."""

    size: int
    alpha: float
    beta: float
    bias: float
    source: QuantizedType | None
    result: QuantizedType | None

    @property
    def before(self) -> int:
        """The window has this many channels before its own."""
        return (self.size - 1) // 2

    @property
    def after(self) -> int:
        """The window has this many channels behind its own."""
        return self.size // 2

    def normalized(self, data: tirx.Buffer, base: Expr, channel: Expr, width: int, channels: int) -> Expr:
        """One vector of outputs; ``channel`` is a Python int near the ends of the pixel, which starts at
        ``base``."""
        center = T.Bind(self._real(load(data, base + channel, width), width))
        zero = 0.0 if self.source is None else self.source.zero_point
        squares = []
        for shift in range(-self.before, self.after + 1):
            if shift == 0:
                squares.append(center * center)
                continue
            neighbour = _shifted(data, base, channel, shift, width, channels, zero)
            if neighbour is not None:
                neighbour = T.Bind(self._real(neighbour, width))
                squares.append(neighbour * neighbour)
        total = sum(squares[1:], squares[0])
        unit = 1.0 if self.source is None else self.source.scale
        denominator = held(total * T.float32(self.alpha / self.size * unit**2) + T.float32(self.bias))
        return self._stored(center * power(denominator, -self.beta), width, unit)

    def _real(self, value: Expr, width: int) -> Expr:
        """A loaded vector in units of the source's scale."""
        return value if self.source is None else centered(value, self.source, width)

    def _stored(self, value: Expr, width: int, unit: float) -> Expr:
        """A vector in units of ``unit`` as it is stored."""
        gain = unit if self.result is None else ratio(unit, self.result.scale)
        if gain != 1.0:
            value = value * T.float32(gain)
        if self.result is None:
            return value
        reach = math.inf if self.source is None else gain * self.source.reach * self.bias**-self.beta
        return saturated(value, width, reach, self.result)


def _over_channels(channels: int, lanes: int, formula: _Formula, emit: Callable[[Expr, int], None]) -> None:
    """``emit`` for the vectors of one pixel: a loop over those that see no end of it, code for each other."""
    vectors = spans(channels, lanes)
    # A loop needs whole vectors at equal distances: not a narrow one, nor the one that reaches back.
    inner = [
        (start, width)
        for start, width in vectors
        if width == lanes
        and start % width == 0
        and formula.before <= start <= channels - width - formula.after
    ]
    for start, width in vectors:
        if (start, width) not in inner:
            emit(start, width)
    if inner:
        first, width = inner[0]
        with T.serial(0, len(inner)) as block:
            emit(block * width + first, width)


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
