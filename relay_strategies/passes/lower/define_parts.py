"""DefineParts: what open dimensions are made of is computed from the shapes of inputs."""

from __future__ import annotations

from typing import Any

import tvm
from tvm import relax, tirx

from relay_strategies.relax.inner_functions import is_inner
from relay_strategies.relax.parameters import tensor_params
from tvm_directconv.problem.open_sizes import active_sizes
from tvm_directconv.problem.size_text import variables_of
from tvm_directconv.problem.ties import rebuilt


@tvm.transform.module_pass(opt_level=0, name="directconv.DefineParts")
def DefineParts(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Have the function take tensors of whole dimensions, and no parts: what was of shape (n, 3, 32 * k) is
    given as (n, 3, h), and k is h // 32. Sizes that follow from dimensions by floats are computed first; an
    inner function is given all sizes."""
    main, sizes = module["main"], active_sizes()
    inputs = tensor_params(main)
    if sizes is None or len(inputs) == len(main.params) or is_inner(main):
        return module
    dims: dict[str, tirx.Expr] = dict(sizes.variables)

    def whole(size: tirx.Expr) -> Any:
        return rebuilt(sizes.outward(size), lambda part: _known(part, dims))

    params, casts = [], []
    for old in inputs:
        shape = list(map(whole, old.ty.shape.values))
        params.append(relax.Var(old.name, relax.TensorType(shape, old.ty.dtype)))
        casts.append(relax.MatchCast(old, params[-1], old.ty))
    parts = {part: sizes.outward(part) for part in sizes.parts}
    of_dims = {
        part: whole(part) for part, size in parts.items() if variables_of(size).isdisjoint(sizes.computed)
    }
    for name, formula in sizes.computed.items():
        dims[name] = rebuilt(formula, lambda part: _known(part, dims))
    casts += [_defined(part, whole(part)) for part in parts if part not in of_dims]
    body = relax.SeqExpr([relax.BindingBlock(casts), *main.body.blocks], main.body.body)
    builder = relax.BlockBuilder(module.clone())
    body = builder.normalize(body)
    both = relax.Function([*params, *main.params[len(inputs) :]], body, None, main.is_pure, main.attrs)
    bound = both.bind_symbolic_vars(of_dims)
    function = relax.Function(tensor_params(bound), bound.body, None, main.is_pure, main.attrs)
    builder.update_func(module.get_global_var("main"), function)
    return builder.get()


def _defined(var: tirx.Var, size: tirx.Expr) -> relax.MatchCast:
    """The binding by which a size is what an expression of those before it is."""
    shape = relax.ShapeType([var])
    return relax.MatchCast(relax.Var(str(var.name), shape), relax.ShapeExpr([size]), shape)


def _known(part: tirx.Expr, dims: dict[str, tirx.Expr]) -> tirx.Expr | None:
    """The variable of a dimension, or what it is computed by, by its name; None for anything else."""
    return dims.setdefault(str(part.name), part) if isinstance(part, tirx.Var) else None
