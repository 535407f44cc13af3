"""What a model's file says of itself, and how it is read."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnx.numpy_helper
from google.protobuf.message import DecodeError

from .errors import InvalidArgument, InvalidProtobuf, NoSuchFile
from .values import onnx_type_text

UNVERSIONED = 2**63 - 1
"""The version that ONNX Runtime says of a model without one."""


@dataclass(frozen=True)
class NodeArg:
    """An input or output: its name, its type as tensor(float), and its shape, whose open sizes are names or
    None."""

    name: str
    type: str
    shape: list[int | str | None]


@dataclass(frozen=True)
class ModelMetadata:
    """What a model's file says of itself."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: dict[str, str]


def read(given: Any) -> tuple[onnx.ModelProto, str | None]:
    """Return a model, and the folder that its external data is in."""
    if isinstance(given, onnx.ModelProto):
        return given, None
    if isinstance(given, bytes):
        try:
            proto = onnx.load_model_from_string(given)
        except DecodeError as error:
            raise InvalidProtobuf("Failed to load model because protobuf parsing failed.") from error
        if not proto.HasField("graph"):
            raise InvalidArgument("No graph was found in the protobuf.")
        return proto, None
    if not isinstance(given, str | os.PathLike):
        raise TypeError(f"Unable to load from type '{type(given)}'")
    path = os.fspath(given)
    if not os.path.exists(path):
        raise NoSuchFile(f"Load model from {path} failed:Load model {path} failed. File doesn't exist")
    try:
        return onnx.load_model(path, load_external_data=False), os.path.dirname(path) or "."
    except (DecodeError, OSError) as error:
        raise InvalidProtobuf(f"Load model from {path} failed:Protobuf parsing failed.") from error


def with_dimensions(proto: onnx.ModelProto, sizes: Mapping[str, int]) -> onnx.ModelProto:
    """Return a model in which open dimensions of these names have these sizes."""
    if not sizes:
        return proto
    fixed = onnx.ModelProto()
    fixed.CopyFrom(proto)
    for value in (*fixed.graph.input, *fixed.graph.output, *fixed.graph.value_info):
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in sizes:
                dim.dim_value = sizes[dim.dim_param]
    return fixed


def metadata_of(proto: onnx.ModelProto) -> ModelMetadata:
    """Return what a model's file says of itself."""
    graph = proto.graph
    return ModelMetadata(
        proto.producer_name,
        graph.name,
        proto.domain,
        proto.doc_string,
        graph.doc_string,
        proto.model_version or UNVERSIONED,
        {entry.key: entry.value for entry in proto.metadata_props},
    )


def argument_of(value: onnx.ValueInfoProto) -> NodeArg:
    """Return an input or output as ONNX Runtime describes it."""
    kind = value.type.WhichOneof("value")
    if kind != "tensor_type":
        return NodeArg(value.name, f"{(kind or 'undefined').removesuffix('_type')}(...)", [])
    tensor = value.type.tensor_type
    shape = [
        dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else dim.dim_param or None
        for dim in tensor.shape.dim
    ]
    return NodeArg(value.name, onnx_type_text(tensor.elem_type), shape)


def without_initializers(proto: onnx.ModelProto, names: Collection[str]) -> onnx.ModelProto:
    """Return a model in which initializers of these names are inputs alone."""
    if not names:
        return proto
    opened = onnx.ModelProto()
    opened.CopyFrom(proto)
    kept = [each for each in opened.graph.initializer if each.name not in names]
    del opened.graph.initializer[:]
    opened.graph.initializer.extend(kept)
    return opened


def with_initializers(proto: onnx.ModelProto, values: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """Return a model whose initializers have these values. Raises InvalidArgument for other names."""
    if not values:
        return proto
    changed = onnx.ModelProto()
    changed.CopyFrom(proto)
    known = {each.name: each for each in changed.graph.initializer}
    for name, value in values.items():
        if name not in known:
            raise InvalidArgument(f"the model does not have an initializer '{name}'")
        known[name].CopyFrom(onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
    return changed
