"""Fewer cases in place of a product: a part of them that still has every pair of values that occurs."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

Case = TypeVar("Case")
Pair = tuple[tuple[int, Hashable], tuple[int, Hashable]]


def in_turns(
    firsts: Sequence[Any], seconds: Sequence[Any], thirds: Sequence[Any]
) -> list[tuple[Any, Any, Any]]:
    """Return every pair of the first two, each with one of the third, which take turns.

    Where the third are no more than either of the others, every pair of all three is there.
    """
    return [
        (first, second, thirds[(i + j) % len(thirds)])
        for i, first in enumerate(firsts)
        for j, second in enumerate(seconds)
    ]


def some_each(firsts: Sequence[Any], seconds: Sequence[Any], count: int) -> list[tuple[Any, Any]]:
    """Return each of the first with ``count`` of the second, which take turns."""
    return [
        (first, seconds[(i * count + k) % len(seconds)])
        for i, first in enumerate(firsts)
        for k in range(min(count, len(seconds)))
    ]


def pairwise(cases: Sequence[Case], facets: Callable[[Case], Sequence[Hashable]]) -> list[Case]:
    """The cases that are needed for every pair of values of two facets that any case has.

    What fails mostly depends on one or two things at a time. The choice follows the order of the cases alone:
    each is taken that has a pair not seen before, and dropped again where later ones have all of its pairs.
    """
    seen: Counter[Pair] = Counter()
    taken: list[tuple[Case, set[Pair]]] = []
    for case in cases:
        pairs = set(itertools.combinations(enumerate(facets(case)), 2))
        if any(pair not in seen for pair in pairs):
            taken.append((case, pairs))
            seen.update(pairs)
    kept = []
    for case, pairs in taken:
        if all(seen[pair] > 1 for pair in pairs):
            seen.subtract(pairs)
        else:
            kept.append(case)
    return kept
