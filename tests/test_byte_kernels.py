"""Every registered micro-kernel of 8-bit integers, and tails of each, to the bit."""

from __future__ import annotations

import random

import numpy as np
import pytest
import tvm
from byte_kernels import contract, draw_instance, draw_operands, kernel_func
from support import BYTE_TARGETS, runnable_target

from tvm_directconv.intrinsics import registry
from tvm_directconv.intrinsics.isa import ISAS
from tvm_directconv.intrinsics.microkernel import ROW, KernelInstance, MicroKernel
from tvm_directconv.target import CompileTarget

NATIVE = [k for k in registry.registered_kernels() if k.isa in BYTE_TARGETS]
TRIALS = 8


def check(instance: KernelInstance, target: CompileTarget, taps: int) -> None:
    operands = draw_operands(instance, taps)
    module = tvm.compile(kernel_func(instance, operands, taps), target=target.tvm_target)
    tensors = [tvm.runtime.tensor(array) for array in operands]
    module(*tensors)
    want = contract(instance, operands, taps)
    np.testing.assert_array_equal(tensors[-1].numpy(), want, f"{instance.name}, {taps} taps")


@pytest.mark.parametrize("kernel", NATIVE, ids=lambda kernel: kernel.name)
def test_kernel_keeps_its_contract(kernel: MicroKernel) -> None:
    target = runnable_target(kernel.isa)
    rng = random.Random(kernel.name)
    for trial in range(TRIALS):
        check(draw_instance(kernel, rng, full=trial == 0), target, taps=(3, 1, 0, 2)[trial % 4])


@pytest.mark.parametrize("isa", sorted({kernel.isa for kernel in NATIVE}))
def test_every_channel_tail(isa: str) -> None:
    target, of = runnable_target(isa), ISAS[isa]
    for channels in range(1, of.lanes + 1):
        rng = random.Random(channels)
        kernel = MicroKernel(2, of.lanes, ROW, isa, rng.choice(of.types))
        instance = draw_instance(kernel, rng, full=False)
        check(instance, target, taps=2)


def test_names_parse_back() -> None:
    rng = random.Random(0)
    for kernel in registry.registered_kernels():
        if ISAS[kernel.isa].of_bytes:
            assert MicroKernel.parse(kernel.name) == kernel
            for _ in range(5):
                instance = draw_instance(kernel, rng, full=False)
                assert KernelInstance.parse(instance.name) == instance
