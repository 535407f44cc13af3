"""Quantized convolutions: what code depends on, and the bias that takes zero points off.

A quantized tensor stands for ``scale * (value - zero)`` (ONNX's QuantizeLinear). A convolution of 8-bit
tensors sums ``(data - data_zero) * (filter - filter_zero)`` in int32. The filter's zero point is taken off as
it is packed. The input's is not: kernels multiply what lies in memory, skip taps outside the image (which
stand for zero), and start from a bias that has ``data_zero * sum of the filter's visited taps`` taken off. At
borders fewer taps are visited, so that there is one such bias for each set of them (Jacob et al.,
"QuantizedTypes and training of neural networks for efficient integer-arithmetic-only inference", section 2.3,
equation 7, whose other sums the packed filter makes vanish).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tvm_directconv.errors import WorkloadError

if TYPE_CHECKING:
    from .workload import Conv2dWorkload

RANGES = {"uint8": (0, 255), "int8": (-128, 127)}
TERMS = {"int8": 1, "uint8": 3, "int9": 2, "int10": 3}
"""How many int8 filters it takes to sum up to one of that range: int9 is -256 to 254."""
SHORT = {"uint8": "u8", "int8": "s8", "int32": "i32", "float32": "f32"}
"""Types as micro-kernels' names have them."""
MOST_SUM = 2**31 - 1


@dataclass(frozen=True)
class QuantizedTypes:
    """What the code of an 8-bit convolution depends on; scales are run-time data.

    ``out_dtype`` int32 stores the sums, float32 ``scale[oc] * sum``, int8 and uint8 that rounded to nearest
    even, plus ``out_zero``, saturated. ``filter_dtype`` is the range of the filter less its zero point, one
    of ``TERMS``; ``largest_weight`` bounds its magnitude where instruction sets have faster kernels for less
    than all of int8.
    """

    out_dtype: str = "int32"
    data_zero: int = 0
    out_zero: int = 0
    filter_dtype: str = "int8"
    largest_weight: int = 128

    def __post_init__(self) -> None:
        if self.out_dtype not in SHORT:
            raise WorkloadError(f"out_dtype '{self.out_dtype}' is not one of {', '.join(SHORT)}")
        if self.filter_dtype not in TERMS:
            raise WorkloadError(f"filter_dtype '{self.filter_dtype}' is not one of {', '.join(TERMS)}")
        if self.out_dtype not in RANGES and self.out_zero:
            raise WorkloadError(f"{self.out_dtype} outputs have no zero point, got {self.out_zero}")
        low, high = RANGES.get(self.out_dtype, (0, 0))
        if not low <= self.out_zero <= high:
            raise WorkloadError(f"zero point {self.out_zero} is outside of {self.out_dtype}")

    def stored_bounds(self, low: float, high: float) -> tuple[float, float]:
        """What to clip to, before the zero point is added, so that ``low`` and ``high`` hold and 8-bit
        outputs do not overflow."""
        if self.out_dtype not in RANGES:
            return low, high
        least, most = (bound - self.out_zero for bound in RANGES[self.out_dtype])
        return float(min(max(low, least), most)), float(min(max(high, least), most))

    def text(self, dtype: str) -> str:
        """With the input's dtype, as workload descriptors hold it: ``uint8z3-int8w127-uint8``."""
        weights = f"w{self.largest_weight}" if self.largest_weight != 128 else ""
        out = f"{self.out_dtype}{_zero_text(self.out_zero)}"
        return f"{dtype}{_zero_text(self.data_zero)}-{self.filter_dtype}{weights}-{out}"

    @staticmethod
    def parse(text: str) -> tuple[str, QuantizedTypes | None]:
        """(dtype, quantization) of such a text; None where it is a dtype alone."""
        if "-" not in text:
            return text, None
        match = re.fullmatch(r"(u?int8)(?:z(m?\d+))?-(u?int\d+)(?:w(\d+))?-([a-z]+\d+?)(?:z(m?\d+))?", text)
        if not match:
            raise WorkloadError(f"'{text}' is no quantization; one looks like 'uint8z3-int8-uint8z128'")
        dtype, data_zero, filters, largest, out, out_zero = match.groups()
        zero, result_zero = (int((text or "0").replace("m", "-")) for text in (data_zero, out_zero))
        return dtype, QuantizedTypes(out, zero, result_zero, filters, int(largest or 128))


def _zero_text(zero: int) -> str:
    return f"z{zero}".replace("-", "m") if zero else ""


def filter_range(weights: np.ndarray) -> tuple[str, int]:
    """(filter_dtype, largest_weight) that hold integer ``weights``; bounds in steps that kernels ask for."""
    low, high = int(weights.min(initial=0)), int(weights.max(initial=0))
    largest = max(-low, high)
    if largest <= 128 and high < 128:
        return "int8", next(bound for bound in (64, 127, 128) if largest <= bound)
    if low >= 0:
        return "uint8", 128
    return ("int9" if high <= 254 else "int10"), 128


@dataclass(frozen=True)
class Taps:
    """Along one axis, which taps each output position visits: runs of positions with the same taps.

    ``starts`` are the first positions of the runs, ``ranges`` their (first tap, tap behind the last).
    """

    starts: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]

    def run_of(self, position: int) -> int:
        """The run that a position is in."""
        return sum(start <= position for start in self.starts) - 1


def visited_taps(workload: Conv2dWorkload, axis: int) -> Taps:
    """Of the output's rows (axis 0) or columns (1)."""
    w = workload
    size, outputs = ((w.height, w.out_height), (w.width, w.out_width))[axis]
    before, stride, dilation, taps = w.padding[axis], w.strides[axis], w.dilation[axis], w.kernel[axis]
    starts: list[int] = []
    ranges: list[tuple[int, int]] = []
    for position in range(outputs):
        origin = position * stride - before
        first = max(0, -(origin // dilation))
        last = min(taps, (size - 1 - origin) // dilation + 1)
        visited = (first, last) if first < last else (0, 0)
        if not ranges or ranges[-1] != visited:
            starts.append(position)
            ranges.append(visited)
    return Taps(tuple(starts), tuple(ranges))


def bias_table(
    workload: Conv2dWorkload, zero: int, weights: np.ndarray, bias: np.ndarray | None, runs: Sequence[Taps]
) -> np.ndarray:
    """int32 (row runs * column runs, OC): bias less ``zero`` times the filter's taps that each run visits.

    ``weights`` are integers in OIHW, their zero point taken off; ``bias`` int32 (OC,).
    Raises WorkloadError where a sum might not fit int32.
    """
    start = np.zeros(len(weights), np.int64) if bias is None else bias.astype(np.int64)
    bound = np.abs(weights).sum((1, 2, 3), dtype=np.int64) * (255 + abs(zero)) + np.abs(start)
    if bound.max() > MOST_SUM:
        raise WorkloadError(
            f"sums of channel {int(bound.argmax())} may reach {bound.max()}, beyond int32: {workload}"
        )
    per_tap = weights.sum(1, dtype=np.int64)
    rows = [
        start - zero * per_tap[:, top:bottom, left:right].sum((1, 2))
        for top, bottom in runs[0].ranges
        for left, right in runs[1].ranges
    ]
    return np.stack(rows).astype(np.int32)
