"""Strategies for any LLVM target: portable kernels, or those of the instruction set the target has."""

from __future__ import annotations

from tvm_directconv.algorithms import direct_nhwc
from tvm_directconv.target import CompileTarget
from tvm_directconv.workload import Conv2dWorkload

from .strategy import OpStrategy, conv2d_strategy


@conv2d_strategy.register("generic")
def conv2d_strategy_generic(workload: Conv2dWorkload, target: CompileTarget) -> OpStrategy:
    """Algorithms that need nothing of the target but what its micro-kernels need."""
    strategy = OpStrategy()
    if direct_nhwc.applies(workload):
        strategy.add_implementation(
            direct_nhwc.compute,
            direct_nhwc.schedule,
            name=direct_nhwc.NAME,
            plevel=10,
            pack=direct_nhwc.pack,
            describe=direct_nhwc.describe,
            workspace_bytes=direct_nhwc.WORKSPACE_BYTES,
        )
    return strategy
