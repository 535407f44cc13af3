"""Kernels of recurrent layers against their equations in float64."""

from __future__ import annotations

import numpy as np
import pytest
from operator_support import draw, isas, run
from support import assert_matches, runnable_target

from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators.recurrent import Recurrence, packed_matrix, recurrent, workspace_bytes
from tvm_directconv.targets.target import resolve_target

CASES = [
    Recurrence("LSTM", 5, 1, 48, ("sigmoid", "tanh", "tanh"), keeps_cell=True),
    Recurrence("LSTM", 3, 2, 5, ("sigmoid", "relu", "tanh"), backward=True),
    Recurrence("GRU", 4, 3, 33, ("sigmoid", "tanh")),
    Recurrence("GRU", 4, 1, 20, ("sigmoid", "tanh"), backward=True, reset_last=True),
    Recurrence("RNN", 6, 1, 17, ("tanh",)),
    Recurrence("RNN", 1, 7, 1, ("relu",)),
    Recurrence("LSTM", 4, 3, 21, ("sigmoid", "tanh", "tanh"), keeps_cell=True, largest_weight=127),
    Recurrence("LSTM", 3, 1, 32, ("sigmoid", "tanh", "tanh"), backward=True, largest_weight=128),
]


def operands_of(what: Recurrence) -> dict[str, np.ndarray]:
    """Drawn operands; of a matrix in bytes the sums of its columns."""
    given = {name: draw(*shape, seed=i) for i, (name, shape) in enumerate(what.operands.items())}
    if what.largest_weight:
        largest, rng = what.largest_weight, np.random.default_rng(what.hidden)
        shape = given["matrix"].shape
        given["matrix"] = rng.integers(-largest, min(largest, 127) + 1, shape).astype(np.int8)
        given["scales"] = rng.uniform(0.002, 0.004, shape[1]).astype(np.float32)
        given["sums"] = given["matrix"].sum(0, dtype=np.int32)
    return given


def rounded(state: np.ndarray) -> np.ndarray:
    """What the bytes of ONNX's DynamicQuantizeLinear stand for."""
    state = state.astype(np.float32)
    low, high = min(state.min(), np.float32(0)), max(state.max(), np.float32(0))
    scale = (high - low) / np.float32(255) if high > low else np.float32(1)
    zero = np.rint(-low / scale)
    return (np.clip(np.rint(state / scale) + zero, 0, 255) - zero).astype(np.float64) * scale


def steps_of(what: Recurrence, given: dict[str, np.ndarray]) -> np.ndarray:
    """The equations, one step after the other."""
    functions = {
        "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
        "tanh": np.tanh,
        "relu": lambda v: np.maximum(v, 0),
    }
    f = [functions[name] for name in what.activations]
    wide = {name: values.astype(np.float64) for name, values in given.items()}
    h, c, matrix = wide["state"], wide.get("cell"), wide["matrix"]
    results = np.empty((what.steps, what.batch, what.hidden))
    for step in reversed(range(what.steps)) if what.backward else range(what.steps):
        x = np.split(wide["inputs"][step], what.gates, 1)
        product = rounded(h) @ (matrix * wide["scales"]) if what.largest_weight else h @ matrix
        r = np.split(product, what.gates, 1)
        if what.kind == "RNN":
            h = f[0](x[0] + r[0])
        elif what.kind == "LSTM":
            inward, outward, forget = (f[0](x[i] + r[i]) for i in range(3))
            c = forget * c + inward * f[1](x[3] + r[3])
            h = outward * f[2](c)
        else:
            update, reset = (f[0](x[i] + r[i]) for i in range(2))
            if what.reset_last:
                product = reset * (r[2] + wide["bias"])
            else:
                product = (reset * h) @ np.split(matrix, what.gates, 1)[2]
            h = (1 - update) * f[1](x[2] + product) + update * h
        results[step] = h
    return np.concatenate([results, c[None]]) if what.keeps_cell else results


def test_recurrences_in_bytes() -> None:
    """Matrices in bytes, packed for this host."""
    target = resolve_target("llvm -mcpu=native")
    for what in (what for what in CASES if what.largest_weight):
        given = operands_of(what)
        want = steps_of(what, given)
        given["matrix"] = packed_matrix(what, given["matrix"], target)
        got = run(recurrent(what, target), list(given.values()), what.output_shape, target, what)
        assert_matches(got, want, what)


@pytest.mark.slow
@isas
@pytest.mark.parametrize("what", CASES, ids=lambda what: f"{what.kind}-{what.batch}x{what.hidden}")
@pytest.mark.parametrize("packed", [True, False], ids=["packed", "computed"])
def test_recurrences(isa: str, what: Recurrence, packed: bool) -> None:
    target = runnable_target(isa)
    if what.largest_weight and not packed:
        pytest.skip("matrices in bytes are constant")
    given = operands_of(what)
    want = steps_of(what, given)
    if packed:
        given["matrix"] = packed_matrix(what, given["matrix"], target)
    got = run(recurrent(what, target, packed), list(given.values()), what.output_shape, target, what)
    assert_matches(got, want, what)


def test_descriptions_are_read_back() -> None:
    assert [Recurrence.parse(str(what)) for what in CASES] == CASES


def test_workspaces_are_states_and_matrices_that_are_not_packed() -> None:
    """The gates of four kinds, the state and the cell; and what an own copy of the matrix takes."""
    target, what = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512"), CASES[0]
    assert workspace_bytes(what, target) == 4 * (4 * 48 + 48 + 48)
    assert workspace_bytes(what, target, packed=False) >= workspace_bytes(what, target) + 4 * 48 * 4 * 48


@pytest.mark.parametrize(
    ("kind", "sizes", "activations"),
    [
        ("LSTM", (1, 1, 1), ("sigmoid",)),
        ("GRU", (0, 1, 1), ("sigmoid", "tanh")),
        ("RNN", (1, 1, 1), ("elu",)),
    ],
)
def test_what_no_kernel_computes_is_refused(
    kind: str, sizes: tuple[int, int, int], activations: tuple[str, ...]
) -> None:
    with pytest.raises(WorkloadError):
        Recurrence(kind, *sizes, activations)
