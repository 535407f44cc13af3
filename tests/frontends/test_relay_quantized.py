"""Relay's quantized operators: in integers by numpy, and through the kernels of 8-bit layers.

Sums in int32 are exact in both; a requantization rounds a product of two scales, so that its results may
differ by one where the product lies half-way between two integers. The scales here make few such products.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from graph_support import operators
from relay_case_support import nhwc
from relay_support import compiled, meaning, program

import tvm_directconv as directconv
from relay_strategies.frontends.relay.converters import CONVERTERS
from tvm_directconv import from_relay
from tvm_directconv.errors import ModelError
from tvm_directconv.runtime.compiled_model import CompiledModel

RNG = np.random.default_rng(7)
DATA = RNG.integers(0, 256, (1, 8, 10, 10)).astype(np.uint8)
SIGNED = RNG.integers(-128, 128, (1, 8, 10, 10)).astype(np.int8)
WEIGHT = RNG.integers(-127, 128, (16, 8, 3, 3)).astype(np.int8)
DEPTHWISE = RNG.integers(-127, 128, (8, 1, 3, 3)).astype(np.int8)
POSITIVE = RNG.integers(0, 256, (16, 8, 1, 1)).astype(np.uint8)
ROWS = RNG.integers(0, 256, (3, 20)).astype(np.uint8)
MATRIX = RNG.integers(-127, 128, (7, 20)).astype(np.int8)
BIAS = RNG.integers(-9000, 9000, 16).astype(np.int32)
SCALES = RNG.uniform(0.005, 0.02, 16).astype(np.float32)
UNITS = (SCALES * np.float32(0.05)).astype(np.float32)


def convolved(
    data: np.ndarray, weight: np.ndarray, zero: int = 0, weight_zero: int = 0, pad: int = 0, groups: int = 1
) -> np.ndarray:
    """NCHW sums in int32, padded with the zero point."""
    shifted = np.pad(data.astype(np.int64) - zero, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    filters = weight.astype(np.int64) - weight_zero
    windows = np.lib.stride_tricks.sliding_window_view(shifted, filters.shape[2:], axis=(2, 3))
    channels, outputs = data.shape[1] // groups, weight.shape[0] // groups
    parts = [
        np.einsum(
            "nchwkl,ockl->nohw",
            windows[:, g * channels : (g + 1) * channels],
            filters[g * outputs : (g + 1) * outputs],
        )
        for g in range(groups)
    ]
    return np.concatenate(parts, axis=1).astype(np.int32)


def quantized(reals: np.ndarray, scale: float, zero: int, dtype: str) -> np.ndarray:
    limits = np.iinfo(dtype)
    return np.clip(np.rint(reals / np.float32(scale)) + zero, limits.min, limits.max).astype(dtype)


def reals(stored: np.ndarray, scale: float, zero: int) -> np.ndarray:
    return (stored.astype(np.float64) - zero) * np.float32(scale)


def per_channel(vector: np.ndarray) -> np.ndarray:
    return vector.reshape(1, -1, 1, 1)


Case = tuple[str, dict[str, np.ndarray], dict[str, np.ndarray], np.ndarray]
"""Body, inputs, parameters, value."""


def layers() -> dict[str, Case]:
    sums = convolved(DATA, WEIGHT, 128, pad=1)
    conv = (
        "qnn.conv2d(%x, %w, 128, 0, 0.05f, %s, padding=[1, 1], channels=16, kernel_size=[3, 3], "
        'out_dtype="int32")'
    )
    tensors = {"w": WEIGHT, "s": SCALES, "b": BIAS, "u": UNITS}
    x = {"x": DATA}
    biased = sums + per_channel(BIAS)
    return {
        "sums": (conv, x, tensors, sums),
        "biased sums": (f"nn.bias_add({conv}, %b)", x, tensors, biased),
        "requantized": (
            f'qnn.requantize({conv}, %u, 0, 0.1f, 100, axis=1, out_dtype="uint8")',
            x,
            tensors,
            quantized(sums * per_channel(UNITS).astype(np.float64), 0.1, 100, "uint8"),
        ),
        "biased, one scale": (
            f'qnn.requantize(nn.bias_add({conv}, %b), 0.0005f, 0, 0.1f, -3, rounding="TONEAREST", '
            'out_dtype="int8")',
            x,
            tensors,
            quantized(reals(biased, 0.0005, 0), 0.1, -3, "int8"),
        ),
        "bias by add": (
            f"qnn.requantize(add({conv}, expand_dims(%b, axis=1, num_newaxis=2)), %u, 0, 0.1f, 0, axis=1)",
            x,
            tensors,
            quantized(biased * per_channel(UNITS).astype(np.float64), 0.1, 0, "int8"),
        ),
        "with ReLU of the sums": (
            f"qnn.requantize(nn.relu(nn.bias_add({conv}, %b)), %u, 0, 0.1f, -128, axis=1)",
            x,
            tensors,
            quantized(np.maximum(biased, 0) * per_channel(UNITS).astype(np.float64), 0.1, -128, "int8"),
        ),
        "dequantized": (
            f"qnn.dequantize(nn.bias_add({conv}, %b), %u, 0, axis=1)",
            x,
            tensors,
            (biased * per_channel(UNITS)).astype(np.float32),
        ),
        "signed data": (
            'qnn.requantize(qnn.conv2d(%x, %w, -5, 0, 0.05f, 0.01f, out_dtype="int32"), 0.0005f, 0, 0.1f, 7)',
            {"x": SIGNED},
            {"w": WEIGHT},
            quantized(reals(convolved(SIGNED, WEIGHT, -5), 0.0005, 0), 0.1, 7, "int8"),
        ),
        "unsigned weight": (
            "qnn.requantize(qnn.conv2d(%x, %w, 100, 130, 0.05f, 0.01f), 0.0005f, 0, 0.1f, 90, "
            'out_dtype="uint8")',
            x,
            {"w": POSITIVE},
            quantized(reals(convolved(DATA, POSITIVE, 100, 130), 0.0005, 0), 0.1, 90, "uint8"),
        ),
        "depthwise": (
            "qnn.requantize(qnn.conv2d(%x, %w, 128, 0, 0.05f, 0.01f, groups=8), 0.0005f, 0, 0.1f, 0)",
            x,
            {"w": DEPTHWISE},
            quantized(reals(convolved(DATA, DEPTHWISE, 128, groups=8), 0.0005, 0), 0.1, 0, "int8"),
        ),
        "NHWC, padded before": (
            "%0 = nn.pad(%x, 128f, pad_width=[[0, 0], [1, 1], [1, 1], [0, 0]]);"
            '%1 = qnn.conv2d(%0, %w, 128, 0, 0.05f, %s, data_layout="NHWC", kernel_layout="HWIO");'
            "%2 = nn.bias_add(%1, %b, axis=3); qnn.requantize(%2, %u, 0, 0.1f, 4, axis=3)",
            {"x": nhwc(DATA)},
            tensors | {"w": np.ascontiguousarray(WEIGHT.transpose(2, 3, 1, 0))},
            nhwc(quantized(biased * per_channel(UNITS).astype(np.float64), 0.1, 4, "int8")),
        ),
        "dense": (
            '%0 = qnn.dense(%x, %w, 120, 0, 0.05f, %s, units=7, out_dtype="int32"); '
            "%1 = nn.bias_add(%0, %b); qnn.requantize(%1, %u, 0, 0.3f, 2, axis=1)",
            {"x": ROWS},
            {"w": MATRIX, "s": SCALES[:7], "b": BIAS[:7], "u": UNITS[:7]},
            quantized(
                ((ROWS.astype(np.int64) - 120) @ MATRIX.T.astype(np.int64) + BIAS[:7])
                * UNITS[:7].astype(np.float64),
                *(0.3, 2, "int8"),
            ),
        ),
        "nn.conv2d of integers": (
            'nn.conv2d(%x, %w, padding=[1, 1], out_dtype="int32")',
            {"x": SIGNED},
            {"w": WEIGHT},
            convolved(SIGNED, WEIGHT, pad=1),
        ),
    }


def products() -> dict[str, Case]:
    """Layers that become several, or products of tensors that are both known at run time."""
    columns = RNG.integers(0, 256, (2, 3, 20)).astype(np.uint8)
    others = RNG.integers(-128, 128, (2, 5, 20)).astype(np.int8)
    sums = (columns.astype(np.int64) - 100) @ (others.astype(np.int64) - 3).transpose(0, 2, 1)
    product = "qnn.batch_matmul(%m, %n, 100, 3, 0.05f, 0.02f)"
    spread = np.zeros((1, 8, 21, 21), np.int64)  # the map with zeros between its elements, and around
    spread[:, :, 1:20:2, 1:20:2] = DATA.astype(np.int64) - 128
    turned = WEIGHT.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
    kernel = np.ascontiguousarray(turned.astype(np.int8))
    transposed = convolved(spread, WEIGHT)
    body = (
        "qnn.conv2d_transpose(%x, %k, 128, 0, 0.05f, 0.02f, strides=[2, 2], padding=[1, 1], channels=16, "
        'kernel_size=[3, 3], kernel_layout="IOHW")'
    )
    x = {"x": DATA}
    requantized = 'qnn.requantize({}, 0.001f, 0, {}f, 7, out_dtype="int8")'
    return {
        "qnn.batch_matmul": (product, {"m": columns, "n": others}, {}, sums.astype(np.int32)),
        "qnn.batch_matmul, requantized": (
            requantized.format(product, 0.7),
            {"m": columns, "n": others},
            {},
            quantized(reals(sums, 0.001, 0), 0.7, 7, "int8"),
        ),
        "qnn.conv2d_transpose": (body, x, {"k": kernel}, transposed),
        "qnn.conv2d_transpose, requantized": (
            requantized.format(body, 0.9),
            x,
            {"k": kernel},
            quantized(reals(transposed, 0.001, 0), 0.9, 7, "int8"),
        ),
        "qnn.conv2d_transpose, NHWC": (
            body.replace("%x", "%xh").replace('"IOHW"', '"IOHW", data_layout="NHWC"'),
            {"xh": nhwc(DATA)},
            {"k": kernel},
            nhwc(transposed),
        ),
    }


def operations() -> dict[str, Case]:
    a, b = DATA, DATA[:, ::-1].copy()
    ra, rb = reals(a, 0.0517, 128), reals(b, 0.0213, 7)
    two = {"a": a, "b": b}
    operands = "%a, %b, 0.0517f, 128, 0.0213f, 7, 0.0831f, 100"
    x = ra.astype(np.float32)
    joined = np.concatenate([ra, rb], axis=1)
    pooled = a.reshape(1, 8, 5, 2, 5, 2)
    whole = a.astype(np.int64).sum((2, 3), keepdims=True) // 100
    return {
        "qnn.quantize": (
            'qnn.quantize(%x, 0.1f, 3, out_dtype="int8")',
            {"x": x},
            {},
            quantized(x, 0.1, 3, "int8"),
        ),
        "qnn.quantize, channels": (
            'qnn.quantize(%x, %s, 3, out_dtype="uint8", axis=1)',
            {"x": x},
            {"s": SCALES[:8] * np.float32(10)},
            quantized(x / per_channel(SCALES[:8] * np.float32(10)), 1, 3, "uint8"),
        ),
        "qnn.dequantize": ("qnn.dequantize(%a, 0.0517f, 128)", {"a": a}, {}, x),
        "qnn.dequantize, channels": (
            "qnn.dequantize(%a, %s, 9, axis=1)",
            {"a": a},
            {"s": SCALES[:8]},
            ((a.astype(np.float32) - 9) * per_channel(SCALES[:8])).astype(np.float32),
        ),
        "qnn.requantize": (
            'qnn.requantize(%a, 0.0517f, 128, 0.07f, 3, out_dtype="int8")',
            {"a": a},
            {},
            quantized(ra, 0.07, 3, "int8"),
        ),
        "qnn.requantize, int32": (
            'qnn.requantize(%a, 0.0517f, 128, 0.0007f, 11, out_dtype="int32")',
            {"a": a},
            {},
            (np.rint(ra / np.float32(0.0007)) + 11).astype(np.int32),
        ),
        "qnn.add": (f"qnn.add({operands})", two, {}, quantized(ra + rb, 0.0831, 100, "uint8")),
        "qnn.subtract": (f"qnn.subtract({operands})", two, {}, quantized(ra - rb, 0.0831, 100, "uint8")),
        "qnn.mul": (f"qnn.mul({operands})", two, {}, quantized(ra * rb, 0.0831, 100, "uint8")),
        "qnn.concatenate": (
            "qnn.concatenate((%a, %b), (0.0517f, 0.0213f), (128, 7), 0.0619f, 90, axis=1)",
            two,
            {},
            quantized(joined, 0.0619, 90, "uint8"),
        ),
        "qnn.sigmoid": (
            "qnn.sigmoid(%a, 0.0517f, 128, 0.004f, 0)",
            {"a": a},
            {},
            quantized(1 / (1 + np.exp(-ra)), 0.004, 0, "uint8"),
        ),
        "qnn.tanh": (
            "qnn.tanh(%a, 0.0517f, 128, 0.008f, 120)",
            {"a": a},
            {},
            quantized(np.tanh(ra), 0.008, 120, "uint8"),
        ),
        **{
            f"qnn.{name}": (
                f"qnn.{name}(%a, 0.0517f, {zero}, {scale}f, 20)",
                {"a": np.maximum(a, 1)},
                {},
                quantized(function(reals(np.maximum(a, 1), 0.0517, zero)), scale, 20, "uint8"),
            )
            for name, function, zero, scale in (
                ("abs", np.abs, 128, 0.03),
                ("erf", np.vectorize(math.erf), 128, 0.009),
                ("exp", np.exp, 200, 0.1),
                ("log", np.log, 0, 0.021),
                ("rsqrt", lambda v: 1 / np.sqrt(v), 0, 0.019),
                ("sqrt", np.sqrt, 0, 0.017),
                ("hardswish", lambda v: v * np.clip(v + 3, 0, 6) / 6, 128, 0.031),
            )
        },
        "qnn.softmax": (
            "qnn.softmax(%a, 0.0517f, 128, 0.0041f, 0, axis=1)",
            {"a": a},
            {},
            quantized(np.exp(ra) / np.exp(ra).sum(1, keepdims=True), 0.0041, 0, "uint8"),
        ),
        "qnn.leaky_relu": (
            "qnn.leaky_relu(%a, 0.0517f, 128, 0.0619f, 50, alpha=0.2f)",
            {"a": a},
            {},
            quantized(np.where(ra > 0, ra, ra * 0.2), 0.0619, 50, "uint8"),
        ),
        "qnn.avg_pool2d": (
            "qnn.avg_pool2d(%a, 0.0517f, 128, 0.0619f, 120, pool_size=[2, 2], strides=[2, 2])",
            {"a": a},
            {},
            quantized(reals(pooled, 0.0517, 128).mean((3, 5)), 0.0619, 120, "uint8"),
        ),
        "average of integers": (
            '%0 = cast(%a, dtype="int32"); %1 = nn.avg_pool2d(%0, pool_size=[2, 2], strides=[2, 2]); '
            'cast(%1, dtype="uint8")',
            {"a": a},
            {},
            (pooled.astype(np.int64).sum((3, 5)) // 4).astype(np.uint8),
        ),
        "average of integers over the map": (
            '%0 = cast(%a, dtype="int32"); %1 = nn.global_avg_pool2d(%0); cast(%1, dtype="uint8")',
            {"a": a},
            {},
            whole.astype(np.uint8),
        ),
        "maximum of integers": (
            "nn.max_pool2d(%a, pool_size=[2, 2], strides=[2, 2])",
            {"a": a},
            {},
            pooled.max((3, 5)),
        ),
    }


def check(found: np.ndarray, expected: np.ndarray) -> None:
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
        return
    difference = np.abs(found.astype(np.int64) - expected.astype(np.int64))
    allowed = 0 if expected.dtype == np.int32 else 1
    assert difference.max() <= allowed and (difference > 0).mean() < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("run", [meaning, compiled], ids=["plain TVM", "this library"])
@pytest.mark.parametrize("name", layers())
def test_layers(name: str, run: Callable[..., list[np.ndarray]]) -> None:
    body, inputs, params, expected = layers()[name]
    (found,) = run(body, inputs, params)
    check(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("run", [meaning, compiled], ids=["plain TVM", "this library"])
@pytest.mark.parametrize("name", {**operations(), **products()})
def test_operations(name: str, run: Callable[..., list[np.ndarray]]) -> None:
    body, inputs, params, expected = {**operations(), **products()}[name]
    (found,) = run(body, inputs, params)
    check(found, expected)


@pytest.mark.parametrize("name", layers())
def test_no_layer_is_computed_in_floats(name: str) -> None:
    body, inputs, params, _ = layers()[name]
    model = directconv.compile(program(body, {**inputs, **params}), params=params)
    (layer,) = model.report().layers
    assert layer.kind in ("qconv2d", "qdense")
    assert not [kernel for kernel in model.report().other_kernels if "conv" in kernel or "matmul" in kernel]


# ---- a network


NETWORK = """
  %0 = qnn.quantize(%x, 0.03f, 128, out_dtype="uint8");
  %1 = qnn.conv2d(%0, %w1, 128, 0, 0.03f, %s1,
                  padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3], out_dtype="int32");
  %2 = nn.bias_add(%1, %b1);
  %3 = qnn.requantize(%2, %u1, 0, 0.05f, 100, axis=1, out_dtype="uint8");
  %4 = clip(%3, a_min=0f, a_max=255f);
  %5 = nn.max_pool2d(%4, pool_size=[2, 2], strides=[2, 2]);
  %6 = qnn.conv2d(%5, %w2, 100, 127, 0.05f, 0.01f, channels=16, kernel_size=[1, 1], out_dtype="int32");
  %7 = qnn.requantize(%6, 0.0005f, 0, 0.06f, 120, out_dtype="uint8");
  %8 = qnn.add(%5, %7, 0.05f, 100, 0.06f, 120, 0.08f, 110);
  %9 = qnn.concatenate((%8, %7), (0.08f, 0.06f), (110, 120), 0.08f, 115, axis=1);
  %10 = nn.global_max_pool2d(%9);
  %11 = nn.batch_flatten(%10);
  %12 = qnn.dense(%11, %w3, 115, 0, 0.08f, 0.02f, units=10, out_dtype="int32");
  %13 = nn.bias_add(%12, %b3);
  %14 = qnn.requantize(%13, 0.0016f, 0, 0.3f, 5, out_dtype="int8");
  qnn.dequantize(%14, 0.3f, 5)
"""  # fmt: skip


def network() -> tuple[CompiledModel, np.ndarray, dict[str, np.ndarray]]:
    x = RNG.standard_normal((1, 8, 10, 10)).astype(np.float32)
    params = {
        **{"w1": WEIGHT, "b1": BIAS, "s1": SCALES, "u1": (SCALES * np.float32(0.03)).astype(np.float32)},
        "w2": RNG.integers(0, 256, (16, 16, 1, 1)).astype(np.uint8),
        "w3": RNG.integers(-127, 128, (10, 32)).astype(np.int8),
        "b3": BIAS[:10],
    }
    return directconv.compile(program(NETWORK, {"x": x, **params}), params=params), x, params


def test_a_quantized_network_has_no_float_layer_left() -> None:
    model, x, params = network()
    assert [layer.kind for layer in model.report().layers] == ["qconv2d", "qconv2d", "qdense"]
    others = model.report().other_kernels
    assert others == {
        **{"quantize": 1, "nchw_to_nhwc": 1, "max_pool2d": 1, "qadd": 1, "qconcat": 1},
        **{"global_max_pool2d": 1, "dequantize": 1},
    }
    (found,), (expected,) = model.run(x), meaning(NETWORK, {"x": x}, params)
    assert np.abs(found - expected).max() <= 2 * np.float32(0.3)


def test_the_migrated_network_has_the_operators_it_means() -> None:
    _, x, params = network()
    counts = operators(from_relay(program(NETWORK, {"x": x, **params}), params))
    assert counts["nn.conv2d"] == 2 and counts["matmul"] == 1 and counts["quantize"] == 6
    assert counts["astype"] == 0  # of sums that no one asked for as integers


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("qnn.conv2d(%x, %x, 0, 0, 1f, 1f)", "the weight must be a constant|is for 10"),
        ("qnn.conv2d(%x, %w, 0, 0, 1f, %s)", "2 scales for 16 channels"),
        ("qnn.conv2d(%x, %w, 0, 0, -1f, 1f)", "a scale is not positive"),
        ('qnn.conv2d(%x, %w, 0, 0, 1f, 1f, out_dtype="int64")', "out_dtype 'int64' is not supported"),
        ("qnn.quantize(%x, %s, 0, axis=1)", "2 scales for axis 1, which is 8"),
        ("qnn.dequantize(%f, 1f, 0)", "data is float32, integers are expected"),
        ("qnn.add(%x, %x, %s, 0, 1f, 0, 1f, 0)", "2 scales where one is supported"),
        ("qnn.concatenate((%x, %x), (1f,), (0, 0), 1f, 0)", "2 tensors, 1 scales, 2 zero points"),
        ("qnn.requantize(%x, mean(%x), 0, 1f, 0)", ""),
    ],
)
def test_quantization_that_makes_no_sense(body: str, message: str) -> None:
    arrays = {"x": DATA, "w": WEIGHT, "s": SCALES[:2], "f": np.ones(3, np.float32)}
    text = program(body, arrays)
    params = {name: arrays[name] for name in ("w", "s", "f")}
    with pytest.raises(ModelError) as caught:
        from_relay(text, params)
    assert re.search(message, str(caught.value)) and "line 3, column 3: qnn." in str(caught.value)


# ---- relay.quantize, realized

REALIZED = """
  %0 = clip(round(multiply(%x, 32f)), a_min=-127f, a_max=127f);
  %1 = cast(%0, dtype="int8");
  %2 = nn.conv2d(%1, %w, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3], out_dtype="int32");
  %3 = nn.relu(add(%2, %b));
  %4 = cast(clip(right_shift(add(%3, 128), 8), a_min=-127f, a_max=127f), dtype="int8");
  %5 = annotation.stop_fusion(%4);
  %6 = nn.conv2d(%5, %v, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3], out_dtype="int32");
  %7 = clip(fixed_point_multiply(%6, multiplier=1518500250, shift=-9), a_min=-127f, a_max=127f);
  %8 = annotation.cast_hint(cast(%7, dtype="int8"), dtype="int8");
  %9 = clip(add(cast(%5, dtype="int32"), cast(%8, dtype="int32")), a_min=-127f, a_max=127f);
  multiply(cast(cast(%9, dtype="int8"), dtype="float32"), 0.03125f)
"""


def test_a_realized_network_is_computed_in_8_bits_bit_by_bit() -> None:
    x = RNG.standard_normal((1, 8, 10, 10)).astype(np.float32)
    params = {
        "w": WEIGHT,
        "b": BIAS.reshape(16, 1, 1),
        "v": RNG.integers(-127, 128, (16, 16, 3, 3)).astype(np.int8),
    }
    bytes_of = np.clip(np.trunc(x * 32 + np.copysign(0.5, x)), -127, 127).astype(np.int8)
    first = np.maximum(convolved(bytes_of, WEIGHT, pad=1) + params["b"], 0)
    stored = np.clip((first + 128) >> 8, -127, 127)
    second = convolved(stored.astype(np.int8), params["v"], pad=1).astype(np.int64)
    scaled = np.clip((second * 1518500250 + 2**39) >> 40, -127, 127)
    expected = (np.clip(stored + scaled, -127, 127) / 32).astype(np.float32)
    np.testing.assert_array_equal(compiled(REALIZED, {"x": x}, params)[0], expected)
    model = directconv.compile(program(REALIZED, {"x": x, **params}), params=params)
    assert [layer.kind for layer in model.report().layers] == ["qconv2d", "qconv2d"]


def test_every_quantized_operator_has_a_case() -> None:
    bodies = " ".join(body for body, *_ in (*layers().values(), *operations().values(), *products().values()))
    names = {name for name in CONVERTERS if name.startswith("qnn.")}
    assert names <= set(re.findall(r"qnn\.\w+", bodies))
