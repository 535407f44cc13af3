"""ModelInput, a model as it was given, and Source, the model read and ready to be imported in any size."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import tvm
from onnx import ModelProto
from tvm import relax

from relay_strategies.frontends.checked import check_module
from relay_strategies.frontends.declared import Declared, Shape
from relay_strategies.frontends.detached import named_params
from relay_strategies.frontends.onnx.bound_inputs import bind_inputs
from relay_strategies.frontends.onnx.importer import import_model, import_onnx
from relay_strategies.frontends.onnx.nodes import onnx_dims
from relay_strategies.frontends.onnx.reading import read
from relay_strategies.frontends.parameters import ParamsSource, load_params
from relay_strategies.frontends.relay.model import import_relay, read_relay
from relay_strategies.frontends.tflite.model import import_tflite, read_tflite
from relay_strategies.frontends.torch.models import import_torch, program_of
from relay_strategies.relax.graph import shape_of
from relay_strategies.relax.parameters import tensor_params
from tvm_directconv import zoo
from tvm_directconv.errors import ModelError

from .model_kinds import MODELS, RELAY, TFLITE, TORCH, ZOO, kind_of
from .sizes import onnx_inputs, refuse_names, relax_inputs, relax_names, relax_outputs, with_names

if TYPE_CHECKING:
    import torch

    TorchModel: TypeAlias = torch.nn.Module | torch.export.ExportedProgram | torch.onnx.ONNXProgram
    AnyModel: TypeAlias = str | os.PathLike[str] | bytes | ModelProto | tvm.IRModule | TorchModel


@dataclass(frozen=True)
class ModelInput:
    """A model as ``compile`` was given it, with everything that reading it depends on.

    ``example_inputs`` trace a PyTorch module. ``params`` are weights or fixed inputs by name. A tensor larger
    than ``max_tensor_bytes`` is refused. ``data_folder`` has an ONNX model's external data.
    """

    model: AnyModel
    example_inputs: Any = None
    params: ParamsSource | None = None
    max_tensor_bytes: int | None = None
    data_folder: str | os.PathLike[str] | None = None
    shapes: Any = None
    """Shapes of inputs by name, which may name dimensions of an ONNX model, once or several times."""


@dataclass(frozen=True)
class Source:
    """A model that was read: the dimensions that it declares of its inputs and, where it says so, of its
    outputs, and a function that imports it with its inputs in given shapes."""

    inputs: Declared
    outputs: Declared
    module: Callable[[Mapping[str, Shape]], tvm.IRModule]
    typical: Mapping[str, int] = field(default_factory=dict)
    """Typical values of dimensions that the model itself says, by name."""


def read_source(given: ModelInput, *, keeps: bool) -> Source:
    """Read a model.

    keeps=True: copy a model in memory, so that later changes by the caller do not affect it.
    Raises ModelError.
    """
    model, params, most_bytes = given.model, given.params, given.max_tensor_bytes
    kind = kind_of(model)
    if kind in (TORCH, TFLITE, RELAY) or isinstance(model, tvm.IRModule):
        refuse_names(given.shapes)
    if given.example_inputs is not None and kind is not TORCH:
        raise ModelError("example_inputs applies to torch modules")
    if params and kind in (TORCH, TFLITE):
        raise ModelError(f"params does not apply: {kind.name} holds its weights")
    if not isinstance(model, str | os.PathLike | bytes | ModelProto | tvm.IRModule) and kind is not TORCH:
        raise ModelError(
            "a model is a path, a name, bytes, an onnx ModelProto, a torch module or a Relax IRModule, "
            f"not of type {type(model).__name__}"
        )
    if kind is TORCH:
        program, declared, typical = program_of(model, given.example_inputs)
        return Source(declared, {}, lambda shapes: import_torch(program, None, shapes, most_bytes), typical)
    if kind is TFLITE:
        file = read_tflite(model, most_bytes)
        if not file.leaves_open:
            return _fixed_source(import_tflite(file, None, most_bytes))
        return Source(file.inputs, {}, lambda shapes: import_tflite(file, shapes, most_bytes), file.typical)
    if kind is RELAY and not isinstance(model, bytes):
        text = read_relay(model, params)
        return Source(
            text.inputs, {}, lambda shapes: check_module(import_relay(text, bind_all=True), {}, most_bytes)
        )
    by_name = params if params is None or isinstance(params, Mapping) else load_params(params)
    if isinstance(model, tvm.IRModule):
        return _relax_source(model.clone() if keeps else model, dict(by_name or {}), most_bytes)
    proto = onnx_model(given, keeps=keeps)
    outputs = {value.name: onnx_dims(value) for value in proto.graph.output}
    return Source(onnx_inputs(proto), outputs, lambda shapes: import_onnx(proto, shapes, most_bytes))


def is_onnx(model: AnyModel) -> bool:
    """Return whether ``onnx_model`` reads a model."""
    kind = kind_of(model)
    return kind not in (TORCH, TFLITE, RELAY) and not isinstance(model, tvm.IRModule)


def onnx_model(given: ModelInput, *, keeps: bool) -> ModelProto:
    """Read an ONNX model, or one of the zoo, as ``read_source`` does. Raises ModelError for other files."""
    model, params = given.model, given.params
    kind = kind_of(model)
    by_name = params if params is None or isinstance(params, Mapping) else load_params(params)
    if kind is ZOO:
        assert isinstance(model, str)
        found = zoo.resolve_model(model)
        model = found if isinstance(found, Path) else zoo.load_model(found)
    elif kind is not None and kind not in MODELS:
        what = "the given bytes" if isinstance(model, bytes) else f"'{os.fsdecode(model)}'"
        raise ModelError(f"{what} is {kind.name}, not a model to compile: {kind.taken}")
    proto = read(model, given.data_folder)
    if by_name:
        proto = bind_inputs(proto, by_name)
    elif keeps and proto is model:
        proto = ModelProto()
        proto.CopyFrom(model)
    return with_names(proto, given.shapes)


def _fixed_source(module: tvm.IRModule) -> Source:
    return Source(relax_inputs(module, {}), {}, lambda shapes: module)


def _relax_source(module: tvm.IRModule, params: Mapping[str, Any], max_tensor_bytes: int | None) -> Source:
    params = named_params(module, params)
    declared = relax_inputs(module, params)

    def imported(shapes: Mapping[str, Shape]) -> tvm.IRModule:
        symbolic = any(declared[name] != shape for name, shape in shapes.items())
        fixed = _with_shapes(module, shapes) if symbolic else module
        return import_model(fixed, params, max_tensor_bytes=max_tensor_bytes)

    return Source(declared, relax_outputs(module) if declared else {}, imported)


def _with_shapes(module: tvm.IRModule, shapes: Mapping[str, Shape]) -> tvm.IRModule:
    """The module with the symbolic dimensions of main's parameters bound to what these shapes have there."""
    main = module["main"]
    params = dict(zip(relax_names(main), tensor_params(main), strict=True))
    values = {
        dim: size
        for name, shape in shapes.items()
        if isinstance(params[name].ty.shape, relax.ShapeExpr)
        for dim, size in zip(params[name].ty.shape.values, shape, strict=True)
        if isinstance(dim, tvm.tirx.Var)
    }
    bound = main.bind_symbolic_vars(values)
    for name, param in zip(relax_names(bound), tensor_params(bound), strict=True):
        if name in shapes and shape_of(param) != shapes[name]:
            raise ModelError(f"input '{name}' ({params[name].ty}) cannot have shape {shapes[name]}")
    fixed = module.clone()
    fixed.update_func(fixed.get_global_var("main"), bound)
    return fixed
