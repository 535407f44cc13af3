"""Recognition of PyTorch's models without importing torch, which only those who give one need."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import tvm
from onnx import ModelProto

from relay_strategies.frontends.checked import INPUT_NAMES, check_module
from relay_strategies.relax.outputs import CHANGED_INPUTS, COMPLEX, OUTPUT_NAMES


def is_torch(model: Any) -> bool:
    """Whether it is a torch.nn.Module or an ExportedProgram."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module | torch.export.ExportedProgram)


def onnx_of(model: Any) -> ModelProto | None:
    """The ONNX model in what torch.onnx.export returns; None for everything else."""
    if not type(model).__module__.startswith("torch."):
        return None
    proto = getattr(model, "model_proto", None)
    return proto if isinstance(proto, ModelProto) else None


def program_of(
    model: Any, example_inputs: Any = None
) -> tuple[Any, dict[str, tuple[int | str, ...]], dict[str, int]]:
    """The exported program of a PyTorch network, the dimensions of its inputs by name, and what is typical of
    symbolic ones: what they are in the example inputs."""
    from .changes import functional
    from .export import exported_program, input_dims, input_values
    from .symbols import hints_of

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = functional(exported_program(model, example_inputs))
    return program, input_dims(program), hints_of(input_values(program))


def import_torch(
    model: Any,
    example_inputs: Any = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    max_tensor_bytes: int | None = None,
) -> tvm.IRModule:
    """The checked Relax module of a PyTorch network, as ``import_model`` gives those of others.

    ``shapes`` fixes symbolic dimensions of an exported program by input name.
    """
    from .changes import functional
    from .export import exported_program
    from .importer import import_program

    # What torch warns of is its own and its callers' ways, and nothing that users of this can change.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = functional(exported_program(model, example_inputs))
        module, inputs, outputs, changed, pairs = import_program(program, shapes)
    names = {INPUT_NAMES: inputs, OUTPUT_NAMES: outputs, CHANGED_INPUTS: changed, COMPLEX: pairs}
    main = module["main"].with_attr(names)
    module.update_func(module.get_global_var("main"), main)
    return check_module(module, {}, max_tensor_bytes)
