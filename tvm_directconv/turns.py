"""One thread at a time in what a process has once: names that TVM registers, and where output goes."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_TURN = threading.RLock()


def in_turn(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """``function``, which waits until no other thread is in it or in another function made so."""

    @functools.wraps(function)
    def waiting(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with _TURN:
            return function(*args, **kwargs)

    return waiting
