"""Temporary files: in memory where the system has such, else in a folder; one clear error without either."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tvm_directconv.errors import DirectConvError, let_through


def temporary_folder(prefix: str | None = None) -> tempfile.TemporaryDirectory[str]:
    """Return a context whose value is a new folder's name, which is removed at its end. Raises
    DirectConvError where no folder for temporary files can be written."""
    try:
        return tempfile.TemporaryDirectory(prefix=prefix)
    except OSError as error:
        let_through(error)
        raise DirectConvError(
            f"no temporary file can be written ({error.strerror}); set TMPDIR to a folder with space where "
            "you may write"
        ) from None


def has_room(count: int) -> bool:
    """Return whether temporary files may have so many bytes together."""
    try:
        return shutil.disk_usage(tempfile.gettempdir()).free >= count
    except OSError:
        return False


@contextmanager
def temporary_file() -> Iterator[Path]:
    """Yield the path of a file to write and read meanwhile. In memory it cannot meet a full disk, at which
    LLVM ends the process. Raises DirectConvError where there is none."""
    handle = None
    with suppress(AttributeError, OSError):  # not on Linux, or not allowed there
        handle = os.memfd_create("tvm-directconv")
    path = Path(f"/proc/self/fd/{handle}")
    try:
        if handle is not None and path.exists():
            yield path
            return
    finally:
        if handle is not None:
            os.close(handle)
    with temporary_folder() as folder:
        yield Path(folder) / "file"
