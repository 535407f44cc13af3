"""The nine light networks of the onnx package, compiled and run whole, against ONNX Runtime."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from reference import run_onnx_runtime
from support import UNOPTIMIZED, assert_matches, with_threads

import tvm_directconv as directconv
from tvm_directconv import zoo

AGREEMENT = 1e-4
"""Of the largest output; sums run in another order than ONNX Runtime's."""
OPTIMIZED = ("light_squeezenet", "light_shufflenet", "light_zfnet512")
"""The networks whose code is optimized as a user's; between them they have every kind of kernel."""


def host_target(name: str) -> str:
    return "llvm -mcpu=native" if name in OPTIMIZED else UNOPTIMIZED


@lru_cache(maxsize=1)
def random_network(name: str) -> tuple[directconv.CompiledModel, np.ndarray, np.ndarray]:
    """The compiled network with seeded random weights, an input, and ONNX Runtime's output for it."""
    model = zoo.load_model(name)
    compiled = directconv.compile(model, target=host_target(name))
    image = np.random.default_rng(0).standard_normal(compiled.inputs[0].shape, np.float32)
    return compiled, image, run_onnx_runtime(model, [image])[0]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", zoo.list_models())
def test_random_weights_agree_with_onnx_runtime(name: str, threads: int) -> None:
    compiled, image, expected = random_network(name)
    (got,) = with_threads(threads, lambda: compiled.run([image]))
    assert float(np.abs(expected).max()) > 0 and expected.std() > 0, "the reference is a constant"
    # Softmax outputs are small: compare to their own largest, not to 1.
    scale = float(np.abs(expected).max())
    assert_matches(got / scale, expected / scale, f"{name}, {threads} threads", AGREEMENT)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["light_squeezenet", "light_shufflenet", "light_zfnet512"])
def test_own_weights_give_the_shipped_outputs(name: str) -> None:
    """The models' own weights are constants, and so are these outputs; they catch crashes, not errors."""
    compiled = directconv.compile(zoo.load_model(name, weights="original"), target=UNOPTIMIZED)
    shape = compiled.inputs[0].shape
    count = int(np.prod(shape))
    image = (np.arange(count).reshape(shape) / count).astype(np.float32)  # as ONNX made the outputs
    (got,) = compiled.run([image])
    expected = zoo.reference_output(name)
    scale = float(np.abs(expected).max())
    assert_matches(got / scale, expected / scale, name, AGREEMENT)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["llvm", "llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma"])
def test_other_instruction_sets_agree_too(target: str) -> None:
    model = zoo.load_model("squeezenet")
    compiled = directconv.compile(model, target=target)
    image = np.random.default_rng(0).standard_normal(compiled.inputs[0].shape, np.float32)
    expected = run_onnx_runtime(model, [image])[0]
    scale = float(np.abs(expected).max())
    (got,) = compiled.run([image])
    assert_matches(got / scale, expected / scale, target, AGREEMENT)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["light_squeezenet", "light_resnet50", "light_shufflenet", "light_zfnet512"])
def test_blocked_networks_agree_too(name: str) -> None:
    """Activations stay in blocks but for what no blocked kernel computes."""
    model = zoo.load_model(name)
    # Groups of shufflenet are narrower than a block: these layers copy into NHWC.
    budget = None if name == "light_shufflenet" else 0
    target = host_target(name)
    compiled = directconv.compile(model, target=target, layout="blocked", max_workspace_bytes=budget)
    image = np.random.default_rng(0).standard_normal(compiled.inputs[0].shape, np.float32)
    expected = run_onnx_runtime(model, [image])[0]
    scale = float(np.abs(expected).max())
    (got,) = compiled.run([image])
    assert_matches(got / scale, expected / scale, f"{name}, blocked", AGREEMENT)
    report = compiled.report()
    convolutions = [layer for layer in report.layers if layer.kind == "conv2d"]
    if name != "light_shufflenet":
        assert {layer.algorithm for layer in convolutions} == {"blocked"}
        # The first layer reads the image as it is.
        assert convolutions[0].workload.split("_float32_")[1].startswith("NCHW-NCHW16c")
        normalizations = report.other_kernels.get("lrn", 0)
        assert report.other_kernels.get("nhwc_to_nchw16c", 0) == normalizations
        assert report.other_kernels.get("nchw16c_to_nhwc", 0) <= normalizations + 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["light_squeezenet", "light_shufflenet", "light_inception_v1"])
def test_nchw_networks_agree_too(name: str) -> None:
    model = zoo.load_model(name)
    forced = {"*": "auto"} if name == "light_shufflenet" else "sconv"
    if forced == "sconv":
        dense = [node.name or node.output[0] for node in model.graph.node if node.op_type == "Gemm"]
        forced = {"*": "sconv"} | dict.fromkeys(dense, "direct_nhwc")
    compiled = directconv.compile(model, target=host_target(name), layout="NCHW", algorithm=forced)
    image = np.random.default_rng(0).standard_normal(compiled.inputs[0].shape, np.float32)
    expected = run_onnx_runtime(model, [image])[0]
    scale = float(np.abs(expected).max())
    (got,) = compiled.run([image])
    assert_matches(got / scale, expected / scale, f"{name}, NCHW", AGREEMENT)
    if name == "light_squeezenet":
        assert {layer.algorithm for layer in compiled.report().layers} == {"sconv"}
        assert not any("to_n" in kernel for kernel in compiled.report().other_kernels)
