"""Transposed convolutions of Relay, and convolutions and pooling of one and three dimensions.

Definitions: relay.op.nn. Graph passes make 2-D convolutions of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tvm import relax

from relay_strategies.functional.convolution import LETTERS, convolution, convolution_transpose, output_sizes
from relay_strategies.functional.pooling import pool
from relay_strategies.relax.graph import dtype_of

from .call import Converter, OperatorCall, Value
from .convolution import result_dtype


def _convolution(dimensions: int, is_transposed: bool = False) -> Converter:
    letters = LETTERS[dimensions]

    def convert(call: OperatorCall) -> Value:
        data, layout = _data(call, "data_layout", f"NC{letters}")
        channels, groups = call.shape(data)[1], call.integer("groups", 1)
        if groups < 1 or channels % groups:
            raise call.error(f"{channels} input channels are not a multiple of {groups} groups")
        weight = _weight(call, letters, channels, is_transposed)
        shape = call.shape(weight)
        outputs, inputs = (shape[1] * groups, shape[0]) if is_transposed else (shape[0], shape[1] * groups)
        if inputs != channels:
            raise call.error(f"the weight is for {inputs} input channels, the data has {channels}")
        if call.optional("channels") and call.integer("channels") != outputs:
            raise call.error(f"channels={call.integer('channels')}, but the weight has {outputs}")
        if call.optional("kernel_size") and _each(call, "kernel_size", dimensions) != shape[2:]:
            raise call.error(f"kernel_size={list(call.ints('kernel_size'))}, but the weight has {shape[2:]}")
        strides, dilations = (_each(call, name, dimensions) for name in ("strides", "dilation"))
        padding, taps = _padding(call, dimensions), shape[2:]
        if is_transposed:
            sizes, extra = call.shape(data)[2:], _output_padding(call, padding, strides)
            results = output_sizes(
                sizes, taps, strides=strides, padding=padding, dilations=dilations, extra=extra
            )
            result = convolution_transpose(
                call,
                data,
                weight,
                strides=strides,
                before=padding[:dimensions],
                results=results,
                dilations=dilations,
                groups=groups,
            )
        else:
            result = convolution(
                call, data, weight, strides=strides, padding=padding, dilations=dilations, groups=groups
            )
        return call.change_layout(call.emit_layer(result), f"NC{letters}", layout)

    return convert


def _pool(dimensions: int, kind: str) -> Converter:
    letters = LETTERS[dimensions]

    def convert(call: OperatorCall) -> Value:
        data, layout = _data(call, "layout", f"NC{letters}")
        window, strides, dilations = (
            _each(call, name, dimensions) for name in ("pool_size", "strides", "dilation")
        )
        result = pool(
            call,
            data,
            kind,
            window,
            strides=strides,
            padding=_padding(call, dimensions),
            dilations=dilations,
            ceil_mode=call.flag("ceil_mode", False),
            count_include_pad=kind == "avg" and call.flag("count_include_pad", False),
        )
        return call.change_layout(call.emit(result), f"NC{letters}", layout)

    return convert


def _data(call: OperatorCall, name: str, plain: str) -> tuple[relax.Expr, str]:
    """The data with channels first, and the layout that it came in."""
    layout = call.text(name, plain)
    if sorted(layout) != sorted(plain):
        raise call.error(f"{name} '{layout}' is not supported; orders of {', '.join(plain)} are")
    out_layout = call.text("out_layout") if call.optional("out_layout") else layout
    if out_layout != layout:
        raise call.error(f"out_layout '{out_layout}' other than the {name} is not supported")
    data = call.change_layout(call.data(0), layout, plain)
    call.rank(data, len(plain))
    if name == "data_layout" and result_dtype(call, data) != dtype_of(data):
        data = call.emit(relax.op.astype(data, result_dtype(call, data)))
    return data, layout


def _weight(call: OperatorCall, letters: str, channels: int, is_transposed: bool) -> relax.Expr:
    """(O, I, taps), of a transposed convolution (I, O, taps).

    Relay also calls that order OI, for other than two dimensions, and in old versions, where it is the
    default and so not in the text. What says OIHW means it, unless only the other order fits.
    """
    plain = f"{'IO' if is_transposed else 'OI'}{letters}"
    layout = call.text("kernel_layout", f"OI{letters}" if len(letters) != 2 else plain)
    if sorted(layout) != sorted(plain):
        raise call.error(f"kernel_layout '{layout}' is not supported; orders of {', '.join(plain)} are")
    weight = call.data(1)
    shape = call.rank(weight, len(plain))
    said = len(letters) == 2 and shape[1] == channels
    if is_transposed and layout == f"OI{letters}" and shape[0] == channels and not said:
        layout = plain
    weight = call.change_layout(weight, layout, plain)
    dtype = result_dtype(call, call.data(0))
    return weight if dtype_of(weight) == dtype else call.emit(relax.op.astype(weight, dtype))


def _each(call: OperatorCall, name: str, dimensions: int) -> tuple[int, ...]:
    """A positive integer for each dimension, of which one may stand for all."""
    values = call.ints(name, 1) if name != "pool_size" else call.ints(name)
    values = values * dimensions if len(values) == 1 else values
    if len(values) != dimensions or min(values) < 1:
        raise call.error(f"{name}={list(values)} should be {dimensions} positive integers")
    return values


def _padding(call: OperatorCall, dimensions: int) -> tuple[int, ...]:
    """What is in front along each axis, then what is behind."""
    values = call.ints("padding", 0)
    if len(values) not in (1, dimensions, 2 * dimensions) or min(values) < 0:
        raise call.error(
            f"padding={list(values)} should be 1, {dimensions} or {2 * dimensions} integers from 0"
        )
    return (values * 2 * dimensions)[: 2 * dimensions]


def _output_padding(call: OperatorCall, padding: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """What is added behind along each axis; as much of it as is cut off there may be of any size."""
    dimensions = len(strides)
    extra = call.ints("output_padding", 0)
    extra = extra * dimensions if len(extra) == 1 else extra[:dimensions]
    if len(extra) != dimensions or min(extra) < 0:
        raise call.error(f"output_padding={list(extra)} should be {dimensions} integers from 0")
    ends = zip(extra, padding[dimensions:], strides, strict=True)
    if any(more - cut >= stride for more, cut, stride in ends):
        raise call.error(f"output_padding={list(extra)} should be less than the strides {list(strides)}")
    return extra


CONVERTERS: dict[str, Converter] = {
    **{f"nn.{kind}_pool{rank}d": _pool(rank, kind) for rank in (1, 3) for kind in ("avg", "max")},
    **{f"nn.conv{rank}d": _convolution(rank) for rank in (1, 3)},
    **{f"nn.conv{rank}d_transpose": _convolution(rank, is_transposed=True) for rank in LETTERS},
}
