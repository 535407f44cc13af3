"""Kernels, about to be printed, changed statement by statement and expression by expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tvm
from tvm import tirx
from tvm_ffi import structural_map

Rule = tuple[type | tuple[type, ...], Callable[[Any], Any]]


def rewritten(module: tvm.IRModule, rules: Sequence[Rule]) -> tvm.IRModule:
    """Return the module with ``rules`` applied to the body of each of its kernels."""
    changed = {
        var: func.with_body(structural_map(func.body, rules)) if isinstance(func, tirx.PrimFunc) else func
        for var, func in module.functions_items()
    }
    return tvm.IRModule(changed, attrs=module.attrs)
