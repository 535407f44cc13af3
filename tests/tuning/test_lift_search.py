"""The search for points of ``lift``: drawn, checked, timed and recorded, and what compiling makes of that."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cli_support import fail, succeed
from graph_support import draw, network, node
from lift_support import MALI, POCL, build_nothing
from support import reference_conv2d
from tuning_support import candidates_of, lines_of, trials_of

import tvm_directconv as directconv
from relay_strategies.strategies.device_candidates import DeviceSpace
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.records import Records, candidate_of
from relay_strategies.tuning import device
from relay_strategies.tuning.device import next_points, random_points
from relay_strategies.tuning.reference import drawn_operands, reference_convolution, wrong_share
from relay_strategies.tuning.status import Status
from tvm_directconv.algorithms.lift.plan import LiftPlan
from tvm_directconv.errors import TuningError
from tvm_directconv.problem.workload import Conv2dWorkload

TARGET = "opencl -machine=pocl"
TINY = Conv2dWorkload(1, 6, 6, 4, 8, (3, 3), padding=(1, 1, 1, 1))
TINY_TEXT = "1,6,6,4,8,3,3,1,1"
GROUPED = "n2_ih9iw8_ic6_oc4_k5x3_s2x1_p2x0x1x2_d1x2_g2_float16-float32_NHWC_OIHW"


@pytest.fixture(scope="module")
def compiler() -> None:
    """OpenCL's, which a search takes as it is and records what it refuses."""
    build_nothing()


@pytest.fixture(scope="module")
def tuned(compiler: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three points, resumed to five by the command line."""
    path = tmp_path_factory.mktemp("lift") / "r.jsonl"
    told: list[int] = []
    first = directconv.tune(TINY, TARGET, 3, path, on_progress=lambda status: told.append(status.done))
    assert sorted(set(told)) == [1, 2, 3] and len(trials_of(path)) == 3
    assert first.layers[0].analytical is not None and first.layers[0].gain >= 1
    text = succeed(
        "tune", "--layer", TINY_TEXT, "--target", TARGET, "--trials", 5, "--records", path, "--json"
    )
    result = json.loads(text)
    (layer,) = result["layers"]
    assert layer["trials"] == 2 and layer["pareto"] and result["largest_gain"] == layer["gain"]
    assert f"takes at most {first.layers[0].gain:.2f} times the time of the best found" in str(first)
    return path


def test_five_points_are_measured_once_each_the_models_choice_first(tuned: Path):
    trials, space = trials_of(tuned), DeviceSpace(TINY, POCL)
    assert len(trials) == len(set(candidates_of(trials))) == 5
    assert all(trial["seconds"] and not trial["error"] for trial in trials)
    first = space.candidate_from(trials[0])
    assert first == space.analytical
    assert [r["workspace_bytes"] for r in trials] == [
        space.workspace_bytes(space.candidate_from(r)) for r in trials
    ]
    finals = [record for record in lines_of(tuned) if record["final"]]
    assert trials[0]["knobs"] in [record["knobs"] for record in finals]


def test_the_best_record_is_compiled(tuned: Path, tmp_path: Path):
    """A record that a slower point is fastest, so that it cannot be the analytical choice."""
    wanted = next(trial for trial in trials_of(tuned)[1:])
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(wanted | {"seconds": [1e-9]}) + "\n" + json.dumps(trials_of(tuned)[0]) + "\n")
    conv = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    layers = [node("Conv", "x w b", "c", **conv), node("Relu", "c", "y")]
    shapes = {"x": (1, 4, 6, 6)}, {"y": (1, 8, 6, 6)}
    model = network(layers, *shapes, {"w": draw(8, 4, 3, 3), "b": draw(8)})
    plain = directconv.compile(model, TARGET)
    chosen = directconv.compile(model, TARGET, tuning=path)
    (layer,) = chosen.report().layers
    assert layer.tuned and dict(layer.tile) == wanted["knobs"] != dict(plain.report().layers[0].tile)
    data = [np.random.default_rng(0).random((1, 4, 6, 6), np.float32)]
    np.testing.assert_allclose(chosen.run(data)[0], plain.run(data)[0], rtol=1e-5, atol=1e-5)


def test_recorded_points_are_weighed(tuned: Path, tmp_path: Path):
    command = ("pareto", str(TINY), "--target", TARGET)
    plot = tmp_path / "p.svg"
    report = json.loads(succeed(*command, "--records", tuned, "--plot", plot, "--json"))
    (layer,) = report["layers"]
    assert report["unit"] == "seconds" and plot.stat().st_size
    assert {json.dumps(p["knobs"]): p["workspace_bytes"] for p in layer["points"]} == {
        json.dumps(trial["knobs"]): trial["workspace_bytes"] for trial in trials_of(tuned)
    }
    assert min(layer["points"], key=lambda point: point["time"])["optimal"]
    assert "the records of 'tune' are weighed" in fail(*command)
    assert "does not contain times of these layers" in fail(*command[:-1], "opencl", "--records", tuned)
    assert "measured here" in fail(*command[:-1], "llvm -mcpu=native", "--records", tuned)


def test_points_that_compute_something_else_are_recorded_as_failed(tmp_path: Path, monkeypatch):
    path, right = tmp_path / "r.jsonl", LiftPlan.pack
    monkeypatch.setattr(LiftPlan, "pack", lambda plan, weights: -right(plan, weights))
    result = directconv.tune(TINY, TARGET, 1, path)
    (record,) = lines_of(path)
    assert record["seconds"] is None and "wrong result: " in record["error"]
    assert result.layers[0].best is None and Records.load(path).choice(TINY, POCL) is None
    monkeypatch.setattr(device, "PATIENCE", 1)
    with pytest.raises(TuningError, match="1 points in a row failed, the last with: wrong result"):
        directconv.tune(TINY, TARGET, 2, path)
    monkeypatch.setattr(LiftPlan, "pack", right)
    assert directconv.tune(TINY, TARGET, 3, path).layers[0].trials == 1


def test_an_interruption_loses_nothing(tmp_path: Path):
    def interrupt(status: Status) -> None:
        if status.done == 2:
            raise KeyboardInterrupt

    result = directconv.tune(TINY, TARGET, 4, tmp_path / "r.jsonl", on_progress=interrupt)
    assert result.interrupted and len(lines_of(tmp_path / "r.jsonl")) == 2


def test_points_are_drawn_half_by_rank_and_never_again():
    space = DeviceSpace(TINY, POCL)
    first = list(next_points(space, {}, 9, 0))
    assert first[0] == space.analytical and len(set(first)) == 9
    totals = [space.plan(candidate).cost().total for candidate in first[1:]]
    assert totals[:4] == sorted(totals[:4]) and max(totals[:4]) <= min(totals[4:])
    more = list(next_points(space, dict.fromkeys(first), 9, 0))
    assert len(more) == 9 and not set(first) & set(more)
    fast = dict.fromkeys(more, 1.0) | {first[0]: 1e-6}
    near = [
        sum(vars(first[0].knobs)[n] == v for n, v in vars(c.knobs).items())
        for c in next_points(space, fast, 64, 0)
    ]
    assert max(near) >= 10 > min(near)
    lean = DeviceSpace(TINY, POCL, Limits(workspace_bytes=0))
    assert all(lean.workspace_bytes(candidate) == 0 for candidate in next_points(lean, {}, 9, 0))


def test_points_may_be_drawn_by_chance_alone(compiler: None, tmp_path: Path):
    space, path = DeviceSpace(TINY, POCL), tmp_path / "r.jsonl"
    first = list(random_points(space, {}, 16, 0))
    assert len(set(first)) == 16 and first == list(random_points(space, {}, 16, 0))
    assert not set(first) & set(random_points(space, dict.fromkeys(first), 16, 0))
    totals = [space.plan(candidate).cost().total for candidate in first]
    assert totals != sorted(totals), "the model ranks nothing"
    directconv.tune(TINY, TARGET, 2, path, search="random")
    # The comparison has measured the analytical choice as a third.
    (layer,) = directconv.tune(TINY, TARGET, 4, path, search="random").layers
    known = [r for r in Records.load(path).records if not r.final]
    assert [candidate_of(space, record) for record in known[:2]] == list(random_points(space, {}, 2, 0))
    assert len(known) == 3 and layer.trials == 1 and layer.analytical and layer.gain >= 1
    numbers, seconds = zip(*layer.best_so_far, strict=True)
    assert numbers[0] == 1 and list(seconds) == sorted(seconds, reverse=True)
    assert seconds[-1] == min(record.median for record in known)
    with pytest.raises(TuningError, match="a search is by 'model' or 'random', not 'luck'"):
        directconv.tune(TINY, TARGET, 2, search="luck")
    with pytest.raises(TuningError, match="search='random' is of GPUs"):
        directconv.tune(TINY, "llvm -mcpu=native", 2, search="random")


@pytest.mark.parametrize(
    "change",
    [
        {"filters": 5},
        {"filters": 8.0},
        {"vector": True},
        {"unroll": 1},
        {"tile_h": 10**9},
        {"nr": 8},
        {"pad": "nowhere"},
    ],
)
def test_records_of_other_parameters_are_not_used(tuned: Path, tmp_path: Path, change):
    record = trials_of(tuned)[0]
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(record | {"knobs": record["knobs"] | change}) + "\n")
    assert Records.load(path).choice(TINY, POCL) is None
    assert Records.load(tuned).choice(TINY, POCL) is not None
    assert Records.load(tuned).choice(TINY, MALI) is None


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ("--target", "opencl -device=mali"),
            "the target is a device of 'mali', and the OpenCL device at hand",
        ),
        (("--target", "cuda"), "there is no CUDA driver"),
        (("--target", TARGET, "--threads", 2), "threads are of CPUs"),
        (("--target", TARGET, "--layout", "NCHW"), "lift needs NHWC data"),
        (
            ("--target", TARGET, "--max-filter-bytes", 1),
            "nothing to tune: the model's choice takes 1152 bytes",
        ),
    ],
)
def test_what_cannot_be_tuned_is_said(arguments, problem: str):
    assert problem in fail("tune", "--layer", TINY_TEXT, "--trials", 2, *arguments)


@pytest.mark.parametrize("layer", [str(TINY), GROUPED, str(replace(TINY, groups=4))])
def test_the_reference_is_the_definition(layer: str):
    workload = Conv2dWorkload.parse(layer)
    data, weights = drawn_operands(workload)
    want = reference_convolution(workload, data, weights)
    np.testing.assert_array_equal(want, reference_conv2d(workload, data, weights, None, None))
    got = want.copy()
    assert wrong_share(got, want, "float32") == 0
    got.flat[:2] = math.nan, got.flat[1] + 1
    assert wrong_share(got, want, "float32") == pytest.approx(2 / want.size)
