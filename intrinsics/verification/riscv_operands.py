"""Registers of RISC-V: groups of vectors for a lane of any number, scalars, and data.

A kernel runs on vectors of any length, so that the lanes of a register cannot be counted. An instruction
does the same to all elements of a group; what is followed is the one of a symbolic lane.
``State.groups`` says which group lies in a register: its elements' bytes, the eighths of a register that it
fills, and its first register. A general register may hold data, the lower 32 bits of which are then in
``State.vectors``, too.
"""

from __future__ import annotations

import re
from dataclasses import replace

from .decoding import Decoder
from .memory import STACK, known_address
from .state import Cell, Length, State
from .terms import Affine, Refutation

GENERAL = tuple(f"x{i}" for i in (1, *range(3, 32)))
"""General registers, but for zero and the stack pointer."""
VECTORS = tuple(f"v{i}" for i in range(32))
SCALARS = tuple(f"f{i}" for i in range(32))
SHORTEST = 16
"""Vectors have so many bytes at least."""
MASK = 0
"""A group of so many bytes an element is a mask."""
EIGHTHS = 8
ADDRESS = re.compile(r"(-?\d+)?\((x\d+)\)")
MOST_OFFSET = 2048
Group = tuple[int, int]
"""Bytes of an element, and eighths of a register."""


class RiscvOperands(Decoder):
    """Makes functions of the operands of the line that is decoded."""

    # ---- names

    def general(self, text: str) -> str:
        if text == "x2":
            return "sp"
        if text not in GENERAL:
            raise self.unknown()
        return text

    def vector(self, text: str) -> int:
        if text not in VECTORS:
            raise self.unknown()
        return int(text[1:])

    def number(self, text: str, least: int, most: int) -> int:
        value = int(text)
        if not least <= value <= most:
            raise self.unknown()
        return value

    def place(self, text: str) -> tuple[str, int]:
        """A general register, and the offset from what it points to."""
        match = ADDRESS.fullmatch(text)
        if not match:
            raise self.unknown()
        return self.general(match[2]), self.number(match[1] or "0", -MOST_OFFSET, MOST_OFFSET - 1)

    # ---- groups of vector registers

    def length(self, state: State) -> Length:
        if state.length is None:
            raise Refutation("a vector instruction stands where the length of vectors is not known")
        return state.length

    def group(self, state: State, register: int, group: Group) -> int:
        """The element of a group."""
        found = state.groups.get(f"v{register}")
        if found != (*group, register):
            raise Refutation(
                f"v{register} does not hold a group of elements of {8 * group[0]} bits as it is read"
            )
        return state.vectors[f"v{register}"][0]

    def fill(self, state: State, register: int, group: Group, element: int) -> None:
        """Write a group; others that lie in its registers are lost."""
        assert self.memory.execution
        self.memory.execution.written.update(registers_of(register, group))
        for name in registers_of(register, group):
            if name not in VECTORS:
                raise Refutation(f"a group from v{register} on has more registers than there are")
            found = state.groups.get(name)
            for other in registers_of(found[2], found[:2]) if found else ():
                state.groups.pop(other, None)
        for name in registers_of(register, group):
            state.groups[name] = (*group, register)
        state.vectors[f"v{register}"] = (element,)

    def check_overlap(self, target: int, group: Group, source: int, other: Group) -> None:
        """Refutation for groups of unequal elements that lie where they may not."""
        ours, theirs = (
            range(first, first + max(1, of[1] // EIGHTHS)) for first, of in ((target, group), (source, other))
        )
        apart = ours.stop <= theirs.start or theirs.stop <= ours.start
        if apart or group[0] == other[0]:
            return
        narrower = group[0] < other[0] and target == source
        wider = group[0] > other[0] and other[1] >= EIGHTHS and ours.stop == theirs.stop
        if not narrower and not wider:
            raise Refutation(f"the group that is written, from v{target} on, lies over one that is read")

    # ---- memory

    def lane_address(self, state: State, register: str, size: int) -> Affine:
        """The address of the symbolic lane's element of a vector that a register points to."""
        terms, length = self.terms, self.length(state)
        index = terms.minus(terms.symbol(length.lane), length.first)
        base = known_address(terms, state.general[register])
        address = terms.plus(base, terms.times(index, (0, size)))
        self.check_aligned(address, size)
        return address

    def check_aligned(self, address: Affine, size: int) -> None:
        """Refutation for an address that is not a multiple of so many bytes, if operands are."""
        terms = self.terms
        factors = [f for names, f in terms.keys[address[0]] if names[0][0] != "*" and names[0] not in STACK]
        if any(number % size for number in (*factors, address[1])):
            raise Refutation(f"{terms.text(address)} is not known to be aligned to {size} bytes")

    def read_vector(self, state: State, register: str, size: int) -> int:
        base = known_address(self.terms, state.general[register])
        if self.memory.base(base) not in STACK:
            return self.memory.read(state, self.lane_address(state, register, size), size)[0]
        cell, count = state.stack.get(base), state.lanes[-1]
        if cell is None or cell.size != size * count or not isinstance(cell.value, tuple):
            raise Refutation(f"what is loaded from {self.terms.text(base)} is not known")
        return int(cell.value[0])

    def store_vector(self, state: State, register: str, size: int, element: int) -> None:
        base = known_address(self.terms, state.general[register])
        if self.memory.base(base) in STACK:
            self.memory.keep(state, base, (element,), size * state.lanes[-1])
            return
        self.memory.store(state, self.lane_address(state, register, size), size, element)

    # ---- scalars

    def scalar(self, state: State, name: str, size: int) -> int:
        """What a scalar register holds, of so many bytes."""
        if state.groups.get(name) != (size, 0, 0):
            raise Refutation(f"{name} does not hold a number of {8 * size} bits")
        return state.vectors[name][0]

    def set_scalar(self, state: State, name: str, size: int, element: int) -> None:
        state.groups[name] = size, 0, 0
        state.vectors[name] = (element,)

    def lower(self, state: State, name: str, size: int) -> int:
        """The lower bytes of a general register."""
        return self.terms.split(state.vectors[name][0], 4, size)[0]

    def new_length(self, state: State, size: int, eighths: int, lane: str, first: Affine, count: int) -> None:
        """Begin with vectors of another length: what vectors held counts no more."""
        state.groups = {name: group for name, group in state.groups.items() if name not in VECTORS}
        state.stack = {place: cell for place, cell in state.stack.items() if not _is_vector(cell)}
        state.length, state.lanes = Length(size, eighths, lane, first), (*state.lanes, count)

    def same_length(self, state: State, size: int, eighths: int) -> None:
        """Elements of another size, of which vectors have as many as before."""
        length = self.length(state)
        if length.size * eighths != size * length.eighths:
            raise Refutation("vectors would have another number of elements")
        state.length = replace(length, size=size, eighths=eighths)


def _is_vector(cell: Cell) -> bool:
    return isinstance(cell.value, tuple) and len(cell.value) == 1


def registers_of(first: int, group: Group) -> tuple[str, ...]:
    """The registers of a group."""
    return tuple(f"v{first + i}" for i in range(max(1, group[1] // EIGHTHS)))
