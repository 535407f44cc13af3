"""What a whole network is estimated to take, and the precision that "auto" chooses by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tvm
from graph_support import draw, network, node
from onnx import ModelProto
from test_half_products import target_of, transformer

from relay_strategies.frontends.onnx.importer import import_onnx
from relay_strategies.passes import graph_passes
from relay_strategies.passes.device import device_graph_passes
from relay_strategies.passes.lower import narrow_tensors, network_cost
from relay_strategies.passes.lower.network_cost import network_cycles
from relay_strategies.strategies import strategy
from relay_strategies.strategies.limits import Limits
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.operators.attention import Attention
from tvm_directconv.operators.matrix_cost import attention_cycles, product_cycles
from tvm_directconv.operators.matrix_product import MatrixProduct, transposed
from tvm_directconv.operators.matrix_views import View
from tvm_directconv.problem.element_types import HALVES
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.gpu import resolve_gpu_target

CHANNELS, SIZE = 64, 28


def layers(*between: object, count: int = 2) -> ModelProto:
    """3x3 layers one behind the other, and other nodes, from "c0" to "between", behind the first."""
    nodes: list[Any] = [node("Conv", "x w", "c0", kernel_shape=[3, 3], pads=[1, 1, 1, 1]), *between]
    for number in range(1, count):
        data = f"c{number - 1}" if number > 1 or not between else "between"
        nodes.append(node("Conv", f"{data} w", f"c{number}", kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    nodes[-1].output[0] = "y"
    shape = (1, CHANNELS, SIZE, SIZE)
    return network(nodes, {"x": shape}, {"y": shape}, {"w": draw(CHANNELS, CHANNELS, 3, 3)})


def fused(model: ModelProto, cpu: str, **options: Any) -> tvm.IRModule:
    """The network as it is when precisions have been chosen."""
    target = target_of(cpu)
    steps = graph_passes(target, **options)
    end = next(n for n, step in enumerate(steps) if step.info.name == "directconv.NarrowTensors")
    with target.tvm_target:
        return tvm.transform.Sequential(steps[: end + 1])(import_onnx(model))


def cycles(model: ModelProto, cpu: str, **options: Any) -> float:
    return network_cycles(fused(model, cpu, **options), target_of(cpu))


def chosen(model: ModelProto, cpu: str, **options: Any) -> str:
    """What "auto" is: the type of half precision in the network, if any."""
    text = str(fused(model, cpu, precision="auto", **options))
    return next((half for half in HALVES if f'"{half}"' in text), "float32")


def test_layers_take_what_their_algorithms_do() -> None:
    workload = Conv2dWorkload(
        1, SIZE, SIZE, CHANNELS, CHANNELS, (3, 3), padding=(1,) * 4, epilogue=Epilogue(bias=False)
    )
    target = target_of("znver5")
    best = min(strategy.conv2d_strategy(workload, target).estimates(workload, target).values())
    assert cycles(layers(count=3), "znver5") == pytest.approx(3 * best, rel=0.03)


def test_what_stands_between_counts() -> None:
    plain, busy = layers(), layers(node("Softmax", "c0", "between", axis=1))
    assert cycles(busy, "znver5") > cycles(plain, "znver5")


def test_casts_beside_kernels_are_no_passes_of_their_own() -> None:
    """A network's input is cast by itself; beside a softmax, the softmax casts."""
    target = target_of("znver5")
    halves = fused(layers(node("Softmax", "c0", "between", axis=1)), "znver5", precision="bfloat16")
    passes: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network_cost, "pass_cycles", lambda machine, moved: passes.append(moved) or 0.0)
        network_cycles(halves, target)
    elements = CHANNELS * SIZE * SIZE
    assert elements * (4 + 2) in passes, "the input is read in float32 and stored in halves"
    assert elements * (2 + 2) in passes, "the softmax reads halves and stores them"
    assert len([moved for moved in passes if moved >= 4 * elements]) <= 3


@pytest.mark.parametrize(
    ("cpu", "precision"), [("znver3", "float32"), ("znver5", "bfloat16"), ("emeraldrapids", "bfloat16")]
)
def test_auto_is_what_the_network_is_fastest_in(cpu: str, precision: str) -> None:
    assert chosen(layers(), cpu) == precision


@pytest.mark.parametrize(
    ("options", "precision"),
    [
        ({"algorithm": "direct_nhwc"}, "bfloat16"),
        ({"algorithm": "sconv"}, "float32"),
        ({"limits": Limits(workspace_bytes=0)}, "bfloat16"),
        ({"limits": Limits(filter_bytes=3 * CHANNELS**2 * 9)}, "bfloat16"),
    ],
)
def test_auto_keeps_to_what_layers_may_be(options: dict[str, Any], precision: str) -> None:
    """Algorithms that have no half precision, and limits that only half precision keeps."""
    assert chosen(layers(), "znver5", **options) == precision


def test_a_layer_without_an_algorithm_has_no_estimate() -> None:
    with pytest.raises(AlgorithmError, match="packed filter"):
        network_cycles(fused(layers(), "znver5"), target_of("znver5"), limits=Limits(filter_bytes=1))


def test_auto_counts_what_is_no_layer() -> None:
    """One layer of few channels, among passes that cost the same in all types and casts that do not."""
    shape = (1, 16, 112, 112)
    nodes = [
        node("Conv", "x w", "a"),
        node("Softmax", "a", "b", axis=1),
        node("Conv", "b w", "y"),
    ]
    model = network(nodes, {"x": shape}, {"y": shape}, {"w": draw(16, 16, 1, 1)})
    assert chosen(model, "znver5") == "float32"


def test_products_and_attention_by_their_model() -> None:
    big = MatrixProduct(View.of((197, 768)), View.of((768, 768)), View.of((197, 768)))
    head = View.of((12, 197, 64))
    what = Attention(head, transposed(head), head, head, 0.125)
    for cycles_of, given, multiplies in (
        (product_cycles, big, big.multiplies),
        (attention_cycles, what, what.multiplies),
    ):
        wide = cycles_of(given, target_of("znver5"))  # type: ignore[operator]
        narrow = cycles_of(given, target_of("znver5"), "bfloat16")  # type: ignore[operator]
        least = multiplies / 32  # two multiply-adds of 16 lanes a cycle
        assert least < wide < 2 * least
        assert least / 2 < narrow < 0.8 * wide


def test_transformers_count_their_attention() -> None:
    model = transformer()
    module = fused(model, "znver5")
    total = network_cycles(module, target_of("znver5"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "relay_strategies.passes.lower.network_cost.cycles_of_product", lambda found, target: 0.0
        )
        assert network_cycles(module, target_of("znver5")) < total
    assert np.isfinite(total)


def test_of_gpus_the_layers_count_that_are_not_left_to_dlight(monkeypatch: pytest.MonkeyPatch) -> None:
    target, asked = resolve_gpu_target("opencl -device=mali -model=g72"), {"*": "dlight"}
    passes = device_graph_passes(target, asked, precision="auto")
    (narrow,) = (at for at, each in enumerate(passes) if each.info.name == "directconv.NarrowTensors")
    with target.tvm_target:
        fused = tvm.transform.Sequential(passes[:narrow])(import_onnx(layers()))
    assert network_cycles(fused, target) == network_cycles(fused, target, "lift") > 0
    assert network_cycles(fused, target, asked) == 0
    told: list[object] = []
    monkeypatch.setattr(narrow_tensors, "network_cycles", lambda *given: told.append(given[2]) or 1.0)
    passes[narrow](fused)
    assert told == [asked, asked], "once for each precision"
