"""What several tests need: targets this host can run, the float64 reference, counting of allocations."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
import tvm
import tvm_ffi

from tvm_directconv.errors import TargetError
from tvm_directconv.target import CompileTarget, require_host, resolve_target
from tvm_directconv.workload import Conv2dWorkload

ISA_TARGETS = {
    "avx512": "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512",
    "avx2": "llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma",
    "portable": "llvm",
}
"""A target per instruction set; kernels of each run where the host has it."""

Result = TypeVar("Result")
ONE_CPU_PER_WORKER = -2
"""runtime.config_threadpool's mode that places each worker on the CPU listed for it."""

TOLERANCE = 1e-5
"""Of float32 against float64, relative to the largest output (after clipping, which may make that small)."""


def runnable_target(isa: str) -> CompileTarget:
    """The instruction set's target; skips the test where this host cannot run it."""
    target = resolve_target(ISA_TARGETS[isa])
    try:
        require_host(target)
    except TargetError as error:
        pytest.skip(str(error))
    return target


def operands(workload: Conv2dWorkload, seed: int = 0) -> tuple[np.ndarray | None, ...]:
    """(data, weights, bias, residual), float32; the last two None where the epilogue has none."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, np.float32)

    bias = draw(workload.out_channels) if workload.epilogue.bias else None
    residual = draw(*workload.output_shape) if workload.epilogue.residual else None
    return draw(*workload.input_shape), draw(*workload.filter_shape), bias, residual


def reference_conv2d(
    workload: Conv2dWorkload,
    data: np.ndarray,
    weights: np.ndarray,
    bias: np.ndarray | None,
    residual: np.ndarray | None,
) -> np.ndarray:
    """The convolution in float64, from its definition: one matrix product per group and filter tap."""
    w = workload
    if w.data_layout == "NCHW":
        data = data.transpose(0, 2, 3, 1)
        residual = None if residual is None else residual.transpose(0, 2, 3, 1)
    o, i, h, v = (w.filter_layout.index(axis) for axis in "OIHW")
    filters = weights.transpose(o, i, h, v).astype(np.float64)
    top, left, bottom, right = w.padding
    padded = np.pad(data.astype(np.float64), ((0, 0), (top, bottom), (left, right), (0, 0)))
    output = np.zeros((w.batch, w.out_height, w.out_width, w.out_channels))
    group_in, group_out = w.in_channels // w.groups, w.out_channels // w.groups
    for kh in range(w.kernel[0]):
        for kw in range(w.kernel[1]):
            y, x = kh * w.dilation[0], kw * w.dilation[1]
            rows = slice(y, y + (w.out_height - 1) * w.strides[0] + 1, w.strides[0])
            columns = slice(x, x + (w.out_width - 1) * w.strides[1] + 1, w.strides[1])
            for g in range(w.groups):
                taken = padded[:, rows, columns, g * group_in : (g + 1) * group_in]
                taps = filters[g * group_out : (g + 1) * group_out, :, kh, kw]
                output[..., g * group_out : (g + 1) * group_out] += taken @ taps.T
    output = output if bias is None else output + bias
    output = output if residual is None else output + residual
    output = np.clip(output, w.epilogue.low, w.epilogue.high)
    return output.transpose(0, 3, 1, 2) if w.data_layout == "NCHW" else output


def assert_matches(got: np.ndarray, want: np.ndarray, what: object, tolerance: float = TOLERANCE) -> None:
    """Largest difference within ``tolerance`` of the largest value; ``what`` reproduces the failure."""
    assert got.shape == want.shape, f"{what}: shape {got.shape}, expected {want.shape}"
    scale = max(1.0, float(np.abs(want).max()))
    error = float(np.abs(got - want).max()) / scale
    assert error <= tolerance, f"{what}: off by {error:.2e} of the largest output"


def with_threads(count: int, work: Callable[[], Result]) -> Result:
    """``work()`` with ``count`` of TVM's worker threads.

    TVM's pool belongs to the calling thread and keeps the size of its first use, hence a thread of our own.
    """
    results: list[Result] = []

    def run() -> None:
        cpus = sorted(os.sched_getaffinity(0))
        placed = [str(cpus[i % len(cpus)]) for i in range(count)]
        tvm_ffi.get_global_func("runtime.config_threadpool")(ONE_CPU_PER_WORKER, count, placed)
        assert tvm_ffi.get_global_func("runtime.NumThreads")() == count
        results.append(work())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert results, "the work failed; its error is printed above"
    return results[0]


def allocated_bytes(
    executable: tvm.runtime.Executable, function: str, arguments: list[np.ndarray], folder: Path
) -> int:
    """Bytes the function asks of TVMBackendAllocWorkspace in one call, counted at the call.

    The compiled library reaches the runtime through pointers it exports; ours stands in for the allocator.
    """
    path = folder / "counted.so"
    executable.export_library(str(path))
    module = tvm.runtime.load_module(str(path))
    library = ctypes.CDLL(str(path))
    tensors = [tvm.runtime.tensor(a) for a in arguments]
    module[function](*tensors)  # resolves the pointers
    kind = ctypes.CFUNCTYPE(
        ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_uint64, ctypes.c_int, ctypes.c_int
    )
    try:
        pointer = ctypes.c_void_p.in_dll(library, "__TVMBackendAllocWorkspace")
    except ValueError:
        return 0  # the code has no call of the allocator at all
    original = kind(pointer.value)
    sizes: list[int] = []

    def counting(device: int, index: int, size: int, code: int, bits: int) -> int | None:
        sizes.append(size)
        return original(device, index, size, code, bits)

    replacement = kind(counting)
    kept: Callable[..., object] = replacement
    pointer.value = ctypes.cast(kept, ctypes.c_void_p).value
    module[function](*tensors)
    pointer.value = ctypes.cast(original, ctypes.c_void_p).value
    return sum(sizes)
