"""ONNX's shape inference, with the sizes that Resize and Upsample have by arithmetic in float32.

ONNX infers them in float64, where 10 times the float32 next to 1.3 is less than 13. Runtimes and exporters
compute in float32, where it is 13, and files declare that. Where the two differ, onnx infers the shapes of a
twin of the model, whose nodes have operands that lead to the right sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tvm_directconv.zoo.inference import infer_shapes as infer_guarded

from .converters.resize import POLICIES, resulting_sizes, scaled_size
from .nodes import attribute, static_dims, subgraphs, tensor_array, tensor_types

RESIZES = ("Resize", "Upsample")
SHORT = 1 << 12
"""Scales of 12 bits have exact products with sizes below this one; no arithmetic rounds them."""


def infer_shapes(model: ModelProto, **options: Any) -> ModelProto:
    """Return what ``onnx.shape_inference.infer_shapes`` does, with sizes computed in float32.

    Where these differ from onnx's, the shapes that the model declares of results do not count: exporters
    declare either. Raises what onnx's function raises.
    """
    twin = _twin(model)
    if twin is None:
        return infer_guarded(model, **options)
    inferred = infer_guarded(twin, **options)
    result = ModelProto.FromString(model.SerializeToString())
    for graph, found in zip(_graphs(result), _graphs(inferred), strict=True):
        del graph.value_info[:]
        graph.value_info.extend(found.value_info)
    types = tensor_types(inferred.graph)
    for value in result.graph.output:
        if value.name in types:
            value.type.tensor_type.CopyFrom(types[value.name])
    return result


def _twin(model: ModelProto) -> ModelProto | None:
    """The model with operands that lead to the right sizes; None where its own do.

    What follows a resized tensor depends on its size, so inference is repeated until nothing changes.
    """
    known = _operands(model)
    if not any(_is_rounded(node, known) for _, node in _resizes(model)):
        return None
    twin = ModelProto.FromString(model.SerializeToString())
    del twin.graph.output[:]  # they would be taken for what is inferred
    for graph in _graphs(twin):
        del graph.value_info[:]
    nodes = [(graph, node) for graph, node in _resizes(twin) if _is_rounded(node, known)]
    originals = [NodeProto.FromString(node.SerializeToString()) for _, node in nodes]
    before: list[str] = []
    for _ in range(len(nodes) + 1):
        types = {}
        for graph in _graphs(infer_guarded(twin)):
            types |= tensor_types(graph)
        after = []
        for (graph, node), original in zip(nodes, originals, strict=True):
            dims = static_dims(types.get(original.input[0]))
            changed, operands = (original, {}) if dims is None else of_float32(original, dims, known)
            node.CopyFrom(changed)
            for name, array in operands.items():
                _initialize(graph, name, array)
            after.append(f"{changed} {operands}")
        if after == before:
            break
        before = after
    return None if [node for _, node in nodes] == originals else twin


def of_float32(
    node: NodeProto, dims: Sequence[int], known: Mapping[str, np.ndarray]
) -> tuple[NodeProto, dict[str, np.ndarray]]:
    """Return a Resize or Upsample of data of shape ``dims`` as onnx infers the right size of it.

    It is the node itself, or another with the values of its new operands.
    """
    operand, array = _sizing(node, known)
    axes = attribute(node, "axes", range(len(dims)))
    if array is None or array.size != len(axes) or not all(-len(dims) <= axis < len(dims) for axis in axes):
        return node, {}
    old, policy, new = [dims[axis] for axis in axes], _policy(node), array
    if array.dtype == np.float32:
        new = np.array([_leading(size, scale) for size, scale in zip(old, array, strict=True)], np.float32)
    elif policy in POLICIES[1:]:
        new = np.array(resulting_sizes(old, array, policy)[0], np.int64)
    if np.array_equal(new, array):
        return node, {}
    changed = NodeProto.FromString(node.SerializeToString())
    replaced = ("scales", "keep_aspect_ratio_policy")
    del changed.attribute[:]
    changed.attribute.extend(a for a in node.attribute if a.name not in replaced)
    if not operand:
        changed.attribute.append(helper.make_attribute("scales", new.tolist()))
        return changed, {}
    name = f"{node.output[0]}/sizes"
    changed.input[:] = [name if given == operand else given for given in node.input]
    return changed, {name: new}


def _sizing(node: NodeProto, known: Mapping[str, np.ndarray]) -> tuple[str, np.ndarray | None]:
    """The name and the values of the operand that gives scales or sizes; no name where an attribute does."""
    if len(node.input) < 2:
        return "", np.array(attribute(node, "scales", []), np.float32)
    operand = next((name for name in node.input[1 if len(node.input) == 2 else 2 :] if name), "")
    return operand, known.get(operand)


def _policy(node: NodeProto) -> str:
    return attribute(node, "keep_aspect_ratio_policy", b"stretch").decode("utf-8", "replace")


def _is_rounded(node: NodeProto, known: Mapping[str, np.ndarray]) -> bool:
    """Whether float32 may round one of the node's sizes to another than float64."""
    _, array = _sizing(node, known)
    if array is None or array.dtype != np.float32:
        return array is not None and _policy(node) != "stretch"
    return bool(np.any(np.frexp(array)[0] * SHORT % 1))


def _leading(size: int, scale: np.float32) -> np.float32:
    """The scale whose product in float64 has the right size: the given one, or one next to it."""
    wanted = scaled_size(size, scale) if 0 < scale < np.inf else 0
    while np.floor(size * float(scale)) < wanted:
        scale = np.nextafter(scale, np.float32(np.inf))
    return scale


def _graphs(model: ModelProto) -> Iterator[GraphProto]:
    yield model.graph
    yield from subgraphs(model.graph)


def _resizes(model: ModelProto) -> Iterator[tuple[GraphProto, NodeProto]]:
    for graph in _graphs(model):
        yield from ((graph, node) for node in graph.node if node.op_type in RESIZES)


def _operands(model: ModelProto) -> dict[str, np.ndarray]:
    """The constants that resizes take, by name."""
    names = {name for _, node in _resizes(model) for name in node.input[1:]}
    found = {}
    for graph in _graphs(model) if names else ():
        tensors = {tensor.name: tensor for tensor in graph.initializer}
        tensors |= {
            node.output[0]: attribute(node, "value", None)
            for node in graph.node
            if node.op_type == "Constant"
        }
        chosen = {name: tensor for name, tensor in tensors.items() if name in names}
        found |= {name: tensor_array(name, t) for name, t in chosen.items() if isinstance(t, TensorProto)}
    return found


def _initialize(graph: GraphProto, name: str, array: np.ndarray) -> None:
    """Give an initializer of the graph these values."""
    tensor = next((t for t in graph.initializer if t.name == name), None) or graph.initializer.add()
    tensor.CopyFrom(numpy_helper.from_array(array, name))
