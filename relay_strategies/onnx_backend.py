"""The compiler behind ONNX's backend interface, for tools and tests that speak it.

import relay_strategies.onnx_backend as backend
outputs = backend.run_model(model, [image])
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto
from onnx.backend.base import Backend, BackendRep, Device, DeviceType

from tvm_directconv.errors import InputError

from .compiler.compiled_model import CompiledModel
from .compiler.compiler import compile


class DirectConvRep(BackendRep):
    """A compiled model as ONNX's BackendRep."""

    def __init__(self, model: CompiledModel) -> None:
        self.model = model

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs as a named tuple (fields ``_0``, ``_1``, ... where a name is no identifier)."""
        if not isinstance(inputs, Mapping | Sequence | np.ndarray):
            raise InputError(f"inputs are a mapping, a sequence or an array, not {type(inputs).__name__}")
        outputs = namedtuple("Outputs", self.model.output_names, rename=True)  # type: ignore[misc]
        return outputs(*self.model.run(inputs))


class DirectConvBackend(Backend):
    """ONNX's Backend on this host's CPU. ``kwargs`` of ``prepare`` go to ``compile``."""

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> DirectConvRep:
        if not cls.supports_device(device):
            raise InputError(f"device '{device}' is not supported; the backend runs on CPU")
        return DirectConvRep(compile(model, **kwargs))

    @classmethod
    def run_model(cls, model: ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return Device(device).type == DeviceType.CPU


prepare = DirectConvBackend.prepare
run_model = DirectConvBackend.run_model
supports_device = DirectConvBackend.supports_device
