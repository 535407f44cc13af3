"""The strategy of GPU targets: Lift's convolution where it applies; what it does not take, TVM's dlight
schedules."""

from __future__ import annotations

from typing import Any

from tvm_directconv.algorithms.lift.algorithm import Lift
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget

from .strategy import OpStrategy, conv2d_strategy

KEYS = ("mali", "adreno", "opencl", "cuda")
"""Each has a key, so that its strategy can be replaced alone."""


LIFT = Lift()
DEFAULT = "dlight"
"""The algorithm of layers that no strategy has anything for: TVM's own definition and schedule."""


def conv2d_strategy_gpu(workload: Conv2dWorkload, target: GpuTarget) -> OpStrategy:
    """Every algorithm for GPUs that applies."""
    strategy = OpStrategy()
    strategy.add_algorithm(LIFT, workload, target)
    return strategy


def is_offered(workload: Conv2dWorkload, target: GpuTarget, algorithm: str) -> bool:
    """Return whether the target's strategy has something for a layer, and it is not to be TVM's own."""
    registered: Any = conv2d_strategy  # of targets of either kind
    return algorithm != DEFAULT and bool(registered(workload, target).implementations)


for _key in KEYS:
    conv2d_strategy.register(_key)(conv2d_strategy_gpu)
