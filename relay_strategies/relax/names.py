"""Names of the model's operators, as source spans of the calls that compute them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tvm
from tvm import relax

from .tied_sizes import tie_sizes

MOST_NAMES = 3
LAYERS = ("relax.matmul", *(f"relax.nn.conv{n}d{kind}" for n in (1, 2, 3) for kind in ("", "_transpose")))
"""These have a filter, and carry the name of their layer."""


def name_of(expr: relax.Expr) -> str:
    """Return the name of the operator that an expression comes from, "" where none is known."""
    return str(expr.span.source_name.name) if expr.span else ""


def named(call: relax.Call, name: str) -> relax.Call:
    """Return a call under the name of the operator that it comes from. It is to be normalized."""
    span = tvm.ir.Span(tvm.ir.SourceName(name), 0, 0, 0, 0)
    return relax.Call(call.op, call.args, call.attrs, call.ty_args, span)


class NamedBuilder(relax.BlockBuilder):
    """A builder whose calls get ``name``, where that is not "" and they have none."""

    name = ""

    def emit(self, expr: relax.Expr, name_hint: str = "") -> relax.Var:
        var = super().emit(self.with_name(expr), name_hint)
        tie_sizes(expr, var.ty)
        return var

    def with_name(self, expr: relax.Expr) -> relax.Expr:
        nameless = self.name and type(expr) is relax.Call and expr.span is None
        return named(expr, self.name) if nameless else expr


class ClosingBuilder(NamedBuilder):
    """A builder that ends its block where a function is left by an error, for TVM warns of open ones."""

    def _exit_function_scope(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        if exc_type is not None:
            self._end_block()
        super()._exit_function_scope(exc_type, exc_val, exc_tb)


def names_text(names: Sequence[str]) -> str:
    """Return the names of operators that are computed together as one: what they begin with alike written
    once, and of more than three the first and the last."""
    several = [name for name in dict.fromkeys(names) if name]
    parts = [name.split("/") for name in several]
    alike = [len(set(each)) == 1 for each in zip(*parts, strict=False)]
    start = min([*alike, False].index(False), *(len(part) - 1 for part in parts)) if len(parts) > 1 else 0
    texts = [*several[:1], *("/".join(part[start:]) for part in parts[1:])]
    if len(texts) > MOST_NAMES:
        texts = [texts[0], "...", texts[-1]]
    return " + ".join(texts)
