"""The steps that epilogues are tested with: each of the project's, chains of them, and one that only tests
have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields

import pytest

from intrinsics.epilogue import (
    STEPS,
    ChannelScale,
    ChannelShift,
    Clip,
    Gelu,
    HardSwish,
    LeakyRelu,
    Operations,
    PerChannel,
    PRelu,
    Residual,
    Round,
    Scale,
    Shift,
    Silu,
    Softplus,
    Step,
    Value,
)


@dataclass(frozen=True)
class Hill(Step):
    """``min(x, 1) * max(x, -1) + x * x``: two values beside the element."""

    name = "hill"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.add(op.multiply(op.minimum(x, 1.0), op.maximum(x, -1.0)), op.multiply(x, x))


@contextmanager
def registered() -> Iterator[None]:
    """With the step of this file among those that texts and kernels' names are read by."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(STEPS, Hill.name, Hill)
        yield


CONSTANTS = (-0.5, 0.25)
"""The constants that steps of the project's are tested with, as many as each has."""


def usual(kind: type[Step]) -> Step:
    """A step with its own constants where it has any, but for clips."""
    own = kind is not Clip and all(f.default is not MISSING for f in fields(kind))
    return kind() if own else kind(*CONSTANTS[: len(fields(kind))])


ACTIVATIONS = tuple(usual(kind) for kind in STEPS.values() if not issubclass(kind, (Residual, PerChannel)))
"""One step of each kind that is a function of an element alone."""
EPILOGUES: tuple[tuple[Step, ...], ...] = (
    *((step,) for step in ACTIVATIONS if step != Round()),
    (LeakyRelu(0.125),),
    (LeakyRelu(2.0), Clip(-1.0, 2.0)),
    (Silu(1.702),),
    (Clip(-4.0, 6.0), HardSwish(), LeakyRelu(-0.5), Clip(-3.0)),
    (Gelu(), Softplus(), Hill()),
    (Scale(0.125), Silu(), Scale(20.0), Clip(-100.0, 100.0)),
)
"""For kernels of every kind; of floats that differ in their last bits, rounding makes different integers."""
AROUND_RESIDUALS: tuple[tuple[Step, ...], ...] = (
    (Silu(), Residual()),
    (HardSwish(), Residual(), Clip(low=0.0)),
    (Residual(), Gelu()),
)
PER_CHANNEL: tuple[tuple[Step, ...], ...] = (
    (PRelu(71),),
    (Residual(), PRelu(64)),
    (Silu(), ChannelScale(80), ChannelShift(160), Residual(), Clip(low=0.0)),
    (ChannelScale(67), Gelu(), Residual(), PRelu(201)),
)
"""These and those around residuals are of kernels of floats alone."""
_TO_BYTES = (ChannelScale(512), Clip(-100.0, 155.0), Round())
OF_BYTES: tuple[tuple[Step, ...], ...] = (
    (*_TO_BYTES, Scale(0.75), Residual(), Shift(-3.0), Clip(low=0.0), Scale(0.625)),
    (*_TO_BYTES, Scale(0.5), Residual(), Scale(0.02), Silu(), Scale(30.0)),
)
"""Sums with a residual of kernels of bytes, which scale and round first."""
