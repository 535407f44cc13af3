"""Fourier transforms, whole and by frames, and the weights that sum a spectrum up in bands."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper
from tvm import relax

from relay_strategies.functional import spectra
from relay_strategies.relax.graph import make_constant

from .node import Converter, Node


def _number(node: Node, index: int) -> int | None:
    """The one integer of an operand, which may be open; None where it is left out."""
    sizes = node.sizes(index)
    if sizes is None:
        return None
    if len(sizes) != 1:
        raise node.error(f"input {index} has {len(sizes)} numbers, not one")
    return sizes[0]


def _dft(node: Node) -> relax.Expr:
    """The axis is an operand from opset 20 on."""
    rank, axis = len(node.shape()), node.integer("axis", 1)
    if node.opset >= 20:
        given = _number(node, 2)
        axis = -2 if given is None else given
    if not -rank <= axis < rank:
        raise node.error(f"axis {axis} is none of {rank} axes")
    inverse, onesided = (bool(node.integer(name, 0)) for name in ("inverse", "onesided"))
    return spectra.dft(node, node.data(), axis % rank, _number(node, 1), inverse=inverse, onesided=onesided)


def _stft(node: Node) -> relax.Expr:
    step, length, window = _number(node, 1), _number(node, 3), node.input(2)
    if step is None:
        raise node.error("input 1 is missing")
    if length is None:
        length = node.shape()[1] if window is None else node.shape(2)[0]
    onesided = bool(node.integer("onesided", 1))
    return spectra.stft(node, node.data(), step, length, window, onesided)


def _mel_weights(node: Node) -> relax.Expr:
    """A constant (length // 2 + 1, bands): triangles between edges that are evenly far apart in mel."""
    values = [node.array(index) for index in range(5)]
    if any(value is None or value.size != 1 for value in values):
        raise node.error("its inputs are to be five numbers")
    bands, length, rate, lower, upper = (value.item() for value in values if value is not None)
    bins = length // 2 + 1
    if bands < 1 or length < 1 or rate < 1 or not 0 <= lower <= upper:
        raise node.error(f"{bands} bands of {length} samples at {rate} Hz, {lower} to {upper} Hz, are none")
    first, last = (np.log1p(edge / 700) for edge in (lower, upper))
    edges = 700 * np.expm1(first + np.arange(bands + 2) * ((last - first) / (bands + 2)))
    left, peak, right = (np.floor((length + 1) * edges / rate)[i : i + bands] for i in range(3))
    if peak[-1] >= bins or right[-1] > bins:
        raise node.error(f"its bands reach beyond {bins} bins")
    places = np.arange(bins)[:, None]
    rising = np.where(peak > left, (places - left) / np.maximum(peak - left, 1), 1.0)
    falling = (right - places) / np.maximum(right - peak, 1)
    weights = np.where((places >= left) & (places <= peak), rising, 0.0)
    weights = np.where((places >= peak) & (places < right), falling, weights)
    kind = helper.tensor_dtype_to_np_dtype(node.integer("output_datatype", TensorProto.FLOAT))
    return make_constant(weights.astype(kind))


CONVERTERS: dict[str, Converter] = {
    "DFT": _dft,
    "MelWeightMatrix": _mel_weights,
    "STFT": _stft,
}
