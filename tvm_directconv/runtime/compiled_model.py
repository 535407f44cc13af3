"""CompiledModel: a network that was compiled, whatever runs it, with what is known about it."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tvm_directconv.errors import InputError

from .arrays import buffers_of, is_torch_tensor, typed, written_back
from .executor import GraphExecutor, OfThread
from .given_inputs import by_name, ordered, unnested
from .lanes import Lane, Lanes, Machine, Runner, ThreadControl
from .metadata import Metadata, Shape, Size, TensorInfo, check_shapes, shapes_text
from .request import Request
from .state import State
from .words import facts_text, target_label

if TYPE_CHECKING:
    from concurrent.futures import Future

ROUNDS = 9
"""Runs that a profile is of, unless it is told."""
Inputs = Mapping[str, np.ndarray] | Sequence[np.ndarray] | np.ndarray


class CompiledModel(GraphExecutor):
    """A compiled network, in one size or several, or of open sizes.

    A model that was compiled with ``on_demand`` compiles a size that it does not have when inputs ask for it,
    announced like the first, and keeps it as long as it lives: there is no bound on how many. It shares its
    weights, as far as they are packed alike, and its kernels with those before. What fails, or is
    interrupted, leaves the model as it was.

    All of it may be called from any thread. Runs take turns, unless ``concurrency`` is set or they are those
    of a ``request``, also while another thread waits for a new size, which is compiled once for all who wait;
    what ``set_inputs`` set, and the results that ``get_outputs`` returns, are of the calling thread alone.
    """

    verifications: tuple[Any, ...] = ()
    """Proofs of its kernels, where ``compile(verify=True)`` made it."""

    def __init__(self, machine: Machine, metadata: Metadata, control: ThreadControl) -> None:
        self._state = State.of(machine, metadata, {})
        self._lanes = Lanes(control)
        self._own = OfThread()

    @property
    def target(self) -> str:
        """The target string that it was compiled for."""
        return self._state.metadata.target

    @property
    def instruction_set(self) -> str:
        """The name of the one among the model's instruction sets that runs (docs/deploy.md)."""
        return self._state.metadata.instruction_set

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        """Name, shape and dtype of each input. A dimension that is open, or of which there are several sizes,
        has a name for a number.
        """
        return self._state.metadata.inputs

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        """Name, shape and dtype of each output, as of ``inputs``."""
        return self._state.metadata.outputs

    @property
    def sizes(self) -> tuple[Size, ...]:
        """The sizes compiled so far, in their order, each with its inputs, outputs and report; which one
        runs, the shapes of the inputs say.
        """
        return self._state.metadata.sizes

    @property
    def input_names(self) -> tuple[str, ...]:
        """The inputs' names, in the order that ``run`` takes them."""
        return tuple(info.name for info in self.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The outputs' names, in the order that ``run`` returns them."""
        return tuple(info.name for info in self.outputs)

    @property
    @abstractmethod
    def executable(self) -> Any:
        """The executable of TVM's virtual machine, for which TVM is imported."""

    @property
    @abstractmethod
    def compared(self) -> Any:
        """What ``deviations`` compares with; None where the model is exact, or was loaded."""

    @abstractmethod
    def size(self, shapes: Any = None, batch: int | None = None) -> Size:
        """Return the size that ``shapes`` and ``batch`` name; see ``ExecutableModel.size``."""

    @abstractmethod
    def report(self, timed: bool = False, size: Size | None = None) -> Any:
        """Return what a size consists of; see ``ExecutableModel.report``."""

    @abstractmethod
    def profile(self, inputs: Inputs | None = None, *, rounds: int = ROUNDS, size: Size | None = None) -> Any:
        """Return the time of every call of a kernel; see ``ExecutableModel.profile``."""

    @abstractmethod
    def deviations(self, *inputs: Any, of_layers: bool = False) -> Any:
        """Compare the outputs with those of exact float32; see ``ExecutableModel.deviations``."""

    @abstractmethod
    def export_library(self, path: str | os.PathLike[str], *, linker: str | None = None) -> None:
        """Write the model as a shared library; see ``ExecutableModel.export_library``."""

    @abstractmethod
    def export_c(
        self,
        folder: str | os.PathLike[str],
        *,
        name: str = "network",
        weights: str = "inside",
        size: Size | None = None,
    ) -> Any:
        """Write a size as C; see ``ExecutableModel.export_c``."""

    def memory(self, **dimensions: int) -> int:
        """Return the bytes that intermediate results and outputs of a run take, of these open dimensions."""
        return self.sizes[0].memory(dimensions)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a compiled model cannot be pickled or copied: export_library writes it, load reads it"
        )

    def __repr__(self) -> str:
        sides = (", ".join(map(str, infos)) for infos in (self.inputs, self.outputs))
        return f"<{type(self).__name__} ({') -> ('.join(sides)}) for {target_label(self.target)}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        inputs, outputs = (", ".join(map(str, infos)) for infos in (self.inputs, self.outputs))
        facts = {"inputs": inputs, "outputs": outputs}
        if len(self.sizes) == 1:
            facts["network"] = self.sizes[0].report().totals()
        else:
            facts |= {str(size): size.report().totals() for size in self.sizes}
        return facts_text(f"compiled for {target_label(self.target)}", facts)

    def run(self, inputs: Inputs | None = None, outputs: Any = None) -> list[np.ndarray]:
        """Run the model once.

        Args:
            inputs: Arrays by name, in order, or the single input's. They are read in place where they are
                contiguous, may be written, and begin at a multiple of 64 bytes; else they are copied. They
                must not change meanwhile. Without inputs, those that were set are used.
            outputs: Arrays, given likewise, that results are written to.

        Returns:
            The outputs in order, which are ``outputs`` where these are given.

        Raises:
            InputError: A wrong name, number, shape or dtype, or a size that is not compiled.
            TargetError: This host cannot run the code.
        """
        if inputs is None and outputs is None and self.inputs:
            return self._run_set()
        return self._run(self._lanes, () if inputs is None else inputs, outputs)

    def request(self) -> Request:
        """Return an independent request: requests and ``run`` run concurrently, and share the weights."""
        self._check_concurrency(2)
        return Request(self._run, self._lanes.control)

    def submit(self, inputs: Inputs, outputs: Any = None) -> Future[list[np.ndarray]]:
        """Return at once what will have the result of ``run``, or raise what that raises.

        As many as ``concurrency`` are run at a time, by threads of the model's own that share the threads of
        runs evenly; there is no bound on how many wait.
        """
        return self._lanes.submit(self.run, inputs, outputs)

    @property
    def threads(self) -> int | None:
        """Return how many threads a run uses; None, unless it is set: all that there are, or ``submit``'s
        share."""
        return self._lanes.threads

    @threads.setter
    def threads(self, count: int | None) -> None:
        self._lanes.control.check(count)
        self._lanes.threads = count

    @property
    def concurrency(self) -> int:
        """Return how many runs there may be at a time, 1 unless it is set; others wait. Each has memory for
        activations and workspace of its own, none for weights; ``threads`` should be 1 where there are as
        many as CPUs."""
        return self._lanes.count

    @concurrency.setter
    def concurrency(self, count: int) -> None:
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise InputError(f"concurrency={count!r} is not a number of runs: give 1 or more")
        self._check_concurrency(count)
        self._lanes.change(count)

    def _check_concurrency(self, count: int) -> None:
        """A device's model raises InputError for more than one."""

    def _run(self, lanes: Lanes, inputs: Inputs, outputs: Any) -> list[np.ndarray]:
        values = self._ordered(inputs)
        chosen, arrays = self._chosen(values)
        lanes.threads = self.threads
        buffers = buffers_of(outputs, chosen.size.outputs)

        def run(lane: Lane) -> list[np.ndarray]:
            runner = lane.runner(chosen)
            return runner.arrays(runner.execute(runner.arguments(values, arrays), buffers), buffers)

        return lanes.use(run)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """The output for inputs by position or by name, a tuple of several outputs; dictionaries, lists and
        tuples hold the inputs that are named after them (``given_inputs.py``).

        Given torch tensors it returns torch tensors, and copies neither where an input is contiguous and
        aligned; else all are numpy's. What the network changes is written to the tensors and arrays that are
        given. Raises as ``run`` does.
        """
        given, named = unnested(inputs, named, self.input_names)
        values = self._ordered(by_name(given, named, self.inputs) if named else given)
        chosen, arrays = self._chosen(values)

        def run(lane: Lane) -> list[Any]:
            runner = lane.runner(chosen)
            arguments = runner.arguments(values, arrays)
            results = runner.execute(arguments)
            if any(map(is_torch_tensor, values)):
                return runner.torch_tensors(results, arguments)
            return runner.arrays(results)

        outputs = written_back(self._lanes.use(run), chosen.size, values)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _ordered(self, inputs: Any) -> list[Any]:
        return ordered(inputs, self.inputs)

    def _chosen(self, values: Sequence[Any]) -> tuple[Runner, list[np.ndarray]]:
        """The size that inputs, in order, are of, compiled now where it may be, and their arrays."""
        infos = self.inputs
        arrays = [typed(value, info) for value, info in zip(values, infos, strict=True)]
        shapes = tuple(array.shape for array in arrays)
        runner = self._state.runners.get(shapes)
        if runner is None:
            runner = self._state.of_open_size(shapes)
        if runner is None:
            given = dict(zip(self.input_names, shapes, strict=True))
            check_shapes(infos, given, self._state.metadata.bounds)
            runner = self._added(shapes, given)
        return runner, arrays

    def _added(self, shapes: tuple[Shape, ...], given: Mapping[str, Shape]) -> Runner:
        """Return the runner of a size that is not there, where it can be compiled now."""
        raise self._absent(given)

    def _absent(self, shapes: Mapping[str, Shape]) -> InputError:
        known = "; ".join(map(str, self.sizes))
        opened = [size for size in self.sizes if size.is_open and size.fits(shapes)]
        broken = [text for size in opened for text in size.broken(shapes)[:1]]
        where = f", where {' and '.join(broken)}" if broken else ""
        return InputError(
            f"the model does not have size {shapes_text(shapes)}; it is compiled for {known}{where}"
        )
