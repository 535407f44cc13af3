"""Operands of x86 instructions on vectors, as functions that read and write a state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .decoding import Decoder
from .memory import elements_of, known_address, lanes_of
from .state import Instruction, State
from .terms import Affine, NotCovered, Refutation
from .x86_text import Address, X86Operand

LANES = 16
Step = Callable[[State], None]


class X86Operands(Decoder):
    """Makes functions of the operands of the line that is decoded."""

    def address(self, place: Address) -> Callable[[State], Affine]:
        """Return what computes an operand's address."""
        terms = self.terms
        base, index, offset = name_of(place.base), name_of(place.index), (0, place.offset)
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
        self,
        operand: X86Operand,
        size: int,
        count: int,
        target: X86Operand,
        per: int = 1,
        aligned: bool = False,
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
                chosen = mask_of(state, mask)
                nothing = (terms.constant(0, size),) * per
                found: list[int] = []
                for lane in range(count // per):
                    read = chosen >> lane & 1
                    found += memory.read(state, (key, at + lane * together), size, per) if read else nothing
                return found
            return memory.read(state, where, size, count)

        return load

    def _constants(
        self, place: Address, size: int, count: int, operand: X86Operand, per: int, aligned: bool
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
        self, target: X86Operand, size: int, count: int, aligned: bool = False
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
                chosen = mask_of(state, mask)
                old = [zero] * count if target.zeroing else elements_of(terms, state.vectors[name], size)
                result = [new if chosen >> at & 1 else old[at] for at, new in enumerate(result)]
            lanes = lanes_of(terms, (*result, *[zero] * short), size)
            state.vectors[name] = (*lanes, *padding)

        return write_masked

    def _storer(
        self, target: X86Operand, size: int, count: int, aligned: bool
    ) -> Callable[[State, Sequence[int]], None]:
        assert target.memory
        address, memory, mask, terms = self.address(target.memory), self.memory, target.mask, self.terms

        def store(state: State, result: Sequence[int]) -> None:
            key, at = where = address(state)
            if aligned:
                self._check_aligned(state, where, count * size)
            chosen = mask_of(state, mask) if mask else -1
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

    def instruction(self, step: Step, target: X86Operand, scalar: bool = False) -> Instruction:
        stores = target.memory is not None
        return Instruction(0, "", step, () if stores else (target.vector,), scalar, stores=stores)


def name_of(register: str) -> str:
    """The stack pointer has one name in all architectures."""
    return "sp" if register == "rsp" else register


def immediate_of(operand: X86Operand) -> int:
    if operand.immediate is None:
        raise NotCovered(f"{operand.text} is not a number")
    return operand.immediate


def mask_of(state: State, name: str) -> int:
    value = state.masks[name]
    if value is None:
        raise Refutation(f"the mask {name} is not known")
    return value
