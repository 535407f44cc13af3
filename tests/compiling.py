"""Functions compiled for tests, together, and without what costs LLVM as much as the functions themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import tvm
from tvm import tirx


def named_module(functions: Mapping[str, tirx.PrimFunc]) -> tvm.IRModule:
    return tvm.IRModule({name: func.with_attr("global_symbol", name) for name, func in functions.items()})


def compile_unchecked(module: tvm.IRModule, target: tvm.target.Target) -> tvm.runtime.Executable:
    """Compile the functions of a module without TVM's checks of arguments: ``check_arguments`` does them."""
    # A function alone would be compiled twice, once as the entry of its module.
    context = {"config": {"tirx.disable_assert": True}, "disabled_pass": ["tirx.AnnotateEntryFunc"]}
    with tvm.transform.PassContext(**context):
        return tvm.compile(module, target=target)


def check_arguments(function: tirx.PrimFunc, arguments: Sequence[np.ndarray | tvm.runtime.Tensor]) -> None:
    """Fail unless the function takes arguments of these shapes and types."""
    wanted = [(tuple(map(int, p.shape)), str(p.dtype)) for p in function.params]
    assert [(tuple(a.shape), str(a.dtype)) for a in arguments] == wanted
