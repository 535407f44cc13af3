"""Reports as tables of HTML and of pandas: notebooks show them, and the numbers are not rounded."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from graph_cases import compiled

import tvm_directconv as directconv
from tvm_directconv.bench import bench_layers
from tvm_directconv.errors import DirectConvError
from tvm_directconv.text import Tabular

LAYER = directconv.Conv2dWorkload(1, 7, 7, 8, 16, kernel=(3, 3))


@cache
def network() -> directconv.CompiledModel:
    return compiled("conv_bias_relu")


MADE: dict[str, Callable[[], Tabular]] = {
    "report": lambda: network().report(),
    "size": lambda: network().sizes[0].report(),
    "profile": lambda: network().profile(rounds=1),
    "inspection": lambda: directconv.inspect("squeezenet"),
    "pareto": lambda: directconv.pareto(LAYER, estimate=True),
    "breakdown": lambda: directconv.breakdown(LAYER),
    "tuning": lambda: directconv.tune(LAYER, trials=2),
    "bench": lambda: bench_layers([LAYER], contestants=("ours",), rounds=1, quick=True, progress=False),
}
COLUMNS = {
    "report": "flops",
    "size": "flops",
    "profile": "median_seconds",
    "inspection": "nodes",
    "pareto": "workspace_bytes",
    "breakdown": "microkernel",
    "tuning": "tuned_seconds",
    "bench": "least_seconds",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_reports_are_html_and_data_frames(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = MADE[name]()
    frame = found.to_dataframe()
    assert len(frame) == len(found.rows()) > 0
    assert (frame[COLUMNS[name]].astype(float) >= 0).all() and np.isfinite(frame[COLUMNS[name]]).all()
    text = found._repr_html_()
    assert text.count("<tr>") > 1 and "<table>" in text
    json.dumps(found.rows(), default=str)

    imported = builtins.__import__

    def without_pandas(module: str, *rest: Any, **named: Any) -> Any:
        if module == "pandas":
            raise ImportError("no pandas here")
        return imported(module, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(DirectConvError, match="pip install pandas"):
        found.to_dataframe()


def test_a_model_is_shown_too() -> None:
    assert str(network()).splitlines()[0] in network()._repr_html_()
