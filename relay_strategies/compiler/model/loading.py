"""Compiled models read back from the libraries that they were written to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import tvm
from tvm import relax

from tvm_directconv.errors import ModelError, last_line, let_through
from tvm_directconv.files import path_of
from tvm_directconv.turns import in_turn

from ..file_kinds import refuse_no_library
from ..library.library_file import ALIAS, check_kind, load_library
from ..library.program import METADATA_FUNCTION
from ..library.quiet import without_scope_warnings
from ..signature import Metadata
from .compiled_model import CompiledModel


@in_turn
def load(path: str | os.PathLike[str]) -> CompiledModel:
    """A model exported by ``CompiledModel.export_library``. Raises ModelError for anything else."""
    path = path_of(path, "the library to load", ModelError)
    refuse_no_library(path)
    check_kind(path)
    try:
        module, data = without_scope_warnings(lambda: _module_and_data(path))
    except Exception as error:  # dlopen, TVM's loader and the look-up each raise their own
        let_through(error)
        # What the dynamic loader says comes behind the name that it was given.
        reason = last_line(error).rpartition(f"{ALIAS}: ")[-1]
        raise ModelError(f"'{path}' is not a library exported by tvm-directconv: {reason}") from error
    return CompiledModel(module, Metadata.from_bytes(data))


def _module_and_data(path: Path) -> tuple[Any, bytes]:
    """A library's module, and what it says of itself."""
    module = load_library(path)
    return module, relax.VirtualMachine(module, tvm.cpu())[METADATA_FUNCTION]().numpy().tobytes()
