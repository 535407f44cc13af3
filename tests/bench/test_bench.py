"""The benchmark harness: arithmetic, checked answers, rounds, errors. No test asserts a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from bench_support import NATIVE, SMALL, Right, quick, quick_network, tiny_network
from onnx import TensorProto
from rich.console import Console

from tvm_directconv.bench import (
    Comparison,
    LayerResult,
    Measurement,
    NetworkResult,
    Prepared,
    Result,
    bench_layers,
    bench_network,
    merge,
)
from tvm_directconv.bench.answers import relative_error
from tvm_directconv.bench.figures import geometric_mean
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.errors import BenchmarkError, ModelError, TargetError, WorkloadError
from tvm_directconv.problem.workload import Epilogue


class Wrong(Right):
    """Off by a hundredth in one element."""

    name = "wrong"

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        answer = problem.references[0].copy()
        answer[0, 0, 0, 0] += 0.01 * np.abs(answer).max()
        return Prepared(lambda: None, lambda: [answer])


class Absent(Right):
    name = "absent"

    def available(self) -> str | None:
        return "not installed here"


class Raising(Right):
    name = "raising"

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        raise RuntimeError("no such primitive\nand a long trace")


def fixed_comparison() -> Comparison:
    """3 rounds, 2 GFLOP: ours 10, 20, 40 ms; the peer 20, 20, 20 ms; one sat out, one was refused."""
    return Comparison(
        str(SMALL),
        2_000_000_000,
        (400.0, 200.0, 100.0),
        (
            Measurement("ours", (0.01, 0.02, 0.04), error=1e-7),
            Measurement("peer", (0.02, 0.02, 0.02), error=1e-7, facts={"version": "2.0"}),
            Measurement("slow", (0.5, None, None), error=1e-7, note="slow: once"),
            Measurement("gone", refused="not installed here"),
        ),
        {"light_a": 2, "light_b": 1},
    )


def fixed_layers() -> LayerResult:
    host = {"processor": "some CPU", "load_average": 0.1}
    return LayerResult("llvm", 1, (0,), "24 x fma", host, (fixed_comparison(),))


def fixed_networks() -> NetworkResult:
    comparison = fixed_comparison()
    network = Comparison("light_a", comparison.flops, comparison.peaks, comparison.measurements)
    return NetworkResult("llvm", 2, (0, 1), "24 x fma", {"processor": "some CPU"}, (network,))


# The figures


def test_statistics_on_fixed_rounds() -> None:
    comparison = fixed_comparison()
    assert comparison["ours"].median_seconds == 0.02
    assert comparison["ours"].best_seconds == 0.01
    assert comparison.gflops("ours") == pytest.approx(100)
    assert comparison.best_gflops("ours") == pytest.approx(200)
    # 200/400, 100/200, 50/100: the machine slowed down, the contestant did not.
    assert comparison.percent_of_peak("ours") == pytest.approx(50)
    # 0.5, 1, 2 in the same rounds.
    assert comparison.time_ratio("ours", "peer") == pytest.approx(1.0)
    # Only the round both were in.
    assert comparison.time_ratio("ours", "slow") == pytest.approx(0.02)
    assert comparison.gflops("gone") is comparison.time_ratio("ours", "gone") is None
    summary = comparison.summary()
    assert summary["peer"]["our_time_ratio"] == pytest.approx(1.0)
    with pytest.raises(KeyError, match="no contestant 'others'"):
        comparison["others"]


def test_geometric_means() -> None:
    assert geometric_mean([1, 100]) == pytest.approx(10)
    assert geometric_mean([5, 0]) == 0
    result = fixed_layers()
    assert result.geomean("ours") == pytest.approx((100, 50))
    assert result.geomean("gone") is None
    assert result.geomean("ours", lambda workload: workload.kernel == (1, 1)) is None
    assert result.models == ["light_a", "light_b"]
    assert result.of_model("light_c").comparisons == ()


@pytest.mark.parametrize("result", [fixed_layers(), fixed_networks()], ids=["layers", "networks"])
def test_json_round_trip(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    text = result.to_json(path)
    assert path.read_text() == text
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]
    assert Result.from_json(text) == type(result).from_json(text) == result


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", pytest.param("[" * 100_000, id="deep"), '{"kind": "LayerResult", "summary": {}}']
)
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(BenchmarkError, match="not a benchmark result"):
        Result.from_json(text)


def test_result_of_the_other_kind_is_refused() -> None:
    with pytest.raises(BenchmarkError, match="is a NetworkResult"):
        LayerResult.from_json(fixed_networks().to_json())


def test_merge() -> None:
    both = merge([fixed_networks(), fixed_networks()])
    assert len(both.comparisons) == 2
    with pytest.raises(BenchmarkError, match="no results"):
        merge([])


@pytest.mark.parametrize("result", [fixed_layers(), fixed_networks()], ids=["layers", "networks"])
def test_table_shows_figures_and_says_what_is_missing(result) -> None:
    console = Console(width=200)
    with console.capture() as capture:
        console.print(result.table())
    text = capture.get()
    for expected in ("ours", "peer", "gone: not installed here", "slow: once", "some CPU", "100", "50"):
        assert expected in text


# The check before the timing


def test_wrong_contestant_is_refused_and_not_timed() -> None:
    (comparison,) = quick([Right, Wrong]).comparisons
    assert len(comparison["right"].timed) == 3
    assert comparison["wrong"].seconds == ()
    assert "wrong result: off by 1.0e-02" in comparison["wrong"].refused
    assert comparison["wrong"].error == pytest.approx(0.01)


def test_absent_and_raising_contestants_are_reported() -> None:
    (comparison,) = quick([Right, Absent, Raising]).comparisons
    assert comparison["absent"].refused == "not installed here"
    assert comparison["raising"].refused == "RuntimeError: no such primitive"
    assert not comparison["absent"].timed and not comparison["raising"].timed


@pytest.mark.parametrize(
    ("outputs", "error"),
    [
        ([np.array([1.0, -4.0])], 0.0),
        ([np.array([1.0, -3.0])], 0.25),
        ([np.array([1.0, np.nan])], np.inf),
        ([np.array([1.0])], np.inf),
        ([], np.inf),
    ],
)
def test_relative_error(outputs: list[np.ndarray], error: float) -> None:
    assert relative_error(outputs, [np.array([1.0, -4.0])]) == error


def test_contestants_that_cannot_be_sent_are_refused() -> None:
    class Local(Right):
        name = "local"

    of_script = type("OfScript", (Right,), {"__module__": "__main__"})
    for contestant in (Local, of_script):
        with pytest.raises(BenchmarkError, match="process of its own; define its class at the top"):
            bench_layers([SMALL], NATIVE, contestants=[contestant])


# What is asked for


def test_layers_may_be_names_descriptors_or_workloads() -> None:
    mixed = quick([Right], ["zfnet512", "light_zfnet512", str(SMALL), SMALL])
    assert mixed.models == ["light_zfnet512"]
    assert sum(c.models.get("light_zfnet512", 0) for c in mixed.comparisons) == 5
    assert mixed.comparisons[-1].problem == str(SMALL)
    assert len(mixed.comparisons) == 5


def test_network_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(tiny_network(), path)
    result = quick_network(["ours"], str(path))
    assert result.comparisons[0].problem == "net"
    path.write_bytes(b"nonsense")
    for broken, said in ((path, "cannot be read"), (tmp_path / "none.onnx", "no such file")):
        with pytest.raises(ModelError, match=said):
            bench_network(broken, NATIVE)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"contestants": ["onnxruntim"]}, BenchmarkError, "did you mean 'onnxruntime'"),
        ({"threads": 4096}, BenchmarkError, "usable CPUs"),
        ({"threads": 0}, BenchmarkError, "usable CPUs"),
        ({"rounds": 0}, BenchmarkError, "at least 1"),
        ({"layers": []}, BenchmarkError, "no layers"),
        ({"layers": ["resnet51"]}, ModelError, "did you mean 'resnet50'"),
        ({"layers": ["n1_ih2"]}, WorkloadError, "descriptor"),
        ({"layers": [SMALL.with_epilogue(Epilogue(bias=True))]}, WorkloadError, "epilogue"),
        ({"target": "llvm -mcpu=nonsense"}, TargetError, "nonsense"),
    ],
)
def test_bad_requests(arguments: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bench_layers(**{"layers": [SMALL], "target": NATIVE, "contestants": [Right], **arguments})


def test_unsuitable_network_input_is_refused() -> None:
    model = tiny_network()
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.DOUBLE
    with pytest.raises(BenchmarkError, match="ONNX Runtime refuses the network: .*Type Error"):
        bench_network(model, NATIVE)


def test_peers_are_not_imported_before_they_run(tmp_path: Path) -> None:
    code = (
        "import sys, tvm_directconv.bench\n"
        "print(sorted({'onnxruntime', 'openvino', 'matplotlib', 'scipy'} & set(sys.modules)))"
    )
    # Elsewhere: in the repository root, Python would take its folders for the package.
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.strip() == "[]"
