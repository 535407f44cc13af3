"""Rows of every length are covered by the tiles that are chosen for them, each inside of its borders."""

import random

import pytest

from tvm_directconv.algorithms.open_columns import heights
from tvm_directconv.algorithms.row_choice import Ends, RowChoice, choice_of


def entry(choice: RowChoice, outputs: int, over: int) -> Ends | None:
    """What the routine finds of a row."""
    period = choice.heights[0]
    beyond = outputs >= choice.limit
    return choice.table[over][choice.limit + (outputs - choice.limit) % period if beyond else outputs]


def tiles_of(choice: RowChoice, ends: Ends, outputs: int, over: int) -> list[tuple[str, int, int]]:
    """The tiles of a row: where each is, its first output and its height."""
    if ends.first > choice.none:
        return [("alone", 0, ends.first - choice.none)]
    found, sizes = [], (*choice.heights, 0)
    for number in range(choice.tiles(choice.left, ends.first)):
        found.append(("left", number * sizes[ends.first], sizes[ends.first]))
    for number in range(choice.tiles(choice.rights[over], ends.last)):
        found.append(("right", outputs - (number + 1) * sizes[ends.last], sizes[ends.last]))
    begin, end, height = ends.ahead, outputs - ends.behind, sizes[ends.first]
    while begin < end:
        found.append(("between", min(begin, end - height), height))
        begin += height
    return found


@pytest.mark.parametrize("seed", range(40))
def test_every_row_is_covered_inside_of_its_borders(seed):
    rng = random.Random(seed)
    most, left = rng.randint(1, 31), rng.randint(0, 6)
    rights = tuple(rng.sample(range(7), rng.randint(1, 3)))
    choice = choice_of(tuple(heights(most)), rng.randint(1, 6), left, rights, ())
    assert RowChoice.parse(choice.name) == choice
    for over, right in enumerate(rights):
        for outputs in range(1, 5 * most + 40):
            ends = entry(choice, outputs, over)
            if ends is None:
                assert most < outputs < left + right
                continue
            tiles = tiles_of(choice, ends, outputs, over)
            assert {x for _, start, height in tiles for x in range(start, start + height)} == {
                *range(outputs)
            }
            assert all(start >= left for place, start, _ in tiles if place in ("between", "right"))
            inside = (start + height for place, start, height in tiles if place in ("between", "left"))
            assert all(end <= outputs - right for end in inside)
            assert {height for place, _, height in tiles if place == "between"} <= {most, 1}
            assert choice.has_steps or all(h == most for place, _, h in tiles if place == "between")


def test_long_rows_waste_little():
    choice = choice_of(tuple(heights(14)), 2, 1, (1,), ())
    for outputs in range(28, 200):
        ends = entry(choice, outputs, 0)
        assert sum(height for _, _, height in tiles_of(choice, ends, outputs, 0)) <= 1.15 * outputs
