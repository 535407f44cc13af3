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
from relay_strategies.relax.outputs import OUTPUT_NAMES
from tvm_directconv.errors import ModelError

from .bound_inputs import bind_inputs
from .graph_importer import convert
from .reading import read
from .skeleton import make_skeleton


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
        module = convert(skeleton.model, skeleton.weights)
    names = {INPUT_NAMES: list(skeleton.inputs), OUTPUT_NAMES: list(skeleton.outputs)}
    main = relax.analysis.remove_all_unused(module["main"].without_attr("num_input").with_attr(names))
    module.update_func(module.get_global_var("main"), main)
    return check_module(module, {}, max_tensor_bytes)
