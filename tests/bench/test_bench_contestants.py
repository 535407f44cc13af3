"""The contestants: each computes what it is timed for. No test asserts a time."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from bench_support import DEPTHWISE, NATIVE, ODD, SMALL, quick, quick_network, tiny_network

from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.bench import CONTESTANTS, FOR_LAYERS, FOR_NETWORKS, Prepared
from tvm_directconv.bench.contestants import OnnxContestant, Setting
from tvm_directconv.bench.layout_changes import from_layout, to_layout
from tvm_directconv.bench.problems import NetworkProblem
from tvm_directconv.problem.workload import Conv2dWorkload, data_shape
from tvm_directconv.targets.target import resolve_target

# Every contestant computes what it is timed for


@pytest.mark.slow
@pytest.mark.parametrize("name", FOR_LAYERS)
def test_layer_contestants_agree_with_the_definition(name: str) -> None:
    result = quick([name], [SMALL, ODD, DEPTHWISE])
    measurements = [comparison[name] for comparison in result.comparisons]
    for measurement in measurements:
        assert "wrong" not in (measurement.refused or "")
        assert measurement.refused or (measurement.error < 1e-5 and len(measurement.timed) == 3)
    if any(measurement.refused for measurement in measurements):
        pytest.skip("; ".join(measurement.refused or "right" for measurement in measurements))


@pytest.mark.parametrize(
    ("name", "package"),
    [("onnxruntime", "onnxruntime"), ("openvino", "openvino"), ("onednn", "torch")],
)
def test_missing_package_is_reported(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    contestant = CONTESTANTS[name](Setting(resolve_target(NATIVE)))
    assert f"{package} cannot be imported" in contestant.available()


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("workload", [SMALL, ODD], ids=["small", "odd"])
def test_algorithms_are_timed_in_their_own_layouts(name: str, workload: Conv2dWorkload) -> None:
    (comparison,) = quick([name], [workload]).comparisons
    measurement = comparison[name]
    native = workload.in_layouts(*ALGORITHMS[name].layouts(workload, resolve_target(NATIVE)))
    if not ALGORITHMS[name].applies(native):
        assert measurement.refused == "does not take the layer"
        return
    assert measurement.error < 1e-5 and len(measurement.timed) == 3
    facts = measurement.facts
    assert facts["algorithm"] == name
    assert facts["layouts"] == f"{native.data_layout} {native.out_layout}"
    # NHWC at the edges is free for those that take it, and for no others.
    assert (facts["layout_seconds"] > 0) == (native != workload)
    assert facts["workspace_bytes"] == ALGORITHMS[name].plan(native, resolve_target(NATIVE)).workspace_bytes


@pytest.mark.parametrize("layout", ["NHWC", "NCHW", "NCHW8c", "NCHW16c"])
def test_layouts_are_undone(layout: str) -> None:
    image = np.random.default_rng(0).standard_normal((2, 3, 5, 12), dtype=np.float32)
    changed = to_layout(image, layout)
    assert changed.shape == data_shape(layout, *image.shape)
    assert changed.flags.c_contiguous
    np.testing.assert_array_equal(from_layout(changed, layout, 12), image)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOR_NETWORKS)
def test_network_contestants_agree_with_the_reference(name: str) -> None:
    (comparison,) = quick_network([name], tiny_network()).comparisons
    if comparison[name].refused is not None:
        assert "wrong" not in comparison[name].refused
        pytest.skip(comparison[name].refused)
    assert comparison.problem == "tiny"
    assert comparison.flops == 2 * 8 * 8 * 16 * 27
    assert comparison[name].error < 1e-5 and comparison[name].timed


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("filter_layout", ["OIHW", "HWIO"])
def test_ours_in_the_workloads_own_layouts(layout: str, filter_layout: str) -> None:
    workload = Conv2dWorkload(1, 9, 8, 16, 24, (3, 2), data_layout=layout, filter_layout=filter_layout)
    (comparison,) = quick(["ours"], [workload]).comparisons
    assert comparison["ours"].error < 1e-5


def test_openblas_uses_the_kernels_of_this_host() -> None:
    before = dict(os.environ)
    (comparison,) = quick(["im2col+openblas"]).comparisons
    measurement = comparison["im2col+openblas"]
    if measurement.refused is not None:
        pytest.skip(measurement.refused)
    features = resolve_target(NATIVE).features
    if {"avx512bw", "avx512dq", "avx512vl", "avx512cd"} <= features:
        assert measurement.facts["core"] == "SkylakeX"
    # Lowered pixels x taps, and the padded input.
    assert measurement.facts["workspace_bytes"] == 4 * (9 * 8 * 9 * 16 + 11 * 10 * 16)
    assert dict(os.environ) == before


@pytest.mark.parametrize("groups", [1, 4])
def test_onemkl_computes_layers_and_states_its_workspace(groups: int) -> None:
    workload = Conv2dWorkload(2, 9, 8, 16, 24, (3, 3), (2, 1), (1, 1, 1, 1), groups=groups)
    (comparison,) = quick(["im2col+onemkl"], [workload]).comparisons
    measurement = comparison["im2col+onemkl"]
    if measurement.refused is not None:
        pytest.skip(measurement.refused)
    assert measurement.error < 1e-5
    # Lowered pixels x taps of a group, and the padded input.
    pixels, taps = 2 * 5 * 8, 9 * 16 // groups
    assert measurement.facts["workspace_bytes"] == 4 * (pixels * taps + 2 * 11 * 10 * 16)


LITERT = {
    "same": Conv2dWorkload(1, 9, 8, 16, 24, (3, 3), (2, 1), (1, 1, 1, 1)),
    "same at the end": Conv2dWorkload(1, 8, 8, 16, 24, (3, 3), (2, 2), (0, 0, 1, 1)),
    "padded": Conv2dWorkload(2, 8, 8, 16, 24, (3, 3), (2, 2), (1, 1, 1, 1)),
    "valid and dilated": Conv2dWorkload(1, 9, 11, 5, 7, (3, 2), dilation=(2, 1)),
    "groups": Conv2dWorkload(1, 9, 8, 16, 24, (3, 3), padding=(1, 1, 1, 1), groups=4),
    "depthwise": Conv2dWorkload(1, 9, 8, 16, 32, (3, 3), padding=(1, 1, 1, 1), groups=16),
}


@pytest.mark.parametrize("workload", LITERT.values(), ids=LITERT)
def test_litert_computes_layers(workload: Conv2dWorkload) -> None:
    (comparison,) = quick(["litert"], [workload]).comparisons
    measurement = comparison["litert"]
    if measurement.refused is not None:
        assert "wrong" not in measurement.refused
        pytest.skip(measurement.refused)
    assert measurement.error < 1e-5 and measurement.timed


class Evaluator(OnnxContestant):
    """A peer from outside the package needs one method to be compared on layers and networks."""

    name = "reference evaluator"

    def available(self) -> str | None:
        return None

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        from onnx.reference import ReferenceEvaluator

        evaluator = ReferenceEvaluator(problem.model)
        return Prepared(lambda: None, lambda: list(evaluator.run(None, dict(problem.inputs))))


def test_onnx_contestants_share_the_single_node_model() -> None:
    (comparison,) = quick([Evaluator], [ODD]).comparisons
    assert comparison["reference evaluator"].error < 1e-5
