"""Chains of convolutions by blocks of rows: bit by bit what the layers give, and which are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from chain_support import (
    CLIP,
    DIRECT,
    PLAIN,
    SILU,
    Epilogue,
    arguments,
    chain,
    drawn,
    inverted_residual,
    one_by_one,
    plans,
)
from chain_support import reference as reference_chain
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import assert_matches, peak_workspace_bytes, runnable_target, with_threads

from tvm_directconv.algorithms.chains.calls import chain_function
from tvm_directconv.algorithms.chains.choice import SHARE_OF_L2, chain_of, pays
from tvm_directconv.algorithms.chains.cost import chain_cost, separate_cycles
from tvm_directconv.algorithms.chains.geometry import Chain
from tvm_directconv.algorithms.strips.sharing import busiest
from tvm_directconv.problem.storage import Storage
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, resolve_target

Layers = list[Conv2dWorkload | None]


def grouped(
    size: tuple[int, int],
    channels: int,
    groups: int,
    out: int,
    *shape: tuple[int, ...],
    epilogue: Epilogue = CLIP,
) -> Conv2dWorkload:
    """A convolution of one image; ``shape`` are kernel, strides, padding and dilation."""
    kernel, *rest = shape
    names = ("strides", "padding", "dilation")
    options: dict[str, Any] = dict(zip(names, rest, strict=False))
    return Conv2dWorkload(1, *size, channels, out, kernel, groups=groups, epilogue=epilogue, **options)  # type: ignore[arg-type]


AROUND = (1, 1, 1, 1)
CASES: dict[str, tuple[Layers, int]] = {
    "odd": (inverted_residual((2, 7, 9), (5, 13, 11), last=PLAIN), 2),
    "residual": (inverted_residual((1, 11, 13), (19, 37, 19)), 3),
    "stride 2, a row": (inverted_residual((2, 11, 7), (3, 17, 5), stride=2, last=PLAIN), 1),
    "stride 2": (inverted_residual((1, 12, 12), (16, 48, 24), stride=2, last=PLAIN), 4),
    "5x5": (inverted_residual((1, 13, 11), (8, 24, 8), kernel=5, epilogue=SILU), 2),
    "7x7, a row": (inverted_residual((1, 9, 8), (4, 16, 4), kernel=7), 1),
    "several panels": (inverted_residual((1, 6, 5), (70, 150, 70)), 2),
    "no first": ([None, *inverted_residual((2, 9, 9), (1, 21, 10), last=CLIP)[1:]], 4),
    "no last": ([*inverted_residual((2, 9, 9), (6, 33, 1), kernel=5)[:2], None], 2),
    "more images than blocks": (inverted_residual((5, 3, 3), (4, 9, 4)), 3),
    "one row, two images": (inverted_residual((2, 1, 6), (4, 9, 4)), 1),
    "rows beyond the padding": (
        [one_by_one(1, 3, 6, 4, 9), grouped((3, 6), 9, 9, 9, (3, 3), (1, 1), (4, 1, 5, 1)), None],
        2,
    ),
    "dilated": (
        [one_by_one(1, 11, 9, 4, 9), grouped((11, 9), 9, 9, 9, (3, 2), (1, 1), (2, 0, 1, 1), (2, 1)), None],
        3,
    ),
    "stride beyond the kernel": (
        [one_by_one(1, 11, 9, 4, 9), grouped((11, 9), 9, 9, 9, (2, 2), (3, 3)), one_by_one(1, 4, 3, 9, 7)],
        2,
    ),
    "3x3 with stride in front": (
        [
            grouped((15, 13), 3, 1, 18, (3, 3), (2, 2), AROUND),
            *inverted_residual((1, 8, 7), (1, 18, 9), last=CLIP)[1:],
        ],
        3,
    ),
    "groups in front": (
        [
            grouped((9, 7), 12, 2, 34, (3, 3), (1, 1), AROUND),
            *inverted_residual((1, 9, 7), (1, 34, 9), last=CLIP)[1:],
        ],
        2,
    ),
    "two channels for each": (
        [
            one_by_one(1, 9, 8, 6, 16),
            grouped((9, 8), 16, 16, 32, (3, 3), (1, 1), AROUND),
            one_by_one(1, 9, 8, 32, 5),
        ],
        2,
    ),
}


def compiled(found: Chain, target: CompileTarget) -> tvm.runtime.Executable:
    """The chain, and its layers by themselves."""
    functions = {"chain": chain_function(found).prim_func}
    functions |= {f"layer{i}": part.schedule(part.compute()) for i, part in enumerate(found.parts)}
    named = {name: function.with_attr("global_symbol", name) for name, function in functions.items()}
    return tvm.compile(tvm.IRModule(named), target=target.tvm_target)


def check(layers: Layers, rows: int, target: CompileTarget, threads: Sequence[int] = (1,)) -> None:
    found = chain(layers, target, rows)
    operands = drawn(found)
    module = compiled(found, target).mod
    data = operands[0][0]
    for index, (part, (_, weights, bias, residual)) in enumerate(zip(found.parts, operands, strict=True)):
        assert weights is not None
        result = np.full(part.workload.output_shape, np.nan, np.float32)
        arrays = [data, part.pack(weights), bias, residual, result]
        given = [tvm.runtime.tensor(array) for array in arrays if array is not None]
        module[f"layer{index}"](*given)
        data = given[-1].numpy()
    want = reference_chain(found, operands)

    def run() -> np.ndarray:
        tensors = [tvm.runtime.tensor(array) for array in arguments(found, operands)]
        module["chain"](*tensors)
        return tensors[-1].numpy()

    for count in threads:
        what = f"{count} threads, {rows} rows: {', '.join(map(str, layers))}"
        got = with_threads(count, run)
        np.testing.assert_array_equal(got, data, what)
        assert_matches(got, want, what)


QUICK = (
    "odd", "residual", "stride 2, a row", "no first", "no last", "rows beyond the padding",
    "3x3 with stride in front",
)  # fmt: skip


@pytest.mark.parametrize(
    "case", [case if case in QUICK else pytest.param(case, marks=pytest.mark.slow) for case in CASES]
)
def test_chains_are_their_layers(case: str) -> None:
    """On one thread, two and three: the first block of a thread finds no rows of one before."""
    layers, rows = CASES[case]
    check(layers, rows, resolve_target("llvm -mcpu=native"), threads=(1, 2, 3))


@pytest.mark.parametrize("isa", ["portable", "avx512"])
def test_chains_on_other_instruction_sets(isa: str) -> None:
    for case in ("odd", "3x3 with stride in front"):
        check(*CASES[case], runnable_target(isa))


@pytest.mark.slow
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_drawn_chains(data: st.DataObject) -> None:
    draw: Callable[[int, int], int] = lambda low, high: data.draw(st.integers(low, high))  # noqa: E731
    size = draw(1, 3), draw(2, 13), draw(1, 11)
    kernel, stride = data.draw(st.sampled_from([(1, 1), (3, 1), (3, 2), (5, 1), (5, 2), (7, 3)]))
    layers = inverted_residual(size, (draw(1, 20), draw(2, 40), draw(1, 20)), kernel, stride, last=PLAIN)
    missing = data.draw(st.sampled_from([None, 0, 2]))
    height = layers[1].out_height if layers[1] else 0
    if missing is not None:
        layers[missing] = None
    rows = draw(1, height if size[0] > 1 else max(1, height - 1))
    if size[0] * -(-height // rows) > 1:
        check(layers, rows, resolve_target("llvm -mcpu=native"), threads=(2,))


@pytest.mark.parametrize("case", ["odd", "no first", "no last", "rows beyond the padding"])
def test_allocates_what_it_states(case: str, tmp_path: Path) -> None:
    layers, rows = CASES[case]
    found = chain(layers, target := resolve_target("llvm -mcpu=native"), rows)
    executable, arrays = compiled(found, target), arguments(found, drawn(found))
    counted = with_threads(1, lambda: peak_workspace_bytes(executable, "chain", arrays, tmp_path))
    assert counted == found.workspace_bytes


def test_workspace_is_a_few_rows() -> None:
    """Rows have 9 pixels by 13 channels: there are 4 in front of the depthwise layer, 2 behind it; and a
    number."""
    layers, rows = CASES["odd"]
    assert chain(layers, ZEN3, rows).workspace_bytes == 4 * (4 * 9 * 13 + 2 * 9 * 13 + 1)


# ---- which layers make one, and when it is worth it

ZEN3, EMERALD = (resolve_target({"kind": "llvm", "mcpu": cpu}) for cpu in ("znver3", "emeraldrapids"))
SMALL = inverted_residual((1, 14, 14), (8, 16, 8))


def changed(index: int, layer: Conv2dWorkload | None) -> Layers:
    return [*SMALL[:index], layer, *SMALL[index + 1 :]]


NO_CHAINS: dict[str, Layers] = {
    "nothing beside it": [None, SMALL[1], None],
    "one block of one row": inverted_residual((1, 1, 14), (8, 16, 8)),
    "no groups": changed(1, grouped((14, 14), 16, 1, 16, (3, 3), (1, 1), AROUND)),
    "a last part with taps": changed(2, grouped((14, 14), 16, 1, 16, (3, 3), (1, 1), AROUND)),
    "a last part with stride": changed(2, grouped((14, 14), 16, 1, 16, (1, 1), (2, 2))),
    "half precision": changed(2, Conv2dWorkload(1, 14, 14, 16, 8, (1, 1), dtype="bfloat16")),
    "a residual before the end": changed(0, one_by_one(1, 14, 14, 8, 16, Epilogue(residual=True))),
    "a residual in the middle": changed(
        1, grouped((14, 14), 16, 16, 16, (1, 1), epilogue=Epilogue(residual=True))
    ),
    "rows longer than L2": inverted_residual((1, 4, 3000), (8, 64, 8)),
}


@pytest.mark.parametrize("case", NO_CHAINS)
def test_what_makes_no_chain(case: str) -> None:
    assert chain_of(*plans(SMALL, ZEN3)) is not None
    assert chain_of(*plans(NO_CHAINS[case], ZEN3)) is None


def test_parts_of_tensors_and_passes_make_no_chain() -> None:
    first, middle, last = plans(SMALL, ZEN3)
    assert first is not None
    part = DIRECT.plan(Conv2dWorkload(1, 14, 14, 8, 16, (1, 1), storage=Storage((3, 20))), ZEN3)
    assert chain_of(part, middle, last) is None
    deep = plans(inverted_residual((1, 14, 14), (128, 16, 8)), ZEN3)
    assert deep[0] is not None
    knobs = type(deep[0].knobs)(nr=16, strip=14, rows=1, c_ib=64)
    assert chain_of(*deep) is not None
    assert chain_of(DIRECT.plan(deep[0].workload, ZEN3, knobs), *deep[1:]) is None


@pytest.mark.parametrize("target", [ZEN3, EMERALD], ids=["znver3", "emeraldrapids"])
@pytest.mark.parametrize(
    ("size", "channels", "stride", "worth"),
    [
        (112, (16, 96, 24), 2, True),
        (112, (16, 48, 24), 2, True),
        (56, (24, 144, 32), 2, True),
        (7, (160, 960, 160), 1, False),
    ],
)
def test_the_model_wants_chains_whose_tensors_leave_cache(
    size: int, channels: tuple[int, int, int], stride: int, worth: bool, target: CompileTarget
) -> None:
    found = chain(inverted_residual((1, size, size), channels, stride=stride, last=PLAIN), target)
    assert pays(chain_cost(found).total, separate_cycles(found)) is worth
    cost, apart = chain_cost(found), separate_cycles(found)
    assert 0.5 < cost.total / apart < 1.2
    room = SHARE_OF_L2 * target.machine.cache(2).size_bytes
    assert found.block_bytes <= room
    # More than half of the rows that fit and leave two blocks, so that few rows are moved.
    fitting = [
        rows
        for rows in range(1, -(-found.middle.workload.out_height // 2) + 1)
        if replace(found, rows=rows).block_bytes <= room
    ]
    assert found.rows <= fitting[-1] < 2 * found.rows


@pytest.mark.parametrize("channels", [(64, 384, 64), (96, 576, 96)])
def test_two_threads_share_blocks_evenly(channels: tuple[int, int, int]) -> None:
    """14 rows in blocks that differ by one, where four rows at a time would leave one thread 8 of them."""
    layers = inverted_residual((1, 14, 14), channels)
    found = chain([None, *layers[1:]], resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver3"))
    rows = [found.start(block + 1) - found.start(block) for block in range(found.blocks)]
    assert sorted(set(rows), reverse=True) == found.extents and sum(rows) == 14
    assert busiest(rows, [1], 2) == 1 / 2
