"""Arguments of a call that hold several tensors: dictionaries, lists and tuples, as a PyTorch module takes
them.

torch.export names the tensors in them by the parameter and the keys that lead to each: ``state_0``,
``sizes_low``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tvm_directconv.errors import InputError


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
