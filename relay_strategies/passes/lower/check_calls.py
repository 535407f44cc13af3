"""CheckCalls: no kernel is called with other operands than it takes.

Most kernels are compiled without TVM's checks of their arguments, which would take LLVM about as long as the
kernels and every call some time. TVM's own analysis makes the same comparison here, once per call: count,
shape and dtype of all operands and results. It takes about a millisecond for a network of a hundred layers.
"""

from __future__ import annotations

from collections.abc import Iterator

import tvm
from tvm import relax, tirx

from relay_strategies.relax.graph import bindings, dtype_of, shape_of
from relay_strategies.relax.kernels import KERNEL_CALLS
from tvm_directconv.errors import ModelError, last_line


@tvm.transform.module_pass(opt_level=0, name="directconv.CheckCalls")
def CheckCalls(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Raise ModelError for a module whose functions call kernels with operands that these do not take; it
    names the kernel, the operand, and the tensor that the kernel makes."""
    try:
        relax.analysis.well_formed(module)
    except ValueError as error:
        told = next(_mistakes(module), None) or last_line(error)
        raise ModelError(f"a kernel would be called with other operands than it takes: {told}") from error
    return module


def _mistakes(module: tvm.IRModule) -> Iterator[str]:
    """Say of each call of a kernel what is wrong with it; of tensors of known shapes."""
    for function in module.functions.values():
        for binding in bindings(function.body) if isinstance(function, relax.Function) else ():
            call = binding.value
            if not isinstance(call, relax.Call) or getattr(call.op, "name", "") not in KERNEL_CALLS:
                continue
            kernel = module[call.args[0]]
            given = [each for each in call.args[1].fields if isinstance(each.ty, relax.TensorType)]
            where = f"kernel '{call.args[0].name_hint}', which makes '{binding.var.name}'"
            takes = [param for param in kernel.params if isinstance(param.ty, tirx.BufferType)]
            in_place = call.op.name != KERNEL_CALLS[0]
            given += [] if in_place else _results(binding.var)
            if len(takes) != len(given):
                yield f"{where}, takes {len(takes)} tensors and is given {len(given)}"
            for param, tensor in zip(takes, given, strict=False):
                wanted, got = (str(param.dtype), _fixed(param.shape)), (dtype_of(tensor), shape_of(tensor))
                if None not in (wanted[1], got[1]) and wanted != got:
                    told = " ".join(map(str, got)), " ".join(map(str, wanted))
                    yield f"{where}, is given {told[0]} as '{param.name}', which is {told[1]}"


def _results(var: relax.Var) -> list[relax.Expr]:
    """The tensors that a call makes, of which there may be several."""
    types = var.ty.fields if isinstance(var.ty, tvm.ir.TupleType) else [var.ty]
    return [relax.Var(var.name, kind) for kind in types]


def _fixed(shape: tvm.ir.Array) -> tuple[int, ...] | None:
    return tuple(map(int, shape)) if all(isinstance(size, tirx.IntImm) for size in shape) else None
