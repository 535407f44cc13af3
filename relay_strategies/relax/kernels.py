"""Scheduled kernels as TVM's passes see them."""

from __future__ import annotations

import tvm
from tvm import relax, s_tir, tirx
from tvm.ir import GlobalVar

from .graph import variables

KERNEL_CALLS = ("relax.call_tir", "relax.call_tir_inplace")
"""They call a kernel, their first argument."""
OPAQUE = 8  # relax's OpPatternKind.kOpaque
FLOPS = "directconv.flops"
"""This attribute of kernels that multiply matrices says how many operations that is."""


def scheduled(kernel: tirx.PrimFunc) -> tirx.PrimFunc:
    """``kernel`` marked so that FuseOps leaves it alone and no default schedule is looked for."""
    kernel = kernel.without_attr("global_symbol").with_attr("op_pattern", OPAQUE)
    return kernel.with_attr("tirx.is_scheduled", True)


def kernel_workspace(kernel: tirx.PrimFunc) -> int:
    """The bytes of a kernel's own buffers, those of one thread where threads have some each."""
    found = s_tir.analysis.calculate_allocated_bytes(kernel)
    return sum(int(size) for of_scopes in found.values() for size in of_scopes.values())


def kernels_of_inputs(module: tvm.IRModule) -> set[GlobalVar]:
    """The kernels that a module ready for the virtual machine gives its functions' own arguments, or views of
    them; all others are given what the functions have allocated, and constants."""
    found: set[GlobalVar] = set()

    def look(body: relax.SeqExpr, given: set[relax.Var]) -> None:
        for block in body.blocks:
            for binding in block.bindings:
                value = binding.value
                if isinstance(value, relax.If):
                    look(value.true_branch, given)
                    look(value.false_branch, given)
                if given.isdisjoint(variables(value)):
                    continue
                if isinstance(value, relax.Call) and isinstance(value.op, GlobalVar):
                    found.add(value.op)
                given.add(binding.var)

    for function in module.functions.values():
        if isinstance(function, relax.Function):
            look(function.body, set(function.params))
    return found
