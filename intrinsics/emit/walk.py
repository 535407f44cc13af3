"""The order in which every inline-asm kernel walks its operands: blocks, filter rows, segments.

Instruction sets spell the few operations on general registers; what is done inside a segment is theirs.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import ClassVar

from intrinsics.instruction_set import Isa
from intrinsics.microkernel import BYTES, OPEN, KernelInstance, Segment

from .asm import PARAMETERS, AsmBody, llvm_function


class Walk(abc.ABC):
    """Emits a kernel instance, and the loops around its segments. Labels: 1 is for loops inside a segment, 2
    to 4 are used here.

    The registers are named by subclasses: the operands' pointers ``a`` and ``b``, the number of filter rows
    ``taps``, and for kernels of several blocks, what they count and where the block's operands begin.
    """

    parameters: Sequence[str]
    """These registers hold the function's parameters, in the order of ``asm.PARAMETERS``."""
    further_parameters: ClassVar[Mapping[str, str]]
    """The register of each parameter that only some kernels have, but for ``ahead`` where none fetches."""
    flags: Sequence[str]
    """LLVM calls the architecture's flags so."""
    element_bytes = 4
    """An element of A, and one of B, has this many bytes."""
    a: str
    b: str
    taps: str
    blocks: str
    taps_left: str
    a_block: str
    b_block: str
    row_step: str
    """An open ``a_step``; ``line_step`` is that of C's lines. Both are in bytes while taps are walked."""
    line_step: str

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        self.isa = isa
        self.instance = instance
        self.kernel = instance.kernel
        self.emit = AsmBody()
        self.line_of: dict[str, int] = {}
        """The line of the tile that a pointer has been moved to, if it has."""

    def llvm_ir(self) -> str:
        """The kernel as an LLVM IR function with the arguments of ``KernelInstance.parameters``."""
        self.begin()
        self.scale_distances()
        self.start_tile()
        self.walk_taps()
        self.finish_tile()
        self.end()
        registers = self.pinned
        return llvm_function(
            self.instance.name,
            self.emit,
            registers,
            [register for register in self.clobbers if register not in registers],
            self.isa.features,
            self.flags,
            self.instance.parameters,
        )

    @property
    def pinned(self) -> Sequence[str]:
        """The registers of the instance's parameters, in order."""
        further = self.instance.parameters[len(PARAMETERS) :]
        found = (self.further_parameters.get(name) for name in further)
        return (*self.parameters, *(register for register in found if register))

    def scale_distances(self) -> None:
        """Make bytes of open distances, which are given in elements."""
        if self.instance.a_step is OPEN:
            self.shift_left(self.row_step, self.element_bytes.bit_length() - 1)
        if self.instance.lines.c is OPEN:
            self.shift_left(self.line_step, BYTES[self.kernel.destination].bit_length() - 1)

    @property
    @abc.abstractmethod
    def clobbers(self) -> Sequence[str]:
        """The registers the kernel writes beside its parameters'."""

    def begin(self) -> None:  # noqa: B027
        """What an architecture does before anything else."""

    @abc.abstractmethod
    def start_tile(self) -> None:
        """Fill the accumulators, before taps are walked."""

    @abc.abstractmethod
    def finish_tile(self) -> None:
        """Apply the epilogue and store."""

    def end(self) -> None:  # noqa: B027
        """What an architecture does last."""

    @property
    def several_blocks(self) -> bool:
        return self.instance.blocks != 1 or bool(self.instance.tail_segments)

    def walk_taps(self) -> None:
        instance = self.instance
        if not instance.segments and not instance.tail_segments:
            return
        self.skip_if_zero(self.taps, 3)
        if self.several_blocks:
            self.walk_blocks()
        else:
            self.walk_block(instance.segments, self.taps)
        self.emit("3:")

    def walk_blocks(self) -> None:
        """Each block begins where it must, since a border row does not move the pointers by whole blocks."""
        instance = self.instance
        self.advance(self.a_block, self.a, 0)
        self.advance(self.b_block, self.b, 0)
        if instance.blocks:
            self.immediate(self.blocks, instance.blocks)
            self.emit("4:")
            self.advance(self.taps_left, self.taps, 0)
            self.walk_block(instance.segments, self.taps_left)
            self.advance(self.a_block, self.a_block, instance.a_block)
            self.advance(self.b_block, self.b_block, instance.b_block)
            self.advance(self.a, self.a_block, 0)
            self.advance(self.b, self.b_block, 0)
            self.count_down(self.blocks, 4)
        if instance.tail_segments:
            self.walk_block(instance.tail_segments, self.taps)

    def walk_block(self, segments: tuple[Segment, ...], taps: str) -> None:
        """All filter rows of one block; ``taps`` is the register counting them, at least one."""
        self.emit("2:")
        self.walk_segments(segments)
        self.next_filter_row()
        self.advance(self.b, self.b, self.instance.b_step)
        self.count_down(taps, 2)

    def next_filter_row(self, passed: int = 0) -> None:
        """Move ``a``, which has gone ``passed`` elements on since the filter row began, to the next one."""
        if self.instance.a_step is OPEN:
            self.advance(self.a, self.a, -passed)
            self.add(self.a, self.row_step)
        else:
            self.advance(self.a, self.a, self.instance.a_step - passed)

    def move_to_line(self, pointer: str, m: int) -> None:
        """Move a pointer to C, or to what lies as C does, to row m's line, where lines of C are open. Do not
        call this in a loop of the kernel's."""
        if self.instance.lines.c is not OPEN:
            return
        line = m // self.instance.width
        moved = line - self.line_of.get(pointer, 0)
        for _ in range(abs(moved)):
            self.add(pointer, self.line_step, negative=moved < 0)
        self.line_of[pointer] = line

    def walk_segments(self, segments: tuple[Segment, ...]) -> None:
        """The multiply-adds of one filter row."""
        for segment in segments:
            self.walk_segment(segment)

    @abc.abstractmethod
    def walk_segment(self, segment: Segment) -> None:
        """The multiply-adds of one segment; the pointers ``a`` and ``b`` stay where they are."""

    @abc.abstractmethod
    def advance(self, register: str, source: str, elements: int) -> None:
        """``register = source + elements``, of A and B."""

    @abc.abstractmethod
    def add(self, register: str, distance: str, negative: bool = False) -> None:
        """``register += distance``, or where it is negative ``register -= distance``, of ``row_step`` or
        ``line_step``."""

    @abc.abstractmethod
    def shift_left(self, register: str, places: int) -> None:
        """Multiply a register by ``2**places``."""

    @abc.abstractmethod
    def immediate(self, register: str, value: int) -> None: ...

    @abc.abstractmethod
    def count_down(self, register: str, label: int) -> None:
        """Decrement, and jump back to ``label`` unless that gave zero."""

    @abc.abstractmethod
    def skip_if_zero(self, register: str, label: int) -> None:
        """Jump forward to ``label`` if the register is zero."""
