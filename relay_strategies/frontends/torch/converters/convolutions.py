"""Convolutions and matrix products, in the type of their operands."""

from __future__ import annotations

from tvm import relax

from relay_strategies.functional.convolution import convolution, convolution_transpose
from relay_strategies.functional.deformable import deformable_convolution

from .node import Converter, Node


def _convolution(node: Node) -> relax.Expr:
    data, weight, bias = node.tensor("input"), node.tensor("weight"), node["bias"]
    sizes = node.shape_of_map()

    def per_axis(name: str) -> list[int]:
        values = [int(v) for v in node[name]]
        return values * len(sizes) if len(values) == 1 else values

    strides, padding, dilations = (per_axis(name) for name in ("stride", "padding", "dilation"))
    groups = int(node["groups"])
    if not node["transposed"]:
        return convolution(
            node,
            data,
            weight,
            bias,
            strides=strides,
            padding=[*padding, *padding],
            dilations=dilations,
            groups=groups,
        )
    return convolution_transpose(
        node,
        data,
        weight,
        bias,
        strides=strides,
        before=padding,
        results=node.result_shape[2:],
        dilations=dilations,
        groups=groups,
    )


def _deformed(node: Node) -> relax.Expr:
    def per_axis(name: str) -> list[int]:
        return [int(node[f"{name}_{letter}"]) for letter in "hw"]

    return deformable_convolution(
        node,
        node.tensor("input"),
        node.tensor("weight"),
        node.tensor("offset"),
        node.tensor("bias"),
        node.tensor("mask") if node["use_mask"] else None,
        strides=per_axis("stride"),
        padding=per_axis("pad"),
        dilations=per_axis("dilation"),
        groups=int(node["groups"]),
        offset_groups=int(node["offset_groups"]),
    )


def _linear(node: Node) -> relax.Expr:
    weight = node.emit(relax.op.permute_dims(node.tensor("weight")))
    product = relax.op.matmul(node.tensor("input"), weight)
    return product if node["bias"] is None else node.with_bias(product, node["bias"])


def _product(left: str, right: str) -> Converter:
    """Multiply in the type of the result, to which products of bytes are widened."""
    return lambda node: relax.op.matmul(*(node.cast(node.tensor(name), node.dtype) for name in (left, right)))


def _sum_of_product(left: str, right: str) -> Converter:
    """``beta * self + alpha * (left @ right)``."""

    def convert(node: Node) -> relax.Expr:
        result = relax.op.matmul(node.tensor(left), node.tensor(right))
        if node["alpha"] != 1:
            result = relax.op.multiply(node.emit_layer(result), node.cast(node["alpha"], node.dtype))
        if node["beta"] == 0:
            return result
        added = node.tensor("self")
        if node["beta"] != 1:
            added = node.emit(relax.op.multiply(added, node.cast(node["beta"], node.dtype)))
        return node.with_bias(result, added)

    return convert


CONVERTERS: dict[str, Converter] = {
    "convolution.default": _convolution,
    "deform_conv2d.default": _deformed,
    "linear.default": _linear,
    "matmul.default": _product("self", "other"),
    "mm.default": _product("self", "mat2"),
    "_int_mm.default": _product("self", "mat2"),
    "bmm.default": _product("self", "mat2"),
    "mv.default": _product("self", "vec"),
    "dot.default": _product("self", "tensor"),
    "addmm.default": _sum_of_product("mat1", "mat2"),
    "baddbmm.default": _sum_of_product("batch1", "batch2"),
}
