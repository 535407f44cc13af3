"""The options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

NATIVE = "llvm -mcpu=native"
DEMO_NETWORK = "resnet50"

Command = TypeVar("Command", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
target_option = click.option(
    "--target", default=NATIVE, show_default=True, help="Target string, e.g. 'llvm -mcpu=znver5'."
)
threads_option = click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
plot_option = click.option("--plot", type=click.Path(path_type=Path), help="Image file to draw.")
save_option = click.option("--save", type=click.Path(path_type=Path), help="File for the result as JSON.")

verbose_option = click.option("-v", "--verbose", is_flag=True, help="Show all there is.")

_COMPILE_OPTIONS = (
    target_option,
    click.option(
        "--algorithm",
        "algorithms",
        multiple=True,
        metavar="[LAYER=]NAME",
        help="Force an algorithm, for all layers or for those whose name matches LAYER; repeatable.",
    ),
    click.option(
        "--layout",
        type=click.Choice(["NHWC", "NCHW", "blocked"]),
        default="NHWC",
        show_default=True,
        help="Layout of activations between layers.",
    ),
    click.option(
        "--max-workspace-bytes", type=click.IntRange(0), help="Workspace a layer may take beyond its tensors."
    ),
    click.option("--params", type=click.Path(path_type=Path), help="Weights of a Relay model."),
    click.option(
        "--tuning", type=click.Path(path_type=Path), help="Records that tune made; known layers use them."
    ),
)


COMPILE_PARAMETERS = ("target", "algorithms", "layout", "max_workspace_bytes", "params", "tuning")
"""These are the names of their values."""


def compile_options(command: Command) -> Command:
    """Give a command the options by which MODEL is compiled: keyword arguments of networks.compiled."""
    for option in reversed(_COMPILE_OPTIONS):
        command = option(command)
    return command


def refuse_options(*names: str, reason: str) -> None:
    """Raise UsageError for the first of the current command's options, by their values' names, that the
    command line gives."""
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if option.name in names and given:
            raise click.UsageError(f"{option.opts[0]} does not apply: {reason}")
