"""Lanes run a model, one for each run at a time: a machine, and memory that inputs are copied into."""

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from tvm_directconv.locks import generation, is_inside, is_taken, without_fork

from .metadata import Size

Result = TypeVar("Result")


class Machine(ABC):
    """What runs a model: TVM's virtual machine, say; it does one run at a time."""

    @abstractmethod
    def runner(self, size: Size) -> Runner:
        """Return what runs one size."""

    @abstractmethod
    def another(self) -> Machine:
        """Return a machine that runs the same at the same time."""


class Runner(ABC):
    """One size of a model on a machine. Arguments and results are as the machine has them."""

    size: Size
    machine: Machine

    @abstractmethod
    def arguments(self, values: Sequence[Any], arrays: Sequence[np.ndarray]) -> list[Any]:
        """Return the arrays, which hold ``values``, as arguments of a run: in the caller's memory if that can
        be read in place, else copied."""

    @abstractmethod
    def copies(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        """Return copies of the arrays as arguments of runs."""

    @abstractmethod
    def execute(self, arguments: Sequence[Any], buffers: list[np.ndarray] | None = None) -> list[Any]:
        """Run it. The results are in ``buffers`` if it can write them there."""

    @abstractmethod
    def arrays(self, results: Sequence[Any], buffers: list[np.ndarray] | None = None) -> list[np.ndarray]:
        """Return results as arrays of the caller's own: ``buffers`` where they are given."""

    @abstractmethod
    def torch_tensors(self, results: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        """Return results as torch tensors of the caller's own."""


class ThreadControl(NamedTuple):
    """How a run gets its threads."""

    use: Callable[[int | None], None]
    """Has runs of the calling thread use so many; None: all that it has."""
    limit: Callable[[int], None]
    """Has the calling thread have so many."""
    available: Callable[[], int]
    """Returns how many runs of the calling thread use."""
    check: Callable[[int | None], None]
    """Raises InputError for what is not a number of threads that there are."""


class Lane:
    """A lane holds the state of one run at a time. Lanes share the code and the weights."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._machines: dict[Machine, Machine] = {}
        self._runners: WeakKeyDictionary[Runner, Runner] = WeakKeyDictionary()

    def runner(self, of_model: Runner) -> Runner:
        """Return the lane's runner for the size that one of the model's is for."""
        if of_model not in self._runners:
            machine = of_model.machine
            if machine not in self._machines:
                self._machines[machine] = machine.another()
            self._runners[of_model] = self._machines[machine].runner(of_model.size)
        return self._runners[of_model]


class Lanes:
    """The lanes of a model: a run takes one, and waits for one while all are taken.

    A lane is taken by its lock alone, in ``with``: whatever a signal handler raises, and when, no lane is
    lost (``locks.py``). A forked child has the lanes with locks of its own, and no threads yet.
    """

    def __init__(self, control: ThreadControl) -> None:
        self._lanes: tuple[Lane, ...] = (Lane(),)
        self.threads: int | None = None
        """How many threads a run uses; None: all that the thread has which runs it."""
        self.control = control
        self._turns = itertools.count()
        self._begin()

    def _begin(self) -> None:
        """Have locks and threads of this process."""
        for lane in self._lanes:
            lane.lock = threading.RLock()
        self._workers: Any = None
        self._changing = threading.Lock()
        self._generation = generation()

    @property
    def count(self) -> int:
        """Return how many runs there may be at a time."""
        return len(self._lanes)

    def use(self, run: Callable[[Lane], Result]) -> Result:
        """Return what ``run`` does with a lane that nobody else has meanwhile. Raises DirectConvError in a
        child that was forked in the middle of another thread's compilation."""
        if is_inside():  # a signal handler runs the model in the middle of a run of the same thread
            return run(Lane())
        if self._generation != generation():
            self._begin()
        while True:
            lane = self._next()
            with lane.lock:
                if lane in self._lanes:  # else there are fewer now
                    self.control.use(self.threads)
                    return without_fork(run, lane)

    def _next(self) -> Lane:
        """Return a free lane; without one, each in turn."""
        lanes = self._lanes
        if len(lanes) == 1:
            return lanes[0]
        free = [lane for lane in lanes if not is_taken(lane.lock)]
        return free[0] if free else lanes[next(self._turns) % len(lanes)]

    def change(self, count: int) -> None:
        """Have so many lanes; where they are fewer, once the runs that are too many have ended."""
        if self._generation != generation():
            self._begin()
        with self._changing:
            if count != self.count and self._workers is not None:
                # What waits for its threads still gets them; one of these may be the one that changes this.
                self._workers.shutdown(wait=False)
                self._workers = None
            before = self._lanes
            self._lanes = (*before[:count], *(Lane() for _ in range(count - len(before))))
            for lane in before[count:]:
                with lane.lock:
                    pass

    def submit(self, run: Callable[..., Result], *arguments: Any) -> Any:
        """Have one of as many threads as there are lanes, which share the threads of runs evenly, call
        ``run``; return the Future of its result."""
        if self._generation != generation():
            self._begin()
        from tvm_directconv.workers import Workers

        with self._changing:
            if self._workers is None:
                share = self.threads or max(1, self.control.available() // self.count)
                self._workers = Workers(self.count, "directconv", self.control.limit, (share,))
            return self._workers.submit(run, *arguments)
