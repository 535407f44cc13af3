"""Requests: runs of one model beside each other, each with a virtual machine and activations of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from .running import Lane

TakeLane = Callable[[], AbstractContextManager[Lane]]
"""It lends a lane for the time of a run."""


class Request:
    """One run at a time, beside those of other requests of the model and of the model itself.

    It may be called from any thread; its own runs take turns.
    """

    def __init__(self, run: Callable[[TakeLane, Any, Any], list[np.ndarray]]) -> None:
        self._run, self._lane, self._lock = run, Lane(), threading.Lock()

    def run(self, inputs: Any, outputs: Any = None) -> list[np.ndarray]:
        """Return, and raise, what the model's ``run`` does."""
        return self._run(self._taken, inputs, outputs)

    @contextmanager
    def _taken(self) -> Iterator[Lane]:
        with self._lock:
            yield self._lane
