"""blocked against the float64 reference in its own layouts, border cases of blocks and passes included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from algorithm_support import check, lowered
from covers import in_turns
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import ISA_TARGETS, Compiled, allocated_bytes, runnable_isas, runnable_target, with_threads
from test_direct_nhwc import workloads

from intrinsics.microkernel import DEPTHWISE, ROW
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.lowering import called_kernels
from tvm_directconv.algorithms.strips.geometry import Tile
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import resolve_target

blocked = ALGORITHMS["blocked"]

FULL = Epilogue(bias=True, residual=True, low=0.0)
LAYOUT = "NCHW16c"

SHAPES = [
    Conv2dWorkload(1, 14, 14, 32, 64, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(2, 9, 9, 40, 40, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1)),
    Conv2dWorkload(2, 9, 9, 20, 41, (1, 1), epilogue=FULL),
    Conv2dWorkload(1, 8, 8, 3, 35, (7, 7), (2, 2), (3, 3, 3, 3), epilogue=FULL),
    Conv2dWorkload(2, 7, 7, 64, 128, (3, 3), padding=(1, 1, 1, 1), groups=4),
    Conv2dWorkload(1, 7, 7, 16, 8, (3, 3), padding=(1, 1, 1, 1), groups=2),
    Conv2dWorkload(1, 9, 11, 40, 40, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1), 40, epilogue=FULL),
    Conv2dWorkload(1, 13, 13, 2048, 24, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(1, 1, 1, 100, 300, (1, 1)),
    Conv2dWorkload(1, 7, 7, 1, 1, (1, 1)),
]
"""One block and several, blocks cut short at both ends, groups in a block and of blocks, several passes."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workload", "source", "isa"), in_turns(SHAPES, [LAYOUT, "NCHW", "NHWC"], runnable_isas()), ids=str
)
def test_shapes_from_every_layout(workload: Conv2dWorkload, source: str, isa: str) -> None:
    if workload.is_depthwise and source == "NCHW":
        assert not blocked.applies(workload.in_layouts(source, LAYOUT))
        return
    check(blocked, workload.in_layouts(source, LAYOUT), runnable_target(isa))


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISA_TARGETS)
@settings(max_examples=16, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_any_shape_with_any_tile(isa: str, data: st.DataObject) -> None:
    target = runnable_target(isa)
    layout = data.draw(st.sampled_from([LAYOUT, "NCHW32c"]))
    source = data.draw(st.sampled_from([layout, "NCHW", "NHWC"]))
    workload = data.draw(workloads().map(lambda w: w.in_layouts(source, layout)).filter(blocked.applies))
    chosen = blocked.plan(workload, target).geometry
    block = chosen.result.block
    layout_of_a = DEPTHWISE if workload.is_depthwise else ROW
    widths = [n for n in (block, 2 * block, chosen.isa.lanes) if chosen.isa.largest_mr(n, layout_of_a)]
    nr = data.draw(st.sampled_from(widths))
    flat = chosen.flattened
    strip = data.draw(st.integers(1, chosen.pixels)) if flat else workload.out_width
    rows = data.draw(st.integers(1, workload.out_height))
    several = not workload.is_depthwise and chosen.group_in > block
    c_ib = data.draw(st.sampled_from([0, block])) if several else 0
    nr = min(nr, block) if workload.is_depthwise else nr
    check(blocked, workload, target, Tile(nr, strip, rows, data.draw(st.booleans()), c_ib))


def test_several_passes_keep_their_sums_in_the_output() -> None:
    target = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512")
    workload = SHAPES[7].in_layouts(LAYOUT)
    plan = blocked.plan(workload, target)
    assert plan.geometry.passes > 1 and plan.geometry.pass_channels % 16 == 0
    func = lowered(plan)
    names = list(called_kernels(func.body))
    assert any("_acc_" in name for name in names) and any("_bias_" in name for name in names)
    assert not any("_acc_" in name and "_bias" in name for name in names)


@pytest.mark.parametrize("isa", ISA_TARGETS)
def test_allocates_nothing(isa: str, tmp_path: Path) -> None:
    target = runnable_target(isa)
    plans = [blocked.plan(workload.in_layouts(LAYOUT), target) for workload in SHAPES]
    functions = {f"conv2d{number}": lowered(plan) for number, plan in enumerate(plans)}
    compiled = Compiled(functions, target)
    for plan, (name, func) in zip(plans, functions.items(), strict=True):
        arguments = [np.zeros([int(e) for e in buffer.shape], np.float32) for buffer in func.params]
        assert plan.workspace_bytes == 0
        assert allocated_bytes(compiled, name, arguments, tmp_path) == 0, str(plan.workload)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_results(threads: int) -> None:
    workload = Conv2dWorkload(2, 20, 20, 16, 96, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL)
    with_threads(
        threads, lambda: check(blocked, workload.in_layouts(LAYOUT), resolve_target("llvm -mcpu=native"))
    )


def test_layouts_it_asks_for() -> None:
    target = resolve_target("llvm")
    first, inner = Conv2dWorkload(1, 8, 8, 3, 16, (3, 3)), Conv2dWorkload(1, 8, 8, 32, 16, (3, 3))
    assert blocked.layouts(first, target) == ("NHWC", LAYOUT)
    assert blocked.layouts(first.in_layouts("NCHW"), target) == ("NCHW", LAYOUT)
    assert blocked.layouts(inner, target) == (LAYOUT, LAYOUT)
    assert blocked.layouts(inner.in_layouts("NCHW", "NCHW32c"), target) == ("NCHW", "NCHW32c")


@pytest.mark.parametrize(("out_layout", "groups"), [("NHWC", 1), ("NCHW", 1), ("NCHW8c", 1), (LAYOUT, 3)])
def test_what_it_does_not_take_is_said(out_layout: str, groups: int) -> None:
    workload = Conv2dWorkload(1, 8, 8, 36, 36, (3, 3), groups=groups, out_layout=out_layout)
    with pytest.raises(AlgorithmError, match="blocked needs a blocked output such as NCHW16c"):
        blocked.plan(workload, resolve_target("llvm"))
