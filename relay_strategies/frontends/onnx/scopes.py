"""Scopes: the functions that a graph becomes, ``main`` and those of loops' bodies and of branches.

What an inner function reads of outer ones becomes a parameter as it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import tvm
from tvm import relax, tirx

from relay_strategies.relax.inner_functions import INNER, Inner, with_inner
from tvm_directconv.problem.open_sizes import measuring_sizes


@dataclass(eq=False)
class Scope:
    """A function that is being made, with the values that it knows by name.

    ``params`` are those of an inner function that its caller has for it; ``read`` has those that stand for
    values of the function around it, by these. ``selected`` are results of operators that select, by the
    operators and what they are given.
    """

    builder: relax.BlockBuilder
    outer: Scope | None = None
    values: dict[str, relax.Expr] = field(default_factory=dict)
    selected: dict[tuple[object, ...], list[str]] = field(default_factory=dict)
    params: list[relax.Var] = field(default_factory=list)
    read: dict[relax.Var, relax.Var] = field(default_factory=dict)
    results: list[relax.Expr] = field(default_factory=list)
    inner: dict[str, Inner] = field(default_factory=dict)

    def param(self, name: str, ty: relax.Type) -> relax.Var:
        """Add a parameter, the value of that name."""
        var = relax.Var(f"p{len(self.params)}", ty)
        self.params.append(var)
        self.values[name] = var
        return var

    def reads(self, value: relax.Expr) -> relax.Expr:
        """Return what stands for a value of the function around this one."""
        if not isinstance(value, relax.Var):
            return value
        if value not in self.read:
            self.read[value] = relax.Var(f"r{len(self.read)}", value.ty)
        return self.read[value]


def finished(scopes: Sequence[Scope]) -> tuple[tuple[tvm.IRModule, ...], list[relax.Expr]]:
    """Return the modules of inner functions between which a call decides, and what it gives all of them after
    their own parameters: what they read, and the sizes."""
    given = list({value: None for scope in scopes for value in scope.read})
    functions = [scope.builder.get()["main"] for scope in scopes]
    variables = _sizes(functions)
    modules = []
    for scope, function in zip(scopes, functions, strict=True):
        read = [
            scope.read[value] if value in scope.read else relax.Var("unused", value.ty) for value in given
        ]
        sizes = [relax.Var("sizes", relax.ShapeType(variables))] if variables else []
        attributes = {INNER: 1, "global_symbol": "main"}
        whole = relax.Function(
            [*scope.params, *read, *sizes],
            function.body,
            function.ret_ty,
            is_pure=True,
            attrs=tvm.ir.make_node("ir.DictAttrs", **attributes),
        )
        module = scope.builder.get().clone()
        module.update_func(module.get_global_var("main"), whole)
        modules.append(with_inner(module, scope.inner))
    return tuple(modules), [*given, *([relax.ShapeExpr(variables)] if variables else [])]


def _sizes(functions: Sequence[relax.Function]) -> list[tirx.Var]:
    """The sizes that functions may have in their code: dimensions, and sizes known when the model runs that
    the functions have from outside."""
    sizes = measuring_sizes()
    if sizes is None:
        return []
    free = {str(var.name) for each in functions for var in relax.analysis.free_symbolic_vars(each)}
    return [var for name, var in sizes.variables.items() if name not in sizes.measured or name in free]
