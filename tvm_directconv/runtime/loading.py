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

from tvm_directconv.errors import DirectConvError, ModelError, TargetError
from tvm_directconv.files import path_of
from tvm_directconv.threads import check_thread_variables

from .compiled_model import CompiledModel
from .cpu import missing_features
from .derived import derived_filters
from .description import FORMAT, Description
from .library_format import is_of_host, kind_of_file, open_library
from .metadata import Metadata, taken_set
from .network import Network
from .network_model import NetworkModel
from .taking_apart import from_compiler


def load(
    path: str | os.PathLike[str], *, threads: int | None = None, instruction_set: str | None = None
) -> CompiledModel:
    """Return a model that ``export_library`` wrote, or the folder that ``export`` of a model for a GPU wrote.

    Args:
        path: The library or folder. It is code: load what you trust (docs/security.md).
        threads: How many threads a run on a CPU uses, all of them by default.
        instruction_set: The name of one of several in the library, as "avx2" or "baseline"; by default the
            best that this CPU has (docs/deploy.md).

    Raises:
        ModelError: There is nothing at ``path``, or something else.
        TargetError: This host's CPU lacks what the library's code uses, TVM cannot have that target, or the
            library does not have that instruction set.
        InputError: ``threads`` is not a number of threads, or is given for a GPU.
        DirectConvError: The library runs by TVM alone, which is not installed.
    """
    model = _alone(path, instruction_set)
    if model is None:
        load_by_tvm = from_compiler("model.loading", "load")
        return load_by_tvm(path, threads=threads, instruction_set=instruction_set)
    model.threads = threads
    return model


def _alone(path: Any, instruction_set: str | None) -> NetworkModel | None:
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
    place = ctypes.addressof(description)
    length = len(ctypes.string_at(place))
    text = memoryview((ctypes.c_char * length).from_address(place)).cast("B")

    def whole(taken: str) -> Any:
        if len(Description(text).sets) > 1:
            raise DirectConvError(
                f"'{path}' has several instruction sets and not TVM's executable; compile the model for one "
                "of them to take it apart"
            )
        return from_compiler("model.loading", "load")(path, instruction_set=taken)

    address = ctypes.addressof(weights)
    return network_model(library, text, address, library_path, whole, instruction_set=instruction_set)


def network_model(
    library: ctypes.CDLL,
    text: memoryview,
    weights: int,
    path: Path,
    whole: Callable[[str], Any],
    keeps: Any = None,
    instruction_set: str | None = None,
) -> NetworkModel:
    """Return the model of a library with this description, which stays in memory, and weights at an address,
    whose memory ``keeps`` holds; ``whole`` returns the same model as TVM runs it, in the instruction set of
    that name. Raises what ``load`` does."""
    try:
        description = Description(text)
        if (found_format := description.head["format"]) != FORMAT:
            raise ModelError(
                f"'{path}' has format {found_format}, and this version reads {FORMAT}; compile it again"
            )
        used = [frozenset(map(str, each["features"])) for each in description.sets]
        sets = description.metadata()
    except (KeyError, TypeError, IndexError, json.JSONDecodeError) as error:
        raise ModelError(f"what '{path}' says of itself is not readable: {error!r}") from None
    check_thread_variables()
    kind = kind_of_file(path)
    missing = missing_features(library, kind.arch if kind else "", frozenset().union(*used))

    def lacked(metadata: Metadata) -> list[str]:
        return sorted(used[sets.index(metadata)] & missing)

    found = taken_set(sets, lambda metadata: not lacked(metadata), instruction_set)
    if lacked(found):
        raise TargetError(
            f"'{path}' cannot run here: this host's CPU lacks {', '.join(lacked(found))}, which code for "
            f"'{found.target}' may use; compile for 'llvm -mcpu=native' to run it here"
        )
    number = sets.index(found)
    derived = derived_filters(description.sets[number], weights, str(path))
    network = Network(library, lambda: description.calls(number), weights, keeps, derived)
    return NetworkModel(network, found, lambda: whole(found.instruction_set))
