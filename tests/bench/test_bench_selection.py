"""The figures on the choice of an algorithm, on fixed rounds, and the command that takes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from bench_support import SMALL, peers_apart
from click.testing import CliRunner
from rich.console import Console

from tvm_directconv import zoo
from tvm_directconv.algorithms import ALGORITHMS as KNOWN
from tvm_directconv.algorithms.accuracy import ACCURACIES
from tvm_directconv.bench import Comparison, LayerResult, Measurement, Result
from tvm_directconv.bench.selection import (
    best_peer,
    chosen,
    excess,
    good_share,
    nhwc_seconds,
    of_sconv_paper,
    speed_up,
    summary,
    summary_lines,
    time_weighted_speed_up,
)
from tvm_directconv.cli.group import commands as main
from tvm_directconv.cli.measure import named_algorithms
from tvm_directconv.problem.workload import Conv2dWorkload

ALGORITHMS = ("direct_nhwc", "sconv")


def layer(choice: str, direct: float, sconv: float, edges: float, model: str) -> Comparison:
    """Two rounds of the same times in ms; the choice takes its algorithm's, the peers take 6 and 4."""
    ours = direct if choice == "direct_nhwc" else sconv + edges

    def measured(name: str, ms: float, **facts: str | float) -> Measurement:
        return Measurement(name, (ms / 1e3, ms / 1e3), error=0.0, facts=facts)

    return Comparison(
        str(SMALL),
        10**9,
        (400.0, 400.0),
        (
            measured("ours", ours, algorithm=choice),
            measured("direct_nhwc", direct, layout_seconds=0.0),
            measured("sconv", sconv, layout_seconds=edges / 1e3),
            measured("im2col+openblas", 6.0),
            measured("onednn", 4.0),
            Measurement("openvino", refused="not installed here"),
        ),
        {model: 1},
    )


@pytest.fixture
def result() -> LayerResult:
    """Chosen right, chosen right because of the edges, chosen wrong by half."""
    layers = (
        layer("direct_nhwc", 3.0, 4.0, 0.0, "light_resnet50"),
        layer("direct_nhwc", 3.0, 2.9, 1.0, "light_densenet121"),
        layer("sconv", 2.0, 2.5, 0.5, "light_squeezenet"),
    )
    return LayerResult("llvm", 1, (0,), "24 x fma", {"processor": "some CPU"}, layers)


def test_edges_are_charged(result: LayerResult) -> None:
    assert nhwc_seconds(result.comparisons[1], "sconv") == pytest.approx(0.0039)
    assert nhwc_seconds(result.comparisons[1], "direct_nhwc") == pytest.approx(0.003)
    assert nhwc_seconds(result.comparisons[1], "openvino") is None


def test_choice_against_the_best_of_ours(result: LayerResult) -> None:
    assert [chosen(c) for c in result.comparisons] == ["direct_nhwc", "direct_nhwc", "sconv"]
    assert [excess(c, ALGORITHMS) for c in result.comparisons] == pytest.approx([0, 0, 0.5])
    assert good_share(result) == pytest.approx(2 / 3)
    assert good_share(result, slack=0.6) == 1


def test_free_edges_judge_more_harshly(result: LayerResult) -> None:
    free = [excess(c, ALGORITHMS, edges=False) for c in result.comparisons]
    assert free == pytest.approx([0, 3 / 2.9 - 1, 0.25])
    assert good_share(result, slack=0.03, edges=False) == pytest.approx(1 / 3)


def test_choice_against_peers(result: LayerResult) -> None:
    assert best_peer(result.comparisons[0]) == "onednn"
    # 6 over 3, 3 and 3 ms.
    assert speed_up(result, "ours", "im2col+openblas") == pytest.approx(2)
    assert speed_up(result, "ours", "openvino") is None


def test_sconv_is_judged_on_the_networks_of_its_paper(result: LayerResult) -> None:
    assert of_sconv_paper(result).models == ["light_resnet50", "light_squeezenet"]
    figures = summary(result)
    (name,) = (name for name in figures if "networks of its paper" in name)
    assert figures[name] == pytest.approx((6 / 4 * 6 / 2.5) ** 0.5)


def test_sconv_is_judged_by_all_layers_of_a_network_together(result: LayerResult) -> None:
    """A layer counts as often as the network has it, and as much as it takes, as in the paper."""
    first, _, last = result.comparisons
    both = replace(result, comparisons=(replace(first, models={"net": 3}), replace(last, models={"net": 1})))
    assert time_weighted_speed_up(both, "net", "sconv", "im2col+openblas") == pytest.approx(24 / 14.5)
    assert time_weighted_speed_up(both, "net", "sconv", "openvino") is None
    lines = [line for line in summary_lines(result) if "all layers of light_squeezenet" in line]
    assert lines == ["speed of sconv over im2col+openblas, all layers of light_squeezenet: 2.40 x"]


def test_choices_that_round_more_are_judged_by_what_they_may_take() -> None:
    """Standard may not take the tiles of 4x4 that are faster; fast chose the slower. What no such algorithm
    takes does not count."""
    times = {"direct_nhwc": 4.0, "winograd_nhwc_2x2": 2.0, "winograd_nhwc_4x4": 1.0}
    choices = {"ours": "direct_nhwc", "ours-standard": "winograd_nhwc_2x2", "ours-fast": "winograd_nhwc_2x2"}

    def compared(workload: Conv2dWorkload, taken: Sequence[str], **choices: str) -> Comparison:
        refused = Measurement("winograd_nhwc_2x2", refused="does not take the layer")
        timed = [Measurement(name, (times[name] * 2, times[name])) for name in taken]
        asked = [Measurement(name, (1.0,), facts={"algorithm": chosen}) for name, chosen in choices.items()]
        return Comparison(str(workload), 1, (1.0,), (*timed, *([] if len(taken) > 1 else [refused]), *asked))

    takes = Conv2dWorkload(1, 14, 14, 64, 64, (3, 3), padding=(1, 1, 1, 1))
    pointwise = Conv2dWorkload(1, 14, 14, 64, 64, (1, 1))
    layers = (
        compared(takes, list(times), **choices),
        compared(pointwise, ["direct_nhwc"], **dict.fromkeys(choices, "direct_nhwc")),
    )
    result = LayerResult("llvm -mcpu=znver3", 1, (0,), "fma", {"processor": "some CPU"}, layers)
    assert [good_share(result, accuracy=word) for word in ACCURACIES] == [None, 1, 1, 0]
    assert good_share(result, slack=1, accuracy="fast") == 1
    (said,) = (line for line in summary_lines(result) if "accuracy fast" in line)
    assert said.endswith("0%") and "accuracy standard" in str(summary(result))


def test_table_and_json_have_the_summary(result: LayerResult) -> None:
    console = Console(width=240)
    with console.capture() as capture:
        console.print(result.table())
    text = capture.get()
    assert all(line in text for line in summary_lines(result))
    assert "67%" in text and "2.00 x" in text and "chosen" in text and "best peer" in text
    assert "mean, light_squeezenet" in text and "mean, all layers" in text
    record = json.loads(result.to_json())
    assert record["summary"]["algorithms"] == summary(result)
    assert Result.from_json(result.to_json()) == result


def test_without_algorithms_there_is_nothing_to_judge() -> None:
    peers = Comparison(str(SMALL), 1, (1.0,), (Measurement("onednn", (0.1,)),))
    bare = LayerResult("llvm", 1, (0,), "fma", {"processor": "some CPU"}, (peers,))
    assert chosen(peers) == ""
    assert good_share(bare) is None
    assert "algorithms" not in json.loads(bare.to_json())["summary"]


@pytest.mark.slow
def test_command_times_algorithms_beside_the_choice(tmp_path: Path) -> None:
    saved = tmp_path / "result.json"
    arguments = ["bench", "--layer", str(SMALL), "--algorithms", "direct_nhwc,blocked", "--quick"]
    with peers_apart():
        ran = CliRunner().invoke(main, [*arguments, "--contestants", "im2col+openblas", "--save", str(saved)])
    assert ran.exit_code == 0, ran.output
    result = LayerResult.from_json(saved.read_text())
    assert result.contestants == ["ours", "direct_nhwc", "blocked", "im2col+openblas"]
    assert chosen(result.comparisons[0]) in ran.stdout and "best algorithm" in ran.stdout


def test_command_takes_every_ungrouped_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without models: each different layer of the light networks once, those with groups left out."""
    from tvm_directconv.bench import harness

    timed: list[str] = []

    def note(make, *settings):
        timed.extend(problem.name for problem in make())
        return "llvm", 1, (0,), "fma", {"processor": "some CPU"}, ()

    monkeypatch.setattr(harness, "benchmark", note)
    ran = CliRunner().invoke(main, ["bench", "--layers", "--algorithms", "all"])
    assert "nothing could be timed" in ran.output
    every = {w for model in zoo.list_models() for w, _ in zoo.layers(model)}
    assert sorted(timed) == sorted(str(w) for w in every if w.groups == 1)
    assert len(timed) == 200


def test_only_layers_that_all_algorithms_take(monkeypatch: pytest.MonkeyPatch) -> None:
    from tvm_directconv.bench import harness

    timed: list[str] = []

    def note(make, *settings):
        timed.extend(problem.name for problem in make())
        return "llvm", 1, (0,), "fma", {"processor": "some CPU"}, ()

    monkeypatch.setattr(harness, "benchmark", note)
    asked = ["bench", "light_squeezenet", "--algorithms", "direct_nhwc,winograd_nhwc_4x4", "--taken"]
    assert "nothing could be timed" in CliRunner().invoke(main, asked).output
    every = {w for w, _ in zoo.layers("light_squeezenet")}
    assert sorted(timed) == sorted(str(w) for w in every if w.kernel == (3, 3) and w.strides == (1, 1))
    pointwise = Conv2dWorkload(1, 14, 14, 8, 8, (1, 1))
    ran = CliRunner().invoke(main, [*asked[:1], "--layer", str(pointwise), *asked[2:]])
    assert ran.exit_code == 1 and "is taken by all of direct_nhwc, winograd_nhwc_4x4" in ran.output
    assert "--taken is about --algorithms" in CliRunner().invoke(main, ["bench", "--taken"]).output


def test_columns_of_empty_texts() -> None:
    """A table of algorithms without peers has a column that says nothing."""
    alone = tuple(m for m in layer("sconv", 2.0, 2.5, 0.5, "m").measurements if m.contestant in ALGORITHMS)
    comparison = Comparison(str(SMALL), 1, (1.0,), (Measurement("ours", (1.0,)), *alone))
    result = LayerResult("llvm", 1, (0,), "fma", {"processor": "some CPU"}, (comparison,))
    assert "sconv" in str(result.table())


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("all", list(KNOWN)),
        ("sconv,blocked,sconv", ["sconv", "blocked"]),
        (
            "winograd_nhwc_4x4,winograd_nhwc",
            ["winograd_nhwc_4x4", *(name for name in KNOWN if name.startswith("winograd"))],
        ),
    ],
)
def test_lists_of_algorithms(text: str, meant: list[str]) -> None:
    """A family stands for all its variants; each is named once."""
    assert named_algorithms(text) == tuple(dict.fromkeys(meant))


def test_unknown_algorithm_is_refused() -> None:
    ran = CliRunner().invoke(main, ["bench", "--algorithms", "sconf"])
    assert ran.exit_code == 1 and "did you mean 'sconv'" in ran.stderr
