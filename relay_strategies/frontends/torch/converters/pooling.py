"""Windows that slide over a map. PyTorch rounds sizes up in a way of its own, which padding says here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import fx
from tvm import relax

from relay_strategies.relax.graph import make_constant, shape_of
from tvm_directconv.operators import definitions

from .node import Converter, Node

LETTERS = "DHW"


def _per_axis(values: Any, rank: int, default: Sequence[int] | None = None) -> list[int]:
    given = [int(v) for v in ([values] if isinstance(values, int) else values or default or ())]
    return given * rank if len(given) == 1 else given


def _windows(node: Node, rank: int, result: Sequence[int]) -> dict[str, Any]:
    """Options of a pooling operator that gives exactly the sizes that PyTorch gives, without rounding up."""
    kernel = _per_axis(node["kernel_size"], rank)
    strides = _per_axis(node["stride"], rank, kernel)
    before = _per_axis(node["padding"], rank)
    dilation = _per_axis(node.arguments.get("dilation", 1), rank)
    sizes = node.shape("self")[-rank:]
    after = []
    for size, k, s, p, d, wanted in zip(sizes, kernel, strides, before, dilation, result, strict=True):
        reach = (k - 1) * d + 1
        plain = (size + 2 * p - reach) // s + 1
        after.append(p if plain == wanted else (wanted - 1) * s + reach - size - p)
    return {
        "pool_size": kernel,
        "strides": strides,
        "padding": [*before, *after],
        "dilation": dilation,
        "layout": f"NC{LETTERS[3 - rank :]}",
    }


def _pooled(node: Node, rank: int, operator: Any, data: relax.Expr, options: dict[str, Any]) -> relax.Expr:
    """The operator on a batch; PyTorch takes single maps, too."""
    shape = node.shape("self")
    if len(shape) == rank + 2:
        return operator(data, **options)
    data = node.emit(relax.op.expand_dims(data, 0))
    return relax.op.squeeze(node.emit(operator(data, **options)), 0)


def _max_pool(rank: int) -> Converter:
    def convert(node: Node) -> relax.Expr:
        options = _windows(node, rank, node.meta[0].shape[-rank:])
        operator = getattr(relax.op.nn, f"max_pool{rank}d")
        values = node.emit(_pooled(node, rank, operator, node.tensor("self"), options))
        if all(user.args[1] == 0 for user in node.source.users):
            return relax.Tuple([values])

        def places(data: relax.Expr, **windows: Any) -> relax.Expr:
            return _places(node, rank, data, windows)

        return relax.Tuple([values, node.emit(_pooled(node, rank, places, node.tensor("self"), options))])

    return convert


def _places(node: Node, rank: int, data: relax.Expr, windows: Mapping[str, Any]) -> relax.Expr:
    """Where in its map each largest element is."""
    sizes = node.shape("self")[-rank:]
    distances = [0, 0, *(math.prod(sizes[axis + 1 :]) for axis in range(rank))]
    return node.builder.emit_te(
        definitions.window_positions,
        data,
        windows["pool_size"],
        windows["strides"],
        windows["dilation"],
        windows["padding"][:rank],
        [int(size) for size in node.meta[0].shape[-rank:]],
        distances,
    )


def _average_pool(rank: int) -> Converter:
    def convert(node: Node) -> relax.Expr:
        data, options = node.tensor("self"), _windows(node, rank, node.meta.shape[-rank:])
        padding, divisor = options["padding"], node.arguments.get("divisor_override")
        before, after = padding[:rank], padding[rank:]
        counted = bool(node["count_include_pad"])
        if before != after and counted:
            # What rounding up adds is not counted, and the padding is: the latter becomes part of the data.
            data = _padded(node, data, before)
            extra = [max(0, b - a) for a, b in zip(before, after, strict=True)]
            options["padding"], counted = [*[0] * rank, *extra], False
        if divisor is not None:
            counted = True
        options["count_include_pad"] = counted
        result = _pooled(node, rank, getattr(relax.op.nn, f"avg_pool{rank}d"), data, options)
        if divisor is None:
            return result
        elements = 1
        for size in options["pool_size"]:
            elements *= size
        return relax.op.multiply(node.emit(result), node.cast(elements / int(divisor), node.dtype))

    return convert


def _padded(node: Node, data: relax.Expr, widths: Sequence[int]) -> relax.Expr:
    rest = len(node.shape("self")) - len(widths)
    pairs = [*[0, 0] * rest, *(width for w in widths for width in (w, w))]
    return node.emit(relax.op.nn.pad(data, pairs)) if any(pairs) else data


def _adaptive_average(rank: int) -> Converter:
    def convert(node: Node) -> relax.Expr:
        options = {"output_size": node.result_shape[-rank:], "layout": f"NC{LETTERS[3 - rank :]}"}
        operator = getattr(relax.op.nn, f"adaptive_avg_pool{rank}d")
        sizes, wanted = node.shape("self")[-rank:], node.result_shape[-rank:]
        if all(size % target == 0 for size, target in zip(sizes, wanted, strict=True)):
            kernel = [size // target for size, target in zip(sizes, wanted, strict=True)]
            options = {"pool_size": kernel, "strides": kernel, "layout": f"NC{LETTERS[3 - rank :]}"}
            operator = getattr(relax.op.nn, f"avg_pool{rank}d")
        return _pooled(node, rank, operator, node.tensor("self"), options)

    return convert


def _adaptive_maximum(node: Node) -> relax.Expr:
    if any(isinstance(user, fx.Node) and user.args[1] != 0 for user in node.source.users):
        raise node.refusal("the indices of a maximum's places are not supported")
    sizes, wanted = node.shape("self")[-2:], [int(size) for size in node.meta[0].shape[-2:]]
    if any(size % target for size, target in zip(sizes, wanted, strict=True)):
        data = node.tensor("self")
        for axis, (size, target) in enumerate(zip(sizes, wanted, strict=True), len(node.shape("self")) - 2):
            data = _uneven_maximum(node, data, axis, size, target)
        return relax.Tuple([data])
    kernel = [size // target for size, target in zip(sizes, wanted, strict=True)]
    options = {"pool_size": kernel, "strides": kernel, "layout": "NCHW"}
    return relax.Tuple([node.emit(_pooled(node, 2, relax.op.nn.max_pool2d, node.tensor("self"), options))])


def _uneven_maximum(node: Node, data: relax.Expr, axis: int, size: int, target: int) -> relax.Expr:
    """The maxima of ``target`` windows along an axis, which overlap where they do not divide it.

    All are gathered as long as the longest; shorter ones have their last element several times.
    """
    first = np.arange(target) * size // target
    last = -(-(np.arange(target) + 1) * size // target) - 1
    longest = int((last - first).max()) + 1
    places = np.minimum(first[:, None] + np.arange(longest), last[:, None])
    taken = node.emit(relax.op.take(data, make_constant(places.reshape(-1)), axis, mode="clip"))
    shape = list(shape_of(data) or ())
    apart = node.emit(relax.op.reshape(taken, [*shape[:axis], target, longest, *shape[axis + 1 :]]))
    return node.emit(relax.op.max(apart, axis + 1))


CONVERTERS: dict[str, Converter] = {
    **{f"max_pool{rank}d_with_indices.default": _max_pool(rank) for rank in (2, 3)},
    **{f"avg_pool{rank}d.default": _average_pool(rank) for rank in (1, 2, 3)},
    **{f"_adaptive_avg_pool{rank}d.default": _adaptive_average(rank) for rank in (2, 3)},
    **{f"adaptive_avg_pool{rank}d.default": _adaptive_average(rank) for rank in (1, 2, 3)},
    "adaptive_max_pool2d.default": _adaptive_maximum,
}
