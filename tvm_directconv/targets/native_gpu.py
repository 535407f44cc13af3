"""The GPU at hand, as its driver reports it; what drivers do not tell is its class's.

An OpenCL device is any that pyopencl finds, PoCL's CPU among them; a CUDA device is NVIDIA's driver's first.
"""

from __future__ import annotations

from typing import Any

from tvm_directconv.devices import cuda_driver
from tvm_directconv.devices.opencl import choose_device, label_of

from .gpu_machine import NUMBERS, GpuMachine, class_of, find_gpu, known_gpus
from .native import NATIVE

VENDORS = {"arm": "mali", "qualcomm": "adreno"}
"""The device class of a vendor's GPUs, by a word of the vendor's name."""
CAPABILITIES = {
    (7, 5): (64, 1024),
    (8, 0): (64, 2048),
    (8, 6): (128, 1536),
    (8, 7): (128, 1536),
    (8, 9): (128, 1536),
    (9, 0): (128, 2048),
    (10, 0): (128, 2048),
    (12, 0): (128, 1536),
}
"""Multiply-adds of float32 in a cycle, and threads, of an NVIDIA multiprocessor, by its compute capability
(CUDA C++ Programming Guide, tables of arithmetic throughput and of technical specifications); between two of
them those of the lower one."""
LARGE = (8, 0)
"""First capability whose multiprocessors are more like a described large GPU's than like their class's."""
REGISTERS = 65536
"""Registers of an NVIDIA multiprocessor of any of these."""


def native_gpu(kind: str = "opencl") -> GpuMachine:
    """Return the device at hand that runs kernels of ``kind``: limits as it reports them, the rest as its
    class, or the GPU described that is most like it, has it.

    Raises DeviceError where there is none.
    """
    return _of_cuda(cuda_driver.driver()) if kind == "cuda" else _of_opencl(choose_device())


def _of_opencl(device: Any) -> GpuMachine:
    vendor = device.vendor.lower()
    key = next((key for word, key in VENDORS.items() if word in vendor), "")
    is_pocl = "portable computing language" in device.platform.name.lower()
    base = find_gpu("pocl") if is_pocl else class_of("opencl", key, known_gpus())
    assert base is not None, "every device is at least any OpenCL device"
    sizes = tuple(device.max_work_item_sizes)[:3]
    found: dict[str, Any] = {
        "threads_per_group": device.max_work_group_size,
        "threads_per_dimension": (*sizes, *[1] * (3 - len(sizes))),
        "local_memory_bytes": device.local_mem_size,
        "largest_buffer_bytes": device.max_mem_alloc_size,
        "vector_width": max(1, device.preferred_vector_width_float),
        "compute_units": device.max_compute_units,
        "clock_mhz": device.max_clock_frequency or base.clock_mhz,
        "cache_bytes": device.global_mem_cache_size or base.cache_bytes,
        "half": "cl_khr_fp16" in device.extensions.split(),
    }
    if is_pocl:
        del found["vector_width"]  # it is the widest that the CPU has, not what PoCL's compiler makes use of
    elif "cl_nv_device_attribute_query" in device.extensions.split():
        capability = device.compute_capability_major_nv, device.compute_capability_minor_nv
        base = find_gpu("opencl-h200") if capability >= LARGE else base
        # It reports vectors of one float, though loads move four.
        found |= _of_capability(capability) | {"vector_width": 4}
    return _reported(label_of(device), "opencl", base, found)


def _of_cuda(driver: cuda_driver.Driver) -> GpuMachine:
    base = find_gpu("h200" if driver.capability >= LARGE else "cuda")
    told = driver.attributes
    # Two words of the bus's width move in a cycle of the memory's clock.
    bandwidth = 2 * told["memory_clock_khz"] * 1e3 * told["memory_bits"] / 8 / 1e9
    found = {
        "threads_per_group": told["threads_per_block"],
        "threads_per_dimension": tuple(told[f"block_{axis}"] for axis in "xyz"),
        "local_memory_bytes": told["shared_bytes"],
        "largest_buffer_bytes": driver.memory_bytes,
        "compute_units": told["multiprocessors"],
        "clock_mhz": told["clock_khz"] // 1000,
        "bandwidth_gb_s": bandwidth,
        "cache_bytes": told["cache_bytes"],
        "lanes": told["warp"],
        "threads_per_unit": told["threads_per_multiprocessor"],
        "registers_per_thread": told["registers_per_multiprocessor"] // told["threads_per_multiprocessor"],
    }
    # A driver may leave a clock at zero.
    found = _of_capability(driver.capability) | {name: value for name, value in found.items() if value}
    label = f"{driver.name} (CUDA, {driver.arch})"
    return _reported(label, "cuda", base, found)


def _of_capability(capability: tuple[int, int]) -> dict[str, int]:
    known = max((each for each in CAPABILITIES if each <= capability), default=min(CAPABILITIES))
    multiplied, threads = CAPABILITIES[known]
    return {
        "lanes": 32,
        "fma_per_cycle": multiplied,
        "threads_per_unit": threads,
        "registers_per_thread": REGISTERS // threads,
    }


def _reported(label: str, kind: str, base: GpuMachine, found: dict[str, Any]) -> GpuMachine:
    """The machine that a device's driver tells of, and ``base`` beyond that."""
    sources = {
        number: f"reported by {label}" if number in found else base.sources[number] for number in NUMBERS
    }
    rest = {number: getattr(base, number) for number in NUMBERS if number not in found}
    return GpuMachine(NATIVE, label, kind, base.device, (NATIVE,), **found, **rest, sources=sources)
