"""Check the module that a frontend has made, or that a user gives, before anything is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tvm
from tvm import relax

from relay_strategies.relax.graph import shape_of
from relay_strategies.relax.parameters import tensor_params
from tvm_directconv.errors import ModelError, last_line, let_through, nearest

from .sizes import refuse_sizes

INPUT_NAMES = "input_names"
"""The attribute of a function that holds the names of its inputs."""


def check_module(
    module: tvm.IRModule, params: Mapping[str, Any], max_tensor_bytes: int | None = None
) -> tvm.IRModule:
    """``module`` with ``params`` bound, after checking that this library can compile it."""
    functions = {v.name_hint: f for v, f in module.functions_items()}
    if not isinstance(functions.get("main"), relax.Function):
        found = ", ".join(functions) or "nothing"
        raise ModelError(f"the module lacks a Relax function 'main'; it has {found}")
    if params:
        module = _bind_params(module, params)
    try:
        relax.analysis.well_formed(module)
    except Exception as error:  # TVM raises plain RuntimeErrors
        let_through(error)
        raise ModelError(f"the Relax module is not well formed: {last_line(error)}") from error
    used = set(relax.analysis.free_vars(module["main"].body))
    for param in tensor_params(module["main"]):
        shape = shape_of(param)
        if shape is None:
            raise ModelError(f"input '{param.name}' ({param.ty}) does not have a static tensor shape")
        if 0 in shape and param in used:
            raise ModelError(f"input '{param.name}': dimension {shape.index(0)} is 0")
    relax_functions = [function for function in functions.values() if isinstance(function, relax.Function)]
    refuse_sizes(relax_functions, max_tensor_bytes)
    return module


def _bind_params(module: tvm.IRModule, params: Mapping[str, Any]) -> tvm.IRModule:
    by_name = {param.name: param for param in module["main"].params}
    tensors = {}
    for name, value in params.items():
        if name not in by_name:
            raise ModelError(f"params has '{name}', no parameter of main{nearest(name, by_name)}")
        tensor = value if isinstance(value, tvm.runtime.Tensor) else tvm.runtime.tensor(value)
        if tuple(tensor.shape) != shape_of(by_name[name]):
            raise ModelError(
                f"params['{name}'] has shape {tuple(tensor.shape)}, main wants {by_name[name].ty}"
            )
        tensors[name] = tensor
    main, bound = module["main"], relax.transform.BindParams("main", tensors)(module)
    if main.attrs and INPUT_NAMES in main.attrs:
        names = zip(main.attrs[INPUT_NAMES], main.params, strict=True)
        left = [str(name) for name, param in names if param.name not in tensors]
        bound.update_func(bound.get_global_var("main"), bound["main"].with_attr({INPUT_NAMES: left}))
    return bound
