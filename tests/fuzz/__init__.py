"""Drawn layers, graphs, damaged files and signals during runs, each case wholly determined by its number.

Cases are run in worker processes, so that what crashes, hangs or eats the memory is an outcome like any
other (``worker.py``). ``pytest -m fuzz --seconds 600`` draws new cases for so long, ``--seed`` says where to
begin, ``--cases`` how many; without any of them a short fixed set is run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

Check = Callable[[int], str]
"""It draws the case of a number, checks it and returns what came of it. It raises where that is a fault."""


@dataclass(frozen=True)
class Kind:
    """A kind of cases: the module that draws and checks them, and how many are run without being asked."""

    module: str
    fixed: int

    def check(self, number: int) -> str:
        """A ``Check``; the module is imported where cases are run."""
        outcome: str = import_module(f"fuzz.{self.module}").check(number)
        return outcome


KINDS = {
    "layers": Kind("layers", 24),
    "quantized": Kind("quantized", 16),
    "functions": Kind("functions", 8),
    "graphs": Kind("graphs", 8),
    "files": Kind("files", 40),
    "hostile": Kind("hostile", 40),
    "signals": Kind("signals", 12),
}
