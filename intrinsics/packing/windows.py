"""Packing of windows of an NCHW input into a micro-panel, as LLVM IR: SConv's vector-based packing.

A panel holds the same element of ``n_win`` consecutive windows (output pixels) together, in the order an
outer-product micro-kernel reads them (SConv, section 6 and figure 7). A routine packs a *run*: windows of
one output row, at most ``n_win`` of them:

    dst[((c * KH + kh) * KW + kw) * n_win + i]
        = src[c, row + kh * dilation_h, col + i * stride + kw * dilation_w]

for c < channels, i < lanes, zero where that is outside the image; ``src`` is the first channel's plane, and
``row``, ``col`` what the first window's first element would be at, inside or not.

At stride 1 the element a filter column further on is the next window's: each row of the image is loaded
once, and the filter's other columns are the same vectors shifted in registers. At other strides every column
has loads of its own, from which the windows' elements are picked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from intrinsics.emit.ir import IrLines
from intrinsics.isa import ISAS
from intrinsics.registry import PACKINGS

PREFIX = "pack_windows_"


@dataclass(frozen=True)
class WindowPacking:
    """One packing routine; the contract is the module's. ``stride`` is that along rows."""

    n_win: int
    height: int
    width: int
    kernel: tuple[int, int]
    stride: int
    dilation: tuple[int, int]
    isa: str

    def __post_init__(self) -> None:
        if self.n_win % ISAS[self.isa].lanes:
            raise ValueError(f"n_win {self.n_win} is not a multiple of {self.isa}'s vectors")

    @property
    def name(self) -> str:
        (kh, kw), (dh, dw) = self.kernel, self.dilation
        shape = f"w{self.n_win}_i{self.height}x{self.width}_k{kh}x{kw}_s{self.stride}_d{dh}x{dw}"
        return f"{PREFIX}f32_{self.isa}__{shape}"

    @staticmethod
    def parse(name: str) -> WindowPacking:
        """The routine a name stands for; the inverse of ``name``."""
        shape = r"w(\d+)_i(\d+)x(\d+)_k(\d+)x(\d+)_s(\d+)_d(\d+)x(\d+)"
        match = re.fullmatch(PREFIX + r"f32_([a-z0-9]+)__" + shape, name)
        if not match:
            raise ValueError(f"'{name}' is not the name of a packing routine")
        n_win, height, width, kh, kw, stride, dh, dw = map(int, match.groups()[1:])
        return WindowPacking(n_win, height, width, (kh, kw), stride, (dh, dw), match[1])

    def llvm_ir(self) -> str:
        """LLVM IR of ``i32 name(ptr dst, ptr src, i64 row, i64 col, i64 lanes, i64 channels)``."""
        return _WindowEmitter(self).text()


class _WindowEmitter(IrLines):
    def __init__(self, packing: WindowPacking) -> None:
        super().__init__()
        self.packing = packing
        self.lanes = ISAS[packing.isa].lanes
        self.vector = f"<{self.lanes} x float>"
        self.mask = f"<{self.lanes} x i1>"
        self.index = f"<{self.lanes} x i64>"
        reach = (self.lanes - 1) * packing.stride
        if packing.stride == 1:
            reach += (packing.kernel[1] - 1) * packing.dilation[1]
        self.reach = reach + 1
        """One load of a row, for a whole vector of windows, has to span this many of its elements."""

    def text(self) -> str:
        """Vectors of windows one after the other; the usual ones, inside the image, without masks."""
        self.line("br label %chunk")
        self.line("chunk:")
        self.line("%at = phi i64 [ 0, %entry ], [ %at.next, %chunk.end ]")
        self.line("%left = sub i64 %lanes, %at")
        self.line(f"%moved = mul i64 %at, {self.packing.stride}")
        self.line("%base = add i64 %col, %moved")
        spanned = self.reach
        if self.packing.stride != 1:
            spanned += (self.packing.kernel[1] - 1) * self.packing.dilation[1]
        end = self.value(f"add i64 %base, {spanned}")
        checks = [
            self.value(f"icmp sge i64 %left, {self.lanes}"),
            self.value("icmp sge i64 %base, 0"),
            self.value(f"icmp sle i64 {end}, {self.packing.width}"),
        ]
        both = self.value(f"and i1 {checks[0]}, {checks[1]}")
        self.line(f"br i1 {self.value(f'and i1 {both}, {checks[2]}')}, label %inner, label %border")
        self.line("inner:")
        self.channels("inner", self.constant_mask, None)
        self.line("border:")
        live = self.value(f"icmp ult {self.index} {self.iota(0)}, {self.splat_i64('%left', self.lanes)}")
        masks: dict[tuple[int, int], str] = {}
        for kw, i in self.loads():
            masks[kw, i] = self.border_mask(kw, i)
        self.channels("border", lambda kw, i: masks[kw, i], live)
        self.line("chunk.end:")
        self.line(f"%at.next = add i64 %at, {self.lanes}")
        self.line("%more = icmp slt i64 %at.next, %lanes")
        self.line("br i1 %more, label %chunk, label %done")
        self.line("done:")
        body = "\n".join(self.lines)
        return (
            f"define i32 @{self.packing.name}(ptr %dst, ptr %src, i64 %row, i64 %col, i64 %lanes, "
            f"i64 %channels) alwaysinline {{\nentry:\n{body}\n  ret i32 0\n}}\n{self.declarations()}"
        )

    def loads(self) -> list[tuple[int, int]]:
        """(filter column, which vector) of all loads of a row; at stride 1 one column's serve all."""
        columns = 1 if self.packing.stride == 1 else self.packing.kernel[1]
        return [(kw, i) for kw in range(columns) for i in range(-(-self.reach // self.lanes))]

    def channels(self, where: str, mask: Callable[[int, int], str], live: str | None) -> None:
        """Loops over channels and filter rows; rows outside the image give zeros."""
        p = self.packing
        (kh, kw), step = p.kernel, p.dilation[0]
        c, h = f"{where}.c", f"{where}.h"
        self.line(f"br label %{where}.channel")
        self.line(f"{where}.channel:")
        before = "inner" if where == "inner" else "border"
        self.line(f"%{c} = phi i64 [ 0, %{before} ], [ %{c}.next, %{where}.channel.end ]")
        plane = self.address("%src", self.value(f"mul i64 %{c}, {p.height * p.width}"))
        panel = self.value(f"mul i64 %{c}, {kh * kw * p.n_win}")
        panel = self.address("%dst", self.value(f"add i64 {panel}, %at"))
        self.line(f"br label %{where}.row")
        self.line(f"{where}.row:")
        self.line(f"%{h} = phi i64 [ 0, %{where}.channel ], [ %{h}.next, %{where}.row.end ]")
        row = self.value(f"add i64 %row, {self.value(f'mul i64 %{h}, {step}')}")
        inside = self.value(f"icmp ult i64 {row}, {p.height}")
        into = self.address(panel, self.value(f"mul i64 %{h}, {kw * p.n_win}"))
        self.line(f"br i1 {inside}, label %{where}.inside, label %{where}.outside")
        self.line(f"{where}.inside:")
        offset = self.value(f"add i64 {self.value(f'mul i64 {row}, {p.width}')}, %base")
        self.columns(self.address(plane, offset), into, mask, live)
        self.line(f"br label %{where}.row.end")
        self.line(f"{where}.outside:")
        for column in range(kw):
            self.store("zeroinitializer", self.address(into, column * p.n_win), live)
        self.line(f"br label %{where}.row.end")
        self.line(f"{where}.row.end:")
        self.line(f"%{h}.next = add i64 %{h}, 1")
        more = self.value(f"icmp slt i64 %{h}.next, {kh}")
        self.line(f"br i1 {more}, label %{where}.row, label %{where}.channel.end")
        self.line(f"{where}.channel.end:")
        self.line(f"%{c}.next = add i64 %{c}, 1")
        more = self.value(f"icmp slt i64 %{c}.next, %channels")
        self.line(f"br i1 {more}, label %{where}.channel, label %chunk.end")

    def columns(self, row: str, into: str, mask: Callable[[int, int], str], live: str | None) -> None:
        """One row of the image to the filter's columns."""
        p = self.packing
        count, step = p.kernel[1], p.dilation[1]
        loaded: list[str] = []
        for kw in range(count):
            if p.stride != 1 or kw == 0:
                start = self.address(row, kw * step) if kw else row
                needed = [i for column, i in self.loads() if column == kw]
                loaded = [self.load(start, i, mask(kw, i)) for i in needed]
            vector = self.shifted(loaded, kw * step) if p.stride == 1 else self.picked(loaded)
            self.store(vector, self.address(into, kw * p.n_win), live)

    def shifted(self, vectors: list[str], by: int) -> str:
        """``lanes`` consecutive elements of the vectors, from ``by`` on."""
        first, shift = divmod(by, self.lanes)
        if not shift:
            return vectors[first]
        return self.shuffle(vectors[first], vectors[first + 1], self.lanes, range(shift, shift + self.lanes))

    def picked(self, vectors: list[str]) -> str:
        """Every ``stride``-th element of the vectors."""
        lanes = self.lanes
        wanted = [lane * self.packing.stride for lane in range(lanes)]
        found = self.shuffle(vectors[0], "poison", lanes, [at % lanes for at in wanted])
        for i, vector in enumerate(vectors[1:], 1):
            select = [lanes + at % lanes if at // lanes == i else lane for lane, at in enumerate(wanted)]
            found = self.shuffle(found, vector, lanes, select)
        return found

    # ---- masks

    def iota(self, start: int) -> str:
        return f"<{', '.join(f'i64 {start + lane}' for lane in range(self.lanes))}>"

    def constant_mask(self, kw: int, i: int) -> str:
        """Mask of vector i: what is before the reach's end; nothing beyond may be read."""
        inside = self.reach - i * self.lanes
        return f"<{', '.join(f'i1 {int(lane < inside)}' for lane in range(self.lanes))}>"

    def border_mask(self, kw: int, i: int) -> str:
        """Mask of vector i: what is inside the image and belongs to an existing window."""
        p = self.packing
        column = self.value(f"add i64 %base, {kw * p.dilation[1] + i * self.lanes}")
        columns = self.value(f"add {self.index} {self.splat_i64(column, self.lanes)}, {self.iota(0)}")
        inside = self.value(f"icmp ult {self.index} {columns}, {self.splat_i64(p.width, self.lanes)}")
        last = self.value(f"mul i64 {self.value('sub i64 %left, 1')}, {p.stride}")
        if p.stride == 1:
            last = self.value(f"add i64 {last}, {(p.kernel[1] - 1) * p.dilation[1]}")
        needed = self.value(
            f"icmp sle {self.index} {self.iota(i * self.lanes)}, {self.splat_i64(last, self.lanes)}"
        )
        return self.value(f"and {self.mask} {inside}, {needed}")

    # ---- loads and stores

    def load(self, row: str, i: int, mask: str) -> str:
        address = self.address(row, i * self.lanes)
        if mask == self.constant_mask(0, 0):
            return self.value(f"load {self.vector}, ptr {address}, align 4")
        return self.value(
            f"call {self.vector} @llvm.masked.load.v{self.lanes}f32.p0(ptr align 4 {address}, {self.mask} "
            f"{mask}, {self.vector} zeroinitializer)"
        )

    def store(self, vector: str, address: str, live: str | None) -> None:
        if live is None:
            self.line(f"store {self.vector} {vector}, ptr {address}, align 4")
            return
        self.line(
            f"call void @llvm.masked.store.v{self.lanes}f32.p0({self.vector} {vector}, "
            f"ptr align 4 {address}, {self.mask} {live})"
        )

    def declarations(self) -> str:
        return (
            f"declare {self.vector} @llvm.masked.load.v{self.lanes}f32.p0(ptr, {self.mask}, {self.vector})\n"
            f"declare void @llvm.masked.store.v{self.lanes}f32.p0({self.vector}, ptr, {self.mask})\n"
        )


PACKINGS[PREFIX] = lambda name: WindowPacking.parse(name).llvm_ir()
