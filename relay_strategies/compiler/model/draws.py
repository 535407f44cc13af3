"""The numbers of random draws, which runs of a model count."""

from __future__ import annotations

import itertools
import secrets
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import tvm
import tvm_ffi

from relay_strategies.functional.random import DRAWN


class Draws:
    """A count of draws from 0 on, which the lanes of a model share, and its seed for what has none."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._seed = secrets.randbits(32)

    def next(self) -> tvm.runtime.Tensor:
        """Return int64 (2,): the number of the next draw, and the seed."""
        return tvm.runtime.tensor(np.array([next(self._numbers), self._seed], np.int64))

    def counting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a model's function as one whose draws these are."""

        def counted(*arguments: Any) -> Any:
            _of_thread.draws = self
            return function(*arguments)

        return counted


class _OfThread(threading.local):
    """The draws of the model that a thread runs, its own where that is run otherwise, as by a profiler."""

    def __init__(self) -> None:
        self.draws = Draws()


_of_thread = _OfThread()


@tvm_ffi.register_global_func(DRAWN)
def _next() -> tvm.runtime.Tensor:
    return _of_thread.draws.next()
