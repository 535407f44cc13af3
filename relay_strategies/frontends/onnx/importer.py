"""Models in: an ONNX network (or a Relax module) becomes a checked Relax IRModule with its weights bound.

One walk over the model converts its nodes, by converters of ours or by those of TVM's own ONNX frontend. The
module that comes out has one Relax function, ``main``, whose attributes keep the model's own input and output
names, and whose calls carry their ONNX node's name as source span.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import onnx
import tvm
from google.protobuf.message import DecodeError
from onnx import ModelProto

from relay_strategies.frontends.budget import allow, limited
from relay_strategies.frontends.checked import check_module
from relay_strategies.frontends.declared import complete
from relay_strategies.frontends.detached import named_params
from relay_strategies.frontends.sizes import refuse_sizes
from tvm_directconv.errors import ModelError
from tvm_directconv.zoo.inputs import true_inputs

from .bound_inputs import bind_inputs
from .checks import refuse_values
from .functions import inline_functions
from .nodes import all_nodes, onnx_dims, tensor_type
from .order import in_order
from .reading import read
from .validity import refuse_invalid
from .walk import Walk


def import_model(
    model: str | os.PathLike[str] | bytes | ModelProto | tvm.IRModule,
    params: Mapping[str, Any] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    *,
    max_tensor_bytes: int | None = None,
    data_folder: str | os.PathLike[str] | None = None,
) -> tvm.IRModule:
    """A Relax IRModule from an ONNX path, bytes, ModelProto, or from a Relax IRModule.

    ``params`` binds parameters of a Relax module's ``main`` by name (numpy arrays or TVM tensors), or its
    last ones in order, as ``relax.frontend.detach_params`` gives them, or inputs of an ONNX model by name;
    ``shapes`` fixes symbolic dimensions of an ONNX model's inputs. No tensor may be larger than
    ``max_tensor_bytes``, by default ``sizes.MAX_TENSOR_BYTES``; ``data_folder`` is as of ``reading.read``.
    Raises ModelError, and UnsupportedOperatorError naming every operator that cannot be compiled.
    """
    if isinstance(model, tvm.IRModule):
        if shapes:
            raise ModelError("shapes applies to ONNX models; a Relax module has its shapes")
        return check_module(model, named_params(model, params), max_tensor_bytes)
    proto = read(model, data_folder)
    return import_onnx(bind_inputs(proto, params) if params else proto, shapes, max_tensor_bytes)


def import_onnx(
    model: str | os.PathLike[str] | bytes | ModelProto,
    shapes: Mapping[str, Sequence[int]] | None = None,
    max_tensor_bytes: int | None = None,
    data_folder: str | os.PathLike[str] | None = None,
) -> tvm.IRModule:
    """A Relax IRModule from an ONNX path, bytes or ModelProto, through one walk over its nodes."""
    proto = read(model, data_folder)
    with limited():
        module = walk_model(proto, shapes, max_tensor_bytes).module
    refuse_sizes([module["main"]], max_tensor_bytes)
    return module


def walk_model(
    proto: ModelProto,
    shapes: Mapping[str, Sequence[int]] | None = None,
    max_tensor_bytes: int | None = None,
) -> Walk:
    """Check ``proto`` and walk over it. ``shapes`` fixes inputs' symbolic dimensions by input name.
    No tensor may be larger than ``max_tensor_bytes``.

    Raises ModelError for what is malformed or not static, UnsupportedOperatorError for operators.
    """
    try:
        allow(sum(1 for graph in (proto.graph, *proto.functions) for _ in all_nodes(graph)))
        refuse_invalid(proto)
        refuse_values(proto.graph)
        proto = inline_functions(in_order(proto))
        return Walk(proto, _input_types(proto.graph, shapes or {}), max_tensor_bytes)
    except (RecursionError, DecodeError):
        raise ModelError("the model's graphs are nested too deeply") from None


def _input_types(
    graph: onnx.GraphProto, shapes: Mapping[str, Sequence[int]]
) -> dict[str, onnx.TypeProto.Tensor]:
    """The types of a graph's inputs, by name, of the ``shapes`` where it leaves them open."""
    inputs = true_inputs(graph)
    for value in inputs:
        if not value.type.HasField("tensor_type"):
            raise ModelError(f"input '{value.name}' is not a tensor")
    size = complete({value.name: onnx_dims(value) for value in inputs}, shapes, None)
    for value in inputs:
        if value.name not in size:
            raise ModelError(f"input '{value.name}' does not have a shape; give one with shapes=")
        for axis, dim in enumerate(size[value.name]):
            if dim < 0:
                raise ModelError(f"input '{value.name}': dimension {axis} is {dim}")
    return {value.name: tensor_type(value.type.tensor_type.elem_type, size[value.name]) for value in inputs}
