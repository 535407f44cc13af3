"""The space of points: drawn as section 5.3 of the paper draws them, counted, and checked constraint by
constraint.

Parameters are put in an order in which each comes after those that decide its values, and what the
constraints leave open is ordered at random. One after the other then gets one of the values that satisfy
every constraint whose parameters are all known.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from graphlib import TopologicalSorter
from typing import Any

from tvm_directconv.errors import ParameterError
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu_machine import GpuMachine

from .cost import cost
from .expression import Constraint, Expression
from .geometry import expression, geometry
from .knobs import KERNEL, LOCAL, LiftKnobs
from .workspace import workspace_bytes

TRIES = 200
"""Values that are tried for one order of the parameters."""
ATTEMPTS = 100
"""Orders that are tried before the space is called empty."""
KEPT = 0.7
"""How likely a point near another keeps each of its values."""
PROBES = 2000
"""Draws that the number of points is estimated from."""


@dataclass(frozen=True)
class LiftSpace:
    """All points of a workload on a machine."""

    workload: Conv2dWorkload
    machine: GpuMachine

    @cached_property
    def expression(self) -> Expression:
        return expression(self.workload, self.machine)

    def check(self, knobs: LiftKnobs) -> None:
        """Raise ParameterError naming the first constraint that a point violates, and its values."""
        values = dict(vars(knobs))
        sizes = dict(self.expression.sizes)
        for name, allowed in self.expression.parameters.items():
            if values[name] not in allowed:
                some = ", ".join(map(str, allowed)) if len(allowed) < 8 else f"{allowed[0]} to {allowed[-1]}"
                raise ParameterError(
                    f"lift: {name} is {values[name]!r}, not one of {some}, for {self.workload}"
                )
        for constraint in self.expression.constraints:
            self._evaluate(constraint, values, sizes)
            if not constraint.condition.of(values):
                shown = ", ".join(f"{n} = {values[n]}" for n in sorted(constraint.condition.names))
                raise ParameterError(
                    f"lift: constraint '{constraint.name}' ({constraint.meaning}) is violated: "
                    f"{constraint.condition.text} with {shown}, for {self.workload}"
                )

    def _evaluate(self, constraint: Constraint, values: dict[str, Any], sizes: dict[str, Any]) -> None:
        """Work out the sizes that a constraint is about."""
        wanted = self.expression.needed(constraint.condition)
        for name in [n for n in sizes if n in wanted]:
            values[name] = sizes.pop(name).of(values)

    def ways_of_summing(self, knobs: LiftKnobs) -> list[dict[str, Any]]:
        """Return what a point takes with the sums of its chunks added up in local memory and, where it has
        several, by a kernel of their own: the bytes allocated in global memory beside input, filters and
        output, those of a work group's local memory, and the estimate of cycles."""
        found = []
        for way in (LOCAL, KERNEL):
            point = replace(knobs, sum=way)
            sizes = geometry(self.workload, point, self.machine)
            if sizes is not None:
                allocated = workspace_bytes(point, sizes, self.workload.dtype == FLOAT32)
                cycles = cost(self.workload, point, sizes, self.machine).total
                bytes_ = {"workspace_bytes": allocated, "local_bytes": sizes.local_bytes}
                found.append({"sum": way, "chunks": sizes.chunks, **bytes_, "cycles": cycles})
        return found

    def holds(self, knobs: LiftKnobs) -> bool:
        """Return whether a point satisfies all constraints."""
        try:
            self.check(knobs)
        except ParameterError:
            return False
        return True

    # ---- drawing

    def order(self, rng: random.Random) -> list[str]:
        """Return the parameters, each behind those that decide its values; what that leaves open is drawn."""
        sorter = TopologicalSorter({name: set() for name in self.expression.parameters})
        for constraint in self.expression.constraints:
            known = self.expression.parameters_of(constraint.condition) - constraint.decides
            for name in constraint.decides:
                sorter.add(name, *known)
        sorter.prepare()
        found: list[str] = []
        while sorter.is_active():
            ready = sorted(sorter.get_ready())
            rng.shuffle(ready)
            found += ready
            sorter.done(*ready)
        return found

    def sample(self, rng: random.Random, near: LiftKnobs | None = None) -> LiftKnobs:
        """Return a point drawn at random, or one that has most of its values from the point ``near``. Raises
        ParameterError where there is none to be found."""
        liked = {} if near is None else vars(near)
        for _ in range(ATTEMPTS):
            tries = [TRIES]
            point = self._complete({}, self.order(rng), rng, tries, liked)
            if point is not None:
                return LiftKnobs(**point)
        raise ParameterError(
            f"lift: no point satisfies the constraints of {self.workload} on {self.machine.name}"
        )

    def samples(self, count: int, rng: random.Random) -> Iterator[LiftKnobs]:
        """Yield that many points, no two of them equal unless the space has hardly more."""
        seen: set[LiftKnobs] = set()
        for _ in range(count):
            point = self.sample(rng)
            for _ in range(ATTEMPTS if point in seen else 0):
                point = self.sample(rng)
                if point not in seen:
                    break
            seen.add(point)
            yield point

    def _complete(
        self,
        values: dict[str, Any],
        order: list[str],
        rng: random.Random,
        tries: list[int],
        liked: Mapping[str, Any],
    ) -> dict[str, Any] | None:
        """A point that begins with ``values``, and goes on mostly with ``liked`` ones; None where none is
        found within so many tries."""
        if not order:
            return values
        name, *rest = order
        allowed = list(self._allowed(name, values))
        rng.shuffle(allowed)
        if name in liked and rng.random() < KEPT:
            allowed.sort(key=lambda value: value != liked[name])
        for value in allowed:
            tries[0] -= 1
            point = {**values, name: value}
            found = self._complete(point, rest, rng, tries, liked) if tries[0] >= 0 else None
            if found is not None:
                return found
        return None

    def _ways(self, rng: random.Random) -> float:
        """The product of how many values each parameter has on one way down; 0 where it ends early."""
        values: dict[str, Any] = {}
        ways = 1.0
        for name in self.order(rng):
            allowed = self._allowed(name, values)
            ways *= len(allowed)
            if not allowed:
                return 0.0
            values[name] = rng.choice(allowed)
        return ways

    def _allowed(self, name: str, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values of a parameter for which all constraints hold that are decided with it."""
        ripe = tuple(c for c in self._relevant[name] if self._parameters[c.name] <= {*values, name})
        about = frozenset().union(*(self._parameters[c.name] for c in ripe)) - {name}
        return self._values(name, ripe, tuple(sorted((n, values[n]) for n in about)))

    @cached_property
    def _parameters(self) -> dict[str, frozenset[str]]:
        return {c.name: self.expression.parameters_of(c.condition) for c in self.expression.constraints}

    @cached_property
    def _relevant(self) -> dict[str, list[Constraint]]:
        return {
            name: [c for c in self.expression.constraints if name in self._parameters[c.name]]
            for name in self.expression.parameters
        }

    @cached_property
    def _values(self) -> Any:
        e = self.expression

        @lru_cache(maxsize=1024)
        def filtered(name: str, ripe: tuple[Constraint, ...], names: tuple[str, ...]) -> Callable[..., Any]:
            return e.filter_of(name, ripe, names)

        @lru_cache(maxsize=4096)
        def values(
            name: str, ripe: tuple[Constraint, ...], known: tuple[tuple[str, Any], ...]
        ) -> tuple[Any, ...]:
            alone = tuple(c for c in ripe if self._parameters[c.name] == {name})
            possible = values(name, alone, ()) if known else e.parameters[name]
            rest = tuple(c for c in ripe if c not in alone) if known else ripe
            named = dict(known)
            return tuple(filtered(name, rest, tuple(named))(possible, **named))

        return values

    # ---- counting

    @property
    def points_before(self) -> int:
        """The combinations of all parameters' values."""
        return math.prod(len(values) for values in self.expression.parameters.values())

    @cached_property
    def points_after(self) -> tuple[float, float]:
        """The points that satisfy all constraints, estimated from draws (Knuth, "Estimating the efficiency of
        backtrack programs", 1975), and the standard error of that."""
        rng = random.Random(0)
        ways = [self._ways(rng) for _ in range(PROBES)]
        return statistics.mean(ways), statistics.stdev(ways) / math.sqrt(PROBES)
