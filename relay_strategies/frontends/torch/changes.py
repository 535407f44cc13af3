"""Programs that change what they are given, as programs that return it: the caller writes it back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, InputKind, OutputKind, OutputSpec
from torch.utils import _pytree as pytree

from tvm_directconv.errors import ModelError, UnsupportedOperatorError, first_line, let_through

STATISTICS = "running_mean"
MAY_CHANGE = {"batch_norm": "training", "instance_norm": "use_input_stats"}
"""Operators that change the statistics that they are given without saying so, and the argument by which they
do."""
OF_INPUTS = frozenset((OutputKind.USER_INPUT_MUTATION,))
OF_WEIGHTS = frozenset((OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION))


@dataclass(frozen=True)
class Returned:
    """A program whose first results are new values of its ``inputs`` of these names; ``weights`` are those
    that it changes as well."""

    program: ExportedProgram
    inputs: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()


def returned(program: ExportedProgram) -> Returned:
    """Return a program that changes nothing, if it is only inputs that it changes."""
    program = functional(program)
    specs = program.graph_signature.output_specs
    weights = tuple(str(spec.target) for spec in specs if spec.kind in OF_WEIGHTS)
    inputs = tuple(str(spec.target) for spec in specs if spec.kind in OF_INPUTS)
    return Returned(program if weights or not inputs else _returning(program), inputs, weights)


def functional(program: ExportedProgram) -> ExportedProgram:
    """Return a program whose operators change nothing; its signature says what it changes itself.

    Raises ModelError for what torch cannot write so.
    """
    if not any(map(_may_change, program.graph.nodes)):
        return program
    try:
        return program.run_decompositions({})
    except Exception as error:  # torch raises whatever came up
        let_through(error)
        raise ModelError(f"torch.export cannot decompose the network: {first_line(error)}") from error


def new_values(program: ExportedProgram) -> dict[str, fx.Node]:
    """Return the new values of what a functional program changes, by the names of its inputs: of what a user
    gives, and of buffers that a user's results follow from. Other buffers, as the number of batches that a
    normalization counts, are left out.

    Raises UnsupportedOperatorError for other changes.
    """
    signature = program.graph_signature
    buffers = {spec.target: spec.arg.name for spec in signature.input_specs if spec.kind is InputKind.BUFFER}
    (output,) = program.graph.find_nodes(op="output")
    pairs = list(zip(signature.output_specs, output.args[0], strict=True))
    read = read_by(v for spec, v in pairs if spec.kind is OutputKind.USER_OUTPUT and isinstance(v, fx.Node))
    states = {node.name for node in read if node.op == "placeholder"}
    found: dict[str, fx.Node] = {}
    for spec, value in pairs:
        if spec.kind is OutputKind.USER_INPUT_MUTATION:
            found[str(spec.target)] = value
        elif spec.kind is OutputKind.BUFFER_MUTATION and spec.target in buffers:
            name = buffers[spec.target]
            found |= {name: value} if name in states else {}
        elif spec.kind not in (OutputKind.USER_OUTPUT, OutputKind.TOKEN):
            kind = spec.kind.name.lower()
            what = spec.target or spec.arg.name
            raise UnsupportedOperatorError(f"the network changes '{what}' when it runs ({kind})")
    return found


def read_by(results: Iterable[fx.Node]) -> set[fx.Node]:
    """Return the nodes that results are computed from, and these."""
    read, waiting = set[fx.Node](), list(results)
    while waiting:
        node = waiting.pop()
        if node not in read:
            read.add(node)
            waiting += node.all_input_nodes
    return read


def _returning(program: ExportedProgram) -> ExportedProgram:
    """The program with all of its results as a user's own."""
    signature, (entry, *calls) = program.graph_signature, program.module_call_graph
    outputs = [OutputSpec(OutputKind.USER_OUTPUT, spec.arg, None) for spec in signature.output_specs]
    spec = pytree.tree_structure(tuple(range(len(outputs))))
    assert entry.signature is not None
    return ExportedProgram(
        program.graph_module,
        program.graph,
        ExportGraphSignature(list(signature.input_specs), outputs),
        program.state_dict,
        program.range_constraints,
        [replace(entry, signature=replace(entry.signature, out_spec=spec)), *calls],
        program.example_inputs,
        program.constants,
    )


def _may_change(node: Any) -> bool:
    target = node.target
    if not isinstance(target, torch._ops.OpOverload):
        return False
    name = target.__name__.partition(".")[0]
    if name not in MAY_CHANGE:
        return target._schema.is_mutable
    names = (argument.name for argument in target._schema.arguments)
    given = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    return given.get(STATISTICS) is not None and given.get(MAY_CHANGE[name]) is not False
