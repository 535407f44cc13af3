"""Operators of quantized networks compiled for Arm and POWER and run under emulation, against numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from emulation import CPUS, EmulatedCpu, Library
from quantized_numbers import (
    assert_product,
    assert_sum,
    centered,
    mean_scale,
    normalized,
    numbers,
    window_sums,
)

from intrinsics.epilogue import Clip
from tvm_directconv import operators
from tvm_directconv.operators import Pool2d, QuantizedType

pytestmark = pytest.mark.emulated

MAP = (1, 7, 9, 53)
POOL = Pool2d(*MAP, (3, 3), (2, 1), (1, 1, 1, 1))
UNSIGNED, SIGNED = QuantizedType(0.037, 131, "uint8"), QuantizedType(0.051, -128, "int8")
RESULTS = (QuantizedType(0.043, 0, "uint8"), QuantizedType(0.06, 127, "int8"))


@pytest.fixture(scope="module", params=["cortex-a57", "power9", "power10", "rvv"])
def library(request: pytest.FixtureRequest) -> Library:
    cpu: EmulatedCpu = CPUS[request.param]
    target, functions = cpu.target, {}
    for result in RESULTS:
        made = {
            "quantize": operators.quantize(MAP, result, target),
            "lookup": operators.lookup(MAP, "int8", result.dtype, target),
            "affine": operators.quantized_affine(MAP, UNSIGNED, result, target),
            "multiply": operators.quantized_multiply(MAP, MAP[-1:], [UNSIGNED, SIGNED], result, target),
            "add": operators.quantized_add(MAP, [UNSIGNED, SIGNED], result, target, steps=[Clip(low=-1.0)]),
            "average": operators.quantized_avg_pool2d(POOL, UNSIGNED, result, target),
            "mean": operators.quantized_global_avg_pool2d(MAP, SIGNED, result, target),
            "concat": operators.quantized_concat([MAP, MAP], 3, [UNSIGNED, result], result, target),
            "lrn": operators.lrn(MAP, 5, target, alpha=0.01, source=UNSIGNED, result=result),
        }
        functions |= {f"{name}_{result.dtype}": func for name, func in made.items()}
    for dtype in ("uint8", "int8"):
        functions[f"largest_{dtype}"] = operators.max_pool2d(POOL, target, dtype=dtype)
        functions[f"shuffle_{dtype}"] = operators.channel_shuffle((9, 212), 4, target, dtype=dtype)
        functions[f"moved_{dtype}"] = operators.nhwc_to_nchw(MAP, target, dtype=dtype)
    return Library(cpu, functions)


def call(library: Library, name: str, dtype: str, shape: tuple[int, ...], *inputs: np.ndarray) -> np.ndarray:
    return library.call(f"{name}_{dtype}", [*inputs, np.zeros(shape, dtype)]).tensors[-1]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.dtype)
def test_numbers(library: Library, result: QuantizedType) -> None:
    unsigned, signed, dtype = numbers(MAP, UNSIGNED), numbers(MAP, SIGNED), result.dtype
    real = np.random.default_rng(0).standard_normal(MAP, np.float32) * np.float32(5)
    want = np.clip(
        np.rint(real / np.float32(result.scale)) + result.zero_point, result.smallest, result.largest
    )
    np.testing.assert_array_equal(call(library, "quantize", dtype, MAP, real), want)
    ratio = np.float32(UNSIGNED.scale) / np.float32(result.scale)
    table = np.random.default_rng(1).permutation(np.arange(256, dtype=np.uint8)).view(dtype)
    got = call(library, "lookup", dtype, MAP, signed, table)
    np.testing.assert_array_equal(got, table[signed.astype(int) + 128])
    scale, shift = np.linspace(-1, 2, 53, dtype=np.float32), np.linspace(3, -3, 53, dtype=np.float32)
    got = call(library, "affine", dtype, MAP, unsigned, scale, shift)
    exact = (centered(unsigned, UNSIGNED) * UNSIGNED.scale * scale + shift) / result.scale + result.zero_point
    assert np.abs(got - np.clip(exact, result.smallest, result.largest)).max() < 0.501
    gate = signed.reshape(-1)[:53]
    got = call(library, "multiply", dtype, MAP, unsigned, gate)
    product = centered(unsigned, UNSIGNED) * centered(gate, SIGNED)
    assert_product(got, product, ratio * np.float32(SIGNED.scale), result, "multiply")
    got = call(library, "add", dtype, MAP, unsigned, signed)
    assert_sum(got, [unsigned, signed], [UNSIGNED, SIGNED], result, -1.0, math.inf)
    joined = call(library, "concat", dtype, (*MAP[:3], 106), unsigned, want.astype(dtype))
    assert_product(joined[..., :53], centered(unsigned, UNSIGNED), ratio, result, "concat")
    np.testing.assert_array_equal(joined[..., 53:], want)
    got = call(library, "lrn", dtype, MAP, unsigned)
    exact = normalized(unsigned, UNSIGNED, 5, 0.01, 0.75, 1.0) / result.scale + result.zero_point
    assert np.abs(got - np.clip(exact, result.smallest, result.largest)).max() < 0.501


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.dtype)
def test_pooling(library: Library, result: QuantizedType) -> None:
    unsigned, signed, dtype = numbers(MAP, UNSIGNED), numbers(MAP, SIGNED), result.dtype
    got = call(library, "average", dtype, POOL.output_shape, unsigned)
    _, sums, counted = window_sums(POOL, unsigned, UNSIGNED)
    assert_product(got, sums, mean_scale(UNSIGNED, result, counted), result, "average")
    got = call(library, "mean", dtype, (1, 1, 1, 53), signed)
    sums = centered(signed, SIGNED).sum((1, 2), keepdims=True)
    assert_product(got, sums, mean_scale(SIGNED, result, np.array(63)), result, "mean")


@pytest.mark.parametrize("quantized", [UNSIGNED, SIGNED], ids=lambda quantized: quantized.dtype)
def test_moved_and_compared_bytes(library: Library, quantized: QuantizedType) -> None:
    data, dtype = numbers(MAP, quantized), quantized.dtype
    got = call(library, "largest", dtype, POOL.output_shape, data)
    np.testing.assert_array_equal(got, window_sums(POOL, data, quantized)[0])
    got = call(library, "moved", dtype, (1, 53, 7, 9), data)
    np.testing.assert_array_equal(got, data.transpose(0, 3, 1, 2))
    rows = numbers((9, 212), quantized)
    got = call(library, "shuffle", dtype, (9, 212), rows)
    np.testing.assert_array_equal(got, rows.reshape(9, 4, 53).swapaxes(1, 2).reshape(9, 212))
