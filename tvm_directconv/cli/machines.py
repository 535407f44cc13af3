"""``tvm-directconv machines``: the CPUs with a description, and what can be measured of this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from .console import print_json, print_rows, reports_errors
from .options import NATIVE, json_option

HIDDEN = ("features", "source", "mcpu", "costs")
"""Only JSON has these columns."""


@click.command()
@click.option("--measure", is_flag=True, help="Measure this host: rates, latencies, speed of copies.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --measure, write a machine file, for targets with -machine=PATH.",
)
@json_option
@reports_errors
def machines(measure: bool, save: Path | None, as_json: bool) -> None:
    """List the machines with a description, or measure this host.

    --measure takes a few seconds on one core, longer where others use it, and prints what it finds beside
    what "-mcpu=native" uses. In a file that --save writes, what cannot be measured is the host's CPU's, or
    its class's.
    """
    if save is not None and not measure:
        raise click.UsageError("--save writes what --measure finds; give both")
    if not measure:
        print_machines(as_json)
        return
    from tvm_directconv.bench.files import write_atomically
    from tvm_directconv.measure.machine import measure_machine
    from tvm_directconv.targets.machine_format import machine_text

    with _progress_bar() as update:
        measurement = measure_machine(update)
    if save is not None:
        write_atomically(save, machine_text(measurement.described()).encode())
    if as_json:
        print_json({"source": measurement.source, "numbers": measurement.rows()})
    else:
        print_rows(measurement.rows(), measurement.source, as_json)
    if save is not None:
        click.echo(f"wrote {save}: compile with 'llvm -mcpu=native -machine={save}'", err=True)


def print_machines(as_json: bool) -> None:
    """Print the machines with a description, this host's marked, as a table or as JSON."""
    from tvm_directconv.targets.target import known_machines, machine_table, resolve_target

    cpu = str(resolve_target(NATIVE).tvm_target.attrs.get("mcpu", ""))
    described = zip(machine_table(), known_machines().values(), strict=True)
    rows = [row | {"host": cpu in machine.mcpu} for row, machine in described]
    hidden = () if as_json else HIDDEN
    print_rows([{k: v for k, v in row.items() if k not in hidden} for row in rows], "machines", as_json)


@contextmanager
def _progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar on standard error where that is a terminal; yield what is told the next number's name, how
    many are done and how many there are."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring", total=None)
        yield lambda name, done, total: progress.update(
            task, description=f"measuring {name}", completed=done, total=total
        )
