"""Benchmarks of open sizes: what is drawn, and one model at several sizes beside itself compiled for each."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from cli_support import fail, succeed
from graph_support import draw, network, node

import tvm_directconv as directconv
from tvm_directconv.bench import bench_sizes
from tvm_directconv.bench.drawn_sizes import draw_sizes
from tvm_directconv.errors import BenchmarkError


@pytest.fixture(scope="module")
def halved() -> onnx.ModelProto:
    """A map that is halved, doubled and added to what it was: right at even heights and widths."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1]),
        node("MaxPool", "a", "b", kernel_shape=[2, 2], strides=[2, 2]),
        node("ConvTranspose", "b u", "c", strides=[2, 2]),
        node("Add", "a c", "y"),
    ]
    weights = {"w": draw(8, 3, 3, 3), "u": draw(8, 8, 2, 2)}
    return network(nodes, {"x": ("n", 3, "h", "w")}, {"y": ("n", 8, "p", "q")}, weights)


def test_sizes_are_drawn_that_the_network_takes(halved: onnx.ModelProto) -> None:
    model = directconv.compile(halved, typical={"h": 48, "w": 64}, cache=False)
    drawn = draw_sizes(model.sizes[0], 6)
    assert drawn[0] == {"n": 1, "h": 48, "w": 64} and drawn == draw_sizes(model.sizes[0], 6)
    assert len({tuple(values.items()) for values in drawn}) == 7
    for values in drawn:
        assert 1 <= values["n"] <= 4 and 24 <= values["h"] <= 96 and 32 <= values["w"] <= 128
        assert values["h"] % 2 == 0 == values["w"] % 2


@pytest.mark.slow
def test_an_open_model_is_timed_beside_itself_of_each_size(halved: onnx.ModelProto, tmp_path: Path) -> None:
    path = tmp_path / "halved.onnx"
    onnx.save(halved, path)
    contestants = "ours,ours-fixed,onnxruntime"
    options = "--sizes", "2", "--typical", "h=48,w=64", "--quick", "--contestants", contestants
    record = json.loads(succeed("bench", path, *options, "--json"))
    names = [comparison["problem"] for comparison in record["comparisons"]]
    assert names[0] == "halved n=1, h=48, w=64" and len(set(names)) == 3
    for comparison in record["comparisons"]:
        found = {each["contestant"]: each for each in comparison["measurements"]}
        assert list(found) == ["ours", "ours-fixed", "onnxruntime"]
        assert not any(each["refused"] for each in found.values())
        assert found["ours"]["facts"]["first run, ms"] > 0
    assert "--sizes takes one MODEL" in fail("bench", path, "--sizes", "2", status=2)
    assert "--typical does not apply" in fail("bench", path, "--typical", "h=8,w=8", status=2)


def test_a_model_of_one_size_is_refused() -> None:
    nodes = [node("Conv", "x w", "a"), node("Reshape", "a rows", "b"), node("MatMul", "b v", "y")]
    weights = {"w": draw(8, 3, 1, 1), "rows": np.array([3, 96], np.int64), "v": draw(96, 2)}
    made = network(nodes, {"x": ("n", 3, "h", 6)}, {"y": (3, 2)}, weights)
    with pytest.raises(BenchmarkError, match="compiled for each size by itself"):
        bench_sizes(made, {"h": 6}, 2, quick=True)
