"""Shapes as tensors: all are static, so that what TVM's importer would carry as a shape is a constant."""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import make_constant

from .node import Converter, Node


def _shape(node: Node) -> relax.Expr:
    start, end = node.attributes.get("start", 0), node.attributes.get("end")
    return make_constant(np.array(node.shape()[start:end], np.int64))


def _size(node: Node) -> relax.Expr:
    return make_constant(np.array(np.prod(node.shape(), dtype=np.int64)))


CONVERTERS: dict[str, Converter] = {"Shape": _shape, "Size": _size}
