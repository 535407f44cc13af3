"""load: read compiled models back from the libraries and folders that they were written to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tvm
from tvm import relax

from tvm_directconv.devices.network_files import LIST
from tvm_directconv.errors import InputError, ModelError, TargetError, last_line, let_through
from tvm_directconv.files import path_of
from tvm_directconv.locks import one_at_a_time
from tvm_directconv.runtime.metadata import Metadata, sets_from_bytes, taken_set
from tvm_directconv.targets.target import require_host, resolve_target

from ..device.model import load_folder
from ..library.library_file import ALIAS, check_kind, load_library
from ..library.program import METADATA_FUNCTION
from ..library.quiet import without_scope_warnings
from ..model_kinds import LIBRARY, kind_of_file
from .executable_model import ExecutableModel


def load(
    path: str | os.PathLike[str], *, threads: int | None = None, instruction_set: str | None = None
) -> ExecutableModel:
    """Return a model that ``export_library`` wrote, or the folder that ``export`` of a model for a GPU wrote.

    Args:
        path: The library or folder. It is code: load what you trust (docs/security.md).
        threads: How many of TVM's threads a run on a CPU uses, all of them by default.
        instruction_set: The name of one of several in the library; by default the best that this CPU has.

    Raises:
        ModelError: There is nothing at ``path``, or something else.
        TargetError: This host's CPU lacks what the library's code uses, TVM cannot have that target, or the
            library does not have that instruction set.
        InputError: ``threads`` is not a number of threads, or is given for a GPU.
    """
    if isinstance(path, str | os.PathLike) and os.path.isdir(path):
        folder = Path(os.fsdecode(path))
        if not (folder / LIST).exists():
            raise ModelError(
                f"'{folder}' is a directory, but not one that export() wrote for a GPU: it has no {LIST}; "
                "load() takes a library that export_library() wrote, and compile() a model's file"
            )
        if threads is not None:
            raise InputError("threads= are a CPU's; it does not apply to a GPU")
        return load_folder(folder)
    model = _load_library(path, instruction_set)
    model.threads = threads
    return model


@one_at_a_time
def _load_library(path: str | os.PathLike[str], instruction_set: str | None) -> ExecutableModel:
    path = path_of(path, "the library to load", ModelError)
    kind = kind_of_file(path)
    if kind not in (None, LIBRARY):
        raise ModelError(
            f"'{path}' is not a library exported by tvm-directconv: it is {kind.name}; {kind.taken}"
        )
    check_kind(path)
    try:
        module, data = without_scope_warnings(lambda: _module_and_data(path))
    except Exception as error:  # dlopen, TVM's loader and the look-up each raise their own
        let_through(error)
        # What the dynamic loader says comes behind the name that it was given.
        reason = last_line(error).rpartition(f"{ALIAS}: ")[-1]
        raise ModelError(f"'{path}' is not a library exported by tvm-directconv: {reason}") from error
    metadata = taken(sets_from_bytes(data), instruction_set)
    try:
        require_host(resolve_target(metadata.target))
    except TargetError as error:
        raise TargetError(f"'{path}' cannot run here: {error}") from None
    return ExecutableModel(module, metadata)


def taken(sets: Sequence[Metadata], wanted: str | None = None) -> Metadata:
    """Return the best of a model's instruction sets that this host runs, the last where it runs none, or the
    one that is wanted by name. Raises TargetError where there is none of that name."""

    def runs(metadata: Metadata) -> bool:
        try:
            require_host(resolve_target(metadata.target))
        except TargetError:
            return False
        return True

    return taken_set(sets, runs, wanted)


def _module_and_data(path: Path) -> tuple[Any, bytes]:
    """Return a library's module and the metadata in it."""
    module = load_library(path)
    return module, relax.VirtualMachine(module, tvm.cpu())[METADATA_FUNCTION]().numpy().tobytes()
