"""The loops behind the peak of 8-bit multiply-adds, as peak.py's: what each instruction set's kernels repeat,
on as many independent accumulators as its registers hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from intrinsics.isa import Isa, best_isa
from intrinsics.microkernel import PANEL, ROW
from tvm_directconv.targets.target import CompileTarget

LARGEST_WEIGHT = 127
"""Of symmetrically quantized filters."""


@dataclass(frozen=True)
class Loop:
    """What to repeat for an accumulator {c} with the operands {a} and {b} and the scratch register {t}, and
    how many products it adds up."""

    lines: tuple[str, ...]
    products: int
    registers: str
    accumulators: int

    @property
    def instruction(self) -> str:
        """What is timed, in words."""
        names = " + ".join(line.replace("{{vex}} ", "").split()[0] for line in self.lines)
        width = self.registers[1:4] if self.registers in (ZMM, YMM) else ""
        return f"{self.accumulators} x {names} {width}".rstrip()

    @property
    def operations(self) -> int:
        """Of a trip: multiplications and additions."""
        return 2 * self.products * self.accumulators

    def body(self) -> list[str]:
        """The lines of a trip; operands and scratch follow the accumulators."""
        names = {key: self.registers.format(self.accumulators + n) for n, key in enumerate("abt")}
        if self.registers == ACCUMULATORS_OF_MMA:
            names = {"a": "32", "b": "33", "t": "34"}
        return [
            line.format(c=self.registers.format(c), **names)
            for line in self.lines
            for c in range(self.accumulators)
        ]


ZMM, YMM, NEON, ACCUMULATORS_OF_MMA = "%zmm{}", "%ymm{}", "v{}", "{}"
WORDS = ("vpmaddwd {b}, {a}, {t}", "vpaddd {t}, {c}, {c}")

LOOPS = {
    "avx512vnni": Loop(("vpdpbusd {b}, {a}, {c}",), 64, ZMM, 24),
    "avx512maddwd": Loop(WORDS, 32, ZMM, 24),
    "avxvnni": Loop(("{{vex}} vpdpbusd {b}, {a}, {c}",), 32, YMM, 12),
    "avx2maddwd": Loop(WORDS, 16, YMM, 12),
    "neoni8mm": Loop(("smmla {c}.4s, {a}.16b, {b}.16b",), 32, NEON, 24),
    "neonmixed": Loop(("sdot {c}.4s, {a}.16b, {b}.16b",), 16, NEON, 24),
    "neondot": Loop(("sdot {c}.4s, {a}.16b, {b}.16b",), 16, NEON, 24),
    "neonsmlal": Loop(
        ("smull {t}.8h, {a}.8b, {b}.8b", "smlal2 {t}.8h, {a}.16b, {b}.16b", "sadalp {c}.4s, {t}.8h"),
        *(16, NEON, 24),
    ),
    "mmabytes": Loop(("xvi8ger4pp {c}, {a}, {b}",), 64, ACCUMULATORS_OF_MMA, 8),
}


def best_loop(target: CompileTarget) -> Loop | None:
    """Of the instruction set whose instructions multiply most; None where kernels are LLVM's own."""
    isas: list[Isa] = [
        best_isa(target.features, "u8", "s8", layout, LARGEST_WEIGHT) for layout in (ROW, PANEL)
    ]
    loops = [LOOPS[isa.name] for isa in isas if isa.name in LOOPS]
    return max(loops, key=lambda loop: loop.products / len(loop.lines), default=None)


def loop_ir(loop: Loop, function: str) -> str:
    """LLVM IR of ``i32 function(i64 trips, ptr sink)``. Registers hold what they hold: integers take no
    longer for it."""
    before: list[str] = []
    after: list[str]
    if loop.registers in (ZMM, YMM):
        registers = [loop.registers[1:].format(r) for r in range(loop.accumulators + 3)]
        after, others = ["decq $0", "jnz 1b"], ["cc"]
    elif loop.registers == NEON:
        registers = [f"v{r}" for r in range(loop.accumulators + 3)]
        after, others = ["subs $0, $0, #1", "b.ne 1b"], ["cc"]
    else:
        registers = [f"f{r}" for r in range(32)] + ["v0", "v1"]
        before = ["mtctr $0", *(f"xxsetaccz {c}" for c in range(loop.accumulators))]
        after, others = ["bdnz 1b"], ["ctr"]
    body = "\\0A\\09".join([*before, "1:", *loop.body(), *after])
    clobbers = ",".join(f"~{{{name}}}" for name in (*registers, "memory", *others))
    return f"""
define i32 @{function}(i64 %trips, ptr %sink) {{
  %left = call i64 asm sideeffect "{body}", "=r,0,{clobbers}"(i64 %trips)
  ret i32 0
}}
"""
