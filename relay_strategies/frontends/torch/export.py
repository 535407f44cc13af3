"""A torch.nn.Module or an ExportedProgram becomes a program of static shapes in the operators converted here.

``torch.export`` traces, and its decompositions rewrite what is composed of other operators. Kept whole are
those that this library knows as one, and those whose parts would be gathers.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch.export import Dim, ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, TensorArgument
from torch.utils import _pytree as pytree
from tvm.relax.frontend.torch.exported_program_translator import ExportedProgramImporter

from tvm_directconv.errors import DirectConvError, ModelError, first_line, let_through, nearest
from tvm_directconv.problem.extents import is_open

from .changes import new_values
from .converters import CONVERTERS, OF_COMPLEX, recurrent
from .decompositions import decompositions, decompositions_of_rest
from .symbols import text_of
from .traced import Traced

KEPT = (
    *("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"),
    *("_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "_upsample_nearest_exact3d"),
    *("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d"),
    *("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"),
    *("log_sigmoid", "log_sigmoid_forward", "logsumexp", "mish", "mish_", "logaddexp"),
    *("hardswish", "hardswish_", "hardsigmoid", "hardsigmoid_", "silu", "silu_"),
    *("adaptive_avg_pool2d", "_adaptive_avg_pool2d", "adaptive_max_pool2d"),
    *("pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "linear", "matmul", "prelu", "roll"),
    "stft",
    *("reflection_pad1d", "reflection_pad2d", "replication_pad1d", "replication_pad2d"),
)

GUARDS = "_guards_fn"
"""What torch.export calls to check a module's inputs."""


def exported_program(model: torch.nn.Module | ExportedProgram, example_inputs: Any = None) -> ExportedProgram:
    """The program of a model for its example inputs. Raises ModelError for what cannot be traced."""
    if not isinstance(model, ExportedProgram):
        return _traced(model, *_arguments(model, example_inputs))
    if example_inputs is not None:
        raise ModelError("example_inputs applies to torch modules; an exported program has its own")
    return model


def opened_program(
    module: torch.nn.Module, inputs: Sequence[torch.Tensor], axes: Sequence[Collection[int]]
) -> ExportedProgram:
    """Return the program of a module whose inputs' ``axes`` stay open where nothing in it fixes them.

    Raises ModelError for what cannot be traced.
    """
    return _traced(module, tuple(inputs), {}, tuple(dict.fromkeys(each, Dim.AUTO) for each in axes))


def lowered_program(program: ExportedProgram, shapes: Mapping[str, Sequence[int]]) -> ExportedProgram:
    """The program in the operators that are converted, its symbolic dimensions fixed by ``shapes``; as it is
    where these are open.

    Raises ModelError for dimensions that nothing is said of.
    """
    if not any(map(is_open, shapes.values())):
        program = _with_shapes(program, shapes)
    try:
        return program.run_decompositions(_decompositions(program))
    except Exception as error:  # torch raises whatever came up
        let_through(error)
        raise ModelError(f"torch.export cannot decompose the network: {first_line(error)}") from error


def input_dims(program: ExportedProgram) -> dict[str, tuple[int | str, ...]]:
    """The inputs' dimensions by name, those that are symbolic by their symbols' names."""
    return {name: tuple(map(text_of, value.shape)) for name, value in input_values(program).items()}


def input_values(program: ExportedProgram) -> dict[str, torch.Tensor]:
    """The inputs by name, as tensors without values."""
    values = {node.name: node.meta["val"] for node in program.graph.find_nodes(op="placeholder")}
    return {spec.arg.name: values[spec.arg.name] for spec in tensor_inputs(program)}


def tensor_inputs(program: ExportedProgram) -> list[InputSpec]:
    """What a user gives: the tensors among the program's inputs, in order, and buffers that it changes."""
    specs = [spec for spec in program.graph_signature.input_specs if isinstance(spec.arg, TensorArgument)]
    changed = new_values(program)
    own = [spec for spec in specs if spec.kind is InputKind.USER_INPUT]
    return own + [spec for spec in specs if spec.kind is InputKind.BUFFER and spec.arg.name in changed]


def _arguments(model: torch.nn.Module, example_inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if example_inputs is None:
        raise ModelError("a torch module is traced with example inputs: give example_inputs=(x,)")
    if isinstance(model, torch.jit.ScriptModule):
        raise ModelError(
            "torch.export traces Python, and a ScriptModule has none; give the module that it was made from"
        )
    if model.training and not _is_exported(model):
        raise ModelError("the torch module is in training mode; call its eval() before compiling it")
    for name, tensor in (*model.named_parameters(), *model.named_buffers()):
        if tensor.is_meta:
            raise ModelError(f"'{name}' of the torch module is on the meta device and does not have values")
    if isinstance(example_inputs, Mapping):
        return (), dict(example_inputs)
    return (tuple(example_inputs) if isinstance(example_inputs, list | tuple) else (example_inputs,)), {}


def _is_exported(model: torch.nn.Module) -> bool:
    """Whether it is a graph of operators alone, as exports and quantizers leave it: what its layers do in
    training is settled, and eval() refused."""
    if not isinstance(model, fx.GraphModule):
        return False
    return {node.target for node in model.graph.find_nodes(op="call_module")} <= {GUARDS}


def _traced(
    module: torch.nn.Module, arguments: tuple[Any, ...], named: Mapping[str, Any], dynamic: Any = None
) -> ExportedProgram:
    """The program for these inputs, each a tensor of its own: of one that is given twice, torch.export reads
    the last for both. ``dynamic`` are torch.export's dynamic_shapes."""
    for value in pytree.tree_leaves((arguments, dict(named))):
        if isinstance(value, torch.Tensor) and value.layout != torch.strided:
            raise ModelError(f"an example input has layout {value.layout}; inputs are dense tensors")
    arguments, named = pytree.tree_map_only(torch.Tensor, torch.Tensor.detach, (arguments, dict(named)))
    try:
        with torch.no_grad(), Traced():
            return torch.export.export(module, arguments, named, dynamic_shapes=dynamic)
    except DirectConvError:
        raise
    except Exception as error:  # torch raises whatever came up
        let_through(error)
        raise ModelError(f"torch.export cannot trace the network: {first_line(error)}") from error


def _with_shapes(program: ExportedProgram, shapes: Mapping[str, Sequence[int]]) -> ExportedProgram:
    """The program traced again with inputs of these shapes, where it is not of these shapes already."""
    values = {node.name: node.meta.get("val") for node in program.graph.find_nodes(op="placeholder")}
    declared = input_dims(program)
    for name in shapes:
        if name not in declared:
            raise ModelError(
                f"shapes has '{name}', no input of the network{nearest(name, declared)}; there are "
                f"{', '.join(declared)}"
            )
    changed = {}
    for name, dims in declared.items():
        wanted = tuple(shapes.get(name, dims))
        text = f"({', '.join(map(str, dims))})"
        if any(not isinstance(size, int) for size in wanted):
            raise ModelError(f"input '{name}' has shape {text}; fix it with shapes={{'{name}': (...)}}")
        if len(wanted) != len(dims):
            raise ModelError(f"shapes['{name}'] has {len(wanted)} dimensions, the input {len(dims)}")
        if any(isinstance(have, int) and have != want for have, want in zip(dims, wanted, strict=True)):
            raise ModelError(
                f"input '{name}' was traced with shape {text}, not {wanted}; give example inputs of that "
                "shape, or export with dynamic_shapes="
            )
        if wanted != dims:
            changed[name] = torch.zeros(wanted, dtype=values[name].dtype)
    if not changed:
        return program
    given = [
        changed[spec.arg.name] if spec.arg.name in changed else _example(spec, values.get(spec.arg.name))
        for spec in program.graph_signature.input_specs
        if spec.kind is InputKind.USER_INPUT
    ]
    arguments, named = pytree.tree_unflatten(given, program.call_spec.in_spec)
    return _traced(program.module(), arguments, named)


def _example(spec: InputSpec, value: Any) -> Any:
    """Return a value to trace with: zeros for a tensor, else the input's own value."""
    if not isinstance(spec.arg, TensorArgument):
        return getattr(spec.arg, "value", value)
    return torch.zeros(tuple(value.shape), dtype=value.dtype)


@functools.cache
def _converted() -> frozenset[str]:
    """The operators that are imported as they are."""
    return frozenset(ExportedProgramImporter().convert_map) | CONVERTERS.keys() | OF_COMPLEX.keys()


def _decompositions(program: ExportedProgram) -> dict[Any, Any]:
    table = torch.export.default_decompositions()
    table.update({k: v for k, v in decompositions_of_rest(_converted()).items() if k not in table})
    table.update(decompositions())
    layers = [node for node in program.graph.nodes if node.target in recurrent.OVERLOADS]
    kept = (*KEPT, *(recurrent.KEPT if all(map(recurrent.is_kept, layers)) else ()))
    for operator in list(table.keys()):
        if operator.name().partition("::")[2].partition(".")[0] in kept:
            del table[operator]
    return table
