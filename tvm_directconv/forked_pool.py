"""The thread pool of TVM in a forked child: the forking thread's pool is there, its worker threads are not.

Each thread that runs kernels has a pool of its own, as a thread-local object. In a child, that of the thread
that forked waits for threads that do not exist: when it is used, and when the process ends and destroys it.
TVM can start a pool's threads anew (``ResetThreadPool``), but joins the old ones first. So the object is
looked up in the thread's storage of TVM's library, and forgets them: it is the one of its shape there.

    class ThreadPool {             // tvm/src/runtime/thread_pool.cc of the version that is pinned
      int num_workers_;
      int num_workers_used_;
      bool exclude_worker0_;
      std::vector<std::unique_ptr<SpscTaskQueue>> queues_;    // num_workers_ of them: begin, end, capacity
      std::unique_ptr<ThreadGroup> threads_;
    };
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

LIBRARY = "libtvm_runtime"
RESET = "_ZN3tvm7runtime9threading15ResetThreadPoolEv"
"""void tvm::runtime::threading::ResetThreadPool()"""
PT_TLS = 7
WORD = ctypes.sizeof(ctypes.c_void_p)
MOST_WORKERS = 1 << 16


class _Pool(ctypes.Structure):
    _fields_ = (
        ("workers", ctypes.c_int),
        ("used", ctypes.c_int),
        ("excludes_first", ctypes.c_ubyte),
        ("queues", ctypes.c_size_t * 3),
        ("threads", ctypes.c_size_t),
    )

    def is_pool(self) -> bool:
        """Return whether the bytes are those of a pool with threads."""
        begin, end, capacity = self.queues
        return (
            1 <= self.used <= self.workers <= MOST_WORKERS
            and self.excludes_first in (0, 1)
            and 0 < begin < end <= capacity
            and end - begin == WORD * self.workers
            and self.threads != 0
        )


class _Segment(ctypes.Structure):
    """A 64-bit ELF file's program header."""

    _fields_ = (
        ("type", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        *((name, ctypes.c_uint64) for name in ("offset", "address", "load", "in_file", "size", "align")),
    )


class _Library(ctypes.Structure):
    """What dl_iterate_phdr tells of a library; ``storage`` is the calling thread's."""

    _fields_ = (
        ("base", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("segments", ctypes.POINTER(_Segment)),
        ("count", ctypes.c_uint16),
        ("added", ctypes.c_ulonglong),
        ("removed", ctypes.c_ulonglong),
        ("module", ctypes.c_size_t),
        ("storage", ctypes.c_size_t),
    )


_VISITOR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Library), ctypes.c_size_t, ctypes.c_void_p)


def renew_pool() -> bool:
    """Give the calling thread's pool new worker threads, in a child where the old ones are gone.

    Return whether TVM can be used: not where pools cannot be looked up and more than one thread would run.
    """
    if "tvm" not in sys.modules:
        return True
    if not sys.platform.startswith("linux") or WORD != 8:
        return os.environ.get("TVM_NUM_THREADS") == "1"
    name, places = _storage()
    pools = [pool for pool in map(_Pool.from_address, places) if pool.is_pool()]
    if all(pool.workers == pool.excludes_first for pool in pools):  # the one worker is the thread itself
        return True
    reset = getattr(ctypes.CDLL(name), RESET, None)
    if len(pools) > 1 or reset is None:
        return False
    pools[0].queues[:] = (0, 0, 0)
    pools[0].threads = 0
    cpus = os.sched_getaffinity(0)
    reset()
    os.sched_setaffinity(0, cpus)  # TVM binds the thread that makes a pool, too
    return True


def _storage() -> tuple[str, list[int]]:
    """Return the path of TVM's library, "" where it is not loaded, and where in the calling thread's storage
    of it a pool may begin."""
    found: tuple[str, list[int]] = ("", [])

    def visit(library: Any, size: int, _: object) -> int:
        nonlocal found
        info = library.contents
        path = os.fsdecode(info.name or b"")
        if not os.path.basename(path).startswith(LIBRARY + ".") or not info.storage:
            return 0
        bytes_ = sum(s.size for s in info.segments[: info.count] if s.type == PT_TLS)
        found = path, list(range(info.storage, info.storage + bytes_ - ctypes.sizeof(_Pool) + 1, WORD))
        return 1

    ctypes.CDLL(None).dl_iterate_phdr(_VISITOR(visit), None)
    return found
