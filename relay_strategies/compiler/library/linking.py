"""How a compiled model becomes a shared library: the linker for its target, found or given, and the file.

This host's own C compiler links for this host, and for another the cross compiler of its triple, as Debian
names them. Where there is none, ziglang does (``pip install tvm-directconv[cross]``): for Linux, Android,
macOS and Windows (GNU).
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tvm import relax
from tvm.support import cc
from tvm_ffi import get_global_func

from tvm_directconv.errors import DirectConvError, let_through
from tvm_directconv.log import LOG
from tvm_directconv.targets import llvm
from tvm_directconv.targets.target import CompileTarget
from tvm_directconv.temporary import has_room, temporary_folder

from .library_file import SUFFIXES, kind_of_file, kind_of_triple
from .program import object_code
from .quiet import without_scope_warnings

OPTIONS = ("-Wl,--no-as-needed", "-lm")
"""Options that link libm to the library itself, because TVM's loader does not load it."""
ZIG_ARCHS = {"i386": "x86"}
"""Zig calls these otherwise than LLVM does."""
RUNTIME_SYMBOLS = (
    "TVMFFIErrorSetRaisedFromCStr", "TVMFFIErrorSetRaisedFromCStrParts", "TVMFFIFunctionCall",
    "TVMFFIFunctionGetGlobal", "TVMFFIObjectDecRef", "TVMFFIObjectIncRef",
)  # fmt: skip
"""Code calls these of TVM's runtime by name. Loaders find them, but on Windows, where a DLL says who has
them."""
ANDROID_LIBRARIES = ("libm.so", "libc.so")
"""What the code calls of these, Android's loader finds in them."""
RUNTIME_LIBRARY = "tvm_ffi.dll"
DLLTOOL_MACHINES = {"x86_64": "i386:x86-64", "i386": "i386", "aarch64": "arm64"}
LINKING_BYTES = 1 << 30

Link = Callable[..., Any]


def shared_library_maker(target: CompileTarget, linker: str | None) -> Link:
    """The function TVM's ``export_library`` links with; ``linker`` is a C compiler driver, None finds one.

    Raises DirectConvError where there is none, naming what to install.
    """
    if linker is not None:
        if shutil.which(linker) is None:
            raise DirectConvError(f"linker '{linker}' not found")
        return cc.cross_compiler(linker, options=list(OPTIONS))
    own = _is_hosts(target.triple)
    if own and cc.get_cc() is not None:
        return cc.create_shared
    system = _linkable_system(target.triple)
    name = f"{llvm.arch_of(target.triple)}-{system}"
    if system.startswith("linux-gnu") and shutil.which(f"{name}-gcc"):
        return cc.cross_compiler(f"{name}-gcc", options=list(OPTIONS))
    if importlib.util.find_spec("ziglang") is not None:
        return _ziglang(target.triple, system)
    compiler = f"{'gcc' if own else name + '-gcc'}, or " if system.startswith("linux-gnu") or own else ""
    raise DirectConvError(
        f"no linker for {name} found; install {compiler}ziglang "
        "(pip install tvm-directconv[cross]), or name a C compiler driver with linker="
    )


def library_maker(path: Path, target: CompileTarget, linker: str | None) -> Link:
    """Return what links a library for ``target`` at ``path``.

    Raises DirectConvError for what can be known to fail before anything is compiled: a path that cannot be
    written or has another suffix than the target's system loads, a target without a linker.
    """
    suffixes = SUFFIXES[kind_of_triple(target.triple).format]
    if path.suffix not in suffixes:
        system = llvm.system_of(target.triple) or "this target"
        wanted = " or ".join(suffixes)
        raise DirectConvError(f"cannot write '{path}': a library for {system} ends in {wanted}")
    folder = path.parent
    try:
        if not folder.is_dir():
            raise DirectConvError(f"cannot write '{path}': no folder '{folder}'")
        if path.exists() and not path.is_file():
            raise DirectConvError(f"cannot write '{path}': it is there already, and no file")
    except OSError as error:
        let_through(error)
        raise DirectConvError(f"cannot write '{path}': {error.strerror}") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise DirectConvError(f"cannot write '{path}': no permission to write in '{folder}'")
    return shared_library_maker(target, linker)


def write_library(
    executable: relax.VMExecutable,
    target: CompileTarget,
    path: Path,
    link: Link,
    more: Callable[[Path], list[str]] | None = None,
) -> None:
    """Write a model's code and constants to ``path``, whole or not at all, and what is ``more``: arguments
    for the linker, of files in a folder that it is given. Raises DirectConvError with the linker's words."""

    def pack(module: Any, is_system_lib: bool, prefix: str, folder: str) -> str:
        """Write the constants as an object file: what TVM does by default, without its warnings."""
        pack_imports = get_global_func("runtime.ModulePackImportsToLLVM")
        packed = without_scope_warnings(
            lambda: pack_imports(module, is_system_lib, str(target.tvm_target), prefix)
        )
        packed.write_to_file(f"{folder}/constants.o")
        return f"{folder}/constants.o"

    def finish(_: str, objects: Sequence[str], **options: Any) -> None:
        link_objects(objects, target, path, link, more, **options)

    # Objects are written elsewhere: should LLVM end the process, nothing is left beside the library.
    with temporary_folder() as folder, _linking(path):
        executable.export_library(path.name, fcompile=finish, fpack_imports=pack, workspace_dir=folder)


def write_kernels(
    libraries: Sequence[Any],
    target: CompileTarget,
    path: Path,
    link: Link,
    more: Callable[[Path], list[str]],
) -> None:
    """Write the code of kernels alone to ``path``, as ``write_library`` does, with ``more``."""
    with temporary_folder() as folder, _linking(path):
        objects = [Path(folder) / f"kernels.{number}.o" for number in range(len(libraries))]
        for each, library in zip(objects, libraries, strict=True):
            each.write_bytes(object_code(library))
        link_objects(list(map(str, objects)), target, path, link, more)


def link_objects(
    objects: Sequence[str],
    target: CompileTarget,
    path: Path,
    link: Link,
    more: Callable[[Path], list[str]] | None = None,
    **options: Any,
) -> None:
    """Link objects, and what is ``more``, to a library at ``path``, whole or not at all."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".library.") as folder:
        partial = Path(folder) / path.name
        link(str(partial), [*objects, *(more(Path(folder)) if more else [])], **options)
        found, wanted = kind_of_file(partial), kind_of_triple(target.triple)
        if found != wanted:
            raise DirectConvError(f"the linker made a {found or 'file of unknown kind'}, not a {wanted}")
        os.replace(partial, path)
        LOG.info("wrote '%s', %d bytes", path, path.stat().st_size)


@contextmanager
def _linking(path: Path) -> Iterator[None]:
    """Have what fails be one error with the linker's words."""
    try:
        yield
    except (RuntimeError, OSError) as error:
        let_through(error)
        # TVM puts the linker's own words below a heading.
        said = [line for line in str(error).splitlines() if line and line != "Compilation error:"]
        raise DirectConvError(f"linking '{path}' failed: {said[0] if said else error}") from error


def _is_hosts(triple: str) -> bool:
    """Return whether this host's own compiler links for a triple."""
    host = llvm.host_triple()
    systems = {llvm.system_of(name) for name in (triple, host)} - {""}
    same_library = ("musl" in triple) == ("musl" in host)
    return llvm.arch_of(triple) == llvm.arch_of(host) and len(systems) <= 1 and same_library


def _linkable_system(triple: str) -> str:
    """Return system and environment as cross compilers and Zig name them: "linux-gnu", "macos".

    Raises DirectConvError for one that neither links for.
    """
    system, environment = llvm.system_of(triple), triple.split("-")[-1]
    if system in ("darwin", "macos"):
        return "macos"
    if system == "windows" and environment == "gnu":
        return "windows-gnu"
    if system == "linux":
        return f"linux-{environment if environment.startswith(('gnu', 'musl')) else 'gnu'}"
    if system == "android":
        return "linux-android"
    if system == "windows":
        reason = "write windows-gnu in the triple"
    else:
        reason = "name a C compiler driver for it with linker="
    raise DirectConvError(f"no linker for {triple} is known; {reason}")


def _ziglang(triple: str, system: str) -> Link:
    arch = llvm.arch_of(triple)
    named = f"{ZIG_ARCHS.get(arch, arch)}-{system}"
    math = () if system == "linux-android" else ("-lm",)

    def link(output: str, objects: Sequence[str], options: Sequence[str] | None = None, **_: Any) -> None:
        files = [objects] if isinstance(objects, str) else list(objects)
        if system == "macos":
            name = Path(output).name
            files += ["-Wl,-undefined,dynamic_lookup", f"-Wl,-install_name,@rpath/{name}"]
        elif system == "windows-gnu":
            files.append(_import_library(arch, Path(output).parent))
        elif system == "linux-android":
            files += ["-nostdlib", "-Wl,--no-as-needed", *_android_libraries(named, Path(output).parent)]
        _run_zig("cc", "-target", named, "-shared", "-fPIC", "-o", output, *files, *math, *(options or ()))

    link.output_format = "so"  # type: ignore[attr-defined]
    return link


def _android_libraries(named: str, folder: Path) -> list[str]:
    """Write empty libraries of the names of Android's own, which zig does not have; return their paths."""
    empty = folder / "empty.c"
    empty.write_text("")
    paths = [folder / name for name in ANDROID_LIBRARIES]
    for path in paths:
        name = f"-Wl,-soname,{path.name}"
        _run_zig("cc", "-target", named, "-shared", "-nostdlib", name, "-o", str(path), str(empty))
    return list(map(str, paths))


def _import_library(arch: str, folder: Path) -> str:
    """Write what lets a DLL call TVM's runtime; return its path."""
    definitions, library = folder / "runtime.def", folder / "libtvm_ffi.a"
    definitions.write_text("\n".join((f"LIBRARY {RUNTIME_LIBRARY}", "EXPORTS", *RUNTIME_SYMBOLS, "")))
    _run_zig("dlltool", "-m", DLLTOOL_MACHINES[arch], "-d", str(definitions), "-l", str(library))
    return str(library)


def _run_zig(*arguments: str) -> None:
    command = [sys.executable, "-m", "ziglang", *arguments]
    LOG.debug("running %s", shlex.join(command))
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise RuntimeError(done.stderr or done.stdout)


def has_linking_room() -> bool:
    """Return whether object files that are not kept can be linked in a temporary folder, when a model first
    runs. One with less room may get full, at which LLVM ends the process: then it keeps its code in memory.
    """
    return has_room(LINKING_BYTES)
