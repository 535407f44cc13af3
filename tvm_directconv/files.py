"""Files that users name: opened so that a wrong one is a clear error, without waiting and without another
exception, and written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

from .errors import DirectConvError, let_through

LONGEST_NAME = 400
"""Messages give names up to this length."""


def path_of(value: Any, what: str, error: type[DirectConvError]) -> Path:
    """``value`` as a path; ``error`` for what is none."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise error(f"{what} must be a path, not {value!r}")
    path = Path(os.fsdecode(value))
    try:
        path.lstat()
    except FileNotFoundError:
        pass  # it may be one to write
    except (OSError, ValueError) as problem:  # a name that is too long, or has a null byte
        let_through(problem)
        name = str(path) if len(str(path)) <= LONGEST_NAME else f"{str(path)[:LONGEST_NAME]}..."
        raise error(f"{what} cannot be '{name}': {_reason(problem)}") from None
    return path


def write_atomically(path: Path, content: bytes) -> None:
    """Write beside the file, then rename over it: a reader sees the old content or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class NotAFile(ValueError):
    """A directory, pipe, socket or device where a file is wanted."""


def opened(path: Path, flags: int = 0) -> BinaryIO:
    """A regular file opened for reading, with more ``flags`` of os.open's. Raises what the system says, and
    NotAFile for another kind, without waiting for what a pipe or a device has to say."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotAFile(f"'{path}' is not a file")
    return os.fdopen(handle, "rb")


def open_regular(path: Path, what: str, error: type[DirectConvError], flags: int = 0) -> BinaryIO:
    """Open as ``opened`` does; raise ``error`` for a file that is missing, of another kind or not
    readable."""
    try:
        return opened(path, flags)
    except FileNotFoundError:
        raise error(f"{what}: no such file") from None
    except NotAFile:
        raise error(f"{what} is not a file") from None
    except (OSError, ValueError) as problem:  # a name with a null byte is a ValueError
        let_through(problem)
        raise error(f"{what} cannot be opened: {_reason(problem)}") from None


def read_file(path: Path, what: str, error: type[DirectConvError], most_bytes: int | None = None) -> bytes:
    """The bytes of a regular file; ``error`` for one that cannot be read or has more than ``most_bytes``."""
    with open_regular(path, what, error) as file:
        size = os.fstat(file.fileno()).st_size
        if most_bytes is not None and size > most_bytes:
            raise error(f"{what} has {size} bytes; at most {most_bytes} are read")
        try:
            return file.read() or b""  # None from a file of the kernel that has nothing to say yet
        except OSError as problem:
            let_through(problem)
            raise error(f"{what} cannot be read: {_reason(problem)}") from None
        except MemoryError:
            raise error(f"{what} has {size} bytes, more than there is memory for") from None


def _reason(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else "") or str(problem)
