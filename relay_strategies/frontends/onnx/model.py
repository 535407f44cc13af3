"""ONNX models read, checked and made ready for TVM's importer.

``read`` turns what users have (a path, bytes, a ModelProto) into a checked model, or into one error that
names what is wrong with it. ``Skeleton`` is that model with its large weights taken out: checking, shape
inference and import then cost milliseconds, and the weights are bound afterwards without a copy through
protobuf. Operators that TVM's importer would turn into something slow or wrong are rewritten here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnx.inliner
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tvm_directconv.errors import ModelError, UnsupportedOperatorError, nearest
from tvm_directconv.problem.taps import same_padding

from . import quantized as onnx_quantized

# Weights above this many elements stay out of the skeleton; shapes, axes and scalars stay in.
LIGHT_ELEMENTS = 1024
DEFAULT_DOMAINS = ("", "ai.onnx")
# Where a layer has its filter.
WEIGHTED = {"Conv": 1, "Gemm": 1, "MatMul": 1, **onnx_quantized.FILTER_INPUT}
# What may stand between a weight and the layer that uses it.
MOVES = ("Reshape", "Transpose", "Squeeze", "Unsqueeze", "Identity", "Flatten", "DequantizeLinear")
POOLS = ("MaxPool", "AveragePool")
CONVOLUTION_LIKE = ("ConvTranspose", "DeformConv")
# The convolutions that are supported: where they have their filter, and what they compute in.
CONVOLUTIONS = {
    "Conv": (1, (TensorProto.FLOAT,)),
    "ConvInteger": (1, (TensorProto.UINT8, TensorProto.INT8)),
    "QLinearConv": (3, (TensorProto.UINT8, TensorProto.INT8)),
}
# A Constant may hold its value as plain numbers.
NUMBER_ATTRIBUTES = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}
# Operators that are part of the importer itself and so missing from its table.
BUILT_IN = ("If", "Constant")
BROADCASTING = ("Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less", "PRelu")


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
            raise ModelError(f"{what}: {_first_line(error)}") from None
    if not proto.graph.node and not proto.graph.output:
        raise ModelError(f"{what} holds no graph: not an ONNX model, or a truncated one")
    return proto


def skeleton(proto: ModelProto, shapes: Mapping[str, Sequence[int]] | None = None) -> Skeleton:
    """Check ``proto`` and take it apart. ``shapes`` fixes inputs' symbolic dimensions by input name.

    Raises ModelError for what is malformed or not static, UnsupportedOperatorError for operators.
    """
    if proto.functions:
        proto = onnx.inliner.inline_local_functions(proto)
    _refuse_operators(proto.graph)
    light, weights, layer_names = _take_apart(proto)
    onnx_quantized.expand(light.graph, _types(light.graph), onnx_quantized.CONTRIB)
    initialized = {tensor.name for tensor in light.graph.initializer} | set(weights)
    real = [value for value in light.graph.input if value.name not in initialized]
    _fix_shapes(real, shapes or {})
    try:
        onnx.checker.check_model(light)
        light = onnx.shape_inference.infer_shapes(light, strict_mode=True, data_prop=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, ValueError) as error:
        raise ModelError(f"not a valid ONNX model: {_first_line(error)}") from None
    types = _types(light.graph)
    opset = next(o.version for o in light.opset_import if o.domain in DEFAULT_DOMAINS)
    _refuse_convolutions(light.graph, types)
    _refuse_training(light.graph)
    onnx_quantized.refuse_quantization(light.graph, types)
    _rewrite(light.graph, types, opset)
    onnx_quantized.expand(light.graph, types)
    # The importer takes inputs in order: the real ones first, then the weights.
    order = [*(v.name for v in real), *weights]
    by_name = {value.name: value for value in light.graph.input}
    del light.graph.input[:]
    light.graph.input.extend(by_name[name] for name in order)
    outputs = tuple(value.name for value in light.graph.output)
    return Skeleton(light, tuple(v.name for v in real), outputs, weights, layer_names)


def node_name(node: NodeProto) -> str:
    return node.name or next((name for name in node.output if name), node.op_type)


def _parse(data: bytes, what: str) -> ModelProto:
    try:
        return ModelProto.FromString(data)
    except Exception:  # protobuf's own exception class differs between its implementations
        raise ModelError(f"{what} is not an ONNX model, or a truncated one") from None


def _types(graph: GraphProto) -> dict[str, onnx.TypeProto.Tensor]:
    """The types of all tensors that have one."""
    types = {
        value.name: value.type.tensor_type
        for group in (graph.input, graph.value_info, graph.output)
        for value in group
        if value.type.HasField("tensor_type")
    }
    for tensor in graph.initializer:
        types[tensor.name] = helper.make_tensor_type_proto(tensor.data_type, tensor.dims).tensor_type
    return types


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _all_nodes(graph: GraphProto) -> Iterator[NodeProto]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _all_nodes(inner)


def _refuse_operators(graph: GraphProto) -> None:
    """Name every operator that TVM's importer does not know, before it starts."""
    from tvm.relax.frontend.onnx.onnx_frontend import _get_convert_map

    known = _get_convert_map()
    unknown: dict[str, list[str]] = {}
    for node in _all_nodes(graph):
        standard = node.domain in DEFAULT_DOMAINS
        name = node.op_type if standard else f"{node.domain}::{node.op_type}"
        supported = standard and (node.op_type in known or node.op_type in BUILT_IN)
        if not (supported or onnx_quantized.is_expanded(node)) or node.op_type in CONVOLUTION_LIKE:
            unknown.setdefault(name, []).append(node_name(node))
        if node.op_type in BROADCASTING and _attribute(node, "broadcast", 0):
            raise ModelError(
                f"node '{node_name(node)}' ({node.op_type}) uses the broadcast attribute of opsets before 7; "
                "convert the model with onnx.version_converter"
            )
    if unknown:
        listed = "; ".join(f"{name} ({', '.join(map(repr, nodes))})" for name, nodes in unknown.items())
        raise UnsupportedOperatorError(f"operators that are not supported: {listed}")


def _refuse_convolutions(graph: GraphProto, types: Mapping[str, onnx.TypeProto.Tensor]) -> None:
    refused = []
    for node in _all_nodes(graph):
        if node.op_type not in CONVOLUTIONS:
            continue
        filter_input, computed = CONVOLUTIONS[node.op_type]
        known = next((types[n] for n in (node.input[0], node.input[filter_input]) if n in types), None)
        rank = len(known.shape.dim) if known is not None else len(_attribute(node, "kernel_shape", ())) + 2
        if rank != 4:
            refused.append(f"'{node_name(node)}' is a {rank - 2}-D convolution")
        elif known is not None and known.elem_type not in computed:
            refused.append(f"'{node_name(node)}' computes in {TensorProto.DataType.Name(known.elem_type)}")
    if refused:
        raise UnsupportedOperatorError(
            f"only 2-D convolutions in float32 or 8 bits are supported: {'; '.join(refused)}"
        )


def _refuse_training(graph: GraphProto) -> None:
    """The importer converts these as if they were in inference mode."""
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in _all_nodes(graph):
        training = False
        if node.op_type == "BatchNormalization":
            training = bool(_attribute(node, "training_mode", 0)) or sum(map(bool, node.output)) > 1
        elif node.op_type == "Dropout" and len(node.input) > 2 and node.input[2]:
            training = bool(constants.get(node.input[2], np.True_))
        if training:
            raise UnsupportedOperatorError(
                f"node '{node_name(node)}' ({node.op_type}) is in training mode; export for inference"
            )


def _take_apart(proto: ModelProto) -> tuple[ModelProto, dict[str, np.ndarray], dict[str, list[str]]]:
    graph = proto.graph
    if graph.sparse_initializer:
        raise ModelError("sparse initializers are not supported; store the weights densely")
    layer_names = _layer_names(graph)
    # Before version 4 every initializer had to be an input; constants that become initializers are none.
    light = ModelProto(ir_version=max(proto.ir_version, 4))
    light.opset_import.extend(proto.opset_import)
    target = light.graph
    target.name = graph.name or "graph"
    target.input.extend(graph.input)
    target.output.extend(graph.output)
    weights: dict[str, np.ndarray] = {}

    def store(name: str, array: np.ndarray) -> None:
        if name in layer_names or array.size > LIGHT_ELEMENTS:
            weights[name] = array
        else:
            target.initializer.append(numpy_helper.from_array(array, name))

    known = {t.name: _array(t.name, t) for t in graph.initializer}
    for name, array in known.items():
        store(name, array)
    for node in graph.node:
        value = _constant_value(node, known)
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


def _layer_names(graph: GraphProto) -> dict[str, list[str]]:
    """The nodes that use each tensor as a filter, directly or reshaped or transposed."""
    names: dict[str, list[str]] = {}
    source: dict[str, str] = {}
    for node in graph.node:
        if node.op_type in MOVES:
            source[node.output[0]] = source.get(node.input[0], node.input[0])
        if node.op_type in WEIGHTED and len(node.input) > WEIGHTED[node.op_type]:
            weight = node.input[WEIGHTED[node.op_type]]
            names.setdefault(source.get(weight, weight), []).append(node_name(node))
    return names


def _constant_value(node: NodeProto, known: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """The value of a Constant node, or of a ConstantOfShape whose shape is known; None for other nodes."""
    value = _attribute(node, "value", None)
    if node.op_type == "Constant" and isinstance(value, TensorProto):
        return _array(node.output[0], value)
    if node.op_type == "Constant":
        for name, dtype in NUMBER_ATTRIBUTES.items():
            numbers = _attribute(node, name, None)
            if numbers is not None:
                return np.asarray(numbers, dtype)
    if node.op_type == "ConstantOfShape" and node.input[0] in known:
        element = np.zeros(1, np.float32) if value is None else _array(node.output[0], value)
        return np.broadcast_to(element.reshape(()), [int(d) for d in known[node.input[0]]])
    return None


def _array(name: str, tensor: TensorProto) -> np.ndarray:
    try:
        return numpy_helper.to_array(tensor)
    except Exception as error:  # what it raises depends on how the bytes mismatch the shape
        raise ModelError(f"tensor '{name}': {_first_line(error)}") from None


def _fix_shapes(inputs: Sequence[onnx.ValueInfoProto], shapes: Mapping[str, Sequence[int]]) -> None:
    names = [value.name for value in inputs]
    for name in shapes:
        if name not in names:
            raise ModelError(f"shapes names '{name}', which is no input of the model{nearest(name, names)}")
    for value in inputs:
        if not value.type.HasField("tensor_type"):
            raise ModelError(f"input '{value.name}' is not a tensor")
        tensor = value.type.tensor_type
        if value.name in shapes:
            wanted = [int(d) for d in shapes[value.name]]
            declared = list(tensor.shape.dim)
            if tensor.HasField("shape") and (
                len(declared) != len(wanted)
                or any(d.dim_value and d.dim_value != w for d, w in zip(declared, wanted, strict=True))
            ):
                raise ModelError(f"input '{value.name}' cannot have shape {tuple(wanted)}: {_dims(tensor)}")
            tensor.shape.CopyFrom(helper.make_tensor_type_proto(1, wanted).tensor_type.shape)
        if not tensor.HasField("shape"):
            raise ModelError(f"input '{value.name}' has no shape; give one with shapes=")
        for axis, dim in enumerate(tensor.shape.dim):
            if not dim.HasField("dim_value"):
                symbol = f" '{dim.dim_param}'" if dim.dim_param else ""
                raise ModelError(
                    f"input '{value.name}': dimension {axis}{symbol} is symbolic; export the model with a "
                    f"fixed shape or give one with shapes={{'{value.name}': (...)}}"
                )
            if dim.dim_value < 1:
                raise ModelError(f"input '{value.name}': dimension {axis} is {dim.dim_value}")


def _dims(tensor: onnx.TypeProto.Tensor) -> str:
    dims = (d.dim_param or str(d.dim_value) for d in tensor.shape.dim)
    return f"the model declares ({', '.join(dims)})"


def _rewrite(graph: GraphProto, types: Mapping[str, onnx.TypeProto.Tensor], opset: int) -> None:
    """Sum becomes a chain of Add (the importer stacks and reduces); auto_pad becomes explicit pads.

    A slope per channel of PRelu before opset 7 is given the axes it broadcasts over.
    """
    nodes = []
    for node in graph.node:
        if node.op_type == "Sum":
            nodes.extend(_chain_of_adds(node))
            continue
        if node.op_type in (*CONVOLUTIONS, *POOLS) and _attribute(node, "auto_pad", b"NOTSET") != b"NOTSET":
            _make_pads_explicit(node, types)
        if node.op_type == "PRelu" and opset < 7 and len(types[node.input[1]].shape.dim) == 1:
            nodes.append(_channel_slope(graph, node, types))
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def _chain_of_adds(node: NodeProto) -> list[NodeProto]:
    if len(node.input) == 1:
        return [helper.make_node("Identity", node.input, node.output, node.name)]
    nodes, total = [], node.input[0]
    for index, term in enumerate(node.input[1:], start=2):
        result = node.output[0] if index == len(node.input) else f"{node.output[0]}/sum_of_{index}"
        nodes.append(helper.make_node("Add", [total, term], [result], node.name))
        total = result
    return nodes


def _channel_slope(
    graph: GraphProto, node: NodeProto, types: Mapping[str, onnx.TypeProto.Tensor]
) -> NodeProto:
    """A Reshape of the slope from (C,) to (C, 1, ...), which ``node`` takes instead."""
    slope = node.input[1]
    size = types[slope].shape.dim[0].dim_value
    wide = [size] + [1] * (len(types[node.input[0]].shape.dim) - 2)
    node.input[1] = f"{node.output[0]}/slope"
    shape = f"{node.input[1]}/shape"
    graph.initializer.append(numpy_helper.from_array(np.array(wide, np.int64), shape))
    return helper.make_node("Reshape", [slope, shape], [node.input[1]], f"{node_name(node)}/slope")


def _make_pads_explicit(node: NodeProto, types: Mapping[str, onnx.TypeProto.Tensor]) -> None:
    mode = _attribute(node, "auto_pad", b"NOTSET").decode()
    sizes = [d.dim_value for d in types[node.input[0]].shape.dim][2:]
    kernel = _attribute(node, "kernel_shape", ())
    if not kernel:
        weight = types[node.input[CONVOLUTIONS[node.op_type][0]]]
        kernel = [dim.dim_value for dim in weight.shape.dim[2:]]
    strides = _attribute(node, "strides", ()) or [1] * len(sizes)
    dilations = _attribute(node, "dilations", ()) or [1] * len(sizes)
    pads = [0] * (2 * len(sizes))
    if mode.startswith("SAME"):
        axes = zip(sizes, kernel, strides, dilations, strict=True)
        before, after = zip(*(same_padding(*axis, mode != "SAME_LOWER") for axis in axes), strict=True)
        pads = [*before, *after]
    kept = [a for a in node.attribute if a.name not in ("auto_pad", "pads")]
    del node.attribute[:]
    node.attribute.extend([*kept, helper.make_attribute("pads", pads)])


def _attribute(node: NodeProto, name: str, default):  # type: ignore[no-untyped-def]
    return next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)
