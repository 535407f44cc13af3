"""What calls of routines that are not micro-kernels do to memory, by their contracts: packing, and Winograd's
transforms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from intrinsics.isa import ISAS
from intrinsics.packing import panels, windows
from intrinsics.packing.panels import PanelPacking
from intrinsics.packing.windows import WindowPacking
from intrinsics.winograd import routines
from intrinsics.winograd.cook_toom import Matrix
from intrinsics.winograd.routines import InputTransform, OutputTransform
from tvm_directconv.algorithms import row_choice
from tvm_directconv.algorithms.row_choice import BITS, RowChoice

from .elements import Arguments, PlanError, Pointer, Tasks, Uncovered, alike, known
from .interpretation import INTEGER
from .kernel_meaning import KernelMeaning, MemorySteps
from .prime_field import DRAWS, PRIME, Uninterpreted, product, residue

Routine = Callable[[Tasks, Arguments], None]
"""Does what a call does, for each task."""
Alike = Callable[[Tasks, list[Pointer], list[int]], None]
"""Does it for tasks whose calls give the same numbers."""


def routine(name: str, functions: Uninterpreted) -> Routine:
    """Return what a call of that name does. Raises Uncovered where that is not known."""
    setups = [isa.thread_setup for isa in ISAS.values() if isa.thread_setup]
    if any(name in (setup.entering, setup.leaving) for setup in setups):
        return lambda tasks, arguments: None
    try:
        for prefix, meaning in MEANINGS.items():
            if name.startswith(prefix):
                return partial(_apply, meaning(name, functions))
        return KernelMeaning(name, functions)
    except ValueError as error:
        raise Uncovered(f"a call of {name}") from error


def _apply(meaning: Alike, tasks: Tasks, arguments: Arguments) -> None:
    for some, pointers, numbers in alike(tasks, arguments):
        meaning(some, pointers, numbers)


def _choose_row(choice: RowChoice, tasks: Tasks, pointers: list[Pointer], numbers: list[int]) -> None:
    """Store the ends of a row of so many outputs; of longer ones than the table has, those of one as many
    whole tiles shorter."""
    outputs, over = numbers
    if outputs >= choice.limit:
        outputs = choice.limit + (outputs - choice.limit) % choice.heights[0]
    ends = choice.table[over][outputs]
    if ends is None:
        raise PlanError(f"a row of {outputs} outputs is not covered")
    fields = ends.first, ends.last, ends.ahead, ends.behind
    found = sum(field << BITS * place for place, field in enumerate(fields))
    _store(pointers[0], np.zeros(1, np.int64), np.full((1, len(tasks.numbers), 1), INTEGER + found), tasks)


def _pack_panel(packing: PanelPacking, tasks: Tasks, pointers: list[Pointer], _: list[int]) -> None:
    dst, src = pointers
    rows, k = np.arange(packing.first, packing.last), np.arange(packing.length)
    panel = np.zeros((DRAWS, len(tasks.numbers), packing.length, packing.rows), np.int64)
    panel[..., rows] = known(src, k[:, None] + (rows - packing.first) * packing.row, tasks)
    _store(dst, np.arange(packing.length * packing.rows).reshape(panel.shape[2:]), panel, tasks)


def _pack_windows(packing: WindowPacking, tasks: Tasks, pointers: list[Pointer], numbers: list[int]) -> None:
    (dst, src), (row, column, lanes, channels) = pointers, numbers
    (kh, kw), (dh, dw) = packing.kernel, packing.dilation
    if not (1 <= lanes <= packing.n_win and channels >= 1):
        raise PlanError(f"{lanes} windows of {channels} channels are packed")
    c, h, v, i = np.indices((channels, kh, kw, lanes))
    y, x = row + h * dh, column + i * packing.stride + v * dw
    inside = (y >= 0) & (y < packing.height) & (x >= 0) & (x < packing.width)
    values = np.zeros((DRAWS, len(tasks.numbers), *c.shape), np.int64)
    at = (c * packing.height + y) * packing.width + x
    values[:, :, inside] = known(src, at[inside], tasks)
    _store(dst, ((c * kh + h) * kw + v) * packing.n_win + i, values, tasks)


def _transform_input(
    transform: InputTransform, tasks: Tasks, pointers: list[Pointer], numbers: list[int]
) -> None:
    t, (dst, src), (row, column) = transform, pointers, numbers
    i, j, c = np.indices((t.filtering.size, t.filtering.size, t.channels))
    y, x = row + i, column + j
    inside = (y >= 0) & (y < t.height) & (x >= 0) & (x < t.row_step // t.pixel)
    tile = np.zeros((DRAWS, len(tasks.numbers), *c.shape), np.int64)
    at = y * t.row_step + x * t.pixel + c
    tile[:, :, inside] = known(src, at[inside], tasks)
    points = transformed(t.filtering.input, tile)
    _store(dst, (i * t.filtering.size + j) * t.slab + c, points, tasks)


def _transform_output(
    transform: OutputTransform,
    functions: Uninterpreted,
    tasks: Tasks,
    pointers: list[Pointer],
    numbers: list[int],
) -> None:
    t, (dst, src, bias, residual), size = transform, pointers, transform.filtering.size
    p, q, c = np.indices((size, size, t.channels))
    outputs = transformed(t.filtering.output, known(src, (p * size + q) * t.slab + c, tasks))
    rows, columns = (min(number, t.outputs) for number in numbers)
    i, j, c = np.indices((rows, columns, t.channels))
    at, total = i * t.row_step + j * t.pixel + c, outputs[:, :, :rows, :columns]
    if t.epilogue.bias:
        total = (total + known(bias, c, tasks)) % PRIME
    steps = MemorySteps(functions, tasks, {"bias": bias, "residual": residual}, c, at)
    for step in t.epilogue.steps:
        total = step.apply(total, steps)
    _store(dst, at, total, tasks)


def transformed(matrix: Matrix, tiles: np.ndarray) -> np.ndarray:
    """Return ``matrix @ tile @ matrix^T`` of tiles [..., i, j, channels]."""
    coefficients = np.array([[residue(x) for x in row] for row in matrix])
    for axis in (-3, -2):
        tiles = np.moveaxis(product(np.moveaxis(tiles, axis, -1), coefficients.T), -1, axis)
    return tiles


def _store(pointer: Pointer, elements: np.ndarray, values: np.ndarray, tasks: Tasks) -> None:
    at = pointer.at(np.broadcast_to(elements, (len(tasks.numbers), *elements.shape)))
    pointer.memory.write(at, values, tasks)


MEANINGS: dict[str, Callable[[str, Uninterpreted], Alike]] = {
    row_choice.PREFIX: lambda name, _: partial(_choose_row, RowChoice.parse(name)),
    panels.PREFIX: lambda name, _: partial(_pack_panel, PanelPacking.parse(name)),
    windows.PREFIX: lambda name, _: partial(_pack_windows, WindowPacking.parse(name)),
    routines.INPUT: lambda name, _: partial(_transform_input, InputTransform.parse(name)),
    routines.OUTPUT: lambda name, functions: partial(
        _transform_output, OutputTransform.parse(name), functions
    ),
}
"""What routines do, by the beginnings of their names."""
