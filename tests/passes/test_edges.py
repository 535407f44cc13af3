"""Layers at a network's edges, whose tensors are there, or wanted, in NCHW."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from graph_support import draw, inputs_of, network, node
from onnx import ModelProto, NodeProto
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv
from relay_strategies.strategies.strategy import conv2d_strategy
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

AVX512 = "llvm -mtriple=x86_64-linux-gnu -mcpu=znver4"
X = {"x": (1, 96, 24, 24)}
WEIGHTS = {
    "w": draw(20, 96, 1, 1),
    "b": draw(20),
    "v": draw(96, 20, 1, 1),
    "f": draw(96, 96, 3, 3),
    "a": draw(96),
    "u": draw(1, 96, 1, 1),
    "e": draw(1),
}
CONV = node("Conv", "x w b", "c")


def layer(
    nodes: Sequence[NodeProto], others: dict[str, Sequence[int]] | None = None, channels: int = 20
) -> ModelProto:
    names = {name for each in nodes for name in each.input}
    weights = {name: array for name, array in WEIGHTS.items() if name in names}
    return network(nodes, {**X, **(others or {})}, {"y": (1, channels, 24, 24)}, weights)


ALONE = layer([CONV, node("Relu", "c", "y")])
WITH_RESIDUAL = layer([CONV, node("Add", "c r", "y")], {"r": (1, 20, 24, 24)})
BOTTLENECK = layer([CONV, node("Conv", "c v a", "d"), node("Add", "d x", "y")], channels=96)
WIDENED = layer([node("Conv", "x f a", "c", pads=[1, 1, 1, 1]), node("Conv", "c w b", "y")])
TO_ONE = node("Conv", "x u e", "c")
MASK = layer([TO_ONE, node("Sigmoid", "c", "y")], channels=1)
ADDED_MASK = layer([TO_ONE, node("Add", "c r", "y")], {"r": (1, 1, 24, 24)}, channels=1)
MODELS = {
    "relu": ALONE,
    "residual": WITH_RESIDUAL,
    "bottleneck": BOTTLENECK,
    "widened": WIDENED,
    "mask": MASK,
    "added mask": ADDED_MASK,
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_results_are_onnx_runtimes(model: ModelProto) -> None:
    compiled = directconv.compile(model, target="llvm -mcpu=native", cache=False)
    inputs = inputs_of(model)
    assert_matches(compiled.run(inputs)[0], run_onnx_runtime(model, inputs)[0], "edges")


@pytest.mark.parametrize("model", [ALONE, WITH_RESIDUAL], ids=["relu", "residual"])
def test_a_layer_between_edges_changes_no_layout(model: ModelProto) -> None:
    report = directconv.compile(model, target=AVX512, cache=False).report()
    (only,) = report.layers
    assert "_NCHW_" in only.workload
    assert not report.other_kernels


@pytest.mark.parametrize("model", [MASK, ADDED_MASK], ids=["mask", "added mask"])
def test_one_channel_is_at_both_edges(model: ModelProto) -> None:
    """In NHWC it has the order that it has in NCHW."""
    report = directconv.compile(model, target=AVX512, cache=False).report()
    assert "_NCHW_" in report.layers[0].workload


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (WIDENED, {}),
        # Workspace is counted between layers in NHWC.
        (ALONE, {"max_workspace_bytes": 0}),
        (ALONE, {"algorithm": "direct_nhwc"}),
    ],
    ids=["neighbours", "limit", "by name"],
)
def test_others_stay_in_nhwc(model: ModelProto, options: dict[str, object]) -> None:
    report = directconv.compile(model, target=AVX512, cache=False, **options).report()
    assert "_NHWC_" in report.layers[0].workload


def test_by_name_a_layer_takes_the_edges_its_algorithm_has() -> None:
    report = directconv.compile(ALONE, target=AVX512, algorithm="sconv", cache=False).report()
    assert not report.other_kernels


def test_what_gains_little_stays() -> None:
    """A layer of much arithmetic for each pixel moved."""
    target = resolve_target(AVX512)
    for channels, gains in ((16, True), (1024, False)):
        plain = Conv2dWorkload(1, 28, 28, channels, channels, (1, 1) if gains else (3, 3))
        offers = conv2d_strategy(plain, target)
        assert offers.gains_by(plain.in_layouts("NCHW"), plain, target) == gains
