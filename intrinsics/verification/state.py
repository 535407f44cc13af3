"""The state of a machine that runs code on terms, and what an instruction is to the executor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .terms import Affine


@dataclass(frozen=True)
class Data:
    """A general register that holds the four bytes of a term; its upper half is zero."""

    term: int


Scalar = "Affine | Data | None"
"""What a general register holds; None where that is not known."""


@dataclass(frozen=True)
class Cell:
    """Bytes of the stack, or an element of C, as stored: a term of ``size`` bytes, or an affine value."""

    size: int
    value: object
    line: int


@dataclass(frozen=True)
class Jump:
    """A branch: the line it goes to where ``value`` is zero, or where it is not."""

    target: int
    value: Callable[[State], Affine] | None = None
    if_zero: bool = True


@dataclass(frozen=True)
class Instruction:
    """A line of code: what it does to a state, which registers it writes, and where it goes on.

    ``scalar``: whether it has an effect on general registers or flags, which count loops.
    """

    line: int
    text: str
    step: Callable[[State], None]
    writes: tuple[str, ...] = ()
    scalar: bool = False
    jump: Jump | None = None
    stores: bool = False
    local: tuple[str, ...] = ()
    """Registers that it defines, which a loop's next iteration, and code behind it, do not use."""
    sets_length: bool = False
    """Whether vectors have another number of elements from there on."""


@dataclass(frozen=True)
class Length:
    """How long vectors are where that depends on the CPU: bytes of an element, eighths of a register that a
    group fills, the symbol of a lane's channel, and the channel of the first lane."""

    size: int
    eighths: int
    lane: str
    first: Affine


@dataclass
class Read:
    """Bytes that were read from memory, by the instruction of that line."""

    line: int
    address: Affine
    size: int
    nonzero: frozenset[Affine]
    """Values that were known not to be zero."""


@dataclass
class State:
    """Registers by name: general ones hold affine values or data, vectors hold lanes of 32 bits, masks hold
    numbers. ``stack`` and ``stored`` are by address."""

    general: dict[str, object] = field(default_factory=dict)
    vectors: dict[str, tuple[int, ...]] = field(default_factory=dict)
    masks: dict[str, int | None] = field(default_factory=dict)
    nans: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The lanes whose being NaN a mask says."""
    flag: Affine | None = None
    """What was compared with zero last."""
    stack: dict[Affine, Cell] = field(default_factory=dict)
    stored: dict[Affine, Cell] = field(default_factory=dict)
    nonzero: frozenset[Affine] = frozenset()
    """Values that are not zero on this path."""
    zero: frozenset[Affine] = frozenset()
    """Values that are zero on this path."""
    reserved: dict[str, int] = field(default_factory=dict)
    """Bytes between a symbol of the stack and where others' bytes begin."""
    groups: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """The elements that registers hold, and of how large a group, where instructions do not say so."""
    length: Length | None = None
    lanes: tuple[int, ...] = ()
    """How many channels there are in each walk over channels, by passes or in one go."""
    passed: Affine | None = None
    """Channels that passes have computed, until one has asked for the length of its vectors."""

    def copy(self) -> State:
        return State(
            dict(self.general),
            dict(self.vectors),
            dict(self.masks),
            dict(self.nans),
            self.flag,
            dict(self.stack),
            dict(self.stored),
            self.nonzero,
            self.zero,
            dict(self.reserved),
            dict(self.groups),
            self.length,
            self.lanes,
            self.passed,
        )


def forget(state: State, body: Sequence[Instruction]) -> None:
    """Remove what instructions define for themselves."""
    for instruction in body:
        for name in instruction.local:
            state.general.pop(name, None)
            state.vectors.pop(name, None)


def nothing(state: State) -> None:
    """Leave the state as it is, as jumps do."""
