"""One walk over an ONNX graph, node by node in order, in which each value is known or has a type.

A node of known operands is evaluated, and Shape and Size know theirs from its type. An If of known condition
is the branch that it takes, a Loop or a Scan of known turns its body as often, and an operator that others
define is those. All else is checked, gets the types of its results from ONNX's shape inference of this one
node, and is converted to Relax at once: converters meet static shapes and constants only.

The walk takes a bounded time and memory whatever the model says: a size is checked before it flows on, what
is written out counts in the budget of the import, and ``fold`` bounds what is evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TypeProto, helper

from relay_strategies.frontends.budget import spend
from relay_strategies.frontends.sizes import refuse_size
from tvm_directconv.errors import (
    DataDependentError,
    first_line,
)
from tvm_directconv.problem.open_sizes import active_sizes, measuring_sizes

from .checks import is_supported
from .computed_loops import ComputedLoops
from .float_sizes import integers
from .fold import SHAPES, Folding
from .functions import is_defined_by_others
from .inference import infer_types
from .loops import UNROLLED
from .nodes import (
    DEFAULT_DOMAINS,
    GRAPHS,
    attribute,
    item_bytes,
    node_name,
    operator_name,
)
from .open_shapes import emptiness, is_open_array, open_results
from .taken_apart import constant_value, initial_arrays
from .validity import refuse_misfits
from .values import invalid
from .written_out import Names

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


class Walk(ComputedLoops):
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
        if self._visit_sequences(node):
            return
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
        before = self._scope.selected.setdefault(key, list(node.output))
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
