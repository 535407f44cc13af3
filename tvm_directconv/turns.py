"""One thread at a time in what a process has once: names that TVM registers, and where output goes."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_TURN = threading.RLock()
STDERR = 2


def in_turn(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """``function``, which waits until no other thread is in it or in another function made so."""

    @functools.wraps(function)
    def waiting(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with _TURN:
            return function(*args, **kwargs)

    return waiting


@contextmanager
def stderr_into(file: IO[bytes]) -> Iterator[None]:
    """Have what the process writes on standard error, compiled code included, go to ``file`` meanwhile."""
    with _TURN:
        sys.stderr.flush()
        stderr = os.dup(STDERR)
        os.dup2(file.fileno(), STDERR)
        try:
            yield
        finally:
            os.dup2(stderr, STDERR)
            os.close(stderr)
