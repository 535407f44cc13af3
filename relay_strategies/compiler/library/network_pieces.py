"""Network: what a library has beside its kernels to run without TVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO


@dataclass(frozen=True)
class Network:
    """What runs a network without TVM: its description as JSON, and its weights."""

    description: str
    bytes: int
    write: Callable[[BinaryIO], None]
    """Writes the weights to a file."""
    kinds: Sequence[Sequence[Any]]
    """The shape, the type and the place of each of the executable's weights."""
