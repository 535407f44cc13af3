"""Ctrl-C: one line and exit status 130, whatever the interrupt meets.

Python raises KeyboardInterrupt in the main thread, and what is made of it there varies: click prints
"Aborted!", TVM's callbacks raise errors of their own, a call of compiled code lets it wait. So the signal is
remembered: once it came, whatever ends the command is an interruption. A thread watches, too, for a command
that does not end: files that are written whole or not at all are removed by those that write them, which
takes no time unless compiled code holds the main thread.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

STDERR = 2
STATUS = 128 + signal.SIGINT
GRACE_SECONDS = 5.0
"""A command that is interrupted has so long to put its things away; a second Ctrl-C ends it at once."""

_came = threading.Event()
_leaving = threading.Lock()
_remarks: list[str] = []
_terminal = [STDERR]
"""The file descriptor, last in the list, that the one line goes to."""


def interrupted() -> bool:
    """Return whether this process was told to end; errors since then do not count."""
    return _came.is_set()


def when_interrupted(remark: str) -> None:
    """Have an interruption add this to what it says: what of the work so far is kept."""
    _remarks[:] = [remark]


def run_interruptibly(command: Callable[[], object]) -> None:
    """Run a command to its end, or to the first interrupt, which ends the process."""
    arrivals, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGINT, _interrupt)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(arrivals,), name="interrupts", daemon=True).start()
    try:
        command()
    except BaseException:
        if not interrupted():
            raise
    if interrupted():
        # What the frames left behind held is put away: temporary folders.
        gc.collect()
        _leave()


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupt the main thread, but once: a second time would disturb its clearing up."""
    if not _came.is_set():
        _came.set()
        # TVM warns of whatever an interruption leaves unfinished, past Python's sys.stderr.
        _terminal.append(os.dup(STDERR))
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), STDERR)
        raise KeyboardInterrupt


def _watch(arrivals: int) -> None:
    while os.read(arrivals, 1)[0] != signal.SIGINT:
        continue
    select.select([arrivals], [], [], GRACE_SECONDS)
    _leave()


def _leave() -> None:
    """End the process: threads and pools that still work would make an orderly exit wait, or crash."""
    _leaving.acquire()
    line = "; ".join(["interrupted", *_remarks]) + "\n"
    with contextlib.suppress(OSError):
        # First the line of a progress display, and the cursor that it hides.
        os.write(_terminal[-1], (b"\r\x1b[2K\x1b[?25h" if os.isatty(_terminal[-1]) else b"") + line.encode())
    with contextlib.suppress(OSError, ValueError, AttributeError):  # it may be closed, and then None
        sys.stdout.flush()
    os._exit(STATUS)
