"""Lift's convolution of one workload at one point of its space: what strategies, tuners and reports ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from tvm import tirx

from tvm_directconv.algorithms.base import Conv2dImplementation, Plan
from tvm_directconv.algorithms.packing import as_oihw
from tvm_directconv.model.cost import Cost
from tvm_directconv.problem.element_types import FLOAT32, ROUNDOFF, rounded
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget

from .compute import compute, packed_filter_shape
from .cost import cost
from .geometry import Geometry, geometry, is_channelwise
from .knobs import LiftKnobs
from .schedule import schedule
from .workspace import kernels, workspace_bytes, written

DOT_DEVICES = ("mali", "adreno")
"""Classes of devices whose compilers know best what to make of dot(). PoCL calls a function, and CUDA has
none."""


@dataclass(frozen=True)
class LiftPlan(Plan):
    """A point that satisfies the constraints of its workload and target."""

    workload: Conv2dWorkload
    target: GpuTarget
    knobs: LiftKnobs

    @cached_property
    def geometry(self) -> Geometry:
        found = geometry(self.workload, self.knobs, self.target.machine)
        assert found is not None, "points are checked before there is a plan"
        return found

    def compute(self) -> tirx.PrimFunc:
        return compute(self.workload, self.knobs, self.geometry)

    def schedule(self, func: tirx.PrimFunc) -> tirx.PrimFunc:
        has_dot = self.target.machine.device in DOT_DEVICES
        return schedule(func, self.workload, self.knobs, self.geometry, has_dot)

    @property
    def workspace_bytes(self) -> int:
        same = self.workload.dtype == FLOAT32
        return workspace_bytes(self.knobs, self.geometry, same)

    @property
    def kernels(self) -> tuple[str, ...]:
        """The kernels in the order of their launches: of "pad", "convolve", "sum" and "crop"."""
        return kernels(self.knobs, self.geometry)

    @property
    def written_bytes(self) -> Mapping[str, int]:
        """Bytes of global memory beside the output that each kernel writes."""
        return written(self.knobs, self.geometry)

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return packed_filter_shape(self.workload, self.knobs, self.geometry)

    def pack(self, weights: np.ndarray) -> np.ndarray:
        w, k, g = self.workload, self.knobs, self.geometry
        flat = as_oihw(w, rounded(weights, w.dtype)).transpose(0, 2, 3, 1).reshape(w.out_channels, -1)
        groups = w.out_channels // k.filters
        if is_channelwise(w):
            dealt = flat.reshape(groups, k.filter_threads, g.thread_filters, k.vector, g.steps)
            order = dealt.transpose(0, 4, 2, 1, 3)
        else:
            of_chunks = (g.steps, g.chunks) if k.coalesce else (g.chunks, g.steps)
            dealt = flat.reshape(groups, k.filter_threads, g.thread_filters, *of_chunks, k.vector)
            order = dealt.transpose((0, 3, 2, 4, 1, 5) if k.coalesce else (0, 4, 2, 3, 1, 5))
        return np.ascontiguousarray(order).reshape(self.packed_filter_shape)

    def pack_func(self) -> tirx.PrimFunc | None:
        return None

    def cost(self) -> Cost:
        return cost(self.workload, self.knobs, self.geometry, self.target.machine)

    def describe(self) -> Mapping[str, Any]:
        return asdict(self.knobs)

    def implement(self, name: str, cost: Cost | None) -> Conv2dImplementation:
        return self.implemented(name, cost, self.schedule(self.compute()), self.kernels, self.workspace_bytes)

    @property
    def relative_error(self) -> float:
        """Relative error of sums of rounded products in any order (Higham's gamma); half precision is rounded
        once more."""
        w = self.workload
        terms = w.kernel[0] * w.kernel[1] * w.in_channels // w.groups + w.epilogue.bias + w.epilogue.residual
        unit = ROUNDOFF[FLOAT32]
        summed = terms * unit / (1 - terms * unit)
        return summed if w.out_dtype == FLOAT32 else summed + (1 + summed) * ROUNDOFF[w.out_dtype]
