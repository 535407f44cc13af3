"""Requests: runs of one model beside each other, each with a machine and activations of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .lanes import Lanes, ThreadControl


class Request:
    """One run at a time, beside those of other requests of the model and of the model itself.

    It may be called from any thread; its own runs take turns.
    """

    def __init__(self, run: Callable[[Lanes, Any, Any], list[np.ndarray]], control: ThreadControl) -> None:
        self._run, self._lanes = run, Lanes(control)

    def run(self, inputs: Any, outputs: Any = None) -> list[np.ndarray]:
        """Return, and raise, what the model's ``run`` does."""
        return self._run(self._lanes, inputs, outputs)
