"""Proofs of plans: all algorithms' functions are their convolutions, faults are refuted, and what memory does
is seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import plan_mutations
import pytest
from byte_support import quantized
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plan_mutations import LAYERS, LAYOUTS
from test_direct_nhwc import workloads
from test_open_layers import LAYERS as OPEN_LAYERS
from tvm import tirx

import tvm_directconv as directconv
from intrinsics import registry
from intrinsics.epilogue import Clip, Residual, TileEpilogue
from intrinsics.packing.panels import PanelPacking
from intrinsics.packing.windows import WindowPacking
from intrinsics.verification import NOT_COVERED, PROVEN, REFUTED
from intrinsics.winograd.routines import InputTransform, OutputTransform
from tvm_directconv.algorithms import ALGORITHMS, BYTE_ALGORITHMS
from tvm_directconv.plans.elements import Memory, PlanError, Pointer, Tasks
from tvm_directconv.plans.plan_proof import OPEN_SIZES, prove_implementation, prove_plan
from tvm_directconv.plans.prime_field import DRAWS, PRIME, Uninterpreted, drawn, product, residue
from tvm_directconv.problem.frames import Frames
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.storage import Storage
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

TARGETS = {
    name: resolve_target(f"llvm -mtriple={triple}-linux-gnu -mcpu={name}")
    for name, triple in (
        ("haswell", "x86_64"), ("sapphirerapids", "x86_64"), ("neoverse-n2", "aarch64"),
        ("cortex-a72", "aarch64"), ("pwr10", "powerpc64le"), ("spacemit-x60", "riscv64"),
    )
}  # fmt: skip
BYTES = (
    ("uint8", QuantizedTypes("uint8", 7, 9)),
    ("int8", QuantizedTypes("int32", -3, 0)),
    ("uint8", QuantizedTypes("int8", 128, -5, "int9")),
    ("int8", QuantizedTypes("float32", 2, 0, "uint8")),
)
FAULTS = 14
FRAMES = Frames(4, 4, 3, before=1)


def cases(layer: Conv2dWorkload) -> list[tuple[str, Conv2dWorkload]]:
    """The layer in all types and layouts, by the algorithms that take it."""
    floats = [(ALGORITHMS, replace(layer, dtype=dtype)) for dtype in ("float32", "bfloat16", "float16")]
    bytes_ = [(BYTE_ALGORITHMS, quantized(layer, *types)) for types in BYTES]
    found = []
    for algorithms, typed in [*floats, *bytes_]:
        for workload in (typed.in_layouts(layout) for layout in LAYOUTS):
            found += [(name, workload) for name, each in algorithms.items() if each.takes(workload)]
    return found


@pytest.mark.parametrize("name", ALGORITHMS)
def test_plans_are_proven(name: str) -> None:
    for layer in LAYERS:
        taken = [w for w in map(layer.in_layouts, LAYOUTS) if ALGORITHMS[name].takes(w)]
        for workload in taken[:1]:
            proof = prove_plan(ALGORITHMS[name].plan(workload, TARGETS["haswell"]))
            assert proof.outcome == PROVEN, proof


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("number", range(len(LAYERS)))
def test_plans_of_all_types_and_targets_are_proven(target: str, number: int) -> None:
    for name, workload in cases(LAYERS[number]):
        algorithms = BYTE_ALGORITHMS if workload.quantized else ALGORITHMS
        proof = prove_plan(algorithms[name].plan(workload, TARGETS[target]))
        assert proof.outcome == PROVEN, f"{name}: {proof}"


@pytest.mark.parametrize("target", ["haswell", "sapphirerapids"])
@pytest.mark.parametrize("types", BYTES, ids=str)
def test_plans_of_bytes_are_proven(target: str, types: tuple[str, QuantizedTypes]) -> None:
    for layer in LAYERS[1:3]:
        workload = quantized(layer, *types)
        proof = prove_plan(BYTE_ALGORITHMS["direct_nhwc"].plan(workload, TARGETS[target]))
        assert proof.outcome == PROVEN, proof


@pytest.mark.parametrize(
    "storage",
    [
        Storage((3, 20)),
        Storage(None, (2, 40)),
        Storage((0, 16), (5, 24)),
        Storage(frames=FRAMES),
    ],
    ids=str,
)
def test_plans_that_read_or_write_parts_are_proven(storage: Storage) -> None:
    batch, channels = (8, 12) if storage.frames else (2, 8)
    layer = Conv2dWorkload(batch, 7, 9, channels, 16, (3, 3), padding=(1, 1, 1, 1), storage=storage)
    for name in ("direct_nhwc", "im2col_gemm"):
        if ALGORITHMS[name].takes(layer):
            proof = prove_plan(ALGORITHMS[name].plan(layer, TARGETS["haswell"]))
            assert proof.outcome == PROVEN, proof


@pytest.mark.parametrize("name", ["depthwise", pytest.param("3x3", marks=pytest.mark.slow), "packed"])
def test_plans_of_open_sizes_are_right_at_drawn_ones(name: str) -> None:
    """Rows of open width have tiles that are chosen when the function runs, and overlap."""
    algorithm, workload, names = OPEN_LAYERS[name]
    fixed, sizes = ALGORITHMS[algorithm].plan(workload, TARGETS["haswell"]), OpenSizes("int32")
    dims = {size: sizes.dimension(size, getattr(workload, size)) for size in names}
    plan = ALGORITHMS[algorithm].plan(replace(workload, **dims), TARGETS["haswell"], fixed.knobs)
    chosen = plan.implement_as(fixed, algorithm, None)
    proof = prove_implementation(chosen)
    assert proof.outcome == NOT_COVERED and f"proven at {OPEN_SIZES} of them" in proof.reason, proof
    nothing = chosen.prim_func.with_body(tirx.Evaluate(tirx.IntImm("int32", 0)))
    assert prove_implementation(replace(chosen, prim_func=nothing)).outcome == REFUTED


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_drawn_plans_are_proven(name: str, data: st.DataObject) -> None:
    workload = data.draw(workloads())
    target = TARGETS[data.draw(st.sampled_from(list(TARGETS)))]
    for each in map(workload.in_layouts, LAYOUTS):
        if ALGORITHMS[name].takes(each):
            proof = prove_plan(ALGORITHMS[name].plan(each, target))
            assert proof.outcome == PROVEN, proof


def test_faults_of_plans_are_refuted_or_compute_the_same() -> None:
    target = resolve_target("llvm -mcpu=native")
    outcomes = Counter(map(plan_mutations.outcome, plan_mutations.faults(target, FAULTS, seed=1)))
    assert not outcomes["missed"] and outcomes["refuted"] > FAULTS // 2


def test_what_is_wrong_with_a_plan_is_said() -> None:
    """Each fault by itself: what is said names it."""
    layer = next(each for each in plan_mutations.layers(TARGETS["haswell"]) if each.plan.workload.groups == 1)
    nothing = tirx.Evaluate(tirx.IntImm("int32", 0))
    proof = prove_plan(layer.plan, layer.func.with_body(nothing))
    assert proof.outcome == REFUTED and "is never stored, and 2200 in all" in proof.reason
    twice = layer.func.with_body(tirx.SeqStmt([layer.func.body, layer.func.body]))
    assert "is stored more than once" in prove_plan(layer.plan, twice).reason
    unknown = layer.func.with_body(tirx.Evaluate(tirx.call_extern("int32", "abs", tirx.IntImm("int32", 1))))
    assert prove_plan(layer.plan, unknown).outcome == NOT_COVERED


EPILOGUE = TileEpilogue(True, steps=[Residual(), Clip(0.0, 6.0)])
ROUTINES = (
    PanelPacking(11, 7, 5, 1, 11, "avx2"),
    PanelPacking(4, 3, 9, 2, 2, "neon"),
    PanelPacking(13, 35, 50, 2, 9, "avx512"),
    WindowPacking(16, 6, 11, (3, 3), 1, (1, 1), "avx2"),
    WindowPacking(16, 6, 11, (2, 3), 2, (1, 2), "avx512"),
    InputTransform(2, 3, 13, 80, 13, 143, "avx2", 6),
    InputTransform(2, 5, 4, 80, 13, 143, "neon", 9),
    OutputTransform(2, 5, 7, 208, 20, 220, "avx2"),
    OutputTransform(2, 3, 9, 208, 20, 220, "neon", EPILOGUE),
)
"""Whole vectors of channels and rests, of which only panels are not given integers."""


@pytest.mark.parametrize("routine", ROUTINES, ids=lambda each: each.name)
def test_routines_do_what_their_names_say(routine: Any) -> None:
    proof = directconv.verify(routine.name)
    assert proof.outcome == (PROVEN if isinstance(routine, PanelPacking) else NOT_COVERED), proof
    assert bool(proof) or "it is proven at" in proof.reason


@pytest.mark.parametrize(
    ("number", "old", "new"),
    [
        (0, "i32 0, i32 1, i32 4, i32 5", "i32 0, i32 1, i32 4, i32 6"),
        (0, "getelementptr float, ptr %src, i64 35", "getelementptr float, ptr %src, i64 36"),
        (3, "icmp sge i64 %left, 8", "icmp sge i64 %left, 7"),
        (3, "icmp slt i64 %at.next, %lanes", "icmp slt i64 %at.next, 1"),
        (5, "fsub", "fadd"),
        (6, "icmp ult i64 %v5, 9", "icmp ult i64 %v5, 10"),
        (7, "fadd", "fsub"),
        (8, "fcmp olt", "fcmp ogt"),
    ],
)
def test_faults_of_routines_are_refuted(number: int, old: str, new: str) -> None:
    name = ROUTINES[number].name
    code = registry.emit_named(name)
    assert old in code
    proof = directconv.verify(name, code.replace(old, new, 1))
    assert proof.outcome == REFUTED, proof
    assert directconv.verify(name, "nonsense").outcome == REFUTED


def memory(elements: int = 8) -> tuple[Memory, Pointer]:
    """A buffer of so many elements, and the pointer of two tasks to its first."""
    made = Memory.empty("memory", elements)
    return made, Pointer(made, np.zeros(2, int), elements, np.array([0, 1]))


def test_tasks_that_share_elements_are_seen() -> None:
    tasks = Tasks(np.array([11, 12]), 10)
    values = np.ones((DRAWS, 2), int)
    made, _ = memory()
    with pytest.raises(PlanError, match="two tasks"):
        made.write(np.array([3, 3]), values, tasks)
    made, _ = memory()
    made.write(np.array([0, 1]), values, tasks)
    with pytest.raises(PlanError, match="another task of the loop stores"):
        made.read(np.array([1, 1]), tasks)
    made, _ = memory()
    made.read(np.array([4, 4]), tasks)
    with pytest.raises(PlanError, match="share"):
        made.write(np.array([4, 5]), values, tasks)
    made.write(np.array([4, 5]), values, Tasks(np.array([21, 22]), 20))
    with pytest.raises(PlanError, match="operand"):
        Memory("data", np.ones((DRAWS, 4), int), constant=True).write(np.array([0, 1]), values, tasks)


def test_places_outside_of_a_buffer_are_seen() -> None:
    _, pointer = memory()
    assert pointer.at(np.array([[0, 6], [0, 6]])).tolist() == [[0, 6], [1, 7]]
    for outside in (-1, 7):
        with pytest.raises(PlanError, match="is outside of its 8"):
            pointer.within(0, outside)


def test_numbers_are_those_of_the_field() -> None:
    generator = np.random.default_rng(0)
    a, b = drawn(generator, 3, 70), drawn(generator, 70, 5)
    for exact, left, right in zip(product(a, b), a, b, strict=True):
        assert (exact == left.astype(object) @ right.astype(object) % PRIME).all()
    assert residue(0.5) * 2 % PRIME == 1 and residue(-1.0) == PRIME - 1
    functions = Uninterpreted.drawn(generator)
    x, y = a[:, 0], a[:, 1]
    results = [functions.maximum(*pair) for pair in ((x, y), (y, x), (x, 0.0))]
    results.append(functions.minimum(x, y))
    assert len({each.tobytes() for each in results}) == 4
    np.testing.assert_array_equal(functions.maximum(x, y), results[0])
