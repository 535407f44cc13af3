"""One walk over an ONNX graph, node by node in order, in which each value is known or has a type.

A node of known operands is evaluated, and Shape and Size know theirs from its type. An If of known condition
is the branch that it takes, a Loop or a Scan of known turns its body as often, and an operator that others
define is those. All else is checked, gets the types of its results from ONNX's shape inference of this one
node, and is converted to Relax at once: converters meet static shapes and constants only.

The walk takes a bounded time and memory whatever the model says: a size is checked before it flows on, what
is written out counts in the budget of the import, and ``fold`` bounds what is evaluated.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TypeProto, helper

from relay_strategies.frontends.budget import HELD, spend
from relay_strategies.frontends.sizes import refuse_size
from tvm_directconv.errors import (
    DataDependentError,
    ModelError,
    UnsupportedOperatorError,
    first_line,
)
from tvm_directconv.problem.extents import Extent, depends_on_data
from tvm_directconv.problem.found_sizes import where_empty
from tvm_directconv.problem.open_sizes import active_sizes, measuring_sizes

from .checks import is_supported
from .float_sizes import integers
from .fold import SHAPES, Folding
from .functions import definition, is_defined_by_others
from .inference import infer_types
from .loops import UNROLLED, Kept, Turns, turns_of
from .nodes import (
    DEFAULT_DOMAINS,
    GRAPHS,
    all_nodes,
    attribute,
    item_bytes,
    node_name,
    nodes_in,
    operator_name,
    sparse_array,
    static_dims,
    tensor_array,
)
from .open_shapes import emptiness, is_open_array, open_results
from .order import reads
from .taken_apart import constant_value, initial_arrays
from .validity import refuse_misfits
from .values import Values, invalid

Names = Mapping[str, str]
"""What the values of an inner graph are called in the walk, where they are called otherwise."""
NODES_A_LOOK = 32
"""Nodes between two looks at the clock, each of which takes longer than a node."""
UNCHECKED = ("LayerNormalization", "SimplifiedLayerNormalization", "GroupNormalization")
"""Operators that ONNX Runtime's optimizers write into networks of opsets without them, and one that onnx's
checker refuses as it was before opset 21."""
SELECTING = (
    *("NonZero", "Compress", "NonMaxSuppression", "Unique"),
    *("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Not"),
)
"""Operators that find places, and those of the conditions that they are given."""
SAME = ("Cast", "Identity", "Squeeze", "Unsqueeze", "Reshape")
"""Operators whose results are true where their data is."""
BRANCHES = ("then_branch", "else_branch")
DECIDING = "; an input that decides between branches may be given by params="


class Walk(Values):
    """A walk over a model's graph, which makes ``module`` of it."""

    def __init__(self, model: ModelProto, inputs: Mapping[str, TypeProto.Tensor], most: int | None) -> None:
        super().__init__(model, inputs, most)
        self._checker = onnx.checker.C.CheckerContext()
        # Before version 4 every initializer had to be an input; constants that become initializers are none.
        self._checker.ir_version = max(model.ir_version, 4)
        self._checker.opset_imports = {o.domain: o.version for o in model.opset_import}
        self._folding = Folding(self._opset)
        self._given = initial_arrays(model.graph, self._needed, self._used, most)
        for name, array in self._given.items():
            self._give(name, array)
        with self._function(inputs):
            for number, node in enumerate(self._needed):
                if number % NODES_A_LOOK == 0:
                    spend()
                self._step(node)
            self._finish_outputs()

    # ---- nodes

    def _step(self, node: NodeProto) -> None:
        """Walk over a node of the model's own graph."""
        value = constant_value(node, self._given, self._most)
        if value is None:
            return self._visit(NodeProto.FromString(node.SerializeToString()), {})
        self._given[node.output[0]] = value
        self._give(node.output[0], value)

    def _visit(self, node: NodeProto, names: Names) -> None:
        """Walk over a node, whose operands and results have the walk's names; ``names`` are those of what its
        inner graphs read."""
        self._read_operands(node)
        standard = node.domain in DEFAULT_DOMAINS
        if standard and (node.op_type == "If" or node.op_type in UNROLLED):
            self._visit_graphs(node, names)
            return
        node = self._simpler(node)
        if node.op_type in SELECTING and measuring_sizes() is not None and self._is_repeated(node):
            return
        if not is_supported(node, self._opsets):
            self._refusals.add("operator", operator_name(node), node_name(node))
            self._made.update(filter(None, node.output))
            return
        value = constant_value(node, {}, self._most) if node.op_type == "Constant" else None
        if value is not None:
            self._learn_results({node.output[0]: value})
            return
        self._check(node)
        self._infer(node)
        results = self._folded(node) if standard else None
        if results is not None:
            self._learn_results(results)
        elif is_defined_by_others(node, self._opsets):
            self._define(node)
        else:
            self._leave(node)

    def _folded(self, node: NodeProto) -> dict[str, np.ndarray] | None:
        """The results of a node that are known."""
        if active_sizes() is not None:
            try:
                results = open_results(node, self.known, self.types)
            except DataDependentError:  # it is computed when the model runs
                size = emptiness(node, self.known)
                if size is not None:
                    self._empty[node.output[0]] = size
                return None
            if results is None:
                results = self._in_floats(node)
            if node.op_type in SAME and node.input[0] in self._empty:
                self._empty[node.output[0]] = self._empty[node.input[0]]
            reads = node.input if node.op_type not in SHAPES else ()
            if results is not None or any(is_open_array(self.known.get(name)) for name in reads):
                return results
        return self._folding.results(node, self.known, self.types)

    def _is_repeated(self, node: NodeProto) -> bool:
        """Whether a node finds the same as one before it, whose results are its own then: of sizes that are
        known when the model runs, these alone are known to be equal."""
        attributes = [each.SerializeToString() for each in node.attribute]
        key = (node.domain, node.op_type, *node.input, *sorted(attributes))
        before = self._selected.setdefault(key, list(node.output))
        if before == list(node.output):
            return False
        self._identities(before, node.output)
        return True

    def _read_operands(self, node: NodeProto) -> None:
        for name in node.input:
            if name and name not in self._made:
                error = invalid(node, f"its input '{name}' is made by no node before it")
                self._refusals.keep("invalid", error)

    def _simpler(self, node: NodeProto) -> NodeProto:
        """A CastLike as Cast, of whose second operand the type alone matters; a Compress by a known condition
        as Gather, whose result has a static shape; a Range of floats up to an open size as a cast one of
        integers."""
        name = operator_name(node)
        if name == "Range" and any(each in self._sizes_in_floats for each in node.input):
            return self._of_integers(node)
        if name == "CastLike" and node.input[1] in self.types and self.types[node.input[1]].elem_type:
            kind = self.types[node.input[1]].elem_type
            return helper.make_node("Cast", node.input[:1], node.output, node.name, to=kind)
        if name != "Compress" or node.input[1] not in self.known:
            return node
        data, axis = node.input[0], attribute(node, "axis", None)
        if axis is None:
            data, flat = self._name(f"{data}/flat"), self._constant(f"{data}/extents", np.array([-1]))
            self._visit(helper.make_node("Reshape", [node.input[0], flat], [data]), {})
        places = self._constant(f"{node.output[0]}/places", np.flatnonzero(self.known[node.input[1]]))
        return helper.make_node("Gather", [data, places], node.output, node.name, axis=axis or 0)

    def _of_integers(self, node: NodeProto) -> NodeProto:
        """A Range of floats that are integers, of which some are open, as one of integers that is cast."""
        found = integers(node.input, self.known, self._sizes_in_floats)
        if found is None:
            return node
        numbers = [self._constant(f"{node.output[0]}/{place}", array) for place, array in enumerate(found)]
        whole = self._name(f"{node.output[0]}/integers")
        self._visit(helper.make_node("Range", numbers, [whole]), {})
        kind = self.types[node.input[0]].elem_type
        return helper.make_node("Cast", [whole], node.output, node.name, to=kind)

    def _check(self, node: NodeProto) -> None:
        if operator_name(node) in UNCHECKED or node.domain not in DEFAULT_DOMAINS:
            return
        try:
            onnx.checker.check_node(node, self._checker)
        except onnx.checker.ValidationError as error:
            raise invalid(node, first_line(error)) from None

    def _infer(self, node: NodeProto) -> None:
        if any(attribute.type in GRAPHS for attribute in node.attribute):
            return
        try:
            found = infer_types(node, self.known, self.types, self._opset)
        except onnx.shape_inference.InferenceError as error:
            raise invalid(node, first_line(error)) from None
        self.types.update(found)
        refuse_misfits(node, self.types)
        for name, kind in found.items():
            what = f"'{name}' of node '{node_name(node)}' ({node.op_type})"
            refuse_size([dim.dim_value for dim in kind.shape.dim], item_bytes(kind), what, self._most)

    def _learn_results(self, results: Mapping[str, np.ndarray]) -> None:
        for name, array in results.items():
            self._learn(name, array)

    # ---- what is written out

    def _walk_graph(
        self, graph: GraphProto, label: str, given: Names, names: Names, prefix: str = ""
    ) -> list[str]:
        """Walk over an inner graph, whose inputs are ``given``. Returns what its results are called; what it
        makes is called after ``label``, and its nodes after ``prefix``."""
        spend(sum(1 for _ in all_nodes(graph)))
        inner = {**names, **given}
        for tensor in graph.initializer:
            spend(0, HELD * len(tensor.raw_data))
            inner[tensor.name] = self._constant(f"{label}/{tensor.name}", tensor_array(tensor.name, tensor))
        for sparse in graph.sparse_initializer:
            array = sparse_array(sparse.values.name, sparse, self._most)
            inner[sparse.values.name] = self._constant(f"{label}/{sparse.values.name}", array)
        wanted = [value.name for value in graph.output]
        self._walk_nodes(graph.node, label, inner, prefix, wanted=wanted)
        return [inner.get(value.name, value.name) for value in graph.output]

    def _walk_nodes(
        self,
        nodes: Sequence[NodeProto],
        label: str,
        inner: dict[str, str],
        prefix: str = "",
        results: Names = MappingProxyType({}),
        wanted: Iterable[str] = (),
    ) -> None:
        """Walk over nodes whose values have the names in ``inner``, which learns of more; ``results`` have
        theirs. ``wanted`` is read behind them."""
        used = {*results, *wanted}.union(*map(reads, nodes))
        for node in nodes:
            data = node.SerializeToString()
            spend(0, HELD * len(data))
            new = NodeProto.FromString(data)
            new.input[:] = [inner.get(name, name) for name in node.input]
            for name in filter(None, node.output):
                inner[name] = results.get(name) or self._name(f"{label}/{name}")
            new.output[:] = [inner.get(name, name) for name in node.output]
            self._used.update(inner[name] for name in node.output if name in used)
            new.name = f"{prefix}{node_name(node)}"
            self._visit(new, inner)

    def _visit_graphs(self, node: NodeProto, names: Names) -> None:
        """An If, a Loop or a Scan."""
        if node.op_type == "If":
            condition = self.known.get(node.input[0])
            if condition is None or condition.size != 1:
                self._keep_branches(node, names)
                return
            branch = _branch(node, "then_branch" if condition.all() else "else_branch")
            self._identities(self._walk_graph(branch, node.output[0], {}, names), node.output)
            return
        try:
            self._turn(node, turns_of(node, self.known, self.types, self._opset, names), names)
        except Kept as why:
            self._refuse_loop(node, str(why))

    def _refuse_loop(self, node: NodeProto, why: str) -> None:
        """Refuse a Loop or a Scan, and those in it."""
        for each in nodes_in(node):
            if each.domain in DEFAULT_DOMAINS and each.op_type in UNROLLED:
                name = node_name(each)
                self._refusals.add("loop", f"node '{name}' ({each.op_type}): {why}", name)
                why = "it is in a loop that is left"
        self._made.update(filter(None, node.output))

    def _keep_branches(self, node: NodeProto, names: Names) -> None:
        """Walk over both branches of an If that is decided when the model runs."""
        size = self._empty.get(node.input[0])
        branches = list[list[str]]()
        for number, name in enumerate(BRANCHES):
            try:
                graph = _branch(node, name)
                branches.append(self._walk_graph(graph, f"{node.output[0]}/{number}", {}, names))
            except ModelError as error:
                if isinstance(error, UnsupportedOperatorError):
                    raise
                raise ModelError(f"{error}{DECIDING}") from None
        if size is not None and all(map(self._same_where_empty, *branches, itertools.repeat(size))):
            self._identities(branches[1], node.output)
            return
        for result, *both in zip(node.output, *branches, strict=True):
            one, other = map(self.types.get, both)
            if one is not None and other is not None and not self._is_refused:
                self.types[result] = self._of_both(node, one, other)
        self._leave(node, branches)

    def _same_where_empty(self, one: str, other: str, size: Extent) -> bool:
        """Whether two values have the same shape, without elements, where a size is 0."""
        dims = [static_dims(self.types.get(name)) for name in (one, other)]
        if None in dims:
            return False
        empty = [[where_empty(dim, size) for dim in each or ()] for each in dims]
        return empty[0] == empty[1] and 0 in empty[0]

    def _of_both(self, node: NodeProto, one: TypeProto.Tensor, other: TypeProto.Tensor) -> TypeProto.Tensor:
        dims = [static_dims(each) or [] for each in (one, other)]
        if dims[0] != dims[1] and any(map(depends_on_data, itertools.chain(*dims))):
            return TypeProto.Tensor(elem_type=one.elem_type)  # they are as large as the branch finds
        if one.elem_type != other.elem_type or static_dims(one) != static_dims(other):
            raise invalid(node, f"its branches make results of different types{DECIDING}")
        return one

    def _turn(self, node: NodeProto, turns: Turns, names: Names) -> None:
        """The body as often as it turns, and what the turns made, along an axis of its own."""
        label = next(name for name in node.output if name)
        carried, collected = list(turns.carried), list[list[str]]()
        inputs = [value.name for value in turns.body.input]
        for turn in range(turns.count):
            spend(1)
            scope = f"{label}/{turn}"
            if turns.scanned:
                parts = [self._part(scope, *of, turn, turns.count) for of in turns.scanned]
                given, skipped = [*carried, *parts], 0
            else:
                number = self._constant(f"{scope}/turn", np.array(turn, np.int64))
                given, skipped = [number, self._constant(f"{scope}/condition", np.array(True)), *carried], 1
            bound = dict(zip(inputs, given, strict=True))
            results = self._walk_graph(turns.body, scope, bound, names, f"{scope}/")[skipped:]
            carried, made = results[: len(carried)], results[len(carried) :]
            collected.append(made)
        self._identities(carried, node.output)
        for place, name in enumerate(node.output[len(carried) :]):
            if name:
                axis, backward = turns.stacked[place]
                parts = [self._unsqueezed(made[place], axis) for made in collected]
                parts = parts[::-1] if backward else parts
                self._visit(helper.make_node("Concat", parts, [name], axis=axis), {})

    def _part(self, scope: str, name: str, axis: int, backward: bool, turn: int, count: int) -> str:
        """One slice of a tensor, without the axis."""
        place = count - 1 - turn if backward else turn
        index = self._constant(f"{scope}/{name}/place", np.array(place, np.int64))
        part = self._name(f"{scope}/{name}")
        self._visit(helper.make_node("Gather", [name, index], [part], axis=axis), {})
        return part

    def _unsqueezed(self, value: str, axis: int) -> str:
        result = self._name(f"{value}/scanned")
        if self._opset < 13:
            node = helper.make_node("Unsqueeze", [value], [result], axes=[axis])
        else:
            axes = self._constant(f"{result}/axes", np.array([axis]))
            node = helper.make_node("Unsqueeze", [value, axes], [result])
        self._visit(node, {})
        return result

    def _identities(self, values: Sequence[str], names: Sequence[str]) -> None:
        for value, name in zip(values, names, strict=False):
            if name:
                self._visit(helper.make_node("Identity", [value], [name]), {})

    def _define(self, node: NodeProto) -> None:
        """Walk over what an operator consists of by its definition."""
        body = definition(node, self._opsets, self.types)
        spend(len(body.node))
        for position, inner in enumerate(body.node):
            inner.name = f"{node_name(node)}/{position}_{inner.op_type}"
        given = [*node.input, *[""] * (len(body.input) - len(node.input))]
        names = dict(zip(body.input, given, strict=True))
        results = {result: name for result, name in zip(body.output, node.output, strict=False) if name}
        self._walk_nodes(body.node, next(filter(None, node.output)), names, results=results)


def _branch(node: NodeProto, name: str) -> GraphProto:
    branch = attribute(node, name, None)
    if not isinstance(branch, GraphProto) or len(branch.output) != len(node.output):
        raise invalid(node, f"its {name} does not make as many results as it has")
    return branch
