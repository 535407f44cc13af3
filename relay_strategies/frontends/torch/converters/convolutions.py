"""Convolutions and matrix products, in the type of their operands."""

from __future__ import annotations

from collections.abc import Sequence

from tvm import relax

from relay_strategies.frontends.onnx.converters import CONVERTERS as ONNX

from .node import Converter, Node

LETTERS = "DHW"


def _convolution(node: Node) -> relax.Expr:
    data, weight, bias = node.tensor("input"), node.tensor("weight"), node["bias"]
    rank = len(node.shape("input")) - 2
    if not 1 <= rank <= 3:
        raise node.refusal(f"convolutions of {rank} dimensions are not supported")
    spatial = LETTERS[3 - rank :]

    def per_axis(name: str) -> Sequence[int]:
        values = [int(v) for v in node[name]]
        return values * rank if len(values) == 1 else values

    if node["transposed"]:
        attributes = {
            "strides": per_axis("stride"),
            "pads": [*per_axis("padding"), *per_axis("padding")],
            "dilations": per_axis("dilation"),
            "output_padding": per_axis("output_padding"),
            "group": int(node["groups"]),
        }
        result = ONNX["ConvTranspose"](node.as_onnx("ConvTranspose", [data, weight], attributes))
    else:
        result = getattr(relax.op.nn, f"conv{rank}d")(
            data,
            weight,
            strides=per_axis("stride"),
            padding=[*per_axis("padding"), *per_axis("padding")],
            dilation=per_axis("dilation"),
            groups=int(node["groups"]),
            data_layout=f"NC{spatial}",
            kernel_layout=f"OI{spatial}",
        )
    if bias is None:
        return result
    return node.with_bias(result, relax.op.reshape(bias, [1, -1, *[1] * rank]))


def _deformed(node: Node) -> relax.Expr:
    """torchvision's, which is ONNX's DeformConv."""

    def per_axis(name: str) -> list[int]:
        return [int(node[f"{name}_{letter}"]) for letter in "hw"]

    operands = [node.tensor(name) for name in ("input", "weight", "offset", "bias")]
    attributes = {
        "strides": per_axis("stride"),
        "pads": 2 * per_axis("pad"),
        "dilations": per_axis("dilation"),
        "group": int(node["groups"]),
        "offset_group": int(node["offset_groups"]),
    }
    mask = node.tensor("mask") if node["use_mask"] else None
    return ONNX["DeformConv"](node.as_onnx("DeformConv", [*operands, mask], attributes))


def _linear(node: Node) -> relax.Expr:
    weight = node.emit(relax.op.permute_dims(node.tensor("weight")))
    product = relax.op.matmul(node.tensor("input"), weight)
    return product if node["bias"] is None else node.with_bias(product, node["bias"])


def _product(left: str, right: str) -> Converter:
    """In the type of the result, to which products of bytes are widened."""
    return lambda node: relax.op.matmul(*(node.cast(node.tensor(name), node.dtype) for name in (left, right)))


def _sum_of_product(left: str, right: str) -> Converter:
    """``beta * self + alpha * (left @ right)``."""

    def convert(node: Node) -> relax.Expr:
        result = relax.op.matmul(node.tensor(left), node.tensor(right))
        if node["alpha"] != 1:
            result = relax.op.multiply(node.layer_of(result), node.cast(node["alpha"], node.dtype))
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
