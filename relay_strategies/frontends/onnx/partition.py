"""An ONNX model in parts: those that compile, and those of nodes that stay with another runtime.

``trial.py`` says which nodes compile. Parts are made of them by levels: a node's level is that of the nodes
that it reads, and one more where one of these goes the other way. All nodes of a level are one part, so that
a path through a part never comes back to it, parts in the order of their levels never wait for each other,
and there are as few of them as ways change along one path. What follows from constants and sizes alone is
not cut: each part that reads it has its own copy.

Nodes that compile, but of which no layer is among those that they hang together with, stay: handing tensors
over costs more than they would gain.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper, numpy_helper

from relay_strategies.frontends.budget import allow, limited
from tvm_directconv.problem.extents import depends_on_data, typical
from tvm_directconv.problem.ties import Affine
from tvm_directconv.zoo.inputs import true_inputs

from .checks import ELEMENTS
from .functions import inline_functions
from .nodes import DEFAULT_DOMAINS, all_nodes, node_name, nodes_in, operator_name, static_dims
from .open_shapes import is_open_array
from .order import in_order, reads
from .taken_apart import WEIGHTED, needed
from .trial import Findings, Opened, tried
from .validity import refuse_invalid

LAYERS = {
    *WEIGHTED,
    *("Einsum", "LSTM", "GRU", "RNN", "DynamicQuantizeLSTM", "MatMulNBits", "DeformConv"),
    *("Attention", "QAttention", "MultiHeadAttention", "GroupQueryAttention"),
}
"""Operators that are worth a cut: they multiply."""
NO_LAYER = "it compiles, but hangs together with no layer that does, and handing tensors over costs more"
DRAWING = ("Bernoulli", "Dropout", "Multinomial", "RandomNormalLike", "RandomUniformLike")
"""Operators of which two copies give different results."""
NOT_PASSED = (TensorProto.BFLOAT16,)
"""Element types that not every runtime takes from outside."""


@dataclass(frozen=True)
class Part:
    """Nodes of a model, by their index in its graph, that run together. ``inputs`` and ``outputs`` are names
    of values: what comes from the model's inputs and other parts, and what goes to its outputs and others."""

    nodes: tuple[int, ...]
    compiles: bool
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class Partition:
    """A model in ``parts``, in the order in which they run.

    ``model`` has its functions inlined and its nodes in order; indexes are of its nodes. ``reasons`` say why
    nodes stay. ``typical`` has the open dimensions of what the parts read, by name.
    """

    model: ModelProto
    parts: tuple[Part, ...]
    reasons: Mapping[int, str]
    typical: Mapping[str, int]
    _values: _Values

    @property
    def named_reasons(self) -> dict[str, str]:
        """Why nodes stay, by their names and operators."""
        nodes = self.model.graph.node
        return {f"{node_name(nodes[i])} ({operator_name(nodes[i])})": why for i, why in self.reasons.items()}

    def proto(self, part: Part) -> ModelProto:
        """Return a part as a model, with the constants that it reads."""
        return self._values.proto(part)

    def staying(self, nodes: Iterable[int], why: str) -> Partition:
        """Return the partition in which these nodes stay, too."""
        return _partitioned(self._values, {**dict.fromkeys(nodes, why), **self.reasons})

    def constant(self, name: str) -> np.ndarray:
        """Return an output of the model that is a constant."""
        return self._values.constant(name)

    def described(self, name: str) -> tuple[tuple[int | str, ...], str] | None:
        """Return the dimensions and the dtype of a value that is a tensor of known type, else None."""
        return self._values.described(name)

    def follows_from_values(self, name: str) -> bool:
        """Return whether a tensor's size is known only when the model runs, or not at all."""
        return self._values.follows_from_values(name)

    @property
    def open_dimensions(self) -> dict[str, int]:
        """The typical values of the dimensions that the model's inputs leave open, by name."""
        return self._values.typical(value.name for value in true_inputs(self.model.graph))


def partition(
    model: ModelProto,
    opened: Callable[[Mapping[str, Affine]], Opened],
    max_tensor_bytes: int | None = None,
) -> Partition:
    """Find the parts of a model. ``opened`` returns the sizes, of which none need to be open, and the shapes
    of the inputs, for ties as ``OpenSizes`` has them.

    Raises ModelError for a model that is malformed.
    """
    with limited():
        allow(sum(1 for graph in (model.graph, *model.functions) for _ in all_nodes(graph)))
        refuse_invalid(model)
        whole = inline_functions(in_order(model))
        findings = tried(whole, opened, max_tensor_bytes)
    return _partitioned(_Values(whole, findings), findings.reasons)


def _partitioned(values: _Values, found: Mapping[int, str]) -> Partition:
    reasons = dict(found)
    levels = _settled(values, reasons)
    parts = tuple(values.parts(levels, reasons))
    typical = values.typical(name for part in parts for name in part.inputs)
    return Partition(values.model, parts, reasons, typical, values)


def _settled(values: _Values, reasons: dict[int, str]) -> dict[int, int]:
    """Return each node's level, after all nodes that cannot or should not be compiled have their reason."""
    while True:
        levels = _levels(values, reasons)
        staying = _without_layer(values, levels, reasons) or _not_handed_on(values, levels, reasons)
        if not staying:
            return levels
        reasons |= staying


def _levels(values: _Values, reasons: Mapping[int, str]) -> dict[int, int]:
    """Return the level of each node: even where it compiles, or odd, whichever makes fewer levels."""
    found = []
    for compiled in (0, 1):
        levels: dict[int, int] = {}
        for node, sources in values.sources.items():
            way = compiled if node not in reasons else 1 - compiled
            least = max((levels[source] for source in sources), default=0)
            levels[node] = least + (least % 2 != way)
        found.append(levels)
    return min(found, key=lambda levels: len(set(levels.values())))


def _without_layer(values: _Values, levels: Mapping[int, int], reasons: Mapping[int, str]) -> dict[int, str]:
    """Return the compiled nodes that hang together, on their level, with no layer."""
    leader: dict[int, int] = {}

    def of(node: int) -> int:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    compiled = [node for node in values.sources if node not in reasons]
    for node in compiled:
        leader[node] = node
        for source in values.sources[node]:
            if levels[source] == levels[node]:
                leader[of(source)] = of(node)
    layers = {of(node) for node in compiled if _is_layer(values.graph.node[node])}
    return {node: NO_LAYER for node in compiled if of(node) not in layers}


def _is_layer(node: NodeProto) -> bool:
    return any(each.op_type in LAYERS for each in nodes_in(node))


def _not_handed_on(values: _Values, levels: Mapping[int, int], reasons: Mapping[int, str]) -> dict[int, str]:
    """Return the compiled nodes that would have values handed on which runtimes do not take from each other:
    those that make or read one themselves, and those between two nodes that stay, of which one reads it."""
    found: dict[int, str] = {}
    for node in values.sources:
        for name in values.read(node):
            maker = values.maker.get(name)
            if maker is None or levels[maker] == levels[node] or values.is_passed(name):
                continue
            why = f"'{name}', which is not a tensor that runtimes hand to each other, would be cut"
            ends = {each for each in (maker, node) if each not in reasons}
            between = {
                each for each in values.before(node) if each not in reasons and levels[each] > levels[maker]
            }
            found |= dict.fromkeys(ends or between, why)
    return found


class _Values:
    """The values of a model: who makes them, what follows from constants, and what goes between parts."""

    def __init__(self, model: ModelProto, findings: Findings) -> None:
        self.model, self.graph, self._findings = model, model.graph, findings
        made_by = {name: i for i, node in enumerate(self.graph.node) for name in node.output if name}
        nodes, _ = needed(self.graph)
        indexes = sorted({made_by[next(filter(None, node.output))] for node in nodes})
        self._declared = {v.name: v for v in (*self.graph.value_info, *self.graph.output, *self.graph.input)}
        self._wanted = {value.name for value in self.graph.output}
        self._fixed = {tensor.name for tensor in self.graph.initializer}
        self._fixed |= {tensor.values.name for tensor in self.graph.sparse_initializer}
        self._numbers = {n for n, array in findings.known.items() if not is_open_array(array)} - self._fixed
        self._copied: dict[str, int] = {}
        for index in indexes:
            self._learn_copied(index)
        placed = [
            index
            for index in indexes
            if not all(name in self._copied for name in _made(self.graph.node[index]))
            or not self._wanted.isdisjoint(self.graph.node[index].output)
        ]
        self.maker = {name: i for i in placed for name in _made(self.graph.node[i])}
        self.sources = {
            i: {self.maker[name] for name in self.read(i) if name in self.maker} - {i} for i in placed
        }

    def _learn_copied(self, index: int) -> None:
        """Learn whether what a node makes is copied: it is known, or follows from constants alone."""
        node, results = self.graph.node[index], _made(self.graph.node[index])
        if index in self._findings.reasons:
            return
        constant = node.op_type == "Constant" and node.domain in DEFAULT_DOMAINS
        follows = bool(reads(node)) and reads(node) <= self._fixed and node.op_type not in DRAWING
        if constant or follows:
            self._fixed.update(results)
        if constant or follows or all(name in self._findings.known for name in results):
            self._copied.update(dict.fromkeys(results, index))
            self._fixed.update(name for name in results if name in self._numbers)

    def read(self, node: int) -> frozenset[str]:
        """Return the values that a node reads, or that what it reads is copied from, which are not."""
        return frozenset().union(*map(self._roots, reads(self.graph.node[node])))

    @functools.cache  # noqa: B019
    def _roots(self, name: str) -> frozenset[str]:
        if name in self._copied:
            if self._is_number(name):
                return frozenset()
            return frozenset().union(*map(self._roots, reads(self.graph.node[self._copied[name]])))
        return frozenset() if name in self._fixed else frozenset([name])

    def _is_number(self, name: str) -> bool:
        """Whether a copied value is a tensor of numbers that a part has as an initializer."""
        return name in self._numbers and self.graph.node[self._copied[name]].op_type != "Constant"

    def before(self, node: int) -> set[int]:
        """Return the nodes that a node follows from."""
        found, pending = set[int](), [node]
        while pending:
            sources = self.sources[pending.pop()] - found
            found |= sources
            pending += sources
        return found

    def is_passed(self, name: str) -> bool:
        """Whether every runtime takes a value from another: a tensor, of a known and common type."""
        kind = self._findings.types.get(name)
        if kind is None or not kind.elem_type:
            declared = self._declared.get(name)
            if declared is None or not declared.type.HasField("tensor_type"):
                return False
            kind = declared.type.tensor_type
        return bool(kind.elem_type) and kind.elem_type not in NOT_PASSED

    # ---- parts

    def parts(self, levels: Mapping[int, int], reasons: Mapping[int, str]) -> Iterator[Part]:
        """Yield the nodes of each level as a part."""
        groups = [[n for n in levels if levels[n] == level] for level in sorted(set(levels.values()))]
        group_of = {node: number for number, group in enumerate(groups) for node in group}
        handed_on = {
            name
            for node in levels
            for name in self.read(node)
            if name in self.maker and group_of[self.maker[name]] != group_of[node]
        }
        inputs = {value.name for value in true_inputs(self.graph)}
        for group in groups:
            made = [name for node in group for name in _made(self.graph.node[node])]
            read = frozenset().union(*map(self.read, group)) - set(made)
            entering = [name for name in (*inputs, *self.maker) if name in read]
            leaving = [name for name in made if name in handed_on or name in self._wanted]
            yield Part(tuple(group), group[0] not in reasons, tuple(sorted(entering)), tuple(leaving))

    def proto(self, part: Part) -> ModelProto:
        """Return a part as a model."""
        own = set(part.nodes)
        made = {name for node in own for name in _made(self.graph.node[node])}
        numbers = set[str]()
        pending = [name for node in own for name in reads(self.graph.node[node])]
        while pending:
            name = pending.pop()
            if name in made or name in numbers or name not in self._copied:
                continue
            if self._is_number(name):
                numbers.add(name)
                continue
            node = self.graph.node[self._copied[name]]
            own.add(self._copied[name])
            made.update(_made(node))
            pending += reads(node)
        proto = ModelProto(ir_version=max(self.model.ir_version, 4), producer_name=self.model.producer_name)
        proto.opset_import.extend(self.model.opset_import)
        graph = proto.graph
        graph.name = self.graph.name or "graph"
        graph.node.extend(self.graph.node[index] for index in sorted(own))
        wanted = {name for node in graph.node for name in reads(node)}
        graph.initializer.extend(t for t in self.graph.initializer if t.name in wanted)
        graph.initializer.extend(
            numpy_helper.from_array(self._findings.known[name], name) for name in sorted(numbers - made)
        )
        graph.sparse_initializer.extend(t for t in self.graph.sparse_initializer if t.values.name in wanted)
        graph.input.extend(self.info(name) for name in part.inputs)
        for name in part.outputs:
            known = name in self._wanted and self._declared.get(name)
            graph.output.append(known or ValueInfoProto(name=name))
        if not part.compiles:
            graph.value_info.extend(
                v for v in self.graph.value_info if v.name in made and v.name not in part.outputs
            )
        return proto

    def info(self, name: str) -> ValueInfoProto:
        """Return the name and type of a value as a model's input."""
        kind = self._findings.types.get(name)
        if kind is None or not kind.elem_type:
            return self._declared.get(name) or ValueInfoProto(name=name)
        return ValueInfoProto(name=name, type=TypeProto(tensor_type=kind))

    def constant(self, name: str) -> np.ndarray:
        """Return the array of a constant of the model."""
        known = self._findings.known.get(name)
        given = (t for t in self.graph.initializer if t.name == name)
        return numpy_helper.to_array(next(given)) if known is None else known

    def described(self, name: str) -> tuple[tuple[int | str, ...], str] | None:
        """Return the dimensions and the dtype of a tensor."""
        kind = self._findings.types.get(name)
        if kind is None or kind.elem_type not in ELEMENTS or not kind.HasField("shape"):
            return None
        dims = [
            dim.dim_value if dim.HasField("dim_value") else dim.dim_param or f"{name}.{axis}"
            for axis, dim in enumerate(kind.shape.dim)
        ]
        return tuple(dims), str(helper.tensor_dtype_to_np_dtype(kind.elem_type))

    def follows_from_values(self, name: str) -> bool:
        """Return whether a tensor's size is known only when the model runs, or not at all."""
        kind = self._findings.types.get(name)
        with self._findings.sizes.active():
            dims = static_dims(kind)
        return kind is not None and (dims is None or any(map(depends_on_data, dims)))

    def typical(self, names: Iterable[str]) -> dict[str, int]:
        """Return the typical values of the dimensions that these values leave open."""
        found: dict[str, int] = {}
        with self._findings.sizes.active():
            for name in names:
                kind = self._findings.types.get(name)
                dims = static_dims(kind) or ()
                for dim, size in zip(kind.shape.dim if kind is not None else (), dims, strict=False):
                    if dim.dim_param:
                        found[dim.dim_param] = max(1, typical(size))
        return found


def _made(node: NodeProto) -> list[str]:
    return [name for name in node.output if name]
