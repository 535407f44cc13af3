"""Compiled models in the cache: what an entry holds, and how a model is made of it again.

An entry has TVM's executable without code, with the weights in it; the kernels' objects, which
``export_library`` links with that; and a library of the kernels, which runs. It is code for this host alone,
linked by its own linker: there are no entries where that is missing, or of targets that this host does not
run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tvm
import tvm_ffi
from tvm import relax

from tvm_directconv import cache
from tvm_directconv.cache import Cache
from tvm_directconv.errors import DirectConvError
from tvm_directconv.targets.target import CompileTarget, require_host

from .library_file import load_library
from .linking import shared_library_maker
from .program import METADATA_FUNCTION, in_threads
from .quiet import without_scope_warnings
from .signature import Metadata

EXECUTABLE, LIBRARY, OBJECT = "model.vm", "kernels.so", "kernels.{}.o"
KIND = "relax.VMExecutable"


@dataclass(frozen=True)
class Stored:
    """An executable that runs, what it says of itself, and the one that can be exported."""

    executable: relax.VMExecutable
    metadata: Metadata
    exportable: Callable[[], relax.VMExecutable]


@dataclass(frozen=True)
class Place:
    """Where in the cache a model belongs, and the ``objects`` that are to be kept there."""

    cache: Cache
    key: str
    link: Callable[..., Any]
    objects: list[bytes] = field(default_factory=list)

    @staticmethod
    def of(key: Callable[[], str | None], target: CompileTarget, wanted: bool) -> Place | None:
        """Return the place under a key; None where that is None, the cache is not ``wanted`` or turned off,
        or this host does not run models of the target from there."""
        if not wanted or not cache.is_on():
            return None
        try:
            require_host(target)
            link = shared_library_maker(target, None)
        except DirectConvError:
            return None
        name = key()
        return None if name is None else Place(cache.user_cache(), name, link)

    def find(self) -> Stored | None:
        """Return the model that is there."""
        return self.cache.get(self.key, _load)

    def emit(self, libraries: Sequence[Any]) -> None:
        """Make machine code of LLVM's modules, on all cores."""
        self.objects.extend(in_threads(_object, libraries))

    def keep(self, executable: relax.VMExecutable, label: str) -> Stored | None:
        """Put a model there, whose libraries were emitted; return it as ``find`` does, None where it is not
        kept. The executable itself runs the entry's code then."""

        def write(folder: Path) -> None:
            paths = [folder / OBJECT.format(number) for number in range(len(self.objects))]
            for path, data in zip(paths, self.objects, strict=True):
                path.write_bytes(data)
            if paths:
                self.link(str(folder / LIBRARY), list(map(str, paths)))
            _write(executable, folder / EXECUTABLE)

        place = None
        with suppress(RuntimeError):  # TVM's, where it or the linker cannot write
            place = self.cache.put(self.key, write, label)
        self.objects.clear()
        with suppress(RuntimeError, OSError):  # where another process has removed it already
            return None if place is None else _with_code(executable.mod, place)
        return None


def _object(library: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / OBJECT.format(0)
        library.write_to_file(str(path), "o")
        return path.read_bytes()


def _load(folder: Path) -> Stored:
    return _with_code(_read(folder / EXECUTABLE), folder)


def _with_code(executable: Any, folder: Path) -> Stored:
    """An entry's executable with the entry's machine code, in place of what code it may have."""
    count = len(list(folder.glob(OBJECT.format("*"))))
    objects = [tvm.runtime.load_static_library(str(folder / OBJECT.format(n)), []) for n in range(count)]
    library = load_library(folder / LIBRARY) if count else None
    executable.clear_imports()
    if library is not None:
        executable.import_module(library)
    metadata = relax.VirtualMachine(executable, tvm.cpu())[METADATA_FUNCTION]().numpy().tobytes()

    def exportable() -> relax.VMExecutable:
        with tempfile.TemporaryDirectory() as aside:
            copy = Path(aside) / EXECUTABLE
            _write(relax.VMExecutable(executable), copy)
            found = _read(copy)
        for module in objects:
            found.import_module(module)
        return relax.VMExecutable(found)

    return Stored(relax.VMExecutable(executable), Metadata.from_bytes(metadata), exportable)


def _write(executable: relax.VMExecutable, path: Path) -> None:
    with without_scope_warnings():
        executable.mod.write_to_file(str(path), KIND)


def _read(path: Path) -> Any:
    with without_scope_warnings():
        return tvm_ffi.get_global_func(f"ffi.Module.load_from_file.{KIND}")(str(path))
