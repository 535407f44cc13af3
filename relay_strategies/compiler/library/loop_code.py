"""Loops as instructions of TVM's virtual machine, which can go back and Relax cannot.

A loop's function keeps what is carried in registers, and stacked results in TVM's caches of keys, lists that
double when they are full: a turn costs its body and a few calls, and holds what is carried once.
"""

from __future__ import annotations

from collections.abc import Sequence

import tvm
from tvm import relax
from tvm.ir import GlobalVar
from tvm.relax import vm_build

from relay_strategies.relax.graph import bindings

LOOP = "directconv.loop"
"""The attribute of a function that calls another one in turn: the number of values that are carried, and of
those that are stacked (``relax/inner_functions.py``)."""
SYMBOL = "global_symbol"
CACHE = "vm.builtin.attention_kv_cache"


def generate(builder: relax.ExecBuilder, module: tvm.IRModule) -> None:
    """Write the instructions of all Relax functions of a module, those of loops among them."""
    loops = {var: body for var, body in module.functions_items() if _is_loop(body)}
    # What calls a loop takes it for a function of the machine where the module has one, by another symbol.
    others = module.clone() if loops else module
    for var, body in loops.items():
        others.update_func(var, body.with_attr(SYMBOL, f"{body.attrs[SYMBOL]}.body"))
    vm_build._vmcodegen(builder, others)
    for body in loops.values():
        _write(builder, body, module)


def _is_loop(body: tvm.ir.BaseFunc) -> bool:
    return isinstance(body, relax.Function) and bool(body.attrs) and LOOP in body.attrs


def _body_of(loop: relax.Function, module: tvm.IRModule) -> str:
    """The symbol of the function that a loop calls."""
    calls = (each.value for each in bindings(loop.body) if isinstance(each.value, relax.Call))
    called = [call.op for call in calls if isinstance(call.op, GlobalVar)]
    return next(str(module[var].attrs[SYMBOL]) for var in called if isinstance(module[var], relax.Function))


def _write(builder: relax.ExecBuilder, loop: relax.Function, module: tvm.IRModule) -> None:
    carried, stacked = map(int, loop.attrs[LOOP])
    body, first = _body_of(loop, module), 2 + carried
    count = len(loop.params)
    values = range(first)  # whether there is a turn, its number, and what is carried
    empty, rest = range(first, first + stacked), range(first + stacked, count)
    made, condition = count, count + 1
    rows = range(count + 2, count + 2 + stacked)
    shapes = range(rows.stop, rows.stop + stacked)
    lists = range(shapes.stop, shapes.stop + stacked)
    given = [*values[1:], *rest]
    turn = 1 + len(values) + 2 * stacked  # instructions

    def call(name: str, arguments: Sequence[int], result: int, number: int | None = None) -> None:
        numbers = [] if number is None else [builder.imm(number)]
        builder.emit_call(name, [*map(builder.r, arguments), *numbers], builder.r(result))

    def take_turn() -> None:
        call(body, given, made)
        for number, register in enumerate([*values, *rows, *shapes]):
            call("vm.builtin.tuple_getitem", [made], register, number)

    def end(results: Sequence[int]) -> None:
        call("vm.builtin.make_tuple", [*values[2:], *results], made)
        builder.emit_ret(builder.r(made))

    def skip_unless_it_turns(instructions: int) -> None:
        call("vm.builtin.read_if_cond", values[:1], condition)
        builder.emit_if(builder.r(condition), 1 + instructions)

    names = [f"a{number}" for number in range(count)]
    with builder.function(str(loop.attrs[SYMBOL]), count, names):
        skip_unless_it_turns(turn + 2 * stacked + 2 + turn + stacked + 1 + 2 * stacked + 2)
        take_turn()
        for row, each in zip(rows, lists, strict=True):
            call("vm.builtin.shape_of", [row], condition)
            call(f"{CACHE}_create", [row, condition], each, 1)
        skip_unless_it_turns(turn + stacked + 1)
        take_turn()
        for row, each in zip(rows, lists, strict=True):
            call(f"{CACHE}_append", [each, row], each)
        builder.emit_goto(-(turn + stacked + 2))
        for row, shape, each in zip(rows, shapes, lists, strict=True):
            call("vm.builtin.tensor_to_shape", [shape], condition)
            call(f"{CACHE}_view", [each, condition], row)
        end(rows)
        end(empty)
