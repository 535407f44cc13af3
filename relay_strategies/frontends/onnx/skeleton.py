"""A model without its large weights, checked and made ready for TVM's importer.

Checking, shape inference and import then cost milliseconds, and the importer gets the weights beside the
model, without a copy through protobuf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

from relay_strategies.frontends.budget import allow
from relay_strategies.frontends.declared import complete
from relay_strategies.frontends.sizes import refuse_size
from tvm_directconv.errors import ModelError

from .checks import (
    refuse_convolutions,
    refuse_dynamic,
    refuse_elements,
    refuse_operators,
    refuse_training,
    refuse_values,
)
from .constant_operands import refuse_computed_operands
from .expand import expand_quantized
from .functions import inline_functions, opset_versions
from .narrow_weights import widen_weights
from .nodes import all_nodes, item_bytes, node_name, onnx_dims, static_dims, subgraphs, tensor_types
from .order import in_order
from .quantized import refuse_quantization
from .rewrite import rewrite
from .taken_apart import take_apart
from .validity import refuse_invalid, refuse_types, refuse_windows
from .walk import Walk


@dataclass(frozen=True)
class Skeleton:
    """A model without its large weights, which became inputs."""

    model: ModelProto
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    weights: dict[str, np.ndarray]


def make_skeleton(
    proto: ModelProto,
    shapes: Mapping[str, Sequence[int]] | None = None,
    max_tensor_bytes: int | None = None,
) -> Skeleton:
    """Check ``proto`` and take it apart. ``shapes`` fixes inputs' symbolic dimensions by input name.
    No tensor may be larger than ``max_tensor_bytes``.

    Raises ModelError for what is malformed or not static, UnsupportedOperatorError for operators.
    """
    allow(sum(1 for graph in (proto.graph, *proto.functions) for _ in all_nodes(graph)))
    refuse_invalid(proto)
    refuse_values(proto.graph)
    proto = widen_weights(inline_functions(in_order(proto)))
    light, weights = take_apart(proto, max_tensor_bytes)
    opsets = opset_versions(light)
    refuse_operators(light.graph, opsets)
    initialized = {tensor.name for tensor in light.graph.initializer} | set(weights)
    real = [value for value in light.graph.input if value.name not in initialized]
    _fix_shapes(real, shapes or {})
    for value in light.graph.input:
        kind, what = value.type.tensor_type, f"tensor '{value.name}'"
        refuse_size(static_dims(kind) or (), item_bytes(kind), what, max_tensor_bytes)
    walk = Walk(light, max_tensor_bytes)
    opset, graph = opsets[""], light.graph
    _take_over(walk, light)
    _drop_inputs(graph, {*(value.name for value in real), *weights})
    types = tensor_types(graph)
    refuse_operators(graph, opsets, walk.kept)
    refuse_dynamic(graph, walk.types)
    for refusal in walk.refused:
        raise refusal
    _refuse_open_outputs(graph)
    refuse_types(graph, types, opset)
    refuse_windows(graph, walk.types)
    refuse_convolutions(graph, walk.types)
    refuse_training(graph, opset)
    refuse_quantization(graph, types)
    refuse_elements(graph, types)
    refuse_computed_operands(graph, {*walk.known, *weights}, opset)
    rewrite(graph, types, opset)
    expand_quantized(graph, types, opset)
    for node in graph.node:
        node.name = node_name(node)
    outputs = tuple(value.name for value in graph.output)
    return Skeleton(light, tuple(v.name for v in real), outputs, weights)


def _take_over(walk: Walk, light: ModelProto) -> None:
    """Make the model's graph of the nodes that are left, the values that these read, and their types."""
    graph = light.graph
    del graph.node[:], graph.initializer[:]
    graph.node.extend(walk.nodes)
    outputs = {value.name for inner in (graph, *subgraphs(graph)) for value in inner.output}
    used = outputs | {name for node in all_nodes(graph) for name in node.input}
    constants = {name: array for name, array in walk.known.items() if name in used}
    graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in constants.items())
    given = {value.name for value in (*graph.input, *graph.output)}
    for name in (name for node in graph.node for name in node.output):
        if name not in given and name in walk.types:
            graph.value_info.add(name=name).type.tensor_type.CopyFrom(walk.types[name])


def _drop_inputs(graph: GraphProto, kept: AbstractSet[str]) -> None:
    """Drop the inputs that have initializers, as old versions of the format list all of them."""
    inputs = [value for value in graph.input if value.name in kept]
    del graph.input[:]
    graph.input.extend(inputs)


def _refuse_open_outputs(graph: GraphProto) -> None:
    for value in graph.output:
        if not value.type.tensor_type.HasField("shape"):
            raise ModelError(f"output '{value.name}' does not have a shape, and none can be inferred")


def _fix_shapes(inputs: Sequence[onnx.ValueInfoProto], shapes: Mapping[str, Sequence[int]]) -> None:
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
        shape = helper.make_tensor_type_proto(TensorProto.FLOAT, size[value.name]).tensor_type.shape
        value.type.tensor_type.shape.CopyFrom(shape)
