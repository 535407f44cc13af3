"""Lines of AArch64 assembly as instructions on terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .arithmetic import TermArithmetic
from .arm_table import DOTS, PERMUTED, SHIFTS, VECTORWISE
from .memory import Memory, elements_of, known_address, lanes_of
from .state import Data, Instruction, Jump, State
from .terms import Affine, NotCovered, Refutation, Terms
from .x86_text import Line, Text

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


class ArmDecoder:
    """Makes instructions of the lines of a text."""

    def __init__(self, terms: Terms, op: TermArithmetic, memory: Memory, text: Text) -> None:
        self.terms, self.op, self.memory, self.text = terms, op, memory, text
        self.zero = terms.constant(0)
        self.line = Line(0, "")
        self.at = 0

    def program(self) -> list[Instruction]:
        """Return the text's instructions."""
        instructions = []
        for at, line in enumerate(self.text.lines):
            self.at, self.line = at, line
            mnemonic, _, rest = line.text.replace("\t", " ").partition(" ")
            try:
                decoded = None if line.data else self._decode(mnemonic, list(operands_of(rest.strip())))
            except (NotCovered, Refutation):
                raise
            except (ValueError, IndexError, KeyError, TypeError, AttributeError, AssertionError) as error:
                raise self._unknown() from error
            if decoded is None:
                raise NotCovered(f"line {line.number}: no meaning is known of the instruction '{mnemonic}'")
            instructions.append(replace(decoded, line=line.number, text=line.text))
        return instructions

    def _unknown(self) -> NotCovered:
        return NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")

    def _decode(self, mnemonic: str, operands: list[str]) -> Instruction | None:
        if mnemonic in VECTORWISE and operands[0].startswith("v"):
            return self._vectorwise(mnemonic, operands)
        if mnemonic in DOTS:
            return self._dot_product(mnemonic, operands)
        if mnemonic in ("cmge", "fcmeq", "shll"):
            return self._one_form(mnemonic, operands)
        if mnemonic in SHIFTS:
            return self._shift(mnemonic, operands)
        if mnemonic in PERMUTED:
            return self._permuted(mnemonic, operands)
        if mnemonic == "mov" and operands[0].startswith("v"):
            return self._copy(operands)
        decode = {
            "ldr": self._load,
            "str": self._store,
            "ld1": self._load_lane,
            "st1": self._store_lane,
            "ld1r": self._load_repeated,
            "dup": self._dup,
            "movi": self._clear,
            "cbz": self._branch_zero,
            "cbnz": self._branch_zero,
            "b.ne": self._branch,
            "b.eq": self._branch,
        }.get(mnemonic)
        if decode is not None:
            return decode(mnemonic, operands)
        return self._general(mnemonic, operands)

    # ---- operands

    def vector(self, text: str) -> Vector:
        """A whole vector, of 8 or 16 bytes, or one element."""
        match = ARRANGEMENT.fullmatch(text)
        if not match:
            raise self._unknown()
        size = SIZES[match[3]]
        count, index = int(match[2] or 0), None if match[4] is None else int(match[4])
        if count * size not in (8, 16) if index is None else match[2] or index * size >= 16:
            raise self._unknown()
        return Vector(f"v{match[1]}", size, count or 16 // size, index)

    def number(self, text: str) -> int:
        match = NUMBER.fullmatch(text)
        if not match:
            raise self._unknown()
        return int(match[1], 0)

    def general(self, text: str) -> str:
        if text not in GENERAL and text != "sp":
            raise self._unknown()
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

    # ---- vectors

    def _vectorwise(self, mnemonic: str, operands: list[str]) -> Instruction:
        meaning = VECTORWISE[mnemonic]
        target, *sources = map(self.vector, operands)
        sizes = (sources[0].size, target.size)
        also = sizes if meaning.sizes else ()
        expected = meaning.compute.__code__.co_argcount - 1 - meaning.old - len(also)
        whole = [s for s in sources if s.index is None]
        if len(sources) != expected or target.index is not None:
            raise self._unknown()
        if sizes not in (meaning.sizes or ((meaning.source, meaning.target),)):
            raise self._unknown()
        if any(s.index is not None for s in sources[:-1]) or any(s.size != sizes[0] for s in sources):
            raise self._unknown()
        if any(s.count != target.count for s in whole):
            raise self._unknown()
        op, compute, count = self.op, meaning.compute, target.count

        def step(state: State) -> None:
            values = [self.elements(state, s) for s in sources]
            values = [v if len(v) == count else list(v) * count for v in values]
            if meaning.old:
                values.insert(0, self.elements(state, target))
            self.write(state, target, [compute(op, *each, *also) for each in zip(*values, strict=True)])

        return Instruction(0, "", step, (target.name,))

    def _dot_product(self, mnemonic: str, operands: list[str]) -> Instruction:
        compute, size, per = DOTS[mnemonic]
        target, whole = self.vector(operands[0]), self.vector(operands[1])
        match = re.fullmatch(r"(v\d+)\.(4b|2h)\[([0-3])\]", operands[2])
        other = None if match else self.vector(operands[2])
        if match and (match[2] != {1: "4b", 2: "2h"}[size] or match[1] not in VECTORS):
            raise self._unknown()
        wanted = Vector(whole.name, size, 16 // size)
        if len(operands) != 3 or target != Vector(target.name, 4, 4) or whole != wanted:
            raise self._unknown()
        if other is not None and other != Vector(other.name, size, 16 // size):
            raise self._unknown()
        op, terms = self.op, self.terms

        def step(state: State) -> None:
            one = state.vectors[whole.name]
            if match:
                second = (state.vectors[match[1]][int(match[3])],) * LANES
            else:
                second = state.vectors[operands[2].partition(".")[0]]
            old = state.vectors[target.name]
            lanes = [
                compute(op, before, terms.split(a, 4, size), terms.split(b, 4, size))
                for before, a, b in zip(old, one, second, strict=True)
            ]
            state.vectors[target.name] = tuple(lanes)

        assert per * size == 4
        return Instruction(0, "", step, (target.name,))

    def _one_form(self, mnemonic: str, operands: list[str]) -> Instruction:
        """Instructions that are known of one form: with a zero, of one source given twice, or by 16 bits."""
        target, source = self.vector(operands[0]), self.vector(operands[1])
        op, last = self.op, operands[2]
        sizes = {"shll": (2, 4)}.get(mnemonic, (4, 4))
        known = {"cmge": last == "#0", "fcmeq": last == operands[1], "shll": last == "#16"}[mnemonic]
        if not known or (source.size, target.size) != sizes or {source.count, target.count} != {4}:
            raise self._unknown()
        if target.index is not None or source.index is not None or len(operands) != 3:
            raise self._unknown()
        compute = {
            "cmge": op.is_not_negative,
            "fcmeq": op.is_number,
            "shll": lambda x: op.shift_left(op.zero_extended(x, 2, 4), 16, 4),
        }[mnemonic]

        def step(state: State) -> None:
            self.write(state, target, [compute(x) for x in self.elements(state, source)])

        return Instruction(0, "", step, (target.name,))

    def _shift(self, mnemonic: str, operands: list[str]) -> Instruction:
        target, source, places = self.vector(operands[0]), self.vector(operands[1]), self.number(operands[2])
        compute, op = SHIFTS[mnemonic], self.op
        if len(operands) != 3 or (target.size, target.count) != (source.size, source.count):
            raise self._unknown()
        if not 0 <= places < 8 * target.size or target.index is not None or source.index is not None:
            raise self._unknown()

        def step(state: State) -> None:
            values = self.elements(state, source)
            self.write(state, target, [compute(op, x, places, target.size) for x in values])

        return Instruction(0, "", step, (target.name,))

    def _permuted(self, mnemonic: str, operands: list[str]) -> Instruction:
        target, one, other = map(self.vector, operands)
        if len({(v.size, v.count, v.index) for v in (target, one, other)}) != 1 or target.index is not None:
            raise self._unknown()
        places = PERMUTED[mnemonic](target.count)

        def step(state: State) -> None:
            both = self.elements(state, one), self.elements(state, other)
            self.write(state, target, [both[which][at] for which, at in places])

        return Instruction(0, "", step, (target.name,))

    def _copy(self, operands: list[str]) -> Instruction:
        target, source = map(self.vector, operands)
        if (target.count, target.size, source.count, source.size) != (16, 1, 16, 1):
            raise self._unknown()
        if target.index is not None or source.index is not None:
            raise self._unknown()

        def step(state: State) -> None:
            state.vectors[target.name] = state.vectors[source.name]

        return Instruction(0, "", step, (target.name,))

    def _clear(self, mnemonic: str, operands: list[str]) -> Instruction:
        target = self.vector(operands[0])
        value = self.number(operands[1])
        if len(operands) != 2 or target.index is not None or not (value == 0 or target.size == 1):
            raise self._unknown()
        element = self.terms.constant(value, target.size)
        return Instruction(
            0, "", lambda state: self.write(state, target, [element] * target.count), (target.name,)
        )

    def _dup(self, mnemonic: str, operands: list[str]) -> Instruction:
        target, source = self.vector(operands[0]), operands[1]
        if not re.fullmatch(r"w\d+", source) or target.index is not None or target.size > 4:
            raise self._unknown()
        name = self.general("x" + source[1:])

        def step(state: State) -> None:
            value = state.general[name]
            if isinstance(value, Data) or not isinstance(value, tuple) or value[0]:
                raise Refutation(f"{name} holds an address, or what is not known, and is used as data")
            self.write(state, target, [self.terms.constant(value[1], target.size)] * target.count)

        return Instruction(0, "", step, (target.name,))

    # ---- memory

    def address(self, text: str, after: Sequence[str]) -> tuple[Callable[[State], Affine], str]:
        """What computes an address, and moves its register behind that; that register's name, if it moves."""
        match = ADDRESS.fullmatch(text)
        if not match or len(after) > 1 or (after and match[2]):
            raise self._unknown()
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

    def _memory(self, step: Step, vector: str, moved: str, stores: bool = False) -> Instruction:
        writes = (*([] if stores else [vector]), *([moved] if moved else []))
        return Instruction(0, "", step, writes, scalar=bool(moved), stores=stores)

    def _part(self, text: str) -> tuple[str, int]:
        match = PART.fullmatch(text)
        if not match:
            raise self._unknown()
        return f"v{match[2]}", SIZES[match[1]]

    def _load(self, mnemonic: str, operands: list[str]) -> Instruction:
        (name, size), (address, moved) = self._part(operands[0]), self.address(operands[1], operands[2:])
        each = min(size, 4)
        target = Vector(name, each, size // each)

        def step(state: State) -> None:
            self.write(state, target, self.memory.read(state, address(state), each, size // each))

        return self._memory(step, name, moved)

    def _store(self, mnemonic: str, operands: list[str]) -> Instruction:
        (name, size), (address, moved) = self._part(operands[0]), self.address(operands[1], operands[2:])
        each = min(size, 4)

        def step(state: State) -> None:
            key, at = address(state)
            elements = elements_of(self.terms, state.vectors[name], each)[: size // each]
            for number, element in enumerate(elements):
                self.memory.store(state, (key, at + number * each), each, element)

        return self._memory(step, name, moved, stores=True)

    def _lane(self, text: str) -> Vector:
        match = re.fullmatch(r"\{(v\d+\.[bhsd])\}(\[\d+\])", text)
        if not match:
            raise self._unknown()
        return self.vector(match[1] + match[2])

    def _load_lane(self, mnemonic: str, operands: list[str]) -> Instruction:
        lane, (address, moved) = self._lane(operands[0]), self.address(operands[1], operands[2:])
        if lane.size > 4:
            raise self._unknown()

        def step(state: State) -> None:
            elements = list(elements_of(self.terms, state.vectors[lane.name], lane.size))
            assert lane.index is not None
            (elements[lane.index],) = self.memory.read(state, address(state), lane.size)
            self.write(state, lane, elements)

        return self._memory(step, lane.name, moved)

    def _store_lane(self, mnemonic: str, operands: list[str]) -> Instruction:
        lane, (address, moved) = self._lane(operands[0]), self.address(operands[1], operands[2:])
        if lane.size > 4:
            raise self._unknown()

        def step(state: State) -> None:
            (element,) = self.elements(state, lane)
            self.memory.store(state, address(state), lane.size, element)

        return self._memory(step, lane.name, moved, stores=True)

    def _load_repeated(self, mnemonic: str, operands: list[str]) -> Instruction:
        target = self.vector(operands[0].strip("{}"))
        address, moved = self.address(operands[1], operands[2:])
        if target.index is not None or target.size > 4:
            raise self._unknown()

        def step(state: State) -> None:
            self.write(state, target, self.memory.read(state, address(state), target.size) * target.count)

        return self._memory(step, target.name, moved)

    # ---- general registers and branches

    def _general(self, mnemonic: str, operands: list[str]) -> Instruction | None:
        terms = self.terms
        if mnemonic not in ("mov", "movz", "movk", "add", "sub", "subs", "lsl"):
            return None
        target, *sources = operands
        name = self.general(target)
        if mnemonic in ("movz", "movk"):
            return self._immediate(mnemonic, name, sources)
        first = self.general(sources[0])
        if mnemonic == "mov" and len(sources) == 1 and "sp" not in (name, first):
            return self._set(name, lambda state: state.general[first])
        if mnemonic == "lsl":
            places = self.number(sources[1])
            if not 0 <= places < 64 or len(sources) != 2:
                raise self._unknown()
            return self._set(
                name, lambda s: terms.times(known_address(terms, s.general[first]), (0, 1 << places))
            )
        if len(sources) != 2 or (mnemonic == "subs" and "sp" in (name, first)):
            raise self._unknown()
        second = self._second(sources[1])
        sign = 1 if mnemonic == "add" else -1

        def result(state: State) -> object:
            one, other = state.general[first], second(state)
            if not isinstance(one, tuple) or not isinstance(other, tuple):
                return None
            return terms.plus(one, terms.times(other, (0, sign)))

        return self._set(name, result, flags=mnemonic == "subs")

    def _second(self, text: str) -> Callable[[State], object]:
        if text.startswith("#"):
            value = 0, self.number(text)
            return lambda state: value
        name = self.general(text)
        return lambda state: state.general[name]

    def _immediate(self, mnemonic: str, name: str, sources: list[str]) -> Instruction:
        value, shift = self.number(sources[0]), 0
        if len(sources) == 2:
            match = re.fullmatch(r"lsl #(16|32|48)", sources[1])
            if not match:
                raise self._unknown()
            shift = int(match[1])
        if not 0 <= value < 1 << 16 or len(sources) > 2:
            raise self._unknown()
        if mnemonic == "movz":
            return self._set(name, lambda state: (0, value << shift))

        def kept(state: State) -> object:
            old = state.general[name]
            if not isinstance(old, tuple) or old[0]:
                return None
            return 0, old[1] & ~(0xFFFF << shift) | value << shift

        return self._set(name, kept)

    def _branch_zero(self, mnemonic: str, operands: list[str]) -> Instruction:
        register, label = operands
        name = self.general(register)
        target = self.text.jump_target(label, self.at)

        def value(state: State) -> Affine:
            return known_address(self.terms, state.general[name])

        return Instruction(0, "", _nothing, jump=Jump(target, value, mnemonic == "cbz"), scalar=True)

    def _branch(self, mnemonic: str, operands: list[str]) -> Instruction:
        (label,) = operands
        target = self.text.jump_target(label, self.at)
        return Instruction(0, "", _nothing, jump=Jump(target, _flag, mnemonic == "b.eq"), scalar=True)


def _nothing(state: State) -> None:
    pass


def _flag(state: State) -> Affine:
    if state.flag is None:
        raise Refutation("a branch depends on what is not known")
    return state.flag
