"""oneDNN through PyTorch: channels_last activations, the filter reordered once and untimed.

Plain ``torch.conv2d`` reorders the filter on every call and, with one thread, leaves oneDNN for
some shapes. In 8 bits it is the operator that PyTorch's compiler puts in place of a quantized convolution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.bench.quantized_problems import QuantizedLayerProblem

from .base import CannotSolve, Contestant, Prepared, exact

if TYPE_CHECKING:
    import torch


class OneDnn(Contestant):
    name = "onednn"
    package = "torch"

    def available(self) -> str | None:
        reason = super().available()
        if reason is None:
            import torch

            if not torch.backends.mkldnn.is_available():
                return "this PyTorch is built without oneDNN"
        return reason

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        import torch

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

        return _prepared(run, latest)

    def prepare_quantized_layer(self, problem: QuantizedLayerProblem) -> Prepared:
        w = problem.workload
        top, left, bottom, right = w.padding
        if (w.dtype, str(problem.filter.dtype)) != ("uint8", "int8") or w.out_dtype not in ("uint8", "int8"):
            raise CannotSolve("its 8-bit convolution takes uint8 by int8, and stores 8 bits")
        if (top, left) != (bottom, right):
            raise CannotSolve("its 8-bit convolution takes symmetric padding only")
        import torch

        torch.set_num_threads(self.setting.threads)
        data = torch.from_numpy(problem.data_nchw).contiguous(memory_format=torch.channels_last)
        data_scale, data_zero = float(problem.data_scale), problem.types.data_zero
        scales = torch.from_numpy(problem.filter_scales)
        geometry = (list(w.strides), [top, left], list(w.dilation), w.groups)
        packed = torch.ops.onednn.qconv_prepack(
            torch.from_numpy(problem.filter), scales, data_scale, data_zero, *geometry, list(data.shape)
        )
        bias = None
        if problem.bias is not None:
            # It is added in float, after scaling.
            bias = torch.from_numpy(problem.bias * (problem.data_scale * problem.filter_scales))
        zeros = torch.zeros(w.out_channels, dtype=torch.int8)
        stored = (float(problem.out_scale), problem.types.out_zero, getattr(torch, w.out_dtype))
        convolve = torch.ops.onednn.qconv_pointwise.default
        latest: list[torch.Tensor] = []

        def run() -> None:
            latest[:] = [
                convolve(
                    *(data, data_scale, data_zero, packed, scales, zeros, bias, *geometry, *stored),
                    *("none", [], ""),
                )
            ]

        return exact(problem, [_prepared(run, latest)])


def _prepared(run: Callable[[], None], latest: list[torch.Tensor]) -> Prepared:
    import torch

    def outputs() -> list[np.ndarray]:
        return [latest[0].permute(0, 2, 3, 1).contiguous().numpy()]

    return Prepared(run, outputs, facts={"version": torch.__version__})
