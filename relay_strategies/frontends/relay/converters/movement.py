"""Operators of Relay that move data and compute nothing."""

from __future__ import annotations

import math

import numpy as np
from tvm import relax

from relay_strategies.frontends.relay.layouts import parse_layout, plain_layout
from relay_strategies.frontends.sizes import refuse_size
from relay_strategies.functional import movement
from relay_strategies.relax.graph import scalar
from tvm_directconv.model.blocking import FLOAT_BYTES

from .call import Blocked, Converter, OperatorCall, Value
from .elementwise import DTYPES
from .maps import unblocked

MAX_PARTS = 4096
PAD_MODES = ("constant", "reflect", "edge")


def _reversed_reshape(call: OperatorCall) -> Value:
    """The shape is read from the right."""
    data, codes = call.data(0), call.ints("newshape")
    shape = new_shape(call, call.shape_of(data)[::-1], codes[::-1])
    return call.emit(relax.op.reshape(data, shape[::-1]))


def reshape(call: OperatorCall) -> Value:
    data = call.data(0)
    if call.flag("reverse", False) or len(call.arguments) > 1:
        raise call.error("only a shape known from the text, read from the left, is supported")
    call.ignore("allowzero")
    shape = call.shape_of(data)
    return call.emit(relax.op.reshape(data, new_shape(call, shape, call.ints("newshape"))))


def new_shape(call: OperatorCall, shape: tuple[int, ...], wanted: tuple[int, ...]) -> list[int]:
    """Relay's codes: 0 keeps a dimension, -1 is what is left, -2 the rest, -3 two in one, -4 splits one."""
    result: list[int] = []
    source, codes, unknown = list(shape), list(wanted), None
    try:
        while codes:
            code = codes.pop(0)
            if code > 0:
                result.append(code)
                source = source[1:]
            elif code == 0:
                result.append(source.pop(0))
            elif code == -1:
                if unknown is not None:
                    raise call.error(f"newshape={list(wanted)} has several -1")
                unknown = len(result)
                result.append(1)
                source = source[1:]
            elif code == -2:
                result += source
                source = []
            elif code == -3:
                result.append(source.pop(0) * source.pop(0))
            elif code == -4:
                result += _split_extent(source.pop(0), codes.pop(0), codes.pop(0))
            else:
                raise call.error(f"newshape={list(wanted)}: {code} is not a code")
    except (IndexError, ZeroDivisionError):
        raise call.error(f"newshape={list(wanted)} does not fit {shape}") from None
    known, elements = math.prod(map(int, result)), math.prod(shape)
    if unknown is not None and known and elements % known == 0:
        result[unknown] = elements // known
        known = elements
    if known != elements:
        raise call.error(f"newshape={list(wanted)} does not fit {shape}")
    return result


def _split_extent(extent: int, first: int, second: int) -> list[int]:
    first = extent // second if first == -1 else first
    return [first, extent // first if second == -1 else second]


def _transpose(call: OperatorCall) -> Value:
    data = call.data(0)
    rank = len(call.shape_of(data))
    axes = call.ints("axes") if call.optional("axes") else tuple(range(rank))[::-1]
    axes = tuple(call.checked_axis(axis, rank) for axis in axes)
    if sorted(axes) != list(range(rank)):
        raise call.error(f"axes={list(axes)} is not an order of {rank} dimensions")
    return call.emit(relax.op.permute_dims(data, list(axes)))


def _batch_flatten(call: OperatorCall) -> Value:
    data = call.data(0)
    batch, *rest = call.shape_of(data) or (1,)
    return call.emit(relax.op.reshape(data, (batch, math.prod(rest))))


def squeeze(call: OperatorCall) -> Value:
    data = call.data(0)
    shape = call.shape_of(data)
    axes = {i for i, extent in enumerate(shape) if extent == 1}
    if call.get("axis", None) is not None:
        given = {call.checked_axis(axis, len(shape)) for axis in call.ints("axis")}
        if not given <= axes:
            raise call.error(f"axes {sorted(given - axes)} of {shape} are not 1")
        axes = given
    kept = [extent for i, extent in enumerate(shape) if i not in axes]
    return call.emit(relax.op.reshape(data, kept))


def expand_dims(call: OperatorCall) -> Value:
    data = call.data(0)
    shape = call.shape_of(data)
    axis, count = call.integer("axis"), call.integer("num_newaxis", 1)
    if not -len(shape) - 1 <= axis <= len(shape) or not 0 <= count <= 8:
        raise call.error(f"axis={axis}, num_newaxis={count} does not fit {shape}")
    axis = axis if axis >= 0 else len(shape) + axis + 1
    return call.emit(relax.op.reshape(data, (*shape[:axis], *[1] * count, *shape[axis:])))


def _concatenate(call: OperatorCall) -> Value:
    parts = call.value(0)
    layout = _common_layout(parts)
    tensors = call.tensors(0) if layout is None else [part.data for part in parts]  # type: ignore[union-attr]
    if not tensors:
        raise call.error("there is nothing to concatenate")
    axis = call.integer("axis", 0)
    if layout is not None and axis == 1:
        # Whole blocks one after another are channels one after another.
        return Blocked(call.emit(relax.op.concat(tensors, 1)), layout)
    tensors = call.tensors(0)
    return call.emit(relax.op.concat(tensors, call.checked_axis(axis, len(call.shape_of(tensors[0])))))


def _common_layout(value: Value) -> str | None:
    """The layout with blocks that every part of a tuple has."""
    if not isinstance(value, tuple) or not all(isinstance(part, Blocked) for part in value):
        return None
    layouts = {part.layout for part in value if isinstance(part, Blocked)}
    return layouts.pop() if len(layouts) == 1 else None


def _stack(call: OperatorCall) -> Value:
    tensors = call.tensors(0)
    if not tensors:
        raise call.error("there is nothing to stack")
    axis = call.checked_axis(call.integer("axis", 0), len(call.shape_of(tensors[0])) + 1)
    return call.emit(movement.stack(call, tensors, axis))


def _split(call: OperatorCall) -> Value:
    data = call.data(0)
    shape = call.shape_of(data)
    axis = call.axis("axis", 0, len(shape))
    sections = call.ints("indices_or_sections")
    if not isinstance(call.get("indices_or_sections"), tuple):
        parts = sections[0]
        if not 1 <= parts <= MAX_PARTS or shape[axis] % parts:
            raise call.error(f"{shape[axis]} cannot be split into {parts} equal parts")
        sections = tuple(shape[axis] // parts * i for i in range(1, parts))
    ends = (*sections, shape[axis])
    starts = (0, *sections)
    if any(not 0 <= first < last <= shape[axis] for first, last in zip(starts, ends, strict=True)):
        raise call.error(f"{shape[axis]} cannot be split at {list(sections)}")
    sizes = [last - first for first, last in zip(starts, ends, strict=True)]
    return tuple(movement.split(call, data, sizes, axis))


def strided_slice(call: OperatorCall) -> Value:
    data = call.data(0)
    shape = call.shape_of(data)
    begin, end = call.ints("begin"), call.ints("end")
    mode = call.text("slice_mode", "end")
    axes = call.ints("axes") if call.optional("axes") else tuple(range(len(begin)))
    strides = call.ints("strides") if call.optional("strides") else (1,)
    strides = strides * len(axes) if len(strides) == 1 else strides
    if mode not in ("end", "size") or not len(axes) == len(begin) == len(end) == len(strides):
        raise call.error(f"begin={list(begin)}, end={list(end)}, strides={list(strides)} do not fit together")
    starts, stops = list(begin), list[int | None]()
    for number, (axis, first, last, step) in enumerate(zip(axes, begin, end, strides, strict=True)):
        extent = shape[call.checked_axis(axis, len(shape))]
        if step == 0:
            raise call.error("a stride is 0")
        if mode == "size":
            starts[number] = first = first + extent if first < 0 else first
            last, step = (extent if last == -1 else first + last), 1
        stops.append(_past(last, step, extent))
    strides = (1,) * len(axes) if mode == "size" else strides
    axes = tuple(axis % len(shape) for axis in axes)
    return call.emit(movement.slices(call, data, axes, starts, stops, strides))


def _past(last: int, step: int, extent: int) -> int | None:
    """The end of a slice that runs backwards past the front."""
    return None if step < 0 and last < -extent else last


def _layout_transform(call: OperatorCall) -> Value:
    source, result = call.text("src_layout"), call.text("dst_layout")
    for layout in (source, result):
        if parse_layout(layout) is None:
            raise call.error(f"'{layout}' is not a layout")
    value = call.value(0)
    if sorted(plain_layout(source)) != sorted(plain_layout(result)):
        raise call.error(f"{source} and {result} have other dimensions")
    if plain_layout(result) == "NCHW" != result:
        plain = unblocked(call, value, source)
        plain = call.change_layout(plain, plain_layout(source), "NCHW")
        block = math.prod(size for _, size in parse_layout(result) or () if size)
        if call.shape_of(plain)[1] % block:
            raise call.error(f"{call.shape_of(plain)[1]} channels are not a multiple of {block}")
        return Blocked(plain, result)
    if isinstance(value, Blocked) and value.layout == source:
        return call.change_layout(value.data, plain_layout(source), result)
    return call.change_layout(call.data(0), source, result)


def pad(call: OperatorCall) -> Value:
    data = call.data(0)
    rank = len(call.shape_of(data))
    mode = call.text("pad_mode", "constant")
    if mode not in PAD_MODES:
        raise call.error(f"pad_mode '{mode}' is none of {', '.join(PAD_MODES)}")
    given = call.get("pad_width")
    pairs = given if isinstance(given, tuple) else ()
    flat = [width for pair in pairs if isinstance(pair, tuple) and len(pair) == 2 for width in pair]
    if len(pairs) != rank or len(flat) != 2 * rank or any(type(width) is not int for width in flat):
        raise call.error(f"pad_width should be {rank} pairs of integers")
    if min(flat, default=0) < 0:
        raise call.error("pad_width has negative widths; slice instead")
    # Before 0.8 the value was an attribute.
    value = call.number("pad_value", 0.0)
    if len(call.arguments) > 1:
        found = scalar(call.data(1))
        if found is None:
            raise call.error("the value to pad with must be a constant")
        value = found
    return call.emit(movement.pad(call, data, pairs, mode, value))


def broadcast_to(call: OperatorCall) -> Value:
    call.ignore("dtype")
    return call.emit(relax.op.broadcast_to(call.data(0), call.ints("shape")))


def full_of(value: float) -> Converter:
    def convert(call: OperatorCall) -> Value:
        dtype = call.text("dtype", "float32")
        if dtype not in DTYPES:
            raise call.error(f"dtype '{dtype}' is not supported")
        filler = relax.const(np.asarray(value, dtype))
        return call.emit(relax.op.full(call.ints("shape"), filler, dtype))

    return convert


def _repeat(call: OperatorCall) -> Value:
    data = call.data(0)
    axis = call.axis("axis", 0, len(call.shape_of(data)))
    return call.emit(relax.op.repeat(data, call.integer("repeats"), axis))


def tile(call: OperatorCall) -> Value:
    return call.emit(relax.op.tile(call.data(0), list(call.ints("reps"))))


def _depth_to_space(call: OperatorCall) -> Value:
    """Channels become blocks of pixels; their number in the block counts first (DCR) or last (CRD)."""
    if call.text("layout", "NCHW") != "NCHW":
        raise call.error(f"layout '{call.text('layout')}' is not supported; NCHW is")
    data, block, mode = call.data(0), call.integer("block_size"), call.text("mode", "DCR")
    call.rank(data, 4)
    return call.emit(movement.depth_to_space(call, data, block, mode))


def _space_to_depth(call: OperatorCall) -> Value:
    if call.text("layout", "NCHW") != "NCHW":
        raise call.error(f"layout '{call.text('layout')}' is not supported; NCHW is")
    data = call.data(0)
    call.rank(data, 4)
    return call.emit(movement.space_to_depth(call, data, call.integer("block_size")))


def _pairs(call: OperatorCall, name: str, count: int) -> list[tuple[int, int]]:
    """An attribute of so many pairs of integers that are not negative."""
    given = call.get(name)
    pairs = [tuple(pair) for pair in given if isinstance(pair, tuple)] if isinstance(given, tuple) else []
    if len(pairs) != count or any(len(p) != 2 or any(type(n) is not int or n < 0 for n in p) for p in pairs):
        raise call.error(f"{name} should be {count} pairs of integers from 0")
    return pairs


def _space_to_batch(call: OperatorCall) -> Value:
    blocks = call.ints("block_shape")
    pads = _pairs(call, "paddings", len(blocks))
    return call.emit(movement.space_to_batch(call, call.data(0), blocks, pads, call.number("pad_value", 0.0)))


def _batch_to_space(call: OperatorCall) -> Value:
    blocks = call.ints("block_shape")
    return call.emit(movement.batch_to_space(call, call.data(0), blocks, _pairs(call, "crops", len(blocks))))


def _mirror_pad(call: OperatorCall) -> Value:
    data, mode = call.data(0), call.text("mode", "SYMMETRIC").lower()
    if mode not in ("symmetric", "reflect"):
        raise call.error(f"mode '{call.text('mode')}' is neither SYMMETRIC nor REFLECT")
    pairs = _pairs(call, "pad_width", len(call.shape_of(data)))
    return call.emit(movement.pad(call, data, pairs, mode))


def _fifo_buffer(call: OperatorCall) -> Value:
    """The data behind what is left of the buffer."""
    data, buffer = call.data(0), call.data(1)
    shape = call.shape_of(buffer)
    axis = call.axis("axis", 0, len(shape))
    whole = call.emit(relax.op.concat([buffer, data], axis))
    size = call.shape_of(data)[axis]
    return call.emit(relax.op.strided_slice(whole, [axis], [size], [size + shape[axis]]))


def _sliding_window(call: OperatorCall) -> Value:
    """Windows over the last axes: first where they are, then what is in them."""
    data = call.data(0)
    rank = len(call.shape_of(data))
    first, sizes = call.axis("axis", 0, rank), call.ints("window_shape")
    steps = call.ints("strides")
    if not len(sizes) == len(steps) == rank - first or min(*sizes, *steps) < 1:
        raise call.error(f"windows {list(sizes)}, {list(steps)} apart, do not fit {rank - first} axes")
    for number, (size, step) in enumerate(zip(sizes, steps, strict=True)):
        axis = first + 2 * number
        shape = call.shape_of(data)
        count = (shape[axis] - size) // step + 1
        refuse_size((*shape[:axis], count, size, *shape[axis + 1 :]), FLOAT_BYTES, call.label, None)
        data = call.take(data, np.arange(count)[:, None] * step + np.arange(size), axis)
    places = range(first, first + 2 * len(sizes), 2)
    order = [*range(first), *places, *(place + 1 for place in places)]
    return call.emit(relax.op.permute_dims(data, order))


def _dilate(call: OperatorCall) -> Value:
    """Each element is the first of a block of its own of ``strides``, whose rest has one value; the blocks of
    the last ones end there."""
    data, value = call.data(0), call.number("dilation_value", 0.0)
    shape = call.shape_of(data)
    steps = call.each("strides", len(shape))
    wide = call.emit(relax.op.reshape(data, [size for extent in shape for size in (extent, 1)]))
    widths = [width for step in steps for width in (0, 0, 0, step - 1)]
    filled = call.emit(relax.op.nn.pad(wide, widths, "constant", value))
    whole = [extent * step for extent, step in zip(shape, steps, strict=True)]
    filled = call.emit(relax.op.reshape(filled, whole))
    ends = [(extent - 1) * step + 1 for extent, step in zip(shape, steps, strict=True)]
    return call.emit(relax.op.strided_slice(filled, list(range(len(shape))), [0] * len(shape), ends))


CONVERTERS: dict[str, Converter] = {
    "reshape": reshape,
    "transpose": _transpose,
    "nn.batch_flatten": _batch_flatten,
    "squeeze": squeeze,
    "expand_dims": expand_dims,
    "concatenate": _concatenate,
    "stack": _stack,
    "split": _split,
    "strided_slice": strided_slice,
    "layout_transform": _layout_transform,
    "nn.pad": pad,
    "broadcast_to": broadcast_to,
    "zeros": full_of(0),
    "ones": full_of(1),
    "repeat": _repeat,
    "tile": tile,
    "nn.depth_to_space": _depth_to_space,
    "nn.space_to_depth": _space_to_depth,
    "nn.space_to_batch_nd": _space_to_batch,
    "nn.batch_to_space_nd": _batch_to_space,
    "nn.mirror_pad": _mirror_pad,
    "contrib_reverse_reshape": _reversed_reshape,
    "nn.fifo_buffer": _fifo_buffer,
    "nn.dilate": _dilate,
    "sliding_window": _sliding_window,
}
