"""Operators of quantized networks against numpy, for both 8-bit types, odd channels and all extremes."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
import tvm
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_support import CHANNELS, SIZES, isas, onnx_runtime, run
from quantized_numbers import (
    DTYPES,
    assert_product,
    assert_sum,
    centered,
    numbers,
    quantizations,
    real,
    rounded,
)
from steps import Hill
from support import Compiled, allocated_bytes, runnable_target, with_threads

from intrinsics.epilogue import Clip, LeakyRelu, Step
from tvm_directconv import operators
from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators import Pool2d, QuantizedType
from tvm_directconv.problem.steps import numpy_steps
from tvm_directconv.targets.target import resolve_target

EXAMPLES = settings(max_examples=10)


@isas
@EXAMPLES
@given(last=CHANNELS, rows=SIZES, result=quantizations(), scale=st.sampled_from([1.0, 100.0, 1e30]))
def test_quantize_is_onnx_to_the_bit(
    isa: str, last: int, rows: int, result: QuantizedType, scale: float
) -> None:
    target, shape = runnable_target(isa), (rows, last)
    data = np.random.default_rng(last).standard_normal(shape, np.float32) * np.float32(scale)
    steps = np.arange(-300, 300, dtype=np.float32).repeat(2)[: data.size] / 2  # many ties
    data.reshape(-1)[: steps.size : 2] = steps[::2] * np.float32(result.scale)
    data.reshape(-1)[-1] = math.inf
    data.reshape(-1)[0] = -math.inf
    want = np.clip(np.rint(data / np.float32(result.scale)) + result.zero_point, *_range(result))
    got = run(operators.quantize(shape, result, target), [data], shape, target, result, result.dtype)
    np.testing.assert_array_equal(got, want.astype(result.dtype))


@isas
@EXAMPLES
@given(shape=st.tuples(SIZES, CHANNELS), source=quantizations())
def test_dequantize_is_onnx_to_the_bit(isa: str, shape: tuple[int, int], source: QuantizedType) -> None:
    target, data = runnable_target(isa), numbers(shape, source)
    want = centered(data, source).astype(np.float32) * np.float32(source.scale)
    got = run(operators.dequantize(shape, source, target), [data], shape, target, source)
    np.testing.assert_array_equal(got, want)


@isas
@EXAMPLES
@given(rows=SIZES, channels=CHANNELS, dtype=DTYPES, seed=st.integers(0, 9))
def test_per_channel(isa: str, rows: int, channels: int, dtype: str, seed: int) -> None:
    target, rng = runnable_target(isa), np.random.default_rng(seed)
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    scale = rng.choice(np.array([0.25, 0.01, 3.0, 0.5], np.float32), channels)
    zero = rng.integers(least, most + 1, channels).astype(np.int32)
    data = (rng.integers(-600, 600, (rows, channels)) / 2).astype(np.float32) * scale
    func = operators.quantize_channels(data.shape, dtype, target)
    got = run(func, [data, scale, zero], data.shape, target, dtype, dtype)
    np.testing.assert_array_equal(got, np.clip(np.rint(data / scale) + zero, least, most).astype(dtype))
    func = operators.dequantize_channels(data.shape, dtype, target)
    back = run(func, [got, scale, zero], data.shape, target, dtype)
    np.testing.assert_array_equal(back, (got.astype(np.int32) - zero).astype(np.float32) * scale)


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_quantize_and_dequantize_follow_onnx_runtime(dtype: str) -> None:
    target, scale, zero = runnable_target("portable"), np.array(0.037, np.float32), np.array(5, dtype)
    data = np.random.default_rng(0).standard_normal((7, 61), np.float32) * np.float32(4)
    quantization = QuantizedType(float(scale), 5, dtype)
    func = operators.quantize(data.shape, quantization, target)
    got = run(func, [data], data.shape, target, dtype, dtype)
    np.testing.assert_array_equal(got, onnx_runtime("QuantizeLinear", [data, scale, zero]))
    func = operators.dequantize(data.shape, quantization, target)
    back = run(func, [got], data.shape, target, dtype)
    np.testing.assert_array_equal(back, onnx_runtime("DequantizeLinear", [got, scale, zero]))


LENGTHS = (1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 40000)


@pytest.mark.slow
@isas
@pytest.mark.parametrize("source", ["uint8", "int8"])
@pytest.mark.parametrize("result", ["uint8", "int8"])
def test_lookup_of_every_number(isa: str, source: str, result: str) -> None:
    """Tables without order, so that every bit of an element counts; odd lengths, and several pieces."""
    target, rng = runnable_target(isa), np.random.default_rng(0)
    table = rng.integers(0, 256, 256, np.uint8).view(result)
    for length in LENGTHS:
        data = rng.permutation(np.resize(np.arange(256, dtype=np.uint8), length)).view(source)
        func = operators.lookup((length,), source, result, target)
        got = run(func, [data, table], (length,), target, (source, result, length), result)
        np.testing.assert_array_equal(got, table[data.astype(int) - np.iinfo(source).min])


def test_lookup_refuses_other_types() -> None:
    with pytest.raises(WorkloadError, match="dtype must be one of uint8, int8, got 'int16'"):
        operators.lookup((4,), "int16", "uint8", runnable_target("portable"))


@isas
@EXAMPLES
@given(
    shape=st.tuples(SIZES, SIZES, SIZES, CHANNELS),
    ones=st.sampled_from([(), (0, 1, 2), (1, 2), (2,)]),
    sources=st.tuples(quantizations(), quantizations()),
    result=quantizations(),
    low=st.sampled_from([-math.inf, 0.0]),
)
def test_multiply(
    isa: str,
    shape: tuple[int, int, int, int],
    ones: tuple[int, ...],
    sources: tuple[QuantizedType, QuantizedType],
    result: QuantizedType,
    low: float,
) -> None:
    """By a tensor of the same shape, and by gates."""
    target = runnable_target(isa)
    other = tuple(1 if axis in ones else size for axis, size in enumerate(shape))
    data, factor = (
        numbers(s, q, seed) for seed, (s, q) in enumerate(zip((shape, other), sources, strict=True))
    )
    func = operators.quantized_multiply(shape, other, sources, result, target, steps=[Clip(low)])
    got = run(func, [data, factor], shape, target, (sources, result, ones), result.dtype)
    product = centered(data, sources[0]) * centered(factor, sources[1])
    scale = np.float32(sources[0].scale) / np.float32(result.scale) * np.float32(sources[1].scale)
    gates = centered(factor, sources[1]).astype(np.float32) * scale  # which are scaled before
    in_turn = centered(data, sources[0]).astype(np.float32) * gates if ones else None
    assert_product(got, product, scale, result, (sources, result), low, math.inf, in_turn)


@isas
@EXAMPLES
@given(shape=st.tuples(SIZES, SIZES, CHANNELS), source=quantizations(), result=quantizations())
def test_affine(isa: str, shape: tuple[int, int, int], source: QuantizedType, result: QuantizedType) -> None:
    target, data, rng = runnable_target(isa), numbers(shape, source), np.random.default_rng(shape[-1])
    scale, shift = (rng.standard_normal(shape[-1], np.float32) for _ in range(2))
    func = operators.quantized_affine(shape, source, result, target, steps=[Clip(low=-1.0)])
    got = run(func, [data, scale, shift], shape, target, (source, result), result.dtype)
    exact = np.maximum(centered(data, source) * source.scale * scale.astype(np.float64) + shift, -1.0)
    low, high = np.iinfo(result.dtype).min, np.iinfo(result.dtype).max
    units = np.abs(got - np.clip(exact / result.scale + result.zero_point, low, high))
    rounding = 2.0**-20 * (np.abs(exact / result.scale).max() + 256)
    assert units.max() < 0.5 + rounding


@pytest.mark.parametrize("other", [(2, 3, 4, 1), (1, 3, 1, 5), (5, 1), (2, 2, 3, 4, 5)])
def test_factors_that_are_no_gates_are_refused(other: tuple[int, ...]) -> None:
    quantized = QuantizedType(0.5, 0, "uint8")
    with pytest.raises(WorkloadError, match="no factor of shape"):
        operators.quantized_multiply(
            (2, 3, 4, 5), other, [quantized] * 2, quantized, runnable_target("portable")
        )


@isas
@EXAMPLES
@given(
    shape=st.tuples(SIZES, SIZES, CHANNELS),
    sources=st.lists(quantizations(), min_size=1, max_size=4),
    result=quantizations(),
    low=st.sampled_from([-math.inf, 0.0]),
    high=st.sampled_from([math.inf, 6.0]),
)
def test_add(
    isa: str,
    shape: tuple[int, int, int],
    sources: list[QuantizedType],
    result: QuantizedType,
    low: float,
    high: float,
) -> None:
    target = runnable_target(isa)
    data = [numbers(shape, source, seed) for seed, source in enumerate(sources)]
    func = operators.quantized_add(shape, sources, result, target, steps=[Clip(low, high)])
    got = run(func, data, shape, target, (sources, result), result.dtype)
    assert_sum(got, data, sources, result, low, high)


@isas
@pytest.mark.parametrize("steps", [[LeakyRelu(0.5)], [Clip(low=-6.0), Hill(), Clip(high=9.0)]])
def test_steps_are_of_real_numbers(isa: str, steps: list[Step]) -> None:
    """Scales are powers of two, so that every number on the way is exact."""
    target, data = runnable_target(isa), np.arange(256, dtype=np.uint8)
    source, result = QuantizedType(0.25, 30, "uint8"), QuantizedType(0.5, 100, "uint8")
    func = operators.quantized_add(data.shape, [source], result, target, steps=steps)
    got = run(func, [data], data.shape, target, steps, "uint8")
    want = numpy_steps(steps, real(data, source).astype(np.float32)) / result.scale
    np.testing.assert_array_equal(got, rounded(want, result, -math.inf, math.inf))


def test_halves_round_to_even() -> None:
    """(a + b) / 2 of all pairs: every other sum is a tie."""
    target = runnable_target("portable")
    one, two = QuantizedType(1.0, 0, "uint8"), QuantizedType(2.0, 0, "uint8")
    first, second = (grid.astype(np.uint8).reshape(-1) for grid in np.mgrid[:256, :256])
    func = operators.quantized_add(first.shape, [one, one], two, target)
    got = run(func, [first, second], first.shape, target, "halves", "uint8")
    np.testing.assert_array_equal(got, np.rint((first.astype(float) + second) / 2))


@pytest.mark.slow
@isas
@EXAMPLES
@given(
    rows=st.integers(1, 40),
    channels=st.lists(CHANNELS, min_size=1, max_size=4),
    result=quantizations(),
    others=st.lists(quantizations(), min_size=4, max_size=4),
    same=st.lists(st.booleans(), min_size=4, max_size=4),
    low=st.sampled_from([-math.inf, 0.0]),
)
def test_concat(
    isa: str,
    rows: int,
    channels: list[int],
    result: QuantizedType,
    others: list[QuantizedType],
    same: list[bool],
    low: float,
) -> None:
    target = runnable_target(isa)
    sources = [result if kept else other for kept, other in zip(same, others, strict=True)][: len(channels)]
    shapes, output = [(rows, count) for count in channels], (rows, sum(channels))
    pairs = enumerate(zip(shapes, sources, strict=True))
    data = [numbers(shape, source, seed) for seed, (shape, source) in pairs]
    func = operators.quantized_concat(shapes, 1, sources, result, target, steps=[Clip(low=low)])
    got = run(func, data, output, target, (shapes, sources, result), result.dtype)
    first = 0
    for values, source in zip(data, sources, strict=True):
        part = got[:, first : first + values.shape[1]]
        scale = np.float32(source.scale) / np.float32(result.scale)
        assert_product(part, centered(values, source), scale, result, (shapes, sources, result), low)
        first += values.shape[1]
    copies = [values.astype("int8") for values in data]
    func = operators.concat(shapes, 1, target, dtype="int8")
    np.testing.assert_array_equal(
        run(func, copies, output, target, shapes, "int8"), np.concatenate(copies, 1)
    )


@pytest.mark.slow
@isas
@settings(max_examples=10)
@given(
    batch=st.sampled_from([1, 2, 17]),
    height=st.integers(1, 9),
    width=st.integers(1, 9),
    channels=CHANNELS,
    dtype=DTYPES,
)
def test_layouts(isa: str, batch: int, height: int, width: int, channels: int, dtype: str) -> None:
    target, shape = runnable_target(isa), (batch, height, width, channels)
    data = numbers(shape, QuantizedType(1.0, 0, dtype))
    moved = np.ascontiguousarray(data.transpose(0, 3, 1, 2))
    to_nchw = operators.nhwc_to_nchw(shape, target, dtype=dtype)
    np.testing.assert_array_equal(run(to_nchw, [data], moved.shape, target, shape, dtype), moved)
    to_nhwc = operators.nchw_to_nhwc(moved.shape, target, dtype=dtype)
    np.testing.assert_array_equal(run(to_nhwc, [moved], shape, target, shape, dtype), data)


@isas
@settings(max_examples=10)
@given(pixels=st.sampled_from([1, 3, 40]), groups=st.integers(1, 9), each=st.integers(1, 70), dtype=DTYPES)
def test_channel_shuffle(isa: str, pixels: int, groups: int, each: int, dtype: str) -> None:
    target, shape = runnable_target(isa), (pixels, groups * each)
    data = numbers(shape, QuantizedType(1.0, 0, dtype))
    func = operators.channel_shuffle(shape, groups, target, dtype=dtype)
    got = run(func, [data], shape, target, (shape, groups), dtype)
    np.testing.assert_array_equal(got, data.reshape(pixels, groups, each).swapaxes(1, 2).reshape(shape))


@pytest.mark.parametrize(
    ("scale", "zero", "dtype", "message"),
    [
        (0.0, 0, "uint8", "scale must be a positive float32"),
        (math.nan, 0, "uint8", "scale must be a positive float32"),
        (1e-60, 0, "int8", "scale must be a positive float32"),
        (1.0, -1, "uint8", "zero point -1 is not in the range of uint8"),
        (1.0, 128, "int8", "zero point 128 is not in the range of int8"),
        (1.0, 0, "int32", "must be one of uint8, int8, got 'int32'"),
    ],
)
def test_parameters_that_are_none_are_refused(scale: float, zero: int, dtype: str, message: str) -> None:
    with pytest.raises(WorkloadError, match=message):
        QuantizedType(scale, zero, dtype)


def test_nothing_is_stored_in_between(tmp_path: Path) -> None:
    """One pass: no operator asks for workspace."""
    target, a = runnable_target("portable"), QuantizedType(0.1, 3, "uint8")
    b, pool = QuantizedType(0.07, -5, "int8"), Pool2d(1, 20, 20, 200, (3, 3), padding=(1, 1, 1, 1))
    shape = pool.input_shape
    cases = {
        "add": (operators.quantized_add(shape, [a, a], b, target), [shape, shape], shape),
        "pool": (operators.quantized_avg_pool2d(pool, a, b, target), [shape], shape),
        "global": (operators.quantized_global_avg_pool2d(shape, a, b, target), [shape], (1, 1, 1, 200)),
        "concat": (
            operators.quantized_concat([shape, shape], 3, [a, a], b, target),
            [shape] * 2,
            (1, 20, 20, 400),
        ),
    }
    executable = Compiled({name: func for name, (func, _, _) in cases.items()}, target)
    for name, (_, inputs, output) in cases.items():
        arrays = [np.zeros(each, np.uint8) for each in inputs]
        assert allocated_bytes(executable, name, [*arrays, np.zeros(output, np.int8)], tmp_path) == 0, name


def test_large_tensors_on_two_threads() -> None:
    """Enough of them that the loops are parallel."""
    target, shape = runnable_target("portable"), (1, 57, 57, 250)
    a, b = QuantizedType(0.037, 131, "uint8"), QuantizedType(0.051, -128, "int8")
    first, second = numbers(shape, a), numbers(shape, b, 1)
    add = operators.quantized_add(shape, [a, b], a, target)
    got = with_threads(2, lambda: run(add, [first, second], shape, target, "add", "uint8"))
    assert_sum(got, [first, second], [a, b], a, -math.inf, math.inf)
    joined = (1, 57, 57, 500)
    concat = operators.quantized_concat([shape] * 2, 3, [a, b], b, target)
    got = with_threads(2, lambda: run(concat, [first, second], joined, target, "concat", "int8"))
    assert_product(got[..., :250], centered(first, a), np.float32(a.scale) / np.float32(b.scale), b, "concat")
    np.testing.assert_array_equal(got[..., 250:], second)
    pool = operators.max_pool2d(Pool2d(*shape, (2, 2)), target, dtype="uint8")
    got = with_threads(2, lambda: run(pool, [first], (1, 56, 56, 250), target, "max", "uint8"))
    taps = [first[:, y : y + 56, x : x + 56] for y in (0, 1) for x in (0, 1)]
    np.testing.assert_array_equal(got, np.max(taps, 0))
    assert all("T.parallel" in str(func) for func in (add, concat, pool))


# Instructions that handle one lane: their presence means that a vector was taken apart.
LANE_BY_LANE = {
    "llvm -mtriple=x86_64-linux-gnu -mcpu=znver5": r"v?p(extr|insr)[bwd]\s|v?cvtsi2ss|v?roundss",
    "llvm -mtriple=x86_64-linux-gnu -mcpu=haswell": r"v?p(extr|insr)[bwd]\s|v?cvtsi2ss|v?roundss",
    "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a57": r"umov|smov|scvtf\ts|ins\tv",
    "llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr9": r"vextub|vinsertb|xscvsxdsp|xsrdpi",
}
SATURATING = {
    "llvm -mtriple=x86_64-linux-gnu -mcpu=znver5": "vpmovuswb",
    "llvm -mtriple=x86_64-linux-gnu -mcpu=haswell": "vpackuswb",
    "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a57": "sqxtun",
    "llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr9": "vpkuhum",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LANE_BY_LANE)
def test_code_stays_in_vectors(name: str) -> None:
    target, shape = resolve_target(name), (1, 8, 8, 192)
    a, b = QuantizedType(0.037, 131, "uint8"), QuantizedType(0.051, -128, "int8")
    pool = Pool2d(*shape, (3, 3))
    functions = {
        "add": operators.quantized_add(shape, [a, b], a, target),
        "average": operators.quantized_avg_pool2d(pool, a, a, target),
        "mean": operators.quantized_global_avg_pool2d(shape, a, a, target),
        "concat": operators.quantized_concat([shape] * 2, 3, [a, b], a, target),
    }
    for kind, func in functions.items():
        module = tvm.IRModule({kind: func.with_attr("global_symbol", kind)})
        code = tvm.compile(module, target.tvm_target).mod.inspect_source("asm")
        code = code.split(f"\n{kind}_compute_:")[1].split("func_end")[0]  # without the checks of arguments
        assert SATURATING[name] in code, f"{kind}: narrowed some other way"
        found = re.search(LANE_BY_LANE[name], code)
        assert found is None, f"{kind}: {found}"


def _range(quantization: QuantizedType) -> tuple[int, int]:
    return quantization.smallest, quantization.largest
