"""oneDNN through PyTorch: channels_last activations, the filter reordered once and untimed.

Plain ``torch.conv2d`` reorders the filter on every call and, with one thread, leaves oneDNN for
some shapes.
"""

from __future__ import annotations

from ..problems import LayerProblem
from .base import Contestant, Prepared, Setting, missing_package


class OneDnn(Contestant):
    name = "onednn"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._threads_before: int | None = None

    def available(self) -> str | None:
        reason = missing_package("torch")
        if reason is None:
            import torch

            if not torch.backends.mkldnn.is_available():
                return "this PyTorch is built without oneDNN"
        return reason

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        import torch

        if self._threads_before is None:
            self._threads_before = torch.get_num_threads()
        torch.set_num_threads(self.setting.threads)
        w = problem.workload
        data = torch.from_numpy(problem.data_nchw).contiguous(memory_format=torch.channels_last)
        top, left, bottom, right = w.padding
        padding = [top, left]
        if (top, left) != (bottom, right):
            # The operator knows symmetric padding only; the extra rows and columns are added
            # untimed.
            data = torch.nn.functional.pad(data, (left, right, top, bottom))
            data = data.contiguous(memory_format=torch.channels_last)
            padding = [0, 0]
        filter_ = torch.from_numpy(problem.filter).contiguous(memory_format=torch.channels_last)
        strides, dilation = list(w.strides), list(w.dilation)
        packed = torch.ops.mkldnn._reorder_convolution_weight(
            filter_, padding, strides, dilation, w.groups, list(data.shape)
        )
        convolve = torch.ops.mkldnn._convolution_pointwise.default
        latest: list[torch.Tensor] = []

        def run() -> None:
            latest[:] = [convolve(data, packed, None, padding, strides, dilation, w.groups, "none", [], "")]

        return Prepared(
            run,
            lambda: [latest[0].permute(0, 2, 3, 1).contiguous().numpy()],
            facts={"version": torch.__version__},
        )

    def close(self) -> None:
        if self._threads_before is not None:
            import torch

            torch.set_num_threads(self._threads_before)
