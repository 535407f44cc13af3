"""The order in which every inline-asm kernel walks its operands: blocks, filter rows, segments.

Instruction sets spell the few operations on general registers; what is done inside a segment is theirs.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence

from intrinsics.instruction_set import Isa
from intrinsics.microkernel import KernelInstance, Segment

from .asm import AsmBody, llvm_function


class Walk(abc.ABC):
    """Emits a kernel instance, and the loops around its segments. Labels: 1 is for loops inside a segment, 2
    to 4 are used here.

    The registers are named by subclasses: the operands' pointers ``a`` and ``b``, the number of filter rows
    ``taps``, and for kernels of several blocks, what they count and where the block's operands begin.
    """

    parameters: Sequence[str]
    """These registers hold the function's parameters, in the order of ``asm.PARAMETERS``."""
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

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        self.isa = isa
        self.instance = instance
        self.kernel = instance.kernel
        self.emit = AsmBody()

    def llvm_ir(self) -> str:
        """The kernel as an LLVM IR function with the arguments of ``asm.PARAMETERS``."""
        self.begin()
        self.start_tile()
        self.walk_taps()
        self.finish_tile()
        self.end()
        return llvm_function(
            self.instance.name,
            self.emit,
            self.parameters,
            self.clobbers,
            self.isa.features,
            self.flags,
            ahead=bool(self.instance.prefetch),
        )

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
        self.advance(self.a, self.a, self.instance.a_step)
        self.advance(self.b, self.b, self.instance.b_step)
        self.count_down(taps, 2)

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
    def immediate(self, register: str, value: int) -> None: ...

    @abc.abstractmethod
    def count_down(self, register: str, label: int) -> None:
        """Decrement, and jump back to ``label`` unless that gave zero."""

    @abc.abstractmethod
    def skip_if_zero(self, register: str, label: int) -> None:
        """Jump forward to ``label`` if the register is zero."""
