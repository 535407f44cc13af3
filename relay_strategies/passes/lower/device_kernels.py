"""Kernels as dlight is to schedule them for a GPU.

*Sums of one term* are what they are: TVM 0.27 joins what follows such a sum to its first value and to its
step as well, where it counts twice, as ``reverse_compute_inline`` takes the block for one that sums, and its
axes, of one step, for ones that do not. *Assertions* go, for a GPU raises nothing.
"""

from __future__ import annotations

from tvm import ir, tirx
from tvm.s_tir import SBlock
from tvm_ffi import structural_map

from relay_strategies.relax.kernels import SCHEDULED

from .schedule_default import without_scopes


def for_device(function: tirx.PrimFunc) -> tirx.PrimFunc:
    """The function without assertions, and with all reductions of one term each computed at once, without a
    first value."""
    rules = [(tirx.SeqStmt, _silent), (SBlock, _at_once)]
    plain = without_scopes(function).without_attr(SCHEDULED)
    return plain.with_body(structural_map(plain.body, rules))


def _silent(sequence: tirx.SeqStmt) -> tirx.Stmt:
    kept = [each for each in sequence.seq if not isinstance(each, tirx.AssertStmt)]
    return tirx.SeqStmt(kept) if len(kept) > 1 else kept[0]


def _at_once(block: SBlock) -> SBlock:
    first, step = block.init, block.body
    if not (isinstance(first, tirx.BufferStore) and isinstance(step, tirx.BufferStore)):
        return block
    summed = [axis for axis in block.iter_vars if axis.iter_type == tirx.IterVar.CommReduce]
    if any(int(axis.dom.extent) != 1 for axis in summed):
        return block

    def begun(load: ir.TensorLoad) -> ir.Expr:
        return first.value if load.source.same_as(first.buffer) else load

    axes = [tirx.IterVar(axis.dom, axis.var, tirx.IterVar.DataPar) for axis in block.iter_vars]
    body = structural_map(step, (ir.TensorLoad, begun))
    kept = (block.alloc_buffers, block.match_buffers, block.annotations)
    return SBlock(axes, block.reads, block.writes, block.name_hint, body, None, *kept)
