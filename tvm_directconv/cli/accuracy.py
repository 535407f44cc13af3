"""``tvm-directconv accuracy``: what a network in half precision differs by from the same in float32."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tvm_directconv.errors import InputError

from .console import print_json, print_table, progress
from .networks import compiled
from .options import compile_options, json_option, only_size

if TYPE_CHECKING:
    from relay_strategies.compiler.compiled_model import CompiledModel


@click.command()
@click.argument("model")
@compile_options
@click.option(
    "--inputs", "count", type=click.IntRange(1), default=10, show_default=True, help="Random inputs."
)
@click.option("--layers", is_flag=True, help="Also the results of convolutions and dense layers.")
@json_option
def accuracy(model: str, count: int, layers: bool, as_json: bool, **options: Any) -> None:
    """Compare MODEL in the --precision given with itself in float32, on random inputs from seed 0 on.

    Errors are the largest difference over the largest value; beside them is the share of images whose largest
    value is at the same place.
    """
    from relay_strategies.compiler.deviations import deviations_table
    from tvm_directconv.text import target_label

    if not options["precisions"]:
        raise click.UsageError("give the --precision to compare with float32")
    only_size(options["shapes"], options["batch"])
    narrow = compiled(model, **options)
    if narrow.compared is None:
        raise InputError(f"'{model}' is compiled already, or in float32: there is nothing to compare")
    with progress("comparing with float32"):
        found = narrow.deviations(*_inputs(narrow, count), of_layers=layers)
    if as_json:
        measures = ("name", "relative_error", "agreement", "rows")
        print_json([{measure: getattr(each, measure) for measure in measures} for each in found])
        return
    precision = ", ".join(options["precisions"])
    title = f"{model}: {precision} against float32, {count} inputs, {target_label(narrow.target)}"
    print_table(deviations_table(found, title))


def _inputs(model: CompiledModel, count: int) -> list[Any]:
    """Return random inputs of the model's first size."""
    import numpy as np

    shapes = model.sizes[0].shapes
    return [
        {
            info.name: np.random.default_rng(seed).standard_normal(shapes[info.name]).astype(info.dtype)
            for info in model.inputs
        }
        for seed in range(count)
    ]
