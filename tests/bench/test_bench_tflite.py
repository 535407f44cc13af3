"""Networks in .tflite files, beside LiteRT and OpenVINO."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tflite_network import DATA, SCALES, SHAPES, network

from tvm_directconv.bench import bench_network, bench_networks
from tvm_directconv.bench.tflite_files import StoredOperator, StoredTensor, model
from tvm_directconv.errors import BenchmarkError, ModelError

pytest.importorskip("ai_edge_litert")
LAYERS = 2 * (36 * 6 * 4 * 9 + 36 * 6 * 9 + 54 * 5)
"""The operations of the network's convolutions and its dense layer."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_ours_litert_and_openvino_run_the_same_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "network.tflite"
    path.write_bytes(network(kind))
    (comparison,) = bench_network(path, quick=True).comparisons
    assert [each.contestant for each in comparison.measurements] == ["ours", "litert", "openvino"]
    assert comparison.problem == "network" and comparison.flops == LAYERS
    assert comparison.dtype == {"float32": "float32", "int8": "int8"}[kind]
    for measurement in comparison.measurements[:2]:
        assert measurement.refused is None, measurement.refused
        assert measurement.error is not None and measurement.error < 0.03


@pytest.mark.slow
def test_inputs_may_be_given_and_are_what_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "network.tflite"
    path.write_bytes(network("int8"))
    scale, zero = SCALES["x"]
    given = {"x": np.clip(np.rint(DATA / scale) + zero, -128, 127).astype(np.int8)}
    (comparison,) = bench_network(path, contestants=["ours", "litert"], quick=True, inputs=given).comparisons
    assert [each.refused for each in comparison.measurements] == [None, None]
    with pytest.raises(BenchmarkError, match="LiteRT does not run the network: .*x"):
        bench_network(path, contestants=["ours"], inputs={"x": DATA})


@pytest.mark.slow
def test_who_reads_no_such_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "network.tflite"
    path.write_bytes(network("float32"))
    result = bench_networks([path], contestants=["onnxruntime", "tvm-default"], quick=True)
    reasons = [each.refused for each in result.comparisons[0].measurements]
    assert reasons == [f"{name} does not read .tflite files" for name in ("onnxruntime", "tvm-default")]
    (onnx,) = bench_network("light_squeezenet", contestants=["litert"], quick=True).comparisons
    assert onnx["litert"].refused == "it takes networks in .tflite files"


def test_sizes_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "network.tflite"
    path.write_bytes(network("float32"))
    with pytest.raises(BenchmarkError, match="is timed at the sizes in it"):
        bench_network(path, batch=2)


@pytest.mark.slow
def test_an_open_file_is_timed_at_the_size_in_it(tmp_path: Path) -> None:
    path = tmp_path / "open.tflite"
    tensors = [
        StoredTensor("x", (2, 5), signature=(-1, 5)),
        StoredTensor("w", (3, 5), values=np.ones((3, 5), np.float32)),
        StoredTensor("y", (2, 3), signature=(-1, 3)),
    ]
    operator = StoredOperator("FULLY_CONNECTED", ["x", "w"], "y", "FullyConnectedOptions")
    path.write_bytes(model(tensors, [operator], ["x"]))
    (comparison,) = bench_network(path, contestants=["ours", "litert"], quick=True).comparisons
    assert [each.refused for each in comparison.measurements] == [None, None]
    assert (comparison.flops, comparison.batch) == (2 * 2 * 15, 2)


@pytest.mark.parametrize("kind", ["Unheard", "CONV_2D"])
def test_files_that_litert_does_not_run_are_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.tflite"
    tensors = [StoredTensor("x", SHAPES["x"]), StoredTensor("y", SHAPES["x"])]
    path.write_bytes(model(tensors, [StoredOperator(kind, ["x"], "y")], ["x"]))
    with pytest.raises((BenchmarkError, ModelError), match="LiteRT does not run '.*bad.tflite'"):
        bench_network(path)
