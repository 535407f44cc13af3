"""Quantized convolutions: what code depends on, and the bias that takes zero points off.

A quantized tensor stands for ``scale * (value - zero)`` (ONNX's QuantizeLinear). A convolution of 8-bit
tensors sums ``(data - data_zero) * (filter - filter_zero)`` in int32. The filter's zero point is taken off as
it is packed. The input's is not: kernels multiply what lies in memory, skip taps outside the image (which
stand for zero), and start from a bias that has ``data_zero * sum of the filter's visited taps`` taken off
(Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference",
section 2.3, equation 7, whose other sums the packed filter makes vanish; ``taps.bias_table``).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from intrinsics.epilogue import ChannelScale, TileEpilogue
from tvm_directconv.errors import WorkloadError

from .integers import integer

RANGES = {"uint8": (0, 255), "int8": (-128, 127)}
TERMS = {"int8": 1, "uint8": 3, "int9": 2, "int10": 3}
"""How many int8 filters it takes to sum up to one of that range: int9 is -256 to 254."""
SHORT = {"uint8": "u8", "int8": "s8", "int32": "i32", "float32": "f32"}
"""Types as micro-kernels' names have them."""


@dataclass(frozen=True)
class QuantizedTypes:
    """The types that the code of an 8-bit convolution depends on; scales are run-time data.

    Attributes:
        out_dtype: "int32" stores the sums, "float32" ``scale[oc] * sum``, "int8" and "uint8" that rounded to
            nearest even, plus ``out_zero``, saturated.
        data_zero: The input's zero point.
        out_zero: The output's zero point.
        filter_dtype: The range of the filter less its zero point, one of ``TERMS``.
        largest_weight: A bound of the filter's magnitude, where instruction sets have faster kernels for less
            than all of int8.
    """

    out_dtype: str = "int32"
    data_zero: int = 0
    out_zero: int = 0
    filter_dtype: str = "int8"
    largest_weight: int = 128

    def __post_init__(self) -> None:
        for name in ("data_zero", "out_zero", "largest_weight"):
            object.__setattr__(self, name, integer(getattr(self, name), name))
        if self.out_dtype not in SHORT:
            raise WorkloadError(f"out_dtype '{self.out_dtype}' is not one of {', '.join(SHORT)}")
        if self.filter_dtype not in TERMS:
            raise WorkloadError(f"filter_dtype '{self.filter_dtype}' is not one of {', '.join(TERMS)}")
        if self.out_dtype not in RANGES and self.out_zero:
            raise WorkloadError(f"{self.out_dtype} outputs do not have a zero point, got {self.out_zero}")
        low, high = RANGES.get(self.out_dtype, (0, 0))
        if not low <= self.out_zero <= high:
            raise WorkloadError(f"zero point {self.out_zero} is outside of {self.out_dtype}")
        if not 1 <= self.largest_weight <= 128:
            raise WorkloadError(f"largest_weight is from 1 to 128, got {self.largest_weight}")

    def stored(self, epilogue: TileEpilogue, channels: int) -> TileEpilogue:
        """Return the epilogue of scaled sums before the zero point is added: the steps, and a clip with which
        8-bit outputs do not overflow. With a residual, sums are scaled by the first of the steps, whose
        constants lie behind so many channels' biases."""
        least, most = -math.inf, math.inf
        if self.out_dtype in RANGES:
            least, most = (float(bound - self.out_zero) for bound in RANGES[self.out_dtype])
        scaling = [ChannelScale(channels)] if epilogue.residual else []
        return TileEpilogue(bias=True, low=least, high=most, steps=[*scaling, *epilogue.steps])

    def text(self, dtype: str) -> str:
        """Return the text of workload descriptors, which has the input's dtype, too:
        ``uint8z3-int8w127-uint8``."""
        weights = f"w{self.largest_weight}" if self.largest_weight != 128 else ""
        out = f"{self.out_dtype}{_zero_text(self.out_zero)}"
        return f"{dtype}{_zero_text(self.data_zero)}-{self.filter_dtype}{weights}-{out}"

    @staticmethod
    def parse(text: str) -> tuple[str, QuantizedTypes | None]:
        """Parse such a text to (dtype, quantization); quantization is None for a dtype alone."""
        if "-" not in text:
            return text, None
        match = re.fullmatch(r"(u?int8)(?:z(m?\d+))?-(u?int\d+)(?:w(\d+))?-([a-z]+\d+?)(?:z(m?\d+))?", text)
        if not match:
            raise WorkloadError(f"'{text}' is not a quantization; one looks like 'uint8z3-int8-uint8z128'")
        dtype, data_zero, filters, largest, out, out_zero = match.groups()
        zero, result_zero = (int((text or "0").replace("m", "-")) for text in (data_zero, out_zero))
        return dtype, QuantizedTypes(out, zero, result_zero, filters, int(largest or 128))


def _zero_text(zero: int) -> str:
    return f"z{zero}".replace("-", "m") if zero else ""


def filter_range(weights: np.ndarray) -> tuple[str, int]:
    """Return (filter_dtype, largest_weight) that hold integer ``weights``; bounds in steps that kernels ask
    for."""
    low, high = int(weights.min(initial=0)), int(weights.max(initial=0))
    largest = max(-low, high)
    if largest <= 128 and high < 128:
        return "int8", next(bound for bound in (64, 127, 128) if largest <= bound)
    if low >= 0:
        return "uint8", 128
    return ("int9" if high <= 254 else "int10"), 128
