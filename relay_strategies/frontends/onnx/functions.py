"""Operators that the standard defines by others, written as those where TVM's importer does not know them.

The standard has such a definition, a function of simpler operators, for each operator that it composed:
attention, rotary embeddings, losses, windows. Some depend on the types of the operands and on which there
are, so they are asked for after shape inference. https://onnx.ai/onnx/intro/concepts.html#functions
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

import onnx
import onnx.inliner
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto

from relay_strategies.frontends.budget import spend
from tvm_directconv.errors import ModelError, let_through
from tvm_directconv.zoo.inference import infer_shapes, refuse_hostile

from .converters import CONVERTERS
from .converters.node import operators_of_tvm
from .nodes import DEFAULT_DOMAINS, all_nodes, operator_name, schema_of, subgraphs, with_defaults

MOST_LEVELS = 200
"""Functions call others to this depth; the inliner takes a frame of the stack for each."""
ANOTHER_OPERATOR = ("Attention",)
"""Operators whose names TVM's importer has for operators of another domain."""

Name = tuple[str, str, str]


def is_converted(node: NodeProto) -> bool:
    """Whether the node has a converter, of this project or of TVM."""
    name = operator_name(node)
    return name in CONVERTERS or (name in operators_of_tvm() and name not in ANOTHER_OPERATOR)


def is_defined_by_others(node: NodeProto, opsets: Mapping[str, int]) -> bool:
    """Whether the node is written as its ``definition``. ``opsets`` has the versions by domain."""
    schema = None if is_converted(node) else _schema(node, opsets)
    return schema is not None and (schema.has_function or schema.has_context_dependent_function)


def opset_versions(model: ModelProto) -> dict[str, int]:
    """The versions of a model's operator sets by domain; "" is the standard's."""
    versions = {entry.domain: entry.version for entry in model.opset_import}
    for domain in DEFAULT_DOMAINS:
        if domain in versions:
            versions[""] = versions[domain]
    return versions


def definition(
    node: NodeProto, opsets: Mapping[str, int], types: Mapping[str, TypeProto.Tensor]
) -> FunctionProto:
    """What an operator that others define consists of, with the node's attributes in place. What it consists
    of may itself be defined by others."""
    schema = _schema(node, opsets)
    assert schema is not None, "it was chosen for its definition"
    body = _definition(node, schema, types, opsets[""])
    _bind_attributes(body, with_defaults(node, schema))
    return body


def _bind_attributes(body: FunctionProto | GraphProto, given: Mapping[str, AttributeProto]) -> None:
    """Replace attributes that refer to the definition's by their values, or leave them out."""
    for graph in (body, *subgraphs(body)):
        for node in graph.node:
            referring = [each for each in node.attribute if each.ref_attr_name]
            for each in referring:
                name, value = each.name, given.get(each.ref_attr_name)
                if value is None:
                    node.attribute.remove(each)
                else:
                    each.CopyFrom(value)
                    each.name = name


def inline_functions(model: ModelProto) -> ModelProto:
    """The model with its own functions' nodes in the place of those that call them, in the model's opset.

    The inliner forgets the values that functions have for attributes that a call leaves out. Raises
    ModelError for functions that call themselves, and for more nodes than an import may make.
    """
    if not model.functions:
        return model
    _spend_calls(model)
    refuse_hostile(model)
    defaults = {(f.domain, f.name, f.overload): f.attribute_proto for f in model.functions}
    if any(defaults.values()):
        stated = ModelProto()
        stated.CopyFrom(model)  # the caller's stays as it is
        bodies = [GraphProto(node=function.node) for function in stated.functions]
        for graph in (stated.graph, *bodies):
            for node in all_nodes(graph):
                given = {attribute.name for attribute in node.attribute}
                of_function = defaults.get((node.domain, node.op_type, node.overload), ())
                node.attribute.extend(default for default in of_function if default.name not in given)
        for function, body in zip(stated.functions, bodies, strict=True):
            del function.node[:]
            function.node.extend(body.node)
        model = stated
    try:
        return onnx.inliner.inline_local_functions(_with_types_of_calls(model), convert_version=True)
    except Exception as error:
        let_through(error)  # what it cannot convert stays, and is refused by name
        return onnx.inliner.inline_local_functions(model)


def _spend_calls(model: ModelProto) -> None:
    """Count what the model's calls of its own functions become, before onnx's inliner follows them: functions
    that call others twice double at each level. Raises ModelError for recursion, for calls that are nested
    too deeply, and for more than an import may make."""
    functions = {(f.domain, f.name, f.overload): f for f in model.functions}
    written: dict[Name, tuple[int, int, int]] = {}  # the nodes, bytes and levels of one call

    def called(nodes: Iterable[NodeProto]) -> Counter[Name]:
        return Counter(key for n in nodes if (key := (n.domain, n.op_type, n.overload)) in functions)

    def together(calls: Counter[Name]) -> tuple[int, int, int]:
        nodes, size = (sum(count * written[name][of] for name, count in calls.items()) for of in range(2))
        return nodes, size, max((written[name][2] for name in calls), default=0)

    calls = {name: called(all_nodes(function)) for name, function in functions.items()}
    try:
        order = list(TopologicalSorter(calls).static_order())
    except CycleError as error:
        domain, name, _ = error.args[1][0]
        raise ModelError(f"local function '{domain}::{name}' calls itself") from None
    for key in order:
        nodes, size, levels = together(calls[key])
        if levels >= MOST_LEVELS:
            raise ModelError(f"calls of local functions are nested more than {MOST_LEVELS} levels deep")
        nodes += sum(1 for _ in all_nodes(functions[key]))
        size += sum(len(node.SerializeToString()) for node in functions[key].node)
        written[key] = nodes, size, levels + 1
    spend(*together(called(all_nodes(model.graph)))[:2])


def _with_types_of_calls(model: ModelProto) -> ModelProto:
    """The model with the types that the inliner asks for where a function is of another opset."""
    version = opset_versions(model)[""]
    others = (entry for f in model.functions for entry in f.opset_import if entry.domain in DEFAULT_DOMAINS)
    if all(entry.version == version for entry in others):
        return model
    return infer_shapes(model)


def _schema(node: NodeProto, opsets: Mapping[str, int]) -> onnx.defs.OpSchema | None:
    domain = "" if node.domain in DEFAULT_DOMAINS else node.domain
    return schema_of(node, opsets.get(domain, 1), domain)


def _definition(
    node: NodeProto, schema: onnx.defs.OpSchema, types: Mapping[str, TypeProto.Tensor], opset: int
) -> FunctionProto:
    """The operator's definition in the newest version that the model's operator set has."""
    dependent = schema.has_context_dependent_function
    versions = (
        schema.context_dependent_function_opset_versions if dependent else schema.function_opset_versions
    )
    version = max((v for v in versions if v <= opset), default=min(versions))
    if not dependent:
        return FunctionProto.FromString(schema.get_function_with_opset_version(version))
    operands = [TypeProto(tensor_type=types.get(name)).SerializeToString() for name in node.input]
    return FunctionProto.FromString(
        schema.get_context_dependent_function_with_opset_version(version, node.SerializeToString(), operands)
    )
