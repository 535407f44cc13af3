"""ONNX Runtime's own float operators, which its optimizers write, beside what it computes by them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from graph_support import draw, network
from onnx import NodeProto, TensorProto, helper
from reference import run_onnx_runtime

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import import_model
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

DOMAIN = "com.microsoft"
IMAGE, TOKENS = (1, 8, 9, 7), (2, 6, 32)
FILTER = {"w": draw(12, 8, 3, 3), "b": draw(12)}
SCALES = {"g": draw(32), "b": draw(32), "k": draw(32)}


def mask_of(keys: int) -> np.ndarray:
    """Three tokens of the first sequence count, and five of the second."""
    return (np.arange(keys) < np.array([[3], [5]])).astype(np.int32)


def contrib(kind: str, inputs: str, outputs: str = "y", domain: str = DOMAIN, **attributes: Any) -> NodeProto:
    names = [name.strip("-") for name in inputs.split()]
    return helper.make_node(kind, names, [n.strip("-") for n in outputs.split()], domain=domain, **attributes)


def model_of(
    nodes: list[NodeProto],
    inputs: Mapping[str, tuple[int, ...]],
    weights: Mapping[str, np.ndarray],
    opset: int = 17,
    outputs: tuple[str, ...] = ("y",),
) -> onnx.ModelProto:
    model = network(nodes, inputs, {}, weights, opset=opset)
    model.graph.output.extend(helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs)
    model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    return model


def fused(activation: str, *parameters: float) -> NodeProto:
    given = {"activation_params": parameters} if parameters else {}
    return contrib("FusedConv", "x w b", activation=activation, pads=[1, 1, 1, 1], **given)


LAYERS = {
    "Relu": ([fused("Relu")], {"x": IMAGE}, FILTER),
    "Sigmoid": ([fused("Sigmoid")], {"x": IMAGE}, FILTER),
    "Tanh": ([fused("Tanh")], {"x": IMAGE}, FILTER),
    "LeakyRelu": ([fused("LeakyRelu", 0.2)], {"x": IMAGE}, FILTER),
    "HardSigmoid": ([fused("HardSigmoid", 0.3, 0.4)], {"x": IMAGE}, FILTER),
    "Clip": ([fused("Clip", -0.5, 0.5)], {"x": IMAGE}, FILTER),
    "with a residual": (
        [contrib("FusedConv", "x w b z", activation="Relu")],
        {"x": IMAGE, "z": (1, 12, 7, 5)},
        FILTER,
    ),
    "gemm": (
        [contrib("FusedGemm", "x w b", activation="LeakyRelu", activation_alpha=0.1, transB=1)],
        {"x": (5, 32)},
        {"w": draw(24, 32), "b": draw(24)},
    ),
    "matmul": (
        [contrib("FusedMatMul", "x w", alpha=0.5, transA=1, transB=1)],
        {"x": (2, 32, 6)},
        {"w": draw(24, 32)},
    ),
    **{
        f"matmul, rows before the stack, {numbers}": (
            [contrib("FusedMatMul", "x z", transBatchA=1, transBatchB=1, **flags)],
            dict(zip("xz", shapes, strict=True)),
            {},
        )
        for numbers, flags, shapes in (
            ("none turned", {}, ((6, 2, 3, 5), (5, 2, 3, 4))),
            ("both turned", {"transA": 1, "transB": 1}, ((5, 2, 6), (4, 2, 5))),
        )
    },
    "matmul of a fused one": (
        [contrib("FusedMatMul", "x x", "t", transB=1), contrib("FusedMatMul", "t x", transA=1)],
        {"x": TOKENS},
        {},
    ),
}
TOKENWISE = {
    "Gelu": [contrib("Gelu", "x")],
    "BiasGelu": [contrib("BiasGelu", "x b")],
    "FastGelu": [contrib("FastGelu", "x b")],
    "FastGelu alone": [contrib("FastGelu", "x")],
    "QuickGelu": [contrib("QuickGelu", "x", alpha=1.3)],
    "SkipLayerNormalization": [contrib("SkipLayerNormalization", "x z g b k", epsilon=1e-3)],
    "its sum": [contrib("SkipLayerNormalization", "x z g b", "n - - s"), contrib("Mul", "s n", domain="")],
    "SkipSimplified": [contrib("SkipSimplifiedLayerNormalization", "x z g")],
    "Simplified": [contrib("SimplifiedLayerNormalization", "x g", domain="", axis=-1, epsilon=1e-3)],
}
ATTENTIONS = {
    "Attention": (
        [contrib("Attention", "x w b", num_heads=4)],
        {"x": TOKENS},
        {"w": draw(32, 96), "b": draw(96)},
    ),
    **{
        f"of bytes, {size} scales": (
            [
                contrib("QuantizeLinear", "x xs xz", "q", domain=""),
                contrib("QAttention", "q w b xs ws m xz wz", num_heads=4),
            ],
            {"x": TOKENS},
            {
                **{
                    "xs": np.float32(0.02),
                    "xz": np.uint8(120),
                    "b": draw(96),
                    "m": np.array([3, 5], np.int32),
                },
                **{"w": (40 * draw(32, 96)).astype(np.int8), "wz": np.zeros(size, np.int8)},
                "ws": np.linspace(0.01, 0.02, size, dtype=np.float32),
            },
        )
        for size in (1, 96)
    },
    "with another scale": (
        [contrib("Attention", "x w b", num_heads=2, scale=0.3)],
        {"x": TOKENS},
        {"w": draw(32, 96), "b": draw(96)},
    ),
    "of three": (
        [contrib("MultiHeadAttention", "x z v b", num_heads=4)],
        {"x": TOKENS, "z": (2, 9, 32), "v": (2, 9, 32)},
        {"b": draw(96)},
    ),
    "plus a bias": (
        [contrib("MultiHeadAttention", "x z v - - a", num_heads=4)],
        {"x": TOKENS, "z": TOKENS, "v": TOKENS, "a": (2, 4, 6, 6)},
        {},
    ),
    "of three, masked": (
        [contrib("MultiHeadAttention", "x z v - m", num_heads=4, mask_filter_value=-50.0)],
        {"x": TOKENS, "z": (2, 9, 32), "v": (2, 9, 32)},
        {"m": mask_of(9)},
    ),
    **{
        f"Attention, masked by {mask.shape}": (
            [contrib("Attention", "x w b m", num_heads=4, unidirectional=causal)],
            {"x": TOKENS},
            {"w": draw(32, 96), "b": draw(96), "m": mask},
        )
        for mask, causal in (
            (mask_of(6), 0),
            (mask_of(6), 1),
            (np.array([3, 5], np.int32), 0),
            (np.repeat(mask_of(6)[:, None], 6, 1), 0),
        )
    },
}
ANGLES = {"cos": np.cos(draw(9, 4)), "sin": np.sin(draw(9, 4))}
WIDER = {"far": np.cos(draw(9, 8)), "near": np.sin(draw(9, 8))}
COUNTS = {"last": np.array([5, 5], np.int32), "total": np.array(6, np.int32)}
"""The place of the last token of two sequences of six, and how many there are in all."""
PAST = {"p": (2, 4, 3, 8), "u": (2, 4, 3, 8)}
"""Keys and values of three tokens, of four heads."""
DECODERS = {
    "behind a past": (
        [
            contrib("MultiHeadAttention", "x z v b - - p u", "o k t", num_heads=4, unidirectional=1),
            contrib("Add", "k t", "s", domain=""),
            contrib("ReduceMean", "s", "m", domain="", axes=[0, 1, 2, 3], keepdims=0),
            contrib("Add", "o m", domain=""),
        ],
        {"x": TOKENS, "z": TOKENS, "v": TOKENS, **PAST},
        {"b": draw(96)},
    ),
    "Attention behind a past": (
        [
            contrib("Attention", "x w b - p", "o k", num_heads=4, unidirectional=1),
            contrib("ReduceMean", "k", "m", domain="", axes=[0, 1, 2, 3, 4], keepdims=0),
            contrib("Add", "o m", domain=""),
        ],
        {"x": TOKENS, "p": (2, 2, 4, 3, 8)},
        {"w": draw(32, 96), "b": draw(96)},
    ),
    "values of other widths": (
        [contrib("Attention", "x w b", num_heads=4, qkv_hidden_sizes=[32, 32, 16])],
        {"x": TOKENS},
        {"w": draw(32, 80), "b": draw(80)},
    ),
    "keys and values of heads": (
        [contrib("MultiHeadAttention", "x p u", num_heads=4)],
        {"x": TOKENS, **PAST},
        {},
    ),
    **{
        f"rotary, {attributes}, {shape}": (
            [contrib("RotaryEmbedding", "x i cos sin", **attributes)],
            {"x": shape},
            {**ANGLES, "i": places},
        )
        for attributes, shape, places in (
            ({}, (2, 6, 32), np.array([[3, 1, 4, 1, 5, 8], [0, 1, 2, 3, 4, 5]])),
            ({"interleaved": 1}, (2, 4, 6, 8), np.array([2])),
            ({"rotary_embedding_dim": 8, "num_heads": 2}, (2, 6, 32), np.array([0])),
        )
    },
    **{
        f"heads in groups, {attributes}": (
            [
                contrib(
                    "GroupQueryAttention",
                    f"{data} - - last total far near",
                    "o k t",
                    num_heads=2,
                    kv_num_heads=1,
                    do_rotary=1,
                    **attributes,
                ),
                contrib("Add", "k t", "s", domain=""),
                contrib("ReduceMean", "s", "m", domain="", axes=[0, 1, 2, 3], keepdims=0),
                contrib("Add", "o m", domain=""),
            ],
            inputs,
            {**WIDER, **COUNTS},
        )
        for data, inputs, attributes in (
            ("x z v", {"x": TOKENS, "z": (2, 6, 16), "v": (2, 6, 16)}, {}),
            ("x - -", {"x": (2, 6, 64)}, {"rotary_interleaved": 1, "scale": 0.4}),
            ("x - -", {"x": (2, 6, 64)}, {"local_window_size": 3, "softcap": 5.0}),
        )
    },
}
IDS = np.array([[1, 4, 2, 0, 0, 3], [3, 3, 1, 2, 4, 0]], np.int32)
TABLES = {"e": draw(5, 32), "p": draw(7, 32), "t": draw(2, 32), "i": IDS, "j": IDS % 2, "m": IDS[:, ::-1] % 2}
EMBEDDINGS = {
    "words and places": [
        contrib("EmbedLayerNormalization", "i - e p - g b m", "n c", epsilon=1e-3),
        contrib("Cast", "c", "f", domain="", to=TensorProto.FLOAT),
        contrib("Reshape", "f r", "h", domain=""),
        contrib("Add", "n h", domain=""),
    ],
    "and segments": [
        contrib("EmbedLayerNormalization", "i j e p t g b", "n - s"),
        contrib("Add", "n s", domain=""),
    ],
}
CASES = {
    **LAYERS,
    **{name: (nodes, {"x": TOKENS, "z": TOKENS}, SCALES) for name, nodes in TOKENWISE.items()},
    **ATTENTIONS,
    **DECODERS,
    **{
        name: (nodes, {}, {**SCALES, **TABLES, "r": np.array([2, 1, 1])})
        for name, nodes in EMBEDDINGS.items()
    },
}


@pytest.mark.slow
def test_all_agree() -> None:
    """One network of all of them: they share nothing but the compilation."""
    nodes, inputs, weights, outputs = [], {}, {}, []
    for number, (case, shapes, constants) in enumerate(CASES.values()):
        for node in case:
            renamed = NodeProto.FromString(node.SerializeToString())
            renamed.input[:] = [name and f"{name}{number}" for name in node.input]
            renamed.output[:] = [name and f"{name}{number}" for name in node.output]
            nodes.append(renamed)
        used = {name for node in case for name in node.input}
        inputs |= {f"{name}{number}": shape for name, shape in shapes.items() if name in used}
        weights |= {f"{name}{number}": array for name, array in constants.items() if name in used}
        outputs.append(f"y{number}")
    model = model_of(nodes, inputs, weights, outputs=tuple(outputs))
    given = {name: draw(*shape, seed=3) for name, shape in inputs.items()}
    compiled = directconv.compile(model)
    results = zip(CASES, compiled.run(given), run_onnx_runtime(model, given), strict=True)
    for name, result, wanted in results:
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=2e-5, err_msg=name)


def test_normalization_before_its_opset() -> None:
    """The optimizers write LayerNormalization into networks whose opset does not have it yet."""
    nodes = [
        contrib("LayerNormalization", "x g b", domain="", axis=-1),
        contrib("Gelu", "y", "u"),
        contrib("EmbedLayerNormalization", "i - e p - g b", "n c"),
        contrib("Add", "u n", "z", domain=""),
    ]
    model = model_of(nodes, {"x": TOKENS}, SCALES | TABLES, opset=12, outputs=("z",))
    given = {"x": draw(*TOKENS)}
    (result,) = directconv.compile(model).run(given)
    np.testing.assert_allclose(result, run_onnx_runtime(model, given)[0], rtol=1e-4, atol=1e-5)


def test_fused_operators_of_a_network_in_float16() -> None:
    """Their numbers are in the network's type."""
    nodes = [
        helper.make_node("Cast", ["x"], ["h"], to=TensorProto.FLOAT16),
        contrib("BiasGelu", "h b", "a"),
        contrib("FastGelu", "a", "c"),
        contrib("Attention", "c w v m", "d", num_heads=4),
        helper.make_node("Cast", ["d"], ["y"], to=TensorProto.FLOAT),
    ]
    weights = {"b": draw(32), "w": draw(32, 96), "v": draw(96)}
    halves = {name: array.astype(np.float16) for name, array in weights.items()}
    model = model_of(nodes, {"x": TOKENS}, {**halves, "m": mask_of(6)})
    given = {"x": draw(*TOKENS)}
    wanted = run_onnx_runtime(model, given)[0]
    del model.opset_import[-1]  # the optimizer's model in memory does not name its operators' domain
    (result,) = directconv.compile(model).run(given)
    np.testing.assert_allclose(result, wanted, rtol=2e-2, atol=2e-2)


def test_file_that_onnx_runtime_optimized(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("LeakyRelu", ["c"], ["a"], alpha=0.2),
        helper.make_node("Conv", ["a", "v"], ["d"]),
        helper.make_node("Add", ["d", "a"], ["s"]),
        helper.make_node("Relu", ["s"], ["r"]),
        helper.make_node("Div", ["r", "root"], ["e"]),
        helper.make_node("Erf", ["e"], ["f"]),
        helper.make_node("Add", ["f", "one"], ["h"]),
        helper.make_node("Mul", ["r", "h"], ["i"]),
        helper.make_node("Mul", ["i", "half"], ["y"]),
    ]
    numbers = {"root": np.float32(2**0.5), "one": np.float32(1), "half": np.float32(0.5)}
    weights = {**FILTER, "v": draw(12, 12, 1, 1), **numbers}
    model = network(nodes, {"x": IMAGE}, {"y": (1, 12, 9, 7)}, weights)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    optimized = onnx.load(tmp_path / "optimized.onnx")
    kinds = {node.op_type for node in optimized.graph.node if node.domain == DOMAIN}
    assert kinds >= {"FusedConv", "Gelu"}, "ONNX Runtime fuses other operators than it did"
    given = {"x": draw(*IMAGE)}
    compiled = directconv.compile(tmp_path / "optimized.onnx")
    assert len(compiled.report().layers) == 2
    np.testing.assert_allclose(
        compiled.run(given)[0], run_onnx_runtime(model, given)[0], rtol=1e-4, atol=1e-5
    )


def test_products_of_bytes_that_end_in_floats() -> None:
    rng = np.random.default_rng(4)
    weights = {
        "w": rng.integers(-127, 128, (32, 24)).astype(np.int8),
        "data": rng.integers(0, 256, (6, 32)).astype(np.uint8),
        "a": np.float32(0.02),
        "az": np.uint8(7),
        "s": rng.uniform(0.01, 0.02, 24).astype(np.float32),
        "sz": np.zeros(24, np.int8),
        "one": np.float32(0.01),
        "b": draw(24),
    }
    nodes = [
        contrib("MatMulIntegerToFloat", "data w a s az sz b", "y"),
        contrib("DynamicQuantizeMatMul", "x w s sz b", "z"),
        contrib("DynamicQuantizeMatMul", "x w one", "u"),
    ]
    model = model_of(nodes, {"x": TOKENS}, weights, outputs=("y", "z", "u"))
    given = {"x": draw(*TOKENS)}
    results = zip(directconv.compile(model).run(given), run_onnx_runtime(model, given), strict=True)
    for result, wanted in results:
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-3)


def test_masks_that_no_memory_holds_are_refused_before_they_are_made() -> None:
    node = contrib("Attention", "x w b", num_heads=4, unidirectional=1)
    model = model_of([node], {"x": (1, 70_000, 32)}, {"w": draw(32, 96), "b": draw(96)})
    with pytest.raises(ModelError, match="Attention.*its mask of shape .70000, 70000. takes"):
        import_model(model)


@pytest.mark.parametrize(
    "node, refused",
    [
        (fused("Softplus"), "the activation Softplus"),
        (contrib("Attention", "x w b g", num_heads=4), "a mask"),
        (contrib("Attention", "x w b - - - m", num_heads=4), "a past state"),
        (contrib("MultiHeadAttention", "x x", num_heads=4), "three tensors"),
        (contrib("GroupQueryAttention", "x x x h h", num_heads=4, kv_num_heads=4), "'h'.* to 0 with shapes="),
        (contrib("SkipLayerNormalization", "x x g b", "y mean"), "its result mean"),
    ],
)
def test_what_is_not_supported_says_so(node: NodeProto, refused: str) -> None:
    weights = {**SCALES, "w": draw(32, 96), "m": np.zeros((2, 6), np.int32), "h": draw(2, 4, 5, 8)}
    with pytest.raises(UnsupportedOperatorError, match=f"{node.op_type}.*{refused}"):
        import_model(model_of([node], {"x": TOKENS}, weights))
