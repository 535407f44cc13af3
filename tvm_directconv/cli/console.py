"""What commands print: tables, JSON, progress and errors."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from tvm_directconv.errors import DirectConvError

Command = TypeVar("Command", bound=Callable[..., Any])


def reports_errors(command: Command) -> Command:
    """Turn errors meant for users into one line and exit status 1."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except (DirectConvError, OSError) as error:
            raise click.ClickException(" ".join(str(error).split())) from error

    return wrapped  # type: ignore[return-value]


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner on standard error where that is a terminal; yield the function that changes its text."""
    from rich.console import Console

    with Console(stderr=True).status(text) as status:
        yield status.update


def print_result(result: Any, as_json: bool) -> None:
    click.echo(result.to_json()) if as_json else print_table(result.table())


def print_table(table: Any) -> None:
    from rich.console import Console

    # Piped output has no width of its own; tables are then as wide as they need.
    console = Console()
    Console(width=console.width if console.is_terminal else 200).print(table)


def print_rows(rows: list[dict[str, Any]], title: str, as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table(title=title)
    for name in rows[0]:
        table.add_column(name.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    print_table(table)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        return " / ".join(f"{v >> 10} KiB" if isinstance(v, int) else str(v) for v in value)
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def print_json(record: Any) -> None:
    click.echo(json.dumps(record, indent=2))
