"""What a micro-kernel is, and its name.

A micro-kernel computes one output tile of ``mr`` pixels by up to ``nr`` channels, keeping the tile in
registers while it walks the filter taps and input channels, and stores it once, after the epilogue
(Barrachina et al., "High performance and energy efficient direct convolutions", section 4.1: KH and KW
loops moved inside the kernel). Its contract:

    for m in range(mr), j in range(channels):
        C[m * c_row + j] = clip(bias[j] + residual[m * c_row + j]
                                + sum over h in range(taps_h), segment s with s.first <= m < s.last,
                                           k in range(s.length):
                                  A[h * a_step + s.a + m * a_row + k]
                                * B[h * b_step + s.b + k * nr + j])

All offsets are in elements. ``taps_h`` is a run-time argument, so that a border row visits only the taps
inside the image; at the left and right borders, segments restrict the rows a tap applies to. Padded taps
therefore cost neither memory nor arithmetic. A depthwise kernel (operand layout ``dw``) reads its own
channel, ``A[... + j]`` instead of ``A[... + k]``.

A kernel's name is computed from its fields and parses back (as KleidiAI's do): the family,
``f32_f32_f32_14x32_row_avx512`` (destination, lhs, rhs, tile, layout of A, instruction set), then after
``__`` the geometry. Generated code is thus reproducible from the name alone.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass

ROW = "row"
"""Layout of A: ``mr`` rows of consecutive input channels, each element broadcast (algorithm A)."""
DEPTHWISE = "dw"
"""Layout of A: ``mr`` rows of the same channels as C; one filter tap per channel."""
CACHE_LINE_BYTES = 64
"""What one prefetch is taken to bring; where lines are longer, some prefetches are redundant."""


class RegisterBudgetError(ValueError):
    """A micro-kernel tile that does not fit the register file."""


@dataclass(frozen=True)
class Segment:
    """A run of ``length`` consecutive elements of A (and rows of B), valid for tile rows [first, last)."""

    first: int
    last: int
    a: int
    b: int
    length: int


@dataclass(frozen=True)
class TileEpilogue:
    """Applied to the tile in registers before its only store: ``clip(tile + bias + residual, low, high)``."""

    bias: bool = False
    residual: bool = False
    low: float = -math.inf
    high: float = math.inf


@dataclass(frozen=True)
class MicroKernel:
    """A kernel family: tile and instruction set. ``nr`` is in channels, a multiple of the vector's lanes."""

    mr: int
    nr: int
    layout: str
    isa: str

    @property
    def name(self) -> str:
        return f"f32_f32_f32_{self.mr}x{self.nr}_{self.layout}_{self.isa}"

    @staticmethod
    def parse(name: str) -> MicroKernel:
        match = re.fullmatch(r"f32_f32_f32_(\d+)x(\d+)_(row|dw)_([a-z0-9]+)", name)
        if not match:
            raise ValueError(f"'{name}' is not a micro-kernel name")
        return MicroKernel(int(match[1]), int(match[2]), match[3], match[4])


@dataclass(frozen=True)
class KernelInstance:
    """A micro-kernel with its operands' geometry: everything its code depends on.

    ``channels`` (at most nr) are stored; ``b_row`` >= nr is the distance of consecutive rows of B, wider
    than the tile when a tail kernel reads a panel packed for a wider one. ``prefetch`` > 0 fetches the
    filter that many elements ahead of its use into L2: the next panel, while this one is at work.
    """

    kernel: MicroKernel
    channels: int
    a_row: int
    a_step: int
    b_row: int
    b_step: int
    c_row: int
    segments: tuple[Segment, ...]
    epilogue: TileEpilogue = TileEpilogue()
    prefetch: int = 0

    @property
    def name(self) -> str:
        flags = [name for name in ("bias", "residual") if getattr(self.epilogue, name)]
        if (self.epilogue.low, self.epilogue.high) != (-math.inf, math.inf):
            flags.append(f"clip{_float_bits(self.epilogue.low)}.{_float_bits(self.epilogue.high)}")
        segments = "_".join(f"s{s.first}.{s.last}.{s.a}.{s.b}.{s.length}" for s in self.segments)
        return "_".join(
            [
                f"{self.kernel.name}__n{self.channels}",
                f"a{self.a_row}.{self.a_step}_b{self.b_row}.{self.b_step}_c{self.c_row}",
                *([f"p{self.prefetch}"] if self.prefetch else []),
                *flags,
                segments or "empty",
            ]
        )

    _PATTERN = re.compile(
        r"n(\d+)_a(\d+)\.(\d+)_b(\d+)\.(\d+)_c(\d+)(?:_p(\d+))?(_bias)?(_residual)?"
        r"(?:_clip([0-9a-f]{8})\.([0-9a-f]{8}))?_(empty|s.*)"
    )

    @staticmethod
    def parse(name: str) -> KernelInstance:
        """The instance a name stands for; the inverse of ``name``."""
        family, _, geometry = name.partition("__")
        match = KernelInstance._PATTERN.fullmatch(geometry)
        if not match:
            raise ValueError(f"'{name}' is not the name of a micro-kernel instance")
        channels, a_row, a_step, b_row, b_step, c_row = map(int, match.groups()[:6])
        prefetch, bias, residual, low, high, segments = match.groups()[6:]
        epilogue = TileEpilogue(
            bool(bias),
            bool(residual),
            _float_from_bits(low) if low else -math.inf,
            _float_from_bits(high) if high else math.inf,
        )
        parsed = [] if segments == "empty" else [s[1:].split(".") for s in segments.split("_")]
        return KernelInstance(
            MicroKernel.parse(family),
            channels,
            a_row,
            a_step,
            b_row,
            b_step,
            c_row,
            tuple(Segment(*map(int, fields)) for fields in parsed),
            epilogue,
            int(prefetch or 0),
        )


def _float_bits(value: float) -> str:
    return struct.pack(">f", value).hex()


def _float_from_bits(bits: str) -> float:
    return float(struct.unpack(">f", bytes.fromhex(bits))[0])
