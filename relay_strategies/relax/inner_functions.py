"""Inner functions: what a network runs as often as it finds out when it runs, the body of a loop, or one of
two branches.

Each is a module of its own, whose ``main`` is compiled as a network's is. The network calls a function of
TVM's runtime in their place, which ``compiler/inner.py`` makes: ``INNER`` holds by name what it consists of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tvm
from tvm import relax

from .graph import bindings

INNER = "directconv.inner"
"""The attribute of a module with its inner functions by name, and of the ``main`` of one that is such."""


@dataclass(frozen=True)
class Inner:
    """The modules that a call decides between, when it runs: the body of a loop, or two branches.

    A loop is called with whether it turns at all, the number of the first turn, ``carried`` values, what
    each of ``stacked`` results is of no turns, and what all turns read. Its body is given the turn's number,
    what is carried and what all read. It returns whether there is another turn, the number of that, what is
    carried, the rows that it adds to stacked results, and these results' shapes with them, as integers.

    Of two branches the first is called where what the call is given first is true; they are given the rest.
    """

    modules: tuple[tvm.IRModule, ...]
    carried: int = 0
    stacked: int = 0

    @property
    def is_loop(self) -> bool:
        return len(self.modules) == 1


def with_inner(module: tvm.IRModule, inner: Mapping[str, Inner]) -> tvm.IRModule:
    """Return a module with inner functions, whose names its ``main`` calls."""
    if not inner:
        return module
    fields: dict[str, Any] = {
        name: [list(each.modules), each.carried, each.stacked] for name, each in inner.items()
    }
    return module.with_attr(INNER, fields)


def taken_apart(module: tvm.IRModule) -> tuple[tvm.IRModule, dict[str, Inner]]:
    """Return a module without its inner functions, and these by name."""
    fields = module.attrs.get(INNER) if module.attrs else None
    if fields is None:
        return module, {}
    found = {
        str(name): Inner(tuple(modules), int(carried), int(stacked))
        for name, (modules, carried, stacked) in fields.items()
    }
    return module.without_attr(INNER), found


NAMES = ("directconv_loop", "directconv_choice")
"""What inner functions are called, behind which is a number."""


def called(name: str, arguments: Sequence[relax.Expr], results: Sequence[relax.Type]) -> relax.Call:
    """Return a call of an inner function; it returns a tuple."""
    return relax.op.call_pure_packed(name, *arguments, ty_args=[relax.TupleType(list(results))])


def is_inner(function: relax.Function) -> bool:
    """Return whether a function is one that a network calls, and not the network."""
    return bool(function.attrs) and INNER in function.attrs


def calls_inner(function: relax.Function) -> bool:
    """Return whether a function calls inner ones."""
    values = (binding.value for binding in bindings(function.body))
    return any(is_packed(value) and str(value.op.global_symbol).startswith(NAMES) for value in values)


def is_packed(value: relax.Expr) -> bool:
    """Return whether a value is a call of a function of TVM's runtime, once purity is no longer checked."""
    return isinstance(value, relax.Call) and isinstance(value.op, relax.ExternFunc)
