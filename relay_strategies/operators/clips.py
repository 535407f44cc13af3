"""Clips in all their spellings: each becomes ``relax.clip`` or ``relax.nn.relu``, and clips of clips one."""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax

from intrinsics.epilogue import Clip
from relay_strategies.relax.graph import Rewriter, dtype_of, operator_name, shape_of
from relay_strategies.relax.quantization import BYTES
from relay_strategies.relax.steps import FLOAT, RECOGNISERS, number_of, step_of

RELU = Clip(low=0.0)


def simplified_clip(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """The one form of a call that clips by constants."""
    if _is_whole_range(call):
        return call.args[0]
    found = step_of(call)
    if found is None or not isinstance(found[1], Clip) or shape_of(found[0]) != shape_of(call):
        return None
    return clipped(rewriter, found[0], found[1])


def _is_whole_range(call: relax.Call) -> bool:
    """Whether it clips integers to what their type holds, as activations of quantized numbers may."""
    if operator_name(call) != "relax.clip" or dtype_of(call) not in BYTES:
        return False
    limits, (low, high) = np.iinfo(dtype_of(call)), map(number_of, call.args[1:3])
    return low is not None and high is not None and low <= limits.min and limits.max <= high


def clipped(rewriter: Rewriter, data: relax.Expr, clip: Clip) -> relax.Expr:
    """``data`` clipped, merged with a clip that made it; a ReLU where that is what it is."""
    before = step_of(rewriter.produced(data, *RECOGNISERS))
    if clip == Clip():
        return data
    if before is not None:
        source, inner = before
        both = clip.after(inner)
        if isinstance(both, Clip):
            return data if both == inner else clipped(rewriter, source, both)
    if clip == RELU:
        return relax.op.nn.relu(data)
    return relax.op.clip(data, tvm.tirx.const(clip.low, FLOAT), tvm.tirx.const(clip.high, FLOAT))
