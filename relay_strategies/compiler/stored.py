"""Compiled models in the cache: what an entry holds, and how a model is made of it again.

An entry has the program as TVM's executable, without code and weights; a library of the kernels; the weights,
which are read once into memory of their own (weights.py); and, to be exported, the kernels' objects and the
program's functions. It is code for this host alone, linked by its own linker: there are no entries where that
is missing, or of targets that this host does not run.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import tvm
import tvm_ffi
from tvm import relax

from tvm_directconv import cache
from tvm_directconv.cache import Cache, Contents
from tvm_directconv.errors import DirectConvError, last_line, let_through
from tvm_directconv.files import opened
from tvm_directconv.log import LOG
from tvm_directconv.memory import file_memory
from tvm_directconv.runtime.metadata import Metadata, sets_from_bytes
from tvm_directconv.runtime.words import target_label
from tvm_directconv.targets.target import CompileTarget, require_host
from tvm_directconv.temporary import temporary_folder
from tvm_directconv.trust import warn_of_none
from tvm_directconv.workers import in_threads

from .content import Key
from .library.library_file import load_library
from .library.linked_parts import Parts
from .library.linking import shared_library_maker
from .library.network_pieces import Network
from .library.pieces import PiecedExecutable, Pieces, runner_source
from .library.program import METADATA_FUNCTION, linked, object_code, static_library
from .library.quiet import without_scope_warnings
from .library.weights import Separated, as_module, separate
from .library.weights import read as read_weights
from .model.loading import taken

PROGRAM, FUNCTIONS, DESCRIPTION = "program.vm", "functions.json", "network.json"
WEIGHTS, KINDS = "weights.bin", "weights.json"
LIBRARY, OBJECTS, OBJECT = "kernels.so", "kernels.zip", "kernels.{}.o"
KIND = "relax.VMExecutable"


class StoredExecutable(PiecedExecutable):
    """A program that fetches its weights; what is exported has them inside.

    ``entry`` is the key of an entry that runs without TVM, "" for another.
    """

    def __init__(self, program: Any, pieces: Pieces, entry: str) -> None:
        super().__init__(program, pieces)
        self.entry = entry

    def jit(self, **_: Any) -> Any:
        """Return the program as it is: it has machine code already."""
        return self.mod

    def export_library(self, *arguments: Any, **options: Any) -> Any:
        """Write the executable that has everything inside, with the arguments of TVM's method."""
        return self.pieces.whole().export_library(*arguments, **options)


@dataclass(frozen=True)
class Stored:
    """An executable, and what it says of itself."""

    executable: StoredExecutable
    metadata: Metadata


@dataclass(frozen=True)
class CacheSlot:
    """The slot of the cache that a model belongs in."""

    cache: Cache
    key: Key
    target: CompileTarget
    link: Callable[..., Any]

    @staticmethod
    def of(key: Callable[[], Key | None], target: CompileTarget) -> CacheSlot | None:
        """Return the slot under a key. Return None if there is no key, the cache is turned off, or this host
        does not run models of the target from there."""
        if not cache.is_on():
            return None
        try:
            require_host(target)
            link = shared_library_maker(target, None)
        except DirectConvError:
            return None
        folder = cache.user_cache()
        name = None if folder is None else key()
        return None if folder is None or name is None else CacheSlot(folder, name, target, link)

    def find(self) -> Stored | None:
        """Return the model in the slot, None if there is none."""
        return self.cache.get(self.key.digest, self._load)

    def keep(
        self,
        parts: Parts,
        label: str,
        facts: Mapping[str, str],
    ) -> Stored | None:
        """Put a model of these parts in the slot and return it like ``find``; return None if it was not kept.
        ``label`` and ``facts`` are for people."""
        separated, weights = separate(parts.modules)
        program = linked(self.target, [separated.fetching()], [])
        network = parts.network(weights)

        def write(folder: Path) -> None:
            self._write_code(parts.libraries, folder, bool(network.description))
            without_scope_warnings(lambda: program.mod.write_to_file(str(folder / PROGRAM), KIND))
            (folder / FUNCTIONS).write_text(separated.to_json())
            (folder / DESCRIPTION).write_text(network.description)
            with (folder / WEIGHTS).open("wb") as file:
                network.write(file)
            (folder / KINDS).write_text(json.dumps(network.kinds))

        target = {"target": target_label(str(self.target)), "target_string": str(self.target)}
        made = {"content": self.key.content, "made_by": self.key.made_by}
        entry = self.cache.put(self.key.digest, write, label, {**target, **facts, **made})
        if entry is None:
            return None
        try:
            with opened(entry / WEIGHTS) as file:
                memory = file_memory(file)
            mapped = read_weights(memory, json.loads(json.dumps(network.kinds)))
            return _loaded(entry, mapped, self.target, lambda file: file.write(memory))
        except Exception as error:
            let_through(error)
            if entry.exists():  # a file system from which nothing may be executed
                warn_of_none(self.cache.folder, f"what is there cannot be loaded: {last_line(error)}")
            LOG.info("the model is not kept in the cache: %s", last_line(error))
            return None

    def _write_code(self, libraries: Sequence[Any], folder: Path, alone: bool) -> None:
        """Write the kernels' objects to one file, and the library of them to another, which runs ``alone`` or
        by TVM."""
        objects = in_threads(object_code, libraries)
        with temporary_folder() as aside, zipfile.ZipFile(folder / OBJECTS, "w") as archive:
            paths = [Path(aside) / OBJECT.format(number) for number in range(len(objects))]
            for path, data in zip(paths, objects, strict=True):
                path.write_bytes(data)
                archive.writestr(path.name, data)
            if paths:
                more = runner_source(self.target, Path(aside)) if alone else []
                self.link(str(folder / LIBRARY), [*map(str, paths), *more])

    def _load(self, contents: Contents) -> Stored:
        memory = contents.memory(WEIGHTS)
        weights = read_weights(memory, json.loads(contents.path(KINDS).read_text()))
        library = [LIBRARY] if (contents.folder / LIBRARY).exists() else []
        for name in {*contents.sums, FUNCTIONS, OBJECTS, PROGRAM, DESCRIPTION, *library} - {WEIGHTS, KINDS}:
            contents.path(name)
        return _loaded(contents.folder, weights, self.target, lambda file: file.write(memory))


def _loaded(
    folder: Path,
    weights: Sequence[tvm.runtime.Tensor],
    target: CompileTarget,
    write: Callable[[BinaryIO], Any],
) -> Stored:
    """An entry's program with the entry's machine code, and weights that are in memory already."""
    functions, objects = (folder / FUNCTIONS).read_text(), (folder / OBJECTS).read_bytes()
    description, kinds = (folder / DESCRIPTION).read_text(), json.loads((folder / KINDS).read_text())
    size = (folder / WEIGHTS).stat().st_size
    load = tvm_ffi.get_global_func(f"ffi.Module.load_from_file.{KIND}")
    program = without_scope_warnings(lambda: load(str(folder / PROGRAM)))
    if (folder / LIBRARY).exists():
        program.import_module(load_library(folder / LIBRARY))
    program.import_module(as_module(weights))
    metadata = relax.VirtualMachine(program, tvm.cpu())[METADATA_FUNCTION]().numpy().tobytes()

    def libraries() -> list[Any]:
        with zipfile.ZipFile(io.BytesIO(objects)) as archive:
            return [static_library(archive.read(name)) for name in archive.namelist()]

    network = Network(description, size, write, kinds) if description else None
    pieces = Pieces(target, lambda: Separated.from_json(functions), libraries, weights, network)
    found = taken(sets_from_bytes(metadata))
    entry = folder.name if network is not None and not found.grows else ""
    return Stored(StoredExecutable(program, pieces, entry), found)
