"""The benchmark harness: arithmetic, checked answers, rounds, errors. No test asserts a time."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import ClassVar

import numpy as np
import onnx
import pytest
from bench_support import NATIVE, ODD, SMALL, Right, quick, tiny_network
from onnx import TensorProto
from rich.console import Console

from tvm_directconv.bench import (
    CONTESTANTS,
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
from tvm_directconv.bench.host import run_pinned
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.bench.progress import Reporter
from tvm_directconv.bench.rounds import Effort, Entry, time_rounds
from tvm_directconv.errors import BenchmarkError, ModelError, TargetError, WorkloadError
from tvm_directconv.measure.cpus import choose_cpus
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


class Crashing(Right):
    name = "crashing"

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


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "LayerResult", "summary": {}}'])
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


@pytest.mark.parametrize("result", [fixed_layers(), fixed_networks()], ids=["layers", "networks"])
def test_plots_are_written(result, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result.plot(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    result.plot(str(tmp_path / "plot.svg"))
    assert "<svg" in (tmp_path / "plot.svg").read_text()
    with pytest.raises(BenchmarkError, match="not supported"):
        result.plot(tmp_path / "plot.nonsense")


def test_plot_without_matplotlib_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(BenchmarkError, match="pip install matplotlib"):
        fixed_layers().plot(tmp_path / "plot.png")


# The check before the timing


def test_wrong_contestant_is_refused_and_not_timed() -> None:
    (comparison,) = quick([Right, Wrong]).comparisons
    assert len(comparison["right"].timed) == 3
    assert comparison["wrong"].seconds == ()
    assert "wrong result: off by 1.0e-02" in comparison["wrong"].refused
    assert comparison["wrong"].error == pytest.approx(0.01)


def test_absent_and_crashing_peers_are_reported() -> None:
    (comparison,) = quick([Right, Absent, Crashing]).comparisons
    assert comparison["absent"].refused == "not installed here"
    assert comparison["crashing"].refused == "RuntimeError: no such primitive"
    assert not comparison["absent"].timed and not comparison["crashing"].timed


def test_a_defect_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def defect(self, problem):
        raise RuntimeError("a defect")

    monkeypatch.setattr(CONTESTANTS["ours"], "prepare_layer", defect)
    with pytest.raises(RuntimeError, match="a defect"):
        quick(["ours"])


@pytest.mark.parametrize(
    ("name", "package"),
    [("onnxruntime", "onnxruntime"), ("openvino", "openvino"), ("onednn", "torch")],
)
def test_missing_package_is_reported(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    (comparison,) = quick([name, Right]).comparisons
    assert f"{package} cannot be imported" in comparison[name].refused
    assert comparison["right"].timed


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


# The rounds


class Logging(Right):
    """Notes who runs on which CPUs, and pretends to take ``pretended`` seconds per call."""

    log: ClassVar[list[tuple[str, set[int]]]] = []
    pretended = 0.001

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        def timer(calls: int) -> float:
            self.log.append((self.name, os.sched_getaffinity(0)))
            return self.pretended

        return Prepared(lambda: None, lambda: problem.references, timer)


class First(Logging):
    name = "first"


class Second(Logging):
    name = "second"


class Slow(Logging):
    name = "slow"
    pretended = 5.0


def test_contestants_take_turns_in_rotating_order_on_one_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    # A block that other processes disturb is timed again.
    monkeypatch.setattr("tvm_directconv.bench.rounds.waiting_seconds", lambda: 0.0)
    Logging.log.clear()
    before = os.sched_getaffinity(0)
    result = quick([First, Second])
    timed = Logging.log[4:]
    assert [name for name, _ in timed] == ["first", "second", "second", "first", "first", "second"]
    assert all(cpus == set(result.cpus) for _, cpus in timed) and len(result.cpus) == 1
    assert os.sched_getaffinity(0) == before
    assert len(result.comparisons[0].peaks) == 3


def test_a_slow_contestant_is_timed_once_and_says_so() -> None:
    Logging.log.clear()
    (comparison,) = quick([First, Slow]).comparisons
    assert comparison["slow"].seconds == (5.0, None, None)
    assert comparison["slow"].note.startswith("slow")
    assert [name for name, _ in Logging.log].count("slow") == 2
    assert len(comparison["first"].timed) == 3


def test_an_interrupt_ends_the_rounds() -> None:
    interrupted = threading.Event()
    interrupted.set()
    entry = Entry("right", Prepared(lambda: None, list), call_seconds=0.001)
    with pytest.raises(KeyboardInterrupt):
        time_rounds([entry], Effort(2, 0.001, 1), lambda: 1.0, 1, Reporter(2, False), interrupted)


def test_work_runs_pinned_in_a_thread_of_its_own() -> None:
    cpus = choose_cpus(1)
    caller = threading.get_ident()
    ran_in, ran_on = run_pinned(cpus, lambda interrupted: (threading.get_ident(), os.sched_getaffinity(0)))
    assert ran_in != caller and ran_on == set(cpus)

    def fail(interrupted: threading.Event) -> None:
        raise LookupError("inside")

    with pytest.raises(LookupError, match="inside"):
        run_pinned(cpus, fail)


def test_two_threads() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one CPU")
    names = ["ours", "onnxruntime", "openvino", "onednn", "im2col+openblas"]
    result = quick(names, [ODD, SMALL], threads=2)
    assert len(set(result.cpus)) == 2
    for comparison in result.comparisons:
        for name in names:
            assert "wrong" not in (comparison[name].refused or "")
    assert all(c["ours"].timed for c in result.comparisons)


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
    result = bench_network(str(path), NATIVE, contestants=["ours"], quick=True, progress=False)
    assert result.comparisons[0].problem == "net"
    path.write_bytes(b"nonsense")
    for broken in (path, tmp_path / "none.onnx"):
        with pytest.raises(ModelError, match="cannot be read"):
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
    with pytest.raises(BenchmarkError, match="'image' is not float32"):
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
