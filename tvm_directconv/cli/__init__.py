"""The command line, ``tvm-directconv``: one file for each kind of command, one for what they share."""

from .group import main

__all__ = ["main"]
