"""Packing of rows of activations into a micro-panel: a transposition in registers, as LLVM IR.

A panel holds ``rows`` elements of each channel together, in the order a GEMM's micro-kernel reads them
(Barrachina et al., "Reformulating the direct convolution for high-performance deep learning inference on ARM
processors", figure 5, after BLIS):

    dst[k * rows + m] = src[(m - first) * row + k]   for first <= m < last,    else 0

for k < length; ``src`` points to the first row that is read, so that rows outside the image need no address.
Nothing beyond the panel's rows * length elements is written, nor anything read beyond the rows' length.

Rows are taken by as many as a vector has elements, and as many channels at once: their vectors are transposed
by lanes of four, then by the elements in the lanes. Channels left over go four by four. Where the rows do not
fill a vector, what its store writes beyond them is overwritten by the next; only the panel's last vectors are
stored in pieces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from intrinsics.emit.ir import IrLines
from intrinsics.isa import ISAS
from intrinsics.registry import PACKINGS

PREFIX = "pack_panel_"
QUAD = 4
"""A lane has this many elements, as on x86, where shuffles within lanes are the cheap ones."""
ZERO = "zeroinitializer"
Pick = Callable[[str, str, tuple[int, ...]], str]
"""A shuffle takes of two vectors the parts with these numbers, the second's counted on from the first's."""


@dataclass(frozen=True)
class PanelPacking:
    """One packing routine; the contract is the module's. Elements are float32, distances in elements."""

    rows: int
    length: int
    row: int
    first: int
    last: int
    isa: str

    def __post_init__(self) -> None:
        if self.rows < 1 or self.length < 1 or not 0 <= self.first <= self.last <= self.rows:
            raise ValueError(f"no panel has {self.rows} rows of {self.length}, {self.first} to {self.last}")

    @property
    def name(self) -> str:
        return f"{PREFIX}f32_{self.isa}__m{self.rows}_k{self.length}_r{self.row}_v{self.first}.{self.last}"

    @staticmethod
    def parse(name: str) -> PanelPacking:
        """The routine a name stands for; the inverse of ``name``."""
        match = re.fullmatch(PREFIX + r"f32_([a-z0-9]+)__m(\d+)_k(\d+)_r(\d+)_v(\d+)\.(\d+)", name)
        if not match:
            raise ValueError(f"'{name}' is not the name of a packing routine")
        rows, length, row, first, last = map(int, match.groups()[1:])
        return PanelPacking(rows, length, row, first, last, match[1])

    def llvm_ir(self) -> str:
        """LLVM IR of ``i32 name(ptr dst, ptr src)``."""
        return _PanelEmitter(self).text()


class _PanelEmitter(IrLines):
    def __init__(self, packing: PanelPacking) -> None:
        super().__init__()
        self.packing = packing
        lanes = ISAS[packing.isa].lanes
        self.groups = [(m, min(lanes, packing.rows - m)) for m in range(0, packing.rows, lanes)]
        """Each vector of a channel begins with a row and has a number of rows."""

    def text(self) -> str:
        p = self.packing
        # Stores go beyond the last of their rows, but not beyond the panel.
        beyond = vector_size(self.groups[-1][1]) - self.groups[-1][1]
        block = max(vector_size(rows) for _, rows in self.groups)
        blocks = max(0, p.rows * p.length - beyond) // (block * p.rows)
        looped = blocks if blocks > 1 else 0
        if looped:
            self.line("br label %loop")
            self.line("loop:")
            self.line("%q = phi i64 [ 0, %entry ], [ %q.next, %loop ]")
            dst = self.address("%dst", self.value(f"mul i64 %q, {block * p.rows}"))
            src = self.address("%src", self.value(f"mul i64 %q, {block}"))
            self.pack_channels(dst, src, 0, block, whole=True)
            self.line("%q.next = add i64 %q, 1")
            self.line(f"%more = icmp ne i64 %q.next, {looped}")
            self.line("br i1 %more, label %loop, label %rest")
            self.line("rest:")
        self.pack_channels("%dst", "%src", block * looped, p.length)
        body = "\n".join(self.lines)
        return f"define i32 @{p.name}(ptr %dst, ptr %src) alwaysinline {{\nentry:\n{body}\n  ret i32 0\n}}\n"

    def pack_channels(self, dst: str, src: str, start: int, end: int, whole: bool = False) -> None:
        """Channels ``start`` to ``end`` of all rows; stores of ``whole`` vectors are known to fit the panel.

        The last rows come first: what their stores write beyond them belongs to the first rows.
        """
        p = self.packing
        for m, rows in reversed(self.groups):
            size, k = vector_size(rows), start
            while k < end:
                count = size if k + size <= end else min(QUAD, end - k)
                vectors = self.square(src, m, rows, k) if count == size else self.quad(src, m, rows, k, count)
                for c in range(count):
                    at = (k + c) * p.rows + m
                    if whole or at + size <= p.rows * p.length:
                        self.line(
                            f"store <{size} x float> {vectors[c]}, ptr {self.address(dst, at)}, align 4"
                        )
                    else:
                        self.store_pieces(vectors[c], size, rows, dst, at)
                k += count

    def square(self, src: str, m: int, rows: int, k: int) -> list[str]:
        """A vector for each of as many channels as a vector has elements."""
        size = vector_size(rows)
        lanes = [
            self.lanes_transposed(
                [self.load(src, row, m + rows, k, size) for row in range(m + j, m + size, QUAD)], size
            )
            for j in range(QUAD)
        ]
        return [
            vector
            for rows_of_lane in zip(*lanes, strict=True)
            for vector in self.elements_transposed(rows_of_lane, size)
        ]

    def quad(self, src: str, m: int, rows: int, k: int, count: int) -> list[str]:
        """A vector for each of at most four channels."""
        size = vector_size(rows)
        joined = []
        for j in range(QUAD):
            width = QUAD
            vectors = [self.load(src, row, m + rows, k, count) for row in range(m + j, m + size, QUAD)]
            while width < size:
                whole = list(range(2 * width))
                vectors = [
                    ZERO if a == b == ZERO else self.shuffle(a, b, width, whole)
                    for a, b in zip(vectors[::2], vectors[1::2], strict=True)
                ]
                width *= 2
            joined += vectors
        return self.elements_transposed(joined, size)

    def lanes_transposed(self, vectors: list[str], size: int) -> list[str]:
        """Transpose lanes of as many vectors as each has lanes: lane i of vector j becomes lane j of vector
        i."""
        if len(vectors) == 1:
            return vectors

        def pick(a: str, b: str, lanes: tuple[int, ...]) -> str:
            return self.shuffle(a, b, size, [QUAD * lane + i for lane in lanes for i in range(QUAD)])

        if len(vectors) == 2:
            return [pick(vectors[0], vectors[1], lanes) for lanes in ((0, 2), (1, 3))]
        return transposed(vectors, pick)

    def elements_transposed(self, vectors: Sequence[str], size: int) -> list[str]:
        """Transpose elements of four vectors: in each lane, element i of vector j becomes element j of vector
        i."""

        def pick(a: str, b: str, elements: tuple[int, ...]) -> str:
            lanes = range(0, size, QUAD)
            return self.shuffle(
                a, b, size, [lane + i % QUAD + i // QUAD * size for lane in lanes for i in elements]
            )

        return transposed(vectors, pick)

    def load(self, src: str, m: int, end: int, k: int, count: int) -> str:
        """``count`` channels of row ``m``, zero where it is not among those read; of less than four, a vector
        of four with anything behind them."""
        p = self.packing
        if not p.first <= m < min(p.last, end):
            return ZERO
        at = (m - p.first) * p.row + k
        if count >= QUAD:
            return self.value(f"load <{count} x float>, ptr {self.address(src, at)}, align 4")
        if k:
            # The row goes no further, but what is before is its own.
            back = QUAD - count
            whole = self.value(f"load <4 x float>, ptr {self.address(src, at - back)}, align 4")
            return self.shuffle(whole, "poison", QUAD, [min(back + i, QUAD - 1) for i in range(QUAD)])
        vector = "poison"
        for c in range(count):
            x = self.value(f"load float, ptr {self.address(src, at + c)}, align 4")
            vector = self.value(f"insertelement <4 x float> {vector}, float {x}, i64 {c}")
        return vector

    def store_pieces(self, vector: str, size: int, rows: int, dst: str, at: int) -> None:
        """The first ``rows`` elements, in stores of powers of two."""
        done = 0
        while done < rows:
            piece = 1 << ((rows - done).bit_length() - 1)
            part = self.shuffle(vector, "poison", size, list(range(done, done + piece)))
            self.line(f"store <{piece} x float> {part}, ptr {self.address(dst, at + done)}, align 4")
            done += piece


def transposed(vectors: Sequence[str], pick: Pick) -> list[str]:
    """Four by four, in two steps of four shuffles that each take two parts of either operand."""
    a, b, c, d = vectors
    low, high = ((pick(a, b, half), pick(c, d, half)) for half in ((0, 1, 4, 5), (2, 3, 6, 7)))
    return [pick(*pair, parts) for pair in (low, high) for parts in ((0, 2, 4, 6), (1, 3, 5, 7))]


def vector_size(rows: int) -> int:
    """Elements of the vector that so many rows are transposed in: lanes of four, a power of two of them."""
    return QUAD << (-(-rows // QUAD) - 1).bit_length()


PACKINGS[PREFIX] = lambda name: PanelPacking.parse(name).llvm_ir()
