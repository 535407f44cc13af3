"""The time breakdown: parts that add up, results left alone, the command. No test asserts a speed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tvm
from algorithm_support import build, fitted, lowered
from click.testing import CliRunner
from layouts import to_layout
from support import operands
from tvm import tirx
from tvm_ffi import structural_walk

from tvm_directconv.algorithms import ALGORITHMS, BYTE_ALGORITHMS
from tvm_directconv.algorithms.lowering import called_kernels
from tvm_directconv.cli.group import commands as main
from tvm_directconv.errors import AlgorithmError, TargetError
from tvm_directconv.measure.profiling import (
    COUNTS,
    MICROKERNEL,
    OTHER,
    PACKING,
    SLOTS,
    Breakdown,
    breakdown,
    cycles_per_second,
    instrument,
    prepare,
    tick_ir,
)
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import resolve_target

NATIVE = resolve_target("llvm -mcpu=native")
LAYER = Conv2dWorkload(1, 14, 14, 32, 40, (3, 3), (1, 1), (1, 1, 1, 1))
BYTES = Conv2dWorkload.parse(
    "n1_ih14iw14_ic32_oc40_k3x3_s1x1_p1x1x1x1_d1x1_g1_uint8z7-int8w127-uint8z3_NHWC_OIHW_bias"
)
FUSED = LAYER.with_epilogue(Epilogue(bias=True, residual=True, low=0.0))
WITHOUT_PACKING = ("direct_nhwc", "blocked")


def as_sums(workload: Conv2dWorkload) -> Conv2dWorkload:
    """The same, storing int32 sums."""
    assert workload.quantized is not None
    return replace(workload, quantized=replace(workload.quantized, out_dtype="int32", out_zero=0))


def run_ticked(name: str, workload: Conv2dWorkload) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Output of the plain function, of the one with ticks, and the ticks."""
    algorithm = ALGORITHMS[name]
    native = workload.in_layouts(*algorithm.layouts(workload, NATIVE))
    plain, plan = build(algorithm, native, NATIVE)
    func = lowered(plan)
    ticked = instrument(func, NATIVE).with_attr("global_symbol", "ticked")
    module = tvm.compile(tvm.IRModule({"ticked": ticked}), target=NATIVE.tvm_target).mod
    data, weights, bias, residual = operands(workload)
    given = [
        to_layout(data, native.data_layout),
        plan.pack(weights),
        bias,
        None if residual is None else to_layout(residual, native.out_layout),
    ]
    tensors = [tvm.runtime.tensor(array) for array in given if array is not None]
    outputs = [tvm.runtime.tensor(np.zeros(native.output_shape, np.float32)) for _ in range(2)]
    plain.mod["conv2d"](*tensors, outputs[0])
    # Left over from another call, sums must not count.
    ticks = tvm.runtime.tensor(np.full(SLOTS, 10**15, np.int64))
    module["ticked"](*tensors, outputs[1], ticks)
    return outputs[0].numpy(), outputs[1].numpy(), ticks.numpy()


@pytest.mark.slow
@pytest.mark.parametrize("workload", [LAYER, FUSED], ids=["bare", "fused"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_ticks_change_no_result_and_see_every_call(name: str, workload: Conv2dWorkload) -> None:
    plain, ticked, ticks = run_ticked(name, fitted(ALGORITHMS[name], workload))
    np.testing.assert_array_equal(ticked, plain)
    assert ticks[MICROKERNEL] > 0 and 0 < ticks[:3].sum() < 10**12
    counts = ticks[COUNTS:]
    assert (counts[PACKING] == 0) == (name in WITHOUT_PACKING)
    # Before each bracketed call one tick for what went before, and one at the end.
    assert counts[OTHER] == counts[PACKING] + counts[MICROKERNEL] + 1


@pytest.mark.parametrize("name", BYTE_ALGORITHMS)
@pytest.mark.parametrize("workload", [BYTES, as_sums(BYTES)], ids=["requantized", "sums"])
def test_ticks_change_no_result_of_bytes(name: str, workload: Conv2dWorkload) -> None:
    native, func, operands = prepare(workload, NATIVE, name)
    functions = {"plain": func, "ticked": instrument(func, NATIVE)}
    module = tvm.compile(
        tvm.IRModule({key: f.with_attr("global_symbol", key) for key, f in functions.items()}),
        target=NATIVE.tvm_target,
    ).mod
    ticks = tvm.runtime.tensor(np.full(SLOTS, 10**15, np.int64))
    module["plain"](*operands)
    expected = operands[-1].numpy()
    operands[-1] = tvm.runtime.tensor(np.zeros(native.output_shape, native.out_dtype))
    module["ticked"](*operands, ticks)
    assert expected.dtype == np.dtype(native.out_dtype) and np.unique(expected).size > 20
    np.testing.assert_array_equal(operands[-1].numpy(), expected)
    counts = ticks.numpy()[COUNTS:]
    assert counts[MICROKERNEL] > 0 and (counts[PACKING] == 0) == (name in WITHOUT_PACKING)


def test_lowering_of_im2col_is_packing_and_a_1x1_layer_has_none() -> None:
    assert run_ticked("im2col_gemm", LAYER)[2][COUNTS + PACKING] == 1
    pointwise = Conv2dWorkload(1, 14, 14, 32, 40, (1, 1))
    assert run_ticked("im2col_gemm", pointwise)[2][COUNTS + PACKING] == 0


def test_instrumented_function_is_sequential() -> None:
    func = lowered(ALGORITHMS["packed_nhwc"].plan(LAYER, NATIVE))
    ticked = instrument(func, NATIVE)

    def kinds(of: tirx.PrimFunc) -> set[int]:
        found: list[tirx.For] = []
        structural_walk(of.body, (tirx.For, found.append))
        return {int(loop.kind) for loop in found}

    assert int(tirx.ForKind.PARALLEL) in kinds(func)
    assert int(tirx.ForKind.PARALLEL) not in kinds(ticked)
    assert list(called_kernels(ticked.body)) == list(called_kernels(func.body))


@pytest.mark.parametrize("name", BYTE_ALGORITHMS)
def test_parts_of_bytes(name: str) -> None:
    parts = breakdown(BYTES, NATIVE, name)
    assert parts.microkernel > 0 and (parts.packing == 0) == (name in WITHOUT_PACKING)
    assert parts.workload == BYTES


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_parts_sum_to_the_total(name: str) -> None:
    layer = fitted(ALGORITHMS[name], LAYER)
    parts = breakdown(layer, NATIVE, name)
    assert sum(parts.shares.values()) == pytest.approx(1)
    assert parts.total == parts.packing + parts.microkernel + parts.other
    assert min(parts.packing, parts.other) >= 0 and parts.microkernel > 0
    assert (parts.packing == 0) == (name in WITHOUT_PACKING)
    assert parts.workload == layer.in_layouts(*ALGORITHMS[name].layouts(layer, NATIVE))
    # Seconds, not cycles: of the order of the plain call's, however busy the machine.
    assert parts.plain_seconds / 20 < parts.total < 20 * parts.plain_seconds


def test_counter_runs_at_a_plausible_rate() -> None:
    assert 1e6 < cycles_per_second(NATIVE) < 1e10


def test_other_architectures_have_their_own_counter() -> None:
    arm = resolve_target("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")
    assert "isb" in tick_ir(arm) and "llvm.readsteadycounter" in tick_ir(arm)
    with pytest.raises(TargetError, match="no cycle counter is known for"):
        tick_ir(resolve_target("llvm -mtriple=riscv64-linux-gnu"))


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(AlgorithmError, match="did you mean 'sconv'"):
        breakdown(LAYER, NATIVE, "sconf")
    depthwise = Conv2dWorkload(1, 8, 8, 16, 16, (3, 3), groups=16)
    with pytest.raises(AlgorithmError, match="im2col_gemm does not take n1_ih8"):
        breakdown(depthwise, NATIVE, "im2col_gemm")
    with pytest.raises(AlgorithmError, match="sconv does not take n1_ih14"):
        breakdown(BYTES, NATIVE, "sconv")
    with pytest.raises(TargetError):
        breakdown(LAYER, "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", "direct_nhwc")


def test_shares_of_fixed_parts() -> None:
    parts = Breakdown(LAYER, "sconv", packing=0.001, microkernel=0.006, other=0.001, plain_seconds=0.007)
    assert parts.shares == pytest.approx({"packing": 0.125, "microkernel": 0.75, "other": 0.125})
    assert parts.as_dict()["total"] == pytest.approx(0.008)
    assert parts.as_dict()["packing_share"] == pytest.approx(0.125)


def test_command(tmp_path: Path) -> None:
    saved, plot = tmp_path / "parts.json", tmp_path / "parts.png"
    arguments = ["breakdown", str(LAYER), "--algorithm", "direct_nhwc,packed_nhwc"]
    ran = CliRunner().invoke(main, [*arguments, "--save", str(saved), "--plot", str(plot)])
    assert ran.exit_code == 0, ran.output
    assert "packed_nhwc" in ran.stdout and "packing %" in ran.stdout
    records = json.loads(saved.read_text())
    assert [record["algorithm"] for record in records] == ["direct_nhwc", "packed_nhwc"]
    assert records[0]["packing"] == 0 < records[1]["packing"]
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_command_refuses_what_it_cannot_measure() -> None:
    ran = CliRunner().invoke(main, ["breakdown", str(LAYER), "--algorithm", "blockt"])
    assert ran.exit_code == 1 and "did you mean 'blocked'" in ran.stderr
    ran = CliRunner().invoke(main, ["breakdown", "resnet51"])
    assert ran.exit_code == 1 and "resnet50" in ran.stderr
