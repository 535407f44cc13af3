"""Orders of axes: how a tensor lies in memory when its axes do not lie as they are numbered.

An order says of each axis of what is stored which axis of the tensor it is: stored is ``permute_dims(tensor,
order)``. A permutation of the tensor changes only its order, and so does a reshape where the axes that it
joins lie next to each other. Axes of one element lie anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tvm_directconv.problem.extents import surely_less

Shape = tuple[int, ...]
Order = tuple[int, ...]


def plain(rank: int) -> Order:
    """The order of a tensor that lies as it is numbered."""
    return tuple(range(rank))


def between(source: Order, result: Order) -> Order:
    """Return what ``permute_dims`` takes to bring what is stored in one order to the other."""
    return tuple(source.index(axis) for axis in result)


def of_permutation(order: Order, axes: Sequence[int]) -> Order:
    """The order of ``permute_dims(tensor, axes)`` when what is stored stays."""
    return tuple(list(axes).index(axis) for axis in order)


def without(order: Order, axes: Sequence[int]) -> Order:
    """The order of the tensor without some of its axes, when they are dropped from what is stored."""
    kept = sorted(set(order) - set(axes))
    return tuple(kept.index(axis) for axis in order if axis in kept)


def is_free(shape: Sequence[int], axes: Sequence[int]) -> bool:
    """Whether a permutation of a tensor leaves its elements where they are."""
    moved = [axis for axis in axes if shape[axis] != 1]
    return moved == sorted(moved)


def merged(shape: Sequence[int], axes: Sequence[int]) -> tuple[Shape, Order]:
    """A permutation of as few axes as say the same: without those of one element, and with one for all that
    stay next to each other."""
    runs: list[list[int]] = []
    kept = [axis for axis in range(len(shape)) if shape[axis] != 1]
    for axis in (axis for axis in axes if axis in kept):
        place = kept.index(axis)
        if runs and place > 0 and runs[-1][-1] == kept[place - 1]:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    by_place = sorted(runs)
    extents = tuple(math.prod(shape[axis] for axis in run) for run in by_place)
    return extents, tuple(by_place.index(run) for run in runs)


def of_reshape(before: Shape, after: Shape, order: Order) -> list[tuple[Order, Order]]:
    """Orders of a tensor of shape ``before`` in which it can lie to be seen in shape ``after``, each with the
    order in which the result then lies.

    ``order`` alone where that is one, else those next to it: the axes to be joined brought to where the first
    of them lies, or the last.
    """
    groups = _groups(before, after)
    if groups is None:
        return []
    place = {axis: index for index, axis in enumerate(order)}
    group_of = {axis: group for group in groups for axis in group[0]}
    if all(_adjoin(group[0], [axis for axis in order if before[axis] != 1]) for group in groups):
        found = [sorted(groups, key=lambda group: place[group[0][0]])]
    else:
        first = sorted(groups, key=lambda group: min(place[axis] for axis in group[0]))
        last = sorted(groups, key=lambda group: max(place[axis] for axis in group[0]))
        found = [first, last]
    ones = [axis for axis in order if axis not in group_of]
    orders = []
    for ordered in found:
        source = tuple([*ones, *(axis for group in ordered for axis in group[0])])
        if len(found) == 1:
            source = order
        orders.append((source, _with_ones(after, [axis for group in ordered for axis in group[1]])))
    return orders


def _groups(before: Shape, after: Shape) -> list[tuple[Shape, Shape]] | None:
    """The axes of more than one element that become one another: (of before, of after), both in order."""
    if 0 in before or 0 in after:
        return None
    left = [axis for axis, extent in enumerate(before) if extent != 1]
    right = [axis for axis, extent in enumerate(after) if extent != 1]
    groups: list[tuple[Shape, Shape]] = []
    while left and right:
        ours, theirs = [left.pop(0)], [right.pop(0)]
        sizes = [before[ours[0]], after[theirs[0]]]
        while sizes[0] != sizes[1]:
            small = 0 if surely_less(*sizes) else 1
            if small == 1 and not surely_less(*reversed(sizes)):
                return None
            axes, rest, shape = ((ours, left, before), (theirs, right, after))[small]
            if not rest:
                return None
            axes.append(rest.pop(0))
            sizes[small] *= shape[axes[-1]]
        groups.append((tuple(ours), tuple(theirs)))
    return None if left or right else groups


def _adjoin(axes: Shape, order: list[int]) -> bool:
    start = order.index(axes[0])
    return tuple(order[start : start + len(axes)]) == axes


def _with_ones(shape: Shape, order: list[int]) -> Order:
    """The order with the axes of one element: the first ones first, each other behind the one before it."""
    result: list[int] = []
    for axis in range(len(shape)):
        if shape[axis] == 1 and axis == len(result):
            result.append(axis)
    result += order
    for axis, extent in enumerate(shape):
        if extent == 1 and axis not in result:
            result.insert(result.index(axis - 1) + 1, axis)
    return tuple(result)
