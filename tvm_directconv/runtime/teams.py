"""Threads of runs without TVM: teams that sleep while there is nothing to do, and how many threads a run
uses.

A team is a few threads that one run has for itself (``network.c``). Each thread that waits, for a kernel to
begin or for others to finish it, first looks for a while and then sleeps, so that a model that runs now and
then costs nothing in between. Teams are made when runs need them, shared by all models of the process, and
those of a forked child are its own."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any

from tvm_directconv.errors import InputError
from tvm_directconv.locks import generation
from tvm_directconv.threads import check_thread_count, core_count, thread_count_of_process

from .lanes import ThreadControl

SPIN = "TVM_DIRECTCONV_SPIN_MICROSECONDS"
"""The environment's number of microseconds that a thread looks for work before it sleeps."""
SPIN_MICROSECONDS = 100
"""Longer than a run leaves a thread without work between its kernels, and 0.06 % of a core at six runs a
second."""


class _Share(threading.local):
    """How many threads runs of the calling thread have, and use now."""

    limit: int | None = None
    count: int = 1


_own = _Share()
_spin: float | None = None


class Team:
    """A team of threads: its address, which C functions take, how many there are, and of which fork."""

    def __init__(self, pointer: int, threads: int, generation: int, spin: int) -> None:
        self._as_parameter_ = ctypes.c_void_p(pointer)
        self.threads, self.generation, self.spin = threads, generation, spin


_free: list[Team] = []
"""Teams that nobody uses."""


def spin_microseconds() -> float:
    """Return how many microseconds a thread looks for work before it sleeps. Raises InputError where the
    environment says anything but a number."""
    if _spin is not None:
        return _spin
    said = os.environ.get(SPIN, "")
    try:
        return max(0.0, float(said)) if said else SPIN_MICROSECONDS
    except ValueError:
        raise InputError(f"{SPIN}='{said}' is not a number of microseconds") from None


def set_spin_microseconds(microseconds: float | None) -> None:
    """Have threads look for work for so many microseconds before they sleep, in runs that begin from now on;
    0 has them sleep at once, None is what the environment says, or 100. Raises InputError for anything
    else."""
    global _spin
    if microseconds is not None and not (isinstance(microseconds, int | float) and microseconds >= 0):
        raise InputError(f"{microseconds!r} is not a number of microseconds: give 0 or more")
    _spin = microseconds


def _use(count: int | None) -> None:
    _own.count = count or _own.limit or thread_count_of_process()


def _limit(count: int) -> None:
    _own.limit = count


def _count() -> int:
    return _own.limit or thread_count_of_process()


CONTROL = ThreadControl(_use, _limit, _count, check_thread_count)


def taken(library: Any) -> Team:
    """Return a team of as many threads as the calling one's run uses, which nobody else has until
    ``give_back``. ``library`` is any that runs without TVM."""
    threads = _own.count
    found = _free_team(threads)
    # With fewer CPUs than threads, one that looks for work keeps the others from doing it.
    spin = int(1000 * spin_microseconds()) if 1 < threads <= core_count() else 0
    if found is None:
        pointer = library.directconv_team(threads, spin)
        if not pointer:
            raise MemoryError("no memory for threads")
        found = Team(pointer, threads, generation(), spin)
    if found.spin != spin:
        library.directconv_team_spins(found, spin)
        found.spin = spin
    return found


def give_back(team: Team) -> None:
    """Let other runs have a team."""
    _free.append(team)


def _free_team(threads: int) -> Team | None:
    """Take a free team of so many threads; None where there is none."""
    for each in reversed(_free):
        if each.threads == threads and (threads == 1 or each.generation == generation()):
            try:
                _free.remove(each)
            except ValueError:  # another thread has just taken it
                continue
            return each
    return None


def declared(library: Any) -> Any:
    """Return a library whose functions of teams have the types that they have in C."""
    library.directconv_team.restype = ctypes.c_void_p
    library.directconv_team.argtypes = [ctypes.c_int32, ctypes.c_int64]
    library.directconv_team_spins.restype = None
    library.directconv_team_spins.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    return library
