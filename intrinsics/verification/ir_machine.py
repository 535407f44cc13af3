"""Lines of LLVM IR as instructions on terms: the portable kernels, which are not assembly."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from .ir_operands import SIZES, TYPED, VECTOR, WORDS, Elements, IrOperands, bits_of, split
from .ir_table import BINARY, CASTS, COMPARISONS, SHIFTS, bfloat16_of_float, float_of_half, half_of_float
from .state import Instruction, Jump, State, nothing
from .terms import Affine


class IrDecoder(IrOperands):
    """Makes instructions of the lines of a function's body."""

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
            return self.put_word(name, lambda state: state.general[f"{name}'"])
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

    def _sum(self, name: str, kind: str, one: str, other: str) -> Instruction:
        terms, a, b = self.terms, self.word(one), self.word(other)
        if kind == "mul":
            return self.put_word(name, lambda state: terms.times(a(state), b(state)))
        return self.put_word(
            name, lambda state: (terms.plus if kind == "add" else terms.minus)(a(state), b(state))
        )

    def _address(self, name: str, kind: str, rest: str) -> Instruction:
        element, base, offset = split(rest)
        if not base.startswith("ptr ") or not offset.startswith("i64 "):
            raise self.unknown()
        terms, size, a, b = self.terms, SIZES[element], self.word(base[4:]), self.word(offset[4:])
        self.types[name] = "ptr"
        return self.put_word(name, lambda state: terms.plus(a(state), terms.times(b(state), (0, size))))

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

        return self.put_word(name, value)

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

    def _operation(self, name: str, kind: str, rest: str) -> Instruction:
        match = TYPED.fullmatch(rest)
        assert match
        of, op, texts = match[1], self.op, split(match[2])
        one, other = (self.elements(of, text) for text in texts)
        _, size = self.shape(of)
        if kind in SHIFTS:
            (places,) = {bits_of(*part.split()) for part in split(texts[1][1:-1])}
            shift = SHIFTS[kind]
            return self.define(name, of, lambda state: [shift(op, a, places, size) for a in one(state)])
        compute = BINARY[kind]

        def value(state: State) -> list[int]:
            pairs = list(zip(one(state), other(state), strict=True))
            found = [compute(op, a, b, size) for a, b in pairs]
            if kind == "and" and texts[1].startswith("<i32 2147483648"):
                for a, _ in pairs:
                    self.known.setdefault(half_of_float(op, a), op.to_half(a))
                    self.known.setdefault(bfloat16_of_float(op, a), op.to_bfloat16(a))
            return [self.known.get(term, term) for term in found] if kind == "or" else found

        return self.define(name, of, value)

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

        return self.define(name, to, value)

    def _compare(self, name: str, kind: str, rest: str) -> Instruction:
        comparison, _, operands = rest.partition(" ")
        match = TYPED.fullmatch(operands)
        compute = COMPARISONS[kind, comparison]
        if not match or (VECTOR.fullmatch(match[1]) or ["", "", ""])[2] not in ("float", "i32"):
            raise self.unknown()
        one, other = (self.elements(match[1], text) for text in split(match[2]))
        found = self.define(
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
        return self.define(
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

        return self.define(name, of, value)

    def _extract(self, name: str, kind: str, rest: str) -> Instruction:
        source, index = split(rest)
        (of, whole), at = self.typed(source), int(index.removeprefix("i64 "))
        match = VECTOR.fullmatch(of)
        assert match
        return self.define(name, match[2], lambda state: [whole(state)[at]])

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
        return self.define(
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
                return self.put_word(name, lambda state: state.general[own])
            return self.define(name, of, lambda state: state.vectors[own])
        (count, size), address = self.shape(of), self.word(own)
        self.check_alignment(alignment, size)
        return self.define(name, of, lambda state: self.memory.read(state, address(state), size, count))

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
        self.check_alignment(alignment, size)
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

    def _masked_store(self, text: str) -> Instruction:
        value, pointer, mask = split(text[text.index("(") + 1 : -1])
        (of, read), chosen = self.typed(value), self.mask(mask)
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
            return self.define(
                name, of, lambda state: [fma(*each) for each in zip(*(r(state) for r in reads), strict=True)]
            )
        pointer, mask, otherwise = arguments
        chosen, zero = self.mask(mask), self.terms.constant(0)
        if otherwise != f"{of} zeroinitializer" or not pointer.startswith("ptr align 4 "):
            raise self.unknown()
        address, memory = self.word(pointer[12:]), self.memory

        def value(state: State) -> list[Any]:
            key, at = address(state)
            return [
                memory.read(state, (key, at + 4 * number), 4)[0] if there else zero
                for number, there in enumerate(chosen)
            ]

        return self.define(name, of, value)
