"""One thread at a time in what a process has once: names that TVM registers, and where output goes; and no
fork while another thread is in compiled code.

Locks are taken by ``with`` alone and are those of CPython's own code: no signal handler runs between such a
lock's being taken and its block, nor between the block's end and the release. Context managers in Python do
not promise that, so that work is handed over as a function.

Compiled code has locks of its own, which a fork copies as they are, with nobody left to release them. So a
fork waits for the calls of other threads that run through ``without_fork``; compilations take too long for
that. A child that was forked although another thread was in one of them raises DirectConvError at once.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Any, ParamSpec, TypeVar

from .errors import DirectConvError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

STDERR = 2
PATIENCE_SECONDS = 10.0
"""A fork waits so long for runs of other threads to end."""
POLL_SECONDS = 0.0005

_LOCK = threading.RLock()
_DOOR = threading.RLock()
"""A fork holds it, so that nobody enters compiled code meanwhile."""
_marks: dict[int, Any] = {}
"""The lock that each thread, by its number, holds while it is in compiled code."""
_aside: list[int] = []
"""File descriptor of standard error's original destination, while it is redirected."""
_generation = 0
_torn = ""


def one_at_a_time(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Return the function made to wait until no other thread is in it or in another function made so."""

    @functools.wraps(function)
    def waiting(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        check_not_torn()
        with _LOCK:
            return function(*args, **kwargs)

    return waiting


def without_fork(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function that leaves Python's lock to others, so that no fork of another thread copies it half
    done."""
    check_not_torn()
    mark = _own_mark()
    if is_taken(mark):  # a fork may hold the door and wait for this thread
        return function(*arguments)
    with _DOOR:
        pass
    with mark:
        return function(*arguments)


def is_inside() -> bool:
    """Return whether the calling thread is in a call of ``without_fork``: a signal handler may ask."""
    return is_taken(_own_mark())


def generation() -> int:
    """Return how many forks there are between the process that imported this and the calling one."""
    return _generation


def check_not_torn() -> None:
    """Raise DirectConvError in a process that was forked in the middle of another thread's work."""
    if _torn:
        raise DirectConvError(
            f"this process was forked while another thread {_torn}, and cannot use TVM: fork before or after "
            "that, or start processes anew (multiprocessing's 'spawn' or 'forkserver')"
        )


def is_taken(lock: Any) -> bool:
    """Return whether a thread holds an RLock, which has ``locked`` from Python 3.14 on."""
    return bool(lock.locked() if hasattr(lock, "locked") else repr(lock).startswith("<locked"))


def with_stderr_into(file: IO[bytes], function: Callable[[], Result]) -> Result:
    """Call a function while what the process writes on standard error, compiled code included, goes to
    ``file``."""
    check_not_torn()
    with _LOCK:
        sys.stderr.flush()
        stderr = os.dup(STDERR)
        try:
            os.dup2(file.fileno(), STDERR)
            _aside.append(stderr)
            return function()
        finally:
            os.dup2(stderr, STDERR)
            os.close(stderr)
            _aside.clear()


def _own_mark() -> Any:
    number = threading.get_ident()
    return _marks.get(number) or _marks.setdefault(number, threading.RLock())


def _others_inside() -> bool:
    own = threading.get_ident()
    return any(is_taken(mark) for number, mark in list(_marks.items()) if number != own)


def _wait_for_others() -> None:
    """Wait until no other thread is in compiled code; twice, for one that was at the door."""
    end = time.monotonic() + PATIENCE_SECONDS
    for _ in range(2):
        while _others_inside() and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
        if len(_marks) > 1:
            time.sleep(0)


def _renew() -> None:
    """Make a forked child's marks and its thread's pool anew, and note whose work the fork has cut off."""
    from .forked_pool import renew_pool

    global _generation, _torn
    if _others_inside():
        _torn = f"ran a model for more than {PATIENCE_SECONDS:g} s"
    if _LOCK.acquire(blocking=False):
        _LOCK.release()
    else:
        _torn = "compiled or loaded a model"
        for stderr in _aside:
            os.dup2(stderr, STDERR)
    own = _own_mark()
    _marks.clear()
    _marks[threading.get_ident()] = own
    _generation += 1
    if not renew_pool():
        _torn = _torn or "might have run a model on several threads"


if hasattr(os, "register_at_fork"):
    # What is registered last comes first before a fork: first nobody may enter, then all have left.
    os.register_at_fork(before=_wait_for_others, after_in_child=_renew)
    os.register_at_fork(before=_DOOR.acquire, after_in_parent=_DOOR.release, after_in_child=_DOOR.release)
