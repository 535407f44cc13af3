"""x86's instructions that move elements of vectors, or treat them in other ways than one by one."""

from __future__ import annotations

from collections.abc import Sequence

from .state import Data, Instruction, State
from .terms import NotCovered, Refutation
from .x86_operands import X86Operands, immediate_of, name_of
from .x86_table import BROADCASTS, ELEMENTS, MOVING, PACKS, PARTS, SCALARS, WITHOUT_NUMBER
from .x86_text import X86Operand


class X86Moves(X86Operands):
    """Decodes them."""

    def _moving(self, mnemonic: str, operands: Sequence[X86Operand]) -> Instruction:
        meaning, number = MOVING[mnemonic], 0
        if mnemonic not in WITHOUT_NUMBER:
            number, operands = immediate_of(operands[0]), operands[1:]
        *sources, target = operands
        if len(sources) != meaning.sources or not target.vector:
            raise NotCovered(
                f"line {self.line.number}: '{self.line.text}' does not have the operands that are known"
            )
        if mnemonic == "vperm2f128" and number & 0x88:
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' makes zeros")
        count = target.bytes // meaning.size
        reads = [self.reader(o, meaning.size, count, X86Operand("")) for o in reversed(sources)]
        write = self.writer(target, meaning.size, count)
        part = meaning.part // meaning.size or count
        places = meaning.places(number, count)

        def step(state: State) -> None:
            values = [read(state) for read in reads]
            result: list[int] = []
            for first in range(0, count, part):
                both = [element for value in values for element in value[first : first + part]]
                result += [both[place] for place in places]
            write(state, result)

        return self.instruction(step, target)

    def _broadcast(self, mnemonic: str, operands: Sequence[X86Operand]) -> Instruction:
        source, target = operands
        size = BROADCASTS[mnemonic]
        count = target.bytes // size
        write = self.writer(target, min(size, 4), target.bytes // min(size, 4))
        part = min(size, 4)
        if source.general:
            if source.bits != 32 or size > 4:
                raise NotCovered(
                    f"line {self.line.number}: '{self.line.text}' is not of a form that is known"
                )
            name = name_of(source.general)
            return self.instruction(
                lambda state: write(state, [self.low_bytes(state, name, size)] * count), target, scalar=False
            )
        read = self.reader(source, part, size // part, X86Operand(""))
        return self.instruction(lambda state: write(state, list(read(state)) * count), target)

    def low_bytes(self, state: State, name: str, size: int) -> int:
        """Return the term of a general register's lowest bytes."""
        value = state.general[name]
        if isinstance(value, Data):
            return self.terms.split(value.term, 4, size)[0]
        if isinstance(value, tuple) and value[0] == 0:
            return self.terms.constant(value[1], size)
        raise Refutation(f"{name} holds an address, or what is not known, and is used as data")

    def _pack(self, mnemonic: str, operands: Sequence[X86Operand]) -> Instruction:
        wide, narrow, signed = PACKS[mnemonic]
        high, low, target = operands
        part = 16 // wide
        reads = [self.reader(o, wide, target.bytes // wide, X86Operand("")) for o in (low, high)]
        write, op = self.writer(target, narrow, target.bytes // narrow), self.op

        def step(state: State) -> None:
            one, other = (read(state) for read in reads)
            elements: list[int] = []
            for first in range(0, len(one), part):
                elements += (*one[first : first + part], *other[first : first + part])
            write(state, [op.saturated(op.signed(e, 8 * wide), 8 * narrow, signed) for e in elements])

        return self.instruction(step, target)

    def _scalar(self, mnemonic: str, operands: Sequence[X86Operand]) -> Instruction:
        size = SCALARS[mnemonic]
        source, target = operands
        parts = (4, size // 4) if size > 4 else (size, 1)
        if target.vector or target.memory:
            write = self.writer(target, *parts)
            if source.general:
                name = name_of(source.general)
                if target.memory or source.bits != 8 * size:
                    raise NotCovered(
                        f"line {self.line.number}: '{self.line.text}' is not of a form that is known"
                    )
                return self.instruction(lambda state: write(state, self._general(state, name, size)), target)
            if (source.vector and source.bytes != 16) or (
                target.vector and (source.vector or target.bytes != 16)
            ):
                raise NotCovered(
                    f"line {self.line.number}: '{self.line.text}' is not of a form that is known"
                )
            read = self.reader(source, *parts, X86Operand(""))
            return self.instruction(lambda state: write(state, read(state)), target)
        raise NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")

    def _upper_half(self, operands: Sequence[X86Operand]) -> Instruction:
        """Store the upper eight bytes of a register of 16."""
        source, target = operands
        if not target.memory or source.bytes != 16:
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")
        write, name = self.writer(target, 4, 2), source.vector
        return self.instruction(lambda state: write(state, state.vectors[name][2:4]), target)

    def _general(self, state: State, name: str, size: int) -> list[int]:
        if size <= 4:
            return [self.low_bytes(state, name, size)]
        value = state.general[name]
        if not isinstance(value, tuple) or value[0]:
            raise Refutation(f"{name} is not known as data")
        return [self.terms.constant(value[1] >> 32 * part) for part in range(size // 4)]

    def _element(self, mnemonic: str, operands: Sequence[X86Operand]) -> Instruction:
        size, index = ELEMENTS[mnemonic], immediate_of(operands[0])
        if mnemonic == "vinsertps":
            if index & 0xCF or operands[1].memory is None:
                raise NotCovered(f"line {self.line.number}: vinsertps is known of memory, without zeros")
            index >>= 4
        if not 0 <= index < 16 // size:
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' counts elements wrongly")
        if mnemonic.startswith("vpextr"):
            _, source, target = operands
            if not target.memory or source.bytes != 16:
                raise NotCovered(
                    f"line {self.line.number}: '{self.line.text}' is not of a form that is known"
                )
            read, write = self.reader(source, size, 16 // size, X86Operand("")), self.writer(target, size, 1)
            return self.instruction(lambda state: write(state, [read(state)[index]]), target)
        _, source, old, target = operands
        if source.memory is None or old.bytes != 16 or target.bytes != 16:
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")
        element, before = (
            self.reader(source, size, 1, X86Operand("")),
            self.reader(old, size, 16 // size, X86Operand("")),
        )
        write = self.writer(target, size, 16 // size)

        def insert(state: State) -> None:
            result = list(before(state))
            result[index] = element(state)[0]
            write(state, result)

        return self.instruction(insert, target)

    def _part(self, mnemonic: str, operands: Sequence[X86Operand]) -> Instruction:
        size, (number, source, target) = PARTS[mnemonic], operands
        first = immediate_of(number) * size
        if not source.vector or not 0 <= first < source.bytes or (target.vector and target.bytes != size):
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")
        name, lanes, write = (
            source.vector,
            (first // 4, (first + size) // 4),
            self.writer(target, 4, size // 4),
        )
        return self.instruction(lambda state: write(state, state.vectors[name][slice(*lanes)]), target)

    def _permuted(self, operands: Sequence[X86Operand]) -> Instruction:
        """Elements of four bytes of a whole register, by constant places in it."""
        source, places, target = operands
        count = target.bytes // 4
        reads = [self.reader(o, 4, count, X86Operand("")) for o in (source, places)]
        write, terms = self.writer(target, 4, count), self.terms

        def step(state: State) -> None:
            values, at = (read(state) for read in reads)
            nodes = [terms.nodes[place] for place in at]
            if any(node[0] != "const" for node in nodes):
                raise Refutation("the places of a permutation are not known")
            write(state, [values[node[1] % count] for node in nodes])

        return self.instruction(step, target)

    def _part_inserted(self, operands: Sequence[X86Operand]) -> Instruction:
        """A part of 16 bytes from memory in a register."""
        number, source, old, target = operands
        first = 4 * immediate_of(number)
        if not source.memory or not 0 <= first < target.bytes // 4 or target.mask:
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")
        part = self.reader(source, 4, 4, X86Operand(""))
        before = self.reader(old, 4, target.bytes // 4, X86Operand(""))
        write = self.writer(target, 4, target.bytes // 4)

        def insert(state: State) -> None:
            result = list(before(state))
            result[first : first + 4] = part(state)
            write(state, result)

        return self.instruction(insert, target)

    def _masked_by_vector(self, operands: Sequence[X86Operand]) -> Instruction:
        """Lanes whose mask is negative are moved; others read as zero, and are not stored."""
        source, mask, target = operands
        if not mask.vector or not (source.memory or target.memory):
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")
        memory, terms, count = self.memory, self.terms, mask.bytes // 4
        place = source.memory or target.memory
        assert place
        if place.base == "rip":
            raise NotCovered(f"line {self.line.number}: constants are not masked")
        address, name = self.address(place), mask.vector

        def chosen(state: State) -> list[int]:
            lanes = []
            for at, lane in enumerate(state.vectors[name][:count]):
                node = terms.nodes[lane]
                if node[0] != "const":
                    raise Refutation(f"the mask in {mask.text} is not known")
                lanes += [at] if node[1] >> 31 else []
            return lanes

        if target.memory:
            of = source.vector

            def store(state: State) -> None:
                key, at = address(state)
                for lane in chosen(state):
                    memory.store(state, (key, at + 4 * lane), 4, state.vectors[of][lane])

            return self.instruction(store, target)
        write = self.writer(target, 4, count)

        def load(state: State) -> None:
            key, at = address(state)
            found = [self.zero] * count
            for lane in chosen(state):
                found[lane] = memory.read(state, (key, at + 4 * lane), 4)[0]
            write(state, found)

        return self.instruction(load, target)

    def _unordered(self, operands: Sequence[X86Operand]) -> Instruction:
        """Compare one source, given twice, with itself: lanes of ones, or a mask, where it is a NaN."""
        second, first, target = operands
        if first.vector != second.vector or not first.vector:
            raise NotCovered(
                f"line {self.line.number}: '{self.line.text}' is known of one source given twice"
            )
        name, count, op = first.vector, first.bytes // 4, self.op
        if target.vector:
            write = self.writer(target, 4, count)
            return self.instruction(
                lambda s: write(s, [op.is_nan(x) for x in s.vectors[name][:count]]), target
            )
        mask = target.mask_register

        def compare(state: State) -> None:
            state.masks[mask] = None
            state.nans[mask] = state.vectors[name][:count]

        return Instruction(0, "", compare, (mask,))

    def _ones(self, operands: Sequence[X86Operand]) -> Instruction:
        """Lanes of ones where a mask is set, of one register given three times."""
        number, a, b, target = operands
        same = {a.vector, b.vector, target.vector}
        if immediate_of(number) != 0xFF or len(same) != 1 or not target.mask or target.zeroing:
            raise NotCovered(f"line {self.line.number}: vpternlogd is known of ones through a mask")
        name, mask, op, ones = target.vector, target.mask, self.op, self.terms.constant(-1)

        def step(state: State) -> None:
            lanes = state.vectors[name]
            nans = state.nans.get(mask)
            if state.masks[mask] is None and nans is None:
                raise Refutation(f"the mask {mask} is not known")
            if nans is None:
                raise NotCovered("ones through a mask of numbers")
            chosen = [op.chosen(op.is_nan(nan), ones, lane) for nan, lane in zip(nans, lanes, strict=False)]
            state.vectors[name] = (*chosen, *lanes[len(chosen) :])

        return Instruction(0, "", step, (name,))

    def _shuffle(self, operands: Sequence[X86Operand]) -> Instruction:
        """Bytes of each part of 16, by constant places in it; 0 where the place has its highest bit."""
        places, source, target = operands
        count = target.bytes
        reads = [self.reader(o, 1, count, X86Operand("")) for o in (source, places)]
        write, terms, nothing = self.writer(target, 1, count), self.terms, self.terms.constant(0, 1)

        def step(state: State) -> None:
            bytes_, at = (read(state) for read in reads)
            result = []
            for i, place in enumerate(at):
                node = terms.nodes[place]
                if node[0] != "const":
                    raise Refutation("the places of a shuffle are not known")
                result.append(nothing if node[1] & 0x80 else bytes_[i // 16 * 16 + (node[1] & 15)])
            write(state, result)

        return self.instruction(step, target)
