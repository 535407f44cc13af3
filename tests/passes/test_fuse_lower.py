"""What is fused with layers, and the kernels that these are lowered to."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tvm
from graph_cases import CASES
from graph_support import inputs_of, operators, run_by_plain_tvm
from pass_stages import after
from reference import run_onnx_runtime
from support import assert_matches
from tvm import relax

from intrinsics.epilogue import TileEpilogue
from relay_strategies import passes
from relay_strategies.passes.lower.lower_conv2d import LAYERS
from relay_strategies.relax.epilogue_steps import steps_of
from relay_strategies.relax.graph import Graph, Rewriter, operator_name, rewrite_module
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.targets.target import resolve_target


@pytest.mark.parametrize("case", CASES)
def test_every_layer_is_one_composite(case: str) -> None:
    counts = operators(after(case, passes.FuseConv2d))
    assert counts["nn.conv2d"] == 0
    assert counts["fused_conv2d"] + counts["fused_dense"] == CASES[case].layers


def fused_attributes(case: str) -> list[dict[str, object]]:
    """bias, residual, low and high of every fused layer, in order of calls."""
    module = after(case, passes.FuseConv2d)
    found = []
    for block in module["main"].body.blocks:
        for binding in block.bindings:
            call = binding.value
            if isinstance(call, relax.Call) and isinstance(call.op, tvm.ir.GlobalVar):
                attributes = dict(module[call.op].attrs)
                if attributes["Composite"] in ("directconv.conv2d", "directconv.dense"):
                    fused = TileEpilogue(bool(attributes["bias"]), steps=steps_of(attributes))
                    bounds = {"low": fused.low, "high": fused.high}
                    finite = {name: None if math.isinf(value) else value for name, value in bounds.items()}
                    found.append({"bias": fused.bias, "residual": fused.residual} | finite)
    return found


def layer(
    bias: bool = False, residual: bool = False, low: float | None = None, high: float | None = None
) -> dict[str, object]:
    return {"bias": bias, "residual": residual, "low": low, "high": high}


@pytest.mark.parametrize(
    ("case", "layers"),
    [
        ("conv_bias_relu", [layer(bias=True, low=0.0)]),
        ("conv_without_bias", [layer()]),
        ("clip_to_six", [layer(bias=True, low=0.0, high=6.0)]),
        ("batch_norm_folded", [layer(bias=True, low=0.0)]),
        # The later of two convolutions takes the addition.
        ("residual_of_two_convolutions", [layer(bias=True), layer(residual=True, low=0.0)]),
        ("residual_before_bias", [layer(bias=True), layer(bias=True, residual=True, low=0.0)]),
        ("sum_of_three", [layer(bias=True), layer(residual=True), layer(residual=True, low=0.0)]),
        ("residual_that_broadcasts_is_none", [layer(bias=True)]),
        ("activation_then_addition", [layer(bias=True, low=0.0), layer(residual=True)]),
        ("intermediate_result_returned", [layer(bias=True)]),
        ("flattened_map_to_dense", [layer(bias=True), layer(bias=True, low=0.0)]),
        ("dense_of_several_rows_per_image", [layer(bias=True, residual=True)]),
        ("filter_known_at_run_time", [layer(bias=True, low=0.0)]),
    ],
)
def test_what_is_fused_with_a_layer(case: str, layers: list[dict[str, object]]) -> None:
    found = fused_attributes(case)
    assert len(found) == len(layers)
    for got, wanted in zip(found, layers, strict=True):
        assert got == pytest.approx(wanted)


def test_dense_blocks_concatenate_once() -> None:
    counts = operators(after("dense_block", passes.FuseAffine))
    assert counts["fused_affine"] == 2
    assert counts["concat"] == 0
    (second,) = [
        binding.value
        for block in after("dense_block", passes.FuseAffine)["main"].body.blocks
        for binding in block.bindings
        if isinstance(binding.value, relax.Call)
        and isinstance(binding.value.op, tvm.ir.GlobalVar)
        and len(binding.value.args) == 5  # three tensors, scale and shift
    ]
    assert second.ty.shape.values[-1] == 40


def test_composites_are_shared_by_equal_layers() -> None:
    module = after("filter_shared_by_two_layers", passes.FuseConv2d)
    composites = [f for f in module.functions.values() if f.attrs and "Composite" in f.attrs]
    assert len(composites) == 2  # one with the other's result as residual
    inlined = after("filter_shared_by_two_layers", passes.InlineComposites)
    assert operators(inlined)["nn.conv2d"] == 2


# ---- lowering


def test_lowering_alone_in_a_users_pipeline() -> None:
    """LowerConv2d without LowerOperators: the other operators go through TVM's own legalization."""
    case = "classifier"
    module = passes.LowerConv2d("llvm -mcpu=native")(after(case, passes.FuseAffine))
    assert operators(module)["call_tir"] == CASES[case].layers
    assert '"conv2d"' in str(module.attrs[LAYERS])
    inputs = inputs_of(CASES[case].model)
    with resolve_target("llvm -mcpu=native").tvm_target:
        module = tvm.transform.Sequential(passes.kernel_passes("llvm -mcpu=native"))(module)
        module = tvm.transform.Sequential(passes.finish_passes())(module)
    target = resolve_target("llvm -mcpu=native").tvm_target
    executable = relax.build(module, target, relax_pipeline=None)
    result = relax.VirtualMachine(executable, tvm.cpu())["main"](tvm.runtime.tensor(inputs["x"]))
    assert_matches(result.numpy(), run_onnx_runtime(CASES[case].model, inputs)[0], case)


def test_equal_layers_share_one_kernel() -> None:
    module = after("sum_of_three", passes.FuseAffine)
    lowered = passes.LowerConv2d("llvm -mcpu=native")(module)
    kernels = [
        binding.value.args[0].name_hint
        for block in lowered["main"].body.blocks
        for binding in block.bindings
        if operator_name(binding.value) == "relax.call_tir"
    ]
    assert len(kernels) == 3 and len(set(kernels)) == 3  # bias; residual; residual and clip
    shared = passes.LowerConv2d("llvm -mcpu=native")(after("residual_before_bias", passes.FuseAffine))
    primitives = [f for f in shared.functions.values() if isinstance(f, tvm.tirx.PrimFunc)]
    assert len(primitives) == 2


def test_unknown_algorithms_are_refused_by_the_pass() -> None:
    with pytest.raises(AlgorithmError, match="direct_nhwc"):
        passes.LowerConv2d("llvm", "direct_nhw")(after("conv_bias_relu", passes.FuseAffine))


class _Doubled(Rewriter):
    """ReLU becomes a sum; all else stays."""

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        return relax.op.add(new, new) if operator_name(value) == "relax.nn.relu" else new


@pytest.mark.parametrize("rewriter", [Rewriter, _Doubled])
def test_what_a_pass_leaves_stays_the_same_binding(rewriter: type[Rewriter]) -> None:
    """Up to the first change bindings are the old ones; those that depend on it are made anew."""
    data = relax.Var("data", relax.TensorType((2, 4), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [data]):
        with builder.dataflow():
            before = builder.emit(relax.op.exp(data))
            changed = builder.emit(relax.op.nn.relu(before))
            beside = builder.emit(relax.op.sqrt(before))
            after_change = builder.emit(relax.op.add(changed, beside))
            result = builder.emit_output(after_change)
        builder.emit_func_output(result)
    module = rewrite_module(builder.get(), rewriter)
    relax.analysis.well_formed(module)
    graph = Graph(module["main"])
    kept = {var.name for var, _ in graph.bindings if any(var.same_as(old) for old in (before, beside))}
    assert kept == {before.name, beside.name}
    assert any(var.same_as(changed) for var, _ in graph.bindings) == (rewriter is Rewriter)
    assert any(var.same_as(after_change) for var, _ in graph.bindings) == (rewriter is Rewriter)
    values = np.array([[-1, 0, 1, 2]] * 2, np.float32)
    exponential = np.exp(values)
    factor = 1 if rewriter is Rewriter else 2
    assert_matches(
        run_by_plain_tvm(module, [values])[0], factor * exponential + np.sqrt(exponential), rewriter
    )
