"""A module whose memory is planned, as a device's network: buffers, constants, and launches in order.

Relax's virtual machine would need TVM's runtime of the device; what main does is read by
``relay_strategies.relax.planned`` instead. A buffer is a storage of the memory planner's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.relax.planned import Tensor, planned_calls
from tvm_directconv.devices.device_program import Step, shared_workspaces
from tvm_directconv.devices.network import DeviceNetwork, DeviceTensor
from tvm_directconv.devices.source import DeviceKernels
from tvm_directconv.runtime.metadata import TensorInfo


def launch_list(
    main: relax.Function,
    kernels: DeviceKernels,
    target: str,
    inputs: Sequence[TensorInfo],
    outputs: Sequence[TensorInfo],
) -> tuple[DeviceNetwork, list[str]]:
    """Return the network that ``main`` is, and for each of its steps the function that it is a launch of.

    Raises ModelError naming the first operation that is not a call of a kernel.
    """
    planned = planned_calls(main, "run on a GPU")
    buffers = _Buffers()
    first = [buffers.of(tensor) for tensor in planned.inputs]
    calls = [(call.kernel, [buffers.of(tensor) for tensor in call.operands]) for call in planned.calls]
    last = [buffers.of(tensor) for tensor in planned.outputs]
    spaces = [buffers.add(size) for size in shared_workspaces(kernels.functions, [name for name, _ in calls])]
    launched = [(step, name) for name, operands in calls for step in _steps(kernels, name, operands, spaces)]
    network = DeviceNetwork(
        target,
        kernels.source,
        tuple(buffers.sizes),
        buffers.constants,
        tuple(map(_tensor, inputs, first)),
        tuple(map(_tensor, outputs, last)),
        tuple(step for step, _ in launched),
    )
    return network, [name for _, name in launched]


class _Buffers:
    """Numbers of buffers, which tensors are in."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.constants: dict[int, np.ndarray] = {}
        self._numbers: dict[Tensor, int] = {}

    def add(self, size: int) -> int:
        self.sizes.append(size)
        return len(self.sizes) - 1

    def of(self, tensor: Tensor) -> int:
        whole = tensor.storage or tensor
        if whole not in self._numbers:
            self._numbers[whole] = self.add(whole.size)
            if whole.values is not None:
                self.constants[self._numbers[whole]] = whole.values
        return self._numbers[whole]


def _steps(kernels: DeviceKernels, name: str, operands: Sequence[int], spaces: Sequence[int]) -> list[Step]:
    """The launches of a call. Workspaces of its function are the smallest shared ones that hold them, largest
    to largest."""
    function = kernels.functions[name]
    order = sorted(range(len(function.workspaces)), key=lambda at: -function.workspaces[at])
    own = dict(zip(order, spaces, strict=False))
    everything = [*operands, *(own[at] for at in range(len(order)))]
    return [
        Step(launch, tuple(everything[at] for at in launch.arguments))
        for launch in function.launches
        if math.prod(launch.items)
    ]


def _tensor(info: TensorInfo, buffer: int) -> DeviceTensor:
    return DeviceTensor(info.name, tuple(map(int, info.shape)), info.dtype, buffer)
