"""ONNX's shape inference, asked only about what it comes back from.

It trusts what a node says of itself: there are equations that it never ends reading, and operands without a
type that end the process. Such nodes are refused before, by name; such operands are given an open type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import onnx
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, ValueInfoProto

from tvm_directconv.errors import ModelError

DOMAINS = ("", "ai.onnx")
TERM = r"[A-Za-z]*(?:\.{3}[A-Za-z]*)?"
EQUATION = re.compile(rf"{TERM}(?:,{TERM})*(?:->{TERM})?")
"""An Einsum's equation without its spaces: any other dot, sign or second ellipsis is an endless loop."""
OF_TYPED = ("EyeLike", "RegexFullMatch")
"""The inference of these reads the type of their operand, which has to be known."""
OF_EXTENTS = ("GatherND",)
"""The inference of these counts up to an extent, which must not be negative."""


def infer_shapes(model: ModelProto, strict_mode: bool = False, data_prop: bool = False) -> ModelProto:
    """Return the model with the shapes that ``onnx.shape_inference.infer_shapes`` finds. Raises ModelError
    for nodes that it would hang or crash on, and what it raises itself."""
    refuse_hostile(model)
    typed = _with_types(model)
    inferred = onnx.shape_inference.infer_shapes(typed or model, strict_mode=strict_mode, data_prop=data_prop)
    for graph in _graphs(inferred.graph) if typed is not None else ():
        found = [value for value in graph.value_info if not _is_open(value)]
        del graph.value_info[:]
        graph.value_info.extend(found)
    return inferred


def refuse_hostile(model: ModelProto) -> None:
    """Raise ModelError for a node, inner graphs' and functions' included, that no operator has and that
    onnx's own code does not come back from."""
    for holder in (model.graph, *model.functions):
        for graph in _graphs(holder):
            for tensor in graph.initializer if isinstance(graph, GraphProto) else ():
                if min(tensor.dims, default=0) < 0:
                    raise ModelError(f"tensor '{tensor.name}' has shape {tuple(tensor.dims)}")
        for node in _nodes(holder):
            if node.op_type in HOSTILE and node.domain in DOMAINS:
                why = HOSTILE[node.op_type](node)
                if why:
                    name = node.name or next(iter(node.output), "")
                    raise ModelError(f"node '{name}' ({node.op_type}): {why}")


def _einsum(node: NodeProto) -> str:
    given = _attribute(node, "equation")
    equation = given.s.decode("utf-8", "replace") if given is not None else ""
    if EQUATION.fullmatch(equation.replace(" ", "")):
        return ""
    return f"equation '{equation[:80]}' is not of terms of letters with at most one '...' each"


def _gather_nd(node: NodeProto) -> str:
    given = _attribute(node, "batch_dims")
    return f"batch_dims is {given.i}, a negative number" if given is not None and given.i < 0 else ""


def _split(node: NodeProto) -> str:
    given = _attribute(node, "num_outputs")
    if given is None or given.i == len(node.output):
        return ""
    return f"num_outputs is {given.i}, and it has {len(node.output)} outputs"


def _constant(node: NodeProto) -> str:
    given = _attribute(node, "value")
    dims = tuple(given.t.dims) if given is not None else ()
    return f"its value has shape {dims}" if min(dims, default=0) < 0 else ""


HOSTILE = {"Constant": _constant, "Einsum": _einsum, "GatherND": _gather_nd, "Split": _split}
"""Functions by operator that say what is wrong with a node, "" if nothing is."""


def _attribute(node: NodeProto, name: str) -> AttributeProto | None:
    return next((given for given in node.attribute if given.name == name), None)


def _nodes(holder: GraphProto | FunctionProto) -> Iterator[NodeProto]:
    """The nodes of a graph or a function, and of the graphs in it."""
    for each in _graphs(holder):
        yield from each.node


def _graphs(holder: GraphProto | FunctionProto) -> Iterator[GraphProto | FunctionProto]:
    yield holder
    for node in holder.node:
        for given in node.attribute:
            if given.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS):
                for graph in (given.g, *given.graphs):
                    yield from _graphs(graph)


def _with_types(model: ModelProto) -> ModelProto | None:
    """Return a copy in which the operands of OF_TYPED all have a type, an open one where none is declared,
    and no extent is negative; None where there are no nodes that need it."""
    operands = {node.input[0] for node in _nodes(model.graph) if node.op_type in OF_TYPED and node.input}
    if not operands and not any(node.op_type in OF_EXTENTS for node in _nodes(model.graph)):
        return None
    copy = ModelProto()
    copy.CopyFrom(model)
    for graph in _graphs(copy.graph):
        declared = {value.name: value for value in (*graph.value_info, *graph.output, *graph.input)}
        for value in declared.values():
            for dim in value.type.tensor_type.shape.dim if value.type.HasField("tensor_type") else ():
                if dim.dim_value < 0:  # some exporters' way to say that it is open
                    dim.Clear()
        made = {name for node in graph.node for name in node.output} | {t.name for t in graph.initializer}
        missing = operands - declared.keys()
        for name in missing if graph is copy.graph else missing & made:
            declared[name] = graph.value_info.add(name=name)
        for name in operands & declared.keys():
            if declared[name].type.WhichOneof("value") is None:
                declared[name].type.tensor_type.SetInParent()
    return copy


def _is_open(value: ValueInfoProto) -> bool:
    kind = value.type.tensor_type
    return (
        value.type.WhichOneof("value") == "tensor_type" and not kind.elem_type and not kind.HasField("shape")
    )
