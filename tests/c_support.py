"""Exported C, built with a C compiler and run: in this process by ctypes, or as the example's program."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from ml_dtypes import bfloat16

from relay_strategies.c_export.export import ExportedC
from tvm_directconv.runtime.metadata import TensorInfo

EXAMPLE = Path(__file__).parent.parent / "examples" / "c" / "main.c"
ALIGNMENT, GARBAGE = 64, 0xFF
"""What memory is full of before a run: a float32 of it is NaN."""
SECONDS = 300
Task = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32)
Parallel = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32)


class Model(ctypes.Structure):
    """The header's ``network_model``."""

    _fields_ = (
        ("weights", ctypes.c_void_p),
        ("parallel", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("threads", ctypes.c_int32),
        ("instruction_set", ctypes.c_int32),
    )


def host_compiler() -> str:
    found = shutil.which("cc") or shutil.which("gcc")
    if found is None:
        pytest.skip("no C compiler is there to link exported C with")
    return found


def in_reverse(context: object, task: int, data: int, count: int) -> int:
    """A caller's ``parallel`` that does the tasks one after the other, the last first."""
    for number in reversed(range(count)):
        Task(task)(data, number)
    return 0


def room(size: int) -> np.ndarray:
    """So many bytes of garbage, aligned as the header wants it."""
    memory = np.full(max(size, 1) + ALIGNMENT, GARBAGE, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + max(size, 1)]


def numbers(sizes: Sequence[int]) -> list[ctypes.Array]:
    """What functions of a network of open sizes take first; nothing where it has none."""
    return [(ctypes.c_int64 * len(sizes))(*sizes)] if sizes else []


class Linked:
    """An exported network in a shared library of its own, in this process."""

    def __init__(self, exported: ExportedC, name: str = "network") -> None:
        library = exported.object.with_suffix(".so")
        command = [host_compiler(), "-shared", "-o", str(library), str(exported.object), "-lm"]
        subprocess.run([*command, "-Wl,-z,defs"], check=True, capture_output=True)
        self._library, self._name, self.model = ctypes.CDLL(str(library)), name, Model()
        self.workspace_bytes = self.function("workspace_bytes", ctypes.c_uint64)

    def function(self, name: str, returns: type = ctypes.c_int32) -> Callable[..., int]:
        found = getattr(self._library, f"{self._name}_{name}")
        found.restype = returns
        return found

    def init(self, weights: np.ndarray | None = None) -> int:
        size = 0 if weights is None else weights.size
        address = None if weights is None else ctypes.c_void_p(weights.ctypes.data)
        return self.function("init")(ctypes.byref(self.model), address, ctypes.c_uint64(size))

    def run(
        self,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[TensorInfo],
        parallel: Callable[..., int] | None = None,
        threads: int = 1,
        shifted: int = 0,
        sizes: Sequence[int] = (),
    ) -> tuple[int, list[np.ndarray]]:
        """What run returned, and the outputs; ``shifted`` moves the first output by so many bytes, and
        ``sizes`` are those of a network that has them open."""
        callback = None if parallel is None else Parallel(parallel)
        self.model.parallel = None if callback is None else ctypes.cast(callback, ctypes.c_void_p).value
        self.model.threads = threads
        given = [room(array.nbytes) for array in inputs]
        for memory, array in zip(given, inputs, strict=True):
            memory[: array.nbytes] = np.frombuffer(array.tobytes(), np.uint8)
        results = [room(_bytes(info) + shifted)[shifted:] for info in outputs]
        first = numbers(sizes)
        size = self.workspace_bytes(*first, threads)
        workspace = room(size + ALIGNMENT)
        pointers = [
            (ctypes.c_void_p * (len(arrays) + 1))(*(array.ctypes.data for array in arrays))
            for arrays in (given, results)
        ]
        status = self.function("run")(
            ctypes.byref(self.model), *first, *pointers, ctypes.c_void_p(workspace.ctypes.data)
        )
        assert (workspace[size:] == GARBAGE).all()
        arrays = [_array(memory, info) for memory, info in zip(results, outputs, strict=True)]
        return status, arrays


def built_example(exported: ExportedC, compiler: Sequence[str]) -> Path:
    """The example's program for an exported "network"."""
    program = exported.object.with_suffix(".program")
    command = [*compiler, "-O1", "-pthread", f"-I{exported.header.parent}", str(EXAMPLE)]
    command += [str(exported.object), "-lm", "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return program


def run_example(
    program: Path,
    inputs: Mapping[str, np.ndarray],
    outputs: Sequence[TensorInfo],
    emulator: Sequence[str] = (),
    options: Sequence[str] = (),
) -> list[np.ndarray]:
    folder = program.parent
    paths = []
    for number, array in enumerate(inputs.values()):
        paths.append(folder / f"input{number}.bin")
        paths[-1].write_bytes(array.tobytes())
    results = [folder / f"output{number}.bin" for number in range(len(outputs))]
    command = [*emulator, str(program), *options, *map(str, paths), *map(str, results)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return [
        _array(np.frombuffer(path.read_bytes(), np.uint8), info)
        for path, info in zip(results, outputs, strict=True)
    ]


def _dtype(info: TensorInfo) -> np.dtype:
    return np.dtype(bfloat16 if info.dtype == "bfloat16" else info.dtype)


def _bytes(info: TensorInfo) -> int:
    return math.prod(map(int, info.shape)) * _dtype(info).itemsize


def _array(memory: np.ndarray, info: TensorInfo) -> np.ndarray:
    return memory[: _bytes(info)].copy().view(_dtype(info)).reshape(tuple(map(int, info.shape)))
