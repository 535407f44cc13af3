"""What tests of the command line share: a layer, a small network, and calls that must succeed or fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from click.testing import CliRunner, Result
from onnx import TensorProto, helper, numpy_helper

from tvm_directconv.cli.group import commands
from tvm_directconv.problem.workload import Conv2dWorkload

LAYER = Conv2dWorkload(1, 8, 8, 3, 16, (3, 3), padding=(1, 1, 1, 1))


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(commands, [str(argument) for argument in arguments])


def succeed(*arguments: str | Path) -> str:
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def fail(*arguments: str | Path, status: int = 1) -> str:
    """The line on standard error of a command that must fail: the only one, but for wrong usage's hint."""
    result = call(*arguments)
    assert result.exit_code == status and isinstance(result.exception, SystemExit), result.output
    lines = [line for line in result.stderr.splitlines() if line]
    assert (len(lines) == 1 or status == 2) and lines[-1].startswith("Error: "), result.output
    return lines[-1]


def small_model(folder: Path, batch: int | str = 1) -> Path:
    """A convolution and a ReLU, 1x3x8x8 in, as a file in that folder; ``batch`` may be a name."""
    weights = np.random.default_rng(0).standard_normal((16, 3, 3, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["image", "w"], ["sum"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["sum"], ["features"], name="relu"),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [batch, 3, 8, 8])],
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [batch, 16, 8, 8])],
        [numpy_helper.from_array(weights, "w")],
    )
    path = folder / "small.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path
