"""Lift's kernels in CUDA C, computed by the host, for a made-up GPU whose threads run in either order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from emulation.cuda import ComputingGpu, installed
from lift_support import check_computed, computed, lowered, plan_of
from test_lift import LAYERS, POINT, SMALL, VARIANTS

from tvm_directconv.algorithms.lift.algorithm import Lift
from tvm_directconv.devices.cuda import program_for
from tvm_directconv.errors import ParameterError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import resolve_gpu_target

H200 = resolve_gpu_target("cuda -model=h200")


@pytest.mark.parametrize("backwards", [False, True])
def test_every_variant_and_kind_of_layer(monkeypatch, backwards):
    installed(monkeypatch, ComputingGpu(backwards))
    of_layers = [Lift().plan(Conv2dWorkload.parse(layer), H200) for layer in LAYERS]
    check_computed([*(plan_of(SMALL, knobs, H200) for knobs in VARIANTS), *of_layers])


def test_vectors_of_three_halves_are_refused():
    three, halves = VARIANTS[-1], SMALL.replace("float32", "float16")
    assert three.vector == 3
    with pytest.raises(ParameterError, match="'vector of halves'"):
        Lift().plan(Conv2dWorkload.parse(halves), H200, three)
    plan_of(halves, three)  # as OpenCL has them


def test_without_their_barriers_an_order_of_threads_is_wrong(monkeypatch):
    plan = plan_of(SMALL, POINT, H200)
    kernels = lowered([plan])
    assert plan.geometry.chunks > 1 and "__syncthreads();" in kernels.source
    hasty = replace(kernels, source=kernels.source.replace("__syncthreads();", ""))
    right = []
    for backwards in (False, True):
        installed(monkeypatch, ComputingGpu(backwards))
        got, want = computed(program_for(hasty), "layer0", plan)
        right.append(np.allclose(got, want, rtol=1e-4, atol=1e-5))
    assert not all(right)
