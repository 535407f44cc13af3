"""A progress bar that leaves the timed blocks alone: it redraws only when a step is finished."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Reporter:
    """Context manager over ``steps`` steps; ``show=None`` shows the bar if stderr is a terminal."""

    def __init__(self, steps: int, show: bool | None) -> None:
        console = Console(stderr=True)
        # No refresh thread: it would compete with the single-core blocks.
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            auto_refresh=False,
            transient=True,
            disable=not (console.is_terminal if show is None else show),
        )
        self._task = self._progress.add_task("", total=steps)

    def __enter__(self) -> Reporter:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def say(self, what: str) -> None:
        """Show what starts now."""
        self._progress.update(self._task, description=what)
        self._progress.refresh()

    def step(self) -> None:
        """Count a step as finished."""
        self._progress.advance(self._task)
