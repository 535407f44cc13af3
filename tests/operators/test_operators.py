"""Operators other than pooling against their float64 definitions; then what holds for all of them.

That is: parallel code computes what serial code does, no workspace, invalid attributes are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_support import CHANNELS, SIZES, compile_kernel, draw, isas, onnx_runtime, run
from support import allocated_bytes, assert_matches, runnable_target
from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import Clip
from tvm_directconv import operators
from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators import Pool2d, angles, builder, expressions
from tvm_directconv.operators.columns import sum_columns
from tvm_directconv.operators.expressions import like
from tvm_directconv.problem.columns import Columns
from tvm_directconv.targets.target import CompileTarget, resolve_target

EXAMPLES = settings(max_examples=8)
RELU = Clip(low=0)


# Normalization


@isas
@settings(max_examples=8)
@given(
    pixels=st.integers(1, 5),
    channels=CHANNELS,
    size=st.integers(1, 40),
    beta=st.sampled_from([0.5, 0.75, 1.0, 0.6, 0.25]),
    alpha=st.sampled_from([0.0, 1e-4, 0.1]),
    bias=st.sampled_from([1.0, 2.0, 0.3]),
)
def test_lrn(isa: str, pixels: int, channels: int, size: int, beta: float, alpha: float, bias: float) -> None:
    target, shape = runnable_target(isa), (pixels, channels)
    what = f"{shape} size {size} alpha {alpha} beta {beta} bias {bias}"
    data = draw(*shape, scale=5)
    squares = data.astype(np.float64) ** 2
    window = np.stack(
        [squares[:, max(0, c - (size - 1) // 2) : c + size // 2 + 1].sum(-1) for c in range(channels)], -1
    )
    func = operators.lrn(shape, size, target, alpha=alpha, beta=beta, bias=bias)
    got = run(func, [data], shape, target, what)
    assert_matches(got, data / (bias + alpha / size * window) ** beta, what)


def test_lrn_follows_onnx_runtime() -> None:
    target, data = runnable_target("portable"), draw(2, 6, 5, 37, scale=20)
    func = operators.lrn(data.shape, 5, target, alpha=0.01, beta=0.75, bias=1.5)
    got = run(func, [data], data.shape, target, "lrn")
    channels_first = np.ascontiguousarray(data.transpose(0, 3, 1, 2))
    want = onnx_runtime("LRN", [channels_first], opset=13, size=5, alpha=0.01, beta=0.75, bias=1.5)
    assert_matches(got, want.transpose(0, 2, 3, 1), data.shape)


@isas
@settings(max_examples=8)
@given(
    rows=st.integers(1, 4),
    length=st.one_of(st.integers(1, 70), st.sampled_from([127, 128, 129, 255, 1000, 1001])),
    scale=st.sampled_from([1.0, 30.0, 1e30]),
)
def test_softmax(isa: str, rows: int, length: int, scale: float) -> None:
    target, shape = runnable_target(isa), (2, rows, length)
    data = draw(*shape, seed=length, scale=scale)
    exponentials = np.exp(data.astype(np.float64) - data.max(-1, keepdims=True))
    got = run(operators.softmax(shape, target), [data], shape, target, (shape, scale))
    assert_matches(got, exponentials / exponentials.sum(-1, keepdims=True), (shape, scale), tolerance=1e-6)
    assert np.abs(got.sum(-1, dtype=np.float64) - 1).max() < 1e-5, (shape, scale)


def test_softmax_of_infinities() -> None:
    target, shape = runnable_target("portable"), (3, 20)
    data = draw(*shape)
    data[0, 3] = data[0, 19] = -math.inf
    data[1, 5] = math.nan
    data[2, :] = -math.inf
    got = run(operators.softmax(shape, target), [data], shape, target, shape)
    assert got[0, 3] == got[0, 19] == 0
    assert abs(got[0].sum() - 1) < 1e-6
    assert np.isnan(got[1:]).all()


# Element-wise


def in_last_places(got: np.ndarray, want: np.ndarray) -> float:
    """Largest error in units in the last place of the exact value."""
    with np.errstate(over="ignore"):
        unit = np.spacing(np.abs(want).astype(np.float32))
    return float((np.abs(got.astype(np.float64) - want) / unit).max())


Unary = Callable[..., builder.Expr]


def evaluate(function: Unary, data: np.ndarray, isa: str) -> np.ndarray:
    target = runnable_target(isa)
    return run(operators.elementwise(function, data.shape, 1, target), [data], data.shape, target, data.shape)


@isas
def test_exp_sigmoid_tanh(isa: str) -> None:
    data = np.concatenate([np.linspace(-103, 88.7, 20011), np.linspace(-1, 1, 5003)]).astype(np.float32)
    exact = data.astype(np.float64)
    assert in_last_places(evaluate(expressions.exp, data, isa), np.exp(exact)) < 2
    assert in_last_places(evaluate(expressions.tanh, data, isa), np.tanh(exact)) < 3
    likely = data[data > -87]
    want = 1 / (1 + np.exp(-likely.astype(np.float64)))
    assert in_last_places(evaluate(expressions.sigmoid, likely, isa), want) < 4


@isas
def test_exp_of_distances(isa: str) -> None:
    data = np.concatenate([np.linspace(-87, 0, 20011), -np.logspace(-9, 0, 503)]).astype(np.float32)
    got = evaluate(expressions.exp_of_distance, data, isa)
    assert in_last_places(got, np.exp(data.astype(np.float64))) < 2
    special = np.array([0, -0.0, -88, -1e30, -math.inf, math.nan], np.float32)
    got = evaluate(expressions.exp_of_distance, special, isa)
    np.testing.assert_array_equal(got, [1, 1, 0, 0, 0, math.nan])


@isas
def test_special_values_of_exp_sigmoid_tanh(isa: str) -> None:
    data = np.array([0, -0.0, 1e30, -1e30, math.inf, -math.inf, 89, -105, math.nan], np.float32)
    inf, nan = math.inf, math.nan
    np.testing.assert_array_equal(evaluate(expressions.exp, data, isa), [1, 1, inf, 0, inf, 0, inf, 0, nan])
    np.testing.assert_array_equal(evaluate(expressions.sigmoid, data, isa), [0.5, 0.5, 1, 0, 1, 0, 1, 0, nan])
    np.testing.assert_array_equal(evaluate(expressions.tanh, data, isa), [0, 0, 1, -1, 1, -1, 1, -1, nan])


POSITIVE = np.concatenate([np.logspace(-45, 38.53, 20001), np.linspace(0.3, 3, 8001)]).astype(np.float32)
BOTH_SIGNS = np.concatenate([-POSITIVE, POSITIVE])
exact_erf = np.vectorize(math.erf, otypes=[np.float64])


@isas
@pytest.mark.parametrize(
    ("function", "exact", "data", "limit"),
    [
        (expressions.erf, exact_erf, BOTH_SIGNS, 6),
        (expressions.log, np.log, POSITIVE, 2),
        (expressions.log1p, np.log1p, BOTH_SIGNS[BOTH_SIGNS > -1], 3),
        (expressions.expm1, np.expm1, BOTH_SIGNS[BOTH_SIGNS < 88.7], 2),
        (angles.sin, np.sin, BOTH_SIGNS, 2),
        (angles.cos, np.cos, BOTH_SIGNS, 2),
        (angles.tan, np.tan, BOTH_SIGNS, 4),
        (angles.asin, np.arcsin, BOTH_SIGNS[np.abs(BOTH_SIGNS) <= 1], 3),
        (angles.acos, np.arccos, BOTH_SIGNS[np.abs(BOTH_SIGNS) < 1], 3),
        (angles.atan, np.arctan, BOTH_SIGNS, 3),
        (angles.sinh, np.sinh, BOTH_SIGNS[np.abs(BOTH_SIGNS) < 89.4], 4),
        (angles.cosh, np.cosh, BOTH_SIGNS[np.abs(BOTH_SIGNS) < 89.4], 4),
        (angles.asinh, np.arcsinh, BOTH_SIGNS, 4),
        (angles.acosh, np.arccosh, POSITIVE[POSITIVE > 1], 4),
    ],
)
def test_functions_of_all_floats(
    isa: str, function: Unary, exact: Callable[[np.ndarray], np.ndarray], data: np.ndarray, limit: float
) -> None:
    data = data[data != 0]
    assert in_last_places(evaluate(function, data, isa), exact(data.astype(np.float64))) < limit


@isas
def test_nan_is_known_by_its_bits(isa: str) -> None:
    data = np.array([0, -0.0, math.inf, -math.inf, math.nan, -math.nan, 1e-45, 3e38] * 5, np.float32)
    got = evaluate(lambda x: T.Select(expressions.is_nan(x), like(x, 1.0), like(x, 0.0)), data, isa)
    np.testing.assert_array_equal(got, np.isnan(data))


def _sines(*values: float) -> list[float]:
    return [math.sin(float(np.float32(value))) for value in values]


@isas
@pytest.mark.parametrize(
    ("function", "want"),
    [
        (expressions.erf, [0, 0, 1, -1, math.nan, exact_erf(-1), -1, 1]),
        (
            expressions.log,
            [-math.inf, -math.inf, math.inf, math.nan, math.nan, math.nan, math.nan, 69.0775528],
        ),
        (expressions.log1p, [0, 0, math.inf, math.nan, math.nan, -math.inf, math.nan, 69.0775528]),
        (expressions.expm1, [0, 0, math.inf, -1, math.nan, math.expm1(-1), -1, math.inf]),
        (angles.sin, [0, 0, math.nan, math.nan, math.nan, math.sin(-1), *_sines(-1e30, 1e30)]),
        (angles.asin, [0, 0, math.nan, math.nan, math.nan, -math.pi / 2, math.nan, math.nan]),
        (angles.acos, [math.pi / 2, math.pi / 2, math.nan, math.nan, math.nan, math.pi, math.nan, math.nan]),
        (angles.atan, [0, 0, math.pi / 2, -math.pi / 2, math.nan, -math.pi / 4, -math.pi / 2, math.pi / 2]),
        (angles.sinh, [0, 0, math.inf, -math.inf, math.nan, math.sinh(-1), -math.inf, math.inf]),
        (angles.cosh, [1, 1, math.inf, math.inf, math.nan, math.cosh(1), math.inf, math.inf]),
        (angles.acosh, [math.nan, math.nan, math.inf, math.nan, math.nan, math.nan, math.nan, 69.7707]),
    ],
)
def test_special_values_of_functions(isa: str, function: Unary, want: list[float]) -> None:
    data = np.array([0, -0.0, math.inf, -math.inf, math.nan, -1, -1e30, 1e30], np.float32)
    np.testing.assert_allclose(evaluate(function, data, isa), np.float32(want), rtol=1e-6)


@isas
@pytest.mark.parametrize("exponent", [-1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1, -0.8, 0.3, 2])
def test_power(isa: str, exponent: float) -> None:
    data = np.exp(np.linspace(-15, 15, 4001)).astype(np.float32)
    got = evaluate(lambda x: expressions.power(x, exponent), data, isa)
    by_roots = abs(exponent) in (0.25, 0.5, 0.75, 1)
    limit = 4 if by_roots else 3 + 1.5 * 15 * abs(exponent)
    assert in_last_places(got, data.astype(np.float64) ** exponent) < limit


@isas
@EXAMPLES
@given(shape=st.lists(SIZES, max_size=3).map(tuple), last=CHANNELS, inputs=st.integers(1, 4))
def test_add_and_multiply(isa: str, shape: tuple[int, ...], last: int, inputs: int) -> None:
    target, shape = runnable_target(isa), (*shape, last)
    data = [draw(*shape, seed=i) for i in range(inputs)]
    exact = np.stack(data).astype(np.float64)
    func = operators.add(shape, inputs, target, steps=[Clip(-0.5, 1.5)])
    got = run(func, data, shape, target, (shape, inputs))
    assert_matches(got, exact.sum(0).clip(-0.5, 1.5), (shape, inputs))
    got = run(operators.multiply(shape, inputs, target, steps=[RELU]), data, shape, target, (shape, inputs))
    assert_matches(got, exact.prod(0).clip(0, None), (shape, inputs))


def test_functions_compose() -> None:
    target, data = runnable_target("portable"), draw(7, 9)
    func = operators.elementwise(
        lambda a, b: T.max(expressions.leaky_relu(a, 0.1), b * T.float32(2)), data.shape, 2, target
    )
    got = run(func, [data, data[::-1]], data.shape, target, "composed")
    assert_matches(got, np.maximum(np.where(data > 0, data, data * 0.1), data[::-1] * 2), "composed")


# Concatenation and layout


@st.composite
def joined_shapes(draw_from: st.DrawFn) -> tuple[list[tuple[int, ...]], int]:
    rank = draw_from(st.integers(1, 4))
    axis = draw_from(st.integers(-rank, rank - 1))
    common = [draw_from(SIZES) for _ in range(rank)]
    lengths = draw_from(st.lists(CHANNELS, min_size=1, max_size=5))
    shapes = [tuple([*common[: axis % rank], length, *common[axis % rank + 1 :]]) for length in lengths]
    return shapes, axis


@isas
@settings(max_examples=8)
@given(case=joined_shapes())
def test_concat(isa: str, case: tuple[list[tuple[int, ...]], int]) -> None:
    (shapes, axis), target = case, runnable_target(isa)
    data = [draw(*shape, seed=i) for i, shape in enumerate(shapes)]
    want = np.concatenate(data, axis)
    got = run(operators.concat(shapes, axis, target), data, want.shape, target, case)
    assert (got == want).all(), case


@isas
@EXAMPLES
@given(
    pixels=st.tuples(st.integers(1, 2), SIZES, SIZES),
    channels=st.lists(CHANNELS, min_size=1, max_size=5),
)
def test_concat_affine(isa: str, pixels: tuple[int, ...], channels: list[int]) -> None:
    target, what = runnable_target(isa), (pixels, channels)
    data = [draw(*pixels, c, seed=c) for c in channels]
    scale, shift = draw(sum(channels), seed=1), draw(sum(channels), seed=2)
    want = (np.concatenate(data, -1).astype(np.float64) * scale + shift).clip(0, 6)
    func = operators.concat_affine([array.shape for array in data], target, steps=[Clip(0, 6)])
    got = run(func, [*data, scale, shift], want.shape, target, what)
    assert_matches(got, want, what)


@isas
@settings(max_examples=8)
@given(shape=st.tuples(st.integers(1, 18), CHANNELS, SIZES, SIZES))
def test_layout_changes(isa: str, shape: tuple[int, int, int, int]) -> None:
    target, channels_first = runnable_target(isa), draw(*shape)
    channels_last = np.ascontiguousarray(channels_first.transpose(0, 2, 3, 1))
    func = operators.nchw_to_nhwc(shape, target)
    assert (run(func, [channels_first], channels_last.shape, target, shape) == channels_last).all(), shape
    func = operators.nhwc_to_nchw(channels_last.shape, target)
    assert (run(func, [channels_last], shape, target, shape) == channels_first).all(), shape


@isas
@pytest.mark.parametrize("shape", [(2, 20, 10, 11), (1, 33, 9, 31)], ids=str)
def test_long_rows_are_turned_by_lines(isa: str, shape: tuple[int, int, int, int]) -> None:
    """Four tiles at a time, then those that are left, then the last columns again."""
    target, data = runnable_target(isa), draw(*shape)
    want = data.transpose(0, 2, 3, 1)
    assert (run(operators.nchw_to_nhwc(shape, target), [data], want.shape, target, shape) == want).all()


@isas
@EXAMPLES
@given(pixels=st.tuples(SIZES, SIZES), groups=st.integers(1, 9), each=CHANNELS)
def test_channel_shuffle(isa: str, pixels: tuple[int, int], groups: int, each: int) -> None:
    target, shape = runnable_target(isa), (*pixels, groups * each)
    data = draw(*shape)
    want = data.reshape(*pixels, groups, each).swapaxes(-1, -2).reshape(shape)
    got = run(operators.channel_shuffle(shape, groups, target), [data], shape, target, (shape, groups))
    assert (got == want).all(), (shape, groups)


# Large enough to run in parallel; memory; errors


UPSAMPLED = Columns(1, 3, (64, 61), (4, 4), (2, 2), (1, 1), (1, 1), (128, 122))
LARGE: dict[str, Callable[[CompileTarget], tirx.PrimFunc]] = {
    "max_pool2d": lambda t: operators.max_pool2d(Pool2d(2, 60, 60, 65, (3, 3), padding=(1, 1, 1, 1)), t),
    "avg_pool2d": lambda t: operators.avg_pool2d(Pool2d(1, 60, 60, 65, (30, 3), padding=(9, 1, 9, 1)), t),
    "global_avg_pool2d": lambda t: operators.global_avg_pool2d((3, 60, 60, 33), t),
    "resize2d": lambda t: operators.resize2d((1, 9, 9, 200), (1, 31, 36, 200), "NHWC", "half_pixel", t),
    "lrn": lambda t: operators.lrn((1, 30, 30, 200), 5, t),
    "softmax": lambda t: operators.softmax((60, 1001), t),
    "add": lambda t: operators.add((1, 56, 56, 101), 2, t),
    "channel_affine": lambda t: operators.concat_affine([(1, 57, 57, 99)], t),
    "concat": lambda t: operators.concat([(1, 61, 61, 33), (1, 61, 61, 7)], -1, t),
    "concat_axis_0": lambda t: operators.concat([(100, 999), (99, 999)], 0, t),
    "nchw_to_nhwc": lambda t: operators.nchw_to_nhwc((1, 50, 61, 59), t),
    "channel_shuffle": lambda t: operators.channel_shuffle((1, 51, 51, 60), 3, t),
    "sum_columns": lambda t: sum_columns(UPSAMPLED, t),
}


def inputs_and_output(func: tirx.PrimFunc) -> tuple[list[np.ndarray], tuple[int, ...]]:
    *inputs, output = (tuple(int(extent) for extent in parameter.ty.shape) for parameter in func.params)
    return [draw(*shape, seed=i) for i, shape in enumerate(inputs)], output


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_parallel_code_computes_what_serial_code_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target = runnable_target("portable")
    parallel = LARGE[name](target)
    monkeypatch.setattr(builder, "PARALLEL_BYTES", math.inf)
    serial = LARGE[name](target)
    assert "T.parallel" in parallel.script() and "T.parallel" not in serial.script()
    inputs, output = inputs_and_output(serial)
    want = run(serial, inputs, output, target, name)
    for _ in range(3):
        assert (run(parallel, inputs, output, target, name) == want).all()


@pytest.mark.parametrize("name", LARGE)
def test_no_workspace(name: str, tmp_path: Path) -> None:
    target = runnable_target("portable")
    func = LARGE[name](target)
    executable = compile_kernel(func, target)
    inputs, output = inputs_and_output(func)
    assert allocated_bytes(executable, "kernel", [*inputs, np.zeros(output, np.float32)], tmp_path) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [
        "llvm -device=arm_cpu -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1",
        "llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr10",
    ],
)
def test_foreign_targets_get_vector_code_without_libm(target: str) -> None:
    resolved = resolve_target(target)
    for name, make in LARGE.items():
        code = compile_kernel(make(resolved), resolved).mod.inspect_source("asm")
        assert not re.search(r"\b(expf|powf|sqrtf|tanhf|fmaf)\b", code), name


@pytest.mark.parametrize(
    "make",
    [
        lambda t: Pool2d(1, 4, 4, 8, (5, 5)),
        lambda t: Pool2d(1, 4, 4, 8, (2, 2), padding=(0, -1, 0, 0)),
        lambda t: Pool2d(1, 4, 4, 8, (2, 2), strides=(1, 0)),
        lambda t: Pool2d(1, 4, 4, 8, (2, 2), padding=(1, 1)),  # type: ignore[arg-type]
        lambda t: operators.lrn((1, 4, 4, 8), 0, t),
        lambda t: operators.lrn((1, 4, 4, 8), 5, t, bias=0.0),
        lambda t: operators.channel_shuffle((1, 4, 4, 8), 3, t),
        lambda t: operators.concat([(1, 4, 4), (1, 5, 4)], -1, t),
        lambda t: operators.concat([(1, 4)], 2, t),
        lambda t: operators.concat([], 0, t),
        lambda t: operators.softmax((2, 0), t),
        lambda t: operators.add((2, 3), 0, t),
    ],
)
def test_invalid_operators_are_refused(make: Callable[[CompileTarget], object]) -> None:
    with pytest.raises(WorkloadError):
        make(runnable_target("portable"))
