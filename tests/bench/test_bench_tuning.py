"""The comparison of tuning with MetaSchedule's own space: its figures from given times, and one small run."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from cli_support import call
from tuning_support import TINY

from tvm_directconv.bench import TuningBenchmark, bench_tuning, tuning
from tvm_directconv.bench.figures import Comparison, Measurement
from tvm_directconv.bench.results import LayerResult
from tvm_directconv.bench.tuning import DEFAULT, LAYERS, PEER, TUNED, Search
from tvm_directconv.errors import BenchmarkError

OTHER = replace(TINY, in_channels=8)


def comparison(layer: str, ours: float, peer: float | None) -> Comparison:
    times = {"ours": ours, TUNED: ours, PEER: peer}
    measurements = [Measurement(name, (t, t), None if t else "no") for name, t in times.items()]
    return Comparison(layer, 1_000_000, (100.0, 100.0), tuple(measurements))


def result(*peers: float | None) -> TuningBenchmark:
    layers = [str(TINY), str(OTHER)]
    comparisons = [comparison(layer, 1e-3, peer) for layer, peer in zip(layers, peers, strict=True)]
    searches = {layer: {TUNED: Search((1.0,) * 4, 2.0), PEER: Search((None, 2.0), 10.0)} for layer in layers}
    timed = LayerResult("llvm", 1, (0,), "fma", {"processor": "a CPU"}, tuple(comparisons))
    return TuningBenchmark(timed, searches)


def test_figures_follow_from_the_times() -> None:
    found = result(2e-3, 8e-3)
    assert found.speedup() == pytest.approx(4.0)
    assert found.seconds_per_trial(TUNED) == 0.5 and found.seconds_per_trial(PEER) == 5.0
    record = json.loads(found.to_json())
    assert record["summary"]["speedup"] == pytest.approx(4.0)
    assert record["searches"][str(TINY)][PEER] == {"seconds": 10.0, "trials": [None, 2.0]}
    caption = str(found.table().caption)
    assert "4.00 times as fast as metaschedule" in caption and "10.0 times as many" in caption


def test_layers_without_an_answer_do_not_count() -> None:
    assert result(None, 3e-3).speedup() == pytest.approx(3.0)
    with pytest.raises(BenchmarkError, match="timed on no layer"):
        result(None, None).speedup()


def test_curves_fall() -> None:
    assert Search((None, 3.0, 4.0, None, 2.0), 1.0).curve == [math.inf, 3.0, 3.0, 3.0, 2.0]


def test_layers_that_are_not_compared() -> None:
    assert len(LAYERS) == 6
    with pytest.raises(BenchmarkError, match="plain float32 layers in NHWC"):
        bench_tuning([TINY.in_layouts("NCHW")])
    refused = call("bench", "resnet50", "--trials", "4")
    assert refused.exit_code == 2 and "takes layers by --layer" in refused.stderr


@pytest.mark.slow
def test_both_ways_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "POPULATION", 4)
    found = bench_tuning([TINY], trials=3, layout="NHWC", quick=True, progress=False)
    searches = found.searches[str(TINY)]
    assert {name: len(search.trials) for name, search in searches.items()} == {TUNED: 3, PEER: 3}
    (timed,) = found.timed.comparisons
    assert timed.contestants == ["ours", TUNED, PEER, DEFAULT]
    for name in timed.contestants:
        assert timed[name].timed, f"{name}: {timed[name].refused}"
    assert timed[PEER].facts["layout"] == "NHWC"
