"""Profiles of whole runs, and the pages that show them; the pages are looked at in a browser."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cli_support import fail, small_model, succeed
from graph_support import draw, network, node

import tvm_directconv as directconv
from relay_strategies.compiler.kernel_calls import kernel_kind
from relay_strategies.compiler.model.profile import CallProfile, Profile
from relay_strategies.relax.names import names_text
from tvm_directconv.errors import InputError
from tvm_directconv.pages.drawing import COLOURS, NO_PEAK, colour_of, shortened
from tvm_directconv.pages.layout import layered, spread
from tvm_directconv.pages.page import page


def branching() -> Any:
    """Two branches that a concatenation joins, one a product of computed matrices, and a layer behind."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1]),
        node("Relu", "a", "b"),
        node("MaxPool", "b", "c", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("MatMul", "b b", "d"),
        node("Concat", "c d", "e", axis=1),
        node("Conv", "e v", "y", pads=[1, 1, 1, 1]),
    ]
    weights = {"w": draw(8, 3, 3, 3), "v": draw(128, 16, 3, 3)}  # the latter is beside what the cache keeps
    return network(nodes, {"x": (1, 3, 16, 16)}, {"y": (1, 128, 16, 16)}, weights)


@pytest.fixture(scope="module")
def model() -> directconv.CompiledModel:
    return directconv.compile(branching())


@pytest.fixture(scope="module")
def profile(model: directconv.CompiledModel) -> Profile:
    return model.profile(rounds=3)


def test_calls_are_known_before_any_run(model: directconv.CompiledModel) -> None:
    calls, layers = model.report().calls, model.report().layers
    assert [layers[place].name for call in calls for place in call.layers] == ["Conv:a", "Conv:y"]
    assert calls[0].after == (-1,)
    assert all(place < number for number, call in enumerate(calls) for place in call.after)
    product = next(call for call in calls if call.kernel.startswith("matrix_product"))
    assert product.flops == 2 * 8 * 16**3 and product.bytes == 2 * 3 * 8 * 16 * 16 * 4 // 2
    first = next(call for call in calls if call.layers)
    assert first.flops == 2 * 16 * 16 * 8 * 27
    assert (
        first.bytes == 4 * (16 * 16 * 3 + 8 * 27 + 16 * 16 * 8) + layers[0].packed_filter_bytes - 4 * 8 * 27
    )


def test_every_call_of_a_run_is_timed(model: directconv.CompiledModel, profile: Profile) -> None:
    assert [call.kernel for call in profile.calls] == [call.kernel for call in model.report().calls]
    assert all(len(call.seconds) == 3 and call.least > 0 for call in profile.calls)
    begins = [call.begin for call in profile.calls]
    assert begins == sorted(begins) and begins[0] > 0
    assert 0 < profile.covered < 1  # all calls lie inside the run, none overlap
    for round_, whole in enumerate(profile.instrumented):
        assert sum(call.seconds[round_] for call in profile.calls) < whole
    assert sum(map(profile.share, profile.calls)) == pytest.approx(1)
    multiplying = [call for call in profile.calls if profile.percent_of_peak(call) is not None]
    assert len(multiplying) == 3 and all(call.gflops > 0 for call in multiplying)


def test_calls_are_named_after_the_operators_they_compute(profile: Profile) -> None:
    named = {call.name: kernel_kind(call.kernel) for call in profile.calls}
    assert named["MaxPool:c"] == "max_pool2d" and named["MatMul:d"] == "matrix_product"
    assert named["Concat:e"] == "concat" and named["Conv:y"] == "nhwc_to_nchw"
    assert named.keys() == {"Conv:a", "MaxPool:c", "MatMul:d", "Concat:e", "Conv:y"}


def test_operators_in_one_kernel_all_name_it() -> None:
    nodes = [
        node(kind, f"{before}", after)
        for kind, before, after in (
            ("Sin", "x", "a"),
            ("Cos", "a", "y"),
            ("Sin", "v", "b"),
            ("Cos", "b", "z"),
        )
    ]
    shapes = ({"x": (4, 4), "v": (5, 5)}, {"y": (4, 4), "z": (5, 5)})
    calls = directconv.compile(network(nodes, *shapes)).report().calls
    assert [call.name for call in calls] == ["Sin:a + Cos:y", "Sin:b + Cos:z"]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ((), ""),
        (("", "a"), "a"),
        (("b/relu", "b/relu"), "b/relu"),
        (("block/1/conv", "block/1/bn", "block/2/add"), "block/1/conv + 1/bn + 2/add"),
        (("a", "b", "c", "d"), "a + ... + d"),
    ],
)
def test_names_of_what_is_computed_together(names: tuple[str, ...], text: str) -> None:
    assert names_text(names) == text


def test_inputs_choose_the_size_and_are_checked() -> None:
    sizes = network([node("Relu", "x", "y")], {"x": ("n", 3, 8, 8)}, {"y": ("n", 3, 8, 8)})
    model = directconv.compile(sizes, batch=(1, 2))
    two = model.profile({"x": np.zeros((2, 3, 8, 8), np.float32)}, rounds=1)
    assert two.size == "x=2x3x8x8" and model.profile(rounds=1).size == "x=1x3x8x8"
    assert model.profile(rounds=1, size=model.sizes[1]).size == two.size
    assert model.report(timed=True, size=model.sizes[1]).time_shares.keys() == {"relu"}
    with pytest.raises(InputError, match="dtype float64"):
        model.profile([np.zeros((1, 3, 8, 8))])
    with pytest.raises(InputError, match="rounds=0"):
        model.profile(rounds=0)


def test_what_a_library_says_of_its_calls_travels(model: directconv.CompiledModel, tmp_path: Path) -> None:
    model.export_library(tmp_path / "model.so")
    loaded = directconv.load(tmp_path / "model.so")
    assert loaded.report().calls == model.report().calls
    assert [call.kernel for call in loaded.profile(rounds=1).calls] == [
        c.kernel for c in loaded.report().calls
    ]


def made() -> Profile:
    """A profile of numbers that need no run: a layer, a chain of two, and an operator."""
    known = [
        CallProfile("stem", "k1", "direct_nhwc", "3x8x8 -> 4 1x1", "float32", 10**9, 100, 0.1, (0.02, 0.01)),
        CallProfile("b/one + two", "k2", "direct_nhwc (chain)", "", "int8", 10**9, 50, 0.2, (0.03, 0.03)),
        CallProfile("max_pool2d", "max_pool2d", "", "1x4x4x4 float32", "", 0, 20, 0.3, (0.01, 0.01)),
    ]
    peaks = {"float32": (100.0, 200.0), "int8": (500.0, 500.0)}
    return Profile("llvm", "x=1x3x8x8", 1, "fma", peaks, tuple(known), (0.08, 0.07), (0.06, 0.05))


def test_figures_follow_from_the_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    profile = made()
    first, second, last = profile.calls
    assert first.median == pytest.approx(0.015) and first.gflops == pytest.approx(1 / 0.015)
    assert profile.percent_of_peak(first) == pytest.approx(50)  # 50 GFLOPS of 100, and 100 of 200
    assert profile.percent_of_peak(second) == pytest.approx(100 / 0.03 / 500)
    assert profile.percent_of_peak(last) is None
    assert profile.share(second) == pytest.approx(0.03 / 0.055)
    assert profile.covered == pytest.approx((0.06 / 0.08 + 0.05 / 0.07) / 2)
    assert sum(profile.by_kind().values()) == pytest.approx(profile.covered)
    assert profile.by_kind().keys() == {"", "max_pool2d"}
    assert "2 longest" in str(profile.table(2)) and "max_pool2d" not in str(profile.table(2))
    assert [line.split()[0] for line in str(profile.table()).splitlines()[3:6]] == [
        "stem",
        "b/one",
        "max_pool2d",
    ]
    record = json.loads(profile.to_json())
    assert record["calls"][0]["percent_of_peak"] == pytest.approx(50) and record["plain"] == [0.06, 0.05]


def test_a_trace_has_what_chrome_and_perfetto_ask_for() -> None:
    trace = json.loads(made().to_trace())
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert all({"name", "cat", "ts", "dur", "pid", "tid", "args"} <= event.keys() for event in events)
    run, *calls = events
    assert run["dur"] == pytest.approx(70000)  # microseconds of the fastest round
    assert [(event["ts"], event["dur"]) for event in calls] == [
        (pytest.approx(1e5), pytest.approx(1e4)),
        (pytest.approx(2e5), pytest.approx(3e4)),
        (pytest.approx(3e5), pytest.approx(1e4)),
    ]
    assert {event["cat"] for event in calls} == {"layer", "operator"}


# ---- drawing


def overlap(layout: Any) -> bool:
    """Whether two nodes of a row stand in each other's way."""
    return any(
        one[1] == other[1] and abs(one[0] - other[0]) < 1
        for one, other in itertools.combinations(layout.nodes, 2)
    )


@pytest.mark.parametrize(
    ("after", "rows"),
    [
        ([], 0),
        ([()], 1),
        ([(), (0,), (1,)], 3),
        ([(), (0,), (0,), (0,), (1, 2, 3)], 3),
        ([(), (0,), (1,), (2,), (0, 3)], 5),
        ([(), (), (0, 1), (0,), (1,), (2, 3, 4)], 3),
        ([(), *(tuple(range(n)) for n in range(1, 12))], 12),
    ],
)
def test_nodes_stand_below_what_they_read_and_apart(after: list[tuple[int, ...]], rows: int) -> None:
    layout = layered(after)
    assert len(layout.nodes) == len(after) and layout.rows == rows and not overlap(layout)
    assert layout.edges.keys() == {(source, node) for node, before in enumerate(after) for source in before}
    for (source, node_), points in layout.edges.items():
        assert points[0] == layout.nodes[source] and points[-1] == layout.nodes[node_]
        heights = [y for _, y in points]
        assert heights == list(range(round(heights[0]), round(heights[-1]) + 1))
    assert all(-1e-9 <= x <= layout.width - 1 + 1e-9 for x, _ in layout.nodes)


def test_a_skipping_edge_passes_beside_the_boxes() -> None:
    layout = layered([(), (0,), (1,), (0, 2)])
    for point, skipped in zip(layout.edges[0, 3][1:-1], layout.nodes[1:3], strict=True):
        assert point[1] == skipped[1] and abs(point[0] - skipped[0]) > 0.5


@pytest.mark.parametrize(
    ("wanted", "apart", "places"),
    [
        ([], [], []),
        ([5.0], [], [5.0]),
        ([0.0, 4.0], [1.0], [0.0, 4.0]),
        ([2.0, 2.0], [1.0], [1.5, 2.5]),
        ([3.0, 0.0, 9.0], [1.0, 1.0], [1.0, 2.0, 9.0]),
    ],
)
def test_places_keep_their_distance(wanted: list[float], apart: list[float], places: list[float]) -> None:
    assert spread(wanted, apart) == pytest.approx(places)


def test_colours_and_names() -> None:
    assert colour_of(None) == NO_PEAK
    assert [colour_of(percent) for percent in (0, 20, 100, 130)] == [*COLOURS[:2], COLOURS[-1], COLOURS[-1]]
    assert colour_of(10) not in COLOURS
    assert shortened("conv1") == "conv1" and shortened("a" * 40 + "/conv1").endswith("/conv1")


# ---- pages


BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as started:
        running = started.chromium.launch(executable_path=found, args=list(SWITCHES))
        yield running
        running.close()


def opened(browser: Any, path: Path, said: list[str]) -> Any:
    """A page without network access; what it says on its console, and asks the network for, is kept."""
    context = browser.new_context(offline=True, viewport={"width": 1400, "height": 900})
    tab = context.new_page()
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: request.url.startswith("http") and said.append(request.url))
    tab.goto(path.as_uri())
    return tab


@pytest.mark.slow
def test_a_page_works_in_a_browser(
    model: directconv.CompiledModel, profile: Profile, browser: Any, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(page("<b>branching & more</b>", model.sizes[0], profile))
    said: list[str] = []
    tab = opened(browser, path, said)
    assert tab.locator("h1").inner_text() == "<b>branching & more</b>"

    rows, nodes = tab.locator("#calls tbody tr"), tab.locator("#graph .node[data-row^=row]")
    assert rows.count() == nodes.count() == len(profile.calls)
    assert tab.locator("#graph .edge").count() >= len(profile.calls)
    medians, leasts = tab.locator(".plot.median"), tab.locator(".plot.least")
    assert medians.is_visible() and not leasts.is_visible() and tab.locator("#graph").is_visible()
    tab.locator("input[value=least]").click()
    assert leasts.is_visible() and not medians.is_visible()
    shares = [row.locator("td.least").inner_text() for row in rows.all()]
    assert sum(map(float, shares)) == pytest.approx(100, abs=0.1 * len(shares))

    column = [heading.strip() for heading in tab.locator("#calls th").all_inner_texts()].index("median us")

    def times() -> list[float]:
        return [float(row.locator("td").nth(column).inner_text()) for row in rows.all()]

    heading = tab.locator("#calls th").nth(column)
    heading.locator("button").click()
    assert times() == sorted(times(), reverse=True) and heading.get_attribute("aria-sort") == "descending"
    heading.locator("button").click()
    assert times() == sorted(times()) and heading.get_attribute("aria-sort") == "ascending"

    tab.locator("#filter").fill("maxpool:c")
    assert [row.is_visible() for row in rows.all()].count(True) == 1
    tab.locator("#filter").fill("")
    row = tab.locator("#calls tbody tr", has_text="MaxPool:c")
    row.click()
    chosen = tab.locator("#graph .node.chosen")
    assert chosen.get_attribute("data-row") == row.get_attribute("id")
    nodes.first.click()
    assert tab.locator("#calls tr.chosen").get_attribute("id") == "row0"
    assert said == []


def test_a_page_without_times(model: directconv.CompiledModel, browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page("model", model.sizes[0]))
    said: list[str] = []
    tab = opened(browser, path, said)
    assert tab.locator("#graph .node").count() >= len(model.report().calls)
    assert tab.locator(".plot").count() == 0 and "median us" not in tab.content() and said == []


# ---- commands


@pytest.mark.slow
def test_commands_write_all_kinds(tmp_path: Path) -> None:
    path = small_model(tmp_path)
    files = {kind: tmp_path / f"out.{kind}" for kind in ("png", "json", "html")}
    options = ("--plot", files["png"], "--trace", files["json"], "--html", files["html"])
    record = json.loads(succeed("profile", path, "--rounds", "2", "--json", *options))
    assert [call["name"] for call in record["calls"] if call["algorithm"]] == ["conv"]
    assert len(record["plain"]) == len(record["peaks"]["float32"]) == 2
    assert files["png"].read_bytes().startswith(b"\x89PNG") and "traceEvents" in files["json"].read_text()
    assert "http" not in files["html"].read_text().replace("http://www.w3.org/", "")
    table = succeed("profile", path, "--rounds", "1")
    assert "conv" in table and "under the instrument" in table

    succeed("report", path, "-o", tmp_path / "report.html")
    foreign = tmp_path / "foreign.html"
    arm = ("--target", "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")
    succeed("report", path, "-o", foreign, *arm)
    assert "median us" in (tmp_path / "report.html").read_text() and "median us" not in foreign.read_text()
    assert "cannot write" in fail("report", path, "-o", tmp_path / "none" / "a.html")


def test_a_network_may_have_no_calls(tmp_path: Path) -> None:
    path = tmp_path / "same.onnx"
    onnx.save(network([node("Identity", "x", "y")], {"x": (4,)}, {"y": (4,)}), path)
    assert "calls 0.0% of it" in succeed("profile", path, "--rounds", "1")
    refused = fail("profile", path, "--rounds", "1", "--plot", tmp_path / "out.png")
    assert "does not contain calls of kernels" in refused
