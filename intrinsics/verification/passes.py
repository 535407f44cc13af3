"""Loops whose iterations set the length of vectors: passes over channels, as many at a time as vectors hold.

A pass is executed once, for one that begins behind any number of channels (``PASSED``) and takes any number
of those left (``VECTOR_LENGTH``). What it adds to a general register is so much for each channel, so that
behind the last pass registers hold what they would if channels were counted one by one. Each channel is in
one pass, as a pass takes one at least, no more than are left, and the loop ends where none is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from .state import Instruction, State, nothing
from .terms import VECTOR_LENGTH, Affine, Refutation, Terms

PASSED = "passed"
"""The symbol of how many channels passes have computed."""


class Execution(Protocol):
    """What follows the lines of a pass (``execution``)."""

    terms: Terms
    program: list[Instruction]
    active: set[int]

    def run(self, state: State, at: int, end: int) -> list[State]: ...

    def steps_of(self, state: State, head: int, tail: int, general: set[str]) -> dict[str, Affine | None]: ...


def with_loops_apart(program: Sequence[Instruction]) -> list[Instruction]:
    """Return the program with a line of its own that does nothing for each further loop that begins at one
    line."""
    tails: dict[int, list[int]] = {}
    for at, instruction in enumerate(program):
        if instruction.jump and instruction.jump.target <= at:
            tails.setdefault(instruction.jump.target, []).append(at)
    if all(len(found) == 1 for found in tails.values()):
        return list(program)
    places, result = list[int](), list[Instruction]()
    for at, instruction in enumerate(program):
        places.append(len(result))
        result += [Instruction(instruction.line, instruction.text, nothing)] * (len(tails.get(at, [0])) - 1)
        result.append(instruction)
    places.append(len(result))
    for at, instruction in enumerate(program):
        if instruction.jump:
            target = instruction.jump.target
            inner = sum(other > at for other in tails[target]) if target <= at else 0
            own = places[at] + len(tails.get(at, [0])) - 1
            result[own] = replace(instruction, jump=replace(instruction.jump, target=places[target] + inner))
    return result


def heads(program: Sequence[Instruction], loops: Mapping[int, int]) -> tuple[set[int], set[int]]:
    """Return where loops of passes begin, of the loops with these first and last lines, and where loops
    around them do."""
    setting = {h for h, tail in loops.items() if any(i.sets_length for i in program[h : tail + 1])}
    around = {h for h in setting if any(h < other and loops[other] < loops[h] for other in setting)}
    return setting - around, around


def walk(execution: Execution, state: State, head: int, tail: int) -> list[State]:
    """Execute a pass that begins behind any number of channels; return the states behind the last one. A
    path is that of all passes, as it depends on what these do not change."""
    terms, body = execution.terms, execution.program[head : tail + 1]
    written = {name for i in body for name in i.writes}
    general = {name for name in written if name in state.general}
    execution.active.add(head)
    steps = execution.steps_of(state, head, tail, general)
    passed, inside = terms.symbol(PASSED), state.copy()
    for name in general:
        each = _per_channel(terms, steps[name])
        start = state.general[name]
        known = each is not None and isinstance(start, tuple)
        inside.general[name] = terms.plus(start, terms.times(passed, (0, each))) if known else None  # type: ignore[arg-type]
    _forget(terms, inside, written)
    inside.passed, before = passed, dict(inside.general)
    outs = execution.run(inside, head, tail)
    execution.active.discard(head)
    jump = execution.program[tail].jump
    assert jump
    for out in outs:
        if out.passed is not None or len(out.lanes) != len(state.lanes) + 1:
            raise Refutation("a pass does not ask for the length of its vectors once", line=body[-1].line)
        count = (0, out.lanes[-1])
        left = terms.minus(terms.minus(count, passed), terms.symbol(VECTOR_LENGTH))
        if jump.value is None or jump.if_zero or jump.value(out) != left:
            raise Refutation("passes do not end behind the last channel", line=body[-1].line)
        for name in general:
            value = before[name]
            out.general[name] = terms.replaced(value, PASSED, count) if isinstance(value, tuple) else None
        _forget(terms, out, written)
    return outs


def _per_channel(terms: Terms, step: Affine | None) -> int | None:
    """What a channel adds to a register to which a pass adds as much for each; None of another step."""
    if step is None or step[1]:
        return None
    key = terms.keys[step[0]]
    if not key:
        return 0
    return key[0][1] if len(key) == 1 and key[0][0] == (VECTOR_LENGTH,) else None


def _forget(terms: Terms, state: State, written: set[str]) -> None:
    """Forget what registers and the stack hold: nothing is known of them between passes."""
    for name in written & state.vectors.keys():
        state.vectors[name] = tuple(terms.unknown() for _ in state.vectors[name])
        state.groups.pop(name, None)
    state.flag, state.length, state.stack = None, None, {}
