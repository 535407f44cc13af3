"""Sparse operators of Relay: matrices by rows (CSR, BSR) and tensors by coordinates. Definitions: relay.nn
and relay.op.transform."""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.frontends.sizes import refuse_size
from relay_strategies.functional import indexing, sparse
from relay_strategies.relax.graph import dtype_of, make_constant
from tvm_directconv.model.blocking import FLOAT_BYTES

from .call import Converter, OperatorCall, Value, of_constants


def _matrix(call: OperatorCall, width: int) -> relax.Expr:
    """The sparse matrix behind the first operand, written out."""
    values, ends = call.shape_of(call.data(1)), call.rank(call.data(3), 1)
    height = values[1] if len(values) > 1 else 1
    refuse_size(((ends[0] - 1) * height, width), FLOAT_BYTES, f"{call.label}: the matrix", None)
    return sparse.dense_matrix(call, call.data(1), call.data(2), call.data(3), width)


def _dense(call: OperatorCall) -> Value:
    data = call.data(0)
    matrix = _matrix(call, call.rank(data, 2)[1])
    left, right = (matrix, data) if call.flag("sparse_lhs", False) else (data, matrix)
    return call.emit_layer(relax.op.matmul(left, call.emit(relax.op.permute_dims(right, [1, 0]))))


def _conv2d(call: OperatorCall) -> Value:
    data, layout = call.data(0), call.text("layout", "NHWC")
    if layout not in ("NHWC", "NCHW") or call.each("kernel_size", 2, 1) != (1, 1):
        raise call.error("kernels of 1x1 in NHWC or NCHW are supported")
    filters = _matrix(call, call.rank(data, 4)[layout.index("C")])
    filters = call.emit(relax.op.reshape(filters, (*call.shape_of(filters), 1, 1)))
    return call.emit_layer(relax.op.nn.conv2d(data, filters, data_layout=layout, kernel_layout="OIHW"))


def _add(call: OperatorCall) -> Value:
    data = call.data(0)
    return call.emit(relax.op.add(data, _matrix(call, call.rank(data, 2)[1])))


def _to_dense(call: OperatorCall) -> Value:
    """Values at coordinates, one per row of the indices, in a tensor of one value."""
    indices, values = call.data(0), call.data(1)
    shape = list(call.ints("output_shape"))
    default = call.data(2) if len(call.arguments) > 2 else call.cast(0, dtype_of(values))
    count = call.shape_of(indices)[0] if call.shape_of(indices) else 1
    rows = call.emit(relax.op.reshape(call.cast(indices, "int64"), (count, -1)))
    values = call.emit(relax.op.broadcast_to(values, (count,)))
    whole = call.emit(relax.op.full(shape, default, dtype_of(values)))
    return call.emit(indexing.scatter_nd(call, whole, rows, values, "update"))


def _reshape(call: OperatorCall) -> Value:
    before, wanted = (call.constant(number).astype(int).tolist() for number in (1, 2))
    places, shape = sparse.reshaped(call, call.data(0), before, wanted)
    return places, make_constant(np.array(shape, dtype_of(call.data(2))))


def _fill_empty_rows(call: OperatorCall) -> Value:
    rows = int(call.constant(2)[0])
    places, values, is_empty = sparse.with_all_rows(call, call.data(0), call.data(1), rows, call.data(3))
    return call.cast(places, "int64"), values, call.cast(is_empty, "int64")


CONVERTERS: dict[str, Converter] = {
    "nn.sparse_dense": _dense,
    "nn.sparse_conv2d": _conv2d,
    "nn.sparse_add": _add,
    "nn.sparse_transpose": lambda call: sparse.transposed(call, *(call.data(number) for number in range(3))),
    "sparse_to_dense": _to_dense,
    "dyn.sparse_to_dense": of_constants(_to_dense, "output_shape", first=3),
    "sparse_reshape": _reshape,
    "sparse_fill_empty_rows": _fill_empty_rows,
}
