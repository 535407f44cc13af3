"""POWER9's loads and stores of vectors, which take a part of one as they take a whole one.

On a little-endian machine a vector's first element is its last word.
"""

from __future__ import annotations

from .registers import SCRATCH
from .vsx import PowerKernel

VECTOR = 16
"""A vector has so many bytes."""
LENGTH = "0"
"""This general register's topmost byte counts the bytes of a partial load or store."""


class Power9Kernel(PowerKernel):
    """What emits a kernel instance for POWER9 and later; ``at`` is in bytes."""

    def load(self, register: int, pointer: str, at: int) -> None:
        """A vector; the short form wants a multiple of 16 bytes."""
        self.emit(f"lxv {register}, {self.address(pointer, at)}")

    def address(self, pointer: str, at: int) -> str:
        if at % VECTOR == 0 and at < 2**15:
            return f"{at}({pointer})"
        self.advance_bytes(SCRATCH, pointer, at)
        return f"0({SCRATCH})"

    def load_some(self, register: int, pointer: str, at: int, count: int) -> None:
        """Fewer bytes than a vector has; the rest of it is zero."""
        self.length(count)
        self.advance_bytes(SCRATCH, pointer, at)
        self.emit(f"lxvl {register}, {SCRATCH}, {LENGTH}")

    def store_some(self, register: int, pointer: str, at: int, count: int) -> None:
        self.length(count)
        self.advance_bytes(SCRATCH, pointer, at)
        self.emit(f"stxvl {register}, {SCRATCH}, {LENGTH}")

    def length(self, count: int) -> None:
        self.emit(f"li {LENGTH}, {count}")
        self.emit(f"sldi {LENGTH}, {LENGTH}, 56")

    def load_channels(self, register: int, pointer: str, at: int, v: int) -> None:
        if self.is_tail(v):
            self.load_some(register, pointer, at, 4 * self.tail)
        else:
            self.load(register, pointer, at)

    def store_channels(self, register: int, pointer: str, at: int, v: int) -> None:
        if self.is_tail(v):
            self.store_some(register, pointer, at, 4 * self.tail)
        else:
            self.emit(f"stxv {register}, {self.address(pointer, at)}")
