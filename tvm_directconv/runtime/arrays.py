"""What users pass as tensors: anything that numpy takes, or one clear error; PyTorch's without a copy.

torch is never imported here: who passes one of its tensors has done so.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tvm_directconv.errors import InputError, let_through

from .metadata import Size, TensorInfo


def array_of(value: Any, what: str) -> np.ndarray:
    """``value`` as an array of this machine's byte order; InputError for what is none.

    Its memory may still be the caller's, and is not necessarily contiguous.
    """
    try:
        if is_torch_tensor(value):
            array = of_torch(value)
        else:
            lends = hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray | np.generic)
            array = np.from_dlpack(value) if lends else np.asarray(value)
    except Exception as error:  # what numpy cannot convert says so in its own way
        let_through(error)
        raise InputError(f"{what}, a {type(value).__name__}, is not an array: {error}") from None
    if array.dtype.kind in "OSUMm":
        raise InputError(f"{what}, a {type(value).__name__}, holds {array.dtype} and no numbers")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def is_torch_tensor(value: Any) -> bool:
    """Return whether it is a torch.Tensor, of any subclass."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def of_torch(tensor: Any) -> np.ndarray:
    """The values of a torch tensor, without a copy where it is dense and on the CPU.

    numpy lacks bfloat16; TVM takes that of ml_dtypes.
    """
    import torch

    dense = tensor.detach().to_dense() if tensor.layout != torch.strided else tensor.detach()
    plain = dense.cpu().resolve_conj().resolve_neg()
    if plain.dtype is torch.bfloat16:
        import ml_dtypes

        return plain.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return plain.numpy()


def typed(value: Any, info: TensorInfo) -> np.ndarray:
    """Return ``value`` as an array of exactly the dtype of ``info``."""
    if value is None:
        raise InputError(f"input '{info.name}' is None; expected {info}")
    array = array_of(value, f"input '{info.name}'")
    array = in_parts(array) if info.is_complex and array.dtype.kind == "c" else array
    if str(array.dtype) != info.dtype:
        converted = f".to(torch.{info.dtype})" if is_torch_tensor(value) else f".astype('{info.dtype}')"
        raise InputError(
            f"input '{info.name}' has dtype {array.dtype}, expected {info.dtype}; convert it with {converted}"
        )
    return array


def in_parts(array: np.ndarray) -> np.ndarray:
    """Return complex numbers as pairs of real ones, along one more axis, in the same memory."""
    return array[..., None].view(array.real.dtype)


def whole(pairs: Any) -> Any:
    """Return pairs of real numbers along the last axis, an array or a torch tensor, as complex ones."""
    if is_torch_tensor(pairs):
        import torch

        return torch.view_as_complex(pairs)
    wide = pairs.astype(np.float32) if pairs.dtype.itemsize == 2 else pairs  # numpy lacks narrow ones
    return wide.view(np.result_type(wide.dtype, np.complex64))[..., 0]


def buffers_of(outputs: Any, infos: Sequence[TensorInfo]) -> list[np.ndarray] | None:
    """Return the caller's arrays for the results, given by name, in order, or as the single one.

    Returns None for None. Raises InputError for a wrong name, number, shape or dtype, and for an array that
    cannot be written."""
    if outputs is None:
        return None
    expected = ", ".join(map(str, infos))
    if isinstance(outputs, Mapping):
        if outputs.keys() != {info.name for info in infos}:
            raise InputError(f"arrays for outputs {', '.join(outputs)}; the model's outputs are {expected}")
        outputs = [outputs[info.name] for info in infos]
    buffers = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
    if len(buffers) != len(infos):
        raise InputError(f"{len(buffers)} arrays for outputs, {len(infos)} expected: {expected}")
    for buffer, info in zip(buffers, infos, strict=True):
        if not isinstance(buffer, np.ndarray) or not buffer.flags.writeable:
            raise InputError(f"output '{info.name}' is written into a numpy array that may be written")
        if (buffer.shape, str(buffer.dtype)) != (info.shape, info.dtype):
            found = f"{buffer.dtype}{list(buffer.shape)}"
            raise InputError(f"the array for output '{info.name}' is {found}, expected {info}")
    return buffers


def written_back(results: list[Any], size: Size, values: Sequence[Any]) -> list[Any]:
    """Write new values of inputs, among the results of a run, to the tensors and arrays that were given as
    these; return the other results. Pairs of real numbers that stand for complex ones become these."""
    own, names = [], [info.name for info in size.inputs]
    for result, info in zip(results, size.outputs, strict=True):
        result = whole(result) if info.is_complex else result
        if not info.changes:
            own.append(result)
            continue
        value = values[names.index(info.changes)]
        if is_torch_tensor(value):
            value.detach().copy_(result)
        elif isinstance(value, np.ndarray):
            np.copyto(value, array_of(result, info.name))
    return own
