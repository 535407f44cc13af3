"""Commands that show a whole run: ``tvm-directconv profile | report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tvm_directconv.errors import InputError

from .console import print_table, progress
from .inputs import given_inputs, input_option
from .networks import compiled
from .options import (
    NewFile,
    Renamed,
    compile_options,
    json_option,
    only_size,
    plot_option,
    run_threads_option,
)

if TYPE_CHECKING:
    from relay_strategies.compiler.model.profile import Profile
    from tvm_directconv.runtime.metadata import Size

SHOWN_CALLS = 40
html_option = click.option("--html", type=NewFile(), help="Page for a browser to write.")


@click.command()
@click.argument("model")
@input_option
@compile_options
@run_threads_option
@click.option("--rounds", type=click.IntRange(1), default=9, show_default=True)
@click.option("--all", "every", is_flag=True, help=f"Show all calls, not the {SHOWN_CALLS} longest.")
@plot_option
@click.option("--trace", type=NewFile(), help="Trace in Chrome's format to write, for ui.perfetto.dev.")
@html_option
@json_option
def profile(
    model: str,
    inputs: tuple[str, ...],
    rounds: int,
    every: bool,
    plot: Path | None,
    trace: Path | None,
    html: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Show the time of every call in runs of MODEL.

    MODEL may also be a library made by 'compile'. Each round takes the peak of multiply-adds, the time of a
    run, and those of its calls by TVM's instrument. Columns are the least and the median of the rounds, the
    share of all calls' time, the speed, also in percent of that peak, and the bytes read and written. Inputs
    not given are random, from seed 0.
    """
    from tvm_directconv.files import write_atomically

    _check_page(html)
    size = only_size(options["shapes"], options["batch"])
    found = compiled(model, **options)
    _, given = given_inputs(found, inputs, size)
    with progress(f"running {2 * rounds} times"):
        result = found.profile(given, rounds=rounds)
    if plot is not None:
        _check_calls(model, bool(result.calls))
        from tvm_directconv.pages.plot import plot_profile

        plot_profile(result, plot)
    if trace is not None:
        write_atomically(trace, result.to_trace().encode())
    if html is not None:
        _write_page(html, model, found.size({name: array.shape for name, array in given.items()}), result)
    if as_json:
        click.echo(result.to_json())
    else:
        print_table(result.table(None if every else SHOWN_CALLS))


@click.command()
@click.argument("model")
@compile_options
@run_threads_option
@click.option(
    "-o",
    "--output",
    cls=Renamed,
    formerly=("--html",),
    type=NewFile(),
    required=True,
    help="Page for a browser to write.",
)
@click.option("--no-time", is_flag=True, help="Only what was compiled; always so for another host's code.")
def report(model: str, output: Path, no_time: bool, **options: Any) -> None:
    """Write a page about MODEL for a browser.

    It shows the calls as a table and as a graph, and where a run's time goes.
    """
    from tvm_directconv.errors import DeviceError, TargetError

    _check_page(output)
    size = only_size(options["shapes"], options["batch"])
    found = compiled(model, **options)
    of, result = found.size(*size), None
    if not no_time:
        try:
            with progress("measuring"):
                result = found.profile(size=of)
        except (TargetError, DeviceError) as error:
            click.echo(f"without times: {error}", err=True)
    _write_page(output, model, of, result)


# ---- helpers


def _check_page(path: Path | None) -> None:
    from tvm_directconv.pages.page import require_libraries

    if path is not None:
        require_libraries()


def _check_calls(model: str, has_calls: bool) -> None:
    if not has_calls:
        raise InputError(f"'{model}' does not contain calls of kernels that a picture or a page could show")


def _write_page(path: Path, model: str, size: Size, result: Profile | None) -> None:
    from tvm_directconv.files import write_atomically
    from tvm_directconv.pages.page import page

    _check_calls(model, bool(size.report().calls))
    write_atomically(path, page(Path(model).name, size, result).encode())
    click.echo(f"{path}: {len(size.report().calls)} calls", err=True)
