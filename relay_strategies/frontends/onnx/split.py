"""An ONNX model in two: up to where sizes follow from data or operators are unknown, and from there on.

A detector's boxes are selected by their scores, so that the sizes of what comes after are known only when it
runs. What comes before, which is nearly all of the work, compiles; the rest is for another runtime.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import numpy as np
import tvm
from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto, helper
from tvm import relax

from relay_strategies.frontends.budget import allow, limited
from relay_strategies.frontends.declared import Given, complete
from relay_strategies.relax.outputs import result_types
from tvm_directconv.errors import UnsupportedOperatorError
from tvm_directconv.zoo.inputs import true_inputs

from .functions import inline_functions
from .importer import import_onnx
from .nodes import all_nodes, node_name, nodes_in, onnx_dims
from .order import in_order, reads
from .reading import read


def split(
    model: str | os.PathLike[str] | bytes | ModelProto,
    shapes: Given | None = None,
    batch: int | None = None,
    max_tensor_bytes: int | None = None,
    data_folder: str | os.PathLike[str] | None = None,
) -> tuple[ModelProto, ModelProto | None]:
    """Cut an ONNX model behind the largest first part of it that compiles.

    Args:
        model: A path, bytes or a ModelProto.
        shapes: Shapes of inputs, by name, where the model leaves them open; in the first part they are fixed.
        batch: The first dimension of inputs that leave it open.
        max_tensor_bytes: The largest tensor that is not refused.
        data_folder: Where external data is; by default the model's own folder.

    Returns:
        The first part, and the rest, None where nothing is left. The second part's inputs are outputs of the
        first, and inputs of the model that it reads itself, by their names; each of the model's outputs is
        one of either part.

    Raises:
        UnsupportedOperatorError: The model begins with what does not compile.
        ModelError: The model is malformed.
    """
    given = read(model, data_folder)
    with limited():
        allow(sum(1 for graph in (given.graph, *given.functions) for _ in all_nodes(graph)))
        whole = inline_functions(in_order(given))
    names = {value.name for value in true_inputs(whole.graph)}
    refused: set[str] = set()
    first, rest = _cut(whole, refused)
    while True:
        declared = {value.name: onnx_dims(value) for value in first.graph.input}
        known = {name: dims for name, dims in (shapes or {}).items() if name in declared or name not in names}
        try:
            module = import_onnx(first, complete(declared, known, batch), max_tensor_bytes)
        except UnsupportedOperatorError as error:
            found = _made_by(whole.graph, error.nodes) - refused
            refused |= found
            first, rest = _cut(whole, refused)
            if not found or not first.graph.output:
                raise
            continue
        if not rest.graph.node:
            return given, None
        _declare(first, rest, module)
        return first, rest


def _made_by(graph: GraphProto, names: Iterable[str]) -> set[str]:
    """What the nodes of these names make, those in whose inner graphs such nodes are included."""
    wanted = set(names)
    return {
        name
        for node in graph.node
        if any(node_name(each) in wanted for each in nodes_in(node))
        for name in _made(node)
    }


def _made(node: NodeProto) -> list[str]:
    """A node's results; some of those that it may have are left out."""
    return [name for name in node.output if name]


def _cut(whole: ModelProto, refused: set[str]) -> tuple[ModelProto, ModelProto]:
    """The nodes that need none of the refused tensors, as far as anything needs them, and all others."""
    graph = whole.graph
    late, fixed = set(refused), {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        read_here = reads(node)
        if not late.isdisjoint({*read_here, *_made(node)}):
            late.update(_made(node))
        elif read_here <= fixed:
            fixed.update(_made(node))
    rest = [node for node in graph.node if not late.isdisjoint(_made(node))]
    early = [node for node in graph.node if late.isdisjoint(_made(node))]
    wanted = {name for node in rest for name in reads(node)}
    outputs = {value.name: value for value in graph.output}
    between = [
        name
        for node in early
        for name in _made(node)
        if name in outputs or (name in wanted and name not in fixed)
    ]
    given = {value.name: value for value in true_inputs(graph)}
    needed = _needed(early, between)
    needed_inputs = {name for node in needed for name in reads(node)}
    first_part = _part(
        whole,
        needed,
        [value for name, value in given.items() if name in needed_inputs],
        [outputs.get(name) or ValueInfoProto(name=name) for name in between],
    )
    constants = _needed([node for node in early if fixed.issuperset(_made(node))], wanted)
    entering = [given.get(name) or ValueInfoProto(name=name) for name in (*given, *between) if name in wanted]
    return first_part, _part(
        whole, [*constants, *rest], entering, [value for name, value in outputs.items() if name in late]
    )


def _needed(nodes: Sequence[NodeProto], names: Iterable[str]) -> list[NodeProto]:
    """Return the nodes that tensors of these names are computed by, in order."""
    wanted, needed = set(names), []
    for node in reversed(nodes):
        if not wanted.isdisjoint(_made(node)):
            needed.append(node)
            wanted |= reads(node)
    return needed[::-1]


def _part(
    whole: ModelProto,
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto],
    outputs: Sequence[ValueInfoProto],
) -> ModelProto:
    """A model of some of the nodes, with the weights that they read."""
    wanted = {name for node in nodes for name in reads(node)} | {value.name for value in outputs}
    part = ModelProto(ir_version=max(whole.ir_version, 4), producer_name=whole.producer_name)
    part.opset_import.extend(whole.opset_import)
    part.graph.name = whole.graph.name or "graph"
    part.graph.node.extend(nodes)
    part.graph.input.extend(inputs)
    part.graph.output.extend(outputs)
    part.graph.initializer.extend(t for t in whole.graph.initializer if t.name in wanted)
    made = {name for node in nodes for name in _made(node)}
    part.graph.value_info.extend(v for v in whole.graph.value_info if v.name in made)
    return part


def _declare(first: ModelProto, rest: ModelProto, module: tvm.IRModule) -> None:
    """Write the shapes and types of what goes between the parts, and of the first one's inputs."""
    main = module["main"]
    found = [*(param.ty for param in main.params), *result_types(main)]
    known = {value.name: value for value in rest.graph.input}
    known |= {
        value.name: helper.make_tensor_value_info(value.name, _element(ty), [int(dim) for dim in ty.shape])
        for value, ty in zip((*first.graph.input, *first.graph.output), found, strict=True)
    }
    for value in (*first.graph.input, *first.graph.output, *rest.graph.input):
        value.CopyFrom(known[value.name])


def _element(ty: relax.TensorType) -> int:
    return helper.np_dtype_to_tensor_dtype(np.dtype(str(ty.dtype)))
