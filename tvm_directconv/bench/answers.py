"""The right answers, and what may differ from them.

Floats may differ by rounding, relative to the largest output. 8-bit answers may differ by units: only
there, where rounding of the requantized value is free, layers may differ, by one. A network passes such
units on, and a deep one without residual additions magnifies them: between evaluations of VGG-19 in floats,
in integers, and by any library, one output in twenty differs by two units, and a few by three; of the
detector, which quantizes 239 times, one in a hundred by more than two, and a few by five. A wrong convolution
makes tens. Networks that magnify more, as deep attention does, say so themselves: of ViT-B/16 with drawn
weights the reference's own answer, to inputs in which the last bits of floats differ, is off by more than
three units in one output of twelve, and by seven in some.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# float32 sums in any order stay this close to the exact answer, relative to the largest output; a
# wrong convolution is off by about 1.
LAYER_TOLERANCE = 1e-4
NETWORK_TOLERANCE = 1e-3

HALF_TOLERANCE = {"bfloat16": 0.1, "float16": 0.02}
"""Networks in half precision round what is between their layers, and are off by a tenth of this."""

COMMON_SHARE = 0.99
LEAST_SHARE = 0.7
UNSTEADY = 2
"""Rounding on the way may move answers by so many times what rounding of the inputs does."""


@dataclass(frozen=True)
class Units:
    """What an 8-bit answer may be off: ``common`` units in ``share`` of its elements, ``most`` in others."""

    common: int
    most: int
    share: float = COMMON_SHARE

    def wrong(self, outputs: list[np.ndarray], references: list[np.ndarray]) -> str:
        """Say what is wrong with outputs in units, of the right shapes; nothing if they are right."""
        for units, share in self._off(outputs, references):
            if units > self.most or share < self.share:
                return (
                    f"wrong result: up to {units} units off, {share:.1%} within {self.common}; "
                    f"{self.most} allowed, {self.share:.0%} required"
                )
        return ""

    def widened(self, shaken: list[np.ndarray], references: list[np.ndarray]) -> Units:
        """Return what is allowed where the reference of inputs that differ by rounding is ``shaken``: twice
        its units, and twice its share beyond the common ones, as long as most are within them."""
        off = self._off(shaken, references)
        most = max(self.most, *(UNSTEADY * units for units, _ in off))
        share = min(self.share, *(1 - UNSTEADY * (1 - share) for _, share in off))
        return Units(self.common, most, max(LEAST_SHARE, share))

    def _off(self, outputs: list[np.ndarray], references: list[np.ndarray]) -> list[tuple[int, float]]:
        """The most units that each output is off, and the share of its elements within the common ones."""
        found = []
        for output, reference in zip(outputs, references, strict=True):
            units = np.rint(np.abs(output.astype(np.float64) - reference.astype(np.float64))).astype(int)
            found.append((int(units.max(initial=0)), float((units <= self.common).mean())))
        return found


OF_LAYERS, OF_NETWORKS = Units(0, 1), Units(3, 8)


def within(tolerance: float, outputs: list[np.ndarray], references: list[np.ndarray]) -> tuple[float, str]:
    """Return (``relative_error``, what is wrong where it is beyond the tolerance)."""
    error = relative_error(outputs, references)
    if error <= tolerance:
        return error, ""
    return error, f"wrong result: off by {error:.1e} of the largest output, {tolerance:.0e} allowed"


def within_units(
    allowed: Units, outputs: list[np.ndarray], references: list[np.ndarray]
) -> tuple[float, str]:
    """Return (``relative_error`` of outputs in units, what is wrong where they are further off)."""
    error = relative_error(outputs, references)
    if not np.isfinite(error):
        return error, "wrong result: other shapes than the reference's"
    return error, allowed.wrong(outputs, references)


def relative_error(outputs: list[np.ndarray], references: list[np.ndarray]) -> float:
    """Return the largest deviation over the largest value, of the worst output; infinity for wrong shapes."""
    if len(outputs) != len(references):
        return float("inf")
    worst = 0.0
    for output, reference in zip(outputs, references, strict=True):
        if output.shape != reference.shape or not np.isfinite(output).all():
            return float("inf")
        scale = float(np.abs(reference).max()) or 1.0
        difference = output.astype(np.float64) - reference.astype(np.float64)
        worst = max(worst, float(np.abs(difference).max()) / scale)
    return worst
