"""Programs that change what they are given, as programs that return it: the caller writes it back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, OutputKind, OutputSpec
from torch.utils import _pytree as pytree

from tvm_directconv.errors import ModelError, first_line, let_through

MAY_CHANGE = frozenset(("batch_norm", "instance_norm"))
"""Operators that change their operands without saying so, where they update statistics."""
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
    if not any(map(_may_change, program.graph.nodes)):
        return Returned(program)
    try:
        program = program.run_decompositions({})
    except Exception as error:  # torch raises whatever came up
        let_through(error)
        raise ModelError(f"torch.export cannot decompose the network: {first_line(error)}") from error
    specs = program.graph_signature.output_specs
    weights = tuple(str(spec.target) for spec in specs if spec.kind in OF_WEIGHTS)
    inputs = tuple(str(spec.target) for spec in specs if spec.kind in OF_INPUTS)
    return Returned(program if weights or not inputs else _returning(program), inputs, weights)


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
    return target._schema.is_mutable or target.__name__.partition(".")[0] in MAY_CHANGE
