"""CLBlast's convolution, and its matrix product, on buffers and the queue of pyopencl, by ctypes.

The library comes with Debian (libclblast1), not with Python. It tells of the last of its kernels alone when
it ran, and allocates memory in every call, so that it is timed by the host's clock."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from tvm_directconv.bench.contestants.base import CannotSolve, Prepared, nhwc_outputs
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.devices.device_program import DeviceProgram
from tvm_directconv.devices.source import DeviceKernels
from tvm_directconv.errors import DeviceError

from .base import DeviceContestant, by_wall, memory_facts, plain

LIBRARIES = ("libclblast.so.1", "libclblast.so", "libclblast.dylib", "clblast.dll")
CROSS_CORRELATION, ROW_MAJOR, NOT_TRANSPOSED = 151, 101, 111
"""Values of CLBlast's enumerations."""
SIZE = ctypes.c_size_t


@functools.cache
def library() -> ctypes.CDLL | None:
    """Return CLBlast, if it is installed."""
    for name in LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def missing_clblast() -> str | None:
    """Return the reason ``available`` gives where CLBlast is not installed."""
    return None if library() else "CLBlast is not installed (Debian's package is libclblast1)"


class ClBlast(DeviceContestant):
    """CLBlast's CONVGEMM, in NCHW: one kernel, which in version 1.5.3 keeps no matrix in memory."""

    name = "clblast"
    kinds = ("opencl",)

    def available(self) -> str | None:
        return super().available() or missing_clblast()

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        w = plain(problem.workload)
        if w.padding[:2] != w.padding[2:]:
            raise CannotSolve("pads both ends alike")
        program = self.program(DeviceKernels("opencl", "", {}))
        shape = (w.batch, w.out_channels, w.out_height, w.out_width)
        arrays = problem.data_nchw, problem.filter, np.full(shape, np.nan, np.float32)
        buffers = [program.upload(array) for array in arrays]
        sizes = w.in_channels, w.height, w.width, *w.kernel, *w.padding[:2], *w.strides, *w.dilation
        extents = (*map(SIZE, (*sizes, w.out_channels, w.batch)),)

        def enqueue() -> None:
            places = [part for buffer in buffers for part in _place(buffer)]  # buffers live as long as this
            _call("CLBlastSconvgemm", CROSS_CORRELATION, *extents, *places, _queue(program.queue), None)

        facts = memory_facts(problem, 0)
        outputs = functools.partial(_outputs, program, buffers[-1], shape)
        return nhwc_outputs(by_wall(enqueue, program.queue, outputs, facts))


class Gemm:
    """The product of row-major matrices, ``extents`` rows and columns of the result and terms, on buffers."""

    def __init__(self, queue: Any, extents: tuple[int, int, int], operands: tuple[Any, Any, Any]) -> None:
        self._queue = queue
        _, columns, terms = extents
        self._shape = ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, *map(SIZE, extents)
        self._leading = tuple(map(SIZE, (terms, columns, columns)))
        self._operands = operands

    def __call__(self) -> None:
        """Launch it."""
        places = zip(self._operands, self._leading, strict=True)
        a, b, c = ((*_place(operand), leading) for operand, leading in places)
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        _call("CLBlastSgemm", *self._shape, one, *a, *b, zero, *c, _queue(self._queue), None)

    @property
    def workspace_bytes(self) -> int:
        """Return what a call allocates."""
        found = SIZE(0)
        offsets = [value for leading in self._leading for value in (SIZE(0), leading)]
        _call("CLBlastSGemmTempBufferSize", *self._shape, *offsets, _queue(self._queue), ctypes.byref(found))
        return found.value


def _call(name: str, *arguments: Any) -> None:
    found = library()
    assert found is not None, "it is asked for before"
    status = getattr(found, name)(*arguments)
    if status:
        raise DeviceError(f"{name} fails with status {status}")


def _place(buffer: Any) -> tuple[Any, Any]:
    """A buffer's handle, and where in it to begin."""
    return ctypes.c_void_p(buffer.int_ptr), SIZE(0)


def _queue(queue: Any) -> Any:
    return ctypes.byref(ctypes.c_void_p(queue.int_ptr))


def _outputs(program: DeviceProgram, buffer: Any, shape: tuple[int, ...]) -> list[np.ndarray]:
    return [program.download(buffer, shape, np.float32)]
