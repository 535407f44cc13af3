"""Graphs of the operators that networks are made of, against ONNX Runtime, in every layout."""

from __future__ import annotations

import random

import onnx
from graph_support import inputs_of
from onnx import TensorProto, helper, numpy_helper
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv
from tvm_directconv.errors import DirectConvError

from .graph_rules import RULES, Drawing, Skip

LAYOUTS = ("NHWC", "NHWC", "NCHW", "blocked")
TARGETS = ("llvm -mcpu=native", "llvm -mcpu=native", "llvm")
TOLERANCE = 2e-4
OPSET = 17


def draw_model(rng: random.Random) -> onnx.ModelProto:
    drawing = Drawing(rng)
    for _ in range(rng.choice((1, 1, 2))):
        size = rng.choice((5, 8, 13, 14))
        maps = rng.choice(((size, size), (size, 6), (size, 6), (size,), (4, size // 2, 5)))
        drawing.input(rng.choice((1, 1, 2)), rng.choice((1, 3, 8, 16, 19)), *maps)
    wanted = rng.randint(1, 14)
    while len(drawing.nodes) < wanted:
        try:
            rng.choice(RULES)(drawing)
        except Skip:
            continue
    return _model(drawing)


def _model(drawing: Drawing) -> onnx.ModelProto:
    """The model, whose outputs are what no node takes."""

    def info(name: str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, drawing.shapes[name])

    names = [name for name in drawing.shapes if name not in drawing.used]
    inputs = [info(name) for name in drawing.shapes if name.startswith("in")]
    outputs = [info(name) for name in names if not name.startswith("in")]
    weights = [numpy_helper.from_array(array, name) for name, array in drawing.weights.items()]
    graph = helper.make_graph(drawing.nodes, "drawn", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def check(number: int) -> str:
    rng = random.Random(number)
    model = draw_model(rng)
    onnx.checker.check_model(model, full_check=True)
    inputs = inputs_of(model)
    # Its optimizer joins some pads to pools that it then refuses to make.
    want = run_onnx_runtime(model, inputs, optimized=False)
    layout, target = rng.choice(LAYOUTS), rng.choice(TARGETS)
    what = f"{layout} {target}: {', '.join(n.op_type for n in model.graph.node)}"
    try:
        compiled = directconv.compile(model, target, layout=layout)
    except DirectConvError as error:
        # Every operator that is drawn is one that compiles.
        raise AssertionError(f"{what}: refused: {error}") from error
    for value, got, expected in zip(model.graph.output, compiled.run(inputs), want, strict=True):
        assert_matches(got, expected, f"{what}: {value.name}", TOLERANCE)
    return "right"
