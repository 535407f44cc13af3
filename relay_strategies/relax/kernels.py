"""Scheduled kernels as TVM's passes see them."""

from __future__ import annotations

from collections.abc import Sequence

import tvm
from tvm import relax, tirx
from tvm.ir import GlobalVar
from tvm.s_tir import SBlock
from tvm_ffi import structural_walk

from tvm_directconv.algorithms.lowering import called_kernels
from tvm_directconv.problem.element_types import tensor_bytes
from tvm_directconv.problem.extents import typical
from tvm_directconv.problem.open_sizes import active_sizes
from tvm_directconv.problem.size_text import text_of
from tvm_directconv.runtime.size_values import evaluated

from .graph import bindings, variables

KERNEL_CALLS = ("relax.call_tir", "relax.call_tir_inplace")
"""Operators that call a kernel, their first argument."""
FOREIGN_CALLS = ("relax.call_tir", "relax.call_dps_packed", "relax.call_pure_packed", "relax.invoke_closure")
"""The functions that these call compute in the types that they are written for."""
SCHEDULED = "tirx.is_scheduled"
OPAQUE = 8  # relax's OpPatternKind.kOpaque
NOT_OF_CALLS = (
    *("s_tir.CompactBufferAllocation", "s_tir.InjectPermutedLayout", "s_tir.InjectVirtualThread"),
    *("s_tir.LoopPartition", "s_tir.RenormalizeSplitPattern"),
    *("s_tir.StmtSimplify", "s_tir.HoistIfThenElse"),  # tirx.StmtSimplify comes behind them
    *("tirx.RemoveNoOp", "tirx.CommonSubexprElim"),
)
"""Passes of TVM's that change nothing in calls of generated routines, or nothing that LLVM does not, and take
most of the time of functions with many."""
SMALLEST_WORKSPACE = 1024
"""TVM keeps buffers of fewer bytes on the stack, but for those of scope local."""
FLOPS = "directconv.flops"
"""This attribute of kernels that multiply matrices says how many operations that is."""


def scheduled(kernel: tirx.PrimFunc) -> tirx.PrimFunc:
    """``kernel`` marked so that FuseOps leaves it alone and no default schedule is looked for."""
    kernel = kernel.without_attr("global_symbol").with_attr("op_pattern", OPAQUE)
    return kernel.with_attr(SCHEDULED, True)


def is_scheduled(kernel: tirx.PrimFunc) -> bool:
    return bool(kernel.attrs and kernel.attrs.get(SCHEDULED, False))


def calls_routines(kernel: tirx.PrimFunc) -> bool:
    """Return whether a kernel calls generated routines."""
    return bool(called_kernels(kernel.body))


def kernel_workspace(kernel: tirx.PrimFunc, given: Sequence[Sequence[int]] = ()) -> int:
    """The bytes that a kernel asks TVM's allocator for while it runs, at typical sizes; of what each thread
    asks for, one's. Its tensors have the shapes ``given``."""
    total = 0
    sizes = active_sizes()
    known = {} if sizes is None else dict(sizes.typical)
    tensors = [param.ty for param in kernel.params if isinstance(param.ty, tirx.BufferType)]
    for ty, shape in zip(tensors, given, strict=False):
        dims = zip(ty.shape, shape, strict=True)
        known |= {str(dim.name): typical(size) for dim, size in dims if isinstance(dim, tirx.Var)}

    def value(size: tirx.Expr) -> int:
        return evaluated(text_of(size), known)

    def add(buffer: tirx.Buffer) -> None:
        nonlocal total
        size = tensor_bytes(tuple(map(value, buffer.shape)), buffer.dtype)
        total += size if buffer.scope() == "local" or size >= SMALLEST_WORKSPACE else 0

    def of_block(block: SBlock) -> None:
        for buffer in block.alloc_buffers:
            add(buffer)

    def of_call(call: tvm.ir.Call) -> None:
        nonlocal total
        if isinstance(call.op, tvm.ir.Op) and call.op.name == "tirx.TVMBackendAllocWorkspace":
            total += value(call.args[2])

    structural_walk(
        kernel.body,
        [(SBlock, of_block), (tirx.AllocBuffer, lambda node: add(node.buffer)), (tvm.ir.Call, of_call)],
    )
    return total


def asserts(kernel: tirx.PrimFunc) -> bool:
    """Whether a kernel raises errors of its own, as one does for positions outside of its data."""
    found: list[tirx.AssertStmt] = []
    structural_walk(kernel.body, (tirx.AssertStmt, found.append))
    return bool(found)


def kernels_of_inputs(module: tvm.IRModule) -> set[GlobalVar]:
    """The kernels that a module ready for the virtual machine gives its functions' own arguments, or views of
    them; all others are given what the functions have allocated, and constants."""
    found: set[GlobalVar] = set()

    def look(body: relax.SeqExpr, given: set[relax.Var]) -> None:
        for binding in bindings(body):
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
