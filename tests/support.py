"""What several tests need: targets this host can run, the float64 reference, counting of allocations."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
import tvm
import tvm_ffi
from compiling import check_arguments, compile_unchecked, named_module
from emulation.x86 import interpret
from tvm import tirx
from tvm.script.ir_builder import IRBuilder
from tvm.tirx.script.builder import ir as T

from intrinsics import registry
from intrinsics.isa import ISAS
from intrinsics.microkernel import KernelInstance
from tvm_directconv.algorithms.lowering import attach_kernels
from tvm_directconv.bench.host import keep_tvm_on
from tvm_directconv.errors import TargetError
from tvm_directconv.problem.steps import numpy_steps
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, require_host, resolve_target

ISA_TARGETS, HALF_TARGETS, BYTE_TARGETS = (
    {isa.name: cpu.target for isa in ISAS.values() for cpu in isa.cpus if kind(isa) and not cpu.emulated_as}
    for kind in (lambda isa: isa.of_floats, lambda isa: isa.of_halves, lambda isa: isa.of_bytes)
)
"""A target for each instruction set of float32, of half precision and of bytes, whose kernels run where the
host has it; those of others are emulated."""

UNOPTIMIZED = "llvm -mcpu=native -opt-level=0"
"""This host, for what LLVM need not optimize: the kernels are assembly as they are, and what surrounds them
computes the same. Large networks are compiled in two thirds of the time."""

Record = Callable[[str, object], None]
"""Pytest's fixture that notes a property of the test."""
KERNELS_RAN = "kernels"
"""Tests of kernels have a property of this name that says how those ran."""
Result = TypeVar("Result")
TOLERANCE = 1e-5
"""Of float32 against float64, relative to the largest output (after clipping, which may make that small)."""


def runnable_isas() -> list[str]:
    """Return the instruction sets of float32 that this host has."""

    def runs(isa: str) -> bool:
        try:
            require_host(resolve_target(ISA_TARGETS[isa]))
        except TargetError:
            return False
        return True

    return list(filter(runs, ISA_TARGETS))


def runnable_target(isa: str) -> CompileTarget:
    """The instruction set's target; skips the test where this host cannot run it."""
    target = resolve_target((ISA_TARGETS | HALF_TARGETS | BYTE_TARGETS)[isa])
    try:
        require_host(target)
    except TargetError as error:
        pytest.skip(str(error))
    return target


def kernel_target(isa: str, record: Record) -> CompileTarget | None:
    """The instruction set's target; None where this host lacks its instructions, which are interpreted then.
    The log says how many tests were which."""
    target = resolve_target((ISA_TARGETS | HALF_TARGETS | BYTE_TARGETS)[isa])
    try:
        require_host(target)
    except TargetError:
        record(KERNELS_RAN, f"{isa}: interpreted")
        return None
    record(KERNELS_RAN, f"{isa}: native")
    return target


def operands(workload: Conv2dWorkload, seed: int = 0) -> tuple[np.ndarray | None, ...]:
    """(data, weights, bias, residual), float32; the last two None where the epilogue has none."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, np.float32)

    bias = draw(*workload.bias_shape) if workload.epilogue.bias else None
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
    table = np.zeros(w.bias_shape) if bias is None else bias

    def channel(at: int) -> np.ndarray:
        return table[at : at + w.out_channels]

    output = numpy_steps(w.epilogue.steps, output + channel(0), residual, channel)
    return output.transpose(0, 3, 1, 2) if w.data_layout == "NCHW" else output


def assert_matches(got: np.ndarray, want: np.ndarray, what: object, tolerance: float = TOLERANCE) -> None:
    """Largest difference within ``tolerance`` of the largest value, NaN and infinities where they are wanted.

    ``what`` reproduces the failure.
    """
    assert got.shape == want.shape, f"{what}: shape {got.shape}, expected {want.shape}"
    finite = np.isfinite(want)
    np.testing.assert_array_equal(got[~finite], want[~finite], f"{what}: NaN and infinities")
    if not finite.any():
        return
    scale = max(1.0, float(np.abs(want[finite]).max()))
    error = float(np.abs(got[finite] - want[finite]).max()) / scale
    assert error <= tolerance, f"{what}: off by {error:.2e} of the largest output"


def with_threads(count: int, work: Callable[[], Result]) -> Result:
    """``work()`` with ``count`` of TVM's worker threads.

    TVM's pool belongs to the calling thread and keeps the size of its first use, hence a thread of our own.
    """
    results: list[Result] = []

    def run() -> None:
        cpus = sorted(os.sched_getaffinity(0))
        keep_tvm_on(tuple(cpus[i % len(cpus)] for i in range(count)))
        assert tvm_ffi.get_global_func("runtime.NumThreads")() == count
        results.append(work())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert results, "the work failed; its error is printed above"
    return results[0]


def allocated_bytes(
    executable: tvm.runtime.Executable | Compiled, function: str, arguments: list[np.ndarray], folder: Path
) -> int:
    """Bytes the function asks of TVMBackendAllocWorkspace in one call, counted at the call."""
    return sum(size for size in _workspace_events(executable, function, arguments, folder) if size > 0)


def peak_workspace_bytes(
    executable: tvm.runtime.Executable | Compiled, function: str, arguments: list[np.ndarray], folder: Path
) -> int:
    """The most of such bytes that the function holds at any one time."""
    live = peak = 0
    for size in _workspace_events(executable, function, arguments, folder):
        live += size
        peak = max(peak, live)
    assert live == 0, "the function keeps workspace"
    return peak


def _workspace_events(
    executable: tvm.runtime.Executable | Compiled, function: str, arguments: list[np.ndarray], folder: Path
) -> list[int]:
    """As ``workspace_events``, of a library that is linked in the first call with a ``folder``."""
    path = folder / "counted.so"
    if isinstance(executable, Compiled):
        executable.check(function, arguments)
    if not path.exists():
        executable.export_library(str(path))
    module = tvm.runtime.load_module(str(path))
    tensors = [tvm.runtime.tensor(a) for a in arguments]
    module[function](*tensors)  # resolves the pointers
    with workspace_events(path) as events:
        module[function](*tensors)
    return events


@contextmanager
def workspace_events(path: Path) -> Iterator[list[int]]:
    """Sizes of workspace that a library's functions allocate, and as negative numbers give back, in order.

    The library reaches the runtime through pointers it exports, which it has set when it first ran; ours
    stand in for the allocator.
    """
    library, events, sizes = ctypes.CDLL(str(path)), list[int](), dict[int, int]()
    number, pointer = ctypes.c_int, ctypes.c_void_p
    kinds = {
        "__TVMBackendAllocWorkspace": ctypes.CFUNCTYPE(
            pointer, number, number, ctypes.c_uint64, number, number
        ),
        "__TVMBackendFreeWorkspace": ctypes.CFUNCTYPE(number, number, number, pointer),
    }
    try:
        slots = {name: pointer.in_dll(library, name) for name in kinds}
    except ValueError:  # the code has no call of the allocator at all
        yield events
        return
    originals = {name: kind(slots[name].value) for name, kind in kinds.items()}
    allocate, free = originals.values()

    def counting(device: int, index: int, size: int, code: int, bits: int) -> int | None:
        address = allocate(device, index, size, code, bits)
        sizes[address] = size
        events.append(size)
        return address

    def uncounting(device: int, index: int, address: int) -> int:
        events.append(-sizes.pop(address))
        return free(device, index, address)

    kept: list[Callable[..., object]] = []
    for (name, kind), replacement in zip(kinds.items(), (counting, uncounting), strict=True):
        kept.append(kind(replacement))
        slots[name].value = ctypes.cast(kept[-1], pointer).value
    try:
        yield events
    finally:
        for name, original in originals.items():
            slots[name].value = ctypes.cast(original, pointer).value


@lru_cache(maxsize=32)
def _compiled(module: str, target: str) -> tvm.runtime.Executable:
    """The functions of a module and the target, both as JSON: drawn cases often come again."""
    return compile_unchecked(tvm.ir.load_json(module), tvm.target.Target(json.loads(target)))


class Compiled:
    """Functions compiled together, called by their names as TVM's executables are.

    TVM's checks of arguments would cost LLVM as much again as the functions: they are done here instead.
    """

    def __init__(self, functions: Mapping[str, tirx.PrimFunc], target: CompileTarget) -> None:
        self._executable = _compiled(tvm.ir.save_json(named_module(functions)), str(target.tvm_target))
        self._functions = functions

    @property
    def mod(self) -> tvm.runtime.Module:
        return self._executable.mod

    def __getitem__(self, name: str) -> Callable[..., None]:
        def call(*tensors: tvm.runtime.Tensor) -> None:
            self.check(name, tensors)
            self._executable[name](*tensors)

        return call

    def check(self, name: str, arguments: Sequence[np.ndarray | tvm.runtime.Tensor]) -> None:
        check_arguments(self._functions[name], arguments)

    def export_library(self, path: str) -> None:
        self._executable.export_library(path)


def run_together(
    functions: Sequence[tirx.PrimFunc], operands: Sequence[Sequence[np.ndarray]], target: CompileTarget
) -> Iterator[np.ndarray]:
    """What each function leaves in the last of its operands; compiled together, which costs little more than
    one."""
    named = {f"case{i}": f for i, f in enumerate(functions)}
    compiled = Compiled(named, target)
    for name, arrays in zip(named, operands, strict=True):
        tensors = [tvm.runtime.tensor(array) for array in arrays]
        compiled[name](*tensors)
        yield tensors[-1].numpy()


def code_in_state(instance: KernelInstance) -> str:
    """LLVM IR of a kernel between what enters and leaves the state that it needs."""
    setup, code = ISAS[instance.kernel.isa].thread_setup, registry.emit(instance)
    return "\n".join([*setup.enter, code, *setup.leave]) if setup else code


def kernel_func(
    instance: KernelInstance, operands: Sequence[np.ndarray], taps: int, distances: Sequence[int] = ()
) -> tirx.PrimFunc:
    """One call of the kernel, on (a, b, bias, residual or scale, c), with what it leaves open."""
    # Written with the builder: TVMScript as text takes a hundred times as long to parse.
    with IRBuilder() as builder, T.prim_func(s_tir=True):
        T.func_name("call")
        a, b, bias, extra, c = (
            T.arg(f"operand{i}", T.buffer((array.size,), str(array.dtype), layout=None))
            for i, array in enumerate(operands)
        )
        read = [operand.access_ptr("r") for operand in (a, b, bias, extra)]
        numbers = [T.int64(number) for number in (taps, *distances)]
        ahead = [b.access_ptr("r")][: instance.prefetch]
        T.evaluate(T.call_extern("int32", instance.name, c.access_ptr("rw"), *read, *numbers, *ahead))
    func: tirx.PrimFunc = builder.get()
    return func.with_body(attach_kernels(func.body))


def run_kernels(
    cases: Sequence[tuple[KernelInstance, int]],
    operands: Sequence[list[np.ndarray]],
    target: CompileTarget | None,
    distances: Sequence[Sequence[int]] | None = None,
) -> Iterator[np.ndarray]:
    """C after a call of each instance with its number of filter rows, on (a, b, bias, residual or scale, c):
    natively, or where there is no target, interpreted. ``distances`` are what each instance leaves open."""
    given = distances or [()] * len(cases)
    if target is None:
        for (instance, taps), (*others, c), of_case in zip(cases, operands, given, strict=True):
            yield interpret(code_in_state(instance), [c, *others], taps, of_case)[0]
        return
    functions = [
        kernel_func(instance, drawn, taps, of_case)
        for (instance, taps), drawn, of_case in zip(cases, operands, given, strict=True)
    ]
    yield from run_together(functions, operands, target)
