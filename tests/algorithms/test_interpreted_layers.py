"""Convolutions planned for CPUs with AMX, their kernels interpreted where the host has none: exact."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from byte_support import arguments, draw_operands, quantized, reference
from emulation.x86.functions import kernels_interpreted
from support import with_threads
from test_byte_algorithms import FULL

from intrinsics.x86.tiles import AMX_STATE
from tvm_directconv.algorithms import BYTE_ALGORITHMS
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

SAPPHIRE_RAPIDS = "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"
LAYERS = [
    Conv2dWorkload(1, 18, 18, 80, 40, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(2, 9, 9, 20, 41, (1, 1), epilogue=FULL),
    Conv2dWorkload(1, 14, 14, 3, 35, (5, 5), (2, 2), (2, 2, 2, 2), epilogue=FULL),
    Conv2dWorkload(2, 7, 7, 64, 128, (3, 3), padding=(1, 1, 1, 1), groups=4),
]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("name", BYTE_ALGORITHMS)
@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_layers_of_tiles_are_exact(layer: Conv2dWorkload, name: str, dtype: str) -> None:
    workload = quantized(layer, dtype, QuantizedTypes(dtype, 7, 9))
    algorithm, operands = BYTE_ALGORITHMS[name], draw_operands(workload)
    if not algorithm.applies(workload):
        pytest.skip(f"{name} does not compute it")

    def run() -> np.ndarray:
        func, arrays = arguments(algorithm, workload, resolve_target(SAPPHIRE_RAPIDS), operands)
        host = resolve_target("llvm -mcpu=native")
        module = tvm.compile(func.with_attr("global_symbol", "conv2d"), target=host.tvm_target)
        tensors = [tvm.runtime.tensor(array) for array in arrays]
        module["conv2d"](*tensors)
        return tensors[-1].numpy()

    with kernels_interpreted() as calls:
        got = with_threads(1, run)
    np.testing.assert_array_equal(got, reference(workload, operands), str(workload))
    if AMX_STATE.entering in calls:
        entered, left = calls[AMX_STATE.entering], calls[AMX_STATE.leaving]
        kernels = sum(count for routine, count in calls.items() if "_row_amx" in routine)
        assert entered == left and entered * 2 <= kernels, "states are entered by tasks, not by kernels"
