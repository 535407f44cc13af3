"""PyTorch on an NVIDIA GPU in true float32, TF32 off: cuDNN's convolution, and im2col with cuBLAS's product.

cuDNN chooses among its algorithms by timing them (``benchmark``), in NCHW and in NHWC, of which the faster
takes part. Memory is the most that PyTorch's allocator held in a call.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from tvm_directconv.bench.contestants.base import CannotSolve, Prepared, faster, nhwc_outputs
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.problem.workload import Conv2dWorkload

from .base import DeviceContestant, Facts, memory_facts, plain

MILLISECONDS = 1e-3


class OnTorch(DeviceContestant):
    """A way to convolve with PyTorch; ``place`` is its name of the device."""

    kinds = ("cuda",)
    package = "torch"
    place = "cuda"
    formats: tuple[str, ...] = ("contiguous_format",)
    """The layouts to try."""

    def available(self) -> str | None:
        reason = super().available()
        if reason is None:
            import torch

            if not torch.cuda.is_available():
                return "PyTorch finds no CUDA device: it needs NVIDIA's driver, and to be built for CUDA"
        return reason

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        import torch

        w = plain(problem.workload)
        if w.padding[:2] != w.padding[2:]:
            raise CannotSolve("pads both ends alike")
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        ways = [self._way(torch, problem, layout) for layout in self.formats]
        return nhwc_outputs(ways[0] if len(ways) == 1 else faster(ways))

    @abstractmethod
    def convolve(self, torch: Any, workload: Conv2dWorkload, data: Any, weights: Any) -> Any:
        """Return the layer's output in NCHW, of data in NCHW and weights in OIHW."""

    def _way(self, torch: Any, problem: LayerProblem, layout: str) -> Prepared:
        data, weights = (
            torch.from_numpy(array).to(self.place).contiguous(memory_format=getattr(torch, layout))
            for array in (problem.data_nchw, problem.filter)
        )
        latest: list[Any] = []

        def run() -> None:
            latest.clear()  # so that its memory is used again
            latest.append(self.convolve(torch, problem.workload, data, weights))

        run()  # in which cuDNN chooses
        facts = {"version": torch.__version__, "layout": layout}
        if self.place != "cuda":
            return Prepared(run, lambda: [latest[0].numpy()], facts=facts)
        facts |= _memory(torch, problem, run)

        def timer(calls: int) -> float:
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for _ in range(calls):
                run()
            end.record()
            end.synchronize()
            return MILLISECONDS * start.elapsed_time(end) / calls

        return Prepared(run, lambda: [latest[0].cpu().numpy()], timer, facts)


class CuDnn(OnTorch):
    name = "cudnn"
    formats = ("contiguous_format", "channels_last")

    def convolve(self, torch: Any, workload: Conv2dWorkload, data: Any, weights: Any) -> Any:
        w = workload
        return torch.nn.functional.conv2d(data, weights, None, w.strides, w.padding[:2], w.dilation)


class Im2colCuBlas(OnTorch):
    """PyTorch's own lowering, and one product."""

    name = "im2col+cublas"

    def convolve(self, torch: Any, workload: Conv2dWorkload, data: Any, weights: Any) -> Any:
        w = workload
        matrix = torch.nn.functional.unfold(data, w.kernel, w.dilation, w.padding[:2], w.strides)
        product = weights.reshape(w.out_channels, -1) @ matrix
        return product.reshape(w.batch, w.out_channels, w.out_height, w.out_width)


def _memory(torch: Any, problem: LayerProblem, run: Any) -> Facts:
    """What a call takes beyond its operands and the last result, whose memory it uses again."""
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run()
    torch.cuda.synchronize()
    return memory_facts(problem, torch.cuda.max_memory_allocated() - before)
