"""Shows what proofs catch: makes seeded faults in emitted kernels, and asks for a proof of each.

    python tests/kernel_mutations.py --count 2000 --seed 0 [--isa avx2,avx512]

The faults are those that emitters can have: a wrong register, offset, distance, mask or constant, a loop run
once too often, lines in the wrong order, a step left out or done twice, operands that changed places, another
instruction, a jump elsewhere, a register that LLVM is not told of. A fault is refuted; or it is proven, which
says that the code is as good as before (two loads changed places). What is proven is run on drawn operands,
too, where the tests can interpret the instruction set: its results have to be those of the code before.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "kernels"))

import byte_kernels
import numpy as np
import test_microkernels
from emulation.x86 import interpret
from mutations import fault_table
from rich.console import Console
from rich.progress import Progress

from intrinsics import registry
from intrinsics.instruction_set import Isa
from intrinsics.isa import ISAS
from intrinsics.microkernel import KernelInstance
from intrinsics.verification import verify

BODY = re.compile(r'(asm sideeffect ")([^"]*)(", ")([^"]*)(")')
PLAIN = re.compile(r"(alwaysinline \{\n)(entry:[^}]*?)(\n\})")
"""The lines of a kernel that is LLVM IR."""
TAPS = (2, 0)
KERNELS = 12
"""Faults are of so many kernels of each instruction set."""
BREAK = "\\0A\\09"
INSTRUCTIONS = {
    "vfmadd231": "vfmadd213", "vfmadd213": "vfmadd132", "vfmadd132": "vfmadd231", "vmaxps": "vminps",
    "vminps": "vmaxps", "vaddps": "vmulps", "vmulps": "vaddps", "vmovups": "vmovaps", "jz": "jnz",
    "jnz": "jz", "vbroadcastss": "vmovups", "add ": "sub ", "dec ": "inc ", "vpaddd": "vpsubd",
    "vpmovzx": "vpmovsx", "vpmovsx": "vpmovzx", "vpackssdw": "vpackusdw", "vpackuswb": "vpacksswb",
    "vpmaddubsw": "vpmaddwd", "vpdpbusd": "vpdpwssd", "vpslld": "vpsrld", "vpsraw": "vpsrlw",
    "vpmovusdb": "vpmovdb", "vcvtdq2ps": "vcvtps2dq", "vdivps": "vmulps", "vpabsb": "vmovdqu8",
    "fmla": "fmls", "fmax": "fmin", "fmin": "fmax", "smlal2": "smlal", "udot": "sdot", "sdot": "udot",
    "cbz": "cbnz", "b.ne": "b.eq", "subs": "adds", "xvmaddasp": "xvmaddmsp", "xvmaxsp": "xvminsp",
    "xvf32gerpp": "xvf32ger", "bdnz": "bdz", "lxvx": "lxv", "xxmrghw": "xxmrglw",
    "vfmacc.vf": "vfmadd.vf", "vfmadd": "vfmacc", "vmflt": "vmfgt", "vmfgt": "vmflt", "bnez": "beqz",
    "beqz": "bnez", "vzext.vf2": "vsext.vf2", "vsext": "vzext", "lbu": "lb", "lb ": "lbu ", "flw": "flh",
    "vle32": "vle16", "vse32": "vse16", "vle8": "vle16", "vwmacc.vv": "vwmacc.vx", "vfwmacc": "vfmacc",
    "fadd": "fmul", "fmul": "fadd", "icmp ne": "icmp sgt", "sext": "zext", "zext": "sext", "lshr": "shl",
    "fcmp olt": "fcmp ogt", "fcmp ogt": "fcmp olt", "icmp ugt": "icmp uge", "icmp ult": "icmp uge",
    "add <": "sub <", "sub <": "add <", "and <": "or <", "or <": "and <", "add i64": "sub i64",
    "addi": "add", "slli": "addi", "vsrl": "vsll", "vfcvt.x": "vfcvt.f.x.v", "bgeu": "bltu",
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """A kernel's code with one fault: its kind, and what was changed to what."""

    instance: KernelInstance
    kind: str
    change: str
    code: str


Change = Callable[[list[str], random.Random], "str | None"]


def _pick(lines: list[str], rng: random.Random, pattern: str) -> tuple[int, re.Match[str]] | None:
    """A drawn place where a pattern is found."""
    found = [(at, match) for at, line in enumerate(lines) for match in re.finditer(pattern, line)]
    return rng.choice(found) if found else None


def _replace(lines: list[str], rng: random.Random, pattern: str, new: Callable[[str], str]) -> str | None:
    picked = _pick(lines, rng, pattern)
    if not picked:
        return None
    at, match = picked
    old = lines[at]
    lines[at] = old[: match.start(1)] + new(match[1]) + old[match.end(1) :]
    return f"{old} -> {lines[at]}" if lines[at] != old else None


def register(lines: list[str], rng: random.Random) -> str | None:
    """Another register of the same kind."""
    pattern = (
        r"(?:%[xyz]mm|%v|\bv|\bq|\bx|\bf|%r|%k|[a-z] |, )(\d+)\b"
        if rng.random() < 0.8
        else r"%(r[a-ds][xip]|r\d+)\b"
    )
    others = ["rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "rbx"]
    return _replace(
        lines,
        rng,
        pattern,
        lambda old: str(max(0, int(old) + rng.choice([-1, 1, 2]))) if old.isdigit() else rng.choice(others),
    )


def offset(lines: list[str], rng: random.Random) -> str | None:
    """Another offset of an operand in memory."""
    by = rng.choice([-64, -32, -16, -4, -1, 1, 4, 8, 16, 32, 64])
    pattern = rng.choice([r"(-?\d+)\(", r"#(-?\d+)\]", r"getelementptr.*i64 (-?\d+)"])
    return _replace(lines, rng, pattern, lambda old: str(int(old) + by))


def distance(lines: list[str], rng: random.Random) -> str | None:
    """Another number that a pointer is moved by."""
    by = rng.choice([-64, -4, -1, 1, 4, 64])
    return _replace(
        lines, rng, r"\b(?:add|sub|lea|addi)\b.*?(?:\$\$|#|, )(-?\d+)", lambda old: str(int(old) + by)
    )


def count(lines: list[str], rng: random.Random) -> str | None:
    """A number that counts or masks, off by one, doubled or halved."""
    change = rng.choice([lambda n: n + 1, lambda n: n - 1, lambda n: 2 * n, lambda n: n // 2])
    return _replace(
        lines,
        rng,
        r"\b(?:mov|movz|movk|li|lis|icmp|mul)\b.*?(?:\$\$|#|, )(-?\d+)",
        lambda old: str(change(int(old))),
    )


def mask(lines: list[str], rng: random.Random) -> str | None:
    """A mask left out, or lanes kept where they were zeroed."""
    chosen = rng.choice(
        [(r"(\{%k\d\}\{z\}|\{%k\d\})", ""), (r"(\{z\})", ""), (r"(%k\d)", "%k3"), (r"(\{1to\d+\})", "")]
    )
    return _replace(lines, rng, chosen[0], lambda old: chosen[1])


def constant(lines: list[str], rng: random.Random) -> str | None:
    """Another bit of a constant among the code, or of a shuffle's number."""
    return _replace(
        lines,
        rng,
        r"(?:\.fill \d+, \d, |\.long |^v\w+ \$\$|\.(?:int|word) |<i32 )(\d+)",
        lambda old: str(int(old) ^ 1 << rng.randrange(8)),
    )


def order(lines: list[str], rng: random.Random) -> str | None:
    """Two neighbouring lines that changed places."""
    if len(lines) < 2:
        return None
    at = rng.randrange(len(lines) - 1)
    first, second = lines[at : at + 2]
    lines[at : at + 2] = second, first
    return f"{first} <-> {second}" if first != second else None


def missing(lines: list[str], rng: random.Random) -> str | None:
    """A line left out."""
    return f"without {lines.pop(rng.randrange(len(lines)))}"


def repeated(lines: list[str], rng: random.Random) -> str | None:
    """A line that is there twice."""
    at = rng.randrange(len(lines))
    lines.insert(at, lines[at])
    return f"twice {lines[at]}"


def operands(lines: list[str], rng: random.Random) -> str | None:
    """Two operands that changed places."""
    found = [
        at for at, line in enumerate(lines) if line.count(", ") >= 1 and "(" not in line.partition(", ")[0]
    ]
    if not found:
        return None
    at = rng.choice(found)
    old = lines[at]
    mnemonic, _, rest = old.partition(" ")
    parts = rest.split(", ")
    i = rng.randrange(len(parts) - 1)
    parts[i], parts[i + 1] = parts[i + 1], parts[i]
    lines[at] = f"{mnemonic} {', '.join(parts)}"
    return f"{old} -> {lines[at]}" if lines[at] != old else None


def instruction(lines: list[str], rng: random.Random) -> str | None:
    """An instruction for another."""
    found = [
        (at, old)
        for at, line in enumerate(lines)
        for old in INSTRUCTIONS
        if re.sub(r"^ *%[\w.]+ = ", "", line).startswith(old)
    ]
    if not found:
        return None
    at, old = rng.choice(found)
    before = lines[at]
    lines[at] = before.replace(old, INSTRUCTIONS[old], 1)
    return f"{before} -> {lines[at]}"


def jump(lines: list[str], rng: random.Random) -> str | None:
    """A jump, or a label, that is another's."""
    named = [line[:-1] for line in lines if re.fullmatch(r"[a-z.]+\d*:", line)]
    if named:
        return _replace(lines, rng, r"label %([\w.]+)", lambda old: rng.choice(named))
    return _replace(
        lines,
        rng,
        [r"(\d)[fb]\b(?!\+)", r"^(\d):"][rng.random() < 0.3],
        lambda old: str((int(old) + 1) % 9),
    )


def length(lines: list[str], rng: random.Random) -> str | None:
    """Other elements, or other groups of registers, or another number of channels for vectors."""
    pattern, others = rng.choice(
        [
            (r"\bvset.* (e\d+),", ["e8", "e16", "e32"]),
            (r"\bvset.* (mf?\d),", ["m1", "m2", "m4", "m8", "mf2", "mf4"]),
            (r"\bvset\w+ x\d+, (x?\d+),", ["x0", "x28", "x29", "x6"]),
            (r"\bvset\w+ (x\d+),", ["x0", "x7", "x6"]),
        ]
    )
    return _replace(
        lines, rng, pattern, lambda old: str(int(old) + 1) if old.isdigit() else rng.choice(others)
    )


def moved(lines: list[str], rng: random.Random) -> str | None:
    """A line that stands a few lines further up or down."""
    at = rng.randrange(len(lines))
    to = min(len(lines) - 1, max(0, at + rng.choice([-12, -5, -3, 3, 5, 12])))
    line = lines.pop(at)
    lines.insert(to, line)
    return f"{line} moved by {to - at}" if to != at else None


KINDS: dict[str, Change] = {
    change.__name__: change
    for change in (
        register, offset, distance, count, mask, constant, order, missing, repeated, operands, instruction,
        jump, length, moved,
    )
}  # fmt: skip


def constraints(code: str, rng: random.Random) -> tuple[str, str] | None:
    """A register that LLVM is not told of, or parameters in one another's registers."""
    match = BODY.search(code)
    assert match
    parts = match[4].split(",")
    if rng.random() < 0.7:
        at = rng.choice([i for i, part in enumerate(parts) if part.startswith("~")])
        change = f"without {parts.pop(at)}"
    else:
        ties = [i for i, part in enumerate(parts) if part.isdigit()]
        i, k = rng.sample(ties, 2)
        parts[i], parts[k] = parts[k], parts[i]
        change = f"{parts[k]} for {parts[i]}"
    return change, code[: match.start(4)] + ",".join(parts) + code[match.end(4) :]


def fault(instance: KernelInstance, code: str, rng: random.Random) -> Fault:
    """A drawn fault of a kernel's code."""
    assembly = BODY.search(code)
    match, line_break = (assembly, BREAK) if assembly else (PLAIN.search(code), "\n")
    assert match
    while True:
        kind = rng.choice([*KINDS, "constraints"])
        if kind == "constraints":
            changed = constraints(code, rng) if assembly else None
            if changed:
                return Fault(instance, kind, *changed)
            continue
        lines = match[2].split(line_break)
        change = KINDS[kind](lines, rng)
        if change:
            body = line_break.join(lines)
            return Fault(instance, kind, change, code[: match.start(2)] + body + code[match.end(2) :])


def instances(isa: Isa, count: int, seed: int) -> list[KernelInstance]:
    """So many instances of an instruction set's kernels as the tests draw them, none too long."""
    rng, kernels = random.Random(f"{isa.name} {seed}"), registry.registered_kernels(isa)
    draw = byte_kernels.draw_instance if isa.of_bytes else test_microkernels.draw_instance
    return [draw(rng.choice(kernels), rng, full=False) for _ in range(count)]


def faults(isas: Sequence[Isa], count: int, seed: int) -> Iterator[Fault]:
    """So many drawn faults, of the instruction sets in turn."""
    rng = random.Random(seed)
    pool = {isa.name: instances(isa, KERNELS, seed) for isa in isas}
    for _, isa in zip(range(count), itertools.cycle(isas), strict=False):
        instance = rng.choice(pool[isa.name])
        yield fault(instance, registry.emit(instance), rng)


def outcome(found: Fault) -> str:
    """What a proof says of a fault, and of one that is proven, what is computed: "refuted", "equivalent", or
    "missed"."""
    if not verify(found.instance.name, found.code):
        return "refuted"
    isa = ISAS[found.instance.kernel.isa]
    if isa.arch != "x86_64":
        return "equivalent"
    tests = byte_kernels if isa.of_bytes else test_microkernels
    for taps in TAPS:
        operands = tests.draw_operands(found.instance, taps)
        codes = registry.emit(found.instance), found.code
        want, got = (_computed(isa, code, operands, taps) for code in codes)
        same = want.view(f"u{want.itemsize}") == got.view(f"u{got.itemsize}")
        if not (same | (np.isnan(want.astype(float)) & np.isnan(got.astype(float)))).all():
            return "missed"
    return "equivalent"


def _computed(isa: Isa, code: str, operands: list[np.ndarray], taps: int) -> np.ndarray:
    *others, c = operands
    if isa.thread_setup:
        code = "\n".join([*isa.thread_setup.enter, code, *isa.thread_setup.leave])
    return interpret(code, [c, *others], taps)[0]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--isa", default=",".join(ISAS), help="instruction sets, between commas")
    arguments = parser.parse_args()
    outcomes: Counter[tuple[str, str]] = Counter()
    isas = [ISAS[name] for name in arguments.isa.split(",")]
    with Progress(console=Console(stderr=True)) as progress:
        for found in progress.track(
            list(faults(isas, arguments.count, arguments.seed)), description="proving"
        ):
            result = outcome(found)
            outcomes[found.kind, result] += 1
            if result == "missed":
                print(f"missed: {found.instance.name}: {found.kind}: {found.change}")
    print(fault_table(outcomes, [*KINDS, "constraints"]))
    return int(any(result == "missed" for _, result in outcomes))


if __name__ == "__main__":
    sys.exit(main())
