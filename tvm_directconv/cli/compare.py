"""``tvm-directconv compare``: a model's answers and time beside those of other runtimes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .console import print_comparison
from .inputs import input_option, read_inputs
from .options import (
    batch_option,
    json_option,
    only_size,
    save_option,
    shapes_option,
    target_option,
    threads_option,
    verbose_option,
)

if TYPE_CHECKING:
    from .options import Batches, Sizes

RUNTIMES = ("ours", "onnxruntime", "openvino")


@click.command()
@click.argument("model")
@input_option
@shapes_option
@batch_option
@target_option
@threads_option
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True)
@save_option
@verbose_option
@json_option
def compare(
    model: str,
    inputs: tuple[str, ...],
    shapes: Sizes,
    batch: Batches,
    target: str,
    threads: int,
    rounds: int,
    save: Path | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Compare MODEL with ONNX Runtime and OpenVINO.

    Every answer is checked against that of ONNX Runtime without optimizations, and those that are right are
    timed in turns. A runtime that is not installed is named. Inputs not given are random, from seed 0. The
    exit status is 1 if this project's answer is wrong, or if nothing could be timed.
    """
    from tvm_directconv.bench import bench_network

    shape, images = only_size(shapes, batch)
    values = read_inputs(inputs)
    result = bench_network(
        model, target, threads, rounds, RUNTIMES, shapes=shape, batch=images, inputs=values
    )
    if save is not None:
        result.to_json(save)
    print_comparison(result, as_json, verbose)
