"""What single layers on CPUs and GPUs share: their text, and the checks of what they are called with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.errors import InputError
from tvm_directconv.problem.element_types import FLOAT32, numpy_type
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.arrays import array_of
from tvm_directconv.runtime.words import facts_text, target_label
from tvm_directconv.text import bytes_label, layer_label


def less_zero(workload: Conv2dWorkload, weights: np.ndarray, zero: int | np.ndarray) -> np.ndarray:
    """Return an integer filter with its zero point, one or one per output channel, taken off. Raises
    InputError for another zero point, and for a difference that is none of bytes."""
    zeros, count = array_of(zero, "filter_zero"), workload.out_channels
    if zeros.dtype.kind not in "iu" or zeros.shape not in ((), (1,), (count,)):
        raise InputError(
            f"filter_zero must be an integer, or {count} of them, got {zeros.dtype} {zeros.shape}; the "
            f"workload is {workload}"
        )
    shape = [-1 if axis == "O" else 1 for axis in workload.filter_layout]
    less = weights.astype(np.int64) - zeros.astype(np.int64).reshape(shape)
    if np.abs(less).max() > np.iinfo(np.int16).max:
        raise InputError(f"the filter less its zero point holds {less.min()} to {less.max()}: {workload}")
    return less.astype(np.int16)


def layer_text(w: Conv2dWorkload, target: object, chosen: Conv2dImplementation, workspace: int) -> str:
    """Return what a layer is, in a few lines."""
    facts = {
        "workload": str(w),
        "algorithm": chosen.name,
        "kernels": ", ".join(chosen.kernels),
        "workspace": bytes_label(workspace),
    }
    return facts_text(f"{layer_label(w)} for {target_label(str(target))}", facts)


def check_repeat(repeat: int) -> None:
    """Raise InputError for what is not a number of timings."""
    if not isinstance(repeat, int) or repeat < 1:
        raise InputError(f"repeat={repeat!r} is not a number of timings: give 1 or more")


def checked_operands(w: Conv2dWorkload, operands: Mapping[str, Any]) -> dict[str, np.ndarray | None]:
    """Return the operands as arrays. Raises InputError for the first that is not what the workload takes; ""
    is any integer."""
    given = {name: None if value is None else array_of(value, name) for name, value in operands.items()}
    scaled = w.quantized is not None and w.out_dtype != "int32"
    wanted = {
        "data": (w.input_shape, True, w.dtype),
        "weights": (w.filter_shape, True, "" if w.quantized else w.dtype),
        "bias": (w.bias_shape, w.epilogue.bias, "int32" if w.quantized else FLOAT32),
        "residual": (w.output_shape, w.epilogue.residual, w.out_dtype),
        "scale": ((w.out_channels,), scaled, "float32"),
    }
    for name, (shape, needed, dtype) in wanted.items():
        array = given[name]
        if (array is not None) != needed:
            problem = "is missing" if needed else "is given, but the workload has none"
            raise InputError(f"{name} {problem}; the workload is {w}")
        if array is None:
            continue
        if not isinstance(array, np.ndarray):
            raise InputError(f"{name} must be a numpy array, not of type {type(array).__name__}")
        right = np.issubdtype(array.dtype, np.integer) if not dtype else array.dtype == numpy_type(dtype)
        if array.shape != shape or not right:
            raise InputError(
                f"{name} must be {dtype or 'integer'} {shape}, got {array.dtype} {array.shape}; the workload "
                f"is {w}"
            )
    return given
