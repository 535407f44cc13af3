"""The micro-kernel calls that cover one strip: exact tiles, the taps inside the image, operands' addresses.

Padding, tails and odd widths end here; micro-kernels see none of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tvm import sym, tirx

from intrinsics.microkernel import OPEN, KernelInstance, MicroKernel, Segment
from tvm_directconv.model.tiling import RowTile
from tvm_directconv.problem.extents import given_to_tvm, is_open
from tvm_directconv.problem.taps import Axis

from ..branches import but_last, by_pass, choose, either, loop
from ..epilogue import Operands, Place, kernel_call
from ..lowering import Block
from ..open_columns import Cover, OpenColumns, heights
from .geometry import FilterAxes, StripGeometry, SumAxes

MOST_FETCHING = 16
"""Most calls that share in fetching a panel: each fetches a line of about every second loop."""


@dataclass(frozen=True)
class StripCalls:
    """One strip in one pass: the kernel calls that cover it."""

    g: StripGeometry
    operands: Operands
    input: tirx.Buffer
    at: SumAxes
    index: int
    """Index of the pass; of any between the first and the last, 1."""
    channel: tirx.Expr
    """The input channel of a group at which the pass begins."""
    seen: tuple[int, int] | None = None
    """Taps of frames in place that see one: from the first to before the last."""

    def calls(self, width: int, channels: int) -> tirx.Stmt:
        """Calls covering ``width`` pixels by ``channels`` channels; what repeats becomes a loop."""
        vectors = -(-channels // self.g.isa.lanes)
        family = self.g.layout, self.g.isa.name, self.g.types
        instances: dict[tuple[int, int], KernelInstance] = {}
        tiles: list[tuple[KernelInstance, RowTile]] = []
        for tile in self.g.covered(width, channels):
            # Of pixels that are all alike, so are their tiles.
            place = 0 if self.g.flattened and not self.g.across else tile.x
            if (tile.mr, place) not in instances:
                kernel = MicroKernel(tile.mr, vectors * self.g.isa.lanes, *family)
                instances[tile.mr, place] = self.instance(kernel, tile, channels)
            tiles.append((instances[tile.mr, place], tile))
        calls, done = [], 0
        while done < len(tiles):
            alike, times = self._alike(tiles, done)
            pixels = sum(tile.mr for _, tile in alike)
            calls.append(loop(times, lambda t, a=alike, p=pixels: self._calls(a, t, p)))  # type: ignore[misc]
            done += len(alike) * times
        return calls[0] if len(calls) == 1 else tirx.SeqStmt(calls)

    def calls_left(
        self, pixels: tirx.Expr, by_channels: Callable[[Callable[[int], tirx.Stmt]], tirx.Stmt]
    ) -> tirx.Stmt:
        """Calls covering so many ``pixels``, known at run time, by the channels that ``by_channels`` calls a
        function for."""
        g = self.g
        whole = -(-min(g.nr, g.group_out) // g.isa.lanes)
        columns = OpenColumns.of_pixels(heights(g.most_rows(whole)), whole)

        def of_channels(channels: int) -> tirx.Stmt:
            nr = -(-channels // g.isa.lanes) * g.isa.lanes

            def tile(cover: Cover, place: int, x: tirx.Expr) -> tirx.Stmt:
                kernel = MicroKernel(cover.height, nr, g.layout, g.isa.name, g.types)
                return self._call(self.instance(kernel, RowTile(0, cover.height), channels), 0, x, 1)

            return columns.calls(tile)

        return columns.choosing(pixels, by_channels(of_channels))

    def _alike(
        self, tiles: list[tuple[KernelInstance, RowTile]], done: int
    ) -> tuple[list[tuple[KernelInstance, RowTile]], int]:
        """The tiles from there on that repeat, and how often; one tile, once, where they do not."""
        period = self.period([tile for _, tile in tiles[done:]])
        alike, times = tiles[done : done + period], 1
        while len(after := tiles[done + times * period : done + (times + 1) * period]) == period and all(
            instance == other and self.follows(tile, next_tile)
            for (instance, tile), (other, next_tile) in zip(alike, after, strict=True)
        ):
            times += 1
        return (alike, times) if times > 1 else (alike[:1], 1)

    def _calls(self, tiles: list[tuple[KernelInstance, RowTile]], index: tirx.Expr, pixels: int) -> tirx.Stmt:
        """The calls of these tiles, ``index`` times so many pixels further on."""
        made = [self._call(instance, tile.x, index, pixels) for instance, tile in tiles]
        return made[0] if len(made) == 1 else tirx.SeqStmt(made)

    def period(self, tiles: Sequence[RowTile]) -> int:
        """Return after how many of these tiles the sequence repeats, if it does."""
        return 1

    def follows(self, before: RowTile, tile: RowTile) -> bool:
        """Whether a tile's operands lie as far from those of one before as the tile itself."""
        columns = (tile.x - before.x) * self.g.workload.strides[1]
        regular = self._first_column(tile.x) == self._first_column(before.x) + columns
        return regular and self.same_bias(tile, before)

    def instance(self, kernel: MicroKernel, tile: RowTile, channels: int) -> KernelInstance:
        """The kernel for one tile of a row: its segments are the taps inside the image, per column."""
        g, w = self.g, self.g.workload
        first, last = self.index == 0, self.index == g.passes - 1
        in_pass = min(g.pass_channels, g.group_in - self.index * g.pass_channels)
        blocks, tail = (1, 0) if g.depthwise or g.in_blocks == 1 else divmod(in_pass, g.in_block)
        if self.seen is not None:
            blocks = max(1, self.seen[1] - self.seen[0])
        length = 1 if g.depthwise else min(g.in_block, in_pass)
        taps = w.kernel[1] * g.tap_elements
        several = blocks > 1 or tail > 0
        segments = self.segments(kernel.mr, tile.x, length)
        rest = self.segments(kernel.mr, tile.x, tail) if tail else ()
        if not blocks:
            segments, rest, blocks, several = rest, (), 1, False
        spread = w.out_layout != "NHWC" and kernel.nr > g.result.block
        return KernelInstance(
            kernel,
            channels,
            a_row=w.strides[1] * g.source.pixel,
            a_step=self._step() if not is_open([g.source.row]) else OPEN if w.kernel[0] > 1 else 0,
            b_row=g.filter_row,
            b_step=taps,
            c_row=g.result.pixel,
            segments=segments,
            epilogue=w.epilogue.of_pass(first, last),
            prefetch=self.calls_fetching if g.tile.prefetch else 0,
            a_k=1 if g.depthwise else g.source.channel,
            a_open=g.tile.bordered,
            accumulate=not first,
            blocks=blocks,
            a_block=g.source.block_step if several else 0,
            b_block=w.kernel[0] * taps if several else 0,
            tail_segments=rest,
            c_block=(g.result.block, g.result.block_step) if spread else (0, 0),
        )

    def same_bias(self, tile: RowTile, other: RowTile) -> bool:
        """Whether two tiles of one instance also have their bias at the same place."""
        return True

    def segments(self, mr: int, x: int, length: int) -> tuple[Segment, ...]:
        """The taps of ``mr`` pixels from ``x`` on, where ``length`` channels lie together."""
        g = self.g
        contiguous = not g.depthwise and g.source.channel == 1
        per_channel = g.filter_row // g.isa.channels_per_step(g.layout)
        segments: list[Segment] = []
        for tap in self.taps(mr, x):
            before = segments[-1] if segments else tap
            # Neighbouring taps on the same rows are one run when channels leave no gap between them.
            if (
                contiguous
                and segments
                and before.rows == tap.rows
                and (before.a + before.length, before.b + before.length * per_channel) == (tap.a, tap.b)
            ):
                segments[-1] = replace(before, length=before.length + length)
            else:
                segments.append(replace(tap, length=length))
        return tuple(segments)

    def taps(self, mr: int, x: int) -> Iterator[Segment]:
        """The taps of a filter row that are inside the image for any of ``mr`` pixels from column ``x`` on,
        without a length."""
        g, columns = self.g, self._columns()
        for kw in range(columns.taps):
            first, last = (0, mr) if g.flattened else columns.positions_at(kw, x, mr)
            if first < last:
                column = x * columns.stride - columns.before + kw * columns.dilation
                a = (column - self._first_column(x)) * g.source.pixel
                yield Segment(first, last, a, kw * g.tap_elements, 0)

    def _columns(self) -> Axis:
        """The columns in whose positions tiles are."""
        return Axis.of(self.g.workload, 1)

    def _first_column(self, x: int) -> int:
        """The input column a tile's A pointer stands at: its first tap's, or the image's edge."""
        w = self.g.workload
        column = x * w.strides[1] - w.padding[1]
        return max(0, min(column, w.width - 1)) if not self.g.flattened else column

    def _call(self, instance: KernelInstance, x: int, index: tirx.Expr, pixels: int) -> tirx.Stmt:
        g, at = self.g, self.at
        simplify = sym.Analyzer().simplify
        group, within = at.block // g.group_blocks, at.block % g.group_blocks * g.nr
        out_channel = group * g.group_out + within
        in_channel = within if g.depthwise else group * g.group_in
        first_tap, taps, a, c = self.place(instance.kernel.mr, x, index, pixels)
        b = at.block * math.prod(g.packed_filter_shape[1:]) + first_tap * instance.b_step
        if self.seen is not None:
            first, last = self.seen
            a, b = a + first * g.source.block_step, b + first * math.prod(g.packed_filter_shape[2:])
            # Where no frame is seen, nothing is read, and the address only has to be a valid one.
            taps, a = (taps, a) if first < last else (0, tirx.IntImm("int32", 0))
        if g.passes > 1:
            in_channel = in_channel + self.channel
            taps_of_row = g.workload.kernel[0] * g.workload.kernel[1] if g.in_blocks > 1 else 1
            b = b + self.channel * taps_of_row * g.nr
        a, c = (
            simplify(a + g.source.channel_offset(in_channel)),
            simplify(c + g.result.channel_offset(out_channel)),
        )
        packed: Place = self.operands.packed, simplify(b)
        extra = self.extra(out_channel, c, x)
        ahead = simplify(self.ahead(x + index * pixels)) if instance.prefetch else None
        step = given_to_tvm(self._step()) if instance.a_step is OPEN else None

        def call(instance: KernelInstance) -> tirx.Stmt:
            name, source = instance.name, (self.input, a)
            return kernel_call(name, self.operands, c, source, packed, extra, taps, ahead, step)

        return self.by_filter_rows(instance, taps, call)

    def by_filter_rows(
        self, instance: KernelInstance, taps: tirx.Expr | int, call: Callable[[KernelInstance], tirx.Stmt]
    ) -> tirx.Stmt:
        """Return the ``call`` of an instance that visits so many filter rows."""
        return call(instance)

    def _step(self) -> int:
        """Elements of the input from one filter row to the next."""
        return self.g.workload.dilation[0] * self.g.source.row

    def place(
        self, mr: int, x: int, index: tirx.Expr, pixels: int
    ) -> tuple[tirx.Expr | int, tirx.Expr | int, tirx.Expr, tirx.Expr]:
        """(first filter row, how many, offset in A, offset in C) of a tile of ``mr`` pixels at ``x``,
        ``index`` times so many pixels further on."""
        g, at, moved = self.g, self.at, index * pixels
        first_tap, taps, row = self._rows_inside()
        column = self._first_column(x) + moved * g.workload.strides[1]
        source, result = g.source, g.result
        if g.flattened:
            a = at.image * source.image + (at.row * g.strip + column) * source.pixel
            c = at.image * result.image + (at.row * g.strip + x + moved) * result.pixel
        else:
            a = g.image(at.image) + row * source.row + column * source.pixel
            c = at.image * result.image + at.row * result.row + (x + moved) * result.pixel
        return first_tap, taps, a, c

    @cached_property
    def calls_fetching(self) -> int:
        """Number of calls on a panel, a power of two, that share in fetching the next. One alone fetches
        nothing: it would wait for the next as for its own. But of tiles few lines are on their way at once,
        and what is fetched a panel ahead of them comes in beside these."""
        g = self.g
        heights = g.heights(g.run, min(g.nr, g.group_out))
        tiles = g.isa.tile_rows > 1
        calls = g.tile.rows * g.strip // heights[0][0]
        if tiles:
            calls = sum(times for _, times in heights) * (1 if g.across else g.tile.rows)
        return min(MOST_FETCHING, 1 << (calls.bit_length() - 1)) if calls > 1 or tiles else 0

    def ahead(self, x: tirx.Expr) -> tirx.Expr:
        """Offset in the packed filter that the call at column ``x`` fetches: as far into the next panel as
        the call's pixels are into the row block. Behind the last panel comes the first, for the next row
        block."""
        g = self.g
        panel, pixels = math.prod(g.packed_filter_shape[1:]), g.tile.rows * g.strip
        pixel = self.at.row % g.tile.rows * g.strip + x
        return (self.at.block + 1) % g.blocks * panel + pixel * (panel // pixels)

    def extra(self, channel: tirx.Expr, at: tirx.Expr, x: int) -> tuple[tirx.Expr, tirx.Expr]:
        """Offsets in the kernel's fourth and fifth operand, of a tile at column ``x`` that stores ``channel``
        on at offset ``at``."""
        return channel, at

    def _rows_inside(self) -> tuple[tirx.Expr, tirx.Expr, tirx.Expr]:
        """(first filter row inside the image, how many are, the input row it reads)."""
        rows, y = Axis.of(self.g.workload, 0), self.at.row
        zero, all_taps = tirx.IntImm("int32", 0), tirx.IntImm("int32", rows.taps)
        if rows.all_inside:
            return zero, all_taps, y * rows.stride
        origin = y * rows.stride - rows.before
        first = tirx.max(zero, -tirx.floordiv(origin, rows.dilation))
        last = tirx.min(all_taps, tirx.floordiv(rows.size - 1 - origin, rows.dilation) + 1)
        # Where no tap is inside, nothing is read, and the row only has to be a valid address.
        row = tirx.max(zero, tirx.min(origin + first * rows.dilation, rows.size - 1))
        return first, tirx.max(zero, last - first), row


def expand(g: StripGeometry, block: Block, of: Callable[..., StripCalls] = StripCalls) -> tirx.Stmt:
    """Kernel calls for a strip; tails where the extents leave any."""
    at = SumAxes(*block.starts("C"))
    operands = Operands.of(g.workload, block.func)

    def of_pass(index: int, channel: tirx.Expr, seen: tuple[int, int] | None = None) -> tirx.Stmt:
        calls = of(g, operands, block.input, at, index, channel, seen)

        def of_width(width: int | tirx.Expr) -> tirx.Stmt:
            def by_channels(make: Callable[[int], tirx.Stmt]) -> tirx.Stmt:
                group = at.block % g.group_blocks
                return but_last(group, g.group_blocks, g.nr, g.group_out % g.nr, make)

            if isinstance(width, int):
                return by_channels(lambda channels: calls.calls(width, channels))
            return calls.calls_left(width, by_channels)

        rest = g.pixels % g.strip if g.flattened else 0
        if is_open([rest]):
            last = of_width(g.pixels - at.row * g.strip)
            stmt = either(tirx.EQ(at.row, g.rows - 1), last, of_width(g.strip))
            return stmt if g.rows == g.out_height else either(at.row < g.rows, stmt)
        return but_last(at.row, g.rows, g.strip, rest, of_width, g.out_height)

    none = tirx.IntImm("int32", 0)
    if (frames := g.workload.storage.frames) is not None:
        options = [frames.seen(image) for image in range(frames.count)]
        stmt = choose(at.image % frames.count, options, lambda seen: of_pass(0, none, seen))
        assert stmt is not None
        return stmt
    if g.passes == 1:
        return of_pass(0, none)
    start = FilterAxes(*block.starts("B")).channel
    return by_pass(start, g.pass_channels, g.passes, of_pass)
