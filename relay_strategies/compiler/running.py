"""What runs one size of a model: TVM's virtual machine or what a device has in its place, and the tensors
that inputs are copied into."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tvm
from tvm import relax

from tvm_directconv.errors import InputError
from tvm_directconv.targets.target import require_host, resolve_target

from .device_executable import DeviceExecutable
from .signature import Size, TensorInfo
from .tensors import TorchResults, array_of


class Machine:
    """TVM's virtual machine of an executable, made when it is first asked for."""

    def __init__(self, executable: Any, target: str) -> None:
        self._executable, self._target = executable, target

    @functools.cached_property
    def functions(self) -> Any:
        """The executable's functions by name. Raises TargetError where this host cannot run them."""
        if isinstance(self._executable, DeviceExecutable):
            return self._executable.functions
        require_host(resolve_target(self._target))
        return relax.VirtualMachine(self._executable, tvm.cpu(), memory_cfg="pooled")


class Runner:
    """One size's function, and the tensors that its inputs are copied into."""

    def __init__(self, size: Size, machine: Machine) -> None:
        self.size, self._machine = size, machine
        self.torch_results = TorchResults()

    @functools.cached_property
    def function(self) -> Callable[..., Any]:
        return self._machine.functions[self.size.function]

    @functools.cached_property
    def staging(self) -> list[tvm.runtime.Tensor]:
        """Inputs are copied: numpy's arrays are rarely aligned as TVM's kernels may take for granted."""
        return self.new_tensors()

    def new_tensors(self) -> list[tvm.runtime.Tensor]:
        return [tvm.runtime.empty(info.shape, info.dtype) for info in self.size.inputs]


def flat(results: Any) -> list[Any]:
    return [results] if isinstance(results, tvm.runtime.Tensor) else list(results)


def typed(value: Any, info: TensorInfo) -> np.ndarray:
    """``value`` as an array of exactly the dtype that ``info`` says."""
    array = array_of(value, f"input '{info.name}'")
    if str(array.dtype) != info.dtype:
        raise InputError(
            f"input '{info.name}' has dtype {array.dtype}, expected {info.dtype}; "
            f"convert it with .astype('{info.dtype}')"
        )
    return array


def copied(
    arrays: Sequence[np.ndarray],
    tensors: Sequence[tvm.runtime.Tensor],
    borrowed: Sequence[tvm.runtime.Tensor | None] = (),
) -> list[tvm.runtime.Tensor]:
    """The arrays in these tensors, but for those that are there as tensors of their own."""
    owned = borrowed or [None] * len(arrays)
    return [
        tensor.copyfrom(np.asarray(array, order="C")) if own is None else own
        for array, tensor, own in zip(arrays, tensors, owned, strict=True)
    ]
