"""``tvm-directconv accuracy``: what a network in half precision, or by algorithms that round more, differs by
from the same in float32 without them."""

from __future__ import annotations

from typing import Any

import click

from tvm_directconv.errors import InputError

from .console import print_json, print_table, progress
from .inputs import given_inputs
from .networks import compiled
from .options import Renamed, compile_options, is_given, json_option, only_size


@click.command()
@click.argument("model")
@compile_options
@click.option(
    "--draws",
    cls=Renamed,
    formerly=("--inputs",),
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Random inputs.",
)
@click.option("--layers", is_flag=True, help="Also the results of convolutions and dense layers.")
@json_option
def accuracy(model: str, draws: int, layers: bool, as_json: bool, **options: Any) -> None:
    """Compare MODEL in less exact forms with itself in float32.

    The forms are those of --precision, --accuracy and --algorithm; inputs are random, from seed 0 on. Errors
    are the largest difference over the largest value; beside them is the share of images whose largest value
    is at the same place.
    """
    from relay_strategies.compiler.model.deviations import deviations_table
    from tvm_directconv.runtime.words import target_label

    if not any(map(is_given, ("precision", "algorithm"))) and options["accuracy"] == "exact":
        raise click.UsageError("give the --precision, --accuracy or --algorithm to compare")
    only_size(options["shapes"], options["batch"])
    narrow = compiled(model, **options)
    if narrow.compared is None:
        raise InputError(f"'{model}' is compiled already, or exact in float32: there is nothing to compare")
    with progress("comparing with the exact network"):
        drawn = [given_inputs(narrow, (), (None, None), seed)[1] for seed in range(draws)]
        found = narrow.deviations(*drawn, of_layers=layers)
    if as_json:
        measures = ("name", "relative_error", "agreement", "rows")
        print_json([{measure: getattr(each, measure) for measure in measures} for each in found])
        return
    words = [word for name in ("precision", "algorithm", "accuracy") for word in _words(name, options[name])]
    title = (
        f"{model}: {', '.join(words)} against exact float32, {draws} inputs, {target_label(narrow.target)}"
    )
    print_table(deviations_table(found, title))


def _words(name: str, value: str | dict[str, str]) -> list[str]:
    """Return an option's values that are not its default, as they were given."""
    named = {"*": value} if isinstance(value, str) else value
    texts = [word if layer == "*" else f"{layer}={word}" for layer, word in named.items()]
    return texts if is_given(name) else []
