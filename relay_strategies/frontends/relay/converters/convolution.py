"""Convolutions and dense layers of Relay. Definitions: relay.op.nn and the type relations behind it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.frontends.relay.layouts import parse_layout, plain_layout
from relay_strategies.relax.graph import dtype_of, make_constant

from .call import Blocked, Converter, OperatorCall, Value

MAX_KERNEL_ELEMENTS = 1 << 27
DATA_LAYOUTS = ("NCHW", "NHWC")


def _conv2d(call: OperatorCall) -> Value:
    data, layout = convolution_data(call)
    weight = convolution_weight(call, data, layout)
    strides, padding, dilation = call.pair("strides", (1, 1)), call.padding(), call.pair("dilation", (1, 1))
    out_dtype = result_dtype(call, data)
    if out_dtype != dtype_of(data):
        data, weight = (call.emit(relax.op.astype(operand, out_dtype)) for operand in (data, weight))
    data, padding = without_pad(call, data, layout, padding, 0.0)
    result = call.emit_layer(
        relax.op.nn.conv2d(
            data, weight, strides, padding, dilation, call.integer("groups", 1), layout, "OIHW", layout
        )
    )
    return in_out_layout(call, result, layout)


def convolution_data(call: OperatorCall) -> tuple[relax.Expr, str]:
    """(the data in NCHW or NHWC, which of them). Data in blocks of channels become NCHW."""
    layout = call.text("data_layout", "NCHW")
    if parse_layout(layout) is None or plain_layout(layout) not in DATA_LAYOUTS:
        raise call.error(f"data_layout '{layout}' is not supported; NCHW, NHWC and NCHWc with its block are")
    data = unblocked(call, call.value(0), layout)
    call.rank(data, 4)
    return data, plain_layout(layout)


def unblocked(call: OperatorCall, value: Value, layout: str) -> relax.Expr:
    """An operand of a layout with blocks in the same layout without them."""
    if isinstance(value, Blocked) and value.layout == layout:
        return value.data
    return call.change_layout(call.tensor(value, "the data"), layout, plain_layout(layout))


def convolution_weight(call: OperatorCall, data: relax.Expr, layout: str) -> relax.Expr:
    """The weight in OIHW, I being the channels of a group.

    In depthwise convolutions Relay's letters also mean (channels, multiplier); in memory that is the same.
    """
    source = call.text("kernel_layout", "OIHW")
    if parse_layout(source) is None or sorted(plain_layout(source)) != sorted("OIHW"):
        raise call.error(
            f"kernel_layout '{source}' is not supported; orders of O, I, H, W and their blocks are"
        )
    weight = call.change_layout(call.data(1), source, "OIHW")
    outputs, inputs, *kernel = call.rank(weight, 4)
    channels, groups = call.shape(data)[layout.index("C")], call.integer("groups", 1)
    if groups < 1 or channels % groups:
        raise call.error(f"{channels} input channels are no multiple of {groups} groups")
    if groups == channels and inputs > 1:
        outputs, inputs = outputs * inputs, 1
        weight = call.emit(relax.op.reshape(weight, (outputs, inputs, *kernel)))
    if inputs != channels // groups:
        raise call.error(
            f"the weight {source} is for {inputs * groups} input channels, the data has {channels}"
        )
    if call.optional("channels") and call.integer("channels") != outputs:
        raise call.error(f"channels={call.integer('channels')}, but the weight has {outputs}")
    if call.optional("kernel_size") and call.pair("kernel_size") != tuple(kernel):
        raise call.error(f"kernel_size={list(call.pair('kernel_size'))}, but the weight has {kernel}")
    return weight


def result_dtype(call: OperatorCall, data: relax.Expr) -> str:
    """The dtype a layer computes in: its out_dtype, or that of its data."""
    return call.text("out_dtype") if call.optional("out_dtype") else dtype_of(data)


def without_pad(
    call: OperatorCall, data: relax.Expr, layout: str, padding: tuple[int, int, int, int], value: float
) -> tuple[relax.Expr, tuple[int, int, int, int]]:
    """What an nn.pad with ``value`` pads the maps of, and its padding added to the convolution's own."""
    pad = call.padding_of(data)
    if pad is None or float(pad.attrs.pad_value) != value:
        return data, padding
    widths = [int(width) for width in pad.attrs.pad_width]
    pairs = dict(zip(layout, zip(widths[::2], widths[1::2], strict=True), strict=True))
    if any((*pairs["N"], *pairs["C"])) or min(widths) < 0:
        return data, padding
    top, left, bottom, right = padding
    (above, below), (before, after) = pairs["H"], pairs["W"]
    return pad.args[0], (top + above, left + before, bottom + below, right + after)


def in_out_layout(call: OperatorCall, result: relax.Expr, layout: str) -> Value:
    """A convolution's result in its out_layout, which is the data's where none is given."""
    data_layout = call.text("data_layout", "NCHW")
    wanted = call.text("out_layout") if call.optional("out_layout") else data_layout
    if parse_layout(wanted) is None or sorted(plain_layout(wanted)) != sorted(layout):
        raise call.error(f"out_layout '{wanted}' is not supported")
    result = call.change_layout(result, layout, plain_layout(wanted))
    return Blocked(result, wanted) if plain_layout(wanted) != wanted else result


def _contrib_conv2d(call: OperatorCall) -> Value:
    """Convolutions after AlterOpLayout: the kernel of a depthwise one has no I block but 1i."""
    layout = call.text("data_layout", "NCHW")
    if not re.fullmatch(r"NCHW\d+c", layout):
        raise call.error(f"data_layout '{layout}' is not NCHW with a block of channels")
    return _conv2d(call)


def _conv2d_transpose(call: OperatorCall) -> Value:
    """Every phase of the strides is a convolution with some of the taps; their results are interleaved.

    ``out[q * s + r - p] = sum_t x[q - t] * w[r + t * s]``: one convolution with s * s times the channels.
    """
    data, layout = convolution_data(call)
    nchw = call.change_layout(data, layout, "NCHW")
    batch, channels, height, width = call.rank(nchw, 4)
    groups = call.integer("groups", 1)
    if groups < 1 or channels % groups:
        raise call.error(f"{channels} input channels are no multiple of {groups} groups")
    kernel = _spread(call, _transposed_weight(call, channels))
    outputs, taps = kernel.shape[1] * groups, kernel.shape[2:]
    if call.optional("channels") and call.integer("channels") != outputs:
        raise call.error(f"channels={call.integer('channels')}, but the weight has {outputs}")
    strides, (top, left, bottom, right) = call.pair("strides", (1, 1)), call.padding()
    extra = call.ints("output_padding", (0, 0))
    extra = extra * 2 if len(extra) == 1 else extra[:2]
    sizes = [
        (extent - 1) * s + k - before - after + more
        for extent, s, k, before, after, more in zip(
            (height, width), strides, taps, (top, left), (bottom, right), extra, strict=True
        )
    ]
    if min(sizes) < 1 or min(extra) < 0:
        raise call.error(f"the result would be {sizes[0]}x{sizes[1]}")
    reach = [-(-k // s) for k, s in zip(taps, strides, strict=True)]
    # The last phase may end before output_padding does.
    rows = [
        max(extent + t - 1, -(-(before + size) // s))
        for extent, t, before, size, s in zip(
            (height, width), reach, (top, left), sizes, strides, strict=True
        )
    ]
    _check_size(call, kernel.shape[:2], (taps[0] + strides[0], taps[1] + strides[1]))
    phases = _phases(kernel, strides, groups)
    padding = (reach[0] - 1, reach[1] - 1, rows[0] - height, rows[1] - width)
    result = call.emit_layer(relax.op.nn.conv2d(nchw, make_constant(phases), padding=padding, groups=groups))
    if strides != (1, 1):
        split = call.emit(relax.op.reshape(result, (batch, outputs, *strides, *rows)))
        mixed = call.emit(relax.op.permute_dims(split, [0, 1, 4, 2, 5, 3]))
        rows = [extent * s for extent, s in zip(rows, strides, strict=True)]
        result = call.emit(relax.op.reshape(mixed, (batch, outputs, *rows)))
    if rows != sizes or top or left:
        ends = [top + sizes[0], left + sizes[1]]
        result = call.emit(relax.op.strided_slice(result, [2, 3], [top, left], ends))
    return in_out_layout(call, call.change_layout(result, "NCHW", layout), layout)


def _transposed_weight(call: OperatorCall, channels: int) -> np.ndarray:
    """(input channels, output channels of a group, height, width), whatever the layout is called.

    Before 0.8, TVM called this order OIHW.
    """
    source = call.text("kernel_layout", "IOHW")
    if sorted(source) != sorted("OIHW"):
        raise call.error(f"kernel_layout '{source}' is not supported; orders of O, I, H, W are")
    array = call.constant(1)
    if array.ndim != 4 or array.dtype != np.float32:
        raise call.error(
            f"the weight is {array.dtype}{list(array.shape)}, float32 of 4 dimensions is expected"
        )
    moved = array.transpose([source.index(letter) for letter in "IOHW"])
    if moved.shape[0] != channels and source == "OIHW" and array.shape[0] == channels:
        moved = array
    if moved.shape[0] != channels:
        raise call.error(f"the weight is for {moved.shape[0]} input channels, the data has {channels}")
    if call.optional("kernel_size") and call.pair("kernel_size") != moved.shape[2:]:
        raise call.error(
            f"kernel_size={list(call.pair('kernel_size'))}, but the weight has {moved.shape[2:]}"
        )
    return moved


def _spread(call: OperatorCall, kernel: np.ndarray) -> np.ndarray:
    """A dilated kernel with its zeros."""
    dilation = call.pair("dilation", (1, 1))
    if dilation == (1, 1):
        return kernel
    taps = [(k - 1) * d + 1 for k, d in zip(kernel.shape[2:], dilation, strict=True)]
    _check_size(call, kernel.shape[:2], taps)
    spread = np.zeros((*kernel.shape[:2], *taps), kernel.dtype)
    spread[:, :, :: dilation[0], :: dilation[1]] = kernel
    return spread


def _check_size(call: OperatorCall, channels: Sequence[int], taps: Sequence[int]) -> None:
    """A few digits of dilation or strides may ask for more memory than there is."""
    if math.prod((*channels, *taps)) > MAX_KERNEL_ELEMENTS:
        raise call.error(f"a kernel of {taps[0]}x{taps[1]} taps is not supported")


def _phases(kernel: np.ndarray, strides: tuple[int, int], groups: int) -> np.ndarray:
    """(outputs x strides, inputs of a group, taps, taps): the kernels of the phases, mirrored."""
    inputs, outputs, *taps = kernel.shape
    reach = [-(-k // s) for k, s in zip(taps, strides, strict=True)]
    whole = np.zeros((inputs, outputs, reach[0] * strides[0], reach[1] * strides[1]), kernel.dtype)
    whole[:, :, : taps[0], : taps[1]] = kernel
    split = whole.reshape(groups, inputs // groups, outputs, reach[0], strides[0], reach[1], strides[1])
    mirrored = split[:, :, :, ::-1, :, ::-1, :]
    ordered = mirrored.transpose(0, 2, 4, 6, 1, 3, 5)
    return np.ascontiguousarray(ordered.reshape(-1, inputs // groups, *reach))


def _dense(call: OperatorCall) -> Value:
    data, weight = call.data(0), call.data(1)
    out_dtype = result_dtype(call, data)
    if out_dtype != dtype_of(data):
        data, weight = (call.emit(relax.op.astype(operand, out_dtype)) for operand in (data, weight))
    return dense(call, data, weight)


def dense(call: OperatorCall, data: relax.Expr, weight: relax.Expr) -> relax.Expr:
    """``data`` times the transpose of ``weight`` (units, inputs)."""
    units, inputs = call.rank(weight, 2)
    shape = call.shape(data)
    if len(shape) < 1 or shape[-1] != inputs:
        raise call.error(f"rows of {shape[-1:]} by a weight for {inputs} inputs")
    if call.optional("units") and call.integer("units") != units:
        raise call.error(f"units={call.integer('units')}, but the weight has {units}")
    transposed = call.emit_unfolded(relax.op.permute_dims(weight, [1, 0]))
    return call.emit_layer(relax.op.matmul(data, transposed))


def _matmul(call: OperatorCall) -> Value:
    first, second = call.data(0), call.data(1)
    call.ignore("units")
    if result_dtype(call, first) != dtype_of(first):
        raise call.error("an out_dtype other than the operands' is not supported")
    if call.flag("transpose_a", False):
        call.rank(first, 2)
        first = call.emit(relax.op.permute_dims(first, [1, 0]))
    if call.flag("transpose_b", False):
        call.rank(second, 2)
        second = call.emit_unfolded(relax.op.permute_dims(second, [1, 0]))
    return call.emit_layer(relax.op.matmul(first, second))


CONVERTERS: dict[str, Converter] = {
    "nn.conv2d": _conv2d,
    "nn.contrib_conv2d_NCHWc": _contrib_conv2d,
    "nn.contrib_depthwise_conv2d_NCHWc": _contrib_conv2d,
    "nn.conv2d_transpose": _conv2d_transpose,
    "nn.dense": _dense,
    "nn.matmul": _matmul,
}
