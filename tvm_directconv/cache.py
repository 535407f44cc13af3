"""The cache on disk: entries of a few files each, under keys that say all their content depends on.

It is a help and never an error: what cannot be read is not there, and what cannot be written is not kept.
An entry is a folder that is filled under another name and then renamed, so that nobody sees half of one, and
several processes may read, write and clear at once without locks: equal keys have equal content. Each entry
lists its files with their checksums; one that is damaged is dropped. The least recently used go first where
there are more bytes than the limit.
"""

from __future__ import annotations

import errno
import functools
import json
import os
import shutil
import stat
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import platformdirs

from tvm_directconv.errors import let_through
from tvm_directconv.files import open_regular, read_file
from tvm_directconv.log import LOG
from tvm_directconv.memory import large_memory
from tvm_directconv.threads import of_blocks

Loaded = TypeVar("Loaded")

SWITCH = "TVM_DIRECTCONV_CACHE"
"""Of this environment variable the value 0 turns the cache off."""
FOLDER = "TVM_DIRECTCONV_CACHE_DIR"
LIMIT = "TVM_DIRECTCONV_CACHE_BYTES"
DEFAULT_LIMIT = 2 << 30
LIST = "entry.json"
KERNELS = "kernels"
SHARE_OF_KERNELS = 8
"""Kernels may take one of so many parts of the limit, besides."""
SUM_BYTES = 4
KEY_LENGTH = 64
ABANDONED_SECONDS = 24 * 3600
"""What has been half written for so long nobody is writing."""


@dataclass(frozen=True)
class Entry:
    """What the cache says of one entry; ``label`` is for people, ``used`` in seconds since the epoch."""

    key: str
    label: str
    bytes: int
    used: float


@dataclass(frozen=True)
class Contents:
    """The files of an entry, by name, each given only where it is as it was written."""

    folder: Path
    sums: Mapping[str, list[int]]

    def path(self, name: str) -> Path:
        """Return a file's path. Raises OSError and ValueError."""
        if _sums(self.folder / name) != self.sums[name]:
            raise ValueError(f"{name} is damaged")
        return self.folder / name

    def memory(self, name: str) -> memoryview:
        """Return a file's content, read once, at the beginning of a page. Raises OSError and ValueError."""
        path = self.folder / name
        memory = large_memory(path.stat().st_size)
        if _sums(path, memory) != self.sums[name]:
            raise ValueError(f"{name} is damaged")
        return memory


@dataclass(frozen=True)
class Cache:
    """Entries in a folder, of at most ``limit`` bytes together."""

    folder: Path
    limit: int = DEFAULT_LIMIT

    def get(self, key: str, load: Callable[[Contents], Loaded]) -> Loaded | None:
        """Return what ``load`` makes of an entry; None where there is none, or one that is not whole, or that
        it can make nothing of."""
        place = self.folder / key
        if not self._usable() or not place.is_dir():
            LOG.debug("the cache has no entry %s", key)
            return None
        try:
            loaded = load(Contents(place, _listed(place)["files"]))
            os.utime(place / LIST)
            LOG.info("from the cache: '%s'", place)
            return loaded
        except Exception as error:  # damaged, or just being removed by another process
            let_through(error)
            LOG.info("a cache entry is dropped, '%s': %s", place, error)
        self._remove(place)
        return None

    def put(self, key: str, write: Callable[[Path], None], label: str = "") -> Path | None:
        """Keep what ``write`` writes into a folder, unless it is more than fits; a warning says once where
        nothing can be kept. Return the entry's folder, or None."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._usable():
                return None
            with self._aside("new") as aside:
                place = aside / key
                place.mkdir(mode=0o700)
                write(place)
                files = {path.name: path for path in sorted(place.iterdir())}
                size = sum(path.stat().st_size for path in files.values())
                if size > self.limit:
                    return None
                listed = {"label": label, "bytes": size, "files": {n: _sums(p) for n, p in files.items()}}
                (place / LIST).write_text(json.dumps(listed))
                _rename(place, self.folder / key)
            self._evict()
            return self.folder / key
        except OSError as error:
            let_through(error)
            _warn_of_none(f"nothing can be kept in the cache '{self.folder}': {error.strerror}")
            return None

    @property
    def kernels(self) -> Files:
        """Single kernels, beside the entries."""
        return Files(self.folder / KERNELS, self.limit // SHARE_OF_KERNELS)

    def entries(self) -> list[Entry]:
        """Return what there is, the least recently used first."""
        found = []
        for place in self._places():
            try:
                listed, used = _listed(place), (place / LIST).stat().st_mtime
                found.append(Entry(place.name, str(listed["label"]), int(listed["bytes"]), used))
            except (OSError, ValueError, KeyError, TypeError):
                self._remove(place)
        return sorted(found, key=lambda entry: (entry.used, entry.key))

    def clear(self) -> list[Entry]:
        """Remove all entries and kernels; return the entries that were there."""
        removed = self.entries()
        self.kernels.clear()
        for entry in removed:
            self._remove(self.folder / entry.key)
        return removed

    def _evict(self) -> None:
        entries = self.entries()
        excess = sum(entry.bytes for entry in entries) - self.limit
        for entry in entries:
            if excess <= 0:
                break
            self._remove(self.folder / entry.key)
            excess -= entry.bytes
        for place in self.folder.glob(".*.*"):
            with suppress(FileNotFoundError):  # whose it is has just finished
                if time.time() - place.stat().st_mtime > ABANDONED_SECONDS:
                    shutil.rmtree(place, ignore_errors=True)

    def _places(self) -> list[Path]:
        if not self._usable():
            return []
        return [place for place in self.folder.iterdir() if len(place.name) == KEY_LENGTH]

    def _remove(self, place: Path) -> None:
        """Take an entry away from all who look for it; who has its files open keeps them."""
        with suppress(OSError), self._aside("old") as aside:  # another process was faster
            place.rename(aside / place.name)

    def _aside(self, kind: str) -> _Aside:
        return _Aside(tempfile.mkdtemp(dir=self.folder, prefix=f".{kind}."))

    def _usable(self) -> bool:
        return _usable(self.folder)


@dataclass(frozen=True)
class Files:
    """Small files in a folder, by key, of at most ``limit`` bytes together: as with entries, equal keys have
    equal content, and nobody sees half of one."""

    folder: Path
    limit: int

    def get(self, key: str) -> bytes | None:
        """Return a file's content; None where there is none that is whole."""
        path = self.folder / key
        try:
            whole = read_file(path, f"'{path}'", OSError)
            if zlib.crc32(whole[SUM_BYTES:]).to_bytes(SUM_BYTES, "little") == whole[:SUM_BYTES]:
                os.utime(path)
                return whole[SUM_BYTES:]
            path.unlink()
        except OSError as error:  # it is not there, or another process removes it now
            let_through(error)
        return None

    def put(self, key: str, content: bytes) -> None:
        """Keep a file; a warning says once where nothing can be kept."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _usable(self.folder):
                return
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=".new.")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(zlib.crc32(content).to_bytes(SUM_BYTES, "little") + content)
                os.replace(name, self.folder / key)
            except BaseException:
                os.unlink(name)
                raise
        except OSError as error:
            let_through(error)
            _warn_of_none(f"nothing can be kept in the cache '{self.folder.parent}': {error.strerror}")

    def sizes(self) -> list[int]:
        """Return the bytes of each file, the least recently used first."""
        return [size for _, size, _ in self._files()]

    def trim(self) -> None:
        """Remove the least recently used files beyond the limit, and what was left half written."""
        files = self._files()
        excess = sum(size for _, size, _ in files) - self.limit
        for used, size, path in files:
            if excess > 0 or (path.name.startswith(".") and time.time() - used > ABANDONED_SECONDS):
                excess -= size
                with suppress(OSError):
                    path.unlink()

    def clear(self) -> None:
        """Remove all files."""
        for _, _, path in self._files():
            with suppress(OSError):
                path.unlink()

    def _files(self) -> list[tuple[float, int, Path]]:
        found = []
        if self.folder.is_dir() and _usable(self.folder):
            for each in os.scandir(self.folder):
                with suppress(OSError):  # another process has just removed it
                    state = each.stat()
                    found.append((state.st_mtime, state.st_size, Path(each.path)))
        return sorted(found)


class _Aside:
    """A folder beside the entries, removed with what is left in it."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def __enter__(self) -> Path:
        return self._path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._path, ignore_errors=True)


def _usable(folder: Path) -> bool:
    """Whether a folder is there, and nobody else can write what this process would run."""
    try:
        state = folder.stat()
    except FileNotFoundError:
        return False
    except OSError as error:
        _warn_of_none(f"the cache '{folder}' cannot be used: {error.strerror}")
        return False
    if hasattr(os, "getuid") and (state.st_uid != os.getuid() or stat.S_IMODE(state.st_mode) & 0o022):
        _warn_of_none(f"the cache '{folder}' is not used: others may write there; chmod 700 would do")
        return False
    return stat.S_ISDIR(state.st_mode)


def user_cache() -> Cache:
    """Return the user's cache, in the folder and of the size that environment variables say, else in the
    platform's own folder for caches."""
    folder = os.environ.get(FOLDER) or platformdirs.user_cache_dir("tvm-directconv", appauthor=False)
    text = os.environ.get(LIMIT, "")
    if text and not text.isdecimal():
        _warn(f"{LIMIT} must be a number of bytes, not '{text}'; the limit is {DEFAULT_LIMIT}")
    return Cache(Path(os.path.abspath(folder)), int(text) if text.isdecimal() else DEFAULT_LIMIT)


def is_on() -> bool:
    """Return whether the environment leaves the cache on."""
    return os.environ.get(SWITCH, "1") != "0"


def _listed(place: Path) -> dict:
    return dict(json.loads(read_file(place / LIST, LIST, OSError)))


def _sums(path: Path, into: memoryview | None = None) -> list[int]:
    """Checksums of a file's blocks, against accidents; against people, the folder's permissions are."""
    with open_regular(path, f"'{path}'", OSError) as file:
        return of_blocks(file, zlib.crc32, into)


def _rename(place: Path, target: Path) -> None:
    """Rename, unless it is there: another process was faster."""
    try:
        place.rename(target)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY) and not target.exists():
            raise


@functools.cache
def _warn(text: str) -> None:
    """Say it once in a process."""
    warnings.warn(text, stacklevel=2)


def _warn_of_none(text: str) -> None:
    """Say why there is no cache, and what follows from that."""
    _warn(f"{text}; networks are compiled anew each time")
