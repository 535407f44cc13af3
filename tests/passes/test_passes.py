"""The Relax passes: each leaves the network's meaning as it was, and does what its name says."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tvm
from graph_cases import CASES
from graph_support import draw, inputs_of, operators, run_by_plain_tvm
from pass_stages import after, stages
from reference import run_onnx_runtime
from support import assert_matches
from tvm import relax

import tvm_directconv as directconv
from relay_strategies import passes
from relay_strategies.relax.graph import constant, extents_of, operator_name


@pytest.mark.parametrize("case", CASES)
def test_every_stage_is_well_formed_relax(case: str) -> None:
    for module in stages(case).values():
        relax.analysis.well_formed(module)


@pytest.mark.slow
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


@pytest.mark.parametrize(("dimensions", "left"), [((1,), ()), ((1, 1), ()), ((1, 1, 1), (1, 1, 1))])
def test_an_exponent_of_one_number_is_a_number(dimensions: tuple[int, ...], left: tuple[int, ...]) -> None:
    """Unless it says how many dimensions the result has."""
    exponent = relax.const(np.full(dimensions, 2, np.float32))
    module = simplified(lambda emit, x: relax.op.power(x, exponent), (4, 6))
    (block,) = module["main"].body.blocks
    assert extents_of(block.bindings[0].value.args[1]) == left


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


def test_scales_in_front_stay_as_they_are() -> None:
    """Where no filter takes them, floats that are joined in another order are others."""
    op = relax.op
    scales = [draw(1, 6, 1, 1, seed=i) for i in range(4)]

    def build(emit, x):  # type: ignore[no-untyped-def]
        for index, scale in enumerate(scales):
            x = emit((op.multiply if index % 2 else op.add)(x, relax.const(scale)))
        return op.nn.relu(x)

    module = passes.FoldScales(simplified(build, (1, 6, 3, 3)))
    assert operators(module) == {"multiply": 2, "add": 2, "nn.relu": 1}
    data = draw(1, 6, 3, 3)
    wanted = data
    for index, scale in enumerate(scales):
        wanted = wanted * scale if index % 2 else wanted + scale
    assert_matches(run_by_plain_tvm(module, [data])[0], np.maximum(wanted, 0), "folded")


@pytest.mark.parametrize("dtype", ["int8", "int32"])
def test_means_of_integers_keep_their_type(dtype: str) -> None:
    """What TVM makes of them has 64 bits, which the sum behind could not be made of."""
    x = relax.Var("x", relax.TensorType((2, 6), dtype))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            mean = builder.emit(relax.op.mean(x, [1], keepdims=True))
            result = builder.emit_output(relax.Tuple([builder.emit(relax.op.add(mean, x)), mean]))
        builder.emit_func_output(result)
    data, means = np.arange(12).reshape(2, 6).astype(dtype), np.array([[2], [8]])
    found = directconv.compile(builder.get(), "llvm").run(data)
    for got, wanted in zip(found, (data + means, means), strict=True):
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, wanted)
