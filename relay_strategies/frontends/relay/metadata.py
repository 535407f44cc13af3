"""The metadata section of Relay's text: constants and other objects the text refers to as ``meta[kind][n]``.

The section is TVM's JSON graph of objects: ``nodes``, of which ``root`` is a map from kinds to arrays of
nodes, and ``b64ndarrays``, the tensors in base64 (tensors.py). Objects are never made from it: constants are
decoded to numpy arrays, one at a time when they are asked for, and everything else is refused by name.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

import numpy as np

from relay_strategies.frontends.tensors import read_tensor
from tvm_directconv.errors import ModelError

from .syntax import MetaReference

CONSTANT = "relay.Constant"
MAPS = ("Map", "StrMap")


class Metadata:
    """A metadata section. ``json_text`` begins on line ``first_line`` of its file.

    Raises ModelError, with the line and column for what is not JSON.
    """

    def __init__(self, json_text: str | None, first_line: int = 1) -> None:
        self._where = f"metadata section (line {first_line})"
        self._missing = json_text is None
        fields = {"nodes": [], "b64ndarrays": []} if json_text is None else _parse(json_text, first_line)
        self._nodes = self._list(fields, "nodes")
        self._tensors = self._list(fields, "b64ndarrays")
        self._kinds = {} if json_text is None else self._root(fields.get("root"))
        self._arrays: dict[int, np.ndarray] = {}

    def constant(self, reference: MetaReference) -> np.ndarray:
        """The array of a constant, read-only. Raises ModelError."""
        at = f"{reference.position}: {reference}"
        if self._missing:
            raise ModelError(
                f"{at}: the text lacks a #[metadata] section; print it with astext(show_meta_data=True)"
            )
        if reference.kind != CONSTANT:
            raise ModelError(f"{at}: only constants of the metadata section are supported")
        members = self._kinds.get(reference.kind, [])
        if reference.index >= len(members):
            raise ModelError(f"{at}: the metadata section has {len(members)} of that kind")
        node = self._node(members[reference.index], at)
        attributes = node.get("attrs")
        if node.get("type_key") != CONSTANT or not isinstance(attributes, dict):
            raise ModelError(
                f"{at}: node {members[reference.index]} of the metadata section is not a constant"
            )
        return self._tensor(_index(attributes.get("data")), at)

    def _tensor(self, index: int, at: str) -> np.ndarray:
        if not 0 <= index < len(self._tensors):
            raise ModelError(f"{at}: the metadata section lacks tensor {index}")
        if index not in self._arrays:
            text = self._tensors[index]
            try:
                data = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
            except (binascii.Error, ValueError):
                raise ModelError(f"{at}: tensor {index} of the metadata section is not base64") from None
            what = f"{at}: tensor {index} of the metadata section"
            array, end = read_tensor(memoryview(data), 0, what)
            if end != len(data):
                raise ModelError(f"{what} is followed by {len(data) - end} more bytes")
            self._arrays[index] = array
        return self._arrays[index]

    def _root(self, root: Any) -> dict[str, list[int]]:
        node = self._node(_index(root), self._where)
        keys, data = node.get("keys"), node.get("data")
        if node.get("type_key") not in MAPS or not isinstance(keys, list) or not isinstance(data, list):
            raise ModelError(f"{self._where}: its root is not a map of kinds")
        if len(keys) != len(data):
            raise ModelError(f"{self._where}: its root has {len(keys)} keys and {len(data)} values")
        kinds = {}
        for key, value in zip(keys, data, strict=True):
            members = self._node(_index(value), self._where).get("data")
            kinds[str(key)] = [_index(member) for member in members] if isinstance(members, list) else []
        return kinds

    def _node(self, index: int, at: str) -> dict[str, Any]:
        node = self._nodes[index] if 0 <= index < len(self._nodes) else None
        if not isinstance(node, dict):
            raise ModelError(f"{at}: the metadata section lacks node {index}")
        return node

    def _list(self, fields: dict[str, Any], name: str) -> list[Any]:
        value = fields.get(name)
        if not isinstance(value, list):
            raise ModelError(f"{self._where}: it lacks a list '{name}'")
        return value


def _parse(text: str, first_line: int) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise ModelError(f"line {line}, column {error.colno}: metadata section: {error.msg}") from None
    except (RecursionError, ValueError) as error:  # too deep, or a number of too many digits
        raise ModelError(f"line {first_line}: metadata section: {type(error).__name__}") from None
    if not isinstance(fields, dict):
        raise ModelError(f"line {first_line}: the metadata section is not a JSON object")
    return fields


def _index(value: Any) -> int:
    """A node's number, which may be text; -1 for what is none."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 12:
        return int(value)
    return value if isinstance(value, int) else -1
