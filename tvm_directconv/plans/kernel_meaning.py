"""What a call of a micro-kernel does to memory, by the specification that its code is proven to meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from intrinsics.emit.asm import INTEGERS
from intrinsics.microkernel import DEPTHWISE, OPEN, KernelInstance, Segment
from intrinsics.verification.specification import Specification
from intrinsics.verification.term_arithmetic import TermArithmetic
from intrinsics.verification.terms import Terms

from .elements import Arguments, PlanError, Pointer, Tasks, alike, known
from .prime_field import PRIME, UNKNOWN, Uninterpreted, product

MOST_AT_ONCE = 1 << 21
"""Elements of A that are looked at together."""
ROUNDED = ("u8", "s8", "bf16", "f16")
"""What is stored of these types is rounded."""


@dataclass(frozen=True)
class Products:
    """The products of a tile, by their places in A and B.

    Attributes:
        a: Elements of A [rows, products], or [rows, products, lanes] of depthwise kernels.
        b: Elements of B [products, lanes].
        rows: Which products belong to which rows [rows, products].
        zeros: Elements of B that must be zero [...].
        b_end: One behind the last element of B that may be read.
        a_ends: The first and the last element of A that may be read, where what lies between may be, too.
    """

    a: np.ndarray
    b: np.ndarray
    rows: np.ndarray
    zeros: np.ndarray
    b_end: int
    a_ends: tuple[int, int]


class KernelMeaning:
    """One micro-kernel, to be applied to memory.

    Args:
        name: Its name.
        functions: What epilogues are made of.
    """

    def __init__(self, name: str, functions: Uninterpreted) -> None:
        self.instance = instance = KernelInstance.parse(name)
        terms = Terms()
        self.of = Specification(instance, terms, TermArithmetic(terms))
        self.functions = functions
        self.products = lru_cache(maxsize=64)(self._products)
        rows, lanes = range(instance.kernel.mr), range(instance.channels)
        self.lines = np.array(rows) // instance.width
        self.c = np.array([[instance.c_offset(m, j) for j in lanes] for m in rows])
        self.bias = np.array([instance.bias_offset(m) for m in rows])

    # ---- one call for each task

    def __call__(self, tasks: Tasks, arguments: Arguments) -> None:
        """Apply the kernel for each task. Raises PlanError."""
        parameters = self.instance.parameters
        for some, pointers, integers in alike(tasks, arguments):
            numbers = dict(zip((p for p in parameters if p in INTEGERS), integers, strict=True))
            given = dict(zip((p for p in parameters if p not in INTEGERS), pointers, strict=True))
            found = self.products(numbers["taps_h"], numbers.get("step", 0))
            most = max(1, MOST_AT_ONCE // max(1, found.a.size))
            for start in range(0, len(some.numbers), most):
                chosen = np.arange(start, min(start + most, len(some.numbers)))
                parts = {name: pointer.of(chosen) for name, pointer in given.items()}
                self._apply(some.of(chosen), parts, found, numbers.get("line", 0))

    def _apply(self, tasks: Tasks, given: dict[str, Pointer], found: Products, line: int) -> None:
        c = self.c + (self.lines * line)[:, None]
        totals = self._start(tasks, given, c)
        if found.a.size:
            totals = (totals + self._sums(tasks, given["a"], given["b"], found)) % PRIME
        value = self._finished(tasks, given, totals, c)
        given["c"].memory.write(
            given["c"].at(np.broadcast_to(c, (len(tasks.numbers), *c.shape))), value, tasks
        )

    def _start(self, tasks: Tasks, given: dict[str, Pointer], c: np.ndarray) -> np.ndarray:
        """Return what sums begin with [DRAWS, tasks, rows, lanes]."""
        instance = self.instance
        rows, lanes = np.arange(len(c))[:, None], np.arange(instance.channels)[None, :]
        if instance.accumulate:
            return known(given["c"], c, tasks)
        if not instance.epilogue.bias:
            return np.zeros((1, 1, *c.shape), np.int64)
        at = rows + 0 * lanes if instance.bias_by_row else self.bias[:, None] + lanes
        return known(given["bias"], at, tasks)

    def _sums(self, tasks: Tasks, a: Pointer, b: Pointer, found: Products) -> np.ndarray:
        """Return the sums of products [DRAWS, tasks, rows, lanes]."""
        left = self._left(tasks, a, found)
        firsts, places = np.unique(b.base + b.offset, return_inverse=True)
        sums = np.zeros((len(left), len(tasks.numbers), left.shape[2], found.b.shape[1]), np.int64)
        for number in range(len(firsts)):
            same = np.flatnonzero(places == number)
            panel = b.of(same[:1])
            panel.within(0, found.b_end - 1)
            right = known(panel, found.b, tasks.of(same[:1]))[:, 0]
            if known(panel, found.zeros, tasks.of(same[:1])).any():
                raise PlanError("elements of B behind a segment's last channel are not zero")
            if self.instance.kernel.layout == DEPTHWISE:
                for k in range(right.shape[1]):
                    term = left[:, same][:, :, :, k] * right[:, k][:, None, None] % PRIME
                    sums[:, same] = (sums[:, same] + term) % PRIME
            else:
                rows = left[:, same].reshape(len(left), -1, left.shape[-1])
                sums[:, same] = product(rows, right).reshape(len(left), len(same), *sums.shape[2:])
        return sums

    def _left(self, tasks: Tasks, a: Pointer, found: Products) -> np.ndarray:
        """Return the activations [DRAWS, tasks, rows, products (, lanes)], zero where a product is not of a
        row."""
        if self.of.of_bytes:
            a.within(*found.a_ends)
        has_part = found.rows if found.a.ndim == 2 else found.rows[:, :, None]
        has_part = np.broadcast_to(has_part, found.a.shape)
        values = known(a, found.a[has_part], tasks)
        left = np.zeros((len(values), len(tasks.numbers), *found.a.shape), np.int64)
        left[:, :, has_part] = (values + self.of.moved) % PRIME
        return left

    def _finished(
        self, tasks: Tasks, given: dict[str, Pointer], totals: np.ndarray, c: np.ndarray
    ) -> np.ndarray:
        """Return what is stored."""
        instance, of = self.instance, self.of
        lanes = np.arange(instance.channels)[None, :]
        if of.of_bytes and of.destination != "i32" and not instance.epilogue.residual:
            totals = self.functions.multiply(totals, known(given["residual"], lanes, tasks))
        steps = MemorySteps(self.functions, tasks, given, lanes, c)
        for step in instance.epilogue.steps:
            totals = step.apply(totals, steps)
        if of.destination in ROUNDED:
            totals = self.functions.of("round", totals, float(instance.zero))
        return totals

    # ---- where products lie

    def _products(self, taps: int, step: int) -> Products:
        """Return the products of a call with so many filter rows, ``step`` elements apart where calls say."""
        instance, of = self.instance, self.of
        step = step if instance.a_step is None else instance.a_step
        a: list[np.ndarray] = []
        b: list[np.ndarray] = []
        rows: list[np.ndarray] = []
        zeros: list[np.ndarray] = []
        # Vectors of any length are set to the channels that there are; others are read whole.
        b_end, width = 0, (instance.channels if of.isa.arch == "riscv64" else instance.kernel.nr) * of.group
        for a_start, b_start, segment in self._segments(taps, step):
            channels = np.arange(segment.length)
            runs = {m: of.runs((segment,), m, 0) for m in range(instance.kernel.mr)}
            rows.append(np.array([[bool(run)] * len(channels) for run in runs.values()]))
            a.append(np.stack([self._a(m, a_start, segment, step) for m in runs]))
            first = next(m for m, run in runs.items() if run)
            places = [of.runs((segment,), first, j)[0].b // of.b_bytes for j in range(instance.channels)]
            at, groups = b_start + np.array(places), -(-segment.length // of.group)
            b.append(self._row(channels)[:, None] + at)
            whole = np.arange(segment.length, groups * of.group)
            zeros.append((self._row(whole)[:, None] + at).reshape(-1))
            b_end = max(b_end, b_start + segment.b + (groups - 1) * instance.b_row + width)
        if not a:
            nothing = np.zeros((instance.kernel.mr, 0), np.int64)
            return Products(nothing, nothing.T, nothing, nothing, 0, (0, 0))
        all_a, parts = np.concatenate(a, axis=1), np.concatenate(rows, axis=1)
        ends = int(all_a[parts].min()), int(all_a[parts].max())
        return Products(all_a, np.concatenate(b), parts, np.concatenate(zeros), b_end, ends)

    def _segments(self, taps: int, step: int) -> Iterator[tuple[int, int, Segment]]:
        """Give each segment of each filter row and block, and how far on A and B are there."""
        instance = self.instance
        rows = instance.lines.taps if self.of.unrolled else taps
        if rows < 0:
            raise PlanError(f"{rows} filter rows are visited")
        for q in range(instance.blocks + bool(instance.tail_segments)):
            for h in range(rows):
                for segment in instance.segments if q < instance.blocks else instance.tail_segments:
                    yield q * instance.a_block + h * step, q * instance.b_block + h * instance.b_step, segment

    def _row(self, channels: np.ndarray) -> np.ndarray:
        """Return elements of B from a segment's first row to channels'."""
        return channels // self.of.group * self.instance.b_row + channels % self.of.group

    def _a(self, m: int, start: int, segment: Segment, step: int) -> np.ndarray:
        """Return row m's elements of A [channels of the segment (, lanes)]."""
        of, instance = self.of, self.instance
        depthwise = instance.kernel.layout == DEPTHWISE
        lanes, channels = range(instance.channels if depthwise else 1), np.arange(segment.length)
        places = np.full((len(channels), len(lanes)), UNKNOWN)
        line = m // instance.width * instance.lines.a if of.unrolled else 0
        start += line * step if instance.a_step is OPEN else line
        for j in lanes:
            for run in of.runs((segment,), m, j):
                within = channels // run.group * (run.a_next // of.a_bytes) + channels % run.group
                places[:, j] = start + run.a // of.a_bytes + within
        return places if depthwise else places[:, 0]


class MemorySteps(Uninterpreted):
    """Functions of steps that find constants of channels, of lanes [...] behind the bias, and the residual,
    at ``c`` [...], in memory."""

    def __init__(
        self,
        functions: Uninterpreted,
        tasks: Tasks,
        given: dict[str, Pointer],
        lanes: np.ndarray,
        c: np.ndarray,
    ) -> None:
        super().__init__(functions.keys, functions.arithmetic)
        self._tasks, self._given, self._lanes, self._c = tasks, given, lanes, c

    def channel(self, at: int) -> np.ndarray:
        return known(self._given["bias"], at + self._lanes, self._tasks)

    def add_residual(self, a: np.ndarray) -> np.ndarray:
        return self.add(a, known(self._given["residual"], self._c, self._tasks))
