"""The format of a library file, as its first bytes say, and its functions by ctypes.

The dynamic loader says little of a file of another kind, and ends the process at one that was cut short.
Sources: the System V ABI's ELF header, Apple's mach-o/loader.h, Microsoft's PE format."""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from pathlib import Path

HEADER_BYTES = 4096
ELF_MACHINES = {
    3: "i386", 8: "mips", 20: "powerpc", 21: "powerpc64", 22: "s390x", 40: "arm", 43: "sparcv9",
    62: "x86_64", 164: "hexagon", 183: "aarch64", 243: "riscv", 258: "loongarch",
}  # fmt: skip
MACHO_MACHINES = {0x01000007: "x86_64", 0x0100000C: "aarch64"}
PE_MACHINES = {0x14C: "i386", 0x8664: "x86_64", 0xAA64: "aarch64"}
ALIAS = "library.so"
ARCHS = {"amd64": "x86_64", "arm64": "aarch64", "ppc64le": "powerpc64", "i686": "i386"}
"""Architectures that Python's platform calls otherwise than LLVM does."""
_open: set[tuple[int, int]] = set()
"""The files of libraries that run without TVM, by device and number."""
_opened: dict[str, tuple[int, int]] = {}
"""The files that were loaded under their own names."""


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


def is_of_host(path: Path) -> bool:
    """Return whether a library is whole, and of this host's format and architecture. Raises OSError."""
    kind = kind_of_file(path)
    machine = os.uname().machine.lower() if hasattr(os, "uname") else "amd64"
    formats = {"darwin": "Mach-O", "win32": "PE"}
    return (
        kind is not None
        and kind.format == formats.get(sys.platform, "ELF")
        and kind.arch in (machine, ARCHS.get(machine), *_family(machine))
        and kind.big_endian == (sys.byteorder == "big")
        and not missing_bytes(path)
    )


def _family(machine: str) -> list[str]:
    return [name for name in ("riscv", "arm", "loongarch") if machine.startswith(name)]


def open_library(path: Path) -> ctypes.CDLL:
    """Return the functions of a library. Raises OSError where it cannot be loaded, as it is where only TVM
    has what it calls."""
    path = path.resolve()
    state = path.stat()
    number = state.st_dev, state.st_ino
    if _opened.setdefault(str(path), number) == number:
        library = ctypes.CDLL(str(path))
    else:  # the file was replaced since; the dynamic loader returns what it has under the same name
        from tvm_directconv.temporary import temporary_folder

        with temporary_folder() as folder:
            alias = Path(folder) / ALIAS
            alias.symlink_to(path)
            library = ctypes.CDLL(str(alias))
    _open.add(number)
    return library


def is_open(path: Path) -> bool:
    """Return whether ``open_library`` has loaded a file."""
    state = path.stat()
    return (state.st_dev, state.st_ino) in _open
