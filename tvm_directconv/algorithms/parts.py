"""What a convolution that reads a part of its operand in place sees of it: channels, or frames."""

from __future__ import annotations

from tvm import te, tirx

from tvm_directconv.problem.workload import Conv2dWorkload

from .lowering import FOLDED


def te_part(workload: Conv2dWorkload, data: te.Tensor) -> te.Tensor:
    """Return the channels of the input that are its part of ``data``."""
    first, _ = workload.data_slice
    return te.compute(
        workload.input_shape, lambda n, y, x, c: data[n, y, x, first + c], name="part", attrs=FOLDED
    )


def te_frames(workload: Conv2dWorkload, data: te.Tensor) -> te.Tensor:
    """Return the frames that each image sees, side by side."""
    frames = workload.storage.frames
    assert frames is not None
    each = workload.in_channels // frames.taps

    def element(n: tirx.Var, y: tirx.Var, x: tirx.Var, c: tirx.Var) -> tirx.Expr:
        frame = n % frames.count * frames.stride - frames.before + c // each * frames.dilation
        inside = tirx.all(frame >= 0, frame < frames.depth)
        value = data[n // frames.count * frames.depth + frame, y, x, c % each]
        return tirx.if_then_else(inside, value, tirx.const(0, workload.dtype))

    return te.compute(workload.input_shape, element, name="frames", attrs=FOLDED)
