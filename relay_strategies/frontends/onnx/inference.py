"""The types of one node's results by ONNX's shape inference, corrected where that finds other sizes than
runtimes and the standard's text.

Resize and Upsample: onnx multiplies by scales in float64, where 10 times the float32 next to 1.3 is less
than 13. Runtimes and exporters do in float32, where it is 13, and files declare that. ConvTranspose of
``auto_pad`` SAME_*: onnx adds the output padding to a size that includes it. Range: onnx's subtraction of
integers overflows. Of these onnx infers a node whose operands and attributes lead to the right sizes.

For an operator that is defined by others in a way that depends on its operands' types, and lacks inference
of its own, onnx 1.16 to 1.23 infer nothing. In the standard these are the versions of GroupNormalization,
whose result is of its first operand's type. The first version of Compress lacks inference, too.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import GraphProto, NodeProto, TypeProto, helper, numpy_helper

from relay_strategies.functional.coordinates import POLICIES, resulting_sizes, scaled_size
from tvm_directconv.errors import let_through
from tvm_directconv.problem.phases import reach
from tvm_directconv.zoo.inference import infer_shapes

from .converters.convolutions import same_sizes
from .converters.shapes import range_length
from .nodes import (
    attribute,
    node_name,
    schema_of,
    static_dims,
    tensor_type,
    tensor_types,
    with_defaults,
)

RESIZES = ("Resize", "Upsample")
CORRECTED = (*RESIZES, "ConvTranspose", "Range")
ROUNDINGS = 2
"""A size, and its product with a scale, are rounded once each: by no more than a step of the scale."""
LIGHT_ELEMENTS = 1024
"""Tensors of more elements are not shapes; floating-point ones may be weights."""
OF_FIRST_OPERAND = {"GroupNormalization": True, "Compress": False}
"""Operators whose result is of their first operand's element type, and whether it is of its shape, too."""


class NodeInference:
    """Finds the types of nodes' results in one opset. ``corrects`` says whether one had other sizes than onnx
    finds; a model may then declare either."""

    def __init__(self, opset: int) -> None:
        self.corrects = False
        self._opset, self._imports = opset, [helper.make_opsetid("", opset)]

    def types(
        self,
        node: NodeProto,
        known: Mapping[str, np.ndarray],
        types: Mapping[str, TypeProto.Tensor],
    ) -> dict[str, TypeProto.Tensor]:
        """The types of a node's results by name, as far as they follow from operands of ``types``, and from
        their values where these are ``known``. Raises onnx's InferenceError."""
        schema = schema_of(node, self._opset)
        if schema is None:
            return {}
        inputs = {name: TypeProto(tensor_type=types.get(name)) for name in node.input if name}
        data = {
            name: numpy_helper.from_array(known[name], name)
            for name in inputs
            if name in known and known[name].size <= LIGHT_ELEMENTS
        }
        if node.op_type in CORRECTED:
            original = node
            node, operands = corrected(node, types, known)
            self.corrects |= node is not original and node.op_type != "Range"
            for name, array in operands.items():
                data[name] = numpy_helper.from_array(array, name)
                inputs[name] = TypeProto(tensor_type=tensor_type(data[name].data_type, array.shape))
        if not schema.has_type_and_shape_inference_function:
            return self._untold(node, schema, types)
        try:
            found = onnx.shape_inference.infer_node_outputs(
                schema, node, inputs, data, opset_imports=self._imports
            )
        except Exception as error:
            let_through(error)
            if isinstance(error, onnx.shape_inference.InferenceError) and all(map(types.get, inputs)):
                raise
            return {}
        return {name: kind.tensor_type for name, kind in found.items() if kind.HasField("tensor_type")}

    def _untold(
        self, node: NodeProto, schema: onnx.defs.OpSchema, types: Mapping[str, TypeProto.Tensor]
    ) -> dict[str, TypeProto.Tensor]:
        """What onnx finds by an operator's definition, or does not find at all."""
        first = types.get(node.input[0]) if node.input else None
        if node.op_type in OF_FIRST_OPERAND and first is not None:
            kind = TypeProto.Tensor(elem_type=first.elem_type)
            if OF_FIRST_OPERAND[node.op_type]:
                kind.CopyFrom(first)
            return {node.output[0]: kind}
        if not schema.has_function:
            return {}
        stated = NodeProto()
        stated.CopyFrom(node)
        del stated.attribute[:]
        stated.attribute.extend(with_defaults(node, schema).values())
        inputs = [
            helper.make_value_info(name, TypeProto(tensor_type=types[name]))
            for name in node.input
            if name in types
        ]
        graph = helper.make_graph([stated], "node", inputs, [])
        model = infer_shapes(helper.make_model(graph, opset_imports=self._imports), strict_mode=True)
        return tensor_types(GraphProto(value_info=model.graph.value_info))


def merged(found: TypeProto.Tensor | None, declared: TypeProto.Tensor) -> TypeProto.Tensor:
    """What is found, and where nothing is, what is declared."""
    if found is None:
        return declared
    dims, known = found.shape.dim, declared.shape.dim
    if not found.HasField("shape") and declared.HasField("shape"):
        found.shape.CopyFrom(declared.shape)
    elif len(dims) == len(known):
        for dim, other in zip(dims, known, strict=True):
            if not dim.HasField("dim_value") and other.HasField("dim_value"):
                dim.CopyFrom(other)
    return found


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


def _policy(node: NodeProto) -> str:
    return attribute(node, "keep_aspect_ratio_policy", b"stretch").decode("utf-8", "replace")


def _leading(size: int, scale: float) -> float:
    """The scale whose product in float64 has the right size: the given one, or one next to it."""
    if not 0 < scale < np.inf:
        return scale
    wanted = scaled_size(size, scale)
    for _ in range(ROUNDINGS):
        if np.floor(size * float(scale)) < wanted:
            scale = np.nextafter(np.float32(scale), np.float32(np.inf))
    return scale
