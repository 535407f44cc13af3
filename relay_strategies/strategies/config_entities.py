"""The values of a template's knobs, under AutoTVM's names: how a loop is split, ordered and annotated, or one
of any values.

An entity is a value, with what it does to a schedule; ``of_split`` and its like list the entities of a knob.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV

from tvm_directconv.errors import ParameterError

REST = -1
"""The part of a split that has what the others leave."""
MOST_LOOPS = 6
"""More loops than these have too many orders to list."""


@dataclass(frozen=True)
class Entity:
    """One value of a knob; ``kind`` is AutoTVM's word for it where configurations are written."""

    kind: ClassVar[str]

    @property
    def value(self) -> Any:
        """The value in JSON's types."""
        raise NotImplementedError


@dataclass(frozen=True)
class SplitEntity(Entity):
    """Extents of the loops that one loop is split in, outermost first; -1 is what the others leave."""

    size: tuple[int, ...]
    kind = "sp"

    @property
    def value(self) -> list[int]:
        return list(self.size)

    def __str__(self) -> str:
        return str(self.value)

    def apply(self, sch: Schedule, block: SBlockRV, loop: LoopRV) -> list[LoopRV]:
        """Split the loop of the block; return the new loops, outermost first."""
        return list(sch.split(loop, [None if extent == REST else extent for extent in self.size]))


@dataclass(frozen=True)
class ReorderEntity(Entity):
    """An order of loops: which of those given stands in each place."""

    perm: tuple[int, ...]
    kind = "re"

    @property
    def value(self) -> list[int]:
        return list(self.perm)

    def __str__(self) -> str:
        return str(self.value)

    def apply(self, sch: Schedule, block: SBlockRV, loops: Sequence[LoopRV]) -> list[LoopRV]:
        """Reorder the loops of the block; return them in their new order."""
        ordered = [loops[place] for place in self.perm]
        sch.reorder(*ordered)
        return ordered


@dataclass(frozen=True)
class AnnotateEntity(Entity):
    """An annotation for each of some loops: "none", "unroll" or "vec"."""

    anns: tuple[str, ...]
    kind = "an"

    @property
    def value(self) -> list[str]:
        return list(self.anns)

    def __str__(self) -> str:
        return str(self.value)

    def apply(
        self,
        sch: Schedule,
        block: SBlockRV,
        loops: Sequence[LoopRV],
        max_unroll: int | None = None,
        vec_size: Sequence[int] | None = None,
    ) -> list[LoopRV]:
        """Annotate the loops of the block, and return them. Raises ParameterError for a loop longer than
        ``max_unroll`` that is to be unrolled, and one not of ``vec_size`` that is to be vectorized."""
        for annotation, loop in zip(self.anns, loops, strict=True):
            extent = int(sch.get(loop).extent)
            if annotation == "unroll":
                if max_unroll is not None and extent > max_unroll:
                    raise ParameterError(f"a loop of {extent} is to be unrolled, of at most {max_unroll}")
                sch.unroll(loop)
            elif annotation == "vec":
                if vec_size is not None and extent not in vec_size:
                    raise ParameterError(f"a loop of {extent} is to be vectorized, not one of {vec_size}")
                sch.vectorize(loop)
        return list(loops)


@dataclass(frozen=True)
class OtherOptionEntity(Entity):
    """One of the candidates of ``define_knob``, as ``val``."""

    val: Any
    kind = "ot"

    @property
    def value(self) -> Any:
        return self.val

    def __str__(self) -> str:
        return str(self.val)


KINDS = {kind.kind: kind for kind in (SplitEntity, ReorderEntity, AnnotateEntity, OtherOptionEntity)}


def entity_from(kind: str, value: Any) -> Entity:
    """Return the entity of a kind and its value in JSON's types."""
    if kind not in KINDS:
        raise ParameterError(f"'{kind}' is not a kind of knob; there are {', '.join(KINDS)}")
    return KINDS[kind](tuple(value) if isinstance(value, list) and kind != "ot" else value)


@dataclass(frozen=True)
class Knob:
    """The values of one knob; ``about`` is how it was defined. ``extent`` is that of a loop to split."""

    entities: tuple[Entity, ...]
    about: str
    extent: int = 0
    places: dict[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.entities:
            raise ParameterError(f"{self.about} leaves no values")
        places = {repr(entity.value): place for place, entity in enumerate(self.entities)}
        object.__setattr__(self, "places", places)

    def __len__(self) -> int:
        return len(self.entities)

    def __str__(self) -> str:
        return f"{self.about} len={len(self)}"


# ---- splits

POLICIES = ("factors", "power2", "verbose", "candidate")


def of_split(
    extent: int,
    num_outputs: int,
    policy: str = "factors",
    *,
    candidate: Iterable[Sequence[int]] | None = None,
    max_factor: int | None = None,
    filter: Callable[[SplitEntity], bool] | None = None,
    no_tail: bool | None = None,
) -> Knob:
    """Return the ways to split a loop in ``num_outputs``.

    "factors" takes divisors of its extent, "power2" powers of two, which may leave a tail, "verbose" both,
    and "candidate" the sizes given. The outermost loop has what the others leave; these have at most
    ``max_factor``. ``no_tail`` leaves out sizes that do not divide the extent, and ``filter`` those it
    returns False for.
    """
    if policy not in POLICIES or (policy == "candidate") != (candidate is not None) or num_outputs < 1:
        raise ParameterError(
            f"a split has a policy of {', '.join(POLICIES)}, with candidate where that is the policy, and at "
            f"least one output; got policy={policy!r}, num_outputs={num_outputs}"
        )
    if candidate is not None:
        sizes = [tuple(map(int, size)) for size in candidate]
        if any(len(size) != num_outputs for size in sizes):
            raise ParameterError(f"candidates of a split in {num_outputs} have another length: {sizes}")
    else:
        most = extent if max_factor is None else max_factor
        factors = [factor for factor in _factors(extent, policy) if factor <= most]
        exact = policy == "factors" if no_tail is None else no_tail
        sizes = list(_sizes(extent, factors, num_outputs - 1, exact))
    entities = map(SplitEntity, sizes)
    kept = tuple(entity for entity in entities if filter is None or filter(entity))
    return Knob(kept, f"Split(policy={policy}, product={extent}, num_outputs={num_outputs})", extent)


def _factors(extent: int, policy: str) -> list[int]:
    divisors = {each for each in range(1, math.isqrt(extent) + 1) if extent % each == 0}
    divisors |= {extent // each for each in divisors}
    powers = {1 << bit for bit in range(extent.bit_length())}
    return sorted({"factors": divisors, "power2": powers, "verbose": divisors | powers}[policy])


def _sizes(extent: int, factors: Sequence[int], count: int, exact: bool) -> Iterator[tuple[int, ...]]:
    """Yield the splits, the extent of the innermost loop changing last; products that come to the extent or
    less."""

    def inner(count: int, room: int) -> Iterator[tuple[int, ...]]:
        if count == 0:
            yield ()
            return
        for last in (factor for factor in factors if factor <= room):
            for others in inner(count - 1, room // last):
                yield (*others, last)

    for size in inner(count, extent):
        if not exact or extent % math.prod(size) == 0:
            yield (REST, *size)


# ---- orders, annotations, others

ORDERS = ("identity", "all", "interval_all", "candidate")


def of_reorder(
    loops: int,
    policy: str,
    *,
    candidate: Iterable[Sequence[int]] | None = None,
    interval: tuple[int, int] | None = None,
) -> Knob:
    """Return the orders of so many loops: "identity" the one there is, "all", "interval_all" those that
    change the loops from the first of ``interval`` to before its second alone, or each ``candidate``."""
    if policy not in ORDERS or (policy == "candidate") != (candidate is not None):
        raise ParameterError(
            f"an order has a policy of {', '.join(ORDERS)}, with candidate where that is the policy; got "
            f"policy={policy!r}"
        )
    first, last = (0, loops) if policy == "all" else (0, 0) if interval is None else interval
    if last - first > MOST_LOOPS:
        raise ParameterError(f"{last - first} loops have too many orders; name some as candidates")
    places = tuple(range(loops))
    if candidate is None:
        orders = [
            (*places[:first], *order, *places[last:]) for order in itertools.permutations(places[first:last])
        ]
    else:
        orders = [tuple(map(int, order)) for order in candidate]
        if any(sorted(order) != list(places) for order in orders):
            raise ParameterError(f"candidates of an order of {loops} loops are not orders of these: {orders}")
    return Knob(tuple(map(ReorderEntity, orders)), f"Reorder(policy={policy}, loops={loops})")


def of_annotate(loops: int, policy: str) -> Knob:
    """Return the annotations of so many loops: a policy joins "none", "unroll" and "vec" by underscores, as
    "try_unroll_vec" does, where "try" is "none". At most one loop is vectorized."""
    words = policy.replace("try", "none").split("_")
    if not set(words) <= {"none", "unroll", "vec"}:
        raise ParameterError(f"annotations are of none, unroll and vec, as in try_unroll_vec; got {policy!r}")
    every = itertools.product(dict.fromkeys(words), repeat=loops)
    entities = tuple(AnnotateEntity(each) for each in every if each.count("vec") <= 1)
    return Knob(entities, f"Annotate(policy={policy}, loops={loops})")


def of_candidates(candidate: Iterable[Any]) -> Knob:
    """Return a knob of any values, in JSON's types."""
    values = list(candidate)
    return Knob(tuple(map(OtherOptionEntity, values)), f"OtherOption({values})")
