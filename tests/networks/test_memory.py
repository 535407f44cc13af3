"""What a run holds is known before it: the report's bytes are those that TVM is asked for while it runs."""

from __future__ import annotations

import gc
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import tvm
from click.testing import CliRunner
from graph_support import draw, network, node
from support import with_threads, workspace_events
from tvm import relax

import tvm_directconv as directconv
from relay_strategies.compiler.model.loading import load
from tvm_directconv.bench.__main__ import draw as draw_results
from tvm_directconv.bench.results import Result
from tvm_directconv.bench.tables import memory_table
from tvm_directconv.errors import AlgorithmError

IMAGE = {"x": (1, 8, 24, 24)}


def convolution() -> onnx.ModelProto:
    nodes = [node("Conv", "x w", "a", pads=[1, 1, 1, 1]), node("MaxPool", "a", "y", kernel_shape=[2, 2])]
    return network(nodes, IMAGE, {"y": (1, 16, 23, 23)}, {"w": draw(16, 8, 3, 3)})


def inverted_residual() -> onnx.ModelProto:
    """What is computed by blocks of rows: an expansion, a depthwise layer and a projection."""
    nodes = [
        node("Conv", "x a", "b"),
        node("Conv", "b c", "d", pads=[1, 1, 1, 1], group=96),
        node("Conv", "d e", "y"),
    ]
    weights = {"a": draw(96, 16, 1, 1), "c": draw(96, 1, 3, 3), "e": draw(16, 96, 1, 1)}
    return network(nodes, {"x": (1, 16, 96, 96)}, {"y": (1, 16, 96, 96)}, weights)


def product() -> onnx.ModelProto:
    nodes = [node("Relu", "x", "a"), node("MatMul", "a a", "b"), node("Softmax", "b", "y", axis=-1)]
    return network(nodes, IMAGE, {"y": IMAGE["x"]})


CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "no workspace": (convolution, {}),
    "a lowered matrix": (convolution, {"algorithm": "im2col_gemm"}),
    "packed tiles": (convolution, {"algorithm": "sconv", "layout": "NCHW"}),
    "a chain": (inverted_residual, {}),
    "a product": (product, {}),
    "by rows": (inverted_residual, {"memory": "least"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_run_holds_what_the_report_says(case: str, tmp_path: Path) -> None:
    make, options = CASES[case]
    library = tmp_path / "model.so"
    directconv.compile(make(), **options).export_library(library)
    model = load(library)  # as TVM runs it
    report = model.report()
    tensors = [tvm.runtime.tensor(np.zeros(info.shape, info.dtype)) for info in model.inputs]
    machine = relax.VirtualMachine(model.executable, tvm.cpu(), memory_cfg="pooled")
    storages: list[int] = []

    def instrument(function: Any, name: str, before: bool, result: Any, *arguments: Any) -> None:
        if before and name == "vm.builtin.alloc_storage":
            storages.append(int(np.prod(list(arguments[1]))))

    def run() -> list[int]:
        machine["main"](*tensors)  # resolves the pointers
        machine.set_instrument(instrument)
        with workspace_events(library) as events:
            machine["main"](*tensors)
        return events

    *_, kept = held = [0, *accumulate(with_threads(1, run))]
    workspace = max(held)
    assert kept == 0
    assert sum(storages) == report.activation_bytes
    assert workspace == report.workspace_bytes
    assert report.peak_bytes == sum(storages) + workspace
    # What is chosen by rows differs with the CPU.
    assert case == "by rows" or (workspace > 0) == (case != "no workspace")


def test_no_call_takes_more_than_was_allowed() -> None:
    needed = directconv.compile(product()).report().workspace_bytes
    assert directconv.compile(product(), max_workspace_bytes=needed).report().workspace_bytes == needed
    with pytest.raises(AlgorithmError, match=f"'matrix_product'.*allocates {needed} bytes.*={needed - 1}"):
        directconv.compile(product(), max_workspace_bytes=needed - 1)
    assert directconv.compile(inverted_residual(), max_workspace_bytes=0).report().workspace_bytes == 0


def test_the_report_says_what_a_run_holds() -> None:
    report = directconv.compile(convolution(), algorithm="im2col_gemm").report()
    assert "a run holds" in report.totals() and f'"peak_bytes": {report.peak_bytes}' in report.to_json()


PAGE = Path(__file__).parents[2] / "docs" / "profiling.md"


@pytest.mark.parametrize("networks", ["modern", "light"])
def test_the_page_has_the_table_that_its_command_prints(networks: str) -> None:
    stored = PAGE.parent / "measured" / f"{networks}.json"
    table = memory_table(Result.from_json(stored.read_text()))
    assert table in PAGE.read_text() and "| ours |" in table
    printed = CliRunner().invoke(draw_results, ["--memory", str(stored)])
    assert printed.output.strip() == table


@pytest.mark.slow
def test_weights_do_not_wait_for_the_garbage_collector() -> None:
    """Nothing that held a network's constants while it was compiled is in a cycle afterwards."""
    model = network(
        [node("Conv", "x w", "y")], {"x": (1, 3, 8, 8)}, {"y": (1, 4, 6, 6)}, {"w": draw(4, 3, 3, 3)}
    )
    directconv.compile(model, cache=False)
    gc.collect()
    gc.disable()
    try:
        directconv.compile(model, cache=False)
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        kinds = {type(each).__name__ for each in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not kinds & {"GenericConst", "Constant", "Tensor", "ndarray", "Function"}
