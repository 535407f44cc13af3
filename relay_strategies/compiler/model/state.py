"""State: the parts of a model that change together, when it gets another size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from relay_strategies.frontends.declared import Shape

from ..signature import Metadata
from .recent import Recent
from .running import Machine, Runner

RECENT_SIZES = 8
"""The sizes that were run last, so many, keep the tensors that inputs are copied into."""


@dataclass(frozen=True)
class State:
    """The parts of a model, replaced as a whole when it gets another size."""

    executable: Any
    metadata: Metadata
    runners: Mapping[tuple[Shape, ...], Runner]
    machine: Machine
    recent: Recent[tuple[Shape, ...], Runner]
    """The runners of sizes that one with open dimensions stands for."""

    @staticmethod
    def of(executable: Any, metadata: Metadata, before: Mapping[tuple[Shape, ...], Runner]) -> State:
        """Make the state of an executable. Runners of the state ``before`` stay: they may be running."""
        machine = Machine(executable, metadata.target)
        runners = {
            tuple(size.shapes.values()): Runner(size, machine) for size in metadata.sizes if not size.is_open
        }
        return State(executable, metadata, {**runners, **before}, machine, Recent(RECENT_SIZES))

    def of_open_size(self, shapes: tuple[Shape, ...]) -> Runner | None:
        """Return the runner of a size that one with open dimensions stands for; None where there is none."""
        runner = self.recent.get(shapes)
        given = dict(zip((info.name for info in self.metadata.inputs), shapes, strict=True))
        for size in self.metadata.sizes if runner is None else ():
            if size.is_open and size.fits(given) and (found := size.at(given)) is not None:
                runner = Runner(found, self.machine)
                self.recent.put(shapes, runner)
                break
        return runner
