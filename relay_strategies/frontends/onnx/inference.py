"""What ONNX's shape inference says of one node, before it is converted: the element types of its results, and
shapes that bound what a converter makes.

The shapes that hold are those of the Relax expressions that the node becomes. onnx has others where it
multiplies a size by a float32 in float64 (Resize), and adds an output padding twice (ConvTranspose).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import NodeProto, TypeProto, helper, numpy_helper

from relay_strategies.functional.movement import open_range_length
from tvm_directconv.errors import let_through

from .converters.shapes import range_length
from .nodes import node_name, schema_of, tensor_type
from .open_shapes import is_open_array

LIGHT_ELEMENTS = 1024
"""Tensors of more elements are not shapes; floating-point ones may be weights."""


def infer_types(
    node: NodeProto,
    known: Mapping[str, np.ndarray],
    types: Mapping[str, TypeProto.Tensor],
    opset: int,
) -> dict[str, TypeProto.Tensor]:
    """The types of a node's results by name, as far as they follow from operands of ``types``, and from their
    values where these are ``known``. Raises onnx's InferenceError."""
    schema = schema_of(node, opset)
    if schema is None or not schema.has_type_and_shape_inference_function:
        return {}
    names = [name for name in node.input if name]
    if node.op_type == "Range" and all(name in known for name in names):  # onnx's subtraction overflows
        operands = [known[name] for name in names]
        is_open = any(map(is_open_array, operands))
        length = (
            open_range_length(*(operand.item() for operand in operands))
            if is_open
            else range_length(operands, node_name(node))
        )
        return {node.output[0]: tensor_type(types[names[0]].elem_type, [length])}
    inputs = {name: TypeProto(tensor_type=types.get(name)) for name in names}
    data = {
        name: numpy_helper.from_array(known[name], name)
        for name in inputs
        if name in known and known[name].size <= LIGHT_ELEMENTS and not is_open_array(known[name])
    }
    try:
        found = onnx.shape_inference.infer_node_outputs(
            schema, node, inputs, data, opset_imports=[helper.make_opsetid("", opset)]
        )
    except Exception as error:
        let_through(error)
        if isinstance(error, onnx.shape_inference.InferenceError) and all(map(types.get, inputs)):
            raise
        return {}
    return {name: kind.tensor_type for name, kind in found.items() if kind.HasField("tensor_type")}
