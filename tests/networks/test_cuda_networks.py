"""Whole networks in CUDA C, computed by the host for a made-up GPU."""

from __future__ import annotations

import numpy as np
import pytest
from emulation.cuda import ComputingGpu, installed
from reference import run_onnx_runtime
from test_device_networks import given, small

import tvm_directconv as directconv


@pytest.mark.slow
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("precision", "most"), [("float32", 2e-6), ("float16", 5e-3)])
def test_a_network_in_cuda_agrees_whatever_the_order_of_threads(precision, most, backwards, monkeypatch):
    installed(monkeypatch, ComputingGpu(backwards))
    image, model = given(1), directconv.compile(small(), "cuda -device=native", batch=1, precision=precision)
    for got, want in zip(model.run([image]), run_onnx_runtime(small(), {"data/x:0": image}), strict=True):
        assert np.abs(got - want).max() < most * np.abs(want).max()


@pytest.mark.slow
@pytest.mark.parametrize("network", ["squeezenet", "shufflenet"])
def test_whole_networks_in_cuda_agree(network, monkeypatch):
    installed(monkeypatch, ComputingGpu())
    image = np.random.default_rng(0).random((1, 3, 224, 224), np.float32)
    (got,) = directconv.compile(network, "cuda -device=native").run([image])
    (want,) = directconv.compile(network).run([image])
    assert np.abs(got - want).max() < 1e-5 * np.abs(want).max()
