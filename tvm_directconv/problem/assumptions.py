"""What is assumed of open sizes: conditions that typical sizes decided."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tvm import tirx
from tvm.sym import Analyzer

from .size_text import text_of

LARGE = 64
"""Sizes that are refused above such a number are so for their memory, and not because they are others."""


@dataclass(frozen=True)
class Assumption:
    """A condition over open dimensions that was decided by typical sizes: ``condition`` is ``holds``."""

    condition: tirx.Expr
    holds: bool

    @property
    def statement(self) -> tirx.Expr:
        """Return what is true of all sizes that are admitted."""
        return self.condition if self.holds else tirx.Not(self.condition)

    @property
    def is_bound(self) -> bool:
        """Return whether it is that something does not exceed a large number."""
        c = self.condition
        return (
            not self.holds and isinstance(c, tirx.LT) and isinstance(c.a, tirx.IntImm) and int(c.a) >= LARGE
        )

    def __str__(self) -> str:
        return text_of(self.statement)


@contextlib.contextmanager
def knowing(analyzer: Analyzer, statements: Iterable[tirx.Expr]) -> Iterator[None]:
    """Have an analyzer know statements. It forgets them in turn, for it ends the process where one outlives
    another."""
    with contextlib.ExitStack() as stack:
        for statement in statements:
            stack.enter_context(analyzer.constraint_scope(statement))
        yield


def bound_of(statement: tirx.Expr) -> tuple[tirx.Var, int | None, int | None] | None:
    """The variable that a statement bounds by itself, and what it is at least or at most; else None."""
    kinds = {tirx.LE: 0, tirx.LT: 1}
    if type(statement) in (tirx.GE, tirx.GT):
        statement = (tirx.LE if isinstance(statement, tirx.GE) else tirx.LT)(statement.b, statement.a)
    if type(statement) not in kinds:
        return None
    less, greater, apart = statement.a, statement.b, kinds[type(statement)]
    if isinstance(less, tirx.Var) and isinstance(greater, tirx.IntImm):
        return less, None, int(greater) - apart
    if isinstance(less, tirx.IntImm) and isinstance(greater, tirx.Var):
        return greater, int(less) + apart, None
    return None
