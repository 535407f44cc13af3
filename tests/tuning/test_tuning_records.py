"""Tuning records: lines that survive interruptions, what is refused, and what is used where."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_strategies.strategies.candidates import Candidate, LayerSpace
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.record_files import FORMAT, Record, distance
from relay_strategies.strategies.records import Records, candidate_of, recorded_workload
from relay_strategies.tuning.history import finalists, make_record, nearest, similar
from relay_strategies.tuning.result import LayerTuning, TuningResult
from tvm_directconv.errors import TuningError
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import resolve_target

TARGET = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver5")
ELSEWHERE = resolve_target("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")
WORKLOAD = Conv2dWorkload(1, 14, 14, 64, 64, (3, 3), padding=(1, 1, 1, 1))
SPACE = LayerSpace(WORKLOAD, TARGET)
FIRST, SECOND, THIRD = SPACE.candidates[:3]


def record(candidate: Candidate = FIRST, seconds: float | None = 1e-3, final: bool = False) -> Record:
    times, error = (None, "it broke") if seconds is None else ([seconds], None)
    return make_record(SPACE, candidate, 1, times, error, final)


def written(path: Path, *records: Record) -> Path:
    Records(path).append(records)
    return path


# ---- the file


def test_a_record_has_all_there_is_to_know(tmp_path: Path) -> None:
    (line,) = written(tmp_path / "new" / "r.jsonl", record()).read_text().splitlines()
    fields = json.loads(line)
    assert fields["target"] == str(TARGET) and fields["workload"] == str(WORKLOAD)
    assert fields["algorithm"] == FIRST.algorithm and fields["knobs"] == asdict(FIRST.knobs)
    assert fields["seconds"] == [1e-3] and fields["error"] is None
    assert fields["format"] == FORMAT and fields["version"] and fields["time"]
    assert fields["workspace_bytes"] == SPACE.workspace_bytes(FIRST)


def test_records_come_back(tmp_path: Path) -> None:
    kept = [record(), record(SECOND, None), record(THIRD, 2e-3, final=True)]
    loaded = Records.load(written(tmp_path / "r.jsonl", *kept))
    assert loaded.records == kept and loaded.skipped == []
    assert loaded.measured(SPACE, 1) == {FIRST: 1e-3, SECOND: None, THIRD: 2e-3}
    assert loaded.measured(SPACE, 2) == {}
    assert [candidate_of(SPACE, r) for r in loaded.records] == [FIRST, SECOND, THIRD]


@given(cut=st.integers(0, 400), more=st.integers(1, 3))
def test_no_cut_costs_more_than_its_line(
    cut: int, more: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Wherever a writer was killed, earlier lines stay, and later ones do not join the cut one."""
    path = written(tmp_path_factory.mktemp("cut") / "r.jsonl", record(), record(SECOND))
    text = path.read_bytes()
    whole = text.index(b"\n") + 1
    path.write_bytes(text[: whole + cut])
    written(path, *[record(THIRD)] * more)
    loaded = Records.load(path)
    assert loaded.records[0].knobs == record().knobs
    assert [r.knobs for r in loaded.records[-more:]] == [record(THIRD).knobs] * more
    kept = len(loaded.records) - 1 - more
    assert kept == int(cut >= len(text) - whole - 1)  # the second, once only its end of line is missing
    assert len(loaded.skipped) == int(0 < cut < len(text) - whole - 1)


def test_records_of_several_writers_stay_whole(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    stores = [Records(path), Records(path)]
    children = []
    for store in stores:
        child = os.fork()
        if not child:
            for number in range(50):
                store.append([record(FIRST if number % 2 else SECOND)])
            os._exit(0)
        children.append(child)
    assert all(os.waitpid(child, 0)[1] == 0 for child in children)
    loaded = Records.load(path)
    assert len(loaded.records) == 100 and loaded.skipped == []


def corrupted(**changes: object) -> str:
    return json.dumps(json.loads(record().line()) | changes)


BAD = {
    "cut off": (record().line()[:-20], "no tuning record"),
    "no JSON": ("\x00\x00\x00", "no tuning record"),
    "another object": ('{"hello": 1}', "format None, and this version reads format 1"),
    "a list": ("[1, 2]", "no tuning record"),
    "an older format": (corrupted(format=0), "format 0, and this version reads format 1"),
    "a newer format": (corrupted(format=FORMAT + 1), "format 2, and this version reads format 1"),
    "a field too many": (corrupted(shape=1), "no tuning record"),
    "no layer": (corrupted(workload="n1"), "n1"),
    "times of nothing": (corrupted(seconds=[]), "its seconds are not times"),
    "negative times": (corrupted(seconds=[-1.0]), "its seconds are not times"),
    "times that are none": (corrupted(seconds=[math.nan]), "its seconds are not times"),
    "times beyond all floats": (corrupted(seconds=[10**400]), "no tuning record (OverflowError)"),
    "knobs that are none": (corrupted(knobs=[1]), "its knobs must be of type dict"),
    "workspace that is none": (corrupted(workspace_bytes="much"), "its workspace_bytes must be of type int"),
}


def test_numbers_of_knobs_are_those_of_the_space() -> None:
    """Another program may write 2 as 2.0."""
    knobs = {name: float(v) if type(v) is int else v for name, v in asdict(SECOND.knobs).items()}
    found = candidate_of(SPACE, replace(record(), algorithm=SECOND.algorithm, knobs=knobs))
    assert found is not None and json.dumps(found.as_dict()) == json.dumps(SECOND.as_dict())


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_and_skipped(name: str, tmp_path: Path) -> None:
    line, why = BAD[name]
    path = tmp_path / "r.jsonl"
    path.write_text(record().line() + "\n" + line + "\n" + record(SECOND).line())
    loaded = Records.load(path)
    assert [r.knobs for r in loaded.records] == [record().knobs, record(SECOND).knobs]
    (skipped,) = loaded.skipped
    assert skipped.startswith(f"{path}, line 3: ") and why in skipped and "\n" not in skipped


def test_bytes_that_are_no_text_cost_their_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"\xff\xfe\x00\n" + record().line().encode())
    loaded = Records.load(path)
    assert len(loaded.records) == len(loaded.skipped) == 1


def test_a_file_of_bad_lines_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(line for line, _ in BAD.values()))
    with pytest.raises(TuningError, match=r"' holds no tuning records; the first problem is .*, line 1:"):
        Records.load(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    assert Records.load(None).records == []
    assert Records.load(tmp_path / "new.jsonl").records == []
    (tmp_path / "empty.jsonl").touch()
    assert Records.load(tmp_path / "empty.jsonl").records == []
    with pytest.raises(TuningError, match="is not a file"):
        Records.load(tmp_path)


# ---- what is used of them


def test_records_of_another_target_are_left_alone(tmp_path: Path) -> None:
    loaded = Records.load(written(tmp_path / "r.jsonl", record(), replace(record(), target=str(ELSEWHERE))))
    assert loaded.foreign(TARGET) == loaded.foreign(ELSEWHERE) == 1
    assert len(list(loaded.of(TARGET))) == 1
    only = Records(records=[replace(record(), target=str(ELSEWHERE))])
    assert only.measured(SPACE, 1) == {} and only.choice(WORKLOAD, TARGET) is None
    assert similar(LayerSpace(replace(WORKLOAD, out_channels=96), TARGET), only) == []


def test_final_comparisons_go_before_single_measurements() -> None:
    records = Records(records=[record(FIRST, 1e-3), record(SECOND, 9e-4)])
    assert records.choice(WORKLOAD, TARGET) == (SECOND.algorithm, SECOND.knobs)
    records.append([record(FIRST, 1.1e-3, final=True), record(SECOND, 1.2e-3, final=True)])
    assert records.choice(WORKLOAD, TARGET) == (FIRST.algorithm, FIRST.knobs)
    records.append([record(FIRST, 2e-3, final=True), record(SECOND, 1.9e-3, final=True)])
    assert records.choice(WORKLOAD, TARGET) == (SECOND.algorithm, SECOND.knobs)  # of two runs, the last


def test_times_with_other_numbers_of_threads_are_not_compared() -> None:
    """What was measured last counts, with as many threads."""
    two = [replace(record(FIRST, 8e-4), threads=2), replace(record(SECOND, 7e-4), threads=2)]
    one = [record(FIRST, 1e-3), record(SECOND, 2e-3)]
    assert Records(records=two + one).choice(WORKLOAD, TARGET) == (FIRST.algorithm, FIRST.knobs)
    assert Records(records=one + two).choice(WORKLOAD, TARGET) == (SECOND.algorithm, SECOND.knobs)


def test_what_is_compared_in_the_end() -> None:
    """The analytical choice, unless that fails, and the fastest, all within the limits."""
    taking = next(c for c in SPACE.candidates if SPACE.workspace_bytes(c))
    others = [c for c in SPACE.candidates if not SPACE.workspace_bytes(c) and c != SPACE.analytical][:5]
    known: dict[Candidate, float | None] = {c: 2.0 - number / 10 for number, c in enumerate(others)}
    known |= {taking: 1.0}
    assert finalists(SPACE, known) == [SPACE.analytical, taking, *others[:-3:-1]]
    limited = LayerSpace(WORKLOAD, TARGET, Limits(0))
    assert finalists(limited, known | {limited.analytical: None}) == others[:-4:-1]
    assert finalists(SPACE, dict.fromkeys(known)) == []


def test_failures_are_known_but_no_choice() -> None:
    records = Records(records=[record(FIRST, None)])
    assert records.measured(SPACE, 1) == {FIRST: None}
    assert records.choice(WORKLOAD, TARGET) is None


def test_layers_share_records_whatever_follows_them() -> None:
    known = Records(records=[record(SECOND)])
    fused = WORKLOAD.with_epilogue(Epilogue(bias=True, low=0.0))
    assert known.choice(fused, TARGET) == (SECOND.algorithm, SECOND.knobs)
    assert known.choice(replace(fused, filter_layout="HWIO"), TARGET) == (SECOND.algorithm, SECOND.knobs)
    assert recorded_workload(fused) == WORKLOAD
    assert known.choice(replace(WORKLOAD, strides=(2, 2)), TARGET) is None


def test_a_budget_leaves_out_what_takes_more() -> None:
    with_workspace = next(c for c in SPACE.candidates if SPACE.workspace_bytes(c))
    without = next(c for c in SPACE.candidates if not SPACE.workspace_bytes(c))
    known = Records(records=[record(with_workspace, 1e-3), record(without, 2e-3)])
    assert known.choice(WORKLOAD, TARGET) == (with_workspace.algorithm, with_workspace.knobs)
    assert known.choice(WORKLOAD, TARGET, Limits(0)) == (without.algorithm, without.knobs)
    assert Records(records=[record(with_workspace)]).choice(WORKLOAD, TARGET, Limits(0)) is None


STRANGE: dict[str, Callable[[Record], Record]] = {
    "an algorithm gone": lambda r: replace(r, algorithm="winograd"),
    "a knob gone": lambda r: replace(r, knobs=r.knobs | {"fancy": 1}),
    "a value out of range": lambda r: replace(r, knobs=r.knobs | {"nr": 7}),
    "a value of another type": lambda r: replace(r, knobs=r.knobs | {"nr": [1]}),
    "no knobs": lambda r: replace(r, knobs={}),
}


@pytest.mark.parametrize("name", STRANGE)
def test_knobs_that_are_no_schedule_are_not_used(name: str) -> None:
    """Records of other versions, or edited by hand."""
    changed = STRANGE[name](record())
    assert candidate_of(SPACE, changed) is None
    known = Records(records=[changed])
    assert known.choice(WORKLOAD, TARGET) is None and known.measured(SPACE, 1) == {}


# ---- transfer


def test_similar_layers_come_nearest_first() -> None:
    shapes = {
        "itself": WORKLOAD,
        "wider": replace(WORKLOAD, out_channels=128),
        "larger": replace(WORKLOAD, height=56, width=56, out_channels=128),
        "1x1": Conv2dWorkload(1, 14, 14, 64, 64, (1, 1)),
    }
    far = [distance(WORKLOAD, shape) for shape in shapes.values()]
    assert far == sorted(far) and far[0] == 0 and far[2] == far[1] + 4 and far[3] >= 100


def test_knobs_move_to_the_nearest_value() -> None:
    """The same micro-kernel, where the layer has it."""
    for shape in (replace(WORKLOAD, height=28, width=28), replace(WORKLOAD, in_channels=256)):
        space = LayerSpace(shape, TARGET)
        for candidate in SPACE.candidates[::37]:
            moved = nearest(space, record(candidate))
            if moved is not None:
                assert moved in space.candidates and moved.algorithm == candidate.algorithm
                assert asdict(moved.knobs)["nr"] == asdict(candidate.knobs)["nr"]
    for candidate in SPACE.candidates[::37]:
        assert nearest(SPACE, record(candidate)) == candidate
    narrow = LayerSpace(replace(WORKLOAD, out_channels=16), TARGET)
    wide = next(c for c in SPACE.candidates if asdict(c.knobs)["nr"] == 64)
    assert nearest(narrow, record(wide)) is None


def test_the_best_of_similar_layers_are_first_candidates() -> None:
    known = Records(records=[record(FIRST, 3e-3), record(SECOND, 1e-3), record(THIRD, None)])
    space = LayerSpace(replace(WORKLOAD, height=28, width=28), TARGET)
    assert similar(space, known) == [nearest(space, record(SECOND))]
    assert similar(SPACE, known) == []  # its own are no transfer
    near, far = replace(WORKLOAD, height=16, width=16), replace(WORKLOAD, height=112, width=112)
    for shape in (far, near):
        other = LayerSpace(shape, TARGET)
        known.append([make_record(other, other.candidates[0], 1, [1e-3])])
    found = similar(space, known)
    assert len(found) == len(set(found)) <= 3
    assert similar(space, known, most=1) == found[:1]


def test_similar_layers_obey_the_budget() -> None:
    hungry = next(c for c in SPACE.candidates if SPACE.workspace_bytes(c))
    known = Records(records=[record(hungry)])
    shape = replace(WORKLOAD, height=28, width=28)
    assert similar(LayerSpace(shape, TARGET), known)
    assert similar(LayerSpace(shape, TARGET, Limits(0)), known) == []


# ---- results


def layer(*records: Record, analytical: Record | None = None, best: Record | None = None) -> LayerTuning:
    return LayerTuning(str(WORKLOAD), 2, WORKLOAD.flops, len(records), analytical, best, records)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5)), min_size=1, max_size=8))
def test_the_pareto_set_has_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    records = [replace(record(seconds=t), workspace_bytes=b) for t, b in points]
    optimal = {(r.median, r.workspace_bytes) for r in layer(*records).pareto}
    everything = {(r.median, r.workspace_bytes) for r in records}

    def beaten(point: tuple[float, int]) -> bool:
        return any(other[0] <= point[0] and other[1] <= point[1] for other in everything - {point})

    assert optimal == {point for point in everything if not beaten(point)}


def test_gains_are_weighted_by_count() -> None:
    analytical, best = record(FIRST, 3e-3, final=True), record(SECOND, 2e-3, final=True)
    result = TuningResult(
        str(TARGET), 1, (layer(analytical=analytical, best=best), layer()), ("r, line 1: x",), 3
    )
    assert result.layers[0].gain == pytest.approx(1.5) and result.layers[1].gain == 1.0
    assert result.analytical_seconds == pytest.approx(6e-3)
    assert result.tuned_seconds == pytest.approx(4e-3)
    assert result.geomean_gain == pytest.approx(math.sqrt(1.5))
    fields = json.loads(result.to_json())
    assert fields["layers"][0]["gain"] == pytest.approx(1.5) and fields["foreign"] == 3
    assert fields["layers"][0]["best"]["knobs"] == asdict(SECOND.knobs)
    caption = str(result.table().caption)
    assert "3 records of other targets" in caption and "skipped r, line 1: x" in caption
