"""``build_conv2d`` for GPUs: layers on the OpenCL device at hand, and built where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_matches, operands, reference_conv2d

import tvm_directconv as directconv
from tvm_directconv.errors import AlgorithmError, InputError, TuningError
from tvm_directconv.problem.workload import Conv2dWorkload

PLAIN = "n2_ih9iw8_ic3_oc8_k5x3_s2x1_p2x0x1x2_d1x2_g1_float32_NHWC_HWIO"
LAYER = f"{PLAIN}_bias+residual+relu"
OPENCL = "opencl -machine=pocl"


def test_a_layer_on_the_device_is_right_and_timed() -> None:
    layer = directconv.build_conv2d(LAYER, OPENCL)
    arrays = operands(layer.workload)
    want = reference_conv2d(layer.workload, *arrays)
    assert_matches(layer(*arrays), want, layer.workload)
    run, output = layer.bind(*arrays)
    for _ in range(2):
        run()
        assert_matches(output(), want, layer.workload)
    timing = layer.time(repeat=3, min_repeat_ms=1)
    assert len(timing.batches) == 3
    assert 0 < timing.best <= timing.median


def test_knobs_of_users_change_the_kernels() -> None:
    plain = directconv.build_conv2d(PLAIN, OPENCL, "lift")
    whole = directconv.build_conv2d(PLAIN, OPENCL, "lift", knobs={"unroll": False, "pad": "kernel"})
    assert "pad" in whole.implementation.kernels
    assert "pad" not in plain.implementation.kernels
    arrays = operands(whole.workload)
    assert_matches(whole(*arrays), reference_conv2d(whole.workload, *arrays), whole.workload)
    with pytest.raises(TuningError, match="lift does not have a knob 'prefetch'"):
        directconv.build_conv2d(PLAIN, OPENCL, "lift", knobs={"prefetch": True})


@pytest.mark.parametrize(
    ("target", "word"), [("opencl -device=mali -model=g72", "__kernel"), ("cuda", "__global__")]
)
def test_layers_are_built_without_a_device(target: str, word: str) -> None:
    layer = directconv.build_conv2d(LAYER, target)
    assert word in layer.assembly()
    assert "lift" in str(layer)


def test_wrong_operands_and_layouts_are_refused() -> None:
    layer = directconv.build_conv2d(LAYER, OPENCL)
    data, weights, bias, residual = operands(layer.workload)
    with pytest.raises(InputError, match="residual is missing"):
        layer(data, weights, bias)
    with pytest.raises(InputError, match="data must be float32"):
        layer(data.astype(np.float64), weights, bias, residual)
    with pytest.raises(InputError, match="repeat=0"):
        layer.time(repeat=0)
    planes = Conv2dWorkload.parse(PLAIN).in_layouts("NCHW", "NCHW")
    with pytest.raises(AlgorithmError, match="has the layouts of its algorithm: lift takes"):
        directconv.build_conv2d(planes, OPENCL)
    with pytest.raises(AlgorithmError, match="'direct_nhwc' is unknown or does not apply"):
        directconv.build_conv2d(PLAIN, OPENCL, "direct_nhwc")
