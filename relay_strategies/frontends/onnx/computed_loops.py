"""Loops whose number of turns is known when the model runs: their bodies become functions that it calls.

Sizes of what turns hand on may change with each turn; the body is given them. What each turn adds to a
sequence becomes a row of a tensor, or a part of one where sizes differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper
from tvm import relax

from relay_strategies.functional.finding import MOST_COMPUTED
from relay_strategies.relax.graph import dtype_of, extents_of, shape_of
from relay_strategies.relax.inner_functions import Inner
from tvm_directconv.problem.extents import depends_on_data, given_to_tvm, larger
from tvm_directconv.problem.open_sizes import measuring_sizes

from . import sequences
from .decided import Decided, Result
from .loops import UNROLLED, Kept, Turns, turns_of
from .nodes import DEFAULT_DOMAINS, node_name, nodes_in, tensor_type
from .scopes import Scope, finished
from .written_out import Names

MOST_WALKS = 6
"""A body is walked over again as long as sizes that it hands on turn out to change with the turns."""


@dataclass
class Carried:
    """A value that turns hand on: its value before the first, ONNX's type of its elements, and its dimensions
    in the body, of which the axes ``free`` change with the turns."""

    value: relax.Expr
    element: int
    dims: list[Any] = field(default_factory=list)
    free: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.dims = list(extents_of(self.value))

    @property
    def type(self) -> relax.TensorType:
        return relax.TensorType(list(map(given_to_tvm, self.dims)), dtype_of(self.value))


@dataclass
class Loop:
    """A loop that is being converted: its node, how it turns, the name of the value that limits its turns,
    and by their places among its operands the tensors and the sequences that it carries. ``parts`` are the
    sequences to which it adds tensors of several sizes: the axis that these differ in, and what was added so
    far."""

    node: NodeProto
    turns: Turns
    names: Names
    limit: str
    carried: dict[int, Carried]
    sequences: Mapping[int, sequences.Sequence]
    parts: dict[int, tuple[int, Carried]] = field(default_factory=dict)

    @property
    def handed(self) -> list[Carried]:
        """What is carried, what sequences have become last."""
        return [*self.carried.values(), *(of for _, of in self.parts.values())]


@dataclass(frozen=True)
class Made:
    """A body that was converted: its scope, what it hands on, and the parts of stacked results that it makes,
    with ONNX's types of their elements; ``added`` are the places of sequences to which it adds an element."""

    scope: Scope
    handed: Sequence[relax.Expr] = ()
    rows: Sequence[relax.Expr] = ()
    elements: Sequence[int] = ()
    added: Sequence[int] = ()


class ComputedLoops(Decided):
    """A walk that makes functions of the bodies of loops."""

    def _visit_graphs(self, node: NodeProto, names: Names) -> None:
        """An If, a Loop or a Scan."""
        if node.op_type == "If":
            self._visit_branches(node, names)
            return
        try:
            turns = turns_of(node, self.known, self.types, self._opset, names)
            if not turns.open:
                self._turn(node, turns, names)
            elif measuring_sizes() is None:
                raise Kept(turns.open)
            else:
                self._loop(node, turns, names)
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

    def _loop(self, node: NodeProto, turns: Turns, names: Names) -> None:
        """Convert a loop. Raises Kept."""
        if turns.goes_on and not turns.most and not turns.scanned:
            raise Kept("it never ends: it has neither a number of turns nor a condition that changes")
        before, limit = self._size_names(), turns.most
        if turns.scanned:
            limit = self._constant(f"{node.output[0]}/turns", np.asarray(turns.count))
        found = {
            place: self._sequences[name]
            for place, name in enumerate(turns.carried)
            if name in self._sequences
        }
        if self._is_refused:
            self._made.update(filter(None, node.output))
            return
        carried = {
            place: Carried(self._plain(name), self.types[name].elem_type)
            for place, name in enumerate(turns.carried)
            if place not in found
        }
        loop = Loop(node, turns, names, limit, carried, found)
        for _ in range(MOST_WALKS):
            made = self._body(loop)
            if self._is_refused:
                self._made.update(filter(None, node.output))
                return
            if not self._widened(loop, made) and not self._parted(loop, made, before):
                self._call_loop(loop, made, before)
                return
        raise Kept("the sizes that it hands on change in more ways with each turn")

    def _widened(self, loop: Loop, made: Made) -> bool:
        """Have sizes that are others after a turn be any from now on; return whether there were some. Raises
        Kept."""
        sizes = measuring_sizes()
        assert sizes is not None
        found, after = dict[tuple[str, str], Any](), dict[str, set[str]]()
        for each, value in zip(loop.handed, made.handed, strict=False):
            dims = extents_of(value)
            if len(dims) != len(each.dims) or dtype_of(value) != dtype_of(each.value):
                raise Kept(f"it hands on {each.value.ty}, of which a turn makes {value.ty}")
            for axis, (one, other) in enumerate(zip(each.dims, dims, strict=True)):
                if axis in each.free:
                    after.setdefault(str(one), set()).add(str(other))
                elif one != other:
                    # What was equal before, and is so after a turn, is so always.
                    key = str(one), str(other)
                    if key not in found:
                        found[key] = sizes.measure(MOST_COMPUTED)
                    each.dims[axis] = found[key]
                    each.free.add(axis)
        if found:
            return True
        apart = {size for size, results in after.items() if len(results) > 1}
        for each in loop.handed:
            for axis in each.free:
                if str(each.dims[axis]) in apart:
                    each.dims[axis] = sizes.measure(MOST_COMPUTED)
        return bool(apart)

    def _parted(self, loop: Loop, made: Made, before: set[str]) -> bool:
        """Have the elements of sequences whose sizes differ be parts of one tensor; return whether there were
        further ones. Raises Kept."""
        first, found = len(made.rows) - len(made.added), False
        for place, row, element in zip(made.added, made.rows[first:], made.elements[first:], strict=True):
            axes = [axis for axis, dim in enumerate(extents_of(row)) if self._is_new([dim], before)]
            if place in loop.parts or not axes:
                continue
            if len(axes) > 1 or loop.sequences[place] != sequences.Sequence():
                raise Kept("it adds tensors of several shapes to a sequence with others, or of several axes")
            dims = list(extents_of(row))
            dims[axes[0]] = 0
            loop.parts[place] = axes[0], Carried(self._converter.zeros(dims, dtype_of(row)), element)
            found = True
        return found

    def _body(self, loop: Loop) -> Made:
        """The body as a function of the turn's number and of what is carried."""
        turns, node = loop.turns, loop.node
        label = self._name(f"{next(filter(None, node.output))}/turn")
        with self._inner() as scope:
            number = self._own(scope, label, relax.TensorType((), "int64"), TensorProto.INT64)
            given = self._given_to_turns(loop, scope, label, number)
            parts = {
                place: self._own(scope, f"{label}/parts{place}", each.type, each.element)
                for place, (_, each) in loop.parts.items()
            }
            bound = dict(zip((value.name for value in turns.body.input), given, strict=True))
            names = self._walk_graph(turns.body, label, bound, loop.names, f"{label}/")
            if self._is_refused:
                return Made(scope)
            condition = None if turns.scanned else self._plain(names.pop(0))
            handed, rows = [names[place] for place in loop.carried], names[len(turns.carried) :]
            added = list[int]()
            for place in loop.sequences:
                item = self._added(loop, given[place + 2], names[place])
                if item and place in parts:
                    parts[place], item = self._with_part(parts[place], item, loop.parts[place][0])
                if item:
                    added.append(place)
                    rows.append(item)
            handed += parts.values()
            self._refuse_sequences(node, [*handed, *rows])
            values, tensors = ([self._plain(name) for name in each] for each in (handed, rows))
            if any(shape_of(each) is None for each in (*values, *tensors)):
                raise Kept("a turn makes a result whose shape is not known")
            following = self._turned(loop, number, condition, tensors)
            scope.results = [*following[:2], *values, *following[2:]]
        return Made(scope, values, tensors, [self.types[name].elem_type for name in rows], added)

    def _given_to_turns(self, loop: Loop, scope: Scope, label: str, number: str) -> list[str]:
        """What the body's inputs are called."""
        given, turns = list[str](), loop.turns
        for place, name in enumerate(turns.carried):
            if place in loop.carried:
                own = loop.carried[place]
                given.append(self._own(scope, f"{label}/{name}", own.type, own.element))
            else:
                given.append(self._name(f"{label}/{name}"))
                self._sequences[given[-1]] = sequences.Sequence(given[-1])
                self._growing.add(given[-1])
                self._made.add(given[-1])
        if turns.scanned:
            return [*given, *(self._scanned(label, number, turns.count, *of) for of in turns.scanned)]
        return [number, self._constant(f"{label}/condition", np.array(True)), *given]

    def _added(self, loop: Loop, before: str, after: str) -> str:
        """What a turn adds to a sequence, "" where it adds nothing. Raises Kept."""
        sequence = self._sequences.get(after)
        if sequence is None or sequence.rows != before or len(sequence.items) > 1:
            raise Kept("a turn does more to a sequence than to add one tensor to its end")
        return sequence.items[0] if sequence.items else ""

    def _with_part(self, whole: str, part: str, axis: int) -> tuple[str, str]:
        """The parts so far with one more, and how large it is."""
        joined, shape, size = (self._name(f"{part}/{what}") for what in ("joined", "shape", "size"))
        place = self._constant(f"{part}/axis", np.array(axis))
        self._visit(helper.make_node("Concat", [whole, part], [joined], axis=axis), {})
        self._visit(helper.make_node("Shape", [part], [shape]), {})
        self._visit(helper.make_node("Gather", [shape, place], [size], axis=0), {})
        return joined, size

    def _turned(
        self, loop: Loop, number: str, condition: relax.Expr | None, rows: Sequence[relax.Expr]
    ) -> list[relax.Expr]:
        """Whether there is another turn, its number, rows of stacked results, and their shapes with these."""
        emit = self._converter.bb.emit
        following = emit(relax.op.add(self._values[number], relax.const(1, "int64")))
        another = self._goes_on(following, loop.limit, None if loop.turns.goes_on else condition)
        parts, shapes = [emit(relax.op.expand_dims(row, 0)) for row in rows], []
        for row in rows:
            count, dims = emit(relax.op.reshape(following, (1,))), extents_of(row)
            if dims:
                others = emit(relax.op.shape_to_tensor(relax.ShapeExpr(list(map(given_to_tvm, dims)))))
                count = emit(relax.op.concat([count, others], 0))
            shapes.append(count)
        return [another, following, *parts, *shapes]

    def _goes_on(self, number: relax.Expr, limit: str, condition: relax.Expr | None) -> relax.Expr:
        """Whether there is a turn of that number."""
        emit, asked = self._converter.bb.emit, []
        if limit:
            most = emit(relax.op.reshape(self._plain(limit), ()))
            asked.append(emit(relax.op.less(number, most)))
        if condition is not None:
            asked.append(emit(relax.op.reshape(condition, ())))
        if not asked:
            return relax.const(True)
        return emit(relax.op.logical_and(*asked)) if len(asked) > 1 else asked[0]

    def _own(self, scope: Scope, name: str, ty: relax.TensorType, element: int) -> str:
        """A parameter of an inner function that its caller has for it."""
        name = self._name(name)
        self.types[name] = tensor_type(element, extents_of(scope.param(name, ty)))
        self._made.add(name)
        return name

    def _scanned(self, label: str, number: str, count: Any, name: str, axis: int, backward: bool) -> str:
        """The part of a scanned tensor that a turn is given."""
        part, place = self._name(f"{label}/{name}"), number
        if backward:
            last, place = self._constant(f"{part}/last", np.asarray(count - 1)), self._name(f"{part}/place")
            self._visit(helper.make_node("Sub", [last, number], [place]), {})
        self._visit(helper.make_node("Gather", [name, place], [part], axis=axis), {})
        return part

    def _call_loop(self, loop: Loop, made: Made, before: set[str]) -> None:
        """Call the body in turn."""
        node, turns, sizes = loop.node, loop.turns, measuring_sizes()
        assert sizes is not None
        known = self.known.get(turns.start) if turns.start else np.array(True)
        start = None if known is not None and known.all() else self._plain(turns.start)
        turns_at_all = self._goes_on(relax.const(0, "int64"), loop.limit, start)
        is_counted = turns.goes_on and start is None and loop.limit in self.known
        count = larger(turns.count, 0) if is_counted else sizes.measure(MOST_COMPUTED)
        shapes = self._outside([each.dims for each in loop.handed], before)
        rows = self._outside([extents_of(row) for row in made.rows], before)
        results = [
            Result(dims, each.value, each.element) for dims, each in zip(shapes, loop.handed, strict=True)
        ]
        empty = []
        for dims, row, element in zip(rows, made.rows, made.elements, strict=True):
            results.append(Result([count, *dims], row, element))
            none = [0, *(0 if depends_on_data(dim) else dim for dim in dims)]
            empty.append(self._converter.zeros(none, dtype_of(row)))
        modules, rest = finished([made.scope])
        first = [turns_at_all, relax.const(0, "int64"), *(each.value for each in loop.handed), *empty]
        inner = Inner(modules, len(loop.handed), len(made.rows))
        values = self._call(node, inner, [*first, *rest], results, before)
        for place, (axis, backward) in enumerate(turns.stacked, len(loop.handed)):
            value = self._converter.bb.emit(relax.op.flip(values[place], 0)) if backward else values[place]
            values[place] = self._moved(value, axis)
        self._take_loop(loop, made, values, results)

    def _take_loop(
        self, loop: Loop, made: Made, values: Sequence[relax.Expr], results: Sequence[Result]
    ) -> None:
        """Have a loop's results be these values, those of sequences what they have become."""
        outputs, count = [*loop.node.output], len(loop.turns.carried)
        stacked = [*outputs[count:], *[""] * (count + len(loop.turns.stacked) - len(outputs))]
        label = next(filter(None, outputs))
        whole = {place: self._name(f"{label}/parts{place}") for place in loop.parts}
        rows = {place: self._name(f"{label}/rows{place}") for place in made.added}
        carried = [outputs[place] if place < len(outputs) else "" for place in loop.carried]
        self._take([*carried, *whole.values(), *stacked, *rows.values()], values, results)
        for place, before in loop.sequences.items():
            if place >= len(outputs) or not outputs[place]:
                continue
            after = before
            if place in whole:
                after = sequences.Sequence(whole[place], (), rows[place], loop.parts[place][0])
            elif place in rows:
                after = sequences.Sequence(self._behind(loop.node, before, rows[place]))
            self._sequences[outputs[place]] = after
            self._made.add(outputs[place])

    def _behind(self, node: NodeProto, before: sequences.Sequence, rows: str) -> str:
        """Rows behind the elements of a sequence."""
        if before == sequences.Sequence():
            return rows
        whole = self._name(f"{rows}/all")
        self._visit(helper.make_node("Concat", [self._rows(node, before), rows], [whole], axis=0), {})
        return whole

    def _moved(self, value: relax.Expr, axis: int) -> relax.Expr:
        """A stacked result with its first axis elsewhere."""
        rank = len(extents_of(value))
        order = list(range(1, rank))
        order.insert(axis % rank, 0)
        return value if order[0] == 0 else self._converter.bb.emit(relax.op.permute_dims(value, order))
