"""ONNX files, bytes and protos become a ModelProto, or one error that names what is wrong with them."""

from __future__ import annotations

import os
from pathlib import Path

import onnx
from onnx import ModelProto

from tvm_directconv.errors import ModelError

from .nodes import first_line


def read(model: str | os.PathLike[str] | bytes | ModelProto) -> ModelProto:
    """The ModelProto behind a path, serialized bytes or a ModelProto. Raises ModelError."""
    if isinstance(model, ModelProto):
        proto, what = model, "the model"
    elif isinstance(model, bytes | bytearray | memoryview):
        proto, what = _parse(bytes(model), "the given bytes"), "the given bytes"
    else:
        path = Path(model)
        what = f"'{path}'"
        if not path.exists():
            raise ModelError(f"{what}: no such file")
        if not path.is_file():
            raise ModelError(f"{what} is not a file")
        try:
            proto = _parse(path.read_bytes(), what)
            onnx.load_external_data_for_model(proto, str(path.parent))
        except (OSError, onnx.checker.ValidationError) as error:
            raise ModelError(f"{what}: {first_line(error)}") from None
    if not proto.graph.node and not proto.graph.output:
        raise ModelError(f"{what} holds no graph: not an ONNX model, or a truncated one")
    return proto


def _parse(data: bytes, what: str) -> ModelProto:
    try:
        return ModelProto.FromString(data)
    except Exception:  # protobuf's own exception class differs between its implementations
        raise ModelError(f"{what} is not an ONNX model, or a truncated one") from None
