"""Packing of micro-panels against its contract, on every instruction set, at every kind of edge."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support import ISA_TARGETS, runnable_target
from tvm.script.ir_builder import IRBuilder
from tvm.tirx.script.builder import ir as T

from intrinsics.packing.panels import PanelPacking
from tvm_directconv.algorithms.lowering import attach_kernels

GUARD = 40
"""Elements on either side of both operands that must be neither read nor written."""

TALLEST = 33
"""Rows: over two vectors of AVX-512."""


@st.composite
def packings(draw: st.DrawFn) -> PanelPacking:
    rows, length = draw(st.integers(1, TALLEST)), draw(st.integers(1, 70))
    first = draw(st.integers(0, rows))
    last = draw(st.integers(first, rows))
    whole = draw(st.booleans())
    row = draw(st.integers(1, 2 * length))
    return PanelPacking(rows, length, row, *((0, rows) if whole else (first, last)), "")


def packed(packing: PanelPacking, source: np.ndarray) -> np.ndarray:
    """The contract: [length, rows], of a source that begins with the first row read."""
    panel = np.zeros((packing.length, packing.rows), np.float32)
    for m in range(packing.first, packing.last):
        start = (m - packing.first) * packing.row
        panel[:, m] = source[start : start + packing.length]
    return panel


def run(packing: PanelPacking, source: np.ndarray) -> np.ndarray:
    """The panel as the generated routine writes it, with the guards around it."""
    written = packing.rows * packing.length + 2 * GUARD
    with IRBuilder() as builder, T.prim_func(s_tir=True):
        T.func_name("call")
        read, panel = (
            T.arg(name, T.buffer((size,), "float32", layout=None))
            for name, size in (("source", source.size), ("panel", written))
        )
        places = panel.access_ptr("w", offset=GUARD), read.access_ptr("r", offset=GUARD)
        T.evaluate(T.call_extern("int32", packing.name, *places))
    call = builder.get()
    target = runnable_target(packing.isa)
    executable = tvm.compile(call.with_body(attach_kernels(call.body)), target=target.tvm_target)
    panel = tvm.runtime.tensor(np.full(written, np.nan, np.float32))
    executable(tvm.runtime.tensor(source), panel)
    return panel.numpy()


@pytest.mark.parametrize("isa", ISA_TARGETS)
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=packings())
@example(drawn=PanelPacking(14, 64, 256, 0, 14, ""))
@example(drawn=PanelPacking(16, 32, 32, 0, 16, ""))
@example(drawn=PanelPacking(30, 35, 40, 3, 29, ""))
@example(drawn=PanelPacking(1, 9, 9, 0, 1, ""))
@example(drawn=PanelPacking(17, 3, 3, 0, 17, ""))
@example(drawn=PanelPacking(5, 7, 7, 5, 5, ""))
def test_panel_is_as_the_contract_says(isa: str, drawn: PanelPacking) -> None:
    packing = PanelPacking(drawn.rows, drawn.length, drawn.row, drawn.first, drawn.last, isa)
    rows = max(1, packing.last - packing.first)
    inside = np.random.default_rng(0).standard_normal((rows - 1) * packing.row + packing.length, np.float32)
    # What must not be read would show as NaN in the panel.
    source = np.full(inside.size + 2 * GUARD, np.nan, np.float32)
    source[GUARD:-GUARD] = inside
    got = run(packing, source)
    want = packed(packing, inside)
    assert np.array_equal(got[GUARD:-GUARD].reshape(want.shape), want), packing.name
    assert np.isnan(got[:GUARD]).all() and np.isnan(got[-GUARD:]).all(), f"{packing.name} writes beyond"


@pytest.mark.parametrize("isa", ISA_TARGETS)
@given(drawn=packings())
def test_names_parse_back(isa: str, drawn: PanelPacking) -> None:
    packing = PanelPacking(drawn.rows, drawn.length, drawn.row, drawn.first, drawn.last, isa)
    assert PanelPacking.parse(packing.name) == packing


@pytest.mark.parametrize("name", ["", "pack_panel_f32_avx2", "pack_panel_f32_avx2__m6_k4_r4", "f32__m6"])
def test_malformed_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of a packing routine"):
        PanelPacking.parse(name)


@pytest.mark.parametrize("shape", [(0, 1, 1, 0, 0), (4, 0, 1, 0, 4), (4, 4, 4, 3, 2), (4, 4, 4, 0, 5)])
def test_impossible_panels_are_refused(shape: tuple[int, int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="no panel has"):
        PanelPacking(*shape, "avx2")


def test_vectors_are_as_wide_as_the_rows_need() -> None:
    """Squares of 16, 8 and 4: nothing is packed element by element where the lengths are whole."""
    for isa, rows, vector in (("avx512", 14, 16), ("avx512", 7, 8), ("avx2", 6, 8), ("portable", 7, 4)):
        code = PanelPacking(rows, 64, 64, 0, rows, isa).llvm_ir()
        assert f"load <{vector} x float>" in code and "load float" not in code
