"""Networks by blocks of rows: the same bits as without, in no more memory than is said.

Blocks are made as small as they can be, so that small networks have all kinds of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_support import Linked
from cpu_support import KNOWN
from graph_support import draw, inputs_of
from onnx import ModelProto
from reference import run_onnx_runtime
from support import assert_matches, with_threads

import tvm_directconv as directconv
from relay_strategies.passes.rows import choice
from tvm_directconv.errors import ModelError, WorkloadError
from tvm_directconv.targets import llvm
from tvm_directconv.targets.native import host_features
from tvm_directconv.zoo.drawing import Drawing, Tensor
from tvm_directconv.zoo.own import unet
from tvm_directconv.zoo.quantized import quantized


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(choice.SIZES, choice.LEAST, [(1 << 20, 0.0), (16, 0.5)])


def grouped(d: Drawing, x: Tensor, kernel: int, stride: int) -> Tensor:
    """A depthwise convolution."""
    operands = [x, d._filter(x.channels, 1, kernel, kernel), d._normal(x.channels, deviation=0.1)]
    attributes = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [kernel // 2] * 4}
    return d.node("Conv", operands, x.channels, group=x.channels, **attributes)


def resized(d: Drawing, x: Tensor) -> Tensor:
    scales = np.array([1, 1, 2, 2], np.float32)
    modes = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return d.node("Resize", [x, None, scales], x.channels, mode="nearest", **modes)


def small(batch: int = 1) -> ModelProto:
    """An expansion, a depthwise layer with stride, and a projection with a residual."""
    d = Drawing("small", 2, 0)
    x = d.relu(grouped(d, d.convolution(d.input("x", (batch, 5, 17, 13)), 24, 1), 3, 2))
    x = d.convolution(x, 8, 1)
    return d.model(d.add(x, d.convolution(x, 8, 3)))


def residuals(batch: int = 1) -> ModelProto:
    """Inverted residuals at an odd size, with stride and without, behind a convolution of the image."""
    d = Drawing("residuals", 2, 1)
    x = d.relu(d.convolution(d.input("x", (batch, 3, 53, 47)), 8, 3, 2))
    for channels, stride in ((12, 2), (12, 1), (12, 1)):
        wide = d.relu(grouped(d, d.relu(d.convolution(x, 4 * x.channels, 1)), 3, stride))
        y = d.convolution(wide, channels, 1)
        x = d.add(x, y) if stride == 1 else y
    return d.model(d.classified(x, 5))


def pools() -> ModelProto:
    """Pools with padding and without, element-wise operators by themselves, and two results."""
    d = Drawing("pools", 2, 2)
    x = d.silu(d.convolution(d.input("x", (1, 3, 41, 37)), 20, 5, 1))
    x = d.largest(x, 3, 2, 1)
    mean = d.node("AveragePool", [x], x.channels, kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4)
    y = d.node("Sigmoid", [d.add(mean, x)], x.channels)
    return d.model(d.convolution(y, 4, 3, 2), y)


def scaled(batch: int) -> ModelProto:
    """Channels scaled by what the means of each image say, and a result that is needed whole before."""
    d = Drawing("scaled", 2, 4)
    x = d.relu(d.convolution(d.input("x", (batch, 3, 31, 20)), 4, 3))
    scale = d.node("Sigmoid", [d.convolution(d.node("GlobalAveragePool", [x], 4), 32, 1)], 32)
    y = d.convolution(d.node("Mul", [d.relu(d.convolution(x, 32, 3)), scale], 32), 5, 3)
    return d.model(d.convolution(d.largest(y, 3, 2, 1), 4, 3), y)


def joined(batch: int = 1) -> ModelProto:
    """Maps of two heights that are concatenated."""
    d = Drawing("joined", 2, 3)
    x = d.relu(d.convolution(d.input("x", (batch, 4, 40, 36)), 16, 3))
    low = d.relu(d.convolution(d.largest(x, 2, 2), 24, 3))
    y = d.concatenated(x, resized(d, low), d.transposed(low, 8, 2))
    return d.model(d.convolution(y, 3, 3))


def drawn(seed: int) -> ModelProto:
    """A run of layers of drawn kinds, at a drawn odd size."""
    numbers = random.Random(seed)
    d = Drawing(f"drawn{seed}", 2, seed)
    x = d.input("x", (1, numbers.choice([1, 3, 5]), numbers.randrange(17, 50), numbers.randrange(9, 40)))
    kinds: list[Callable[[Tensor], Tensor]] = [
        lambda x: d.relu(d.convolution(x, numbers.randrange(3, 20), numbers.choice([1, 3, 5]))),
        lambda x: d.convolution(x, numbers.randrange(3, 20), 3, 2),
        lambda x: grouped(d, x, numbers.choice([3, 5]), numbers.choice([1, 2])),
        lambda x: d.largest(x, 3, 1, 1),
        lambda x: d.add(x, d.convolution(x, x.channels, 3)),
        lambda x: d.concatenated(x, d.relu(d.convolution(x, 8, 3))),
        lambda x: d.silu(x),
        lambda x: resized(d, x),
    ]
    for _ in range(7):
        x = numbers.choice(kinds)(x)
    return d.model(d.convolution(x, 4, 1))


V3 = "x86-64-v3"
FLOATS = {
    "small": small,
    "residuals": residuals,
    "pools": pools,
    "joined": joined,
    "unet": lambda: unet(size=48, width=8),
    **{f"drawn {seed}": lambda seed=seed: drawn(seed) for seed in range(5)},
}
BYTES = ("small", "residuals", "joined", "drawn 0")
BATCHES = {"small": small, "residuals": residuals, "joined": joined, "scaled": scaled}
CASES = [*FLOATS, *(f"{name} in 8 bits" for name in BYTES)]
QUICK = ("small",)
WHOLE = ("joined in 8 bits", "drawn 2", "drawn 3")
"""These take no less memory by rows."""


def alike() -> str:
    """A target whose algorithms for blocks sum as those for whole layers do: with AVX-512 some do not."""
    wanted = (
        llvm.features_of(llvm.host_triple(), V3) if llvm.arch_of(llvm.host_triple()) == "x86_64" else KNOWN
    )
    return f"llvm -mcpu={V3}" if wanted & KNOWN <= host_features() else "llvm -mcpu=native"


def model_of(case: str) -> ModelProto:
    model = FLOATS[case.removesuffix(" in 8 bits")]()
    return quantized(model) if case.endswith("bits") else model


@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=[] if c in QUICK else pytest.mark.slow) for c in CASES]
)
def test_rows_have_the_same_bits(case: str) -> None:
    proto = model_of(case)
    inputs = inputs_of(proto)
    whole, rows = (
        directconv.compile(proto, alike(), memory=memory, cache=False) for memory in ("fastest", "least")
    )
    want = whole.run(inputs)
    for threads in (1, 2):
        results = with_threads(threads, lambda: rows.run(inputs))
        for got, expected in zip(results, want, strict=True):
            np.testing.assert_array_equal(got, expected, f"{case}, {threads} threads")
    assert (len(rows.report().calls) > len(whole.report().calls)) == (case not in WHOLE)
    assert rows.memory() <= whole.memory()
    report, of_whole = rows.report(), whole.report()
    assert len(report.whole_layers) == len(of_whole.layers) == len(report.rows())
    assert report.flops == of_whole.flops
    if not case.endswith("bits"):
        for got, reference in zip(want, run_onnx_runtime(proto, inputs), strict=True):
            assert_matches(got, reference, case)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in QUICK else pytest.mark.slow) for n in BATCHES]
)
def test_images_of_a_batch_go_one_by_one(name: str) -> None:
    """Each has the bits that it has alone, where that goes by the same blocks."""
    proto = BATCHES[name](3)
    batch = directconv.compile(proto, memory="least", cache=False)
    images = draw(*batch.inputs[0].shape)
    results = batch.run(images)
    for got, reference in zip(results, run_onnx_runtime(proto, [images]), strict=True):
        assert_matches(got, reference, name)
    if name != "scaled":  # cut otherwise, for the memory that results take which are needed whole
        one = directconv.compile(BATCHES[name](1), memory="least", cache=False)
        each = [one.run(images[n : n + 1]) for n in range(len(images))]
        for got, *alone in zip(results, *each, strict=True):
            np.testing.assert_array_equal(got, np.concatenate(alone))
    assert batch.memory() < directconv.compile(proto, cache=False).memory()


@pytest.mark.slow
@pytest.mark.parametrize("case", ["residuals", "joined", "small in 8 bits"])
def test_rows_in_c_and_without_tvm_have_the_same_bits(case: str, tmp_path: Path) -> None:
    proto = model_of(case)
    inputs = inputs_of(proto)
    model = directconv.compile(proto, memory="least", cache=False)
    want = model.run(inputs)
    linked = Linked(model.export_c(tmp_path))
    assert linked.init() == 0
    status, results = linked.run(list(inputs.values()), model.outputs)
    assert status == 0
    model.export_library(tmp_path / "model.so")
    alone = directconv.load(tmp_path / "model.so")
    for got, other, expected in zip(results, alone.run(inputs), want, strict=True):
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(other, expected)
    returned = sum(int(np.prod(info.shape)) * np.dtype(info.dtype).itemsize for info in model.outputs)
    assert linked.workspace_bytes(1) <= model.report().peak_bytes + returned
    assert alone.memory() == model.memory()


@pytest.mark.slow
def test_memory_that_is_not_enough_is_an_error_that_says_what_is() -> None:
    proto = small()
    least = directconv.compile(proto, memory="least").report().peak_bytes
    assert directconv.compile(proto, max_memory_bytes=least).report().peak_bytes == least
    with pytest.raises(ModelError, match=f"max_memory_bytes=99 is too little: a run takes {least} bytes"):
        directconv.compile(proto, max_memory_bytes=99)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": "less"}, "memory 'less' is not one of fastest, balanced, least"),
        ({"max_memory_bytes": -1}, "max_memory_bytes must be a number of bytes"),
        ({"memory": "least", "target": "opencl -device=mali -model=g72"}, "are of CPUs"),
    ],
)
def test_wrong_options_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(WorkloadError, match=message):
        directconv.compile(small(), **options)
