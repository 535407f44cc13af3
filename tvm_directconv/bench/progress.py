"""A progress bar whose clock ticks while contestants are prepared, and that leaves the timed blocks alone."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

TICK_SECONDS = 1.0


class Reporter:
    """Context manager over ``steps`` steps; ``show=None`` shows the bar if stderr is a terminal."""

    def __init__(self, steps: int, show: bool | None) -> None:
        console = Console(stderr=True)
        # rich's own refresh thread would compete with the single-core blocks.
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            auto_refresh=False,
            transient=True,
            disable=not (console.is_terminal if show is None else show),
        )
        self._task = self._progress.add_task("", total=steps)
        self._still, self._ended = False, threading.Event()
        self._clock = threading.Thread(target=self._tick, name="progress", daemon=True)

    def __enter__(self) -> Reporter:
        self._progress.start()
        if not self._progress.disable:
            self._clock.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._progress.stop()

    def say(self, what: str, still: bool = False) -> None:
        """Show what starts now; ``still`` stops the clock until something else does."""
        self._still = still
        self._progress.update(self._task, description=what)
        self._progress.refresh()

    def step(self) -> None:
        """Count a step as finished."""
        self._progress.advance(self._task)

    def _tick(self) -> None:
        while not self._ended.wait(TICK_SECONDS):
            if not self._still:
                self._progress.refresh()
