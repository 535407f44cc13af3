"""Compiled code of foreign CPUs, run under qemu's user-mode emulation by a small C program.

``runner.c`` stands in for TVM's runtime, so that no foreign build of TVM is needed. It is built once per
process for each architecture. Where the emulator or the cross compiler is missing, tests are skipped with the
name of what to install.
"""

from __future__ import annotations

import functools
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from compiling import check_arguments, compile_unchecked, named_module
from tvm import tirx
from tvm.support import cc

from intrinsics.instruction_set import Isa
from intrinsics.riscv.rvv import QEMU
from tvm_directconv.targets.target import CompileTarget, resolve_target

SECONDS = 1800
"""Only what never ends takes so long."""
TYPE_CODES = {"i": 0, "u": 1, "f": 2, "V": 4}
"""DLPack's, by numpy's kinds; what numpy knows no kind of is bfloat16."""


@dataclass(frozen=True)
class Architecture:
    """How to build for an architecture and to run what was built."""

    compiler: str
    emulator: str
    libraries: str
    packages: str

    def require(self) -> None:
        """Skip the test where the compiler or the emulator is missing."""
        for tool in (self.compiler, self.emulator):
            if shutil.which(tool) is None:
                pytest.skip(f"{tool} is not installed (Debian: {self.packages})")


ARCHITECTURES = {
    "aarch64": Architecture(
        "aarch64-linux-gnu-gcc", "qemu-aarch64", "/usr/aarch64-linux-gnu", "gcc-aarch64-linux-gnu qemu-user"
    ),
    "powerpc64le": Architecture(
        "powerpc64le-linux-gnu-gcc",
        "qemu-ppc64le",
        "/usr/powerpc64le-linux-gnu",
        "gcc-powerpc64le-linux-gnu qemu-user",
    ),
    "riscv64": Architecture(
        "riscv64-linux-gnu-gcc", "qemu-riscv64", "/usr/riscv64-linux-gnu", "gcc-riscv64-linux-gnu qemu-user"
    ),
}


@dataclass(frozen=True)
class EmulatedCpu:
    """A CPU to compile for, and the one to emulate: never more than the target's. Others, whose vectors have
    other lengths, have to give the same bits."""

    target_string: str
    model: str
    others: tuple[str, ...] = ()

    @property
    def target(self) -> CompileTarget:
        return resolve_target(self.target_string)

    @property
    def architecture(self) -> Architecture:
        return ARCHITECTURES[self.target.arch]

    @property
    def emulator(self) -> list[str]:
        """The command that a program of the architecture is appended to."""
        return self.emulators[0]

    @property
    def emulators(self) -> list[list[str]]:
        """The same for each CPU that has to give the same bits."""
        tools = self.architecture
        return [[tools.emulator, "-cpu", cpu, "-L", tools.libraries] for cpu in (self.model, *self.others)]


CPUS = {
    "cortex-a57": EmulatedCpu("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a57", "cortex-a57"),
    "neoverse-n1": EmulatedCpu("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", "neoverse-n1"),
    "armv8.6": EmulatedCpu("llvm -mtriple=aarch64-linux-gnu -mattr=+dotprod,+i8mm", "max"),
    "power8": EmulatedCpu("llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr8", "power8"),
    "power9": EmulatedCpu("llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr9", "power9"),
    "power10": EmulatedCpu("llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr10", "power10"),
    "rvv": EmulatedCpu("llvm -mtriple=riscv64-linux-gnu -mattr=+v", QEMU[0], QEMU[1:]),
}


def emulated_cpus(isa: Isa) -> list[EmulatedCpu]:
    """The least CPUs that an instruction set's kernels are emulated on."""
    return [EmulatedCpu(cpu.target, cpu.emulated_as, cpu.also_as) for cpu in isa.cpus if cpu.emulated_as]


@dataclass(frozen=True)
class Emulated:
    """The tensors after a call, and what it allocated in all and at any one time, in bytes."""

    tensors: list[np.ndarray]
    workspace_bytes: int
    peak_bytes: int


class Library:
    """Functions compiled for a CPU and linked, to be called one by one under emulation."""

    def __init__(self, cpu: EmulatedCpu, functions: Mapping[str, tirx.PrimFunc]) -> None:
        self._architecture, self._models = ARCHITECTURES[cpu.target.arch], (cpu.model, *cpu.others)
        self._runner = _runner(self._architecture)
        self._functions = functions
        executable = compile_unchecked(named_module(functions), cpu.target.tvm_target)
        self._folder = tempfile.TemporaryDirectory()
        self._library = Path(self._folder.name) / "library.so"
        linker = cc.cross_compiler(self._architecture.compiler, options=["-Wl,--no-as-needed", "-lm"])
        executable.export_library(str(self._library), fcompile=linker)

    def call(self, name: str, arrays: Sequence[np.ndarray], threads: int = 1) -> Emulated:
        """Call a function in a process of its own."""
        return self.calls([(name, arrays)], threads)[0]

    def calls(self, wanted: Sequence[tuple[str, Sequence[np.ndarray]]], threads: int = 1) -> list[Emulated]:
        """Call functions one after the other, on tensors of their own, in one process: the emulator's start
        costs more than most calls."""
        for name, arrays in wanted:
            check_arguments(self._functions[name], arrays)
        operands, results = (self._library.with_name(file) for file in ("calls", "results"))
        operands.write_bytes(b"".join(_named(name) + _written(arrays) for name, arrays in wanted))
        said, data = self._run(self._models[0], operands, results, threads)
        for model in self._models[1:]:
            assert self._run(model, operands, results, threads)[1] == data, f"other bits as {model}"
        at, ended = 0, list[Emulated]()
        for (_, arrays), line in zip(wanted, said.splitlines(), strict=True):
            tensors = []
            for array in arrays:
                tensors.append(np.frombuffer(data, array.dtype, array.size, at).reshape(array.shape))
                at += array.nbytes
            _, total, peak = line.split()
            ended.append(Emulated(tensors, int(total), int(peak)))
        return ended

    def _run(self, model: str, operands: Path, results: Path, threads: int) -> tuple[str, bytes]:
        """What the program said of the calls, and the tensors after them."""
        emulator = [self._architecture.emulator, "-cpu", model, "-L", self._architecture.libraries]
        done = subprocess.run(
            [*emulator, str(self._runner), str(self._library), str(operands), str(results)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            env=os.environ | {"TVM_NUM_THREADS": str(threads)},
        )
        said = done.stderr.strip().splitlines()[-3:]
        assert done.returncode == 0, f"{model}: {done.returncode} in or after {said}"
        return done.stdout, results.read_bytes()


def emulate(
    cpu: EmulatedCpu,
    functions: Mapping[str, tirx.PrimFunc],
    calls: Sequence[tuple[str, Sequence[np.ndarray]]],
    threads: int = 1,
) -> list[Emulated]:
    """Compile the functions into one library and make the calls, each on tensors of its own."""
    return Library(cpu, functions).calls(calls, threads)


def _named(name: str) -> bytes:
    return struct.pack("<i", len(name)) + name.encode()


def _written(arrays: Sequence[np.ndarray]) -> bytes:
    parts = [struct.pack("<i", len(arrays))]
    for array in map(np.ascontiguousarray, arrays):
        kind, bits = TYPE_CODES[array.dtype.kind], 8 * array.dtype.itemsize
        parts.append(
            struct.pack(f"<BBHi{array.ndim}qq", kind, bits, 1, array.ndim, *array.shape, array.nbytes)
        )
        parts.append(array.tobytes())
    return b"".join(parts)


@functools.cache
def _runner(architecture: Architecture) -> Path:
    architecture.require()
    folder = Path(tempfile.mkdtemp(prefix="runner-"))
    built, source = folder / "runner", Path(__file__).with_name("runner.c")
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-pthread"]
    subprocess.run([architecture.compiler, *flags, str(source), "-o", str(built), "-ldl", "-lm"], check=True)
    return built
