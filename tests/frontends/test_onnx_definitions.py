"""What becomes of an ONNX graph before its import: operators by their definitions, constant operands, tensors
without elements; and what the report says of kernels that are not this library's."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx_support import TARGET

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.constant_operands import constant_inputs
from relay_strategies.frontends.onnx.functions import is_defined_by_others
from relay_strategies.frontends.onnx.importer import walk_model

FLOAT, INT64, UINT8 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.UINT8


def model_of(nodes: list[onnx.NodeProto], inputs: dict, outputs: dict, opset: int = 23) -> ModelProto:
    """A model; ``inputs`` and ``outputs`` are (type, shape) by name."""
    values = [[helper.make_tensor_value_info(n, *of) for n, of in each.items()] for each in (inputs, outputs)]
    graph = helper.make_graph(nodes, "graph", *values)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


@pytest.mark.parametrize(
    ("kind", "opset", "defined"),
    [
        ("Attention", 23, True),  # TVM's converter of this name is of another domain
        ("RotaryEmbedding", 23, True),
        ("NegativeLogLikelihoodLoss", 13, True),
        ("Relu", 14, False),  # it has a definition, and TVM has a kernel
        ("LayerNormalization", 17, False),
        ("Attention", 22, False),  # not yet an operator
        ("NonZero", 13, False),
    ],
)
def test_what_others_define(kind: str, opset: int, defined: bool) -> None:
    assert is_defined_by_others(helper.make_node(kind, ["x"], ["y"]), {"": opset}) is defined


def test_what_a_definition_consists_of_is_named_by_its_node() -> None:
    heads = (FLOAT, (1, 2, 4, 8))
    nodes = [helper.make_node("Attention", ["q", "k", "v"], ["y"], "block/attention")]
    walk = walk_model(model_of(nodes, dict.fromkeys("qkv", heads), {"y": heads}))
    names = [node.name for node in walk.nodes]
    assert len(names) > 3 and all(name.startswith("block/attention/") for name in names)


def test_definitions_stand_in_branches_too() -> None:
    data = (FLOAT, (2, 3))

    def branch(name: str, node: onnx.NodeProto) -> onnx.GraphProto:
        return helper.make_graph([node], name, [], [helper.make_tensor_value_info(node.output[0], *data)])

    chosen = helper.make_node(
        "If",
        ["condition"],
        ["y"],
        then_branch=branch("then", helper.make_node("Celu", ["x"], ["a"], "celu", alpha=2.0)),
        else_branch=branch("else", helper.make_node("Relu", ["x"], ["b"])),
    )
    model = model_of([chosen], {"condition": (TensorProto.BOOL, ()), "x": data}, {"y": data})
    compiled = directconv.compile(model, TARGET)
    x = np.random.default_rng(3).standard_normal((2, 3)).astype(np.float32)
    for condition, below in ((True, 2 * (np.exp(x / 2) - 1)), (False, 0)):
        (result,) = compiled.run([np.array(condition), x])
        np.testing.assert_allclose(result, np.where(x > 0, x, below), 1e-4, 1e-5)


def test_inputs_that_shapes_follow_from_are_found_through_their_arithmetic() -> None:
    nodes = [
        helper.make_node("Mul", ["half", "two"], ["shape"]),
        helper.make_node("Reshape", ["x", "shape"], ["r"]),
        helper.make_node("Shape", ["other"], ["others"]),  # of which the values do not matter
        helper.make_node("Expand", ["r", "others"], ["y"]),
    ]
    inputs = {"x": (FLOAT, (4, 3)), "half": (INT64, (2,)), "two": (INT64, (1,)), "other": (FLOAT, (2, 6))}
    model = model_of(nodes, inputs, {"y": (FLOAT, (2, 6))})
    assert constant_inputs(model) == ["half", "two"]
    model.graph.initializer.append(numpy_helper.from_array(np.array([2]), "two"))
    assert constant_inputs(model) == ["half"]


def test_tensors_without_elements_are_constants() -> None:
    nodes = [
        helper.make_node("Concat", ["past", "x"], ["all"], axis=0),
        helper.make_node("Relu", ["past"], ["gone"]),
        helper.make_node("ReduceSum", ["gone"], ["sum"], keepdims=0),
    ]
    inputs = {"past": (FLOAT, (0, 3)), "x": (FLOAT, (2, 3))}
    model = model_of(nodes, inputs, {"all": (FLOAT, (2, 3)), "sum": (FLOAT, ())})
    walk = walk_model(model)
    assert [(node.op_type, list(node.input)) for node in walk.nodes] == [("Concat", ["x"])]
    assert walk.known["sum"] == 0
    data = np.ones((2, 3), np.float32)
    joined, total = directconv.compile(model, TARGET).run({"past": np.zeros((0, 3), np.float32), "x": data})
    assert np.array_equal(joined, data) and total == 0


def test_constants_without_elements_are_joined_to_nothing() -> None:
    """Segmentation networks have them where an encoder has no map of a size, in layers' own layout."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"]),
        helper.make_node("Concat", ["a", "none"], ["b"], axis=1),
        helper.make_node("Relu", ["b"], ["y"]),
    ]
    model = model_of(nodes, {"x": (FLOAT, (1, 3, 5, 7))}, {"y": (FLOAT, (1, 4, 5, 7))})
    weights = np.arange(12, dtype=np.float32).reshape(4, 3, 1, 1) - 6
    for name, array in (("w", weights), ("none", np.zeros((1, 0, 5, 7), np.float32))):
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    x = np.arange(105, dtype=np.float32).reshape(1, 3, 5, 7)
    (y,) = directconv.compile(model, TARGET).run([x])
    assert np.array_equal(y, np.maximum(np.einsum("nchw,oc->nohw", x, weights[:, :, 0, 0]), 0))


def test_the_report_tells_kernels_that_are_tvms() -> None:
    image, weights = (UINT8, (1, 2, 4, 4)), (UINT8, (3, 2, 3, 3))
    integers = [
        helper.make_node("ConvInteger", ["x", "w"], ["y"], "c"),
        helper.make_node("Relu", ["y"], ["z"]),
    ]
    model = model_of(integers, {"x": image, "w": weights}, {"z": (TensorProto.INT32, (1, 3, 2, 2))})
    with pytest.warns(UserWarning, match="convolution.* of int32 runs by TVM's default kernel"):
        report = directconv.compile(model, TARGET).report()
    assert sum(report.default_kernels.values()) == 1 and "conv2d" in next(iter(report.default_kernels))
    assert "TVM's own: 1 x " in report.details()
    floats = model_of([helper.make_node("Relu", ["x"], ["y"])], {"x": (FLOAT, (8,))}, {"y": (FLOAT, (8,))})
    assert not directconv.compile(floats, TARGET).report().default_kernels


def test_the_report_tells_reductions_by_the_default_schedule() -> None:
    nodes = [
        helper.make_node("Cast", ["x"], ["i"], to=INT64),
        helper.make_node("ReduceProd", ["i"], ["p"]),
        helper.make_node("Cast", ["p"], ["a"], to=FLOAT),
        helper.make_node("ReduceMean", ["x"], ["b"]),
        helper.make_node("Add", ["a", "b"], ["y"]),
    ]
    model = model_of(nodes, {"x": (FLOAT, (3, 8))}, {"y": (FLOAT, (1, 1))})
    report = directconv.compile(model, TARGET).report()
    assert sum(report.reductions_by_default.values()) == 1 and not report.default_kernels
    assert report.other_kernels["mean"] == 1 and "by the default schedule: 1 x " in report.details()


@pytest.mark.parametrize("keepdims", [0, 1])
def test_axes_apart_are_reduced_run_by_run(keepdims: int) -> None:
    axes, shape = (0, 2, 3, 5), (2, 3, 1, 17, 4, 5)
    kinds = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min}
    nodes = [helper.make_node(kind, ["x", "axes"], [kind], keepdims=keepdims) for kind in kinds]
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    x[1, 2, 0, 3, 1, 4] = np.nan
    wanted = [reduce(x, axis=axes, keepdims=bool(keepdims)) for reduce in kinds.values()]
    results = {kind: (FLOAT, each.shape) for kind, each in zip(kinds, wanted, strict=True)}
    model = model_of(nodes, {"x": (FLOAT, shape)}, results)
    model.graph.initializer.append(numpy_helper.from_array(np.array(axes, np.int64), "axes"))
    compiled = directconv.compile(model, TARGET)
    assert not compiled.report().reductions_by_default
    for got, want in zip(compiled.run(x), wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_a_sum_of_products_is_a_matrix_product() -> None:
    node = helper.make_node("Einsum", ["x", "y"], ["z"], equation="bqc,bchw->bqhw")
    inputs = {"x": (FLOAT, (2, 3, 4)), "y": (FLOAT, (2, 4, 5, 6))}
    model = model_of([node], inputs, {"z": (FLOAT, (2, 3, 5, 6))})
    report = directconv.compile(model, TARGET).report()
    assert not report.reductions_by_default and "einsum" not in " ".join(report.other_kernels)


def test_dimensions_that_exporters_leave_open_in_their_own_ways() -> None:
    """Paddle's are -1 and "?", however many there are, of outputs, too. Others' outputs have another rank."""
    nodes = [
        helper.make_node("GlobalAveragePool", ["x"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["y"]),
        helper.make_node("Relu", ["x"], ["z"]),
    ]
    inputs = {"x": (FLOAT, (-1, 3, "?", "?"))}
    x = np.arange(-90, 120, dtype=np.float32).reshape(2, 3, 5, 7)
    for declared in ((-1, 3), (1, "?", 1, 1)):
        model = model_of(nodes, inputs, {"y": (FLOAT, declared), "z": (FLOAT, (-1, 3, "?", "?"))})
        y, z = directconv.compile(model, TARGET, shapes={"x": x.shape}).run([x])
        np.testing.assert_allclose(y, x.mean((2, 3)), rtol=1e-6)
        assert np.array_equal(z, np.maximum(x, 0))


def test_branches_are_folded_inside() -> None:
    """What follows from constants in a branch that is chosen when the model runs, as pads do, is constant."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        net (float[1,1,6] x, bool chosen) => (float[1,1,N] y) {
            y = If (chosen) <
                then_branch = a () => (float[1,1,N] r) {
                    zeros = Constant <value_ints = [0, 0, 0, 0, 0]> ()
                    two = Constant <value_ints = [2]> ()
                    pads = Concat <axis = 0> (zeros, two)
                    r = Pad (x, pads)
                },
                else_branch = b () => (float[1,1,N] r) {
                    shape = Shape (x)
                    two = Constant <value_ints = [2]> ()
                    length = Gather <axis = 0> (shape, two)
                    more = Add (length, two)
                    one = Constant <value_ints = [1, 1]> ()
                    size = Concat <axis = 0> (one, more)
                    ones = ConstantOfShape (size)
                    r = Add (ones, ones)
                }
            >
        }""")
    compiled = directconv.compile(model, TARGET)
    x = np.arange(6, dtype=np.float32).reshape(1, 1, 6)
    padded, zeros = np.pad(x, ((0, 0), (0, 0), (0, 2))), np.zeros((1, 1, 8), np.float32)
    for chosen, wanted in ((True, padded), (False, zeros)):
        (y,) = compiled.run({"x": x, "chosen": np.array(chosen)})
        assert np.array_equal(y, wanted)


def test_functions_have_values_for_what_calls_leave_out_and_opsets_of_their_own() -> None:
    """Also where other functions call them, and for operators that have changed since."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        net (float[4] x) => (float[1,4] y) { y = local.Row (x) }
        <domain: "local", opset_import: ["" : 11, "local" : 1]>
        Row (a) => (b) {
            leaky = local.Leaky (a)
            b = Unsqueeze <axes = [0]> (leaky)
        }
        <domain: "local", opset_import: ["" : 17]>
        Leaky <slope: float = 0.25> (a) => (b) { b = LeakyRelu <alpha: float = @slope> (a) }""")
    (y,) = directconv.compile(model, TARGET).run([np.array([-4, 4, -1, 1], np.float32)])
    assert y.tolist() == [[-1, 4, -0.25, 1]]


def test_a_branch_has_filters_of_its_own() -> None:
    """A convolution need not say how large its filter is."""
    maps = (FLOAT, (1, 2, 3, 3))
    weights = np.arange(36, dtype=np.float32).reshape(2, 2, 3, 3)
    values = [helper.make_tensor_value_info(name, *maps) for name in "ab"]
    convolution = helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1])
    then = helper.make_graph([convolution], "then", [], values[:1], [numpy_helper.from_array(weights, "w")])
    other = helper.make_graph([helper.make_node("Relu", ["x"], ["b"])], "other", [], values[1:])
    chosen = helper.make_node("If", ["condition"], ["y"], then_branch=then, else_branch=other)
    model = model_of([chosen], {"condition": (TensorProto.BOOL, ()), "x": maps}, {"y": maps})
    x = np.zeros((1, 2, 3, 3), np.float32)
    x[:, :, 1, 1] = 1
    (y,) = directconv.compile(model, TARGET).run({"condition": np.array(True), "x": x})
    assert np.array_equal(y[0], weights.sum(1)[:, ::-1, ::-1])
