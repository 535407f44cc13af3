"""Work on all of this process's cores that needs no lock of Python's: compiling, reading files, checksums."""

from __future__ import annotations

import _thread
import os
import platform
import re
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

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
"""Where control groups of both versions say how many microseconds of CPUs' time there are, and in how
many."""
BLOCK = 4 << 20
"""Bytes of a file's block: checksums of files are lists of those of their blocks."""


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
    cpus = usable_cpus()
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


class _Condition(threading.Condition):
    """A condition whose lock an exception of a signal handler leaves as it should be: ``with`` takes it in
    CPython's own code, where Condition has methods in Python. It is waited for by one ``with``."""

    __enter__ = property(attrgetter("_lock.__enter__"))
    __exit__ = property(attrgetter("_lock.__exit__"))

    def wait(self, timeout: float | None = None) -> bool:
        waiter, lock = threading.Lock(), self._lock  # type: ignore[attr-defined]
        waiter.acquire()
        self._waiters.append(waiter)  # type: ignore[attr-defined]
        try:
            lock.release()
            return waiter.acquire(timeout=-1 if timeout is None else max(timeout, 0))
        finally:
            lock.acquire()


class _NobodyIdle(threading.Semaphore):
    """Stands for the semaphore of an executor's idle threads: a thread is started for each task until there
    are as many as may be."""

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        return False

    def release(self, n: int = 1) -> None: ...


class Workers(ThreadPoolExecutor):
    """An executor that goes on whatever moment a signal handler raises an exception at, in ``submit`` or in a
    future's ``result``: its threads wait for no lock that the interrupted thread has left taken."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._idle_semaphore = _NobodyIdle()

    def submit(self, function: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        future = super().submit(function, *args, **kwargs)
        future._condition.__class__ = _Condition
        return future


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


def in_threads(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Return the results in order, on all of this process's cores."""
    pool = Workers(core_count())
    try:
        return list(pool.map(function, items))
    finally:
        pool.shutdown(cancel_futures=True)


def of_blocks(file: BinaryIO, function: Callable[[memoryview], Result]) -> list[Result]:
    """Return what ``function`` makes of each block of a file, in order, on all cores; each core reads
    into one block of memory."""
    size = file.seek(0, os.SEEK_END)
    starts = range(0, size, BLOCK)
    turn = threading.Lock()

    def every(first: int, step: int) -> list[Result]:
        buffer = memoryview(bytearray(min(BLOCK, size)))
        found = []
        for start in starts[first::step]:
            with turn:
                file.seek(start)
                count = file.readinto(buffer)  # type: ignore[attr-defined]
            found.append(function(buffer[:count]))
        return found

    workers = max(1, min(core_count(), len(starts)))
    if workers == 1:
        return every(0, 1)
    shares = in_threads(lambda worker: every(worker, workers), range(workers))
    return [shares[number % workers][number // workers] for number in range(len(starts))]
