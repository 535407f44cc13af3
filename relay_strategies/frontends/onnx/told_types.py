"""Types that onnx's shape inference does not find, told to it before it looks.

For an operator that is defined by others in a way that depends on its operands' types, and has no inference
of its own, onnx 1.16 to 1.23 infer nothing, and what reads the result then fails. In the standard these are
the versions of GroupNormalization, whose result is of its first operand's type. The first version of Compress
has no inference either; its result has that type in a shape that depends on values.
"""

from __future__ import annotations

import onnx
from onnx import ModelProto, NodeProto, TypeProto

from .inference import infer_shapes
from .nodes import DEFAULT_DOMAINS, all_nodes, subgraphs, tensor_types

OF_FIRST_OPERAND = {"GroupNormalization": True, "Compress": False}
"""Operators whose result is of their first operand's element type, and whether it is of its shape, too."""


def tell_types(model: ModelProto) -> None:
    """Add the types of such operators' results to the model's graphs, as far as their operands' are found."""
    version = next((o.version for o in model.opset_import if o.domain in DEFAULT_DOMAINS), 1)
    shaped = {
        node.output[0]: OF_FIRST_OPERAND[node.op_type]
        for node in all_nodes(model.graph)
        if node.domain in DEFAULT_DOMAINS
        and node.op_type in OF_FIRST_OPERAND
        and not _inferred(node, version)
    }
    untold = shaped.keys()
    if not untold:
        return
    alike = ModelProto.FromString(model.SerializeToString())
    for node in all_nodes(alike.graph):
        if node.output[0] in untold:
            node.op_type = "Identity"
            del node.input[1:], node.attribute[:]
    found = infer_shapes(alike)
    for graph, inferred in zip(
        (model.graph, *subgraphs(model.graph)), (found.graph, *subgraphs(found.graph)), strict=True
    ):
        types = tensor_types(inferred)
        for value in list(graph.value_info):
            if value.name in untold:  # as it was known before
                graph.value_info.remove(value)
        open_outputs = {
            value.name: value for value in graph.output if not value.type.tensor_type.HasField("shape")
        }
        for name in untold & types.keys():
            if not shaped[name]:
                types[name].ClearField("shape")
            if name in open_outputs:
                open_outputs[name].type.tensor_type.CopyFrom(types[name])
            graph.value_info.add(name=name, type=TypeProto(tensor_type=types[name]))


def _inferred(node: NodeProto, version: int) -> bool:
    try:
        schema = onnx.defs.get_schema(node.op_type, version, "")
    except onnx.defs.SchemaError:
        return True
    return bool(schema.has_type_and_shape_inference_function)
