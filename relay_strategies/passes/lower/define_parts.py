"""DefineParts: what open dimensions are made of is computed from the shapes of inputs."""

from __future__ import annotations

from typing import Any

import tvm
from tvm import relax, tirx

from relay_strategies.relax.inner_functions import is_inner
from relay_strategies.relax.parameters import tensor_params
from tvm_directconv.problem.open_sizes import active_sizes
from tvm_directconv.problem.ties import rebuilt


@tvm.transform.module_pass(opt_level=0, name="directconv.DefineParts")
def DefineParts(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Have the function take tensors of whole dimensions, and no parts: what was of shape (n, 3, 32 * k) is
    given as (n, 3, h), and k is h // 32. An inner function is given all sizes."""
    main, sizes = module["main"], active_sizes()
    inputs = tensor_params(main)
    if sizes is None or len(inputs) == len(main.params) or is_inner(main):
        return module
    dims = dict(sizes.variables)

    def whole(size: tirx.Expr) -> Any:
        return rebuilt(sizes.outward(size), lambda part: _known(part, dims))

    params, casts = [], []
    for old in inputs:
        shape = list(map(whole, old.ty.shape.values))
        params.append(relax.Var(old.name, relax.TensorType(shape, old.ty.dtype)))
        casts.append(relax.MatchCast(old, params[-1], old.ty))
    body = relax.SeqExpr([relax.BindingBlock(casts), *main.body.blocks], main.body.body)
    builder = relax.BlockBuilder(module.clone())
    body = builder.normalize(body)
    both = relax.Function([*params, *main.params[len(inputs) :]], body, None, main.is_pure, main.attrs)
    bound = both.bind_symbolic_vars({part: whole(part) for part in sizes.parts})
    function = relax.Function(tensor_params(bound), bound.body, None, main.is_pure, main.attrs)
    builder.update_func(module.get_global_var("main"), function)
    return builder.get()


def _known(part: tirx.Expr, dims: dict[str, tirx.Var]) -> tirx.Expr | None:
    """The variable of a dimension, by its name; None for anything else."""
    return dims.setdefault(str(part.name), part) if isinstance(part, tirx.Var) else None
