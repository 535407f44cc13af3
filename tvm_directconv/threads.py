"""Work on all of this process's cores that needs no lock of Python's: compiling, reading files, checksums."""

from __future__ import annotations

import _thread
import functools
import os
import re
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from tvm_directconv.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")

GRACE_SECONDS = 1.0
"""A function that is told to stop ends within this time, or is left to itself."""
VARIABLES = ("TVM_NUM_THREADS", "OMP_NUM_THREADS")
"""The environment's numbers of threads that TVM looks at, the first that is there."""
CPUS, SIBLINGS = Path("/sys/devices/system/cpu"), "topology/thread_siblings_list"
GROUPS = Path("/sys/fs/cgroup")
QUOTAS, PERIOD = ("cpu.max", "cpu/cpu.cfs_quota_us"), "cpu/cpu.cfs_period_us"
"""The files in which control groups of both versions say how many microseconds of CPUs' time there are, and
in how many."""


def usable_cpus() -> list[int]:
    """Return the CPUs that this process may use, in order."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def core_count() -> int:
    """Return how many CPUs this process may use."""
    return len(usable_cpus())


def physical_cores(cpus: Iterable[int], system: Path = CPUS) -> int | None:
    """Return how many cores these CPUs are parts of; None where the system does not say."""
    try:
        return len({(system / f"cpu{cpu}" / SIBLINGS).read_text() for cpu in cpus})
    except OSError:
        return None


def thread_count_of_process() -> int:
    """Return how many threads a run has unless it is told: what the environment says, else one for each
    physical core that this process may use, and no more than its control groups have time for. Raises
    InputError for variables that are not numbers."""
    check_thread_variables()
    for name in VARIABLES:
        if name in os.environ:
            return int(os.environ[name])
    return _threads_on(tuple(usable_cpus()))


@functools.lru_cache(maxsize=8)
def _threads_on(cpus: tuple[int, ...]) -> int:
    """How many threads there are on these CPUs; files say so, which are not read for every run."""
    cores = physical_cores(cpus) or len(cpus)
    return max(1, min(cores, granted_cpus() or cores))


def granted_cpus(groups: Path = GROUPS) -> int | None:
    """Return how many CPUs' time the control groups of this process have, rounded up; None for no limit. A
    container sees its own group as the root."""
    try:
        said = next((groups / name).read_text() for name in QUOTAS if (groups / name).exists())
        quota, period = said.split()[:2] if len(said.split()) > 1 else (said, (groups / PERIOD).read_text())
        return None if quota == "max" or int(quota) <= 0 else -(-int(quota) // int(period))
    except (OSError, ValueError, StopIteration):
        return None


def use_all_cores() -> None:
    """Have TVM's pools begin with as many threads, unless the environment says a number. On x86-64 TVM takes
    half of the CPUs, as if each core were two, which leaves cores idle where it is one; and it does not know
    of control groups."""
    if any(name in os.environ for name in VARIABLES):
        return
    import platform

    cores, granted = thread_count_of_process(), granted_cpus()
    is_x86 = platform.machine() in ("x86_64", "AMD64")
    if (granted is not None and granted <= cores) or (is_x86 and cores > max(1, core_count() // 2)):
        os.environ[VARIABLES[0]] = str(cores)


def check_thread_variables() -> None:
    """Raise InputError where an environment variable says a number of threads that TVM cannot have: it takes
    anything but a number for 0."""
    for name in VARIABLES:
        said = os.environ.get(name)
        if said is not None:
            if not re.match(r"\s*\+?0*[1-9]", said):
                raise InputError(f"{name}='{said}' is not a number of threads: give 1 or more, or unset it")
            return  # the first that is there decides


def check_thread_count(count: int | None, most: Callable[[], int] = thread_count_of_process) -> None:
    """Raise InputError for what is not a number of threads of the ``most`` that there are; None is all."""
    if count is None:
        return
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(f"threads={count!r} is not a number of threads: give 1 or more")
    if count > (available := most()):
        raise InputError(
            f"threads={count} is more than the {available} that TVM_NUM_THREADS and the CPUs of this process "
            "allow"
        )


def away_from_handlers(function: Callable[[], Result], stop: Callable[[], Any]) -> Result:
    """Return what a function returns, called in a thread of its own, where Python runs no signal handlers.

    Where a handler raises meanwhile, ``stop`` is called, which makes the function end; that is waited for,
    for ``GRACE_SECONDS`` at most. CPython's own code starts the thread and waits for it: a handler's
    exception in ``threading`` may leave locks taken.
    """
    results: list[Result] = []
    errors: list[BaseException] = []
    ended = threading.Lock()

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)
        finally:
            ended.release()

    ended.acquire()
    try:
        _thread.start_new_thread(run, ())
        ended.acquire()
    finally:
        if not results and not errors:
            stop()
            ended.acquire(timeout=GRACE_SECONDS)
    if errors:
        raise errors[0]
    return results[0]
