"""``bench --lift``: every contestant's answer, and what is made of their rounds."""

from __future__ import annotations

import json

import pytest
from bench_support import Here
from cli_support import fail, succeed
from emulation.cuda import ComputingGpu, installed

from tvm_directconv.bench import Result, harness, solver
from tvm_directconv.bench.contestants import CannotSolve, Setting
from tvm_directconv.bench.contestants.device import ON_DEVICES, on_device
from tvm_directconv.bench.contestants.device.base import EVERYTHING, WORKSPACE
from tvm_directconv.bench.figures import Comparison, Measurement
from tvm_directconv.bench.lift_layers import NATIVE_DEVICE, VGG16, bench_lift
from tvm_directconv.bench.lift_result import DEVICE, LiftResult
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.devices import cuda_driver
from tvm_directconv.errors import BenchmarkError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

ODD = Conv2dWorkload(2, 6, 7, 3, 8, (3, 2), (2, 1), (1, 1, 1, 1), (1, 2))
PLAIN = Conv2dWorkload(1, 5, 6, 8, 8, (1, 1))
SETTING = Setting(resolve_target("llvm -mcpu=native"))


ON_OPENCL = [name for name, kind in ON_DEVICES.items() if "opencl" in kind.kinds]


@pytest.mark.parametrize(
    ("name", "layer"),
    [*((name, ODD) for name in ON_OPENCL), ("im2col+lift", PLAIN), ("im2col+clblast", PLAIN)],
)
def test_contestants_are_right_and_tell_their_memory(name: str, layer: Conv2dWorkload):
    contestant, problem = on_device(name, NATIVE_DEVICE)(SETTING), LayerProblem(layer)
    absent = contestant.available()
    if absent:
        assert name == "lift-tuned" or "clblast" in name
        pytest.skip(absent)
    prepared = contestant.prepare(problem)
    assert prepared.seconds_per_call(2) > 0
    assert not problem.judge(prepared.outputs())[1]
    workspace, everything = (prepared.facts[fact] for fact in (WORKSPACE, EVERYTHING))
    matrix = 4 * 2 * 3 * 7 * 18 if layer is ODD else 0
    if name.startswith("im2col"):
        assert workspace >= matrix
    assert everything >= workspace + problem.data.nbytes + problem.filter.nbytes


@pytest.mark.parametrize("name", ["lift", "im2col+lift", "im2col+dlight", "dlight"])
def test_contestants_in_cuda_are_right(name: str, monkeypatch: pytest.MonkeyPatch):
    installed(monkeypatch, ComputingGpu())
    contestant, problem = on_device(name, "cuda -device=native")(SETTING), LayerProblem(ODD)
    assert contestant.available() is None
    prepared = contestant.prepare(problem)
    assert prepared.seconds_per_call(1) > 0
    assert not problem.judge(prepared.outputs())[1]


@pytest.mark.parametrize("name", ["im2col+lift", "dlight"])
def test_groups_are_not_compared(name: str):
    grouped = Conv2dWorkload(1, 5, 5, 8, 8, (3, 3), groups=2)
    with pytest.raises(CannotSolve, match="groups"):
        on_device(name, NATIVE_DEVICE)(SETTING).prepare(LayerProblem(grouped))


def measured(name: str, seconds: float | None, workspace: int, everything: int) -> Measurement:
    if seconds is None:
        return Measurement(name, refused="crashes: ended by SIGSEGV while preparing")
    facts = {WORKSPACE: workspace, EVERYTHING: everything, "seconds of convolve": seconds}
    return Measurement(name, (seconds, seconds), error=1e-7, facts=facts)


def made_up() -> LiftResult:
    """Two layers on which other contestants are the fastest of im2col."""
    comparisons = [
        Comparison(str(layer), layer.flops, (), measurements)
        for layer, measurements in (
            (VGG16[0], (measured("lift", 2.0, 100, 400), measured("im2col+lift", 1.0, 400, 800))),
            (VGG16[1], (measured("lift", 2.0, 100, 400), measured("im2col+lift", 9.0, 1, 1))),
        )
    ]
    for number, other in enumerate(
        (measured("im2col+clblast", None, 0, 0), measured("im2col+clblast", 4.0, 900, 800))
    ):
        both = (*comparisons[number].measurements, other)
        comparisons[number] = Comparison(comparisons[number].problem, comparisons[number].flops, (), both)
    return LiftResult("opencl", 1, (0,), "", {"processor": "a CPU", DEVICE: "a GPU"}, tuple(comparisons))


def test_lift_is_compared_with_the_fastest_im2col_of_each_layer():
    result = made_up()
    summary = result.summary()
    assert summary["time"] == pytest.approx((2 / 1 * 2 / 4) ** 0.5)
    assert summary["workspace"] == pytest.approx((100 / 400 * 100 / 900) ** 0.5)
    assert summary["all memory"] == pytest.approx(0.5)
    text = " ".join(str(result).split())  # lines are as wide as the terminal
    assert "a GPU" in text and "6.00 times less" in text and "crashes: ended by SIGSEGV" in text
    assert "convolve 2000" in str(result.details())


def test_results_are_read_back_and_drawn(tmp_path):
    result = made_up()
    assert Result.from_json(result.to_json()) == result
    result.plot(tmp_path / "lift.png")
    assert (tmp_path / "lift.png").stat().st_size > 1000


def test_contestants_take_turns_and_absent_ones_are_told(monkeypatch):
    monkeypatch.setattr(harness, "Worker", lambda folder, make, *arguments: Here(make, *arguments))
    for name in ("stay_on", "keep_tvm_on"):
        monkeypatch.setattr(solver, name, lambda cpus: None)
    names = ("lift", "cudnn")
    result = bench_lift([PLAIN], contestants=names, quick=True, progress=False)
    (comparison,) = result.comparisons
    assert comparison.contestants == list(names) and len(comparison["lift"].timed) == 3
    assert comparison["lift"].facts["seconds of convolve"] > 0 and "tile_h=" in str(
        comparison["lift"].facts["point"]
    )
    assert "cudnn: runs on cuda alone" in str(result)


@pytest.mark.slow
def test_the_command_on_a_device(tmp_path):
    saved = tmp_path / "lift.json"
    arguments = ("--contestants", "lift,im2col+lift", "--quick", "--layer", PLAIN, "--save", saved)
    assert "lift's time over the fastest im2col's" in succeed("bench", "--lift", *map(str, arguments))
    assert json.loads(saved.read_text())["summary"]["lift over the fastest im2col"]["time"] > 0


FAULTS = {
    "--layers does not apply: --lift": ("--lift", "--layers"),
    "--records does not apply: it is about --lift": ("--records", "x.jsonl"),
}
ERRORS = {
    "no contestant 'clblats' (did you mean 'clblast'?)": ("--contestants", "clblats"),
    "the target is a device of 'mali', and the OpenCL device at hand is": ("--target", "opencl -device=mali"),
    "there is no CUDA driver": ("--target", "cuda"),
    "no_records.jsonl": ("--records", "no_records.jsonl"),
    "compared in float32": ("--layer", "n1_ih7iw7_ic8_oc8_k3x3_s1x1_p1x1x1x1_d1x1_g1_float16_NHWC_OIHW"),
    "is not a GPU's": ("--target", "llvm"),
}


@pytest.mark.parametrize("said", FAULTS)
def test_options_that_do_not_go_together(said: str):
    assert said in fail("bench", *FAULTS[said], status=2)


@pytest.mark.parametrize("said", ERRORS)
def test_bad_input_is_one_error(said: str, monkeypatch):
    monkeypatch.setattr(cuda_driver, "DRIVERS", ())
    cuda_driver.driver.cache_clear()
    assert said in fail("bench", "--lift", *ERRORS[said])


def test_no_rounds_are_refused():
    with pytest.raises(BenchmarkError, match="give at least 1"):
        bench_lift([PLAIN], rounds=0)
