"""Tensors that an ONNX model keeps in files beside it: read from the model's own folder and nowhere else.

Where such a file lies and which bytes of it are meant, the model says, so nothing of that is trusted: a
location is a relative path without links or steps upwards that ends at a regular file, and the bytes must be
there and be as many as the tensor has. ``onnx.load_external_data_for_model`` checks less of it, and what it
checks depends on its version.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper

from tvm_directconv.errors import ModelError, let_through
from tvm_directconv.files import open_regular

PACKED = ("UINT4", "INT4", "FLOAT4E2M1", "UINT2", "INT2")
"""Types whose elements share bytes; how many there are is checked where the tensor is unpacked."""


def external_tensors(proto: ModelProto) -> list[TensorProto]:
    """The tensors whose values are outside the model: initializers, attributes, those of inner graphs."""
    nodes = [node for function in proto.functions for node in function.node]
    tensors = [*_tensors_of_graph(proto.graph), *(t for node in nodes for t in _tensors_of_node(node))]
    return [tensor for tensor in tensors if tensor.data_location == TensorProto.EXTERNAL]


def load_external_data(tensor: TensorProto, folder: Path) -> None:
    """Take the tensor's values from its file in ``folder`` into the tensor. Raises ModelError."""
    what = f"tensor '{tensor.name}'"
    entries = {entry.key: entry.value for entry in tensor.external_data}
    path = _path_inside(folder, entries.get("location", ""), what)
    offset, length = (_number(entries, key, what) for key in ("offset", "length"))
    with open_regular(path, f"{what}: '{path}'", ModelError, os.O_NOFOLLOW) as file:
        size = os.fstat(file.fileno()).st_size
        start = offset or 0
        count = size - start if length is None else length
        if start > size or count > size - start:
            raise ModelError(f"{what}: '{path}' has {size} bytes, and {count} from {start} on are asked for")
        wanted = _bytes_of(tensor, what)
        if wanted is not None and count != wanted and not (length is None and count > wanted):
            raise ModelError(f"{what} has {wanted} bytes, and {count} of '{path}' are said to be it")
        file.seek(start)
        data = file.read(count if wanted is None else wanted)
    tensor.raw_data = data
    tensor.data_location = TensorProto.DEFAULT
    del tensor.external_data[:]


def _tensors_of_graph(graph: GraphProto) -> Iterator[TensorProto]:
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    for node in graph.node:
        yield from _tensors_of_node(node)


def _tensors_of_node(node: NodeProto) -> Iterator[TensorProto]:
    for attribute in node.attribute:
        if attribute.HasField("t"):
            yield attribute.t
        yield from attribute.tensors
        for graph in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs):
            yield from _tensors_of_graph(graph)


def _path_inside(folder: Path, location: str, what: str) -> Path:
    parts = PurePosixPath(location.replace("\\", "/")).parts
    if not parts or "\0" in location or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        raise ModelError(
            f"{what}: its values are said to be in {location[:80]!r}; only files in the model's own folder "
            "are read"
        )
    path = folder
    for part in parts:
        path = path / part
        try:
            linked = path.is_symlink()
        except OSError as error:
            let_through(error)
            raise ModelError(f"{what}: '{location[:80]}' cannot be opened: {error.strerror}") from None
        if linked:
            raise ModelError(f"{what}: '{path}' is a link; only files in the model's own folder are read")
    return path


def _number(entries: dict[str, str], key: str, what: str) -> int | None:
    text = entries.get(key, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ModelError(f"{what}: the {key} of its values is {text[:40]!r}, no number of bytes")
    return int(text)


def _bytes_of(tensor: TensorProto, what: str) -> int | None:
    """How many bytes the tensor's values have; None where elements share bytes."""
    if any(size < 0 for size in tensor.dims):
        raise ModelError(f"{what} has shape {tuple(tensor.dims)}")
    try:
        name = TensorProto.DataType.Name(tensor.data_type)
        element = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type)).itemsize
    except (KeyError, ValueError, TypeError):
        raise ModelError(f"{what} has an element type that is not known: {tensor.data_type}") from None
    return None if name in PACKED else math.prod(tensor.dims) * element
