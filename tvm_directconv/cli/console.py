"""What commands print: tables, JSON and progress."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tvm_directconv.bench import Result
    from tvm_directconv.text import TextTable


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """Show what is done, and for how long, on standard error where that is a terminal; yield the function
    that changes the text. The clock ticks on while TVM works."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn("line"), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    console = Console(stderr=True)
    # Some commands measure meanwhile: the clock asks for little.
    shown = Progress(
        *columns, console=console, transient=True, refresh_per_second=2, disable=not console.is_terminal
    )
    with shown:
        task = shown.add_task(text)
        yield lambda changed: shown.update(task, description=changed)


def print_result(result: Any, as_json: bool) -> None:
    """Print something that has ``to_json`` and ``table``."""
    click.echo(result.to_json()) if as_json else print_table(result.table())


def print_comparison(result: Result, as_json: bool, verbose: bool = False) -> None:
    """Print a benchmark's result; ClickException if it says that ours is wrong, or nothing at all."""
    print_result(result, True) if as_json else print_table(result.details() if verbose else result.table())
    measured = [m for comparison in result.comparisons for m in comparison.measurements]
    refusals = [m.refused for m in measured if m.contestant == result.subject and m.refused]
    if refusals:
        raise click.ClickException(f"{result.subject}: {refusals[0]}")
    if not any(m.timed for m in measured):
        raise click.ClickException("nothing could be timed; the table's last lines say why")


def print_table(table: TextTable) -> None:
    if sys.stdout is None or not sys.stdout.isatty():  # a shell's >&- leaves none
        click.echo(str(table))
        return
    from rich.console import Console

    from tvm_directconv.text import PLAIN

    Console(**PLAIN).print(table, crop=False)


def print_rows(rows: Sequence[dict[str, Any]], title: str, as_json: bool) -> None:
    """Print records of the same fields, as a table or as JSON."""
    if as_json:
        print_json(rows)
        return
    from tvm_directconv.text import TextTable

    headings = [name.replace("_", " ") for name in rows[0]]
    numbers = [all(_is_number(row[name]) for row in rows) for name in rows[0]]
    table = TextTable(
        title, headings, [name for name, is_one in zip(headings, numbers, strict=True) if not is_one]
    )
    for row in rows:
        table.add_row(*(shown_value(value) for value in row.values()))
    print_table(table)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def shown_value(value: object) -> str:
    """Return a record's value for people; lists of numbers are sizes in bytes."""
    from tvm_directconv.text import bytes_label

    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        return ", ".join(bytes_label(item) if isinstance(item, int) else str(item) for item in value)
    if isinstance(value, float):
        return f"{value:.2f}"
    return "" if value is None else str(value)


def print_json(record: Any) -> None:
    click.echo(json.dumps(_finite(record), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    """The value with null for NaN and infinities, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
