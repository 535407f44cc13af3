"""Kernels timed on this host: every one, against a peak. No test asserts a time."""

from __future__ import annotations

import pytest
from support import ISA_TARGETS, runnable_target

from intrinsics.isa import ISAS
from intrinsics.microkernel import BYTES
from intrinsics.registry import registered_kernels
from tvm_directconv.errors import TargetError
from tvm_directconv.measure.kernels import repeated_row, time_kernels
from tvm_directconv.targets.target import resolve_target


@pytest.mark.slow
@pytest.mark.parametrize("isa", ["portable", "portablehalves", "portablebytes"])
def test_every_kernel_is_timed(isa: str) -> None:
    timings = time_kernels(runnable_target(isa), ISAS[isa])
    assert [timing.kernel for timing in timings] == [k.name for k in registered_kernels(ISAS[isa])]
    assert all(timing.gops > 0 and timing.percent_of_peak > 0 for timing in timings)


@pytest.mark.parametrize("isa", ISAS.values(), ids=lambda isa: isa.name)
def test_operands_of_timed_kernels_fit_l1(isa) -> None:  # type: ignore[no-untyped-def]
    target = resolve_target(isa.cpus[0].target)
    for kernel in registered_kernels(isa):
        instance = repeated_row(kernel, isa, target)
        depth = sum(segment.length for segment in instance.segments)
        size = BYTES[kernel.lhs] * depth * (kernel.mr + kernel.nr)
        assert size <= target.machine.cache(1).size_bytes, kernel.name


def test_kernels_that_the_target_lacks_are_refused() -> None:
    target = resolve_target(ISA_TARGETS["portable"])
    with pytest.raises(TargetError, match="kernels of neon use neon"):
        time_kernels(target, ISAS["neon"])
