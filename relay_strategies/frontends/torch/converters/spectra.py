"""Complex tensors as their two parts, and Fourier transforms, which make them.

Operators that move elements are done for each part; those that compute have an entry here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.functional import movement, spectra
from relay_strategies.relax.graph import dtype_of, make_constant
from tvm_directconv.problem.extents import is_open

from .node import Node


@dataclass(frozen=True)
class Complex:
    """A complex tensor: two real ones of its shape."""

    real: relax.Expr
    imaginary: relax.Expr

    @property
    def parts(self) -> tuple[relax.Expr, relax.Expr]:
        return self.real, self.imaginary


PARTWISE = frozenset((
    *("permute", "view", "_unsafe_view", "reshape", "unsqueeze", "squeeze", "slice", "select", "transpose"),
    *("expand", "clone", "cat", "stack", "constant_pad_nd", "flip", "roll", "alias", "unfold", "repeat"),
    *("index_select", "index", "sum", "mean", "neg", "detach", "lift_fresh_copy", "split_with_sizes"),
))  # fmt: skip
"""Operators that are done for each part, where all tensors of floats are complex."""


def interleaved(node: Node, value: Complex) -> relax.Expr:
    """Return a complex tensor as pairs of real numbers along one more axis."""
    return node.emit(movement.stack(node, value.parts, len(node.shape_of(value.real))))


def apart(node: Node, value: relax.Expr) -> Complex:
    """Return pairs of real numbers along the last axis as a complex tensor."""
    parts = (movement.select(node, value, place, len(node.shape_of(value)) - 1) for place in (0, 1))
    return Complex(*parts)


def _scale(node: Node, sizes: list[int]) -> float | None:
    """What the factor of a transform's normalization is: none, or by the root of the size, or by the size;
    None where each axis is divided by its size, which is open."""
    how = int(node["normalization"])
    if how == 0 or not is_open(sizes):
        return float(math.prod(map(int, sizes)) ** -(0.0, 0.5, 1.0)[how]) if how else 1.0
    if how == 1:
        raise node.refusal("a transform of open sizes is divided by its sizes, not by their roots")
    return None


def _transformed(
    node: Node, data: relax.Expr, axes: list[int], inverse: bool, scale: float | None
) -> relax.Expr:
    for axis in axes:
        by_size = scale is None
        data = node.emit(spectra.dft(node, data, axis, inverse=inverse, scale=scale, by_size=by_size))
        scale = None if by_size else 1.0
    return data


def _real_to_complex(node: Node) -> Complex:
    shape = node.shape("self")
    *others, last = node.axes(node["dim"], len(shape))
    data = node.emit(relax.op.expand_dims(node.tensor("self"), len(shape)))
    scale = _scale(node, [shape[axis] for axis in (*others, last)])
    onesided, by_size = bool(node["onesided"]), scale is None
    data = node.emit(spectra.dft(node, data, last, onesided=onesided, scale=scale, by_size=by_size))
    return apart(node, _transformed(node, data, others, False, None if by_size else 1.0))


def _complex_to_complex(node: Node) -> Complex:
    value = _complex(node, "self")
    shape = node.shape_of(value.real)
    axes = node.axes(node["dim"], len(shape)) if node["dim"] else []
    scale = _scale(node, [shape[axis] for axis in axes])
    data = interleaved(node, value)
    return apart(node, _transformed(node, data, axes, not node["forward"], scale))


def _complex_to_real(node: Node) -> relax.Expr:
    value, size = _complex(node, "self"), node["last_dim_size"]
    shape = list(node.shape_of(value.real))
    *others, last = node.axes(node["dim"], len(shape))
    shape[last] = size
    scale = _scale(node, [shape[axis] for axis in (*others, last)])
    first = None if scale is None else 1.0
    data = _transformed(node, interleaved(node, value), others, True, first)
    data = node.emit(
        spectra.dft(node, data, last, size, inverse=True, onesided=True, scale=scale, by_size=scale is None)
    )
    return relax.op.reshape(data, shape)


def _stft(node: Node) -> Complex | relax.Expr:
    """The signal is (size,) or (batch, size), and a window in the middle of each frame of ``n_fft``."""
    data, length = node.arguments["self"], int(node["n_fft"])
    if isinstance(data, Complex) or node["align_to_window"]:
        raise node.refusal("it is of a complex signal, or aligned to its window")
    step = length // 4 if node["hop_length"] is None else int(node["hop_length"])
    size = length if node["win_length"] is None else int(node["win_length"])
    window = node["window"]
    if window is None:
        window = make_constant(np.ones(size, np.float32))
    before = (length - size) // 2
    array = node.array("window") if node["window"] is not None else np.ones(size, np.float32)
    if array is not None:
        array = np.pad(array.astype(np.float32), (before, length - size - before))
        window = make_constant(array / math.sqrt(length) if node["normalized"] else array)
    elif node["normalized"] or size != length:
        raise node.refusal("a window that is computed has to be as long as a frame, and not normalized")
    *batch, samples = node.shape("self")
    signal = node.emit(relax.op.reshape(data, (batch[0] if batch else 1, samples, 1)))
    found = node.emit(spectra.stft(node, signal, step, length, window, node["onesided"] is not False))
    found = node.emit(relax.op.permute_dims(found, [0, 2, 1, 3]))
    if not batch:
        found = node.emit(relax.op.reshape(found, node.shape_of(found)[1:]))
    return apart(node, found) if node.meta.is_complex() else found


def _complex(node: Node, name: str) -> Complex:
    """An argument as a complex tensor or number, whose imaginary part may be zero."""
    value = node.arguments[name]
    if isinstance(value, Complex):
        return value
    kind = node.dtype
    if isinstance(value, relax.Expr):
        return Complex(node.cast(value, kind), node.cast(0, kind))
    number = complex(value)
    return Complex(node.cast(number.real, kind), node.cast(number.imag, kind))


def widened(node: Node, value: relax.Expr) -> Complex:
    """Return a real tensor as a complex one."""
    return Complex(value, node.emit(movement.zeros(node, node.shape_of(value), dtype_of(value))))


def _cast(node: Node) -> Complex | relax.Expr:
    """Another type; a real one drops the imaginary part."""
    if not node.meta.is_complex():
        return node.cast(_complex(node, "self").real, node.dtype)
    return Complex(*(node.cast(part, node.dtype) for part in _complex(node, "self").parts))


def _sum(operator: Callable[..., relax.Expr]) -> Callable[[Node], Complex]:
    def convert(node: Node) -> Complex:
        if node["alpha"] != 1:
            raise node.refusal("a factor of a complex sum is not supported")
        one, other = _complex(node, "self"), _complex(node, "other")
        parts = [node.emit(operator(*pair)) for pair in zip(one.parts, other.parts, strict=True)]
        shape = node.result_shape
        return Complex(*(node.emit(relax.op.broadcast_to(part, shape)) for part in parts))

    return convert


def _product(node: Node, one: Complex, other: Complex) -> Complex:
    def times(left: relax.Expr, right: relax.Expr) -> relax.Expr:
        return node.emit(relax.op.multiply(left, right))

    real = relax.op.subtract(times(one.real, other.real), times(one.imaginary, other.imaginary))
    imaginary = relax.op.add(times(one.real, other.imaginary), times(one.imaginary, other.real))
    return Complex(node.emit(real), node.emit(imaginary))


def _multiply(node: Node) -> Complex:
    values = [node.arguments[name] for name in ("self", "other")]
    for one, other in (values, values[::-1]):
        if isinstance(one, Complex) and not isinstance(other, Complex | complex):
            factor = node.cast(other, node.dtype)
            return Complex(*(node.emit(relax.op.multiply(part, factor)) for part in one.parts))
    return _product(node, _complex(node, "self"), _complex(node, "other"))


def _divide(node: Node) -> Complex:
    one, other = _complex(node, "self"), node.arguments["other"]
    if not isinstance(other, Complex | complex):
        divisor = node.cast(other, node.dtype)
    else:
        other = _complex(node, "other")
        one = _product(node, one, _conjugate_of(node, other))
        squares = (node.emit(relax.op.square(part)) for part in other.parts)
        divisor = node.emit(relax.op.add(*squares))
    return Complex(*(node.emit(relax.op.divide(part, divisor)) for part in one.parts))


def _conjugate_of(node: Node, value: Complex) -> Complex:
    return Complex(value.real, node.emit(relax.op.negative(value.imaginary)))


def _magnitude(node: Node) -> relax.Expr:
    squares = (node.emit(relax.op.square(part)) for part in _complex(node, "self").parts)
    return relax.op.sqrt(node.emit(relax.op.add(*squares)))


def _angle(node: Node) -> relax.Expr:
    value = _complex(node, "self")
    return relax.op.atan2(value.imaginary, value.real)


def _polar(node: Node) -> Complex:
    length, angle = node.tensor("abs"), node.tensor("angle")
    parts = (node.emit(function(angle)) for function in (relax.op.cos, relax.op.sin))
    return Complex(*(node.emit(relax.op.multiply(length, part)) for part in parts))


CONVERTERS: dict[str, Callable[[Node], Any]] = {
    "_fft_r2c.default": _real_to_complex,
    "_fft_c2c.default": _complex_to_complex,
    "_fft_c2r.default": _complex_to_real,
    "stft.default": _stft,
    "complex.default": lambda node: Complex(
        *(node.emit(relax.op.broadcast_to(node.tensor(n), node.result_shape)) for n in ("real", "imag"))
    ),
    "polar.default": _polar,
    "view_as_complex.default": lambda node: apart(node, node.tensor("self")),
    "view_as_real.default": lambda node: interleaved(node, _complex(node, "self")),
    "view_as_real_copy.default": lambda node: interleaved(node, _complex(node, "self")),
}
"""What makes complex tensors, and real ones of them."""
OF_COMPLEX: dict[str, Callable[[Node], Any]] = {
    **{f"add.{kind}": _sum(relax.op.add) for kind in ("Tensor", "Scalar")},
    **{f"sub.{kind}": _sum(relax.op.subtract) for kind in ("Tensor", "Scalar")},
    **{f"mul.{kind}": _multiply for kind in ("Tensor", "Scalar")},
    **{f"div.{kind}": _divide for kind in ("Tensor", "Scalar")},
    **dict.fromkeys(
        ("_conj.default", "_conj_physical.default", "conj_physical.default", "_conj_copy.default"),
        lambda node: _conjugate_of(node, _complex(node, "self")),
    ),
    "_to_copy.default": _cast,
    "abs.default": _magnitude,
    "angle.default": _angle,
}
"""What operators that are known of real tensors, too, do with complex ones."""
