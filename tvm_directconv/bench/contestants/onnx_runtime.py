"""ONNX Runtime's CPU provider, fully optimizing, with inputs and outputs bound."""

from __future__ import annotations

from ..problems import NetworkProblem
from .base import OnnxContestant, Prepared, missing_package


class OnnxRuntime(OnnxContestant):
    """Single layers pay for layout changes around the convolution, as any one-node model does."""

    name = "onnxruntime"

    def available(self) -> str | None:
        return missing_package("onnxruntime")

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.setting.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(
            problem.model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        binding = session.io_binding()
        values = {
            name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in problem.inputs.items()
        }
        for name, value in values.items():
            binding.bind_ortvalue_input(name, value)
        for output in session.get_outputs():
            binding.bind_output(output.name, "cpu")

        return Prepared(
            lambda: session.run_with_iobinding(binding),
            binding.copy_outputs_to_cpu,
            facts={"version": onnxruntime.__version__},
            keep=(values, problem.inputs),
        )
