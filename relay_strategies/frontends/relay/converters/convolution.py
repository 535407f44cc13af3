"""Convolutions, transposed ones and dense layers of Relay. Definitions: relay.op.nn and its type relations.

Graph passes make 2-D convolutions of those of other dimensions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tvm import relax, topi

from relay_strategies.frontends.relay.layouts import parse_layout, plain_layout
from relay_strategies.functional.convolution import LETTERS, convolution, convolution_transpose, output_sizes
from relay_strategies.functional.deformable import deformable_convolution
from relay_strategies.relax.graph import dtype_of

from .call import Converter, OperatorCall, Value
from .maps import maps_in, maps_out


def _convolution(rank: int, is_transposed: bool = False) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data, layout = maps_in(call, "data_layout", rank)
        if is_transposed:  # TVM's own kernels of these are channels first
            plain = f"NC{LETTERS[rank]}"
            data, layout = call.change_layout(data, layout, plain), plain
        weight = convolution_weight(call, data, layout, is_transposed)
        strides, dilations = (call.each(name, rank, 1) for name in ("strides", "dilation"))
        padding, groups = call.padding(rank), call.integer("groups", 1)
        out_dtype = result_dtype(call, data)
        if out_dtype != dtype_of(data):
            data, weight = (call.emit(relax.op.astype(operand, out_dtype)) for operand in (data, weight))
        if is_transposed:
            results = output_sizes(
                call.shape_of(data)[2:],
                call.shape_of(weight)[2:],
                strides=strides,
                padding=padding,
                dilations=dilations,
                extra=output_padding(call, padding, strides),
            )
            result = convolution_transpose(
                call,
                data,
                weight,
                strides=strides,
                before=padding[:rank],
                results=results,
                dilations=dilations,
                groups=groups,
            )
        else:
            data, padding = without_pad(call, data, layout, padding, 0.0)
            result = convolution(
                call,
                data,
                weight,
                strides=strides,
                padding=padding,
                dilations=dilations,
                groups=groups,
                layout=layout,
            )
        return maps_out(call, call.emit_layer(result), layout, "data_layout")

    return convert


def convolution_weight(
    call: OperatorCall, data: relax.Expr, layout: str, is_transposed: bool = False
) -> relax.Expr:
    """The weight (O, I, taps), I being the channels of a group; (I, O, taps) of a transposed convolution.

    In depthwise convolutions Relay's letters also mean (channels, multiplier); in memory that is the same. Of
    transposed ones Relay calls the order OI, too, for other than two dimensions, and in old versions, where
    it is the default and not in the text. What says OIHW means it, unless only the other order fits.
    """
    rank = len(layout) - 2
    plain = f"{'IO' if is_transposed else 'OI'}{LETTERS[rank]}"
    source = call.text("kernel_layout", f"OI{LETTERS[rank]}" if rank != 2 else plain)
    if parse_layout(source) is None or sorted(plain_layout(source)) != sorted(plain):
        raise call.error(
            f"kernel_layout '{source}' is not supported; orders of {', '.join(plain)} and their blocks are"
        )
    channels, groups = call.shape_of(data)[layout.index("C")], call.integer("groups", 1)
    if groups < 1 or channels % groups:
        raise call.error(f"{channels} input channels are not a multiple of {groups} groups")
    weight = call.data(1)
    if is_transposed and source == f"OI{LETTERS[rank]}":
        first, second = call.rank(weight, len(plain))[:2]
        if first == channels and not (rank == 2 and second == channels):
            source = plain
    weight = call.change_layout(weight, source, plain)
    outputs, inputs, *taps = call.rank(weight, len(plain))
    if is_transposed:
        outputs, inputs = inputs * groups, outputs
    else:
        if groups == channels and inputs > 1:
            outputs, inputs = outputs * inputs, 1
            weight = call.emit(relax.op.reshape(weight, (outputs, inputs, *taps)))
        inputs *= groups
    if inputs != channels:
        raise call.error(f"the weight {source} is for {inputs} input channels, the data has {channels}")
    if call.optional("channels") and call.integer("channels") != outputs:
        raise call.error(f"channels={call.integer('channels')}, but the weight has {outputs}")
    if call.optional("kernel_size") and call.each("kernel_size", rank) != tuple(taps):
        raise call.error(f"kernel_size={list(call.each('kernel_size', rank))}, but the weight has {taps}")
    return weight


def result_dtype(call: OperatorCall, data: relax.Expr) -> str:
    """The dtype a layer computes in: its out_dtype, or that of its data."""
    return call.text("out_dtype") if call.optional("out_dtype") else dtype_of(data)


def without_pad(
    call: OperatorCall, data: relax.Expr, layout: str, padding: tuple[int, ...], value: float
) -> tuple[relax.Expr, tuple[int, ...]]:
    """What an nn.pad with ``value`` pads the maps of, and its padding added to the convolution's own."""
    pad = call.padding_of(data)
    if pad is None or float(pad.attrs.pad_value) != value:
        return data, padding
    widths = [int(width) for width in pad.attrs.pad_width]
    pairs = dict(zip(layout, zip(widths[::2], widths[1::2], strict=True), strict=True))
    if any((*pairs["N"], *pairs["C"])) or min(widths) < 0:
        return data, padding
    more = zip(*(pairs[letter] for letter in LETTERS[len(layout) - 2]), strict=True)
    added = [width for end in more for width in end]
    return pad.args[0], tuple(own + width for own, width in zip(padding, added, strict=True))


def output_padding(call: OperatorCall, padding: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Return what is added behind along each axis; as much of it as is cut off there may be of any size."""
    rank = len(strides)
    extra = call.ints("output_padding", 0)
    extra = extra * rank if len(extra) == 1 else extra[:rank]
    if len(extra) != rank or min(extra) < 0:
        raise call.error(f"output_padding={list(extra)} should be {rank} integers from 0")
    ends = zip(extra, padding[rank:], strides, strict=True)
    if any(more - cut >= stride for more, cut, stride in ends):
        raise call.error(f"output_padding={list(extra)} should be less than the strides {list(strides)}")
    return extra


def _deformable(call: OperatorCall) -> Value:
    """Offsets (rows, columns) of every tap come behind the data."""
    data, offsets, weight = (call.data(number) for number in range(3))
    if call.text("data_layout", "NCHW") != "NCHW" or call.text("kernel_layout", "OIHW") != "OIHW":
        raise call.error("layouts other than NCHW and OIHW are not supported")
    if call.optional("out_layout") and call.text("out_layout") != "NCHW":
        raise call.error(f"out_layout '{call.text('out_layout')}' is not supported")
    outputs, _, *taps = call.rank(weight, 4)
    if call.optional("channels") and call.integer("channels") != outputs:
        raise call.error(f"channels={call.integer('channels')}, but the weight has {outputs}")
    if call.optional("kernel_size") and list(call.each("kernel_size", 2)) != taps:
        raise call.error(f"kernel_size={list(call.each('kernel_size', 2))}, but the weight has {taps}")
    if result_dtype(call, data) != dtype_of(data):
        raise call.error("an out_dtype other than the data's is not supported")
    return call.emit(
        deformable_convolution(
            call,
            data,
            weight,
            offsets,
            strides=call.each("strides", 2, 1),
            padding=call.padding()[:2],
            dilations=call.each("dilation", 2, 1),
            groups=call.integer("groups", 1),
            offset_groups=call.integer("deformable_groups", 1),
        )
    )


def _contrib_conv2d(call: OperatorCall) -> Value:
    """Convolutions after AlterOpLayout. The I block of a depthwise kernel is always 1i."""
    layout = call.text("data_layout", "NCHW")
    if not re.fullmatch(r"NCHW\d+c", layout):
        raise call.error(f"data_layout '{layout}' is not NCHW with a block of channels")
    return CONVERTERS["nn.conv2d"](call)


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
    shape = call.shape_of(data)
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


def _batch_matmul(call: OperatorCall) -> Value:
    """Products of matrices, by default with the transpose of the second."""
    first, second = call.data(0), call.data(1)
    dtype = result_dtype(call, first)
    first, second = call.cast(first, dtype), call.cast(second, dtype)
    for operand in (first, second):
        call.rank(operand, 3)
    if call.flag("transpose_a", False):
        first = call.emit(relax.op.permute_dims(first, [0, 2, 1]))
    if call.flag("transpose_b", True):
        second = call.emit_unfolded(relax.op.permute_dims(second, [0, 2, 1]))
    return call.emit_layer(relax.op.matmul(first, second))


def _correlation(call: OperatorCall) -> Value:
    """Products, or distances, of the windows of one map and those of another around the same place."""
    first, second = call.data(0), call.data(1)
    if call.text("layout", "NCHW") != "NCHW" or call.rank(first, 4) != call.rank(second, 4):
        raise call.error("two maps of one shape in NCHW are supported")
    sizes = [call.integer(name, 1) for name in ("kernel_size", "max_displacement", "stride1", "stride2")]
    if sizes[0] % 2 == 0 or min(sizes[0], *sizes[2:]) < 1 or sizes[1] < 0:
        raise call.error("a kernel of an odd size, and strides of at least 1, are expected")
    options = [*sizes, list(call.padding()), call.flag("is_multiply", True)]
    return call.emit(call.builder.call_te(topi.nn.correlation_nchw, first, second, *options))


CONVERTERS: dict[str, Converter] = {
    **{f"nn.conv{rank}d": _convolution(rank) for rank in LETTERS},
    **{f"nn.conv{rank}d_transpose": _convolution(rank, is_transposed=True) for rank in LETTERS},
    "nn.contrib_conv2d_NCHWc": _contrib_conv2d,
    "nn.contrib_depthwise_conv2d_NCHWc": _contrib_conv2d,
    "nn.contrib_dense_pack": _dense_pack,
    "nn.deformable_conv2d": _deformable,
    "nn.dense": lambda call: _dense_of(call, call.data(1)),
    "nn.matmul": _matmul,
    "nn.batch_matmul": _batch_matmul,
    "nn.correlation": _correlation,
}
