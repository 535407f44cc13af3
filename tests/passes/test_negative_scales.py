"""Negative scales in quantized graphs, which the standard allows, against onnx's evaluator."""

from __future__ import annotations

import numpy as np
import pytest
from graph_support import node
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import tvm_directconv as directconv

IMAGE = (1, 5, 6, 7)
SCALES = [(0.05, -0.0371), (-0.05, -0.0371)]
STEPS = {
    "Relu": [node("Relu", "v", "u")],
    "Clip": [node("Clip", "v low high", "u")],
    "LeakyRelu": [node("LeakyRelu", "v", "u", alpha=0.2)],
    "PRelu": [node("PRelu", "v slopes", "u")],
    "MaxPool": [node("MaxPool", "v", "u", kernel_shape=[2, 3])],
    "Relu of a pool": [node("MaxPool", "v", "m", kernel_shape=[2, 3]), node("Relu", "m", "u")],
    "Add": [node("DequantizeLinear", "added in zero", "a"), node("Add", "v a", "m"), node("Relu", "m", "u")],
    "Concat": [node("DequantizeLinear", "added in zero", "a"), node("Concat", "v a", "u", axis=1)],
    "again": [
        *(node("QuantizeLinear", "v mid zero", "m"), node("DequantizeLinear", "m in zero", "k")),
        node("Clip", "k low high", "u"),
    ],
    "bytes clipped": [
        *(node("QuantizeLinear", "v mid zero", "m"), node("Max", "m least", "k")),
        node("DequantizeLinear", "k mid zero", "u"),
    ],
}


CASES = [
    *(("Conv", scales, step) for scales in SCALES for step in STEPS),
    *(("none", (-0.05, 0.0371), step) for step in ("Relu", "Clip", "Add", "Concat", "bytes clipped")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("layer", "scales", "step"), CASES)
def test_steps_between_them(layer: str, scales: tuple[float, float], step: str) -> None:
    rng = np.random.default_rng(5)
    before, after = map(np.float32, scales)
    constants = {
        **{"in": before, "out": after, "mid": -after, "zero": np.int8(3), "none": np.int8(0)},
        **{"low": np.float32(-0.7), "high": np.float32(1.1), "least": np.int8(9)},
        "slopes": rng.standard_normal((5, 1, 1)).astype(np.float32),
        # Its products are exact in float32, in which the evaluator sums them.
        "w": rng.integers(-32, 33, (5, 5, 1, 1)).astype(np.int8),
        "sw": np.array([0.25, -0.5, 0.125, -0.25, 0.5], np.float32) / 8,
        "nones": np.zeros(5, np.int8),
    }
    nodes = [node("DequantizeLinear", "x in zero", "d" if layer == "Conv" else "v")]
    if layer == "Conv":
        nodes += [node("DequantizeLinear", "w sw nones", "wd", axis=0), node("Conv", "d wd", "v")]
    nodes += [*STEPS[step], node("QuantizeLinear", "u out none", "y")]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, TensorProto.INT8, IMAGE) for name in ("x", "added")],
        [helper.make_tensor_value_info("y", TensorProto.INT8, None)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    inputs = {name: rng.integers(-128, 128, IMAGE).astype(np.int8) for name in ("x", "added")}
    (want,) = ReferenceEvaluator(model).run(None, inputs)
    compiled = directconv.compile(model, cache=False)
    (got,) = compiled.run({name: inputs[name] for name in compiled.input_names})
    # A number within float32's rounding of a tie may fall to its other side.
    off = np.abs(got.astype(int) - want)
    assert off.max() <= 1 and (off > 0).mean() < 0.01, (off.max(), (off > 0).mean())
