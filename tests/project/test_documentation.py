"""Every snippet of the pages runs as it stands: Python and commands, in order, one process per page."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnx
import pytest
from documentation_support import (
    ONLY_PARSED,
    PAGES,
    PROGRAM,
    ROOT,
    Snippet,
    check_other,
    inline_commands,
    parse_command,
    register_entry_points,
    run_page,
    snippets_of,
)
from graph_support import draw, network, node, two_rates
from lift_support import build_nothing
from onnx import TensorProto, helper

from tvm_directconv import zoo

SNIPPETS = {page: snippets_of(page) for page in PAGES}
QUICK = ("docs/importing.md", "docs/pytorch.md")
"""The slow part runs the other pages, which tune, or compile several networks."""


def _is_run(snippet: Snippet) -> bool:
    """Whether a snippet needs more than to be parsed."""
    return snippet.kind == "python" or any(
        command[0] == PROGRAM and not set(command) & ONLY_PARSED.keys() for command in snippet.commands
    )


def _pages(run: bool) -> list[object]:
    named = {str(page.relative_to(ROOT)): snippets for page, snippets in SNIPPETS.items()}
    chosen = {
        name: [snippet for snippet in snippets if snippet.kind != "text"]
        for name, snippets in named.items()
        if any(snippet.kind != "text" and _is_run(snippet) for snippet in snippets) == run
    }
    slow = [pytest.mark.slow] if run else []
    return [
        pytest.param(snippets, id=name, marks=[] if name in QUICK else slow)
        for name, snippets in chosen.items()
        if snippets
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_lies_between_fences_that_name_its_language(page: Path) -> None:
    text = page.read_text()
    assert text.count("```") % 2 == 0
    languages = re.findall(r"^ *```(\w*)$", text, re.MULTILINE)[::2]
    assert set(languages) <= {"c", "console", "python", "sh", "text"}
    prose = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert not re.findall(r"^(?![ ]*(?:[-*]|\d+\.) ).*\n\n {4,}\S.*", prose, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_prose_are_right(page: Path) -> None:
    for command in inline_commands(page):
        parse_command(command)


@pytest.mark.parametrize("snippets", _pages(run=False))
def test_commands_are_right(snippets: list[Snippet]) -> None:
    for snippet in snippets:
        for program, *arguments in snippet.commands:
            if program == PROGRAM:
                parse_command(arguments)
            else:
                check_other([program, *arguments])


def stand_ins(folder: Path) -> None:
    """Write the files that pages speak of: small networks with names of ResNet-50's layers, one that
    leaves its size open, one whose results are selected, one of two sampling rates, and a Relay model with
    its input."""
    layers = [n for n in zoo.load_model("resnet50", weights="original").graph.node if n.op_type == "Conv"]
    first, last = layers[0], layers[-1]
    nodes = [
        node("Conv", "data w", "a", strides=[8, 8]),
        node("Relu", "a", "b"),
        node("Conv", "b v", "c"),
        node("GlobalAveragePool", "c", "y"),
    ]
    nodes[0].name, nodes[2].name = first.name, last.name
    weights = {"w": draw(16, 3, 7, 7), "v": draw(16, 16, 1, 1)}
    model = network(nodes, {"data": (1, 3, 224, 224)}, {"y": (1, 16, 1, 1)}, weights)
    for name in ("resnet50", "resnet50.onnx", "resnet50_int8", "resnet50_int8.onnx"):
        onnx.save(model, str(folder / name))
    open_nodes = [node("Conv", "x w", "a", strides=[8, 8]), node("GlobalAveragePool", "a", "y")]
    leaves_open = network(open_nodes, {"x": ("n", 3, "h", "w")}, {"y": ("n", 16, 1, 1)}, {"w": weights["w"]})
    onnx.save(leaves_open, str(folder / "model.onnx"))
    selecting = [
        node("Conv", "x w", "a", strides=[8, 8]),
        node("Greater", "a zero", "b"),
        node("Reshape", "b all", "chosen"),
        node("Compress", "a chosen", "y"),
    ]
    numbers = {"w": weights["w"], "zero": np.float32(0), "all": np.array([-1])}
    onnx.save(
        network(selecting, {"x": (1, 3, 224, 224)}, {"y": ("n",)}, numbers), str(folder / "detector.onnx")
    )
    onnx.save(two_rates(), str(folder / "speech.onnx"))
    turn = helper.make_graph(
        [
            node("Mul", "scores half", "next"),
            node("ReduceMax", "next", "largest", keepdims=0),
            node("Greater", "largest half", "another"),
            node("ArgMax", "next", "token", axis=0, keepdims=0),
        ],
        "turn",
        [
            helper.make_tensor_value_info(name, kind, dims)
            for name, kind, dims in (("i", 7, []), ("going", 9, []), ("scores", 1, [4]))
        ],
        [
            helper.make_tensor_value_info(name, kind, dims)
            for name, kind, dims in (("another", 9, []), ("next", 1, [4]), ("token", 7, []))
        ],
    )
    loop = node("Loop", "most - x", "scores_at_last text", body=turn)
    decoder = network([loop], {"x": (4,)}, {}, {"half": np.float32(0.5), "most": np.array(9)})
    decoder.graph.output.append(helper.make_tensor_value_info("text", TensorProto.INT64, ["found"]))
    onnx.save(decoder, str(folder / "decoder.onnx"))
    np.save(folder / "image.npy", draw(1, 1, 28, 28))
    samples = Path(__file__).parents[1] / "relay_samples"
    for suffix in ("relay", "params"):
        shutil.copy(samples / f"mlp.{suffix}", folder / f"model.{suffix}")


@pytest.mark.parametrize("snippets", _pages(run=True))
def test_snippets_run(snippets: list[Snippet], tmp_path: Path) -> None:
    if any("opencl -device=native" in each.text for each in snippets):
        build_nothing()
    stand_ins(tmp_path)
    script = Path(__file__).parents[1] / "documentation_support.py"
    given = json.dumps([asdict(snippet) for snippet in snippets])
    register_entry_points(tmp_path)
    path = os.pathsep.join([str(ROOT), str(tmp_path)])
    environment = {**os.environ, "PYTHONPATH": path, "TVM_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(script), given],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-1500:]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("python", "import tvm_directconv as d; d.compil('x')"),
        ("python", "directconv.compile('resnet50.onnx', layuot='NCHW')"),
        ("python", "directconv.compile('resnet50.onnx', algorithm={'res4*': 'packed_nhwc'})"),
        ("shell", "tvm-directconv bench --netwroks all"),
        ("shell", "tvm-directconv compil resnet50.onnx"),
        ("shell", "pip install '.[dmeo]'"),
        ("shell", "python -m tvm.exec.rpc_trakcer"),
    ],
)
def test_a_snippet_that_is_wrong_fails(
    kind: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_ins(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception, match="."):
        run_page([Snippet("page.md", 1, kind, text)])
