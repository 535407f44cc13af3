"""Maps as Relay's layouts have them: read as operators of Relax take them, and written back."""

from __future__ import annotations

from tvm import relax

from relay_strategies.frontends.relay.layouts import parse_layout, plain_layout
from relay_strategies.functional.convolution import LETTERS

from .call import Blocked, OperatorCall, Value

LAYOUTS = ("NCHW", "NHWC")
"""Layouts of maps of two dimensions, which may have blocks of channels; others become channels first."""


def maps_in(call: OperatorCall, name: str, rank: int = 2) -> tuple[relax.Expr, str]:
    """Return the first operand without blocks, and its layout; the attribute ``name`` is Relay's."""
    plain = f"NC{LETTERS[rank]}"
    layout = call.text(name, plain)
    if rank != 2:
        if sorted(layout) != sorted(plain):
            raise call.error(f"{name} '{layout}' is not supported; orders of {', '.join(plain)} are")
        data, found = call.change_layout(call.data(0), layout, plain), plain
    elif parse_layout(layout) is None or plain_layout(layout) not in LAYOUTS:
        raise call.error(f"{name} '{layout}' is not supported; NCHW, NHWC and NCHWc with its block are")
    else:
        data, found = unblocked(call, call.value(0), layout), plain_layout(layout)
    call.rank(data, rank + 2)
    return data, found


def maps_out(call: OperatorCall, result: relax.Expr, layout: str, name: str) -> Value:
    """Return a result of a plain layout in its out_layout, which is the data's where none is given."""
    wanted = call.text(name, f"NC{LETTERS[len(layout) - 2]}")
    wanted = call.text("out_layout") if call.optional("out_layout") else wanted
    if parse_layout(wanted) is None or sorted(plain_layout(wanted)) != sorted(layout):
        raise call.error(f"out_layout '{wanted}' is not supported")
    result = call.change_layout(result, layout, plain_layout(wanted))
    return Blocked(result, wanted) if plain_layout(wanted) != wanted else result


def unblocked(call: OperatorCall, value: Value, layout: str) -> relax.Expr:
    """Return an operand of a layout with blocks in the same layout without them."""
    if isinstance(value, Blocked) and value.layout == layout:
        return value.data
    return call.change_layout(call.tensor(value, "the data"), layout, plain_layout(layout))
