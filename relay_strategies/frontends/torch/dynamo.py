"""Dynamo's graphs as modules: weights and numbers bound, and sizes of tensors read from the tensors.

Dynamo hands over weights, floats and sizes as arguments of a graph, beside what the user gives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

from tvm_directconv.errors import ModelError

from .views import changes, number_of, views_of

NUMBERS = (torch.SymInt, torch.SymFloat, torch.SymBool)


def open_sizes(
    graph: fx.GraphModule, static: Sequence[bool]
) -> tuple[dict[int, tuple[int, int]], dict[int, frozenset[int]]]:
    """Return which of a graph's arguments are sizes of other ones, as tensor and axis, and which axes of
    tensors stay open."""
    placeholders = graph.graph.find_nodes(op="placeholder")
    values = [node.meta.get("example_value") for node in placeholders]
    shapes = {
        place: [size.node.expr if isinstance(size, torch.SymInt) else None for size in value.shape]
        for place, value in enumerate(values)
        if isinstance(value, torch.Tensor) and not static[place]
    }
    known: dict[Any, tuple[int, int]] = {}
    for place, shape in shapes.items():
        for axis, expr in enumerate(shape):
            if expr is not None and expr.is_symbol:
                known.setdefault(expr, (place, axis))
    sizes = {
        place: known[value.node.expr]
        for place, value in enumerate(values)
        if isinstance(value, torch.SymInt) and value.node.expr in known
    }
    axes = {
        place: frozenset(
            axis
            for axis, expr in enumerate(shape)
            if expr is not None and expr.free_symbols and expr.free_symbols <= known.keys()
        )
        for place, shape in shapes.items()
    }
    return sizes, {place: own for place, own in axes.items() if own}


def is_number(node: fx.Node) -> bool:
    """Whether a node of Dynamo's is a number, and so is all that is computed of it. Dynamo hands floats on
    as tensors."""
    if not isinstance(node.meta.get("example_value"), NUMBERS) and node.target is not torch.scalar_tensor:
        return False
    return all(user.op == "output" or is_number(user) for user in node.users)


def is_float(node: fx.Node) -> bool:
    """Whether an argument is a float of Python's, which Dynamo hands over as a tensor to be read."""
    value = node.meta.get("example_value")
    is_scalar = isinstance(value, torch.Tensor) and value.ndim == 0 and value.dtype is torch.float64
    return is_scalar and bool(node.users) and all(user.target == "item" for user in node.users)


def bound_module(
    graph: fx.GraphModule,
    arguments: Sequence[Any],
    static: Sequence[bool],
    sizes: Mapping[int, tuple[int, int]],
) -> tuple[torch.nn.Module | None, tuple[int, ...], tuple[tuple[str, Any], ...]]:
    """A module of the graph's other inputs, which of the arguments these are, and what each output is. None
    where there is nothing to compute. Arguments that are ``sizes`` of tensors are read from these."""
    copy = fx.Graph()
    mapped: dict[fx.Node, Any] = {}
    copy.graph_copy(graph.graph, mapped)
    root = torch.nn.Module()
    for name, child in graph.named_children():
        root.add_module(name, child)
    for name, tensor in (*graph.named_parameters(recurse=False), *graph.named_buffers(recurse=False)):
        root.register_parameter(name, _fixed(tensor))
    placeholders = [node for node in graph.graph.nodes if node.op == "placeholder"]
    last, inputs = mapped[placeholders[-1]], []
    for place, (tensor, axis) in sizes.items():
        with copy.inserting_after(last):
            size = copy.call_method("size", (mapped[placeholders[tensor]], axis))
        mapped[placeholders[place]].replace_all_uses_with(size)
    for place, (node, value) in enumerate(zip(placeholders, arguments, strict=True)):
        mine = mapped[node]
        if isinstance(value, torch.Tensor) and not static[place] and not is_float(node):
            inputs.append(place)
            continue
        if place in sizes:
            copy.erase_node(mine)
            continue
        if is_float(node):
            for user in list(node.users):
                _replace(mapped[user], value.item())
                copy.erase_node(mapped[user])
                mapped[user] = value.item()
            copy.erase_node(mine)
            continue
        if isinstance(value, torch.Tensor):
            with copy.inserting_before(mine):
                bound: Any = copy.get_attr(_registered(root, _path(node), value))
            mine.replace_all_uses_with(bound)
        else:
            _replace(mine, value)
            mapped[node] = value
        copy.erase_node(mine)
    (output,) = (node for node in graph.graph.nodes if node.op == "output")
    computed, outputs = _outputs(graph, output.args[0], placeholders)
    # Where something is computed, torch.export says what is changed.
    changed = None if computed else next(filter(changes, graph.graph.nodes), None)
    if changed is not None:
        raise ModelError(f"'{changed.name}' changes in place what a graph is given")
    copy.output(tuple(mapped[node] for node in computed))
    module = fx.GraphModule(root, copy).eval() if computed else None
    return module, tuple(inputs), outputs


def _replace(node: fx.Node, value: Any) -> None:
    """Have all that reads a node have a number in its place."""
    for user in list(node.users):
        user.args = fx.map_arg(user.args, lambda n: value if n is node else n)
        user.kwargs = fx.map_arg(user.kwargs, lambda n: value if n is node else n)


def _outputs(
    graph: fx.GraphModule, given: Any, placeholders: Sequence[fx.Node]
) -> tuple[list[fx.Node], tuple[tuple[str, Any], ...]]:
    """The nodes whose results are wanted, and what each output is."""
    values = given if isinstance(given, list | tuple) else [given]
    views = views_of(graph, [value for value in values if isinstance(value, fx.Node)])
    places: dict[fx.Node, int] = {}
    outputs: list[tuple[str, Any]] = []
    for value in values:
        if not isinstance(value, fx.Node):
            outputs.append(("value", value))
        elif value in placeholders:
            outputs.append(("argument", placeholders.index(value)))
        elif value in views:
            base = views[value].base
            place = None if base is None else places.setdefault(base, len(places))
            outputs.append(("view", (views[value].take, place)))
        elif isinstance(value.meta.get("example_value"), NUMBERS) or is_number(value):
            outputs.append(("view", (number_of(graph, value).take, None)))
        elif isinstance(value.meta.get("example_value"), torch.Tensor):
            outputs.append(("result", places.setdefault(value, len(places))))
        else:
            raise ModelError(f"a graph's output '{value.name}' is not a tensor")
    return list(places), tuple(outputs)


def _path(node: fx.Node) -> list[str]:
    """The names that lead to a weight in the user's modules, by Dynamo's source of it."""
    source = getattr(node, "_dynamo_source", None)
    name = getattr(source, "name", "")
    keys = re.findall(r"\['([^']*)'\]", name() if callable(name) else str(name))[1:]
    return [key.replace(".", "_") for key in keys] or [node.name]


def _registered(root: torch.nn.Module, path: Sequence[str], tensor: torch.Tensor) -> str:
    """The dotted name under which a weight now is a parameter of ``root``."""
    owner, names = root, []
    for name in path[:-1]:
        while not isinstance(getattr(owner, name, torch.nn.Module()), torch.nn.Module):
            name += "_"
        if not hasattr(owner, name):
            owner.add_module(name, torch.nn.Module())
        owner = getattr(owner, name)
        names.append(name)
    leaf = path[-1]
    while hasattr(owner, leaf):
        leaf += "_"
    owner.register_parameter(leaf, _fixed(tensor))
    return ".".join([*names, leaf])


def _fixed(tensor: torch.Tensor) -> torch.nn.Parameter:
    """Buffers, too, become parameters: none of these may change, whatever the results follow from."""
    return torch.nn.Parameter(tensor.detach(), requires_grad=False)
