"""OpenVINO's CPU plugin: the whole call, and the convolution's node time alone.

Left to itself the plugin computes in bfloat16 on processors that have it, and pins its threads; both are
off, but for what quantized networks leave in float, which is run in whichever of the two is faster, and for
``openvino-bf16`` and ``openvino-f16``, which are asked for it. A single
layer's call includes layout changes at its edges, which a network would not pay between layers, so
``OpenVinoNode`` reads the plugin's own clock for the convolution node (whole microseconds).

Its kernels in 8 bits and bfloat16 may be AMX's where the CPU has it, and die of an illegal instruction under
hypervisors that hide the shapes of its tiles (CPUID leaves 0x1D and 0x1E).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from tvm_directconv.bench.layer_models import LAYER, as_network, qdq
from tvm_directconv.bench.problems import LayerProblem, NetworkProblem
from tvm_directconv.bench.quantized_problems import Problem, QuantizedLayerProblem, QuantizedNetworkProblem
from tvm_directconv.problem.element_types import FLOAT32, FLOATS

from .base import (
    CannotSolve,
    OnnxContestant,
    Prepared,
    Variant,
    exact,
    faster,
    in_precision,
    nhwc_outputs,
)

NODE_TYPES = ("Convolution", "GroupConvolution")


class OpenVino(OnnxContestant):
    name = package = "openvino"
    reads_tflite = True
    precision = FLOAT32

    def solves(self, problem: Problem) -> Problem:
        return in_precision(problem, self.precision)

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        if not isinstance(
            problem, QuantizedNetworkProblem
        ):  # in .tflite files all that is known is in 8 bits
            return self._prepared(problem, FLOATS[self.precision])
        return exact(problem, [faster([self._prepared(problem, hint) for hint in ("f32", "bf16")])])

    def _prepared(self, problem: NetworkProblem, hint: str) -> Prepared:
        request, facts = self._request(problem.readable, problem.inputs, hint)
        if problem.quantized:
            facts["convolutions"] = executed_convolutions(request.get_compiled_model())
        return Prepared(
            lambda: request.infer(None, share_inputs=True, share_outputs=True),
            lambda: [np.array(tensor.data) for tensor in request.output_tensors],
            facts=facts,
            keep=problem.inputs,
        )

    def compiled(self, model: str | bytes, hint: str, options: Mapping[str, Any]) -> Any:
        """Return the plugin's compiled model, by default for one request at a time."""
        import openvino

        properties = {
            "INFERENCE_PRECISION_HINT": hint,
            "INFERENCE_NUM_THREADS": self.setting.threads,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "ENABLE_CPU_PINNING": False,
            **options,
        }
        core = openvino.Core()
        return core.compile_model(core.read_model(model), "CPU", properties)

    def _request(
        self, model: str | bytes, inputs: Mapping[str, np.ndarray], hint: str = "f32", **options: bool
    ) -> tuple[Any, dict[str, str]]:
        import openvino

        compiled = self.compiled(model, hint, options)
        request = compiled.create_infer_request()
        for name, array in inputs.items():
            request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
        precision = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
        if self.precision != FLOAT32 and precision != hint:
            raise CannotSolve(f"the plugin computes in {precision} on this CPU, not in {hint}")
        facts = {"version": openvino.get_version(), "precision": precision}
        return request, facts


IN_HALF = tuple(
    Variant(f"{OpenVino.name}-{short}", OpenVino, {"precision": precision})
    for precision, short in FLOATS.items()
    if precision != FLOAT32
)


class OpenVinoNode(OpenVino):
    """The convolution node only: what the kernel takes where its neighbours share its layout."""

    name = "openvino-node"

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        network = as_network(problem)
        request, facts = self._request(network.readable, network.inputs, PERF_COUNT=True)
        if not _nodes(request):
            raise CannotSolve("the plugin ran no node that it calls Convolution")
        return _node_prepared(request, facts, "", problem.data_nchw)

    def prepare_quantized_layer(self, problem: QuantizedLayerProblem) -> Prepared:
        """Take the first of a few surroundings in which the plugin runs the layer in 8 bits.

        Alone, a strided 1x1 convolution becomes a pooling and a float one, which in networks its neighbours
        prevent, and int8 inputs are widened where nothing quantizes them.
        """
        if problem.workload.out_dtype not in ("int8", "uint8"):
            raise CannotSolve("the layer would not end in a quantization")
        ran: list[str] = []
        for from_float, sibling in ((False, False), (False, True), (True, False), (True, True)):
            inputs = {"data": problem.real_data_nchw if from_float else problem.data_nchw}
            request, facts = self._request(
                qdq(problem, from_float, sibling).SerializeToString(), inputs, PERF_COUNT=True
            )
            kinds = {node.exec_type for node in _nodes(request, LAYER)}
            if kinds and all(kind.endswith(("_I8", "_i8", "_u8")) for kind in kinds):
                facts["executed"] = ", ".join(kinds)
                return exact(problem, [_node_prepared(request, facts, LAYER, inputs)])
            ran += kinds
        raise CannotSolve(f"the plugin runs it as {', '.join(dict.fromkeys(ran))}, not in 8 bits")

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        raise CannotSolve("node times are for single layers")


def executed_convolutions(compiled: Any) -> str:
    """Say how often convolutions run in which input precision, such as "53 u8"."""
    kinds: Counter[str] = Counter()
    for node in compiled.get_runtime_model().get_ops():
        facts = node.get_rt_info()
        if facts["layerType"].astype(str) in NODE_TYPES:
            kinds[facts["runtimePrecision"].astype(str)] += 1
    return ", ".join(f"{count} {precision}" for precision, count in kinds.items())


def _nodes(request: Any, prefix: str = "") -> list[Any]:
    """Run a call; return the profiles of its convolution nodes whose names begin so."""
    request.infer(None, share_inputs=True, share_outputs=True)
    return [
        node
        for node in request.get_profiling_info()
        if node.node_type in NODE_TYPES
        and node.node_name.startswith(prefix)
        and node.real_time.total_seconds()
    ]


def _node_prepared(request: Any, facts: Mapping[str, str], prefix: str, keep: object) -> Prepared:
    def node_seconds() -> float:
        return sum(node.real_time.total_seconds() for node in _nodes(request, prefix))

    prepared = Prepared(
        lambda: request.infer(None, share_inputs=True, share_outputs=True),
        lambda: [np.array(request.get_output_tensor(0).data)],
        lambda calls: sum(node_seconds() for _ in range(calls)) / calls,
        facts,
        keep,
    )
    return nhwc_outputs(prepared)
