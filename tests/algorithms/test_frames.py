"""Frames of videos read in place: as if they lay side by side as channels, with zeros where there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tvm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import ISA_TARGETS, Compiled, assert_matches, operands, reference_conv2d, runnable_target

from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.direct_nhwc import DirectNhwc
from tvm_directconv.errors import AlgorithmError, WorkloadError
from tvm_directconv.problem.frames import Frames
from tvm_directconv.problem.storage import Storage
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

DIRECT = DirectNhwc()
BASE = Conv2dWorkload(4, 5, 7, 24, 21, (3, 3), padding=(1, 1, 1, 1), epilogue=Epilogue.parse("bias+silu"))
CLIP = Storage(frames=Frames(4, 4, 3, before=1))
CASES = {
    "a clip": replace(BASE, storage=CLIP),
    "two clips": replace(BASE, storage=Storage(frames=Frames(2, 2, 3, before=1))),
    "a single frame": replace(BASE, batch=1, storage=Storage(frames=Frames(1, 1, 3, before=1))),
    "every other": replace(
        BASE, batch=3, storage=Storage(frames=Frames(6, 3, 4, 2, 1)), epilogue=Epilogue(residual=True)
    ),
    "apart": replace(BASE, batch=5, storage=Storage(frames=Frames(5, 5, 2, before=2, dilation=3))),
    "none at all": replace(BASE, batch=5, storage=Storage(frames=Frames(1, 5, 2, before=2))),
    "one pixel": replace(BASE, kernel=(1, 1), padding=(0, 0, 0, 0), storage=CLIP),
    "strides": replace(BASE, kernel=(1, 1), strides=(2, 3), storage=CLIP),
}


def stacked(frames: Frames, video: np.ndarray) -> np.ndarray:
    """(N x count, H, W, taps x C) of (N x depth, H, W, C), by the definition."""
    videos = video.reshape(-1, frames.depth, *video.shape[1:])
    images = np.zeros(
        (len(videos), frames.count, *video.shape[1:3], frames.taps, video.shape[3]), video.dtype
    )
    for image, tap in np.ndindex(frames.count, frames.taps):
        frame = image * frames.stride - frames.before + tap * frames.dilation
        if 0 <= frame < frames.depth:
            images[:, image, :, :, tap] = videos[:, frame]
    return images.reshape(-1, *video.shape[1:3], frames.taps * video.shape[3])


def check(workload: Conv2dWorkload, isa: str) -> None:
    target, frames = runnable_target(isa), workload.storage.frames
    assert frames is not None
    video = np.random.default_rng(1).standard_normal(workload.stored_input_shape, np.float32)
    _, weights, bias, residual = operands(workload)
    plan = DIRECT.plan(workload, target)
    output = np.full(workload.output_shape, np.nan, np.float32)
    given = [video, plan.pack(weights), *(each for each in (bias, residual) if each is not None), output]
    tensors = [tvm.runtime.tensor(array) for array in given]
    Compiled({"conv2d": plan.schedule(plan.compute())}, target)["conv2d"](*tensors)
    want = reference_conv2d(workload, stacked(frames, video), weights, bias, residual)
    assert_matches(tensors[-1].numpy(), want, f"{isa} {workload}")
    assert plan.workspace_bytes == 0


@pytest.mark.parametrize("isa", [isa for isa in ISA_TARGETS if isa in ("portable", "avx2", "avx512")])
@pytest.mark.parametrize("name", CASES)
def test_convolutions_read_frames_in_place(name: str, isa: str) -> None:
    check(CASES[name], isa)


@pytest.mark.slow
@settings(max_examples=16, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_frames(data: st.DataObject) -> None:
    def draw(most: int, least: int = 1) -> int:
        return data.draw(st.integers(least, most))

    frames = Frames(draw(6), draw(6), draw(4), draw(3), draw(4, 0), draw(3))
    channels, kernel = frames.taps * draw(40), (draw(3), draw(3))
    check(
        Conv2dWorkload(
            frames.count * draw(2), draw(9, 3), draw(17, 3), channels, draw(70), kernel, (draw(2), draw(3)),
            tuple(draw(2, 0) for _ in range(4)), epilogue=Epilogue(bias=True), storage=Storage(frames=frames),
        ),
        "avx2",
    )  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_seen_is_what_there_is(name: str) -> None:
    frames = CASES[name].storage.frames
    assert frames is not None
    ones = np.ones((frames.depth, 1, 1, 1), np.float32)
    seen = stacked(frames, ones)[:, 0, 0]
    for image in range(frames.count):
        first, last = frames.seen(image)
        assert np.flatnonzero(seen[image]).tolist() == [*range(first, last)]
    assert frames.share == pytest.approx(seen.mean())


def test_they_are_part_of_the_descriptor() -> None:
    for workload in CASES.values():
        assert Conv2dWorkload.parse(str(workload)) == workload
    assert "@4to4t3s1p1d1" in str(CASES["a clip"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"in_channels": 25}, "4 images of 25 channels are not of frames"),
        ({"batch": 6}, "6 images"),
        ({"groups": 3}, "not in groups"),
        ({"data_layout": "NCHW", "out_layout": "NCHW"}, "only float32 in NHWC"),
        ({"dtype": "bfloat16"}, "only float32"),
        ({"storage": Storage((0, 30), frames=Frames(4, 4, 3, before=1))}, "nor a part"),
    ],
)
def test_what_is_not_of_frames_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(WorkloadError, match=message):
        replace(CASES["a clip"], **changes)  # type: ignore[arg-type]
    with pytest.raises(WorkloadError, match="below 1"):
        Frames(0, 1, 1)


def test_other_algorithms_refuse_them() -> None:
    for name in sorted(set(ALGORITHMS) - {DIRECT.name}):
        with pytest.raises(AlgorithmError):
            ALGORITHMS[name].plan(CASES["a clip"], runnable_target("portable"))
