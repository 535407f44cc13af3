"""This project, called as its users call it."""

from __future__ import annotations

import numpy as np
import tvm

from ...errors import DirectConvError
from ...target import require_host
from ..problems import LayerProblem, NetworkProblem
from .base import Contestant, Prepared


class Ours(Contestant):
    name = "ours"
    # A defect of ours must end the benchmark; only errors meant for users become a line in the table.
    failures = (DirectConvError,)

    def available(self) -> str | None:
        try:
            require_host(self.setting.target)
        except DirectConvError as error:
            return str(error)
        return None

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        from ...relay_strategies.strategy import implement_conv2d

        workload = problem.workload
        implementation = implement_conv2d(workload, self.setting.target)
        module = tvm.IRModule({"main": implementation.prim_func})
        main = tvm.compile(module, target=self.setting.target.tvm_target)["main"]
        data, filter_ = problem.data, problem.filter
        if workload.data_layout == "NCHW":
            data = problem.data_nchw
        filter_ = filter_.transpose(["OIHW".index(axis) for axis in workload.filter_layout])
        arguments = [
            tvm.runtime.tensor(array)
            for array in (
                data,
                implementation.pack_filter(np.ascontiguousarray(filter_)),
                np.zeros(workload.output_shape, np.float32),
            )
        ]

        def outputs() -> list[np.ndarray]:
            output = arguments[-1].numpy()
            return [output if workload.data_layout == "NHWC" else output.transpose(0, 2, 3, 1)]

        return Prepared(
            lambda: main(*arguments),
            outputs,
            facts={
                "algorithm": implementation.name,
                "kernels": ", ".join(implementation.kernels),
                "workspace_bytes": implementation.workspace_bytes,
            },
        )

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        from ... import compile as compile_model

        compiled = compile_model(problem.model, target=self.setting.target)
        latest: list[np.ndarray] = []

        def run() -> None:
            latest[:] = compiled.run(problem.inputs)

        return Prepared(run, lambda: list(latest))
