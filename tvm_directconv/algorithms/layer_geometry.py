"""Extents that the geometries of several algorithms share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from intrinsics.instruction_set import Isa
from tvm_directconv.problem.workload import Conv2dWorkload


@dataclass(frozen=True)
class LayerGeometry:
    """One workload as an algorithm's kernels see it."""

    workload: Conv2dWorkload
    isa: Isa

    @cached_property
    def flattened(self) -> bool:
        """Whether rows may be joined: each output pixel needs its own input pixel alone."""
        return flattens(self.workload)

    @property
    def taps(self) -> int:
        """Taps of the filter."""
        return self.workload.kernel[0] * self.workload.kernel[1]

    @property
    def group_in(self) -> int:
        """Input channels of a group."""
        return self.workload.in_channels // self.workload.groups

    @property
    def group_out(self) -> int:
        """Output channels of a group."""
        return self.workload.out_channels // self.workload.groups


def flattens(workload: Conv2dWorkload) -> bool:
    """Return whether a workload is 1x1, of stride 1 and without padding: its rows may be joined."""
    w = workload
    pointwise = w.kernel == (1, 1) and w.strides == (1, 1) and w.padding == (0, 0, 0, 0)
    return pointwise and w.storage.frames is None
