"""PyTorch itself: the module behind a network's name, channels_last, as it is and through torch.compile, by
its own compiler and by this package's backend.

Only torchvision's and timm's networks have one; the weights are drawn from the same seed as those of the
exported file that the others read, and the answers are compared. Compiled, weights are constants (inductor's
freezing), so that normalization folds into convolutions and filters are reordered for oneDNN before any call.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tvm_directconv.bench.problems import NetworkProblem
from tvm_directconv.bench.quantized_problems import Problem
from tvm_directconv.errors import last_line
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.zoo import libraries

from .base import CannotSolve, Contestant, Prepared, Variant, in_precision


class PyTorch(Contestant):
    """Eager, in inference mode."""

    name, package = "pytorch", "torch"
    precision = FLOAT32

    def solves(self, problem: Problem) -> Problem:
        if not isinstance(problem, NetworkProblem):
            raise CannotSolve(f"{self.name} is compared on whole networks only")
        if problem.quantized:
            raise CannotSolve(f"{self.name} is compared in floats only")
        if not problem.library_name:
            raise CannotSolve("no PyTorch module is known of it, as of torchvision:NAME and timm:NAME")
        libraries.parse(problem.library_name)  # which imports the package that has the module
        return in_precision(problem, self.precision)

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        import torch

        torch.set_num_threads(self.setting.threads)
        module, example = libraries.build(libraries.parse(problem.library_name))
        dtype = getattr(torch, self.precision)
        call = self._callable(module.to(dtype, memory_format=torch.channels_last))
        arguments = _arguments(example, problem.inputs, dtype)
        latest: list[Any] = []

        def run() -> None:
            with torch.inference_mode():
                latest[:] = [call(*arguments)]

        return Prepared(
            run,
            lambda: [tensor.contiguous().float().numpy() for tensor in _tensors(latest[0])],
            facts={"version": torch.__version__},
        )

    def _callable(self, module: Any) -> Any:
        return module


IN_HALF = Variant("pytorch-bf16", PyTorch, {"precision": "bfloat16"})


class PyTorchCompiled(PyTorch):
    """PyTorch compiled by inductor, which has a C++ compiler build its loops."""

    name = "pytorch-compile"

    def available(self) -> str | None:
        reason = super().available()
        if reason is None:
            # All that compiling needs is imported now, or it would count as the network's memory.
            from torch._inductor import compile_fx, cpp_builder  # noqa: F401

            try:
                cpp_builder.get_cpp_compiler()
            except Exception as error:  # inductor's own kinds
                return f"torch.compile finds no C++ compiler, such as g++ ({last_line(error)})"
        return reason

    def _callable(self, module: Any) -> Any:
        import torch
        from torch._inductor import config

        config.freezing = True
        # Processes that compile beside this one would outlive the turn, on CPUs that are the next one's.
        config.compile_threads = 1
        return torch.compile(module, dynamic=False)


class PyTorchDirectConv(PyTorch):
    """PyTorch compiled by this package's backend; what that leaves to PyTorch is noted."""

    name = "pytorch-directconv"

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        prepared = super().prepare_network(problem)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            prepared.run()
        left = [str(each.message) for each in caught if "leaves a graph to PyTorch" in str(each.message)]
        return replace(prepared, note="; ".join(left))

    def _callable(self, module: Any) -> Any:
        import torch

        from relay_strategies.torch_backend import directconv

        options = {"target": str(self.setting.target)}
        return torch.compile(module, backend=directconv, dynamic=False, options=options)


def _arguments(example: Any, arrays: Mapping[str, np.ndarray], dtype: Any) -> tuple[Any, ...]:
    """Return the arrays in the places of the example's tensors, in that type, images as channels_last."""
    import torch

    left = [torch.from_numpy(array).to(dtype) for array in arrays.values()]
    if len(_tensors(example)) != len(left):
        raise CannotSolve(f"its module takes {len(_tensors(example))} tensors, the exported file {len(left)}")

    def placed(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value)(placed(item) for item in value)
        tensor = left.pop(0)
        return tensor.contiguous(memory_format=torch.channels_last) if tensor.ndim == 4 else tensor

    return tuple(placed(value) for value in example)


def _tensors(value: Any) -> list[Any]:
    """Return the tensors of an answer, in the order in which exporters name them."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in _tensors(item)]
    return [] if value is None else [value]
