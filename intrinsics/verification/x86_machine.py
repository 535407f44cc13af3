"""Lines of x86 assembly as instructions on terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from .arithmetic import TermArithmetic
from .memory import Memory, elements_of, known_address, lanes_of
from .state import Data, Instruction, Jump, State
from .terms import Affine, NotCovered, Refutation, Terms
from .x86_scalars import decode_scalar_instruction
from .x86_table import (
    BROADCASTS,
    ELEMENTS,
    LANEWISE,
    MOVING,
    PACKS,
    PARTS,
    SCALARS,
    WITHOUT_NUMBER,
    Lanewise,
)
from .x86_text import Address, Line, Operand, Text, parse_line, parse_operand

LANES = 16
Step = Callable[[State], None]


class X86Decoder:
    """Makes instructions of the lines of a text."""

    def __init__(self, terms: Terms, op: TermArithmetic, memory: Memory, text: Text) -> None:
        self.terms, self.op, self.memory, self.text = terms, op, memory, text
        self.zero = terms.constant(0)
        self.line = Line(0, "")
        self.at = 0

    def program(self) -> list[Instruction]:
        """Return the text's instructions. What stands for data must not be executed."""
        instructions = []
        for at, line in enumerate(self.text.lines):
            self.at, self.line = at, line
            if line.data:
                instructions.append(Instruction(line.number, line.text, _executed))
                continue
            mnemonic, texts = parse_line(line.text)
            try:
                decoded = self._decode(mnemonic, texts)
            except (NotCovered, Refutation):
                raise
            except (ValueError, IndexError, KeyError, TypeError, AttributeError, AssertionError) as error:
                raise NotCovered(
                    f"line {line.number}: '{line.text}' is not of a form that is known"
                ) from error
            instructions.append(replace(decoded, line=line.number, text=line.text))
        return instructions

    def _decode(self, mnemonic: str, texts: tuple[str, ...]) -> Instruction:
        if mnemonic in ("jmp", "jz", "je", "jnz", "jne"):
            return self._jump(mnemonic, texts)
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
            return Instruction(0, "", _nothing, jump=Jump(target), scalar=True)
        return Instruction(0, "", _nothing, jump=Jump(target, _flag, mnemonic in ("jz", "je")), scalar=True)

    # ---- operands

    def address(self, place: Address) -> Callable[[State], Affine]:
        """Return what computes an operand's address."""
        terms = self.terms
        base, index, offset = _name(place.base), _name(place.index), (0, place.offset)
        if not index:

            def plain(state: State) -> Affine:
                key, at = known_address(terms, state.general[base])
                return key, at + place.offset

            return plain

        def computed(state: State) -> Affine:
            scaled = terms.times(known_address(terms, state.general[index]), (0, place.scale))
            return terms.plus(terms.plus(known_address(terms, state.general[base]), scaled), offset)

        return computed

    def reader(
        self, operand: Operand, size: int, count: int, target: Operand, per: int = 1, aligned: bool = False
    ) -> Callable[[State], Sequence[int]]:
        """Return what reads so many elements of ``size`` bytes; ``per`` of them count as one for masks and
        broadcasts."""
        terms = self.terms
        if operand.vector:
            name, lanes = operand.vector, -(-count * size // 4)
            if count * size > operand.bytes:
                raise NotCovered(f"line {self.line.number}: '{self.line.text}' has operands of unequal sizes")
            if size == 4:
                return lambda state: state.vectors[name][:lanes]
            return lambda state: elements_of(terms, state.vectors[name][:lanes], size)[:count]
        place = operand.memory
        if place is None:
            raise NotCovered(f"line {self.line.number}: {operand.text} is not a vector")
        together = size * per
        if operand.repeated and operand.repeated * per != count:
            raise NotCovered(f"line {self.line.number}: {operand.text} is not repeated for all lanes")
        if place.base == "rip":
            return self._constants(place, size, count, operand, per, aligned)
        address, memory = self.address(place), self.memory
        if operand.repeated:

            def broadcast(state: State) -> Sequence[int]:
                return memory.read(state, address(state), size, per) * (count // per)

            return broadcast
        mask = target.mask

        def load(state: State) -> Sequence[int]:
            key, at = where = address(state)
            if aligned:
                self._check_aligned(state, where, count * size)
            if mask:
                chosen = _mask(state, mask)
                nothing = (terms.constant(0, size),) * per
                found: list[int] = []
                for lane in range(count // per):
                    read = chosen >> lane & 1
                    found += memory.read(state, (key, at + lane * together), size, per) if read else nothing
                return found
            return memory.read(state, where, size, count)

        return load

    def _constants(
        self, place: Address, size: int, count: int, operand: Operand, per: int, aligned: bool
    ) -> Callable[[State], Sequence[int]]:
        """Read constants that lie among the code; masks do not matter to them."""
        together = size * per if operand.repeated else size * count
        data = self.text.bytes_at(place, self.at, together)
        if aligned and self.text.alignment(place, self.at) < together:
            raise Refutation(
                f"{operand.text} is not known to be aligned to {together} bytes", line=self.line.number
            )
        values = [
            self.terms.constant(int.from_bytes(data[i : i + size], "little"), size)
            for i in range(0, together, size)
        ]
        found = tuple(values) * (count // len(values))
        return lambda state: found

    def _check_aligned(self, state: State, address: Affine, size: int) -> None:
        if address[0] != self.terms.symbol("frame")[0] or address[1] % size or size > 64:
            raise Refutation(f"{self.terms.text(address)} is not known to be aligned to {size} bytes")

    def writer(
        self, target: Operand, size: int, count: int, aligned: bool = False
    ) -> Callable[[State, Sequence[int]], None]:
        """Return what writes so many elements to a register, whose others become zero, or to memory, through
        the target's mask."""
        terms = self.terms
        if target.memory:
            if target.zeroing:
                raise NotCovered(f"line {self.line.number}: memory is not zeroed by masks")
            return self._storer(target, size, count, aligned)
        if not target.vector or target.repeated:
            raise NotCovered(f"line {self.line.number}: {target.text} is not a target")
        name, mask = target.vector, target.mask
        padding = (self.zero,) * (LANES - -(-count * size // 4))
        zero = terms.constant(0, size)
        if not mask and size == 4:

            def write(state: State, result: Sequence[int]) -> None:
                state.vectors[name] = (*result, *padding)

            return write
        per_lane = max(1, 4 // size)
        short = -count % per_lane

        def write_masked(state: State, result: Sequence[int]) -> None:
            if mask:
                chosen = _mask(state, mask)
                old = [zero] * count if target.zeroing else elements_of(terms, state.vectors[name], size)
                result = [new if chosen >> at & 1 else old[at] for at, new in enumerate(result)]
            lanes = lanes_of(terms, (*result, *[zero] * short), size)
            state.vectors[name] = (*lanes, *padding)

        return write_masked

    def _storer(
        self, target: Operand, size: int, count: int, aligned: bool
    ) -> Callable[[State, Sequence[int]], None]:
        assert target.memory
        address, memory, mask, terms = self.address(target.memory), self.memory, target.mask, self.terms

        def store(state: State, result: Sequence[int]) -> None:
            key, at = where = address(state)
            if aligned:
                self._check_aligned(state, where, count * size)
            chosen = _mask(state, mask) if mask else -1
            unit = memory.unit
            if size < unit and not mask and memory.base(where) not in ("sp", "frame"):
                grouped = lanes_of(terms, result, size)
                for lane, term in enumerate(grouped):
                    memory.store(state, (key, at + 4 * lane), 4, term)
                return
            for lane, term in enumerate(result):
                if chosen >> lane & 1:
                    memory.store(state, (key, at + lane * size), size, term)

        return store

    def instruction(self, step: Step, target: Operand, scalar: bool = False) -> Instruction:
        stores = target.memory is not None
        return Instruction(0, "", step, () if stores else (target.vector,), scalar, stores=stores)

    # ---- instructions on vectors

    def _lanewise(self, mnemonic: str, operands: Sequence[Operand]) -> Instruction:
        meaning: Lanewise = LANEWISE[mnemonic]
        compute = partial(meaning.compute, self.op)
        if meaning.number:
            number, *operands = operands
            compute = partial(compute, _immediate(number))
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

    def _moving(self, mnemonic: str, operands: Sequence[Operand]) -> Instruction:
        meaning, number = MOVING[mnemonic], 0
        if mnemonic not in WITHOUT_NUMBER:
            number, operands = _immediate(operands[0]), operands[1:]
        *sources, target = operands
        if len(sources) != meaning.sources or not target.vector:
            raise NotCovered(
                f"line {self.line.number}: '{self.line.text}' does not have the operands that are known"
            )
        if mnemonic == "vperm2f128" and number & 0x88:
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' makes zeros")
        count = target.bytes // meaning.size
        reads = [self.reader(o, meaning.size, count, Operand("")) for o in reversed(sources)]
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

    def _broadcast(self, mnemonic: str, operands: Sequence[Operand]) -> Instruction:
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
            name = _name(source.general)
            return self.instruction(
                lambda state: write(state, [self.low_bytes(state, name, size)] * count), target, scalar=False
            )
        read = self.reader(source, part, size // part, Operand(""))
        return self.instruction(lambda state: write(state, list(read(state)) * count), target)

    def low_bytes(self, state: State, name: str, size: int) -> int:
        """Return the term of a general register's lowest bytes."""
        value = state.general[name]
        if isinstance(value, Data):
            return self.terms.split(value.term, 4, size)[0]
        if isinstance(value, tuple) and value[0] == 0:
            return self.terms.constant(value[1], size)
        raise Refutation(f"{name} holds an address, or what is not known, and is used as data")

    def _pack(self, mnemonic: str, operands: Sequence[Operand]) -> Instruction:
        wide, narrow, signed = PACKS[mnemonic]
        high, low, target = operands
        if target.bytes != 16:
            raise NotCovered(f"line {self.line.number}: {mnemonic} is known of 128 bits only")
        reads = [self.reader(o, wide, 16 // wide, Operand("")) for o in (low, high)]
        write, op = self.writer(target, narrow, 16 // narrow), self.op

        def step(state: State) -> None:
            elements = [element for read in reads for element in read(state)]
            write(state, [op.saturated(op.signed(e, 8 * wide), 8 * narrow, signed) for e in elements])

        return self.instruction(step, target)

    def _scalar(self, mnemonic: str, operands: Sequence[Operand]) -> Instruction:
        size = SCALARS[mnemonic]
        source, target = operands
        parts = (4, size // 4) if size > 4 else (size, 1)
        if target.vector or target.memory:
            write = self.writer(target, *parts)
            if source.general:
                name = _name(source.general)
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
            read = self.reader(source, *parts, Operand(""))
            return self.instruction(lambda state: write(state, read(state)), target)
        raise NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")

    def _general(self, state: State, name: str, size: int) -> list[int]:
        if size <= 4:
            return [self.low_bytes(state, name, size)]
        value = state.general[name]
        if not isinstance(value, tuple) or value[0]:
            raise Refutation(f"{name} is not known as data")
        return [self.terms.constant(value[1] >> 32 * part) for part in range(size // 4)]

    def _element(self, mnemonic: str, operands: Sequence[Operand]) -> Instruction:
        size, index = ELEMENTS[mnemonic], _immediate(operands[0])
        if mnemonic == "vinsertps":
            if index & 0xCF or operands[1].memory is None:
                raise NotCovered(f"line {self.line.number}: vinsertps is known of memory, without zeros")
            index >>= 4
        if not 0 <= index < 16 // size:
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' has no such element")
        if mnemonic.startswith("vpextr"):
            _, source, target = operands
            if not target.memory or source.bytes != 16:
                raise NotCovered(
                    f"line {self.line.number}: '{self.line.text}' is not of a form that is known"
                )
            read, write = self.reader(source, size, 16 // size, Operand("")), self.writer(target, size, 1)
            return self.instruction(lambda state: write(state, [read(state)[index]]), target)
        _, source, old, target = operands
        if source.memory is None or old.bytes != 16 or target.bytes != 16:
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")
        element, before = (
            self.reader(source, size, 1, Operand("")),
            self.reader(old, size, 16 // size, Operand("")),
        )
        write = self.writer(target, size, 16 // size)

        def insert(state: State) -> None:
            result = list(before(state))
            result[index] = element(state)[0]
            write(state, result)

        return self.instruction(insert, target)

    def _part(self, mnemonic: str, operands: Sequence[Operand]) -> Instruction:
        size, (number, source, target) = PARTS[mnemonic], operands
        first = _immediate(number) * size
        if not source.vector or not 0 <= first < source.bytes or (target.vector and target.bytes != size):
            raise NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")
        name, lanes, write = (
            source.vector,
            (first // 4, (first + size) // 4),
            self.writer(target, 4, size // 4),
        )
        return self.instruction(lambda state: write(state, state.vectors[name][slice(*lanes)]), target)

    def _masked_by_vector(self, operands: Sequence[Operand]) -> Instruction:
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

    def _unordered(self, operands: Sequence[Operand]) -> Instruction:
        """Which lanes are NaN, of one source given twice: lanes of ones, or a mask."""
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

    def _ones(self, operands: Sequence[Operand]) -> Instruction:
        """Lanes of ones where a mask is set, of one register given three times."""
        number, a, b, target = operands
        same = {a.vector, b.vector, target.vector}
        if _immediate(number) != 0xFF or len(same) != 1 or not target.mask or target.zeroing:
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

    def _shuffle(self, operands: Sequence[Operand]) -> Instruction:
        """Bytes of each part of 16, by constant places in it; 0 where the place has its highest bit."""
        places, source, target = operands
        count = target.bytes
        reads = [self.reader(o, 1, count, Operand("")) for o in (source, places)]
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

    def _zero_upper(self, state: State) -> None:
        for number in range(16):
            name = f"mm{number}"
            state.vectors[name] = state.vectors[name][:4] + (self.zero,) * (LANES - 4)


def _nothing(state: State) -> None:
    pass


def _executed(state: State) -> None:
    raise Refutation("data is executed")


def _flag(state: State) -> Affine:
    if state.flag is None:
        raise Refutation("a jump depends on what is not known")
    return state.flag


def _name(register: str) -> str:
    """The stack pointer has one name in all architectures."""
    return "sp" if register == "rsp" else register


def _immediate(operand: Operand) -> int:
    if operand.immediate is None:
        raise NotCovered(f"{operand.text} is not a number")
    return operand.immediate


def _mask(state: State, name: str) -> int:
    value = state.masks[name]
    if value is None:
        raise Refutation(f"the mask {name} is not known")
    return value
