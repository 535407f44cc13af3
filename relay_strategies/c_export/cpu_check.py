"""What an exported network asks the CPU before anything else: which of its instruction sets that has.

An x86 CPU is asked by CPUID and XCR0, others by what Linux tells every process (getauxval). What is not
asked, of other architectures and systems, is taken to be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from string import Template
from typing import NamedTuple

from tvm_directconv.runtime.cpu import BITS, HWCAP, HWCAP2
from tvm_directconv.targets import llvm
from tvm_directconv.targets.x86_features import EXTENDED, OS_SAVES, questions

BASELINES = {"x86_64": "x86-64", "i386": "pentium4", "aarch64": "generic", "powerpc64le": "ppc64le"}
"""CPUs that the check itself is compiled for, by architecture."""
ASKED_ITSELF = ("x86_64", "i386")
"""The architectures whose CPUs any process may ask."""
LISTED = {"aarch64": "aarch64", "powerpc64le": "powerpc64"}
"""The architectures of whose CPUs Linux has a list, by its names in ``runtime/cpu.py``."""
CPUID = 'call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}"'
REGISTERS = range(4)


class Asked(NamedTuple):
    """A feature: the word that has its bits, and the bits of the first word that have to be set, too."""

    feature: str
    word: int
    bits: int
    state: int


def baseline_of(arch: str) -> str:
    """Return the attributes of functions that run on every CPU of an architecture; none where no CPU is
    asked."""
    cpu = BASELINES.get(arch)
    return f'"target-cpu"="{cpu}" "target-features"=""' if cpu else ""


def cpu_check(name: str, sets: Sequence[Iterable[str]], triple: str) -> str:
    """Return LLVM IR of ``name_missing``, which names the features of the last of the ``sets``, by LLVM's
    names, that a CPU lacks, and of ``name.chosen``: the number of the first set that it has, or -1."""
    arch, features = llvm.arch_of(triple), frozenset[str]().union(*sets)
    asks: dict[str, Asked] = {}
    if arch in ASKED_ITSELF:
        asks, reading, words = _of_x86(features)
    elif arch in LISTED and llvm.system_of(triple) in ("linux", "android"):
        asks, reading, words = _of_linux(features, BITS[LISTED[arch]])
    if not asks:
        reading, words = [], 1
    texts = [
        f'@{name}.feature.{each} = internal constant [{len(each) + 1} x i8] c"{each}\\00"' for each in asks
    ]
    tables, ranges = [], []
    for number, wanted in enumerate(sets):
        rows = [
            f"%{name}.question {{ i64 {each.word}, i64 {each.bits}, i64 {each.state}, "
            f"ptr @{name}.feature.{each.feature} }}"
            for each in asks.values()
            if each.feature in wanted
        ]
        rows.append(f"%{name}.question zeroinitializer")  # the end
        tables.append(
            f"@{name}.questions{number} = internal constant [{len(rows)} x %{name}.question] "
            f"[{', '.join(rows)}]"
        )
        ranges.append(f"ptr @{name}.questions{number}")
    values = {
        "name": name,
        "baseline": baseline_of(arch),
        "texts": "\n".join([*texts, *tables]),
        "sets": ", ".join(ranges),
        "set_count": len(sets),
        "last": len(sets) - 1,
        "words": words,
        "reading": "\n".join(f"  {line}" if not line.endswith(":") else line for line in reading),
        "declared": "declare i64 @getauxval(i64)" if any("getauxval" in line for line in reading) else "",
    }
    return Template(files(__package__).joinpath("cpu_check.ll").read_text()).substitute(values)


def _of_x86(features: Iterable[str]) -> tuple[dict[str, Asked], list[str], int]:
    """What is asked of an x86 CPU, by feature; the code that reads the answers, and how many words it
    writes: XCR0 is the first, then four registers for each leaf."""
    asked = questions(features)
    leaves = list(dict.fromkeys([(1, 0), *((each.leaf, each.subleaf) for each in asked)]))
    first = {leaf: 1 + len(REGISTERS) * number for number, leaf in enumerate(leaves)}
    asks = {
        each.feature: Asked(
            each.feature, first[each.leaf, each.subleaf] + each.register, 1 << each.bit, each.state
        )
        for each in asked
    }
    lines = []
    for name, base in (("basic", 0), ("extended", EXTENDED)):
        lines += [
            f"%{name} = {CPUID}(i32 {base}, i32 0)",
            f"%{name}.last = extractvalue {{ i32, i32, i32, i32 }} %{name}, 0",
        ]
    for number, (leaf, subleaf) in enumerate(leaves):
        last = "extended" if leaf & EXTENDED else "basic"
        lines += [
            f"%there{number} = icmp uge i32 %{last}.last, {leaf}",
            f"%mask{number} = sext i1 %there{number} to i32",
            f"%said{number} = {CPUID}(i32 {leaf}, i32 {subleaf})",
        ]
        for register in REGISTERS:
            each = f"{number}.{register}"
            lines += [
                f"%raw{each} = extractvalue {{ i32, i32, i32, i32 }} %said{number}, {register}",
                f"%kept{each} = and i32 %raw{each}, %mask{number}",
                f"%wide{each} = zext i32 %kept{each} to i64",
                f"%place{each} = getelementptr i64, ptr %words, i64 {first[leaf, subleaf] + register}",
                f"store i64 %wide{each}, ptr %place{each}",
            ]
    lines += [
        f"%tells = and i64 %wide0.2, {1 << OS_SAVES}",
        "%has.state = icmp ne i64 %tells, 0",
        "br i1 %has.state, label %state, label %done",
        "state:",
        '%both = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx}"(i32 0)',
        "%low = extractvalue { i32, i32 } %both, 0",
        "%saved = zext i32 %low to i64",
        "store i64 %saved, ptr %words",
        "br label %done",
        "done:",
    ]
    return asks, lines, 1 + len(REGISTERS) * len(leaves)


def _of_linux(
    features: Iterable[str], bits: dict[str, tuple[int, int]]
) -> tuple[dict[str, Asked], list[str], int]:
    """``_of_x86`` of a CPU that Linux describes: the words behind the first are those of its list."""
    entries = (HWCAP, HWCAP2)
    asks = {
        each: Asked(each, 1 + entries.index(bits[each][0]), 1 << bits[each][1], 0)
        for each in sorted(set(features) & bits.keys())
    }
    lines = []
    for number, entry in enumerate(entries, 1):
        lines += [
            f"%said{number} = call i64 @getauxval(i64 {entry})",
            f"%place{number} = getelementptr i64, ptr %words, i64 {number}",
            f"store i64 %said{number}, ptr %place{number}",
        ]
    return asks, lines, 1 + len(entries)
