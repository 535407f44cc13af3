"""Memory as a proof knows it: operands that are read as terms, the stack, and C, which is stored to."""

from __future__ import annotations

from collections.abc import Sequence

from .execution import Execution
from .state import Cell, Data, State
from .terms import Affine, Refutation, Terms

STACK = ("sp", "frame")
"""Symbols that addresses on the stack have: the stack pointer as it was, and where it was aligned."""


class Memory:
    """Reads and stores of one program. ``unit`` is the size of C's elements in bytes; ``red_zone`` bytes
    below the stack pointer belong to the code around."""

    def __init__(self, terms: Terms, unit: int, red_zone: int) -> None:
        self.terms, self.unit, self.red_zone = terms, unit, red_zone
        self.execution: Execution | None = None
        self._largest = 1
        """Bytes of the largest cell of the stack."""

    def read(
        self, state: State, address: Affine, size: int, count: int = 1, any_stack: bool = False
    ) -> list[int]:
        """Return the terms of so many elements, of ``size`` bytes each, one behind the other; of the stack
        only what was stored there, or with ``any_stack`` what nothing is known of, too."""
        key, at = address
        assert self.execution
        if self.execution.scalars:
            return [self.terms.unknown() for _ in range(count)]
        if self.base(address) in STACK:
            places = [(key, at + i * size) for i in range(count)]
            if any_stack:
                return [
                    self._from_stack(state, each, size) if each in state.stack else self.terms.unknown()
                    for each in places
                ]
            return [self._from_stack(state, each, size) for each in places]
        if state.stored:
            self._not_stored(state, address, size * count)
        self.execution.read(state, address, size * count)
        make = self.terms.make
        return [make("ld", size, key, at + i * size) for i in range(count)]

    def base(self, address: Affine) -> str:
        """Return the pointer that an address is relative to."""
        found = [
            symbols[0] for symbols, factor in self.terms.keys[address[0]] if factor == 1 and len(symbols) == 1
        ]
        pointers = [name for name in found if name in STACK or name.startswith("*")]
        if len(pointers) != 1:
            raise Refutation(f"the address {self.terms.text(address)} is not relative to one operand")
        return pointers[0]

    def store(self, state: State, address: Affine, size: int, term: int) -> None:
        """Store a term of so many bytes."""
        assert self.execution
        line = self.execution.line
        if self.base(address) in STACK:
            self._check_frame(state, address, size)
            self._put(state, address, Cell(size, term, line))
            return
        if size < self.unit:
            raise Refutation(f"{size} bytes are stored at {self.terms.text(address)}, part of an element")
        for at, part in enumerate(self.terms.split(term, size, self.unit)):
            state.stored[address[0], address[1] + at * self.unit] = Cell(self.unit, part, line)

    def keep(self, state: State, address: Affine, value: object, size: int = 8) -> None:
        """Store a general register on the stack."""
        assert self.execution
        if self.base(address) not in STACK:
            raise Refutation(f"a general register is stored at {self.terms.text(address)}")
        self._check_frame(state, address, size)
        self._put(state, address, Cell(size, value, self.execution.line))

    def kept(self, state: State, address: Affine, size: int = 8) -> object:
        """Return what ``keep`` stored there."""
        cell = state.stack.get(address)
        if (
            self.base(address) not in STACK
            or cell is None
            or cell.size != size
            or isinstance(cell.value, int)
        ):
            raise Refutation(f"what is loaded from {self.terms.text(address)} is not known")
        return cell.value

    def _put(self, state: State, address: Affine, cell: Cell) -> None:
        key, at = address
        known = state.stack.get(address)
        if known is not None and known.size == cell.size:
            state.stack[address] = cell
            return
        self._largest = max(self._largest, cell.size)
        for start in range(at - self._largest + 1, at + cell.size):
            old = state.stack.get((key, start))
            if old is not None and at < start + old.size:
                del state.stack[key, start]
        state.stack[address] = cell

    def _from_stack(self, state: State, address: Affine, size: int) -> int:
        cell = state.stack.get(address)
        if cell is not None and isinstance(cell.value, int):
            if cell.size == size:
                return cell.value
            if cell.size > size:
                return self.terms.split(cell.value, cell.size, size)[0]
        key, at = address
        parts: list[int] = []
        while at < address[1] + size:
            start = next((s for s in range(at, at - 8, -1) if (key, s) in state.stack), None)
            cell = None if start is None else state.stack[key, start]
            if cell is None or start is None or start + cell.size <= at or not isinstance(cell.value, int):
                raise Refutation(f"what is read at {self.terms.text(address)} was not stored there")
            single = self.terms.bytes_of(cell.value, cell.size)
            parts += single[at - start :]
            at = start + cell.size
        return self.terms.join(tuple(parts[:size]))

    def _check_frame(self, state: State, address: Affine, size: int) -> None:
        """Refutation for bytes of the stack that are not the code's own."""
        key, at = address
        pointer = state.general["sp"]
        top = -self.red_zone
        if self.base(address) == "frame":
            top += state.reserved["frame"]
        known = key in {self.terms.symbol(name)[0] for name in STACK}
        inside = known and isinstance(pointer, tuple) and pointer[0] == key and pointer[1] <= at
        if not inside or at + size > top:
            raise Refutation(
                f"{size} bytes are stored on the stack at {self.terms.text(address)}, which are not free"
            )

    def _not_stored(self, state: State, address: Affine, size: int) -> None:
        key, at = address
        for start in range(at - self.unit + 1, at + size):
            if (key, start) in state.stored:
                raise Refutation(f"{self.terms.text(address)} is read behind a store to it")


def known_address(terms: Terms, value: object) -> Affine:
    """Return the address that a general register holds."""
    if not isinstance(value, tuple):
        raise Refutation(
            "an address is computed of what is not known"
            if not isinstance(value, Data)
            else "an address is data"
        )
    return value


def lanes_of(terms: Terms, elements: Sequence[int], size: int) -> tuple[int, ...]:
    """Return 32-bit lanes of elements of ``size`` bytes."""
    if size == 4:
        return tuple(elements)
    if size > 4:
        return tuple(part for element in elements for part in terms.split(element, size, 4))
    if size == 2:
        return tuple(terms.word(*elements[at : at + 2]) for at in range(0, len(elements), 2))
    per = 4 // size
    result = []
    for at in range(0, len(elements), per):
        single = [byte for element in elements[at : at + per] for byte in terms.bytes_of(element, size)]
        result.append(terms.join(tuple(single)))
    return tuple(result)


def elements_of(terms: Terms, lanes: Sequence[int], size: int) -> tuple[int, ...]:
    """Return elements of ``size`` bytes of 32-bit lanes; the inverse of ``lanes_of``."""
    if size == 4:
        return tuple(lanes)
    if size > 4:
        per = size // 4
        return tuple(
            terms.join(tuple(byte for lane in lanes[at : at + per] for byte in terms.bytes_of(lane, 4)))
            for at in range(0, len(lanes), per)
        )
    return tuple(part for lane in lanes for part in terms.split(lane, 4, size))
