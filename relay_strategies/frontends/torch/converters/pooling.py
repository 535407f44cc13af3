"""Windows that slide over a map. PyTorch rounds sizes up in a way of its own, which padding says here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from torch import fx
from tvm import relax

from relay_strategies.functional.movement import pad
from relay_strategies.functional.pooling import adaptive_maxima, adaptive_pool, pool, window_positions

from .node import Converter, Node


def _per_axis(values: Any, rank: int, default: Sequence[int] | None = None) -> list[int]:
    given = [int(v) for v in ([values] if isinstance(values, int) else values or default or ())]
    return given * rank if len(given) == 1 else given


def _windows(node: Node, rank: int, result: Sequence[int]) -> dict[str, Any]:
    """Options of ``pool`` that give exactly the sizes that PyTorch gives, without rounding up."""
    window = _per_axis(node["kernel_size"], rank)
    strides = _per_axis(node["stride"], rank, window)
    before = _per_axis(node["padding"], rank)
    dilations = _per_axis(node.arguments.get("dilation", 1), rank)
    sizes = node.shape("self")[-rank:]
    after = []
    for size, k, s, p, d, wanted in zip(sizes, window, strides, before, dilations, result, strict=True):
        reach = (k - 1) * d + 1
        plain = (size + 2 * p - reach) // s + 1
        after.append(p if plain == wanted else (wanted - 1) * s + reach - size - p)
    return {"window": window, "strides": strides, "padding": [*before, *after], "dilations": dilations}


def _batched(node: Node, rank: int, operator: Callable[[relax.Expr], relax.Expr]) -> relax.Expr:
    """An operator of a batch; PyTorch takes single maps, too."""
    data = node.tensor("self")
    if len(node.shape("self")) == rank + 2:
        return operator(data)
    data = node.emit(relax.op.expand_dims(data, 0))
    return relax.op.squeeze(node.emit(operator(data)), 0)


def _max_pool(rank: int) -> Converter:
    def convert(node: Node) -> relax.Expr:
        results = list(node.sizes_of(node.meta[0])[-rank:])
        options, sizes = _windows(node, rank, results), node.shape("self")[-rank:]
        values = node.emit(_batched(node, rank, lambda data: pool(node, data, "max", **options)))
        if all(user.args[1] == 0 for user in node.source.users):
            return relax.Tuple([values])
        options["before"] = options.pop("padding")[:rank]
        distances = [0, 0, *(math.prod(sizes[axis + 1 :]) for axis in range(rank))]

        def places(data: relax.Expr) -> relax.Expr:
            """Return the position of each largest element in its map."""
            return window_positions(node, data, results=results, distances=distances, **options)

        return relax.Tuple([values, node.emit(_batched(node, rank, places))])

    return convert


def _average_pool(rank: int) -> Converter:
    def convert(node: Node) -> relax.Expr:
        options = _windows(node, rank, node.result_shape[-rank:])
        padding, divisor = options["padding"], node.arguments.get("divisor_override")
        before, after = padding[:rank], padding[rank:]
        counted, inside = bool(node["count_include_pad"]), [0] * rank
        if before != after and counted:
            # What rounding up adds is not counted, and the padding is: the latter becomes part of the data.
            inside = before
            extra = [max(0, b - a) for a, b in zip(before, after, strict=True)]
            options["padding"], counted = [*[0] * rank, *extra], False
        counted = counted or divisor is not None
        wide = node.dtype if "float" in node.dtype else "float64"

        def averages(data: relax.Expr) -> relax.Expr:
            data = node.cast(data, wide)
            padded = node.emit(pad(node, data, [(0, 0), (0, 0), *((width, width) for width in inside)]))
            return pool(node, padded, "avg", count_include_pad=counted, **options)

        result = _batched(node, rank, averages)
        largest = math.prod(options["window"])
        if divisor is not None:
            result = relax.op.multiply(node.emit(result), node.cast(largest / int(divisor), wide))
        return result if wide == node.dtype else _toward_zero(node, node.emit(result), divisor or largest)

    return convert


def _toward_zero(node: Node, quotient: relax.Expr, divisor: int) -> relax.Expr:
    """Return quotients of integers by at most ``divisor``, rounded towards 0; half of the least step between
    them outweighs what their last digits are off."""
    step = node.emit(relax.op.multiply(relax.op.sign(quotient), node.cast(0.5 / abs(divisor), "float64")))
    whole = relax.op.trunc(node.emit(relax.op.add(quotient, step)))
    return node.cast(node.emit(whole), node.dtype)


def _adaptive_average(rank: int) -> Converter:
    def convert(node: Node) -> relax.Expr:
        cells = node.result_shape[-rank:]
        return _batched(node, rank, lambda data: adaptive_pool(node, data, "avg", cells))

    return convert


def _adaptive_maximum(rank: int) -> Converter:
    def convert(node: Node) -> relax.Expr:
        cells, shape = node.sizes_of(node.meta[0])[-rank:], node.shape("self")
        if not any(isinstance(user, fx.Node) and user.args[1] != 0 for user in node.source.users):
            return relax.Tuple(
                [node.emit(_batched(node, rank, lambda data: adaptive_pool(node, data, "max", cells)))]
            )
        data = node.emit(relax.op.reshape(node.tensor("self"), [-1, *shape[-rank - 1 :]]))
        found = adaptive_maxima(node, data, cells)
        results = zip(found, node.meta, strict=True)
        return relax.Tuple([node.emit(relax.op.reshape(v, node.sizes_of(m))) for v, m in results])

    return convert


CONVERTERS: dict[str, Converter] = {
    **{f"max_pool{rank}d_with_indices.default": _max_pool(rank) for rank in (2, 3)},
    **{f"avg_pool{rank}d.default": _average_pool(rank) for rank in (1, 2, 3)},
    **{f"_adaptive_avg_pool{rank}d.default": _adaptive_average(rank) for rank in (2, 3)},
    **{f"adaptive_avg_pool{rank}d.default": _adaptive_average(rank) for rank in (1, 2, 3)},
    **{f"adaptive_max_pool{rank}d.default": _adaptive_maximum(rank) for rank in (2, 3)},
}
