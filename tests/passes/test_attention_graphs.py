"""Attention, products and normalizations as exporters write them: their kernels, and their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from graph_support import draw, inputs_of, network, node
from onnx import NodeProto
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv

TARGET = "llvm -mcpu=native"
TOKENS, HEADS, WIDTH = 13, 3, 5
CHANNELS = HEADS * WIDTH
Case = tuple[Sequence[NodeProto], tuple[int, ...], Mapping[str, np.ndarray], Mapping[str, int]]
"""It holds nodes from x to y, the shape of x, constants, and the kernels it should become."""


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def softmax(*between: NodeProto, scores: str = "s", guard: Sequence[NodeProto] = ()) -> list[NodeProto]:
    """From scores to the heads' results, by way of what is between, and what guards the weights ``w``."""
    return [
        *between,
        node("Softmax", scores, "w" if guard else "p", axis=-1),
        *guard,
        node("MatMul", "p v", "o"),
        node("Transpose", "o", "t", perm=[0, 2, 1, 3]),
        node("Reshape", "t merged", "y"),
    ]


MERGED = {"merged": ints(2, TOKENS, CHANNELS)}


def of_gathered_heads() -> Case:
    """timm's: one tensor of queries, keys and values, permuted and gathered from."""
    nodes = [
        node("Reshape", "x split", "r"),
        node("Transpose", "r", "qkv", perm=[2, 0, 3, 1, 4]),
        *(node("Gather", f"qkv i{i}", name, axis=0) for i, name in enumerate("qkv2"[:1] + "kv")),
        node("Mul", "q scale", "scaled"),
        node("Transpose", "k", "kt", perm=[0, 1, 3, 2]),
        node("MatMul", "scaled kt", "s"),
        *softmax(),
    ]
    constants = {
        "split": ints(2, TOKENS, 3, HEADS, WIDTH),
        "scale": np.float32(0.4),
        **{f"i{i}": np.array(i, np.int64) for i in range(3)},
        **MERGED,
    }
    return nodes, (2, TOKENS, 3 * CHANNELS), constants, {"attention": 1}


def of_split_heads(
    *between: NodeProto, scores: str = "s", guard: Sequence[NodeProto] = (), **constants: np.ndarray
) -> Case:
    """Channels split in three first; a division and a mask, or whatever is between."""
    nodes = [node("Split", "x thirds", "a b c", axis=2)]
    for source, name, perm in (("a", "q", [0, 2, 1, 3]), ("b", "k", [0, 2, 3, 1]), ("c", "v", [0, 2, 1, 3])):
        nodes += [
            node("Reshape", f"{source} heads", f"{name}r"),
            node("Transpose", f"{name}r", name, perm=perm),
        ]
    given = {"thirds": ints(CHANNELS, CHANNELS, CHANNELS), "heads": ints(2, TOKENS, HEADS, WIDTH), **MERGED}
    nodes += [node("MatMul", "q k", "s"), *softmax(*between, scores=scores, guard=guard)]
    return nodes, (2, TOKENS, 3 * CHANNELS), given | constants, {"attention": 1}


def of_hidden_tokens(*guard: NodeProto) -> Case:
    """A mask that hides all tokens from some; rows of theirs are zeros."""
    mask = np.where(draw(2, 1, TOKENS, TOKENS) > 0, -np.inf, 0.0).astype(np.float32)
    mask[0, :, 3:6] = -np.inf
    constants = {"mask": mask, "zero": np.float32(0), "lowest": np.float32(-np.inf)}
    return of_split_heads(node("Add", "s mask", "s1"), scores="s1", guard=guard, **constants)


def of_windows() -> Case:
    """Swin's: a mask for each window, added to scores whose stack is split for it."""
    between = [
        node("Add", "s bias", "s1"),
        node("Reshape", "s1 apart", "s2"),
        node("Add", "s2 mask", "s3"),
        node("Reshape", "s3 together", "s4"),
    ]
    mask = np.where(draw(1, 2, 1, TOKENS, TOKENS) > 0, -100.0, 0.0).astype(np.float32)
    return of_split_heads(
        *between,
        scores="s4",
        bias=draw(1, HEADS, TOKENS, TOKENS),
        mask=mask,
        apart=ints(1, 2, HEADS, TOKENS, TOKENS),
        together=ints(2, HEADS, TOKENS, TOKENS),
    )


def of_channels() -> Case:
    """XCiT's: channels attend to each other, by normalized queries and keys and a temperature of heads."""
    nodes = [
        node("Reshape", "x split", "r"),
        node("Transpose", "r", "qkv", perm=[2, 0, 3, 4, 1]),
        node("Split", "qkv ones", "q0 k0 v0", axis=0),
        *(node("Squeeze", f"{name}0 zero", f"{name}1") for name in "qkv"),
    ]
    for name in "qk":
        nodes += [
            node("ReduceL2", f"{name}1", f"{name}n", axes=[-1], keepdims=1),
            node("Clip", f"{name}n least", f"{name}c"),
            node("Shape", f"{name}1", f"{name}s"),
            node("Expand", f"{name}c {name}s", f"{name}e"),
            node("Div", f"{name}1 {name}e", name),
        ]
    nodes += [
        node("Transpose", "k", "kt", perm=[0, 1, 3, 2]),
        node("MatMul", "q kt", "s"),
        node("Mul", "s temperature", "s1"),
        node("Softmax", "s1", "p", axis=-1),
        node("MatMul", "p v1", "o"),
        node("Transpose", "o", "t", perm=[0, 3, 1, 2]),
        node("Reshape", "t merged", "y"),
    ]
    constants = {
        "split": ints(2, TOKENS, 3, HEADS, WIDTH),
        "ones": ints(1, 1, 1),
        "zero": ints(0),
        "least": np.float32(1e-12),
        "temperature": draw(HEADS, 1, 1) + 1,
        **MERGED,
    }
    return nodes, (2, TOKENS, 3 * CHANNELS), constants, {"attention": 1, "l2_norm": 2}


def of_a_map() -> Case:
    """Visformer's: heads are channels of a map, whose pixels are the tokens."""
    nodes = [
        node("Conv", "x filter", "c"),
        node("Reshape", "c split", "r"),
        node("Transpose", "r", "qkv", perm=[1, 0, 2, 4, 3]),
        *(node("Gather", f"qkv i{i}", name, axis=0) for i, name in enumerate("qkv")),
        node("Transpose", "k", "kt", perm=[0, 1, 3, 2]),
        node("MatMul", "q kt", "s"),
        node("Mul", "s scale", "s1"),
        node("Softmax", "s1", "p", axis=-1),
        node("MatMul", "p v", "o"),
        node("Transpose", "o", "t", perm=[0, 1, 3, 2]),
        node("Reshape", "t map", "m"),
        node("Conv", "m last", "y"),
    ]
    constants = {
        "filter": draw(3 * CHANNELS, 4, 1, 1),
        "last": draw(6, CHANNELS, 1, 1),
        "split": ints(1, 3, HEADS, WIDTH, 12),
        "scale": np.float32(0.4),
        "map": ints(1, CHANNELS, 3, 4),
        **{f"i{i}": np.array(i, np.int64) for i in range(3)},
    }
    return nodes, (1, 4, 3, 4), constants, {"attention": 1}


def of_products() -> Case:
    """A product whose result is used twice, and is added to."""
    nodes = [
        node("Transpose", "x", "xt", perm=[0, 2, 1]),
        node("MatMul", "x xt", "s"),
        node("Mul", "s half", "s1"),
        node("Add", "s1 bias", "s2"),
        node("MatMul", "s2 x", "a"),
        node("ReduceSum", "s2 last", "b", keepdims=1),
        node("Add", "a b", "y"),
    ]
    constants = {"half": np.float32(0.5), "bias": draw(7, 7), "last": ints(-1)}
    return nodes, (3, 7, 9), constants, {"matrix_product": 2, "sum": 1}


def of_summed_products(last: str) -> Case:
    """LambdaNetworks': one product's result is reshaped and added to another's, one of them ``last``."""
    reshaped = [node("MatMul", "r rt", "a"), node("Reshape", "a merged", "b")]
    plain = [node("MatMul", "x xt", "c")]
    nodes = [
        node("Transpose", "x", "xt", perm=[0, 2, 1]),
        node("Reshape", "x apart", "r"),
        node("Reshape", "xt aside", "rt"),
        *(reshaped + plain if last == "plain" else plain + reshaped),
        node("Add", "c b", "s"),
        node("Transpose", "s", "y", perm=[0, 2, 1]),
    ]
    constants = {"apart": ints(3, 1, 7, 9), "aside": ints(3, 1, 9, 7), "merged": ints(3, 7, 7)}
    return nodes, (3, 7, 9), constants, {"matrix_product": 2}


def of_vectors() -> Case:
    """Products with a vector on either side."""
    nodes = [
        node("MatMul", "x row", "a"),
        node("ReduceMean", "x", "b", axes=[0, 1], keepdims=0),
        node("Transpose", "x", "xt", perm=[0, 2, 1]),
        node("MatMul", "b xt", "c"),
        node("Add", "a c", "y"),
    ]
    return nodes, (3, 7, 9), {"row": draw(9)}, {"matrix_product": 1, "mean": 1}


def of_norm(*nodes: NodeProto, kernel: str = "layer_norm", **constants: np.ndarray) -> Case:
    given = {"two": np.float32(2), "epsilon": np.float32(1e-5), "scale": draw(19), "shift": draw(19)}
    used = {name for each in nodes for name in each.input}
    return nodes, (2, 5, 19), {n: a for n, a in (given | constants).items() if n in used}, {kernel: 1}


def of_groups(groups: int, kernel: str, *around: NodeProto) -> Case:
    """GroupNorm between two convolutions as exporters write it, its scale and shift behind it; or whatever is
    ``around`` the normalization."""
    flat, back = around or (node("Reshape", "a flat", "f"), node("Reshape", "n back", "g"))
    nodes = [
        node("Conv", "x w", "a", pads=[1] * 4),
        flat,
        node("InstanceNormalization", "f ones zeros", "n"),
        back,
        node("Mul", "g scale", "s"),
        node("Add", "s shift", "t"),
        node("Conv", "t w", "y", pads=[1] * 4),
    ]
    constants = {
        **{"flat": ints(0, groups, -1), "back": ints(2, 12, 5, 7), "w": draw(12, 12, 3, 3)},
        **{"ones": np.ones(groups, np.float32), "zeros": np.zeros(groups, np.float32)},
        **{"scale": draw(12, 1, 1), "shift": draw(12, 1, 1)},
    }
    used = {name for each in nodes for name in each.input}
    kernels = {kernel: 1, "channel_affine": 0, "nchw_to_nhwc": 1, "nhwc_to_nchw": 1}
    return nodes, (2, 12, 5, 7), {n: a for n, a in constants.items() if n in used}, kernels


WRITTEN_OUT = [
    node("ReduceMean", "x", "m", axes=[-1], keepdims=1),
    node("Sub", "x m", "d"),
    node("Pow", "d two", "d2"),
    node("ReduceMean", "d2", "v", axes=[-1], keepdims=1),
    node("Add", "v epsilon", "e"),
    node("Sqrt", "e", "r"),
    node("Div", "d r", "n"),
]
CASES: dict[str, Case] = {
    "gathered heads": of_gathered_heads(),
    "split heads": of_split_heads(
        node("Div", "s root", "s1"), scores="s1", root=np.array(WIDTH**0.5, np.float32)
    ),
    "windows": of_windows(),
    "gathered bias": of_split_heads(
        node("Gather", "table places", "bias", axis=1),
        node("Add", "s bias", "s1"),
        scores="s1",
        table=draw(HEADS, 2 * TOKENS - 1),
        places=np.abs(np.subtract.outer(np.arange(TOKENS), np.arange(TOKENS))),
    ),
    "hidden tokens, by NaN": of_hidden_tokens(
        node("IsNaN", "w", "hidden"), node("Where", "hidden zero w", "p")
    ),
    "hidden tokens, by their scores": of_hidden_tokens(
        node("ReduceMax", "s1", "largest", axes=[-1], keepdims=1),
        node("Equal", "largest lowest", "hidden"),
        node("Where", "hidden zero w", "p"),
    ),
    "channels": of_channels(),
    "map": of_a_map(),
    "products": of_products(),
    "summed products": of_summed_products("plain"),
    "summed products, reshaped last": of_summed_products("reshaped"),
    "vectors": of_vectors(),
    "layer norm": of_norm(*WRITTEN_OUT, node("Mul", "n scale", "g"), node("Add", "g shift", "y")),
    "layer norm twice subtracted": of_norm(
        WRITTEN_OUT[0],
        node("Sub", "x m", "d"),
        node("Sub", "x m", "other"),
        node("Mul", "other other", "d2"),
        *WRITTEN_OUT[3:],
        node("Mul", "scale n", "y"),
    ),
    "one group": of_groups(1, "group_norm"),
    "groups": of_groups(3, "group_norm"),
    "groups of a channel": of_groups(12, "group_norm"),
    "instance norm": of_groups(12, "instance_norm", node("Identity", "a", "f"), node("Identity", "n", "g")),
    "rms norm": of_norm(
        node("Mul", "x x", "d2"),
        *WRITTEN_OUT[3:6],
        node("Reciprocal", "r", "i"),
        node("Mul", "x i", "n"),
        node("Mul", "n scale", "y"),
        kernel="rms_norm",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_it_becomes_its_kernels_and_computes_the_same(name: str) -> None:
    nodes, shape, constants, kernels = CASES[name]
    model = network(nodes, {"x": shape}, {"y": ()}, constants)
    del model.graph.output[0].type.tensor_type.shape.dim[:]
    model.graph.output[0].type.tensor_type.ClearField("shape")
    inputs = inputs_of(model)
    compiled = directconv.compile(model, TARGET)
    others = dict(compiled.report().other_kernels)
    assert {kernel: others.get(kernel, 0) for kernel in kernels} == dict(kernels), others
    assert not any(word in kernel for kernel in others for word in ("softmax", "take", "transpose")), others
    got = compiled.run(inputs)
    (result,) = got.values() if isinstance(got, dict) else (got if isinstance(got, list | tuple) else [got])
    assert_matches(np.asarray(result), run_onnx_runtime(model, inputs)[0].astype(np.float64), name)
