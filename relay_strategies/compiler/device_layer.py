"""One convolution layer for a GPU, built and callable on numpy arrays as one for a CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.devices.cuda import program_for
from tvm_directconv.devices.device_program import DeviceProgram, Launches
from tvm_directconv.devices.source import DeviceKernels, lower_kernels
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.measure.timing import Timing
from tvm_directconv.problem.element_types import numpy_type
from tvm_directconv.problem.operands import random_operands
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.arrays import array_of
from tvm_directconv.targets.gpu import GpuTarget

from .layer_arguments import check_repeat, checked_operands, layer_text


class DeviceConv2dLayer:
    """One convolution compiled for a GPU; call it with numpy arrays, as ``Conv2dLayer``.

    It is built anywhere. A device of the target is looked for when the layer is first called, which copies
    operands to the device and the result from it.

    Attributes:
        workload: The layer, in layouts that its algorithm has.
        target: What it is compiled for.
        implementation: How it is computed.
        workspace_bytes: What it allocates on the device beyond input, output and packed filter.
    """

    def __init__(
        self, workload: Conv2dWorkload, target: GpuTarget, implementation: Conv2dImplementation
    ) -> None:
        self.workload, self.target, self.implementation = workload, target, implementation
        self.workspace_bytes = implementation.workspace_bytes
        native = implementation.workload
        if native != workload:
            raise AlgorithmError(
                f"a layer alone on a GPU has the layouts of its algorithm: {implementation.name} takes "
                f"{native}, not {workload}"
            )
        self._kernels: DeviceKernels = lower_kernels(implementation.prim_func, target.tvm_target)

    def __str__(self) -> str:
        return layer_text(self.workload, self.target, self.implementation, self.workspace_bytes)

    @cached_property
    def _program(self) -> DeviceProgram:
        return program_for(self._kernels)

    def __call__(
        self,
        data: np.ndarray,
        weights: np.ndarray,
        bias: np.ndarray | None = None,
        residual: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the output for these operands.

        Raises:
            InputError: An operand is missing, or of another type or shape.
            DeviceError: There is no such device, or it refuses the kernels.
        """
        call, output = self.bind(data, weights, bias, residual)
        call()
        return output()

    def bind(
        self,
        data: np.ndarray,
        weights: np.ndarray,
        bias: np.ndarray | None = None,
        residual: np.ndarray | None = None,
    ) -> tuple[Callable[[], None], Callable[[], np.ndarray]]:
        """Pack the filter and copy the operands to the device; return a function that runs the layer on them
        and waits, and one that copies the output from the device."""
        launches, output = self._bound(data, weights, bias, residual)
        shape, kind = self.workload.output_shape, numpy_type(self.workload.out_dtype)

        def run() -> None:
            launches.run()

        return run, lambda: self._program.download(output, shape, kind)

    def _bound(self, *operands: np.ndarray | None) -> tuple[Launches, object]:
        """Return the launches on operands, and the output on the device."""
        w, names = self.workload, ("data", "weights", "bias", "residual")
        given = checked_operands(w, {**dict(zip(names, operands, strict=True)), "scale": None})
        packed = self.implementation.pack(array_of(given["weights"], "weights"))
        unwritten = np.empty(w.output_shape, numpy_type(w.out_dtype))
        arrays = [given["data"], packed, given["bias"], given["residual"], unwritten]
        present = [np.ascontiguousarray(array) for array in arrays if array is not None]
        buffers, launches = self._program.load("main", present)
        return launches, buffers[-1]

    def assembly(self) -> str:
        """Return the kernels' source in OpenCL C or CUDA."""
        return self._kernels.source

    def time(self, repeat: int = 10, min_repeat_ms: float = 20) -> Timing:
        """Time the layer on random operands of its own by the device's clock, ``repeat`` times at least
        ``min_repeat_ms`` of launches. Raises InputError for a ``repeat`` below 1."""
        check_repeat(repeat)
        launches, _ = self._bound(*random_operands(self.workload)[:4])
        once = sum(launches.run())
        calls = max(1, round(min_repeat_ms / 1e3 / max(once, 1e-9)))
        seconds = tuple(sum(launches.run(calls)) for _ in range(repeat))
        return Timing(float(np.median(seconds)), min(seconds), seconds)
