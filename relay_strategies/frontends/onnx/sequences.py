"""Sequences of tensors, as ONNX has them, of which a network has none when it runs.

A sequence is known while a graph is walked: its elements by their names, those that a loop adds as the rows,
or parts, of one tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TypeProto, helper

from tvm_directconv.errors import UnsupportedOperatorError
from tvm_directconv.problem.extents import Extent, is_open

from .nodes import DEFAULT_DOMAINS, attribute, node_name, static_dims
from .written_out import WrittenOut


@dataclass(frozen=True)
class Sequence:
    """Tensors by their names: the rows of one, "" where there are none, and those of ``items`` behind them.

    Where ``sizes`` are given, a vector, ``rows`` are parts of these sizes along an axis instead.
    """

    rows: str = ""
    items: tuple[str, ...] = ()
    sizes: str = ""
    axis: int = 0


class Sequences(WrittenOut):
    """A walk that knows sequences."""

    def __init__(self, model: ModelProto, inputs: Mapping[str, TypeProto.Tensor], most: int | None) -> None:
        super().__init__(model, inputs, most)
        self._sequences: dict[str, Sequence] = {}
        self._growing: set[str] = set()
        """Rows that a loop is making, of which no tensor is there."""

    def _visit_sequences(self, node: NodeProto) -> bool:
        """Walk over a node that makes or reads sequences; return whether it is one."""
        is_copy = node.op_type == "Identity" and node.input[0] in self._sequences
        if node.domain not in DEFAULT_DOMAINS or not (is_copy or node.op_type in OPERATORS):
            return False
        self._made.update(filter(None, node.output))
        if not self._is_refused:
            result = self._sequence(node) if is_copy else OPERATORS[node.op_type](self, node)
            if result is not None:
                self._sequences[node.output[0]] = result
        return True

    def _sequence(self, node: NodeProto) -> Sequence:
        """The sequence that is a node's first operand."""
        found = self._sequences.get(node.input[0])
        if found is None:
            raise self._unsupported(
                node, f"'{node.input[0]}' is a sequence that is known when the model runs only"
            )
        return found

    def _unsupported(self, node: NodeProto, why: str) -> UnsupportedOperatorError:
        return UnsupportedOperatorError(
            f"node '{node_name(node)}' ({node.op_type}): {why}", [node_name(node)]
        )

    def _place(self, node: NodeProto, count: int) -> int | None:
        """The position among so many elements that a node is given; None where the model computes it."""
        name = node.input[-1]
        if name not in self.known or isinstance(self.known[name].item(), Extent):
            return None
        place = int(self.known[name].item())
        if not -count <= place < count:
            raise self._unsupported(node, f"position {place} is not one of {count} elements")
        return place % count

    def _insert(self, node: NodeProto) -> Sequence:
        sequence, item = self._sequence(node), node.input[1]
        if len(node.input) < 3 or not node.input[2]:
            return replace(sequence, items=(*sequence.items, item))
        place = self._place(node, len(sequence.items) + 1)
        if sequence.rows or place is None:
            raise self._unsupported(node, "the position in the sequence is known when the model runs only")
        return Sequence("", (*sequence.items[:place], item, *sequence.items[place:]))

    def _erase(self, node: NodeProto) -> Sequence:
        sequence = self._sequence(node)
        place = len(sequence.items) - 1 if len(node.input) < 2 else self._place(node, len(sequence.items))
        if sequence.rows or place is None or place < 0:
            raise self._unsupported(node, "what the sequence loses is known when the model runs only")
        return Sequence("", (*sequence.items[:place], *sequence.items[place + 1 :]))

    def _at(self, node: NodeProto) -> None:
        sequence = self._sequence(node)
        if sequence.sizes:
            self._part_at(node, sequence)
            return
        place = None if sequence.rows else self._place(node, len(sequence.items))
        if place is not None:
            self._visit(helper.make_node("Identity", [sequence.items[place]], node.output), {})
            return
        rows = self._rows(node, sequence)
        self._visit(helper.make_node("Gather", [rows, node.input[1]], node.output, node.name, axis=0), {})

    def _part_at(self, node: NodeProto, sequence: Sequence) -> None:
        """One of the parts of a tensor."""
        if sequence.items:
            raise self._unsupported(
                node, "it reads a sequence of tensors of several sizes that others were added to"
            )
        label = node.output[0]
        ends, end, size, start = (self._name(f"{label}/{what}") for what in ("ends", "end", "size", "start"))
        axis = self._constant(f"{label}/axis", np.array([0]))
        along = self._constant(f"{label}/along", np.array([sequence.axis]))
        shape, place = self._constant(f"{label}/one", np.array([1])), self._name(f"{label}/place")
        for kind, inputs, result in (
            ("CumSum", [sequence.sizes, axis], ends),
            ("Reshape", [node.input[1], shape], place),
            ("Gather", [ends, place], end),
            ("Gather", [sequence.sizes, place], size),
            ("Sub", [end, size], start),
            ("Slice", [sequence.rows, start, end, along], label),
        ):
            self._visit(helper.make_node(kind, inputs, [result]), {})

    def _rank(self, name: str) -> int:
        return len(static_dims(self.types.get(name)) or ())

    def _length(self, node: NodeProto) -> None:
        sequence = self._sequence(node)
        if sequence.rows in self._growing:
            raise self._unsupported(node, "it reads the sequence that a loop adds to")
        rows = sequence.sizes or sequence.rows
        dims = static_dims(self.types.get(rows)) if rows else [0]
        if dims is None:
            raise self._unsupported(node, "how long the sequence is is not known")
        self._learn(node.output[0], _array(dims[0] + len(sequence.items)))

    def _rows(self, node: NodeProto, sequence: Sequence) -> str:
        """All elements as the rows of one tensor."""
        if sequence.rows in self._growing:
            raise self._unsupported(node, "it reads the sequence that a loop adds to")
        if sequence.sizes:
            raise self._unsupported(node, "the elements of the sequence are of several sizes")
        parts = [sequence.rows] if sequence.rows else []
        parts += [self._unsqueezed(item, 0) for item in sequence.items]
        if len(parts) == 1:
            return parts[0]
        shapes = {tuple(static_dims(self.types.get(name)) or ())[1:] for name in parts}
        if len(shapes) != 1:
            raise self._unsupported(
                node, "which of tensors of several shapes it reads is known when the model runs only"
            )
        rows = self._name(f"{node.output[0]}/rows")
        self._visit(helper.make_node("Concat", parts, [rows], axis=0), {})
        return rows

    def _concatenated(self, node: NodeProto) -> None:
        sequence, axis = self._sequence(node), int(attribute(node, "axis", 0))
        is_new = bool(attribute(node, "new_axis", 0))
        if not sequence.rows:
            items = sequence.items
            if not items:
                raise self._unsupported(node, "the sequence is empty")
            parts = [self._unsqueezed(item, axis) for item in items] if is_new else list(items)
            self._visit(helper.make_node("Concat", parts, node.output, node.name, axis=axis), {})
            return
        if (
            sequence.sizes
            and not is_new
            and axis in (sequence.axis, sequence.axis - self._rank(sequence.rows))
        ):
            parts = [sequence.rows, *sequence.items]
            self._visit(helper.make_node("Concat", parts, node.output, node.name, axis=axis), {})
            return
        rows = self._rows(node, sequence)
        dims = static_dims(self.types.get(rows))
        if dims is None:
            raise self._unsupported(
                node, "the shape of the sequence's elements is known when the model runs only"
            )
        rank = len(dims)
        axis %= rank if is_new else rank - 1
        order = list(range(1, rank))
        order.insert(axis, 0)
        moved = self._name(f"{node.output[0]}/moved")
        self._visit(helper.make_node("Transpose", [rows], [moved], perm=order), {})
        if is_new:
            self._visit(helper.make_node("Identity", [moved], node.output), {})
            return
        shape = [dims[place] for place in order]
        shape[axis : axis + 2] = [shape[axis] * shape[axis + 1]]
        whole = self._constant(f"{moved}/shape", _array(shape))
        self._visit(helper.make_node("Reshape", [moved, whole], node.output, node.name), {})

    def _split(self, node: NodeProto) -> Sequence:
        """Parts of a tensor: each of size 1 along an axis, or of sizes that are known."""
        data, axis = node.input[0], int(attribute(node, "axis", 0))
        dims = static_dims(self.types.get(data))
        if dims is None:
            raise self._unsupported(node, f"the shape of '{data}' is known when the model runs only")
        axis %= len(dims)
        given = node.input[1] if len(node.input) > 1 else ""
        if not given:
            order = [axis, *(place for place in range(len(dims)) if place != axis)]
            rows = self._name(f"{node.output[0]}/rows")
            self._visit(helper.make_node("Transpose", [data], [rows], perm=order), {})
            kept = bool(attribute(node, "keepdims", 1))
            return Sequence(self._unsqueezed(rows, axis + 1) if kept else rows)
        known, size = self.known.get(given), dims[axis]
        if known is None or any(isinstance(each, Extent) for each in (*known.flat, size)):
            raise self._unsupported(node, "the sizes of its parts are known when the model runs only")
        count = -(-size // int(known)) if known.ndim == 0 else 0
        sizes = [int(known)] * (count - 1) + [size - int(known) * (count - 1)] if count else known.tolist()
        parts = [self._name(f"{node.output[0]}/{place}") for place in range(len(sizes))]
        ends = np.cumsum([0, *sizes])
        for part, start, end in zip(parts, ends[:-1], ends[1:], strict=True):
            bounds = [
                self._constant(f"{part}/{what}", np.array([value]))
                for what, value in (("start", start), ("end", end), ("axis", axis))
            ]
            self._visit(helper.make_node("Slice", [data, *bounds], [part]), {})
        return Sequence("", tuple(parts))


def _array(sizes: Any) -> np.ndarray:
    array = np.array(sizes, object)
    return array if is_open(array.flat) else array.astype(np.int64)


OPERATORS: dict[str, Callable[[Sequences, NodeProto], Sequence | None]] = {
    "SequenceEmpty": lambda walk, node: Sequence(),
    "SequenceConstruct": lambda walk, node: Sequence("", tuple(node.input)),
    "SequenceInsert": Sequences._insert,
    "SequenceErase": Sequences._erase,
    "SequenceAt": Sequences._at,
    "SequenceLength": Sequences._length,
    "ConcatFromSequence": Sequences._concatenated,
    "SplitToSequence": Sequences._split,
}
"""What walks over a node: it returns the sequence that the node makes, if that is one."""
