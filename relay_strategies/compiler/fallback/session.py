"""A part of a model that ONNX Runtime computes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import tvm_ffi
from onnx import ModelProto

from relay_strategies.frontends.onnx.runtime import ONNXRUNTIME, installed
from tvm_directconv.errors import InputError, ModelError, first_line, let_through

ERRORS_ONLY = 3


def require_onnxruntime(why: str) -> None:
    """Raise ModelError, which begins with ``why``, where ONNX Runtime cannot be imported."""
    try:
        installed()
    except ImportError as error:
        raise ModelError(
            f"{why}; fallback='{ONNXRUNTIME}' needs onnxruntime, which cannot be imported ({error}): "
            "pip install onnxruntime"
        ) from None


class Session:
    """A model in ONNX Runtime, which reads it when it is first asked for."""

    def __init__(self, proto: ModelProto) -> None:
        self._proto: ModelProto | None = proto
        self._found: Any = None
        self._reading = threading.Lock()

    @property
    def _session(self) -> Any:
        with self._reading:
            if self._found is None:
                assert self._proto is not None
                self._found, self._proto = _read(self._proto), None
            return self._found

    @property
    def outputs(self) -> dict[str, tuple[tuple[int | str, ...], str]]:
        """Shape and type of each output by name, as ONNX Runtime says them. Raises ModelError."""
        return {value.name: (tuple(value.shape or ()), value.type) for value in self._session.get_outputs()}

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """Return the outputs: arrays, and lists of them for sequences. Raises InputError."""
        try:
            return list(self._session.run(None, dict(inputs)))
        except Exception as error:  # its exceptions have no class in common
            let_through(error)
            raise InputError(f"ONNX Runtime cannot run its part of the model: {first_line(error)}") from None


def _read(proto: ModelProto) -> Any:
    onnxruntime = installed()

    options = onnxruntime.SessionOptions()
    options.log_severity_level = ERRORS_ONLY
    options.intra_op_num_threads = int(tvm_ffi.get_global_func("runtime.NumThreads")())
    try:
        data = proto.SerializeToString()
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no class in common
        let_through(error)
        raise ModelError(f"ONNX Runtime does not take its part of the model: {first_line(error)}") from None


def plain(array: np.ndarray) -> np.ndarray:
    """Return an array as ONNX Runtime takes it."""
    return np.ascontiguousarray(array) if array.ndim else array
