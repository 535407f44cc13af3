"""Networks in .tflite files: what they are given, and the right answers, by the reference kernels of LiteRT.

Files with other libraries' operators have none: their answers are those of LiteRT as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import onnx

from relay_strategies.compiler.model_kinds import TFLITE, kind_of
from relay_strategies.frontends.declared import Shape
from relay_strategies.frontends.tflite.model import import_tflite, read_tflite
from tvm_directconv.errors import BenchmarkError, last_line, let_through
from tvm_directconv.zoo.inputs import draw

from .answers import OF_NETWORKS, within, within_units
from .operations import module_flops
from .problems import SEED, NetworkProblem

BYTES = 255
"""The units of a tensor in 8 bits."""


@dataclass(frozen=True)
class TfliteProblem(NetworkProblem):
    """A network in the .tflite file ``source``, at the sizes that are in it."""

    @property
    def path(self) -> str:
        return str(self.source)

    @property
    def model(self) -> onnx.ModelProto:
        raise TypeError("a .tflite file holds no ONNX model")

    def stored(self, folder: Path, name: str = "") -> TfliteProblem:
        return self

    def reference_of(self, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        from ai_edge_litert.interpreter import OpResolverType

        try:
            made = interpreter(self.path, 1, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        except RuntimeError:  # of operators that it does not know
            made = interpreter(self.path, 1)
        return answers(made, inputs)


@dataclass(frozen=True)
class QuantizedTfliteProblem(TfliteProblem):
    """One that computes in 8 bits. Its answers may be off by units of these, also where they are floats."""

    tolerance: float = OF_NETWORKS.most / BYTES

    quantized: ClassVar[bool] = True

    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        if all(output.dtype.kind in "iu" for output in self.references):
            return within_units(OF_NETWORKS, outputs, self.references)
        return within(self.tolerance, outputs, self.references)


def is_tflite(network: object) -> bool:
    """Return whether a network is the path of a .tflite file."""
    return isinstance(network, str | Path) and Path(network).is_file() and kind_of(network) is TFLITE


def tflite_problem(path: Path, given: Mapping[str, np.ndarray] | None) -> TfliteProblem:
    """Return a file's network with the inputs ``given`` by name, the others drawn.

    Raises BenchmarkError where LiteRT does not read it, ModelError where this library does not.
    """
    try:
        details = interpreter(str(path), 1).get_input_details()
    except ImportError as error:
        raise BenchmarkError(f"'{path}' is judged by LiteRT's answers: pip install ai-edge-litert") from error
    except (RuntimeError, ValueError) as error:
        raise BenchmarkError(f"LiteRT does not run '{path}': {last_line(error)}") from None
    rng, values = np.random.default_rng(SEED), dict(given or {})
    for detail in details:
        if detail["name"] not in values:
            dtype = str(np.dtype(detail["dtype"]))
            values[detail["name"]] = draw(rng, [int(size) for size in detail["shape"]], dtype)
    file = read_tflite(path)
    shapes: dict[str, Shape] = {name: array.shape for name, array in values.items()}
    module = import_tflite(file, shapes if file.leaves_open else None)
    kind = QuantizedTfliteProblem if _computes_in_bytes(str(path)) else TfliteProblem
    return kind(path.stem, path, values, module_flops(module))


def interpreter(path: str | None, threads: int, **options: Any) -> Any:
    """Return LiteRT's interpreter of a file, its tensors allocated."""
    from ai_edge_litert.interpreter import Interpreter

    made = Interpreter(model_path=path, num_threads=threads, **options)
    made.allocate_tensors()
    return made


def set_inputs(made: Any, inputs: Mapping[str, np.ndarray]) -> None:
    """Give an interpreter its inputs by name, and their sizes where these are others."""
    for detail in made.get_input_details():
        array = inputs[detail["name"]]
        if tuple(detail["shape"]) != array.shape:
            made.resize_tensor_input(detail["index"], array.shape)
            made.allocate_tensors()
    for detail in made.get_input_details():
        made.set_tensor(detail["index"], np.ascontiguousarray(inputs[detail["name"]]))


def outputs_of(made: Any) -> list[np.ndarray]:
    """Return what an interpreter computed last."""
    return [made.get_tensor(detail["index"]) for detail in made.get_output_details()]


def answers(made: Any, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Return what an interpreter makes of inputs by name."""
    try:
        set_inputs(made, inputs)
        made.invoke()
        return outputs_of(made)
    except (RuntimeError, ValueError) as error:
        let_through(error)
        raise BenchmarkError(f"LiteRT does not run the network: {last_line(error)}") from None


def _computes_in_bytes(path: str) -> bool:
    """Return whether any tensor that is computed is in 8 bits."""
    import tflite  # type: ignore[import-untyped, unused-ignore]

    model = tflite.Model.GetRootAsModel(Path(path).read_bytes(), 0)
    graph = model.Subgraphs(0)
    kinds = (tflite.TensorType.INT8, tflite.TensorType.UINT8)
    made = [graph.Operators(at).OutputsAsNumpy() for at in range(graph.OperatorsLength())]
    return any(graph.Tensors(int(number)).Type() in kinds for numbers in made for number in numbers)
