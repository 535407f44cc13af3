"""``tvm-directconv starting``: what it costs to have a network ready, and idle."""

from __future__ import annotations

import click

from .console import print_result, progress
from .options import DEMO_NETWORK, json_option


@click.command()
@click.argument("model", default=DEMO_NETWORK)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True)
@click.option("--contestants", help="Comma-separated; default: all that are installed.")
@click.option(
    "--processes",
    type=click.IntRange(0),
    default=0,
    metavar="COUNT",
    help="Also the memory of so many at once.",
)
@click.option(
    "--rate",
    type=click.IntRange(0),
    default=0,
    metavar="RUNS",
    help="Also the CPU time of so many runs a second, with nothing to do in between.",
)
@click.option(
    "--seconds", type=click.FloatRange(1), default=5.0, show_default=True, help="How long, with --rate."
)
@click.option(
    "--memory",
    type=click.Choice(["fastest", "balanced", "least"]),
    default="fastest",
    show_default=True,
    help="Less of it by blocks of rows, in ours.",
)
@json_option
def starting(
    model: str,
    threads: int,
    rounds: int,
    contestants: str | None,
    processes: int,
    rate: int,
    seconds: float,
    memory: str,
    as_json: bool,
) -> None:
    """Measure MODEL's first answer in fresh processes.

    ONNX Runtime and OpenVINO take part where they are installed. "load" is a library that was exported,
    "compile" a network from the cache, and "forked" are processes of one that has loaded the library. Seconds
    and memory are those beyond Python's and numpy's own; memory of several processes is their proportional
    set size, theirs included."""
    from tvm_directconv.bench.starting import bench_starts

    names = None if contestants is None else contestants.split(",")
    with progress("starting processes"):
        result = bench_starts(model, threads, rounds, names, processes, rate, seconds, memory)
    print_result(result, as_json)
