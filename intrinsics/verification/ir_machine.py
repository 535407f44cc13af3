"""Lines of LLVM IR as instructions on terms: the portable kernels, which are not assembly.

A name is a register: ``State.general`` has integers of 64 bits, pointers and what branches depend on,
``State.vectors`` elements, as many as the type has. Memory of the function's own (``alloca``) that is only
loaded and stored whole is a register, too. A phi is a register that the branches to its block write.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from typing import Any

from .decoding import Decoder
from .ir_table import BINARY, CASTS, COMPARISONS, SHIFTS, bfloat16_of_float, float_of_half, half_of_float
from .memory import Memory, known_address
from .state import Instruction, Jump, State, nothing
from .term_arithmetic import TermArithmetic
from .terms import Affine, NotCovered, Refutation, Terms
from .x86_text import Text

SIZES = {"float": 4, "i32": 4, "i16": 2, "i8": 1}
"""Bytes of elements."""
WORDS = ("i64", "ptr")
VECTOR = re.compile(r"<(\d+) x (\w+)>")
NAME = re.compile(r"%[\w.]+")
TYPED = re.compile(r"(<\d+ x \w+>|\w+) (.+)")
Step = Callable[[State], None]
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


class IrDecoder(Decoder):
    """Makes instructions of the lines of a function's body."""

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
            match = re.fullmatch(r"(%[\w.]+) = phi i64 (.*)", line.text)
            if match:
                edges = dict(
                    tuple(reversed(part.strip("[] ").split(", %")))  # type: ignore[misc]
                    for part in split(match[2])
                )
                self.phis.setdefault(text.block(at), []).append((match[1], edges))

    def decoded(self, text: str) -> Instruction | None:
        match = re.fullmatch(r"(%[\w.]+) = (\w+) (.*)", text)
        if match:
            return self._value(match[1], match[2], match[3])
        kind, _, rest = text.partition(" ")
        if kind == "br":
            return self._branch(rest)
        if kind == "store":
            return self._store(rest)
        if text.startswith("call void @llvm.masked.store."):
            return self._masked_store(text)
        return Instruction(0, "", nothing) if text == "ret i32 0" else None

    def _value(self, name: str, kind: str, rest: str) -> Instruction | None:
        if name in self.types or name in self.own:
            raise self.unknown()
        if kind == "alloca":
            self.own[name] = rest
            return Instruction(0, "", nothing)
        if kind == "phi":
            self.types[name] = "i64"
            return self._word(name, lambda state: state.general[f"{name}'"])
        if kind in ("add", "sub", "mul") and rest.startswith("i64 "):
            return self._sum(name, kind, *split(rest[4:]))
        if kind == "icmp" and " i64 " in rest:
            return self._condition(name, *rest.replace(",", "").split())
        find = {
            "load": self._load, "getelementptr": self._address, "insertelement": self._insert,
            "extractelement": self._extract, "shufflevector": self._shuffle, "select": self._select,
            "call": self._call, "fcmp": self._compare, "icmp": self._compare,
        }.get(kind)  # fmt: skip
        if find is not None:
            return find(name, kind, rest)
        if kind in CASTS:
            return self._cast(name, kind, rest)
        return self._operation(name, kind, rest) if kind in BINARY or kind in SHIFTS else None

    # ---- integers and pointers

    def _word(self, name: str, value: Callable[[State], object]) -> Instruction:
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

    def _sum(self, name: str, kind: str, one: str, other: str) -> Instruction:
        terms, a, b = self.terms, self.word(one), self.word(other)
        if kind == "mul":
            return self._word(name, lambda state: terms.times(a(state), b(state)))
        return self._word(name, lambda state: (terms.plus if kind == "add" else terms.minus)(a(state), b(state)))

    def _address(self, name: str, kind: str, rest: str) -> Instruction:
        element, base, offset = split(rest)
        if not base.startswith("ptr ") or not offset.startswith("i64 "):
            raise self.unknown()
        terms, size, a, b = self.terms, SIZES[element], self.word(base[4:]), self.word(offset[4:])
        self.types[name] = "ptr"
        return self._word(name, lambda state: terms.plus(a(state), terms.times(b(state), (0, size))))

    def _condition(self, name: str, comparison: str, kind: str, one: str, other: str) -> Instruction:
        """A number that is zero where the comparison is false, of operands that are in order: what is counted
        down is never below its end, and what is counted up never above it."""
        if comparison not in ("ne", "sgt", "slt"):
            raise self.unknown()
        terms, a, b = self.terms, self.word(one), self.word(other)

        def value(state: State) -> Affine:
            x, y = a(state), b(state)
            left = terms.minus(x, y) if comparison == "sgt" else terms.minus(y, x)
            return (0, max(0, left[1])) if comparison != "ne" and not left[0] else left

        return self._word(name, value)

    def _branch(self, rest: str) -> Instruction:
        targets = re.findall(r"label %([\w.]+)", rest)
        block, following = self.text.block(self.at), self.at + 1
        edges = [
            (f"{name}'", self.word(values[block]))
            for target in targets
            for name, values in self.phis.get(target, [])
        ]

        def step(state: State) -> None:
            for name, value in edges:
                state.general[name] = value(state)

        places = [self.text.jump_target(target, self.at) for target in targets]
        if len(places) == 1:
            jump = Jump(places[0])
        else:
            match = re.fullmatch(r"i1 (%[\w.]+), label %[\w.]+, label %[\w.]+", rest)
            if not match or following not in places:
                raise self.unknown()
            value = self.word(match[1])
            jump = Jump(places[places[0] == following], value, places[0] == following)
        return Instruction(0, "", step, tuple(name for name, _ in edges), scalar=True, jump=jump)

    # ---- elements

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

    def _define(self, name: str, kind: str, value: Elements) -> Instruction:
        count, _ = self.shape(kind)
        self.types[name] = kind

        def step(state: State) -> None:
            found = tuple(value(state))
            if len(found) != count:
                raise Refutation(f"{name} has {len(found)} elements, not {count}")
            state.vectors[name] = found

        return Instruction(0, "", step, local=(name,))

    def _operation(self, name: str, kind: str, rest: str) -> Instruction:
        match = TYPED.fullmatch(rest)
        assert match
        of, op, texts = match[1], self.op, split(match[2])
        one, other = (self.elements(of, text) for text in texts)
        _, size = self.shape(of)
        if kind in SHIFTS:
            (places,) = {bits_of(*part.split()) for part in split(texts[1][1:-1])}
            shift = SHIFTS[kind]
            return self._define(name, of, lambda state: [shift(op, a, places, size) for a in one(state)])
        compute = BINARY[kind]

        def value(state: State) -> list[int]:
            pairs = list(zip(one(state), other(state), strict=True))
            found = [compute(op, a, b, size) for a, b in pairs]
            if kind == "and" and texts[1].startswith("<i32 2147483648"):
                for a, _ in pairs:
                    self.known.setdefault(half_of_float(op, a), op.to_half(a))
                    self.known.setdefault(bfloat16_of_float(op, a), op.to_bfloat16(a))
            return [self.known.get(term, term) for term in found] if kind == "or" else found

        return self._define(name, of, value)

    def _cast(self, name: str, kind: str, rest: str) -> Instruction:
        source, _, to = rest.rpartition(" to ")
        (of, read), op, compute = self.typed(source), self.op, CASTS[kind]
        (count, size), (other, target) = self.shape(of), self.shape(to)
        if count != other or (kind in ("sitofp", "bitcast") and (size, target) != (4, 4)):
            raise self.unknown()
        if (kind == "trunc" and size <= target) or (kind in ("zext", "sext") and size >= target):
            raise self.unknown()

        def value(state: State) -> list[int]:
            elements = read(state)
            if kind == "zext" and (size, target) == (2, 4):
                for a in elements:
                    self.known.setdefault(float_of_half(op, a), op.of_half(a))
            found = [compute(op, a, size, target) for a in elements]
            return [self.known.get(term, term) for term in found] if kind == "trunc" else found

        return self._define(name, to, value)

    def _compare(self, name: str, kind: str, rest: str) -> Instruction:
        comparison, _, operands = rest.partition(" ")
        match = TYPED.fullmatch(operands)
        compute = COMPARISONS[kind, comparison]
        if not match or (VECTOR.fullmatch(match[1]) or ["", "", ""])[2] not in ("float", "i32"):
            raise self.unknown()
        one, other = (self.elements(match[1], text) for text in split(match[2]))
        found = self._define(
            name,
            match[1],
            lambda state: [compute(self.op, a, b) for a, b in zip(one(state), other(state), strict=True)],
        )
        self.types[name] = f"<{self.shape(match[1])[0]} x i1>"
        return found

    def _select(self, name: str, kind: str, rest: str) -> Instruction:
        which, one, other = split(rest)
        flags, _, chosen = which.rpartition(" ")
        (of, a), (also, b) = self.typed(one), self.typed(other)
        if self.types.get(chosen) != flags or of != also or flags != f"<{self.shape(of)[0]} x i1>":
            raise self.unknown()
        op = self.op
        return self._define(
            name,
            of,
            lambda state: [
                op.other_where(w, y, x)
                for w, x, y in zip(state.vectors[chosen], a(state), b(state), strict=True)
            ],
        )

    def _insert(self, name: str, kind: str, rest: str) -> Instruction:
        (of, whole), (_, one), index = *map(self.typed, split(rest)[:2]), split(rest)[2]
        at = int(index.removeprefix("i64 "))

        def value(state: State) -> list[int]:
            found = list(whole(state))
            (found[at],) = one(state)
            return found

        return self._define(name, of, value)

    def _extract(self, name: str, kind: str, rest: str) -> Instruction:
        source, index = split(rest)
        (of, whole), at = self.typed(source), int(index.removeprefix("i64 "))
        match = VECTOR.fullmatch(of)
        assert match
        return self._define(name, match[2], lambda state: [whole(state)[at]])

    def _shuffle(self, name: str, kind: str, rest: str) -> Instruction:
        one, other, order = split(rest)
        (of, a), (_, b) = self.typed(one), self.typed(other)
        match = re.fullmatch(r"<(\d+) x i32> (.*)", order)
        kinds = VECTOR.fullmatch(of)
        assert match and kinds
        count = int(match[1])
        if match[2] == "zeroinitializer":
            places = [0] * count
        else:
            places = [bits_of(*part.split()) for part in split(match[2][1:-1])]
        return self._define(
            name, f"<{count} x {kinds[2]}>", lambda state: [(*a(state), *b(state))[at] for at in places]
        )

    # ---- memory and calls

    def _load(self, name: str, kind: str, rest: str) -> Instruction:
        of, pointer, *alignment = split(rest)
        own = pointer.removeprefix("ptr ")
        if own in self.own:
            if self.own[own] != of or alignment:
                raise self.unknown()
            if of in WORDS:
                self.types[name] = of
                return self._word(name, lambda state: state.general[own])
            return self._define(name, of, lambda state: state.vectors[own])
        (count, size), address = self.shape(of), self.word(own)
        self._check_alignment(alignment, size)
        return self._define(name, of, lambda state: self.memory.read(state, address(state), size, count))

    def _check_alignment(self, alignment: Sequence[str], size: int) -> None:
        """NotCovered unless elements are aligned to no more than their size."""
        if alignment not in [[f"align {known}"] for known in (1, 2, 4) if known <= size]:
            raise self.unknown()

    def _store(self, rest: str) -> Instruction:
        value, pointer, *alignment = split(rest)
        own = pointer.removeprefix("ptr ")
        of, _, text = value.rpartition(" ") if not value.endswith(">") else value.partition("> ")
        of = of if of.startswith("<") is False or of.endswith(">") else f"{of}>"
        if own in self.own:
            if self.own[own] != of or alignment:
                raise self.unknown()
            return self._keep(own, of, text)
        (count, size), address, read = self.shape(of), self.word(own), self.elements(of, text)
        self._check_alignment(alignment, size)
        return self._put(address, read, [True] * count, size)

    def _keep(self, own: str, of: str, text: str) -> Instruction:
        """Store to the function's own memory."""
        if of in WORDS:
            word = self.word(text)

            def step(state: State) -> None:
                state.general[own] = word(state)

            return Instruction(0, "", step, (own,), scalar=True)
        read = self.elements(of, text)

        def keep(state: State) -> None:
            state.vectors[own] = tuple(read(state))

        return Instruction(0, "", keep, (own,))

    def _put(
        self, address: Callable[[State], Affine], read: Elements, mask: Sequence[bool], size: int
    ) -> Instruction:
        def step(state: State) -> None:
            key, at = address(state)
            for number, (element, chosen) in enumerate(zip(read(state), mask, strict=True)):
                if chosen:
                    self.memory.store(state, (key, at + number * size), size, element)

        return Instruction(0, "", step, stores=True)

    def _mask(self, text: str) -> list[bool]:
        match = re.fullmatch(r"<\d+ x i1> <(.*)>", text)
        assert match
        return [bits_of(*part.split()) == 1 for part in split(match[1])]

    def _masked_store(self, text: str) -> Instruction:
        value, pointer, mask = split(text[text.index("(") + 1 : -1])
        (of, read), chosen = self.typed(value), self._mask(mask)
        if of != f"<{len(chosen)} x float>" or not pointer.startswith("ptr align 4 "):
            raise self.unknown()
        return self._put(self.word(pointer[12:]), read, chosen, 4)

    def _call(self, name: str, kind: str, rest: str) -> Instruction:
        match = re.fullmatch(r"<(\d+) x float> @llvm\.(fmuladd|masked\.load)\.v(\d+)f32(\.p0)?\((.*)\)", rest)
        if not match or match[1] != match[3]:
            raise self.unknown()
        of, arguments = f"<{match[1]} x float>", split(match[5])
        if match[2] == "fmuladd":
            kinds, reads = zip(*map(self.typed, arguments), strict=True)
            if set(kinds) != {of} or len(reads) != 3:
                raise self.unknown()
            fma = self.op.fma
            return self._define(
                name, of, lambda state: [fma(*each) for each in zip(*(r(state) for r in reads), strict=True)]
            )
        pointer, mask, otherwise = arguments
        chosen, zero = self._mask(mask), self.terms.constant(0)
        if otherwise != f"{of} zeroinitializer" or not pointer.startswith("ptr align 4 "):
            raise self.unknown()
        address, memory = self.word(pointer[12:]), self.memory

        def value(state: State) -> list[Any]:
            key, at = address(state)
            return [
                memory.read(state, (key, at + 4 * number), 4)[0] if there else zero
                for number, there in enumerate(chosen)
            ]

        return self._define(name, of, value)


def bits_of(kind: str, text: str) -> int:
    """Return the bits of a constant, a float's as the hexadecimal of its double."""
    if kind != "float":
        return int(text)
    (value,) = struct.unpack(">d", int(text, 16).to_bytes(8, "big"))
    return int.from_bytes(struct.pack("<f", value), "little")
