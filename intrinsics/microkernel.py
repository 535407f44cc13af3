"""What a micro-kernel is, and its name.

A micro-kernel computes one output tile of ``mr`` pixels by up to ``nr`` channels, keeping the tile in
registers while it walks the filter taps and input channels, and stores it once, after the epilogue
(Barrachina et al., "Reformulating the direct convolution for high-performance deep learning inference on ARM
processors", section 4.1: KH and KW loops moved inside the kernel). Its contract:

    for m in range(mr), j in range(channels):
        C[m * c_row + j] = steps(bias[j]
                                 + sum over q in range(blocks), h in range(taps_h),
                                            segment s with s.first <= m < s.last, k in range(s.length):
                                   A[q * a_block + h * a_step + s.a + m * a_row + k * a_k]
                                 * B[q * b_block + h * b_step + s.b + k * b_row + j])

The steps are those of ``epilogue``, a clip for one; ``residual[m * c_row + j]`` is added by one of them, and
those with a constant for each channel, at ``at``, read ``bias[at + j]``. All offsets are in elements.
``taps_h`` is a run-time argument, so that a border row visits only the taps inside the image; at the left and
right borders, segments restrict the rows a tap applies to. Padded taps therefore cost neither memory nor
arithmetic.

A depthwise kernel (operand layout ``dw``) has its groups side by side in the lanes. Each lane reads the
channels of its own group, ``A[... + j // group * s.length + k]`` instead of ``A[... + k * a_k]``, which is
``A[... + j]`` where a group is one channel. Its tile may have several ``lines`` of mr / lines.count pixels,
each of an output row of its own: m is then ``y * width + x``, reads at ``y * lines.a + x * a_row``, stores at
``y * lines.c + x * c_row``; segments restrict x, and all lines visit all ``lines.taps`` filter rows. A kernel
of bytes has one line, and where it has ``lines.taps``, as many filter rows are visited whatever ``taps_h``.

An image's width may be unknown when code is generated. ``a_step`` is then OPEN, and each call says it: the
function has one more parameter, ``step``, int64 elements, behind ``taps_h``. Of a tile of several lines
``lines.a`` is then a number of steps, so that lines still share the rows of the input, and ``lines.c`` is
OPEN, too: a second parameter, ``line``, follows ``step``.

Kernels of 8-bit integers (``u8_u8_s8_14x32_row_avx512vnni``) sum in int32, and multiply groups of ``g``
consecutive channels at once (``Isa.channels_per_step``): k of B is at ``s.b + k // g * b_row + j * g + k %
g``, zero beyond the segment's length; k of A at ``s.a + m * a_row + k // g * g * a_k + k % g``, so that a
panel has ``a_row`` = g and ``a_k`` = mr, and whole groups. ``bias`` is int32, ``bias_rows`` elements further
on for some rows: where a border skips taps, less of the input's zero point is to be taken off. Their fifth
pointer is float32 ``scale[j]`` instead of a residual, and they store

    i32: sum    f32: steps(scale[j] * sum)    u8, s8: round to even(steps(scale[j] * sum)) + zero

Where one of the steps adds a residual, the fifth pointer is that, of bytes of C's type as they are, and the
scales lie behind the bias, float32 among int32: the first of the steps is then the ``ChannelScale`` of
these.

An instruction set that multiplies activations of the other sign only moves them by 128 as it loads them
(``Isa.lhs_offset``), for which bias has to make up.

Kernels of half precision (``bf16_bf16_bf16_6x8_row_portablebf16``) read A and B as bfloat16 or float16, sum
in float32, where the instruction set does not say otherwise, and have float32 bias. They multiply groups of
channels as those of 8-bit integers do, and hold to what is said of k there. C and the residual are of the
destination's type, float32 if sums in several passes start from C; what is stored is rounded to nearest,
ties to even, after the steps in float32.

The roles are free: rows may be pixels and lanes output channels (NHWC), or rows filters and lanes pixels
(NCHW, with ``bias_by_row``). A sum in several passes starts all but the first from C (``accumulate``).

A kernel's name is computed from its fields and parses back (as KleidiAI's do): the family,
``f32_f32_f32_14x32_row_avx512`` (destination, lhs, rhs, tile, layout of A, instruction set), then after
``__`` the geometry. Generated code is thus reproducible from the name alone.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, field

from .emit.asm import AHEAD, LINE, PARAMETERS, STEP
from .epilogue import TileEpilogue, parse_codes
from .name_grammar import FAMILY, GEOMETRY, pattern_of

ROW = "row"
"""This layout of A has ``mr`` rows of consecutive input channels, each element broadcast (algorithm A)."""
PANEL = "panel"
"""This layout of A is a packed micro-panel, ``mr`` elements of each k together (algorithm B, GEMM)."""
DEPTHWISE = "dw"
"""This layout of A has ``mr`` rows of the same channels as C, and one filter tap per channel."""
OPEN = None
"""The value of a distance that is not part of the kernel: each call has it as an argument."""
CACHE_LINE_BYTES = 64
"""One prefetch is taken to bring this much; where lines are longer, some prefetches are redundant."""


class RegisterBudgetError(ValueError):
    """A micro-kernel tile that does not fit the register file."""


FLOATS = "f32_f32_f32"
"""A float32 kernel has these types, of destination, lhs and rhs."""
HALVES = ("bf16", "f16")
"""These are the types of half precision: float32's first 16 bits, and IEEE's binary16."""
BYTES = {"u8": 1, "s8": 1, "bf16": 2, "f16": 2, "i32": 4, "f32": 4}
"""An element of the types that names speak of has this many bytes."""


@dataclass(frozen=True)
class Segment:
    """A run of ``length`` consecutive elements of A (and rows of B), valid for tile rows [first, last) but
    those ``skipped``, which only kernels of ``Isa.tile_rows`` know."""

    first: int
    last: int
    a: int
    b: int
    length: int
    skipped: tuple[int, ...] = ()

    @property
    def rows(self) -> list[int]:
        """The tile's rows that it is valid for."""
        return [m for m in range(self.first, self.last) if m not in self.skipped]

    @property
    def name(self) -> str:
        """The segment's part of a kernel's name."""
        numbers = self.first, self.last, self.a, self.b, self.length, *self.skipped
        return ".".join(map(str, numbers))

    @staticmethod
    def parse(name: str) -> Segment:
        first, last, a, b, length, *skipped = map(int, name.split("."))
        return Segment(first, last, a, b, length, tuple(skipped))


@dataclass(frozen=True)
class Lines:
    """A tile's output rows: how many, elements of A and C from one to the next, and the filter's rows. Where
    C's are OPEN, A's are a number of the kernel's steps."""

    count: int = 1
    a: int = 0
    c: int | None = 0
    taps: int = 0

    @property
    def name(self) -> str:
        """The lines' part of a kernel's name."""
        return "l" + ".".join(map(_distance_text, astuple(self)))

    @staticmethod
    def parse(name: str) -> Lines:
        """The inverse of ``name``, which begins with "l"."""
        count, a, c, taps = name[1:].split(".")
        return Lines(int(count), int(a), _distance(c), int(taps))


def next_place(place: int, between: int, a_row: int, tile_rows: int) -> int:
    """The row that follows another where A is open and ``between`` elements behind that one belong to none:
    as many rows further on as these elements are, or the next tile's first where they are not whole rows or
    too many."""
    empty, rest = divmod(between, a_row)
    if rest or 2 * empty > tile_rows:
        return (place // tile_rows + 1) * tile_rows
    return place + 1 + empty


@dataclass(frozen=True)
class MicroKernel:
    """A kernel family: tile and instruction set. ``nr`` is in channels, a multiple of the vector's lanes."""

    mr: int
    nr: int
    layout: str
    isa: str
    types: str = FLOATS

    @property
    def name(self) -> str:
        return f"{self.types}_{self.mr}x{self.nr}_{self.layout}_{self.isa}"

    @property
    def destination(self) -> str:
        """The type of C."""
        return self.types.split("_")[0]

    @property
    def lhs(self) -> str:
        """The type of A."""
        return self.types.split("_")[1]

    @staticmethod
    def parse(name: str) -> MicroKernel:
        match = _FAMILY.fullmatch(name)
        if not match:
            raise ValueError(f"'{name}' is not a micro-kernel name")
        return MicroKernel(int(match[2]), int(match[3]), match[4], match[5], match[1])


@dataclass(frozen=True)
class KernelInstance:
    """A micro-kernel with its operands' geometry: everything its code depends on.

    ``channels`` (at most nr) are stored; ``b_row`` >= nr is the distance of consecutive rows of B, wider
    than the tile when a tail kernel reads a panel packed for a wider one. With ``prefetch`` > 0 the kernel
    has a seventh operand, ``ahead``, and for every so many lines of B that it reads, fetches one into L2
    from there on: calls on one panel, each ``ahead`` of another part, together fetch the next. Instruction
    sets whose kernels do not fetch ignore it.

    ``a_step`` may be OPEN: the function then has the parameter ``step`` instead, in elements.

    ``blocks`` walks all segments that many times, A and B moved on by ``a_block`` and ``b_block`` each
    time; ``tail_segments`` are walked once more behind the last of them. ``c_block`` = (w, d) says that C's
    and the residual's lanes lie in blocks of w, d elements from one to the next; (0, 0) that they are
    contiguous.
    """

    kernel: MicroKernel
    channels: int
    a_row: int
    a_step: int | None
    b_row: int
    b_step: int
    c_row: int
    segments: tuple[Segment, ...]
    epilogue: TileEpilogue = field(default_factory=TileEpilogue)
    prefetch: int = 0
    a_k: int = 1
    accumulate: bool = False
    bias_by_row: bool = False
    blocks: int = 1
    a_block: int = 0
    b_block: int = 0
    tail_segments: tuple[Segment, ...] = ()
    c_block: tuple[int, int] = (0, 0)
    bias_rows: tuple[tuple[int, int], ...] = ()
    """Pairs of a row and a number: rows from that one on have their bias so many elements further on."""
    a_rows: tuple[tuple[int, int], ...] = ()
    """Pairs of a row and a number: rows from that one on have A so many elements further on than ``a_row``
    says, as pixels do behind the end of an output row. Only kernels of ``Isa.tile_rows`` know it."""
    a_open: bool = False
    """Whether A may also be read between rows where ``a_rows`` jump, and behind the last: kernels of
    ``Isa.tile_rows`` then have empty rows for what lies there (``next_place``)."""
    zero: int = 0
    """The zero point that is added to bytes before they are stored."""
    group: int = 1
    """Lanes of a group, which read the same channels, of depthwise kernels."""
    lines: Lines = field(default_factory=Lines)
    """The output rows of depthwise kernels' tiles."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the function's parameters, in order."""
        further = (
            (STEP, self.a_step is OPEN),
            (LINE, self.lines.c is OPEN),
            (AHEAD, bool(self.prefetch)),
        )
        return (*PARAMETERS, *(name for name, there in further if there))

    @property
    def multiplier(self) -> int:
        """Lanes that a channel of A is for, of a depthwise kernel whose groups have one channel in."""
        return self.group if all(segment.length == 1 for segment in self.segments) else 1

    @property
    def width(self) -> int:
        """Pixels of a line."""
        return self.kernel.mr // self.lines.count

    def bias_offset(self, m: int) -> int:
        """Elements from ``bias`` to that of row m."""
        return max((run for run in self.bias_rows if run[0] <= m), default=(0, 0))[1]

    def a_offset(self, m: int) -> int:
        """Elements from A's first row to row m."""
        return m * self.a_row + max((run for run in self.a_rows if run[0] <= m), default=(0, 0))[1]

    def c_offset(self, m: int, j: int) -> int:
        """Elements from C, and from the residual, to row m's lane j, which begins a vector. Where lines of C
        are OPEN, they are from where the row's line begins."""
        width, distance = self.c_block
        y, x = divmod(m, self.width)
        return y * (self.lines.c or 0) + x * self.c_row + (j // width * distance + j % width if width else j)

    @property
    def name(self) -> str:
        flags = ["bias"] if self.epilogue.bias else []
        flags += [flag for flag, on in (("rows", self.bias_by_row), ("acc", self.accumulate)) if on]
        flags += [step.code for step in self.epilogue.steps]
        flags += ["w" + _pairs_text(self.bias_rows)] if self.bias_rows else []
        flags += ["r" + _pairs_text(self.a_rows)] if self.a_rows else []
        flags += ["o"] if self.a_open else []
        flags += [f"z{self.zero}".replace("-", "m")] if self.zero else []
        flags += [f"g{self.group}"] if self.group != 1 else []
        flags += [self.lines.name] if self.lines.taps else []
        if self.blocks != 1 or self.tail_segments:
            flags.append(f"q{self.blocks}.{self.a_block}.{self.b_block}")
        segments = [f"s{segment.name}" for segment in self.segments]
        segments += [f"t{segment.name}" for segment in self.tail_segments]
        c_block = "".join(f".{part}" for part in self.c_block) if self.c_block[0] else ""
        return "_".join(
            [
                f"{self.kernel.name}__n{self.channels}",
                f"a{self.a_row}.{_distance_text(self.a_step)}{f'.{self.a_k}' if self.a_k != 1 else ''}",
                f"b{self.b_row}.{self.b_step}_c{self.c_row}{c_block}",
                *([f"p{self.prefetch}"] if self.prefetch else []),
                *flags,
                *(segments or ["empty"]),
            ]
        )

    @staticmethod
    def parse(name: str) -> KernelInstance:
        """The instance a name stands for; the inverse of ``name``."""
        family, _, geometry = name.partition("__")
        match = _GEOMETRY.fullmatch(geometry)
        if not match:
            raise ValueError(f"'{name}' is not the name of a micro-kernel instance")
        parts = iter(match.groups())

        def number(otherwise: int = 0) -> int:
            return int(next(parts) or otherwise)

        channels, a_row, a_step, a_k = number(), number(), _distance(next(parts)), number(1)
        b_row, b_step, c_row, c_block = number(), number(), number(), (number(), number())
        prefetch = number()
        bias, rows, accumulate = (next(parts) is not None for _ in range(3))
        steps = parse_codes(next(parts) or "")
        bias_rows, a_rows = (_pairs(next(parts) or "") for _ in range(2))
        a_open = next(parts) is not None
        zero = int((next(parts) or "0").replace("m", "-"))
        group, lines = number(1), Lines.parse("l" + (next(parts) or "1.0.0.0"))
        blocks, a_block, b_block = number(1), number(), number()
        segments: dict[str, list[Segment]] = {"s": [], "t": []}
        for text in next(parts).removeprefix("empty").split("_"):
            if text:
                segments[text[0]].append(Segment.parse(text[1:]))
        return KernelInstance(
            MicroKernel.parse(family),
            channels,
            a_row,
            a_step,
            b_row,
            b_step,
            c_row,
            tuple(segments["s"]),
            TileEpilogue(bias, steps=steps),
            prefetch,
            a_k=a_k,
            accumulate=accumulate,
            bias_by_row=rows,
            blocks=blocks,
            a_block=a_block,
            b_block=b_block,
            tail_segments=tuple(segments["t"]),
            c_block=c_block,
            bias_rows=bias_rows,
            a_rows=a_rows,
            a_open=a_open,
            zero=zero,
            group=group,
            lines=lines,
        )


def _distance_text(distance: int | None) -> str:
    return "v" if distance is OPEN else str(distance)


def _distance(text: str) -> int | None:
    """The inverse of ``_distance_text``."""
    return OPEN if text == "v" else int(text)


def _pairs_text(pairs: tuple[tuple[int, int], ...]) -> str:
    return ".".join(f"{row}.{distance}" for row, distance in pairs)


def _pairs(text: str) -> tuple[tuple[int, int], ...]:
    """The inverse of ``_pairs_text``."""
    numbers = [int(part) for part in text.split(".") if part]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


_FAMILY, _GEOMETRY = (re.compile(pattern_of(parts)) for parts in (FAMILY, GEOMETRY))
