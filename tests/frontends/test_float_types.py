"""Networks of float16, bfloat16 and float64 tensors: computed in float32, in their own types at the edges."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest
import tvm
from graph_support import node, run_by_plain_tvm
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from onnx_support import TARGET
from tvm import relax

import tvm_directconv as directconv
from relay_strategies import passes
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.relax.graph import dtype_of, operator_name
from tvm_directconv.errors import InputError, ModelError, UnsupportedOperatorError

FLOATS = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float64": np.float64}
HALVES = ("float16", "bfloat16")
# What rounding of inputs, weights and results to so many bits may cost.
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float64": 1e-5}
ALL_HALVES = np.arange(1 << 16, dtype=np.uint16)
Infos = dict[str, tuple[object, Sequence[int]]]


def network(
    nodes: Sequence[NodeProto], inputs: Infos, outputs: Infos, weights: dict[str, np.ndarray], opset: int = 22
) -> ModelProto:
    def infos(tensors: Infos) -> list:
        kinds = {n: helper.np_dtype_to_tensor_dtype(np.dtype(kind)) for n, (kind, _) in tensors.items()}
        return [helper.make_tensor_value_info(n, kinds[n], shape) for n, (_, shape) in tensors.items()]

    initializers = [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    graph = helper.make_graph(list(nodes), "network", infos(inputs), infos(outputs), initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def classifier(kind: object) -> tuple[ModelProto, np.ndarray]:
    """A convolution with a bounded activation, pooling, normalization, and a dense layer."""
    draw = np.random.default_rng(0).standard_normal
    weights = {
        "w": draw((8, 4, 3, 3)) / 4,
        "b": draw(8),
        "low": 0.0,
        "high": 6.0,
        "m": draw(8),
        "v": np.ones(8),
        "g": draw((8, 5)) / 4,
    }
    nodes = [
        node("Conv", "x w b", "c", pads=[1, 1, 1, 1]),
        node("Clip", "c low high", "d"),
        node("MaxPool", "d", "e", kernel_shape=[2, 2], strides=[2, 2]),
        node("BatchNormalization", "e b b m v", "f"),
        node("GlobalAveragePool", "f", "p"),
        node("Flatten", "p", "q"),
        node("MatMul", "q g", "s"),
        node("Softmax", "s", "y"),
    ]
    typed = {name: np.asarray(array).astype(kind) for name, array in weights.items()}
    outputs: Infos = {"y": (kind, (1, 5)), "f": (kind, (1, 8, 4, 4))}
    return network(nodes, {"x": (kind, (1, 4, 8, 8))}, outputs, typed), draw((1, 4, 8, 8)).astype(kind)


@pytest.mark.parametrize("kind", FLOATS)
def test_networks_of_one_type(kind: str) -> None:
    """They compute what the same network does in float32, with the same kernels but for casts."""
    reference = directconv.compile(classifier(np.float32)[0], TARGET)
    model, data = classifier(FLOATS[kind])
    compiled = directconv.compile(model, TARGET)
    assert [info.dtype for info in (*compiled.inputs, *compiled.outputs)] == [kind] * 3
    assert "clip" not in compiled.report().other_kernels and "maximum" not in compiled.report().other_kernels
    for got, wanted in zip(compiled.run(data), reference.run(data.astype(np.float32)), strict=True):
        assert got.dtype == FLOATS[kind]
        np.testing.assert_allclose(got.astype(np.float64), wanted, TOLERANCE[kind], TOLERANCE[kind])


def assert_same_bits(got: np.ndarray, wanted: np.ndarray) -> None:
    """NaNs may have any payload."""
    assert got.dtype == wanted.dtype
    bits, nan = f"u{wanted.itemsize}", np.isnan(wanted.astype(np.float32))
    np.testing.assert_array_equal(np.isnan(got.astype(np.float32)), nan)
    np.testing.assert_array_equal(got.view(bits)[~nan], wanted.view(bits)[~nan])


@pytest.mark.parametrize("kind", HALVES)
def test_every_number_of_sixteen_bits(kind: str) -> None:
    """Subnormal numbers, infinities and NaN among them, as float32 and back."""
    halves = ALL_HALVES.view(FLOATS[kind])
    nodes = [node("Cast", "x", "y", to=TensorProto.FLOAT), node("Neg", "x", "z")]
    outputs: Infos = {"y": (np.float32, (1 << 16,)), "z": (FLOATS[kind], (1 << 16,))}
    model = network(nodes, {"x": (FLOATS[kind], (1 << 16,))}, outputs, {})
    wide, negative = directconv.compile(model, TARGET).run(halves)
    assert_same_bits(wide, halves.astype(np.float32))
    assert_same_bits(negative, -halves)


@pytest.mark.parametrize("kind", HALVES)
def test_casts_round_to_even_overflow_and_keep_nan(kind: str) -> None:
    """A cast to a narrower type in the middle of a network is one, too."""
    exact = ALL_HALVES.view(FLOATS[kind]).astype(np.float32)
    bits = exact.view(np.uint32)
    step = 1 << (12 if kind == "float16" else 15)
    between = np.concatenate([bits + np.uint32(step + offset) for offset in (-1, 0, 1)])
    special = np.array([65519.996, 65520, -65520, 1e30, 3.4e38, np.inf, np.nan, 2.9e-8, 3e-8], np.float32)
    data = np.concatenate([between.view(np.float32), special])
    narrow = helper.np_dtype_to_tensor_dtype(np.dtype(FLOATS[kind]))
    nodes = [node("Cast", "x", "y", to=narrow), node("Cast", "y", "z", to=TensorProto.FLOAT)]
    outputs: Infos = {"y": (FLOATS[kind], data.shape), "z": (np.float32, data.shape)}
    y, z = directconv.compile(network(nodes, {"x": (np.float32, data.shape)}, outputs, {}), TARGET).run(data)
    with np.errstate(all="ignore"):
        wanted = data.astype(FLOATS[kind])
    assert_same_bits(y, wanted)
    assert_same_bits(z, wanted.astype(np.float32))


def test_stored_in_float16_and_computed_in_float32() -> None:
    weight = np.random.default_rng(0).standard_normal((8, 4, 1, 1)).astype(np.float16)
    nodes = [node("Cast", "w", "wide", to=TensorProto.FLOAT), node("Conv", "x wide", "y")]
    shape = (1, 4, 3, 3)
    model = network(nodes, {"x": (np.float32, shape)}, {"y": (np.float32, (1, 8, 3, 3))}, {"w": weight})
    compiled = directconv.compile(model, TARGET)
    data = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    wanted = np.einsum("nchw,oc->nohw", data, weight[:, :, 0, 0].astype(np.float64))
    np.testing.assert_allclose(compiled.run(data)[0], wanted, rtol=1e-5, atol=1e-5)
    assert [layer.name for layer in compiled.report().layers] == ["Conv:y"]
    assert not any("cast" in kernel for kernel in compiled.report().other_kernels)


def test_arithmetic_of_integers_stays_exact() -> None:
    """Powers of integers are computed in float64, which holds what float32 does not."""
    model = network(
        [node("Pow", "x p", "y")],
        {"x": (np.int64, (3,))},
        {"y": (np.int64, (3,))},
        {"p": np.array(2, np.int64)},
    )
    data = np.array([3**16, -(2**24 + 1), 5], np.int64)
    np.testing.assert_array_equal(directconv.compile(model, TARGET).run(data)[0], data**2)


def test_large_doubles_become_infinite_and_a_warning_says_so() -> None:
    model = network(
        [node("Add", "x k", "y")],
        {"x": (np.float64, (3,))},
        {"y": (np.float64, (3,))},
        {"k": [1e300, 2.0, -1e39]},
    )
    with pytest.warns(
        UserWarning, match=r"2 of 3 elements of a float64 constant of shape \(3,\) are too large"
    ):
        compiled = directconv.compile(model, TARGET)
    np.testing.assert_array_equal(compiled.run(np.ones(3))[0], [np.inf, 3, -np.inf])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        directconv.compile(classifier(np.float64)[0], TARGET)


def test_inputs_of_another_type_are_refused() -> None:
    model = network(
        [node("Neg", "x", "y")], {"x": (ml_dtypes.bfloat16, ())}, {"y": (ml_dtypes.bfloat16, ())}, {}
    )
    compiled = directconv.compile(model, TARGET)
    (result,) = compiled.run(np.array(1.5, ml_dtypes.bfloat16))
    assert result == -1.5 and result.dtype == ml_dtypes.bfloat16
    with pytest.raises(
        InputError, match=r"dtype float32, expected bfloat16; convert it with .astype\('bfloat16'\)"
    ):
        compiled.run(np.array(1.5, np.float32))


@pytest.mark.parametrize(
    ("kind", "name"), [(TensorProto.INT4, "INT4"), (TensorProto.FLOAT8E4M3FN, "FLOAT8E4M3FN")]
)
def test_narrower_types_are_refused(kind: int, name: str) -> None:
    graph = helper.make_graph(
        [node("Cast", "x", "y", to=kind)],
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])],
        [helper.make_tensor_value_info("y", kind, [3])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    with pytest.raises(UnsupportedOperatorError, match=name):
        import_model(model)


def test_branches_of_a_condition() -> None:
    """Both give the same type, one by an operator and one by a cast."""
    half = helper.make_tensor_value_info("t", TensorProto.FLOAT16, [3])
    branches = {
        "then_branch": helper.make_graph([node("Relu", "x", "t")], "then", [], [half]),
        "else_branch": helper.make_graph(
            [node("Cast", "z", "t", to=TensorProto.FLOAT16)], "else", [], [half]
        ),
    }
    inputs: Infos = {"c": (np.bool_, ()), "x": (np.float16, (3,)), "z": (np.float32, (3,))}
    model = network([node("If", "c", "y", **branches)], inputs, {"y": (np.float16, (3,))}, {})
    compiled = directconv.compile(model, TARGET)
    x, z = np.array([-1, 2, 3], np.float16), np.array([4, 5, 6], np.float32)
    for condition, wanted in ((True, [0, 2, 3]), (False, [4, 5, 6])):
        (result,) = compiled.run({"c": np.array(condition), "x": x, "z": z})
        np.testing.assert_array_equal(result, np.array(wanted, np.float16))


def relax_network(kind: str) -> tvm.IRModule:
    """A convolution, a kernel written in TE, and both parts of a split."""
    builder = relax.BlockBuilder()
    x, w = (
        relax.Var(name, relax.TensorType(shape, kind))
        for name, shape in (("x", (1, 4, 6, 6)), ("w", (8, 4, 3, 3)))
    )
    with builder.function("main", [x, w]):
        with builder.dataflow():
            convolved = builder.emit(relax.op.nn.conv2d(x, w, padding=1, out_dtype=kind))
            rectified = builder.emit_te(tvm.topi.nn.relu, convolved)
            parts = builder.emit(relax.op.split(rectified, 2, axis=1))
            first, second = (builder.emit(relax.TupleGetItem(parts, index)) for index in range(2))
            result = builder.emit_output(relax.Tuple([builder.emit(relax.op.add(first, second)), first]))
        builder.emit_func_output(result)
    return builder.get()


@pytest.mark.parametrize("kind", FLOATS)
def test_relax_modules(kind: str) -> None:
    """What a module calls computes in its own type."""
    draw = np.random.default_rng(0).standard_normal
    x, w = draw((1, 4, 6, 6)).astype(FLOATS[kind]), draw((8, 4, 3, 3)).astype(FLOATS[kind])
    module = passes.ComputeInFloat32(relax_network(kind))
    relax.analysis.well_formed(module)
    calls = [binding.value for binding in module["main"].body.blocks[0].bindings]
    assert [dtype_of(c) for c in calls if operator_name(c) in ("relax.nn.conv2d", "relax.add")] == [
        "float32"
    ] * 2
    assert [dtype_of(c) for c in calls if operator_name(c) == "relax.call_tir"] == [kind]
    compiled = directconv.compile(relax_network(kind), TARGET, params={"w": w})
    wanted = run_by_plain_tvm(relax_network("float32"), [a.astype(np.float32) for a in (x, w)])
    for got, reference in zip(compiled.run(x), wanted, strict=True):
        assert got.dtype == FLOATS[kind]
        np.testing.assert_allclose(got.astype(np.float64), reference, TOLERANCE[kind], 10 * TOLERANCE[kind])


def test_relay_models() -> None:
    text = """#[version = "0.0.5"]
    def @main(%x: Tensor[(1, 4), float16], %w: Tensor[(3, 4), float16]) {
      nn.relu(nn.dense(%x, %w, units=3))
    }"""
    w = np.arange(12, dtype=np.float16).reshape(3, 4)
    (result,) = directconv.compile(text, TARGET, params={"w": w}).run(np.ones((1, 4), np.float16))
    np.testing.assert_array_equal(result, np.array([[6, 22, 38]], np.float16))


@pytest.mark.parametrize(
    ("opset", "text"),
    [
        (1000, r"the model is of opset 1000; onnx .* knows those up to \d+"),
        (None, "does not say of which opset"),
    ],
)
def test_opsets_that_nobody_knows(opset: int | None, text: str) -> None:
    model, _ = classifier(np.float32)
    del model.opset_import[:]
    if opset is not None:
        model.opset_import.append(helper.make_opsetid("", opset))
    with pytest.raises(ModelError, match=text):
        import_model(model)
