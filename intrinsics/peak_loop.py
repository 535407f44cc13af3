"""The loop that shows the most an instruction set can multiply: nothing in it but independent
multiplications.

One loop serves what is measured on a core (``tvm_directconv/measure/peak.py``) and what llvm-mca says of its
model of one (``tvm_directconv/measure/analysis.py``). Source: the usual peak probe (latency x throughput
independent chains), as in Dolbeau, "Theoretical peak FLOPS per instruction set", 2018.
"""

from __future__ import annotations

import abc
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from .emit.asm import ThreadSetup, llvm_routine

FACTOR, TERM = 0.999, 0.001
"""These are the factors of all loops, whose accumulators begin with the first: whether an instruction adds
their product, or multiplies by the one and adds the other, no denormal or infinity ever slows a unit down."""


class LoopForm(abc.ABC):
    """How an architecture writes such a loop: its registers, how they are filled, and how it counts down.

    Lines are templates of LLVM's inline assembly: ``$0`` is the general register of the trips left, and a
    dollar sign is doubled.
    """

    width = ""
    """The vectors are called so, where mnemonics do not tell it."""
    end: tuple[str, ...]
    """These lines count a trip and jump back to label 1."""
    others: tuple[str, ...]
    """The loop's lines write these, too, as LLVM calls them."""
    vectors = 1
    """A multiplication is of so many vectors."""

    @abc.abstractmethod
    def register(self, index: int) -> str:
        """The name of a vector register, or of an accumulator."""

    def operands(self, accumulators: int) -> tuple[str, str, str]:
        """The two factors' registers and one for products, all behind the accumulators."""
        a, b, t = (self.register(accumulators + i) for i in range(3))
        return a, b, t

    def begin(self, accumulators: int) -> list[str]:
        """The lines before the loop, which give accumulators a value."""
        return [line for i in range(accumulators) for line in self.fill(self.register(i), _bits(FACTOR))]

    @abc.abstractmethod
    def fill(self, register: str, bits: int) -> list[str]:
        """The lines that put 32 bits in every lane of a register."""

    @abc.abstractmethod
    def clobbers(self, accumulators: int) -> list[str]:
        """The vector registers the loop writes, as LLVM calls them."""

    def longer(self, features: frozenset[str]) -> int:
        """How many times as long as the loop's a CPU's vectors are, where that depends on the CPU."""
        return 1

    def modelled(self, before: Sequence[str]) -> list[str]:
        """Remarks that tell llvm-mca what instructions before a loop have set for those in it, if they
        have."""
        return []


@dataclass(frozen=True)
class PeakLoop:
    """Multiplications on as many independent accumulators as hide their latency.

    ``lines`` are repeated for each accumulator {c} with the factors {a} and {b} and the register {t} of
    products; literal braces are doubled. They add up ``products`` products, in all lanes.
    """

    lines: tuple[str, ...]
    products: int
    accumulators: int
    form: LoopForm
    multiplies: str
    """This pattern matches the mnemonics that kernels of the instruction set multiply with."""

    @property
    def instruction(self) -> str:
        """What a trip is made of, in words."""
        names = " + ".join(line.replace("{{vex}} ", "").split()[0] for line in self.lines)
        return f"{self.accumulators} x {names} {self.form.width}".rstrip()

    @property
    def operations(self) -> int:
        """How many multiplications and additions a trip does."""
        return 2 * self.products * self.accumulators

    @property
    def products_per_line(self) -> float:
        """How much of the peak each instruction is worth."""
        return self.products / len(self.lines)

    def body(self) -> list[str]:
        """The lines of a trip, without its counting."""
        names = dict(zip("abt", self.form.operands(self.accumulators), strict=True))
        accumulators = [self.form.register(i) for i in range(self.accumulators)]
        return [line.format(c=c, **names) for c in accumulators for line in self.lines]

    def llvm_ir(self, function: str, setup: ThreadSetup | None = None) -> str:
        """LLVM IR of ``i32 function(i64 trips, ptr sink)``, run in the state that ``setup`` makes; the sink
        is not used."""
        form = self.form
        a, b, _ = form.operands(self.accumulators)
        before = [*form.begin(self.accumulators), *form.fill(a, _bits(FACTOR)), *form.fill(b, _bits(TERM))]
        body = "\\0A\\09".join([*before, "1:", *self.body(), *form.end])
        written = ",".join(f"~{{{n}}}" for n in (*form.clobbers(self.accumulators), "memory", *form.others))
        loop = f'%left = call i64 asm sideeffect "{body}", "=r,0,{written}"(i64 %trips)'
        around = [f"call i32 @{name}()" for name in (setup.entering, setup.leaving)] if setup else ["", ""]
        routine = llvm_routine(f"define i32 @{function}(i64 %trips, ptr %sink)", [around[0], loop, around[1]])
        return (setup.llvm_ir() if setup else "") + routine


def _bits(value: float) -> int:
    """Return the bits of a float32."""
    return int(struct.unpack("<I", struct.pack("<f", value))[0])
