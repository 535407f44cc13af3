"""The Relax passes: each leaves the network's meaning as it was, and does what its name says."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
import tvm
from graph_cases import CASES
from graph_support import draw, inputs_of, operators, run_by_plain_tvm
from reference import run_onnx_runtime
from support import assert_matches
from tvm import relax

from intrinsics.epilogue import TileEpilogue
from relay_strategies import passes
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.passes.lower.lower_conv2d import LAYERS
from relay_strategies.relax.graph import Graph, Rewriter, constant, operator_name, rewrite_module
from relay_strategies.relax.steps import steps_of
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.targets.target import resolve_target

ORDER = [
    passes.FoldConstants,
    passes.Simplify,
    passes.NameActivations,
    passes.FoldScales,
    passes.MergeBranches,
    passes.ToNHWC,
    passes.FuseConv2d,
    passes.FuseAffine,
    passes.InlineComposites,
]


@cache
def stages(case: str) -> dict[str, tvm.IRModule]:
    """The network after each pass of ORDER, by the pass's name."""
    module, modules = import_model(CASES[case].model), {}
    for graph_pass in ORDER:
        modules[graph_pass.info.name] = module = graph_pass(module)
    return modules


def after(case: str, graph_pass: tvm.transform.Pass) -> tvm.IRModule:
    return stages(case)[graph_pass.info.name]


@pytest.mark.parametrize("case", CASES)
def test_every_stage_is_well_formed_relax(case: str) -> None:
    for module in stages(case).values():
        relax.analysis.well_formed(module)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("stage", [passes.ToNHWC, passes.FuseAffine], ids=["to_nhwc", "fused"])
def test_passes_keep_the_meaning(case: str, stage: tvm.transform.Pass) -> None:
    """What the passes make is plain Relax: TVM's own pipeline builds it, composites included."""
    model = CASES[case].model
    inputs = inputs_of(model)
    got = run_by_plain_tvm(after(case, stage), list(inputs.values()))
    for output, wanted in zip(got, run_onnx_runtime(model, inputs), strict=True):
        assert_matches(output, wanted, case)


# Flattened as NCHW for an output, the map is so for the dense layer as well.
@pytest.mark.parametrize("case", [name for name in CASES if name != "flattened_map_used_twice"])
def test_layout_changes_are_at_the_edges(case: str) -> None:
    """Data is permuted on its way from an input or to an output, never between two layers."""
    main = after(case, passes.FuseAffine)["main"]
    values = {binding.var: binding.value for block in main.body.blocks for binding in block.bindings}
    from_layer: set[relax.Var] = set()
    permuted: set[relax.Var] = set()
    for var, value in values.items():
        used = relax.analysis.free_vars(value)
        is_layer = isinstance(value, relax.Call) and isinstance(value.op, tvm.ir.GlobalVar)
        assert not (is_layer and permuted.intersection(used)), f"{case}: permuted between two layers"
        if is_layer or from_layer.intersection(used):
            from_layer.add(var)
        moves = operator_name(value) == "relax.permute_dims" and from_layer.intersection(used)
        if moves or permuted.intersection(used):
            permuted.add(var)


# ---- FoldConstants


def bind(*values: relax.Expr) -> tvm.IRModule:
    """A module that returns expressions of its only parameter-free parts."""
    builder = relax.BlockBuilder()
    with builder.function("main", []):
        with builder.dataflow():
            emitted = [builder.emit(value) for value in values]
            result = builder.emit_output(relax.Tuple(emitted))
        builder.emit_func_output(result)
    return builder.get()


def test_constant_expressions_are_evaluated() -> None:
    first, second = draw(2, 3), np.abs(draw(1, 3)) + np.float32(0.1)
    a, b = relax.const(first), relax.const(second)
    op = relax.op
    pairs = [
        (op.add(a, b), first + second),
        (op.subtract(a, b), first - second),
        (op.multiply(a, b), first * second),
        (op.divide(a, b), first / second),
        (op.power(b, relax.const(np.float32(2))), second**2),
        (op.sqrt(b), np.sqrt(second)),
        (op.rsqrt(b), 1 / np.sqrt(second)),
        (op.reshape(a, (3, 2)), first.reshape(3, 2)),
        (op.expand_dims(a, 0), first[None]),
        (op.squeeze(b, 0), second[0]),
        (op.permute_dims(a), first.T),
        (op.concat([a, b], 0), np.concatenate([first, second])),
        (op.astype(a, "int32"), first.astype(np.int32)),
        (op.where(op.isnan(a), b, a), first),
        (op.maximum(a, b), np.maximum(first, second)),
    ]
    folded = passes.FoldConstants(bind(*(expression for expression, _ in pairs)))
    assert not operators(folded)
    (binding,) = folded["main"].body.blocks[0].bindings
    for field, (_, wanted) in zip(binding.value.fields, pairs, strict=True):
        value = constant(field)
        assert value is not None and value.dtype == wanted.dtype
        assert_matches(value, wanted, "folded")


def test_constants_are_not_broadcast_into_large_ones() -> None:
    wide = relax.op.broadcast_to(relax.const(draw(1, 3)), (1000, 3))
    assert operators(passes.FoldConstants(bind(wide))) == {"broadcast_to": 1}


def test_large_matrices_of_dense_layers_are_not_transposed() -> None:
    """The layer reads them as they are stored: a copy of VGG's would take 400 MB."""
    case = "flattened_map_to_dense"
    assert operators(after(case, passes.FoldConstants))["permute_dims"] == 0  # a small one is
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((1, 512), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            matrix = builder.emit(relax.op.permute_dims(relax.const(draw(512, 512))))
            result = builder.emit_output(relax.op.matmul(x, matrix))
        builder.emit_func_output(result)
    assert operators(passes.FoldConstants(builder.get())) == {"permute_dims": 1, "matmul": 1}


# ---- Simplify


@pytest.mark.parametrize(
    ("case", "gone", "present"),
    [
        ("batch_norm_of_shared_result", ["nn.batch_norm"], {"multiply": 1}),
        ("clip_to_six", ["call_tir"], {"clip": 1}),
        ("clip_from_below", ["call_tir"], {"clip": 1}),
        ("padding_of_its_own", ["call_tir", "nn.pad"], {"nn.conv2d": 1}),
        ("reflected_padding", ["nn.pad", "call_tir"], {"take": 2}),
        ("average_over_the_map", ["nn.avg_pool2d"], {"mean": 1}),
        ("local_response_normalization", ["nn.avg_pool3d", "power"], {"fused_lrn": 1}),
        ("channel_shuffle", ["permute_dims", "reshape"], {"fused_channel_shuffle": 1}),
    ],
)
def test_operators_are_brought_to_one_form(case: str, gone: list[str], present: dict[str, int]) -> None:
    counts = operators(after(case, passes.Simplify))
    assert not [name for name in gone if counts[name]]
    assert {name: counts[name] for name in present} == present


def simplified(build: object, *shapes: tuple[int, ...]) -> tvm.IRModule:
    builder = relax.BlockBuilder()
    params = [relax.Var(f"p{i}", relax.TensorType(s, "float32")) for i, s in enumerate(shapes)]
    with builder.function("main", params):
        with builder.dataflow():
            result = builder.emit_output(build(builder.emit, *params))  # type: ignore[operator]
        builder.emit_func_output(result)
    module = builder.get()
    inputs = [draw(*shape, seed=9) for shape in shapes]
    after_pass = passes.Simplify(module)
    for got, wanted in zip(
        run_by_plain_tvm(after_pass, inputs), run_by_plain_tvm(module, inputs), strict=True
    ):
        assert_matches(got, wanted, "simplified")
    return after_pass


def test_dropout_and_redundant_reshapes_vanish() -> None:
    op = relax.op

    def build(emit, x):  # type: ignore[no-untyped-def]
        kept = emit(relax.TupleGetItem(emit(op.nn.dropout(x, 0.5)), 0))
        wide = emit(op.reshape(emit(op.reshape(kept, (3, 8))), (2, 12)))
        return op.permute_dims(emit(op.permute_dims(wide, [1, 0])), [1, 0])

    assert operators(simplified(build, (4, 6))) == {"reshape": 1}


def test_operands_are_not_broadcast_beforehand() -> None:
    op = relax.op

    def gate(emit, x, scale):  # type: ignore[no-untyped-def]
        return op.multiply(emit(op.broadcast_to(scale, (2, 3, 4, 5))), x)

    def both(emit, row, column):  # type: ignore[no-untyped-def]
        return op.add(*(emit(op.broadcast_to(x, (3, 4))) for x in (row, column)))

    assert operators(simplified(gate, (2, 3, 4, 5), (2, 3, 1, 1))) == {"multiply": 1}
    assert operators(simplified(both, (1, 4), (3, 1))) == {"add": 1}
    assert operators(simplified(both, (1, 4), (1, 4))) == {"broadcast_to": 2, "add": 1}


def test_adaptive_pooling_to_one_pixel_is_a_mean() -> None:
    op = relax.op.nn
    one = simplified(lambda emit, x: op.adaptive_avg_pool2d(x, (1, 1)), (1, 4, 6, 6))
    assert operators(one) == {"mean": 1}
    four = simplified(lambda emit, x: op.adaptive_avg_pool2d(x, (2, 2)), (1, 4, 6, 6))
    assert operators(four) == {"nn.adaptive_avg_pool2d": 1}


def test_stacked_sums_become_additions() -> None:
    """As TVM's importer writes ONNX Sum and Max, in modules that users imported themselves."""
    op = relax.op

    def build(emit, x, y, z):  # type: ignore[no-untyped-def]
        wide = [emit(op.broadcast_to(term, (4, 6))) for term in (x, y, z)]
        total = emit(op.sum(emit(op.stack(wide, 0)), axis=[0]))
        return op.max(emit(op.stack([total, x], 0)), axis=[0])

    assert operators(simplified(build, (4, 6), (1, 6), (4, 6))) == {"add": 2, "maximum": 1}


@pytest.mark.parametrize("low", [-1.0, 0.0, 0.2, -math.inf])
@pytest.mark.parametrize("high", [0.1, 0.3, math.inf])
def test_clips_of_clips_are_one(low: float, high: float) -> None:
    op = relax.op

    def build(emit, x):  # type: ignore[no-untyped-def]
        first = emit(op.nn.relu(x))
        second = emit(op.minimum(first, relax.const(np.float32(0.25))))
        return op.clip(second, *(tvm.tirx.const(bound, "float32") for bound in (low, high)))

    if low <= high:
        assert operators(simplified(build, (4, 6))) == {"clip": 1}


# ---- FoldScales


def test_batch_norm_goes_into_the_filter() -> None:
    counts = operators(after("batch_norm_folded", passes.FoldScales))
    assert counts == {"nn.conv2d": 1, "add": 1, "nn.relu": 1}


def test_scales_in_front_stay_two_operations() -> None:
    """Normalization before a convolution with padding cannot go into the filter: the border is zero."""
    op = relax.op
    scales = [draw(1, 6, 1, 1, seed=i) for i in range(4)]

    def build(emit, x):  # type: ignore[no-untyped-def]
        for index, scale in enumerate(scales):
            x = emit((op.multiply if index % 2 else op.add)(x, relax.const(scale)))
        return op.nn.relu(x)

    module = passes.FoldScales(simplified(build, (1, 6, 3, 3)))
    assert operators(module) == {"multiply": 1, "add": 1, "nn.relu": 1}
    data = draw(1, 6, 3, 3)
    wanted = data
    for index, scale in enumerate(scales):
        wanted = wanted * scale if index % 2 else wanted + scale
    assert_matches(run_by_plain_tvm(module, [data])[0], np.maximum(wanted, 0), "folded")


# ---- FuseConv2d and FuseAffine


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
