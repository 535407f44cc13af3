"""Strategies for any LLVM target: portable kernels, or those of the instruction set the target has."""

from __future__ import annotations

from tvm_directconv.algorithms import ALGORITHMS, BYTE_ALGORITHMS
from tvm_directconv.target import CompileTarget
from tvm_directconv.workload import Conv2dWorkload

from .strategy import OpStrategy, conv2d_strategy


@conv2d_strategy.register("generic")
def conv2d_strategy_generic(workload: Conv2dWorkload, target: CompileTarget) -> OpStrategy:
    """Every algorithm that applies: they need nothing of the target but what its micro-kernels need."""
    strategy = OpStrategy()
    for algorithm in (BYTE_ALGORITHMS if workload.quantized else ALGORITHMS).values():
        strategy.add_algorithm(algorithm, workload, target)
    return strategy
