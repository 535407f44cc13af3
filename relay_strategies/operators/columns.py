"""The composite that sums a transposed convolution's columns (col2im), in NCHW; a graph pass makes it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import reduce

from tvm import relax

from relay_strategies.relax.composite import COLUMNS, Composite, Emit, make_composite
from relay_strategies.relax.graph import Rewriter
from tvm_directconv.operators.columns import sum_columns
from tvm_directconv.problem.columns import Columns
from tvm_directconv.targets.target import CompileTarget

from .attributes import attributes_of, from_attributes
from .operator import CompositeOperator, Kernel, Operator, Shape


def summed(rewriter: Rewriter, data: relax.Expr, what: Columns, like: relax.Expr) -> relax.Call:
    """The result of the columns ``data``."""

    def body(emit: Emit, params: Sequence[relax.Var]) -> relax.Expr:
        before, around = _padding(what)
        padded = emit(relax.op.nn.pad(params[0], around))
        rows, columns = what.positions(0), what.positions(1)
        parts = []
        for down, along in itertools.product(what.phases(0), what.phases(1)):
            terms = []
            for (tap, below), (column, beside) in itertools.product(down, along):
                first = [tap * what.kernel[1] + column, below + before[0], beside + before[1]]
                ends = [what.shape[1], first[1] + rows, first[2] + columns]
                terms.append(emit(relax.op.strided_slice(padded, [1, 2, 3], first, ends, [what.taps, 1, 1])))
            zeros = relax.op.zeros((what.batch, what.outputs, rows, columns), "float32")
            parts.append(reduce(lambda a, b: emit(relax.op.add(a, b)), terms) if terms else emit(zeros))
        steps = len(what.phases(0)), len(what.phases(1))
        joined = emit(relax.op.concat(parts, 1))
        split = emit(relax.op.reshape(joined, (what.batch, *steps, what.outputs, rows, columns)))
        mixed = emit(relax.op.permute_dims(split, [0, 3, 4, 1, 5, 2]))
        shape = (what.batch, what.outputs, rows * steps[0], columns * steps[1])
        whole = emit(relax.op.reshape(mixed, shape))
        return relax.op.strided_slice(whole, [2, 3], [0, 0], list(what.size))

    return make_composite(rewriter, COLUMNS, [data], body, attributes_of(what), like=like)


def _padding(what: Columns) -> tuple[list[int], list[int]]:
    """Rows and columns of padding in front, and all of it as an operator takes it, for what is seen."""
    before, around = [], [0, 0, 0, 0]
    for axis in range(2):
        shifts = [0, *(shift for taps in what.phases(axis) for _, shift in taps)]
        before.append(-min(shifts))
        around += [-min(shifts), max(0, what.positions(axis) + max(shifts) - what.image[axis])]
    return before, around


def _sum(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    return Kernel(
        "sum_columns", sum_columns(from_attributes(Columns, found.attributes), target), found.arguments
    )


OPERATORS: tuple[Operator, ...] = ()
COMPOSITES = (CompositeOperator(COLUMNS, kernel=_sum),)
