"""Convolutions: plain and transposed ones, and those of moved taps.

Padding that ONNX derives from ``output_shape`` or ``auto_pad`` is made explicit here.
"""

from __future__ import annotations

from collections.abc import Sequence

from tvm import relax

from relay_strategies.functional.convolution import convolution, convolution_transpose
from relay_strategies.functional.deformable import deformable_convolution
from relay_strategies.relax.graph import ints
from tvm_directconv.problem.phases import cut, reach

from .node import Converter, Node
from .windows import padded, windows_of


def convolve(node: Node, data: relax.Expr, weight: relax.Expr, bias: relax.Expr | None = None) -> relax.Expr:
    """Return the convolution that a node's attributes say."""
    window = windows_of(node, node.shape_of(data)[2:], node.shape_of(weight)[2:])
    data, window = padded(node, data, window)
    return convolution(node, data, weight, bias, groups=node.integer("group", 1), **window)


def _conv_transpose(node: Node) -> relax.Expr:
    sizes, weight = node.shape()[2:], node.shape(1)
    rank = len(sizes)
    strides, dilations = (_each(node, name, rank, 1) for name in ("strides", "dilations"))
    reached = [reach(*axis) for axis in zip(sizes, weight[2:], strides, dilations, strict=True)]
    before, results = _padding(node, sizes, reached, strides)
    return convolution_transpose(
        node,
        node.data(),
        node.data(1),
        node.input(2),
        strides=strides,
        before=before,
        results=results,
        dilations=dilations,
        groups=node.integer("group", 1),
    )


def _padding(
    node: Node, sizes: tuple[int, ...], reached: list[int], strides: list[int]
) -> tuple[list[int], list[int]]:
    """Along each axis, what is cut off in front, and the size of the result."""
    mode, rank = node.text("auto_pad", "NOTSET"), len(sizes)
    extra = _each(node, "output_padding", rank, 0)
    whole = [size + more for size, more in zip(reached, extra, strict=True)]
    if node.attributes.get("output_shape"):
        wanted = list(ints(node.attributes["output_shape"]))[-rank:]
    elif mode.startswith("SAME"):
        wanted = same_sizes(whole, sizes, strides)
    else:
        pads = _each(node, "pads", 2 * rank, 0) if mode == "NOTSET" else [0] * (2 * rank)
        before, after = pads[:rank], pads[rank:]
        return before, [w - first - last for w, first, last in zip(whole, before, after, strict=True)]
    if len(wanted) != rank:
        raise node.error(f"output_shape {wanted} has not {rank} extents")
    both = zip(whole, wanted, strict=True)
    return [cut(size, result, mode == "SAME_UPPER")[0] for size, result in both], wanted


def same_sizes(whole: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> list[int]:
    """The extents of a result for ``auto_pad`` SAME_*: those of the data times the strides.

    They are not larger than ``whole``, what the filter reaches with the output padding, as in ONNX Runtime.
    """
    return [min(most, size * stride) for most, size, stride in zip(whole, sizes, strides, strict=True)]


def _each(node: Node, name: str, count: int, default: int) -> list[int]:
    """An attribute of so many numbers."""
    given = list(ints(node.attributes.get(name) or [default] * count))
    if len(given) != count or min(given) < default:
        raise node.error(f"{name} {given} are not {count} numbers from {default} on")
    return given


def _deform_conv(node: Node) -> relax.Expr:
    return deformable_convolution(
        node,
        node.data(0),
        node.data(1),
        node.data(2),
        node.input(3),
        node.input(4),
        strides=node.ints("strides", [1, 1]),
        padding=node.ints("pads", [0] * 4)[:2],
        dilations=node.ints("dilations", [1, 1]),
        groups=node.integer("group", 1),
        offset_groups=node.integer("offset_group", 1),
    )


CONVERTERS: dict[str, Converter] = {
    "Conv": lambda node: convolve(node, node.data(), node.data(1), node.input(2)),
    "ConvTranspose": _conv_transpose,
    "DeformConv": _deform_conv,
}
