"""What a model's file says of itself, and how it is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import onnx
from google.protobuf.message import DecodeError

from .errors import InvalidProtobuf, NoSuchFile
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
            return onnx.load_model_from_string(given), None
        except DecodeError as error:
            raise InvalidProtobuf("Failed to load model because protobuf parsing failed.") from error
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
