"""TVM as installed: its ONNX importer and default Relax pipeline, for the same target as ours.

No convolution schedule is left in TVM's CPU pipeline, so this is naive loops through LLVM, on one
thread. LLVM vectorizes them worse for AVX than for baseline x86-64: on a Zen 5, plain "llvm" takes 0.55 of
the time of "llvm -mcpu=native" on ResNet-50. Name the target "llvm" to compare with that.
"""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

from tvm_directconv.bench.problems import NetworkProblem

from .base import OnnxContestant, Prepared


class TvmDefault(OnnxContestant):
    name = "tvm-default"

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        module = from_onnx(problem.model)
        executable = tvm.compile(module, target=self.setting.target.tvm_target)
        machine = relax.VirtualMachine(executable, tvm.cpu())
        inputs = [tvm.runtime.tensor(array) for array in problem.inputs.values()]
        main = machine["main"]
        latest: list[object] = []

        def run() -> None:
            latest[:] = [main(*inputs)]

        def outputs() -> list[np.ndarray]:
            (answer,) = latest
            tensors = [answer] if isinstance(answer, tvm.runtime.Tensor) else list(answer)  # type: ignore[call-overload]
            return [tensor.numpy() for tensor in tensors]

        return Prepared(run, outputs, facts={"version": tvm.__version__})
