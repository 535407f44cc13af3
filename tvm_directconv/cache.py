"""The cache on disk: entries of a few files each, under keys that say all their content depends on.

It is a help and never an error: what cannot be read is not there, and what cannot be written is not kept,
which one warning says. Code from it is run, so that files are read that nobody but this user and root can
write (trust.py), and no others.
An entry is a folder that is filled under another name and then renamed, so that nobody sees half of one, and
several processes may read, write and clear at once without locks: equal keys have equal content. Each entry
lists its files with their checksums; one that is damaged is dropped. The least recently used go first where
there are more bytes than the limit.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from tvm_directconv.errors import let_through
from tvm_directconv.files import opened
from tvm_directconv.log import LOG
from tvm_directconv.memory import file_memory
from tvm_directconv.trust import CONSEQUENCE, check_trust, made, reason, usable, warn, warn_of_none
from tvm_directconv.workers import of_blocks

Loaded = TypeVar("Loaded")

SWITCH = "TVM_DIRECTCONV_CACHE"
"""Environment variable; its value 0 turns the cache off."""
FOLDER = "TVM_DIRECTCONV_CACHE_DIR"
LIMIT = "TVM_DIRECTCONV_CACHE_BYTES"
DEFAULT_LIMIT = 2 << 30
LIST = "entry.json"
KERNELS = "kernels"
PROVIDER, NOTES = "onnxruntime", "notes"
NOTES_BYTES = 1 << 20
SHARE_OF_KERNELS = 8
"""Kernels may take one of so many parts of the limit, besides."""
SUM_BYTES = 4
KEY_LENGTH = 64
MOST_ATTEMPTS = 10
"""An entry is renamed at most so often, while others write and remove the same one."""
ABANDONED_SECONDS = 24 * 3600
"""What has been half written for so long nobody is writing."""


@dataclass(frozen=True)
class Entry:
    """What the cache says of one entry.

    ``label`` and ``facts``, such as options, are for people; ``used`` is in seconds since the epoch.
    """

    key: str
    label: str
    bytes: int
    used: float
    facts: Mapping[str, str] = field(default_factory=dict)


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
        """Return a file's content, at the beginning of a page. Raises OSError and ValueError."""
        with opened(self.path(name)) as file:
            return file_memory(file)


@dataclass(frozen=True)
class Cache:
    """Entries in a folder, of at most ``limit`` bytes together."""

    folder: Path
    limit: int = DEFAULT_LIMIT

    def get(self, key: str, load: Callable[[Contents], Loaded]) -> Loaded | None:
        """Return what ``load`` makes of an entry; None where there is none, or one that is not whole, or that
        it can make nothing of."""
        place = self.folder / key
        try:
            if not usable(self.folder) or not os.path.lexists(place):
                LOG.debug("the cache does not contain an entry %s", key)
                return None
            loaded = load(Contents(place, _listed(place)["files"]))
            with suppress(OSError):  # a read-only file system, or another user's files
                os.utime(place / LIST)
            LOG.info("from the cache: '%s'", place)
            return loaded
        except Exception as error:
            let_through(error)
            if _is_the_systems(error):
                warn_of_none(self.folder, f"it cannot be read: {reason(error)}")
                return None
            # damaged, or just being removed by another process
            LOG.info("a cache entry is dropped, '%s': %s", place, error)
        self._remove(place)
        return None

    def put(
        self,
        key: str,
        write: Callable[[Path], None],
        label: str = "",
        facts: Mapping[str, str] | None = None,
    ) -> Path | None:
        """Keep what ``write`` writes into a folder, unless it is more than fits; a warning says once where
        nothing can be kept. Return the entry's folder, or None."""
        try:
            if not made(self.folder):
                return None
            with self._aside("new") as aside:
                place = aside / key
                place.mkdir(mode=0o700)
                write(place)
                files = {path.name: path for path in sorted(place.iterdir())}
                size = sum(path.stat().st_size for path in files.values())
                if size > self.limit:
                    return None
                listed = {"label": label, "facts": dict(facts or {}), "bytes": size}
                listed["files"] = {name: _sums(path) for name, path in files.items()}
                (place / LIST).write_text(json.dumps(listed), "utf-8")
                for path in place.iterdir():
                    path.chmod(0o600)  # whatever the umask: what a group may write is not read
                self._rename(place, self.folder / key)
            self._evict()
            return self.folder / key
        except Exception as error:  # of the system, or of what writes: TVM, a linker
            let_through(error)
            warn_of_none(self.folder, reason(error))
            return None

    def writable(self) -> bool:
        """Return whether entries can be kept, as far as is known before; a warning says why not."""
        try:
            if not made(self.folder):
                return False
            with self._aside("new"):
                return True
        except OSError as error:
            let_through(error)
            warn_of_none(self.folder, reason(error))
            return False

    @property
    def kernels(self) -> Files:
        """Single kernels, beside the entries."""
        return Files(self.folder / KERNELS, self.limit // SHARE_OF_KERNELS)

    @property
    def notes(self) -> Files:
        """Return notes of which entry a call of ``compile`` leads to (warm.py)."""
        return Files(self.folder / NOTES, NOTES_BYTES)

    @property
    def provider(self) -> Cache:
        """What ONNX Runtime's execution provider keeps, beside the entries and of as many bytes."""
        return Cache(self.folder / PROVIDER, self.limit)

    def entries(self) -> list[Entry]:
        """Return what there is, the least recently used first."""
        found = []
        for place in self._places():
            try:
                listed, used = _listed(place), (place / LIST).stat().st_mtime
                facts = {str(name): str(fact) for name, fact in listed["facts"].items()}
                found.append(Entry(place.name, str(listed["label"]), int(listed["bytes"]), used, facts))
            except Exception as error:
                let_through(error)
                if not _is_the_systems(error):
                    self._remove(place)
        return sorted(found, key=lambda entry: (entry.used, entry.key))

    def remove(self, key: str) -> bool:
        """Remove an entry; return whether it is gone."""
        return self._remove(self.folder / key)

    def clear(self) -> list[Entry]:
        """Remove all entries, kernels and what the provider keeps; return the entries that are gone."""
        entries = self.entries()
        self.kernels.clear()
        self.notes.clear()
        for entry in self.provider.entries():
            self.provider.remove(entry.key)
        return [entry for entry in entries if self.remove(entry.key)]

    def _evict(self) -> None:
        entries = self.entries()
        excess = sum(entry.bytes for entry in entries) - self.limit
        for entry in entries:
            if excess <= 0:
                break
            if self.remove(entry.key):
                excess -= entry.bytes
        for place in self.folder.glob(".*.*"):
            with suppress(OSError):  # whose it is has just finished
                if time.time() - place.stat().st_mtime > ABANDONED_SECONDS:
                    shutil.rmtree(place, ignore_errors=True)

    def _places(self) -> list[Path]:
        if not usable(self.folder):
            return []
        try:
            return [place for place in self.folder.iterdir() if len(place.name) == KEY_LENGTH]
        except OSError as error:
            let_through(error)
            warn_of_none(self.folder, f"it cannot be listed: {reason(error)}")
            return []

    def _remove(self, place: Path) -> bool:
        """Take an entry away from all who look for it; who has its files open keeps them."""
        with suppress(OSError), self._aside("old") as aside:  # another process was faster
            place.rename(aside / place.name)
        return not os.path.lexists(place)

    def _rename(self, place: Path, target: Path) -> None:
        """Rename a new entry, unless one is there that can be used: another process was faster. Others may
        write and remove the same entry all the while."""
        for attempt in range(MOST_ATTEMPTS):
            try:
                place.rename(target)
                return
            except OSError:
                if attempt + 1 == MOST_ATTEMPTS:
                    raise
            try:
                _listed(target)
                return
            except (OSError, ValueError, TypeError, KeyError) as error:
                let_through(error)
                self._remove(target)

    @contextmanager
    def _aside(self, kind: str) -> Iterator[Path]:
        """Make a folder beside the entries, which is removed with what is left in it."""
        path = Path(tempfile.mkdtemp(dir=self.folder, prefix=f".{kind}."))
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


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
            if not usable(self.folder.parent, self.folder):
                return None
            check_trust(path, stat.S_ISREG)
            with opened(path) as file:
                whole = file.read()
            if zlib.crc32(whole[SUM_BYTES:]).to_bytes(SUM_BYTES, "little") != whole[:SUM_BYTES]:
                raise ValueError("it is damaged")
            with suppress(OSError):  # a read-only file system, or another user's files
                os.utime(path)
            return whole[SUM_BYTES:]
        except OSError as error:  # it is not there, or another process removes it now
            let_through(error)
        except ValueError as error:
            let_through(error)
            LOG.info("a kernel is dropped, '%s': %s", path, error)
            _unlink(path)
        return None

    def put(self, key: str, content: bytes) -> None:
        """Keep a file; a warning says once where nothing can be kept."""
        try:
            if not made(self.folder.parent, self.folder):
                return
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=".new.")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(zlib.crc32(content).to_bytes(SUM_BYTES, "little") + content)
                os.replace(name, self.folder / key)
            except BaseException:
                _unlink(name)
                raise
        except OSError as error:
            let_through(error)
            warn_of_none(self.folder.parent, reason(error))

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
                _unlink(path)

    def clear(self) -> None:
        """Remove all files."""
        for _, _, path in self._files():
            _unlink(path)

    def _files(self) -> list[tuple[float, int, Path]]:
        found = []
        if usable(self.folder.parent, self.folder):
            with suppress(OSError):  # it cannot be listed
                for each in os.scandir(self.folder):
                    with suppress(OSError):  # another process has just removed it
                        state = each.stat(follow_symlinks=False)
                        found.append((state.st_mtime, state.st_size, Path(each.path)))
        return sorted(found)


def user_cache() -> Cache | None:
    """Return the user's cache, in the folder and of the size that environment variables say, else in the
    platform's own folder for caches; None, and a warning, where no folder can be named."""
    limit = limit_bytes()
    try:
        # Path's expanduser, unlike that of os.path, raises where nobody knows the home.
        named = os.environ.get(FOLDER) or platformdirs.user_cache_dir("tvm-directconv", appauthor=False)
        folder = os.path.abspath(Path(named).expanduser())
    except (RuntimeError, OSError) as error:
        let_through(error)
        warn(f"there is no folder for the cache ({reason(error)}): {FOLDER} names one; {CONSEQUENCE}")
        return None
    return Cache(Path(folder), limit)


def limit_bytes() -> int:
    """Return the most bytes of entries, as an environment variable says; a warning where that is wrong."""
    text = os.environ.get(LIMIT, "")
    if text and not text.isdecimal():
        warn(f"{LIMIT} must be a number of bytes, not '{text}'; the limit is {DEFAULT_LIMIT}")
    return int(text) if text.isdecimal() else DEFAULT_LIMIT


def is_on() -> bool:
    """Return whether the environment leaves the cache on."""
    return os.environ.get(SWITCH, "1") != "0"


def _listed(place: Path) -> dict[str, Any]:
    """Return what an entry says of itself. Raises OSError, and ValueError or TypeError for one that says
    nothing, or that others can write."""
    check_trust(place, stat.S_ISDIR)
    check_trust(place / LIST, stat.S_ISREG)
    with opened(place / LIST) as file:
        listed = dict(json.load(file))
    for name in listed["files"]:
        check_trust(place / name, stat.S_ISREG)
    return listed


def _sums(path: Path) -> list[int]:
    """Checksums of a file's blocks, against accidents; against people, the folder's permissions are."""
    with opened(path) as file:
        return of_blocks(file, zlib.crc32)


def _unlink(path: str | Path) -> None:
    with suppress(OSError):
        os.unlink(path)


def _is_the_systems(error: Exception) -> bool:
    """Whether it says nothing of a file's content: the same file may be read another time."""
    return isinstance(error, OSError | MemoryError) and not isinstance(error, FileNotFoundError)
