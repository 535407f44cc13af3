"""Random numbers of a shape or of a tensor's, and choices that follow from them."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper
from tvm import relax

from relay_strategies.functional import random
from relay_strategies.relax.graph import make_constant

from .node import Converter, Node


def seed_of(node: Node) -> int | None:
    """The attribute ``seed``: the bits of a float; None where it is left out."""
    seed = node.attributes.get("seed")
    return None if seed is None else int(np.float32(seed).view(np.uint32))


def _random(node: Node, kind: str, name: str) -> relax.Expr:
    if kind == "like":
        like = node.data()
        dtype = node.attributes.get("dtype")
        result = str(like.ty.dtype) if dtype is None else _name_of(int(dtype))
    else:
        like = make_constant(np.zeros(node.ints("shape"), np.float32))
        result = _name_of(node.integer("dtype", TensorProto.FLOAT))
    if name == "normal":
        mean, scale = node.number("mean", 0), node.number("scale", 1)
        found = random.normal(node, like, seed_of(node), mean, scale)
    else:
        found = random.uniform(node, like, seed_of(node), node.number("low", 0), node.number("high", 1))
    return node.cast(node.emit(found), result)


def _bernoulli(node: Node) -> relax.Expr:
    """Compare the right way around, which the standard's definition by others does not."""
    dtype = node.attributes.get("dtype")
    kind = str(node.data().ty.dtype) if dtype is None else _name_of(int(dtype))
    return node.cast(random.bernoulli(node, node.data(), seed_of(node)), kind)


def _multinomial(node: Node) -> relax.Expr:
    found = random.multinomial(node, node.data(), node.integer("sample_size", 1), seed_of(node))
    return node.cast(found, _name_of(node.integer("dtype", TensorProto.INT32)))


def _name_of(kind: int) -> str:
    return "bfloat16" if kind == TensorProto.BFLOAT16 else str(helper.tensor_dtype_to_np_dtype(kind))


CONVERTERS: dict[str, Converter] = {
    "Bernoulli": _bernoulli,
    "Multinomial": _multinomial,
    "RandomNormal": lambda node: _random(node, "shape", "normal"),
    "RandomNormalLike": lambda node: _random(node, "like", "normal"),
    "RandomUniform": lambda node: _random(node, "shape", "uniform"),
    "RandomUniformLike": lambda node: _random(node, "like", "uniform"),
}
