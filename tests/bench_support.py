"""What the tests of the benchmark share: small problems, and a contestant that is always right."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tvm_directconv.bench import Contestant, LayerResult, Prepared, bench_layers
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.problem.workload import Conv2dWorkload

NATIVE = "llvm -mcpu=native"
SMALL = Conv2dWorkload(1, 9, 8, 16, 24, (3, 3), padding=(1, 1, 1, 1))
ODD = Conv2dWorkload(2, 11, 13, 8, 12, (3, 2), (2, 1), (1, 0, 0, 2), (1, 2), groups=2)
DEPTHWISE = Conv2dWorkload(1, 7, 7, 16, 16, (3, 3), (2, 2), (1, 1, 1, 1), groups=16)


class Right(Contestant):
    """Answers with the reference itself."""

    name = "right"

    def available(self) -> str | None:
        return None

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        return Prepared(lambda: None, lambda: problem.references, facts={"version": "1"})


def quick(contestants, layers=(SMALL,), **options) -> LayerResult:
    return bench_layers(layers, NATIVE, contestants=contestants, quick=True, progress=False, **options)


def tiny_network() -> onnx.ModelProto:
    generator = np.random.default_rng(0)
    weights = generator.standard_normal((16, 3, 3, 3), np.float32)
    nodes = [
        helper.make_node("Conv", ["image", "w"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("GlobalAveragePool", ["r"], ["answer"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 16, 16])],
        [helper.make_tensor_value_info("answer", TensorProto.FLOAT, [1, 16, 1, 1])],
        [numpy_helper.from_array(weights, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
