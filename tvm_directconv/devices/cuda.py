"""Programs on an NVIDIA GPU by CUDA's driver interface, by ctypes: what device_program.py does by OpenCL.

Kernels are compiled by nvrtc for the GPU at hand. Only NVIDIA's driver and nvrtc are needed, no toolkit.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import cuda_driver
from .device_program import DeviceProgram, Launches, Step
from .nvrtc import compile_cuda
from .source import DeviceKernels, Launch

MILLISECONDS = 1e-3


def program_for(kernels: DeviceKernels) -> DeviceProgram:
    """Return the kernels compiled for the device at hand that runs such: an OpenCL device, or an NVIDIA GPU.

    Raises DeviceError where there is none, or it refuses them.
    """
    return CudaProgram(kernels) if kernels.kind == "cuda" else DeviceProgram(kernels)


def check_compiles() -> None:
    """Raise DeviceError where there is no NVIDIA GPU, or no nvrtc that compiles for it."""
    compile_cuda("", cuda_driver.driver().arch)


class CudaBuffer:
    """Memory on the GPU, let go with this."""

    def __init__(self, size: int) -> None:
        self.pointer, self._driver = ctypes.c_uint64(), cuda_driver.driver()
        self._driver.here().call("cuMemAlloc_v2", ctypes.byref(self.pointer), ctypes.c_size_t(max(size, 1)))

    def __del__(self) -> None:
        if hasattr(self, "_driver") and self.pointer.value and self._driver.is_here():
            self._driver.here().call("cuMemFree_v2", self.pointer)


class CudaProgram(DeviceProgram):
    """The kernels of one source, compiled for the GPU."""

    def __init__(self, kernels: DeviceKernels) -> None:
        """Raise DeviceError where there is no GPU or no nvrtc, or one of them refuses the kernels."""
        self.functions = dict(kernels.functions)
        self._driver, self._module = cuda_driver.driver().here(), ctypes.c_void_p()
        if kernels.source:
            self._binary = compile_cuda(kernels.source, self._driver.arch)
            self._driver.call("cuModuleLoadData", ctypes.byref(self._module), self._binary)

    def check(self, launches: Iterable[Launch]) -> None:
        """Leave it to the driver to refuse a launch."""

    def bind(self, steps: Iterable[Step], buffers: Sequence[CudaBuffer]) -> Launches:
        """Return launches that can be run, whose kernels have these buffers as their arguments."""
        bound = []
        for step in steps:
            kernel = ctypes.c_void_p()
            name = step.launch.kernel.encode()
            self._driver.here().call("cuModuleGetFunction", ctypes.byref(kernel), self._module, name)
            pointers = [ctypes.addressof(buffers[number].pointer) for number in step.buffers]
            bound.append((step.launch, (kernel, (ctypes.c_void_p * len(pointers))(*pointers))))
        return CudaLaunches(self, bound, buffers)

    def download(self, buffer: CudaBuffer, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Return a buffer's bytes as an array, when all that was launched before is done."""
        array = np.empty(shape, dtype)
        if array.nbytes:
            to = ctypes.c_void_p(array.ctypes.data), buffer.pointer, ctypes.c_size_t(array.nbytes)
            self._driver.here().call("cuMemcpyDtoH_v2", *to)
        return array

    def copy_in(self, buffer: CudaBuffer, array: np.ndarray) -> None:
        """Copy an array to a buffer, before all that is launched afterwards."""
        array = np.ascontiguousarray(array)
        if array.nbytes:
            given = buffer.pointer, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)
            self._driver.here().call("cuMemcpyHtoD_v2", *given)

    def _new_buffer(self, size: int, array: np.ndarray | None) -> CudaBuffer:
        buffer = CudaBuffer(size)
        if array is not None:
            self.copy_in(buffer, array)
        return buffer


class CudaLaunches(Launches):
    """Kernels bound to their buffers, in order, in the context's first stream."""

    def enqueue(self) -> list[Any]:
        """Launch all, without waiting, and return the events before, between and behind them. Raises
        DeviceError for what the driver refuses."""
        here = cuda_driver.driver().here()
        events = [CudaEvent()]
        for launch, (kernel, arguments) in self.bound:
            extents = map(ctypes.c_uint, (*launch.groups, *launch.group, 0))
            here.call("cuLaunchKernel", kernel, *extents, None, arguments, None)
            events.append(CudaEvent())
        return events

    def run(self, calls: int = 1) -> list[float]:
        """Launch all so often, wait, and return the mean seconds that each kernel took on the GPU, by its own
        clock."""
        taken = [self.enqueue() for _ in range(calls)]
        cuda_driver.driver().here().call("cuCtxSynchronize")
        each = [[end.seconds_since(start) for start, end in itertools.pairwise(events)] for events in taken]
        return [sum(times) / calls for times in zip(*each, strict=True)]


class CudaEvent:
    """The moment when all that was launched before is done."""

    def __init__(self) -> None:
        self._handle = ctypes.c_void_p()
        cuda_driver.driver().call("cuEventCreate", ctypes.byref(self._handle), 0)
        cuda_driver.driver().call("cuEventRecord", self._handle, None)

    def seconds_since(self, start: CudaEvent) -> float:
        """Return the time from another event to this; both have to be done."""
        milliseconds = ctypes.c_float()
        cuda_driver.driver().call(
            "cuEventElapsedTime", ctypes.byref(milliseconds), start._handle, self._handle
        )
        return MILLISECONDS * milliseconds.value

    def __del__(self) -> None:
        if cuda_driver.driver().is_here():
            cuda_driver.driver().call("cuEventDestroy_v2", self._handle)
