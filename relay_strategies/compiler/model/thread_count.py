"""How many of TVM's threads compute for the calling one.

TVM has a pool for each thread that runs kernels, of TVM_NUM_THREADS threads, by default one for each physical
core. A run may use fewer of them.
"""

from __future__ import annotations

import threading

import tvm_ffi

from tvm_directconv.threads import check_thread_count, usable_cpus, use_all_cores

use_all_cores()  # before the first pool
ALL_CPUS_FOR_EACH = -3
"""The mode of TVM's thread pool in which each of its threads may run on any CPU of a list."""


class _OfThread(threading.local):
    """What the calling thread's pool was last told; None: nothing."""

    count: int | None = None
    whole: int = 0


_own = _OfThread()


def check_threads(count: int | None) -> None:
    """Raise InputError for what is not a number of threads that TVM's pool has; None is all of them."""
    check_thread_count(count, _whole)


def use_threads(count: int | None) -> None:
    """Have kernels that this thread runs from now on use so many threads; None: all of its pool's."""
    if count != _own.count:
        whole = _whole()
        limit_threads(whole if count is None else min(count, whole))
        _own.count = count


def limit_threads(count: int) -> None:
    """Have TVM run so many threads for the calling one, anywhere on this process's CPUs."""
    configure = tvm_ffi.get_global_func("runtime.config_threadpool")
    configure(ALL_CPUS_FOR_EACH, count, [str(cpu) for cpu in usable_cpus()])


def thread_count() -> int:
    """Return how many threads kernels that this thread runs use now."""
    return int(tvm_ffi.get_global_func("runtime.NumThreads")())


def _whole() -> int:
    """The threads of this thread's pool, before any limit of ``use_threads``."""
    if not _own.whole:
        _own.whole = thread_count()
    return _own.whole
