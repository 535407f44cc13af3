"""Operators of TensorFlow Lite that TVM's importer lacks a converter for, or gets wrong.

Where only some of an operator's options need care, TVM's converter does the rest. ``MOVES`` need none:
what they do with integers is right where all that they read and write is quantized alike, as the format
demands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tflite  # type: ignore[import-untyped, unused-ignore]
import tvm
from tvm import relax
from tvm.relax.frontend.tflite.tflite_frontend import get_tensor_name

from relay_strategies.functional import activations, movement
from relay_strategies.functional.convolution import convolution_transpose
from relay_strategies.functional.coordinates import Axis
from relay_strategies.functional.resizing import is_repeated
from relay_strategies.relax.functions import elu
from tvm_directconv.problem.extents import is_open, typical
from tvm_directconv.problem.open_sizes import size_of

from .open_shapes import is_folded, padding_of
from .operator import Operator

MOVES = frozenset(
    {
        *("ARG_MAX", "ARG_MIN", "BATCH_TO_SPACE_ND", "DEPTH_TO_SPACE", "EXPAND_DIMS", "GATHER", "GATHER_ND"),
        *("MIRROR_PAD", "PACK", "PAD", "PADV2", "RESIZE_NEAREST_NEIGHBOR", "REVERSE_V2", "SLICE"),
        *("SPACE_TO_BATCH_ND", "SPACE_TO_DEPTH", "SPLIT", "SPLIT_V", "SQUEEZE", "STRIDED_SLICE", "TILE"),
        *("TRANSPOSE", "UNPACK"),
    }
)
"""Operators that move elements, or compare them."""
MISSING = ("MATRIX_DIAG", "MATRIX_SET_DIAG", "SPARSE_TO_DENSE")
"""Operators for which TVM's converters call functions that its runtime lacks."""


Converter = Callable[[Operator], relax.Expr]


def with_converters(known: Mapping[str, Any], converter: Any) -> dict[str, Any]:
    """What converts each operator: TVM's ``known`` converters, with this file's in their place."""

    def by(convert: Converter) -> Callable[[Any], relax.Expr]:
        return lambda op: convert(Operator(converter, op))

    def unless_folded(convert: Any) -> Callable[[Any], relax.Expr | None]:
        return lambda op: None if is_folded(Operator(converter, op)) else convert(op=op)

    own = {name: by(convert) for name, convert in CONVERTERS.items()}
    both = {name: convert for name, convert in (dict(known) | own).items() if name not in MISSING}
    return {name: unless_folded(convert) for name, convert in both.items()} if converter.leaves_open else both


def refuse_requantized(op: Operator) -> None:
    """Raise OpNotImplemented for an operator of ``MOVES`` between tensors that are quantized differently."""
    if op.kind not in MOVES:
        return
    quantized = [tensor for tensor in (*op.inputs, *op.outputs) if tensor.qnn_params is not None]
    if not all(op.converter.has_same_qnn_params(quantized[0], tensor) for tensor in quantized):
        raise tvm.error.OpNotImplemented(
            f"Operator {op.kind} of tensors with scales of their own is not supported in frontend TFLite"
        )


# ---- converters


def _softmax(op: Operator) -> relax.Expr:
    """Convert Softmax with ``beta``, a factor of the exponents, which TVM's converter does not support."""
    options = op.options("SoftmaxOptions")
    if options is None or options.Beta() == 1:
        return op.by_tvm("softmax")
    (data,), (result,) = op.inputs, op.outputs
    scaled = relax.op.multiply(op.numbers(data), relax.const(options.Beta(), "float32"))
    return op.stored(relax.op.nn.softmax(scaled, -1), result)


def _gelu(op: Operator) -> relax.Expr:
    options = op.options("GeluOptions")
    if options is None or not options.Approximate() or op.is_quantized:
        return op.by_tvm("gelu")
    (data,) = op.inputs
    return relax.op.nn.gelu_tanh(op.expr(data))


def _elu(op: Operator) -> relax.Expr:
    """Convert Elu of real numbers. TVM's cancels near 0, and does not dequantize integers."""
    (data,), (result,) = op.inputs, op.outputs
    numbers = op.emit(op.numbers(data))
    return op.stored(elu(op.emit, numbers), result)


def _prelu(op: Operator) -> relax.Expr:
    """Convert PRelu of real numbers; TVM's converter does not dequantize integers."""
    (data, slope), (result,) = op.inputs, op.outputs
    numbers, slopes = op.emit(op.numbers(data)), op.numbers(slope)
    return op.stored(activations.prelu(op, numbers, slopes), result)


def _extreme_place(operator: Callable[..., relax.Expr]) -> Converter:
    def convert(op: Operator) -> relax.Expr:
        """Return positions in the type that the file says; TVM's converter always returns int64."""
        (result,) = op.outputs
        place, dtype = op.converter._convert_arg_min_max(op=op.source, relax_op=operator), op.dtype(result)
        return place if dtype == "int64" else relax.op.astype(place, dtype)

    return convert


def _gather(op: Operator) -> relax.Expr:
    """Convert Gather, with axes that data and places share. TVM's lacks these, and checks every element."""
    options, (data, places) = op.options("GatherOptions"), op.inputs
    source = op.expr(data)
    shape = op.shape_of(source)
    axis = options.Axis() % len(shape)
    computed = op.is_computed(places)
    if not computed:
        values = op.value(places)
        if np.any((values < 0) | (values >= shape[axis])):
            raise ValueError(f"GATHER of places that axis {axis}, which is {shape[axis]}, does not have")
    where = op.expr(places)
    rank = len(op.shape_of(where))
    common = options.BatchDims() % max(rank, 1)
    if not common:
        return relax.op.take(source, where, axis, mode="clip" if computed else "fast")
    # The axis is brought behind the common ones, and what is between goes before what is gathered again.
    between, behind = list(range(common, axis)), list(range(axis + 1, len(shape)))
    moved = relax.op.permute_dims(source, [*range(common), axis, *between, *behind])
    wide = relax.op.astype(relax.op.expand_dims(where, -1), "int64")
    found = relax.op.gather_nd(moved, wide, common)
    last = rank + len(between)
    order = [*range(common), *range(rank, last), *range(common, rank), *range(last, last + len(behind))]
    return relax.op.permute_dims(found, order)


def _fully_connected(op: Operator) -> relax.Expr:
    """Unless it keeps the dimensions it takes a matrix, whatever the shape of its data; TVM's takes them."""
    (data, weight, *_) = op.inputs
    stored, options = op.expr(data), op.options("FullyConnectedOptions")
    inputs = int(weight.tensor.ShapeAsNumpy()[-1])
    if options.KeepNumDims() or len(op.shape_of(stored)) == 2:
        return op.by_tvm("fully_connected")
    name = get_tensor_name(op.converter.subgraph, data.tensor_idx)
    matrix = op.emit(relax.op.reshape(stored, (-1, inputs)))
    op.converter.exp_tab.set_expr(name, matrix, force_override=True)
    result = op.emit(op.by_tvm("fully_connected"))
    op.converter.exp_tab.set_expr(name, stored, force_override=True)
    return result


def _transpose_conv(op: Operator) -> relax.Expr:
    """Return a result of the given size. TVM's derives the size from the padding; it may be smaller."""
    (wanted, weight, data, *bias), (result,) = op.inputs, op.outputs
    options = op.options("TransposeConvOptions")
    strides = options.StrideH(), options.StrideW()
    extents = [size_of(extent) for extent in op.value(wanted).tolist()[1:3]]
    sums = _transposed(op, data, weight, strides, extents, options.Padding() == tflite.Padding.SAME)
    for term in bias:
        sums = relax.op.add(sums, _bias(op, term, data, weight))
    found = op.stored(sums, result)
    # Old versions of the reader do not know that it may have one.
    activation = getattr(options, "FusedActivationFunction", lambda: 0)()
    if result.qnn_params is None:
        return op.converter.convert_fused_activation_function(found, activation)
    unit = [float(result.qnn_params[part].value.numpy().reshape(())) for part in ("scale", "zero_point")]
    return op.converter.convert_qnn_fused_activation_function(found, activation, *unit, op.dtype(result))


def _transposed(
    op: Operator, data: Any, weight: Any, strides: Sequence[int], extents: Sequence[int], same: bool
) -> relax.Expr:
    """Return the sums of a transposed convolution of that result by a filter OHWI."""
    filters = op.numbers(weight)
    axes = zip(extents, op.shape_of(filters)[1:3], strides, strict=True)
    return convolution_transpose(
        op,
        op.numbers(data),
        op.emit(relax.op.permute_dims(filters, [3, 0, 1, 2])),
        strides=strides,
        before=[padding_of(*axis)[0] if same else 0 for axis in axes],
        results=extents,
        dilations=(1, 1),
        layout="NHWC",
    )


def _transposed_with_bias(op: Operator) -> relax.Expr:
    """Convert MediaPipe's operator, whose options are the kind of padding, and the steps across and down."""
    (data, weight, bias), (result,) = op.inputs, op.outputs
    raw = op.source.CustomOptionsAsNumpy() if op.source.CustomOptionsLength() == 12 else None
    padding, across, down = (0, 0, 0) if raw is None else raw.view("<i4").tolist()
    if padding not in (1, 2) or min(across, down) < 1:
        raise op.error("its options are not a kind of padding and two steps")
    strides, taps = (down, across), op.shape_of(op.numbers(weight))[1:3]
    sizes = op.shape_of(op.numbers(data))[1:3]
    beyond = [0 if padding == 1 else max(tap - step, 0) for tap, step in zip(taps, strides, strict=True)]
    extents = [size * step + more for size, step, more in zip(sizes, strides, beyond, strict=True)]
    sums = _transposed(op, data, weight, strides, extents, padding == 1)
    return op.stored(relax.op.add(sums, _bias(op, bias, data, weight)), result)


def _bias(op: Operator, bias: Any, data: Any, weight: Any) -> relax.Expr:
    """A bias as floats, counted in the units of the sums where the file does not say in which."""
    if bias.qnn_params is not None or data.qnn_params is None:
        return op.numbers(bias)
    unit = relax.op.multiply(data.qnn_params["scale"], weight.qnn_params["scale"])
    return relax.op.multiply(relax.op.astype(op.expr(bias), "float32"), unit)


def _nearest(op: Operator) -> relax.Expr:
    """Positions are computed in float32, as TensorFlow Lite's reference kernel does; halves are rounded up.

    TVM adds a small number before it rounds down. Its operator is taken where every pixel is repeated.
    """
    options, (data, size) = op.options("ResizeNearestNeighborOptions"), op.inputs
    stored, half, axes = op.expr(data), np.float32(0.5), []
    pairs = list(zip(op.shape_of(stored)[1:3], op.value(size).tolist(), strict=True))
    if any(map(is_open, pairs)) and _is_open_multiple(pairs, options):
        return _repeated(stored, [new for _, new in pairs])
    wanted = [int(new) for _, new in pairs]
    for axis, (old, new) in enumerate(((int(old), int(new)) for old, new in pairs), start=1):
        aligned = options.AlignCorners()
        last = 1 if aligned and new > 1 else 0
        step = np.float32(old - last) / np.float32(new - last)
        places = np.arange(new).astype(np.float32)
        positions = ((places + half if options.HalfPixelCenters() else places) * step).astype(np.float64)
        positions = np.floor(positions + 0.5 if aligned else positions)
        axes.append(Axis(axis, old, new / old, np.clip(positions, 0, old - 1)))
    if all(map(is_repeated, axes)):
        return _repeated(stored, wanted)
    for each in axes:
        stored = op.take(stored, each.positions, each.axis)
    return stored


def _reshape(op: Operator) -> relax.Expr:
    """Convert Reshape, of open dimensions by itself: TVM's converter takes numbers."""
    stored, shape = op.expr(op.inputs[0]), op.inputs[1:]
    if not is_open(op.shape_of(stored)) or any(map(op.is_computed, shape)):
        return op.by_tvm("reshape")
    given = op.value(shape[0]) if shape else op.options("ReshapeOptions").NewShapeAsNumpy()
    wanted = given.reshape(-1).tolist()
    if -1 in [size for size in wanted if isinstance(size, int)]:
        place = next(p for p, size in enumerate(wanted) if isinstance(size, int) and size == -1)
        wanted[place] = math.prod(op.shape_of(stored)) // math.prod(wanted[:place] + wanted[place + 1 :])
    return relax.op.reshape(stored, relax.ShapeExpr(wanted))


def _is_open_multiple(pairs: Sequence[tuple[int, int]], options: Any) -> bool:
    """Whether new sizes are open ones times numbers by which every pixel is repeated."""
    times = [typical(new) // typical(old) for old, new in pairs]
    if options.AlignCorners() or any(
        is_open([new - old * t]) for (old, new), t in zip(pairs, times, strict=True)
    ):
        return False
    whole = all(new - old * t == 0 for (old, new), t in zip(pairs, times, strict=True))
    # Others than powers of two are inexact in float32; between pixels' centers, that changes none.
    return whole and all(options.HalfPixelCenters() or t & (t - 1) == 0 for t in times)


def _repeated(data: relax.Expr, wanted: Sequence[int]) -> relax.Expr:
    return relax.op.image.resize2d(data, wanted, None, "NHWC", "nearest_neighbor", "asymmetric", "floor")


def _space_to_batch(op: Operator) -> relax.Expr:
    """Convert by the library; TVM's converter calls a function that its runtime lacks."""
    data, *numbers = op.inputs
    blocks, pads = (op.value(tensor).tolist() for tensor in numbers)
    zero = 0 if data.qnn_params is None else int(data.qnn_params["zero_point"].value.numpy().reshape(()))
    stored = op.expr(data)
    return movement.space_to_batch(op, stored, blocks, pads, zero)


def _batch_to_space(op: Operator) -> relax.Expr:
    """Convert by the library; TVM's converter calls a function that its runtime lacks."""
    data, *numbers = op.inputs
    blocks, crops = (op.value(tensor).tolist() for tensor in numbers)
    return movement.batch_to_space(op, op.expr(data), blocks, crops)


def _expand_dims(op: Operator) -> relax.Expr:
    """Convert ExpandDims; TVM's converter gives Relax's operator an argument too many."""
    data, axis = op.inputs
    (place,) = op.value(axis).reshape(-1)
    return relax.op.expand_dims(op.expr(data), int(place))


def _squeeze(op: Operator) -> relax.Expr:
    """Convert Squeeze; TVM's converter requires axes."""
    (data,), options = op.inputs, op.options("SqueezeOptions")
    axes = [int(axis) for axis in options.SqueezeDimsAsNumpy()] if options.SqueezeDimsLength() else None
    return relax.op.squeeze(op.expr(data), axes)


def _batch_matmul(op: Operator) -> relax.Expr:
    """Convert products that broadcast; TVM's converter repeats their operands, and fails at it."""
    if op.is_quantized:
        return op.by_tvm("batch_matmul")
    options = op.options("BatchMatMulOptions")
    operands = []
    for tensor, transposed in zip(op.inputs, (options.AdjX(), options.AdjY()), strict=True):
        matrix = op.expr(tensor)
        rank = len(op.shape_of(matrix))
        order = [*range(rank - 2), rank - 1, rank - 2]
        operands.append(relax.op.permute_dims(matrix, order) if transposed else matrix)
    return relax.op.matmul(*operands)


def _split_v(op: Operator) -> relax.Expr:
    """One size may be -1, which is what the others leave."""
    data, sizes, place = op.inputs
    if op.is_computed(sizes):
        return op.by_tvm("split_v")
    stored, axis = op.expr(data), int(op.value(place).reshape(()))
    parts = [int(size) for size in op.value(sizes)]
    left = op.shape_of(stored)[axis] - sum(size for size in parts if size >= 0)
    ends = np.cumsum([left if size < 0 else size for size in parts])
    split = relax.op.split(stored, [int(end) for end in ends[:-1]], axis)
    return split if len(parts) > 1 else stored


def _mirror_pad(op: Operator) -> relax.Expr:
    """Convert the mode that repeats the edge (SYMMETRIC), which TVM's converter lacks."""
    if op.options("MirrorPadOptions").Mode() == tflite.MirrorPadMode.REFLECT:
        return op.by_tvm("mirror_pad")
    data, widths = op.inputs
    pairs = op.value(widths).tolist()
    return movement.pad(op, op.expr(data), pairs, "symmetric")


CUSTOM: Mapping[str, Converter] = {"Convolution2DTransposeBias": _transposed_with_bias}
"""Operators that other libraries add to the format, by their names."""
CONVERTERS: Mapping[str, Converter] = {
    **CUSTOM,
    "ARG_MAX": _extreme_place(relax.op.argmax),
    "ARG_MIN": _extreme_place(relax.op.argmin),
    "BATCH_MATMUL": _batch_matmul,
    "BATCH_TO_SPACE_ND": _batch_to_space,
    "ELU": _elu,
    "EXPAND_DIMS": _expand_dims,
    "FULLY_CONNECTED": _fully_connected,
    "GATHER": _gather,
    "GELU": _gelu,
    "MIRROR_PAD": _mirror_pad,
    "PRELU": _prelu,
    "RESHAPE": _reshape,
    "RESIZE_NEAREST_NEIGHBOR": _nearest,
    "SOFTMAX": _softmax,
    "SPACE_TO_BATCH_ND": _space_to_batch,
    "SPLIT_V": _split_v,
    "SQUEEZE": _squeeze,
    "TRANSPOSE_CONV": _transpose_conv,
}
