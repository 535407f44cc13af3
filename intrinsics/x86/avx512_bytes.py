"""AVX-512 spelling of the 8-bit micro-kernels: VNNI's sums of four products, and what is before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intrinsics.emit.byte_tile import steps_behind_scale
from intrinsics.engines import Broadcast
from intrinsics.epilogue import Clip, Step, joined
from intrinsics.instruction_set import Cpu
from intrinsics.microkernel import DEPTHWISE, ROW
from intrinsics.peak_loop import PeakLoop

from .avx512 import AVX512, Avx512Kernel
from .bytes import (
    COMPLEMENTS,
    EITHER_BYTE,
    MADDUBS,
    WORDS,
    ComplementKernel,
    MaddubsKernel,
    MaddwdKernel,
    X86BytesKernel,
)
from .peak import ZMM
from .registers import SCRATCH, C

TRANSPOSED = 0x0D0905010C080400, 0x0F0B07030E0A0602
"""Bytes 4 * j + i of a vector come from 4 * i + j: four rows of four become four of one of each."""


class Avx512BytesKernel(X86BytesKernel, Avx512Kernel):
    """Masked loads, and a store that narrows."""

    integer_suffix = "32"

    def load_wide(self, memory: str, register: str, v: int, kind: str) -> None:
        masked = "{%k1}{z}" if self.is_tail(v) else ""
        extend = "vpmovzxbd" if kind == "u8" else "vpmovsxbd"
        self.emit(f"{extend} {memory}, {register}{masked}")

    def load_pair(self, places: Sequence[str], register: str, other: str, v: int | None, kind: str) -> None:
        masked = "{%k1}{z}" if v is not None and self.is_tail(v) else ""
        for memory, loaded in zip(places, (register, other), strict=True):
            if kind == "u8":
                self.emit(f"vpmovzxbd {memory}, {loaded}{masked}")
                continue
            narrow = self.half(loaded)
            self.emit(f"vpmovsxbw {memory}, {narrow}{masked}")
            self.emit(f"vpmovzxwd {narrow}, {loaded}")
        self.emit(f"vpslld $16, {other}, {other}")
        self.emit(f"vpord {other}, {register}, {register}")

    def scale(self, memory: str, register: str, v: int) -> None:
        self.emit(f"vmulps {memory}, {register}, {register}{self.mask(v)}")

    @property
    def store_saturates(self) -> bool:
        """Whether storing bytes is what keeps them from overflowing upwards."""
        # Unsigned lanes saturate right even where the conversion to integers overflowed.
        return self.kernel.destination == "u8" and self.instance.epilogue.high == 255 - self.instance.zero

    @property
    def steps_before_store(self) -> Sequence[Step]:
        steps = steps_behind_scale(self.instance)
        if not self.store_saturates:
            return steps
        return joined([*steps[:-1], Clip(self.instance.epilogue.low)])

    def store_bytes(self, register: str, offset: int, v: int) -> None:
        narrow = "vpmovusdb" if self.store_saturates else "vpmovdb"
        self.emit(f"{narrow} {register}, {offset}(%{C}){self.mask(v)}")


class Avx512VnniKernel(Avx512BytesKernel):
    """vpdpbusd, and vpdpwssd for depthwise taps that are counted, or of signed pixels."""

    @property
    def rows_at_once(self) -> int:  # type: ignore[override]
        return self.isa.rows_together if self.of_quads else 2

    @property
    def of_quads(self) -> bool:
        """Whether vpdpbusd multiplies four filter rows at once."""
        return bool(self.instance.lines.taps) and self.kernel.lhs == "u8"

    @property
    def of_input(self) -> int:
        """A pixel and its products, or what brings four rows' bytes together."""
        return 4 if self.of_quads else 2

    def prepare_constants(self) -> None:
        super().prepare_constants()
        if self.of_quads:
            dwords, places = self.free_registers[2:4]
            low, high = ("%xmm" + register[4:] for register in (dwords, places))
            for number, xmm in zip(TRANSPOSED, (low, high), strict=True):
                self.emit(f"mov ${number}, %{SCRATCH}")
                self.emit(f"vmovq %{SCRATCH}, {xmm}")
            self.emit(f"vpunpcklqdq {high}, {low}, {low}")
            self.emit(f"vshuff32x4 $0, {dwords}, {dwords}, {places}")
            self.emit(f"vpmovzxbd {low}, {dwords}")

    def load_rows(self, places: Sequence[str], register: str, other: str, v: int | None, kind: str) -> None:
        if not self.of_quads:
            super().load_rows(places, register, other, v, kind)
            return
        tail = v is not None and self.is_tail(v)
        if len(places) == 1 or tail:
            masked = "{%k1}{z}" if tail else ""
            for row, memory in enumerate(places):
                self.emit(f"vpmovzxbd {memory}, {other if row else register}{masked}")
                if row:
                    self.emit(f"vpslld ${8 * row}, {other}, {other}")
                    self.emit(f"vpord {other}, {register}, {register}")
            return
        dwords, of_bytes = self.free_registers[2:4]
        self.emit(f"vmovdqu32 {places[0]}, %xmm{register[4:]}")
        for row, memory in enumerate(places[1:], 1):
            self.emit(f"vinserti32x4 ${row}, {memory}, {register}, {register}")
        self.emit(f"vpermd {register}, {dwords}, {register}")
        self.emit(f"vpshufb {of_bytes}, {register}, {register}")

    def multiply_rows(self, tap: str, pixel: str, product: str, accumulator: str) -> None:
        if self.of_quads:
            self.emit(f"vpdpbusd {tap}, {pixel}, {accumulator}")
        else:
            self.multiply_words(tap, pixel, product, accumulator)

    def multiply(self, m: int, v: int) -> None:
        self.emit(f"vpdpbusd {self.operand(v)}, {self.broadcast}, {self.accumulator(m, v)}")

    def multiply_words(self, tap: str, pixel: str, product: str, accumulator: str) -> None:
        self.emit(f"vpdpwssd {tap}, {pixel}, {accumulator}")


class Avx512MaddubsKernel(MaddubsKernel, Avx512BytesKernel):
    """Emits one kernel instance."""


class Avx512ComplementKernel(ComplementKernel, Avx512BytesKernel):
    """Emits one kernel instance."""


class Avx512MaddwdKernel(MaddwdKernel, Avx512BytesKernel):
    """Emits one kernel instance."""


AVX512VNNI = replace(
    AVX512,
    name="avx512vnni",
    features=AVX512.features | {"avx512bw", "avx512vnni"},
    engine=Broadcast(scratch_registers=1),
    emitter=Avx512VnniKernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mcpu=cascadelake"),),
    loop=PeakLoop(("vpdpbusd {b}, {a}, {c}",), 64, 24, ZMM, "vpdpbusd"),
    epilogue_registers=1,
    layouts=(ROW, DEPTHWISE),
    lhs=EITHER_BYTE,
    rhs=("s8",),
    lhs_offset_by_128="s8",
    channels_per_multiply=4,
    bytes_by_columns=True,
    rows_together=4,
)
"""Each lane sums four products of unsigned by signed bytes (vpdpbusd)."""
AVX512MADDUBS = replace(
    AVX512VNNI,
    name="avx512maddubs",
    features=AVX512.features | {"avx512bw"},
    rows_together=2,
    engine=Broadcast(scratch_registers=3, instructions_per_multiply=3),
    emitter=Avx512MaddubsKernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512"),),
    loop=PeakLoop(MADDUBS, 64, 24, ZMM, "vpmaddubsw|vpmaddwd"),
    largest_weight=64,
)
"""Two products of unsigned by signed bytes are summed in 16 bits (vpmaddubsw), then two of those sums in 32,
which is exact as long as 2 * 255 * |weight| fits 16 bits."""
AVX512COMPLEMENT = replace(
    AVX512MADDUBS,
    name="avx512complement",
    engine=Broadcast(scratch_registers=2, instructions_per_multiply=4),
    emitter=Avx512ComplementKernel,
    loop=PeakLoop(("vpxord {b}, {a}, {t}", *COMPLEMENTS[1:]), 64, 24, ZMM, "vpmaddubsw|vpmaddwd"),
    lhs_offset_by_128="",
    largest_weight=127,
    complements=True,
)
"""AVX512MADDUBS for larger weights, as AVX2COMPLEMENT is AVX2MADDUBS."""
AVX512MADDWD = replace(
    AVX512MADDUBS,
    name="avx512maddwd",
    engine=Broadcast(
        scratch_registers=3,
        instructions_per_multiply=4,
        filter_registers=2,
        instructions_per_row=2,
        instructions_per_vector=3,
    ),
    emitter=Avx512MaddwdKernel,
    loop=PeakLoop(WORDS, 32, 24, ZMM, "vpmaddwd"),
    lhs_offset_by_128="",
    largest_weight=128,
)
"""Each lane sums two products of 16-bit numbers (vpmaddwd)."""
