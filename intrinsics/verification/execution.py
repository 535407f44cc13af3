"""Symbolic execution: all paths of a program, its loops by induction.

A loop is a jump back to a line, taken while a counter is not zero. Its body is executed twice at most: once
for its general registers, which shows what each iteration adds to them, and once with these as functions of
the iteration's number, and with holes for the vectors that it writes. What a vector is behind the loop is
then the term of its iteration, ``iter``: the body's, over the hole, applied so often to what it began with.
A vector that does not depend on its hole may be known before the loop as what the iteration before the first
would leave (operands that are loaded an iteration ahead); the induction's step is that the body leaves it so.
All else that a loop writes is unknown inside of it until it is written, and what cannot be shown is refuted.

A loop whose iterations set the length of vectors walks channels by passes. It may store, and is executed once
for a pass that begins behind any number of channels; a loop around such loops is followed as often as it is
run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from . import passes
from .state import Cell, Data, Instruction, Read, State, forget
from .terms import HALF_SUMS, Affine, NotCovered, Refutation, Terms

MOST_PATHS = 8
MOST_TURNS = 256
"""Loops around passes are followed up to so many times."""
Held = str | Affine
"""A vector register by its name, or an address on the stack."""


class Execution:
    """One run of a program on terms."""

    def __init__(self, terms: Terms, program: Sequence[Instruction]) -> None:
        self.terms = terms
        self.program = program = passes.with_loops_apart(program)
        self.counts: dict[str, Affine] = {}
        """How often the loop of each symbol is run."""
        self.reads: list[Read] = []
        self.line = 0
        self.scalars = False
        """Whether only general registers are followed."""
        self.written: set[str] = set()
        """Registers of groups that are written, in which how many there are depends on the length."""
        self._turns = 0
        self._loops: dict[int, int] = {}
        self.active: set[int] = set()
        for at, instruction in enumerate(program):
            jump = instruction.jump
            if jump and jump.target <= at:
                if jump.target in self._loops:
                    raise NotCovered(f"{instruction.text}: two jumps lead back to one line")
                self._loops[jump.target] = at
        self._check_nesting()
        self._passes, around = passes.heads(program, self._loops)
        self._loops = {head: tail for head, tail in self._loops.items() if head not in around}

    def _check_nesting(self) -> None:
        for head, tail in self._loops.items():
            for at, instruction in enumerate(self.program):
                jump = instruction.jump
                if jump and (head < jump.target <= tail) and not head <= at <= tail:
                    raise NotCovered(f"{instruction.text} jumps into a loop")
                if jump and head <= at <= tail and not head <= jump.target <= tail and at != tail:
                    raise NotCovered(f"{instruction.text} jumps out of a loop")

    def read(self, state: State, address: Affine, size: int) -> None:
        """Note that so many bytes are read."""
        if not self.scalars:
            self.reads.append(Read(self.line, address, size, state.nonzero))

    def run(self, state: State, at: int, end: int) -> list[State]:
        """Return the states that reach line ``end`` from line ``at``."""
        program = self.program
        while at != end:
            if at > end:
                raise NotCovered(f"{program[at - 1].text} leaves the lines that it is among")
            tail = self._loops.get(at)
            if tail is not None and at not in self.active:
                if tail >= end:
                    raise NotCovered("loops that overlap")
                if at in self._passes:
                    outs = passes.walk(self, state, at, tail)
                    return [found for out in outs for found in self.run(out, tail + 1, end)]
                state, at = self._loop(state, at, tail), tail + 1
                continue
            instruction = program[at]
            self.line = instruction.line
            if not self.scalars or instruction.scalar:
                instruction.step(state)
            jump = instruction.jump
            at += 1
            if jump is None:
                continue
            if jump.value is None:
                at = jump.target
                continue
            value = jump.value(state)
            taken = self._decided(state, value, jump.if_zero)
            if taken is None:
                other = state.copy()
                for each, is_zero in ((state, jump.if_zero), (other, not jump.if_zero)):
                    if is_zero:
                        each.zero |= {value}
                    else:
                        each.nonzero |= {value}
                paths = [*self.run(state, jump.target, end), *self.run(other, at, end)]
                if len(paths) > MOST_PATHS:
                    raise NotCovered("too many paths")
                return paths
            if taken:
                self._turns += jump.target < at
                if self._turns > MOST_TURNS:
                    raise NotCovered("a loop that is run too often to be followed")
                at = jump.target
        return [state]

    def _decided(self, state: State, value: Affine, if_zero: bool) -> bool | None:
        """Return whether a branch is taken; None where that depends on the operands."""
        if value[0] == 0:
            return (value[1] == 0) == if_zero
        if value in state.nonzero:
            return not if_zero
        if value in state.zero:
            return if_zero
        return None

    # ---- loops

    def _loop(self, state: State, head: int, tail: int) -> State:
        terms, body = self.terms, self.program[head : tail + 1]
        forget(state, body)
        general = {name for i in body for name in i.writes if name in state.general}
        vectors = [name for name in {name for i in body for name in i.writes} if name in state.vectors]
        masks = {name for i in body for name in i.writes if name in state.masks}
        held: list[Held] = list(vectors)
        if any(i.stores for i in body) and not self.scalars:
            held += [address for address, cell in state.stack.items() if isinstance(cell.value, int)]
        self.active.add(head)
        steps = self.steps_of(state, head, tail, general)
        symbol = f"i{head}"
        while symbol in self.counts:
            symbol += "'"
        self.counts[symbol] = (0, 0)
        count, outs = self._iteration(state, head, tail, symbol, steps, general, held, masks, {})
        while not self.scalars and self._loses(state, outs[0]):
            held = [place for place in held if isinstance(place, str) or place in state.stack]
            count, outs = self._iteration(state, head, tail, symbol, steps, general, held, masks, {})
        if not self.scalars and outs[0].length != state.length:
            raise Refutation("a loop leaves vectors of another type than it begins with", line=self.line)
        if not self.scalars:
            ahead = self._known_ahead(state, outs[0], outs[1], symbol, held)
            if ahead:
                count, outs = self._iteration(state, head, tail, symbol, steps, general, held, masks, ahead)
                self._check_ahead(outs[0], outs[1], symbol, ahead)
        self.active.discard(head)
        self.counts[symbol] = count
        after, holes = outs
        for name in general:
            step = steps[name]
            if step is not None:
                after.general[name] = terms.plus(state.general[name], terms.times(step, count))  # type: ignore[arg-type]
            else:
                after.general[name] = self._last(after.general[name], symbol, count)
        for name in masks:
            after.masks[name] = None
            after.nans.pop(name, None)
        if not self.scalars:
            after.stack = {address: cell for address, cell in after.stack.items() if address in state.stack}
            for place in held:
                _hold(after, place, self._behind(state, after, place, holes[place], symbol, count))
        forget(after, body)
        after.flag = (0, 0)
        return after

    def steps_of(self, state: State, head: int, tail: int, general: set[str]) -> dict[str, Affine | None]:
        """What an iteration adds to each general register; None where it is not that simple."""
        terms, probe = self.terms, state.copy()
        probe.flag = None
        inner = {name: terms.symbol(f"in.{head}.{name}") for name in general}
        probe.general.update(inner)
        before, self.scalars = self.scalars, True
        counted = len(self.counts)
        out, *others = self.run(probe, head, tail) if head in self._passes else self._body(probe, head, tail)
        self.scalars = before
        for symbol in list(self.counts)[counted:]:
            del self.counts[symbol]
        names = {f"in.{head}.{name}": name for name in general}
        steps: dict[str, Affine | None] = dict.fromkeys(general)
        for name in general:
            value = out.general[name]
            if isinstance(value, tuple) and isinstance(state.general[name], tuple):
                step = terms.minus(value, inner[name])
                steps[name] = None if terms.symbols(step) & names.keys() else step
            if any(other.general[name] != value for other in others):
                steps[name] = None
        for name in general if head not in self._passes else ():
            if steps[name] is None:
                steps[name] = self._copied(state, name, out.general[name], names, steps)
        return steps

    def _copied(
        self, state: State, name: str, left: object, names: dict[str, str], steps: dict[str, Affine | None]
    ) -> Affine | None:
        """What an iteration adds to a register that it fills from others, if the first begins as if it were
        behind another."""
        terms, start = self.terms, state.general[name]
        if not isinstance(left, tuple) or not isinstance(start, tuple):
            return None
        first, second = left, left
        if any(sum(s in names for s in symbols) > 1 for symbols, _ in terms.keys[left[0]]):
            return None
        for symbol in terms.symbols(left) & names.keys():
            other, step = state.general[names[symbol]], steps[names[symbol]]
            if step is None:
                return None
            first = terms.replaced(first, symbol, terms.minus(other, step))  # type: ignore[arg-type]
            second = terms.replaced(second, symbol, other)  # type: ignore[arg-type]
        return terms.minus(second, first) if first == start else None

    def _body(self, state: State, head: int, tail: int) -> list[State]:
        outs = self.run(state, head, tail)
        if len(outs) != 1:
            raise NotCovered("a branch inside a loop that depends on operands")
        last = self.program[tail]
        self.line = last.line
        last.step(outs[0])
        return outs

    def _iteration(
        self,
        state: State,
        head: int,
        tail: int,
        symbol: str,
        steps: dict[str, Affine | None],
        general: set[str],
        held: Sequence[Held],
        masks: set[str],
        ahead: dict[tuple[Held, int], int],
    ) -> tuple[Affine, tuple[State, dict[Held, tuple[int, ...]]]]:
        """Execute the body for the iteration of that number; return how many there are."""
        terms, inside = self.terms, state.copy()
        inside.flag = None
        i = terms.symbol(symbol)
        for name in general:
            step = steps[name]
            inside.general[name] = (
                None if step is None else terms.plus(state.general[name], terms.times(step, i))  # type: ignore[arg-type]
            )
        holes: dict[Held, tuple[int, ...]] = {}
        if not self.scalars:
            for place in held:
                own = [ahead.get((place, at)) for at in range(len(_held(state, place)))]
                holes[place] = tuple(
                    terms.make("hole", head, place, at) if known is None else known
                    for at, known in enumerate(own)
                )
                _hold(inside, place, holes[place])
        for name in masks:
            inside.masks[name] = None
            inside.nans.pop(name, None)
        (out,) = self._body(inside, head, tail)
        jump = self.program[tail].jump
        assert jump
        if jump.value is None or jump.if_zero:
            raise NotCovered(f"{self.program[tail].text}: a loop that is not counted down to zero")
        return self._count(state, jump.value(out), symbol), (out, holes)

    def _loses(self, state: State, out: State) -> bool:
        """Whether an iteration does not leave all groups, and all that is on the stack, as it finds them;
        the state before the loop loses them then."""
        if out.stored != state.stored:
            raise Refutation("a loop stores to C", line=self.line)
        groups = {name for name, group in state.groups.items() if out.groups.get(name) != group}
        cells = {
            address for address, cell in state.stack.items() if not _is_like(cell, out.stack.get(address))
        }
        state.groups = {name: group for name, group in state.groups.items() if name not in groups}
        state.stack = {address: cell for address, cell in state.stack.items() if address not in cells}
        return bool(groups or cells)

    def _count(self, state: State, left: Affine, symbol: str) -> Affine:
        """Return how often a loop is run whose counter is ``left`` behind the iteration ``symbol``."""
        terms = self.terms
        first = terms.replaced(left, symbol, (0, 0))
        step = terms.minus(terms.replaced(left, symbol, (0, 1)), first)
        again = terms.plus(first, terms.times(step, terms.symbol(symbol)))
        if again != left or step[0] or step[1] >= 0:
            raise Refutation("a loop's counter does not count down", line=self.line)
        if first[0] == 0:
            if first[1] < 0 or first[1] % step[1]:
                raise Refutation("a loop's counter passes zero", line=self.line)
            return (0, first[1] // -step[1] + 1)
        count = terms.plus(first, (0, 1))
        if step[1] != -1 or (count not in state.nonzero and not self.scalars):
            raise Refutation(f"a loop runs {terms.text(count)} times, which may be zero", line=self.line)
        return count

    def _known_ahead(
        self, state: State, out: State, holes: dict[Held, tuple[int, ...]], symbol: str, held: Sequence[Held]
    ) -> dict[tuple[Held, int], int]:
        """What lanes hold as an iteration begins that are loaded anew in each: the term that the iteration
        before left, if that is what they hold as the loop begins."""
        terms, known = self.terms, dict[tuple[Held, int], int]()
        before = terms.plus(terms.symbol(symbol), (0, -1))
        for place in held:
            for at, (start, end) in enumerate(zip(_held(state, place), _held(out, place), strict=True)):
                kind = terms.nodes[end][0]
                if kind in ("hole", "fma", "iadd", "iter", "undef"):
                    continue
                first = self.shifted(end, symbol, (0, -1))
                if first is not None and first == start:
                    value = self.shifted(end, symbol, before)
                    assert value is not None
                    known[place, at] = value
        return known

    def _check_ahead(
        self, out: State, holes: dict[Held, tuple[int, ...]], symbol: str, ahead: dict[tuple[Held, int], int]
    ) -> None:
        after = self.terms.plus(self.terms.symbol(symbol), (0, 1))
        for (place, at), value in ahead.items():
            if _held(out, place)[at] != self.shifted(value, symbol, after):
                raise Refutation(f"{place} is not loaded an iteration ahead", line=self.line)

    def shifted(self, term: int, symbol: str, by: Affine) -> int | None:
        """Return a term of loads and constants for another iteration; None for other terms."""
        terms = self.terms
        node = terms.nodes[term]
        if node[0] == "const":
            return term
        if node[0] == "ld":
            return terms.load(node[1], terms.replaced((node[2], node[3]), symbol, by))
        if node[0] in ("cat", "widen", "byte", "sx"):
            parts = [
                self.shifted(o, symbol, by) if at == 0 or node[0] == "cat" else o
                for at, o in enumerate(node[1:])
            ]
            if any(part is None for part in parts):
                return None
            if node[0] == "cat":
                return terms.join(tuple(parts))  # type: ignore[arg-type]
            return terms.make(node[0], *parts)
        return None

    def _behind(
        self, state: State, out: State, place: Held, holes: tuple[int, ...], symbol: str, count: Affine
    ) -> tuple[int, ...]:
        """What the lanes of a vector, or of one on the stack, hold behind a loop."""
        terms, lanes = self.terms, []
        last = terms.plus(count, (0, -1))
        for start, hole, end in zip(_held(state, place), holes, _held(out, place), strict=True):
            if end == hole and terms.nodes[hole][0] == "hole":
                lanes.append(start)
                continue
            final = self.shifted(end, symbol, last)
            if final is None:
                parts = [terms.split(term, 4, 2) for term in (hole, end, start)]
                if all(terms.nodes[half][0] in HALF_SUMS for half in parts[1]):
                    halves = [terms.make("iter", symbol, count, *of) for of in zip(*parts, strict=True)]
                    final = terms.word(*halves)
                else:
                    final = terms.make("iter", symbol, count, hole, end, start)
            lanes.append(final)
        return tuple(lanes)

    def _last(self, value: object, symbol: str, count: Affine) -> object:
        """What a general register holds behind a loop that fills it anew in every iteration."""
        if isinstance(value, tuple):
            return self.terms.replaced(value, symbol, self.terms.plus(count, (0, -1)))
        return None if isinstance(value, Data) else value


def _is_like(cell: Cell, other: Cell | None) -> bool:
    """Whether another cell has as many bytes, and of a term or the same value."""
    if other is None or cell.size != other.size:
        return False
    return (isinstance(cell.value, int) and isinstance(other.value, int)) or cell.value == other.value


def _held(state: State, place: Held) -> tuple[int, ...]:
    """The lanes of a vector, or what is on the stack."""
    if isinstance(place, str):
        return state.vectors[place]
    value = state.stack[place].value
    assert isinstance(value, int)
    return (value,)


def _hold(state: State, place: Held, lanes: tuple[int, ...]) -> None:
    if isinstance(place, str):
        state.vectors[place] = lanes
    else:
        state.stack[place] = replace(state.stack[place], value=lanes[0])
