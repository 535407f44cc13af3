"""The tiles that cover a row, chosen by its length when a kernel runs: a generated routine looks them up.

A row begins with tiles of one of a few heights and ends with tiles of one of them; between are the tallest
ones. Which ends cost least is computed here for every length up to some whole tiles; longer rows have the
ends of one as many whole tiles shorter. The routine's name says all that the table depends on, as a
micro-kernel's does.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

from intrinsics.emit.asm import llvm_routine
from intrinsics.registry import PACKINGS

PREFIX = "row_choice__"
LATENCY = 8
"""A tile of fewer sums than this takes about as long as one of so many: they wait for each other."""
OVERHEAD = 3
"""A call takes as long as so many sums of one step."""
WHOLE = 2
"""Rows of so many of the tallest tiles, besides borders, have any two ends."""
BITS = 8
"""A field of the table has so many bits."""


@dataclass(frozen=True)
class Ends:
    """The ends of a row: the numbers of the heights on the left and on the right, and how many outputs their
    tiles have. A row of one tile has that one's number on the left, and no outputs. ``cost`` is that of all
    these tiles."""

    first: int
    last: int
    ahead: int
    behind: int
    cost: int = 0


@dataclass(frozen=True)
class RowChoice:
    """A choice of tiles for rows: of ``heights`` at their ends, the tallest of them between."""

    heights: tuple[int, ...]
    """The heights of tiles at the ends, falling, down to 1."""
    vectors: int
    """Tiles are so many vectors wide."""
    left: int
    """The outputs that miss taps at the left border."""
    rights: tuple[int, ...]
    """The outputs that miss some at the right one, for each number of columns that the stride leaves over."""
    singles: tuple[int, ...] = ()
    """The lengths of rows that are one tile."""

    @property
    def name(self) -> str:
        fields = (self.heights, (self.vectors,), (self.left,), self.rights, self.singles)
        return PREFIX + "_".join(".".join(map(str, numbers)) for numbers in fields)

    @staticmethod
    def parse(name: str) -> RowChoice:
        """Return the choice that ``name`` was made of."""
        fields = name.removeprefix(PREFIX).split("_")
        numbers = [tuple(int(each) for each in field.split(".") if each) for field in fields]
        return RowChoice(numbers[0], numbers[1][0], numbers[2][0], numbers[3], numbers[4])

    @property
    def none(self) -> int:
        """Return the number that no height has. Those of rows of one tile are this one and their length."""
        return len(self.heights)

    def tiles(self, border: int, number: int) -> int:
        """Return how many tiles of the height of that number are at a border: at least one, for what is left
        over has one as well, but of no height none."""
        return 0 if number == self.none else max(1, -(-border // self.heights[number]))

    def ends(self, outputs: int, over: int) -> Ends | None:
        """Return the ends that cost least of a row of so many outputs; None where it is not covered."""
        if outputs in self.singles:
            return Ends(self.none + outputs, self.none, 0, 0)
        tallest, left, right = self.heights[0], self.left, self.rights[over]
        least, found = math.inf, None
        for ends in self._pairs[over]:
            rest, between = outputs - ends.ahead - ends.behind, tallest
            if ends.ahead + right > outputs or ends.behind + left > outputs:
                continue
            if ends.first == ends.last == self.none - 1:  # between ends of one pixel are others of one
                between = 1
            elif rest > 0 and (ends.first or left + tallest + ends.behind > outputs):
                continue
            cost = ends.cost + -(-max(0, rest) // between) * self._cost(between)
            if cost < least:
                least, found = cost, ends
        return found

    def _cost(self, height: int) -> int:
        return max(LATENCY, height * self.vectors) + OVERHEAD

    def _at(self, border: int) -> list[tuple[int, int, int]]:
        """The numbers of heights that a border may have tiles of, the outputs of these, and their cost."""
        at = []
        for number, height in enumerate(self.heights):
            count = self.tiles(border, number)
            at.append((number, count * height, count * self._cost(height)))
        return at if border else [*at, (self.none, 0, 0)]

    @cached_property
    def _pairs(self) -> list[list[Ends]]:
        """All ends, for each number of columns left over."""
        return [
            [
                Ends(first, last, ahead, behind, left + right)
                for (first, ahead, left), (last, behind, right) in itertools.product(self._at(self.left), at)
            ]
            for at in map(self._at, self.rights)
        ]

    @property
    def limit(self) -> int:
        """Return the length from which on ends repeat."""
        return (WHOLE * self.heights[0]) + 2 * (self.left + max(self.rights))

    @cached_property
    def table(self) -> list[list[Ends | None]]:
        """The ends for each number of columns left over, and each length below ``limit`` and the tallest
        tile more."""
        lengths = range(self.limit + self.heights[0])
        return [[self.ends(length, over) for length in lengths] for over in range(len(self.rights))]

    def _is_of_steps(self, length: int, ends: Ends | None) -> bool:
        """Whether a row has tiles of one pixel between its ends, though there are taller ones."""
        of_smallest = ends is not None and 0 < ends.first == self.none - 1
        return ends is not None and of_smallest and ends.ahead + ends.behind < length

    @property
    def has_steps(self) -> bool:
        """Return whether some row has tiles of one pixel between its ends."""
        return any(self._is_of_steps(*entry) for row in self.table for entry in enumerate(row))

    @property
    def badly_covered(self) -> set[int]:
        """Return the lengths up to the tallest tile that no ends cover without such tiles, for some number of
        columns left over."""
        lengths = range(1, self.heights[0] + 1)
        rows = ((length, row[length]) for row in self.table for length in lengths)
        return {length for length, ends in rows if ends is None or self._is_of_steps(length, ends)}

    def llvm_ir(self) -> str:
        """LLVM IR of ``i32 name(ptr choice, i32 outputs, i32 over)``, which stores the fields of ``Ends``,
        each of ``BITS``, the first the lowest."""
        size, period = len(self.table[0]), self.heights[0]
        entries = ", ".join(f"i32 {_packed(ends)}" for row in self.table for ends in row)
        table = f"[{size * len(self.rights)} x i32]"
        lines = [
            f"%beyond = icmp sge i32 %outputs, {self.limit}",
            f"%further = sub i32 %outputs, {self.limit}",
            f"%rest = urem i32 %further, {period}",
            f"%folded = add i32 %rest, {self.limit}",
            "%length = select i1 %beyond, i32 %folded, i32 %outputs",
            f"%row = mul i32 %over, {size}",
            "%index = add i32 %row, %length",
            "%wide = zext i32 %index to i64",
            f"%entry = getelementptr inbounds {table}, ptr @{self.name}_table, i64 0, i64 %wide",
            "%ends = load i32, ptr %entry",
            "store i32 %ends, ptr %choice",
        ]
        signature = f"define i32 @{self.name}(ptr %choice, i32 %outputs, i32 %over)"
        constant = f"@{self.name}_table = private unnamed_addr constant {table} [{entries}]\n"
        return constant + llvm_routine(signature, lines, "alwaysinline ")


def _packed(ends: Ends | None) -> int:
    """The table's entry. Fields are less than 128: tiles are of few rows."""
    fields = (ends.first, ends.last, ends.ahead, ends.behind) if ends else (0, 0, 0, 0)
    return sum(field << (BITS * place) for place, field in enumerate(fields))


@lru_cache(maxsize=1024)
def choice_of(
    heights: tuple[int, ...], vectors: int, left: int, rights: tuple[int, ...], singles: tuple[int, ...]
) -> RowChoice:
    """Return the choice in which rows of ``singles`` are one tile, and those that no taller ends cover. It is
    kept, for a network's layers have a few of them."""
    narrow = RowChoice(heights, vectors, left, rights).badly_covered
    return RowChoice(heights, vectors, left, rights, tuple(sorted(narrow.union(singles))))


PACKINGS[PREFIX] = lambda name: RowChoice.parse(name).llvm_ir()
