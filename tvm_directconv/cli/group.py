"""``tvm-directconv``: the group of all commands.

A thin door: each command reads its arguments, calls the library, and prints a table, or JSON where a machine
may read. Heavy modules are imported inside commands, so that ``--help`` is quick. What is wrong with a user's
input is one line on standard error and exit status 1, or 2 where the command line itself is wrong.
"""

from __future__ import annotations

import os
import re
from typing import Any

import click

from tvm_directconv.errors import DirectConvError
from tvm_directconv.log import LEVELS, log_to_stderr
from tvm_directconv.version import __version__

from .accuracy import accuracy
from .cache import cache
from .compare import compare
from .explain import explain
from .inspect import inspect
from .interrupts import STATUS, interrupted
from .machines import machines
from .measure import bench, breakdown, pareto
from .networks import compile, demo, export_c, run, split
from .profile import profile, report
from .quantize import quantize
from .starting import starting
from .targets import kernels, targets
from .tune import tune
from .verify import verify


class Commands(click.Group):
    """A group whose commands' errors, those meant for users, are one line each."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BaseException as error:
            if interrupted():
                raise SystemExit(STATUS) from None
            # A reader that wants no more, such as head, is not an error; click ends quietly.
            if isinstance(error, BrokenPipeError) or not isinstance(error, DirectConvError | OSError):
                raise
            text = str(error)
            if isinstance(error, OSError) and error.filename is not None:
                text = f"'{error.filename}': {error.strerror}"
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            raise click.ClickException(_in_options(" ".join(text.split()), command)) from error

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [_expanded(text) for text in args])


def _expanded(text: str) -> str:
    """Return an argument with a home folder for ~, also behind an =, where few shells do it."""
    head, separator, path = text.rpartition("=")
    return head + separator + os.path.expanduser(path) if path.startswith("~") else text


def _in_options(text: str, command: click.Command | None) -> str:
    """Return an error's text with the command's options in place of the arguments of Python's calls."""
    named = {each.name: each.opts[0] for each in command.params} if command else {}

    def option_of(match: re.Match[str]) -> str:
        option, value = named.get(match[1], ""), match[2] or ""
        if not option.startswith("-"):
            return match[0]
        # {'x': (...), 'y': (...)} is x=...,y=... there
        value = re.sub(r"'([^']*)': \(([^)]*)\)(, )?", r"\1=\2,", value.strip("{}")).strip(",'")
        return f"{option} {value}".rstrip()

    return re.sub(r"(?<!')\b([a-z_]+)=(\{[^}]*\}|'[^' ]*'|\w+)?", option_of, text)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tvm-directconv")
@click.option("--log", "level", type=click.Choice(LEVELS), help="Say on standard error what is done.")
def commands(level: str | None) -> None:
    """CPU convolutions for Apache TVM: compile networks, explain and measure them.

    MODEL is an ONNX or TensorFlow Lite file, a Relay module's text, or the name of a network: a light one of
    the onnx package, such as resnet50, or one of unet, detector, keyword_1d and video_3d. resnet50_int8 is
    the same network quantized to 8 bits by onnxruntime. MODELS may also be sets of them: light, modern.
    """
    if level is not None:
        log_to_stderr(level)


for _command in (
    demo,
    run,
    compile,
    split,
    export_c,
    inspect,
    explain,
    report,
    profile,
    accuracy,
    quantize,
    compare,
    bench,
    breakdown,
    pareto,
    starting,
    tune,
    kernels,
    verify,
    targets,
    machines,
    cache,
):
    commands.add_command(_command)
