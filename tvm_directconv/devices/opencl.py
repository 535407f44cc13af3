"""The OpenCL device at hand, found by pyopencl: a GPU where there is one, else any, PoCL's CPU among them.

At the bottom of the room: targets read a device's limits from here, and programs are launched on it.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from tvm_directconv.errors import DeviceError, first_line

if TYPE_CHECKING:
    import pyopencl

INSTALL = "pip install 'tvm-directconv[opencl]'"
DEVICE_VARIABLE = "TVM_DIRECTCONV_OPENCL"
"""This environment variable picks a device by a part of its or its platform's name, where there are
several."""


FORKED = (
    "this process was forked from one that uses the device, which drivers do not support: start processes "
    "anew (multiprocessing's 'spawn'), or run on the device after the fork only"
)


@functools.cache
def _first_process() -> int:
    """Return the process that used OpenCL first, this one or one that it was forked from."""
    return os.getpid()


def opencl() -> Any:
    """Return the module pyopencl. Raises DeviceError where it, or a loader of OpenCL drivers, is missing; and
    in a child that was forked from a process that uses it, because drivers' threads are not there."""
    if _first_process() != os.getpid():
        raise DeviceError(FORKED)
    try:
        # Its cache of binaries would hide what building a program costs, and PoCL has one of its own.
        os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
        import pyopencl
    except ImportError as error:
        raise DeviceError(f"OpenCL needs pyopencl ({first_line(error)}): {INSTALL}") from None
    return pyopencl


@functools.cache
def devices() -> tuple[pyopencl.Device, ...]:
    """Return the OpenCL devices of this host, GPUs before others, and else in the order of the drivers'
    loader.

    Raises DeviceError where there is none.
    """
    cl = opencl()
    try:
        found = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.Error as error:
        raise DeviceError(f"OpenCL finds no platform ({first_line(error)}); {INSTALL} brings PoCL") from None
    if not found:
        raise DeviceError(f"OpenCL finds no device; {INSTALL} brings PoCL, which runs on the CPU")
    return tuple(sorted(found, key=lambda device: not device.type & cl.device_type.GPU))


def choose_device(word: str | None = None) -> pyopencl.Device:
    """Return the device whose name or platform's name has ``word`` in it, by default that of the environment
    variable TVM_DIRECTCONV_OPENCL, without either the one to prefer. Raises DeviceError with the names."""
    word = word if word is not None else os.environ.get(DEVICE_VARIABLE, "")
    names = [f"{device.platform.name.strip()}: {device.name.strip()}" for device in devices()]
    for device, name in zip(devices(), names, strict=True):
        if word.lower() in name.lower():
            return device
    raise DeviceError(f"no OpenCL device '{word}'; there are {'; '.join(names)}")


@functools.cache
def queue_of(device: pyopencl.Device) -> pyopencl.CommandQueue:
    """Return the device's one queue, in order, whose events tell when each kernel began and ended."""
    cl = opencl()
    context = cl.Context([device])
    return cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)


def label_of(device: pyopencl.Device) -> str:
    """Return what a report calls the device."""
    return f"{device.name.strip()} ({device.platform.name.strip()}, {device.version.strip()})"
