"""The steps that epilogues are tested with: each of the project's, and some that only tests have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

import pytest

from intrinsics.epilogue import STEPS, Clip, Operations, Step, Value


@dataclass(frozen=True)
class HardSwish(Step):
    """``x * clip(x / 6 + 0.5, 0, 1)``."""

    name = "hardswish"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.multiply(x, Clip(0.0, 1.0).apply(op.add(op.multiply(x, 1 / 6), 0.5), op))


@dataclass(frozen=True)
class LeakyRelu(Step):
    """``max(x, slope * x)``."""

    slope: float

    name = "leakyrelu"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.maximum(x, op.multiply(x, self.slope))


@dataclass(frozen=True)
class Hill(Step):
    """``min(x, 1) * max(x, -1) + x * x``: two values beside the element."""

    name = "hill"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.add(op.multiply(op.minimum(x, 1.0), op.maximum(x, -1.0)), op.multiply(x, x))


@contextmanager
def registered() -> Iterator[None]:
    """With the steps of this file among those that texts and kernels' names are read by."""
    with pytest.MonkeyPatch.context() as patch:
        for step in (HardSwish, LeakyRelu, Hill):
            patch.setitem(STEPS, step.name, step)
        yield


CONSTANTS = (-0.5, 0.25, 1.5, 4.0)
"""The constants that steps of the project's are tested with, as many as each has."""
EPILOGUES: tuple[tuple[Step, ...], ...] = (
    *((kind(*CONSTANTS[: len(fields(kind))]),) for kind in STEPS.values()),
    (HardSwish(),),
    (LeakyRelu(0.125),),
    (LeakyRelu(0.25), Clip(-1.0, 2.0)),
    (Clip(-4.0, 6.0), HardSwish(), LeakyRelu(-0.5), Clip(-3.0)),
)
