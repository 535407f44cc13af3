"""Relay's operators of images and detectors: sampling, regions, anchors and suppression. Definitions:
relay.op.image and relay.op.vision."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from tvm import relax

from relay_strategies.functional.coordinates import COORDINATES, Axis, Extent
from relay_strategies.functional.movement import pad, slices, stack
from relay_strategies.functional.resizing import resize
from relay_strategies.relax.graph import dtype_of, make_constant

from .call import Converter, OperatorCall, Value, of_constants

METHODS = {
    **{"nearest_neighbor": "nearest", "linear": "linear", "cubic": "cubic"},
    **{"trilinear": "linear", "bilinear": "linear"},
}
BOX = 4
"""A box has so many numbers."""


def _resize(letters: str, of_scales: bool = False) -> Converter:
    """Resize maps along axes of these letters, to sizes or by scales."""

    def convert(call: OperatorCall) -> Value:
        data, plain = call.data(0), f"NC{letters}"
        layout = call.text("layout", plain)
        method = call.text("method", "nearest_neighbor" if of_scales else "linear")
        mode = call.text("coordinate_transformation_mode", "half_pixel")
        if sorted(layout) != sorted(plain) or METHODS.get(method) is None or mode not in COORDINATES:
            raise call.error(
                f"layout '{layout}', method '{method}' and mode '{mode}' are not supported together"
            )
        shape = call.rank(data, len(plain))
        if of_scales:
            scales = [call.number(f"scale_{letter.lower()}", 1.0) for letter in letters]
            sizes = [round(shape[layout.index(c)] * scale) for c, scale in zip(letters, scales, strict=True)]
        else:
            sizes = list(call.each("size", len(letters)))
        call.ignore("roi", "extrapolation_value")  # for a mode that crops
        rounding = call.text("rounding_method", "" if of_scales else "round")
        rounding = rounding or ("round" if mode == "align_corners" else "floor")
        axes = [
            _axis(layout.index(letter), shape, size, mode)
            for letter, size in zip(letters, sizes, strict=True)
        ]
        resized = resize(
            call,
            data,
            axes,
            METHODS[method],
            rounding="round_prefer_ceil" if rounding == "round" else rounding,
            sharpness=call.number("cubic_alpha", -0.5),
            exclude_outside=bool(call.get("cubic_exclude", 0)),
        )
        return call.emit(resized)

    return convert


def _axis(axis: int, shape: tuple[int, ...], result: int, mode: str) -> Axis:
    size = shape[axis]
    scale = np.float32(result / size)
    whole = Extent(axis, size, result, scale, np.float32(0), np.float32(1))
    return Axis(axis, size, float(scale), COORDINATES[mode](whole))


def _grid_sample(call: OperatorCall) -> Value:
    data, grid = call.data(0), call.data(1)
    call.rank(data, 4)
    if call.text("layout", "NCHW") != "NCHW":
        raise call.error(f"layout '{call.text('layout')}' is not supported; NCHW is")
    return call.emit(
        relax.op.image.grid_sample(
            data,
            grid,
            call.text("method", "bilinear"),
            "NCHW",
            call.text("padding_mode", "zeros"),
            call.flag("align_corners", True),
        )
    )


def _affine_grid(call: OperatorCall) -> Value:
    return call.emit(relax.op.image.affine_grid(call.data(0), call.each("target_shape", 2)))


def _crop_and_resize(call: OperatorCall) -> Value:
    """Boxes (top, left, bottom, right), from 0 to 1 along each edge, of the images that they name, resized
    bilinearly; what is outside of the image has a value of its own."""
    data, boxes = call.data(0), call.data(1)
    images = call.cast(call.data(2), "int32")
    layout, method = call.text("layout", "NHWC"), call.text("method", "bilinear")
    if method != "bilinear" or sorted(layout) != sorted("NCHW"):
        raise call.error(f"method '{method}' of layout '{layout}' is not supported; bilinear is")
    if call.optional("out_dtype") and call.text("out_dtype") != dtype_of(data):
        raise call.error("an out_dtype is not supported; cast the result")
    height, width = call.each("crop_size", 2)
    outside = call.number("extrapolation_value", 0.0)
    data = call.change_layout(data, layout, "NCHW")
    shape = call.rank(data, 4)
    taken = call.emit(relax.op.take(data, images, 0, mode="clip"))
    rows, columns = (_places(call, boxes, n, (height, width)[n], shape[2 + n]) for n in (0, 1))
    count = call.shape_of(boxes)[0]
    whole = (count, height, width)
    wide = [
        call.emit(relax.op.broadcast_to(call.emit(relax.op.reshape(each, form)), whole))
        for each, form in ((columns, (count, 1, width)), (rows, (count, height, 1)))
    ]
    grid = call.emit(stack(call, wide, 1))
    sampled = call.emit(relax.op.image.grid_sample(taken, grid, "bilinear", "NCHW", "border", True))
    distance = call.emit(relax.op.max(call.emit(relax.op.abs(grid)), [1]))
    inside = call.emit(relax.op.less_equal(distance, relax.const(1, "float32")))
    inside = call.emit(relax.op.reshape(inside, (count, 1, height, width)))
    result = call.emit(relax.op.where(inside, sampled, relax.const(outside, "float32")))
    return call.change_layout(result, "NCHW", layout)


def _places(call: OperatorCall, boxes: relax.Expr, edge: int, count: int, size: int) -> relax.Expr:
    """The places of the rows, or columns, of boxes, from -1 to 1 across the image; a single one is in the
    middle."""
    first, last = (
        call.emit(relax.op.strided_slice(boxes, [1], [number], [number + 1])) for number in (edge, 2 + edge)
    )
    steps = np.linspace(0, 1, count, dtype=np.float32) if count > 1 else np.full(1, 0.5, np.float32)
    extent = call.emit(relax.op.subtract(last, first))
    inner = call.emit(relax.op.multiply(extent, make_constant(steps.reshape(1, -1))))
    places = call.emit(relax.op.add(first, inner))
    doubled = call.emit(relax.op.multiply(places, relax.const(2, "float32")))
    return call.emit(relax.op.subtract(doubled, relax.const(1, "float32")))


def _dilation2d(call: OperatorCall) -> Value:
    """The largest sum of a window and a kernel, channel by channel."""
    data, weight = call.data(0), call.data(1)
    layout, kernel_layout = call.text("data_layout", "NCHW"), call.text("kernel_layout", "IHW")
    if layout not in ("NCHW", "NHWC") or sorted(kernel_layout) != sorted("IHW"):
        raise call.error(f"layouts '{layout}' and '{kernel_layout}' are not supported")
    if call.optional("out_dtype") and call.text("out_dtype") != dtype_of(data):
        raise call.error("an out_dtype is not supported; cast the result")
    data = call.change_layout(data, layout, "NCHW")
    weight = call.change_layout(weight, kernel_layout, "IHW")
    strides, dilations = call.each("strides", 2, 1), call.each("dilations", 2, 1)
    top, left, bottom, right = call.padding()
    least = float(np.finfo(dtype_of(data)).min)
    data = call.emit(pad(call, data, [(0, 0), (0, 0), (top, bottom), (left, right)], value=least))
    shape, taps = call.shape_of(data)[2:], call.shape_of(weight)[1:]
    reaches = [(tap - 1) * by + 1 for tap, by in zip(taps, dilations, strict=True)]
    counts = [(size - reach) // step + 1 for size, reach, step in zip(shape, reaches, strides, strict=True)]
    result: relax.Expr | None = None
    for place in itertools.product(*map(range, taps)):
        starts = [at * by for at, by in zip(place, dilations, strict=True)]
        ends = [
            start + (count - 1) * step + 1 for start, count, step in zip(starts, counts, strides, strict=True)
        ]
        window = call.emit(slices(call, data, [2, 3], starts, ends, strides))
        tap = call.emit(slices(call, weight, [1, 2], place, [at + 1 for at in place], [1, 1]))
        total = call.emit(relax.op.add(window, tap))
        result = total if result is None else call.emit(relax.op.maximum(result, total))
    assert result is not None
    return call.change_layout(result, "NCHW", layout)


def _regions(operator: Callable[..., relax.Expr], is_align: bool) -> Converter:
    def convert(call: OperatorCall) -> Value:
        size, scale = call.each("pooled_size", 2), call.number("spatial_scale")
        if call.text("layout", "NCHW") != "NCHW":
            raise call.error(f"layout '{call.text('layout')}' is not supported; NCHW is")
        more = {}
        if is_align:
            more = {"sample_ratio": call.integer("sample_ratio", -1), "mode": _mode(call)}
        return call.emit(operator(call.data(0), call.data(1), size, scale, **more))

    return convert


def _mode(call: OperatorCall) -> str:
    mode = call.get("mode", "avg")
    return {0: "avg", 1: "max"}.get(mode, mode)


def _yolo_reorg(call: OperatorCall) -> Value:
    """Blocks of pixels become channels, in the order of darknet's layer of that name."""
    data, stride = call.data(0), call.integer("stride")
    batch, channels, height, width = call.rank(data, 4)
    if stride < 1 or channels % stride**2 or height % stride or width % stride:
        raise call.error(f"blocks of {stride} do not fit a map of shape {call.shape_of(data)}")
    part = channels // stride**2
    k, j, i = np.indices((channels, height, width))
    places = ((k % part) * height * stride + j * stride + k // part // stride) * width * stride
    places = (places + i * stride + k // part % stride).reshape(-1)
    flat = call.emit(relax.op.reshape(data, (batch, -1)))
    shape = (batch, channels * stride**2, height // stride, width // stride)
    return call.emit(relax.op.reshape(call.take(flat, places, 1), shape))


def _multibox_prior(call: OperatorCall) -> Value:
    """Anchors of every pixel: all sizes with the first ratio, then the first size with the others."""
    *_, height, width = call.rank(call.data(0), 4)
    sizes, ratios = (numbers(call, name, (1.0,)) for name in ("sizes", "ratios"))
    steps, offsets = numbers(call, "steps", (-1.0, -1.0)), numbers(call, "offsets", (0.5, 0.5))
    down = steps[0] if steps[0] > 0 else 1 / height
    across = steps[1] if steps[1] > 0 else 1 / width
    rows, columns = (np.arange(height) + offsets[0]) * down, (np.arange(width) + offsets[1]) * across
    middles = np.stack(np.meshgrid(columns, rows), -1)
    halves = [(size * height / width / 2, size / 2) for size in sizes]
    halves += [
        (sizes[0] * height / width * np.sqrt(ratio) / 2, sizes[0] / np.sqrt(ratio) / 2)
        for ratio in ratios[1:]
    ]
    half = np.array(halves)
    corners = np.concatenate([middles[:, :, None] - half, middles[:, :, None] + half], -1)
    if call.flag("clip", False):
        corners = np.clip(corners, 0, 1)
    return make_constant(corners.reshape(1, -1, BOX).astype(np.float32))


def numbers(call: OperatorCall, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """Return an attribute that is a list of numbers; one is a list of one."""
    values = call.get(name, default)
    values = values if isinstance(values, tuple) else (values,)
    if not values or any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        raise call.error(f"{name}={values!r} should be numbers")
    return tuple(map(float, values))


def _multibox_transform_loc(call: OperatorCall) -> Value:
    """Rows (class, score, box) of the anchors that a class scores enough for, ahead of empty ones, and how
    many these are."""
    chances, offsets, anchors = (call.data(number) for number in range(3))
    batch, classes, count = call.rank(chances, 3)
    threshold, clip = call.number("threshold", 0.01), call.flag("clip", True)
    variances = numbers(call, "variances", (0.1, 0.1, 0.2, 0.2))
    if call.flag("keep_background", False):
        raise call.error("keep_background is not supported")
    real = call.emit(relax.op.strided_slice(chances, [1], [1], [classes]))
    score = call.emit(relax.op.max(real, [1]))
    best = call.cast(call.emit(relax.op.argmax(real, 1)), "float32")
    boxes = _moved(call, call.emit(relax.op.reshape(offsets, (batch, count, BOX))), anchors, variances)
    if clip:
        boxes = call.emit(relax.op.clip(boxes, 0, 1))
    enough = call.emit(relax.op.greater_equal(score, relax.const(threshold, "float32")))
    best = call.emit(relax.op.where(enough, best, relax.const(-1, "float32")))
    columns = [call.emit(relax.op.expand_dims(each, 2)) for each in (best, score)]
    rows = call.emit(relax.op.concat([*columns, boxes], 2))
    # Those that stay are moved to the front, with their scores, in order.
    found = call.emit(relax.op.vision.get_valid_counts(rows, -np.inf, 0, 1))
    counts, moved = (call.emit(relax.TupleGetItem(found, number)) for number in range(2))
    return moved, counts


def _moved(
    call: OperatorCall, offsets: relax.Expr, anchors: relax.Expr, variances: tuple[float, ...]
) -> relax.Expr:
    """Boxes as corners, of anchors as corners and offsets of middles and of logarithms of extents."""

    def part(data: relax.Expr, first: int) -> relax.Expr:
        return call.emit(relax.op.strided_slice(data, [2], [first], [first + 2]))

    def number(value: object) -> relax.Expr:
        return make_constant(np.asarray(value, np.float32))

    low, high = part(anchors, 0), part(anchors, 2)
    extent = call.emit(relax.op.subtract(high, low))
    middle = call.emit(relax.op.multiply(call.emit(relax.op.add(low, high)), number(0.5)))
    shift = call.emit(relax.op.multiply(part(offsets, 0), number(variances[:2])))
    middle = call.emit(relax.op.add(call.emit(relax.op.multiply(shift, extent)), middle))
    growth = call.emit(relax.op.exp(call.emit(relax.op.multiply(part(offsets, 2), number(variances[2:])))))
    half = call.emit(relax.op.multiply(call.emit(relax.op.multiply(growth, extent)), number(0.5)))
    corners = [call.emit(relax.op.subtract(middle, half)), call.emit(relax.op.add(middle, half))]
    return call.emit(relax.op.concat(corners, 2))


def _get_valid_counts(call: OperatorCall) -> Value:
    threshold = call.number("score_threshold", 0.0)
    threshold = threshold if len(call.arguments) < 2 else call.constant(1).item()
    places = call.integer("id_index", 0), call.integer("score_index", 1)
    found = call.emit(relax.op.vision.get_valid_counts(call.data(0), float(threshold), *places))
    return tuple(call.emit(relax.TupleGetItem(found, number)) for number in range(3))


def _non_max_suppression(call: OperatorCall) -> Value:
    data, counts, indices = (call.data(number) for number in range(3))
    most, overlap = (call.constant(number).reshape(()).item() for number in (3, 4))
    returns = call.flag("return_indices", True)
    found = call.emit(
        relax.op.vision.non_max_suppression(
            data,
            counts,
            indices,
            int(most),
            float(overlap),
            call.flag("force_suppress", False),
            call.integer("top_k", -1),
            call.integer("coord_start", 2),
            call.integer("score_index", 1),
            call.integer("id_index", 0),
            returns,
            call.flag("invalid_to_bottom", False),
        )
    )
    if not returns:
        return found
    return tuple(call.emit(relax.TupleGetItem(found, number)) for number in range(2))


CONVERTERS: dict[str, Converter] = {
    "image.resize1d": _resize("W"),
    "image.resize3d": _resize("DHW"),
    "nn.upsampling3d": _resize("DHW", of_scales=True),
    "dyn.nn.upsampling3d": of_constants(_resize("DHW", of_scales=True), "scale_d", "scale_h", "scale_w"),
    "image.grid_sample": _grid_sample,
    "image.affine_grid": _affine_grid,
    "image.crop_and_resize": _crop_and_resize,
    "image.dilation2d": _dilation2d,
    "vision.roi_align": _regions(relax.op.vision.roi_align, is_align=True),
    "vision.roi_pool": _regions(relax.op.vision.roi_pool, is_align=False),
    "vision.yolo_reorg": _yolo_reorg,
    "vision.multibox_prior": _multibox_prior,
    "vision.multibox_transform_loc": _multibox_transform_loc,
    "vision.get_valid_counts": _get_valid_counts,
    "vision.non_max_suppression": _non_max_suppression,
}
