"""Peers whose sums saturate: each costs its own row, and the row says why."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from bench_support import NATIVE, SMALL, Right, quick
from graph_support import node
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator
from test_bench_quantized import BYTES, CASES, quantized, quantized_network, within_7_bits

from tvm_directconv.bench import Prepared
from tvm_directconv.bench.contestants import base
from tvm_directconv.bench.contestants.base import SATURATED, exact
from tvm_directconv.bench.exact_sums import largest_weight, sums_saturate, with_unsigned_filters
from tvm_directconv.bench.layer_models import qdq, qlinear
from tvm_directconv.bench.problems import SEED
from tvm_directconv.bench.quantized_problems import (
    QuantizedLayerProblem,
    QuantizedNetworkProblem,
    with_last_bytes,
)
from tvm_directconv.targets.target import resolve_target
from tvm_directconv.zoo.inputs import image_of

# Saturated sums


@pytest.mark.parametrize("form", [qlinear, qdq])
def test_unsigned_filters_are_the_same_function(form: Callable[..., onnx.ModelProto]) -> None:
    problem = QuantizedLayerProblem(BYTES)
    model = form(problem)
    # The evaluator knows no DequantizeLinear before.
    model.opset_import[0].version, model.ir_version = 19, 9
    changed = with_unsigned_filters(model)
    onnx.checker.check_model(changed, full_check=True)
    used = {name for node in changed.graph.node for name in node.input}
    assert {"filter_unsigned", "filter_zero_unsigned"} <= used and not {"filter", "filter_zero"} & used
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in changed.graph.initializer}
    np.testing.assert_array_equal(stored["filter_unsigned"].astype(int) - 128, problem.filter)
    answers = [ReferenceEvaluator(m).run(None, {"data": problem.data_nchw})[0] for m in (model, changed)]
    np.testing.assert_array_equal(*answers)


def test_zero_points_that_are_left_out_are_those_of_unsigned_filters() -> None:
    nodes = [
        node("MatMulInteger", "x w", "sums"),
        node("ConvInteger", "image filter", "convolved"),
        node("DequantizeLinear", "w scales", "floats", axis=1),
        node("DequantizeLinear", "filter scale", "more"),
    ]
    rng = np.random.default_rng(5)
    weights = {
        "w": rng.integers(-128, 128, (6, 4), np.int8),
        "filter": rng.integers(-128, 128, (4, 2, 3, 3), np.int8),
        "scales": np.array([0.5, 0.25, 2, 1], np.float32),
        "scale": np.float32(0.125),
    }
    shapes = {"x": (3, 6), "image": (1, 2, 5, 4)}
    given = {name: rng.integers(0, 256, shape, np.uint8) for name, shape in shapes.items()}
    outputs = ("sums", "convolved", "floats", "more")
    model = onnx.helper.make_model(
        onnx.helper.make_graph(
            nodes,
            "bytes",
            [onnx.helper.make_tensor_value_info(n, TensorProto.UINT8, s) for n, s in shapes.items()],
            [onnx.helper.make_empty_tensor_value_info(name) for name in outputs],
            [numpy_helper.from_array(array, name) for name, array in weights.items()],
        )
    )
    changed = with_unsigned_filters(model)
    assert not {"w", "filter"} & {name for node in changed.graph.node for name in node.input}
    answers = [ReferenceEvaluator(m).run(None, given) for m in (model, changed)]
    for before, after in zip(*answers, strict=True):
        np.testing.assert_array_equal(before, after)


def test_filters_that_are_unsigned_or_meet_int8_data_stay() -> None:
    unsigned = quantized(SMALL, filter_dtype="uint8", largest_weight=128)
    for workload in (CASES["signed"], unsigned):
        model = qlinear(QuantizedLayerProblem(workload))
        assert with_unsigned_filters(model) == model


def test_references_of_networks_are_exact() -> None:
    """Unoptimized, a network in QDQ form convolves in float, and only one of operators in bytes."""
    of_floats, of_bytes = (
        QuantizedNetworkProblem("tiny", model, image_of(model, SEED))
        for model in (with_last_bytes(quantized_network(format)) for format in ("QDQ", "QOperator"))
    )
    assert [array.dtype for array in of_bytes.references] == [np.float32, np.uint8]
    assert of_floats.judge(of_bytes.references)[1] == ""
    assert of_floats.largest_weight == of_bytes.largest_weight == 127
    assert largest_weight(quantized_network(reduce_range=True)) == 64


class Saturating(Right):
    """Off where filters are wider than 7 bits; in its second way, if it has one, it is right."""

    name = "saturating"
    second = False

    def prepare_quantized_layer(self, problem: QuantizedLayerProblem) -> Prepared:
        right = problem.references[0]
        first = right ^ 16 if problem.largest_weight > 64 else right
        ways = [Prepared(lambda: None, lambda: [first])]
        if self.second:
            ways.append(Prepared(lambda: None, lambda: [right], note="slow but right"))
        return exact(problem, ways)


class Careful(Saturating):
    name, second = "careful", True


@pytest.mark.parametrize("saturate", [True, False])
def test_saturated_sums_are_told_from_wrong_ones(saturate: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "sums_saturate", lambda: saturate)
    wide, narrow = quick([Saturating, Careful], [BYTES, within_7_bits(BYTES)]).comparisons
    assert not wide["saturating"].timed
    assert (wide["saturating"].refused == SATURATED) == saturate
    assert ("wrong result" in wide["saturating"].refused) != saturate
    assert wide["careful"].timed and wide["careful"].note.startswith("slow but right")
    for name in ("saturating", "careful"):
        assert narrow[name].timed and "slow but right" not in narrow[name].note


def test_who_saturates() -> None:
    features = resolve_target(NATIVE).features
    assert sums_saturate() == ("ssse3" in features and not {"avx512vnni", "avxvnni"} & features)
