"""What users pass as tensors: anything that numpy takes, or one clear error."""

from __future__ import annotations

from typing import Any

import numpy as np
import tvm

from tvm_directconv.errors import InputError


def array_of(value: Any, what: str) -> np.ndarray:
    """``value`` as an array of this machine's byte order; InputError for what is none.

    Its memory may still be the caller's, and is not necessarily contiguous.
    """
    try:
        array = value.numpy() if isinstance(value, tvm.runtime.Tensor) else np.asarray(value)
    except Exception as error:  # what numpy cannot convert says so in its own way
        raise InputError(f"{what}, a {type(value).__name__}, is no array: {error}") from None
    if array.dtype.kind in "OSUMm":
        raise InputError(f"{what}, a {type(value).__name__}, holds {array.dtype} and no numbers")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
