"""Folders of a cache: whether what is in them may be run, and the one warning where nothing is kept.

Code is run that nobody but this user and root can write: it is as trustworthy as the system's own libraries.
"""

from __future__ import annotations

import functools
import os
import stat
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tvm_directconv.errors import first_line, let_through

CONSEQUENCE = "networks are compiled anew each time"
_SAID: dict[Path, object] = {}
"""The folders that a warning was about."""


def usable(*folders: Path) -> bool:
    """Return whether each of a cache's own folder and those inside is there, and nobody else can write what
    this process would run. A warning says why one that is there is not used."""
    for folder in folders:
        try:
            check_trust(folder, stat.S_ISDIR, links=True)
        except FileNotFoundError:
            if os.path.islink(folder):
                warn_of_none(folders[0], "it is a link to a folder that is missing")
            return False
        except (OSError, ValueError) as error:
            let_through(error)
            warn_of_none(folders[0], reason(error))
            return False
    return True


def made(*folders: Path) -> bool:
    """Return whether folders, made where they are missing, are usable, and can be listed, without which no
    limit would hold. Raises OSError."""
    for folder in folders:
        with suppress(FileExistsError):  # what is there is looked at next
            folder.mkdir(mode=0o700, parents=True)
    if not usable(*folders):
        return False
    os.scandir(folders[-1]).close()
    return True


def check_trust(path: Path, is_kind: Callable[[int], bool], links: bool = False) -> None:
    """Raise ValueError for what is of another kind, or what others than this user and root can write, and
    OSError. Links are of another kind, unless they are followed."""
    state = path.stat() if links else path.lstat()
    if not is_kind(state.st_mode):
        raise ValueError(f"'{path.name}' is not a {'folder' if is_kind is stat.S_ISDIR else 'file'}")
    if not hasattr(os, "geteuid"):
        return
    if state.st_uid not in (0, os.geteuid()):
        raise ValueError(f"'{path.name}' belongs to another user, number {state.st_uid}")
    if stat.S_IMODE(state.st_mode) & 0o022:
        raise ValueError(f"others may write in '{path.name}'; chmod go-w would do")


def reason(error: Exception) -> str:
    """Return what the system says was wrong, else the error's first line."""
    return (error.strerror if isinstance(error, OSError) else "") or first_line(error)


@functools.cache
def warn(text: str) -> None:
    """Say it once in a process."""
    warnings.warn(text, stacklevel=2)


def warn_of_none(folder: Path, why: str) -> None:
    """Say once in a process why nothing is kept in a cache, and what follows from that."""
    mine = object()
    if _SAID.setdefault(folder, mine) is mine:
        warnings.warn(f"nothing can be kept in the cache '{folder}': {why}; {CONSEQUENCE}", stacklevel=2)
