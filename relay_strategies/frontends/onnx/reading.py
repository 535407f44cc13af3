"""ONNX files, bytes and protos become a ModelProto, or one error that names what is wrong with them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from onnx import ModelProto

from tvm_directconv.errors import ModelError, let_through
from tvm_directconv.files import path_of, read_file

from .external_data import external_tensors, load_external_data
from .nodes import GRAPHS

MOST_BYTES = (1 << 31) - 1
"""Protobuf has no longer messages."""
MOST_NESTED = 31
"""Graphs in graphs; three messages each, of the hundred that protobuf reads inside each other."""


def read(
    model: str | os.PathLike[str] | bytes | ModelProto, data_folder: str | os.PathLike[str] | None = None
) -> ModelProto:
    """The ModelProto behind a path, serialized bytes or a ModelProto. Raises ModelError.

    ``data_folder`` is where tensors are whose values the model keeps in other files: for a path its own
    folder, for bytes and ModelProtos nowhere, unless it is given.
    """
    folder = None if data_folder is None else path_of(data_folder, "data_folder", ModelError)
    if isinstance(model, ModelProto):
        proto, what = model, "the model"
    elif isinstance(model, bytes | bytearray | memoryview):
        proto, what = _parse(bytes(model), "the given bytes"), "the given bytes"
    else:
        path = path_of(model, "a model that is neither bytes, ModelProto nor IRModule", ModelError)
        what = f"'{path}'"
        proto = _parse(read_file(path, what, ModelError, MOST_BYTES), what)
        folder = path.parent if folder is None else folder
    _refuse_nested(proto, what)
    if not proto.graph.node and not proto.graph.output:
        raise ModelError(f"{what} holds no graph: not an ONNX model, or a truncated one")
    return _with_external_data(proto, folder, what)


def _with_external_data(proto: ModelProto, folder: Path | None, what: str) -> ModelProto:
    missing = external_tensors(proto)
    if not missing:
        return proto
    if folder is None:
        raise ModelError(
            f"{what} keeps the values of '{missing[0].name}' in another file; give the model by its path, or "
            "the folder of that file with data_folder="
        )
    own = ModelProto()  # the caller's stays as it is
    own.CopyFrom(proto)
    for tensor in external_tensors(own):
        try:
            load_external_data(tensor, folder)
        except ModelError as error:
            raise ModelError(f"{what}: {error}") from None
    return own


def _refuse_nested(proto: ModelProto, what: str) -> None:
    """A model that was not read from bytes may have graphs nested deeper than those can."""
    graphs: list[Any] = [proto.graph, *proto.functions]
    for _ in range(MOST_NESTED + 1):
        given = [a for graph in graphs for node in graph.node for a in node.attribute if a.type in GRAPHS]
        graphs = [graph for attribute in given for graph in (attribute.g, *attribute.graphs)]
    if graphs:
        raise ModelError(f"{what} has graphs nested more than {MOST_NESTED} levels deep")


def _parse(data: bytes, what: str) -> ModelProto:
    try:
        return ModelProto.FromString(data)
    except Exception as error:  # protobuf's own exception class differs between its implementations
        let_through(error)
        nested = ", or its graphs are nested too deeply" if "MaxDepth" in str(error) else ""
        raise ModelError(f"{what} is not an ONNX model, or a truncated one{nested}") from None
