"""What onnx's checker and shape inference accept though ONNX does not: refused by node and attribute.

TVM's importer takes such models for others: an unknown auto_pad for VALID, a kernel_shape that contradicts
the weights for theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto

from tvm_directconv.errors import ModelError
from tvm_directconv.zoo.inference import refuse_hostile

from .nodes import DEFAULT_DOMAINS, all_nodes, attribute, node_name, schema_of, static_dims

FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE)
QUANTIZED_BYTES = (TensorProto.UINT8, TensorProto.INT8)
CONVOLUTIONS = {
    **dict.fromkeys(("Conv", "ConvTranspose"), (1, FLOATS)),
    "ConvInteger": (1, QUANTIZED_BYTES),
    "QLinearConv": (3, QUANTIZED_BYTES),
}
"""The convolutions that are supported: where they have their filter, and what their data is."""
AUTO_PADS = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
BIAS = {"Conv": 2, "ConvTranspose": 2, "QLinearConv": 8}
"""Convolutions have their bias at this input."""
POOLS = ("MaxPool", "AveragePool", "LpPool")
FLAGS = (
    *("keepdims", "noop_with_empty_axes", "select_last_index", "largest", "sorted", "exclusive", "reverse"),
    *("ceil_mode", "count_include_pad", "antialias", "exclude_outside", "align_corners", "upper", "fmod"),
    *("transA", "transB", "training_mode", "detect_positive", "detect_negative", "is_causal"),
)
"""Attributes that are 0 or 1; what another number means, every implementation has its own idea of."""
OWN_TYPES = ("QuantizeLinear", "DequantizeLinear")
"""Operators that others of another domain, with more types than the standard's, become."""
ANY_NUMBER = ("Constant", "Slice")
"""Attributes of these may be any number; Slice says "to the end" by the largest."""
LARGEST_NUMBER = 2**31 - 1

Types = Mapping[str, onnx.TypeProto.Tensor]


def refuse_invalid(model: ModelProto) -> None:
    """Raise ModelError for names used twice, and for nodes whose attributes or operands no operator has."""
    refuse_hostile(model)
    graph = model.graph
    if not graph.output:
        raise ModelError("the model does not have outputs")
    _refuse_second_names("initializers", [tensor.name for tensor in graph.initializer])
    _refuse_second_names("inputs", [value.name for value in graph.input])
    made = [name for node in graph.node for name in node.output if name]
    _refuse_second_names("results of nodes", made)
    _refuse_second_names("results of nodes or inputs", [*set(made), *(value.name for value in graph.input)])
    opset = _opset(model)
    for node in all_nodes(graph):
        for given in node.attribute:
            _refuse_attribute(node, given)
        _refuse_operands(node, opset)


def _opset(model: ModelProto) -> int:
    """The version of ONNX's own operators. Raises ModelError where there is none, or none that onnx knows."""
    known = onnx.defs.onnx_opset_version()
    version = next((o.version for o in model.opset_import if o.domain in DEFAULT_DOMAINS), None)
    if version is None:
        raise ModelError("the model does not say of which opset its operators are (opset_import)")
    if not 1 <= version <= known:
        raise ModelError(
            f"the model is of opset {version}; onnx {onnx.__version__}, as installed, knows those up to "
            f"{known}: install a newer onnx, or export the model for an older opset"
        )
    return version


def refuse_windows(node: NodeProto, types: Types) -> tuple[str, ...]:
    """Raise ModelError for windows that contradict their weights."""
    if node.op_type in CONVOLUTIONS:
        _refuse_convolution(node, types)
    elif node.op_type in POOLS:
        kernel = list(attribute(node, "kernel_shape", ()))
        _refuse_window(node, kernel)
        pads = attribute(node, "pads", ())
        if any(pad >= size for pad, size in zip(pads, kernel * 2, strict=False)):
            raise _error(node, f"pads {list(pads)} are as large as kernel_shape {kernel}")
    return ()


def refuse_types(node: NodeProto, types: Types, opset: int) -> tuple[str, ...]:
    """Raise ModelError for operands of types that an operator does not take, or that differ and may not."""
    schema = schema_of(node, opset)
    if schema is None or node.op_type in OWN_TYPES:
        return ()
    formal, one_type = schema.inputs, dict[str, str]()
    for index, name in enumerate(node.input):
        if name not in types or not types[name].elem_type:
            continue
        last = formal[min(index, len(formal) - 1)]
        kind = f"tensor({TensorProto.DataType.Name(types[name].elem_type).lower()})"
        if kind not in last.types:
            raise _error(node, f"input {index} is a {kind}")
        if last.is_homogeneous and one_type.setdefault(last.type_str, kind) != kind:
            raise _error(node, f"input {index} is a {kind}, one before it a {one_type[last.type_str]}")
    return ()


def _refuse_second_names(what: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"two {what} are named '{name}'")
        seen.add(name)


def _refuse_attribute(node: NodeProto, given: AttributeProto) -> None:
    if sum(other.name == given.name for other in node.attribute) > 1:
        raise _error(node, f"it has two attributes '{given.name}'")
    for text in (given.s, *given.strings):
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            raise _error(node, f"attribute '{given.name}' is not UTF-8") from None
    if node.op_type not in ANY_NUMBER:
        for number in (given.i, *given.ints):
            if abs(number) > LARGEST_NUMBER:
                raise _error(node, f"attribute '{given.name}' is {number}, which is out of range")
    if given.name in FLAGS and given.i not in (0, 1):
        raise _error(node, f"attribute '{given.name}' is {given.i}, neither 0 nor 1")
    if given.name == "auto_pad" and given.s.decode("utf-8") not in AUTO_PADS:
        raise _error(node, f"auto_pad '{given.s.decode('utf-8')}' is none of {', '.join(AUTO_PADS)}")


def _refuse_operands(node: NodeProto, opset: int) -> None:
    """Raise ModelError for too many or few operands or results, and for required ones without names."""
    schema = schema_of(node, opset)
    if schema is None:
        return  # the operator is refused by name
    inputs, outputs = len(node.input), len(node.output)
    if not schema.min_input <= inputs <= schema.max_input:
        raise _error(node, f"it has {inputs} inputs, and takes {_range(schema.min_input, schema.max_input)}")
    if not schema.min_output <= outputs <= schema.max_output or (outputs and not any(node.output)):
        raise _error(
            node, f"it has {outputs} outputs, and makes {_range(schema.min_output, schema.max_output)}"
        )
    for index, name in enumerate(node.input[: schema.min_input]):
        if not name and schema.inputs[min(index, len(schema.inputs) - 1)].option.name == "Single":
            raise _error(node, f"input {index} is left out")


def _range(least: int, most: int) -> str:
    if least == most:
        return str(least)
    return f"{least} or more" if most > LARGEST_NUMBER // 2 else f"{least} to {most}"


def _refuse_convolution(node: NodeProto, types: Types) -> None:
    filter_input, _ = CONVOLUTIONS[node.op_type]
    weight = static_dims(types.get(node.input[filter_input]))
    kernel = list(attribute(node, "kernel_shape", ()))
    if weight is not None:
        if kernel and kernel != weight[2:]:
            raise _error(node, f"kernel_shape {kernel} is not that of its weights, {weight[2:]}")
        bias = BIAS.get(node.op_type, len(node.input))
        given = (
            static_dims(types.get(node.input[bias])) if bias < len(node.input) and node.input[bias] else None
        )
        outputs = weight[:1]
        if node.op_type == "ConvTranspose":
            outputs = [weight[1] * attribute(node, "group", 1)]
        if given is not None and given != outputs:
            raise _error(node, f"its bias has shape {given}, not {outputs}")
        kernel = weight[2:]
    _refuse_window(node, kernel)


def _refuse_window(node: NodeProto, kernel: list[int]) -> None:
    rank = len(kernel)
    for name, count, least in (
        ("kernel_shape", 1, 1),
        ("strides", 1, 1),
        ("dilations", 1, 1),
        ("pads", 2, 0),
    ):
        given = list(attribute(node, name, ()))
        if given and (len(given) != count * rank or min(given) < least):
            raise _error(node, f"{name} {given} are not {count * rank} numbers from {least} on")


def refuse_misfits(node: NodeProto, types: Types) -> None:
    """Raise ModelError for windows larger than their padded data.

    Their results would be empty; nodes that read these fail otherwise, or are empty, too.
    """
    if node.op_type not in (*CONVOLUTIONS, *POOLS):
        return
    data, result = (static_dims(types.get(name)) for name in (node.input[0], node.output[0]))
    if result is not None and min(result[2:], default=1) < 1 <= min((data or ())[2:], default=1):
        weight = static_dims(types.get(node.input[CONVOLUTIONS.get(node.op_type, (0,))[0]]))
        kernel = list(attribute(node, "kernel_shape", ())) or (weight or [])[2:]
        raise _error(
            node,
            f"a window of {kernel} and data of shape {data} do not fit: with the padding, the result "
            f"would be of shape {result}",
        )


def _error(node: NodeProto, why: str) -> ModelError:
    return ModelError(f"node '{node_name(node)}' ({node.op_type}): {why}")
