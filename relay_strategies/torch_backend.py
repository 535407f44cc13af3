"""The compiler as a backend of torch.compile: ``torch.compile(model, backend="directconv", options={...})``.

The package registers it by an entry point, so that nobody has to import it. Dynamo hands over graphs whose
weights are inputs; they are bound here, per set of weights and of input shapes, and a graph is compiled anew
when one of them changes. What cannot be compiled is computed by PyTorch, after a warning that says why.
"""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from relay_strategies.compiler.compiler import compile
from relay_strategies.compiler.model.compiled_model import CompiledModel
from relay_strategies.frontends.torch.views import changes, views_of
from tvm_directconv.errors import InputError, ModelError, nearest
from tvm_directconv.targets.target import require_host, resolve_target

OPTIONS = (
    "target", "algorithm", "precision", "accuracy", "layout", "max_workspace_bytes", "max_filter_bytes",
    "max_tensor_bytes", "tuning",
)  # fmt: skip
"""The arguments of ``compile`` that torch.compile's options may give."""
MOST_VARIANTS = 32
"""One graph is compiled for at most so many sets of weights and shapes; others are PyTorch's."""
_said: set[str] = set()


def directconv(
    graph: fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Any:
    """Return the function that computes a graph of Dynamo's, on the CPU and without gradients.

    ``options`` are ``compile``'s, by their names. Raises DirectConvError for wrong ones; a graph that cannot
    be compiled is not an error.
    """
    if mode is not None:
        raise InputError("the backend directconv does not have modes; give torch.compile options={...}")
    given = dict(options or {})
    for name in given:
        if name not in OPTIONS:
            raise InputError(
                f"no option '{name}' of the backend directconv{nearest(name, OPTIONS)}; there are "
                f"{', '.join(OPTIONS)}"
            )
    target = resolve_target(given.pop("target", "llvm -mcpu=native"))
    require_host(target)
    return _Graph(graph, example_inputs, {"target": target, **given})


@dataclass(frozen=True)
class _Variant:
    """A graph compiled for some weights and shapes: ``outputs`` says what each of its results is.

    An output is a place among the compiled model's results, or an argument handed on, or a value, or a view:
    what takes it, and of which result, None for those of arguments.
    """

    weights: tuple[torch.Tensor, ...]
    model: CompiledModel | None
    inputs: tuple[int, ...]
    outputs: tuple[tuple[str, Any], ...]

    def run(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        results: Any = ()
        if self.model is not None:
            results = self.model(*(arguments[place] for place in self.inputs))
            results = results if isinstance(results, tuple) else (results,)
        return tuple(_output(kind, value, arguments, results) for kind, value in self.outputs)


def _output(kind: str, value: Any, arguments: Sequence[Any], results: Sequence[torch.Tensor]) -> Any:
    if kind == "view":
        take, base = value
        return take(*arguments, *([] if base is None else [results[base]]))
    sources = {"result": results, "argument": arguments}
    return sources[kind][value] if kind in sources else value


class _Graph:
    """One of Dynamo's graphs, with what it was compiled to."""

    def __init__(self, graph: fx.GraphModule, example_inputs: Sequence[Any], options: dict[str, Any]) -> None:
        self._graph = graph
        self._options = options
        self._static = [getattr(v, "_dynamo_static_input_type", None) is not None for v in example_inputs]
        self._variants: dict[tuple[Any, ...], _Variant] = {}
        self._left: set[tuple[Any, ...]] = set()
        """What is PyTorch's, whatever values its weights have: a graph may change them itself."""

    def __call__(self, *arguments: Any) -> Any:
        reason = _outside(arguments)
        if reason is not None:
            _warn(reason)
            return self._graph.forward(*arguments)
        key = tuple(map(_key, arguments, self._static))
        if key not in self._variants:
            of_any_values = tuple(map(_without_version, key, self._static))
            compiled = None if of_any_values in self._left else self._compiled(arguments)
            if compiled is None:
                self._left.add(of_any_values)
                return self._graph.forward(*arguments)
            self._variants[key] = compiled
        return self._variants[key].run(arguments)

    def _compiled(self, arguments: Sequence[Any]) -> _Variant | None:
        weights = tuple(v for v, static in zip(arguments, self._static, strict=True) if static)
        self._forget(weights)
        if len(self._variants) >= MOST_VARIANTS:
            _warn(f"a graph was compiled for {MOST_VARIANTS} sets of shapes and weights already")
            return None
        try:
            bound, inputs, outputs = _bound(self._graph, arguments, self._static)
            if bound is None:
                return _Variant(weights, None, (), outputs)
            if not inputs:
                raise ModelError("nothing that a graph computes depends on a tensor that it is given")
            examples = tuple(arguments[place] for place in inputs)
            model = compile(bound, **self._options, example_inputs=examples)
            return _Variant(weights, model, inputs, outputs)
        except ModelError as error:
            _warn(str(error))
            return None

    def _forget(self, weights: Sequence[torch.Tensor]) -> None:
        """Drop what was compiled for the same tensors with other values."""
        for key, variant in list(self._variants.items()):
            if weights and all(map(operator.is_, variant.weights, weights)):
                places = [p for p, static in enumerate(self._static) if static]
                if any(key[p] != _key(w, True) for p, w in zip(places, weights, strict=True)):
                    del self._variants[key]


def _key(value: Any, is_static: bool) -> Any:
    """What a compiled graph depends on: a weight's memory and version, any other tensor's shape and type."""
    if not isinstance(value, torch.Tensor):
        return value
    if is_static:
        return (id(value), value.data_ptr(), None if value.is_inference() else value._version)
    return (tuple(value.shape), value.dtype)


def _without_version(key: Any, is_static: bool) -> Any:
    """What a weight's key has but for its values' version."""
    return key[:-1] if is_static and isinstance(key, tuple) else key


def _outside(arguments: Sequence[Any]) -> str | None:
    """Why a call is none of this backend's; None where it is."""
    tensors = [value for value in arguments if isinstance(value, torch.Tensor)]
    for tensor in tensors:
        if tensor.device.type != "cpu":
            return f"a tensor is on the device '{tensor.device}', and this compiles for the CPU"
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return (
            "gradients are wanted, and it computes none; call the model under torch.no_grad() or "
            "torch.inference_mode()"
        )
    return None


def _warn(reason: str) -> None:
    """Say once that PyTorch computes something itself."""
    if reason not in _said:
        _said.add(reason)
        warnings.warn(
            f"torch.compile(backend='directconv') leaves a graph to PyTorch: {reason}", stacklevel=3
        )


# ---- a graph with its weights and numbers bound


def _bound(
    graph: fx.GraphModule, arguments: Sequence[Any], static: Sequence[bool]
) -> tuple[torch.nn.Module | None, tuple[int, ...], tuple[tuple[str, Any], ...]]:
    """A module of the graph's other inputs, which of the arguments these are, and what each output is. None
    where there is nothing to compute."""
    copy = fx.Graph()
    mapped: dict[fx.Node, Any] = {}
    copy.graph_copy(graph.graph, mapped)
    root = torch.nn.Module()
    for name, child in graph.named_children():
        root.add_module(name, child)
    for name, tensor in (*graph.named_parameters(recurse=False), *graph.named_buffers(recurse=False)):
        root.register_parameter(name, _fixed(tensor))
    placeholders = [node for node in graph.graph.nodes if node.op == "placeholder"]
    inputs = []
    for place, (node, value) in enumerate(zip(placeholders, arguments, strict=True)):
        mine = mapped[node]
        if isinstance(value, torch.Tensor) and not static[place]:
            inputs.append(place)
            continue
        if isinstance(value, torch.Tensor):
            with copy.inserting_before(mine):
                bound: Any = copy.get_attr(_registered(root, _path(node), value))
            mine.replace_all_uses_with(bound)
        else:
            for user in list(mine.users):
                user.args = fx.map_arg(user.args, lambda n, own=mine, v=value: v if n is own else n)
                user.kwargs = fx.map_arg(user.kwargs, lambda n, own=mine, v=value: v if n is own else n)
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
