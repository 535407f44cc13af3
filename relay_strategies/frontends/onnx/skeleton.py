"""A model without its large weights, checked and made ready for TVM's importer.

Checking, shape inference and import then cost milliseconds, and the weights are bound afterwards without a
copy through protobuf.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, SparseTensorProto, TensorProto, helper, numpy_helper

from relay_strategies.frontends.declared import complete
from relay_strategies.frontends.sizes import refuse_size
from tvm_directconv.errors import ModelError, first_line

from .checks import (
    refuse_convolutions,
    refuse_dynamic,
    refuse_elements,
    refuse_operators,
    refuse_training,
    refuse_values,
)
from .constant_operands import refuse_computed_operands
from .empty import bind_empty
from .expand import FILTER_INPUT, expand_foreign, expand_quantized
from .fold import LIGHT_ELEMENTS, fold_constants
from .functions import expand_functions, inline_functions, opset_versions, state_defaults
from .narrow_weights import widen_weights
from .nodes import (
    DEFAULT_DOMAINS,
    all_nodes,
    attribute,
    node_name,
    onnx_dims,
    sparse_array,
    subgraphs,
    tensor_array,
    tensor_types,
)
from .order import in_order, reads
from .quantized import refuse_quantization
from .rewrite import replace_deprecated, resize_as_pytorch, rewrite, rewrite_known
from .validity import refuse_invalid, refuse_types, refuse_windows

# Where a layer has its filter.
WEIGHTED = {"Conv": 1, "ConvTranspose": 1, "Gemm": 1, "MatMul": 1, **FILTER_INPUT}
# What may stand between a weight and the layer that uses it.
MOVES = ("Reshape", "Transpose", "Squeeze", "Unsqueeze", "Identity", "Flatten", "Cast", "DequantizeLinear")
# Tensors of more elements than this are no networks' but mistakes.
MOST_ELEMENTS = 2**31
# Values are not propagated through networks that have vectors of more elements.
LONGEST_VECTOR = 1 << 20
# One walk folds what there is; the next finds so, unless the whole graph's inference tells more.
MOST_WALKS = 3
# A Constant may hold its value as plain numbers.
NUMBER_ATTRIBUTES = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


@dataclass(frozen=True)
class Skeleton:
    """A model without its large weights, which became inputs after the real ones.

    ``layer_names`` maps a weight's tensor name to the names of the nodes that use it as a filter.
    """

    model: ModelProto
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    weights: dict[str, np.ndarray]
    layer_names: dict[str, list[str]]


def make_skeleton(
    proto: ModelProto,
    shapes: Mapping[str, Sequence[int]] | None = None,
    max_tensor_bytes: int | None = None,
) -> Skeleton:
    """Check ``proto`` and take it apart. ``shapes`` fixes inputs' symbolic dimensions by input name.
    No tensor may be larger than ``max_tensor_bytes``.

    Raises ModelError for what is malformed or not static, UnsupportedOperatorError for operators.
    """
    refuse_invalid(proto)
    refuse_values(proto.graph)
    proto = widen_weights(inline_functions(in_order(proto)))
    light, weights, layer_names = _take_apart(proto, max_tensor_bytes)
    refuse_operators(light.graph, opset_versions(light), folded=False)
    initialized = {tensor.name for tensor in light.graph.initializer} | set(weights)
    real = [value for value in light.graph.input if value.name not in initialized]
    _fix_shapes(real, shapes or {})
    opset = next(o.version for o in light.opset_import if o.domain in DEFAULT_DOMAINS)
    _refuse_sizes_before_slices(light, max_tensor_bytes)
    expand_foreign(light, opset)
    state_defaults(light)
    replace_deprecated(light.graph, opset)
    if any(node.op_type == "If" for node in light.graph.node):
        # ONNX infers the branch that is not taken, too, which may not fit.
        fold_constants(light.graph, tensor_types(light.graph), opset, max_tensor_bytes)
    light = _folded(_inferred(light, max_tensor_bytes), opset, max_tensor_bytes)
    refuse_operators(light.graph, opset_versions(light))
    light = _expanded(light, opset, max_tensor_bytes)
    types = tensor_types(light.graph)
    refuse_dynamic(light.graph, types)
    refuse_types(light.graph, types, opset)
    refuse_windows(light.graph, types)
    refuse_convolutions(light.graph, types)
    refuse_training(light.graph, opset)
    refuse_quantization(light.graph, types)
    refuse_elements(light.graph, types)
    refuse_computed_operands(light.graph, {*(t.name for t in light.graph.initializer), *weights}, opset)
    if proto.producer_name == "pytorch":
        resize_as_pytorch(light.graph, types)
    rewrite(light.graph, types, opset)
    expand_quantized(light.graph, types, opset)
    for node in light.graph.node:
        node.name = node_name(node)
    # The importer takes inputs in order: the real ones first, then the weights.
    order = [*(v.name for v in real), *weights]
    by_name = {value.name: value for value in light.graph.input}
    del light.graph.input[:]
    light.graph.input.extend(by_name[name] for name in order)
    outputs = tuple(value.name for value in light.graph.output)
    return Skeleton(light, tuple(v.name for v in real), outputs, weights, layer_names)


def _inferred(light: ModelProto, most: int | None) -> ModelProto:
    """The model checked, with the shapes of all tensors, those of outputs that declare none included.

    None is larger than ``most`` bytes. Values are not propagated: ONNX would make an object for every element
    of a vector, however long, and ``fold_constants`` finds what shapes are computed.
    """
    try:
        _refuse_sizes_before_slices(light, most)
        light = _with_output_types(light, most)
        onnx.checker.check_model(_without_open_outputs(light))
        light = _with_inferred_types(light, most)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        message = f"not a valid ONNX model: {first_line(error)}"
        if "op_type:If" in message:
            message += "; an input that decides between branches may be given by params="
        raise ModelError(message) from None
    _refuse_sizes(light.graph, most)
    return light


def _with_inferred_types(light: ModelProto, most: int | None) -> ModelProto:
    """The model with the types of all tensors. Where it declares another rank of an output, they are
    all what is inferred, as ONNX Runtime has them."""
    try:
        return onnx.shape_inference.infer_shapes(light, strict_mode=True)
    except onnx.shape_inference.InferenceError as error:
        if "differ in rank" not in str(error):
            raise
    for value in light.graph.output:
        value.type.tensor_type.ClearField("shape")
    return onnx.shape_inference.infer_shapes(_with_output_types(light, most), strict_mode=True)


def _refuse_sizes_before_slices(light: ModelProto, most: int | None) -> None:
    """ONNX's inference of a Slice ends the process over a negative dimension, which too large ones become."""
    if not any(node.op_type == "Slice" for node in light.graph.node):
        return
    bare = ModelProto.FromString(light.SerializeToString())
    unknown = "unknown"
    bare.opset_import.append(helper.make_opsetid(unknown, 1))
    for node in bare.graph.node:
        if node.op_type == "Slice":
            node.domain = unknown
    _refuse_sizes(onnx.shape_inference.infer_shapes(bare).graph, most)


def _with_output_types(light: ModelProto, most: int | None) -> ModelProto:
    """The model with the inferred types of outputs that have no shape; the checker wants them to have one."""
    outputs = list(light.graph.output)
    untyped = {
        value.name
        for value in outputs
        if value.type.WhichOneof("value") in (None, "tensor_type")
        and not value.type.tensor_type.HasField("shape")
    }
    if not untyped:
        return light
    bare = ModelProto.FromString(light.SerializeToString())
    del bare.graph.output[:]
    inferred = onnx.shape_inference.infer_shapes(bare, strict_mode=True)
    _refuse_sizes(inferred.graph, most)
    types = tensor_types(inferred.graph)
    vectors = [kind.shape.dim[0].dim_value for kind in types.values() if len(kind.shape.dim) == 1]
    shaped = all(name in types and types[name].HasField("shape") for name in untyped)
    if not shaped and max(vectors, default=0) <= LONGEST_VECTOR:
        types = tensor_types(onnx.shape_inference.infer_shapes(bare, strict_mode=True, data_prop=True).graph)
    for value in outputs:
        if value.name in untyped and value.name not in types:
            raise ModelError(f"output '{value.name}' has no shape, and none can be inferred")
        if value.name in untyped:
            value.type.tensor_type.CopyFrom(types[value.name])
    return light


def _without_open_outputs(light: ModelProto) -> ModelProto:
    """The model without outputs of which no shape is known yet, such as those of a Loop before it is written
    out: the checker wants one."""
    tensors = [v for v in light.graph.output if v.type.HasField("tensor_type")]
    if all(value.type.tensor_type.HasField("shape") for value in tensors):
        return light
    checked = ModelProto.FromString(light.SerializeToString())
    for value in [v for v in checked.graph.output if v.type.HasField("tensor_type")]:
        if not value.type.tensor_type.HasField("shape"):
            checked.graph.output.remove(value)
    return checked


def _refuse_sizes(graph: GraphProto, most: int | None) -> None:
    """Refuse the first tensor whose inferred type is too large, inner graphs' included, by its node."""
    nodes = list(all_nodes(graph))
    makers = {
        name: f"'{name}' of node '{node_name(node)}' ({node.op_type})"
        for node in nodes
        for name in node.output
    }
    for each in (graph, *subgraphs(graph)):
        for name, tensor in tensor_types(each).items():
            shape = [dim.dim_value for dim in tensor.shape.dim]
            element = helper.tensor_dtype_to_np_dtype(tensor.elem_type).itemsize if tensor.elem_type else 1
            refuse_size(shape, element, makers.get(name, f"tensor '{name}'"), most)


def _folded(light: ModelProto, opset: int, most: int | None) -> ModelProto:
    """The model with its shape arithmetic folded; what the whole graph's inference finds may let more be."""
    for _ in range(MOST_WALKS):
        changed = rewrite_known(light.graph, tensor_types(light.graph))
        changed |= bind_empty(light.graph, tensor_types(light.graph))
        changed |= fold_constants(light.graph, tensor_types(light.graph), opset, most)
        if not changed:
            break
        light = _inferred(light, most)
    return light


def _expanded(light: ModelProto, opset: int, most: int | None) -> ModelProto:
    """The model with the operators that the standard defines by others written as those, and folded."""
    while (expanded := expand_functions(light, tensor_types(light.graph))) is not None:
        refuse_operators(expanded.graph, opset_versions(expanded))
        kept = []
        for node in expanded.graph.node:
            value = _constant_value(node, {}, most)
            if value is None:
                kept.append(node)
            else:
                expanded.graph.initializer.append(numpy_helper.from_array(value, node.output[0]))
        del expanded.graph.node[:]
        expanded.graph.node.extend(kept)
        light = _folded(_inferred(expanded, most), opset, most)
    return light


def _take_apart(
    proto: ModelProto, most: int | None
) -> tuple[ModelProto, dict[str, np.ndarray], dict[str, list[str]]]:
    """The model light, its weights, and the nodes' names that these are filters of. What no result follows
    from is left out, whatever it is."""
    graph = proto.graph
    nodes, read = _needed(graph)
    layer_names = _layer_names(nodes)
    # Before version 4 every initializer had to be an input; constants that become initializers are none.
    light = ModelProto(ir_version=max(proto.ir_version, 4))
    light.opset_import.extend(proto.opset_import)
    target = light.graph
    target.name = graph.name or "graph"
    unread = {tensor.name for tensor in graph.initializer} - read
    target.input.extend(value for value in graph.input if value.name not in unread)
    target.output.extend(graph.output)
    for value in target.output:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_value < 0:  # some exporters' way to say that it is open
                dim.Clear()
    weights: dict[str, np.ndarray] = {}

    def store(name: str, array: np.ndarray) -> None:
        # Floats and bytes may be weights; shapes, axes, indices and scalars stay in.
        if name in layer_names or (array.size > LIGHT_ELEMENTS and array.dtype not in (np.int32, np.int64)):
            weights[name] = array
        else:
            target.initializer.append(numpy_helper.from_array(array, name))

    known = {t.name: tensor_array(t.name, t) for t in graph.initializer if t.name in read}
    known |= {
        t.values.name: sparse_array(t.values.name, t, most)
        for t in graph.sparse_initializer
        if t.values.name in read
    }
    for name, array in known.items():
        store(name, array)
    for node in nodes:
        value = _constant_value(node, known, most)
        if value is None:
            target.node.append(node)
        else:
            known[node.output[0]] = value
            store(node.output[0], value)
    declared = {value.name for value in target.input}
    for name, array in weights.items():
        if name not in declared:
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            target.input.append(helper.make_tensor_value_info(name, kind, array.shape))
    return light, weights, {name: names for name, names in layer_names.items() if name in weights}


def _needed(graph: GraphProto) -> tuple[list[NodeProto], set[str]]:
    """The nodes that the graph's outputs follow from, in order, and all that these and the outputs read."""
    read = {value.name for value in graph.output}
    nodes = []
    for node in reversed(graph.node):
        if not read.isdisjoint(node.output):
            nodes.append(node)
            read |= reads(node)
    return nodes[::-1], read


def _layer_names(nodes: Iterable[NodeProto]) -> dict[str, list[str]]:
    """The nodes that use each tensor as a filter, directly or reshaped or transposed."""
    names: dict[str, list[str]] = {}
    source: dict[str, str] = {}
    for node in nodes:
        if node.op_type in MOVES:
            source[node.output[0]] = source.get(node.input[0], node.input[0])
        if node.op_type in WEIGHTED and len(node.input) > WEIGHTED[node.op_type]:
            weight = node.input[WEIGHTED[node.op_type]]
            names.setdefault(source.get(weight, weight), []).append(node_name(node))
    return names


def _constant_value(node: NodeProto, known: Mapping[str, np.ndarray], most: int | None) -> np.ndarray | None:
    """The value of a Constant node, or of a ConstantOfShape whose shape is known; None for other nodes."""
    value = attribute(node, "value", None)
    if node.op_type == "Constant" and isinstance(value, TensorProto):
        return tensor_array(node.output[0], value)
    if node.op_type == "Constant":
        sparse = attribute(node, "sparse_value", None)
        if isinstance(sparse, SparseTensorProto):
            return sparse_array(node.output[0], sparse, most)
        for name, dtype in NUMBER_ATTRIBUTES.items():
            numbers = attribute(node, name, None)
            if numbers is not None:
                return np.asarray(numbers, dtype)
    if node.op_type == "ConstantOfShape" and node.input[0] in known:
        element = np.zeros(1, np.float32) if value is None else tensor_array(node.output[0], value)
        shape = _filled_shape(node, known[node.input[0]])
        refuse_size(shape, element.itemsize, f"node '{node_name(node)}' (ConstantOfShape)", most)
        return np.broadcast_to(element.reshape(-1)[0], shape)
    return None


def _filled_shape(node: NodeProto, shape: np.ndarray) -> list[int]:
    """The shape of a ConstantOfShape's result."""
    dims = shape.tolist() if shape.ndim == 1 and shape.dtype == np.int64 else None
    if dims is None or any(dim < 0 for dim in dims) or math.prod(dims) > MOST_ELEMENTS:
        raise ModelError(
            f"node '{node_name(node)}' (ConstantOfShape): its shape is to be a vector of int64, none of them "
            f"negative, of at most {MOST_ELEMENTS} elements, not {shape.dtype}{shape.tolist()}"
        )
    return dims


def _fix_shapes(inputs: Sequence[onnx.ValueInfoProto], shapes: Mapping[str, Sequence[int]]) -> None:
    for value in inputs:
        if not value.type.HasField("tensor_type"):
            raise ModelError(f"input '{value.name}' is not a tensor")
    size = complete({value.name: onnx_dims(value) for value in inputs}, shapes, None)
    for value in inputs:
        if value.name not in size:
            raise ModelError(f"input '{value.name}' has no shape; give one with shapes=")
        for axis, dim in enumerate(size[value.name]):
            if dim < 0:
                raise ModelError(f"input '{value.name}': dimension {axis} is {dim}")
        shape = helper.make_tensor_type_proto(TensorProto.FLOAT, size[value.name]).tensor_type.shape
        value.type.tensor_type.shape.CopyFrom(shape)
