"""Which layers of a network become one kernel by blocks of rows, and what the report says of it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from graph_support import draw, inputs_of, network, node
from onnx import ModelProto
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv
from relay_strategies.compiler.report import Report
from relay_strategies.passes.lower import chains

TARGET = {"kind": "llvm", "mcpu": "emeraldrapids"}
"""The model wants chains there: what leaves L2 is far."""
SIZE, NARROW, WIDE = 56, 16, 72


def block(*extra: Any, middle: str = "wide", outputs: tuple[str, ...] = ("out",)) -> ModelProto:
    """An inverted residual; ``extra`` nodes stand between the depthwise layer and the last, which reads
    ``middle``."""
    weights = {
        "expand_w": draw(WIDE, NARROW, 1, 1),
        "filter_w": draw(WIDE, 1, 3, 3),
        "project_w": draw(NARROW, WIDE, 1, 1),
        "low": np.array(0, np.float32),
        "high": np.array(6, np.float32),
    }
    nodes = [
        node("Conv", "x expand_w", "expanded"),
        node("Clip", "expanded low high", "expanded6"),
        node("Conv", "expanded6 filter_w", "filtered", pads=[1] * 4, group=WIDE),
        node("Clip", "filtered low high", "wide"),
        *extra,
        node("Conv", f"{middle} project_w", "projected"),
        node("Add", "projected x", "out"),
    ]
    shapes = {"out": (1, NARROW, SIZE, SIZE)}
    shapes |= {name: (1, WIDE, SIZE, SIZE) for name in ("expanded6", "wide")}
    return network(nodes, {"x": (1, NARROW, SIZE, SIZE)}, {name: shapes[name] for name in outputs}, weights)


LAYERS = ("Conv:expanded", "Conv:filtered", "Conv:projected")
GATE = [
    node("GlobalAveragePool", "wide", "pooled"),
    node("Sigmoid", "pooled", "gate"),
    node("Mul", "wide gate", "gated"),
]


def report(model: ModelProto, **options: Any) -> Report:
    return directconv.compile(model, target=TARGET, **options).report()


def chained(found: Report) -> list[str]:
    return [layer.name for layer in found.layers if layer.in_chain]


def test_an_inverted_residual_is_one_kernel() -> None:
    found = report(block())
    assert [layer.name for layer in found.layers] == list(LAYERS)
    assert len({layer.function for layer in found.layers}) == 1 and not found.other_kernels.keys() - {
        "nchw_to_nhwc",
        "nhwc_to_nchw",
    }
    for layer in found.layers:
        assert layer.in_chain and tuple(layer.chain["layers"]) == LAYERS
        assert layer.chain["cycles"] < layer.chain["separate_cycles"]
        assert layer.workspace_bytes == layer.chain["workspace_bytes"] == found.workspace_bytes > 0
        assert layer.kernels and layer.cost["total"] < layer.chain["separate_cycles"]
    text = found.details()
    assert "direct_nhwc (chain)" in text and "with Conv:expanded and Conv:projected by" in text
    assert Report.from_json(found.to_json()) == found
    # The wide tensors are nowhere, so that a narrow one or two are all that is planned.
    assert (
        found.activation_bytes
        < 4 * SIZE * SIZE * WIDE
        < report(block(), max_workspace_bytes=0).activation_bytes
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "options", "expected"),
    [
        (block(*GATE, middle="gated"), {}, LAYERS[:2]),
        (block(outputs=("out", "expanded6")), {}, LAYERS[1:]),
        (block(outputs=("out", "wide")), {}, LAYERS[:2]),
        (block(), {"max_workspace_bytes": 0}, ()),
        (block(), {"algorithm": "direct_nhwc"}, ()),
        (block(), {"algorithm": {"Conv:projected": "direct_nhwc"}}, LAYERS[:2]),
        (block(), {"layout": "NCHW"}, ()),
    ],
    ids=[
        "gate",
        "expanded is used twice",
        "filtered is used twice",
        "no workspace",
        "named",
        "one named",
        "NCHW",
    ],
)
def test_chains_of_other_networks(
    model: ModelProto, options: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert tuple(chained(report(model, **options))) == expected


def test_a_chain_that_would_not_be_faster_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "pays", lambda *cycles: False)
    found = report(block())
    assert chained(found) == [] and all(layer.chain["layers"] == list(LAYERS) for layer in found.layers)
    assert len({layer.function for layer in found.layers}) == 3
    assert found.details().count("none; with") == 3


def test_results_are_those_of_the_layers_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit by bit, whether the model wants the chain for this host or not."""
    monkeypatch.setattr(chains, "pays", lambda *cycles: True)
    model = block()
    inputs = inputs_of(model)
    together, apart = (directconv.compile(model, max_workspace_bytes=most) for most in (None, 0))
    assert chained(together.report()) and not chained(apart.report())
    (got,), (expected,) = together.run(inputs), apart.run(inputs)
    np.testing.assert_array_equal(got, expected)
    assert_matches(got, run_onnx_runtime(model, inputs)[0], "an inverted residual")


def test_layers_that_two_chains_want_go_where_more_is_saved() -> None:
    """Of depthwise and 1x1 layers in turn, each with the next."""
    weights: dict[str, np.ndarray] = {}
    nodes = []
    names = ["x", *(f"{kind}{i}" for i in range(3) for kind in ("deep", "flat"))]
    for before, name in itertools.pairwise(names):
        deep = name.startswith("deep")
        weights[f"{name}_w"] = draw(WIDE, 1, 3, 3) if deep else draw(WIDE, WIDE, 1, 1)
        options: dict[str, Any] = {"pads": [1] * 4, "group": WIDE} if deep else {}
        nodes.append(node("Conv", f"{before} {name}_w", name, **options))
    shape = (1, WIDE, SIZE, SIZE)
    found = report(network(nodes, {"x": shape}, {names[-1]: shape}, weights))
    of_layers = [tuple(layer.chain["layers"]) for layer in found.layers if layer.in_chain]
    assert len(of_layers) >= 4
    assert all(of_layers.count(names) == len(names) for names in of_layers), "a layer is in two chains"
