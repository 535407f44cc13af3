"""The host as a target: what CPU it is, what that can do, and the machine that describes it.

Above llvm.py and machine_files.py, below machine_choice.py.
"""

from __future__ import annotations

import functools

from tvm_directconv.errors import TargetError

from . import llvm
from .machine_files import known_machines, machine_of_cpu

NATIVE = "native"


def check_native(option: str, arch: str) -> None:
    """Raise TargetError unless this host is of that architecture."""
    host_arch = llvm.arch_of(llvm.host_triple())
    if arch != host_arch:
        raise TargetError(f"{option}=native means this host, which is {host_arch}, not {arch}")


@functools.cache
def host_cpu() -> tuple[str, tuple[str, ...]]:
    """Return the host's CPU name, and the attributes that correct what LLVM believes of such a CPU.

    A virtual machine may hide features of the CPU whose name it shows; LLVM would use them.
    """
    mcpu = _fitting(llvm.host_cpu_name())
    believed = llvm.features_of(llvm.host_triple(), mcpu)
    report = sorted(llvm.host_report().items())
    added = tuple(f"+{feature}" for feature, here in report if here and feature not in believed)
    removed = tuple(f"-{feature}" for feature, here in report if not here and feature in believed)
    return mcpu, added + removed


def host_features() -> frozenset[str]:
    """Return everything this host's CPU can do."""
    return llvm.features_of(llvm.host_triple(), *host_cpu())


def _fitting(name: str) -> str:
    """Return ``name``, or where the host has vectors or tiles that such a CPU lacks, the described CPU's that
    lacks the fewest of the host's features.

    A virtual machine may also show the model of an older CPU than it has: a Granite Rapids that of a Rocket
    Lake, which has one FMA unit and no tiles.
    """
    triple = llvm.host_triple()
    arch = llvm.arch_of(triple)
    present = {feature for feature, here in llvm.host_report().items() if here}
    hidden = llvm.host_report().keys() - present

    def misfit(cpu: str) -> tuple[int, int]:
        believed = llvm.features_of(triple, cpu)
        return len(present - believed), len(hidden & believed)

    machines = [machine for machine in known_machines().values() if machine.arch == arch]
    described = frozenset().union(*(machine.features for machine in machines))
    if not machine_of_cpu(arch, name) or not present & described - llvm.features_of(triple, name):
        return name
    names = llvm.cpu_names(triple)
    return min((cpu for machine in machines for cpu in machine.mcpu if cpu in names), key=misfit)
