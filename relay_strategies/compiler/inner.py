"""Inner functions of a network: compiled as networks are, and called by functions of TVM's virtual machine.

One of two branches is called by Relax's ``If``. Relax cannot express a loop: the attribute ``LOOP`` of its
function says how ``library/loop_code.py`` writes its instructions.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import tvm
from tvm import relax
from tvm.ir import GlobalVar

from relay_strategies.relax.graph import bindings
from relay_strategies.relax.inner_functions import Inner, is_packed
from relay_strategies.relax.main_body import MAIN

from .library.loop_code import LOOP
from .stages import Lowered

SYMBOL = "global_symbol"
LISTS, MAPS = ("external_mods",), ("const_name_to_constant",)
"""Attributes of modules that hold what their functions refer to."""

Names = dict[str, str]


def with_parts(main: Lowered, parts: Mapping[str, tuple[Inner, Sequence[Lowered]]]) -> Lowered:
    """Return a network with its inner functions, lowered as it is; what is known of it is of all of them."""
    modules = {name: (what, [each.module for each in own]) for name, (what, own) in parts.items()}
    module, names = joined(main.module, modules)
    layers, calls, arenas = list(main.layers), list(main.calls), [main.arena]
    counts = tuple(map(Counter, main.counts))
    for name, (_, own) in parts.items():
        for each, called in zip(own, names[name], strict=True):
            before = len(layers), len(calls)
            layers += [replace(layer, function=called[layer.function]) for layer in each.layers]
            calls += [
                replace(
                    call,
                    kernel=called[call.kernel],
                    layers=tuple(before[0] + place for place in call.layers),
                    after=tuple(before[1] + place for place in call.after if place >= 0),
                )
                for call in each.calls
            ]
            arenas.append(each.arena)
            for total, count in zip(counts, each.counts, strict=True):
                total.update(count)
    every, plain, reductions = map(dict, counts)
    arena = " + ".join(filter(None, arenas))
    return replace(
        main,
        module=module,
        layers=tuple(layers),
        calls=tuple(calls),
        counts=(every, plain, reductions),
        arena=arena,
    )


def joined(
    module: tvm.IRModule, inner: Mapping[str, tuple[Inner, Sequence[tvm.IRModule]]]
) -> tuple[tvm.IRModule, dict[str, list[Names]]]:
    """Return a module that is ready for the virtual machine with its inner functions, which are so, too; and
    for the modules of each what their functions are called in it."""
    whole, attributes = dict(module.functions_items()), dict(module.attrs or {})
    calls = _calls(module["main"])
    hosts, names = dict[str, GlobalVar](), dict[str, list[Names]]()
    for name, (what, modules) in inner.items():
        taken = {str(var.name_hint) for var in whole}
        bodies, names[name] = [], []
        for number, each in enumerate(modules):
            renamed, called = _renamed(each, taken, f"{name}_{number}")
            taken |= set(called.values())
            whole |= dict(renamed.functions_items())
            bodies.append(renamed.get_global_var(called[MAIN]))
            names[name].append(called)
            _merge(attributes, dict(each.attrs or {}))
        host = hosts[name] = GlobalVar(_unused(name, taken))
        whole[host] = _host(what, calls[name], {var: whole[var] for var in bodies}, str(host.name_hint))
        relax.expr._update_type(host, whole[host].ty)
    main = module.get_global_var(MAIN)
    whole[main] = _calling(module[MAIN], hosts)
    return tvm.IRModule(whole, attrs=tvm.ir.make_node("ir.DictAttrs", **attributes)), names


def _calls(main: relax.Function) -> dict[str, relax.Call]:
    """The calls of functions of TVM's runtime, by name; inner functions are called once."""
    values = (binding.value for binding in bindings(main.body))
    return {str(call.op.global_symbol): call for call in values if is_packed(call)}


def _unused(name: str, taken: Container[str]) -> str:
    names = itertools.chain([name], (f"{name}_{number}" for number in itertools.count(1)))
    return next(each for each in names if each not in taken)


def _renamed(module: tvm.IRModule, taken: set[str], name: str) -> tuple[tvm.IRModule, Names]:
    """A module whose functions have names that are not ``taken``, ``main`` has ``name``; and their new
    names."""
    called: Names = {}
    renamed = module.clone()
    for var, body in module.functions_items():
        old = str(var.name_hint)
        called[old] = _unused(name if old == MAIN else old, taken | set(called.values()))
        renamed.update_func(var, body.with_attr(SYMBOL, called[old]))
    return relax.transform.NormalizeGlobalVar()(renamed), called


def _merge(attributes: dict[str, Any], others: Mapping[str, Any]) -> None:
    for key in LISTS:
        if key in others:
            attributes[key] = [*attributes.get(key, []), *others[key]]
    for key in MAPS:
        if key in others:
            attributes[key] = {**dict(attributes.get(key, {})), **dict(others[key])}


def _host(
    what: Inner, call: relax.Call, bodies: Mapping[GlobalVar, relax.Function], symbol: str
) -> relax.Function:
    """The function that is called for an inner one, and calls its modules' functions."""
    first, attributes = next(iter(bodies)), dict[str, Any]({SYMBOL: symbol})
    like = relax.utils.copy_with_new_vars(bodies[first])
    given = like.params[:]
    result = relax.TupleType([relax.TensorType(None, ty.dtype, ndim=ty.ndim) for ty in call.ty.fields])
    decides = relax.Var("decides", relax.TensorType((), "bool"))
    if what.is_loop:
        attributes[LOOP] = [what.carried, what.stacked]
        count = 1 + what.carried
        empty = [relax.Var("empty", ty) for ty in result.fields[what.carried :]]
        params = [decides, *given[:count], *empty, *given[count:]]
        turn = relax.Var("turn", like.ret_ty)
        last = relax.Call(relax.ExternFunc("vm.builtin.make_tuple"), [turn], ty_args=[result])
        body = _returning(last, result, relax.VarBinding(turn, relax.Call(first, given)))
    else:
        params = [decides, *given]
        branches = [_returning(relax.Call(var, given), result) for var in bodies]
        body = _returning(relax.If(decides, *branches), result)
    made = tvm.ir.make_node("ir.DictAttrs", **attributes)
    return relax.Function(params, _normalized(body), result, is_pure=False, attrs=made)


def _normalized(body: relax.SeqExpr) -> relax.SeqExpr:
    """A body whose expressions have types: TVM would add them in place, which changes a function's hash."""
    return relax.BlockBuilder().normalize(body)


def _returning(value: relax.Expr, kind: relax.Type, *before: relax.Binding) -> relax.SeqExpr:
    made = relax.Var("made", kind)
    return relax.SeqExpr([relax.BindingBlock([*before, relax.VarBinding(made, value)])], made)


def _calling(main: relax.Function, hosts: Mapping[str, GlobalVar]) -> relax.Function:
    """A function that calls these instead of functions of TVM's runtime by their names."""

    def new(binding: relax.Binding) -> relax.Binding:
        call = binding.value
        name = str(call.op.global_symbol) if is_packed(call) else ""
        if name not in hosts:
            return binding
        return relax.VarBinding(binding.var, relax.Call(hosts[name], call.args))

    blocks = [relax.BindingBlock(list(map(new, block.bindings))) for block in main.body.blocks]
    body = _normalized(relax.SeqExpr(blocks, main.body.body))
    return relax.Function(main.params, body, main.ret_ty, main.is_pure, main.attrs)
