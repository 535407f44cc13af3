"""Inputs as callers give them, in the model's order: by position, by name, or several in one argument, in
dictionaries, lists and tuples, as a PyTorch module takes them.

torch.export names the tensors in them by the parameter and the keys that lead to each: ``state_0``,
``sizes_low``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tvm_directconv.errors import InputError, nearest

from .metadata import TensorInfo


def ordered(inputs: Any, infos: Sequence[TensorInfo]) -> list[Any]:
    """Return the inputs of a run, given by name, in order, or as the single one, in the order of ``infos``.

    Raises InputError for a wrong name or number.
    """
    expected = ", ".join(map(str, infos)) or "none"
    names = [info.name for info in infos]
    if isinstance(inputs, Mapping):
        for name in inputs:
            if name not in names:
                hint = nearest(str(name), names)
                raise InputError(f"no input '{name}'{hint}; the model's inputs are {expected}")
        missing = [name for name in names if name not in inputs]
        if missing:
            raise InputError(f"missing input {', '.join(map(repr, missing))}; expected {expected}")
        return [inputs[name] for name in names]
    arrays = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    if len(arrays) != len(infos):
        raise InputError(f"{len(arrays)} inputs given, {len(infos)} expected: {expected}")
    return arrays


def by_name(inputs: Sequence[Any], named: Mapping[str, Any], infos: Sequence[TensorInfo]) -> dict[str, Any]:
    """Return inputs given by position, and others ``named``, by name. Raises InputError for too many, and for
    one that is given twice."""
    if len(inputs) > len(infos):
        expected = ", ".join(map(str, infos)) or "none"
        raise InputError(f"{len(inputs)} inputs given, {len(infos)} expected: {expected}")
    given = {info.name: value for info, value in zip(infos, inputs, strict=False)}
    twice = given.keys() & named.keys()
    if twice:
        raise InputError(f"input '{sorted(twice)[0]}' is given by position and by name")
    return {**given, **named}


def unnested(
    inputs: Sequence[Any], named: Mapping[str, Any], names: Sequence[str]
) -> tuple[list[Any], dict[str, Any]]:
    """The tensors of arguments by position, and those by name, for inputs called ``names``. A dictionary of
    these names is the same as arguments by name.

    Raises InputError for a dictionary given by position whose keys are not those that the names end with.
    """
    first = inputs[0] if len(inputs) == 1 else None
    if isinstance(first, Mapping) and {*first} <= {*names} - {*named}:
        inputs, named = (), {**first, **named}
    flat: list[Any] = []
    for value in inputs:
        flat += _in_order(value, names[len(flat) :]) if _holds_tensors(value) else [value]
    by_name: dict[str, Any] = {}
    for name, value in named.items():
        if _holds_tensors(value):
            by_name |= {f"{name}_{path}": leaf for path, leaf in _leaves(value)}
        else:
            by_name[name] = value
    return flat, by_name


def _holds_tensors(value: Any) -> bool:
    """Return whether a value is a collection of tensors, and no list of numbers."""
    if isinstance(value, Mapping):
        return True
    return isinstance(value, list | tuple) and any(hasattr(v, "shape") or _holds_tensors(v) for v in value)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The tensors in a value by their keys, as torch.export writes them; None is none."""
    if _holds_tensors(value):
        for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _leaves(inner, f"{path}_{re.sub('[^a-zA-Z0-9]', '_', str(key)).lower()}")
    elif value is not None:
        yield path[1:], value


def _in_order(value: Any, names: Sequence[str]) -> list[Any]:
    """The tensors of one argument in the order of the inputs that they are, the first of ``names``."""
    leaves = list(_leaves(value))
    own = list(names[: len(leaves)])
    for name in own[:1]:
        for path, _ in leaves:
            parameter = name.removesuffix(f"_{path}")
            by_name = {f"{parameter}_{path}": leaf for path, leaf in leaves}
            if parameter != name and by_name.keys() == set(own):
                return [by_name[each] for each in own]
    if _has_keys(value):
        raise InputError(
            f"a dictionary of {', '.join(repr(path) for path, _ in leaves) or 'nothing'} is given where the "
            f"inputs {', '.join(own) or 'end'} are expected; give them by name"
        )
    return [leaf for _, leaf in leaves]


def _has_keys(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    return isinstance(value, list | tuple) and any(map(_has_keys, value))
