"""Operands of AArch64 instructions, and loads and stores of vectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .decoding import Decoder
from .memory import elements_of, known_address, lanes_of
from .state import Instruction, State
from .terms import Affine

LANES = 4
GENERAL = (*(f"x{i}" for i in range(18)), *(f"x{i}" for i in range(19, 31)))
"""General registers, but for the platform's."""
VECTORS = tuple(f"v{i}" for i in range(32))
SIZES = {"q": 16, "d": 8, "s": 4, "h": 2, "b": 1}
ARRANGEMENT = re.compile(r"v(\d|[12]\d|3[01])\.(\d*)([bhsd])(?:\[(\d+)\])?")
PART = re.compile(r"([qdshb])(\d|[12]\d|3[01])")
NUMBER = re.compile(r"#(-?(?:0x[0-9a-fA-F]+|\d+))")
ADDRESS = re.compile(r"\[(x\d+|sp)(?:, *#(-?\d+))?\]")
Step = Callable[[State], None]


@dataclass(frozen=True)
class Vector:
    """A vector operand: the register, bytes of an element, how many there are, and the one that counts."""

    name: str
    size: int
    count: int
    index: int | None = None


@lru_cache(1 << 14)
def operands_of(text: str) -> tuple[str, ...]:
    """The operands of a line, as they are written; commas in brackets and braces are theirs."""
    return tuple(part.strip() for part in re.findall(r"(?:\[[^\]]*\]|\{[^}]*\}(?:\[\d+\])?|[^,\[{])+", text))


class ArmOperands(Decoder):
    """Makes functions of the operands of the line that is decoded."""

    def vector(self, text: str) -> Vector:
        """A whole vector, of 8 or 16 bytes, or one element."""
        match = ARRANGEMENT.fullmatch(text)
        if not match:
            raise self.unknown()
        size = SIZES[match[3]]
        count, index = int(match[2] or 0), None if match[4] is None else int(match[4])
        if count * size not in (8, 16) if index is None else match[2] or index * size >= 16:
            raise self.unknown()
        return Vector(f"v{match[1]}", size, count or 16 // size, index)

    def number(self, text: str) -> int:
        match = NUMBER.fullmatch(text)
        if not match:
            raise self.unknown()
        return int(match[1], 0)

    def general(self, text: str) -> str:
        if text not in GENERAL and text != "sp":
            raise self.unknown()
        return text

    def elements(self, state: State, vector: Vector) -> Sequence[int]:
        found = elements_of(self.terms, state.vectors[vector.name], vector.size)
        return found[: vector.count] if vector.index is None else [found[vector.index]]

    def write(self, state: State, vector: Vector, elements: Sequence[int]) -> None:
        """Fill a register; all beyond the elements becomes zero."""
        missing = 16 // vector.size - len(elements)
        whole = (*elements, *[self.terms.constant(0, vector.size)] * missing)
        state.vectors[vector.name] = lanes_of(self.terms, whole, vector.size)

    def _set(self, name: str, value: Callable[[State], object], flags: bool = False) -> Instruction:
        def step(state: State) -> None:
            found = state.general[name] = value(state)
            if flags:
                state.flag = found if isinstance(found, tuple) else None

        return Instruction(0, "", step, (name, "cc") if flags else (name,), scalar=True)

    # ---- memory

    def address(self, text: str, after: Sequence[str]) -> tuple[Callable[[State], Affine], str]:
        """What computes an address, and moves its register behind that; that register's name, if it moves."""
        match = ADDRESS.fullmatch(text)
        if not match or len(after) > 1 or (after and match[2]):
            raise self.unknown()
        base, offset, terms = self.general(match[1]), int(match[2] or 0), self.terms
        moved = after[0] if after else ""
        by = self.number(moved) if moved.startswith("#") else 0
        register = self.general(moved) if moved and not by and not moved.startswith("#") else ""

        def compute(state: State) -> Affine:
            key, at = known_address(terms, state.general[base])
            if register:
                state.general[base] = terms.plus((key, at), known_address(terms, state.general[register]))
            elif by:
                state.general[base] = key, at + by
            return key, at + offset

        return compute, base if moved else ""

    def moving(self, step: Step, vector: str, moved: str, stores: bool = False) -> Instruction:
        writes = (*([] if stores else [vector]), *([moved] if moved else []))
        return Instruction(0, "", step, writes, scalar=bool(moved), stores=stores)

    def part(self, text: str) -> tuple[str, int]:
        match = PART.fullmatch(text)
        if not match:
            raise self.unknown()
        return f"v{match[2]}", SIZES[match[1]]

    def _load(self, mnemonic: str, operands: list[str]) -> Instruction:
        (name, size), (address, moved) = self.part(operands[0]), self.address(operands[1], operands[2:])
        each = min(size, 4)
        target = Vector(name, each, size // each)

        def step(state: State) -> None:
            self.write(state, target, self.memory.read(state, address(state), each, size // each))

        return self.moving(step, name, moved)

    def _store(self, mnemonic: str, operands: list[str]) -> Instruction:
        (name, size), (address, moved) = self.part(operands[0]), self.address(operands[1], operands[2:])
        each = min(size, 4)

        def step(state: State) -> None:
            key, at = address(state)
            elements = elements_of(self.terms, state.vectors[name], each)[: size // each]
            for number, element in enumerate(elements):
                self.memory.store(state, (key, at + number * each), each, element)

        return self.moving(step, name, moved, stores=True)

    def _lane(self, text: str) -> Vector:
        match = re.fullmatch(r"\{(v\d+\.[bhsd])\}(\[\d+\])", text)
        if not match:
            raise self.unknown()
        return self.vector(match[1] + match[2])

    def _load_lane(self, mnemonic: str, operands: list[str]) -> Instruction:
        lane, (address, moved) = self._lane(operands[0]), self.address(operands[1], operands[2:])
        if lane.size > 4:
            raise self.unknown()

        def step(state: State) -> None:
            elements = list(elements_of(self.terms, state.vectors[lane.name], lane.size))
            assert lane.index is not None
            (elements[lane.index],) = self.memory.read(state, address(state), lane.size)
            self.write(state, lane, elements)

        return self.moving(step, lane.name, moved)

    def _store_lane(self, mnemonic: str, operands: list[str]) -> Instruction:
        lane, (address, moved) = self._lane(operands[0]), self.address(operands[1], operands[2:])
        if lane.size > 4:
            raise self.unknown()

        def step(state: State) -> None:
            (element,) = self.elements(state, lane)
            self.memory.store(state, address(state), lane.size, element)

        return self.moving(step, lane.name, moved, stores=True)

    def _load_repeated(self, mnemonic: str, operands: list[str]) -> Instruction:
        target = self.vector(operands[0].strip("{}"))
        address, moved = self.address(operands[1], operands[2:])
        if target.index is not None or target.size > 4:
            raise self.unknown()

        def step(state: State) -> None:
            self.write(state, target, self.memory.read(state, address(state), target.size) * target.count)

        return self.moving(step, target.name, moved)
