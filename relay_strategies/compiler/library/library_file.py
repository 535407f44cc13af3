"""The kind of a library file: object format and architecture, as its first bytes say and as a target has it.

Below linking.py, which writes libraries, and compiled_model.py, which loads them: the dynamic loader and the
linkers say little of a file of another kind. Sources: the System V ABI's ELF header, Apple's mach-o/loader.h,
Microsoft's PE format.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tvm_ffi

from tvm_directconv.errors import DirectConvError, ModelError, let_through
from tvm_directconv.targets import llvm
from tvm_directconv.temporary import temporary_folder

HEADER_BYTES = 4096
ELF_MACHINES = {
    3: "i386", 8: "mips", 20: "powerpc", 21: "powerpc64", 22: "s390x", 40: "arm", 43: "sparcv9",
    62: "x86_64", 164: "hexagon", 183: "aarch64", 243: "riscv", 258: "loongarch",
}  # fmt: skip
MACHO_MACHINES = {0x01000007: "x86_64", 0x0100000C: "aarch64"}
PE_MACHINES = {0x14C: "i386", 0x8664: "x86_64", 0xAA64: "aarch64"}
FAMILIES = ("mips", "riscv", "loongarch")
"""Families whose names in ELF do not contain the number of bits."""
SUFFIXES = {"ELF": (".so",), "Mach-O": (".dylib", ".so"), "PE": (".dll",)}
"""Loaders take libraries of each format by these names."""

ALIAS = "library.so"


@dataclass(frozen=True)
class LibraryKind:
    """A library of one format, for one architecture by LLVM's name; ``bits`` is the length of a pointer where
    the format says it, and ``big_endian`` the order of bytes."""

    format: str
    arch: str
    bits: int
    big_endian: bool = False

    def __str__(self) -> str:
        order = "big-endian " if self.big_endian else ""
        return f"library for {order}{self.bits}-bit {self.arch} in {self.format} format"


def kind_of_file(path: Path) -> LibraryKind | None:
    """Return what a file's header says, or None if the file is not a library of a known kind."""
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if header[:4] == b"\x7fELF" and len(header) >= 20:
        big = header[5] == 2
        machine = int.from_bytes(header[18:20], "big" if big else "little")
        name = ELF_MACHINES.get(machine, f"machine {machine}")
        return LibraryKind("ELF", name, 64 if header[4] == 2 else 32, big)
    if header[:4] == b"\xcf\xfa\xed\xfe":
        machine = int.from_bytes(header[4:8], "little")
        return LibraryKind("Mach-O", MACHO_MACHINES.get(machine, f"machine {machine}"), 64)
    start = int.from_bytes(header[60:64], "little")
    if header[:2] == b"MZ" and header[start : start + 4] == b"PE\0\0":
        machine = int.from_bytes(header[start + 4 : start + 6], "little")
        return LibraryKind(
            "PE", PE_MACHINES.get(machine, f"machine {machine}"), 32 if machine == 0x14C else 64
        )
    return None


def check_kind(path: Path) -> None:
    """Raise ModelError for a library that this host's loader is not for, of which it would say little."""
    try:
        kind, wanted = kind_of_file(path), kind_of_triple(llvm.host_triple())
        missing = missing_bytes(path)
    except OSError as error:
        let_through(error)
        raise ModelError(f"cannot read '{path}': {error.strerror}") from None
    if kind is not None and kind != wanted:
        raise ModelError(f"'{path}' is a {kind}; this host loads a {wanted}")
    if missing:
        raise ModelError(f"'{path}' is cut short: {missing} bytes that it says it has are missing")


def load_library(path: Path) -> Any:
    """Return TVM's module of a shared library that is as this host wants it; whatever the loader raises."""
    try:
        alone = temporary_folder()
    except DirectConvError:
        return tvm_ffi.load_module(str(path))
    with alone as folder:
        # The dynamic loader returns what it has under the same name, even if the file was replaced since;
        # tvm.runtime.load_module would follow the link to that name.
        alias = Path(folder) / ALIAS
        alias.symlink_to(path.resolve())
        return tvm_ffi.load_module(str(alias))


def missing_bytes(path: Path) -> int:
    """Return how many bytes an ELF library says it has behind the end of the file: it was cut short.

    The dynamic loader maps such a file, and the process ends where it reads what is not there.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        header = file.read(64)
        if header[:4] != b"\x7fELF" or len(header) < 64:
            return 0
        order, is_64 = ("big" if header[5] == 2 else "little"), header[4] == 2

        def number(data: bytes, at: int, length: int) -> int:
            return int.from_bytes(data[at : at + length], order)  # type: ignore[arg-type]

        word = 8 if is_64 else 4
        programs, sections = number(header, 24 + word, word), number(header, 24 + 2 * word, word)
        counts = 24 + 3 * word + 6
        entry, entries, section, how_many = (number(header, counts + 2 * i, 2) for i in range(4))
        ends = [sections + section * how_many]
        file.seek(programs)
        table = file.read(entry * entries)
        offset, length = (8, 32) if is_64 else (4, 16)
        for at in range(0, len(table) - entry + 1, max(entry, 1)):
            ends.append(number(table, at + offset, word) + number(table, at + length, word))
    return max(0, max(ends) - size)


def kind_of_triple(triple: str) -> LibraryKind:
    """Return the kind of the libraries that systems of a triple load."""
    arch, system = llvm.arch_of(triple), llvm.system_of(triple)
    formats = {"windows": "PE", "darwin": "Mach-O", "macos": "Mach-O", "ios": "Mach-O"}
    big = arch in llvm.BIG_ENDIAN or arch.endswith(("be", "eb"))
    bits = 64 if "64" in arch or arch in ("s390x", "sparcv9") else 32
    arch = "arm" if arch.startswith(("arm", "thumb")) else arch.removesuffix("_be")
    arch = next((family for family in FAMILIES if arch.startswith(family)), arch.removesuffix("le"))
    return LibraryKind(formats.get(system, "ELF"), arch, bits, big)
