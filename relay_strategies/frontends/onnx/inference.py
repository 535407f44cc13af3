"""ONNX's shape inference, corrected where it finds other sizes than runtimes and the standard's text.

Resize and Upsample: onnx multiplies by scales in float64, where 10 times the float32 next to 1.3 is less
than 13. Runtimes and exporters do in float32, where it is 13, and files declare that. ConvTranspose of
``auto_pad`` SAME_*: onnx adds the output padding to a size that includes it. Range: onnx's subtraction of
integers overflows. Where the sizes differ, onnx infers the shapes of a twin of the model, whose nodes have
operands and attributes that lead to the right ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, helper, numpy_helper

from tvm_directconv.problem.phases import reach
from tvm_directconv.zoo.inference import infer_shapes as infer_guarded

from .converters.convolutions import same_sizes
from .converters.resize import POLICIES, resulting_sizes, scaled_size
from .converters.shapes import range_length
from .nodes import attribute, node_name, static_dims, subgraphs, tensor_array, tensor_types

RESIZES = ("Resize", "Upsample")
CORRECTED = (*RESIZES, "ConvTranspose", "Range")
ROUNDINGS = 2
"""A size, and its product with a scale, are rounded once each: by no more than a step of the scale."""
SHORT = 1 << 12
"""Scales of 12 bits have exact products with sizes below this one; no arithmetic rounds them."""


def infer_shapes(model: ModelProto, **options: Any) -> ModelProto:
    """Return what ``onnx.shape_inference.infer_shapes`` does, with the right sizes of ``CORRECTED``.

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
    if not any(_may_differ(node, known) for _, node in _nodes(model)):
        return None
    twin = ModelProto.FromString(model.SerializeToString())
    del twin.graph.output[:]  # they would be taken for what is inferred
    for graph in _graphs(twin):
        del graph.value_info[:]
    nodes = [(graph, node) for graph, node in _nodes(twin) if _may_differ(node, known)]
    originals = [NodeProto.FromString(node.SerializeToString()) for _, node in nodes]
    before: list[str] = []
    for _ in range(len(nodes) + 1):
        types: dict[str, TypeProto.Tensor] = {}
        for graph in _graphs(infer_guarded(twin)):
            types |= tensor_types(graph)
        after = []
        for (graph, node), original in zip(nodes, originals, strict=True):
            changed, operands = corrected(original, types, known)
            node.CopyFrom(changed)
            for name, array in operands.items():
                _initialize(graph, name, array)
            after.append(f"{changed} {operands}")
        if after == before:
            break
        before = after
    return None if [node for _, node in nodes] == originals else twin


def corrected(
    node: NodeProto, types: Mapping[str, TypeProto.Tensor], known: Mapping[str, np.ndarray]
) -> tuple[NodeProto, dict[str, np.ndarray]]:
    """Return a node of ``CORRECTED`` in a form whose size onnx infers right, for operands of these types.

    It is the node itself, or another and the values of its new operands.
    """
    if node.op_type == "Range":
        return _counted(node, known)
    dims = static_dims(types.get(node.input[0]))
    if dims is None:
        return node, {}
    if node.op_type not in RESIZES:
        return _transposed(node, dims, static_dims(types.get(node.input[1]))), {}
    operand, array = _sizing(node, known)
    axes = attribute(node, "axes", range(len(dims)))
    if array is None or array.size != len(axes) or not all(-len(dims) <= axis < len(dims) for axis in axes):
        return node, {}
    old, policy, new = [dims[axis] for axis in axes], _policy(node), array
    if array.dtype == np.float32:
        new = np.array([_leading(size, scale) for size, scale in zip(old, array, strict=True)], np.float32)
    elif policy in POLICIES[1:]:
        new = np.array(resulting_sizes(old, array.tolist(), policy)[0], np.int64)
    if np.array_equal(new, array):
        return node, {}
    if not operand:
        return _with_attributes(node, scales=new.tolist()), {}
    changed, name = _with_attributes(node, keep_aspect_ratio_policy=None), f"{node.output[0]}/sizes"
    changed.input[:] = [name if given == operand else given for given in node.input]
    return changed, {name: new}


def _counted(node: NodeProto, known: Mapping[str, np.ndarray]) -> tuple[NodeProto, dict[str, np.ndarray]]:
    """A Range as one from 0 on."""
    operands = [known[name] for name in node.input if name in known]
    if len(operands) < len(node.input):
        return node, {}
    names = [f"{node.output[0]}/{part}" for part in ("start", "limit", "delta")]
    values = np.array([0, range_length(operands, node_name(node)), 1], operands[0].dtype)
    changed = NodeProto.FromString(node.SerializeToString())
    changed.input[:] = names
    return changed, {name: value.reshape(()) for name, value in zip(names, values, strict=True)}


def _transposed(node: NodeProto, dims: list[int], filter_dims: list[int] | None) -> NodeProto:
    """A ConvTranspose with the extents of its result, if they follow from ``auto_pad`` and output padding."""
    rank = len(dims) - 2
    strides, dilations, extra = (
        attribute(node, name, [default] * rank)
        for name, default in (("strides", 1), ("dilations", 1), ("output_padding", 0))
    )
    kernel = attribute(node, "kernel_shape", (filter_dims or [])[2:])
    numbers = (strides, dilations, extra, kernel)
    if not _pads_same(node) or any(len(each) != rank or min(each, default=0) < 0 for each in numbers):
        return node
    reached = [reach(*axis) for axis in zip(dims[2:], kernel, strides, dilations, strict=True)]
    whole = [size + more for size, more in zip(reached, extra, strict=True)]
    wanted = same_sizes(whole, dims[2:], strides)
    return _with_attributes(node, output_shape=wanted, output_padding=None)


def _pads_same(node: NodeProto) -> bool:
    given = attribute(node, "auto_pad", b"").startswith(b"SAME")
    return given and any(attribute(node, "output_padding", ())) and not attribute(node, "output_shape", ())


def _with_attributes(node: NodeProto, **values: list[int] | list[float] | None) -> NodeProto:
    """The node with these values of attributes; those of None are left out."""
    changed = NodeProto.FromString(node.SerializeToString())
    del changed.attribute[:]
    changed.attribute.extend(a for a in node.attribute if a.name not in values)
    changed.attribute.extend(helper.make_attribute(name, v) for name, v in values.items() if v is not None)
    return changed


def _sizing(node: NodeProto, known: Mapping[str, np.ndarray]) -> tuple[str, np.ndarray | None]:
    """The name and the values of the operand that gives scales or sizes; no name where an attribute does."""
    if len(node.input) < 2:
        return "", np.array(attribute(node, "scales", []), np.float32)
    operand = next((name for name in node.input[1 if len(node.input) == 2 else 2 :] if name), "")
    return operand, known.get(operand)


def _overflows(start: np.ndarray, limit: np.ndarray) -> bool:
    """Whether onnx cannot subtract these in their type."""
    if start.dtype not in (np.int32, np.int64):
        return False
    return abs(int(limit.item()) - int(start.item())) > np.iinfo(start.dtype).max


def _policy(node: NodeProto) -> str:
    return attribute(node, "keep_aspect_ratio_policy", b"stretch").decode("utf-8", "replace")


def _may_differ(node: NodeProto, known: Mapping[str, np.ndarray]) -> bool:
    """Whether onnx may infer another size than the right one. Raises what ``range_length`` does."""
    if node.op_type == "Range":
        operands = [known[name] for name in node.input if name in known]
        if len(operands) < len(node.input):
            return False
        range_length(operands, node_name(node))
        return _overflows(*operands[:2])
    if node.op_type == "ConvTranspose":
        return _pads_same(node)
    _, array = _sizing(node, known)
    if array is None or array.dtype != np.float32:
        return array is not None and _policy(node) != "stretch"
    return bool(np.any(np.frexp(array)[0] * SHORT % 1))


def _leading(size: int, scale: float) -> float:
    """The scale whose product in float64 has the right size: the given one, or one next to it."""
    if not 0 < scale < np.inf:
        return scale
    wanted = scaled_size(size, scale)
    for _ in range(ROUNDINGS):
        if np.floor(size * float(scale)) < wanted:
            scale = np.nextafter(np.float32(scale), np.float32(np.inf))
    return scale


def _graphs(model: ModelProto) -> Iterator[GraphProto]:
    yield model.graph
    yield from subgraphs(model.graph)


def _nodes(model: ModelProto) -> Iterator[tuple[GraphProto, NodeProto]]:
    for graph in _graphs(model):
        yield from ((graph, node) for node in graph.node if node.op_type in CORRECTED)


def _operands(model: ModelProto) -> dict[str, np.ndarray]:
    """The constants that ``CORRECTED`` take and sizes follow from, by name."""
    by_value = (*RESIZES, "Range")
    names = {name for _, node in _nodes(model) if node.op_type in by_value for name in node.input}
    found: dict[str, np.ndarray] = {}
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
