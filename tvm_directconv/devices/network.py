"""A network as a device runs it: one source, numbered buffers, and a list of launches on them.

Stands above device_program.py. Nothing of TVM is needed to run it: weights are uploaded once, activations
stay on the device in memory that was planned when it was compiled, and one queue keeps the launches in order.
network_files.py writes it for other hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tvm_directconv.errors import DeviceError
from tvm_directconv.problem.element_types import tensor_bytes

from .cuda import program_for
from .device_program import Step
from .source import DeviceKernels


@dataclass(frozen=True)
class DeviceTensor:
    """An input or output: its name, shape and dtype, and the number of the buffer that it is in."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    buffer: int

    @property
    def size(self) -> int:
        """Return its bytes."""
        return tensor_bytes(self.shape, self.dtype)


@dataclass(frozen=True)
class DeviceNetwork:
    """A network of one size. ``buffers`` are the bytes of each, ``constants`` what some of them hold from the
    beginning; ``steps`` launch kernels of ``source`` on them, in order. ``facts`` is what else is known, in
    JSON's types only."""

    target: str
    source: str
    buffers: tuple[int, ...]
    constants: Mapping[int, np.ndarray]
    inputs: tuple[DeviceTensor, ...]
    outputs: tuple[DeviceTensor, ...]
    steps: tuple[Step, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def weight_bytes(self) -> int:
        return sum(array.nbytes for array in self.constants.values())

    @property
    def run_bytes(self) -> int:
        """Return the bytes of all buffers but inputs and weights: of intermediate results, outputs and
        workspaces."""
        others = {*self.constants, *(tensor.buffer for tensor in self.inputs)}
        return sum(size for number, size in enumerate(self.buffers) if number not in others)


class DeviceSession:
    """A network on a device: its program compiled, its buffers allocated, its weights uploaded."""

    def __init__(self, network: DeviceNetwork) -> None:
        """Raise DeviceError where there is no device, or it refuses the kernels or their memory."""
        kind = network.target.split()[0]
        self.network = network
        self.program = program_for(DeviceKernels(kind, network.source, {}))
        self.program.check(step.launch for step in network.steps)
        self._buffers = [
            self.program.upload(network.constants[number])
            if number in network.constants
            else self.program.buffer(size)
            for number, size in enumerate(network.buffers)
        ]
        self.launches = self.program.bind(network.steps, self._buffers)

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the outputs for inputs of exactly the network's shapes and dtypes."""
        self.load(inputs)
        self.launches.enqueue()
        return self.results()

    def load(self, inputs: Sequence[np.ndarray]) -> None:
        """Copy the inputs to the device."""
        for tensor, array in zip(self.network.inputs, inputs, strict=True):
            if (array.shape, str(array.dtype)) != (tensor.shape, tensor.dtype):
                raise DeviceError(
                    f"input '{tensor.name}' is {tensor.dtype}{list(tensor.shape)}, not "
                    f"{array.dtype}{list(array.shape)}"
                )
            self.program.copy_in(self._buffers[tensor.buffer], array)

    def results(self) -> list[np.ndarray]:
        """Return the outputs of the last launches."""
        return [
            self.program.download(self._buffers[tensor.buffer], tensor.shape, tensor.dtype)
            for tensor in self.network.outputs
        ]

    def timings(self) -> list[tuple[str, float]]:
        """Launch all once more on what the buffers hold, and return each kernel and the seconds it took on
        the device, in order."""
        return list(zip(self.launches.kernels, self.launches.run(), strict=True))
