"""``tvm-directconv inspect``: what a model is, and what of it does not compile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .console import print_json, print_table, progress
from .options import json_option, only_size, params_option, shapes_option, typical_option

if TYPE_CHECKING:
    from .options import Sizes


@click.command()
@click.argument("model")
@shapes_option
@typical_option
@params_option
@json_option
def inspect(model: str, shapes: Sizes, typical: dict[str, int] | None, params: Any, as_json: bool) -> None:
    """Show what MODEL is, without compiling it.

    Told are inputs, outputs, operators, and those that are refused, with the reason.
    Open dimensions are looked at in the sizes that --typical says, or in guessed ones.
    """
    from relay_strategies.compiler.inspection import inspect as inspect_model
    from tvm_directconv import zoo

    with progress(f"reading {model}"):
        source = zoo.resolve_model(model)
        given, _ = only_size(shapes, None)
        found = inspect_model(source, shapes=given, typical=typical, params=params)
    print_json(found.to_dict()) if as_json else print_table(found.table())
