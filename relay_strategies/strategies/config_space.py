"""A template's knobs, all together: ConfigSpace collects them, and ConfigEntity is one choice of each.

The words are AutoTVM's, whose templates these are: a function is called with a ConfigSpace once, and defines
its knobs; then with a ConfigEntity, whose values it applies. Points have a number, ``index``: the place of
the first knob's value counts one, that of the next as much as the first has values, and on.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from tvm import tirx
from tvm.s_tir.schedule import LoopRV

from tvm_directconv.errors import ParameterError, nearest
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .config_entities import (
    REST,
    Entity,
    Knob,
    OtherOptionEntity,
    SplitEntity,
    entity_from,
    of_annotate,
    of_candidates,
    of_reorder,
    of_split,
)
from .record_files import RecordFile


class Config:
    """What a template is given as ``cfg``: definitions of knobs, and their values by name."""

    is_fallback = False

    def __init__(self) -> None:
        self._entities: dict[str, Entity] = {}

    def define_split(self, name: str, axis: Any, policy: str = "factors", **options: Any) -> None:
        """Define how a loop is split, ``num_outputs`` ways: see ``of_split`` for policies and options.
        ``axis`` is its extent, or has it: an axis of TE, or ``sch.get(loop)``."""
        if "num_outputs" not in options:
            raise ParameterError(f"define_split('{name}') needs num_outputs, the number of loops")
        self._define(name, lambda: of_split(extent_of(axis, name), policy=policy, **options))

    def define_reorder(self, name: str, axes: Sequence[Any], policy: str, **options: Any) -> None:
        """Define the order of loops: see ``of_reorder``."""
        self._define(name, lambda: of_reorder(len(axes), policy, **options))

    def define_annotate(self, name: str, axes: Sequence[Any], policy: str) -> None:
        """Define annotations of loops: see ``of_annotate``."""
        self._define(name, lambda: of_annotate(len(axes), policy))

    def define_knob(self, name: str, candidate: Iterable[Any]) -> None:
        """Define a knob of any values, numbers, texts or booleans; ``cfg[name].val`` is its value."""
        self._define(name, lambda: of_candidates(candidate))

    def multi_filter(self, filter: Callable[[ConfigEntity], bool]) -> None:
        """Leave out the points that ``filter`` returns False for; call it behind all definitions."""

    def __getitem__(self, name: str) -> Any:
        if name not in self._entities:
            hint = nearest(name, self._entities)
            raise ParameterError(f"the configuration lacks a knob '{name}'{hint}: define it first")
        return self._entities[name]

    def __setitem__(self, name: str, entity: Entity) -> None:
        self._entities[name] = entity

    def valid(self) -> bool:
        """Return whether it is a configuration; one that is not raises where it is used."""
        return True

    def raise_error(self, message: str) -> None:
        """Refuse the configuration, as one that is not a schedule."""
        raise ParameterError(message)

    @property
    def knobs(self) -> dict[str, Any]:
        """The values by name, in JSON's types, as records have them."""
        return {name: entity.value for name, entity in self._entities.items()}

    def _define(self, name: str, make: Callable[[], Knob]) -> None:
        raise NotImplementedError


class ConfigSpace(Config):
    """All points of a template's knobs. While it collects, knobs have their first values."""

    def __init__(self) -> None:
        super().__init__()
        self.space_map: dict[str, Knob] = {}
        self.valid_indices: Sequence[int] | None = None
        """The points that there are, in order; None where all combinations are."""

    def _define(self, name: str, make: Callable[[], Knob]) -> None:
        self.space_map[name] = knob = make()
        self._entities[name] = knob.entities[0]

    def multi_filter(self, filter: Callable[[ConfigEntity], bool]) -> None:
        self.valid_indices = [index for index in self.indices() if filter(self.get(index))]

    @property
    def dims(self) -> list[int]:
        """The number of values of each knob."""
        return [len(knob) for knob in self.space_map.values()]

    @property
    def range_length(self) -> int:
        """The number of combinations."""
        return math.prod(self.dims)

    def __len__(self) -> int:
        """Return the number of points."""
        return self.range_length if self.valid_indices is None else len(self.valid_indices)

    def indices(self) -> Sequence[int]:
        """Return the numbers of all points, in order."""
        return range(self.range_length) if self.valid_indices is None else self.valid_indices

    def is_index_valid(self, index: int) -> bool:
        """Return whether a number is that of a point."""
        if self.valid_indices is None:
            return 0 <= index < self.range_length
        at = bisect.bisect_left(self.valid_indices, index)
        return at < len(self.valid_indices) and self.valid_indices[at] == index

    def get(self, index: int) -> ConfigEntity:
        """Return the point of that number. Raises ParameterError if there is none."""
        if not self.is_index_valid(index):
            raise ParameterError(f"{index} is not a point of a space of {len(self)}")
        entities = {
            name: knob.entities[place]
            for (name, knob), place in zip(self.space_map.items(), self.places(index), strict=True)
        }
        return ConfigEntity(index, entities)

    def places(self, index: int) -> list[int]:
        """Return which of its values each knob has at a point."""
        places = []
        for length in self.dims:
            index, place = divmod(index, length)
            places.append(place)
        return places

    def index_of(self, places: Sequence[int]) -> int:
        """Return the number of a point; the inverse of ``places``."""
        index = 0
        for length, place in reversed([*zip(self.dims, places, strict=True)]):
            index = index * length + place
        return index

    def point(self, knobs: Mapping[str, Any]) -> ConfigEntity:
        """Return the point of these values in JSON's types. Raises ParameterError for others."""
        places = [knob.places.get(repr(knobs.get(name)), REST) for name, knob in self.space_map.items()]
        if REST in places or set(knobs) != set(self.space_map):
            raise ParameterError(f"{dict(knobs)} are not values of the knobs {', '.join(self.space_map)}")
        return self.get(self.index_of(places))

    def __str__(self) -> str:
        knobs = "\n".join(f"{at:4} {name}: {knob}" for at, (name, knob) in enumerate(self.space_map.items()))
        return f"ConfigSpace (len={len(self)}, range_length={self.range_length}, space_map=\n{knobs}\n)"

    __repr__ = __str__


class ConfigEntity(Config):
    """One point: ``index`` is its number in its space. Definitions of knobs say nothing new to it."""

    def __init__(self, index: int, entities: Mapping[str, Entity]) -> None:
        super().__init__()
        self.index = index
        self._entities = dict(entities)

    def _define(self, name: str, make: Callable[[], Knob]) -> None:
        if name not in self._entities:
            raise ParameterError(f"the configuration is of another template: it lacks '{name}'")

    def __setitem__(self, name: str, entity: Entity) -> None:
        raise ParameterError(f"'{name}' of a point is not changed: it would be another point")

    @cached_property
    def _key(self) -> tuple[int, str]:
        return self.index, repr(self.knobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConfigEntity) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def to_json_dict(self) -> dict[str, Any]:
        """Return it as AutoTVM wrote it: its index, and name, kind and value of each knob."""
        entity = [[name, each.kind, each.value] for name, each in self._entities.items()]
        return {"index": self.index, "code_hash": None, "entity": entity}

    @staticmethod
    def from_json_dict(fields: Mapping[str, Any]) -> ConfigEntity:
        """Return what ``to_json_dict`` wrote."""
        try:
            entities = {str(name): entity_from(kind, value) for name, kind, value in fields["entity"]}
            return ConfigEntity(int(fields["index"]), entities)
        except (KeyError, TypeError, ValueError) as error:
            raise ParameterError(f"'{str(fields)[:200]}' is not a configuration: {error}") from None

    def __str__(self) -> str:
        return f"{[(name, each.value) for name, each in self._entities.items()]},None,{self.index}"

    __repr__ = __str__


class FallbackConfigEntity(ConfigSpace):
    """What a template is given where no record says better: the first values, unless the template chooses
    others, which ``is_fallback`` tells it to."""

    is_fallback = True

    def __init__(self, name: str, workload: Conv2dWorkload, target: CompileTarget) -> None:
        super().__init__()
        self._name, self._workload, self._target = name, workload, target

    def multi_filter(self, filter: Callable[[ConfigEntity], bool]) -> None:
        """Leave nothing out: no points are listed."""

    def _define(self, name: str, make: Callable[[], Knob]) -> None:
        chosen = self._entities.get(name)
        super()._define(name, make)
        if chosen is not None:
            self._entities[name] = chosen

    def fallback_split(self, name: str, constraints: Sequence[int]) -> None:
        """Split so that each part but the first is the largest divisor of what is left of the extent that is
        not above its constraint; -1 leaves a part open, and has what is left."""
        knob = self.space_map[name]
        left, size = knob.extent, [1] * len(constraints)
        for place in reversed(range(len(constraints))):
            most = constraints[place]
            if most != REST:
                size[place] = max(each for each in range(1, min(most, left) + 1) if left % each == 0)
                left //= size[place]
        for place, most in enumerate(constraints):
            if most == REST:
                size[place], left = left, 1
        self._entities[name] = SplitEntity((REST, *size[1:]))

    def fallback_with_reference_log(self, records: Any) -> None:
        """Take the best knobs that records of this template have of the layer most like this one, splits by
        ``fallback_split``. ``records`` is a file or Records; knobs stay as they are where it has nothing."""
        known = records if isinstance(records, RecordFile) else RecordFile.load(records, must_exist=True)
        near = known.nearest(self._target, self._workload, self._name)
        best = near[0].knobs if near else {}
        for name, knob in self.space_map.items():
            value, first = best.get(name), knob.entities[0]
            if isinstance(first, SplitEntity) and isinstance(value, list) and len(value) == len(first.size):
                self.fallback_split(name, value)
            elif repr(value) in knob.places:
                self._entities[name] = knob.entities[knob.places[repr(value)]]
            elif isinstance(first, OtherOptionEntity) and isinstance(value, int):
                numbers = [each for each in knob.entities if isinstance(each.value, int)]
                self._entities[name] = min(numbers, key=lambda each: abs(each.value - value), default=first)


def extent_of(axis: Any, name: str) -> int:
    """Return the extent of a loop: an integer, an axis of TE, or a loop's statement."""
    if isinstance(axis, LoopRV):
        raise ParameterError(
            f"define_split('{name}') is given a loop of a schedule, which does not tell its extent: give "
            "sch.get(loop)"
        )
    extent = axis.dom.extent if isinstance(axis, tirx.IterVar) else getattr(axis, "extent", axis)
    try:
        return int(extent)
    except (TypeError, ValueError):
        raise ParameterError(f"define_split('{name}') needs a loop of a known extent, not {axis!r}") from None


def space_of_points(points: Iterable[Mapping[str, Any]]) -> ConfigSpace:
    """Return the space of these points, each knob with the values that it has in any."""
    every = list(points)
    space = ConfigSpace()
    for name in every[0] if every else ():
        values = {point[name]: None for point in every}
        space.define_knob(name, sorted(values, key=lambda value: (str(type(value)), value)))
    places = ([knob.places[repr(p[n])] for n, knob in space.space_map.items()] for p in every)
    space.valid_indices = sorted({space.index_of(each) for each in places})
    return space
