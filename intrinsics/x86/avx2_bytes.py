"""AVX2 spelling of the 8-bit micro-kernels, and AVX-VNNI's: tails by pieces, since AVX2 cannot mask bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from intrinsics.emit.byte_tile import TOGETHER, steps_behind_scale
from intrinsics.engines import Broadcast
from intrinsics.epilogue import Clip, Step, joined
from intrinsics.instruction_set import Cpu
from intrinsics.microkernel import DEPTHWISE, ROW
from intrinsics.peak_loop import PeakLoop

from .avx2 import AVX2, Avx2Kernel
from .bytes import (
    COMPLEMENTS,
    EITHER_BYTE,
    MADDUBS,
    SIGNS,
    WORDS,
    ComplementKernel,
    MaddubsKernel,
    MaddwdKernel,
    SignsKernel,
    X86BytesKernel,
)
from .peak import YMM
from .registers import C


class Avx2BytesKernel(X86BytesKernel, Avx2Kernel):
    """Loads of at most eight bytes, and stores of four vectors of them together."""

    stored_together = TOGETHER

    def load_wide(self, memory: str, register: str, v: int, kind: str) -> None:
        if self.is_tail(v):
            xmm = "%xmm" + register[4:]
            self.load_bytes(memory, xmm, v)
            memory = xmm
        self.emit(f"vpmov{'z' if kind == 'u8' else 's'}xbd {memory}, {register}")

    def load_pair(self, places: Sequence[str], register: str, other: str, v: int | None, kind: str) -> None:
        first, second = ("%xmm" + each[4:] for each in (register, other))
        for memory, xmm in zip(places, (first, second), strict=True):
            self.load_bytes(memory, xmm, v)
        self.emit(f"vpunpcklbw {second}, {first}, {first}")
        self.emit(f"vpmov{'z' if kind == 'u8' else 's'}xbw {first}, {register}")

    def load_bytes(self, memory: str, xmm: str, v: int | None) -> None:
        """Load the bytes of vector ``v``, a whole one if that is None."""
        if v is None or not self.is_tail(v):
            self.emit(f"vmovq {memory}, {xmm}")
            return
        # Byte by byte: a whole vector might reach beyond the tensor.
        offset, base = memory.split("(")
        self.emit(f"vpxor {xmm}, {xmm}, {xmm}")
        for i in range(self.tail):
            self.emit(f"vpinsrb ${i}, {int(offset) + i}({base}, {xmm}, {xmm}")

    def scale(self, memory: str, register: str, v: int) -> None:
        if self.is_tail(v):
            self.load(self.operand(3), memory, v)
            memory = self.operand(3)
        self.emit(f"vmulps {memory}, {register}, {register}")

    @property
    def steps_before_store(self) -> Sequence[Step]:
        """Packing keeps bytes from overflowing downwards, where the conversion to integers did, too: that
        gives the least integer, which a negative zero point would make the greatest."""
        steps, zero = steps_behind_scale(self.instance), self.instance.zero
        *others, last = steps or (Clip(),)
        least = {"u8": 0, "s8": -128}.get(self.kernel.destination, math.inf)
        if not isinstance(last, Clip) or last.low != least - zero or zero < 0:
            return steps
        return joined([*others, Clip(high=last.high)])

    def store_results(self, results: Sequence[tuple[str, int, int]]) -> None:
        """Store whole vectors up to four at a time."""
        whole = [result for result in results if not self.is_tail(result[2])]
        for first in range(0, len(whole), TOGETHER):
            self.store_whole(whole[first : first + TOGETHER])
        for result in results:
            if self.is_tail(result[2]):
                self.store_bytes(*result)

    def store_whole(self, results: Sequence[tuple[str, int, int]]) -> None:
        """Store one to four vectors, which as bytes lie in one or two registers."""
        if len(results) == 1:
            self.store_bytes(*results[0])
            return
        registers, offsets, _ = zip(*results, strict=True)
        words = registers[::2]
        for low, high in zip(words, (*registers[1::2], registers[-1]), strict=False):
            self.emit(f"vpackssdw {high}, {low}, {low}")
        low, high = ("%xmm" + register[4:] for register in registers[:2])
        if len(words) == 1:
            self.emit(f"vextracti128 $1, {words[0]}, {high}")
            self.emit(f"{self.narrowing} {high}, {low}, {low}")
            self.emit(f"vpshufd $0xd8, {low}, {low}")
        else:
            self.emit(f"{self.narrowing} {words[1]}, {words[0]}, {words[0]}")
            upper = "%xmm" + words[1][4:]
            self.emit(f"vextracti128 $1, {words[0]}, {upper}")
            self.emit(f"vpunpckhdq {upper}, {low}, {high}")
            self.emit(f"vpunpckldq {upper}, {low}, {low}")
        for xmm, pair in ((low, offsets[:2]), (high, offsets[2:])):
            if len(pair) == 2 and pair[1] - pair[0] == self.isa.lanes:
                self.emit(f"vmovdqu {xmm}, {pair[0]}(%{C})")
                continue
            for store, offset in zip(("vmovq", "vmovhps"), pair, strict=False):
                self.emit(f"{store} {xmm}, {offset}(%{C})")

    def as_words(self, register: str) -> str:
        """Narrow a vector's lanes to the words of a shorter register, which is returned."""
        xmm, upper = "%xmm" + register[4:], "%xmm" + self.operand(3)[4:]
        self.emit(f"vextracti128 $1, {register}, {upper}")
        self.emit(f"vpackssdw {upper}, {xmm}, {xmm}")
        return xmm

    @property
    def narrowing(self) -> str:
        """The instruction that makes C's bytes of words."""
        return f"vpack{'us' if self.kernel.destination == 'u8' else 'ss'}wb"

    def store_bytes(self, register: str, offset: int, v: int) -> None:
        xmm = self.as_words(register)
        self.emit(f"{self.narrowing} {xmm}, {xmm}, {xmm}")
        if not self.is_tail(v):
            self.emit(f"vmovq {xmm}, {offset}(%{C})")
            return
        at = 0
        for piece, store in ((4, "vmovd"), (2, "vpextrw"), (1, "vpextrb")):
            if self.tail & piece:
                index = "" if piece == 4 else f"${at // piece}, "
                self.emit(f"{store} {index}{xmm}, {offset + at}(%{C})")
                at += piece


class AvxVnniKernel(Avx2BytesKernel):
    """vpdpbusd in its VEX encoding, and vpdpwssd for depthwise taps."""

    def multiply(self, m: int, v: int) -> None:
        self.emit(f"{{vex}} vpdpbusd {self.operand(v)}, {self.broadcast}, {self.accumulator(m, v)}")

    def multiply_words(self, tap: str, pixel: str, product: str, accumulator: str) -> None:
        self.emit(f"{{vex}} vpdpwssd {tap}, {pixel}, {accumulator}")


class Avx2MaddubsKernel(MaddubsKernel, Avx2BytesKernel):
    """Emits one kernel instance."""


class Avx2ComplementKernel(ComplementKernel, Avx2BytesKernel):
    """Emits one kernel instance."""


class Avx2SignsKernel(SignsKernel, Avx2BytesKernel):
    """Emits one kernel instance."""


class Avx2MaddwdKernel(MaddwdKernel, Avx2BytesKernel):
    """Emits one kernel instance."""


AVXVNNI = replace(
    AVX2,
    name="avxvnni",
    features=AVX2.features | {"avxvnni"},
    engine=Broadcast(mask_in_register=True, scratch_registers=1),
    emitter=AvxVnniKernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mcpu=alderlake"),),
    loop=PeakLoop(("{{vex}} vpdpbusd {b}, {a}, {c}",), 32, 12, YMM, "vpdpbusd"),
    epilogue_registers=3,
    layouts=(ROW, DEPTHWISE),
    lhs=EITHER_BYTE,
    rhs=("s8",),
    lhs_offset_by_128="s8",
    channels_per_multiply=4,
    bytes_by_columns=True,
    rows_together=2,
)
"""Each lane sums four products of unsigned by signed bytes (vpdpbusd)."""
AVX2MADDUBS = replace(
    AVXVNNI,
    name="avx2maddubs",
    features=AVX2.features,
    engine=Broadcast(mask_in_register=True, scratch_registers=3, instructions_per_multiply=3),
    emitter=Avx2MaddubsKernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell"),),
    loop=PeakLoop(MADDUBS, 32, 12, YMM, "vpmaddubsw|vpmaddwd"),
    largest_weight=64,
)
"""Two products of unsigned by signed bytes are summed in 16 bits (vpmaddubsw), then two of those sums in 32,
which is exact as long as 2 * 255 * |weight| fits 16 bits."""
AVX2COMPLEMENT = replace(
    AVX2MADDUBS,
    name="avx2complement",
    engine=Broadcast(
        mask_in_register=True,
        scratch_registers=2,
        instructions_per_multiply=4,
        # A CPU of four vector pipes does nothing else beside these four: loads take their share.
        instructions_per_row=1,
        instructions_per_vector=1,
    ),
    emitter=Avx2ComplementKernel,
    loop=PeakLoop(COMPLEMENTS, 32, 12, YMM, "vpmaddubsw|vpmaddwd"),
    lhs_offset_by_128="",
    largest_weight=127,
    complements=True,
)
"""AVX2MADDUBS for larger weights: of two whose products might exceed 16 bits, one is negated and its
activation complemented, which leaves two of different signs. Activations of any sign cost the same, since the
exclusive or also moves them by 128. A weight of -128 does not have a negative."""
AVX2SIGNS = replace(
    AVX2MADDUBS,
    name="avx2signs",
    engine=Broadcast(
        mask_in_register=True, scratch_registers=4, instructions_per_multiply=4, instructions_per_row=2
    ),
    emitter=Avx2SignsKernel,
    loop=PeakLoop(SIGNS, 32, 12, YMM, "vpmaddubsw|vpmaddwd"),
    lhs_offset_by_128="u8",
    largest_weight=127,
)
"""Unsigned activations are moved by 128; their magnitudes are multiplied by the filter with their signs
(vpsignb), as AVX2MADDUBS does it: sums in 16 bits are exact for every filter but for weights of -128, whose
negative a byte does not hold."""
AVX2MADDWD = replace(
    AVX2MADDUBS,
    name="avx2maddwd",
    engine=Broadcast(
        mask_in_register=True,
        scratch_registers=3,
        instructions_per_multiply=4,
        filter_registers=2,
        instructions_per_row=2,
        instructions_per_vector=3,
    ),
    emitter=Avx2MaddwdKernel,
    loop=PeakLoop(WORDS, 16, 12, YMM, "vpmaddwd"),
    lhs_offset_by_128="",
    largest_weight=128,
)
"""Each lane sums two products of 16-bit numbers (vpmaddwd)."""
