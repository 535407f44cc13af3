"""Operands of POWER instructions, and loads and stores of vectors, on little-endian machines."""

from __future__ import annotations

import re
from collections.abc import Callable

from .decoding import Decoder
from .memory import known_address
from .power_table import (
    STORES_IN_ORDER,
    WORDS_IN_ORDER,
)
from .state import Instruction, State
from .terms import Affine, Refutation

LANES, ROWS = 4, 4
POINTER = "r1"
"""The stack pointer, which is "sp" in a state."""
GENERAL = (*(f"r{i}" for i in (0, *range(3, 13))), *(f"r{i}" for i in range(14, 30)))
"""General registers, but for the system's, and those left to the compiler's frame."""
VECTORS = tuple(f"vs{i}" for i in range(64))
ACCUMULATORS = tuple(f"acc{k}.{i}" for k in range(8) for i in range(ROWS))
ALTIVEC = 32
"""Altivec's registers are the vector registers from this one on."""
LENGTH_SHIFT = 56
"""Loads and stores of some bytes have their number in a register's topmost byte."""
Step = Callable[[State], None]


class PowerOperands(Decoder):
    """Makes functions of the operands of the line that is decoded."""

    def vector(self, text: str, least: int = 0) -> str:
        number = self.number(text) + least
        if not 0 <= number < len(VECTORS) or (least and number < ALTIVEC):
            raise self.unknown()
        return VECTORS[number]

    def number(self, text: str) -> int:
        if not re.fullmatch(r"-?\d+", text):
            raise self.unknown()
        return int(text)

    def general(self, text: str) -> str:
        name = f"r{self.number(text)}"
        if name == POINTER:
            return "sp"
        if name not in GENERAL:
            raise self.unknown()
        return name

    def base(self, text: str) -> Callable[[State], Affine]:
        """What a base register holds; zero where it is the first."""
        if text == "0":
            return lambda state: (0, 0)
        name = self.general(text)
        return lambda state: known_address(self.terms, state.general[name])

    def indexed(self, base: str, index: str) -> Callable[[State], Affine]:
        first, name, terms = self.base(base), self.general(index), self.terms
        return lambda state: terms.plus(first(state), known_address(terms, state.general[name]))

    def vectors(self, step: Step, name: str) -> Instruction:
        return Instruction(0, "", step, (name,))

    # ---- memory

    def _place(self, mnemonic: str, operands: list[str]) -> tuple[Callable[[State], Affine], str]:
        """What computes an address, and the register of a length."""
        if mnemonic in ("lxv", "stxv"):
            match = re.fullmatch(r"(-?\d+)\((\d+)\)", operands[1])
            if not match or len(operands) != 2 or int(match[1]) % 16:
                raise self.unknown()
            base, offset = self.base(match[2]), int(match[1])
            return lambda state: self.terms.plus(base(state), (0, offset)), ""
        if len(operands) != 3:
            raise self.unknown()
        if mnemonic in ("lxvl", "stxvl"):
            return self.base(operands[1]), self.general(operands[2])
        return self.indexed(operands[1], operands[2]), ""

    def _length(self, state: State, name: str) -> int:
        value = state.general[name]
        if not isinstance(value, tuple) or value[0] or value[1] >> LENGTH_SHIFT << LENGTH_SHIFT != value[1]:
            raise Refutation("a load or store is of a number of bytes that is not known")
        return min(value[1] >> LENGTH_SHIFT & 0xFF, 16)

    def load(self, mnemonic: str, operands: list[str]) -> Instruction:
        target, (address, length) = self.vector(operands[0]), self._place(mnemonic, operands)
        terms, in_order = self.terms, WORDS_IN_ORDER[mnemonic]

        def step(state: State) -> None:
            count = self._length(state, length) if length else 16
            key, at = address(state)
            words = self.memory.read(state, (key, at), 4, count // 4) if count >= 4 else []
            if count % 4:
                rest = self.memory.read(state, (key, at + count // 4 * 4), 1, count % 4)
                words = [*words, terms.join((*rest, *[terms.constant(0, 1)] * (4 - len(rest))))]
            words = [*words, *[terms.constant(0)] * (LANES - len(words))]
            state.vectors[target] = tuple(words if in_order else reversed(words))

        return self.vectors(step, target)

    def store(self, mnemonic: str, operands: list[str]) -> Instruction:
        source, (address, length) = self.vector(operands[0]), self._place(mnemonic, operands)
        in_order = STORES_IN_ORDER[mnemonic]

        def step(state: State) -> None:
            count = self._length(state, length) if length else 16
            key, at = address(state)
            words = list(state.vectors[source])
            words = words if in_order else words[::-1]
            for number in range(count // 4):
                self.memory.store(state, (key, at + 4 * number), 4, words[number])
            if count % 4:
                unit, rest = min(self.memory.unit, count % 4), self.terms.bytes_of(words[count // 4], 4)
                for first in range(0, count % 4, unit):
                    where = key, at + count // 4 * 4 + first
                    self.memory.store(state, where, unit, self.terms.join(rest[first : first + unit]))

        return Instruction(0, "", step, (), stores=True)

    def load_word(self, mnemonic: str, operands: list[str]) -> Instruction:
        target, address = self.vector(operands[0]), self.indexed(operands[1], operands[2])
        everywhere = mnemonic == "lxvwsx"

        def step(state: State) -> None:
            (word,) = self.memory.read(state, address(state), 4)
            state.vectors[target] = (word,) * LANES if everywhere else self.second(word)

        return self.vectors(step, target)

    def load_half(self, mnemonic: str, operands: list[str]) -> Instruction:
        """Load eight bytes to the first two words; the others are not defined."""
        target, address = self.vector(operands[0]), self.indexed(operands[1], operands[2])

        def step(state: State) -> None:
            first, second = self.memory.read(state, address(state), 4, 2)
            state.vectors[target] = (second, first, self.terms.unknown(), self.terms.unknown())

        return self.vectors(step, target)

    def store_half(self, mnemonic: str, operands: list[str]) -> Instruction:
        source, address = self.vector(operands[0]), self.indexed(operands[1], operands[2])

        def step(state: State) -> None:
            key, at = address(state)
            for number in range(2):
                self.memory.store(state, (key, at + 4 * number), 4, state.vectors[source][1 - number])

        return Instruction(0, "", step, (), stores=True)

    def store_word(self, mnemonic: str, operands: list[str]) -> Instruction:
        source, address = self.vector(operands[0]), self.indexed(operands[1], operands[2])

        def step(state: State) -> None:
            self.memory.store(state, address(state), 4, state.vectors[source][1])

        return Instruction(0, "", step, (), stores=True)

    def second(self, word: int) -> tuple[int, ...]:
        """Return a vector whose second word is this, its first zero, and its others unknown."""
        unknown = self.terms.unknown
        return self.terms.constant(0), word, unknown(), unknown()
