"""OpenVINO's CPU plugin in float32: the whole call, and the convolution's node time alone.

Left to itself the plugin computes in bfloat16 on processors that have it, and pins its threads;
both are off. A single layer's call includes layout changes at its edges, which a network would not
pay between layers, so ``OpenVinoNode`` reads the plugin's own clock for the convolution node (whole
microseconds).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problems import LayerProblem, NetworkProblem
from .base import CannotSolve, OnnxContestant, Prepared, missing_package


class OpenVino(OnnxContestant):
    name = "openvino"

    def available(self) -> str | None:
        return missing_package("openvino")

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        request, facts = self._request(problem)
        return Prepared(
            lambda: request.infer(None, share_inputs=True, share_outputs=True),
            lambda: [np.array(tensor.data) for tensor in request.output_tensors],
            facts=facts,
            keep=problem.inputs,
        )

    def _request(self, problem: NetworkProblem, **options: bool) -> tuple[Any, dict[str, str]]:
        import openvino

        core = openvino.Core()
        compiled = core.compile_model(
            core.read_model(problem.model.SerializeToString()),
            "CPU",
            {
                "INFERENCE_PRECISION_HINT": "f32",
                "INFERENCE_NUM_THREADS": self.setting.threads,
                "NUM_STREAMS": 1,
                "PERFORMANCE_HINT": "LATENCY",
                "ENABLE_CPU_PINNING": False,
                **options,
            },
        )
        request = compiled.create_infer_request()
        for name, array in problem.inputs.items():
            request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
        facts = {
            "version": openvino.get_version(),
            "precision": compiled.get_property("INFERENCE_PRECISION_HINT").to_string(),
        }
        return request, facts


class OpenVinoNode(OpenVino):
    """The convolution node only: what the kernel takes where its neighbours share its layout."""

    name = "openvino-node"

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        request, facts = self._request(problem.as_network(), PERF_COUNT=True)

        def infer() -> None:
            request.infer(None, share_inputs=True, share_outputs=True)

        def node_seconds() -> float:
            infer()
            return sum(
                node.real_time.total_seconds()
                for node in request.get_profiling_info()
                if node.node_type == "Convolution"
            )

        if node_seconds() == 0:
            raise CannotSolve("the plugin ran no node that it calls Convolution")
        return Prepared(
            infer,
            lambda: [np.array(request.get_output_tensor().data).transpose(0, 2, 3, 1)],
            lambda calls: sum(node_seconds() for _ in range(calls)) / calls,
            facts,
            problem.data_nchw,
        )

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        raise CannotSolve("node times are for single layers")
