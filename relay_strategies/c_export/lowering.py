"""The pipeline of TVM around its calling convention, for kernels that get another."""

from __future__ import annotations

import tvm
from tvm import tirx

from relay_strategies.relax.kernels import NOT_OF_CALLS, calls_routines
from tvm_directconv.targets.target import CompileTarget

PACKED = ("tirx.MakePackedAPI", "tirx.FP8StorageLegalize", "tirx.BF16StorageLegalize")
"""The passes of TVM's pipeline that make its calling convention, and those that come behind it."""
NAMES_SIZES = "tirx.CommonSubexprElim"
"""The pass that gives parts of open sizes names of their own; LLVM finds what is common, too."""


def lowered_kernels(kernels: dict[str, tirx.PrimFunc], target: CompileTarget) -> dict[str, tirx.PrimFunc]:
    """Return what TVM's pipeline makes of kernels before they get its calling convention."""
    pipeline, _, _ = tirx.get_default_tir_pipeline(target.tvm_target)
    host, config = target.tvm_target.with_host(target.tvm_target), {"tirx.disable_assert": True}
    found: dict[str, tirx.PrimFunc] = {}
    for left_out, alike in _groups(kernels).items():
        module = tvm.IRModule(
            {name: kernel.with_attr("global_symbol", name) for name, kernel in alike.items()}
        )
        with tvm.transform.PassContext(disabled_pass=[*PACKED, *left_out], config=config):
            lowered = tirx.transform.SkipAssert()(pipeline(tirx.transform.BindTarget(host)(module)))
        found |= {var.name_hint: function for var, function in lowered.functions_items()}
    return {name: found[name] for name in kernels}


def _groups(kernels: dict[str, tirx.PrimFunc]) -> dict[tuple[str, ...], dict[str, tirx.PrimFunc]]:
    """Kernels by the passes that they do without."""
    groups: dict[tuple[str, ...], dict[str, tirx.PrimFunc]] = {}
    for name, kernel in kernels.items():
        left_out = NOT_OF_CALLS if calls_routines(kernel) else (NAMES_SIZES,) if open_sizes(kernel) else ()
        groups.setdefault(left_out, {})[name] = kernel
    return groups


def finished_functions(functions: dict[str, tirx.PrimFunc]) -> dict[str, tirx.PrimFunc]:
    """Return what TVM's pipeline makes of functions behind its calling convention."""
    transform = tirx.transform
    passes = [
        transform.FP8StorageLegalize(),
        transform.BF16StorageLegalize(),
        transform.LowerTVMBuiltin(),
        transform.LowerIntrin(),
    ]
    finished = tvm.transform.Sequential(passes)(tvm.IRModule(functions))
    return {var.name_hint: function for var, function in finished.functions_items()}


def open_sizes(kernel: tirx.PrimFunc) -> dict[tirx.Var, tuple[int, int]]:
    """Return the variables of a kernel that it is given, or that are dimensions of its operands: the first
    that each is, or behind the operands its place among the numbers that the kernel is given."""
    operands = operands_of(kernel)
    scalars = [param for param in kernel.params if param not in operands]
    sizes = {scalar: (len(operands), number) for number, scalar in enumerate(scalars)}
    for operand, buffer in enumerate(operands):
        for axis, extent in enumerate(buffer.shape):
            if isinstance(extent, tirx.Var):
                sizes.setdefault(extent, (operand, axis))
    return sizes


def operands_of(kernel: tirx.PrimFunc) -> list[tirx.Buffer]:
    """Return the parameters of a kernel that are tensors."""
    return [param for param in kernel.params if isinstance(param.ty, tirx.BufferType)]
