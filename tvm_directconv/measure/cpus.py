"""The CPUs to measure on: those that others use least."""

from __future__ import annotations

import time
from pathlib import Path

from tvm_directconv.errors import BenchmarkError
from tvm_directconv.threads import usable_cpus

IDLE_SAMPLE_SECONDS = 0.2


def choose_cpus(threads: int) -> tuple[int, ...]:
    """Return the idlest ``threads`` usable CPUs, on different cores as long as there are such.

    Raises BenchmarkError where there are not so many.
    """
    allowed = usable_cpus()
    if not 1 <= threads <= len(allowed):
        raise BenchmarkError(f"{threads} threads on {len(allowed)} usable CPUs: give 1 to {len(allowed)}")
    before = _idle_ticks()
    time.sleep(IDLE_SAMPLE_SECONDS)
    idle = {cpu: ticks - before.get(cpu, 0) for cpu, ticks in _idle_ticks().items()}
    return tuple(
        sorted(allowed, key=lambda cpu: (_siblings(cpu).index(cpu), -idle.get(cpu, 0), cpu))[:threads]
    )


def _idle_ticks() -> dict[int, int]:
    """Return the idle time of each CPU since boot, in the kernel's ticks (usually 10 ms)."""
    path = Path("/proc/stat")
    lines = path.read_text().splitlines() if path.exists() else []
    return {
        int(name[3:]): int(fields[3])
        for name, *fields in (line.split() for line in lines if line.startswith("cpu"))
        if name != "cpu"
    }


def _siblings(cpu: int) -> list[int]:
    """Return the hardware threads of this CPU's core, itself included."""
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    if not path.exists():
        return [cpu]
    siblings: list[int] = []
    for part in path.read_text().strip().split(","):
        first, _, last = part.partition("-")
        siblings += range(int(first), int(last or first) + 1)
    return siblings
