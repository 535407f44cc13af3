"""Processes of their own for what may crash, hang or eat the memory: in each lives one object that the
benchmark asks for one thing at a time.

They are started anew, not forked: a fork of a process with thread pools hangs. Whatever ends one is said by
``Failure`` where it was asked, and nobody else notices. Between two questions it is stopped. None outlives
its parent: the kernel ends it then, whatever it does.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 600.0
"""A worker that takes longer to answer is taken to hang. TVM's default pipeline takes minutes to compile the
largest networks."""
GRACE_SECONDS = 30.0
"""A process whose end of the pipe is closed may take this long to end."""
_PR_SET_PDEATHSIG = 1


class Failure(Exception):
    """What a worker was asked for came to nothing; the message says how, in words for a table."""


class Worker:
    """A process that holds ``make(*arguments)``; both have to be picklable.

    ``folder`` is for its temporary files, which it may leave behind. Processes start at once, beside each
    other, and one that ended starts again, with a new object, when next it is asked.
    """

    def __init__(self, folder: Path, make: Callable[..., object], *arguments: object) -> None:
        self._folder = folder
        self._making = pickle.dumps((make, arguments))
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = False
        self._start()

    def ask(self, doing: str, method: str, *arguments: object) -> Any:
        """Return what the object's method returns; Failure if it raises, or if the process ends or takes
        longer than ``PATIENCE_SECONDS``. ``doing`` says what for: "preparing"."""
        if self._process is None:
            self._start()
        if self._starting:
            self._starting = False
            try:
                self._receive("starting")
            except Failure:
                self.close()
                raise
        self._signal(signal.SIGCONT)
        self._send(pickle.dumps((method, arguments)), doing)
        try:
            return self._receive(doing)
        finally:
            # Pools of threads wait for more work at full speed for up to a second, on CPUs that are the
            # next one's.
            self._signal(signal.SIGSTOP)

    def close(self) -> None:
        """End the process, whatever it does, with all it started."""
        if self._process is not None:
            self._signal(signal.SIGKILL)
            self._process.wait()
            self._process = None
            self._pipe.close()

    def _start(self) -> None:
        self._pipe, end = Pipe()
        code = (
            f"import sys; sys.path[:] = {sys.path!r}\n"
            f"from {__name__} import serve; serve({end.fileno()}, {os.getpid()})"
        )
        with end:
            # In a session of its own, an interrupt from the terminal reaches the parent alone, and the
            # process can be ended together with all it started.
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[end.fileno()],
                start_new_session=True,
                env={**os.environ, "TMPDIR": str(self._folder)},
            )
        self._starting = True
        self._send(self._making, "starting")

    def _signal(self, number: signal.Signals) -> None:
        """Send a signal to the process, if there is one, and to all it started."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _send(self, message: bytes, doing: str) -> None:
        try:
            self._pipe.send_bytes(message)
        except OSError:
            raise Failure(f"crashes: {self._end()} while {doing}") from None

    def _receive(self, doing: str) -> Any:
        try:
            if not self._pipe.poll(PATIENCE_SECONDS):
                self.close()
                raise Failure(f"hangs: {doing} took more than {PATIENCE_SECONDS:g} s")
            done, answer = pickle.loads(self._pipe.recv_bytes())
        except (EOFError, OSError):
            raise Failure(f"crashes: {self._end()} while {doing}") from None
        if not done:
            raise Failure(answer)
        return answer

    def _end(self) -> str:
        """Say how the process ended, of which only its end of the pipe is known to be closed."""
        assert self._process is not None
        process = self._process
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_SECONDS)
        code = process.returncode
        self.close()
        if code is None:
            return "closed its pipe"
        if code >= 0:
            return f"ended with exit code {code}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"ended by {name}{', as where memory runs out,' if name == 'SIGKILL' else ''}"


def serve(descriptor: int, parent: int) -> None:
    """Run a worker's process: answer what comes through the pipe until it ends."""
    _die_first(parent)
    os.set_inheritable(descriptor, False)
    pipe = Connection(descriptor)
    held: object = None
    with contextlib.suppress(EOFError, OSError):
        while True:
            message = pipe.recv_bytes()
            try:
                what, arguments = pickle.loads(message)
                if isinstance(what, str):
                    answer = pickle.dumps((True, getattr(held, what)(*arguments)))
                else:
                    held = what(*arguments)
                    answer = pickle.dumps((True, None))
            except BaseException as error:
                answer = pickle.dumps((False, reason(error)))
            pipe.send_bytes(answer)
    # The parent is gone: nothing is left to be done well, destructors of libraries included.
    os._exit(0)


def reason(error: BaseException) -> str:
    """Return an exception in one line."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"


def _die_first(parent: int) -> None:
    """End with the parent; where memory runs out, before it, and without a file of all that was in it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
