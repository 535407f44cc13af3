"""Relay models in: text written by ``mod.astext()`` and its parameters become a checked Relax IRModule.

What comes out has the form that importer.py gives an ONNX network, and everything after it is the same: one
function ``main``, weights bound, attributes that keep the names of inputs and outputs, and layers that carry
a name: their span's, their weight's, or that of the variable their result was bound to.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import tvm
from tvm import relax

from relay_strategies.frontends.checked import INPUT_NAMES, check_module
from relay_strategies.frontends.declared import Declared
from relay_strategies.frontends.parameters import ParamsSource, load_params
from relay_strategies.relax.outputs import OUTPUT_NAMES
from tvm_directconv.errors import ModelError
from tvm_directconv.files import path_of, read_file
from tvm_directconv.problem.open_sizes import OpenSizes

from .metadata import Metadata
from .parser import parse, split_metadata
from .signature import declared_inputs
from .syntax import Module
from .to_relax import to_relax

SUFFIX = ".relay"
BEGINNINGS = ("#[version", "def @", "fn (", "v0.0.", "free_var")
"""Relay's texts begin with one of these."""


@dataclass(frozen=True)
class RelayText:
    """A Relay module that was read: its syntax, values of its parameters, and the shapes of the others."""

    where: str
    module: Module
    metadata: Metadata
    params: Mapping[str, np.ndarray]
    inputs: Declared


def from_relay(
    model: str | os.PathLike[str], params: ParamsSource | None = None, *, bind_all: bool = False
) -> tvm.IRModule:
    """Return a Relax module of a Relay module's text.

    Args:
        model: The text, or the path of a file of it, as ``mod.astext()`` wrote it; with its metadata section,
            where it has one.
        params: Values of parameters of ``main``, by name: the path or bytes of a file that
            ``relay.save_param_dict`` wrote, or a mapping to arrays.
        bind_all: Whether a weight without a value is an error; else it stays an input.

    Returns:
        A module whose inputs keep names, shapes, dtypes and layouts. What is as large as what an operator
        finds has a symbolic shape.

    Raises:
        ModelError: The text is not Relay's; line and column are named.
        UnsupportedOperatorError: Operators without a converter, all of them named.
    """
    read = read_relay(model, params)
    with OpenSizes().active():
        return import_relay(read, bind_all=bind_all or params is not None)


def read_relay(model: str | os.PathLike[str], params: ParamsSource | None = None) -> RelayText:
    """Read what ``from_relay`` takes. Raises ModelError."""
    text, where = _read(model)
    with _errors_of(where):
        program, section, line = split_metadata(text)
        module, given = parse(program), load_params(params)
        return RelayText(where, module, Metadata(section, line), given, declared_inputs(module, given))


def import_relay(read: RelayText, *, bind_all: bool) -> tvm.IRModule:
    """Return the Relax module that ``from_relay`` does. Raises what it does."""
    with _errors_of(read.where):
        converted, inputs = to_relax(read.module, read.metadata, read.params, all_weights=bind_all)
        main = converted["main"]
        result = main.ret_ty
        count = len(result.fields) if isinstance(result, relax.TupleType) else 1
        outputs = ["output"] if count == 1 else [f"output{i}" for i in range(count)]
        main = main.with_attr({INPUT_NAMES: inputs, OUTPUT_NAMES: outputs})
        converted.update_func(converted.get_global_var("main"), main)
        return check_module(converted, {})


@contextmanager
def _errors_of(where: str) -> Iterator[None]:
    """Say of which file errors are."""
    try:
        yield
    except RecursionError:
        raise ModelError(f"{where or 'the text'}: tuples or functions are nested too deeply") from None
    except ModelError as error:
        if not where:
            raise
        raise type(error)(f"{where}: {error}") from None


def is_text(model: str) -> bool:
    """Return whether a string is a Relay module's text, and not the path of one."""
    return "\n" in model or "{" in model or model.lstrip().startswith(BEGINNINGS)


def _read(model: str | os.PathLike[str]) -> tuple[str, str]:
    """(the text, what to call its file in errors)."""
    if isinstance(model, str) and (is_text(model) or not model):
        return model, ""
    path = path_of(model, "a Relay model", ModelError)
    where = f"'{path}'"
    try:
        return read_file(path, where, ModelError).decode("utf-8-sig"), where
    except UnicodeDecodeError:
        raise ModelError(f"{where} is not a text") from None
