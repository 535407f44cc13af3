"""Lines of AArch64 assembly as instructions on terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from .arm_operands import LANES, VECTORS, ArmOperands, Vector, operands_of
from .arm_table import DOTS, MATRICES, PAIRWISE, PERMUTED, PRODUCTS, SHIFTS, VECTORWISE, WIDENING
from .decoding import flag
from .memory import known_address
from .state import Data, Instruction, Jump, State, nothing
from .terms import Affine, Refutation


class ArmDecoder(ArmOperands):
    """Makes instructions of the lines of a text."""

    def decoded(self, text: str) -> Instruction | None:
        mnemonic, _, rest = text.replace("\t", " ").partition(" ")
        return self._decode(mnemonic, list(operands_of(rest.strip())))

    def _decode(self, mnemonic: str, operands: list[str]) -> Instruction | None:
        if mnemonic in VECTORWISE and operands[0].startswith("v"):
            return self._vectorwise(mnemonic, operands)
        if mnemonic in PRODUCTS and operands[0].endswith(".8h"):
            return self._products(mnemonic, operands)
        if mnemonic in PAIRWISE or mnemonic == "addp":
            return self._pairs(mnemonic, operands)
        if mnemonic in WIDENING:
            return self._widening(mnemonic, operands)
        if mnemonic in ("sshll", "ushll") and operands[2:] == ["#0"]:
            return self._vectorwise(mnemonic[0] + "xtl", operands[:2])
        if mnemonic in MATRICES:
            return self._matrix(mnemonic, operands)
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

    # ---- vectors

    def _vectorwise(self, mnemonic: str, operands: list[str]) -> Instruction:
        meaning = VECTORWISE[mnemonic]
        target, *sources = map(self.vector, operands)
        sizes = (sources[0].size, target.size)
        also = sizes if meaning.sizes else ()
        expected = meaning.compute.__code__.co_argcount - 1 - meaning.old - len(also)
        whole = [s for s in sources if s.index is None]
        if len(sources) != expected or target.index is not None:
            raise self.unknown()
        if sizes not in (meaning.sizes or ((meaning.source, meaning.target),)):
            raise self.unknown()
        if any(s.index is not None for s in sources[:-1]) or any(s.size != sizes[0] for s in sources):
            raise self.unknown()
        first = target.count if meaning.upper else 0
        if any(s.count != target.count + first for s in whole):
            raise self.unknown()
        op, compute, count = self.op, meaning.compute, target.count

        def step(state: State) -> None:
            values = [self.elements(state, s)[first:] for s in sources]
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
            raise self.unknown()
        wanted = Vector(whole.name, size, 16 // size)
        if len(operands) != 3 or target != Vector(target.name, 4, 4) or whole != wanted:
            raise self.unknown()
        if other is not None and other != Vector(other.name, size, 16 // size):
            raise self.unknown()
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

    def _products(self, mnemonic: str, operands: list[str]) -> Instruction:
        compute, first, adds = PRODUCTS[mnemonic]
        target, one, other = map(self.vector, operands)
        bytes_ = Vector("", 1, 16 if first else 8)
        if replace(target, name="") != Vector("", 2, 8) or {replace(v, name="") for v in (one, other)} != {
            bytes_
        }:
            raise self.unknown()
        op = self.op

        def step(state: State) -> None:
            values = [self.elements(state, v)[first : first + 8] for v in (one, other)]
            old = [self.elements(state, target)] if adds else []
            self.write(state, target, [compute(op, *each) for each in zip(*old, *values, strict=True)])

        return Instruction(0, "", step, (target.name,))

    def _pairs(self, mnemonic: str, operands: list[str]) -> Instruction:
        """Sums of neighbours, which are added to 32 bits, or of two sources' neighbours."""
        target, *sources = map(self.vector, operands)
        op, kind = self.op, PAIRWISE.get(mnemonic)
        wanted = [Vector("", 2, 8)] if kind else [Vector("", 4, 4)] * 2
        if [replace(v, name="") for v in sources] != wanted or replace(target, name="") != Vector("", 4, 4):
            raise self.unknown()
        bits, read = (16, getattr(op, kind)) if kind else (32, op.signed)

        def step(state: State) -> None:
            both = [element for source in sources for element in self.elements(state, source)]
            sums = [op.plus(read(both[i], bits), read(both[i + 1], bits)) for i in range(0, 8, 2)]
            if kind:
                old = state.vectors[target.name]
                sums = [op.plus(op.signed(before, 32), each) for before, each in zip(old, sums, strict=True)]
            state.vectors[target.name] = tuple(op.wrapped(each, 32) for each in sums)

        return Instruction(0, "", step, (target.name,))

    def _widening(self, mnemonic: str, operands: list[str]) -> Instruction:
        compute, first, count = WIDENING[mnemonic]
        target, one, other = map(self.vector, operands)
        halves = Vector("", 2, count)
        if replace(target, name="") != Vector("", 4, 4) or {replace(v, name="") for v in (one, other)} != {
            halves
        }:
            raise self.unknown()
        op = self.op

        def step(state: State) -> None:
            whole = (replace(v, count=2 * LANES) for v in (one, other))
            values = [self.elements(state, v)[first : first + LANES] for v in whole]
            old = state.vectors[target.name]
            state.vectors[target.name] = tuple(compute(op, *each) for each in zip(old, *values, strict=True))

        return Instruction(0, "", step, (target.name,))

    def _matrix(self, mnemonic: str, operands: list[str]) -> Instruction:
        compute, size = MATRICES[mnemonic]
        target, one, other = map(self.vector, operands)
        whole = Vector("", size, 16 // size)
        if replace(target, name="") != Vector("", 4, 4) or {replace(v, name="") for v in (one, other)} != {
            whole
        }:
            raise self.unknown()
        op, half = self.op, 8 // size

        def step(state: State) -> None:
            a, b = self.elements(state, one), self.elements(state, other)
            rows = [(tuple(x[:half]), tuple(x[half:])) for x in (a, b)]
            old = state.vectors[target.name]
            state.vectors[target.name] = tuple(
                compute(op, old[2 * i + j], rows[0][i], rows[1][j]) for i in range(2) for j in range(2)
            )

        return Instruction(0, "", step, (target.name,))

    def _one_form(self, mnemonic: str, operands: list[str]) -> Instruction:
        """Instructions that are known of one form: with a zero, of one source given twice, or by 16 bits."""
        target, source = self.vector(operands[0]), self.vector(operands[1])
        op, last = self.op, operands[2]
        sizes = {"shll": (2, 4)}.get(mnemonic, (4, 4))
        known = {"cmge": last == "#0", "fcmeq": last == operands[1], "shll": last == "#16"}[mnemonic]
        if not known or (source.size, target.size) != sizes or {source.count, target.count} != {4}:
            raise self.unknown()
        if target.index is not None or source.index is not None or len(operands) != 3:
            raise self.unknown()
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
            raise self.unknown()
        if not 0 <= places < 8 * target.size or target.index is not None or source.index is not None:
            raise self.unknown()

        def step(state: State) -> None:
            values = self.elements(state, source)
            self.write(state, target, [compute(op, x, places, target.size) for x in values])

        return Instruction(0, "", step, (target.name,))

    def _permuted(self, mnemonic: str, operands: list[str]) -> Instruction:
        target, one, other = map(self.vector, operands)
        if len({(v.size, v.count, v.index) for v in (target, one, other)}) != 1 or target.index is not None:
            raise self.unknown()
        places = PERMUTED[mnemonic](target.count)

        def step(state: State) -> None:
            both = self.elements(state, one), self.elements(state, other)
            self.write(state, target, [both[which][at] for which, at in places])

        return Instruction(0, "", step, (target.name,))

    def _copy(self, operands: list[str]) -> Instruction:
        target, source = map(self.vector, operands)
        if (target.count, target.size, source.count, source.size) != (16, 1, 16, 1):
            raise self.unknown()
        if target.index is not None or source.index is not None:
            raise self.unknown()

        def step(state: State) -> None:
            state.vectors[target.name] = state.vectors[source.name]

        return Instruction(0, "", step, (target.name,))

    def _clear(self, mnemonic: str, operands: list[str]) -> Instruction:
        target = self.vector(operands[0])
        value = self.number(operands[1])
        if operands[2:] == ["lsl #8"] and target.size == 2 and 0 <= value < 1 << 8:
            element = self.terms.constant(value << 8, 2)
            whole = [element] * target.count
            return Instruction(0, "", lambda state: self.write(state, target, whole), (target.name,))
        if len(operands) != 2 or target.index is not None or not (value == 0 or target.size == 1):
            raise self.unknown()
        element = self.terms.constant(value, target.size)
        return Instruction(
            0, "", lambda state: self.write(state, target, [element] * target.count), (target.name,)
        )

    def _dup(self, mnemonic: str, operands: list[str]) -> Instruction:
        target, source = self.vector(operands[0]), operands[1]
        if not re.fullmatch(r"w\d+", source) or target.index is not None or target.size > 4:
            raise self.unknown()
        name = self.general("x" + source[1:])

        def step(state: State) -> None:
            value = state.general[name]
            if isinstance(value, Data) or not isinstance(value, tuple) or value[0]:
                raise Refutation(f"{name} holds an address, or what is not known, and is used as data")
            self.write(state, target, [self.terms.constant(value[1], target.size)] * target.count)

        return Instruction(0, "", step, (target.name,))

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
                raise self.unknown()
            return self._set(
                name, lambda s: terms.times(known_address(terms, s.general[first]), (0, 1 << places))
            )
        if len(sources) != 2 or (mnemonic == "subs" and "sp" in (name, first)):
            raise self.unknown()
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
                raise self.unknown()
            shift = int(match[1])
        if not 0 <= value < 1 << 16 or len(sources) > 2:
            raise self.unknown()
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

        return Instruction(0, "", nothing, jump=Jump(target, value, mnemonic == "cbz"), scalar=True)

    def _branch(self, mnemonic: str, operands: list[str]) -> Instruction:
        (label,) = operands
        target = self.text.jump_target(label, self.at)
        return Instruction(0, "", nothing, jump=Jump(target, flag, mnemonic == "b.eq"), scalar=True)
