"""Tuning end to end on tiny layers: what is measured, kept, repeated, interrupted, and used afterwards."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from byte_support import quantized
from cli_support import call, fail, succeed
from graph_support import draw, inputs_of, network, node
from reference import run_onnx_runtime
from tuning_support import (
    PATIENCE_SECONDS,
    TINY,
    TINY_TEXT,
    candidates_of,
    lines_of,
    start_tuner,
    trials_of,
    wait_until,
)
from tvm.ir.utils import derived_object
from tvm.s_tir.meta_schedule.builder import BuilderInput, BuilderResult, PyBuilder

import tvm_directconv as directconv
from relay_strategies.compiler.layer import build_conv2d
from relay_strategies.compiler.library.linking import shared_library_maker
from relay_strategies.strategies.candidates import LayerSpace
from relay_strategies.strategies.records import Records
from relay_strategies.tuning import measure, run
from relay_strategies.tuning.history import FINALISTS, make_record, similar
from relay_strategies.tuning.search import PATIENCE, Budget, Search
from relay_strategies.tuning.status import Status
from relay_strategies.tuning.tune import tune, tuned_layers
from tvm_directconv import zoo
from tvm_directconv.errors import TuningError
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

NATIVE = resolve_target("llvm -mcpu=native")
TRIALS = 6
OPENED = {
    "llvm -mtriple=x86_64-linux-gnu -mcpu=znver5": 12,
    "llvm -mtriple=x86_64-linux-gnu -mcpu=znver3": 21,
    "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1": 24,
}
"""How many kernels (algorithms and widths) there are for the tiny layer with 64 output channels."""


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of the tiny layer."""
    path = tmp_path_factory.mktemp("tuned") / "r.jsonl"
    result = tune(TINY, NATIVE, TRIALS, path)
    (layer,) = result.layers
    assert layer.trials == TRIALS and not result.interrupted
    return path


# ---- one layer


@pytest.mark.slow
def test_the_analytical_choice_is_measured_first(tuned: Path) -> None:
    records, space = trials_of(tuned), LayerSpace(TINY, NATIVE)
    assert len(records) == TRIALS == len(set(candidates_of(records)))
    assert {k: records[0][k] for k in ("algorithm", "knobs")} == space.analytical.as_dict()
    assert {record["algorithm"] for record in records} == set(space.algorithms)
    for record in records:
        assert record["error"] is None and min(record["seconds"]) > 0
        assert record["workload"] == str(TINY) and record["target"] == str(NATIVE)
        assert record["workspace_bytes"] == space.workspace_bytes(space.candidate_from(record))


def test_the_end_compares_the_best_with_the_analytical_choice(tuned: Path) -> None:
    final = [record for record in lines_of(tuned) if record["final"]]
    assert final == lines_of(tuned)[-len(final) :] and 2 <= len(final) <= FINALISTS + 1
    analytical = LayerSpace(TINY, NATIVE).analytical.as_dict()
    assert {k: final[0][k] for k in analytical} == analytical
    assert all(len(record["seconds"]) == run.QUIET_ROUNDS for record in final)


@pytest.mark.slow
def test_a_finished_run_measures_nothing_again(tuned: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(tuned.read_bytes())
    result = tune(TINY, NATIVE, TRIALS, path)
    assert trials_of(path) == trials_of(tuned) and result.layers[0].trials == 0
    assert result.layers[0].best is not None and result.layers[0].gain >= 1.0


@pytest.mark.slow
def test_more_trials_go_on_from_the_records(tuned: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(tuned.read_bytes())
    seen: list[Status] = []
    result = tune(TINY, NATIVE, TRIALS + 3, path, on_progress=seen.append)
    records = trials_of(path)
    assert records[:TRIALS] == trials_of(tuned)
    assert len(records) == TRIALS + 3 == len(set(candidates_of(records)))
    assert result.layers[0].trials == 3 == seen[-1].done == seen[-1].total


@pytest.mark.slow
def test_a_search_that_gains_nothing_ends(tmp_path: Path) -> None:
    space = LayerSpace(TINY, NATIVE)
    slow = [make_record(space, candidate, 1, [1e-3]) for candidate in space.candidates[1 : PATIENCE + 1]]
    path = tmp_path / "r.jsonl"
    Records(path).append([make_record(space, space.candidates[0], 1, [1e-6]), *slow])
    result = tune(TINY, NATIVE, 2 * PATIENCE, path)
    assert result.layers[0].trials == 0 and len(trials_of(path)) == PATIENCE + 1


@pytest.mark.parametrize("target", OPENED)
def test_the_opening_has_every_algorithm_and_a_kernel_of_each_width(target: str) -> None:
    """As many as fit into it, the cheapest by estimate first; none twice before."""
    space = LayerSpace(replace(TINY, out_channels=64), resolve_target(target))
    search = Search(space, {}, Budget(100))
    search.pre_tuning(100, 4, [])
    opening = []
    for _ in range(4):
        batch = search.generate_measure_candidates()
        opening += [search.designs.candidate_of(each.sch.mod) for each in batch]
        for candidate in opening[-4:]:
            search.measured[candidate] = 1e-3
    assert len(set(opening)) == 16 == 100 - search.budget.trials
    assert {c.algorithm for c in opening} == set(space.algorithms)
    kernels = {(c.algorithm, c.knobs.nr): c for c in reversed(space.candidates)}
    assert len(kernels) == OPENED[target]
    leaders = {c.algorithm: c for c in reversed(space.candidates)}
    others = sorted(set(kernels.values()) - set(leaders.values()), key=space.candidates.index)
    expected = [*leaders.values(), *others][: len(opening)]
    assert set(opening[: len(expected)]) == set(expected)


@pytest.mark.slow
def test_workspace_is_within_the_budget(tmp_path: Path) -> None:
    result = tune(TINY, NATIVE, 4, tmp_path / "r.jsonl", max_workspace_bytes=0)
    records = lines_of(tmp_path / "r.jsonl")
    assert records and all(record["workspace_bytes"] == 0 for record in records)
    assert [record.workspace_bytes for record in result.layers[0].pareto] == [0]


@pytest.mark.slow
def test_the_command_tells_what_it_gained(tmp_path: Path) -> None:
    arguments = ("tune", "--layer", TINY_TEXT, "--trials", "3", "--records", tmp_path / "r.jsonl")
    text = " ".join(succeed(*arguments, "--save", tmp_path / "result.json").split())
    assert "16x8x8 -> 16 3x3" in text and "geometric mean of gains" in text
    saved = json.loads((tmp_path / "result.json").read_text())
    printed = json.loads(succeed(*arguments, "--json"))
    assert saved["layers"][0]["trials"] == 3 and printed["layers"][0]["trials"] == 0
    assert saved["geomean_gain"] >= 1.0 and saved["layers"][0]["pareto"]
    explained = succeed("explain", str(TINY), "--records", tmp_path / "r.jsonl")
    best = Records.load(tmp_path / "r.jsonl").best(TINY, NATIVE)
    assert best is not None and best.algorithm in explained


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_layers_in_8_bits_and_other_layouts(layout: str, tmp_path: Path) -> None:
    byte = quantized(TINY, "uint8", QuantizedTypes("uint8", 3, 5))
    workload = byte if layout == "NHWC" else TINY.in_layouts(layout)
    tune(workload, NATIVE, 4, tmp_path / "r.jsonl")
    records = trials_of(tmp_path / "r.jsonl")
    assert len(records) == 4 and all(record["seconds"] for record in records)
    layer = build_conv2d(workload, NATIVE, tuning=tmp_path / "r.jsonl")
    best = Records.load(tmp_path / "r.jsonl").best(workload, NATIVE)
    assert best is not None and layer.implementation.name == best.algorithm


@pytest.mark.slow
def test_near_layers_are_tried_with_the_best_known_knobs(tuned: Path, tmp_path: Path) -> None:
    near = LayerSpace(replace(TINY, height=9, width=9), NATIVE)
    path = tmp_path / "r.jsonl"
    path.write_bytes(tuned.read_bytes())
    tune(near.workload, NATIVE, 3, path)
    measured = [near.candidate_from(r) for r in trials_of(path) if r["workload"] == str(near.workload)]
    expected = list(dict.fromkeys([near.analytical, *similar(near, Records.load(tuned))]))
    assert len(measured) == 3 and measured[: len(expected)] == expected


# ---- failures


@derived_object
class Sabotaged(PyBuilder):
    """The real builder, of whose libraries the first, third, ... are replaced by those given, in turn; None
    is one that could not be built."""

    def __init__(self, real: measure.Builder, others: list[Path | None]) -> None:
        super().__init__()
        self.real, self.others, self.pool = real, others, real.pool

    def build(self, build_inputs: list[BuilderInput]) -> list[BuilderResult]:
        results = list(self.real.build(build_inputs))
        for position in range(1, len(results), 2):
            if self.others:
                other = self.others.pop(0)
                failed = BuilderResult(None, "not built\nby the test")
                results[position] = failed if other is None else BuilderResult(str(other), None)
        return results


MAIN = """
#ifdef __cplusplus
extern "C"
#endif
int __tvm_ffi_main(void *self, const void *arguments, int count, void *result) { %s return 0; }
"""
CRASHES, HANGS = MAIN % "*(volatile int *)0 = 1;", MAIN % "for (volatile int i = 0;; i = 1 - i);"


@pytest.mark.slow
def test_a_failing_candidate_costs_one_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    libraries: list[Path | None] = [None]
    for name, source in {"crash": CRASHES, "hang": HANGS, "none": ""}.items():
        (tmp_path / name).mkdir()
        code = tmp_path / name / "code.c"
        code.write_text(source)
        libraries.append(tmp_path / name / "candidate.so")
        if source:
            shared_library_maker(NATIVE, None)(str(libraries[-1]), [str(code)])
    real = run.make_builder
    monkeypatch.setattr(run, "make_builder", lambda *given: Sabotaged(real(*given), libraries))
    monkeypatch.setattr(measure, "RUN_SECONDS", 20)
    result = tune(TINY, NATIVE, 10, tmp_path / "r.jsonl")
    records = trials_of(tmp_path / "r.jsonl")
    assert len(records) == 10 == len(set(candidates_of(records)))
    failed = [number for number, record in enumerate(records) if record["seconds"] is None]
    assert failed == [1, 3, 5, 7]
    assert all(records[number]["error"] and "\n" not in records[number]["error"] for number in failed)
    assert "by the test" in records[1]["error"] and "20 seconds" in records[5]["error"]
    best = result.layers[0].best
    assert best is not None and best.seconds
    known = Records.load(tmp_path / "r.jsonl").measured(LayerSpace(TINY, NATIVE), 1)
    assert sum(seconds is None for seconds in known.values()) == 4


# ---- interruptions


@pytest.mark.slow
def test_interrupted_in_a_callback(tmp_path: Path) -> None:
    def stop(status: Status) -> None:
        if status.done == 2:
            raise KeyboardInterrupt

    result = tune(TINY, NATIVE, 4, tmp_path / "r.jsonl", on_progress=stop)
    assert result.interrupted and "interrupted: the same command goes on" in str(result.table().caption)
    assert len(trials_of(tmp_path / "r.jsonl")) == 2


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_stopped_and_resumed(how: signal.Signals, tmp_path: Path) -> None:
    """A real process, killed or interrupted (with its children, as a terminal does) between two batches."""
    path, trials = tmp_path / "r.jsonl", 40
    arguments = ("--layer", TINY_TEXT, "--trials", str(trials), "--records", path)
    process = start_tuner(*arguments)
    try:
        wait_until(lambda: path.exists() and path.read_text().count("\n") >= 16, "there are records")
        if how == signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, how)
        printed, errors = process.communicate(timeout=PATIENCE_SECONDS)
    finally:
        process.kill()
    before = trials_of(path)
    assert 16 <= len(before) < trials
    if how == signal.SIGINT:
        assert process.returncode == 130
        # Nothing, where putting things away took longer than the watch over interrupts gives it.
        assert not printed or "interrupted: the same command goes on" in printed
        assert errors.startswith("interrupted; what was measured is in") and errors.count("\n") == 1
    text = succeed("tune", *arguments)
    after = trials_of(path)
    assert after[: len(before)] == before and "interrupted" not in text
    assert len(after) == trials == len(set(candidates_of(after)))


# ---- networks


@pytest.fixture(scope="module")
def small_network() -> onnx.ModelProto:
    """Three convolutions, two of them alike."""
    nodes = [
        node("Conv", "x a", "y", pads=[1, 1, 1, 1]),
        node("Relu", "y", "z"),
        node("Conv", "z b", "u", pads=[1, 1, 1, 1]),
        node("Conv", "u c bias", "v", pads=[1, 1, 1, 1]),
    ]
    weights = {"a": draw(16, 3, 3, 3), "b": draw(16, 16, 3, 3), "c": draw(16, 16, 3, 3, seed=1)}
    weights["bias"] = draw(16)
    return network(nodes, {"x": [1, 3, 8, 8]}, {"v": [1, 16, 8, 8]}, weights)


def test_layers_of_a_network_are_counted(small_network: onnx.ModelProto) -> None:
    layers = tuned_layers(small_network, NATIVE)
    assert layers == {TINY: 2, replace(TINY, in_channels=3): 1}


@pytest.mark.slow
def test_a_network_is_tuned_and_compiled(small_network: onnx.ModelProto, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    result = tune(small_network, NATIVE, 7, path)
    records = trials_of(path)
    assert len(records) == 7 == sum(layer.trials for layer in result.layers)
    spaces = [LayerSpace(Conv2dWorkload.parse(layer.workload), NATIVE) for layer in result.layers]
    for space in spaces:
        first = next(record for record in records if record["workload"] == str(space.workload))
        assert {k: first[k] for k in ("algorithm", "knobs")} == space.analytical.as_dict()
    model = directconv.compile(small_network, NATIVE, tuning=path)
    report = model.report()
    assert report.untuned == [] and "layers without: none" in str(report)
    best = {layer.workload: layer.best for layer in result.layers}
    for reported in report.layers:
        record = best[str(next(s.workload for s in spaces if str(s.workload) in reported.workload))]
        assert record is not None and reported.tuned and reported.algorithm == record.algorithm
    inputs = inputs_of(small_network)
    for got, want in zip(model.run(inputs), run_onnx_runtime(small_network, inputs), strict=True):
        np.testing.assert_allclose(got, want, atol=1e-4)


def made_up(workload: Conv2dWorkload) -> Records:
    """A record of a layer, as if its last candidate were fast."""
    space = LayerSpace(workload, NATIVE)
    return Records(records=[make_record(space, space.candidates[-1], 1, [1e-9])])


def test_compile_applies_records_and_names_layers_without(small_network: onnx.ModelProto) -> None:
    space = LayerSpace(TINY, NATIVE)
    model = directconv.compile(small_network, NATIVE, tuning=made_up(TINY))
    first, *others = model.report().layers
    assert model.report().untuned == [first.name] and first.name in str(model.report())
    for layer in others:
        assert layer.tuned and layer.algorithm == space.candidates[-1].algorithm
        assert asdict(space.candidates[-1].knobs).items() <= dict(layer.tile).items()
    inputs = inputs_of(small_network)
    for got, want in zip(model.run(inputs), run_onnx_runtime(small_network, inputs), strict=True):
        np.testing.assert_allclose(got, want, atol=1e-4)


def test_an_algorithm_that_is_asked_for_goes_before_records(small_network: onnx.ModelProto) -> None:
    report = directconv.compile(small_network, NATIVE, algorithm="direct_nhwc", tuning=made_up(TINY)).report()
    assert {layer.algorithm for layer in report.layers} == {"direct_nhwc"}
    assert all(layer.tuned is False for layer in report.layers)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("squeezenet", "NHWC"),
        ("squeezenet", "NCHW"),
        ("squeezenet", "blocked"),
        ("shufflenet", "NCHW"),
        ("squeezenet_int8", "NHWC"),
        ("squeezenet_int8", "blocked"),
    ],
)
def test_what_is_tuned_is_what_is_compiled(name: str, layout: str) -> None:
    """Every layer of a network that ``tune`` takes is found again by ``compile``."""
    model = zoo.load_model(name)
    known = Records()
    for workload in tuned_layers(model, NATIVE, layout):
        known.append(made_up(workload).records)
    report = directconv.compile(model, NATIVE, layout=layout, tuning=known).report()
    assert report.untuned == []


# ---- errors


def test_what_cannot_be_tuned_is_said_in_one_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("nothing\n")
    layer = ("tune", "--layer", TINY_TEXT)
    for arguments, message in [
        (("--tracker", "localhost:9190"), "both --tracker host:port and --key ..."),
        (("--key", "board"), "both --tracker host:port and --key ..."),
        (("--tracker", "localhost", "--key", "board"), "'localhost' is not HOST:PORT"),
        (("--tracker", "localhost:99999", "--key", "board"), "'localhost:99999' is not HOST:PORT"),
        (("--tracker", "127.0.0.1:1", "--key", "board"), "no RPC tracker at 127.0.0.1:1"),
        (("--records", bad), "holds no tuning records"),
        (("--threads", "4096"), "4096 threads on"),
        (("--target", "llvm -mtriple=aarch64-linux-gnu"), "aarch64"),
        (("--max-workspace-bytes", "0", "--layout", "NCHW"), "of workspace, of which 0 are allowed"),
        (("--layout", "CHWN"), "CHWN"),
        (("--records", tmp_path / "bad.jsonl" / "r.jsonl"), "Not a directory"),
    ]:
        assert message in fail(*layer, *arguments)
    assert "not nine numbers" in fail("tune", "--layer", "1,2,3")
    assert "not nine numbers" in fail("tune", "--layer", "1,8,8,16,16,3,3,1,x")
    assert "kernel" in fail("tune", "--layer", "1,8,8,16,16,0,3,1,1")
    assert "n1_ih" in fail("tune", "--layer", "n1_ih8")
    assert "nothing.onnx" in fail("tune", "nothing.onnx")
    assert call("tune").exit_code == call("tune", "resnet50", "--layer", TINY_TEXT).exit_code == 2
    assert call(*layer, "--trials", "0").exit_code == 2
    for trials in (0, 1.5, "32"):
        with pytest.raises(TuningError, match="at least one trial"):
            tune(TINY, NATIVE, trials)  # type: ignore[arg-type]
