"""Weights of fewer than 8 bits, as ONNX Runtime's quantizers write them, beside what it computes by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph_support import draw, network
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from reference import run_onnx_runtime

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.relax.graph import constant, dtype_of
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

DOMAIN = "com.microsoft"
RNG = np.random.default_rng(7)
DEPTH, WIDTH = 40, 24


def packed_bytes(*shape: int) -> np.ndarray:
    return RNG.integers(0, 256, shape).astype(np.uint8)


def product(bits: int, block: int, zeros: np.ndarray | None, bias: bool = False) -> tuple[NodeProto, dict]:
    blocks = -(-DEPTH // block)
    weights = {
        "w": packed_bytes(WIDTH, blocks, block * bits // 8),
        "s": RNG.uniform(0.01, 0.02, WIDTH * blocks).astype(np.float32),
    }
    if zeros is not None:
        weights["z"] = zeros
    if bias:
        weights["b"] = draw(WIDTH)
    inputs = ["x", "w", "s", "z" if zeros is not None else "", "", "b" if bias else ""]
    while not inputs[-1]:
        inputs.pop()
    sizes = {"K": DEPTH, "N": WIDTH, "bits": bits, "block_size": block}
    return helper.make_node("MatMulNBits", inputs, ["y"], "layer", domain=DOMAIN, **sizes), weights


def gather(axis: int) -> tuple[NodeProto, dict]:
    weights = {
        "w": packed_bytes(9, 16),
        "s": RNG.uniform(0.1, 0.2, (9, 2)).astype(np.float32),
        "z": packed_bytes(9, 1),
        "i": np.array([[4, 0], [8, 4]]),
    }
    attributes = {"block_size": 16, "gather_axis": 0, "quantize_axis": axis, "bits": 4}
    return helper.make_node("GatherBlockQuantized", list("wisz"), ["y"], domain=DOMAIN, **attributes), weights


def model_of(case: tuple[NodeProto, dict], opset: int = 17) -> ModelProto:
    first, weights = case
    renamed = NodeProto.FromString(first.SerializeToString())
    renamed.output[:] = ["t"]
    last = helper.make_node("Add", ["t", "x"] if first.op_type.startswith("Gather") else ["t", "one"], ["y"])
    shape = (2, 2, 32) if first.op_type.startswith("Gather") else (2, 5, DEPTH)
    model = network([renamed, last], {"x": shape}, {}, {**weights, "one": np.float32(1)}, opset=opset)
    model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, None))
    if first.domain:
        model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    return model


CASES = {
    "4 bits": product(4, 16, None),
    "4 bits, packed zero points": product(4, 16, packed_bytes(WIDTH * 2), bias=True),
    "4 bits, real zero points": product(4, 32, RNG.uniform(6, 9, WIDTH * 2).astype(np.float32)),
    "8 bits": product(8, 32, packed_bytes(WIDTH * 2)),
    "table": gather(-1),
}


@pytest.mark.parametrize("name", CASES)
def test_packed_weights_mean_what_onnx_runtime_reads(name: str) -> None:
    model = model_of(CASES[name])
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    given = {"x": draw(*shape)}
    kept = model.SerializeToString(deterministic=True)
    compiled = directconv.compile(model)
    np.testing.assert_allclose(
        compiled.run(given)[0], run_onnx_runtime(model, given)[0], rtol=1e-4, atol=1e-5
    )
    assert model.SerializeToString(deterministic=True) == kept, "a model stays as it is given"


@pytest.mark.parametrize("kind", ["INT4", "UINT4"])
@pytest.mark.parametrize("block", [0, 16])
def test_weights_of_4_bits_between_dequantizations(kind: str, block: int) -> None:
    low = -8 if kind == "INT4" else 0
    values = RNG.integers(low, low + 16, (32, 24))
    zeros = RNG.integers(low + 6, low + 9, (2, 24) if block else 24)
    type_ = getattr(TensorProto, kind)
    along: dict[str, Any] = {"axis": 0, "block_size": block} if block else {"axis": 1}
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], **along),
        helper.make_node("MatMul", ["x", "d"], ["y"]),
    ]
    scales = RNG.uniform(0.1, 0.2, zeros.shape).astype(np.float32)
    model = network(nodes, {"x": (5, 32)}, {"y": (5, 24)}, {"s": scales}, opset=21)
    model.ir_version = 10
    for name, array in (("w", values), ("z", zeros)):
        model.graph.initializer.append(helper.make_tensor(name, type_, array.shape, array.reshape(-1)))
    x = draw(5, 32)
    repeat = np.repeat if block else lambda array, *_: array
    wanted = x.astype(np.float64) @ (
        (values - repeat(zeros, block, 0)) * repeat(scales, block, 0).astype(np.float64)
    )
    (result,) = directconv.compile(model).run([x])
    np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4)
    bindings = [b for part in import_model(model)["main"].body.blocks for b in part.bindings]
    arguments = [argument for b in bindings for argument in getattr(b.value, "args", ())]
    for array in (values, zeros):
        (stored,) = [a for a in arguments if constant(a) is not None and np.array_equal(constant(a), array)]
        assert dtype_of(stored) == ("int8" if kind == "INT4" else "uint8")


def test_weights_that_do_not_fit_are_refused() -> None:
    computed, wrong, strange = (model_of(product(4, 16, None)) for _ in range(3))
    del computed.graph.initializer[[t.name for t in computed.graph.initializer].index("w")]
    computed.graph.input.append(
        helper.make_tensor_value_info("w", TensorProto.UINT8, CASES["4 bits"][1]["w"].shape)
    )
    with pytest.raises(UnsupportedOperatorError, match=r"'layer' \(MatMulNBits\).*'w' is to be constant"):
        import_model(computed)
    scales = next(t for t in wrong.graph.initializer if t.name == "s")
    scales.CopyFrom(numpy_helper.from_array(np.ones(7, np.float32), "s"))
    with pytest.raises(ModelError, match="its scales are not 24 x 3"):
        import_model(wrong)
    next(a for a in strange.graph.node[0].attribute if a.name == "bits").i = 3
    with pytest.raises(UnsupportedOperatorError, match="of 3 bits"):
        import_model(strange)


@pytest.mark.parametrize("per_column", [False, True])
@pytest.mark.parametrize("directions", [1, 2])
def test_lstms_whose_weights_are_bytes(directions: int, per_column: bool) -> None:
    """Data and states are rounded to bytes as ONNX Runtime's are, whose sums saturate on some CPUs: its
    answer is near, its definition's the same, and that of float weights not."""
    inputs, hidden = 12, 8
    scales = (directions, 4 * hidden) if per_column else (directions,)
    weights = {
        "w": RNG.integers(-90, 90, (directions, inputs, 4 * hidden)).astype(np.int8),
        "r": RNG.integers(-90, 90, (directions, hidden, 4 * hidden)).astype(np.int8),
        "b": draw(directions, 8 * hidden),
        "ws": RNG.uniform(0.003, 0.006, scales).astype(np.float32),
        "rs": RNG.uniform(0.003, 0.006, scales).astype(np.float32),
        "z": np.zeros(scales, np.int8),
    }
    layer = helper.make_node(
        "DynamicQuantizeLSTM",
        ["x", "w", "r", "b", "", "", "", "", "ws", "z", "rs", "z"],
        ["t", "h", "c"],
        domain=DOMAIN,
        hidden_size=hidden,
        direction="bidirectional" if directions == 2 else "forward",
    )
    shapes = {"t": (6, directions, 3, hidden), "h": (directions, 3, hidden), "c": (directions, 3, hidden)}
    model = network([layer], {"x": (6, 3, inputs)}, shapes, weights)
    model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    floats = ModelProto()
    floats.CopyFrom(model)
    plain = floats.graph.node[0]
    plain.op_type, plain.domain = "LSTM", ""
    del plain.input[8:]
    for tensor in floats.graph.initializer:
        if tensor.name in ("w", "r"):
            scale = weights[f"{tensor.name}s"].reshape(directions, 1, -1)
            array = (weights[tensor.name] * scale).transpose(0, 2, 1).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    x = draw(6, 3, inputs)
    found = directconv.compile(model, cache=False).run([x])
    for one, other in zip(found, run_onnx_runtime(model, [x]), strict=True):
        np.testing.assert_allclose(one, other, atol=0.03)
    for number in range(directions):
        of_one = {name: array[number] for name, array in weights.items()}
        wanted = lstm_in_bytes(x, of_one, backward=number == 1)
        np.testing.assert_allclose(found[0][:, number], wanted, atol=2e-6)
    assert np.abs(found[0] - run_onnx_runtime(floats, [x])[0]).max() > 1e-4


def lstm_in_bytes(x: np.ndarray, weights: dict[str, np.ndarray], *, backward: bool) -> np.ndarray:
    """The states of one direction: DynamicQuantizeLinear of the data, and of the state in each step."""
    w, r = (weights[name] * weights[f"{name}s"].astype(np.float64) for name in ("w", "r"))
    steps, hidden = len(x), len(r)
    data = rounded(x) @ w + weights["b"][: 4 * hidden] + weights["b"][4 * hidden :]
    h = c = np.zeros((x.shape[1], hidden))
    states = np.empty((steps, *h.shape))
    for step in reversed(range(steps)) if backward else range(steps):
        *gates, fresh = np.split(data[step] + rounded(h) @ r, 4, 1)
        inward, outward, forget = (1 / (1 + np.exp(-gate)) for gate in gates)
        c = forget * c + inward * np.tanh(fresh)
        states[step] = h = outward * np.tanh(c)
    return states


def rounded(values: np.ndarray) -> np.ndarray:
    """What the bytes of DynamicQuantizeLinear stand for."""
    values = values.astype(np.float32)
    low, high = min(values.min(), np.float32(0)), max(values.max(), np.float32(0))
    scale = (high - low) / np.float32(255) if high > low else np.float32(1)
    zero = np.rint(-low / scale)
    return (np.clip(np.rint(values / scale) + zero, 0, 255) - zero).astype(np.float64) * scale


def test_lstms_whose_weights_leave_int8() -> None:
    """Weights of uint8 with zero points far from 128 are floats."""
    weights = {
        "w": RNG.integers(0, 256, (1, 12, 32)).astype(np.uint8),
        "r": RNG.integers(0, 256, (1, 8, 32)).astype(np.uint8),
        "s": np.float32([0.004]),
        "z": np.uint8([90]),
    }
    layer = helper.make_node(
        "DynamicQuantizeLSTM",
        ["x", "w", "r", "", "", "", "", "", "s", "z", "s", "z"],
        ["t"],
        domain=DOMAIN,
        hidden_size=8,
    )
    model = network([layer], {"x": (4, 2, 12)}, {"t": (4, 1, 2, 8)}, weights)
    model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    x = draw(4, 2, 12)
    (found,) = directconv.compile(model, cache=False).run([x])
    np.testing.assert_allclose(found, run_onnx_runtime(model, [x])[0], atol=0.03)
