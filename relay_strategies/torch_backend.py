"""The compiler as a backend of torch.compile: ``torch.compile(model, backend="directconv", options={...})``.

The package registers it by an entry point, so that nobody has to import it. Dynamo hands over graphs whose
weights are inputs; they are bound here, per set of weights and of input shapes, and a graph is compiled anew
when one of them changes. Dimensions that Dynamo leaves open stay open: all their sizes are one compilation.
What cannot be compiled is computed by PyTorch, after a warning that says why.
"""

from __future__ import annotations

import operator
import warnings
import weakref
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from relay_strategies.compiler.compiler import compile
from relay_strategies.compiler.model.executable_model import ExecutableModel
from relay_strategies.frontends.torch.changes import returned
from relay_strategies.frontends.torch.cut import cut
from relay_strategies.frontends.torch.dynamo import bound_module, is_float, is_number, open_sizes
from relay_strategies.frontends.torch.export import exported_program, input_values, opened_program
from tvm_directconv.errors import DirectConvError, InputError, ModelError, nearest
from tvm_directconv.log import LOG
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
    new = _Graph(graph, example_inputs, {"target": target, **given})
    same = next((known for known in _graphs if known.equals(new)), new)
    _graphs.add(same)
    return same


@dataclass(frozen=True)
class _Variant:
    """A graph compiled for some weights and shapes: ``outputs`` says what each of its results is.

    An output is a place among the compiled model's results, or an argument handed on, or a value, or a view:
    what takes it, and of which result, None for those of arguments. The model's first results are new values
    of the arguments at ``changed``.
    """

    weights: tuple[torch.Tensor, ...]
    model: ExecutableModel | None
    inputs: tuple[int, ...]
    outputs: tuple[tuple[str, Any], ...]
    changed: tuple[int, ...] = ()

    def run(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        results: Any = ()
        if self.model is not None:
            _refuse_shared(arguments, self.changed)
            results = self.model(*(arguments[place] for place in self.inputs))
            results = results if isinstance(results, tuple) else (results,)
            with torch.no_grad():
                for place, value in zip(self.changed, results, strict=False):
                    arguments[place].copy_(value)
            results = results[len(self.changed) :]
        return tuple(_output(kind, value, arguments, results) for kind, value in self.outputs)


@dataclass(frozen=True)
class _InParts(_Variant):
    """A graph whose parts are compiled, and the rest computed by PyTorch."""

    graph: fx.GraphModule | None = None

    def run(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        assert self.graph is not None
        return self.graph(*arguments)


class _Part(torch.nn.Module):
    """A part of a graph as the graph calls it."""

    def __init__(self, graph: _Graph) -> None:
        super().__init__()
        self._compiled = graph
        (output,) = graph.graph.graph.find_nodes(op="output")
        self._is_single = isinstance(output.args[0], fx.Node)

    def forward(self, *arguments: Any) -> Any:
        results = self._compiled(*arguments)
        return results[0] if self._is_single and isinstance(results, tuple) else results


class _StaticType:
    """What Dynamo says of an input, without the tensor."""

    def __init__(self, kind: Any) -> None:
        self._dynamo_static_input_type = kind


def _static_only(value: Any) -> _StaticType:
    return _StaticType(getattr(value, "_dynamo_static_input_type", None))


def _refuse_shared(arguments: Sequence[Any], changed: Sequence[int]) -> None:
    """Raise ModelError where a tensor that is changed has memory in common with another."""
    if changed:
        memory = [v.untyped_storage().data_ptr() if isinstance(v, torch.Tensor) else None for v in arguments]
        if any(memory.count(memory[place]) > 1 for place in changed):
            raise ModelError("a tensor that a graph changes shares memory with another that it is given")


def _output(kind: str, value: Any, arguments: Sequence[Any], results: Sequence[torch.Tensor]) -> Any:
    if kind == "view":
        take, base = value
        return take(*arguments, *([] if base is None else [results[base]]))
    sources = {"result": results, "argument": arguments}
    return sources[kind][value] if kind in sources else value


class _Graph:
    """One of Dynamo's graphs, with what it was compiled to."""

    def __init__(
        self,
        graph: fx.GraphModule,
        example_inputs: Sequence[Any],
        options: dict[str, Any],
        is_part: bool = False,
    ) -> None:
        """``is_part`` says that it is of one that was cut, and is not cut again."""
        self._graph, self._is_part = graph, is_part
        self._cut: fx.GraphModule | None = None
        self._examples = [_static_only(value) for value in example_inputs]
        self._options = options
        self._static = [getattr(v, "_dynamo_static_input_type", None) is not None for v in example_inputs]
        self._sizes, self._open = open_sizes(graph, self._static)
        placeholders = graph.graph.find_nodes(op="placeholder")
        self._counted = {place for place, node in enumerate(placeholders) if is_number(node)}
        """Numbers that no tensor follows from."""
        self._floats = {place for place, node in enumerate(placeholders) if is_float(node)}
        self._variants: dict[tuple[Any, ...], _Variant] = {}
        self._left: set[tuple[Any, ...]] = set()
        """What is PyTorch's, whatever values its weights have: a graph may change them itself."""

    @property
    def graph(self) -> fx.GraphModule:
        """Dynamo's graph."""
        return self._graph

    def equals(self, other: _Graph) -> bool:
        """Return whether a graph computes the same. Dynamo hands one over again where it assumed, for the
        sake of its own convolutions, that an input is small."""
        own, others = self._facts(), other._facts()
        return own == others and not any(n.op in ("get_attr", "call_module") for n in self._graph.graph.nodes)

    def _facts(self) -> tuple[Any, ...]:
        return self._graph.code, self._options, self._static, self._sizes, self._open

    def __call__(self, *arguments: Any) -> Any:
        reason = _outside(arguments)
        if reason is None:
            variant = self._variants.get(self._key(arguments)) or self._added(arguments)
            if variant is None:
                return self._graph.forward(*arguments)
            try:
                return variant.run(arguments)
            except DirectConvError as error:  # a size that conditions exclude, and that cannot be compiled
                reason = str(error)
        _warn(reason)
        return self._graph.forward(*arguments)

    def _key(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """What is compiled depends on, as an entry for each argument."""
        return tuple(
            None
            if place in self._sizes or place in self._counted
            else value.item()
            if place in self._floats
            else _key(value, static, self._open.get(place, ()))
            for place, (value, static) in enumerate(zip(arguments, self._static, strict=True))
        )

    def _added(self, arguments: Sequence[Any]) -> _Variant | None:
        """The graph compiled for such arguments; None where it is PyTorch's."""
        if self._of_any_values(arguments) in self._left:
            return None
        variant = self._compiled(arguments)
        if variant is None:
            self._left.add(self._of_any_values(arguments))
        else:
            self._variants[self._key(arguments)] = variant
        return variant

    def _of_any_values(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(map(_without_version, self._key(arguments), self._static))

    def _compiled(self, arguments: Sequence[Any]) -> _Variant | None:
        weights = tuple(v for v, static in zip(arguments, self._static, strict=True) if static)
        self._forget(weights)
        if self._cut is not None:
            return _InParts(weights, None, (), (), graph=self._cut)
        if len(self._variants) >= MOST_VARIANTS:
            _warn(f"a graph was compiled for {MOST_VARIANTS} sets of shapes and weights already")
            return None
        if self._open:
            try:
                return self._variant(arguments, weights, self._sizes, self._open)
            except ModelError as error:
                LOG.info("a graph is compiled for each size by itself: %s", error)
        try:
            variant: _Variant | None = self._variant(arguments, weights, {}, {})
        except ModelError as error:
            variant = None if self._is_part else self._in_parts(weights, error)
            if variant is None:
                _warn(str(error))
                return None
        self._sizes, self._open = {}, {}
        return variant

    def _in_parts(self, weights: tuple[torch.Tensor, ...], error: ModelError) -> _Variant | None:
        """The graph in parts that are compiled when they are called; None where there are none."""
        if self._cut is None:
            found = cut(self._graph)
            if found is None:
                return None
            for name, part in found.parts.items():
                examples = [None if at is None else self._examples[at] for at in found.places[name]]
                setattr(found.graph, name, _Part(_Graph(part, examples, self._options, is_part=True)))
            left = "; ".join(f"{name}: {why}" for name, why in found.reasons.items())
            _warn(f"it computes {len(found.reasons)} of its operations, the rest is compiled: {left}")
            self._cut = found.graph
        return _InParts(weights, None, (), (), graph=self._cut)

    def _variant(
        self,
        arguments: Sequence[Any],
        weights: tuple[torch.Tensor, ...],
        sizes: Mapping[int, tuple[int, int]],
        opened: Mapping[int, frozenset[int]],
    ) -> _Variant:
        bound, inputs, outputs = bound_module(self._graph, arguments, self._static, sizes)
        if bound is None:
            return _Variant(weights, None, (), outputs)
        if not inputs:
            raise ModelError("nothing that a graph computes depends on a tensor that it is given")
        examples = tuple(arguments[place] for place in inputs)
        axes = [
            {axis for axis in opened.get(place, ()) if size[axis] > 1}
            for place, size in zip(inputs, (example.shape for example in examples), strict=True)
        ]
        found = returned(
            opened_program(bound, examples, axes) if any(axes) else exported_program(bound, examples)
        )
        if found.weights:  # these become inputs, since they are others at every call
            pointers = {found.program.state_dict[name].data_ptr() for name in found.weights}
            kept = [s and v.data_ptr() not in pointers for v, s in zip(arguments, self._static, strict=True)]
            if kept == self._static:
                raise ModelError("a graph changes a weight that it is not given")
            self._static = kept
            weights = tuple(v for v, static in zip(arguments, kept, strict=True) if static)
            return self._variant(arguments, weights, sizes, opened)
        program = found.program
        model = compile(program, **self._options)
        names = dict(zip(input_values(program), inputs, strict=True))
        changed = tuple(names[name] for name in found.inputs)
        if not any(axes):
            return _Variant(weights, model, inputs, outputs, changed)
        # What a graph fixes nevertheless is a number from here on.
        values = input_values(program).values()
        fixed = {
            place: {axis for axis in own if isinstance(value.shape[axis], int)}
            for place, own, value in zip(inputs, axes, values, strict=True)
        }
        self._open = {place: own - fixed.get(place, set()) for place, own in self._open.items()}
        return _Variant(weights, model, inputs, outputs, changed)

    def _forget(self, weights: Sequence[torch.Tensor]) -> None:
        """Drop what was compiled for the same tensors with other values."""
        for key, variant in list(self._variants.items()):
            if weights and all(map(operator.is_, variant.weights, weights)):
                places = [p for p, static in enumerate(self._static) if static]
                if any(key[p] != _key(w, True) for p, w in zip(places, weights, strict=True)):
                    del self._variants[key]


_graphs: weakref.WeakSet[_Graph] = weakref.WeakSet()


def _key(value: Any, is_static: bool, opened: Collection[int] = ()) -> Any:
    """What a compiled graph depends on: a weight's memory and version, any other tensor's shape and type.

    What is 1 along an open axis is a case of its own, as it is for torch."""
    if not isinstance(value, torch.Tensor):
        return value
    if is_static:
        return (id(value), value.data_ptr(), None if value.is_inference() else value._version)
    shape = (None if axis in opened and n > 1 else n for axis, n in enumerate(value.shape))
    return (tuple(shape), value.dtype)


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
