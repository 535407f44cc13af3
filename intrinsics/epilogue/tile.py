"""What is done to each element of a tile before it is stored: the bias, then steps in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .catalog import joined
from .operations import INFINITY
from .per_channel import PerChannel
from .piecewise import Clip, Residual
from .step import Step


@dataclass(frozen=True, init=False)
class TileEpilogue:
    """Applied to the tile in registers before its only store: ``steps(tile + bias)``.

    The addition of a residual is one of the steps, in its place among them, and there is at most one.
    ``residual`` is short for it before all others, ``low`` and ``high`` for a last step that clips. Raises
    ValueError.
    """

    bias: bool
    steps: tuple[Step, ...]

    def __init__(
        self,
        bias: bool = False,
        residual: bool = False,
        low: float = -INFINITY,
        high: float = INFINITY,
        steps: Iterable[Step] = (),
    ) -> None:
        first = [Residual()] if residual else []
        object.__setattr__(self, "bias", bias)
        object.__setattr__(self, "steps", joined([*first, *steps, Clip(low, high)]))
        if self.steps.count(Residual()) > 1:
            raise ValueError("an epilogue adds one residual, not several")

    @property
    def residual(self) -> bool:
        """Whether a residual is added."""
        return Residual() in self.steps

    @property
    def per_channel(self) -> tuple[PerChannel, ...]:
        """The steps with constants of channels."""
        return tuple(step for step in self.steps if isinstance(step, PerChannel))

    @property
    def low(self) -> float:
        """The least value stored, as far as the last step says."""
        last = self.steps[-1] if self.steps else None
        return last.low if isinstance(last, Clip) else -INFINITY

    @property
    def high(self) -> float:
        """The largest value stored, as far as the last step says."""
        last = self.steps[-1] if self.steps else None
        return last.high if isinstance(last, Clip) else INFINITY

    def of_pass(self, first: bool, last: bool) -> TileEpilogue:
        """What one of several passes over a tile does of it: the bias comes with the first, the steps with
        the last."""
        if first and last:
            return self
        return TileEpilogue(self.bias and first, steps=self.steps if last else ())
