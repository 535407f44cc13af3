"""Inputs of a run as arrays, or the errors that ONNX Runtime raises for wrong ones, in its words."""

from __future__ import annotations

from typing import Any

import numpy as np

from relay_strategies.frontends.onnx.runtime import dtype_of

from .description import NodeArg
from .errors import InvalidArgument
from .values import OrtValue, type_text

STRINGS = "tensor(string)"


def fitting(wanted: NodeArg, value: Any) -> np.ndarray:
    """Return an input as an array, if it has the rank, sizes and type that are wanted."""
    if isinstance(value, str):
        raise RuntimeError(
            f"Input must be a list of dictionaries or a single numpy array for input '{wanted.name}'."
        )
    if isinstance(value, int | float | complex) and not isinstance(value, np.generic):
        raise RuntimeError(f"Unable to handle object of type {type(value)}")
    array = value._array if isinstance(value, OrtValue) else np.asarray(value)
    if isinstance(value, list | tuple) and type_text(array.dtype) != wanted.type:
        array = array.astype("object" if wanted.type == STRINGS else dtype_of(wanted.type))
    if type_text(array.dtype) != wanted.type:
        raise InvalidArgument(
            f"Unexpected input data type. Actual: ({type_text(array.dtype)}) , expected: ({wanted.type})"
        )
    if array.ndim != len(wanted.shape):
        raise InvalidArgument(
            f"Invalid rank for input: {wanted.name} Got: {array.ndim} Expected: {len(wanted.shape)} "
            "Please fix either the inputs/outputs or the model."
        )
    wrong = [
        f" index: {axis} Got: {got} Expected: {size}"
        for axis, (size, got) in enumerate(zip(wanted.shape, array.shape, strict=True))
        if isinstance(size, int) and size != got
    ]
    if wrong:
        raise InvalidArgument(
            f"Got invalid dimensions for input: {wanted.name} for the following indices\n"
            + "\n".join(wrong)
            + "\n Please fix either the inputs/outputs or the model."
        )
    return array


def is_whole_number(array: np.ndarray) -> bool:
    return array.size == 1 and array.ndim <= 1 and array.dtype.kind in "biu"
