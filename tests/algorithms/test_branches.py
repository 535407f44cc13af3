"""Branches of lowered code: each statement at its index, and why TIR's own conditionals are not used."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tvm
from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize

from tvm_directconv.algorithms.branches import but_last, by_pass, choose, either
from tvm_directconv.targets.target import resolve_target

SIZE = 4
Make = Callable[[tirx.Expr, tirx.Expr, Callable[[int], tirx.Stmt]], "tirx.Stmt | None"]


def written(make: Make) -> np.ndarray:
    """What a function of three loops (i, j, k) writes, which at (i, j) does the statement that ``make`` makes
    of statements that write a number at (i, j, k); 0 where nothing is written."""
    output = tirx.decl_buffer((SIZE, SIZE, SIZE), "float32", "output")
    loops = [tirx.Var(name, "int32") for name in "ijk"]
    stmt = make(
        loops[0], loops[1], lambda value: tirx.BufferStore(output, tirx.const(value, "float32"), loops)
    )
    for loop in reversed(loops):
        stmt = tirx.For(loop, 0, SIZE, tirx.ForKind.SERIAL, stmt)
    root = SBlockRealize([], tirx.IntImm("bool", 1), SBlock([], [], [], "root", stmt))
    func = tirx.PrimFunc([output], root).with_attr({"s_tir": True, "global_symbol": "main"})
    module = tvm.compile(tvm.IRModule({"main": func}), target=resolve_target("llvm -mcpu=native").tvm_target)
    result = tvm.runtime.tensor(np.zeros((SIZE, SIZE, SIZE), np.float32))
    module["main"](result)
    return result.numpy()[:, :, 0]


def test_the_outer_branch_is_kept_where_an_inner_test_has_none() -> None:
    def make(i: tirx.Expr, j: tirx.Expr, write: Callable[[int], tirx.Stmt]) -> tirx.Stmt:
        return either(tirx.EQ(i, 1), either(tirx.EQ(j, 2), write(5)), write(7))

    want = np.full((SIZE, SIZE), 7)
    want[1] = [0, 0, 5, 0]
    np.testing.assert_array_equal(written(make), want)


def test_tvm_loses_it() -> None:
    """The day this fails, TIR's own conditionals can take the place of ``either``."""

    def make(i: tirx.Expr, j: tirx.Expr, write: Callable[[int], tirx.Stmt]) -> tirx.Stmt:
        return tirx.IfThenElse(tirx.EQ(i, 1), tirx.IfThenElse(tirx.EQ(j, 2), write(5), None), write(7))

    want = np.full((SIZE, SIZE), 7)
    want[1] = [0, 0, 5, 0]
    assert not np.array_equal(written(make), want)


@pytest.mark.parametrize("options", [(3,) * SIZE, (3, 3, 3, 4), (1, 2, 3, 4), (2, 1, 2, 1)])
def test_choose(options: tuple[int, ...]) -> None:
    np.testing.assert_array_equal(written(lambda i, j, write: choose(j, options, write)), [options] * SIZE)


@pytest.mark.parametrize(("count", "rest"), [(4, 0), (4, 1), (3, 1), (1, 1), (2, 0)])
def test_but_last(count: int, rest: int) -> None:
    want = [9] * count + [0] * (SIZE - count)
    want[count - 1] = rest or 9
    got = written(lambda i, j, write: but_last(j, count, 9, rest, write, SIZE))
    np.testing.assert_array_equal(got, [want] * SIZE)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_by_pass(count: int) -> None:
    """The first pass, the last one, and one statement for all between them."""
    want = [min(j, 1) if j < count - 1 else count - 1 for j in range(count)]
    got = written(lambda i, j, write: by_pass(j * 8, 8, count, lambda index, start: write(10 + index)))
    np.testing.assert_array_equal(got[:, :count], [[10 + index for index in want]] * SIZE)
