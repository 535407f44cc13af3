"""Phases of transposed convolutions, frames of 3-D ones: their arithmetic, and what moves them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_support import draw, run

from tvm_directconv.operators.frames import Stack, stack_frames
from tvm_directconv.operators.interleave import Interleaving, interleave
from tvm_directconv.problem.phases import cut, reach, windows
from tvm_directconv.targets.target import resolve_target

TARGET = resolve_target("llvm -mcpu=native")


def scattered(data: np.ndarray, weight: np.ndarray, stride: int, dilation: int) -> np.ndarray:
    """A transposed convolution of vectors, from its definition: nothing cut off."""
    result = np.zeros(reach(len(data), len(weight), stride, dilation))
    for position, value in enumerate(data):
        for tap, factor in enumerate(weight):
            result[position * stride + tap * dilation] += value * factor
    return result


@settings(max_examples=300)
@given(st.data())
def test_phases_add_up_to_the_transposed_convolution(data: st.DataObject) -> None:
    size, kernel = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 9))
    stride, dilation = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 5))
    values, weight = np.arange(1.0, size + 1), np.arange(3.0, kernel + 3)
    whole = scattered(values, weight, stride, dilation)
    before = data.draw(st.integers(0, len(whole) - 1))
    wanted = np.concatenate([whole[before:], np.zeros(7)])[: data.draw(st.integers(1, len(whole)))]
    positions = -(-len(wanted) // stride)
    got = np.full(positions * stride, np.nan)
    found = windows(kernel, stride, dilation, before, len(wanted))
    for window in found:
        span = window.inside(size, positions)
        padded = np.zeros(0)
        if span is not None:
            padded = np.pad(values[slice(*span)], window.padding(size, positions))
            first, end = window.seen(positions)
            assert len(padded) == end - first
        for phase, taps in zip(window.phases, window.taps, strict=True):
            places = range(0, window.count * window.dilation, window.dilation)
            for t in range(positions):
                visited = zip(places, taps, strict=True) if span is not None else ()
                got[t * stride + phase] = sum(padded[t + place] * weight[tap] for place, tap in visited)
    np.testing.assert_array_equal(got[: len(wanted)], wanted)
    phases = min(stride, len(wanted))
    assert sorted(phase for window in found for phase in window.phases) == list(range(phases))
    assert sum(len(taps) for window in found for taps in window.taps) == kernel or phases < stride


def test_phases_that_see_the_same_window_share_it() -> None:
    """U-Net's kernel, as large as its stride, and that of networks that upsample bilinearly."""
    (only,) = windows(2, 2, 1, 0, 8)
    assert only.taps == ((0,), (1,)) and only.first == 0
    assert [len(window.phases) for window in windows(64, 32, 1, 16, 320)] == [16, 16]
    assert [window.count for window in windows(2, 4, 1, 0, 8)] == [1, 0]


@pytest.mark.parametrize(
    ("whole", "size", "upper", "wanted"),
    [(7, 4, True, (1, 2)), (7, 4, False, (2, 1)), (6, 4, False, (1, 1)), (3, 4, True, (0, 0))],
)
def test_the_odd_position_is_cut_off_behind_or_in_front(
    whole: int, size: int, upper: bool, wanted: tuple[int, int]
) -> None:
    assert cut(whole, size, upper) == wanted


EXTENTS = st.integers(1, 3)


@settings(max_examples=12)
@given(st.data())
def test_phases_are_interleaved(data: st.DataObject) -> None:
    """Drawn extents, split into drawn tensors, against numpy's own strides."""
    strides, positions = (tuple(data.draw(EXTENTS) for _ in range(3)) for _ in range(2))
    whole_size = tuple(p * s for p, s in zip(positions, strides, strict=True))
    size = tuple(
        data.draw(st.integers(extent - stride + 1, extent))
        for extent, stride in zip(whole_size, strides, strict=True)
    )
    groups, batch = data.draw(st.sampled_from([1, 1, 2])), data.draw(EXTENTS)
    channels = groups * data.draw(st.sampled_from([1, 3, 8, 17]))
    total = int(np.prod(strides))
    order = data.draw(st.permutations(range(total)))
    split = data.draw(st.integers(1, total))
    what = Interleaving(batch, channels, strides, positions, size, tuple(order), groups)
    whole = draw(batch, *whole_size, channels)
    parts = []
    for phases in filter(len, (order[:split], order[split:])):
        views = []
        for phase in phases:
            deep, low, right = np.unravel_index(phase, strides)
            view = whole[:, deep :: strides[0], low :: strides[1], right :: strides[2]]
            views.append(view.reshape(*view.shape[:4], groups, 1, channels // groups))
        parts.append(np.concatenate(views, 5).reshape(batch, *positions, -1))
    wanted = whole[:, : size[0], : size[1], : size[2]]
    function = interleave(what, [part.shape for part in parts], wanted.shape, TARGET)
    np.testing.assert_array_equal(run(function, parts, wanted.shape, TARGET, what), wanted)


@settings(max_examples=8)
@given(st.data())
def test_frames_are_stacked(data: st.DataObject) -> None:
    batch, depth, stride = (data.draw(EXTENTS) for _ in range(3))
    taps = tuple(data.draw(st.lists(st.integers(-4, 4), min_size=1, max_size=3)))
    groups, count = data.draw(st.sampled_from([1, 2])), data.draw(st.integers(1, 4))
    channels = groups * data.draw(st.sampled_from([1, 5, 16]))
    video = draw(batch, depth, 2, 3, channels)
    what = Stack(batch, depth, count, stride, taps, groups)
    wanted = np.zeros((batch, count, 2, 3, groups, len(taps), channels // groups), np.float32)
    for t in range(count):
        for place, tap in enumerate(taps):
            if 0 <= t * stride + tap < depth:
                frame = video[:, t * stride + tap]
                wanted[:, t, ..., place, :] = frame.reshape(batch, 2, 3, groups, -1)
    frames = video.reshape(-1, 2, 3, channels)
    shape = (batch * count, 2, 3, len(taps) * channels)
    function = stack_frames(what, frames.shape, TARGET)
    np.testing.assert_array_equal(run(function, [frames], shape, TARGET, what), wanted.reshape(shape))
