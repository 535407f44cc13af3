"""The pictures: who is drawn how and where, from fixed rounds. What they look like, people judge."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bench_support import SMALL
from click.testing import CliRunner
from test_bench import fixed_layers, fixed_networks

from tvm_directconv.bench import CONTESTANTS, Comparison, Measurement, plots
from tvm_directconv.bench.__main__ import draw
from tvm_directconv.bench.figures import Figures
from tvm_directconv.bench.pareto import ParetoLayer, ParetoReport, Point
from tvm_directconv.bench.tuning import PEER, TUNED
from tvm_directconv.errors import BenchmarkError
from tvm_directconv.measure.profiling import Breakdown

pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[2]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list:
    """The figures that are finished, unwritten."""
    figures: list = []

    def keep(figure, title, path):
        figure.draw_without_rendering()
        figures.append((figure, title))

    monkeypatch.setattr(plots, "_finish", keep)
    return figures


def many_layers(count: int) -> Figures:
    """Layers of two networks, of which they share some; one contestant was timed on the last alone."""
    comparisons = []
    for number in range(count):
        layer = str(replace(SMALL, in_channels=16 + number))
        models = {f"light_{name}": 1 for name, has in (("a", number % 3), ("b", number % 2)) if has}
        times = (0.01 + 0.0001 * number,) * 3
        last = times if number == count - 1 else ()
        measured = (Measurement("ours", times), Measurement("somebody", times), Measurement("rare", last))
        comparisons.append(Comparison(layer, 2_000_000_000, (400.0,) * 3, measured, models))
    return replace(fixed_layers(), comparisons=tuple(comparisons))


def test_every_contestant_has_a_look_of_its_own() -> None:
    known = {*CONTESTANTS, TUNED, PEER}
    assert set(plots.STYLES) <= known
    looks = plots.styles([*known, "somebody", "somebody else"])
    assert len(set(looks.values())) == len(looks) == len(known) + 2
    assert plots.styles(["ours"])["ours"] == looks["ours"]


def test_many_layers_are_distributions(drawn: list) -> None:
    few, many = many_layers(4), many_layers(60)
    for result in (few, many):
        plots.plot_layers(result, Path("unwritten.png"))
    (of_few, _), (of_many, title) = drawn
    assert title == "some CPU, 1 thread, batch 1, float32"
    (axes,) = of_few.axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[0] == "other layers" and labels.count("light_a") == labels.count("light_b") == 1
    assert len(labels) == 4 + 3
    titles = [axes.get_title() for axes in of_many.axes if axes.get_visible()]
    assert sorted(titles) == ["light_a, 40 layers", "light_b, 30 layers", "other layers, 10 layers"]
    assert of_many.get_size_inches()[1] < 8


@pytest.mark.parametrize("wanted", ["layers", "networks"])
def test_whiskers_reach_from_the_least_round_to_the_largest(wanted: str, drawn: list) -> None:
    result = fixed_layers() if wanted == "layers" else fixed_networks()
    plot = plots.plot_layers if wanted == "layers" else plots.plot_networks
    plot(result, Path("unwritten.png"))
    ((figure, title),) = drawn
    assert "batch 1, float32" in title
    (axes,) = figure.axes
    bars = {bar.get_label(): bar for bar in axes.containers}
    # Percents of ours are 50 in every round; its time over the peer's is 0.5, 1 and 2.
    expected = {"ours": (50, 50, 50)} if wanted == "layers" else {"peer": (0.5, 1, 2)}
    for name, (least, median, largest) in expected.items():
        mark, _, (whisker,) = bars[name]
        assert mark.get_xdata() == pytest.approx([median])
        assert whisker.get_segments()[0][:, 0] == pytest.approx([least, largest])
    assert ("ours" in bars) == (wanted == "layers")
    assert axes.get_xlim()[0] == 0 and axes.get_xlim()[1] > 2


def test_alone_or_without_ours_networks_are_shown_in_milliseconds(drawn: list) -> None:
    result = fixed_networks()
    (comparison,) = result.comparisons
    for name in ("ours", "peer"):
        alone = replace(comparison, measurements=(comparison[name],))
        plots.plot_networks(replace(result, comparisons=(alone,)), Path("unwritten.png"))
    refused = (Measurement("ours", refused="crashes: ended by SIGILL"), comparison["peer"])
    crashed = replace(comparison, measurements=refused)
    plots.plot_networks(replace(result, comparisons=(crashed,)), Path("unwritten.png"))
    assert not drawn[-1][0].axes[0].containers[0][0].get_xdata().size
    del drawn[-1]
    for figure, _ in drawn:
        assert figure.axes[0].get_xlabel().startswith("ms per call")
        assert list(figure.axes[0].containers[0][0].get_xdata()) == [20]


def test_without_a_peak_layers_are_shown_in_gflops(drawn: list) -> None:
    result = fixed_layers()
    plots.plot_layers(
        replace(result, comparisons=tuple(replace(c, peaks=()) for c in result.comparisons)), Path("no.png")
    )
    ((figure, _),) = drawn
    assert figure.axes[0].get_xlabel().startswith("GFLOPS")
    assert figure.axes[0].containers[0][0].get_xdata() == pytest.approx([100])


@pytest.mark.parametrize("result", [fixed_layers(), fixed_networks()], ids=["layers", "networks"])
def test_nothing_cannot_be_drawn(result, tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="does not contain comparisons to draw"):
        replace(result, comparisons=()).plot(tmp_path / "plot.png")
    assert not list(tmp_path.iterdir())


def test_breakdown_and_pareto(drawn: list) -> None:
    parts = [Breakdown(SMALL, "sconv", 1.0, 2.0, 1.0, 4.0), Breakdown(SMALL, "blocked", 0.0, 1.0, 0.0, 1.0)]
    plots.plot_breakdown(parts, Path("unwritten.png"))
    points = (Point("direct_nhwc", 1.0, 0, True), Point("sconv", 2.0, 4096))
    plots.plot_pareto(ParetoReport("llvm", "cycles", (ParetoLayer(SMALL, points),)), Path("unwritten.png"))
    (bars, of_bars), (marks, of_marks) = drawn
    assert of_bars.endswith("1 thread, batch 1, float32")
    assert of_marks == "estimated for llvm, batch 1, float32"
    assert [bar.get_width() for bar in bars.axes[0].patches[:2]] == pytest.approx([25, 0])
    places = {
        (line.get_color(), *line.get_xydata()[0]) for line in marks.axes[0].lines if len(line.get_xdata())
    }
    colours = {name: plots.STYLES[name][0] for name in ("direct_nhwc", "sconv")}
    assert places == {(colours["direct_nhwc"], 0, 1), (colours["sconv"], 4, 2)}


@pytest.mark.parametrize("result", [fixed_layers(), fixed_networks()], ids=["layers", "networks"])
def test_plots_are_written(result, tmp_path: Path) -> None:
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


def test_stored_results_are_drawn_anew(tmp_path: Path) -> None:
    stored, broken = tmp_path / "layers.json", tmp_path / "broken.json"
    fixed_layers().to_json(stored)
    broken.write_text("{}")
    ran = CliRunner().invoke(draw, [str(stored)])
    assert ran.exit_code == 0 and (tmp_path / "layers.png").read_bytes().startswith(b"\x89PNG")
    ran = CliRunner().invoke(draw, [str(broken)])
    assert ran.exit_code == 1 and "broken.json: not a benchmark result" in ran.output
    assert not (tmp_path / "broken.png").exists()


def test_measured_pictures_have_their_rounds_beside_them() -> None:
    pictures = list((ROOT / "docs" / "measured").glob("*.png"))
    assert pictures and all(picture.with_suffix(".json").exists() for picture in pictures)
