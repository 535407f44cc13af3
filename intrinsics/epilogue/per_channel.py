"""Steps with a constant for each channel: they lie behind the bias, a row for each step.

What a kernel is given as its bias is a table then, of rows as long as there are output channels, the first
the bias. A step says how many elements behind a channel's bias its constant is, so that whoever points a
kernel to the bias of its first channel has pointed it to all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from .operations import Operations, Value
from .step import Step


@dataclass(frozen=True)
class PerChannel(Step):
    """A step with one constant for each channel, ``at`` elements behind the channel's bias."""

    at: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.at >= 1 and self.at == int(self.at)):
            raise ValueError(f"epilogue step {self.name} has its constants at {self.at}, behind no bias")

    @property
    def offset(self) -> int:
        """``at`` as an integer."""
        return int(self.at)

    @property
    def text(self) -> str:
        return f"{self.name}({self.offset})"


@dataclass(frozen=True)
class ChannelScale(PerChannel):
    """``x * constant``."""

    name = "channelscale"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.multiply_channel(x, self.offset)


@dataclass(frozen=True)
class ChannelShift(PerChannel):
    """``x + constant``."""

    name = "channelshift"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.add_channel(x, self.offset)


@dataclass(frozen=True)
class PRelu(PerChannel):
    """``x`` where positive, ``constant * x`` elsewhere."""

    name = "prelu"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.add(op.multiply_channel(op.minimum(x, 0.0), self.offset), op.maximum(x, 0.0))
