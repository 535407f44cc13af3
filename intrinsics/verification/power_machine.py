"""Lines of POWER assembly, for little-endian machines, as instructions on terms.

Matrix accumulators are registers of their own here: what ``xxmtacc`` moves to one is in its vector registers
no longer, until ``xxmfacc`` moves it back.
"""

from __future__ import annotations

from collections.abc import Callable

from .decoding import flag
from .memory import known_address
from .power_operands import ALTIVEC, LANES, ROWS, VECTORS, PowerOperands
from .power_table import (
    BYTES_MOVED,
    EXTENDED,
    MERGED,
    OF_ALTIVEC,
    OUTER,
    STORES_IN_ORDER,
    WORDS_IN_ORDER,
    WORDWISE,
)
from .state import Instruction, Jump, State, nothing
from .terms import Refutation


class PowerDecoder(PowerOperands):
    """Makes instructions of the lines of a text."""

    def decoded(self, text: str) -> Instruction | None:
        mnemonic, _, rest = text.replace("\t", " ").partition(" ")
        return self._decode(mnemonic, [part.strip() for part in rest.split(",")])

    def _decode(self, mnemonic: str, operands: list[str]) -> Instruction | None:
        if mnemonic in WORDWISE:
            return self._wordwise(mnemonic, operands)
        if mnemonic in OUTER:
            return self._outer_product(mnemonic, operands)
        if mnemonic in BYTES_MOVED or mnemonic in EXTENDED:
            return self._bytes(mnemonic, operands)
        if mnemonic in MERGED or mnemonic == "xxpermdi":
            return self._merged(mnemonic, operands)
        if mnemonic in WORDS_IN_ORDER:
            return self.load(mnemonic, operands)
        if mnemonic in STORES_IN_ORDER:
            return self.store(mnemonic, operands)
        decode = {
            "lxsiwzx": self.load_word,
            "lxvwsx": self.load_word,
            "stxsiwx": self.store_word,
            "xxspltw": self._splat,
            "mtvsrwz": self._move_word,
            "mtvsrws": self._move_word,
            "vspltisw": self._small,
            "vslw": self._shift,
            "xxmtacc": self._accumulator,
            "xxmfacc": self._accumulator,
            "lxsdx": self.load_half,
            "stxsdx": self.store_half,
            "xxspltib": self._small,
            "cmpldi": self._compare,
            "beq": self._branch,
            "bne": self._branch,
        }.get(mnemonic)
        return decode(mnemonic, operands) if decode else self._general(mnemonic, operands)

    # ---- vectors

    def _wordwise(self, mnemonic: str, operands: list[str]) -> Instruction:
        meaning = WORDWISE[mnemonic]
        least = ALTIVEC if mnemonic in OF_ALTIVEC else 0
        target, *sources = (self.vector(text, least) for text in operands)
        op, compute = self.op, meaning.compute
        if len(sources) != compute.__code__.co_argcount - 1 - meaning.old:
            raise self.unknown()
        if mnemonic == "xxlor" and sources[0] == sources[1]:
            return self.vectors(lambda s: s.vectors.__setitem__(target, s.vectors[sources[0]]), target)
        reads = [target, *sources] if meaning.old else sources

        def step(state: State) -> None:
            words = zip(*(state.vectors[name] for name in reads), strict=True)
            state.vectors[target] = tuple(compute(op, *each) for each in words)

        return self.vectors(step, target)

    def _merged(self, mnemonic: str, operands: list[str]) -> Instruction:
        target, one, other = map(self.vector, operands[:3])
        if mnemonic == "xxpermdi":
            halves = self.number(operands[3])
            if not 0 <= halves < 4 or len(operands) != 4:
                raise self.unknown()
            first, second = 2 * (halves >> 1), 4 + 2 * (halves & 1)
            places: tuple[int, ...] = (first, first + 1, second, second + 1)
        else:
            places = MERGED[mnemonic]
            if len(operands) != 3:
                raise self.unknown()

        def step(state: State) -> None:
            both = (*state.vectors[one], *state.vectors[other])
            state.vectors[target] = tuple(both[place] for place in places)

        return self.vectors(step, target)

    def _splat(self, mnemonic: str, operands: list[str]) -> Instruction:
        target, source, word = *map(self.vector, operands[:2]), self.number(operands[2])
        if not 0 <= word < LANES or len(operands) != 3:
            raise self.unknown()
        return self.vectors(
            lambda s: s.vectors.__setitem__(target, (s.vectors[source][word],) * LANES), target
        )

    def _move_word(self, mnemonic: str, operands: list[str]) -> Instruction:
        """The lower word of a general register, to all words or to the second: the first is zero then, and
        the others are not defined."""
        target, name = self.vector(operands[0]), self.general(operands[1])
        terms, everywhere = self.terms, mnemonic == "mtvsrws"
        if len(operands) != 2 or name == "sp":
            raise self.unknown()

        def step(state: State) -> None:
            value = state.general[name]
            if not isinstance(value, tuple) or value[0]:
                raise Refutation(f"{name} holds an address, or what is not known, and is used as data")
            word = terms.constant(value[1])
            state.vectors[target] = (word,) * LANES if everywhere else self.second(word)

        return self.vectors(step, target)

    def _small(self, mnemonic: str, operands: list[str]) -> Instruction:
        of_bytes = mnemonic == "xxspltib"
        target, value = self.vector(operands[0], 0 if of_bytes else ALTIVEC), self.number(operands[1])
        if len(operands) != 2 or not (0 <= value < 256 if of_bytes else -16 <= value < 16):
            raise self.unknown()
        words = (self.terms.constant(value * 0x01010101 if of_bytes else value),) * LANES
        return self.vectors(lambda s: s.vectors.__setitem__(target, words), target)

    def _shift(self, mnemonic: str, operands: list[str]) -> Instruction:
        """Words moved left by as many places as the lowest bits of other words say."""
        target, source, amounts = (self.vector(text, ALTIVEC) for text in operands)

        def step(state: State) -> None:
            words = []
            for x, amount in zip(state.vectors[source], state.vectors[amounts], strict=True):
                node = self.terms.nodes[amount]
                if node[0] != "const":
                    raise Refutation("the places of a shift are not known")
                words.append(self.op.shift_left(x, node[1] & 31, 4))
            state.vectors[target] = tuple(words)

        return self.vectors(step, target)

    def _bytes(self, mnemonic: str, operands: list[str]) -> Instruction:
        """Bytes that change places, or the last of a register, extended."""
        target, *sources = (self.vector(text, ALTIVEC) for text in operands)
        if len(sources) != (1 if mnemonic in EXTENDED else 2):
            raise self.unknown()
        terms, size = self.terms, EXTENDED.get(mnemonic, 0)

        def step(state: State) -> None:
            both = [
                byte
                for name in sources
                for word in state.vectors[name]
                for byte in terms.bytes_of(word, 4)[::-1]
            ]
            if size:
                parts = [terms.join(tuple(both[at : at + size][::-1])) for at in range(8, 16, size)]
                wide = [
                    terms.bytes_of(self.op.sign_extended(part, 2 * size, size), 2 * size)[::-1]
                    for part in parts
                ]
                moved = [byte for element in wide for byte in element]
            else:
                moved = [both[place] for place in BYTES_MOVED[mnemonic]]
            state.vectors[target] = tuple(
                terms.join(tuple(moved[at : at + 4][::-1])) for at in range(0, 16, 4)
            )

        return self.vectors(step, target)

    # ---- matrix accumulators

    def _rows(self, text: str) -> list[tuple[str, str]]:
        """An accumulator's rows: their names, and those of the vector registers that they are of."""
        number = self.number(text)
        if not 0 <= number < 8:
            raise self.unknown()
        return [(f"acc{number}.{i}", VECTORS[ROWS * number + i]) for i in range(ROWS)]

    def _accumulator(self, mnemonic: str, operands: list[str]) -> Instruction:
        (number,) = operands
        pairs = self._rows(number)
        moves = pairs if mnemonic == "xxmtacc" else [(row, accumulator) for accumulator, row in pairs]
        unknown = self.terms.unknown

        def step(state: State) -> None:
            for target, source in moves:
                state.vectors[target] = state.vectors[source]
                state.vectors[source] = tuple(unknown() for _ in range(LANES))

        return Instruction(0, "", step, tuple(name for pair in pairs for name in pair))

    def _outer_product(self, mnemonic: str, operands: list[str]) -> Instruction:
        pairs, one, other = self._rows(operands[0]), self.vector(operands[1]), self.vector(operands[2])
        if len(operands) != 3 or {one, other} & {row for _, row in pairs}:
            raise self.unknown()
        (compute, size), op, split = OUTER[mnemonic], self.op, self.terms.split

        def step(state: State) -> None:
            a, b = ([split(word, 4, size) for word in state.vectors[name]] for name in (one, other))
            for i, (row, _) in enumerate(pairs):
                old = state.vectors[row]
                state.vectors[row] = tuple(compute(op, c, a[i], x) for x, c in zip(b, old, strict=True))

        return Instruction(0, "", step, tuple(name for pair in pairs for name in pair))

    # ---- general registers and branches

    def _general(self, mnemonic: str, operands: list[str]) -> Instruction | None:
        value: Callable[[State], object]
        if mnemonic in ("li", "lis") and len(operands) == 2:
            number = self.number(operands[1]) << (16 if mnemonic == "lis" else 0)
            value = lambda state: (0, number)  # noqa: E731
        elif mnemonic == "mr" and len(operands) == 2:
            source = self.general(operands[1])
            value = lambda state: state.general[source]  # noqa: E731
        elif mnemonic in ("addi", "add", "sub", "sldi", "ori") and len(operands) == 3:
            value = self._computed(mnemonic, operands[1], operands[2])
        else:
            return None
        name = self.general(operands[0])
        if name == "sp" and mnemonic != "addi":
            raise self.unknown()
        return Instruction(
            0, "", lambda state: state.general.__setitem__(name, value(state)), (name,), scalar=True
        )

    def _computed(self, mnemonic: str, first: str, second: str) -> Callable[[State], object]:
        terms = self.terms
        if mnemonic == "addi":
            base, number = self.base(first), self.number(second)
            return lambda state: terms.plus(base(state), (0, number))
        source = self.general(first)
        if mnemonic in ("add", "sub"):
            other, sign = self.general(second), 1 if mnemonic == "add" else -1

            def total(state: State) -> object:
                one, two = state.general[source], state.general[other]
                if not isinstance(one, tuple) or not isinstance(two, tuple):
                    return None
                return terms.plus(one, terms.times(two, (0, sign)))

            return total
        number = self.number(second)
        if mnemonic == "sldi" and 0 <= number < 64:
            return lambda s: terms.times(known_address(terms, s.general[source]), (0, 1 << number))
        if mnemonic != "ori" or not 0 <= number < 1 << 16:
            raise self.unknown()

        def with_bits(state: State) -> object:
            old = state.general[source]
            return (0, old[1] | number) if isinstance(old, tuple) and old[0] == 0 else None

        return with_bits

    def _compare(self, mnemonic: str, operands: list[str]) -> Instruction:
        name = self.general(operands[0])
        if operands[1:] != ["0"]:
            raise self.unknown()

        def step(state: State) -> None:
            value = state.general[name]
            state.flag = value if isinstance(value, tuple) else None

        return Instruction(0, "", step, ("cr0",), scalar=True)

    def _branch(self, mnemonic: str, operands: list[str]) -> Instruction:
        field, label = operands
        if field != "0":
            raise self.unknown()
        target = self.text.jump_target(label, self.at)
        return Instruction(0, "", nothing, jump=Jump(target, flag, mnemonic == "beq"), scalar=True)
