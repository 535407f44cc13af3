"""A user's plain convolution serves any layer: what it leaves out is computed around it, in its own loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from graph_support import draw, inputs_of, network, node
from reference import run_onnx_runtime
from tvm import te, tirx
from tvm.s_tir import Schedule

import tvm_directconv as directconv
from relay_strategies.strategies import conv2d_strategy_generic
from relay_strategies.strategies.strategy import OpStrategy, conv2d_strategy
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.problem.operands import random_operands
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

TARGET = "llvm -mcpu=native -keys=own,cpu"


def plain_compute(w: Conv2dWorkload, target: Any) -> tirx.PrimFunc:
    """The convolution in NHWC, its filter in OIHW, of any types: all that a plain workload says."""
    (top, left, *_), (down, right), (far_y, far_x) = w.padding, w.strides, w.dilation
    sums = "int32" if w.quantized else "float32"
    data = te.placeholder((w.batch, w.height, w.width, w.in_channels), w.dtype, name="data")
    weights = te.placeholder(w.filter_shape, "int8" if w.quantized else w.dtype, name="weights")
    kh, kw = (te.reduce_axis((0, extent)) for extent in w.kernel)
    of_group, made = w.in_channels // w.groups, w.out_channels // w.groups
    ic = te.reduce_axis((0, of_group))

    def term(n: Any, y: Any, x: Any, oc: Any) -> Any:
        row, column = y * down + kh * far_y - top, x * right + kw * far_x - left
        inside = tirx.all(row >= 0, row < w.height, column >= 0, column < w.width)
        read = data[n, row, column, oc // made * of_group + ic]
        value = tirx.if_then_else(inside, read, tirx.const(0, w.dtype))
        return te.sum(value.astype(sums) * weights[oc, ic, kh, kw].astype(sums), axis=[kh, kw, ic])

    shape = (w.batch, w.out_height, w.out_width, w.out_channels)
    return te.create_prim_func([data, weights, te.compute(shape, term, name="conv")])


def in_blocks(func: tirx.PrimFunc, workload: Conv2dWorkload, target: Any) -> tirx.PrimFunc:
    """Blocks of four output channels of a pixel, summed at once."""
    sch = Schedule(func)
    block = sch.get_sblock("conv")
    n, y, x, oc, *summed = sch.get_loops(block)
    outer, inner = sch.split(oc, [None, 4])
    sch.reorder(outer, x, *summed, inner)
    sch.vectorize(inner)
    sch.parallel(sch.fuse(n, y))
    sch.decompose_reduction(block, summed[0])
    return sch.mod["main"]


def sums_first(func: tirx.PrimFunc, workload: Conv2dWorkload, target: Any) -> tirx.PrimFunc:
    """The loops that sum outermost, so that no sum is whole before all are."""
    sch = Schedule(func)
    n, y, x, oc, *summed = sch.get_loops(sch.get_sblock("conv"))
    sch.reorder(*summed, n, y, x, oc)
    return sch.mod["main"]


@pytest.fixture(autouse=True)
def offered() -> Iterator[None]:
    """Offer plain functions for targets with the key ``own``, the first of them before all else."""

    @conv2d_strategy.register("own", override=True)
    def own(workload: Conv2dWorkload, target: Any) -> OpStrategy:
        strategy = conv2d_strategy_generic(workload, target)
        strategy.add_implementation(plain_compute, in_blocks, name="in_blocks", plevel=20)
        strategy.add_implementation(plain_compute, sums_first, name="sums_first")
        return strategy

    yield
    conv2d_strategy.functions.pop("own", None)


SHAPE: Any = (1, 5, 7, 3, 8, (3, 3))
AROUND: Any = {"strides": (1, 2), "padding": (1, 1, 1, 1)}
ALL = Epilogue(bias=True, residual=True, low=0)


def of_bytes(dtype: str, *types: Any, epilogue: Epilogue = ALL) -> Conv2dWorkload:
    return Conv2dWorkload(*SHAPE, **AROUND, dtype=dtype, quantized=QuantizedTypes(*types), epilogue=epilogue)


LAYERS = {
    "plain": Conv2dWorkload(*SHAPE, **AROUND),
    "all": Conv2dWorkload(*SHAPE, **AROUND, epilogue=ALL),
    "layouts": Conv2dWorkload(*SHAPE, **AROUND, epilogue=ALL, data_layout="NCHW", filter_layout="HWIO"),
    "blocked": Conv2dWorkload(1, 5, 7, 16, 16, (1, 1), data_layout="NCHW16c"),
    "depthwise": Conv2dWorkload(
        1, 5, 7, 8, 8, (3, 3), groups=8, dilation=(1, 2), epilogue=Epilogue(True, low=0)
    ),
    "float16": Conv2dWorkload(1, 5, 7, 16, 8, (1, 1), dtype="float16", epilogue=ALL),
    "to_float32": Conv2dWorkload(1, 5, 7, 16, 8, (1, 1), dtype="bfloat16", to_float32=True, epilogue=ALL),
    "uint8": of_bytes("uint8", "uint8", 7, 3, epilogue=Epilogue(True, low=0)),
    "int8": of_bytes("int8", "int8", 0, 3, epilogue=Epilogue()),
    "sums": of_bytes("int8", "int32", 5, epilogue=Epilogue(True)),
    "added": of_bytes("int8", "int8", 5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["in_blocks", "sums_first"])
@pytest.mark.parametrize("case", LAYERS)
def test_layers_are_as_by_the_librarys_own(case: str, name: str) -> None:
    workload = LAYERS[case]
    mine = directconv.build_conv2d(workload, TARGET, name)
    own = directconv.build_conv2d(workload, TARGET, "im2col_gemm" if workload.groups == 1 else "direct_nhwc")
    given = random_operands(workload)
    got, want = (np.asarray(layer(*given), np.float64) for layer in (mine, own))
    assert mine.implementation.name == name
    tolerance = {"float32": 1e-5, "float16": 2e-3}.get(workload.out_dtype, 0)
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * np.abs(want).max())


def test_the_epilogue_is_in_the_functions_loops() -> None:
    """A block of four sums is held; all of them, where none is whole before all are."""
    workload = LAYERS["all"]
    inside, behind = (directconv.build_conv2d(workload, TARGET, name) for name in ("in_blocks", "sums_first"))
    assert inside.workspace_bytes == 4 * 4
    assert behind.workspace_bytes == 4 * np.prod(workload.output_shape)
    assert directconv.build_conv2d(LAYERS["plain"], TARGET).workspace_bytes == 0


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_networks_are_right(layout: str) -> None:
    weights = {"w": draw(8, 3, 3, 3), "b": draw(8), "v": draw(8, 8, 1, 1), "d": draw(6, 8)}
    nodes = [
        node("Conv", "x w b", "u", pads=[1, 1, 1, 1]),
        node("LeakyRelu", "u", "h"),
        node("Conv", "h v", "c"),
        node("Add", "c h", "s"),
        node("Relu", "s", "r"),
        node("GlobalAveragePool", "r", "p"),
        node("Flatten", "p", "f"),
        node("Gemm", "f d", "y", transB=1),
    ]
    model = network(nodes, {"x": (1, 3, 6, 6)}, {"y": (1, 6)}, weights)
    compiled = directconv.compile(model, TARGET, layout=layout)
    assert {layer.algorithm for layer in compiled.report().layers} == {"in_blocks"}
    given = inputs_of(model)
    (got,), (want,) = compiled.run(given), run_onnx_runtime(model, given)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_errors_in_networks_name_layer_strategy_and_operand() -> None:
    def wrong(workload: Conv2dWorkload, target: Any) -> tirx.PrimFunc:
        return plain_compute(Conv2dWorkload(1, 6, 6, 3, 4, (3, 3)), target)

    def raises(workload: Conv2dWorkload, target: Any) -> tirx.PrimFunc:
        raise KeyError("tile")

    model = network(
        [node("Conv", "x w", "y")], {"x": (1, 3, 6, 6)}, {"y": (1, 8, 4, 4)}, {"w": draw(8, 3, 3, 3)}
    )
    for compute, told in (
        (
            wrong,
            r"'mine' of n1_.*: the filter is float32 \(8, 3, 3, 3\), and 'weights', float32 \(4, 3, 3, 3\)",
        ),
        (raises, "compute of implementation 'mine' raises KeyError, 'tile'; it is given n1_"),
    ):

        @conv2d_strategy.register("own", override=True)
        def own(workload: Conv2dWorkload, target: Any, compute: Any = compute) -> OpStrategy:
            strategy = OpStrategy()
            strategy.add_implementation(compute, in_blocks, name="mine")
            return strategy

        with pytest.raises(AlgorithmError, match=f"^layer 'Conv:y', by conv2d_strategy of 'own': .*{told}"):
            directconv.compile(model, TARGET)
