"""Relax functions computed by numpy in float64: what the tests of graph passes compare with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tvm
from numpy.lib.stride_tricks import sliding_window_view
from tvm import relax

from relay_strategies.relax.graph import constant, ints, operator_name, shape_of

Make = Callable[..., relax.Expr]
erf = np.vectorize(__import__("math").erf, otypes=[np.float64])


def function(build: Make, *shapes: Sequence[int]) -> tvm.IRModule:
    """A module whose main function is what ``build`` makes of ``emit`` and parameters of these shapes."""
    builder = relax.BlockBuilder()
    params = [relax.Var(f"x{i}", relax.TensorType(shape, "float32")) for i, shape in enumerate(shapes)]
    with builder.function("main", params):
        with builder.dataflow():
            result = builder.emit_output(build(builder.emit, *params))
        builder.emit_func_output(result)
    return builder.get()


def evaluate(module: tvm.IRModule, inputs: Sequence[np.ndarray]) -> Any:
    """The results of the main function, an array or several, in float64."""
    main = module["main"]
    return _run(module, main, [array.astype(np.float64) for array in inputs])


def _run(module: tvm.IRModule, main: relax.Function, inputs: Sequence[Any]) -> Any:
    known: dict[relax.Var, Any] = dict(zip(main.params, inputs, strict=True))

    def value(expr: relax.Expr) -> Any:
        if isinstance(expr, relax.Var):
            return known[expr]
        if isinstance(expr, relax.Tuple):
            return [value(field) for field in expr.fields]
        if isinstance(expr, relax.TupleGetItem):
            return value(expr.tuple_value)[expr.index]
        if isinstance(expr, relax.Call):
            if isinstance(expr.op, tvm.ir.GlobalVar):
                return _run(module, module[expr.op], [value(argument) for argument in expr.args])
            return OPERATORS[operator_name(expr)](expr, *map(value, expr.args))
        array = constant(expr)
        if array is None:
            return getattr(expr, "value", None)
        return array.astype(np.float64) if array.dtype == np.float32 else array

    for block in main.body.blocks:
        for binding in block.bindings:
            known[binding.var] = value(binding.value)
    return value(main.body.body)


def _windows(data: np.ndarray, call: relax.Call, kernel: Sequence[int], fill: float) -> np.ndarray:
    """Windows of an NCHW map, (..., rows, columns, kernel rows, kernel columns)."""
    top, left, bottom, right = ints(call.attrs.padding)
    data = np.pad(data, [(0, 0), (0, 0), (top, bottom), (left, right)], constant_values=fill)
    rows, columns = ints(call.attrs.dilation)
    extents = [(extent - 1) * step + 1 for extent, step in zip(kernel, (rows, columns), strict=True)]
    down, right = ints(call.attrs.strides)
    return sliding_window_view(data, extents, (2, 3))[:, :, ::down, ::right, ::rows, ::columns]


def _conv2d(call: relax.Call, data: np.ndarray, weight: np.ndarray) -> np.ndarray:
    layout = str(call.attrs.data_layout)
    data = data.transpose([layout.index(letter) for letter in "NCHW"])
    weight = weight.transpose([str(call.attrs.kernel_layout).index(letter) for letter in "OIHW"])
    groups = int(call.attrs.groups)
    found = _windows(data, call, weight.shape[2:], 0.0)
    parts = [
        np.einsum("nchwij,ocij->nohw", part, filters)
        for part, filters in zip(np.split(found, groups, 1), np.split(weight, groups, 0), strict=True)
    ]
    return np.concatenate(parts, 1).transpose(["NCHW".index(letter) for letter in layout])


def _average(call: relax.Call, data: np.ndarray) -> np.ndarray:
    size = ints(call.attrs.pool_size)
    total = _windows(data, call, size, 0.0).sum((-1, -2))
    if call.attrs.count_include_pad:
        return total / (size[0] * size[1])
    return total / _windows(np.ones_like(data), call, size, 0.0).sum((-1, -2))


def _slice(call: relax.Call, data: np.ndarray, *bounds: Any) -> np.ndarray:
    axes, begins, ends = ([int(number) for number in part] for part in bounds[:3])
    index = [slice(None)] * data.ndim
    for axis, begin, end in zip(axes, begins, ends, strict=True):
        index[axis] = slice(begin, end)
    return data[tuple(index)]


def _axes(call: relax.Call) -> tuple[int, ...] | None:
    return None if call.attrs.axis is None else tuple(int(axis) for axis in call.attrs.axis)


def _split(call: relax.Call, data: np.ndarray) -> list[np.ndarray]:
    given = call.attrs.indices_or_sections
    places = int(given) if isinstance(given, int | tvm.tirx.IntImm) else [int(place) for place in given]
    return np.split(data, places, int(call.attrs.axis))


def sigmoid(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


def _stepped(call: relax.Call, x: np.ndarray) -> np.ndarray:
    name, _, numbers = str(call.attrs["step"]).rstrip(")").partition("(")
    return STEPS[name](x, *(float(number) for number in numbers.split(",") if number))


STEPS: dict[str, Callable[..., np.ndarray]] = {
    "clip": lambda x, low, high: np.clip(x, low, high),
    "elu": lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))),
    "gelu": lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2))),
    "gelutanh": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "hardsigmoid": lambda x, alpha=0.2, beta=0.5: np.clip(alpha * x + beta, 0, 1),
    "hardswish": lambda x, alpha=1 / 6, beta=0.5: x * np.clip(alpha * x + beta, 0, 1),
    "leakyrelu": lambda x, slope: np.where(x > 0, x, slope * x),
    "mish": lambda x: x * np.tanh(np.logaddexp(x, 0)),
    "relu": lambda x: np.maximum(x, 0),
    "scale": lambda x, factor: x * factor,
    "shift": lambda x, term: x + term,
    "sigmoid": lambda x: sigmoid(x),
    "silu": lambda x, alpha=1.0: x * sigmoid(alpha * x),
    "softplus": lambda x: np.logaddexp(x, 0),
    "tanh": np.tanh,
}
"""Steps of epilogues by their names: functions of elements and of the numbers in their texts."""
OPERATORS: dict[str, Callable[..., Any]] = {
    "directconv.expm1": lambda call, x: np.expm1(x),
    "directconv.log1p": lambda call, x: np.log1p(x),
    "directconv.step": _stepped,
    "relax.abs": lambda call, x: np.abs(x),
    "relax.add": lambda call, a, b: a + b,
    "relax.clip": lambda call, x, low, high: np.clip(x, float(low), float(high)),
    "relax.concat": lambda call, parts: np.concatenate(parts, int(call.attrs.axis)),
    "relax.divide": lambda call, a, b: a / b,
    "relax.erf": lambda call, x: erf(x),
    "relax.greater": lambda call, a, b: a > b,
    "relax.less": lambda call, a, b: a < b,
    "relax.exp": lambda call, x: np.exp(x),
    "relax.log": lambda call, x: np.log(x),
    "relax.matmul": lambda call, a, b: a @ b,
    "relax.maximum": lambda call, a, b: np.maximum(a, b),
    "relax.mean": lambda call, x: x.mean(_axes(call), keepdims=bool(call.attrs.keepdims)),
    "relax.minimum": lambda call, a, b: np.minimum(a, b),
    "relax.multiply": lambda call, a, b: a * b,
    "relax.negative": lambda call, x: -x,
    "relax.nn.avg_pool2d": _average,
    "relax.nn.conv2d": _conv2d,
    "relax.nn.max_pool2d": lambda call, x: _windows(x, call, ints(call.attrs.pool_size), -np.inf).max(
        (-1, -2)
    ),
    "relax.nn.gelu": lambda call, x: 0.5 * x * (1 + erf(x / np.sqrt(2))),
    "relax.nn.gelu_tanh": lambda call, x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "relax.nn.silu": lambda call, x: x * sigmoid(x),
    "relax.nn.leakyrelu": lambda call, x: np.where(x > 0, x, float(call.attrs.alpha) * x),
    "relax.nn.pad": lambda call, x: np.pad(x, np.reshape(ints(call.attrs.pad_width), (-1, 2))),
    "relax.nn.relu": lambda call, x: np.maximum(x, 0),
    "relax.permute_dims": lambda call, x: x.transpose(
        None if call.attrs.axes is None else ints(call.attrs.axes)
    ),
    "relax.nn.softplus": lambda call, x: np.logaddexp(x, 0),
    "relax.power": lambda call, a, b: np.power(a, b),
    "relax.reshape": lambda call, x, _: x.reshape(shape_of(call)),
    "relax.sigmoid": lambda call, x: sigmoid(x),
    "relax.split": _split,
    "relax.strided_slice": _slice,
    "relax.take": lambda call, x, places: np.take(x, places, int(call.attrs.axis)),
    "relax.subtract": lambda call, a, b: a - b,
    "relax.nn.prelu": lambda call, x, slopes: np.where(x > 0, x, slopes * x),  # of the last axis
    "relax.where": lambda call, condition, a, b: np.where(condition, a, b),
    "relax.tanh": lambda call, x: np.tanh(x),
}
