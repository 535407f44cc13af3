"""The machine under the benchmark: processes that stay on their CPUs, and who else used these."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
from pathlib import Path

import tvm_ffi

from tvm_directconv.targets.host import processor_name
from tvm_directconv.threads import core_count

ONE_CPU_PER_WORKER = -2
"""This mode of TVM's thread pool, the default of its enumeration AffinityMode, takes a list of CPUs."""


def waiting_seconds() -> float:
    """Return how long this process's threads were ready to run but had to wait; 0 if not known."""
    waited = 0
    for task in Path("/proc/self/task").glob("*/schedstat"):
        try:
            waited += int(task.read_text().split()[1])
        except (OSError, ValueError, IndexError):
            continue
    return waited / 1e9


def resident_bytes(most: bool = False) -> int | None:
    """Return the memory this process holds, or the ``most`` it held since ``forget_most``; None if unknown.

    Files mapped into memory count where their pages were touched, as weights do that are read in place.
    """
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name == ("VmHWM" if most else "VmRSS"):
                return 1024 * int(rest.split()[0])
    return None


def forget_most() -> None:
    """Begin anew with what this process holds now; without effect where the kernel does not let it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def stay_on(cpus: tuple[int, ...]) -> None:
    """Keep the calling thread, and threads it starts from now on, on these CPUs."""
    os.sched_setaffinity(0, cpus)


def keep_tvm_on(cpus: tuple[int, ...]) -> None:
    """Have TVM's pool of the calling thread, which starts when first used, run one thread on each CPU."""
    configure = tvm_ffi.get_global_func("runtime.config_threadpool")
    configure(ONE_CPU_PER_WORKER, len(cpus), [str(cpu) for cpu in cpus])


def describe_host() -> dict[str, str | float]:
    """Return processor, load and the versions that a figure depends on, for the result file."""
    return {
        "processor": processor_name(),
        "usable_cpus": core_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "apache-tvm": importlib.metadata.version("apache-tvm"),
    }
