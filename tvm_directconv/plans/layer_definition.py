"""A convolution by its definition, on numbers of a prime field: operands drawn, and the output expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from intrinsics.epilogue import TileEpilogue
from tvm_directconv.problem.workload import Conv2dWorkload, nhwc

from .prime_field import DRAWS, PRIME, UNKNOWN, Uninterpreted, drawn, product

BITS = 60
"""Numbers of numpy's types are put together to have so many."""
ROUNDED = ("uint8", "int8", "bfloat16", "float16")


RANGES = {"float32": (-(1 << 20), 1 << 20), "uint8": (0, 255), "int9": (-256, 254), "int10": (-255, 255)}
"""Small integers of filters of these types, which their types and packing hold."""
MOST_SMALL = 63
"""The largest of others, which 8 bits hold, and half precision."""


@dataclass(frozen=True)
class DrawnOperand:
    """An operand that numpy's functions are to be applied to: a sum of arrays of small integers, each times a
    drawn number.

    What a linear function makes of it is the same sum of what it makes of the small ones. So many are added
    that two elements are equal, or a wrong one is right, once in 2^60 times.

    Attributes:
        small: Arrays of integers [parts, ...].
        factors: The numbers that they are multiplied by [DRAWS, parts].
    """

    small: np.ndarray
    factors: np.ndarray

    @staticmethod
    def of(shape: tuple[int, ...], least: int, most: int, generator: np.random.Generator) -> DrawnOperand:
        parts = -(-BITS // (most - least).bit_length())
        return DrawnOperand(generator.integers(least, most + 1, (parts, *shape)), drawn(generator, parts))

    def made(self, function: Callable[[np.ndarray], np.ndarray] = lambda small: small) -> np.ndarray:
        """Return the numbers [DRAWS, ...] that a linear function makes of the operand."""
        total: np.ndarray | int = 0
        for part, factors in zip(self.small, self.factors.T, strict=True):
            made = np.asarray(function(part)).astype(np.int64) % PRIME
            total = (total + factors.reshape(-1, *[1] * made.ndim) * made) % PRIME
        return np.asarray(total)


@dataclass(frozen=True)
class DrawnLayer:
    """The operands of a workload in their layouts.

    Attributes:
        data: The input as it is stored, numbers [DRAWS, ...].
        filter: The filter, less its zero point.
        bias: The bias and constants of channels; None where there is none.
        residual: The residual, numbers [DRAWS, ...]; None where there is none.
        scale: The scales of 8-bit layers, numbers [DRAWS, OC]; None where sums are stored.
    """

    data: np.ndarray
    filter: DrawnOperand
    bias: DrawnOperand | None
    residual: np.ndarray | None
    scale: np.ndarray | None

    @staticmethod
    def of(w: Conv2dWorkload, generator: np.random.Generator) -> DrawnLayer:
        data = drawn(generator, *w.stored_input_shape)
        data[:, channels_of(w.data_layout, w.stored_input_shape) >= w.data_slice[1]] = UNKNOWN
        e, q = w.epilogue, w.quantized
        most = min(MOST_SMALL, q.largest_weight) if q else MOST_SMALL
        least, most = RANGES.get(q.filter_dtype if q else w.dtype, (-most, most))
        return DrawnLayer(
            data,
            DrawnOperand.of(w.filter_shape, least, most, generator),
            DrawnOperand.of(w.bias_shape, -(1 << 20), 1 << 20, generator) if e.bias else None,
            drawn(generator, *w.stored_output_shape) if e.residual else None,
            drawn(generator, w.out_channels) if q and q.out_dtype != "int32" else None,
        )


def channels_of(layout: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return the channel of each element of activations, an array of their shape."""
    grid = np.ogrid[tuple(slice(extent) for extent in shape)]
    return np.broadcast_to(nhwc(layout, *grid)[3], shape)


def in_nhwc(layout: str, array: np.ndarray, channels: int) -> np.ndarray:
    """Return numbers [DRAWS, ...] of a layout in NHWC, without channels that blocks have beyond."""
    if layout == "NHWC":
        return array
    if layout == "NCHW":
        return array.transpose(0, 1, 3, 4, 2)
    moved = array.transpose(0, 1, 3, 4, 2, 5)
    return moved.reshape(*moved.shape[:4], -1)[..., :channels]


def expected(w: Conv2dWorkload, layer: DrawnLayer, functions: Uninterpreted) -> np.ndarray:
    """Return the output [DRAWS, N, OH, OW, OC] as a convolution is defined."""
    sums = _sums(w, _image(w, layer.data), layer.filter.made(lambda weights: _oihw(w, weights)))
    q = w.quantized
    epilogue: TileEpilogue = w.epilogue
    table = None if layer.bias is None else layer.bias.made()
    if table is not None:
        sums = (sums + table[:, None, None, None, : w.out_channels]) % PRIME
    if q is not None:
        epilogue = q.stored(w.epilogue, w.out_channels)
        if epilogue.residual:
            assert layer.scale is not None
            bias = np.zeros_like(layer.scale) if table is None else table
            table = np.concatenate([bias, layer.scale], axis=1)
        elif layer.scale is not None:
            sums = functions.multiply(sums, layer.scale[:, None, None, None])
    residual = None
    if layer.residual is not None:
        residual = in_nhwc(w.out_layout, layer.residual, w.out_channels)
    steps = DefinedSteps(functions, table, residual, w.out_channels)
    for step in epilogue.steps:
        sums = step.apply(sums, steps)
    if w.out_dtype in ROUNDED:
        sums = functions.of("round", sums, float(q.out_zero if q else 0))
    return sums


class DefinedSteps(Uninterpreted):
    """Functions of steps that find constants of channels in a table, and a residual in NHWC."""

    def __init__(
        self, functions: Uninterpreted, table: np.ndarray | None, residual: np.ndarray | None, channels: int
    ) -> None:
        super().__init__(functions.keys, functions.arithmetic)
        self._table, self._residual, self._channels = table, residual, channels

    def channel(self, at: int) -> np.ndarray:
        assert self._table is not None
        return self._table[:, None, None, None, at : at + self._channels]

    def add_residual(self, a: np.ndarray) -> np.ndarray:
        assert self._residual is not None
        return self.add(a, self._residual)


def _oihw(w: Conv2dWorkload, weights: np.ndarray) -> np.ndarray:
    return weights.transpose([w.filter_layout.index(axis) for axis in "OIHW"])


def _image(w: Conv2dWorkload, stored: np.ndarray) -> np.ndarray:
    """Return the input [DRAWS, N, H, W, IC] less its zero point."""
    if w.storage.frames is not None:
        return _frames(w, stored)
    image = in_nhwc(w.data_layout, stored, w.data_slice[1])
    image = image[..., w.data_slice[0] : w.data_slice[0] + w.in_channels]
    return image if w.quantized is None else (image - w.quantized.data_zero) % PRIME


def _frames(w: Conv2dWorkload, stored: np.ndarray) -> np.ndarray:
    """Return images whose channels are those of frames of videos, zero where there is no frame."""
    f = w.storage.frames
    assert f is not None
    channels = stored.shape[-1]
    image = np.zeros((DRAWS, w.batch, w.height, w.width, w.in_channels), np.int64)
    for n in range(w.batch):
        video, number = divmod(n, f.count)
        for tap in range(f.taps):
            frame = number * f.stride - f.before + tap * f.dilation
            if 0 <= frame < f.depth:
                image[:, n, ..., tap * channels : (tap + 1) * channels] = stored[:, video * f.depth + frame]
    return image


def _sums(w: Conv2dWorkload, image: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the sums of products [DRAWS, N, OH, OW, OC] of weights in OIHW."""
    top, left, bottom, right = w.padding
    padded = np.pad(image, ((0, 0), (0, 0), (top, bottom), (left, right), (0, 0)))
    sums = np.zeros((DRAWS, w.batch, w.out_height, w.out_width, w.out_channels), np.int64)
    group_in, group_out = w.in_channels // w.groups, w.out_channels // w.groups
    for kh, kw in np.ndindex(*w.kernel):
        y, x = kh * w.dilation[0], kw * w.dilation[1]
        rows = slice(y, y + (w.out_height - 1) * w.strides[0] + 1, w.strides[0])
        columns = slice(x, x + (w.out_width - 1) * w.strides[1] + 1, w.strides[1])
        taken = padded[:, :, rows, columns].reshape(DRAWS, -1, w.groups, group_in).transpose(2, 0, 1, 3)
        taps = weights[..., kh, kw].reshape(DRAWS, w.groups, group_out, group_in).transpose(1, 0, 3, 2)
        part = product(taken, taps).transpose(1, 2, 0, 3).reshape(sums.shape)
        sums = (sums + part) % PRIME
    return sums
