"""What TVM's LLVM knows: architectures, CPU names, features, and the CPU of this host.

Below target.py. TVM crashes on an unknown triple, takes an unknown CPU for "generic" and ignores an
unknown feature, so callers check names here before they use them. Source: ``tvm.target.codegen``.
"""

from __future__ import annotations

import functools
import os
import re
from typing import Any

from tvm.target import Target, codegen
from tvm_ffi import get_global_func

from tvm_directconv.locks import with_stderr_into

from .host_tiles import tiles_work

# Other spellings LLVM accepts for the first word of a triple.
ARCH_SPELLINGS = (
    (r"amd64|x86_64h", "x86_64"),
    (r"i[3-9]86", "i386"),
    (r"arm64e?", "aarch64"),
    (r"ppc64le", "powerpc64le"),
    (r"ppc64", "powerpc64"),
    (r"ppc|ppc32", "powerpc"),
    (r"armv[4-9].*", "arm"),
    (r"thumbv[4-9].*", "thumb"),
)
# These store the most significant byte first; so do those whose names say it.
BIG_ENDIAN = ("powerpc", "powerpc64", "s390x", "sparc", "sparcv9", "mips", "mips64", "lanai")
OPERATING_SYSTEMS = ("android", "linux", "windows", "darwin", "macos", "ios", "freebsd")
# Code for these is compiled without a trial, where the architecture is one described.
USUAL_SYSTEMS = ("", "android", "linux", "windows", "darwin", "macos")
# What else may stand where LLVM expects the vendor in a triple of three words.
OTHER_SYSTEMS = ("none", "wasi", "emscripten", "netbsd", "openbsd", "fuchsia", "aix", "uefi")
# What LLVM also compiles for, but is not a CPU.
NOT_CPUS = r"nvptx.*|amdgcn|r600|spirv.*|bpf.*"
# The environments of 64-bit registers with 32-bit pointers, and what else pointers are too short on.
SHORT_POINTERS = r"(avr|msp430|aarch64_32|arm64_32)\b.*|.*-(gnux32|muslx32|gnu_ilp32|gnuabin32|muslabin32)"
# LLVM takes little-endian POWER for a POWER8 at least, but its feature query does not say so.
DEFAULT_CPUS = {"powerpc64le": "ppc64le"}
# Linux on RISC-V asks for these of every CPU, and its libraries pass floats in their registers.
LINUX_BASELINES = {"riscv64": ("+m", "+a", "+f", "+d", "+c")}
# LLVM's names of what needs tiles begin so.
OF_TILES = "amx-"


def host_triple() -> str:
    return str(codegen.llvm_get_system_triple())


def arch_of(triple: str) -> str:
    """Return LLVM's name of the architecture in a triple: "x86_64" for "amd64-linux-gnu"."""
    word = triple.split("-")[0]
    return next((arch for spelling, arch in ARCH_SPELLINGS if re.fullmatch(spelling, word)), word)


def normalized(triple: str) -> str:
    """Return a triple with its words where LLVM's code generator looks for them, as compilers do before they
    ask it: to it, "armv7-linux-gnueabihf" is a vendor "linux" of an unknown system without hard floats."""
    arch, *rest = triple.replace("-mingw32", "-windows-gnu").split("-")
    if rest and len(rest) < 3 and rest[0].startswith((*OPERATING_SYSTEMS, *OTHER_SYSTEMS)):
        rest.insert(0, "unknown")
    return "-".join([arch, *rest])


def baseline_attributes(triple: str) -> tuple[str, ...]:
    """Return what the system of a triple asks of CPUs beyond LLVM's least one."""
    linux = system_of(triple) in ("linux", "android")
    return LINUX_BASELINES.get(arch_of(triple), ()) if linux else ()


def system_of(triple: str) -> str:
    """Return the operating system in a triple, or an empty string where it names none we know."""
    return next((name for name in OPERATING_SYSTEMS if name in triple), "")


@functools.cache
def arch_names() -> frozenset[str]:
    """Return every CPU architecture LLVM compiles for."""
    names = map(str, codegen.llvm_get_targets())
    return frozenset(name for name in names if not re.fullmatch(NOT_CPUS, name))


def compiles_for(triple: str) -> bool:
    """Say whether LLVM compiles for the CPUs of a triple; nothing else may be asked if not."""
    return arch_of(triple) in arch_names()


def has_short_pointers(triple: str) -> bool:
    """Say whether pointers are shorter than registers or than 32 bits: neither kernels nor TVM's runtime are
    made for that."""
    return re.fullmatch(SHORT_POINTERS, triple) is not None


@functools.cache
def cpu_names(triple: str) -> tuple[str, ...]:
    """Return every CPU name LLVM knows for a triple."""
    return tuple(sorted(map(str, codegen.llvm_get_cpu_archlist(_query(triple)))))


@functools.cache
def features_of(triple: str, mcpu: str = "", mattr: tuple[str, ...] = ()) -> frozenset[str]:
    """Return every feature that code for the CPU may use, with all that each implies."""
    return frozenset(map(str, codegen.llvm_get_cpu_features(_query(triple, mcpu, mattr))))


@functools.cache
def feature_names(triple: str) -> frozenset[str]:
    """Return the features of all CPUs of a triple; LLVM knows a few more, which no CPU has by default."""
    return frozenset().union(*(features_of(triple, name) for name in cpu_names(triple)))


def knows_feature(triple: str, mcpu: str, name: str) -> bool:
    """Say whether LLVM knows a feature: asking for it turns it on."""
    # LLVM says on standard error that it does not know one; who asks says it better.
    with open(os.devnull, "wb") as nowhere:
        return with_stderr_into(nowhere, lambda: name in features_of(triple, mcpu, (f"+{name}",)))


@functools.cache
def host_report() -> dict[str, bool]:
    """Return what LLVM finds by asking the host's CPU: on x86 every feature, present or not; elsewhere
    mostly those present. Tiles that do not work are not present."""
    report = get_global_func("tvm.codegen.llvm.GetHostCPUFeatures")()
    found = {str(name): bool(present) for name, present in report.items()}
    if found.get(f"{OF_TILES}tile") and not tiles_work():
        found = {name: present and not name.startswith(OF_TILES) for name, present in found.items()}
    return found


@functools.cache
def host_cpu_name() -> str:
    """Return LLVM's name of the host's CPU, by family and model; where it has none, the default."""
    name = str(codegen.llvm_get_system_cpu())
    return name if name in cpu_names(host_triple()) else DEFAULT_CPUS.get(arch_of(host_triple()), "")


def _query(triple: str, mcpu: str = "", mattr: tuple[str, ...] = ()) -> Target:
    """Return a target to ask LLVM about; its vector width only keeps TVM from warning."""
    config: dict[str, Any] = {"kind": "llvm", "mtriple": triple, "vector-width": 128}
    config.update({"mcpu": mcpu} if mcpu else {})
    config.update({"mattr": list(mattr)} if mattr else {})
    return Target(config)
