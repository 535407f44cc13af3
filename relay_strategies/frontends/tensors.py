"""Tensors as TVM's runtime writes them: in params files, and in base64 in the metadata section.

Little-endian, as DMLC's serializer has it: a magic number and a reserved one (uint64 each), device type and
number (int32 each), number of dimensions (int32), dtype (code uint8, bits uint8, lanes uint16), shape (int64
each), bytes of data (int64), data. Nothing is allocated before the sizes it claims agree with each other and
with what is there.
"""

from __future__ import annotations

import math
import struct

import numpy as np

from tvm_directconv.errors import ModelError

MAGIC = 0xDD5E40F096B4A13F
MAX_DIMENSIONS = 16
HEAD = struct.Struct("<QQiiiBBH")
_CODES = {0: "int", 1: "uint", 2: "float"}


def read_tensor(data: memoryview, offset: int, what: str) -> tuple[np.ndarray, int]:
    """(the tensor at ``offset``, the offset behind it). Raises ModelError, naming ``what``."""
    if len(data) - offset < HEAD.size:
        raise ModelError(f"{what} ends too early")
    magic, _, _, _, rank, code, bits, lanes = HEAD.unpack_from(data, offset)
    offset += HEAD.size
    if magic != MAGIC:
        raise ModelError(f"{what} does not begin as a tensor does")
    if not 0 <= rank <= MAX_DIMENSIONS or len(data) - offset < 8 * rank + 8:
        raise ModelError(f"{what} says it has {rank} dimensions")
    *shape, size = struct.unpack_from(f"<{rank + 1}q", data, offset)
    offset += 8 * rank + 8
    dtype = _dtype(code, bits, lanes, what)
    if any(extent < 0 for extent in shape) or math.prod(shape) * dtype.itemsize != size:
        raise ModelError(f"{what} says it is {dtype}{shape} in {size} bytes")
    if len(data) - offset < size:
        raise ModelError(f"{what} has {size} bytes, of which {len(data) - offset} are there")
    array = np.frombuffer(data, dtype, math.prod(shape), offset)
    return array.reshape(shape), offset + size


def _dtype(code: int, bits: int, lanes: int, what: str) -> np.dtype:
    kind = _CODES.get(code)
    if (kind, bits, lanes) == ("uint", 1, 1):
        return np.dtype(bool)
    known = (8, 16, 32, 64) if kind != "float" else (16, 32, 64)
    if kind is None or lanes != 1 or bits not in known:
        raise ModelError(f"{what} has a type that is not supported (code {code}, {bits} bits, {lanes} lanes)")
    return np.dtype(f"{kind}{bits}").newbyteorder("<")
