"""The machine under the benchmark: threads pinned to CPUs, and who else used them.

A benchmark runs in a thread of its own. Every library's pool then starts from that thread, inherits
its CPUs and ends with it, and the caller's own affinity and TVM thread pool stay untouched (TVM
keeps one pool per calling thread and can never enlarge it).
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import tvm_ffi

from tvm_directconv.targets.host import processor_name

Result = TypeVar("Result")

# AffinityMode of TVM's runtime: one worker on each CPU of a given list; the default.
ONE_CPU_PER_WORKER, BIG_CORES = -2, 1


def waiting_seconds() -> float:
    """Return how long this process's threads were ready to run but had to wait; 0 if not known."""
    waited = 0
    for task in Path("/proc/self/task").glob("*/schedstat"):
        try:
            waited += int(task.read_text().split()[1])
        except (OSError, ValueError, IndexError):
            continue
    return waited / 1e9


def run_pinned(cpus: tuple[int, ...], work: Callable[[threading.Event], Result]) -> Result:
    """Do ``work(interrupted)`` in a new thread that, with all threads it starts, stays on ``cpus``.

    The event is set when the caller is interrupted; ``work`` should then end soon.
    """
    interrupted = threading.Event()
    results: list[Result] = []
    errors: list[BaseException] = []

    def target() -> None:
        try:
            os.sched_setaffinity(0, cpus)
            _configure_tvm(ONE_CPU_PER_WORKER, cpus)
            results.append(work(interrupted))
        except BaseException as error:
            errors.append(error)
        finally:
            _configure_tvm(BIG_CORES, ())

    thread = threading.Thread(target=target, name="benchmark", daemon=True)
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        interrupted.set()
        raise
    if errors:
        raise errors[0]
    return results[0]


def stay_on(cpus: tuple[int, ...]) -> None:
    """Keep the calling thread, and threads it starts from now on, on these CPUs."""
    os.sched_setaffinity(0, cpus)


def describe_host() -> dict[str, str | float]:
    """Return processor, load and the versions that a figure depends on, for the result file."""
    return {
        "processor": processor_name(),
        "usable_cpus": len(os.sched_getaffinity(0)),
        "load_average": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "apache-tvm": importlib.metadata.version("apache-tvm"),
    }


def _configure_tvm(mode: int, cpus: tuple[int, ...]) -> None:
    configure = tvm_ffi.get_global_func("runtime.config_threadpool")
    configure(mode, len(cpus), [str(cpu) for cpu in cpus])
