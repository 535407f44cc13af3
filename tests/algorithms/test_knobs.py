"""Knob spaces: every point is a schedule that builds and is right, the analytical choice among them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
import tvm_ffi
from algorithm_support import NAMES, build, check, fitted, lowered
from byte_support import arguments, draw_operands, quantized, reference, types
from covers import some_each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import BYTE_TARGETS, ISA_TARGETS, Compiled, peak_workspace_bytes, runnable_target, with_threads
from test_algorithms import SHAPES, native
from test_direct_nhwc import workloads

from relay_strategies.strategies.candidates import LayerSpace
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.strategy import conv2d_strategy
from tvm_directconv.algorithms import ALGORITHMS, BYTE_ALGORITHMS
from tvm_directconv.algorithms.accuracy import FAST
from tvm_directconv.algorithms.base import Algorithm
from tvm_directconv.errors import TuningError
from tvm_directconv.model.knobs import KnobSpace, divisions, with_choice
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, resolve_target

DEPTHWISE = Conv2dWorkload(1, 12, 12, 40, 40, (3, 3), padding=(1, 1, 1, 1), groups=40)
BYTES = [quantized(shape, "uint8", QuantizedTypes("uint8", 7, 9)) for shape in SHAPES[:5]]
FIVE_BY_FIVE = Conv2dWorkload(1, 9, 11, 6, 20, (5, 5), padding=(2, 2, 2, 2))
TARGETS = (
    *ISA_TARGETS.values(),
    *(BYTE_TARGETS[isa] for isa in ("avx2complement", "avx512vnni", "amxint8")),
    "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1",
    "llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr10",
)
DRAWN = settings(max_examples=6, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def cases(target: CompileTarget) -> list[tuple[Algorithm[Any], Conv2dWorkload]]:
    """Every algorithm with shapes it has knobs for, in its own layouts."""
    shapes = (*SHAPES, DEPTHWISE, FIVE_BY_FIVE)
    floats = [(name, native(name, shape, target)) for name in ALGORITHMS for shape in shapes]
    found: list[tuple[Algorithm[Any], Conv2dWorkload]] = [
        (ALGORITHMS[n], w) for n, w in floats if w is not None
    ]
    found += [(a, w) for a in BYTE_ALGORITHMS.values() for w in BYTES if a.applies(w)]
    return [(algorithm, workload) for algorithm, workload in found if algorithm.knob_spaces(workload, target)]


def drawn_point(data: st.DataObject, spaces: list[KnobSpace]) -> Any:
    """Any valid knobs of any of the spaces."""
    points = list(data.draw(st.sampled_from(spaces)).points())
    return data.draw(st.sampled_from(points))


@pytest.mark.slow
@pytest.mark.parametrize("text", dict.fromkeys(TARGETS))
def test_the_analytical_choice_is_in_one_of_the_spaces(text: str) -> None:
    """And stands for the same schedule as asking for none."""
    target = resolve_target(text)
    for algorithm, workload in cases(target):
        spaces = algorithm.knob_spaces(workload, target)
        (own,) = [space for space in spaces if space.analytical is not None]
        chosen, what = own.analytical, f"{algorithm.name} {workload}"
        assert chosen in list(own.points()), what
        given, plain = algorithm.plan(workload, target, chosen), algorithm.plan(workload, target)
        assert given.cost() == plain.cost(), what
        assert tvm_ffi.structural_equal(lowered(plain), lowered(given)), what


@pytest.mark.slow
@pytest.mark.parametrize("text", dict.fromkeys(TARGETS))
def test_decisions_and_knobs_are_inverse(text: str) -> None:
    target = resolve_target(text)
    for algorithm, workload in cases(target):
        spaces = algorithm.knob_spaces(workload, target)
        assert len({space.name for space in spaces}) == len(spaces)
        assert all(space.algorithm == algorithm.name for space in spaces)
        seen: set[Any] = set()
        for space in spaces:
            points = list(space.points())
            assert points, f"{space.name} {workload}"
            assert seen.isdisjoint(points) and len(set(points)) == len(points)
            seen.update(points)
            for knobs in points:
                decisions = space.decisions(knobs)
                assert decisions is not None and space.knobs(decisions) == knobs
                assert all(other.decisions(knobs) is None for other in spaces if other is not space)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "isa"), some_each([*ALGORITHMS], [*ISA_TARGETS], 2))
@DRAWN
@given(data=st.data())
def test_any_point_is_right(name: str, isa: str, data: st.DataObject) -> None:
    target, algorithm = runnable_target(isa), ALGORITHMS[name]
    inside = workloads().map(lambda w: native(name, fitted(algorithm, w), target))
    workload = data.draw(inside.filter(lambda w: w is not None and algorithm.knob_spaces(w, target)))
    assert workload is not None
    check(algorithm, workload, target, drawn_point(data, algorithm.knob_spaces(workload, target)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "isa"), some_each([*BYTE_ALGORITHMS], [*BYTE_TARGETS], 5))
@DRAWN
@given(data=st.data())
def test_any_point_is_right_in_bytes(name: str, isa: str, data: st.DataObject) -> None:
    target, algorithm = runnable_target(isa), BYTE_ALGORITHMS[name]
    drawn = st.builds(lambda shape, kind: quantized(shape, *kind), workloads(), types())
    workload = data.draw(drawn.filter(lambda w: algorithm.applies(w) and algorithm.knob_spaces(w, target)))
    knobs = drawn_point(data, algorithm.knob_spaces(workload, target))
    operands = draw_operands(workload)
    func, arrays = arguments(algorithm, workload, target, operands, knobs)
    module = Compiled({"conv2d": func}, target)
    tensors = [tvm.runtime.tensor(array) for array in arrays]
    module["conv2d"](*tensors)
    np.testing.assert_array_equal(tensors[-1].numpy(), reference(workload, operands), f"{knobs} {workload}")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@DRAWN
@given(data=st.data())
def test_any_point_allocates_what_it_states(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    target, algorithm = resolve_target("llvm -mcpu=native"), ALGORITHMS[name]
    taken = [w for other, w in cases(target) if other is algorithm and not w.quantized]
    workload = data.draw(st.sampled_from(taken))
    knobs = drawn_point(data, algorithm.knob_spaces(workload, target))
    executable, plan = build(algorithm, workload, target, knobs)
    shapes = [workload.input_shape, plan.packed_filter_shape]
    shapes += [workload.bias_shape] * workload.epilogue.bias
    shapes += [workload.output_shape] * (1 + workload.epilogue.residual)
    arrays = [np.zeros(shape, np.float32) for shape in shapes]
    folder: Path = tmp_path_factory.mktemp("counted")
    counted = with_threads(1, lambda: peak_workspace_bytes(executable, "conv2d", arrays, folder))
    assert counted == plan.workspace_bytes, f"{knobs} {workload}"


@pytest.mark.slow
@pytest.mark.parametrize("text", dict.fromkeys(TARGETS))
def test_a_layer_has_its_untuned_choice_among_its_candidates(text: str) -> None:
    target = resolve_target(text)
    shapes = [shape.in_layouts(layout) for shape in (*SHAPES, DEPTHWISE) for layout in ("NHWC", "NCHW")]
    for workload in (*shapes, *BYTES):
        strategy, space = conv2d_strategy(workload, target), LayerSpace(workload, target)
        own = [i for i in strategy.implementations if i.name in space.algorithms]
        if own:
            untuned = replace(strategy, implementations=own).select(workload, target)
            assert space.analytical.algorithm == untuned.name
            assert space.analytical in space.candidates


@pytest.mark.parametrize("layout", ["NHWC", "NCHW", "NCHW16c"])
def test_a_layer_offers_what_is_within_its_budget(layout: str) -> None:
    workload = Conv2dWorkload(1, 14, 14, 64, 64, (3, 3), padding=(1, 1, 1, 1)).in_layouts(layout)
    target = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver5")
    everything = LayerSpace(workload, target, Limits(accuracy=FAST))
    needs = sorted({everything.workspace_bytes(c) for c in everything.candidates})
    assert everything.analytical in everything.candidates
    for budget in (needs[0], needs[len(needs) // 2], needs[-1]):
        space = LayerSpace(workload, target, Limits(budget, accuracy=FAST))
        kept = set(space.candidates)
        assert kept == {c for c in everything.candidates if everything.workspace_bytes(c) <= budget}
        assert space.analytical in kept
    if needs[0] > 0:
        with pytest.raises(
            TuningError, match=f"takes {needs[0]} bytes of workspace, of which {needs[0] - 1}"
        ):
            _ = LayerSpace(workload, target, Limits(needs[0] - 1)).candidates


def test_candidates_come_cheapest_estimate_first() -> None:
    workload = Conv2dWorkload(1, 14, 14, 64, 64, (3, 3), padding=(1, 1, 1, 1))
    space = LayerSpace(workload, resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver5"))
    totals = [space.cost(candidate).total for candidate in space.candidates]
    assert totals == sorted(totals)
    assert len(set(space.candidates)) == len(space.candidates)
    assert {candidate.algorithm for candidate in space.candidates} == set(space.algorithms)


# ---- the description itself


@dataclass(frozen=True)
class Cut:
    size: int
    order: str = "up"


def test_divisions_are_about_equal_parts() -> None:
    assert divisions(12, (1, 2, 5)) == (3, 6, 12)
    assert divisions(1) == (1,)
    assert divisions(7, (1, 2, 7, 8)) == (1, 4, 7)


def test_constraints_and_fixed_knobs_are_kept() -> None:
    space = KnobSpace("a", "1x1", Cut, {"order": "up"}, {"size": (1, 2, 3)}, lambda k: k.size != 2)
    assert list(space.points()) == [Cut(1), Cut(3)]
    assert space.decisions(Cut(3)) == {"size": 2}
    assert space.decisions(Cut(2)) is None  # not valid
    assert space.decisions(Cut(4)) is None  # no choice
    assert space.decisions(Cut(1, "down")) is None  # of another space


def test_a_choice_widens_its_space_or_gets_one() -> None:
    space = KnobSpace("a", "1x1", Cut, {"order": "up"}, {"size": (1, 3)})
    (widened,) = with_choice([space], "a", "1x1", Cut(2))
    assert widened.choices == {"size": (1, 2, 3)} and widened.analytical == Cut(2)
    kept, added = with_choice([space], "a", "2x2", Cut(2, "down"))
    assert kept is space and list(added.points()) == [Cut(2, "down")] == [added.analytical]
    assert asdict(added.analytical) == {"size": 2, "order": "down"}


def test_a_layer_that_no_algorithm_with_knobs_takes_is_refused() -> None:
    """Depthwise in NCHW: im2col_gemm has no knobs there, and sconv none of its channels apart."""
    layer = "n1_ih9iw9_ic8_oc8_k3x3_s1x1_p1x1x1x1_d1x1_g8_float32_NCHW_OIHW"
    space = LayerSpace(Conv2dWorkload.parse(layer), resolve_target("llvm"))
    with pytest.raises(TuningError, match="nothing to tune: no algorithm with knobs takes"):
        space.candidates  # noqa: B018
