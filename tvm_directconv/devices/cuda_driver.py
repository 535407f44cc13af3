"""NVIDIA's driver by ctypes: the interface that programs are launched through, and what it tells of the GPU.

At the bottom of the room, beside opencl.py: targets read a GPU's limits from here, and programs run on it.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from typing import Any

from tvm_directconv.errors import DeviceError

from .opencl import FORKED

DRIVERS = ("libcuda.so.1", "libcuda.so", "nvcuda.dll")
ATTRIBUTES = {
    "threads_per_block": 1,
    "block_x": 2,
    "block_y": 3,
    "block_z": 4,
    "shared_bytes": 8,
    "warp": 10,
    "clock_khz": 13,
    "multiprocessors": 16,
    "memory_clock_khz": 36,
    "memory_bits": 37,
    "cache_bytes": 38,
    "threads_per_multiprocessor": 39,
    "capability_major": 75,
    "capability_minor": 76,
    "registers_per_multiprocessor": 82,
}
"""Attributes of a device that are asked for, and their numbers in the driver's interface."""


class Driver:
    """NVIDIA's driver, with its first GPU (CUDA_VISIBLE_DEVICES says which that is)."""

    def __init__(self, library: Any) -> None:
        self._library, self._threads, self._process = library, threading.local(), os.getpid()
        self.call("cuInit", 0)
        device, context, name = ctypes.c_int(), ctypes.c_void_p(), ctypes.create_string_buffer(256)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDeviceGetName", name, len(name), device)
        self.name = name.value.decode()
        self.attributes = {name: self._attribute(number, device) for name, number in ATTRIBUTES.items()}
        self.capability = self.attributes["capability_major"], self.attributes["capability_minor"]
        self.arch = "sm_" + "".join(map(str, self.capability))
        memory = ctypes.c_size_t()
        self.call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
        self.memory_bytes = memory.value
        # The context that other libraries of this process use, too.
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._context = context

    def call(self, name: str, *arguments: object) -> None:
        """Call a function of the driver's. Raises DeviceError with what the driver says."""
        status = getattr(self._library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self._library.cuGetErrorString(status, ctypes.byref(text))
            raise DeviceError(f"CUDA: {name}: {(text.value or b'').decode() or f'error {status}'}")

    def is_here(self) -> bool:
        """Return whether the driver is this process's: it does not survive a fork."""
        return self._process == os.getpid()

    def here(self) -> Driver:
        """Return the driver when its context is the calling thread's. Raises DeviceError in a forked
        child."""
        if not self.is_here():
            raise DeviceError(FORKED)
        if not getattr(self._threads, "current", False):
            self.call("cuCtxSetCurrent", self._context)
            self._threads.current = True
        return self

    def _attribute(self, number: int, device: ctypes.c_int) -> int:
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        return value.value


@functools.cache
def driver() -> Driver:
    """Return NVIDIA's driver. Raises DeviceError where it is not installed, or finds no GPU."""
    for name in DRIVERS:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        return Driver(library)
    raise DeviceError("there is no CUDA driver (libcuda.so.1): CUDA kernels run on NVIDIA's GPUs alone")
