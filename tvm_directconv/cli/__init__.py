"""The command line, ``tvm-directconv``: one file for each kind of command, one for what they share."""

from __future__ import annotations

from .interrupts import run_interruptibly


def main() -> None:
    """Run the command that this process was started for."""
    run_interruptibly(_commands)


def _commands() -> None:
    # Not before interrupts are answered: imports take their time.
    from .group import commands

    commands(prog_name="tvm-directconv")
