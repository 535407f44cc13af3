"""How much one import may make: a file of a few kilobytes can ask for millions of nodes.

Local functions, branches, loops and recurrent steps are written out where they are used, so that nesting
multiplies them. Whatever makes nodes or copies of tensors says so here, whichever way in it belongs to, and
one budget counts for the whole import. It grows with the model, so that large models pass. Seconds are those
of the CPU: a machine that is busy with other work refuses nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from tvm_directconv.errors import ModelError

LEAST_NODES = 4096
"""Any model may become so many nodes more than it has."""
NODES_EACH = 128
"""Nodes that a model may gain for each of its own; the standard defines every operator by fewer."""
MOST_BYTES = 4 << 30
"""What is made may take so many bytes besides the model."""
HELD = 8
"""A copy of a node is held about so often: as message, array and constant, before and after each step."""
MOST_SECONDS = 600
"""The largest networks take a tenth of this."""


@dataclass
class Budget:
    """What one import has made, in nodes, bytes and seconds of its thread."""

    own: int = 0
    nodes: int = 0
    bytes: int = 0
    start: float = field(default_factory=time.thread_time)

    def check(self) -> None:
        """Raise ModelError where there is more than a limit."""
        limit = LEAST_NODES + NODES_EACH * self.own
        if self.nodes > limit:
            raise ModelError(
                f"functions, branches, loops or recurrent steps make more than {limit} nodes of the model's "
                f"{self.own} where they are written out, which is the limit; fewer turns or calls would do"
            )
        if self.bytes > MOST_BYTES:
            raise ModelError(
                f"the import makes more than {MOST_BYTES} bytes of tensors and copies, its limit"
            )
        if time.thread_time() - self.start > MOST_SECONDS:
            raise ModelError(f"the import takes more than {MOST_SECONDS} seconds of a CPU, its limit")


_CURRENT: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def limited() -> Iterator[None]:
    """Open a budget for what is imported inside; one that is open already counts on."""
    if _CURRENT.get() is not None:
        yield
        return
    token = _CURRENT.set(Budget())
    try:
        yield
    finally:
        _CURRENT.reset(token)


@contextmanager
def forgiven() -> Iterator[None]:
    """What is made inside does not count where it fails: something else takes its place."""
    budget = _CURRENT.get()
    before = (0, 0) if budget is None else (budget.nodes, budget.bytes)
    try:
        yield
    except Exception:
        if budget is not None:
            budget.nodes, budget.bytes = before
        raise


def allow(nodes: int) -> None:
    """Let the budget grow with a model of so many nodes."""
    budget = _CURRENT.get()
    if budget is not None:
        budget.own = max(budget.own, nodes)


def spend(nodes: int = 0, made_bytes: int = 0) -> None:
    """Count what is being made, before it is made. Raises ModelError, naming the limit that is exceeded."""
    budget = _CURRENT.get()
    if budget is not None:
        budget.nodes += nodes
        budget.bytes += made_bytes
        budget.check()
