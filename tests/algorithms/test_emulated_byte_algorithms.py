"""Quantized convolutions compiled for foreign CPUs, on many shapes under emulation: exact."""

from __future__ import annotations

import numpy as np
import pytest
from byte_support import arguments, draw_operands, quantized, reference
from covers import some_each
from emulation import CPUS, emulate
from test_emulated_algorithms import SHAPES

from tvm_directconv.algorithms import BYTE_ALGORITHMS
from tvm_directconv.algorithms.lowering import called_kernels
from tvm_directconv.problem.quantized_types import QuantizedTypes

DOT = {"neondot", "neonudot"}
KERNELS = {
    "cortex-a57": {
        "direct_nhwc": {"portablebytes", "neonwide"},
        "bordered_nhwc": {"portablebytes"},
        "im2col_gemm": {"neonsmull", "neonsmlal", "neonumull"},
    },
    "neoverse-n1": {"direct_nhwc": {*DOT, "neonwide"}, "bordered_nhwc": DOT, "im2col_gemm": DOT},
    "armv8.6": {
        "direct_nhwc": {"neonmixed", "neonwide"},
        "bordered_nhwc": {"neonmixed"},
        "im2col_gemm": {"neoni8mm"},
    },
    "power9": {name: {"portablebytes"} for name in BYTE_ALGORITHMS},
    "power10": {
        "direct_nhwc": {"mmabytes", "portablebytes"},
        "bordered_nhwc": {"mmabytes"},
        "im2col_gemm": {"mmabytes"},
    },
    "rvv": {name: {"rvvbytes"} for name in BYTE_ALGORITHMS},
}
"""Instruction sets of the kernels each CPU is given, the depthwise ones among them."""
TYPES = [
    ("uint8", QuantizedTypes("uint8", 0, 0)),
    ("uint8", QuantizedTypes("uint8", 255, 3, "int8", 127)),
    ("int8", QuantizedTypes("int8", -128, 127)),
    ("int8", QuantizedTypes("int32", 5)),
    ("uint8", QuantizedTypes("float32", 128, 0, "uint8")),
    ("uint8", QuantizedTypes("int32", 1, 0, "int9")),
]

pytestmark = [pytest.mark.emulated]


@pytest.mark.parametrize(("name", "cpu"), some_each([*BYTE_ALGORITHMS], [*KERNELS], 4))
def test_algorithm_on_many_shapes(name: str, cpu: str) -> None:
    algorithm, emulated = BYTE_ALGORITHMS[name], CPUS[cpu]
    functions, calls, cases = {}, [], []
    for number, shape in enumerate(SHAPES):
        workload = quantized(shape, *TYPES[number % len(TYPES)])
        if not algorithm.applies(workload):
            continue
        operands = draw_operands(workload, number)
        function, arrays = arguments(algorithm, workload, emulated.target, operands)
        functions[f"case{number}"] = function
        calls.append((f"case{number}", arrays))
        cases.append((workload, reference(workload, operands)))
    assert len(cases) >= (23 if name == "bordered_nhwc" else 25)
    kernels = {kernel for func in functions.values() for kernel in called_kernels(func.body)}
    assert {kernel.split("__")[0].split("_")[-1] for kernel in kernels} == KERNELS[cpu][name]
    for (workload, want), result in zip(cases, emulate(emulated, functions, calls), strict=True):
        np.testing.assert_array_equal(result.tensors[-1], want, f"{name} on {cpu}: {workload}")
        assert result.peak_bytes == algorithm.plan(workload, emulated.target).workspace_bytes, str(workload)
