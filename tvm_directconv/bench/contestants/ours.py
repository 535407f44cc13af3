"""This project, called as its users call it."""

from __future__ import annotations

import numpy as np

from ...errors import DirectConvError
from ...target import require_host
from ..problems import LayerProblem, NetworkProblem
from .base import Contestant, Prepared


class Ours(Contestant):
    name = "ours"
    # A defect of ours must end the benchmark; only errors meant for users become a line in the
    # table.
    failures = (DirectConvError,)

    def available(self) -> str | None:
        try:
            require_host(self.setting.target)
        except DirectConvError as error:
            return str(error)
        return None

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        from ... import build_conv2d

        workload = problem.workload
        data = problem.data if workload.data_layout == "NHWC" else problem.data_nchw
        weights = problem.filter.transpose(["OIHW".index(axis) for axis in workload.filter_layout])
        layer = build_conv2d(workload, self.setting.target)
        run, output = layer.bind(data, np.ascontiguousarray(weights))

        def outputs() -> list[np.ndarray]:
            answer = output.numpy()
            return [answer if workload.data_layout == "NHWC" else answer.transpose(0, 2, 3, 1)]

        facts: dict[str, str | int | float] = {
            "algorithm": layer.implementation.name,
            "kernels": ", ".join(layer.implementation.kernels),
            "workspace_bytes": layer.workspace_bytes,
        }
        return Prepared(run, outputs, facts=facts)

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        from ... import compile as compile_model

        compiled = compile_model(problem.model, target=self.setting.target)
        compiled.set_inputs(problem.inputs)
        return Prepared(compiled.invoke, compiled.get_outputs)
