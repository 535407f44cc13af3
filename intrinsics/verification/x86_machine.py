"""Lines of x86 assembly as instructions on terms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from . import x86_tiles as tiles
from .decoding import flag
from .state import Instruction, Jump, State, nothing
from .terms import NotCovered, Refutation
from .x86_moves import X86Moves
from .x86_operands import LANES, immediate_of
from .x86_scalars import decode_scalar_instruction
from .x86_table import (
    BROADCASTS,
    ELEMENTS,
    LANEWISE,
    MOVING,
    PACKS,
    PARTS,
    SCALARS,
    Lanewise,
)
from .x86_text import X86Operand, parse_line, parse_operand


class X86Decoder(X86Moves):
    """Makes instructions of the lines of a text."""

    def decoded(self, text: str) -> Instruction:
        return self._decode(*parse_line(text))

    def data(self) -> Instruction:
        """Return what refutes a text that executes data."""
        return Instruction(0, "", _executed)

    def _decode(self, mnemonic: str, texts: tuple[str, ...]) -> Instruction:
        if mnemonic in ("jmp", "jz", "je", "jnz", "jne"):
            return self._jump(mnemonic, texts)
        if mnemonic in tiles.NAMES:
            return tiles.decode_tiles(self, mnemonic, texts)
        operands = [parse_operand(text) for text in texts]
        if mnemonic in LANEWISE:
            return self._lanewise(mnemonic, operands)
        for table, decode in (
            (MOVING, self._moving),
            (BROADCASTS, self._broadcast),
            (PACKS, self._pack),
            (SCALARS, self._scalar),
            (ELEMENTS, self._element),
            (PARTS, self._part),
        ):
            if mnemonic in table:
                return decode(mnemonic, operands)
        if mnemonic == "vmaskmovps":
            return self._masked_by_vector(operands)
        if mnemonic == "vpermd":
            return self._permuted(operands)
        if mnemonic == "vinserti32x4":
            return self._part_inserted(operands)
        if mnemonic == "vmovhps":
            return self._upper_half(operands)
        if mnemonic == "vcmpunordps":
            return self._unordered(operands)
        if mnemonic == "vpternlogd":
            return self._ones(operands)
        if mnemonic == "vpshufb":
            return self._shuffle(operands)
        if mnemonic == "vzeroupper" and not operands:
            return Instruction(0, "", self._zero_upper, tuple(f"mm{i}" for i in range(16)))
        scalar = decode_scalar_instruction(self, mnemonic, operands)
        if scalar is None:
            raise NotCovered(f"line {self.line.number}: no meaning is known of the instruction '{mnemonic}'")
        return scalar

    def _jump(self, mnemonic: str, texts: tuple[str, ...]) -> Instruction:
        (label,) = texts
        target = self.text.jump_target(label, self.at)
        if mnemonic == "jmp":
            return Instruction(0, "", nothing, jump=Jump(target), scalar=True)
        return Instruction(0, "", nothing, jump=Jump(target, flag, mnemonic in ("jz", "je")), scalar=True)

    # ---- instructions on vectors

    def _lanewise(self, mnemonic: str, operands: Sequence[X86Operand]) -> Instruction:
        meaning: Lanewise = LANEWISE[mnemonic]
        compute = partial(meaning.compute, self.op)
        if meaning.number:
            number, *operands = operands
            compute = partial(compute, immediate_of(number))
        *sources, target = operands
        expected = meaning.compute.__code__.co_argcount - 1 - meaning.number - meaning.old
        vectors = [o.bytes // (meaning.source * meaning.per) for o in sources if o.vector]
        vectors += [target.bytes // meaning.target] if target.vector else []
        if len(sources) != expected or not vectors or (target.memory and expected != 1):
            raise NotCovered(
                f"line {self.line.number}: '{self.line.text}' does not have the operands that are known"
            )
        count = min(vectors)
        if target.vector and meaning.source * meaning.per == meaning.target and len({*vectors}) > 1:
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' has operands of unequal sizes")
        reads = [
            self.reader(o, meaning.source, count * meaning.per, target, meaning.per, meaning.aligned)
            for o in reversed(sources)
        ]
        if any(o.mask or o.zeroing for o in sources):
            raise NotCovered(f"line {self.line.number}: a source has a mask")
        if meaning.old:
            reads.insert(0, self.reader(target, meaning.target, count, target))
        write = self.writer(target, meaning.target, count, meaning.aligned)
        per = meaning.per
        if per == 1:

            def step(state: State) -> None:
                write(state, list(map(compute, *[read(state) for read in reads])))

            return self.instruction(step, target)
        old = meaning.old

        def step_of_groups(state: State) -> None:
            values = [read(state) for read in reads]
            grouped = [
                v if old and i == 0 else list(zip(*[iter(v)] * per, strict=True))
                for i, v in enumerate(values)
            ]
            write(state, list(map(compute, *grouped)))

        return self.instruction(step_of_groups, target)

    def _zero_upper(self, state: State) -> None:
        for number in range(16):
            name = f"mm{number}"
            state.vectors[name] = state.vectors[name][:4] + (self.zero,) * (LANES - 4)


def _executed(state: State) -> None:
    raise Refutation("data is executed")
