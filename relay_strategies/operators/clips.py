"""Clips in all their spellings: each becomes ``relax.clip`` or ``relax.nn.relu``, and clips of clips one."""

from __future__ import annotations

import math

import numpy as np
import tvm
from tvm import relax

from intrinsics.epilogue import Clip
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.epilogue_steps import FLOAT, RECOGNISERS, number_of, step_of
from relay_strategies.relax.graph import Rewriter, dtype_of, operator_name, shape_of
from relay_strategies.relax.quantize_calls import BYTES, QUANTIZE, parameters_of

RELU = Clip(low=0.0)


def simplified_clip(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """The one form of a call that clips by constants."""
    if operator_name(call) == "relax.clip" and dtype_of(call) in BYTES:
        return _clipped_integers(rewriter, call)
    found = step_of(call)
    if found is None or not isinstance(found[1], Clip) or shape_of(found[0]) != shape_of(call):
        return None
    return clipped(rewriter, found[0], found[1])


def _clipped_integers(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """A clip of integers to all that their type holds is none; one of what was just quantized, as bounded
    activations of quantized networks may be written, is a clip of the numbers before."""
    limits, (low, high) = np.iinfo(dtype_of(call)), map(number_of, call.args[1:3])
    if low is None or high is None:
        return None
    if low <= limits.min and limits.max <= high:
        return call.args[0]
    quantize = rewriter.produced(call.args[0], QUANTIZE)
    known = None if quantize is None else parameters_of(quantize)
    if quantize is None or known is None or known.axis is not None or not known.keeps_order:
        return None
    scale, zero = float(known.scale[0]), int(known.zero_point[0])
    bounds = Clip(
        (low - zero) * scale if low > limits.min else -math.inf,
        (high - zero) * scale if high < limits.max else math.inf,
    )
    data = rewriter.emit(clipped(rewriter, quantize.args[0], bounds))
    return replaced(quantize, [data, *quantize.args[1:]])


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
