"""Convolutions and dense layers of Relay. Definitions: relay.op.nn and the type relations behind it."""

from __future__ import annotations

import re

from tvm import relax

from relay_strategies.frontends.relay.layouts import parse_layout, plain_layout
from relay_strategies.relax.graph import dtype_of

from .call import Blocked, Converter, OperatorCall, Value

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
        raise call.error(f"{channels} input channels are not a multiple of {groups} groups")
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
    """Convolutions after AlterOpLayout. The I block of a depthwise kernel is always 1i."""
    layout = call.text("data_layout", "NCHW")
    if not re.fullmatch(r"NCHW\d+c", layout):
        raise call.error(f"data_layout '{layout}' is not NCHW with a block of channels")
    return _conv2d(call)


def _dense_of(call: OperatorCall, weight: relax.Expr) -> Value:
    data = call.data(0)
    out_dtype = result_dtype(call, data)
    if out_dtype != dtype_of(data):
        data, weight = (call.emit(relax.op.astype(operand, out_dtype)) for operand in (data, weight))
    return dense(call, data, weight)


def _dense_pack(call: OperatorCall) -> Value:
    """Dense layers after AlterOpLayout: the units of the weight, and maybe its inputs, are in blocks."""
    source = call.text("weight_layout", "NC")
    if parse_layout(source) is None or sorted(plain_layout(source)) != ["C", "N"]:
        raise call.error(f"weight_layout '{source}' is not supported; orders of N, C and their blocks are")
    return _dense_of(call, call.change_layout(call.data(1), source, "NC"))


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
    "nn.contrib_dense_pack": _dense_pack,
    "nn.dense": lambda call: _dense_of(call, call.data(1)),
    "nn.matmul": _matmul,
}
