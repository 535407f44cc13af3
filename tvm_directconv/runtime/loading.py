"""load: read compiled models back from the libraries and folders that they were written to.

A library that runs without TVM is loaded by ctypes alone. Everything else, what is not a library among it,
the compiler takes, which imports TVM."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tvm_directconv.errors import ModelError, TargetError
from tvm_directconv.files import path_of
from tvm_directconv.threads import check_thread_variables

from .compiled_model import CompiledModel
from .cpu import missing_features
from .library_format import is_of_host, kind_of_file, open_library
from .metadata import Metadata
from .network import Network
from .network_model import NetworkModel
from .taking_apart import from_compiler

FORMAT = 1
"""The format of descriptions that this version reads."""


def load(path: str | os.PathLike[str], *, threads: int | None = None) -> CompiledModel:
    """Return a model that ``export_library`` wrote, or the folder that ``export`` of a model for a GPU wrote.

    Args:
        path: The library or folder. It is code: load what you trust (docs/security.md).
        threads: How many threads a run on a CPU uses, all of them by default.

    Raises:
        ModelError: There is nothing at ``path``, or something else.
        TargetError: This host's CPU lacks what the library's code uses, or TVM cannot have that target.
        InputError: ``threads`` is not a number of threads, or is given for a GPU.
        DirectConvError: The library runs by TVM alone, which is not installed.
    """
    model = _alone(path)
    if model is None:
        return from_compiler("model.loading", "load")(path, threads=threads)
    model.threads = threads
    return model


def _alone(path: Any) -> NetworkModel | None:
    """Return the model of a library that runs without TVM; None for anything else."""
    library_path = path_of(path, "the library to load", ModelError)
    try:
        if not library_path.is_file() or not is_of_host(library_path):
            return None
        library = open_library(library_path)
        description = ctypes.c_char.in_dll(library, "directconv_description")
        weights = ctypes.c_char.in_dll(library, "directconv_weights")
    except (OSError, ValueError):  # it cannot be loaded, or does not have these
        return None
    text = ctypes.string_at(ctypes.addressof(description))

    def whole() -> Any:
        return from_compiler("model.loading", "load")(path)

    return network_model(library, text, ctypes.addressof(weights), library_path, whole)


def network_model(
    library: ctypes.CDLL, text: bytes, weights: int, path: Path, whole: Callable[[], Any], keeps: Any = None
) -> NetworkModel:
    """Return the model of a library with this description, and weights at an address, whose memory ``keeps``
    holds; ``whole`` returns the same model as TVM runs it. Raises what ``load`` does."""
    try:
        described = json.loads(text)
        if described["format"] != FORMAT:
            raise ModelError(
                f"'{path}' has format {described['format']}, and this version reads {FORMAT}; "
                "compile it again"
            )
        metadata, calls = described["metadata"], described["calls"]
        used = list(map(str, described["features"]))
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ModelError(f"what '{path}' says of itself is not readable: {error!r}") from None
    check_thread_variables()
    found = Metadata.from_fields(metadata)
    _check_cpu(library, used, found.target, path)
    return NetworkModel(Network(library, calls, weights, keeps), found, whole)


def _check_cpu(library: ctypes.CDLL, used: list[str], target: str, path: Path) -> None:
    """Raise TargetError where this CPU lacks what a library's code may use."""
    kind = kind_of_file(path)
    missing = missing_features(library, kind.arch if kind else "", used)
    if missing:
        raise TargetError(
            f"'{path}' cannot run here: this host's CPU lacks {', '.join(missing)}, which code for "
            f"'{target}' may use; compile for 'llvm -mcpu=native' to run it here"
        )
