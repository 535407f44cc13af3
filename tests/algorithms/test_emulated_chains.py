"""Chains of convolutions, compiled for foreign CPUs, under emulation: threads, and workspace of their own."""

from __future__ import annotations

import pytest
from chain_support import PLAIN, SILU, arguments, chain, drawn, inverted_residual, reference
from emulation import CPUS, emulate
from support import assert_matches

from tvm_directconv.algorithms.chains.calls import chain_function

pytestmark = [pytest.mark.emulated]
CHAINS = [
    (inverted_residual((2, 7, 9), (5, 13, 11), stride=2, last=PLAIN), 1),
    (inverted_residual((1, 11, 7), (6, 21, 6), kernel=5, epilogue=SILU), 2),
    ([*inverted_residual((1, 9, 5), (4, 19, 1))[:2], None], 3),
    ([None, *inverted_residual((1, 9, 5), (1, 19, 7), last=PLAIN)[1:]], 2),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("cpu", ["cortex-a57", "power10", "rvv"])
def test_chains(cpu: str, threads: int) -> None:
    emulated = CPUS[cpu]
    found = [chain(layers, emulated.target, rows) for layers, rows in CHAINS]
    operands = [drawn(each) for each in found]
    functions = {f"chain{i}": chain_function(each).prim_func for i, each in enumerate(found)}
    calls = [(f"chain{i}", arguments(*both)) for i, both in enumerate(zip(found, operands, strict=True))]
    results = emulate(emulated, functions, calls, threads=threads)
    for each, given, result in zip(found, operands, results, strict=True):
        assert_matches(result.tensors[-1], reference(each, given), f"{cpu}: {each.parts}")
        assert each.workspace_bytes <= result.peak_bytes <= threads * each.workspace_bytes
