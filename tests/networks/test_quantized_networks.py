"""Whole networks in 8 bits, as ONNX Runtime quantizes them, and against what it computes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from graph_support import operators
from onnx import ModelProto
from quantized_models import (
    FORMATS,
    NETWORKS,
    image_of,
    quantized_network,
    with_quantized_outputs,
)
from quantized_support import applied, steps_through
from reference import run_onnx_runtime
from support import UNOPTIMIZED, with_threads

import tvm_directconv as directconv
from relay_strategies import passes
from relay_strategies.frontends.onnx.importer import import_model
from tvm_directconv.problem.workload import Conv2dWorkload

MOST_DIFFERENCE = 2
"""Units in which the last quantized tensors may differ; and the share of elements beyond one unit:"""
SHARE_BEYOND_ONE = 0.01
ONE_FORMAT = {"light_resnet50": "QDQ", "light_inception_v1": "QOperator"}
"""The large networks' formats: what is in them, the small ones have in both."""


@dataclass(frozen=True)
class Case:
    """A quantized network; what is computed from it is computed once."""

    name: str
    format: str
    per_channel: bool

    @cached_property
    def model(self) -> ModelProto:
        return quantized_network(self.name, self.format, self.per_channel)

    @cached_property
    def compared(self) -> ModelProto:
        """The network that gives its last quantized tensors."""
        return with_quantized_outputs(self.model)

    @cached_property
    def compiled(self) -> directconv.CompiledModel:
        optimized = self.name in ("light_squeezenet", "light_shufflenet")
        return directconv.compile(self.compared, "llvm -mcpu=native" if optimized else UNOPTIMIZED)

    def count(self, *kinds: str) -> int:
        """Nodes of these kinds."""
        return sum(node.op_type in kinds for node in self.model.graph.node)


@pytest.fixture(
    scope="module",
    params=[
        (n, f, c)
        for n in NETWORKS
        for f in FORMATS
        for c in (True, False)
        if (f == "QDQ") == c and ONE_FORMAT.get(n, f) == f  # small graphs have all four forms
    ],
    ids=lambda p: f"{p[0]}-{p[1]}-{'channel' if p[2] else 'tensor'}",
)
def case(request: pytest.FixtureRequest) -> Case:
    return Case(*request.param)


@pytest.mark.slow
def test_every_layer_is_found(case: Case) -> None:
    module = applied(import_model(case.model), *steps_through(passes.FuseQuantized))
    found = operators(module)
    assert found["fused_qconv2d"] == case.count("Conv", "QLinearConv") > 10
    assert found["fused_qdense"] == case.count("Gemm", "QGemm")
    assert found["nn.conv2d"] == found["matmul"] == 0
    # The image alone changes its layout; what follows it is in NHWC.
    assert found["permute_dims"] == 1
    assert found["fused_channel_shuffle"] == case.count("Transpose")


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_networks_agree_with_onnx_runtime(case: Case, threads: int) -> None:
    image = image_of(case.compared)
    references = run_onnx_runtime(case.compared, image)
    assert len(np.unique(references[0])) > 100, "the tensor before the softmax says nothing"
    tensors = with_threads(threads, lambda: case.compiled.run(image))
    for tensor, reference in zip(tensors, references, strict=True):
        difference = np.abs(tensor.astype(int) - reference.astype(int))
        assert difference.max() <= MOST_DIFFERENCE
        assert (difference > 1).mean() <= SHARE_BEYOND_ONE


@pytest.mark.slow
def test_no_float_convolution_is_left(case: Case) -> None:
    report = case.compiled.report()
    assert len(report.layers) == case.count("Conv", "QLinearConv", "Gemm", "QGemm")
    assert all(Conv2dWorkload.parse(layer.workload).quantized for layer in report.layers)
    leftover = [kernel for kernel in report.other_kernels if "conv" in kernel or "matmul" in kernel]
    assert not leftover, leftover
