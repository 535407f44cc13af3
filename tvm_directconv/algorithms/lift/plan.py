"""Lift's convolution of one workload at one point of its space: what a strategy, a tuner and a report ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from tvm import te, tirx

from tvm_directconv.algorithms.base import Plan
from tvm_directconv.algorithms.packing import as_oihw
from tvm_directconv.model.cost import Cost
from tvm_directconv.problem.element_types import FLOAT32, ROUNDOFF
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget

from .compute import compute, packed_filter_shape
from .geometry import Geometry, geometry, is_channelwise
from .knobs import LiftKnobs
from .schedule import schedule


@dataclass(frozen=True)
class LiftPlan(Plan):
    """A point that satisfies the constraints of its workload and target."""

    workload: Conv2dWorkload
    target: GpuTarget
    knobs: LiftKnobs

    @cached_property
    def geometry(self) -> Geometry:
        return geometry(self.workload, self.knobs, self.target.machine)

    def compute(self) -> tirx.PrimFunc:
        return compute(self.workload, self.knobs, self.geometry)

    def schedule(self, func: tirx.PrimFunc) -> tirx.PrimFunc:
        return schedule(func, self.workload, self.knobs, self.geometry, self.target.kind == "opencl")

    @property
    def workspace_bytes(self) -> int:
        g = self.geometry
        return g.padded_bytes + g.partial_bytes + g.sums_bytes

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return packed_filter_shape(self.workload, self.knobs, self.geometry)

    def pack(self, weights: np.ndarray) -> np.ndarray:
        w, k, g = self.workload, self.knobs, self.geometry
        flat = as_oihw(w, weights).transpose(0, 2, 3, 1).reshape(w.out_channels, -1)
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

    def cost(self) -> Cost | None:
        return None

    def describe(self) -> Mapping[str, Any]:
        return asdict(self.knobs)
