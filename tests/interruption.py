"""Signals at counted moments: a handler's exception after each step of a call at which Python may raise one.

Python runs signal handlers between bytecodes where a function begins and where a call of compiled code has
returned: these are what a profile function is told as "call" and "c_return".
"""

from __future__ import annotations

import gc
import inspect
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any

DEADLINE_SECONDS = 120.0
"""Only what waits for ever takes so long."""
STEPS = "call", "c_return"


class TimeLimit(Exception):
    """What a user's handler raises."""


def in_inspect(frame: FrameType | None) -> bool:
    """Tell whether ``inspect`` has called this frame: it makes a TypeError of what a handler raises there,
    which TVM carries through compiled code without its cause."""
    while frame is not None and frame.f_code.co_filename != inspect.__file__:
        frame = frame.f_back
    return frame is not None


class Interrupting:
    """Raises an exception by SIGUSR1's handler, after so many steps of this thread."""

    def __init__(self, raised: type[BaseException]) -> None:
        self._raised, self.steps = raised, 0

    def after(self, steps: int | None, action: Callable[[], Any]) -> bool:
        """Perform an action; return whether it was interrupted after ``steps`` steps. None: only count."""
        self.steps = 0

        def step(frame: FrameType, event: str, argument: object) -> None:
            if event in STEPS:
                self.steps += 1
                if steps is not None and self.steps > steps and not in_inspect(frame):
                    sys.setprofile(None)
                    signal.raise_signal(signal.SIGUSR1)

        before = signal.signal(signal.SIGUSR1, self._handle)
        gc.disable()  # what a collection finalizes has steps of its own
        try:
            sys.setprofile(step)
            action()
        except self._raised:
            return True
        except RuntimeError as error:  # so TVM carries classes that it does not know through compiled code
            if not any(
                frame.f_code.co_name == "_handle" for frame, _ in traceback.walk_tb(error.__traceback__)
            ):
                raise
            return True
        finally:
            sys.setprofile(None)
            gc.enable()
            signal.signal(signal.SIGUSR1, before)
        return False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        raise self._raised


def soon(action: Callable[[], Any]) -> Any:
    """Return what an action in a thread of its own returns; fail where it does not end."""
    done: list[Any] = []
    thread = threading.Thread(target=lambda: done.append(action()), daemon=True)
    thread.start()
    thread.join(DEADLINE_SECONDS)
    assert done, "it waits for ever, or failed"
    return done[0]
