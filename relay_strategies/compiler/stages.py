"""A size of a model on its way: after graph passes, and ready for TVM's virtual machine."""

from __future__ import annotations

from dataclasses import dataclass

import tvm

from relay_strategies.passes.lower.layer_report import LayerReport
from tvm_directconv.runtime.metadata import TensorInfo

from .kernel_calls import KernelCall


@dataclass(frozen=True)
class Graph:
    """One size of a model after graph passes, and what is known of it."""

    module: tvm.IRModule
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    layers: tuple[LayerReport, ...]


@dataclass(frozen=True)
class Lowered(Graph):
    """One size of a model, ready for the virtual machine, and the calls of its kernels."""

    counts: tuple[dict[str, int], dict[str, int], dict[str, int]]
    """Calls of other kernels, by name: all, TVM's as they are, and reductions by the default schedule."""
    calls: tuple[KernelCall, ...]
    unplanned: tvm.IRModule
    """The calls before they are made ready for the virtual machine."""
    arena: str
    """The bytes that intermediate results of open dimensions take, as text over these."""
