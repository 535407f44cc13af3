"""Whole networks compiled for foreign CPUs: their kernels under emulation, called in the network's order."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from emulation import CPUS, EmulatedCpu, Library
from support import assert_matches
from tvm import relax, tirx

import tvm_directconv as directconv
from intrinsics.isa import best_isa
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.passes import graph_passes, kernel_passes
from relay_strategies.relax.graph import constant, operator_name, shape_of
from tvm_directconv import zoo
from tvm_directconv.algorithms.lowering import called_kernels

pytestmark = [pytest.mark.emulated, pytest.mark.slow]

AGREEMENT = 1e-4
"""Of the largest output, between two instruction sets' orders of summation."""


def lowered(name: str, cpu: EmulatedCpu) -> tvm.IRModule:
    """The network as calls of kernels for the CPU, before memory is planned."""
    with cpu.target.tvm_target:
        passes = [*graph_passes(cpu.target), *kernel_passes(cpu.target)]
        return tvm.transform.Sequential(passes)(import_model(zoo.load_model(name), None, None))


def run_emulated(module: tvm.IRModule, cpu: EmulatedCpu, image: np.ndarray) -> np.ndarray:
    functions = {v.name_hint: f for v, f in module.functions_items() if isinstance(f, tirx.PrimFunc)}
    library = Library(cpu, functions)
    main = module["main"]
    values: dict[relax.Var, np.ndarray] = {main.params[0]: image}

    def value_of(expr: relax.Expr) -> np.ndarray:
        array = constant(expr)
        return values[expr] if array is None else array

    for block in main.body.blocks:
        for binding in block.bindings:
            value, shape = binding.value, shape_of(binding.var)
            if operator_name(value) == "relax.builtin.alloc_tensor":
                values[binding.var] = np.zeros(shape, np.float32)
            elif operator_name(value) in ("relax.call_tir", "relax.call_tir_inplace"):
                arguments = [value_of(argument) for argument in value.args[1].fields]
                if operator_name(value) == "relax.call_tir":
                    arguments.append(np.zeros(shape, np.float32))
                # What is written in place is an operator's last argument, too.
                result = library.call(value.args[0].name_hint, arguments)
                values[binding.var] = result.tensors[-1]
            elif operator_name(value) == "relax.reshape":
                values[binding.var] = value_of(value.args[0]).reshape(shape)
            else:
                assert isinstance(value, relax.Var), f"{value} is no kernel"
                values[binding.var] = values[value]
    return values[main.body.body]


@pytest.mark.parametrize(
    ("name", "cpu"),
    [
        ("light_squeezenet", "cortex-a57"),
        ("light_squeezenet", "power10"),
        ("light_shufflenet", "neoverse-n1"),
    ],
)
def test_network_agrees_with_this_hosts(name: str, cpu: str) -> None:
    emulated = CPUS[cpu]
    module = lowered(name, emulated)
    isa = best_isa(emulated.target).name
    kernels = {
        kernel.split("__")[0]
        for function in module.functions.values()
        if isinstance(function, tirx.PrimFunc)
        for kernel in called_kernels(function.body)
    }
    assert kernels and all(kernel.endswith(isa) for kernel in kernels)
    native = directconv.compile(zoo.load_model(name), target="llvm -mcpu=native")
    image = np.random.default_rng(0).standard_normal(native.inputs[0].shape, np.float32)
    (want,) = native.run([image])
    got = run_emulated(module, emulated, image)
    scale = float(np.abs(want).max())
    assert_matches(got / scale, want / scale, f"{name} on {cpu}", AGREEMENT)
