"""Kernels that are given a network's inputs check them; those between them are spared it."""

from __future__ import annotations

import re

import numpy as np
import onnx
import pytest
import tvm
from onnx import helper
from operator_support import guarded
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

import tvm_directconv as directconv
from relay_strategies.relax.kernels import kernels_of_inputs

CHECK = "expected to be compact array"


def small_network() -> onnx.ModelProto:
    """An input that one kernel reads, and another after a reshape, a convolution, and a permutation."""
    weight = helper.make_tensor("w", onnx.TensorProto.FLOAT, [8, 8, 3, 3], [0.1] * 576)
    nodes = [
        helper.make_node("Flatten", ["x"], ["flat"]),
        helper.make_node("Softmax", ["flat"], ["shares"]),
        helper.make_node("Relu", ["x"], ["positive"]),
        helper.make_node("Conv", ["positive", "w"], ["y"], pads=[1, 1, 1, 1]),
    ]
    given = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 8, 6, 6])
    results = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in ("y", "shares")]
    graph = helper.make_graph(nodes, "small", [given], results, [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def aligned(*shape: int, dtype: str = "float32") -> np.ndarray:
    return guarded(shape, np.dtype(dtype), 0)[1]


@pytest.fixture(scope="module")
def executable() -> relax.VMExecutable:
    return directconv.compile(small_network(), algorithm="direct_nhwc", cache=False).executable


def test_kernels_of_inputs_check_and_others_do_not(executable: relax.VMExecutable) -> None:
    sources = [library.inspect_source("ll") for library in executable.mod.imports]
    functions = {tuple(re.findall(r"@__tvm_ffi_(\w+)\(ptr", source)): CHECK in source for source in sources}
    checking = {name for names, checks in functions.items() for name in names if checks}
    others = {name for names, checks in functions.items() for name in names if not checks}
    assert checking == {"relu", "softmax"}
    assert any(name.startswith("direct_nhwc") for name in others) and "nhwc_to_nchw" in others


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (aligned(1, 8, 6, 7), "shape"),
        (aligned(1, 8, 6, 6, dtype="float64"), "float32"),
        (aligned(1, 6, 6, 8).transpose(0, 3, 1, 2), "compact|contiguous"),
    ],
    ids=["shape", "type", "strides"],
)
def test_what_is_no_input_is_refused_by_the_code_itself(
    given: np.ndarray, message: str, executable: relax.VMExecutable
) -> None:
    machine = relax.VirtualMachine(executable, tvm.cpu())
    with pytest.raises(Exception, match=message):
        machine["main"](tvm.runtime.from_dlpack(given))


def test_views_of_arguments_are_arguments() -> None:
    @I.ir_module
    class Module:
        @T.prim_func(private=True, s_tir=True)
        def first(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
            for i in range(4):
                b[i] = a[i]

        @T.prim_func(private=True, s_tir=True)
        def second(a: T.Buffer((2, 2), "float32"), b: T.Buffer((4,), "float32")):
            for i in range(4):
                b[i] = a[i // 2, i % 2]

        @T.prim_func(private=True, s_tir=True)
        def third(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
            for i in range(4):
                b[i] = a[i] + T.float32(1)

        @R.function(pure=False)
        def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            cls = Module
            made = R.builtin.alloc_tensor(R.shape([4]), "float32", 0)
            cls.first(x, made)
            view = R.call_packed(
                "vm.builtin.reshape", x, R.shape([2, 2]), ty_args=(R.Tensor((2, 2), "float32"),)
            )
            other = R.builtin.alloc_tensor(R.shape([4]), "float32", 0)
            cls.second(view, other)
            result = R.builtin.alloc_tensor(R.shape([4]), "float32", 0)
            cls.third(made, result)
            return result

    assert {var.name_hint for var in kernels_of_inputs(Module)} == {"first", "second"}
