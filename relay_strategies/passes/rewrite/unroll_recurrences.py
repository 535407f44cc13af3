"""UnrollRecurrences: recurrent layers become steps written out, for targets without a kernel of them."""

from __future__ import annotations

from functools import partial

from tvm import relax

from relay_strategies.functional.recurrent_steps import MOST_STEPS, Direction, Emit, written_out
from relay_strategies.operators.recurrent import recurrence_of
from relay_strategies.relax.graph import Rewriter, rewrite_pass
from tvm_directconv.errors import UnsupportedOperatorError

FUNCTIONS = {"sigmoid": relax.op.sigmoid, "tanh": relax.op.tanh, "relu": relax.op.nn.relu}


class _UnrollRecurrences(Rewriter):
    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        found = recurrence_of(new) if isinstance(new, relax.Call) else None
        if found is None:
            return new
        what, operands = found
        if what.steps > MOST_STEPS:
            steps = f"sequences of {what.steps} steps, more than {MOST_STEPS}"
            raise UnsupportedOperatorError(f"{what.kind}: {steps}, are not supported on this target")
        given = dict(zip(what.operands, operands, strict=True))
        bias = None
        if "bias" in given:
            # Of the candidate alone; the other gates have theirs with the data.
            others = relax.op.zeros((2 * what.hidden,), "float32")
            bias = self.emit(relax.op.concat([self.emit(others), given["bias"]], 0))
        matrix = given["matrix"]
        if what.largest_weight:
            # States are not rounded to bytes here.
            matrix = self.emit(relax.op.astype(matrix, "float32"))
            matrix = self.emit(relax.op.multiply(matrix, given["scales"]))
        direction = Direction(
            self.emit,
            what.hidden,
            tuple(partial(_activated, name) for name in what.activations),
            matrix,
            bias,
            reset_last=what.reset_last,
        )
        state = (given["state"], *([given["cell"]] if "cell" in given else []))
        sizes, reached = (what.steps, what.batch), [None] * what.steps
        results, last = written_out(
            what.kind, direction, given["inputs"], sizes, state, what.backward, reached
        )
        return relax.op.stack([*results, *([last[1]] if what.keeps_cell else [])], axis=0)


UnrollRecurrences = rewrite_pass("UnrollRecurrences", _UnrollRecurrences)
"""Write recurrent layers out; wants to be the first pass, so that what it writes is simplified."""


def _activated(name: str, emit: Emit, value: relax.Expr) -> relax.Expr:
    return emit(FUNCTIONS[name](value))
