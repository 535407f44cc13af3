"""Tensors as ONNX Runtime's Python has them: OrtValue, which is a numpy array here, and OrtDevice."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from relay_strategies.frontends.onnx.runtime import type_of

from .errors import InvalidArgument

DEVICES = ("cuda", "gpu", "dml", "npu", "cann", "hip", "rocm", "webgpu", "webnn", "migraphx")
"""Devices that ONNX Runtime knows and this library does not have."""


def type_text(dtype: Any) -> str:
    """Return ONNX Runtime's name of a tensor's type, as tensor(float)."""
    found = np.dtype(dtype)
    return "tensor(string)" if found.kind in "OUS" else type_of(found.name)


def onnx_type_text(element_type: int) -> str:
    """Return ONNX Runtime's name of the type of a tensor of ONNX's element type."""
    name = TensorProto.DataType.Name(element_type).lower() if element_type else "undefined"
    return f"tensor({name})"


class OrtDevice:
    """A device, which is always the CPU."""

    def __init__(self, kind: str = "cpu", number: int = 0) -> None:
        self._kind, self._number = kind, number

    @staticmethod
    def make(ort_device_name: str, device_id: int = 0, vendor_id: int = -1) -> OrtDevice:
        """Return a device by its name. Raises InvalidArgument for others than the CPU."""
        _check_device(ort_device_name)
        return OrtDevice(ort_device_name, device_id)

    @staticmethod
    def cpu() -> int:
        """Return the number that stands for the CPU."""
        return 0

    def device_id(self) -> int:
        """Return the device's number."""
        return self._number

    def device_type(self) -> int:
        """Return the number that stands for the CPU."""
        return 0

    def device_vendor_id(self) -> int:
        """Return 0: the CPU's vendor is not known."""
        return 0

    def device_mem_type(self) -> int:
        """Return the number that stands for the usual memory."""
        return 0


class OrtValue:
    """A tensor in the CPU's memory."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    @classmethod
    def ortvalue_from_numpy(
        cls, numpy_obj: Any, /, device_type: str = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> OrtValue:
        """Return a value that has an array's memory, if it is contiguous."""
        _check_device(device_type)
        if not isinstance(numpy_obj, np.ndarray | np.generic) or np.asarray(numpy_obj).dtype.kind in "OUS":
            raise RuntimeError(
                "Creation of OrtValues is currently only supported from non-string numpy arrays"
            )
        return cls(_in_order(np.asarray(numpy_obj)))

    @classmethod
    def ortvalue_from_numpy_with_onnx_type(cls, data: Any, /, onnx_element_type: int) -> OrtValue:
        """Return a value of an array's bytes, read as ONNX's element type of the same size."""
        return cls(_in_order(np.asarray(data)).view(helper.tensor_dtype_to_np_dtype(onnx_element_type)))

    @classmethod
    def ortvalue_from_shape_and_type(
        cls,
        shape: Sequence[int],
        element_type: Any,
        device_type: str = "cpu",
        device_id: int = 0,
        vendor_id: int = -1,
        memory_info: Any = None,
    ) -> OrtValue:
        """Return a value of a shape and numpy's or ONNX's element type, whose numbers are not set."""
        _check_device(device_type)
        if any(size < 0 for size in shape):
            raise RuntimeError(f"a tensor of shape {list(shape)} cannot be made: a size is negative")
        return cls(np.empty(tuple(shape), dtype_of(element_type)))

    @classmethod
    def from_dlpack(cls, data: Any, /, is_bool_tensor: bool = False) -> OrtValue:
        """Return a value that has the memory of what lends it by DLPack."""
        array = np.from_dlpack(data)
        return cls(array.view(bool) if is_bool_tensor else array)

    def numpy(self) -> np.ndarray:
        """Return a copy as a numpy array."""
        return self._array.copy()

    def shape(self) -> list[int]:
        """Return the sizes."""
        return list(self._array.shape)

    def data_type(self) -> str:
        """Return the type, as tensor(float)."""
        return type_text(self._array.dtype)

    def element_type(self) -> int:
        """Return ONNX's element type."""
        return int(helper.np_dtype_to_tensor_dtype(self._array.dtype))

    def device_name(self) -> str:
        """Return "cpu"."""
        return "cpu"

    def data_ptr(self) -> int:
        """Return the address of the first number."""
        return int(self._array.ctypes.data)

    def tensor_size_in_bytes(self) -> int:
        """Return the bytes of all numbers."""
        return int(self._array.nbytes)

    def has_value(self) -> bool:
        """Return True."""
        return True

    def is_tensor(self) -> bool:
        """Return True."""
        return True

    def is_tensor_sequence(self) -> bool:
        """Return False."""
        return False

    def is_sparse_tensor(self) -> bool:
        """Return False."""
        return False

    def update_inplace(self, data: Any) -> None:
        """Copy numbers of the same shape and type into the value."""
        array = np.asarray(data)
        if array.size != self._array.size:
            raise RuntimeError("The input size of numpy arrays does not match the size of the OrtValue.")
        if array.shape != self._array.shape or array.dtype != self._array.dtype:
            raise InvalidArgument(f"{array.dtype}{list(array.shape)} is not {self}")
        self._array[...] = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return (
            np.array(self._array, dtype=dtype)
            if copy
            else self._array.astype(dtype or self._array.dtype, copy=False)
        )

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __repr__(self) -> str:
        return f"OrtValue({self.data_type()}{self.shape()})"


def array_at(address: int, shape: Sequence[int], element_type: Any) -> np.ndarray:
    """Return the array that lies at an address."""
    dtype = dtype_of(element_type)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return np.frombuffer(memoryview((ctypes.c_char * size).from_address(address)), dtype).reshape(
        tuple(shape)
    )


def dtype_of(element_type: Any) -> np.dtype:
    """Return numpy's dtype of its own or ONNX's element type."""
    return np.dtype(
        helper.tensor_dtype_to_np_dtype(element_type) if isinstance(element_type, int) else element_type
    )


def _in_order(array: np.ndarray) -> np.ndarray:
    """Return an array in C order, of the same rank."""
    return np.asarray(array, order="C")


def _check_device(name: str) -> None:
    if name.lower() in DEVICES:
        raise RuntimeError(f"Can't allocate memory on the device '{name}': tensors are in the CPU's memory")
    if name.lower() != "cpu":
        raise Exception(f"Unsupported device type: {name}")
