"""Convolutions and transposed ones of one to three dimensions, with a bias."""

from __future__ import annotations

from collections.abc import Sequence

from tvm import relax

from tvm_directconv.problem.phases import reach

from .builder import Builder
from .movement import pad

LETTERS = {1: "W", 2: "HW", 3: "DHW"}
"""The names of a map's axes by the number of its dimensions."""


def convolution_transpose(
    b: Builder,
    data: relax.Expr,
    weight: relax.Expr,
    bias: relax.Expr | None = None,
    *,
    strides: Sequence[int],
    before: Sequence[int],
    results: Sequence[int],
    dilations: Sequence[int],
    groups: int = 1,
    layout: str = "",
) -> relax.Expr:
    """Return the transposed convolution of maps by a filter (C, outputs of a group, ...).

    Along each axis ``before`` elements are cut off in front, and ``results`` are kept; a result that is
    larger than what the filter reaches ends in zeros, and the bias. ``layout`` is that of the maps, by
    default (N, C, ...).
    """
    shape, filters = b.shape_of(data), b.shape_of(weight)
    rank = len(shape) - 2
    if rank not in LETTERS:
        raise b.refusal(f"convolutions of {rank} dimensions are not supported")
    layout = layout or f"NC{LETTERS[rank]}"
    if groups < 1 or filters[0] % groups or filters[0] != shape[layout.index("C")]:
        raise b.error(f"a filter {filters} in {groups} groups is none for data of shape {shape}")
    if any(size < 1 for size in results):
        raise b.error(f"its result would have the extents {list(results)}")
    axes = [layout.index(letter) for letter in LETTERS[rank]]
    spans = zip((shape[axis] for axis in axes), filters[2:], strides, dilations, strict=True)
    ends = zip((reach(*span) for span in spans), before, results, strict=True)
    after = [whole - first - size for whole, first, size in ends]
    result = getattr(relax.op.nn, f"conv{rank}d_transpose")(
        data,
        weight,
        strides,
        [*before, *(0 if more < 0 else more for more in after)],
        [0] * rank,
        dilations,
        groups,
        layout,
        f"IO{LETTERS[rank]}",
    )
    if any(less < 0 for less in after):
        widths = [(0, 0)] * len(shape)
        for axis, less in zip(axes, after, strict=True):
            widths[axis] = (0, -less if less < 0 else 0)
        result = pad(b, b.emit_layer(result), widths)
    return result if bias is None else with_bias(b, result, bias, layout)


def output_sizes(
    sizes: Sequence[int],
    taps: Sequence[int],
    *,
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
    extra: Sequence[int],
) -> list[int]:
    """Return the extents of a transposed convolution's result, with ``extra`` elements behind each axis."""
    rank = len(sizes)
    reached = [reach(*axis) for axis in zip(sizes, taps, strides, dilations, strict=True)]
    ends = zip(reached, padding[:rank], padding[rank:], extra, strict=True)
    return [whole - first - last + more for whole, first, last, more in ends]


def check_windows(
    b: Builder, sizes: Sequence[int], taps: Sequence[int], padding: Sequence[int], dilations: Sequence[int]
) -> None:
    """Raise ModelError for windows that do not fit a map."""
    rank = len(sizes)
    spans = [(count - 1) * apart + 1 for count, apart in zip(taps, dilations, strict=True)]
    around = zip(sizes, padding[:rank], padding[rank:], spans, strict=True)
    if any(size + first + last < span for size, first, last, span in around):
        raise b.error(f"a window of {spans} does not fit its data of {list(sizes)}")


def convolution(
    b: Builder,
    data: relax.Expr,
    weight: relax.Expr,
    bias: relax.Expr | None = None,
    *,
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
    groups: int = 1,
    layout: str = "",
) -> relax.Expr:
    """Return the convolution of maps by a filter (outputs, C of a group, ...).

    ``padding`` is that in front along each axis, then that behind. ``layout`` is that of the maps, by default
    (N, C, ...).
    """
    shape = b.shape_of(data)
    rank = len(shape) - 2
    if rank not in LETTERS:
        raise b.refusal(f"convolutions of {rank} dimensions are not supported")
    layout = layout or f"NC{LETTERS[rank]}"
    sizes = [shape[layout.index(letter)] for letter in LETTERS[rank]]
    check_windows(b, sizes, b.shape_of(weight)[2:], padding, dilations)
    result = getattr(relax.op.nn, f"conv{rank}d")(
        data, weight, strides, padding, dilations, groups, layout, f"OI{LETTERS[rank]}"
    )
    return result if bias is None else with_bias(b, result, bias, layout)


def with_bias(b: Builder, result: relax.Expr, bias: relax.Expr, layout: str) -> relax.Expr:
    """Return a layer's result plus a bias (C)."""
    wide = [-1 if letter == "C" else 1 for letter in layout]
    return relax.op.add(b.emit_layer(result), b.emit(relax.op.reshape(bias, wide)))
