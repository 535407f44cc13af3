"""What is drawn of single operators: for each of a list in ONNX, its shapes, attributes and values.

A new operator is one entry of ``DRAWN``; it is drawn as often as the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from .operator_models import Drawing

Rule: TypeAlias = Callable[[Drawing], object]


def _unary(operator: str, least: float = -4.0, most: float = 4.0, **attributes: Any) -> Rule:
    return lambda d: d.node(operator, d.given(d.shape(d.pick(1, 2, 4)), least, most), **attributes)


def _binary(operator: str, least: float = -4.0, most: float = 4.0, **attributes: Any) -> Rule:
    def rule(d: Drawing) -> None:
        shape = d.shape(d.pick(2, 3, 4))
        other = d.pick(shape, shape[-1:], (1, *shape[1:]), (*shape[:-1], 1), (1,))
        d.node(operator, d.given(shape, least, most), d.given(other, max(least, 0.5), most), **attributes)

    return rule


def _reduction(operator: str, least: float = -4.0, most: float = 4.0) -> Rule:
    def rule(d: Drawing) -> None:
        shape = d.shape(d.pick(2, 3, 4))
        axes = d.pick([d.axis(len(shape))], [len(shape) - 2, len(shape) - 1])
        d.node(operator, d.given(shape, least, most), d.constant(axes), keepdims=d.pick(0, 1))

    return rule


def _along(operator: str, **attributes: Any) -> Rule:
    def rule(d: Drawing) -> None:
        shape = d.shape(d.pick(2, 3, 4))
        d.node(operator, d.given(shape), axis=d.axis(len(shape)), **attributes)

    return rule


def _pool(operator: str) -> Rule:
    def rule(d: Drawing) -> None:
        kernel, maps = d.pick(2, 3, 3, 5, 7, 13), d.pick(1, 2, 2, 2, 3)
        shape = d.image(maps=maps)
        kernel = min(kernel, *shape[2:])
        strides = [d.pick(1, 2, min(3, kernel))] * maps
        pads = [kernel // 2 if d.pick(0, 1) else 0] * 2 * maps
        d.node(operator, d.given(shape), kernel_shape=[kernel] * maps, strides=strides, pads=pads)

    return rule


def _cumulative(d: Drawing) -> None:
    shape = d.shape(d.pick(2, 3))
    d.node("CumSum", d.given(shape), d.constant(d.axis(len(shape))))


def _top(d: Drawing) -> None:
    shape = d.shape(2)
    axis = d.axis(2)
    count = max(1, min(d.pick(1, 5, 10, 100, shape[axis] // 2), shape[axis]))
    d.node("TopK", d.given(shape), d.constant([count]), axis=axis, outputs=2)


def _layer_normalization(d: Drawing) -> None:
    shape = d.shape(3)
    d.node("LayerNormalization", d.given(shape), d.weights(shape[-1]), d.weights(shape[-1]))


def _instance_normalization(d: Drawing) -> None:
    shape = d.image()
    d.node("InstanceNormalization", d.given(shape), d.weights(shape[1]), d.weights(shape[1]))


def _group_normalization(d: Drawing) -> None:
    shape = d.image(channels=d.pick(32, 64, 128))
    groups = d.pick(1, 4, 32)
    scale = [d.weights(groups), d.weights(groups)]
    d.node("GroupNormalization", d.given(shape), *scale, num_groups=groups)


def _transpose(d: Drawing) -> None:
    rank = d.pick(2, 3, 4, 5)
    d.node("Transpose", d.given(d.shape(rank)), perm=[int(each) for each in d.rng.permutation(rank)])


def _concatenation(d: Drawing) -> None:
    shape = d.shape(d.pick(2, 3, 4))
    axis, parts = d.axis(len(shape)), []
    for _ in range(d.pick(2, 3, 4)):
        extent = max(1, d.size(1, max(2, shape[axis])))
        parts.append(d.given((*shape[:axis], extent, *shape[axis + 1 :])))
    d.node("Concat", *parts, axis=axis)


def _split(d: Drawing) -> None:
    shape = d.shape(d.pick(2, 3, 4))
    axis = d.axis(len(shape))
    parts = min(d.pick(2, 3, 4), shape[axis])
    d.node("Split", d.given(shape), axis=axis, num_outputs=parts, outputs=parts)


def _slice(d: Drawing) -> None:
    shape = d.shape(d.pick(2, 3, 4))
    axis, step = d.axis(len(shape)), d.pick(1, 1, 2, -1)
    start, end = (-1, -(2**31)) if step < 0 else (shape[axis] // 5, shape[axis])
    d.node("Slice", d.given(shape), *(d.constant([each]) for each in (start, end, axis, step)))


def _pad(d: Drawing) -> None:
    shape = d.image()
    pads = [0, 0, *(d.size(1, 4) for _ in range(2)), 0, 0, *(d.size(1, 4) for _ in range(2))]
    d.node("Pad", d.given(shape), d.constant(pads), mode=d.pick("constant", "reflect", "edge"))


def _tile(d: Drawing) -> None:
    shape = d.shape(d.pick(2, 3))
    d.node("Tile", d.given(shape), d.constant([d.pick(1, 2, 3) for _ in shape]))


def _expand(d: Drawing) -> None:
    shape = d.shape(3)
    source = list(shape)
    source[d.axis(3)] = 1
    d.node("Expand", d.given(source), d.constant(shape))


def _gather(d: Drawing) -> None:
    shape = d.shape(d.pick(2, 3))
    axis = d.axis(len(shape))
    indices = d.rng.integers(0, shape[axis], d.size(8, 512))
    d.node("Gather", d.given(shape), d.given_values(indices), axis=axis)


def _gather_elements(d: Drawing) -> None:
    shape = d.shape(2)
    axis = d.axis(2)
    d.node("GatherElements", d.given(shape), d.given_values(d.rng.integers(0, shape[axis], shape)), axis=axis)


def _gather_nd(d: Drawing) -> None:
    shape = d.shape(3)
    places = np.stack([d.rng.integers(0, size, d.size(64, 4096)) for size in shape[1:2]], axis=-1)
    d.node("GatherND", d.given(shape[1:]), d.given_values(places))


def _scatter_elements(d: Drawing) -> None:
    shape = d.shape(2)
    axis = d.axis(2)
    reduction = d.pick("none", "add", "max")
    indices = np.argsort(d.rng.random(shape), axis)
    d.node(
        "ScatterElements",
        d.given(shape),
        d.given_values(indices),
        d.given(shape),
        axis=axis,
        reduction=reduction,
    )


def _scatter_nd(d: Drawing) -> None:
    shape = d.shape(3)[1:]
    places = d.rng.permutation(shape[0])[: max(1, shape[0] // 3), None]
    reduction = d.pick("none", "add")
    updates = d.given((len(places), *shape[1:]))
    d.node("ScatterND", d.given(shape), d.given_values(places), updates, reduction=reduction)


def _depth_to_space(d: Drawing) -> None:
    mode = d.pick("DCR", "CRD")
    d.node("DepthToSpace", d.given(d.image(d.pick(16, 64, 128))), blocksize=d.pick(2, 4), mode=mode)


def _space_to_depth(d: Drawing) -> None:
    side = 8 * d.size(3, 20)
    d.node("SpaceToDepth", d.given(d.image(d.pick(3, 16, 32), side=side)), blocksize=d.pick(2, 4))


def _resize(d: Drawing) -> None:
    shape = d.image(channels=d.pick(3, 16, 32, 64))
    mode = d.pick("nearest", "linear", "linear", "cubic")
    rate = d.pick(0.5, 2.0, 2.0, 1.5)
    attributes: dict[str, Any] = {"mode": mode}
    if rate < 1 and mode != "nearest":
        attributes["antialias"] = d.pick(0, 1)
    transformation = d.pick("half_pixel", "asymmetric", "align_corners")
    scales = d.constant([1, 1, rate, rate], "float32")
    x = d.given(shape)
    d.node("Resize", x, "", scales, coordinate_transformation_mode=transformation, **attributes)


def _grid_sample(d: Drawing) -> None:
    shape = d.image(channels=d.pick(3, 16, 32))
    grid = d.given((1, *shape[2:], 2), -1.1, 1.1)
    d.node("GridSample", d.given(shape), grid, mode=d.pick("linear", "nearest"), align_corners=d.pick(0, 1))


def _roi_align(d: Drawing) -> None:
    channels, side, count = d.pick(32, 64, 256), d.size(14, 56), d.pick(8, 64, 200)
    corners = np.sort(d.rng.uniform(0, side, (count, 2, 2)), axis=1).reshape(count, 4).astype(np.float32)
    x = d.given((1, channels, side, side))
    boxes, of_image = d.given_values(corners), d.constant(np.zeros(count))
    pooled = d.pick(7, 14)
    d.node("RoiAlign", x, boxes, of_image, output_height=pooled, output_width=pooled, sampling_ratio=2)


def _col2im(d: Drawing) -> None:
    kernel, blocks, channels = d.pick(2, 3, 8), d.size(8, 28), d.pick(4, 16, 32)
    stride = max(1, kernel // 2)
    side = (blocks - 1) * stride + kernel
    columns = d.given((1, channels * kernel * kernel, blocks * blocks))
    sizes = d.constant([side, side]), d.constant([kernel, kernel])
    d.node("Col2Im", columns, *sizes, strides=[stride, stride])


def _recurrent(operator: str, gates: int) -> Rule:
    def rule(d: Drawing) -> None:
        steps, batch = d.pick(1, 16, 50, 100), d.pick(1, 1, 4)
        size, hidden, ways = (d.size(16, 256), d.size(16, 256), d.pick(1, 2))
        x = d.given((steps, batch, size))
        tables = d.weights(ways, gates * hidden, size), d.weights(ways, gates * hidden, hidden)
        direction = "bidirectional" if ways == 2 else "forward"
        d.node(operator, x, *tables, hidden_size=hidden, direction=direction)

    return rule


def _product(d: Drawing) -> None:
    rows, inner, columns = d.size(1, 256), d.size(16, 1024), d.size(16, 1024)
    d.node("MatMul", d.given((rows, inner), -1, 1), d.weights(inner, columns))


def _batched_product(d: Drawing) -> None:
    heads, rows, inner, columns = d.pick(4, 8, 12), d.size(16, 256), d.size(16, 128), d.size(16, 256)
    d.node("MatMul", d.given((1, heads, rows, inner), -1, 1), d.given((1, heads, inner, columns), -1, 1))


def _attention(d: Drawing) -> None:
    heads, length, size = d.pick(1, 4, 8, 12), d.size(16, 400), d.pick(16, 32, 64)
    query, value = (d.given((1, heads, length, size), -1, 1) for _ in range(2))
    key = d.given((1, heads, size, length), -1, 1)
    scores = d.node("MatMul", query, key)
    scaled = d.node("Mul", scores, d.constant(size**-0.5, "float32"))
    d.node("MatMul", d.node("Softmax", scaled, axis=-1), value)


def _convolution(d: Drawing) -> None:
    maps = d.pick(1, 2, 2, 2, 3)
    shape = d.image(maps=maps)
    kernel, stride = d.pick(1, 3, 3, 5), d.pick(1, 1, 2)
    multiplier = d.pick(1, 1, 2, 4)
    groups = d.pick(1, 1, shape[1])
    filters = shape[1] * multiplier if groups > 1 else d.pick(16, 32, 64, 96)
    d.node(
        "Conv",
        d.given(shape),
        d.weights(filters, shape[1] // groups, *[kernel] * maps),
        group=groups,
        strides=[stride] * maps,
        pads=[kernel // 2] * 2 * maps,
    )


def _transposed(d: Drawing) -> None:
    shape = d.image(channels=d.pick(16, 32, 64))
    kernel = d.pick(2, 3, 4)
    filters = d.weights(shape[1], d.pick(8, 16, 32), kernel, kernel)
    d.node("ConvTranspose", d.given(shape), filters, strides=[2, 2])


def _where(d: Drawing) -> None:
    shape = d.shape(d.pick(2, 4))
    mask = d.given_values(d.rng.random(shape) < 0.5)
    d.node("Where", mask, d.given(shape), d.given(d.pick(shape, shape[-1:], (1,))))


def _clip(d: Drawing) -> None:
    x = d.given(d.shape(d.pick(1, 2, 4)))
    d.node("Clip", x, d.constant(0, "float32"), d.constant(6, "float32"))


def _batch_normalization(d: Drawing) -> None:
    shape = d.image()
    tables = [d.constant(d.rng.uniform(0.5, 1.5, shape[1]), "float32") for _ in range(4)]
    d.node("BatchNormalization", d.given(shape), *tables)


UNARY = (
    *("Abs", "Neg", "Exp", "Relu", "LeakyRelu", "Elu", "Selu", "Celu", "HardSigmoid", "HardSwish", "Sigmoid"),
    *("Tanh", "Erf", "Softplus", "Softsign", "Mish", "Gelu", "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh"),
    *("Asinh", "Floor", "Ceil", "Round", "Sign"),
)
"""Functions of one number that take any."""

DRAWN: Mapping[str, Rule] = {
    **{name: _unary(name) for name in UNARY},
    **{name: _unary(name, 0.01, 4.0) for name in ("Log", "Sqrt", "Reciprocal")},
    **{name: _unary(name, -0.99, 0.99) for name in ("Asin", "Acos", "Atanh")},
    "Acosh": _unary("Acosh", 1.01, 9.0),
    **{name: _binary(name) for name in ("Add", "Sub", "Mul", "Div", "Greater", "Max", "Min", "PRelu")},
    "Pow": _binary("Pow", 0.1, 3.0),
    "Mod": _binary("Mod", fmod=1),
    "Where": _where,
    "Clip": _clip,
    **{
        name: _reduction(name)
        for name in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2")
    },
    "ReduceLogSumExp": _reduction("ReduceLogSumExp"),
    "ReduceProd": _reduction("ReduceProd", 0.98, 1.02),
    **{name: _along(name) for name in ("Softmax", "LogSoftmax", "ArgMax", "LpNormalization")},
    "CumSum": _cumulative,
    "TopK": _top,
    "LayerNormalization": _layer_normalization,
    "InstanceNormalization": _instance_normalization,
    "GroupNormalization": _group_normalization,
    "BatchNormalization": _batch_normalization,
    "LRN": lambda d: d.node("LRN", d.given(d.image()), size=d.pick(3, 5)),
    "Transpose": _transpose,
    "Concat": _concatenation,
    "Split": _split,
    "Slice": _slice,
    "Pad": _pad,
    "Tile": _tile,
    "Expand": _expand,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "DepthToSpace": _depth_to_space,
    "SpaceToDepth": _space_to_depth,
    "MaxPool": _pool("MaxPool"),
    "AveragePool": _pool("AveragePool"),
    "GlobalAveragePool": lambda d: d.node("GlobalAveragePool", d.given(d.image())),
    "Resize": _resize,
    "GridSample": _grid_sample,
    "RoiAlign": _roi_align,
    "Col2Im": _col2im,
    "LSTM": _recurrent("LSTM", 4),
    "GRU": _recurrent("GRU", 3),
    "RNN": _recurrent("RNN", 1),
    "MatMul": _product,
    "MatMul, batched": _batched_product,
    "attention": _attention,
    "Conv": _convolution,
    "ConvTranspose": _transposed,
}
"""What is drawn of each operator, by its name."""
