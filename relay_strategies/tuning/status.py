"""How a tuning run stands, for whoever shows its progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from tvm_directconv.problem.workload import Conv2dWorkload


class Status:
    """The trials and the best seconds so far, by layer."""

    def __init__(self, layers: Mapping[Conv2dWorkload, int], trials: int) -> None:
        self.layers = dict(layers)
        self.total = trials
        self.trials: Counter[Conv2dWorkload] = Counter()
        self.best: dict[Conv2dWorkload, float] = {}
        self.phase = "searching"

    @property
    def done(self) -> int:
        return sum(self.trials.values())

    def add(self, workload: Conv2dWorkload, seconds: float | None) -> None:
        self.trials[workload] += 1
        if seconds is not None:
            self.best[workload] = min(seconds, self.best.get(workload, seconds))


OnProgress = Callable[[Status], None]
"""A function that is told after each measurement."""
