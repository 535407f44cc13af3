"""The calls of TVM's ``graph_executor`` on a compiled model: set inputs, run, get outputs."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import local
from typing import Any

import numpy as np

from tvm_directconv.errors import InputError, nearest

from .lanes import Lane, Lanes, Runner


class OfThread(local):
    """The inputs that one thread set, and the results that it got."""

    runner: Runner | None = None
    arguments: Sequence[Any] = ()
    results: Any = None
    ran: Runner | None = None

    def __init__(self) -> None:
        self.given: dict[str, np.ndarray] = {}


class GraphExecutor(ABC):
    """What is set, run and got is the calling thread's alone."""

    _own: OfThread
    _lanes: Lanes

    @property
    @abstractmethod
    def input_names(self) -> tuple[str, ...]: ...

    @property
    @abstractmethod
    def output_names(self) -> tuple[str, ...]: ...

    @abstractmethod
    def _ordered(self, inputs: Any) -> list[Any]: ...

    @abstractmethod
    def _chosen(self, values: Sequence[Any]) -> tuple[Runner, list[np.ndarray]]: ...

    @abstractmethod
    def run(self, inputs: Any = None, outputs: Any = None) -> list[np.ndarray]: ...

    def set_inputs(self, inputs: Any) -> None:
        """Copy inputs into tensors that this thread's ``invoke`` uses from now on. Raises as ``run`` does."""
        runner, arrays = self._chosen(self._ordered(inputs))
        self._own.arguments = runner.copies(arrays)
        self._own.runner = runner

    def invoke(self) -> None:
        """Run on the inputs this thread last set: no checks, no copies, for measuring."""
        own, runner = self._own, self._own.runner
        if runner is None:
            raise InputError("this thread has set no inputs; call set_inputs first")

        def run(lane: Lane) -> None:
            # The previous results go first, so that the allocator's pool serves this run with their memory.
            own.results, own.ran = None, runner
            own.results = lane.runner(runner).execute(own.arguments)

        self._lanes.use(run)

    def get_outputs(self) -> list[np.ndarray]:
        """The outputs of this thread's last ``invoke``."""
        if self._own.results is None or self._own.ran is None:
            raise InputError("this thread has run nothing yet; call invoke first")
        return [np.array(each) for each in self._own.ran.arrays(self._own.results)]

    def set_input(self, key: str | int | None = None, value: Any = None, **inputs: Any) -> None:
        """Copy inputs, one by its name or number, or several by their names, for ``run`` without inputs.

        Raises InputError for an unknown input; ``run`` does for wrong shapes and dtypes, and for missing
        ones.
        """
        given = {**({} if key is None else {self._name(key): value}), **inputs}
        copies = {self._name(name): np.array(each) for name, each in given.items()}
        self._own.given = {**self._own.given, **copies}
        self._own.runner = None

    def get_input(self, key: str | int) -> np.ndarray:
        """Return a copy of an input that was set. Raises InputError for one that was not."""
        name = self._name(key)
        if name not in self._own.given:
            raise InputError(f"this thread has not set input '{name}'; call set_input first")
        return self._own.given[name].copy()

    def get_output(self, key: str | int) -> np.ndarray:
        """Return an output of this thread's last ``run`` on set inputs, or ``invoke``, by its name or
        number."""
        return self.get_outputs()[_number(key, self.output_names, "output")]

    def get_num_inputs(self) -> int:
        """Return the number of inputs."""
        return len(self.input_names)

    def get_num_outputs(self) -> int:
        """Return the number of outputs."""
        return len(self.output_names)

    def get_input_index(self, name: str) -> int:
        """Return the number of an input, -1 if the model does not have one of that name."""
        return self.input_names.index(name) if name in self.input_names else -1

    def get_output_index(self, name: str) -> int:
        """Return the number of an output, -1 if the model does not have one of that name."""
        return self.output_names.index(name) if name in self.output_names else -1

    def benchmark(
        self,
        *,
        repeat: int = 5,
        number: int = 5,
        min_repeat_ms: float = 0,
        end_to_end: bool = False,
        **inputs: Any,
    ) -> Any:
        """Return TVM's BenchmarkResult, for which TVM is imported, of ``repeat`` measurements, each the mean
        seconds of ``number`` runs, or more, so that it takes ``min_repeat_ms``; after one run that is not
        counted.

        The inputs are those set, and ``inputs``. With ``end_to_end`` a run copies its inputs and outputs.
        """
        if repeat < 1 or number < 1:
            raise InputError(f"repeat={repeat} and number={number} have to be 1 at least")
        self.set_input(**inputs)
        self.run()
        given = dict(self._own.given)

        def run() -> None:
            if end_to_end:
                self.run(given)
            else:
                self.invoke()

        def seconds(count: int) -> float:
            begin = time.perf_counter()
            for _ in range(count):
                run()
            return time.perf_counter() - begin

        from tvm.runtime.module import BenchmarkResult

        results = []
        for _ in range(repeat):
            count = number
            while (taken := seconds(count)) * 1e3 < min_repeat_ms:
                count = max(count + 1, min(int(count * min_repeat_ms / (taken * 1e3) * 1.1), 10 * count))
            results.append(taken / count)
        return BenchmarkResult(results)

    def _run_set(self) -> list[np.ndarray]:
        """Run on the inputs that this thread set, by ``set_input`` or ``set_inputs``."""
        if self._own.runner is None:
            self.set_inputs(self._own.given)
        self.invoke()
        return self.get_outputs()

    def _name(self, key: str | int) -> str:
        return self.input_names[_number(key, self.input_names, "input")]


def _number(key: str | int, names: Sequence[str], what: str) -> int:
    """Return the number of an input or output given by it or by name. Raises InputError."""
    if isinstance(key, str):
        if key not in names:
            raise InputError(
                f"no {what} '{key}'{nearest(key, names)}; the model's {what}s are {', '.join(names)}"
            )
        return names.index(key)
    if not 0 <= key < len(names):
        raise InputError(f"no {what} {key}: the model has {len(names)}, counted from 0")
    return key
