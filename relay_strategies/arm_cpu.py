"""Strategies for Arm."""

from __future__ import annotations

from tvm_directconv.target import CompileTarget
from tvm_directconv.workload import Conv2dWorkload

from .generic import conv2d_strategy_generic
from .strategy import OpStrategy, conv2d_strategy


@conv2d_strategy.register("arm_cpu")
def conv2d_strategy_arm_cpu(workload: Conv2dWorkload, target: CompileTarget) -> OpStrategy:
    """The generic algorithms; kernels follow the target's instruction set."""
    return conv2d_strategy_generic(workload, target)
