"""Sums and products of several elements: Einsum, running products, overlapping blocks."""

from __future__ import annotations

from tvm import relax

from relay_strategies.functional.accumulation import columns_to_image, running_product
from relay_strategies.functional.einsum import einsum

from .node import Converter, Node


def _einsum(node: Node) -> relax.Expr:
    """Convert to products of matrices; TVM's converter, plain loops, takes the equations that lack them."""
    result = einsum(node, node.text("equation", ""), [node.data(i) for i in range(len(node.inputs))])
    return node.by_tvm() if result is None else result


def _cum_prod(node: Node) -> relax.Expr:
    given, rank = node.array(1), len(node.shape())
    if given is None or given.size != 1:
        raise node.error("axis is to be one number")
    axis = int(given.reshape(()))
    if not -rank <= axis < rank:
        raise node.error(f"axis {axis} is none of {rank} axes")
    exclusive, reverse = (bool(node.integer(name, 0)) for name in ("exclusive", "reverse"))
    return running_product(node, node.data(), axis % rank, exclusive, reverse)


def _col2im(node: Node) -> relax.Expr:
    sizes, blocks = node.array(1), node.array(2)
    if sizes is None or blocks is None or sizes.ndim != 1 or sizes.shape != blocks.shape or not sizes.size:
        raise node.error("image_shape and block_shape are to be as many numbers as an image has axes")
    rank = len(sizes)
    return columns_to_image(
        node,
        node.data(),
        [int(size) for size in sizes],
        [int(size) for size in blocks],
        strides=node.ints("strides", [1] * rank),
        padding=node.ints("pads", [0] * (2 * rank)),
        dilations=node.ints("dilations", [1] * rank),
    )


CONVERTERS: dict[str, Converter] = {"Col2Im": _col2im, "CumProd": _cum_prod, "Einsum": _einsum}
