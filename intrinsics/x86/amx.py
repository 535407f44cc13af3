"""x86 micro-kernels of AMX: bytes and bfloat16 multiplied by tiles of 16 rows, 16 lanes and 64 bytes of
channels.

A kernel's tile is made of accumulators of 16 rows by 16 lanes, two by two at best. A's tiles are read in
place, ``a_row`` apart; B's rows of groups of channels are tiles as they are packed. Rows are of whole pixels
of consecutive channels (layout ``row``, ``a_k`` of 1).

Nothing is read that segments do not speak of. Where a segment has fewer rows than a tile, or fewer channels,
or its rows do not lie at equal distances, those it has are copied to a tile on the stack, beside zeros, and
loaded from there: at borders, in tiles of less than 16 rows, across the ends of rows of pixels (where a
stride skips some), and for channels left over from 64 bytes. That keeps one configuration for all kernels,
and costs a load and a store a row, for whose end the tile's load waits. Where A is open
(``KernelInstance.a_open``) tiles are loaded as they lie, and what their empty rows hold is not stored. Sums
begin with the bias, which is loaded from where it lies as a tile whose rows are one: a copy of it on the
stack would be stored behind the results of the tile before, and multiplications wait for these. They pass
through the stack to the epilogue, which is that of vectors.

``tdpbf16ps`` sums the products of even and of odd channels apart, each multiply-add rounded by itself, before
it adds both to the accumulator; denormal numbers are zeros to it (Intel's SDM).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from intrinsics.emit.steps import SIDE_BY_SIDE, Steps
from intrinsics.engines import Engine, Tile
from intrinsics.epilogue import Step
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import CACHE_LINE_BYTES, ROW, KernelInstance, Segment, next_place
from intrinsics.peak_loop import LoopForm, PeakLoop

from .avx512_bytes import AVX512VNNI, Avx512BytesKernel
from .avx512_halves import AVX512BF16, Avx512Bf16Kernel
from .floats import A_BLOCK, X86Kernel
from .registers import AHEAD, BIAS, COUNTER, RESIDUAL, SCRATCH, A, B
from .tiles import AMX_STATE, CLOBBERED, ROW_BYTES, ROWS, TILES

TILE_BYTES = ROWS * ROW_BYTES
A_STRIDE, B_STRIDE, STRIDE = "r14", RESIDUAL, "r15"
"""These hold the distance of rows of A, of B, and of tiles on the stack, in bytes; what the epilogue has in
one of them is on the stack meanwhile."""
VECTORS = 32
COPIERS = 8
"""Rows are copied through so many registers in turn; the next one holds zeros."""


@dataclass(frozen=True)
class AmxTiles(Engine):
    """A tile is made of accumulators of 16 rows by a vector, and multiplied by whole registers of A and B."""

    tile_rows = ROWS

    def refusal(self, tile: Tile) -> str | None:
        rows = tile_rows(tile.mr)
        need = rows * tile.vectors + (tile.vectors + 1 if rows > 1 else 2)
        return f"needs {need} tile registers, of which there are {TILES}" if need > TILES else None

    def accumulator_registers(self, tile: Tile) -> int:
        return 1

    def operand_registers(self, tile: Tile) -> int:
        return COPIERS + 1

    def _loads(self, tile: Tile) -> float:
        return tile_rows(tile.mr) + tile.vectors

    def multiplications_per_step(self, tile: Tile) -> int:
        """A tile's 16 steps take 16 cycles, in which vectors would be multiplied twice a cycle."""
        return 2 * tile_rows(tile.mr) * tile.vectors


def tile_rows(mr: int) -> int:
    """How many tiles have so many rows, one below the other."""
    return -(-mr // ROWS)


def places_of_rows(instance: KernelInstance) -> list[int]:
    """The rows of tiles that hold those of a kernel: of an open A some between them are empty."""
    places = [0]
    for m in range(1, instance.kernel.mr):
        between = instance.a_offset(m) - instance.a_offset(m - 1) - instance.a_row
        places.append(next_place(places[-1], between if instance.a_open else 0, instance.a_row, ROWS))
    return places


class TileKernel(X86Kernel):
    """What kernels of bytes and of bfloat16 have in common; epilogues are theirs of vectors."""

    instruction: str
    """The instruction that multiplies tiles."""
    clears_filter: bool
    """Rows of B behind a segment are multiplied by zeros, but have to be zeros, too, if this is true."""

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        assert instance.a_k == 1
        self.together = isa.channels_per_multiply
        self.group = ROW_BYTES // self.element_bytes
        self.b_per_step = self.group // self.together * instance.b_row
        self.free = 1
        self.row_at = places_of_rows(instance)
        self.rows = tile_rows(self.row_at[-1] + 1)
        sums = self.rows * self.used
        self.a_staged = TILE_BYTES * sums
        self.b_staged = self.a_staged + TILE_BYTES * self.rows
        """Bytes from the stack pointer to tiles of A and of B, behind those of sums."""
        self.stacked = (sums + self.rows + self.used) * ROWS + 1
        """Vectors on the stack, the last of which holds general registers."""
        self.a_block = A_BLOCK
        self.fetched: deque[int] = deque()
        self.fetched_at_once = 0
        """Offsets from the pointer of lines that are still to be fetched, and how many are at a time."""
        last = ROW_BYTES * (self.stacked - 1)
        self.kept = [(RESIDUAL, last), *([(BIAS, last + 8)] if instance.epilogue.per_channel else [])]
        """General registers that the epilogue needs, and their place on the stack meanwhile."""
        self.step_at = last + 16
        """Bytes from the stack pointer to an open step."""
        of_b = self.used if self.rows > 1 else TILES - sums - 1
        self.b_ring = [f"%tmm{sums + i}" for i in range(of_b)]
        self.a_ring = [f"%tmm{i}" for i in range(sums + of_b, TILES)]

    @property
    def clobbers(self) -> Sequence[str]:
        vectors = [f"zmm{i}" for i in range(VECTORS)]
        masks = (*self.mask_clobbers, "k4")
        return (
            *vectors,
            *CLOBBERED,
            COUNTER,
            SCRATCH,
            A_STRIDE,
            STRIDE,
            *self.block_clobbers,
            *masks,
        )

    @property
    def places(self) -> list[tuple[int, int]]:
        return [(m, v) for m in range(self.kernel.mr) for v in range(self.used)]

    def accumulator(self, m: int, v: int) -> str:
        return self.register(0)

    def sums(self, row: int, v: int) -> str:
        """The tile of that row of tiles and vector."""
        return f"%tmm{row * self.used + v}"

    def sums_at(self, m: int, v: int) -> int:
        """Bytes from the stack pointer to the sums of row m and vector v."""
        row, place = divmod(self.row_at[m], ROWS)
        return self.stack_of(row, v) + place * ROW_BYTES

    def stack_of(self, row: int, v: int) -> int:
        """Bytes from the stack pointer to the sums of that row of tiles and vector."""
        return TILE_BYTES * (row * self.used + v)

    # ---- sums begin and end on the stack

    def start_tile(self) -> None:
        self.reserve_stack(self.stacked)
        for register, at in self.kept:
            self.emit(f"mov %{register}, {at}(%rsp)")
        self.keep_step(self.step_at)
        for register, value in (
            (STRIDE, ROW_BYTES),
            (A_STRIDE, self.instance.a_row * self.element_bytes),
            (B_STRIDE, self.instance.b_row * self.element_bytes),
        ):
            self.immediate(register, value)
        self.zero(self.register(COPIERS))
        instance = self.instance
        one_row = instance.epilogue.bias and not (instance.bias_by_row or instance.bias_rows)
        if one_row:
            self.emit(f"xor %e{COUNTER[1:]}, %e{COUNTER[1:]}")
        for v in range(self.used):
            if one_row and self.is_tail(v):
                self.begin_row(0, v)
            for row in range(self.rows):
                if one_row:
                    at, base = (self.sums_at(0, v), "rsp") if self.is_tail(v) else (v * ROW_BYTES, BIAS)
                    self.emit(f"tileloadd {at}(%{base},%{COUNTER},1), {self.sums(row, v)}")
                elif instance.accumulate or instance.epilogue.bias:
                    for m in self.of_tile(row):
                        self.begin_row(m, v)
                    self.emit(f"tileloadd {self.stack_of(row, v)}(%rsp,%{STRIDE},1), {self.sums(row, v)}")
                else:
                    self.emit(f"tilezero {self.sums(row, v)}")

    def begin_row(self, m: int, v: int) -> None:
        """Store to the stack what the sums of a row begin with."""
        register = self.register(m % COPIERS)
        self.begin_sum(register, m, v)
        self.emit(f"vmovups {register}, {self.sums_at(m, v)}(%rsp)")

    def finish_tile(self) -> None:
        for row in range(self.rows):
            for v in range(self.used):
                self.emit(f"tilestored {self.sums(row, v)}, {self.stack_of(row, v)}(%rsp,%{STRIDE},1)")
        for register, at in self.kept:
            self.emit(f"mov {at}(%rsp), %{register}")
        super().finish_tile()

    def steps_in(self, steps: Sequence[Step], lasting: Sequence[str], passing: Sequence[str]) -> Steps[str]:
        """Sums come from the stack one at a time, in the first register."""
        return Steps(self, steps, lasting, passing, [self.register(0)], len(self.places), SIDE_BY_SIDE)

    def reload(self, register: str, index: int) -> None:
        self.emit(f"vmovups {self.sums_at(*self.places[index])}(%rsp), {register}")

    def release_stack(self, vectors: int) -> None:
        super().release_stack(self.stacked)

    # ---- steps of 64 bytes of channels

    def walk_segment(self, segment: Segment) -> None:
        for row, rows in self.rows_of(segment):
            for m in self.of_tile(row):
                if m not in rows and not self.in_place(rows):
                    self.clear(self.staged_at(m))
        super().walk_segment(segment)

    def rows_of(self, segment: Segment) -> list[tuple[int, list[int]]]:
        """The rows of tiles that a segment has any of, and which."""
        found = []
        for row in range(self.rows):
            rows = [m for m in segment.rows if self.row_at[m] // ROWS == row]
            found += [(row, rows)] if rows else []
        return found

    def of_tile(self, row: int) -> list[int]:
        """The kernel's rows in a row of tiles."""
        return [m for m, at in enumerate(self.row_at) if at // ROWS == row]

    def in_place(self, rows: Sequence[int]) -> bool:
        """Whether these rows of A are a tile as they lie."""
        if self.instance.a_open:
            return list(rows) == self.of_tile(self.row_at[rows[0]] // ROWS)
        distance = self.instance.a_offset(rows[-1]) - self.instance.a_offset(rows[0])
        return len(rows) == ROWS and distance == (ROWS - 1) * self.instance.a_row

    def staged_at(self, m: int) -> int:
        """Bytes from the stack pointer to row m of A where it is copied."""
        row, place = divmod(self.row_at[m], ROWS)
        return self.a_staged + TILE_BYTES * row + place * ROW_BYTES

    def instructions_per_step(self, segment: Segment) -> int:
        rows = [rows for _, rows in self.rows_of(segment)]
        copied = sum(2 * len(each) for each in rows if not self.in_place(each))
        return len(rows) * self.used + len(rows) + self.used + copied

    def fetch_ahead(self, steps: int) -> None:
        """Say what these steps fetch, a few lines behind each multiplication: a burst of them would keep
        tiles from being loaded. The pointer is moved beforehand, and they lie before it."""
        lines = self.lines_ahead(steps)
        self.fetched = deque(range(-CACHE_LINE_BYTES * lines, 0, CACHE_LINE_BYTES))
        self.fetched_at_once = -(-lines // max(1, steps * self.rows * self.used))
        if lines:
            self.emit(f"add ${CACHE_LINE_BYTES * lines}, %{AHEAD}")

    def fetch_some(self) -> None:
        for _ in range(min(len(self.fetched), self.fetched_at_once)):
            self.emit(f"prefetcht1 {self.fetched.popleft()}(%{AHEAD})")

    def step(self, segment: Segment, k: int) -> None:
        channels = min(self.group, segment.length - k * self.group)
        a = (segment.a - self.a_at + k * self.group) * self.element_bytes
        b = (segment.b - self.b_at + k * self.b_per_step) * self.element_bytes
        if channels < self.group:
            self.emit(f"mov ${(1 << channels * self.element_bytes) - 1}, %{COUNTER}")
            self.emit(f"kmovq %{COUNTER}, %k4")
        tiles_of_b: list[str] = []
        for number, (row, rows) in enumerate(self.rows_of(segment)):
            tile = self.a_ring[number % len(self.a_ring)]
            self.load_a(tile, row, rows, a, channels)
            for v in range(self.used):
                if number == 0:
                    tiles_of_b.append(self.b_ring[v % len(self.b_ring)])
                    self.load_b(tiles_of_b[v], v, b, channels)
                self.emit(f"{self.instruction} {tiles_of_b[v]}, {tile}, {self.sums(row, v)}")
                self.fetch_some()

    def load_a(self, tile: str, row: int, rows: Sequence[int], a: int, channels: int) -> None:
        """Fill a tile register with these rows of A, ``a`` bytes from the pointer."""
        at = {m: a + self.instance.a_offset(m) * self.element_bytes for m in rows}
        if self.in_place(rows) and channels == self.group:
            before = self.row_at[rows[0]] % ROWS * self.instance.a_row * self.element_bytes
            self.emit(f"tileloadd {at[rows[0]] - before}(%{A},%{A_STRIDE},1), {tile}")
            return
        for m in rows:
            register = self.register(m % COPIERS)
            memory = f"{at[m]}(%{A}), {register}"
            self.emit(f"vmovups {memory}" if channels == self.group else f"vmovdqu8 {memory}{{%k4}}{{z}}")
            self.emit(f"vmovups {register}, {self.staged_at(m)}(%rsp)")
        self.emit(f"tileloadd {self.a_staged + TILE_BYTES * row}(%rsp,%{STRIDE},1), {tile}")

    def load_b(self, tile: str, v: int, b: int, channels: int) -> None:
        """Fill a tile register with vector ``v`` of B, ``b`` bytes from the pointer."""
        stride = self.instance.b_row * self.element_bytes
        at = b + v * ROW_BYTES
        if channels == self.group:
            self.emit(f"tileloadd {at}(%{B},%{B_STRIDE},1), {tile}")
            return
        staged = self.b_staged + TILE_BYTES * v
        for group in range(ROWS):
            if group * self.together >= channels:
                if self.clears_filter:
                    self.clear(staged + group * ROW_BYTES)
                continue
            register = self.register(group % COPIERS)
            self.emit(f"vmovups {at + group * stride}(%{B}), {register}")
            self.emit(f"vmovups {register}, {staged + group * ROW_BYTES}(%rsp)")
        self.emit(f"tileloadd {staged}(%rsp,%{STRIDE},1), {tile}")

    def clear(self, at: int) -> None:
        """Make a row of a tile on the stack zeros."""
        self.emit(f"vmovups {self.register(COPIERS)}, {at}(%rsp)")


class AmxBytesKernel(TileKernel, Avx512BytesKernel):
    """Bytes of either sign."""

    clears_filter = False

    @property
    def instruction(self) -> str:  # type: ignore[override]
        _, lhs, rhs = self.kernel.types.split("_")
        return f"tdpb{lhs[0]}{rhs[0]}d"


class AmxBf16Kernel(TileKernel, Avx512Bf16Kernel):
    """bfloat16, summed in float32; zero times NaN is NaN."""

    instruction, clears_filter = "tdpbf16ps", True


class AmxLoop(LoopForm):
    """Four accumulators of two tiles of A and two of B, which hold zeros."""

    end = ("decq $0", "jnz 1b")
    others = ("rax", "cc")

    def register(self, index: int) -> str:
        return f"%tmm{index}"

    def begin(self, accumulators: int) -> list[str]:
        return [f"tilezero {self.register(i)}" for i in range(accumulators)]

    def fill(self, register: str, bits: int) -> list[str]:
        return [f"tilezero {register}"]

    def clobbers(self, accumulators: int) -> list[str]:
        return list(CLOBBERED)


AMXINT8 = replace(
    AVX512VNNI,
    name="amxint8",
    features=AVX512VNNI.features | {"amx-tile", "amx-int8"},
    engine=AmxTiles(),
    emitter=AmxBytesKernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"),),
    loop=PeakLoop(("tdpbusd {b}, {a}, {c}",), 16384, 4, AmxLoop(), "tdpb[us][us]d"),
    most_rows=6 * ROWS,
    layouts=(ROW,),
    rhs=("s8", "u8"),
    lhs_offset_by_128="",
    thread_setup=AMX_STATE,
)
"""Tiles of 16 rows by 16 lanes sum 64 products of bytes."""
AMXBF16 = replace(
    AVX512BF16,
    name="amxbf16",
    features=AVX512BF16.features | {"amx-tile", "amx-bf16"},
    engine=AmxTiles(),
    emitter=AmxBf16Kernel,
    cpus=AMXINT8.cpus,
    loop=PeakLoop(("tdpbf16ps {b}, {a}, {c}",), 8192, 4, AmxLoop(), "tdpbf16ps"),
    most_rows=6 * ROWS,
    layouts=(ROW,),
    thread_setup=AMX_STATE,
)
"""Tiles of 16 rows by 16 lanes sum 32 products of bfloat16."""
