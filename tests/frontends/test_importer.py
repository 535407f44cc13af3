"""Models in: every form is read, every mistake is named, and what is imported means what the file says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
import tvm
import tvm_ffi
from graph_cases import CASES, IMAGE, MAP
from graph_support import draw, network, node, operators
from onnx import ModelProto, TensorProto, helper, numpy_helper
from tvm import relax

from relay_strategies.frontends.onnx.converters import CONVERTERS
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.passes import FoldConstants
from relay_strategies.relax.graph import operator_name
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

PLAIN = CASES["conv_bias_relu"].model


def convolution(**attributes: object) -> ModelProto:
    return network(
        [node("Conv", "x w b", "y", pads=[1, 1, 1, 1], **attributes)],
        IMAGE,
        MAP,
        {"w": draw(16, 8, 3, 3), "b": draw(16)},
    )


def test_path_bytes_and_proto_give_the_same_module(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(PLAIN, path)
    module = import_model(PLAIN)
    for form in (path, str(path), path.read_bytes()):
        assert tvm_ffi.structural_equal(import_model(form), module)


def test_weights_beside_the_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    copy = ModelProto.FromString(PLAIN.SerializeToString())  # saving moves the weights out of the model
    onnx.save(copy, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    assert (tmp_path / "weights.bin").exists()
    assert tvm_ffi.structural_equal(import_model(path), import_model(PLAIN))
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(ModelError, match=r"weights\.bin"):
        import_model(path)


def test_names_are_the_models_own() -> None:
    model = network(
        [node("Conv", "gpu_0/data.0 w", "1out")],
        {"gpu_0/data.0": (1, 8, 5, 5)},
        {"1out": (1, 4, 5, 5)},
        {"w": draw(4, 8, 1, 1)},
    )
    main = import_model(model)["main"]
    assert list(main.attrs["input_names"]) == ["gpu_0/data.0"]
    assert list(main.attrs["output_names"]) == ["1out"]
    assert [param.ty.shape.values[1] for param in main.params] == [8]


@pytest.mark.parametrize("case", ["residual_of_two_convolutions", "flattened_map_to_dense", "classifier"])
def test_layers_carry_their_nodes_names(case: str) -> None:
    model = CASES[case].model
    wanted = {n.name for n in model.graph.node if n.op_type in ("Conv", "Gemm")}
    named = set()
    for block in import_model(model)["main"].body.blocks:
        for binding in block.bindings:
            if operator_name(binding.value) in ("relax.nn.conv2d", "relax.matmul"):
                named.add(binding.value.span.source_name.name)
    assert named == wanted


def test_sum_becomes_additions() -> None:
    counts = operators(import_model(CASES["sum_of_three"].model))
    assert counts["stack"] == 0
    assert counts["add"] == 2 + 1  # and a bias


def test_automatic_padding_becomes_explicit() -> None:
    automatic = network(
        [node("Conv", "x w", "y", auto_pad="SAME_UPPER", strides=[2, 2], dilations=[2, 2])],
        IMAGE,
        {"y": (1, 16, 7, 7)},
        {"w": draw(16, 8, 3, 3)},
    )
    explicit = network(
        [node("Conv", "x w", "y", pads=[1, 1, 2, 2], strides=[2, 2], dilations=[2, 2])],
        IMAGE,
        {"y": (1, 16, 7, 7)},
        {"w": draw(16, 8, 3, 3)},
    )
    assert tvm_ffi.structural_equal(import_model(automatic), import_model(explicit))


def test_constants_may_be_nodes() -> None:
    """Weights as Constant and ConstantOfShape nodes, as the onnx package's light models have them."""
    shape = numpy_helper.from_array(np.array([16, 8, 3, 3], np.int64))
    value = numpy_helper.from_array(np.array([0.02], np.float32))
    nodes = [
        node("Constant", "", "s", value=shape),
        node("ConstantOfShape", "s", "w", value=value),
        node("Constant", "", "b", value_floats=[0.5] * 16),
        node("Conv", "x w b", "y", pads=[1, 1, 1, 1]),
    ]
    stored = network(
        [node("Conv", "x w b", "y", pads=[1, 1, 1, 1])],
        IMAGE,
        MAP,
        {"w": np.full((16, 8, 3, 3), 0.02, np.float32), "b": np.full(16, 0.5, np.float32)},
    )
    assert tvm_ffi.structural_equal(import_model(network(nodes, IMAGE, MAP)), import_model(stored))


@pytest.mark.parametrize("opset", [13, 17])
def test_functions_of_the_model_are_inlined(opset: int) -> None:
    """One calls another, in the model's opset and in another."""
    imports = [helper.make_opsetid("", 13), helper.make_opsetid("local", 1)]
    twice = helper.make_function("local", "Twice", ["a"], ["b"], [node("Add", "a a", "b")], imports)
    calls = [node("Relu", "a", "b"), helper.make_node("Twice", ["b"], ["c"], domain="local")]
    often = helper.make_function("local", "Often", ["a"], ["c"], calls, imports)
    nodes = [
        helper.make_node("Often", ["x"], ["z"], domain="local"),
        helper.make_node("Twice", ["z"], ["y"], domain="local"),
    ]
    model = network(nodes, IMAGE, {"y": IMAGE["x"]}, opset=opset)
    model.functions.extend([twice, often])
    model.opset_import.append(helper.make_opsetid("local", 1))
    assert operators(import_model(model)) == {"nn.relu": 1, "add": 2}


def test_symbolic_dimensions_can_be_fixed() -> None:
    model = network([node("Relu", "x", "y")], {"x": ("batch", 8)}, {"y": ("batch", 8)})
    main = import_model(model, shapes={"x": (4, 8)})["main"]
    assert [int(d) for d in main.params[0].ty.shape.values] == [4, 8]


# ---- what is wrong with a file


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no graph"),
        (b"not an onnx model at all", "not an ONNX model, or a truncated one"),
        (PLAIN.SerializeToString()[:-700], "not an ONNX model, or a truncated one"),
    ],
    ids=["empty", "garbage", "truncated"],
)
def test_bytes_that_are_no_model(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=message):
        import_model(data)
    with pytest.raises(ModelError, match=rf"model\.onnx.*{message}"):
        import_model(path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere\.onnx': no such file"):
        import_model(tmp_path / "nowhere.onnx")
    with pytest.raises(ModelError, match="is not a file"):
        import_model(tmp_path)


def _no_such_tensor() -> ModelProto:
    return network([node("Relu", "nothing", "y")], IMAGE, {"y": IMAGE["x"]})


def _weights_do_not_fit() -> ModelProto:
    return network([node("Conv", "x w", "y")], IMAGE, {"y": (1, 4, 14, 14)}, {"w": draw(4, 9, 1, 1)})


def _bytes_do_not_fit() -> ModelProto:
    model = convolution()
    model.graph.initializer[0].raw_data = model.graph.initializer[0].raw_data[:-4]
    return model


def _old_broadcasting() -> ModelProto:
    return network(
        [node("Add", "x k", "y", broadcast=1, axis=1)], IMAGE, {"y": IMAGE["x"]}, {"k": draw(8)}, opset=6
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_no_such_tensor, "nothing"),
        (_weights_do_not_fit, "Conv"),
        (_bytes_do_not_fit, "tensor 'w'"),
        (_old_broadcasting, "broadcast attribute"),
        (lambda: network([node("Relu", "x", "y")], {"x": ("n", 8)}, {"y": ("n", 8)}), "'x': dimension 0 'n'"),
    ],
    ids=["unknown tensor", "weights", "raw data", "broadcast", "symbolic"],
)
def test_malformed_models(make: Callable[[], ModelProto], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        import_model(make())


def test_inputs_without_a_shape_are_named() -> None:
    model = convolution()
    model.graph.input[0].type.tensor_type.ClearField("shape")
    with pytest.raises(ModelError, match="input 'x' does not have a shape"):
        import_model(model)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [({"xx": (1, 8)}, "did you mean 'x'"), ({"x": (1, 9)}, "cannot have shape"), ({"x": (1,)}, "cannot")],
)
def test_shapes_that_do_not_fit(shapes: dict[str, tuple[int, ...]], message: str) -> None:
    model = network([node("Relu", "x", "y")], {"x": ("n", 8)}, {"y": ("n", 8)})
    with pytest.raises(ModelError, match=message):
        import_model(model, shapes=shapes)


# ---- operators


def test_all_unsupported_operators_are_named_at_once() -> None:
    branch = helper.make_graph(
        [node("StringNormalizer", "s", "t")],
        "branch",
        [],
        [helper.make_tensor_value_info("t", TensorProto.STRING, [1])],
    )
    nodes = [
        node("Relu", "x", "a"),
        node(
            "TfIdfVectorizer",
            "a",
            "b",
            max_gram_length=1,
            max_skip_count=0,
            min_gram_length=1,
            mode="TF",
            ngram_counts=[0],
            ngram_indexes=[0],
        ),
        node("NchwcConv", "b w", "c", domain="com.microsoft"),
        node("If", "d", "e", then_branch=branch, else_branch=branch),
        node("RandomNormal", "", "f", shape=[1]),
        node("Concat", "b c e", "g", axis=0),
        node("Relu", "g", "y"),
    ]
    model = network(nodes, IMAGE, MAP, {"w": draw(8, 16, 3, 3)})
    with pytest.raises(UnsupportedOperatorError) as caught:
        import_model(model)
    for named in (
        "TfIdfVectorizer ('TfIdfVectorizer:b')",
        "com.microsoft::NchwcConv ('NchwcConv:c')",
        "StringNormalizer",
    ):
        assert named in str(caught.value)
    for known_or_unused in ("Relu", "RandomNormal"):
        assert known_or_unused not in str(caught.value)


@pytest.mark.parametrize(
    ("rank", "dtype", "message"),
    [(4, np.float32, "4-D convolution"), (5, np.float16, "5-D convolution")],
)
def test_other_convolutions_are_refused_by_name(rank: int, dtype: type, message: str) -> None:
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    spatial = [5] * rank
    graph = helper.make_graph(
        [node("Relu", "x", "a"), node("Conv", "a w", "y")],
        "network",
        [helper.make_tensor_value_info("x", kind, [1, 2, *spatial])],
        [helper.make_tensor_value_info("y", kind, [1, 3, *spatial])],
        [numpy_helper.from_array(np.ones([3, 2] + [1] * rank, dtype), "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    with pytest.raises(UnsupportedOperatorError, match=rf"'Conv:y'.*{message}"):
        import_model(model)


def test_weights_standardized_by_a_batch_normalization_are_constants() -> None:
    """Exporters compute a filter from its weights in networks without normalization."""
    weights = {"raw": draw(16, 8, 3, 3)}
    vectors = {"scale": draw(16), "bias": np.zeros(16, np.float32)}
    shapes = {"rows": np.array([1, 16, -1]), "filter": np.array([16, 8, 3, 3])}
    normalization = node(
        "BatchNormalization", "r scale bias bias scale", "n m v", training_mode=1, momentum=0.0
    )
    nodes = [node("Reshape", "raw rows", "r"), normalization, node("Reshape", "n filter", "w")]
    nodes.append(node("Conv", "x w", "y", pads=[1, 1, 1, 1]))
    module = import_model(network(nodes, IMAGE, MAP, weights | vectors | shapes, opset=15))
    with tvm.target.Target("llvm"):
        module = FoldConstants(module)
    assert operators(module) == {"nn.conv2d": 1}


def test_training_is_refused() -> None:
    names = ("scale", "bias", "mean", "var")
    weights = {name: draw(8) for name in names}
    normalization = node("BatchNormalization", "x scale bias mean var", "y m v sm sv")
    model = network([normalization], IMAGE, {"y": IMAGE["x"]}, weights, opset=9)
    with pytest.raises(UnsupportedOperatorError, match="BatchNormalization.*training"):
        import_model(model)


def test_failures_of_tvms_importer_name_the_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    model = network([node("LRN", "x", "y", size=4)], IMAGE, {"y": IMAGE["x"]})  # it wants odd sizes
    with pytest.raises(UnsupportedOperatorError, match=r"node 'LRN:y' \(LRN\): an even size"):
        import_model(model)
    monkeypatch.delitem(CONVERTERS, "LRN")
    with pytest.raises(ModelError, match=r"node 'LRN:y' \(LRN\): TVM's ONNX importer fails"):
        import_model(model)


# ---- Relax modules


def relax_module(operator: Callable[..., relax.Expr], *shapes: tuple[object, ...]) -> tvm.IRModule:
    builder = relax.BlockBuilder()
    params = [relax.Var(f"p{i}", relax.TensorType(shape, "float32")) for i, shape in enumerate(shapes)]
    with builder.function("main", params):
        with builder.dataflow():
            result = builder.emit_output(operator(*params))
        builder.emit_func_output(result)
    return builder.get()


def test_relax_modules_are_taken_with_their_params() -> None:
    module = relax_module(relax.op.nn.conv2d, (1, 8, 5, 5), (4, 8, 3, 3))
    weight = draw(4, 8, 3, 3)
    for value in (weight, tvm.runtime.tensor(weight)):
        bound = import_model(module, params={"p1": value})
        assert [param.name for param in bound["main"].params] == ["p0"]
    with pytest.raises(ModelError, match="no parameter of main"):
        import_model(module, params={"q1": weight})
    with pytest.raises(ModelError, match="did you mean 'p1'"):
        import_model(module, params={"p11": weight})
    with pytest.raises(ModelError, match=r"shape \(4, 8, 3\)"):
        import_model(module, params={"p1": weight[..., 0]})


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (tvm.IRModule(), "lacks a Relax function 'main'"),
        (relax_module(relax.op.nn.relu, (tvm.tirx.Var("n", "int64"), 8)), "input 'p0'.*not have a static"),
        (relax_module(relax.op.nn.relu, (0, 8)), "'p0': dimension 0 is 0"),
    ],
    ids=["no main", "symbolic", "zero"],
)
def test_relax_modules_that_cannot_be_compiled(module: tvm.IRModule, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        import_model(module)


def test_options_of_the_other_kind_of_model_are_refused() -> None:
    with pytest.raises(ModelError, match="shapes applies to ONNX models"):
        import_model(relax_module(relax.op.nn.relu, (1, 8)), shapes={"p0": (1, 8)})
