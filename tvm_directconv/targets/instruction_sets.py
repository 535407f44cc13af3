"""Instruction sets that one file may hold beside the target's own, by the names that -dispatch takes.

Below target.py, which resolves each to a target. A set has all that the kernels of some entries of
``intrinsics`` need. Sources: the x86-64 psABI's microarchitecture levels, the Arm ARM's optional extensions,
and the Power ISA's versions.
"""

from __future__ import annotations

from tvm_directconv.errors import TargetError, nearest

PORTABLE = "portable"
"""The word that stands for the sets of an architecture that most networks gain by."""
Words = tuple[str, tuple[str, ...]]
AMX = ("+avx512vnni", "+avx512bf16", "+amx-tile", "+amx-int8", "+amx-bf16")
SETS: dict[str, dict[str, Words]] = {
    "x86_64": {
        "avx2": ("x86-64-v3", ()),
        "avxvnni": ("x86-64-v3", ("+avxvnni",)),
        "avx512": ("x86-64-v4", ()),
        "avx512vnni": ("x86-64-v4", ("+avx512vnni",)),
        "avx512bf16": ("x86-64-v4", ("+avx512vnni", "+avx512bf16")),
        "amx": ("x86-64-v4", AMX),
    },
    "aarch64": {
        "dotprod": ("", ("+dotprod",)),
        "i8mm": ("", ("+dotprod", "+i8mm")),
        "bf16": ("", ("+dotprod", "+i8mm", "+bf16")),
    },
    "powerpc64le": {"power9": ("pwr9", ()), "mma": ("pwr10", ())},
}
"""The -mcpu (where it is not the target's own) and the attributes of each set, by architecture, the best
last."""
ASK_CPUS, LIST_FEATURES = ("x86_64",), ("linux", "android")
"""Any process may ask CPUs of these architectures; of others, these systems say what they have."""
SENSIBLE = {
    "x86_64": ("avx2", "avx512", "avx512vnni"),
    "aarch64": ("dotprod", "i8mm", "bf16"),
    "powerpc64le": ("mma",),
}


def ordered_sets(asked: tuple[str, ...], arch: str, system: str) -> dict[str, Words]:
    """Return the sets of these names, or of the word "portable", the best first. Raises TargetError for those
    that an architecture does not have, and where code cannot know which a CPU has."""
    known = SETS.get(arch, {})
    if not known:
        raise TargetError(f"-dispatch is for {', '.join(SETS)}, not {arch}; drop it")
    if arch not in ASK_CPUS and system not in LIST_FEATURES:
        raise TargetError(f"-dispatch: {system or 'no system'} does not say what {arch} CPUs have; drop it")
    names = {name for word in asked for name in (SENSIBLE[arch] if word == PORTABLE else (word,))}
    for name in sorted(names - known.keys()):
        raise TargetError(
            f"-dispatch={name}: no instruction set of {arch} is called so{nearest(name, known)}; "
            f"there are {', '.join(known)}, and {PORTABLE} for {','.join(SENSIBLE[arch])}"
        )
    return {name: words for name, words in reversed(known.items()) if name in names}
