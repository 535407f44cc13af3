"""Operators of TensorFlow Lite that TVM's importer lacks a converter for, or gets wrong.

A converter takes TVM's, which knows tensors and what is computed so far, and the operator; where only some of
an operator's options need care, TVM's does the rest. ``MOVES`` need none: what they do with integers is right
where all that they read and write is quantized alike, as the format demands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import tflite  # type: ignore[import-untyped, unused-ignore]
import tvm
from tvm import relax
from tvm.relax.frontend.tflite.tflite_frontend import get_pad_value, get_tensor_name

from relay_strategies.functional import activations, movement
from relay_strategies.functional.builder import Builder
from relay_strategies.functional.convolution import convolution_transpose
from relay_strategies.functional.coordinates import Axis
from relay_strategies.functional.resizing import is_repeated
from relay_strategies.relax.functions import elu
from relay_strategies.relax.graph import shape_of

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
Converter = Callable[[Any, Any], relax.Expr]


def with_converters(known: Mapping[str, Any], converter: Any) -> dict[str, Any]:
    """What converts each operator: TVM's ``known`` converters, with this file's in their place."""
    own = {name: partial(convert, converter) for name, convert in CONVERTERS.items()}
    return {name: convert for name, convert in (dict(known) | own).items() if name not in MISSING}


def refuse_requantized(converter: Any, op: Any) -> None:
    """Raise OpNotImplemented for an operator of ``MOVES`` between tensors that are quantized differently."""
    name = converter.get_op_code_str(op)
    if name not in MOVES:
        return
    quantized = [t for t in (*_inputs(converter, op), *_outputs(converter, op)) if t.qnn_params is not None]
    if not all(converter.has_same_qnn_params(quantized[0], tensor) for tensor in quantized):
        raise tvm.error.OpNotImplemented(
            f"Operator {name} of tensors with scales of their own is not supported in frontend TFLite"
        )


# ---- what converters ask


def _inputs(converter: Any, op: Any) -> list[Any]:
    return list(converter.get_input_tensors(op))


def _outputs(converter: Any, op: Any) -> list[Any]:
    return list(converter.get_output_tensors(op))


def _options(op: Any, table: str) -> Any:
    """The operator's options, None where it has none."""
    given, options = op.BuiltinOptions(), getattr(tflite, table)()
    if given is None:
        return None
    options.Init(given.Bytes, given.Pos)
    return options


def _shape(converter: Any, expr: relax.Expr) -> tuple[int, ...]:
    shape = shape_of(converter.bb.normalize(expr))
    assert shape is not None
    return shape


def _numbers(converter: Any, tensor: Any) -> relax.Expr:
    """A tensor as floats, also where integers stand for them."""
    stored = converter.get_tensor_expr(tensor)
    return stored if tensor.qnn_params is None else converter.dequantize(stored, tensor)


def _stored(converter: Any, numbers: relax.Expr, tensor: Any) -> relax.Expr:
    """Floats as a tensor has them."""
    return numbers if tensor.qnn_params is None else converter.quantize(numbers, tensor)


def _dtype(converter: Any, tensor: Any) -> str:
    return str(converter.get_tensor_type_str(tensor.tensor.Type()))


class Operator(Builder):
    """An operator of a file, as the library's functions take it."""

    def __init__(self, converter: Any, op: Any) -> None:
        self.builder, self._kind = converter.bb, converter.get_op_code_str(op)

    @property
    def label(self) -> str:
        return str(self._kind)

    def shape_of(self, value: relax.Expr) -> tuple[int, ...]:
        return super().shape_of(self.builder.normalize(value))


# ---- converters


def _softmax(converter: Any, op: Any) -> relax.Expr:
    """Convert Softmax with ``beta``, a factor of the exponents, which TVM's converter does not support."""
    options = _options(op, "SoftmaxOptions")
    if options is None or options.Beta() == 1:
        return converter.convert_softmax(op)
    (data,), (result,) = _inputs(converter, op), _outputs(converter, op)
    scaled = relax.op.multiply(_numbers(converter, data), relax.const(options.Beta(), "float32"))
    return _stored(converter, relax.op.nn.softmax(scaled, -1), result)


def _gelu(converter: Any, op: Any) -> relax.Expr:
    options = _options(op, "GeluOptions")
    if options is None or not options.Approximate() or converter.is_quantized(op):
        return converter.convert_gelu(op)
    (data,) = _inputs(converter, op)
    return relax.op.nn.gelu_tanh(converter.get_tensor_expr(data))


def _elu(converter: Any, op: Any) -> relax.Expr:
    """Convert Elu of real numbers. TVM's cancels near 0, and does not dequantize integers."""
    (data,), (result,) = _inputs(converter, op), _outputs(converter, op)
    numbers = converter.bb.emit(_numbers(converter, data))
    return _stored(converter, elu(converter.bb.emit, numbers), result)


def _prelu(converter: Any, op: Any) -> relax.Expr:
    """Convert PRelu of real numbers; TVM's converter does not dequantize integers."""
    (data, slope), (result,) = _inputs(converter, op), _outputs(converter, op)
    numbers, slopes = converter.bb.emit(_numbers(converter, data)), _numbers(converter, slope)
    return _stored(converter, activations.prelu(Operator(converter, op), numbers, slopes), result)


def _extreme_place(operator: Callable[..., relax.Expr]) -> Converter:
    def convert(converter: Any, op: Any) -> relax.Expr:
        """Return positions in the type that the file says; TVM's converter always returns int64."""
        (result,) = _outputs(converter, op)
        place, dtype = converter._convert_arg_min_max(op=op, relax_op=operator), _dtype(converter, result)
        return place if dtype == "int64" else relax.op.astype(place, dtype)

    return convert


def _gather(converter: Any, op: Any) -> relax.Expr:
    """Convert Gather, with axes that data and places share. TVM's lacks these, and checks every element."""
    options, (data, places) = _options(op, "GatherOptions"), _inputs(converter, op)
    source = converter.get_tensor_expr(data)
    shape = _shape(converter, source)
    axis = options.Axis() % len(shape)
    computed = converter.has_expr(places.tensor_idx)
    if not computed:
        values = converter.get_tensor_value(places)
        if np.any((values < 0) | (values >= shape[axis])):
            raise ValueError(f"GATHER of places that axis {axis}, which is {shape[axis]}, does not have")
    where = converter.get_tensor_expr(places)
    rank = len(_shape(converter, where))
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


def _fully_connected(converter: Any, op: Any) -> relax.Expr:
    """Unless it keeps the dimensions it takes a matrix, whatever the shape of its data; TVM's takes them."""
    (data, weight, *_) = _inputs(converter, op)
    stored, options = converter.get_tensor_expr(data), _options(op, "FullyConnectedOptions")
    inputs = int(weight.tensor.ShapeAsNumpy()[-1])
    if options.KeepNumDims() or len(_shape(converter, stored)) == 2:
        return converter.convert_fully_connected(op)
    name = get_tensor_name(converter.subgraph, data.tensor_idx)
    matrix = converter.bb.emit(relax.op.reshape(stored, (-1, inputs)))
    converter.exp_tab.set_expr(name, matrix, force_override=True)
    result = converter.bb.emit(converter.convert_fully_connected(op))
    converter.exp_tab.set_expr(name, stored, force_override=True)
    return result


def _transpose_conv(converter: Any, op: Any) -> relax.Expr:
    """Return a result of the given size. TVM's derives the size from the padding; it may be smaller."""
    (wanted, weight, data, *bias), (result,) = _inputs(converter, op), _outputs(converter, op)
    options = _options(op, "TransposeConvOptions")
    numbers, filters = _numbers(converter, data), _numbers(converter, weight)
    strides = options.StrideH(), options.StrideW()
    extents = [int(extent) for extent in converter.get_tensor_value(wanted)[1:3]]
    same, taps = options.Padding() == tflite.Padding.SAME, _shape(converter, filters)[1:3]
    axes = zip(extents, taps, strides, strict=True)
    sums = convolution_transpose(
        Operator(converter, op),
        numbers,
        converter.bb.emit(relax.op.permute_dims(filters, [3, 0, 1, 2])),
        strides=strides,
        before=[get_pad_value(*axis)[0] if same else 0 for axis in axes],
        results=extents,
        dilations=(1, 1),
        layout="NHWC",
    )
    for term in bias:
        sums = relax.op.add(sums, _bias(converter, term, data, weight))
    found = _stored(converter, sums, result)
    # Old versions of the reader do not know that it may have one.
    activation = getattr(options, "FusedActivationFunction", lambda: 0)()
    if result.qnn_params is None:
        return converter.convert_fused_activation_function(found, activation)
    unit = [float(result.qnn_params[part].value.numpy().reshape(())) for part in ("scale", "zero_point")]
    return converter.convert_qnn_fused_activation_function(
        found, activation, *unit, _dtype(converter, result)
    )


def _bias(converter: Any, bias: Any, data: Any, weight: Any) -> relax.Expr:
    """A bias as floats, counted in the units of the sums where the file does not say in which."""
    if bias.qnn_params is not None or data.qnn_params is None:
        return _numbers(converter, bias)
    unit = relax.op.multiply(data.qnn_params["scale"], weight.qnn_params["scale"])
    return relax.op.multiply(relax.op.astype(converter.get_tensor_expr(bias), "float32"), unit)


def _nearest(converter: Any, op: Any) -> relax.Expr:
    """Positions are computed in float32, as TensorFlow Lite's reference kernel does; halves are rounded up.

    TVM adds a small number before it rounds down. Its operator is taken where every pixel is repeated.
    """
    options, (data, size) = _options(op, "ResizeNearestNeighborOptions"), _inputs(converter, op)
    stored, half, axes = converter.get_tensor_expr(data), np.float32(0.5), []
    wanted = [int(extent) for extent in converter.get_tensor_value(size)]
    for axis, (old, new) in enumerate(zip(_shape(converter, stored)[1:3], wanted, strict=True), start=1):
        aligned = options.AlignCorners()
        last = 1 if aligned and new > 1 else 0
        step = np.float32(old - last) / np.float32(new - last)
        places = np.arange(new).astype(np.float32)
        positions = ((places + half if options.HalfPixelCenters() else places) * step).astype(np.float64)
        positions = np.floor(positions + 0.5 if aligned else positions)
        axes.append(Axis(axis, old, new / old, np.clip(positions, 0, old - 1)))
    if all(map(is_repeated, axes)):
        return relax.op.image.resize2d(
            stored, wanted, None, "NHWC", "nearest_neighbor", "asymmetric", "floor"
        )
    for each in axes:
        stored = Operator(converter, op).take(stored, each.positions, each.axis)
    return stored


def _space_to_batch(converter: Any, op: Any) -> relax.Expr:
    """Convert by the library; TVM's converter calls a function that its runtime lacks."""
    data, *numbers = _inputs(converter, op)
    blocks, pads = (converter.get_tensor_value(tensor).tolist() for tensor in numbers)
    zero = 0 if data.qnn_params is None else int(data.qnn_params["zero_point"].value.numpy().reshape(()))
    stored = converter.get_tensor_expr(data)
    return movement.space_to_batch(Operator(converter, op), stored, blocks, pads, zero)


def _batch_to_space(converter: Any, op: Any) -> relax.Expr:
    """Convert by the library; TVM's converter calls a function that its runtime lacks."""
    data, *numbers = _inputs(converter, op)
    blocks, crops = (converter.get_tensor_value(tensor).tolist() for tensor in numbers)
    return movement.batch_to_space(Operator(converter, op), converter.get_tensor_expr(data), blocks, crops)


def _expand_dims(converter: Any, op: Any) -> relax.Expr:
    """Convert ExpandDims; TVM's converter gives Relax's operator an argument too many."""
    data, axis = _inputs(converter, op)
    (place,) = converter.get_tensor_value(axis).reshape(-1)
    return relax.op.expand_dims(converter.get_tensor_expr(data), int(place))


def _squeeze(converter: Any, op: Any) -> relax.Expr:
    """Convert Squeeze; TVM's converter requires axes."""
    (data,), options = _inputs(converter, op), _options(op, "SqueezeOptions")
    axes = [int(axis) for axis in options.SqueezeDimsAsNumpy()] if options.SqueezeDimsLength() else None
    return relax.op.squeeze(converter.get_tensor_expr(data), axes)


def _batch_matmul(converter: Any, op: Any) -> relax.Expr:
    """Convert products that broadcast; TVM's converter repeats their operands, and fails at it."""
    if converter.is_quantized(op):
        return converter.convert_batch_matmul(op)
    options = _options(op, "BatchMatMulOptions")
    operands = []
    for tensor, transposed in zip(_inputs(converter, op), (options.AdjX(), options.AdjY()), strict=True):
        matrix = converter.get_tensor_expr(tensor)
        rank = len(_shape(converter, matrix))
        order = [*range(rank - 2), rank - 1, rank - 2]
        operands.append(relax.op.permute_dims(matrix, order) if transposed else matrix)
    return relax.op.matmul(*operands)


def _split_v(converter: Any, op: Any) -> relax.Expr:
    """One size may be -1, which is what the others leave."""
    data, sizes, place = _inputs(converter, op)
    if converter.has_expr(sizes.tensor_idx):
        return converter.convert_split_v(op)
    stored, axis = converter.get_tensor_expr(data), int(converter.get_tensor_value(place).reshape(()))
    parts = [int(size) for size in converter.get_tensor_value(sizes)]
    left = _shape(converter, stored)[axis] - sum(size for size in parts if size >= 0)
    ends = np.cumsum([left if size < 0 else size for size in parts])
    split = relax.op.split(stored, [int(end) for end in ends[:-1]], axis)
    return split if len(parts) > 1 else stored


def _mirror_pad(converter: Any, op: Any) -> relax.Expr:
    """Convert the mode that repeats the edge (SYMMETRIC), which TVM's converter lacks."""
    if _options(op, "MirrorPadOptions").Mode() == tflite.MirrorPadMode.REFLECT:
        return converter.convert_mirror_pad(op)
    data, widths = _inputs(converter, op)
    pairs = converter.get_tensor_value(widths).tolist()
    return movement.pad(Operator(converter, op), converter.get_tensor_expr(data), pairs, "symmetric")


CONVERTERS: Mapping[str, Converter] = {
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
    "RESIZE_NEAREST_NEIGHBOR": _nearest,
    "SOFTMAX": _softmax,
    "SPACE_TO_BATCH_ND": _space_to_batch,
    "SPLIT_V": _split_v,
    "SQUEEZE": _squeeze,
    "TRANSPOSE_CONV": _transpose_conv,
}
