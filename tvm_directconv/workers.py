"""Work in threads: an executor that signal handlers do not break, on all of this process's cores."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from operator import attrgetter
from typing import Any, BinaryIO, TypeVar

from tvm_directconv.threads import core_count

Item = TypeVar("Item")
Result = TypeVar("Result")

BLOCK = 4 << 20
"""Bytes of a file's block: checksums of files are lists of those of their blocks."""


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
