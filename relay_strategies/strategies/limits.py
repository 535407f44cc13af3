"""What an implementation may take, and how exact it has to be, where the choice is left open."""

from __future__ import annotations

from typing import NamedTuple

from tvm_directconv.algorithms.accuracy import EXACT


class Limits(NamedTuple):
    """Bounds of a layer's workspace, changes of layout included, and of its packed filter, in bytes, None for
    none; and one of ``ACCURACIES``, which does not concern algorithms that are asked for by name."""

    workspace_bytes: int | None = None
    filter_bytes: int | None = None
    accuracy: str = EXACT

    def refusal(self, workspace_bytes: int, filter_bytes: int) -> str:
        """Why what takes so much is not allowed, "" where it is."""
        for what, needed, most in (
            ("workspace", workspace_bytes, self.workspace_bytes),
            ("packed filter", filter_bytes, self.filter_bytes),
        ):
            if most is not None and needed > most:
                return f"takes {needed} bytes of {what}, of which {most} are allowed"
        return ""


NO_LIMITS = Limits()
