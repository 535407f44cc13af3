"""The kind of a library file: object format and architecture, as its first bytes say and as a target has it.

Below linking.py, which writes libraries, and compiled_model.py, which loads them: the dynamic loader and the
linkers say little of a file of another kind. Sources: the System V ABI's ELF header, Apple's mach-o/loader.h,
Microsoft's PE format.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import tvm_ffi

from tvm_directconv.errors import DirectConvError, ModelError, let_through
from tvm_directconv.runtime.library_format import ALIAS, LibraryKind, is_open, kind_of_file, missing_bytes
from tvm_directconv.targets import llvm
from tvm_directconv.temporary import temporary_folder

FAMILIES = ("mips", "riscv", "loongarch")
"""Families whose names in ELF do not contain the number of bits."""
SUFFIXES = {"ELF": (".so",), "Mach-O": (".dylib", ".so"), "PE": (".dll",)}
"""Loaders take libraries of each format by these names."""


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
        if is_open(path):  # one that runs without TVM calls other functions than this one will
            shutil.copyfile(path, alias)
        else:
            alias.symlink_to(path.resolve())
        return tvm_ffi.load_module(str(alias))


def kind_of_triple(triple: str) -> LibraryKind:
    """Return the kind of the libraries that systems of a triple load."""
    arch, system = llvm.arch_of(triple), llvm.system_of(triple)
    formats = {"windows": "PE", "darwin": "Mach-O", "macos": "Mach-O", "ios": "Mach-O"}
    big = arch in llvm.BIG_ENDIAN or arch.endswith(("be", "eb"))
    bits = 64 if "64" in arch or arch in ("s390x", "sparcv9") else 32
    arch = "arm" if arch.startswith(("arm", "thumb")) else arch.removesuffix("_be")
    arch = next((family for family in FAMILIES if arch.startswith(family)), arch.removesuffix("le"))
    return LibraryKind(formats.get(system, "ELF"), arch, bits, big)
