"""ONNX Runtime's CPU provider, fully optimizing, with inputs and outputs bound.

In 8 bits it runs as it does by default where that gives the right answer, and else with unsigned filters, as
its option session.x64quantprecision has it.
"""

from __future__ import annotations

import functools
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx

from tvm_directconv.bench.exact_sums import sums_saturate, with_unsigned_filters
from tvm_directconv.bench.layer_models import qlinear
from tvm_directconv.bench.problems import NetworkProblem, quiet_options, quiet_session
from tvm_directconv.bench.quantized_problems import Problem, QuantizedLayerProblem, QuantizedNetworkProblem
from tvm_directconv.errors import DirectConvError
from tvm_directconv.onnxruntime import library_path
from tvm_directconv.problem.quantized_types import RANGES

from .base import CannotSolve, OnnxContestant, Prepared, exact, faster, nhwc_outputs

PROVIDER = "directconv"
CONVOLUTIONS = ("Conv", "FusedConv", "ConvInteger", "QLinearConv")
UNSIGNED = "filters stored as uint8, as by session.x64quantprecision: sums of int8 ones saturate on this CPU"

Change: TypeAlias = "Callable[[onnx.ModelProto], onnx.ModelProto]"


class OnnxRuntime(OnnxContestant):
    """Single layers pay for layout changes around the convolution, as any one-node model does. In 8 bits its
    own NHWC form of the node has none, and is taken where it is faster."""

    name = package = "onnxruntime"

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        if not isinstance(problem, QuantizedNetworkProblem):
            return self._prepared(problem.readable, problem.inputs, {})

        def way(change: Change) -> Prepared:
            model = change(problem.model)
            facts = {"convolutions": optimized_convolutions(model)}
            return self._prepared(model.SerializeToString(), problem.inputs, facts)

        return exact(problem, unchanged_first(way))

    def prepare_quantized_layer(self, problem: QuantizedLayerProblem) -> Prepared:
        if problem.workload.out_dtype not in RANGES:
            raise CannotSolve("QLinearConv stores 8 bits")

        def way(change: Change) -> Prepared:
            nchw, nhwc = change(qlinear(problem)), change(qlinear(problem, nhwc=True))
            of_nchw, of_nhwc = (
                self._prepared(model.SerializeToString(), {"data": data}, {"form": form})
                for model, data, form in ((nchw, problem.data_nchw, "NCHW"), (nhwc, problem.data, "NHWC"))
            )
            return faster([of_nhwc, nhwc_outputs(of_nchw)])

        return exact(problem, unchanged_first(way))

    def _prepared(
        self, model: str | bytes, inputs: Mapping[str, np.ndarray], facts: Mapping[str, str]
    ) -> Prepared:
        import onnxruntime

        session = self._session(model)
        binding = session.io_binding()
        values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in inputs.items()}
        for name, value in values.items():
            binding.bind_ortvalue_input(name, value)
        for output in session.get_outputs():
            binding.bind_output(output.name, "cpu")

        return Prepared(
            lambda: session.run_with_iobinding(binding),
            binding.copy_outputs_to_cpu,
            facts={"version": onnxruntime.__version__, **facts},
            keep=(values, inputs),
        )

    def _session(self, model: str | bytes) -> Any:
        return quiet_session(model, **self._threads)

    @property
    def _threads(self) -> dict[str, int]:
        return {"intra_op_num_threads": self.setting.threads, "inter_op_num_threads": 1}


class OnnxRuntimeDirectConv(OnnxRuntime):
    """ONNX Runtime with this package's execution provider: the rest stays with the CPU's."""

    name = "onnxruntime-directconv"

    def available(self) -> str | None:
        reason = super().available()
        if reason is None:
            try:
                library_path()
            except DirectConvError as error:
                return str(error)
        return reason

    def solves(self, problem: Problem) -> Problem:
        if not isinstance(problem, NetworkProblem):
            raise CannotSolve(f"{self.name} is compared on whole networks only")
        return problem

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        return self._prepared(problem.readable, problem.inputs, {})

    def _session(self, model: str | bytes) -> Any:
        import onnxruntime

        options = quiet_options(**self._threads)
        # A user's own networks are not to make room for these. What was loaded stays without the folder.
        with tempfile.TemporaryDirectory() as cache:
            given = {"threads": str(self.setting.threads), "target": str(self.setting.target), "cache": cache}
            options.add_provider_for_devices(_devices(), given)
            return onnxruntime.InferenceSession(model, options)


@functools.cache
def _devices() -> list[Any]:
    """Register the execution provider, which a process does once."""
    import onnxruntime

    onnxruntime.register_execution_provider_library(PROVIDER, library_path())
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == PROVIDER]


def unchanged_first(way: Callable[[Change], Prepared]) -> Iterator[Prepared]:
    """Yield a way to run quantized models as they are; where sums saturate, also with unsigned filters,
    which it notes."""
    yield way(lambda model: model)
    if sums_saturate():
        yield replace(way(with_unsigned_filters), note=UNSIGNED)


def optimized_convolutions(model: onnx.ModelProto) -> str:
    """Name the convolutions that ONNX Runtime makes of a model's, such as "53 QLinearConv"."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "optimized.onnx"
        quiet_session(model.SerializeToString(), optimized_model_filepath=str(path))
        nodes = onnx.load(path).graph.node
    kinds = Counter(node.op_type for node in nodes if node.op_type in CONVOLUTIONS)
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items())
