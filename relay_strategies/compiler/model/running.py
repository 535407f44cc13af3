"""Machines that run a model by TVM's virtual machine, or a DirectExecutable."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tvm
from tvm import relax

from tvm_directconv.runtime.lanes import Machine, Runner
from tvm_directconv.runtime.metadata import Size
from tvm_directconv.targets.target import require_host, resolve_target

from .draws import Draws
from .tensors import LENT, TorchResults, borrowed, lent


class DirectExecutable(ABC):
    """An executable that runs without TVM's virtual machine."""

    @property
    @abstractmethod
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """The functions of the model's sizes by name; they take and return tensors in the host's memory."""


class ExecutableMachine(Machine):
    """The virtual machine of an executable, made when it is first asked for."""

    def __init__(self, executable: Any, target: str, draws: Draws | None = None) -> None:
        self.executable, self._target, self.draws = executable, target, draws or Draws()

    @functools.cached_property
    def functions(self) -> Any:
        """The executable's functions by name. Raises TargetError where this host cannot run them."""
        if isinstance(self.executable, DirectExecutable):
            return self.executable.functions
        require_host(resolve_target(self._target))
        return relax.VirtualMachine(self.executable, tvm.cpu(), memory_cfg="pooled")

    def another(self) -> ExecutableMachine:
        return ExecutableMachine(self.executable, self._target, self.draws)

    def runner(self, size: Size) -> ExecutableRunner:
        return ExecutableRunner(size, self)


class ExecutableRunner(Runner):
    """One size's function, and the tensors that its inputs are copied into."""

    def __init__(self, size: Size, machine: ExecutableMachine) -> None:
        self.size, self.machine = size, machine
        self._own, self._torch_results = machine, TorchResults()

    @functools.cached_property
    def function(self) -> Callable[..., Any]:
        """Return the function to be called."""
        return self._own.draws.counting(self._own.functions[self.size.function])

    @functools.cached_property
    def _staging(self) -> list[tvm.runtime.Tensor]:
        """Inputs are copied: numpy's arrays are rarely aligned as TVM's kernels may take for granted."""
        return self._new_tensors()

    def _new_tensors(self) -> list[tvm.runtime.Tensor]:
        return [tvm.runtime.empty(info.shape, info.dtype) for info in self.size.inputs]

    def arguments(self, values: Sequence[Any], arrays: Sequence[np.ndarray]) -> list[tvm.runtime.Tensor]:
        arguments = []
        for value, array, tensor in zip(values, arrays, self._staging, strict=True):
            own = borrowed(value, array)
            arguments.append(_copy_of(array, tensor) if own is None else own)
        return arguments

    def copies(self, arrays: Sequence[np.ndarray]) -> list[tvm.runtime.Tensor]:
        return [_copy_of(array, tensor) for array, tensor in zip(arrays, self._new_tensors(), strict=True)]

    def execute(self, arguments: Sequence[Any], buffers: list[np.ndarray] | None = None) -> list[Any]:
        results = self.function(*arguments)
        return [results] if isinstance(results, tvm.runtime.Tensor) else list(results)

    def arrays(self, results: Sequence[Any], buffers: list[np.ndarray] | None = None) -> list[np.ndarray]:
        if buffers is None:
            return [lent(tensor).copy() for tensor in results]
        for buffer, tensor in zip(buffers, results, strict=True):
            np.copyto(buffer, lent(tensor))
        return buffers

    def torch_tensors(self, results: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        return self._torch_results.tensors(results, arguments)


def drawn(size: Size) -> list[np.ndarray]:
    """Return inputs of a size: numbers from 0 to 1, and integers 0."""
    generator = np.random.default_rng(0)
    return [np.asarray(generator.random(size.shapes[i.name]), i.dtype) for i in size.inputs]


def _copy_of(array: np.ndarray, tensor: tvm.runtime.Tensor) -> tvm.runtime.Tensor:
    if array.dtype.kind not in LENT:
        return tensor.copyfrom(np.asarray(array, order="C"))
    np.copyto(np.from_dlpack(tensor), array)
    return tensor
