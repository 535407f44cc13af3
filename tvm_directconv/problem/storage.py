"""Storage: where the tensors of a convolution lie, decided by the network around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm_directconv.errors import WorkloadError

from .element_types import FLOAT32
from .frames import Frames


@dataclass(frozen=True)
class Storage:
    """The larger tensors that a convolution reads and writes in place; by default it has tensors of its own.

    With ``data_part`` the input is a part of the channels of an NHWC tensor: (first channel, channels of that
    tensor). The function is given that tensor, and reads its part in place. With ``out_part`` the function
    writes its part of an NHWC tensor, and leaves the rest of it unchanged; there is no residual then.

    With ``frames`` the input's channels are those of several frames of a video, as the taps of depth of a 3-D
    convolution see them. The function is given the video, (N x depth, H, W, channels of a frame), reads
    frames in place, and multiplies only frames that exist.
    """

    data_part: tuple[int, int] | None = None
    out_part: tuple[int, int] | None = None
    frames: Frames | None = None

    def check(self, w: Any) -> None:
        """Raise WorkloadError if a ``Conv2dWorkload`` cannot have its tensors there."""
        for part, channels, layout in (
            (self.data_part, w.in_channels, w.data_layout),
            (self.out_part, w.out_channels, w.out_layout),
        ):
            if part is None:
                continue
            if layout != "NHWC" or w.quantized:
                raise WorkloadError("only floats in NHWC are read or written in parts")
            if not 0 <= part[0] <= part[1] - channels:
                raise WorkloadError(f"{channels} channels from {part[0]} on are not a part of {part[1]}")
        if self.out_part is not None and w.epilogue.residual:
            raise WorkloadError("what is written to a part of a tensor takes no residual")
        if self.frames is None:
            return
        if w.data_layout != "NHWC" or w.dtype != FLOAT32 or w.groups > 1 or self.data_part:
            raise WorkloadError("only float32 in NHWC, not in groups nor a part, is read from frames")
        if w.in_channels % self.frames.taps or w.batch % self.frames.count:
            raise WorkloadError(
                f"{w.batch} images of {w.in_channels} channels are not of frames {self.frames}"
            )


WHOLE = Storage()
"""The convolution reads and writes tensors of its own."""
