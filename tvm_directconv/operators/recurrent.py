"""A direction of a recurrent layer, RNN, GRU or LSTM: all of its steps in one kernel.

What the data contributes to the gates has been multiplied before, for all steps at once; a step adds the
product of the state before it with the recurrent matrix, by the convolutions' micro-kernels, and applies the
gates to the whole vectors of a state. The matrix is read once in every step, from the cache that it fits: its
columns lie in panels of a micro-kernel's width, one after the other. States and gates are a workspace that
stays in L1. Equations and the order of the gates are ONNX's (https://onnx.ai/onnx/operators/onnx__LSTM.html).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.element_types import element_bytes
from tvm_directconv.problem.extents import given_to_tvm
from tvm_directconv.problem.open_sizes import read_size

from .builder import FLOAT_BYTES, Expr, Operator, build_operator, held, load, over_once, splat, store
from .expressions import maximum, sigmoid, tanh
from .matmul import with_kernels
from .matrices import Matrix
from .matrix_tiles import ProductTiles
from .recurrent_bytes import ByteTiles, RoundedState

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

_Functions = Sequence[Callable[[Expr], Expr]]
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FUNCTIONS: dict[str, Callable[[Expr], Expr]] = {
    "sigmoid": lambda value: sigmoid(value),
    "tanh": tanh,
    "relu": lambda value: maximum(value, splat(0.0, value.ty.dtype.lanes)),
}
"""The activations that a kernel has, by ONNX's names in lower case."""
ACTIVATIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}


@dataclass(frozen=True)
class Recurrence:
    """``steps`` of ``batch`` states of ``hidden`` numbers, the last step first if ``backward``.

    Operands, all float32: what the data contributes (steps, batch, gates x hidden), all biases included but
    the one below; the recurrent matrix (hidden, gates x hidden); with ``reset_last``, where a GRU's reset
    gate is applied to the product, that product's bias (hidden); the first state (batch, hidden), and of an
    LSTM the first cell. With a ``largest_weight`` an LSTM's matrix is int8, constant and within that, behind
    it are the scales of its columns and, int32, their sums, and every step rounds its state to bytes.

    The result is (steps, batch, hidden); with ``keeps_cell`` it is (steps + 1, batch, hidden), at whose end
    the last cell is.
    """

    kind: str
    steps: int
    batch: int
    hidden: int
    activations: tuple[str, ...]
    backward: bool = False
    reset_last: bool = False
    keeps_cell: bool = False
    largest_weight: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "activations", tuple(self.activations))
        sizes = self.steps, self.batch, self.hidden
        if self.kind not in GATES or any(size < 1 for size in sizes):
            raise WorkloadError(
                f"{self.kind} of {self.steps} x {self.batch} x {self.hidden} is not a recurrence"
            )
        if len(self.activations) != ACTIVATIONS[self.kind] or not set(self.activations) <= set(FUNCTIONS):
            raise WorkloadError(f"{self.kind} by {self.activations} does not have a kernel")
        if self.largest_weight and self.kind != "LSTM":
            raise WorkloadError(f"{self.kind} in bytes does not have a kernel")

    @property
    def gates(self) -> int:
        return GATES[self.kind]

    @property
    def operands(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes, in order; the recurrent matrix as it is before it is packed."""
        state = (self.batch, self.hidden)
        shapes: dict[str, tuple[int, ...]] = {
            "inputs": (self.steps, self.batch, self.gates * self.hidden),
            "matrix": (self.hidden, self.gates * self.hidden),
        }
        if self.largest_weight:
            shapes |= dict.fromkeys(("scales", "sums"), (self.gates * self.hidden,))
        shapes |= {"bias": (self.hidden,)} if self.reset_last else {}
        return shapes | {"state": state} | ({"cell": state} if self.kind == "LSTM" else {})

    @property
    def dtypes(self) -> dict[str, str]:
        """The types of operands that are not float32."""
        return {"matrix": "int8", "sums": "int32"} if self.largest_weight else {}

    @property
    def output_shape(self) -> tuple[int, int, int]:
        return self.steps + self.keeps_cell, self.batch, self.hidden

    @property
    def multiplies(self) -> int:
        """Multiply-adds of the recurrent products."""
        return self.steps * self.batch * self.hidden * self.gates * self.hidden

    def __str__(self) -> str:
        return json.dumps(asdict(self), default=str)

    @staticmethod
    def parse(text: str) -> Recurrence:
        """What ``str`` gave."""
        fields = json.loads(text)
        return Recurrence(**{**fields, **{name: read_size(fields[name]) for name in ("steps", "batch")}})


def recurrent(
    what: Recurrence, target: CompileTarget, packed: bool = True, name: str = "recurrent"
) -> tirx.PrimFunc:
    """PrimFunc (operands..., output); the matrix is ``packed_matrix``'s, or as the operand says, which the
    kernel then packs to a workspace before its first step."""
    return with_kernels(_Emitter(what, target).function(target, packed, name))


def packed_matrix(what: Recurrence, matrix: np.ndarray, target: CompileTarget) -> np.ndarray:
    """The recurrent matrix in panels: for each product its panels of columns one after the other, zeros
    behind the last column."""
    panels, first = [], 0
    for tiles in _Emitter(what, target).products:
        part = matrix[:, first : first + tiles.columns]
        first += tiles.columns
        for start, columns in _panels(tiles):
            panel, width = part[:, start : start + columns], _width(tiles, columns)
            if isinstance(tiles, ByteTiles):
                panels.append(tiles.packed(panel, width))
                continue
            panels.append(np.pad(panel, ((0, 0), (0, width - columns))).ravel())
    return np.concatenate(panels)


def workspace_bytes(what: Recurrence, target: CompileTarget, packed: bool = True) -> int:
    """What a run allocates: gates, states, and a matrix that is not ``packed`` before."""
    emitter = _Emitter(what, target)
    elements = sum(emitter.state_elements.values()) + (0 if packed else emitter.packed_elements)
    return FLOAT_BYTES * elements


def _panels(tiles: ProductTiles) -> list[tuple[int, int]]:
    """(first column, columns) of each."""
    return [(at, min(tiles.nr, tiles.columns - at)) for at in range(0, tiles.columns, tiles.nr)]


def _width(tiles: ProductTiles, columns: int) -> int:
    return -(-columns // tiles.isa.lanes) * tiles.isa.lanes


class _Emitter:
    def __init__(self, what: Recurrence, target: CompileTarget) -> None:
        self.what = what
        # A GRU that resets its state before the product has two: the candidate's comes after the others'.
        self.counts = [2, 1] if what.kind == "GRU" and not what.reset_last else [what.gates]
        self.products = [self._tiles(count * what.hidden, target) for count in self.counts]
        self.sizes = [
            tiles.row_elements * sum(_width(tiles, columns) for _, columns in _panels(tiles))
            for tiles in self.products
        ]

    def _tiles(self, columns: int, target: CompileTarget) -> ProductTiles:
        batch, hidden = self.what.batch, self.what.hidden
        if self.what.largest_weight:
            return ByteTiles(batch, columns, hidden, target, self.what.largest_weight)
        return ProductTiles(batch, columns, hidden, target, left_row=hidden)

    @property
    def packed_elements(self) -> int:
        return sum(self.sizes)

    @property
    def state_elements(self) -> dict[str, int]:
        """The workspace, by what it holds."""
        state = self.what.batch * self.what.hidden
        extra = {"LSTM": ("cell",), "GRU": ("reset",), "RNN": ()}[self.what.kind]
        return {"gates": self.what.gates * state, "state": state} | dict.fromkeys(extra, state)

    def function(self, target: CompileTarget, packed: bool, name: str) -> tirx.PrimFunc | None:
        what = self.what
        with build_operator(name, target) as operator:
            shapes = what.operands
            if packed:
                shapes = {**shapes, "matrix": (self.packed_elements,)}
            *operands, output = operator.arguments({**shapes, "output": what.output_shape}, what.dtypes)
            given = dict(zip(shapes, operands, strict=True))
            work = {
                key: T.alloc_buffer((given_to_tvm(elements),), "float32", scope="local")
                for key, elements in self.state_elements.items()
            }
            panels = given["matrix"] if packed else self._pack(operator, given["matrix"])
            self.rounded = None
            if what.largest_weight:
                elements = what.batch * what.hidden
                columns = given["scales"], given["sums"]
                self.rounded = RoundedState.of(elements, what.gates * elements, *columns)
            size = what.batch * what.hidden
            for key in ("state", "cell"):
                if key in given:
                    _copy(operator, given[key], work[key], 0, size)
            with T.serial(0, what.steps) as turn:
                step = T.Bind(what.steps - 1 - turn) if what.backward else turn
                self._step(operator, given, panels, work, output, step)
            if what.keeps_cell:
                _copy(operator, work["cell"], output, what.steps * size, size)
        return operator.prim_func

    def _pack(self, operator: Operator, matrix: tirx.Buffer) -> tirx.Buffer:
        """A matrix that is computed, in panels."""
        what = self.what
        made = T.alloc_buffer((self.packed_elements,), "float32", scope="local")
        row, place, first = what.gates * what.hidden, 0, 0
        for tiles in self.products:
            for start, columns in _panels(tiles):
                width = _width(tiles, columns)
                with T.serial(0, what.hidden) as k:
                    with T.serial(0, columns) as j:
                        store(made, place + k * width + j, 1, load(matrix, k * row + first + start + j, 1))
                    for j in range(columns, width):
                        store(made, place + k * width + j, 1, T.float32(0))
                place += what.hidden * width
            first += tiles.columns
        return made

    def _product(
        self, operator: Operator, number: int, left: tirx.Buffer, panels: tirx.Buffer, gates: tirx.Buffer
    ) -> None:
        """What the states contribute to the gates of one product, stored behind those of products before."""
        what, tiles = self.what, self.products[number]
        hidden, row = what.hidden, what.gates * what.hidden
        start, column = sum(self.sizes[:number]), sum(t.columns for t in self.products[:number])
        whole, rest = divmod(tiles.columns, tiles.nr)
        depth, states = tiles.row_elements, Matrix(left, 0, hidden, 1)
        if self.rounded is not None and isinstance(tiles, ByteTiles):
            self.rounded.round(operator, left, what.batch * hidden, tiles.moved)
            states, gates = Matrix(self.rounded.bytes, 0, hidden, 1), self.rounded.products

        def of_panel(panel: Expr, columns: int) -> None:
            place, width = T.Bind(start + panel * (depth * tiles.nr)), _width(tiles, columns)
            right = Matrix(panels, place, width * tiles.group, 1)
            made = Matrix(gates, T.Bind(column + panel * tiles.nr), row, 1)
            tiles.multiply_panel(states, right, made, what.batch, columns)

        if whole:
            with operator.outer_loop(
                whole, element_bytes(str(panels.dtype)) * hidden * tiles.columns
            ) as panel:
                of_panel(panel, tiles.nr)
        if rest:
            of_panel(whole, rest)

    def _step(
        self,
        operator: Operator,
        given: dict[str, tirx.Buffer],
        panels: tirx.Buffer,
        work: dict[str, tirx.Buffer],
        output: tirx.Buffer,
        step: Expr,
    ) -> None:
        what, gates, state = self.what, work["gates"], work["state"]
        functions = [FUNCTIONS[name] for name in what.activations]

        def each_vector(emit: Callable[[_Vector], None]) -> None:
            with T.serial(0, what.batch) as number:
                first = T.Bind((step * what.batch + number) * (what.gates * what.hidden))

                def vectors(start: Expr, spans: list[tuple[int, int]]) -> None:
                    for offset, width in spans:
                        at = first, number, start + offset, width
                        emit(_Vector(what, given["inputs"], gates, self.rounded, *at))

                over_once(operator, what.hidden, vectors)

        def keep(v: _Vector, value: Expr) -> None:
            value = held(value)
            store(state, v.place, v.width, value)
            store(output, step * (what.batch * what.hidden) + v.place, v.width, value)

        self._product(operator, 0, state, panels, gates)
        if what.kind == "RNN":
            each_vector(lambda v: keep(v, functions[0](v.sum(0))))
        elif what.kind == "LSTM":
            each_vector(lambda v: keep(v, _lstm(v, functions, work["cell"])))
        elif what.reset_last:
            each_vector(lambda v: keep(v, _reset_last(v, functions, given["bias"], state)))
        else:
            each_vector(lambda v: _reset(v, functions, state, work["reset"]))
            self._product(operator, 1, work["reset"], panels, gates)
            each_vector(lambda v: keep(v, _mixed(v, functions[1](v.sum(2)), state)))


@dataclass(frozen=True)
class _Vector:
    """Neighbours in the state of one sequence, ``number``, from ``column`` on.

    What is computed of them goes through memory: the code generator simplifies all that names stand for,
    which doubles with each of a chain.
    """

    what: Recurrence
    inputs: tirx.Buffer
    gates: tirx.Buffer
    rounded: RoundedState | None
    first: Expr
    number: Expr
    column: Expr
    width: int

    @property
    def place(self) -> Expr:
        """Offset of these elements in a buffer of states."""
        return self.number * self.what.hidden + self.column

    def gate(self, gate: int) -> Expr:
        """Return where a gate's numbers of these elements are in the buffer of gates."""
        return self.number * (self.what.gates * self.what.hidden) + (gate * self.what.hidden + self.column)

    def data(self, gate: int) -> Expr:
        """What the data contributes to a gate."""
        return load(self.inputs, self.first + (gate * self.what.hidden + self.column), self.width)

    def value(self, gate: int) -> Expr:
        """What is stored of a gate: the product of the states, then the gate itself."""
        return load(self.gates, self.gate(gate), self.width)

    def sum(self, gate: int) -> Expr:
        if self.rounded is None:
            return self.data(gate) + self.value(gate)
        column = gate * self.what.hidden + self.column
        return self.data(gate) + self.rounded.product(self.gate(gate), column, self.width)


def _lstm(v: _Vector, functions: _Functions, cells: tirx.Buffer) -> Expr:
    """The state, after the cell is stored."""
    for number in range(4):
        store(v.gates, v.gate(number), v.width, functions[number // 3](v.sum(number)))
    inward, outward, forget, fresh = (v.value(number) for number in range(4))
    store(cells, v.place, v.width, forget * load(cells, v.place, v.width) + inward * fresh)
    return outward * functions[2](load(cells, v.place, v.width))


def _reset_last(v: _Vector, functions: _Functions, bias: tirx.Buffer, state: tirx.Buffer) -> Expr:
    for number in range(2):
        store(v.gates, v.gate(number), v.width, functions[0](v.sum(number)))
    product = v.value(2) + load(bias, v.column, v.width)
    return _mixed(v, functions[1](v.data(2) + v.value(1) * product), state)


def _reset(v: _Vector, functions: _Functions, state: tirx.Buffer, resets: tirx.Buffer) -> None:
    """Stores the state that the candidate's product is of."""
    store(v.gates, v.gate(0), v.width, functions[0](v.sum(0)))
    store(resets, v.place, v.width, functions[0](v.sum(1)) * load(state, v.place, v.width))


def _mixed(v: _Vector, fresh: Expr, state: tirx.Buffer) -> Expr:
    """A GRU's update gate says how much of its state stays."""
    fresh = held(fresh)
    return fresh + v.value(0) * (load(state, v.place, v.width) - fresh)


def _copy(operator: Operator, source: tirx.Buffer, made: tirx.Buffer, start: int, count: int) -> None:
    def vectors(first: Expr, spans: Sequence[tuple[int, int]]) -> None:
        for offset, width in spans:
            store(made, start + first + offset, width, load(source, first + offset, width))

    over_once(operator, count, vectors)
