"""What a kernel may read: the elements of its operands that its name speaks of, and B's rows, whole."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterable

import numpy as np

from intrinsics.microkernel import DEPTHWISE, PANEL, ROW

from .execution import Execution
from .specification import Specification
from .state import Read
from .terms import Affine, Refutation

Intervals = list[tuple[int, int]]
MOST_READS = 1 << 20
"""Reads of a loop are looked at one by one up to so many."""


def merged(intervals: Iterable[tuple[int, int]]) -> Intervals:
    """Return intervals of bytes in order, those that meet as one."""
    result: Intervals = []
    for start, end in sorted(intervals):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return result


class Windows:
    """The bytes of each operand that may be read, from where a filter row begins."""

    def __init__(self, specification: Specification) -> None:
        self.of, self.terms = specification, specification.terms
        self._known: dict[str, Intervals] = {}
        self._lines: dict[tuple[str, int], Intervals] = {}

    def check(self, execution: Execution) -> None:
        """Refutation for a read outside of the windows."""
        seen = set()
        for read in execution.reads:
            rows = self.of.taps in read.nonzero
            if (read.address, read.size, rows) not in seen:
                seen.add((read.address, read.size, rows))
                self._check(read, execution)

    def _check(self, read: Read, execution: Execution) -> None:
        terms, of = self.terms, self.of
        pointers = [
            symbols[0] for symbols, f in terms.keys[read.address[0]] if f == 1 and symbols[0].startswith("*")
        ]
        name = pointers[0][1:]
        if name in ("a", "b") and not of.unrolled and of.taps not in read.nonzero:
            raise self._outside(read)
        rest = terms.minus(read.address, of.pointer(name))
        if name in ("a", "b") and not (of.unrolled and name == "b"):
            rest = self._first_row(rest, name, execution)
        fifth = not of.of_bytes or of.instance.epilogue.residual
        if name == "c" or (name == "residual" and fifth) or (name == "a" and of.unrolled):
            intervals, rest = self._of_lines(name, rest)
        else:
            intervals = self._intervals(name)
        ranges = []
        for symbols, factor in terms.keys[rest[0]]:
            known = execution.counts.get(symbols[0]) if len(symbols) == 1 else None
            if known is None or known[0]:
                raise self._outside(read)
            ranges.append((factor, known[1]))
        at = rest[1]
        low = at + sum(min(0, factor * (count - 1)) for factor, count in ranges)
        high = at + sum(max(0, factor * (count - 1)) for factor, count in ranges) + read.size
        if self._inside(intervals, low, high):
            return
        number = 1
        for _, count in ranges:
            number *= count
        if not ranges or number > MOST_READS:
            raise self._outside(read)
        offsets = np.zeros(1, np.int64) + at
        for factor, count in ranges:
            offsets = (offsets[:, None] + factor * np.arange(count)[None, :]).reshape(-1)
        starts = np.array([start for start, _ in intervals] or [0])
        ends = np.array([end for _, end in intervals] or [0])
        place = np.searchsorted(starts, offsets, "right") - 1
        if not ((place >= 0) & (offsets + read.size <= ends[place])).all():
            raise self._outside(read)

    def _outside(self, read: Read) -> Refutation:
        where = self.terms.text(read.address)
        return Refutation(f"{read.size} bytes at {where} are read, which the kernel may not", line=read.line)

    def _first_row(self, rest: Affine, name: str, execution: Execution) -> Affine:
        """Take a whole number of filter rows from an offset, which a loop over all of them has walked."""
        terms, of = self.terms, self.of
        for symbol in terms.symbols(rest):
            if execution.counts.get(symbol) == of.taps:
                step = of.a_step if name == "a" else of.b_step
                return terms.minus(rest, terms.times(terms.symbol(symbol), step))
        return rest

    def _of_lines(self, name: str, rest: Affine) -> tuple[Intervals, Affine]:
        """The windows of a line of the tile whose distance calls may give, and the offset in it, which may be
        that of a lane of any number."""
        terms = self.terms
        lane: Affine = (0, 0)
        for symbols, factor in terms.keys[rest[0]]:
            if symbols[0].startswith("lane"):
                lane = terms.plus(lane, terms.times(terms.symbol(symbols[0]), (0, factor)))
        line = terms.minus(rest, lane)[0]
        known = self._lines.get((name, line))
        if known is None:
            known = self._lines[name, line] = self._window_of_lines(name, line)
        return known, (lane[0], rest[1])

    def _window_of_lines(self, name: str, of_line: int) -> Intervals:
        """The windows that have these multiples of symbols."""
        of, terms, instance = self.of, self.terms, self.of.instance
        if (name == "c" and not instance.accumulate) or (
            name == "residual" and not instance.epilogue.residual
        ):
            return []
        found: list[tuple[int, int]] = []
        for y in range(instance.lines.count):
            if name == "a":
                for h in range(instance.lines.taps):
                    key, at = terms.plus(of.line_of(y * instance.width), terms.times(of.a_step, (0, h)))
                    if key == of_line:
                        found += [(s + at, e + at) for s, e in self._a_row()]
                continue
            for m in range(y * instance.width, (y + 1) * instance.width):
                for j in range(instance.channels):
                    key, at = terms.minus(of.c_address(m, j, name), of.pointer(name))
                    if key == of_line:
                        found.append((at, at + of.unit))
        return merged(found)

    def _inside(self, intervals: Intervals, low: int, high: int) -> bool:
        place = bisect_right(intervals, (low, 1 << 62)) - 1
        return place >= 0 and intervals[place][0] <= low and high <= intervals[place][1]

    def _intervals(self, name: str) -> Intervals:
        if name not in self._known:
            find = {"a": self._a, "b": self._b, "bias": self._bias, "residual": self._scales}.get(name)
            self._known[name] = merged(find()) if find else []
        return self._known[name]

    def _a(self) -> Iterable[tuple[int, int]]:
        instance, of = self.of.instance, self.of
        row = self._a_row()
        for q in range(instance.blocks):
            start = q * instance.a_block * of.a_bytes
            yield from ((s + start, e + start) for s, e in row)
        if instance.tail_segments:
            start = instance.blocks * instance.a_block * of.a_bytes
            yield from ((s + start, e + start) for s, e in self._a_row(tails=True))

    def _a_row(self, tails: bool = False) -> Intervals:
        """The elements of A of one filter row."""
        of, instance = self.of, self.of.instance
        found = []
        for segment in instance.tail_segments if tails else instance.segments:
            for x in segment.rows:
                at = segment.a + (x * instance.a_row if of.unrolled else instance.a_offset(x))
                whole = -(-segment.length // of.group) * of.group
                if of.kernel.layout == DEPTHWISE:
                    groups = -(-instance.channels // instance.group)
                    found.append((at, at + groups * segment.length))
                elif instance.a_k == 1 and of.kernel.layout != PANEL:
                    found.append((at, at + segment.length))
                else:
                    step = of.group * instance.a_k
                    found += [(at + k, at + k + of.group) for k in range(0, whole // of.group * step, step)]
            if instance.a_open and segment.rows:
                # Whole tiles are read: what lies between rows, and behind the last.
                first, last = (segment.a + instance.a_offset(x) for x in (segment.rows[0], segment.rows[-1]))
                behind = of.isa.engine.tile_rows * instance.a_row
                found.append((first, last + segment.length + behind))
        if of.of_bytes and of.kernel.layout == ROW and found:
            # What lies between a filter row's first byte and its last is in the same tensor.
            found = [(min(start for start, _ in found), max(end for _, end in found))]
        return merged((s * of.a_bytes, e * of.a_bytes) for s, e in found)

    def _b(self) -> Iterable[tuple[int, int]]:
        of, instance = self.of, self.of.instance
        both = [(instance.segments, range(instance.blocks)), (instance.tail_segments, [instance.blocks])]
        rows = range(instance.lines.taps) if of.unrolled else range(1)
        width = self.of.kernel.nr * of.group
        for segments, blocks in both:
            for q, h, segment in itertools.product(blocks, rows, segments):
                first = q * instance.b_block + h * instance.b_step + segment.b
                for group in range(-(-segment.length // of.group)):
                    at = (first + group * instance.b_row) * of.b_bytes
                    for part in {0, of.masks}:
                        yield at + part, at + part + width * of.b_bytes

    def _scales(self) -> Iterable[tuple[int, int]]:
        """The fifth operand of kernels of bytes that add no residual."""
        if self.of.destination != "i32":
            yield 0, 4 * self.of.instance.channels

    def _bias(self) -> Iterable[tuple[int, int]]:
        of, instance = self.of, self.of.instance
        epilogue = instance.epilogue
        if epilogue.bias and instance.bias_by_row:
            yield 0, 4 * of.kernel.mr
        elif epilogue.bias:
            for m in range(of.kernel.mr):
                at = 4 * instance.bias_offset(m)
                yield at, at + 4 * instance.channels
        for step in epilogue.per_channel:
            yield 4 * step.offset, 4 * (step.offset + instance.channels)
