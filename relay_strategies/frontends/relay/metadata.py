"""The metadata section of Relay's text: constants and other objects the text refers to as ``meta[kind][n]``.

The section is TVM's JSON graph of objects: ``nodes``, of which ``root`` is a map from kinds to arrays of
nodes, and ``b64ndarrays``, the tensors in base64 (tensors.py). Objects are never made from it: constants are
decoded to numpy arrays, one at a time when they are asked for, attributes of operators that Relay prints by
reference are read as numbers and texts, and everything else is refused by name.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

import numpy as np

from relay_strategies.frontends.tensors import read_tensor
from tvm_directconv.errors import ModelError

from .syntax import Attribute, MetaReference

CONSTANT = "relay.Constant"
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "relay.attrs.AllClassNonMaximumSuppressionAttrs": (),
    "relay.attrs.DFTAttrs": ("inverse",),
    "relay.attrs.DilateAttrs": ("strides",),
    "relay.attrs.GetValidCountsAttrs": (),
    "relay.attrs.InitOpAttrs": ("shape",),
    "relay.attrs.NonMaximumSuppressionAttrs": (),
    "relay.attrs.ProposalAttrs": ("scales", "ratios"),
    "relay.attrs.ROIAlignAttrs": ("pooled_size",),
    "relay.attrs.ROIPoolAttrs": ("pooled_size",),
    "relay.attrs.RegularNonMaximumSuppressionAttrs": (),
    "relay.attrs.ScanopAttrs": ("axis", "exclusive"),
    "relay.attrs.ScatterElementsAttrs": ("axis", "reduction"),
    "relay.attrs.ScatterNDAttrs": ("mode",),
    "relay.attrs.StftAttrs": (),
    "relay.attrs.TriluAttrs": (),
    "relay.attrs.UniqueAttrs": (),
}
"""The kinds of attributes that Relay prints by reference, and which of theirs are objects: a node's number
stands for those, and the section does not tell it from a number that is a value."""
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
        if reference.kind != CONSTANT:
            raise ModelError(f"{at}: only constants of the metadata section are supported")
        return self._tensor(_index(self._fields(reference, at).get("data")), at)

    def attributes(self, reference: MetaReference) -> tuple[Attribute, ...]:
        """The attributes of a call whose last argument is a reference to them. Raises ModelError."""
        at = f"{reference.position}: {reference}"
        objects = ATTRIBUTES.get(reference.kind)
        if objects is None:
            raise ModelError(f"{at}: attributes of that kind are not supported in the metadata section")
        fields = self._fields(reference, at)
        return tuple(
            Attribute(
                name,
                self._object(_index(value), at) if name in objects else _written(value),
                reference.position,
            )
            for name, value in fields.items()
        )

    def _fields(self, reference: MetaReference, at: str) -> dict[str, Any]:
        """The fields of the object that is referred to."""
        if self._missing:
            raise ModelError(
                f"{at}: the text lacks a #[metadata] section; print it with astext(show_meta_data=True)"
            )
        members = self._kinds.get(reference.kind, [])
        if reference.index >= len(members):
            raise ModelError(f"{at}: the metadata section has {len(members)} of that kind")
        node = self._node(members[reference.index], at)
        fields = node.get("attrs")
        if node.get("type_key") != reference.kind or not isinstance(fields, dict):
            raise ModelError(
                f"{at}: node {members[reference.index]} of the metadata section is of another kind"
            )
        return fields

    def _object(self, index: int, at: str, is_inner: bool = False) -> Any:
        """The number, text or list of these that a node is; None for none."""
        node = self._node(index, at)
        kind, fields, members = node.get("type_key"), node.get("attrs"), node.get("data")
        if kind in ("IntImm", "FloatImm") and isinstance(fields, dict):
            return _written(fields.get("value"))
        if kind == "runtime.String":
            return str(node.get("repr_str", ""))
        if kind == "Array" and isinstance(members, list) and not is_inner:
            return tuple(self._object(_index(member), at, is_inner=True) for member in members)
        if kind:
            raise ModelError(f"{at}: an attribute is a {kind}, which is not supported")
        return None

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


def _written(value: Any) -> int | float | str:
    """A number, or a text, as the section has either."""
    text = str(value)
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
