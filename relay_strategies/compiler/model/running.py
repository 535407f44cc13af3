"""Lanes run a model, one for each run at a time: a virtual machine or a DirectExecutable, and tensors that
inputs are copied into.
"""

from __future__ import annotations

import functools
import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import tvm
from tvm import relax

from tvm_directconv.errors import InputError
from tvm_directconv.locks import generation, is_inside, is_taken, without_fork
from tvm_directconv.targets.target import require_host, resolve_target
from tvm_directconv.threads import Workers

from ..signature import Size, TensorInfo
from .draws import Draws
from .tensors import LENT, TorchResults, array_of, borrowed, is_torch_tensor, lent
from .thread_count import limit_threads, thread_count, use_threads

Result = TypeVar("Result")


class DirectExecutable(ABC):
    """An executable that runs without TVM's virtual machine."""

    @property
    @abstractmethod
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """The functions of the model's sizes by name; they take and return tensors in the host's memory."""


class Machine:
    """The virtual machine of an executable, made when it is first asked for."""

    def __init__(self, executable: Any, target: str, draws: Draws | None = None) -> None:
        self._executable, self._target, self.draws = executable, target, draws or Draws()

    @functools.cached_property
    def functions(self) -> Any:
        """The executable's functions by name. Raises TargetError where this host cannot run them."""
        if isinstance(self._executable, DirectExecutable):
            return self._executable.functions
        require_host(resolve_target(self._target))
        return relax.VirtualMachine(self._executable, tvm.cpu(), memory_cfg="pooled")

    def another(self) -> Machine:
        """Return a machine of the same executable."""
        return Machine(self._executable, self._target, self.draws)


class Runner:
    """One size's function, and the tensors that its inputs are copied into."""

    def __init__(self, size: Size, machine: Machine) -> None:
        self.size, self.machine = size, machine
        self.torch_results = TorchResults()

    @functools.cached_property
    def function(self) -> Callable[..., Any]:
        """Return the function to be called."""
        return self.machine.draws.counting(self.machine.functions[self.size.function])

    @functools.cached_property
    def staging(self) -> list[tvm.runtime.Tensor]:
        """Inputs are copied: numpy's arrays are rarely aligned as TVM's kernels may take for granted."""
        return self.new_tensors()

    def new_tensors(self) -> list[tvm.runtime.Tensor]:
        return [tvm.runtime.empty(info.shape, info.dtype) for info in self.size.inputs]


class Lane:
    """A lane holds the state of one run at a time. Lanes share the executable, and with it the weights."""

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
            self._runners[of_model] = Runner(of_model.size, self._machines[machine])
        return self._runners[of_model]


class Lanes:
    """The lanes of a model: a run takes one, and waits for one while all are taken.

    A lane is taken by its lock alone, in ``with``: whatever a signal handler raises, and when, no lane is
    lost (``locks.py``). A forked child has the lanes with locks of its own, and no threads yet.
    """

    def __init__(self) -> None:
        self._lanes: tuple[Lane, ...] = (Lane(),)
        self.threads: int | None = None
        """How many of TVM's threads a run uses; None: all that the thread has which runs it."""
        self._turns = itertools.count()
        self._begin()

    def _begin(self) -> None:
        """Have locks and threads of this process."""
        for lane in self._lanes:
            lane.lock = threading.RLock()
        self._workers: Workers | None = None
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
                    use_threads(self.threads)
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

    def submit(self, run: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have one of as many threads as there are lanes, which share TVM's threads evenly, call ``run``."""
        if self._generation != generation():
            self._begin()
        with self._changing:
            if self._workers is None:
                share = self.threads or max(1, thread_count() // self.count)
                self._workers = Workers(self.count, "directconv", limit_threads, (share,))
            return self._workers.submit(run, *arguments)


def drawn(size: Size) -> list[np.ndarray]:
    """Return inputs of a size: numbers from 0 to 1, and integers 0."""
    generator = np.random.default_rng(0)
    return [np.asarray(generator.random(size.shapes[i.name]), i.dtype) for i in size.inputs]


def written_back(results: list[Any], size: Size, values: Sequence[Any]) -> list[Any]:
    """Write new values of inputs, among the results of a run, to the tensors and arrays that were given as
    these; return the other results."""
    own, names = [], [info.name for info in size.inputs]
    for result, info in zip(results, size.outputs, strict=True):
        if not info.changes:
            own.append(result)
            continue
        value = values[names.index(info.changes)]
        if is_torch_tensor(value):
            value.detach().copy_(result)
        elif isinstance(value, np.ndarray):
            np.copyto(value, array_of(result, info.name))
    return own


def flat(results: Any) -> list[Any]:
    return [results] if isinstance(results, tvm.runtime.Tensor) else list(results)


def typed(value: Any, info: TensorInfo) -> np.ndarray:
    """Return ``value`` as an array of exactly the dtype of ``info``."""
    if value is None:
        raise InputError(f"input '{info.name}' is None; expected {info}")
    array = array_of(value, f"input '{info.name}'")
    if str(array.dtype) != info.dtype:
        converted = f".to(torch.{info.dtype})" if is_torch_tensor(value) else f".astype('{info.dtype}')"
        raise InputError(
            f"input '{info.name}' has dtype {array.dtype}, expected {info.dtype}; convert it with {converted}"
        )
    return array


def copied(arrays: Sequence[np.ndarray], tensors: Sequence[tvm.runtime.Tensor]) -> list[tvm.runtime.Tensor]:
    """Copy arrays into tensors and return the tensors."""
    return [copy_of(array, tensor) for array, tensor in zip(arrays, tensors, strict=True)]


def arguments_of(
    values: Sequence[Any], arrays: Sequence[np.ndarray], runner: Runner
) -> list[tvm.runtime.Tensor]:
    """Return the arrays, which hold ``values``, as arguments of a run: in the caller's memory if that can be
    read in place, else copied."""
    arguments = []
    for value, array, tensor in zip(values, arrays, runner.staging, strict=True):
        own = borrowed(value, array)
        arguments.append(copy_of(array, tensor) if own is None else own)
    return arguments


def copy_of(array: np.ndarray, tensor: tvm.runtime.Tensor) -> tvm.runtime.Tensor:
    if array.dtype.kind not in LENT:
        return tensor.copyfrom(np.asarray(array, order="C"))
    np.copyto(np.from_dlpack(tensor), array)
    return tensor


def values_of(tensor: tvm.runtime.Tensor) -> np.ndarray:
    """Return a copy of the tensor's values."""
    return lent(tensor).copy()


def stored(results: Sequence[tvm.runtime.Tensor], outputs: list[np.ndarray] | None) -> list[np.ndarray]:
    """Copy the results into arrays that ``buffers_of`` returned, or into new ones for None."""
    if outputs is None:
        return [values_of(tensor) for tensor in results]
    for buffer, tensor in zip(outputs, results, strict=True):
        np.copyto(buffer, lent(tensor))
    return outputs


def buffers_of(outputs: Any, infos: Sequence[TensorInfo]) -> list[np.ndarray] | None:
    """Return the caller's arrays for the results, given by name, in order, or as the single one.

    Returns None for None. Raises InputError for a wrong name, number, shape or dtype, and for an array that
    cannot be written."""
    if outputs is None:
        return None
    expected = ", ".join(map(str, infos))
    if isinstance(outputs, Mapping):
        if outputs.keys() != {info.name for info in infos}:
            raise InputError(f"arrays for outputs {', '.join(outputs)}; the model's outputs are {expected}")
        outputs = [outputs[info.name] for info in infos]
    buffers = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
    if len(buffers) != len(infos):
        raise InputError(f"{len(buffers)} arrays for outputs, {len(infos)} expected: {expected}")
    for buffer, info in zip(buffers, infos, strict=True):
        if not isinstance(buffer, np.ndarray) or not buffer.flags.writeable:
            raise InputError(f"output '{info.name}' is written into a numpy array that may be written")
        if (buffer.shape, str(buffer.dtype)) != (info.shape, info.dtype):
            found = f"{buffer.dtype}{list(buffer.shape)}"
            raise InputError(f"the array for output '{info.name}' is {found}, expected {info}")
    return buffers
