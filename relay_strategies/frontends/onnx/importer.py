"""Models in: an ONNX network (or a Relax module) becomes a checked Relax IRModule with its weights bound.

The conversion itself is TVM's own ONNX frontend, with converters of ours before its own. The module that
comes out has one Relax function, ``main``, whose attributes keep the model's own input and output names, and
whose calls carry their ONNX node's name as source span.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import tvm
from google.protobuf.message import DecodeError
from onnx import ModelProto
from tvm import relax

from relay_strategies.frontends.budget import limited
from relay_strategies.frontends.checked import INPUT_NAMES, check_module
from relay_strategies.frontends.detached import named_params
from relay_strategies.operators import Values, names_of
from relay_strategies.relax.graph import Rewriter, make_constant, operator_name, variables
from relay_strategies.relax.names import LAYERS, name_of, named
from relay_strategies.relax.outputs import OUTPUT_NAMES
from tvm_directconv.errors import ModelError

from .bound_inputs import bind_inputs
from .graph_importer import convert
from .reading import read
from .skeleton import Skeleton, make_skeleton

# What may stand between a weight and the layer that uses it.
MOVES = (
    *names_of(Values.REARRANGED),
    *("relax.dequantize", "relax.astype", "relax.subtract", "relax.multiply"),
)


def import_model(
    model: str | os.PathLike[str] | bytes | ModelProto | tvm.IRModule,
    params: Mapping[str, Any] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    *,
    max_tensor_bytes: int | None = None,
    data_folder: str | os.PathLike[str] | None = None,
) -> tvm.IRModule:
    """A Relax IRModule from an ONNX path, bytes, ModelProto, or from a Relax IRModule.

    ``params`` binds parameters of a Relax module's ``main`` by name (numpy arrays or TVM tensors), or its
    last ones in order, as ``relax.frontend.detach_params`` gives them, or inputs of an ONNX model by name;
    ``shapes`` fixes symbolic dimensions of an ONNX model's inputs. No tensor may be larger than
    ``max_tensor_bytes``, by default ``sizes.MAX_TENSOR_BYTES``; ``data_folder`` is as of ``reading.read``.
    Raises ModelError, and UnsupportedOperatorError naming every operator that cannot be compiled.
    """
    if isinstance(model, tvm.IRModule):
        if shapes:
            raise ModelError("shapes applies to ONNX models; a Relax module has its shapes")
        return check_module(model, named_params(model, params), max_tensor_bytes)
    proto = read(model, data_folder)
    return import_onnx(bind_inputs(proto, params) if params else proto, shapes, max_tensor_bytes)


def import_onnx(
    model: str | os.PathLike[str] | bytes | ModelProto,
    shapes: Mapping[str, Sequence[int]] | None = None,
    max_tensor_bytes: int | None = None,
    data_folder: str | os.PathLike[str] | None = None,
) -> tvm.IRModule:
    """A Relax IRModule from an ONNX path, bytes or ModelProto, through TVM's own frontend."""
    proto = read(model, data_folder)
    with limited():
        try:
            skeleton = make_skeleton(proto, shapes, max_tensor_bytes)
        except (RecursionError, DecodeError):
            raise ModelError("the model's graphs are nested too deeply") from None
        module = convert(skeleton.model)
    main = (
        module["main"]
        .without_attr("num_input")
        .with_attr({INPUT_NAMES: list(skeleton.inputs), OUTPUT_NAMES: list(skeleton.outputs)})
    )
    module.update_func(module.get_global_var("main"), _BindWeights(main, skeleton).run_bound())
    return check_module(module, {}, max_tensor_bytes)


class _BindWeights(Rewriter):
    """Replaces weight parameters by constants and names the layers that use them. Other calls without a name
    get that of the one that they are for."""

    def __init__(self, main: relax.Function, skeleton: Skeleton) -> None:
        super().__init__(main, relax.BlockBuilder())
        count = len(skeleton.inputs)
        self._real, weights = list(main.params)[:count], list(main.params)[count:]
        self._names: dict[relax.Var, list[str]] = {}
        for param, (name, array) in zip(weights, skeleton.weights.items(), strict=True):
            self._names[param] = list(skeleton.layer_names.get(name, ()))
            self.bind(param, make_constant(array))

    def prepare(self) -> None:
        self._nodes = {var: name_of(value) for var, value in self.graph.bindings}
        for var, value in reversed(self.graph.bindings):
            for used in variables(value):
                self._nodes[used] = self._nodes.get(used) or self._nodes[var]

    def run_bound(self) -> relax.Function:
        return self.run(self._real)

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        self.builder.name = self._nodes[var]
        if operator_name(value) not in LAYERS:
            return self.builder.with_name(new)
        weight = value.args[1]
        while (moved := self.graph.call(weight, *MOVES)) is not None:
            weight = moved.args[0]
        names = self._names.get(weight)
        if not names:
            return self.builder.with_name(new)
        name = names.pop(0) if len(names) > 1 else names[0]
        return named(new, name)
