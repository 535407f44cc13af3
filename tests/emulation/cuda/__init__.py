"""CUDA without a GPU: NVIDIA's driver made up on the host's memory, and its launches computed by the host.

Kernels are those that nvrtc is given, as they are: a C++ compiler takes them, with the headers beside this.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tvm_directconv.devices import cuda, cuda_driver

DONE, REFUSED, OUT_OF_MEMORY = 0, 1, 2
ATTRIBUTES = {
    **{1: 1024, 2: 1024, 3: 1024, 4: 64, 8: 49152, 10: 32, 39: 2048, 75: 9, 76: 0, 82: 65536},
    **{13: 1_980_000, 16: 132, 36: 2_619_000, 37: 5120, 38: 52_428_800},
}
"""What an H100 says, by the numbers of the driver's interface."""
MEMORY_BYTES = 85_520_809_984
MOST_BYTES = 1 << 30
HEADERS = Path(__file__).parent
ELF = b"\x7fELF"
KERNEL = re.compile(r'extern "C" __global__ void [^;{]*?(\w+)\(([^()]*)\) \{(.*?)\n\}', re.DOTALL)
"""A kernel's name, parameters and text."""
WAITS = re.compile(r"__syncthreads|__shfl_\w*sync")


class Gpu:
    """The driver's functions. What kernels compute, ``compute`` says."""

    def __init__(self) -> None:
        self.memory: dict[int, Any] = {}
        self.kernels: list[str] = []
        self.launches: list[tuple[str, tuple[int, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu"):
            raise AttributeError(name)
        return lambda *arguments: DONE

    def cuDeviceGetName(self, name: Any, size: int, device: Any) -> int:
        name.value = b"made up"
        return DONE

    def cuDeviceGetAttribute(self, value: Any, number: int, device: Any) -> int:
        value._obj.value = ATTRIBUTES[number]
        return DONE

    def cuDeviceTotalMem_v2(self, size: Any, device: Any) -> int:
        size._obj.value = MEMORY_BYTES
        return DONE

    def cuMemAlloc_v2(self, pointer: Any, size: Any) -> int:
        if size.value > MOST_BYTES:
            return OUT_OF_MEMORY
        memory = ctypes.create_string_buffer(size.value + 15)
        pointer._obj.value = -(-ctypes.addressof(memory) // 16) * 16
        self.memory[pointer._obj.value] = memory
        return DONE

    def cuMemFree_v2(self, pointer: Any) -> int:
        self.memory.pop(pointer.value, None)  # it may be of the GPU that a test before this had
        return DONE

    def cuMemcpyHtoD_v2(self, to: Any, given: Any, size: Any) -> int:
        ctypes.memmove(to.value, given, size.value)
        return DONE

    def cuMemcpyDtoH_v2(self, to: Any, given: Any, size: Any) -> int:
        ctypes.memmove(to, given.value, size.value)
        return DONE

    def cuModuleLoadData(self, module: Any, binary: bytes) -> int:
        assert binary.startswith(ELF)
        return DONE

    def cuModuleGetFunction(self, kernel: Any, module: Any, name: bytes) -> int:
        self.kernels.append(name.decode())
        kernel._obj.value = len(self.kernels)
        return DONE

    def cuLaunchKernel(self, kernel: Any, *given: Any) -> int:
        *extents, _shared, _stream, arguments, _extra = given
        name, sizes = self.kernels[kernel.value - 1], tuple(size.value for size in extents)
        self.launches.append((name, sizes))
        self.compute(name, sizes, arguments)
        return DONE

    def compute(self, name: str, sizes: tuple[int, ...], arguments: Any) -> None:
        raise NotImplementedError

    def cuEventElapsedTime(self, milliseconds: Any, start: Any, end: Any) -> int:
        milliseconds._obj.value = 0.5
        return DONE

    def cuGetErrorString(self, status: int, text: Any) -> int:
        text._obj.value = {OUT_OF_MEMORY: b"out of memory", REFUSED: b"invalid argument"}[status]
        return DONE


class ComputingGpu(Gpu):
    """Kernels are compiled for the host, and its threads run one after the other, forwards or backwards."""

    def __init__(self, backwards: bool = False) -> None:
        super().__init__()
        self.backwards, self.library = backwards, None

    def compile(self, source: str, arch: str) -> bytes:
        """What nvrtc is asked for."""
        self.library = built(source)
        return ELF

    def compute(self, name: str, sizes: tuple[int, ...], arguments: Any) -> None:
        assert self.library is not None
        launch = getattr(self.library, f"launch_{name}")
        launch(arguments, (ctypes.c_int * 6)(*sizes), ctypes.c_bool(self.backwards))


@cache
def built(source: str) -> ctypes.CDLL:
    """The kernels of a source as a library of the host's."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler is there for kernels in CUDA C: install g++")
    folder = Path(tempfile.mkdtemp(prefix="cuda"))
    try:
        launches = [
            f'extern "C" void launch_{name}(void **arguments, const int *sizes, bool backwards) '
            f"{{ launch({name}, arguments, sizes, {str(bool(WAITS.search(text))).lower()}, backwards); }}"
            for name, _, text in KERNEL.findall(source)
        ]
        code, library = folder / "kernels.cpp", folder / f"{hashlib.sha256(source.encode()).hexdigest()}.so"
        code.write_text("\n".join(['#include "host.h"', source, *launches]))
        command = [compiler, "-std=c++17", "-O1", "-w", "-shared", "-fPIC", f"-I{HEADERS}"]
        done = subprocess.run([*command, str(code), "-o", str(library)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:2000]
        return ctypes.CDLL(str(library))
    finally:
        shutil.rmtree(folder)


def installed(monkeypatch: pytest.MonkeyPatch, gpu: Gpu) -> Gpu:
    """The GPU, when the process has its driver, and the compiler that goes with it."""
    found = cuda_driver.Driver(gpu)
    monkeypatch.setattr(cuda_driver, "driver", lambda: found)
    if isinstance(gpu, ComputingGpu):
        monkeypatch.setattr(cuda, "compile_cuda", gpu.compile)
    return gpu
