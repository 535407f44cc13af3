"""Loops of vectors over a length that is not whole ones: what is left is computed one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize
from tvm_ffi import structural_map


def with_tails(func: tirx.PrimFunc) -> tirx.PrimFunc:
    """Return what is scheduled, each vector computed under one condition, that all of it is there, and
    element by element where not. TVM would test every element of every vector."""

    def apart(loop: tirx.For) -> tirx.Stmt:
        realized = loop.body
        if loop.kind != tirx.ForKind.VECTORIZED or not isinstance(realized, SBlockRealize):
            return loop
        if isinstance(realized.predicate, tirx.IntImm):
            return loop
        all_there = _replaced(realized.predicate, {loop.loop_var: loop.extent - 1})
        whole = SBlockRealize(realized.iter_values, tirx.const(True, "bool"), realized.block)
        vector = tirx.For(loop.loop_var, loop.min, loop.extent, tirx.ForKind.VECTORIZED, whole)
        return tirx.IfThenElse(all_there, vector, _one_by_one(loop, realized))

    return func.with_body(structural_map(func.body, (tirx.For, apart)))


def _one_by_one(loop: tirx.For, realized: SBlockRealize) -> tirx.For:
    """The loop as a serial one, with variables of its own."""
    variable, block = tirx.Var(loop.loop_var.name, loop.loop_var.ty), realized.block
    axes = [
        tirx.IterVar(axis.dom, tirx.Var(axis.var.name, axis.var.ty), axis.iter_type)
        for axis in block.iter_vars
    ]
    anew = {old.var: new.var for old, new in zip(block.iter_vars, axes, strict=True)}
    parts = [_replaced(part, anew) for part in (block.reads, block.writes, block.body)]
    copied = SBlock(axes, parts[0], parts[1], f"{block.name_hint}_tail", parts[2])
    values, predicate = (
        _replaced(part, {loop.loop_var: variable}) for part in (realized.iter_values, realized.predicate)
    )
    return tirx.For(
        variable, loop.min, loop.extent, tirx.ForKind.SERIAL, SBlockRealize(values, predicate, copied)
    )


def _replaced(part: Any, values: Mapping[tirx.Var, Any]) -> Any:
    return structural_map(part, (tirx.Var, lambda variable: values.get(variable, variable)))
