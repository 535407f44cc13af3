"""The parts of a model, each compiled or in ONNX Runtime, and how one run goes through them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from relay_strategies.frontends.onnx.partition import Part
from tvm_directconv.errors import InputError, ModelError, last_line
from tvm_directconv.log import LOG
from tvm_directconv.runtime.lanes import Lane
from tvm_directconv.runtime.request import Request

from ..model.executable_model import ExecutableModel
from .session import Session


@dataclass(frozen=True, eq=False)
class PartRun:
    """A part with what computes it. ``model`` is None where ONNX Runtime does. Of a compiled part, it does
    so for sizes that cannot be compiled."""

    part: Part
    model: ExecutableModel | None
    session: Session
    text: str

    def run(self, request: Request | None, values: Mapping[str, Any]) -> list[Any]:
        """Return the part's outputs, by a ``request`` to its model."""
        inputs = {name: values[name] for name in self.part.inputs}
        if request is not None:
            try:
                return request.run(inputs)
            except (InputError, ModelError) as error:
                LOG.info("ONNX Runtime computes what a part is not compiled for: %s", last_line(error))
        return self.session.run(inputs)


class Parts:
    """The parts of a model, in the order in which they run.

    ``results`` are the names of the model's outputs; ``constants`` those of them that no run changes.
    """

    def __init__(
        self, steps: Sequence[PartRun], results: Sequence[str], constants: Mapping[str, Any]
    ) -> None:
        self.steps, self.results, self.constants = tuple(steps), tuple(results), dict(constants)
        self._requests: WeakKeyDictionary[Lane, list[Request | None]] = WeakKeyDictionary()
        last = {name: number for number, step in enumerate(steps) for name in step.part.inputs}
        self._done = [
            [name for name, number in last.items() if number == at and name not in self.results]
            for at in range(len(steps))
        ]

    def run(
        self,
        lane: Lane,
        inputs: Mapping[str, Any],
        each: Callable[[PartRun, Mapping[str, Any]], None] | None = None,
    ) -> list[Any]:
        """Return the outputs for inputs by name. ``each`` is told of each part and the values before it."""
        if lane not in self._requests:
            self._requests[lane] = [
                None if step.model is None else step.model.request() for step in self.steps
            ]
        values = {**self.constants, **inputs}
        for step, request, done in zip(self.steps, self._requests[lane], self._done, strict=True):
            if each is not None:
                each(step, values)
            values.update(zip(step.part.outputs, step.run(request, values), strict=True))
            for name in done:
                del values[name]
        return [values[name] for name in self.results]
