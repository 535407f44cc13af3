"""Every algorithm, compiled for foreign CPUs, on many shapes under emulation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from algorithm_support import arguments, fitted, lowered, tolerance_of
from covers import some_each
from emulation import CPUS, EmulatedCpu, emulate, emulated_cpus
from half_support import assert_within_bound, half_function, half_operands
from layouts import from_layout
from support import assert_matches, operands, reference_conv2d

from intrinsics.isa import ISAS, best_isa
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.lowering import called_kernels
from tvm_directconv.algorithms.winograd.algorithm import Winograd
from tvm_directconv.problem.element_types import HALVES
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget

FULL = Epilogue(bias=True, residual=True, low=0.0)
CLIPPED = Epilogue(bias=True, low=-6.0, high=9.0)

SHAPES = [
    Conv2dWorkload(1, 14, 14, 8, 40, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(1, 7, 7, 32, 48, (3, 3), padding=(1, 1, 1, 1), epilogue=CLIPPED),
    Conv2dWorkload(1, 12, 12, 16, 16, (1, 1)),
    Conv2dWorkload(1, 9, 9, 21, 19, (1, 1), epilogue=FULL),
    Conv2dWorkload(2, 5, 5, 12, 20, (1, 1), epilogue=FULL),
    Conv2dWorkload(2, 9, 9, 10, 24, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1)),
    Conv2dWorkload(1, 15, 13, 3, 17, (7, 7), (2, 2), (3, 3, 3, 3), epilogue=FULL),
    Conv2dWorkload(1, 11, 11, 5, 13, (5, 5), (1, 1), (2, 2, 2, 2)),
    Conv2dWorkload(1, 13, 12, 17, 19, (1, 5), (1, 2), (0, 2, 0, 1), filter_layout="HWIO"),
    Conv2dWorkload(1, 11, 8, 13, 7, (5, 1), (3, 1), (2, 0, 1, 0), filter_layout="OHWI"),
    Conv2dWorkload(1, 10, 10, 4, 8, (3, 3), dilation=(2, 2), padding=(2, 2, 2, 2)),
    Conv2dWorkload(1, 3, 3, 5, 6, (5, 5), padding=(4, 4, 4, 4), dilation=(2, 2)),
    Conv2dWorkload(1, 5, 5, 1, 40, (5, 5)),
    Conv2dWorkload(1, 7, 6, 2, 9, (7, 6), epilogue=CLIPPED),
    Conv2dWorkload(1, 1, 1, 1, 1, (1, 1)),
    Conv2dWorkload(1, 1, 1, 50, 70, (1, 1), epilogue=FULL),
    Conv2dWorkload(1, 1, 9, 33, 35, (1, 1)),
    Conv2dWorkload(1, 4, 4, 3, 5, (3, 3), (3, 3), (9, 9, 9, 9), epilogue=Epilogue(bias=True)),
    Conv2dWorkload(1, 6, 50, 7, 11, (3, 3), padding=(0, 1, 0, 1)),
    Conv2dWorkload(2, 7, 7, 32, 64, (3, 3), padding=(1, 1, 1, 1), groups=2, epilogue=FULL),
    Conv2dWorkload(1, 7, 7, 16, 8, (3, 3), padding=(1, 1, 1, 1), groups=2),
    Conv2dWorkload(1, 13, 13, 6, 12, (1, 1), (2, 2), groups=3),
    Conv2dWorkload(1, 9, 11, 40, 40, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1), 40, epilogue=FULL),
    Conv2dWorkload(2, 8, 8, 19, 19, (3, 3), padding=(1, 1, 1, 1), groups=19, epilogue=CLIPPED),
    Conv2dWorkload(1, 14, 14, 24, 24, (5, 5), (2, 2), (2, 2, 2, 2), groups=24),
    Conv2dWorkload(1, 6, 6, 300, 9, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(1, 8, 8, 64, 16, (1, 1), (2, 2), epilogue=CLIPPED),
    Conv2dWorkload(1, 17, 5, 6, 33, (3, 1), padding=(1, 0, 1, 0), epilogue=FULL),
    Conv2dWorkload(2, 10, 10, 16, 32, (3, 3), (2, 2), (0, 0, 1, 1)),
    Conv2dWorkload(1, 23, 23, 2, 3, (11, 11), (4, 4), (2, 2, 2, 2), epilogue=FULL),
    Conv2dWorkload(1, 6, 6, 64, 64, (3, 3), padding=(1, 1, 1, 1), groups=4, epilogue=FULL),
    Conv2dWorkload(1, 2, 2, 130, 66, (1, 1), epilogue=FULL),
    Conv2dWorkload(1, 9, 9, 48, 5, (3, 3), dilation=(1, 2), padding=(1, 2, 1, 2)),
    Conv2dWorkload(1, 12, 17, 26, 26, (3, 3), padding=(1, 1, 1, 1), groups=13, epilogue=FULL),
    Conv2dWorkload(1, 9, 11, 13, 26, (3, 3), padding=(1, 1, 1, 1), groups=13, epilogue=FULL),
    Conv2dWorkload(2, 11, 9, 37, 37, (3, 3), padding=(1, 1, 1, 1), groups=37, epilogue=FULL),
]
"""Strided, padded, dilated, grouped, depthwise, odd; larger than one tile in each direction."""
KERNELS = {"cortex-a57": "neon", "neoverse-n1": "neon", "power9": "vsx", "power10": "mma", "rvv": "rvv"}

HALF_SHAPES = [SHAPES[at] for at in (0, 3, 5, 6, 10, 15, 22, 34)]
ALL_HALVES = EmulatedCpu("llvm -mtriple=aarch64-linux-gnu -mattr=+bf16,+fp16fml", "max")
OF_HALVES = [
    (CPUS["cortex-a57"], {"neonhalves"}),
    (CPUS["neoverse-n1"], {"neonhalves", "neonfp16"}),
    (ALL_HALVES, {"neonbf16", "neonbfmmla", "neonfhm"}),
    (CPUS["power10"], {"mmahalves"}),
    (*emulated_cpus(ISAS["rvvfp16"]), {"rvvfp16", "rvvbf16"}),
]

pytestmark = [pytest.mark.emulated]


def shapes_of(name: str, target: CompileTarget) -> list[tuple[Conv2dWorkload, Conv2dWorkload]]:
    """The shapes that an algorithm takes, and each in its layouts; a third of them for Winograd's."""
    algorithm = ALGORITHMS[name]
    taken: dict[Conv2dWorkload, Conv2dWorkload] = {}
    for shape in SHAPES[::3] if isinstance(algorithm, Winograd) else SHAPES:
        shape = fitted(algorithm, shape)
        workload = shape.in_layouts(*algorithm.layouts(shape, target))
        if algorithm.applies(workload):
            taken.setdefault(workload, shape)
    return [(shape, workload) for workload, shape in taken.items()]


@pytest.mark.parametrize(("name", "cpu"), some_each([*ALGORITHMS], [*KERNELS], 3))
def test_algorithm_on_many_shapes(name: str, cpu: str) -> None:
    """Every algorithm on every shape it takes, and either on every CPU: the CPUs take turns."""
    algorithm, emulated = ALGORITHMS[name], CPUS[cpu]
    target = emulated.target
    assert best_isa(target).name == KERNELS[cpu]
    taken = shapes_of(name, target)
    # Algorithms that sum over channels leave depthwise layers out, blocks odd groups, borders single taps.
    plain = isinstance(algorithm, Winograd)
    assert len(taken) >= (8 if plain else 23 if name == "bordered_nhwc" else 25)
    functions, calls, cases = {}, [], []
    first = ([*ALGORITHMS].index(name) + [*KERNELS].index(cpu)) % len(KERNELS)
    for number, (shape, workload) in enumerate(taken[first :: len(KERNELS)]):
        plan = algorithm.plan(workload, target)
        functions[f"case{number}"] = lowered(plan)
        drawn = operands(shape)
        calls.append((f"case{number}", arguments(plan, drawn)))
        cases.append((workload, reference_conv2d(shape, *drawn)))
    kernels = {kernel for func in functions.values() for kernel in called_kernels(func.body)}
    assert all(kernel.split("__")[0].endswith(KERNELS[cpu]) for kernel in kernels)
    for (workload, want), result in zip(cases, emulate(emulated, functions, calls), strict=True):
        got = from_layout(result.tensors[-1], workload.out_layout, workload.out_channels)
        tolerance = tolerance_of(algorithm, workload, target)
        assert_matches(got, want, f"{name} on {cpu}: {workload}", tolerance)
        assert result.peak_bytes == algorithm.plan(workload, target).workspace_bytes, str(workload)


@pytest.mark.parametrize("cpu", ["cortex-a57", "power10"])
def test_two_threads_have_workspace_of_their_own(cpu: str) -> None:
    algorithm, emulated = ALGORITHMS["sconv"], CPUS[cpu]
    shape = SHAPES[0]
    workload = shape.in_layouts("NCHW")
    plan = algorithm.plan(workload, emulated.target)
    drawn = operands(shape)
    (result,) = emulate(emulated, {"conv": lowered(plan)}, [("conv", arguments(plan, drawn))], threads=2)
    want = reference_conv2d(shape, *drawn)
    assert_matches(from_layout(result.tensors[-1], "NCHW", 40), want, cpu)
    assert result.peak_bytes <= 2 * plan.workspace_bytes


@pytest.mark.parametrize(("emulated", "kernels"), OF_HALVES, ids=[cpu.model for cpu, _ in OF_HALVES])
def test_half_precision(emulated: EmulatedCpu, kernels: set[str]) -> None:
    """In both types by both algorithms that compute them, each within the error that its plan states."""
    functions, calls, cases = {}, [], []
    for number, shape in enumerate(HALF_SHAPES):
        dtype = HALVES[number % 2]
        for name in ("direct_nhwc", "im2col_gemm"):
            workload = replace(
                shape, data_layout="NHWC", out_layout="NHWC", dtype=dtype, to_float32=number % 3 == 2
            )
            algorithm = ALGORITHMS[name]
            if not algorithm.applies(workload):
                continue
            given = half_operands(workload, number)
            function, operands = half_function(algorithm, workload, emulated.target, given)
            functions[f"{name}{number}"] = function
            calls.append((f"{name}{number}", operands))
            bound = algorithm.plan(workload, emulated.target).relative_error
            cases.append((workload, given, bound))
    used = {kernel for func in functions.values() for kernel in called_kernels(func.body)}
    assert {kernel.split("__")[0].split("_")[-1] for kernel in used} == kernels
    for (workload, given, bound), result in zip(cases, emulate(emulated, functions, calls), strict=True):
        assert_within_bound(result.tensors[-1], workload, given, bound + 1e-6)
