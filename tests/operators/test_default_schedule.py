"""The default schedule: results as before, vectors and parallel loops where they pay."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import numpy as np
import pytest
import tvm
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_support import SIZES, compile_kernel, isas
from support import assert_matches, runnable_target
from tvm import relax, s_tir, te, tirx, topi
from tvm.s_tir.dlight import ScheduleRule
from tvm_ffi import structural_walk

from relay_strategies import passes
from tvm_directconv.operators import schedule_default
from tvm_directconv.targets.target import CompileTarget

Make = Callable[..., te.Tensor]


def tensor(*shape: int, dtype: str = "float32") -> te.Tensor:
    return te.placeholder(shape, dtype, name="x")


CASES: dict[str, tuple[list[te.Tensor], Make]] = {
    "sigmoid of relu": ([tensor(1, 9, 56, 64)], lambda x: topi.sigmoid(topi.nn.relu(x))),
    "tanh, odd length": ([tensor(3, 37)], topi.tanh),
    "tanh, chunks and a tail": ([tensor(3, 20011)], topi.tanh),
    "rows with tails": ([tensor(40, 1031), tensor(40, 1)], lambda x, b: topi.exp(topi.sin(topi.add(x, b)))),
    "bias and relu": ([tensor(1, 56, 56, 64), tensor(64)], lambda x, b: topi.nn.relu(topi.add(x, b))),
    "rows of no whole vectors": ([tensor(1, 128, 30, 30), tensor(128, 1, 1)], topi.multiply),
    "flatten": ([tensor(2, 7, 7, 32)], lambda x: topi.reshape(x, (2, 7 * 7 * 32))),
    "transpose": ([tensor(1, 48, 7, 7)], lambda x: topi.transpose(x, (0, 2, 3, 1))),
    "softmax": ([tensor(60, 1000)], topi.nn.softmax),
    "softmax over axis 1": ([tensor(2, 10, 6, 16)], lambda x: topi.nn.softmax(x, 1)),
    "mean of squares NHWC": ([tensor(1, 40, 40, 64)], lambda x: topi.sum(x * x, [1, 2]) * (1 / 1600)),
    "sum NCHW": ([tensor(1, 64, 56, 56)], lambda x: topi.sum(x, [2, 3])),
    "maximum of all": ([tensor(6, 7, 64)], topi.max),
    "sum, odd length": ([tensor(5, 37)], lambda x: topi.sum(x, -1)),
    "argmax": ([tensor(50, 128)], lambda x: topi.argmax(x, 1)),
    "argmax over axis 0": ([tensor(9, 64)], lambda x: topi.argmax(x, 0)),
    "dense": ([tensor(30, 256), tensor(20, 256)], topi.nn.dense),
    "matmul and relu": ([tensor(30, 64), tensor(64, 128)], lambda a, b: topi.nn.relu(topi.matmul(a, b))),
    "layer norm": (
        [tensor(20, 256), tensor(256), tensor(256)],
        lambda x, gamma, beta: topi.nn.layer_norm(x, gamma, beta, [1], 1e-5),
    ),
    "max pool NHWC": (
        [tensor(1, 27, 27, 32)],
        lambda x: topi.nn.pool2d(x, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), "max", layout="NHWC"),
    ),
    "lrn": ([tensor(1, 24, 6, 6)], lambda x: topi.nn.lrn(x, 5, 1, 1e-2, 0.75, 1.0)),
    "convolution": (
        [tensor(1, 8, 14, 14), tensor(16, 8, 3, 3)],
        lambda x, w: topi.nn.relu(topi.nn.conv2d_nchw(x, w, 1, 1, 1)),
    ),
    "concat": ([tensor(1, 9, 9, 32), tensor(1, 9, 9, 5)], lambda x, y: topi.concatenate([x, y], -1)),
    "pad": ([tensor(1, 9, 9, 13)], lambda x: topi.nn.pad(x, (0, 1, 2, 0), (0, 1, 1, 3))),
    "strided slice": (
        [tensor(1, 9, 9, 32)],
        lambda x: topi.strided_slice(x, [0, 1, 0, 3], [1, 8, 9, 30], [1, 2, 1, 1]),
    ),
    "comparison": ([tensor(50, 64)], lambda x: topi.greater(x, te.const(0.25, "float32"))),
    "integers": ([tensor(50, 64, dtype="int8")], lambda x: topi.cast(x, "int32") * 3),
    "integers of exponentials": ([tensor(3, 37)], lambda x: topi.cast(topi.exp(x) * 2, "int32")),
    "integers of logarithms": ([tensor(3, 37)], lambda x: topi.cast(topi.log(x * x + 1), "int64")),
    "cumulative sum": ([tensor(8, 40)], lambda x: topi.cumsum(x, 1)),
    "scalar": ([tensor()], lambda x: x + te.const(1.0, "float32")),
}


def te_function(name: str) -> tirx.PrimFunc:
    inputs, make = CASES[name]
    return te.create_prim_func([*inputs, make(*inputs)])


def results(func: tirx.PrimFunc, target: CompileTarget) -> np.ndarray:
    *inputs, output = func.params
    rng = np.random.default_rng(0)
    arrays = [(rng.standard_normal([int(e) for e in p.ty.shape]) * 3).astype(str(p.ty.dtype)) for p in inputs]
    result = tvm.runtime.tensor(np.zeros([int(e) for e in output.ty.shape], str(output.ty.dtype)))
    compile_kernel(func, target)["kernel"](*map(tvm.runtime.tensor, arrays), result)
    return result.numpy()


@pytest.mark.slow
@isas
@pytest.mark.parametrize("name", CASES)
def test_results_stay(isa: str, name: str) -> None:
    func, target = te_function(name), runnable_target(isa)
    got, want = results(schedule_default(func, target), target), results(func, target)
    assert got.dtype == want.dtype
    assert_matches(got.astype(np.float64), want.astype(np.float64), name)


@isas
@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 12, 7)])
def test_tiles_are_read_without_remainders(isa: str, shape: tuple[int, ...]) -> None:
    """From some of them LLVM 22 computes wrong addresses for AVX-512: the reference is numpy."""
    x, repeats = tensor(*shape), (6, 4, 2)
    func = schedule_default(te.create_prim_func([x, topi.tile(x, repeats)]), runnable_target(isa))
    drawn = (np.random.default_rng(0).standard_normal(shape) * 3).astype("float32")
    np.testing.assert_array_equal(results(func, runnable_target(isa)), np.tile(drawn, repeats))


@pytest.mark.slow
@settings(max_examples=20)
@given(
    shape=st.lists(SIZES, min_size=1, max_size=4), last=st.sampled_from([1, 5, 16, 31, 64]), data=st.data()
)
def test_results_stay_for_drawn_shapes(shape: list[int], last: int, data: st.DataObject) -> None:
    shape, target = [*shape, last], runnable_target("portable")
    x, y = tensor(*shape), tensor(last)
    axes = data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1).map(sorted))
    transformed = topi.exp(topi.multiply(x, y))
    func = te.create_prim_func([x, y, topi.sum(transformed, axes)])
    got, want = results(schedule_default(func, target), target), results(func, target)
    assert_matches(got, want, (shape, axes))


@pytest.mark.slow
@settings(max_examples=20)
@given(shape=st.lists(st.integers(1, 7), min_size=2, max_size=4), data=st.data())
def test_rows_side_by_side_are_those_of_all_tensors(shape: list[int], data: st.DataObject) -> None:
    """Broadcast along any axes, permuted, or a part of a larger one."""
    target, x = runnable_target("portable"), tensor(*[extent + 1 for extent in shape])
    y = tensor(*[data.draw(st.sampled_from([1, extent])) for extent in shape][data.draw(st.integers(0, 1)) :])
    z = tensor(*data.draw(st.permutations(shape)))
    order = (
        [[int(e) for e in z.shape].index(extent) for extent in shape]
        if len(set(shape)) == len(shape)
        else None
    )
    part = topi.strided_slice(x, [0] * len(shape), shape)
    both = topi.add(part, y) if order is None else topi.add(topi.multiply(part, topi.transpose(z, order)), y)
    func = te.create_prim_func([x, y, *([] if order is None else [z]), both])
    assert_matches(results(schedule_default(func, target), target), results(func, target), shape)


def kinds(func: tirx.PrimFunc) -> set[int]:
    loops: list[tirx.For] = []
    structural_walk(func.body, (tirx.For, loops.append))
    return {int(loop.kind) for loop in loops}


@pytest.mark.parametrize(
    "name",
    [
        "sigmoid of relu",
        "bias and relu",
        "rows of no whole vectors",
        "softmax",
        "sum NCHW",
        "mean of squares NHWC",
    ],
)
def test_large_functions_become_parallel_vectors(name: str) -> None:
    scheduled = schedule_default(te_function(name), runnable_target("portable"))
    assert {tirx.ForKind.VECTORIZED, tirx.ForKind.PARALLEL} <= kinds(scheduled)


def test_roundings_are_vectors_of_llvm_alone() -> None:
    """TVM's own took six times as long."""
    x = tensor(49, 2048)
    func = te.create_prim_func([x, te.compute(x.shape, lambda *at: tirx.nearbyint(x(*at)))])
    assert tirx.ForKind.VECTORIZED not in kinds(schedule_default(func, runnable_target("portable")))


def test_small_functions_stay_serial() -> None:
    for name in ("tanh, odd length", "flatten", "argmax", "layer norm", "pad"):
        scheduled = schedule_default(te_function(name), runnable_target("portable"))
        assert tirx.ForKind.PARALLEL not in kinds(scheduled), name


LIBM = {f"{name}f" for name in ("erf", "exp", "exp2", "expm1", "log", "log1p", "log2", "pow", "tanh")}
NO_LIBM: dict[str, Make] = {
    "erf": topi.erf,
    "exp": topi.exp,
    "gelu": lambda x: x * (0.5 + topi.erf(x * 0.7071) * 0.5),
    "log": topi.log,
    "power": lambda x: topi.power(x, 3.0) + topi.power(x, -0.5) + topi.power(x, 2.0),
    "sigmoid": topi.sigmoid,
    "silu": lambda x: x * topi.sigmoid(x),
    "softmax": topi.nn.softmax,
    "softplus": topi.nn.softplus,
    "tanh": topi.tanh,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NO_LIBM)
def test_no_call_of_libm_is_left(name: str) -> None:
    x = tensor(4, 64)
    func = te.create_prim_func([x, NO_LIBM[name](x)]).with_attr("global_symbol", "kernel")
    target = runnable_target("portable")
    built = tvm.tirx.build(tvm.IRModule({"kernel": schedule_default(func, target)}), target=target.tvm_target)
    assert set(re.findall(r"\b(\w+f)\b", built.inspect_source("asm"))) & LIBM == set()


def test_functions_it_cannot_improve_come_back_unchanged() -> None:
    target = runnable_target("portable")
    schedule = s_tir.Schedule(te_function("flatten"))
    (block,) = schedule.get_child_blocks(schedule.get_sblock("root"))
    schedule.parallel(schedule.get_loops(block)[0])
    mine = schedule.mod["main"]
    assert schedule_default(mine, target).same_as(mine)


def test_rows_of_an_open_number_become_vectors() -> None:
    length = tirx.Var("n", "int64")
    x = te.placeholder((length, 32), "float32", name="x")
    function = te.create_prim_func([x, topi.nn.relu(x)])
    target = runnable_target("portable")
    scheduled = schedule_default(function, target)
    assert "T.vectorized(" in scheduled.script()
    data = np.random.default_rng(5).standard_normal((7, 32)).astype(np.float32)
    given, made = tvm.runtime.tensor(data), tvm.runtime.tensor(np.empty_like(data))
    module = tvm.IRModule({"main": scheduled.with_attr("global_symbol", "main")})
    tvm.compile(module, target.tvm_target)["main"](given, made)
    np.testing.assert_array_equal(made.numpy(), np.maximum(data, 0))


def test_functions_fused_from_relax() -> None:
    """What the compiler gives it: legalized, fused, with 64-bit indices."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((2, 12, 10, 24), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            y = builder.emit(relax.op.nn.gelu(relax.op.permute_dims(x, [0, 2, 3, 1])))
            y = builder.emit(relax.op.multiply(y, relax.op.sigmoid(y)))
            z = builder.emit_output(relax.op.add(y, relax.op.mean(y, [1, 2], keepdims=True)))
        builder.emit_func_output(z)
    target = runnable_target("portable")
    legalize = tvm.transform.Sequential(
        [
            relax.transform.LegalizeOps(),
            relax.transform.AnnotateTIROpPattern(),
            relax.transform.FuseOps(),
            relax.transform.FuseTIR(),
        ]
    )
    module = legalize(builder.get())
    scheduled = module.clone()
    for name, func in module.functions_items():
        if isinstance(func, tirx.PrimFunc):
            scheduled.update_func(name, schedule_default(func, target))
    data = tvm.runtime.tensor(np.random.default_rng(0).standard_normal((2, 12, 10, 24)).astype("float32"))
    got, want = (
        relax.VirtualMachine(tvm.compile(m, target.tvm_target), tvm.cpu())["main"](data).numpy()
        for m in (scheduled, module)
    )
    assert_matches(got, want, "fused")


# ---- the pass


def legalized() -> tvm.IRModule:
    """One kernel, ``tanh``, that FuseOps finds nothing to join with."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((40, 64, 64), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            result = builder.emit_output(relax.op.tanh(x))
        builder.emit_func_output(result)
    before = itertools.takewhile(
        lambda each: "ScheduleDefault" not in each.info.name, passes.kernel_passes("llvm")
    )
    return tvm.transform.Sequential([*before])(builder.get())


def kernel(module: tvm.IRModule) -> tirx.PrimFunc:
    (function,) = (f for f in module.functions.values() if isinstance(f, tirx.PrimFunc))
    return function


def test_kernels_that_were_fused_with_nothing_are_scheduled() -> None:
    before = legalized()
    unscheduled = kernel(before)
    after = kernel(passes.ScheduleDefault("llvm")(before))
    assert {tirx.ForKind.VECTORIZED, tirx.ForKind.PARALLEL} <= kinds(after)
    assert kernel(before).same_as(unscheduled), "the pass changed the module that it was given"


def test_rules_of_a_users_own() -> None:
    """The first that does not decline is taken; what is scheduled stays as it is."""

    @ScheduleRule.from_callable("Declines")
    def declines(func: tirx.PrimFunc, target: tvm.target.Target, tunable: bool) -> None:
        return None

    @ScheduleRule.from_callable("Parallel")
    def parallel(func: tirx.PrimFunc, target: tvm.target.Target, tunable: bool) -> s_tir.Schedule:
        schedule = s_tir.Schedule(func)
        (block,) = schedule.get_child_blocks(schedule.get_sblock("root"))
        schedule.parallel(schedule.get_loops(block)[0])
        return schedule

    mine = passes.ScheduleDefault("llvm", [declines, parallel])(legalized())
    assert kinds(kernel(mine)) == {tirx.ForKind.SERIAL, tirx.ForKind.PARALLEL}
    assert kernel(passes.ScheduleDefault("llvm")(mine)).same_as(kernel(mine))
    assert kinds(kernel(passes.ScheduleDefault("llvm", [declines])(legalized()))) == {tirx.ForKind.SERIAL}
