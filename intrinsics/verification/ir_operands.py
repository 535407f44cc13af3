"""Names and operands of LLVM IR, as functions that read a state.

A name is a register: ``State.general`` has integers of 64 bits, pointers and what branches depend on,
``State.vectors`` elements, as many as the type has. Memory of the function's own (``alloca``) that is only
loaded and stored whole is a register, too. A phi is a register that the branches to its block write.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence

from .decoding import Decoder
from .memory import Memory, known_address
from .state import Instruction, State
from .term_arithmetic import TermArithmetic
from .terms import Affine, NotCovered, Refutation, Terms
from .x86_text import Text

SIZES = {"float": 4, "i32": 4, "i16": 2, "i8": 1}
"""Bytes of elements."""
WORDS = ("i64", "ptr")
VECTOR = re.compile(r"<(\d+) x (\w+)>")
NAME = re.compile(r"%[\w.]+")
PHI = re.compile(r"(%[\w.]+) = phi i64 (.*)")
TYPED = re.compile(r"(<\d+ x \w+>|\w+) (.+)")
Elements = Callable[[State], Sequence[int]]


def split(text: str) -> list[str]:
    """Return what stands between commas that are not in brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "(<[") - (character in ")>]")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


class IrOperands(Decoder):
    """Makes functions of the operands of the line that is decoded."""

    def __init__(self, terms: Terms, op: TermArithmetic, memory: Memory, text: Text) -> None:
        super().__init__(terms, op, memory, text)
        self.types: dict[str, str] = {}
        self.own: dict[str, str] = {}
        """Types of the function's own memory."""
        self.phis: dict[str, list[tuple[str, dict[str, str]]]] = {}
        """The phis of each block, and their value behind each other block."""
        self.known: dict[int, int] = {}
        """Terms of arithmetic on bits that are conversions, and the terms of these."""
        for at, line in enumerate(text.lines):
            if at and text.block(at) != text.block(at - 1) and text.lines[at - 1].text[:3] != "br ":
                raise NotCovered(f"line {line.number}: the block before does not end with a branch")
            match = PHI.fullmatch(line.text)
            if match:
                pairs = [part.strip("[] ").split(", %") for part in split(match[2])]
                edges = {block: value for value, block in pairs}
                self.phis.setdefault(text.block(at), []).append((match[1], edges))

    def put_word(self, name: str, value: Callable[[State], object]) -> Instruction:
        self.types.setdefault(name, "i64")

        def step(state: State) -> None:
            state.general[name] = value(state)

        return Instruction(0, "", step, scalar=True, local=(name,))

    def word(self, text: str) -> Callable[[State], Affine]:
        """What reads an integer of 64 bits, or a pointer."""
        if re.fullmatch(r"-?\d+", text):
            return lambda state: (0, int(text))
        if not NAME.fullmatch(text):
            raise self.unknown()
        return lambda state: known_address(self.terms, state.general[text])

    def shape(self, kind: str) -> tuple[int, int]:
        """How many elements a type has, and bytes of each."""
        match = VECTOR.fullmatch(kind)
        return (int(match[1]), SIZES[match[2]]) if match else (1, SIZES[kind])

    def elements(self, kind: str, text: str) -> Elements:
        """What reads a value of that type."""
        count, size = self.shape(kind)
        if text == "zeroinitializer":
            return lambda state: [self.terms.constant(0, size)] * count
        if text == "poison":
            return lambda state: [self.terms.unknown() for _ in range(count)]
        if text.startswith("<"):
            values = [self.terms.constant(bits_of(*part.split()), size) for part in split(text[1:-1])]
            if len(values) != count:
                raise self.unknown()
            return lambda state: values
        if self.types.get(text) != kind:
            raise self.unknown()
        return lambda state: state.vectors[text]

    def typed(self, text: str) -> tuple[str, Elements]:
        """The type of an operand, and what reads it."""
        match = TYPED.fullmatch(text)
        if not match:
            raise self.unknown()
        return match[1], self.elements(match[1], match[2])

    def define(self, name: str, kind: str, value: Elements) -> Instruction:
        count, _ = self.shape(kind)
        self.types[name] = kind

        def step(state: State) -> None:
            found = tuple(value(state))
            if len(found) != count:
                raise Refutation(f"{name} has {len(found)} elements, not {count}")
            state.vectors[name] = found

        return Instruction(0, "", step, local=(name,))

    def check_alignment(self, alignment: Sequence[str], size: int) -> None:
        """NotCovered unless elements are aligned to no more than their size."""
        if alignment not in [[f"align {known}"] for known in (1, 2, 4) if known <= size]:
            raise self.unknown()

    def mask(self, text: str) -> list[bool]:
        match = re.fullmatch(r"<\d+ x i1> <(.*)>", text)
        assert match
        return [bits_of(*part.split()) == 1 for part in split(match[1])]


def bits_of(kind: str, text: str) -> int:
    """Return the bits of a constant, a float's as the hexadecimal of its double."""
    if kind != "float":
        return int(text)
    (value,) = struct.unpack(">d", int(text, 16).to_bytes(8, "big"))
    return int.from_bytes(struct.pack("<f", value), "little")
