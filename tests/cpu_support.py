"""CPUs that this host is not."""

from __future__ import annotations

import pytest

from tvm_directconv.targets import llvm
from tvm_directconv.targets.x86_features import BITS

KNOWN = {feature for bits in BITS.values() for feature in bits}
"""The features that x86 CPUs are asked for."""


def foreign_cpu() -> str:
    """A CPU of which this host lacks something: no CPU has all of AMD's and all of Intel's."""
    if llvm.arch_of(llvm.host_triple()) != "x86_64":
        pytest.skip("only x86's CPUs are asked")
    lacking = {feature for feature, here in llvm.host_report().items() if not here}
    cpus = ("bdver4", "graniterapids")
    return next(cpu for cpu in cpus if llvm.features_of(llvm.host_triple(), cpu) & lacking & KNOWN)
