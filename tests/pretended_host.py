"""This host as another CPU that can do less, or has other caches: no expectation may follow from the host."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tvm.target import codegen

from tvm_directconv.targets import llvm, machine_choice


def pretend_to_be(cpu: str) -> None:
    """Make "native" mean ``cpu`` in this process: its machine and caches, of its features those of this host.

    Processes that tests start still see the host as it is.
    """
    triple = llvm.host_triple()
    assert cpu in llvm.cpu_names(triple), f"LLVM knows no CPU '{cpu}' of this host's architecture"
    features = llvm.features_of(triple, cpu)
    report = {name: here and name in features for name, here in llvm.host_report().items()}
    llvm.host_report.cache_clear()
    llvm.get_global_func = lambda name: lambda: report
    codegen.llvm_get_system_cpu = lambda: cpu
    reports_none = Path("reports no caches")
    machine_choice.with_host_caches = partial(machine_choice.with_host_caches, folder=reports_none)
