"""A model without its large weights, checked and made ready for TVM's importer.

Checking, shape inference and import then cost milliseconds, and the weights are bound afterwards without a
copy through protobuf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import (
    GraphProto,
    ModelProto,
    TensorProto,
    helper,
    numpy_helper,
)

from relay_strategies.frontends.budget import allow
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
from .expand import expand_foreign, expand_quantized
from .fold import fold_constants
from .functions import expand_functions, inline_functions, opset_versions, state_defaults
from .inference import infer_shapes
from .narrow_weights import widen_weights
from .nodes import (
    DEFAULT_DOMAINS,
    all_nodes,
    node_name,
    onnx_dims,
    subgraphs,
    tensor_types,
)
from .order import in_order
from .quantized import refuse_quantization
from .rewrite import replace_deprecated, rewrite, rewrite_known
from .taken_apart import constant_value, take_apart
from .told_types import tell_types
from .validity import refuse_invalid, refuse_misfits, refuse_types, refuse_windows

# Values are not propagated through networks that have vectors of more elements.
LONGEST_VECTOR = 1 << 20
# One walk folds what there is; the next finds so, unless the whole graph's inference tells more.
MOST_WALKS = 3


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
    allow(sum(1 for graph in (proto.graph, *proto.functions) for _ in all_nodes(graph)))
    refuse_invalid(proto)
    refuse_values(proto.graph)
    proto = widen_weights(inline_functions(in_order(proto)))
    light, weights, layer_names = take_apart(proto, max_tensor_bytes)
    refuse_operators(light.graph, opset_versions(light), folded=False)
    initialized = {tensor.name for tensor in light.graph.initializer} | set(weights)
    real = [value for value in light.graph.input if value.name not in initialized]
    _fix_shapes(real, shapes or {})
    opset = next(o.version for o in light.opset_import if o.domain in DEFAULT_DOMAINS)
    _refuse_sizes_before_slices(light, max_tensor_bytes)
    expand_foreign(light, opset, max_tensor_bytes)
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
        tell_types(light)
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
        return infer_shapes(light, strict_mode=True)
    except onnx.shape_inference.InferenceError as error:
        if "differ in rank" not in str(error):
            raise
    for value in light.graph.output:
        value.type.tensor_type.ClearField("shape")
    return infer_shapes(_with_output_types(light, most), strict_mode=True)


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
    _refuse_sizes(infer_shapes(bare).graph, most)


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
    inferred = infer_shapes(bare, strict_mode=True)
    _refuse_sizes(inferred.graph, most)
    types = tensor_types(inferred.graph)
    vectors = [kind.shape.dim[0].dim_value for kind in types.values() if len(kind.shape.dim) == 1]
    shaped = all(name in types and types[name].HasField("shape") for name in untyped)
    if not shaped and max(vectors, default=0) <= LONGEST_VECTOR:
        types = tensor_types(infer_shapes(bare, strict_mode=True, data_prop=True).graph)
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
    """Refuse the first tensor whose inferred type is too large or empty for its window, by its node; inner
    graphs' sizes are included, but for branches that may not be taken."""
    refuse_misfits(graph, tensor_types(graph))
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
            value = constant_value(node, {}, most)
            if value is None:
                kept.append(node)
            else:
                expanded.graph.initializer.append(numpy_helper.from_array(value, node.output[0]))
        del expanded.graph.node[:]
        expanded.graph.node.extend(kept)
        light = _folded(_inferred(expanded, most), opset, most)
    return light


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
