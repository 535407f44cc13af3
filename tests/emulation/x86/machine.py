"""The state of one x86 thread, and a program of assembly run on it."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

VECTOR_BYTES = 64
STACK_BYTES = 1 << 16
GAP = 1 << 20
"""Operands are so far apart that what leaves one is in none."""
LOW_BITS = 0xFFFFFFFFFFFFFFFF
OPERAND = re.compile(r"\s*((?:[^,(){}]|\([^)]*\)|\{[^}]*\})+)\s*(?:,|$)")
MEMORY = re.compile(r"(?:(\d)[fb]\+?)?(-?\d*)\(%(\w+)(?:, *%(\w+)(?:, *(\d))?)?\)")
MOST_STEPS = 1_000_000
GENERAL = [
    *(f"r{name}" for name in ("ax", "bx", "cx", "dx", "si", "di", "bp")),
    *(f"r{n}" for n in range(8, 16)),
]
UNFILLED = 0x5A5A_5A5A_5A5A_5A5A
"""General registers hold this before they are filled, which is no address."""
WIDTHS = {"x": 16, "y": 32, "z": 64}


class Memory:
    """Arrays at addresses of their own; nothing else can be read or written."""

    def __init__(self) -> None:
        self._next = GAP
        self._spaces: list[tuple[int, np.ndarray]] = []

    def place(self, array: np.ndarray) -> int:
        """The address of a copy of an array, aligned as tensors are."""
        at, data = self._next, np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy()
        self._spaces.append((at, data))
        self._next += (data.size // GAP + 2) * GAP
        return at

    def bytes(self, address: int, size: int) -> np.ndarray:
        """A view of so many bytes."""
        for start, data in self._spaces:
            if start <= address and address + size <= start + data.size:
                return data[address - start : address - start + size]
        raise AssertionError(f"{size} bytes at {self._where(address)} are in no operand")

    def array(self, address: int, like: np.ndarray) -> np.ndarray:
        """What an array of which a copy was placed there has become."""
        return self.bytes(address, like.nbytes).view(like.dtype).reshape(like.shape)

    def _where(self, address: int) -> str:
        number, (start, data) = min(enumerate(self._spaces), key=lambda space: abs(space[1][0] - address))
        return f"byte {address - start} of operand {number}, which has {data.size}"


@dataclass(frozen=True)
class Operand:
    """An operand as it is written: what it is of, the mask behind it, and whether masked-out lanes become
    zero, or an element in memory is repeated for all lanes."""

    text: str
    mask: int = 0
    zeroing: bool = False
    repeated: bool = False

    @property
    def is_memory(self) -> bool:
        return self.text.endswith(")")

    @property
    def immediate(self) -> int:
        return int(self.text.removeprefix("$"), 0)

    @cached_property
    def vector(self) -> tuple[int, int] | None:
        """The number of a vector register and its bytes."""
        match = re.fullmatch(r"%([xyz])mm(\d+)", self.text)
        return match and (int(match[2]), WIDTHS[match[1]])

    @cached_property
    def place(self) -> tuple[str, int, str, str, int]:
        """A label, an offset, the names of two registers, and what the second is multiplied by."""
        match = MEMORY.fullmatch(self.text)
        assert match, f"{self.text} is no operand in memory"
        return match[1], int(match[2] or 0), match[3], match[4], int(match[5] or 1)


@lru_cache(1 << 16)
def parse_operands(text: str) -> tuple[Operand, ...]:
    found = []
    for part in OPERAND.findall(text):
        plain = part.split("{")[0].strip()
        mask = re.search(r"\{%k(\d)\}", part)
        found.append(Operand(plain, int(mask[1]) if mask else 0, "{z}" in part, "{1to" in part))
    return tuple(found)


class Program:
    """Lines of assembly, where their numeric labels are, and the constants among them."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines: list[str] = []
        self.constants = bytearray()
        self._labels: list[tuple[str, int]] = []
        self._constants_at: dict[str, int] = {}
        for line in map(str.strip, lines):
            label = re.fullmatch(r"(\d):", line)
            if label:
                self._labels.append((label[1], len(self.lines)))
                self._constants_at.setdefault(label[1], len(self.constants))
            elif line.startswith(".fill"):
                count, size, value = (int(part, 0) for part in line.removeprefix(".fill").split(","))
                self.constants += count * struct.pack({4: "<I", 2: "<H", 1: "<B"}[size], value)
            elif line.startswith(".long"):
                values = [int(part, 0) for part in line.removeprefix(".long").split(",")]
                self.constants += struct.pack(f"<{len(values)}I", *values)
            elif not line.startswith(".p2align"):
                self.lines.append(line)

    def target(self, label: str, origin: int) -> int:
        """The line that a jump from line ``origin`` goes to, as in "3f" or "1b"."""
        places = [at for name, at in self._labels if name == label[0]]
        forward = label.endswith("f")
        return min(p for p in places if p > origin) if forward else max(p for p in places if p <= origin)

    def constant(self, label: str) -> int:
        """Where in the constants a label is."""
        return self._constants_at[label]


Step = Callable[[], "int | None"]
"""What a line does; where it goes on if that is not the next line."""
Decoder = Callable[["Machine", str, Sequence[Operand], int], Step]
"""The step of a line: of the machine, a mnemonic, its operands, and the line's number."""


@dataclass
class Machine:
    """Registers, tiles and memory."""

    memory: Memory = field(default_factory=Memory)
    general: dict[str, int] = field(default_factory=dict)
    vectors: np.ndarray = field(default_factory=lambda: np.zeros((32, VECTOR_BYTES), np.uint8))
    masks: list[int] = field(default_factory=lambda: [0] * 8)
    tiles: np.ndarray = field(default_factory=lambda: np.zeros((8, 16, 64), np.uint8))
    permitted: bool = False
    """The system lets the process use tiles."""
    shapes: list[tuple[int, int]] | None = None
    """Rows and bytes in a row of every tile, once they are configured."""
    zero: bool = False
    """The flag that the last result was zero."""
    program: Program = field(default_factory=lambda: Program(()))
    written: set[str] = field(default_factory=set)
    """Registers that lines write, by the names LLVM has for those clobbered."""
    constants_at: int = 0
    tile_products: int = 0
    """So many times tiles were multiplied."""

    def __post_init__(self) -> None:
        # Registers hold what is no number, so that use of one before it is filled shows.
        self.vectors[:] = 0xFF
        self.tiles[:] = 0xFF
        self.general = dict.fromkeys(GENERAL, UNFILLED) | self.general
        self.general["rsp"] = self.memory.place(np.zeros(STACK_BYTES, np.uint8)) + STACK_BYTES // 2

    def run(self, program: Program, decoders: Mapping[str, Decoder], allowed: set[str]) -> None:
        """Run a program, which may write the registers ``allowed`` (as LLVM calls them) and those alone."""
        self.program, self.written = program, set()
        self.constants_at = self.memory.place(np.frombuffer(bytes(program.constants), np.uint8))
        stack = self.general["rsp"]
        steps = [self._decode(line, at, decoders) for at, line in enumerate(program.lines)]
        undeclared = {name for name in self.written if not _declared(name, allowed)}
        assert not undeclared, f"LLVM is not told that these registers are written: {sorted(undeclared)}"
        at = taken = 0
        while at < len(steps):
            try:
                following = steps[at]()
            except Exception as error:
                raise AssertionError(f"line {at}, {program.lines[at]}: {error}") from error
            at = at + 1 if following is None else following
            taken += 1
            assert taken < MOST_STEPS, "the program does not end"
        assert self.general["rsp"] == stack, "the stack pointer is not put back"

    def address(self, operand: Operand) -> Callable[[], int]:
        """What computes the address of an operand in memory."""
        label, offset, base, index, scale = operand.place
        general = self.general
        if base == "rip":
            fixed = self.constants_at + self.program.constant(label) + offset
            return lambda: fixed
        if index is None:
            return lambda: general[base] + offset
        return lambda: general[base] + general[index] * scale + offset

    def writes(self, name: str) -> None:
        self.written.add(name)

    def _decode(self, line: str, at: int, decoders: Mapping[str, Decoder]) -> Step:
        mnemonic, _, rest = line.removeprefix("{vex} ").partition(" ")
        assert mnemonic in decoders, f"no meaning is known of the instruction '{mnemonic}'"
        return decoders[mnemonic](self, mnemonic, parse_operands(rest), at)


def _declared(name: str, allowed: set[str]) -> bool:
    """Whether LLVM knows that a register is written, of vectors under the name of any width."""
    if name.startswith("mm"):
        return any(width + name in allowed for width in WIDTHS)
    return name in allowed
