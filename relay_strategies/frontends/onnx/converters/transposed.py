"""ConvTranspose: how large its result is, of all the ways in which ONNX lets a node say it.

Padding that ONNX derives from ``output_shape`` or ``auto_pad`` is made explicit here; a result that is larger
than what the filter reaches ends in zeros, and the bias.
"""

from __future__ import annotations

from collections.abc import Sequence

from tvm import relax

from relay_strategies.relax.graph import ints
from tvm_directconv.problem.phases import cut, reach

from .node import Converter, Node

OPERATORS = {
    1: (relax.op.nn.conv1d_transpose, "W"),
    2: (relax.op.nn.conv2d_transpose, "HW"),
    3: (relax.op.nn.conv3d_transpose, "DHW"),
}
"""By the number of dimensions, Relax's operator and what it calls them."""


def _conv_transpose(node: Node) -> relax.Expr:
    sizes, weight = node.shape()[2:], node.shape(1)
    dimensions, groups = len(sizes), int(node.attributes.get("group", 1))
    if dimensions not in OPERATORS:
        raise node.refusal(f"convolutions of {dimensions} dimensions are not supported")
    if groups < 1 or weight[0] % groups or weight[0] != node.shape()[1]:
        raise node.error(f"a filter {weight} in {groups} groups is none for data of shape {node.shape()}")
    strides, dilations = (_each(node, name, dimensions, 1) for name in ("strides", "dilations"))
    whole = [reach(*axis) for axis in zip(sizes, weight[2:], strides, dilations, strict=True)]
    before, wanted = _padding(node, sizes, whole, strides)
    if min(wanted) < 1:
        raise node.error(f"its result would have the extents {wanted}")
    after = [all_of - first - size for all_of, first, size in zip(whole, before, wanted, strict=True)]
    make, letters = OPERATORS[dimensions]
    result = make(
        node.data(),
        node.data(1),
        strides,
        [*before, *(max(0, more) for more in after)],
        [0] * dimensions,
        dilations,
        groups,
        f"NC{letters}",
        f"IO{letters}",
    )
    if min(after) < 0:
        widths = [0, 0, 0, 0, *(width for less in after for width in (0, max(0, -less)))]
        result = relax.op.nn.pad(node.emit(result), widths, pad_value=0.0)
    bias = node.input(2)
    if bias is None:
        return result
    return relax.op.add(node.emit(result), node.emit(relax.op.reshape(bias, [1, -1, *[1] * dimensions])))


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


CONVERTERS: dict[str, Converter] = {"ConvTranspose": _conv_transpose}
