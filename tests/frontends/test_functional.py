"""The library of operators by itself: functions of Relax expressions and plain values, without any format."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tvm
from tvm import relax

from relay_strategies.functional import indexing, movement
from relay_strategies.functional.builder import Builder
from relay_strategies.functional.pooling import adaptive_pool
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

DATA = np.arange(2 * 3 * 8 * 6, dtype=np.float32).reshape(2, 3, 8, 6)


class _Bare(Builder):
    label = "here"  # type: ignore[assignment]

    def __init__(self) -> None:
        self.builder = relax.BlockBuilder()


def _computed(function: Callable[[Builder, relax.Expr], relax.Expr], data: np.ndarray) -> np.ndarray:
    """What TVM computes of the expression that ``function`` makes."""
    b, given = _Bare(), relax.Var("x", relax.TensorType(data.shape, str(data.dtype)))
    with b.builder.function("main", [given]):
        with b.builder.dataflow():
            result = b.builder.emit_output(function(b, given))
        b.builder.emit_func_output(result)
    machine = relax.VirtualMachine(tvm.compile(b.builder.get(), "llvm"), tvm.cpu())
    return machine["main"](tvm.runtime.tensor(data)).numpy()


def test_padding_cuts_and_repeats() -> None:
    pairs = [(0, 0), (-1, 0), (2, 1), (0, 3)]
    found = _computed(lambda b, x: movement.pad(b, x, pairs, "reflect"), DATA)
    expected = np.pad(DATA[:, 1:], [(0, 0), (0, 0), (2, 1), (0, 3)], mode="reflect")
    np.testing.assert_array_equal(found, expected)


def test_slices_are_pythons() -> None:
    found = _computed(lambda b, x: movement.slices(b, x, [2, 3], [-2, None], [None, -1], [-3, 2]), DATA)
    np.testing.assert_array_equal(found, DATA[:, :, -2::-3, :-1:2])


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_blocks_of_pixels_there_and_back(mode: str) -> None:
    def there_and_back(b: Builder, x: relax.Expr) -> relax.Expr:
        return movement.depth_to_space(b, b.emit(movement.space_to_depth(b, x, 2, mode)), 2, mode)

    np.testing.assert_array_equal(_computed(there_and_back, DATA), DATA)


def test_uneven_windows_overlap() -> None:
    found = _computed(lambda b, x: adaptive_pool(b, x, "max", [3, 4]), DATA)
    rows, columns = [(0, 3), (2, 6), (5, 8)], [(0, 2), (1, 3), (3, 5), (4, 6)]
    expected = [[DATA[:, :, r:s, c:d].max((2, 3)) for c, d in columns] for r, s in rows]
    np.testing.assert_array_equal(found, np.moveaxis(np.array(expected), (0, 1), (2, 3)))


def test_errors_name_who_asks() -> None:
    b, given = _Bare(), relax.Var("x", relax.TensorType((2, 3), "float32"))
    with pytest.raises(ModelError, match="here: k is 4, and axis 1 has 3 elements"):
        indexing.top_k(b, given, 4, 1, largest=True)
    with pytest.raises(UnsupportedOperatorError, match="here: nothing is left of axis 1, which is 3"):
        movement.slices(b, given, [1], [2], [1], [1])
    with pytest.raises(ModelError, match="here: an index is outside the data's axis of 3"):
        indexing.gather(b, given, relax.const(np.array([3])), 1)
