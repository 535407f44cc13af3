"""The parameters of a network's function: tensors, and what open dimensions are made of.

A dimension of 32 times ``k`` does not define ``k`` for Relax; a shape that is a parameter does.
``DefineParts`` drops it in the end.
"""

from __future__ import annotations

from tvm import relax

from tvm_directconv.problem.open_sizes import active_sizes


def tensor_params(main: relax.Function) -> list[relax.Var]:
    """Return the parameters that are inputs of the network."""
    return [param for param in main.params if not isinstance(param.ty, relax.ShapeType)]


def size_params() -> list[relax.Var]:
    """Return the parameter of the parts of the open sizes, if there are any."""
    sizes = active_sizes()
    return [relax.Var("sizes", relax.ShapeType(sizes.parts))] if sizes and sizes.parts else []
