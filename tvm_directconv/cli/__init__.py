"""The command line, ``tvm-directconv``: one file for each kind of command, one for what they share."""

from __future__ import annotations

import warnings

from .interrupts import run_interruptibly


def main() -> None:
    """Run the command that this process was started for."""
    run_interruptibly(_commands)


def _commands() -> None:
    # Not before interrupts are answered: imports take their time.
    from .group import commands

    # Of a warning, people want what it says, and not which line of this package said it.
    warnings.formatwarning = lambda message, *where, **line: f"Warning: {message}\n"
    commands(prog_name="tvm-directconv")
