"""x86 micro-kernels of 8-bit integers: what VNNI, AVX-512 and AVX2 have in common.

Four channels of a row of A are broadcast to every lane and multiplied by four channels of B's 16 (or 8)
output channels at once. Reading four bytes where a row has fewer left would leave it, and at the very end
the tensor: there the load ends with the row, and what it read twice is shifted out.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence

from intrinsics.emit.byte_tile import scales_behind_bias, steps_behind_scale
from intrinsics.emit.steps import Help
from intrinsics.epilogue import Step
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import DEPTHWISE, KernelInstance, Segment

from .byte_columns import ByteColumns
from .registers import BIAS, RESIDUAL, SCRATCH, A, B, C

SCALE = RESIDUAL
SIGN = 0x80808080
"""The exclusive or of four bytes with it moves them by 128."""
WORDS = ("vpmaddwd {b}, {a}, {t}", "vpaddd {t}, {c}, {c}")
"""Loops of independent multiplications by words repeat this."""
MADDUBS = ("vpmaddubsw {b}, {a}, {t}", "vpmaddwd {a}, {t}, {t}", "vpaddd {t}, {c}, {c}")
"""Loops of independent multiplications by bytes, in three instructions, repeat this; {a} stands for the ones,
too."""
COMPLEMENTS = (
    "vpxor {b}, {a}, {t}",
    "vpmaddubsw {b}, {t}, {t}",
    "vpmaddwd {a}, {t}, {t}",
    "vpaddd {t}, {c}, {c}",
)
"""Loops of independent multiplications by bytes that are first complemented, in four, repeat this."""
SIGNS = (
    "vpsignb {a}, {b}, {t}",
    "vpmaddubsw {t}, {a}, {t}",
    "vpmaddwd {a}, {t}, {t}",
    "vpaddd {t}, {c}, {c}",
)
"""Loops of independent multiplications by bytes of magnitudes, in four, repeat this; {a} stands for the
magnitudes and the ones, too."""
EITHER_BYTE = ("u8", "s8")


class X86BytesKernel(ByteColumns):
    """Emits one kernel instance. Subclasses say how an ISA multiplies, and how it narrows what it stores."""

    element_bytes = 1

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.offsets = bool(isa.lhs_offset(self.kernel.lhs)) and self.kernel.layout != DEPTHWISE
        """This says whether activations are moved by 128."""
        self.span = max(
            (
                s.a + (s.last - 1) * instance.a_row + (s.length - 1) * instance.a_k + 1
                for s in instance.segments
            ),
            default=0,
        )
        """A filter row reaches to this many bytes of A, all of which may be read."""

    # ---- the order of steps

    def start_tile(self) -> None:
        instance = self.instance
        for v in range(self.used):
            runs = instance.bias_rows or ((0, 0),)
            for (first, at), (last, _) in zip(runs, (*runs[1:], (self.kernel.mr, 0)), strict=True):
                of_run = [self.accumulator(m, v) for m in range(first, last)]
                if instance.epilogue.bias:
                    self.load(of_run[0], f"{4 * at + v * self.isa.vector_bytes}(%{BIAS})", v)
                else:
                    self.zero(of_run[0])
                for acc in of_run[1:]:
                    self.emit(f"vmovdqa{self.integer_suffix} {of_run[0]}, {acc}")
        # The mask of a tail may have been where constants go.
        self.prepare_constants()

    def instructions_per_step(self, segment: Segment) -> int:
        rows = segment.last - segment.first
        return self.used + rows * (self.used * self.isa.instructions_per_multiply + 1 + self.offsets)

    def step(self, segment: Segment, k: int) -> None:
        a, b = segment.a + k * self.group * self.instance.a_k, segment.b + k * self.instance.b_row
        for v in range(self.used):
            self.load_vector(b - self.b_at, v)
        left = segment.length - k * self.group
        for m in range(segment.first, segment.last):
            at = a + m * self.instance.a_row
            if self.kernel.layout == DEPTHWISE:
                for v in range(self.used):
                    self.load_own(f"{at - self.a_at + v * self.isa.lanes}(%{A})", self.broadcast, v)
                    own = self.operand(v), self.broadcast, self.broadcast
                    self.multiply_words(*own, self.accumulator(m, v))
                continue
            self.broadcast_group(at, min(left, self.group), segment.length)
            for v in range(self.used):
                self.multiply(m, v)

    def load_vector(self, b: int, v: int) -> None:
        if self.kernel.layout == DEPTHWISE:
            self.load_tap(self.operand(v), b, v)
            return
        offset = b + v * self.isa.lanes * self.group
        self.load_group(f"{offset}(%{B})", v)

    def broadcast_group(self, at: int, elements: int, length: int) -> None:
        """Fill the broadcast register with ``elements`` channels, ``at`` bytes from A as the segment began;
        what follows them is zero or meets zeros of the filter."""
        here = at - self.a_at
        if at + self.group <= self.span or elements == self.group:
            self.broadcast_memory(f"{here}(%{A})")
        else:
            low = f"%{SCRATCH}d"
            if length >= self.group == 4:
                self.emit(f"mov {here - 4 + elements}(%{A}), {low}")
                self.emit(f"shr ${8 * (4 - elements)}, {low}")
            elif elements == 1:
                self.emit(f"movzbl {here}(%{A}), {low}")
            else:
                self.emit(f"movzwl {here}(%{A}), {low}")
            if elements == 3 and length < 4:
                self.emit(f"movzbl {here + 2}(%{A}), %eax")
                self.emit("shl $16, %eax")
                self.emit(f"or %eax, {low}")
            self.broadcast_general("%xmm" + self.broadcast[4:], self.broadcast)
        if self.offsets:
            self.move_sign()
        self.split()

    def finish_tile(self) -> None:
        destination = self.kernel.destination
        if not self.mask_persists:
            self.prepare_mask()
        # The third register is the zero point's, the fourth where AVX2 loads scales to and narrows.
        free, zero = self.free_registers, self.operand(2)
        steps = self.steps_in(
            self.steps_before_store, [*free[:2], *free[4:]], free[3:4] if self.instance.zero else free[2:4]
        )
        steps.prepare()
        if self.instance.zero:
            self.integer_constant(self.instance.zero, zero)
        whole: list[tuple[str, int, int]] = []
        for batch in steps.batches(self.places):
            if destination != "i32":
                for acc, (_, v) in batch:
                    self.emit(f"vcvtdq2ps {acc}, {acc}")
                    self.scale(self.scales(v), acc, v)
                steps.apply(*batch)
            results = [(acc, self.c_offset(m, v), v) for acc, (m, v) in batch]
            if destination in ("i32", "f32"):
                for acc, offset, v in results:
                    self.store(acc, f"{offset}(%{C})", v)
                continue
            for acc, _, _ in results:
                self.emit(f"vcvtps2dq {acc}, {acc}")
                if self.instance.zero:
                    self.emit(f"vpaddd {zero}, {acc}, {acc}")
            whole += results
            # What comes back from the stack one by one has one register.
            if steps.on_stack or len(whole) >= self.stored_together:
                self.store_results(whole)
                whole = []
        if whole:
            self.store_results(whole)

    def scales(self, v: int) -> str:
        """Address of vector ``v`` of the scales."""
        at, behind = v * self.isa.vector_bytes, scales_behind_bias(self.instance)
        return f"{at}(%{SCALE})" if behind is None else f"{4 * behind + at}(%{BIAS})"

    def spares(self, kinds: set[str]) -> int:
        return super().spares(kinds) + ("add_residual" in kinds)

    def operate(self, kind: str, target: str, operands: Sequence[str], help: Help[str]) -> None:
        """A residual's bytes are of C's type."""
        if kind != "add_residual":
            super().operate(kind, target, operands, help)
            return
        (m, v), (term, *_) = help.place, help.spares
        self.load_wide(self.result_at(RESIDUAL, m, v), term, v, self.kernel.destination)
        self.emit(f"vcvtdq2ps {term}, {term}")
        self.emit(f"vaddps {term}, {operands[0]}, {target}")

    def integer_constant(self, value: int, register: str) -> None:
        self.emit(f"mov ${value & 0xFFFFFFFF}, %{SCRATCH}d")
        self.broadcast_general("%xmm" + register[4:], register)

    # ---- what the instruction sets spell differently

    stored_together = 1
    """Vectors that are made bytes before they are stored."""
    integer_suffix = ""
    """Moves and logic end with it: AVX-512 spells their masks' granularity."""

    @property
    def steps_before_store(self) -> Sequence[Step]:
        """The epilogue's steps, but for what storing does by itself."""
        return steps_behind_scale(self.instance)

    def prepare_constants(self) -> None:
        """Fill the registers that hold constants while taps are walked."""
        if self.offsets:
            self.integer_constant(SIGN, self.sign)

    def move_sign(self) -> None:
        """Move the broadcast's bytes by 128."""
        self.emit(f"vpxor{self.integer_suffix and 'd'} {self.sign}, {self.broadcast}, {self.broadcast}")

    @property
    def sign(self) -> str:
        """The register of what moves bytes by 128: the last of the scratch registers."""
        return self.register(self.free + self.used + self.isa.engine.scratch_registers)

    def split(self) -> None:
        """Make of the broadcast's bytes what is multiplied."""

    def broadcast_memory(self, memory: str) -> None:
        self.emit(f"vpbroadcastd {memory}, {self.broadcast}")

    def load_group(self, memory: str, v: int) -> None:
        """Load vector ``v`` of groups of B."""
        self.emit(f"vmovdqu{self.integer_suffix} {memory}, {self.operand(v)}")

    @property
    def product(self) -> str:
        """The register of products, where instructions do not add them."""
        return self.register(self.free + self.used + 1)

    @abc.abstractmethod
    def scale(self, memory: str, register: str, v: int) -> None:
        """Multiply by vector ``v`` of the scales."""

    def store_results(self, results: Sequence[tuple[str, int, int]]) -> None:
        """Store the lanes of registers, each so far from C, as bytes of the vector of that number."""
        for register, offset, v in results:
            self.store_bytes(register, offset, v)

    @abc.abstractmethod
    def store_bytes(self, register: str, offset: int, v: int) -> None:
        """Store the lanes of vector ``v``, which are in a byte's range but for steps that storing does by
        itself, ``offset`` from C."""


class MaddubsKernel(X86BytesKernel):
    """vpmaddubsw, and vpmaddwd by ones."""

    def prepare_constants(self) -> None:
        super().prepare_constants()
        self.integer_constant(0x00010001, self.ones)

    @property
    def ones(self) -> str:
        """The register of 16-bit ones."""
        return self.register(self.free + self.used + 2)

    def multiply(self, m: int, v: int) -> None:
        acc = self.accumulator(m, v)
        self.emit(f"vpmaddubsw {self.operand(v)}, {self.broadcast}, {self.product}")
        self.sum_pairs(acc)

    def sum_pairs(self, accumulator: str) -> None:
        """Add the product register's pairs of words to an accumulator."""
        self.emit(f"vpmaddwd {self.ones}, {self.product}, {self.product}")
        self.emit(f"vpaddd {self.product}, {accumulator}, {accumulator}")


class SignsKernel(MaddubsKernel):
    """vpmaddubsw of A's magnitudes by B's bytes with A's signs: 2 * 128 * 127 fits 16 bits, so that every
    sum of two products does."""

    def split(self) -> None:
        if self.kernel.layout != DEPTHWISE:
            self.emit(f"vpabsb {self.broadcast}, {self.magnitudes}")

    @property
    def magnitudes(self) -> str:
        """The register of A's magnitudes."""
        return self.register(self.free + self.used + 3)

    def multiply(self, m: int, v: int) -> None:
        acc = self.accumulator(m, v)
        self.emit(f"vpsignb {self.broadcast}, {self.operand(v)}, {self.product}")
        self.emit(f"vpmaddubsw {self.product}, {self.magnitudes}, {self.product}")
        self.sum_pairs(acc)


class ComplementKernel(MaddubsKernel):
    """vpmaddubsw of A's bytes after an exclusive or with those behind B's weights (``Isa.complements``)."""

    def load_vector(self, b: int, v: int) -> None:
        super().load_vector(b, v)
        self.masks_at = b + self.instance.b_row // 2

    def multiply(self, m: int, v: int) -> None:
        masks = f"{self.masks_at + v * self.isa.lanes * self.group}(%{B})"
        self.emit(f"vpxor{self.integer_suffix and 'd'} {masks}, {self.broadcast}, {self.product}")
        self.emit(f"vpmaddubsw {self.operand(v)}, {self.product}, {self.product}")
        self.sum_pairs(self.accumulator(m, v))


class MaddwdKernel(X86BytesKernel):
    """vpmaddwd of bytes as words, of even channels and of odd ones: both lie in the same four bytes, where a
    mask or a shift finds them."""

    @property
    def rows(self) -> bool:
        """Whether channels are summed, which depthwise kernels do not."""
        return self.kernel.layout != DEPTHWISE

    def prepare_constants(self) -> None:
        super().prepare_constants()
        if self.rows and self.kernel.lhs == "u8":
            self.integer_constant(0x00FF00FF, self.register(self.free + 2 * self.used + 3))

    def load_group(self, memory: str, v: int) -> None:
        even, odd = self.words(v)
        self.emit(f"vmovdqu{self.integer_suffix} {memory}, {odd}")
        self.even_words(odd, even)
        self.emit(f"vpsraw $8, {odd}, {odd}")

    def words(self, v: int) -> tuple[str, str]:
        """The registers of B's vector ``v``: its even channels, and its odd ones."""
        return self.register(self.free + 2 * v), self.register(self.free + 2 * v + 1)

    @property
    def broadcast(self) -> str:
        """The register of A's odd channels; the next is that of the even ones."""
        return self.register(self.free + 2 * self.used) if self.rows else super().broadcast

    @property
    def product(self) -> str:
        return self.register(self.free + 2 * self.used + 2)

    def split(self) -> None:
        even, mask = (self.register(self.free + 2 * self.used + at) for at in (1, 3))
        if self.kernel.lhs == "u8":
            self.emit(f"vpand{self.integer_suffix and 'd'} {mask}, {self.broadcast}, {even}")
            self.emit(f"vpsrlw $8, {self.broadcast}, {self.broadcast}")
        else:
            self.even_words(self.broadcast, even)
            self.emit(f"vpsraw $8, {self.broadcast}, {self.broadcast}")

    def even_words(self, source: str, register: str) -> None:
        """Sign-extend the lower bytes of words."""
        self.emit(f"vpsllw $8, {source}, {register}")
        self.emit(f"vpsraw $8, {register}, {register}")

    def multiply(self, m: int, v: int) -> None:
        acc, of_input = self.accumulator(m, v), (self.register(self.free + 2 * self.used + 1), self.broadcast)
        for words, pixel in zip(self.words(v), of_input, strict=True):
            self.emit(f"vpmaddwd {words}, {pixel}, {self.product}")
            self.emit(f"vpaddd {self.product}, {acc}, {acc}")
