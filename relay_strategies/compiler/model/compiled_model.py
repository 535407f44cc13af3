"""CompiledModel: a network compiled to a TVM virtual-machine executable, with what is known about it.

What is known travels inside the executable (signature.py), so an exported library is a single file.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.c_export.export import ExportedC
from relay_strategies.frontends.declared import Given, Shape, shapes_text
from tvm_directconv.errors import DirectConvError, InputError, ModelError
from tvm_directconv.files import path_of
from tvm_directconv.locks import one_at_a_time, without_fork
from tvm_directconv.targets.target import require_host, resolve_target
from tvm_directconv.text import facts_text, target_label
from tvm_directconv.verification import Verification

from ..arguments import check_sizes
from ..as_c import INSIDE, LowerSize, write_c
from ..library.linking import library_maker, write_library
from ..report import Report
from ..signature import Metadata, Size, TensorInfo, check_shapes
from ..sizes import at_typical, compiled_shapes
from .deviations import Compared, Deviation
from .executor import GraphExecutor, OfThread
from .given_inputs import by_name, ordered, unnested
from .profile import ROUNDS, Profile, profiled
from .request import Request
from .running import (
    Lane,
    Lanes,
    Runner,
    arguments_of,
    buffers_of,
    copied,
    drawn,
    flat,
    stored,
    typed,
    written_back,
)
from .state import State
from .tensors import is_torch_tensor
from .thread_count import check_threads, use_threads

Inputs = Mapping[str, np.ndarray] | Sequence[np.ndarray] | np.ndarray
CompileSize = Callable[[Mapping[str, Shape]], tuple[Any, Metadata]]
"""A function of the shapes of a size that returns the executable with this size added, and its metadata."""


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

    def __init__(self, executable: Any, metadata: Metadata, compile_size: CompileSize | None = None) -> None:
        """``compile_size`` compiles one more size, given by its shapes."""
        self._state = State.of(executable, metadata, {})
        self.compared: Compared | None = None
        self.verifications: tuple[Verification, ...] = ()  # of the kernels, by ``compile(verify=True)``
        self.lower: LowerSize | None = None
        self._compile_size = compile_size
        self._lanes = Lanes()
        self._own = OfThread()

    @property
    def executable(self) -> Any:
        """The executable of TVM's virtual machine: the loaded module, for a model from ``load``; with a
        library in place of LLVM's modules, for one from the cache.
        """
        return self._state.executable

    @property
    def target(self) -> str:
        """The target string that it was compiled for."""
        return self._state.metadata.target

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

    def size(self, shapes: Given | None = None, batch: int | None = None) -> Size:
        """The compiled size that ``shapes`` and ``batch`` name, as they do for ``compile``, of what they
        leave open the typical one; the first, where neither is given. Raises InputError where there is none.
        """
        if shapes is None and batch is None:
            return self.sizes[0]
        check_sizes([{} if shapes is None else shapes], 1 if batch is None else [batch])
        first = self.sizes[0]
        given = at_typical(shapes or {}, first.shapes if first.is_open else {})
        wanted = compiled_shapes({info.name: info.shape for info in self.inputs}, given, batch)
        for size in self.sizes:
            found = size.at(wanted) if size.is_open else size
            if found is not None and found.shapes == wanted:
                return found
        raise self._absent(wanted)

    def memory(self, **dimensions: int) -> int:
        """Return the bytes that intermediate results and outputs of a run take, of these open dimensions."""
        return self.sizes[0].memory(dimensions)

    def report(self, timed: bool = False, size: Size | None = None) -> Report:
        """Return what a size consists of, per convolution and in total.

        Args:
            timed: Whether runs on random inputs tell what share of the time the other kernels take.
            size: One of ``sizes``, the first by default.

        Raises:
            TargetError: It is timed, and this host cannot run the code.
        """
        of = size or self.sizes[0]
        if not timed:
            return of.report()
        shares = self.profile(size=of).by_kind()
        return replace(of.report(), time_shares={kind: shares[kind] for kind in of.report().other_kernels})

    def profile(
        self, inputs: Inputs | None = None, *, rounds: int = ROUNDS, size: Size | None = None
    ) -> Profile:
        """Return the time of every call of a kernel.

        Args:
            inputs: What ``run`` takes; without them they are drawn, numbers from 0 to 1 and integers 0.
            rounds: The number of runs.
            size: The size that inputs are drawn for, the first by default.

        Raises:
            InputError: Inputs are wrong, as of ``run``.
            TargetError: This host cannot run the code.
        """
        require_host(resolve_target(self.target))
        given = drawn(size or self.sizes[0]) if inputs is None else inputs
        runner, arrays = self._chosen(self._ordered(given))
        tensors = copied(arrays, runner.new_tensors())
        use_threads(self.threads)
        return without_fork(profiled, self.executable, self.target, runner.size, tensors, rounds)

    def deviations(self, *inputs: Any, of_layers: bool = False) -> list[Deviation]:
        """Compare the outputs with those of the same network in float32 and of exact accuracy, which is
        compiled for that.

        Args:
            inputs: Sets of inputs as ``run`` takes them, each of which is compared.
            of_layers: Whether results of convolutions and dense layers are compared, too.

        Raises:
            ModelError: The model is such itself, or was loaded.
        """
        if self.compared is None:
            raise ModelError(
                "only models compiled with a precision or an accuracy, not loaded ones, have a reference"
            )
        return self.compared.measure(inputs, of_layers)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a compiled model cannot be pickled or copied: export_library writes it, load reads it"
        )

    def __repr__(self) -> str:
        sides = (", ".join(map(str, infos)) for infos in (self.inputs, self.outputs))
        return f"<{type(self).__name__} ({') -> ('.join(sides)}) for {target_label(self.target)}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def __str__(self) -> str:
        inputs, outputs = (", ".join(map(str, infos)) for infos in (self.inputs, self.outputs))
        facts = {"inputs": inputs, "outputs": outputs}
        if len(self.sizes) == 1:
            facts["network"] = self.report().totals()
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
        return Request(self._run)

    def submit(self, inputs: Inputs, outputs: Any = None) -> Future[list[np.ndarray]]:
        """Return at once what will have the result of ``run``, or raise what that raises.

        As many as ``concurrency`` are run at a time, by threads of the model's own that share TVM's threads
        evenly; there is no bound on how many wait.
        """
        return self._lanes.submit(self.run, inputs, outputs)

    @property
    def threads(self) -> int | None:
        """Return how many threads a run uses; None, unless it is set: all of TVM's, or ``submit``'s share."""
        return self._lanes.threads

    @threads.setter
    def threads(self, count: int | None) -> None:
        check_threads(count)
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
            return stored(flat(runner.function(*arguments_of(values, arrays, runner))), buffers)

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
            arguments = arguments_of(values, arrays, runner)
            results = flat(runner.function(*arguments))
            if any(map(is_torch_tensor, values)):
                return runner.torch_results.tensors(results, arguments)
            return stored(results, None)

        outputs = written_back(self._lanes.use(run), chosen.size, values)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    @one_at_a_time
    def export_library(self, path: str | os.PathLike[str], *, linker: str | None = None) -> None:
        """Write the model, in all its sizes, as one shared library, which ``load`` reads back; never a
        partial file.

        Args:
            path: The library; its suffix is that of the target's system.
            linker: A C compiler driver. By default this host's is used, for other targets their cross
                compiler or ziglang.

        Raises:
            DirectConvError: There is no linker, ``path`` cannot be written, or the model was loaded from a
                library.
        """
        if not isinstance(self.executable, relax.VMExecutable):
            raise DirectConvError("this model was loaded from a library; copy that file instead")
        path = path_of(path, "the library to write", DirectConvError)
        target = resolve_target(self.target)
        link = library_maker(path, target, linker)
        write_library(self.executable, target, path, link)

    @one_at_a_time
    def export_c(
        self,
        folder: str | os.PathLike[str],
        *,
        name: str = "network",
        weights: str = INSIDE,
        size: Size | None = None,
    ) -> ExportedC:
        """Write a size as C that needs no runtime, all files or none. The model is read and lowered again.

        Args:
            folder: Where the files go: an object, ``name``.o, and a header, ``name``.h.
            name: What files and functions are called.
            weights: "inside" the object, or "beside" it, in ``name``.weights.
            size: One of ``sizes``, or what ``size(shapes)`` returns; the first by default. One of open
                dimensions is written for all sizes, which functions in C are given as an array.

        Raises:
            ModelError: The network is not a plain list of kernel calls, or was loaded from a library.
            DirectConvError: Nothing can be written.
        """
        return write_c(self.lower, size or self.sizes[0], self.target, folder, name, weights)

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
            if self._compile_size is None:
                raise self._absent(given)
            runner = self._added(shapes, given)
        return runner, arrays

    def _absent(self, shapes: Mapping[str, Shape]) -> InputError:
        known = "; ".join(map(str, self.sizes))
        opened = [size for size in self.sizes if size.is_open and size.fits(shapes)]
        broken = [text for size in opened for text in size.broken(shapes)[:1]]
        where = f", where {' and '.join(broken)}" if broken else ""
        return InputError(
            f"the model does not have size {shapes_text(shapes)}; it is compiled for {known}{where}"
        )

    @one_at_a_time
    def _added(self, shapes: tuple[Shape, ...], given: Mapping[str, Shape]) -> Runner:
        """The runner of a size, which is compiled unless another thread just did."""
        state = self._state
        if shapes not in state.runners and self._compile_size is not None:
            try:
                executable, metadata = self._compile_size(given)
            except ModelError as error:
                if not any(size.is_open for size in self.sizes):
                    raise
                raise InputError(f"{self._absent(given)}, and cannot be compiled for it: {error}") from error
            self._state = State.of(executable, metadata, state.runners)
        return self._state.runners[shapes]
