"""CompiledModel: a network compiled to a TVM virtual-machine executable, with what is known about it.

Names, shapes, target and report travel inside the executable, as the value of one more function, so an
exported library is a single file.
"""

from __future__ import annotations

import functools
import json
import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tvm
import tvm_ffi
from tvm import relax

from tvm_directconv.errors import DirectConvError, InputError, ModelError, last_line, nearest
from tvm_directconv.files import open_regular, path_of
from tvm_directconv.targets import llvm
from tvm_directconv.targets.target import require_host, resolve_target
from tvm_directconv.text import facts_text, target_label
from tvm_directconv.turns import in_turn

from .library_file import kind_of_file, kind_of_triple, missing_bytes
from .linking import library_maker, write_library
from .quiet import without_scope_warnings
from .report import Report
from .tensors import TorchResults, array_of, borrowed, is_torch_tensor

METADATA_FUNCTION = "directconv_metadata"
FORMAT = 1


@dataclass(frozen=True)
class TensorInfo:
    """An input or output of a model."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}{list(self.shape)}"


@dataclass(frozen=True)
class Metadata:
    """What a library says about itself."""

    target: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    report: Report

    def to_bytes(self) -> bytes:
        fields = {
            "format": FORMAT,
            "target": self.target,
            "inputs": [asdict(info) for info in self.inputs],
            "outputs": [asdict(info) for info in self.outputs],
            "report": json.loads(self.report.to_json(None)),
        }
        return json.dumps(fields).encode()

    @staticmethod
    def from_bytes(data: bytes) -> Metadata:
        """Read what ``to_bytes`` wrote; ModelError for anything else."""
        try:
            fields = json.loads(data)
            if fields["format"] != FORMAT:
                raise ModelError(
                    f"library format {fields['format']} is not {FORMAT}, which this version reads"
                )
            inputs, outputs = (
                tuple(TensorInfo(i["name"], tuple(i["shape"]), i["dtype"]) for i in fields[kind])
                for kind in ("inputs", "outputs")
            )
            report = Report.from_json(json.dumps(fields["report"]))
            return Metadata(str(fields["target"]), inputs, outputs, report)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            if isinstance(error, DirectConvError):
                raise
            raise ModelError(f"what the library says of itself is not readable: {error!r}") from None


class _OfThread(threading.local):
    """What one thread has set and got."""

    arguments: list[tvm.runtime.Tensor] | None = None
    results: Any = None


class CompiledModel:
    """A compiled network.

    ``executable`` is TVM's own VMExecutable (the loaded module, for a model from ``load``); ``inputs`` and
    ``outputs`` say names, shapes and dtypes.

    All of it may be called from any thread. Runs take turns; what ``set_inputs`` set, and the results that
    ``get_outputs`` returns, are of the calling thread alone.
    """

    def __init__(self, executable: Any, metadata: Metadata) -> None:
        self.executable = executable
        self.target = metadata.target
        self.inputs = metadata.inputs
        self.outputs = metadata.outputs
        self._metadata = metadata
        self._lock = threading.Lock()
        self._own = _OfThread()
        self._torch_results = TorchResults()

    @property
    def input_names(self) -> tuple[str, ...]:
        return tuple(info.name for info in self.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        return tuple(info.name for info in self.outputs)

    def report(self) -> Report:
        """Per convolution: shape, algorithm, micro-kernels, tile, FLOPs, workspace; and the totals."""
        return self._metadata.report

    def __str__(self) -> str:
        inputs, outputs = (", ".join(map(str, infos)) for infos in (self.inputs, self.outputs))
        facts = {"inputs": inputs, "outputs": outputs, "network": self.report().totals()}
        return facts_text(f"compiled for {target_label(self.target)}", facts)

    def run(self, inputs: Mapping[str, np.ndarray] | Sequence[np.ndarray] | np.ndarray) -> list[np.ndarray]:
        """The outputs for inputs given by name, in order, or as the single input's array.

        Raises InputError for a wrong name, number, shape or dtype, TargetError when this host cannot run
        the code.
        """
        with self._lock:
            arguments = self._copy_inputs(inputs, self._staging)
            return [tensor.numpy() for tensor in _flat(self._main(*arguments))]

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """The output for inputs by position or by name, a tuple of several outputs.

        Given torch tensors it returns torch tensors, and copies neither where an input is contiguous and
        aligned; else all are numpy's. Raises as ``run`` does.
        """
        values = self._ordered(self._by_name(inputs, named) if named else list(inputs))
        with_torch = any(map(is_torch_tensor, values))
        with self._lock:
            arguments = self._staged(values) if with_torch else self._copy_inputs(values, self._staging)
            results = _flat(self._main(*arguments))
            if with_torch:
                outputs = self._torch_results.tensors(results, arguments)
            else:
                outputs = [tensor.numpy() for tensor in results]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def set_inputs(self, inputs: Mapping[str, np.ndarray] | Sequence[np.ndarray] | np.ndarray) -> None:
        """Copy inputs into tensors that this thread's ``invoke`` uses from now on."""
        self._own.arguments = self._copy_inputs(inputs, self._new_tensors())

    def invoke(self) -> None:
        """Run on the inputs this thread last set: no checks, no copies, for measuring."""
        own = self._own
        if own.arguments is None:
            raise InputError("this thread has set no inputs; call set_inputs first")
        with self._lock:
            # The previous results go first, so that the allocator's pool serves this run with their memory.
            own.results = None
            own.results = self._main(*own.arguments)

    def get_outputs(self) -> list[np.ndarray]:
        """The outputs of this thread's last ``invoke``."""
        if self._own.results is None:
            raise InputError("this thread has run nothing yet; call invoke first")
        return [tensor.numpy() for tensor in _flat(self._own.results)]

    @in_turn
    def export_library(self, path: str | os.PathLike[str], *, linker: str | None = None) -> None:
        """Write the model as one shared library, which ``load`` reads back; never a partial file.

        Its suffix is that of the target's system. ``linker`` is a C compiler driver; without one, this host's
        is used, for other targets their cross compiler or ziglang. Raises DirectConvError when there is none,
        or ``path`` cannot be written.
        """
        if not isinstance(self.executable, relax.VMExecutable):
            raise DirectConvError("this model was loaded from a library; copy that file instead")
        path = path_of(path, "the library to write", DirectConvError)
        target = resolve_target(self.target)
        write_library(self.executable, target, path, library_maker(path, target, linker))

    @functools.cached_property
    def _main(self) -> Callable[..., Any]:
        require_host(resolve_target(self.target))
        return relax.VirtualMachine(self.executable, tvm.cpu(), memory_cfg="pooled")["main"]

    @functools.cached_property
    def _staging(self) -> list[tvm.runtime.Tensor]:
        """Inputs are copied: numpy's arrays are rarely aligned as TVM's kernels may take for granted."""
        return self._new_tensors()

    def _new_tensors(self) -> list[tvm.runtime.Tensor]:
        return [tvm.runtime.empty(info.shape, info.dtype) for info in self.inputs]

    def _by_name(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        if len(inputs) > len(self.inputs):
            expected = ", ".join(map(str, self.inputs)) or "none"
            raise InputError(f"{len(inputs)} inputs given, {len(self.inputs)} expected: {expected}")
        given = dict(zip(self.input_names, inputs, strict=False))
        twice = given.keys() & named.keys()
        if twice:
            raise InputError(f"input '{sorted(twice)[0]}' is given by position and by name")
        return {**given, **named}

    def _staged(self, values: Sequence[Any]) -> list[tvm.runtime.Tensor]:
        """Torch tensors themselves where they can be read in place, copies of everything else."""
        arguments = []
        for value, info, tensor in zip(values, self.inputs, self._staging, strict=True):
            array, own = _checked(value, info), borrowed(value)
            arguments.append(tensor.copyfrom(array) if own is None else own)
        return arguments

    def _copy_inputs(self, inputs: Any, tensors: list[tvm.runtime.Tensor]) -> list[tvm.runtime.Tensor]:
        arrays = [_checked(v, i) for v, i in zip(self._ordered(inputs), self.inputs, strict=True)]
        for tensor, array in zip(tensors, arrays, strict=True):
            tensor.copyfrom(array)
        return tensors

    def _ordered(self, inputs: Any) -> list[Any]:
        expected = ", ".join(map(str, self.inputs)) or "none"
        if isinstance(inputs, Mapping):
            for name in inputs:
                if name not in self.input_names:
                    hint = nearest(str(name), self.input_names)
                    raise InputError(f"no input '{name}'{hint}; the model's inputs are {expected}")
            missing = [name for name in self.input_names if name not in inputs]
            if missing:
                raise InputError(f"missing input {', '.join(map(repr, missing))}; expected {expected}")
            return [inputs[name] for name in self.input_names]
        arrays = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
        if len(arrays) != len(self.inputs):
            raise InputError(f"{len(arrays)} inputs given, {len(self.inputs)} expected: {expected}")
        return arrays


@in_turn
def load(path: str | os.PathLike[str]) -> CompiledModel:
    """A model exported by ``CompiledModel.export_library``. Raises ModelError for anything else."""
    path = path_of(path, "the library to load", ModelError)
    open_regular(path, f"'{path}'", ModelError).close()
    _check_kind(path)
    try:
        with tempfile.TemporaryDirectory() as folder, without_scope_warnings():
            # The dynamic loader returns what it has under the same name, even if the file was replaced since;
            # tvm.runtime.load_module would follow the link to that name.
            alias = Path(folder) / "library.so"
            alias.symlink_to(path.resolve())
            module = tvm_ffi.load_module(str(alias))
            virtual_machine = relax.VirtualMachine(module, tvm.cpu())
            data = virtual_machine[METADATA_FUNCTION]().numpy().tobytes()
    except Exception as error:  # dlopen, TVM's loader and the look-up each raise their own
        # What the dynamic loader says comes behind the name that it was given.
        reason = last_line(error).rpartition(f"{alias.name}: ")[-1]
        raise ModelError(f"'{path}' is not a library exported by tvm-directconv: {reason}") from error
    return CompiledModel(module, Metadata.from_bytes(data))


def _check_kind(path: Path) -> None:
    """Raise ModelError for a library that this host's loader is not for, of which it would say little."""
    try:
        kind, wanted = kind_of_file(path), kind_of_triple(llvm.host_triple())
        missing = missing_bytes(path)
    except OSError as error:
        raise ModelError(f"cannot read '{path}': {error.strerror}") from None
    if kind is not None and kind != wanted:
        raise ModelError(f"'{path}' is a {kind}; this host loads a {wanted}")
    if missing:
        raise ModelError(f"'{path}' is cut short: {missing} bytes that it says it has are missing")


def _flat(results: Any) -> list[Any]:
    return [results] if isinstance(results, tvm.runtime.Tensor) else list(results)


def _checked(value: Any, info: TensorInfo) -> np.ndarray:
    """``value`` as a contiguous array of exactly the dtype and shape that ``info`` says."""
    array = array_of(value, f"input '{info.name}'")
    if str(array.dtype) != info.dtype:
        raise InputError(
            f"input '{info.name}' has dtype {array.dtype}, expected {info.dtype}; "
            f"convert it with .astype('{info.dtype}')"
        )
    if array.shape != info.shape:
        raise InputError(f"input '{info.name}' has shape {array.shape}, expected {info.shape}")
    return np.asarray(array, order="C")
