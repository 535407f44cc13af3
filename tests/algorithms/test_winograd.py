"""Winograd's algorithm: its matrices in rationals, its routines, its errors, and when it is chosen."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from algorithm_support import arguments, build, lowered
from cli_support import fail, small_model, succeed
from golden_support import check_golden_ir
from support import Compiled, assert_matches, operands, reference_conv2d
from test_algorithms import largest_near

import tvm_directconv as directconv
from intrinsics.epilogue import Residual, Silu, TileEpilogue
from intrinsics.winograd.cook_toom import FILTERINGS, Filtering
from intrinsics.winograd.linear import Arithmetic, multiply, operations
from intrinsics.winograd.routines import InputTransform, OutputTransform
from relay_strategies.compiler.layer import build_conv2d
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.record_files import Record
from relay_strategies.strategies.records import Records, recorded_workload
from relay_strategies.strategies.strategy import conv2d_strategy, implement_conv2d
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.accuracy import ACCURACIES, BY_NAME, STANDARD_GROWTH, allows
from tvm_directconv.algorithms.lowering import called_kernels
from tvm_directconv.algorithms.winograd.geometry import TileBlocks
from tvm_directconv.errors import AlgorithmError, WorkloadError
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import resolve_target

NATIVE = resolve_target("llvm -mcpu=native")
ZEN3 = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver3")
LAYER = Conv2dWorkload(1, 28, 28, 128, 128, (3, 3), padding=(1, 1, 1, 1), epilogue=Epilogue(bias=True))
DEEP = Conv2dWorkload(1, 7, 7, 512, 512, (3, 3), padding=(1, 1, 1, 1))
F2, F4, F6 = (f"winograd_nhwc_{outputs}x{outputs}" for outputs in (2, 4, 6))
F2_OF_5 = "winograd_nhwc_2x2_of_5x5"
WIDE = Conv2dWorkload(1, 35, 35, 48, 64, (5, 5), padding=(2, 2, 2, 2))


# ---- matrices


@pytest.mark.parametrize("f", FILTERINGS.values(), ids=map(str, FILTERINGS))
def test_the_matrices_filter_exactly(f: Filtering) -> None:
    """Every tap times every input counts once where the definition has it, and nowhere else."""
    for output, tap, at in np.ndindex(f.outputs, f.taps, f.size):
        products = (f.output[output][p] * f.filter[p][tap] * f.input[p][at] for p in range(f.size))
        assert sum(products) == (at == output + tap)


class Exact(Arithmetic[Fraction]):
    def add(self, a: Fraction, b: Fraction) -> Fraction:
        return a + b

    def subtract(self, a: Fraction, b: Fraction) -> Fraction:
        return a - b

    def scale(self, factor: Fraction, a: Fraction) -> Fraction:
        return factor * a

    def multiply_add(self, factor: Fraction, a: Fraction, b: Fraction) -> Fraction:
        return factor * a + b


@pytest.mark.parametrize("f", FILTERINGS.values(), ids=map(str, FILTERINGS))
def test_shared_sums_are_the_products(f: Filtering) -> None:
    for matrix in (f.input, f.output):
        vector = [Fraction(prime, 7) for prime in (2, 3, 5, 11, 13, 17, 19, 23)[: len(matrix[0])]]
        assert multiply(matrix, vector, Exact()) == [
            sum(c * x for c, x in zip(row, vector, strict=True)) for row in matrix
        ]
        assert operations(matrix) < sum(c != 0 for row in matrix for c in row)


def test_operations_of_the_transforms() -> None:
    found = {m: (operations(f.input), operations(f.output)) for m, f in FILTERINGS.items()}
    assert found == {(2, 3): (4, 4), (4, 3): (12, 12), (6, 3): (24, 20), (2, 5): (12, 8)}


def test_points_amplify_less_than_the_usual_ones() -> None:
    usual = replace(FILTERINGS[4, 3], points=tuple(map(Fraction, (0, 1, -1, 2, -2))))
    assert FILTERINGS[4, 3].amplification < usual.amplification / 5
    assert [round(f.amplification) for f in FILTERINGS.values()] == [16, 152, 1565, 152]


# ---- routines


ROUTINES = (
    InputTransform(2, 3, 20, 1040, 64, 56 * 64, "avx2", 56),
    OutputTransform(2, 3, 20, 1040, 64, 56 * 64, "avx2", TileEpilogue(True, steps=[Silu(), Residual()])),
)


@pytest.mark.parametrize("routine", ROUTINES, ids=lambda routine: routine.prefix)
def test_names_parse_back(routine: InputTransform | OutputTransform) -> None:
    assert type(routine).parse(routine.name) == routine
    with pytest.raises(ValueError, match="is not the name of a transform of tiles"):
        type(routine).parse(routine.name.replace("m2", "m3"))


@pytest.mark.parametrize("routine", ROUTINES, ids=lambda routine: routine.prefix)
def test_generated_transforms_are_as_reviewed(routine: InputTransform | OutputTransform) -> None:
    check_golden_ir(f"{routine.prefix}{routine.isa}.ll", routine.llvm_ir())


@pytest.mark.slow
@pytest.mark.parametrize("name", [F2, F4, F2_OF_5])
def test_te_is_the_same_algorithm(name: str) -> None:
    """The unscheduled stages, and the filter transformed at run time."""
    workload = Conv2dWorkload(2, 6, 7, 6, 10, (3, 3), padding=(1, 0, 2, 1), groups=2, filter_layout="HWIO")
    taps = 5 if name == F2_OF_5 else 3
    workload = replace(workload, kernel=(taps, taps))
    plan = ALGORITHMS[name].plan(workload, NATIVE)
    drawn = operands(workload)
    compiled = Compiled({"conv": plan.compute(), "pack": plan.pack_func()}, NATIVE)
    tensors = [tvm.runtime.tensor(array) for array in arguments(plan, drawn)]
    compiled["conv"](*tensors)
    assert_matches(tensors[-1].numpy(), reference_conv2d(workload, *drawn), name, 1e-4)
    packed = tvm.runtime.tensor(np.zeros(plan.packed_filter_shape, np.float32))
    compiled["pack"](tvm.runtime.tensor(drawn[1]), packed)
    np.testing.assert_allclose(packed.numpy(), plan.pack(drawn[1]), rtol=2**-23, atol=1e-9)


def test_workspace_is_a_block_of_tiles() -> None:
    """Slabs of tiles by channels, of which the knobs say how many; not the lowered input."""
    plan = ALGORITHMS[F4].plan(LAYER, ZEN3, TileBlocks(16, 12, 32, 64))
    transformed, products = (4 * 36 * (12 * extent + 16) for extent in (128, 32))
    assert plan.workspace_bytes == transformed + products
    assert plan.packed_filter_bytes == 4 * 36 * 128 * 128
    kernels = {name.partition("__")[0] for name in called_kernels(lowered(plan).body)}
    products = {f"f32_f32_f32_{mr}x16_row_avx2" for mr in (6, 1)}  # 49 tiles by twelves
    assert kernels == {"winograd_input_f32_avx2", "winograd_output_f32_avx2"} | products


# ---- errors


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_normal(shape)


def uniform(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(0, 1, shape)


def heavy_tailed(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_t(2, shape)


MOST_GROWTH = {F2: 2.0, F4: 8.0, F6: 40.0, F2_OF_5: 8.0}
"""The mean error measured may be so many times the definition's sums'."""


@pytest.mark.slow
@pytest.mark.parametrize("channels", [5, 700])
@pytest.mark.parametrize("name", MOST_GROWTH)
def test_errors_of_any_distribution(name: str, channels: int) -> None:
    """Every element within the bound that is stated, and all together near what direct sums have."""
    taps = 5 if name == F2_OF_5 else 3
    workload = Conv2dWorkload(1, 12, 13, channels, 8, (taps, taps), padding=(1, 1, 1, 1))
    built = {each: build(ALGORITHMS[each], workload, NATIVE) for each in (name, "direct_nhwc")}
    for draw in (normal, uniform, heavy_tailed):
        rng = np.random.default_rng(channels)
        data, weights = (
            draw(rng, shape).astype(np.float32) for shape in (workload.input_shape, workload.filter_shape)
        )
        want, means = reference_conv2d(workload, data, weights, None, None), {}
        for each, (compiled, plan) in built.items():
            tensors = [tvm.runtime.tensor(array) for array in arguments(plan, (data, weights, None, None))]
            compiled["conv2d"](*tensors)
            errors = np.abs(tensors[-1].numpy() - want)
            near = largest_near(data, plan.error_reach)
            magnitudes = reference_conv2d(workload, near, np.abs(weights), None, None)
            assert (errors <= plan.relative_error * magnitudes).all(), (each, draw)
            means[each] = errors.mean()
        assert means[name] <= MOST_GROWTH[name] * means["direct_nhwc"], draw


def test_what_is_standard_is_bounded_by_four_times_the_definition() -> None:
    for channels in (3, 16, 64, 512):
        workload = replace(LAYER, in_channels=channels)
        direct = ALGORITHMS["direct_nhwc"].plan(workload, ZEN3).relative_error
        bound = ALGORITHMS[F2].plan(workload, ZEN3).relative_error
        assert direct is not None and bound is not None
        standard = ALGORITHMS[F2].accuracy(workload, ZEN3) == "standard"
        assert standard == (bound <= STANDARD_GROWTH * direct) == (channels > 3)


# ---- the choice


def test_words_of_accuracy() -> None:
    offered = (*ACCURACIES, BY_NAME)
    assert [[allows(asked, each) for each in offered] for asked in ACCURACIES] == [
        [True, True, False, False, False],
        [True, True, False, False, False],
        [True, True, True, False, False],
        [True, True, True, True, False],
    ]


@pytest.mark.parametrize(
    ("workload", "limits", "chosen"),
    [
        (LAYER, Limits(), "direct_nhwc"),
        (LAYER, Limits(accuracy="standard"), F2),
        (LAYER, Limits(accuracy="fast"), F4),
        (LAYER, Limits(filter_bytes=2_000_000, accuracy="fast"), F2),
        (LAYER, Limits(filter_bytes=1_000_000, accuracy="fast"), "direct_nhwc"),
        (LAYER, Limits(0, accuracy="fast"), "direct_nhwc"),
        (DEEP, Limits(accuracy="fast"), F2),  # filters of four tiles of 4x4 are read from memory
        (replace(LAYER, strides=(2, 2)), Limits(accuracy="fast"), "direct_nhwc"),
        (WIDE, Limits(accuracy="standard"), "direct_nhwc"),
        (WIDE, Limits(accuracy="fast"), F2_OF_5),
    ],
    ids=str,
)
def test_choice_within_limits(workload: Conv2dWorkload, limits: Limits, chosen: str) -> None:
    assert conv2d_strategy(workload, ZEN3).select(workload, ZEN3, limits=limits).name == chosen


def test_a_report_says_why_it_was_not_chosen() -> None:
    strategy = conv2d_strategy(LAYER, ZEN3)
    plan = strategy.select(LAYER, ZEN3).build(LAYER, ZEN3)
    assert strategy.compared(plan, LAYER, ZEN3).refusals == {
        F2: "for accuracy standard",
        F4: "for accuracy fast",
        F6: "used only by name",
        "bordered_nhwc": "used only by name",
    }
    assert not {F2, F4, F6} & strategy.compared(plan, LAYER, ZEN3).estimates.keys()
    limited = strategy.compared(plan, LAYER, ZEN3, Limits(filter_bytes=1_000_000, accuracy="fast"))
    assert limited.refusals[F4] == "takes 2359296 bytes of packed filter, of which 1000000 are allowed"


def test_where_it_is_not_allowed_its_knobs_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("tvm_directconv.algorithms.winograd.algorithm.choose_blocks", searched)
    layer = replace(LAYER, height=LAYER.height + 1)  # of which nothing is planned yet
    assert implement_conv2d(layer, ZEN3).name == "direct_nhwc"
    with pytest.raises(AssertionError):
        implement_conv2d(layer, ZEN3, limits=Limits(accuracy="standard"))


def test_layers_by_accuracy_and_by_name() -> None:
    small = replace(LAYER, height=12, width=12, in_channels=64, out_channels=64)
    arrays = operands(small)
    want = reference_conv2d(small, *arrays)
    for name, options in ((F4, {"accuracy": "fast"}), (F6, {"algorithm": F6})):
        layer = build_conv2d(small, NATIVE, **options)
        assert layer.implementation.name == name
        assert_matches(layer(*arrays), want, str(options), 1e-4)
    with pytest.raises(AlgorithmError, match="no more than 10 bytes of packed filter are allowed"):
        build_conv2d(small, NATIVE, max_filter_bytes=10)
    with pytest.raises(WorkloadError, match="accuracy 'quick' is not one of portable, exact, standard, fast"):
        build_conv2d(small, NATIVE, accuracy="quick")
    json.dumps(layer.implementation.tile)


def test_records_of_it_are_used_where_it_is_allowed() -> None:
    knobs = ALGORITHMS[F4].plan(LAYER, ZEN3).knobs
    whole = recorded_workload(LAYER)
    records = Records(records=[Record(str(ZEN3), 1, str(whole), F4, asdict(knobs), (1e-3,))])
    assert records.choice(LAYER, ZEN3) is None
    assert records.choice(LAYER, ZEN3, Limits(accuracy="standard")) is None
    assert records.choice(LAYER, ZEN3, Limits(accuracy="fast")) == (F4, knobs)
    assert records.choice(LAYER, ZEN3, Limits(filter_bytes=10**6, accuracy="fast")) is None


def test_networks_and_the_command_line(tmp_path: Path) -> None:
    """What a network differs by is measured against the exact one; a report has the bound and the reasons."""
    model = small_model(tmp_path)
    (found,) = json.loads(succeed("accuracy", model, "--algorithm", F4, "--draws", "2", "--json"))
    assert 0 < found["relative_error"] < 1e-5 and found["agreement"] == 1
    assert "--accuracy or --algorithm" in fail("accuracy", model, status=2)
    (layer,) = json.loads(succeed("explain", model, "--accuracy", "standard", "--json"))["layers"]
    assert layer["refusals"][F4] == "for accuracy fast" and 0 < layer["relative_error"] < 1e-4
    assert {F2, F4, F6} <= layer["estimates"].keys()
    text = succeed("explain", str(LAYER), "--target", str(ZEN3), "--accuracy", "fast")
    assert F4 in text and "used only by name" in text and "of its terms" in text
    assert "accuracy 'loose' is not one of" in str(refused(model, accuracy="loose"))
    assert "max_filter_bytes must be a number of bytes" in str(refused(model, max_filter_bytes=-1))


def refused(model: Path, **options: Any) -> WorkloadError:
    with pytest.raises(WorkloadError) as caught:
        directconv.compile(model, **options)
    return caught.value
