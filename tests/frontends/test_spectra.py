"""Fourier transforms of ONNX against numpy's in float64, at lengths of every kind, and of open signals."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import tvm_directconv as directconv
from tvm_directconv.errors import ModelError

ERROR = 1e-6
"""The error of a result, relative to the norm of all, that docs/numerics.md states."""
LENGTHS = (1, 2, 3, 16, 35, 193, 194, 384, 521, 1042)
"""Products, products of several levels, primes of one product and of a chirp, alone and as a factor."""


def model_of(
    kind: str, shape: tuple, constants: list, opset: int, dtype: int = TensorProto.FLOAT, **attributes: object
) -> ModelProto:
    """A model of one node of an input and constants; None is an operand that is left out."""
    arrays = {f"c{i}": value for i, value in enumerate(constants) if value is not None}
    names = ["x", *(f"c{i}" if f"c{i}" in arrays else "" for i in range(len(constants)))]
    given = [numpy_helper.from_array(np.asarray(value), name) for name, value in arrays.items()]
    graph = helper.make_graph(
        [helper.make_node(kind, names, ["y"], **attributes)],
        "spectra",
        [helper.make_tensor_value_info("x", dtype, shape)],
        [helper.make_tensor_value_info("y", dtype, None)],
        given,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def transforms(model: ModelProto, data: np.ndarray, **options: object) -> np.ndarray:
    """Results of a model, complex unless the last axis is one."""
    found = np.asarray(directconv.compile(model, **options)(data))
    assert found.dtype == data.dtype
    wide = found.astype(np.float64)
    return wide[..., 0] + 1j * wide[..., 1] if found.shape[-1] == 2 else wide[..., 0]


def complex_of(data: np.ndarray) -> np.ndarray:
    wide = data.astype(np.float64)
    return wide[..., 0] + 1j * wide[..., 1] if data.shape[-1] == 2 else wide[..., 0]


def assert_close(found: np.ndarray, wanted: np.ndarray, error: float = ERROR) -> None:
    assert found.shape == wanted.shape
    assert np.linalg.norm(found - wanted) <= error * np.linalg.norm(wanted)


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("length", LENGTHS)
def test_transforms_are_numpys(length: int) -> None:
    """One model has complex ones, there and back, and real ones, from and to one side."""
    bins = length // 2 + 1
    data = {"c": drawn(3, length, 2), "r": drawn(3, length, 1), "h": drawn(3, bins, 2)}
    nodes = [
        helper.make_node("DFT", ["c"], ["fft"], axis=1),
        helper.make_node("DFT", ["c"], ["ifft"], axis=1, inverse=1),
        helper.make_node("DFT", ["r"], ["rfft"], axis=1, onesided=1),
        helper.make_node("DFT", ["h", "length"], ["irfft"], axis=1, onesided=1, inverse=1),
    ]
    infos = [helper.make_tensor_value_info(name, 1, array.shape) for name, array in data.items()]
    outputs = [helper.make_tensor_value_info(node.output[0], 1, None) for node in nodes]
    constants = [numpy_helper.from_array(np.array(length), "length")]
    graph = helper.make_graph(nodes, "dft", infos, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=10)
    found = directconv.compile(model).run(data)
    wide = {name: complex_of(array) for name, array in data.items()}
    wanted = [np.fft.fft(wide["c"]), np.fft.ifft(wide["c"]), np.fft.rfft(wide["r"])]
    for one, other in zip(found, [*wanted, np.fft.irfft(wide["h"], length)], strict=True):
        assert_close(complex_of(np.asarray(one)), other)


@pytest.mark.parametrize("axis", [0, 1, -3])
@pytest.mark.parametrize("length", [3, 9, None])
def test_axes_are_cut_and_padded(axis: int, length: int | None) -> None:
    data = drawn(5, 6, 2)[:, :, None]
    model = model_of("DFT", data.shape, [None if length is None else np.array(length), np.array(axis)], 20)
    place = axis % 4
    assert_close(transforms(model, data), np.fft.fft(complex_of(data), length, place))


def test_types_are_kept() -> None:
    data = drawn(4, 24, 1)
    for dtype, error in ((np.float64, ERROR), (np.float16, 1e-3)):
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        model = model_of("DFT", data.shape, [], 19, kind, axis=1)
        narrow = data.astype(dtype)
        assert_close(transforms(model, narrow), np.fft.fft(complex_of(narrow)), error)


def frames_of(signal: np.ndarray, step: int, window: np.ndarray) -> np.ndarray:
    count = (signal.shape[1] - len(window)) // step + 1
    return np.stack([signal[:, i * step : i * step + len(window)] * window for i in range(count)], 1)


@pytest.mark.parametrize("length", [25, 64, 1200])
@pytest.mark.parametrize("parts", [1, 2])
def test_frames_are_transformed(length: int, parts: int) -> None:
    step, data, window = length // 3, drawn(2, 4 * length + 5, parts), np.hanning(length).astype(np.float32)
    wanted = np.fft.fft(frames_of(complex_of(data), step, window.astype(np.float64)))
    wanted = wanted[..., : length // 2 + 1] if parts == 1 else wanted
    constants = [np.array(step), window, np.array(length)]
    model = model_of("STFT", data.shape, constants, 17, onesided=int(parts == 1))
    assert_close(transforms(model, data), wanted)


def test_signals_of_any_length_have_one_program() -> None:
    window = np.hanning(32).astype(np.float32)
    model = model_of("STFT", ("n", "l", 1), [np.array(8), window, np.array(32)], 17)
    compiled = directconv.compile(model, typical={"l": 160})
    for batch, size in ((1, 160), (3, 39), (2, 32), (1, 517)):
        data = drawn(batch, size, 1)
        found = complex_of(np.asarray(compiled(data)))
        assert_close(found, np.fft.rfft(frames_of(complex_of(data), 8, window.astype(np.float64))))
    assert len(compiled.sizes) == 1 and compiled.sizes[0].is_open


def test_transforms_of_an_open_length_have_one_program() -> None:
    """Complex ones, there and back, and real ones, from and to one side, along other axes than the last."""
    infos = [
        helper.make_tensor_value_info(name, 1, ["n", "l", parts]) for name, parts in (("c", 2), ("r", 1))
    ]
    nodes = [
        helper.make_node("DFT", ["c"], ["fft"], axis=1),
        helper.make_node("DFT", ["c"], ["ifft"], axis=1, inverse=1),
        helper.make_node("DFT", ["c"], ["batch"], axis=0),
        helper.make_node("DFT", ["r"], ["rfft"], axis=1, onesided=1),
        helper.make_node("Shape", ["r"], ["length"], start=1, end=2),
        helper.make_node("DFT", ["rfft", "length"], ["irfft"], axis=1, onesided=1, inverse=1),
        helper.make_node("DFT", ["rfft"], ["even"], axis=1, onesided=1, inverse=1),
    ]
    names = [name for node in nodes if node.op_type == "DFT" for name in node.output]
    outputs = [helper.make_tensor_value_info(name, 1, None) for name in names]
    graph = helper.make_graph(nodes, "dft", infos, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=10)
    compiled = directconv.compile(model, cache=False)
    for batch, size in ((2, 64), (1, 7), (3, 45), (2, 193)):
        data = {"c": drawn(batch, size, 2), "r": drawn(batch, size, 1)}
        wide = {name: complex_of(array) for name, array in data.items()}
        half = np.fft.rfft(wide["r"])
        wanted = [np.fft.fft(wide["c"]), np.fft.ifft(wide["c"]), np.fft.fft(wide["c"], axis=0), half]
        wanted += [np.fft.irfft(half, size), np.fft.irfft(half)]
        for name, one, other in zip(names, compiled.run(data), wanted, strict=True):
            found = complex_of(np.asarray(one))
            assert found.shape == other.shape, name
            assert_close(found, other, 4 * ERROR)
    assert len(compiled.sizes) == 1 and compiled.sizes[0].is_open


def test_what_is_no_transform_is_an_error() -> None:
    for shape, axis in (((3, 4, 3), 1), ((3, 4, 1), 2)):
        with pytest.raises(ModelError):
            directconv.compile(model_of("DFT", shape, [], 19, axis=axis))
    with pytest.raises(ModelError, match="frames of 9 elements"):
        directconv.compile(model_of("STFT", (1, 8, 1), [np.array(2), None, np.array(9)], 17))
