"""ExecutableModel: a compiled network as an executable of TVM's, which is run, measured and written.

What is known travels inside the executable (``tvm_directconv/runtime/metadata.py``), so an exported library
is a single file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from relay_strategies.c_export.export import ExportedC
from relay_strategies.frontends.declared import Given, Shape
from tvm_directconv.errors import DirectConvError, InputError, ModelError
from tvm_directconv.files import path_of
from tvm_directconv.locks import one_at_a_time, without_fork
from tvm_directconv.runtime.compiled_model import CompiledModel, Inputs
from tvm_directconv.runtime.lanes import Runner, ThreadControl
from tvm_directconv.runtime.metadata import Metadata, Size
from tvm_directconv.runtime.state import State
from tvm_directconv.targets.target import require_host, resolve_target

from ..arguments import check_sizes
from ..as_c import INSIDE, Lowering, write_c
from ..library.linking import library_maker
from ..library.pieces import PiecedExecutable
from ..report import Report
from ..sizes import at_typical, compiled_shapes
from .deviations import Compared, Deviation
from .profile import ROUNDS, Profile, profiled
from .running import ExecutableMachine, drawn
from .thread_count import check_threads, limit_threads, thread_count, use_threads

CompileSize = Callable[[Mapping[str, Shape]], tuple[Any, Metadata]]
"""A function of the shapes of a size that returns the executable with this size added, and its metadata."""
CONTROL = ThreadControl(use_threads, limit_threads, thread_count, check_threads)


class ExecutableModel(CompiledModel):
    """A model that TVM runs: all of ``CompiledModel``, and what takes a model apart."""

    def __init__(self, executable: Any, metadata: Metadata, compile_size: CompileSize | None = None) -> None:
        """``compile_size`` compiles one more size, given by its shapes."""
        super().__init__(ExecutableMachine(executable, metadata.target), metadata, CONTROL)
        self._compared: Compared | None = None
        self.lowering: Lowering | None = None
        self._compile_size = compile_size

    @property
    def executable(self) -> Any:
        """The executable of TVM's virtual machine: the loaded module, for a model from ``load``; with a
        library in place of LLVM's modules, for one from the cache.
        """
        machine = self._state.machine
        assert isinstance(machine, ExecutableMachine)
        return machine.executable

    @property
    def compared(self) -> Compared | None:
        return self._compared

    @compared.setter
    def compared(self, compared: Compared | None) -> None:
        self._compared = compared

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
        tensors = runner.copies(arrays)
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
        executable = self.executable
        if not isinstance(executable, PiecedExecutable):
            raise DirectConvError("this model was loaded from a library; copy that file instead")
        path = path_of(path, "the library to write", DirectConvError)
        target = resolve_target(self.target)
        link = library_maker(path, target, linker)
        executable.pieces.write_library(path, link)

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
        return write_c(self.lowering, size or self.sizes[0], folder, name, weights)

    @one_at_a_time
    def _added(self, shapes: tuple[Shape, ...], given: Mapping[str, Shape]) -> Runner:
        """The runner of a size, which is compiled unless another thread just did."""
        state = self._state
        if self._compile_size is None:
            raise self._absent(given)
        if shapes not in state.runners:
            try:
                executable, metadata = self._compile_size(given)
            except ModelError as error:
                if not any(size.is_open for size in self.sizes):
                    raise
                raise InputError(f"{self._absent(given)}, and cannot be compiled for it: {error}") from error
            machine = ExecutableMachine(executable, metadata.target)
            self._state = State.of(machine, metadata, state.runners)
        return self._state.runners[shapes]
