"""The strategy of every LLVM target: all algorithms that apply, on the kernels its instruction sets have."""

from __future__ import annotations

from tvm_directconv.algorithms import ALGORITHMS, BYTE_ALGORITHMS
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.machine import KEYS
from tvm_directconv.targets.target import CompileTarget

from .strategy import OpStrategy, conv2d_strategy


def conv2d_strategy_generic(workload: Conv2dWorkload, target: CompileTarget) -> OpStrategy:
    """Return the strategy that targets have by themselves: every algorithm that applies.

    Args:
        workload: The layer.
        target: The resolved target.
    """
    strategy = OpStrategy()
    for algorithm in (BYTE_ALGORITHMS if workload.quantized else ALGORITHMS).values():
        strategy.add_algorithm(algorithm, workload, target)
    return strategy


# Algorithms need nothing of a target but what its micro-kernels need, which follow from its features; each
# architecture has a key, so that its strategy can be replaced alone.
for _key in ("generic", *KEYS):
    conv2d_strategy.register(_key)(conv2d_strategy_generic)
