"""The values of a Relay module's parameters: a params file's, a dict's, or none.

A params file is what ``relay.save_param_dict`` wrote and ``tvm.runtime.load_param_dict`` reads: a magic
number and a reserved one (uint64), the names (count uint64, each with its length uint64), and as many tensors
(count uint64, tensors.py). It is read here, where every size is checked against the bytes there are.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import tvm

from tvm_directconv.errors import ModelError, let_through
from tvm_directconv.files import path_of, read_file

from .tensors import read_tensor

MAGIC = 0xF7E58D4F05049CB7
MAX_NAME_BYTES = 4096

ParamsSource = Mapping[str, Any] | str | os.PathLike[str] | bytes


def load_params(params: ParamsSource | None) -> dict[str, np.ndarray]:
    """Arrays by name: from a params file's path or bytes, or from a mapping to arrays or TVM tensors.

    Raises ModelError for a file that is missing, truncated, or no params file.
    """
    if params is None:
        return {}
    if isinstance(params, Mapping):
        return {str(name): _array(str(name), value) for name, value in params.items()}
    if isinstance(params, bytes | bytearray | memoryview):
        return read_params(bytes(params), "the given params")
    path = path_of(params, "params that are neither bytes nor a mapping", ModelError)
    return read_params(read_file(path, f"params '{path}'", ModelError), f"params '{path}'")


def read_params(data: bytes, what: str) -> dict[str, np.ndarray]:
    """The arrays of a params file's bytes by name; errors name ``what``."""
    view, offset = memoryview(data), 24
    if len(data) < offset or struct.unpack_from("<Q", data)[0] != MAGIC:
        raise ModelError(f"{what}: not a file written by relay.save_param_dict")
    (count,) = struct.unpack_from("<Q", data, 16)
    names = []
    for number in range(count):
        size = _size(view, offset, f"{what}: name {number} of {count}")
        if size > min(MAX_NAME_BYTES, len(data) - offset - 8):
            raise ModelError(f"{what}: name {number} says it has {size} bytes; is the file truncated?")
        offset += 8
        names.append(bytes(view[offset : offset + size]).decode(errors="replace"))
        offset += size
    tensors = _size(view, offset, f"{what}: number of tensors")
    offset += 8
    if tensors != count:
        raise ModelError(f"{what}: {count} names and {tensors} tensors")
    arrays: dict[str, np.ndarray] = {}
    for name in names:
        if name in arrays:
            raise ModelError(f"{what}: '{name}' is there twice")
        arrays[name], offset = read_tensor(view, offset, f"{what}: '{name}'")
    return arrays


def _size(view: memoryview, offset: int, what: str) -> int:
    if len(view) - offset < 8:
        raise ModelError(f"{what} is missing; is the file truncated?")
    return int(struct.unpack_from("<Q", view, offset)[0])


def _array(name: str, value: Any) -> np.ndarray:
    try:
        array = value.numpy() if isinstance(value, tvm.runtime.Tensor) else np.asarray(value)
    except Exception as error:  # what numpy cannot convert says so in its own way
        let_through(error)
        raise ModelError(f"params['{name}'], a {type(value).__name__}, is not an array: {error}") from None
    if array.dtype.kind not in "biuf":
        raise ModelError(f"params['{name}'] is not an array of numbers but {type(value).__name__}")
    return array
