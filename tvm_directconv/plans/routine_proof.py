"""Whether the LLVM IR of packing routines and of Winograd's transforms does what their contracts say."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from intrinsics import registry
from intrinsics.epilogue import TileEpilogue
from intrinsics.isa import ISAS
from intrinsics.packing import panels, windows
from intrinsics.packing.panels import PanelPacking
from intrinsics.packing.windows import WindowPacking
from intrinsics.verification import NOT_COVERED, PROVEN, REFUTED, Verification
from intrinsics.winograd import routines
from intrinsics.winograd.routines import InputTransform, OutputTransform

from .elements import Memory, PlanError, Pointer, Tasks, Uncovered
from .ir_evaluation import IrEvaluation, Place
from .prime_field import Uninterpreted, drawn
from .routine_meanings import routine

Case = tuple[list[int], list[int]]
"""The elements of each operand, exactly as many as a routine may touch, and the integers that it is given."""
CHANNELS = 3
"""Windows of so many channels are packed."""


def prove_routine(name: str, code: str | None = None, seed: int = 0) -> Verification:
    """Return whether the code of a packing routine or of a transform does what its name says.

    The code is evaluated on drawn numbers of a prime field, in memory whose elements are those of the
    contract. That is a proof of a routine that is given no integers; of others it is one at the integers that
    are tried, the corners of an image among them, and they are said not to be covered.

    Args:
        name: The routine's name.
        code: LLVM IR; by default the code that is emitted for the name.
        seed: Numbers are drawn by it.

    Raises:
        ValueError: There is no such routine.
    """
    start, tried = time.perf_counter(), list(cases(name))
    text = registry.emit_named(name) if code is None else code
    outcome, reason = PROVEN, ""
    try:
        for number, case in enumerate(tried):
            _check(name, text, case, np.random.default_rng([seed, number]))
    except PlanError as error:
        outcome, reason = REFUTED, f"{error}, of the integers {case[1]}"
    except Uncovered as error:
        outcome, reason = NOT_COVERED, str(error)
    except Exception as error:
        # Odd code may be odd in ways that nobody thought of; that it is right is not shown.
        outcome = NOT_COVERED if code is None else REFUTED
        reason = f"the code cannot be followed ({type(error).__name__}: {error})"
    if outcome == PROVEN and tried[0][1]:
        outcome, reason = NOT_COVERED, f"it is given integers; it is proven at {len(tried)} of these"
    return Verification(name, outcome, reason, seconds=time.perf_counter() - start)


def _check(name: str, code: str, case: Case, generator: np.random.Generator) -> None:
    sizes, integers = case
    functions = Uninterpreted.drawn(generator, arithmetic=True)
    before = [drawn(generator, max(size, 1))[:, :size] for size in sizes]
    found = [values.copy() for values in before]
    IrEvaluation(code, functions).run([*(Place(values, 0) for values in found), *integers])
    zero = np.zeros(1, np.int64)
    wanted = [Memory(f"operand {number}", values) for number, values in enumerate(before)]
    pointers = [Pointer(memory, zero, memory.values.shape[1], zero) for memory in wanted]
    routine(name, functions)(Tasks(zero + 1, 0), [*pointers, *(zero + integer for integer in integers)])
    for memory, values in zip(wanted, found, strict=True):
        wrong = (memory.values != values).any(0)
        if wrong.any():
            raise PlanError(f"element {int(np.argmax(wrong))} of {memory.name} is not as it should be")


def cases(name: str) -> Iterator[Case]:
    """Give what a routine is tried with. Raises ValueError where there is no such routine."""
    for prefix, tried in CASES.items():
        if name.startswith(prefix):
            return tried(name)
    raise ValueError(f"'{name}' is not the name of a packing routine or a transform")


def _of_panel(name: str) -> Iterator[Case]:
    p = PanelPacking.parse(name)
    read = (p.last - p.first - 1) * p.row + p.length if p.last > p.first else 0
    yield [p.rows * p.length, read], []


def _of_windows(name: str) -> Iterator[Case]:
    p = WindowPacking.parse(name)
    (kh, kw), (dh, dw) = p.kernel, p.dilation
    rows, columns = _edges(p.height, (kh - 1) * dh + 1), _edges(p.width, (kw - 1) * dw + 1)
    for lanes in sorted({1, ISAS[p.isa].lanes - 1, p.n_win // 2 + 1, p.n_win}):
        for row, column in _pairs(rows, columns):
            stored = (CHANNELS * kh * kw - 1) * p.n_win + lanes
            yield [stored, CHANNELS * p.height * p.width], [row, column, lanes, CHANNELS]


def _of_input(name: str) -> Iterator[Case]:
    t = InputTransform.parse(name)
    size, width = t.filtering.size, t.row_step // t.pixel
    read = (t.height - 1) * t.row_step + (width - 1) * t.pixel + t.channels
    for row, column in _pairs(_edges(t.height, size), _edges(width, size)):
        yield [(size**2 - 1) * t.slab + t.channels, read], [row, column]


def _edges(extent: int, size: int) -> list[int]:
    """Return where windows of ``size`` begin: before the image's first row or column, at its last that are
    whole, and beyond."""
    return [1 - size, 0, extent - size, extent - size + 1, extent]


def _pairs(rows: list[int], columns: list[int]) -> Iterator[tuple[int, int]]:
    """Give each row with two columns, and each column with two rows."""
    for turn in range(2):
        yield from zip(rows, columns[turn:] + columns[:turn], strict=True)


def _of_output(name: str) -> Iterator[Case]:
    t = OutputTransform.parse(name)
    for rows in range(1, t.outputs + 2):
        for columns in range(1, t.outputs + 2):
            last = [min(each, t.outputs) - 1 for each in (rows, columns)]
            stored = last[0] * t.row_step + last[1] * t.pixel + t.channels
            products = (t.filtering.size**2 - 1) * t.slab + t.channels
            residual = stored if t.epilogue.residual else 0
            yield [stored, products, _table(t.epilogue, t.channels), residual], [rows, columns]


def _table(epilogue: TileEpilogue, channels: int) -> int:
    """Return the elements of the bias and of the constants behind it."""
    ends = [step.offset + channels for step in epilogue.per_channel]
    return max([channels * epilogue.bias, *ends])


CASES = {
    panels.PREFIX: _of_panel,
    windows.PREFIX: _of_windows,
    routines.INPUT: _of_input,
    routines.OUTPUT: _of_output,
}
"""What routines are tried with, by the beginnings of their names."""
ROUTINES = tuple(CASES)
