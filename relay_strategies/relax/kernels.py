"""Scheduled kernels as TVM's passes see them."""

from __future__ import annotations

from tvm import tirx

KERNEL_CALLS = ("relax.call_tir", "relax.call_tir_inplace")
"""They call a kernel, their first argument."""
OPAQUE = 8  # relax's OpPatternKind.kOpaque


def scheduled(kernel: tirx.PrimFunc) -> tirx.PrimFunc:
    """``kernel`` marked so that FuseOps leaves it alone and no default schedule is looked for."""
    kernel = kernel.without_attr("global_symbol").with_attr("op_pattern", OPAQUE)
    return kernel.with_attr("tirx.is_scheduled", True)
