"""Relay's discrete Fourier transforms. Definitions: relay.op.transform and topi.signal."""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.functional import spectra
from relay_strategies.functional.movement import select, stack
from relay_strategies.relax.graph import dtype_of

from .call import Converter, OperatorCall, Value


def _dft(call: OperatorCall) -> Value:
    """Real and imaginary parts are tensors of their own; the last axis is transformed."""
    parts = [call.data(number) for number in (0, 1)]
    data = call.emit(stack(call, parts, len(call.shape_of(parts[0]))))
    axis = len(call.shape_of(data)) - 2
    found = call.emit(spectra.dft(call, data, axis, inverse=call.flag("inverse", False)))
    return tuple(call.emit(select(call, found, number, axis + 1)) for number in range(2))


def _stft(call: OperatorCall) -> Value:
    """Frames begin where ``n_fft`` elements are left, of which the window has the first; frequencies, which
    are ahead of frames, are multiples of one per window."""
    data, window = call.data(0), call.data(1)
    shape, dtype = call.rank(data, 1, 2), dtype_of(data)
    whole, step, length = call.integer("n_fft"), call.integer("hop_length"), call.integer("win_length")
    normalizes, bins = call.flag("normalized", False), whole
    if call.flag("onesided", True):
        bins = whole // 2 + 1
    if step < 1 or not 0 < length <= whole <= shape[-1]:
        raise call.error(f"windows of {length} in frames of {whole} of {shape[-1]}, {step} apart")
    frames = (shape[-1] - whole) // step + 1
    signal = call.emit(relax.op.reshape(data, (-1, shape[-1], 1)))
    signal = call.emit(relax.op.strided_slice(signal, [1], [0], [(frames - 1) * step + length]))
    is_half = bins <= length // 2 + 1
    found = call.emit(spectra.stft(call, signal, step, length, call.cast(window, dtype), is_half))
    if call.shape_of(found)[2] != bins:
        found = call.take(found, np.arange(bins) % call.shape_of(found)[2], 2)
    if normalizes:
        found = call.emit(relax.op.multiply(found, call.cast(whole**-0.5, dtype)))
    found = call.emit(relax.op.permute_dims(found, [0, 2, 1, 3]))
    return call.emit(relax.op.reshape(found, (*shape[:-1], bins, frames, 2)))


CONVERTERS: dict[str, Converter] = {"dft": _dft, "stft": _stft}
