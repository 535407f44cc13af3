"""The compiler behind ONNX's backend interface, for tools and tests that speak it.

import relay_strategies.onnx_backend as backend
outputs = backend.run_model(model, [image])
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, numpy_helper
from onnx.backend.base import Backend, BackendRep, Device, DeviceType

from tvm_directconv.errors import InputError
from tvm_directconv.runtime.arrays import array_of
from tvm_directconv.zoo.inputs import true_inputs

from .compiler.compiler import compile
from .compiler.model.executable_model import ExecutableModel
from .frontends.onnx.constant_operands import constant_inputs


class DirectConvRep(BackendRep):
    """A model as ONNX's BackendRep: compiled at once, or when inputs come that have to be constants."""

    def __init__(self, model: ModelProto, **options: Any) -> None:
        self._proto, self._options = model, options
        self._bound = constant_inputs(model)
        self._compiled: dict[tuple[bytes, ...], ExecutableModel] = {}
        if not self._bound:
            self._compiled[()] = compile(model, **options)

    @property
    def model(self) -> ExecutableModel:
        """The model as it was last compiled."""
        if not self._compiled:
            raise InputError(
                f"the model is compiled when it runs: {', '.join(self._bound)} are constants of it"
            )
        return list(self._compiled.values())[-1]

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return the outputs as a named tuple, whose fields are ``_0``, ``_1``, ... for names that are not
        identifiers."""
        if not isinstance(inputs, Mapping | Sequence | np.ndarray):
            raise InputError(f"inputs are a mapping, a sequence or an array, not {type(inputs).__name__}")
        if self._bound:
            model, inputs = self._with_constants(inputs)
        else:
            model = self.model
        outputs = namedtuple("Outputs", model.output_names, rename=True)  # type: ignore[misc]
        return outputs(*model.run(inputs))

    def _with_constants(self, inputs: Any) -> tuple[ExecutableModel, dict[str, Any]]:
        """The model compiled for the values of inputs that have to be constants, and the other inputs."""
        names = [value.name for value in true_inputs(self._proto.graph)]
        if not isinstance(inputs, Mapping):
            arrays = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
            if len(arrays) != len(names):
                raise InputError(f"{len(arrays)} inputs given, {len(names)} expected: {', '.join(names)}")
            inputs = dict(zip(names, arrays, strict=True))
        missing = [name for name in self._bound if name not in inputs]
        if missing:
            raise InputError(f"missing input {', '.join(map(repr, missing))}")
        tensors = [
            numpy_helper.from_array(array_of(inputs[name], f"input '{name}'"), name) for name in self._bound
        ]
        key = tuple(tensor.SerializeToString() for tensor in tensors)
        if key not in self._compiled:
            bound = ModelProto.FromString(self._proto.SerializeToString())
            kept = [value for value in bound.graph.input if value.name not in self._bound]
            del bound.graph.input[:]
            bound.graph.input.extend(kept)
            bound.graph.initializer.extend(tensors)
            self._compiled[key] = compile(bound, **self._options)
        return self._compiled[key], {n: v for n, v in inputs.items() if n not in self._bound}


class DirectConvBackend(Backend):
    """ONNX's Backend on this host's CPU. ``kwargs`` of ``prepare`` go to ``compile``.

    Inputs that shapes follow from (a Reshape's shape, a Slice's starts) are made constants of the model when
    their values are known, and the model is compiled for each new set of these values.
    """

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> DirectConvRep:
        if not cls.supports_device(device):
            raise InputError(f"device '{device}' is not supported; the backend runs on CPU")
        return DirectConvRep(model, **kwargs)

    @classmethod
    def run_model(cls, model: ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return Device(device).type == DeviceType.CPU


prepare = DirectConvBackend.prepare
run_model = DirectConvBackend.run_model
supports_device = DirectConvBackend.supports_device
