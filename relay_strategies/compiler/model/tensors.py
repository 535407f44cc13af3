"""Tensors of TVM's in the memory of what users pass, and results in memory that torch has.

torch is imported where users pass its tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tvm

from tvm_directconv.errors import let_through
from tvm_directconv.memory import ALIGNMENT
from tvm_directconv.runtime.arrays import is_torch_tensor

LENT = "fiub"
"""Kinds of types that numpy lends and borrows memory of: its own, not those of ml_dtypes."""


def lent(tensor: tvm.runtime.Tensor) -> np.ndarray:
    """A tensor of TVM's as an array in the same memory; a copy where numpy does not have the type itself, as
    bfloat16. TVM's own ``numpy`` takes some 0.1 ms more behind a run, when its code has left the caches."""
    try:
        return np.from_dlpack(tensor)
    except (BufferError, RuntimeError, TypeError) as error:
        let_through(error)
        return tensor.numpy()


def borrowed(value: Any, array: np.ndarray) -> tvm.runtime.Tensor | None:
    """The memory of a value, which is ``array`` to numpy, as TVM's tensor; None where it has to be copied."""
    if is_torch_tensor(value) and not value.is_complex():
        if value.device.type != "cpu" or not value.is_contiguous():
            return None
        if value.data_ptr() % ALIGNMENT or value.is_conj() or value.is_neg():
            return None
        return tvm.runtime.from_dlpack(value.detach())
    if not array.flags.c_contiguous or not array.flags.writeable or array.ctypes.data % ALIGNMENT:
        return None  # numpy lends no memory that may not be written
    return tvm.runtime.from_dlpack(array) if array.dtype.kind in LENT else None


class TorchResults:
    """Makes torch tensors of a model's results, without a copy where the model gives their memory away.

    A result that is an input or a constant of the network is memory that others keep. The first results are
    held, and copied; those that the next run gives at the same address again are the model's own.
    """

    def __init__(self) -> None:
        self._held: list[Any] | None = None
        self._kept: set[int] | None = None

    def tensors(self, results: Sequence[tvm.runtime.Tensor], arguments: Sequence[Any]) -> list[Any]:
        """The results as torch tensors that nobody else has."""
        import torch

        given = [torch.from_dlpack(result) for result in results]
        if self._kept is None and self._held is not None:
            pairs = zip(self._held, given, strict=True)
            self._kept = {i for i, (old, new) in enumerate(pairs) if old.data_ptr() == new.data_ptr()}
            self._held = None
        elif self._kept is None:
            self._held = given
            return [tensor.clone() for tensor in given]
        inputs = {torch.from_dlpack(argument).data_ptr() for argument in arguments}
        return [
            tensor.clone() if place in self._kept or tensor.data_ptr() in inputs else tensor
            for place, tensor in enumerate(given)
        ]
