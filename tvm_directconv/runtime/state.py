"""State: the parts of a model that change together, when it gets another size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .lanes import Machine, Runner
from .metadata import Metadata, Shape
from .recent import Recent

RECENT_SIZES = 8
"""The sizes that were run last, so many, keep the tensors that inputs are copied into."""


@dataclass(frozen=True)
class State:
    """The parts of a model, replaced as a whole when it gets another size."""

    machine: Machine
    metadata: Metadata
    runners: Mapping[tuple[Shape, ...], Runner]
    recent: Recent[tuple[Shape, ...], Runner]
    """The runners of sizes that one with open dimensions stands for."""

    @staticmethod
    def of(machine: Machine, metadata: Metadata, before: Mapping[tuple[Shape, ...], Runner]) -> State:
        """Make the state of a machine. Runners of the state ``before`` stay: they may be running."""
        runners = {
            tuple(size.shapes.values()): machine.runner(size) for size in metadata.sizes if not size.is_open
        }
        return State(machine, metadata, {**runners, **before}, Recent(RECENT_SIZES))

    def of_open_size(self, shapes: tuple[Shape, ...]) -> Runner | None:
        """Return the runner of a size that one with open dimensions stands for; None where there is none."""
        runner = self.recent.get(shapes)
        given = dict(zip((info.name for info in self.metadata.inputs), shapes, strict=True))
        for size in self.metadata.sizes if runner is None else ():
            if size.is_open and size.fits(given) and (found := size.at(given)) is not None:
                runner = self.machine.runner(found)
                self.recent.put(shapes, runner)
                break
        return runner
