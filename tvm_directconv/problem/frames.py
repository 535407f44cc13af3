"""Frames of a video that the taps of depth of a 3-D convolution see, as channels of one image each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tvm_directconv.errors import WorkloadError


@dataclass(frozen=True)
class Frames:
    """The frames that make the images of a 3-D convolution, from videos of ``depth`` frames.

    Image ``t`` of the ``count`` of each video has, side by side as channels, the frames
    ``t * stride - before + tap * dilation`` of ``taps`` taps; zeros stand for frames that do not exist.
    """

    depth: int
    count: int
    taps: int
    stride: int = 1
    before: int = 0
    dilation: int = 1

    def __post_init__(self) -> None:
        if min(self.depth, self.count, self.taps, self.stride, self.dilation) < 1 or self.before < 0:
            raise WorkloadError(f"frames {self} have an extent below 1, or negative padding")

    def seen(self, image: int) -> tuple[int, int]:
        """Return the first tap of an image that sees a frame, and the one behind the last; (0, 0) if none
        does."""
        begin = image * self.stride - self.before
        first = max(0, -(begin // self.dilation))
        last = min(self.taps, (self.depth - 1 - begin) // self.dilation + 1)
        return (first, last) if first < last else (0, 0)

    @property
    def share(self) -> float:
        """The share of all taps of all images that see a frame."""
        seen = map(self.seen, range(self.count))
        return sum(last - first for first, last in seen) / (self.count * self.taps)

    def __str__(self) -> str:
        return f"{self.depth}to{self.count}t{self.taps}s{self.stride}p{self.before}d{self.dilation}"

    PATTERN = r"\d+to\d+t\d+s\d+p\d+d\d+"

    @staticmethod
    def parse(text: str) -> Frames:
        """Parse a text that matches ``PATTERN``, the inverse of ``str``."""
        return Frames(*map(int, re.findall(r"\d+", text)))
