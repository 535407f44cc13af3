"""Sums of one term as what they are.

TVM 0.27 joins what follows such a sum to its first value and to its step as well, where it counts twice:
``reverse_compute_inline`` takes the block for one that sums, and its axes, of one step, for ones that do not.
"""

from __future__ import annotations

from tvm import ir, tirx
from tvm.s_tir import SBlock
from tvm_ffi import structural_map


def without_single_terms(function: tirx.PrimFunc) -> tirx.PrimFunc:
    """The function with all reductions of one term each computed at once, without a first value."""
    return function.with_body(structural_map(function.body, (SBlock, _at_once)))


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
