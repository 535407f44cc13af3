"""Random operators: bits against Philox in integers, distributions at fixed seeds, and what is drawn when."""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import tvm_directconv as directconv
from tvm_directconv.errors import ModelError

SHAPE = (201, 307)
COUNT = math.prod(SHAPE)
FLOAT = TensorProto.FLOAT
ERF = np.vectorize(math.erf)


def model_of(*nodes: onnx.NodeProto, inputs: tuple = ("x",), **constants: Any) -> ModelProto:
    """A model of float inputs of one shape, whose outputs are all results."""
    graph = helper.make_graph(
        list(nodes),
        "random",
        [helper.make_tensor_value_info(name, FLOAT, SHAPE) for name in inputs],
        [onnx.ValueInfoProto(name=name) for node in nodes for name in node.output],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    return onnx.shape_inference.infer_shapes(model)


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Four words, in Python's integers."""
    for _ in range(10):
        one, other = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        words = ((other >> 32) ^ counter[1] ^ key[0], other, (one >> 32) ^ counter[3] ^ key[1], one)
        counter = [word & 0xFFFFFFFF for word in words]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def distance(values: np.ndarray, distribution: Any) -> float:
    """Kolmogorov's and Smirnov's statistic, times the root of the number of values."""
    ordered = np.sort(values.astype(np.float64).ravel())
    expected, steps = distribution(ordered), np.arange(ordered.size + 1) / ordered.size
    apart = max(np.abs(expected - steps[1:]).max(), np.abs(expected - steps[:-1]).max())
    return float(apart * math.sqrt(ordered.size))


def test_bits_are_philoxs() -> None:
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]  # Random123's own
    node = helper.make_node("RandomUniformLike", ["x"], ["y"], "draws", seed=2.5)
    model = directconv.compile(model_of(node))
    key = [int(np.float32(2.5).view(np.uint32)), zlib.crc32(b"node 'draws' (RandomUniformLike)")]
    for number in range(3):
        found = np.asarray(model(np.zeros(SHAPE, np.float32))).ravel()
        for place in (0, 1, 15, 16, 306, 307, 5000, COUNT - 1):
            word = philox([place ^ number, 0, number, 0], key)[0]
            assert found[place] == np.float32((word >> 8) / 2**24), place


@pytest.mark.slow
def test_distributions() -> None:
    nodes = [
        helper.make_node("RandomNormalLike", ["x"], ["normal"], mean=1.0, scale=2.0, seed=1.0),
        helper.make_node("RandomNormal", [], ["standard"], shape=SHAPE, seed=2.0),
        helper.make_node("RandomUniform", [], ["uniform"], shape=SHAPE, low=-1.0, high=3.0, seed=3.0),
        helper.make_node("Bernoulli", ["p"], ["true"], dtype=TensorProto.INT32, seed=4.0),
        helper.make_node("Multinomial", ["w"], ["classes"], sample_size=COUNT, seed=5.0),
    ]
    chances = np.broadcast_to(np.linspace(0, 1, SHAPE[1], dtype=np.float32), SHAPE)
    shares = np.array([0.1, 0.6, 0.0, 0.3])
    with np.errstate(divide="ignore"):
        model = model_of(*nodes, inputs=("x", "p"), w=np.log(shares[None]).astype(np.float32))
    found = directconv.compile(model).run({"x": np.zeros(SHAPE, np.float32), "p": chances})
    normal, standard, uniform, true, classes = map(np.asarray, found)
    for values, mean, scale in ((normal, 1, 2), (standard, 0, 1)):
        assert abs(values.mean() - mean) < 4 * scale / math.sqrt(COUNT)
        assert abs(values.var() / scale**2 - 1) < 4 * math.sqrt(2 / COUNT)
        assert distance(values, lambda v, m=mean, s=scale: (1 + ERF((v - m) / s / 2**0.5)) / 2) < 1.95
    assert uniform.min() >= -1 and uniform.max() < 3
    assert distance(uniform, lambda v: (v + 1) / 4) < 1.95
    assert abs(np.corrcoef(standard.ravel()[1:], standard.ravel()[:-1])[0, 1]) < 4 / math.sqrt(COUNT)
    assert abs(np.corrcoef(standard.ravel(), normal.ravel())[0, 1]) < 4 / math.sqrt(COUNT)
    assert true.dtype == np.int32 and not true[:, 0].any() and true[:, -1].all()
    assert np.abs(true.mean(0) - chances[0]).max() < 4.5 * 0.5 / math.sqrt(SHAPE[0])
    counted = np.bincount(classes.ravel(), minlength=4) / COUNT
    assert classes.shape == (1, COUNT) and counted[2] == 0
    assert np.abs(counted - shares).max() < 4 * 0.5 / math.sqrt(COUNT)


@pytest.mark.slow
def test_each_run_draws_anew_and_seeds_begin_again_with_each_model() -> None:
    nodes = [
        helper.make_node("RandomNormalLike", ["x"], ["seeded"], seed=7.0),
        helper.make_node("RandomNormalLike", ["x"], ["unseeded"]),
    ]
    data = np.zeros(SHAPE, np.float32)
    first, second = (directconv.compile(model_of(*nodes)) for _ in range(2))
    runs = [[np.array(value) for value in model.run([data])] for model in (first, first, second, second)]
    for place, begins_again in ((0, True), (1, False)):
        one, two, three, four = (run[place] for run in runs)
        assert not (one == two).any()
        assert (one == three).all() == begins_again and (two == four).all() == begins_again
    assert not (runs[0][0] == runs[0][1]).any()


@pytest.mark.parametrize("training", [True, False])
def test_dropout(training: bool) -> None:
    node = helper.make_node("Dropout", ["x", "ratio", "training"], ["y", "mask"], seed=5)
    constants = {"ratio": np.float32(0.3), "training": np.array(training)}
    data = np.random.default_rng(0).standard_normal(SHAPE).astype(np.float32)
    found, kept = map(np.asarray, directconv.compile(model_of(node, **constants)).run([data]))
    assert kept.dtype == bool
    if not training:
        assert kept.all() and (found == data).all()
        return
    assert abs(kept.mean() - 0.7) < 4 * math.sqrt(0.21 / COUNT)
    np.testing.assert_allclose(found, np.where(kept, data / 0.7, 0), rtol=1e-6)
    with pytest.raises(ModelError, match="a share of 1.0"):
        directconv.compile(model_of(node, **constants | {"ratio": np.float32(1)}))
