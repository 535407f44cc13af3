"""Choice of the machine that a target's code is scheduled for: by its name, of its CPU, or of the class of
its features.

Below target.py, which reads what the target says. "native" is the host's CPU with the caches it reports.
"""

from __future__ import annotations

from dataclasses import replace

from tvm_directconv.errors import TargetError

from . import llvm
from .host import with_host_caches
from .machine import ARCHITECTURES, GENERIC, Machine
from .machine_files import baseline, find_machine, machine_of_class, machine_of_cpu
from .native import NATIVE, check_native, host_cpu, host_features


def described_arch(arch: str) -> str:
    """Return the architecture as machines name it, "generic" where none is described."""
    return arch if arch in ARCHITECTURES else GENERIC


def implied_machine(arch: str, mcpu: str, features: frozenset[str]) -> Machine:
    """Return the machine that follows from CPU and features alone."""
    described = described_arch(arch)
    machine = machine_of_cpu(described, mcpu) or machine_of_class(described, features)
    return machine or find_machine(GENERIC)


def choose_machine(name: str, arch: str, mcpu: str, features: frozenset[str]) -> Machine:
    """Return the machine that ``name`` asks for ("native" and paths of files included), or if it is empty the
    one that follows from CPU and features; in both cases as code for ``features`` may use it.

    Raises TargetError for an unknown name, a bad file, or a machine of another architecture.
    """
    if name == NATIVE:
        check_native("-machine", arch)
        machine = native_machine()
    elif name:
        machine = find_machine(name)
        if machine.arch not in (arch, GENERIC):
            raise TargetError(f"-machine={name} describes a CPU of {machine.arch}, not of {arch}")
    else:
        machine = implied_machine(arch, mcpu, features)
    return with_simd_of(machine, features)


def native_machine() -> Machine:
    """Return this host's CPU, or its class, with the caches that the host reports."""
    arch = llvm.arch_of(llvm.host_triple())
    return with_host_caches(implied_machine(arch, host_cpu()[0], host_features()))


def with_simd_of(machine: Machine, features: frozenset[str]) -> Machine:
    """Return ``machine`` as code for ``features`` may use it.

    Where the features put the code in another class of CPUs than the machine's own (AVX2 code for a
    CPU with AVX-512), width, registers, FMAs and loads per cycle are that class's; the caches and the
    other costs stay.
    """
    usable = replace(machine, features=machine.features & features)
    own = machine_of_class(machine.arch, machine.features | baseline(machine.arch))
    simd = machine_of_class(machine.arch, features)
    if simd is None or simd == own:
        return usable
    loads = simd.origins["loads_per_cycle"]
    return replace(
        usable,
        description=f"{machine.description}; SIMD as in {simd.name}",
        features=usable.features | simd.features,
        vector_bits=simd.vector_bits,
        vector_registers=simd.vector_registers,
        fma_per_cycle=simd.fma_per_cycle,
    ).with_costs(
        {"loads_per_cycle": simd.costs.loads_per_cycle},
        {"loads_per_cycle": replace(loads, of_class=loads.of_class or simd.name)},
    )
