"""Lift's convolution: every kind of layer and of point computed on the OpenCL device at hand, and for others
generated."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from golden_support import check_golden
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lift_support import MALI, POCL, check_computed, lowered, plan_of

from tvm_directconv.algorithms.lift.algorithm import Lift
from tvm_directconv.algorithms.lift.choice import tiled
from tvm_directconv.algorithms.lift.knobs import LiftKnobs
from tvm_directconv.algorithms.lift.plan import LiftPlan
from tvm_directconv.algorithms.lift.space import LiftSpace
from tvm_directconv.errors import AlgorithmError, WorkloadError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import resolve_gpu_target

SMALL = "n1_ih7iw7_ic8_oc8_k3x3_s1x1_p1x1x1x1_d1x1_g1_float32_NHWC_OIHW"
POINT = LiftKnobs(
    tile_h=5,
    tile_w=6,
    pad_h=2,
    pad_w=1,
    filters=4,
    filter_threads=2,
    windows_h=3,
    windows_w=2,
    chunk=24,
    vector=4,
)
"""Three chunks, tiles that do not divide the output."""
VARIANTS = [
    POINT,
    replace(POINT, pad="load", crop="kernel"),
    replace(POINT, sum="kernel", coalesce=False),
    replace(POINT, sum="kernel", crop="kernel", unroll=False),
    replace(POINT, chunk=72, vector=1, pad="load"),
    replace(POINT, chunk=72, vector=3, filters=8, filter_threads=8, crop="kernel"),
]
LAYERS = [
    "n2_ih9iw8_ic3_oc8_k5x3_s2x1_p2x0x1x2_d1x2_g1_float32_NHWC_HWIO_bias+residual+relu",
    "n1_ih8iw9_ic6_oc8_k3x3_s1x1_p1x1x1x1_d1x1_g2_float32_NHWC_OIHW_bias+silu",
    "n1_ih9iw9_ic8_oc8_k3x3_s2x2_p1x1x1x1_d1x1_g8_float32_NHWC_OIHW_bias+clip(0,6)",
    "n1_ih6iw6_ic3_oc6_k3x3_s1x1_p0x1x2x0_d1x1_g3_float32_NHWC_OIHW_residual",
    "n1_ih6iw7_ic5_oc7_k1x1_s1x1_p0x0x0x0_d1x1_g1_float32_NHWC_OHWI",
    "n1_ih1iw1_ic1_oc1_k1x1_s1x1_p0x0x0x0_d1x1_g1_float32_NHWC_OIHW",
    "n1_ih7iw7_ic8_oc12_k3x3_s1x1_p1x1x1x1_d1x1_g1_float16_NHWC_OIHW_bias+residual+relu",
    "n1_ih7iw7_ic8_oc8_k3x3_s2x1_p1x1x1x1_d1x1_g8_float16-float32_NHWC_OIHW_bias",
]


def test_every_variant_of_the_kernels():
    check_computed(plan_of(SMALL, knobs) for knobs in VARIANTS)


def test_every_kind_of_layer_at_the_analytical_point():
    check_computed(Lift().plan(Conv2dWorkload.parse(layer), POCL) for layer in LAYERS)


@st.composite
def layers(draw: st.DrawFn) -> Conv2dWorkload:
    def whole(low: int, high: int) -> int:
        return draw(st.integers(low, high))

    groups = draw(st.sampled_from((1, 1, 2, 6)))
    channels, filters = (
        groups * draw(st.sampled_from((1, 2, 3, 4))),
        groups * draw(st.sampled_from((1, 2, 6))),
    )
    try:
        return Conv2dWorkload(
            batch=whole(1, 2),
            height=whole(1, 12),
            width=whole(1, 12),
            in_channels=channels,
            out_channels=filters,
            kernel=(whole(1, 5), whole(1, 5)),
            strides=(whole(1, 3), whole(1, 3)),
            padding=(whole(0, 2), whole(0, 2), whole(0, 2), whole(0, 2)),
            dilation=(whole(1, 2), whole(1, 2)),
            groups=groups,
            dtype=draw(st.sampled_from(("float32", "float32", "float16"))),
        )
    except WorkloadError:
        return Conv2dWorkload(1, 6, 5, channels, filters, (3, 3), groups=groups)


@pytest.mark.slow
@settings(
    max_examples=3,
    phases=[Phase.generate],
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(drawn=st.lists(layers(), min_size=5, max_size=5), seed=st.integers(0, 999))
def test_drawn_points_of_drawn_layers(drawn: list[Conv2dWorkload], seed: int):
    rng = random.Random(seed)
    check_computed(LiftPlan(w, POCL, LiftSpace(w, POCL.machine).sample(rng)) for w in drawn)


@pytest.mark.parametrize(
    ("name", "target", "knobs"),
    [
        ("lift_mali.cl", "opencl -device=mali -model=g72", replace(POINT, pad="load")),
        ("lift_cuda.cu", "cuda -model=h200", replace(POINT, chunk=72)),
    ],
)
def test_golden_source(name: str, target: str, knobs: LiftKnobs):
    """``UPDATE_GOLDEN=1 pytest tests/algorithms/test_lift.py`` rewrites the files; read the diff."""
    plan = plan_of(f"{SMALL}_bias+relu", knobs, resolve_gpu_target(target))
    check_golden(name, lowered([plan]).source)


def test_an_analytical_point_exists_on_every_gpu():
    """Within its limits: a point that violated one would be refused as it is checked."""
    for target in (MALI, *map(resolve_gpu_target, ("opencl -device=adreno", "cuda", "cuda -model=h200"))):
        for layer in LAYERS:
            plan = Lift().plan(Conv2dWorkload.parse(layer), target)
            LiftSpace(plan.workload, target.machine).check(plan.knobs)


@pytest.mark.parametrize(
    "layer",
    [
        "n1_ih7iw7_ic8_oc8_k3x3_s1x1_p1x1x1x1_d1x1_g1_bfloat16_NHWC_OIHW",
        "n1_ih7iw7_ic8_oc8_k3x3_s1x1_p1x1x1x1_d1x1_g1_float32_NCHW_OIHW",
    ],
)
def test_other_layers_are_refused(layer: str):
    with pytest.raises(AlgorithmError, match="lift needs NHWC data in float32 or float16, and a GPU target"):
        Lift().plan(Conv2dWorkload.parse(layer), POCL)


DRIVER = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
RACES = "import sys; sys.path[:0] = {path}; from test_lift import simulate; simulate({broken})"


REDUCED = {
    "n1_ih5iw7_ic6_oc9_k3x3_s1x1_p1x1x1x1_d1x1_g3_float32_NHWC_OIHW": {"filters": 3, "chunk": 6},
    "n1_ih7iw5_ic5_oc7_k3x3_s2x1_p1x1x1x1_d1x1_g1_float16_NHWC_OIHW_bias+relu": {"filters": 7, "chunk": 9},
}
"""Layers of odd sizes, in groups and in half precision, whose three and five chunks local memory adds up."""


def reduced_plans() -> list[LiftPlan]:
    """A plan of each, with as few rows and pixels of a tile as leave tiles that the output ends within."""
    found = []
    for layer, parameters in REDUCED.items():
        space = LiftSpace(Conv2dWorkload.parse(layer), POCL.machine)
        start = replace(Lift().plan(space.workload, POCL).knobs, **parameters, vector=1, filter_threads=1)
        points = (
            replace(start, **tiled(space.workload, (1, 2), (3, 1)), pad="load", coalesce=c)
            for c in (True, False)
        )
        found += [LiftPlan(space.workload, POCL, point) for point in points]
    assert all(plan.geometry.chunks in (3, 5) and plan.geometry.local_bytes for plan in found)
    return found


def test_chunks_of_odd_layers_are_added_up_in_local_memory():
    check_computed(reduced_plans())


def simulate(broken: bool) -> None:
    """Run the golden cases and the above, without barriers where ``broken``; in a process of its own, on
    oclgrind."""
    from lift_support import computed

    from tvm_directconv.devices.device_program import DeviceProgram

    plans = [plan_of(SMALL, replace(knobs, vector=1)) for knobs in VARIANTS[:4]] + reduced_plans()
    kernels = lowered(plans)
    if broken:
        kernels = replace(kernels, source=kernels.source.replace("barrier(CLK_LOCAL_MEM_FENCE);", ""))
    program = DeviceProgram(kernels)
    for number, plan in enumerate(plans):
        got, want = computed(program, f"layer{number}", plan)
        print(abs(got - want).max())


@pytest.mark.slow
@pytest.mark.skipif(
    not Path(DRIVER).exists() or not shutil.which("oclgrind"), reason="oclgrind is not installed"
)
@pytest.mark.parametrize("broken", [False, True])
def test_no_two_threads_race(broken: bool, tmp_path: Path):
    (tmp_path / "oclgrind.icd").write_text(DRIVER)
    environment = os.environ | {"OCL_ICD_VENDORS": str(tmp_path / "oclgrind.icd"), "OCLGRIND_DATA_RACES": "1"}
    code = RACES.format(path=sys.path, broken=broken)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report = done.stdout + done.stderr
    assert ("data race" in report) == broken, report[-2000:]
    assert "Invalid" not in report, report[-2000:]
