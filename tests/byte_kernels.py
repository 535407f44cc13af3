"""Micro-kernels of 8-bit integers: random instances and operands, and their contract in exact integers."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from intrinsics.epilogue import ChannelScale, Clip, Residual, Round, Scale, Shift, Step
from intrinsics.isa import ISAS, Isa
from intrinsics.microkernel import (
    DEPTHWISE,
    PANEL,
    KernelInstance,
    Lines,
    MicroKernel,
    Segment,
    TileEpilogue,
    next_place,
)
from tvm_directconv.problem.steps import numpy_steps

DTYPES = {"u8": "uint8", "s8": "int8", "i32": "int32", "f32": "float32"}
EXTRA_COLUMNS = 3
"""C's rows are this much longer than the tile, so that a store beyond it is seen."""
RANGE = {"u8": (0, 255), "s8": (-128, 127)}


def draw_instance(kernel: MicroKernel, rng: random.Random, *, full: bool) -> KernelInstance:
    """A random instance, with borders and any destination: a tail of the kernel unless ``full``."""
    isa = ISAS[kernel.isa]
    group = isa.channels_per_step(kernel.layout)
    _, lhs, rhs = kernel.types.split("_")
    destination = rng.choice(["i32", "f32", "u8", "s8"])
    mr = kernel.mr if full else rng.randint(1, kernel.mr)
    channels = kernel.nr if full else rng.randint(1, kernel.nr)
    depthwise, panel = kernel.layout == DEPTHWISE, kernel.layout == PANEL
    length = 1 if depthwise else rng.choice([1, 2, 3, 4, 7, 16, 37, 64, 131])
    groups = -(-length // group)
    # A panel holds groups of all rows together, padded to whole groups; rows lie one after the other.
    pixel = channels if depthwise else length
    # A tail's panel may be as wide as the others.
    wide = rng.choice([mr, kernel.mr])
    a_tap = groups * group * wide if panel else pixel
    b_row = isa.filter_row(kernel.nr, kernel.layout)
    b_tap = groups * b_row
    segments = []
    for tap in range(3):
        first = 0 if full or panel else rng.randint(0, mr - 1)
        last = mr if full or panel else rng.randint(first + 1, mr)
        segments.append(Segment(first, last, tap * a_tap, tap * b_tap, length))
    segments = [replace(segment, skipped=draw_skipped(kernel, segment, rng)) for segment in segments]
    zero = rng.choice([0, rng.randint(*RANGE[destination])]) if destination in RANGE else 0
    low, high = -math.inf, math.inf
    if destination in RANGE:
        low, high = (float(bound - zero) for bound in RANGE[destination])
        low = rng.choice([low, max(low, 0.0)])
    elif destination == "f32":
        low, high = rng.choice([(low, high), (0.0, 6.0)])
    at = rng.randint(0, mr - 1)
    steps = draw_residual(rng, 2 * channels) if destination in RANGE and rng.random() < 0.4 else ()
    instance = KernelInstance(
        MicroKernel(mr, kernel.nr, kernel.layout, kernel.isa, f"{destination}_{lhs}_{rhs}"),
        channels,
        a_row=group if panel else 2 * pixel,
        a_step=3 * a_tap if panel else 2 * pixel * mr + 3 * a_tap,
        b_row=b_row,
        b_step=3 * b_tap,
        c_row=channels + EXTRA_COLUMNS,
        segments=tuple(segments),
        epilogue=TileEpilogue(bias=rng.random() < 0.8, low=low, high=high, steps=steps),
        prefetch=rng.choice([0, 1, 4]),
        a_k=wide if panel else 1,
        bias_rows=rng.choice([(), ((0, 0), (at, channels)) if at else ((0, channels),)]),
        a_rows=draw_jumps(kernel, mr, rng),
        zero=zero,
        lines=draw_rows(isa, replace(kernel, mr=mr), rng),
    )
    return maybe_open(instance, rng)


def draw_rows(isa: Isa, kernel: MicroKernel, rng: random.Random) -> Lines:
    """Return how many filter rows a depthwise kernel visits, if it is to know that."""
    if isa.rows_together == 1 or kernel.layout != DEPTHWISE:
        return Lines()
    beside = 3 + (2 if isa.rows_together > 2 else 0)
    fits = (kernel.mr + 3) * (kernel.nr // isa.lanes) + beside <= isa.vector_registers
    return Lines(taps=rng.randint(1, 6)) if fits and rng.random() < 0.7 else Lines()


def draw_residual(rng: random.Random, behind: int) -> tuple[Step, ...]:
    """The steps of a sum with a residual, whose scales lie so many elements behind the bias."""
    zero = rng.randint(-128, 255)
    changes = [Scale(rng.uniform(0.3, 3)), Residual(), *([Shift(-zero)] if zero > 0 else [])]
    relu = [Clip(low=0.0)] if rng.random() < 0.5 else []
    return ChannelScale(behind), Clip(-100.0, 155.0), Round(), *changes, *relu, Scale(rng.uniform(0.3, 1))


def draw_skipped(kernel: MicroKernel, segment: Segment, rng: random.Random) -> tuple[int, ...]:
    """Rows between the first and the last that a kernel of tiles leaves out."""
    between = range(segment.first + 1, segment.last - 1)
    if ISAS[kernel.isa].tile_rows == 1 or not between:
        return ()
    return tuple(sorted(rng.sample(between, rng.choice([0, 1, min(3, len(between))]))))


def draw_jumps(kernel: MicroKernel, mr: int, rng: random.Random) -> tuple[tuple[int, int], ...]:
    """Rows from which on a kernel of tiles finds A further on."""
    if ISAS[kernel.isa].tile_rows == 1:
        return ()
    return rng.choice([(), tuple((m, 5 * m) for m in range(rng.randint(1, mr), mr, 7))])


def maybe_open(instance: KernelInstance, rng: random.Random) -> KernelInstance:
    """Return a kernel of tiles, perhaps one that reads what lies between rows, if there are tiles for that;
    jumps are whole rows, or not."""
    kernel, isa = instance.kernel, ISAS[instance.kernel.isa]
    if isa.tile_rows == 1 or rng.random() < 0.5:
        return instance
    jump = rng.choice([instance.a_row, 2 * instance.a_row, 3 * instance.a_row + 1])
    starts = range(rng.randint(1, kernel.mr), kernel.mr, rng.randint(3, 20))
    jumps = tuple((m, number * jump) for number, m in enumerate(starts, 1))
    place = 0
    for m in range(1, kernel.mr):
        place = next_place(place, jump if m in starts else 0, instance.a_row, isa.tile_rows)
    rows = place // isa.tile_rows + 1
    if not isa.largest_mr(kernel.nr, kernel.layout) >= rows * isa.tile_rows:
        return instance
    return replace(instance, a_rows=jumps, a_open=True)


def open_elements(instance: KernelInstance) -> int:
    """Elements behind a kernel's last row that it may read."""
    return ISAS[instance.kernel.isa].tile_rows * instance.a_row if instance.a_open else 0


def draw_operands(instance: KernelInstance, taps: int) -> list[np.ndarray]:
    """(a, b, bias, scale, c): values of the whole range, with many extremes. Where there is a residual, it
    stands in place of the scale, which lies behind the bias."""
    rng = np.random.default_rng(len(instance.name))
    kernel, taps = instance.kernel, instance.lines.taps or taps
    destination, lhs, rhs = kernel.types.split("_")
    group = ISAS[kernel.isa].channels_per_step(kernel.layout)

    def draw(size: int, kind: str) -> np.ndarray:
        low, high = RANGE[kind]
        values = rng.integers(low, high + 1, size)
        extremes = rng.choice([low, high], size)
        return np.where(rng.random(size) < 0.4, extremes, values).astype(DTYPES[kind])

    panel = kernel.layout == PANEL
    ends = [
        s.a + (-(-s.length // group) * group * instance.a_k if panel else s.length) for s in instance.segments
    ]
    own = kernel.layout == DEPTHWISE
    # Rows end where the tensor does: what reads beyond them is seen by a checker of memory, or crashes.
    a_size = max(taps - 1, 0) * instance.a_step + max(
        (0 if panel else instance.a_offset(s.last - 1)) + (s.a + instance.channels if own else end)
        for s, end in zip(instance.segments, ends, strict=True)
    )
    a_size += open_elements(instance)
    b = draw(max(1, taps) * instance.b_step, rhs)
    if rhs == "s8":
        largest = ISAS[kernel.isa].largest_weight
        b = np.clip(b, -largest, min(largest, 127)).astype(np.int8)
    for h, s in itertools.product(range(taps), instance.segments):
        for k in range(s.length, -(-s.length // group) * group):
            at = h * instance.b_step + s.b + k // group * instance.b_row + k % group
            b[at : at + kernel.nr * group : group] = 0
    complement_pairs(instance, b, rng)
    rows = instance.bias_offset(kernel.mr - 1) + instance.channels
    bias = rng.integers(-100000, 100000, rows).astype(np.int32)
    scale = rng.uniform(1e-4, 3e-3, instance.channels).astype(np.float32)
    c_size = (kernel.mr - 1) * instance.c_row + instance.channels + EXTRA_COLUMNS
    c = rng.integers(0, 100, c_size).astype(DTYPES[destination])
    if not instance.epilogue.residual:
        return [draw(a_size, lhs), b, bias, scale, c]
    (first,) = instance.epilogue.per_channel
    table = np.zeros(first.offset + instance.channels, np.int32)
    table[:rows], table[first.offset :] = bias, scale.view(np.int32)
    return [draw(a_size, lhs), b, table, draw(c_size, destination), c]


def complement_pairs(instance: KernelInstance, b: np.ndarray, rng: np.random.Generator) -> None:
    """Fill what lies behind each row of weights with what activations are exclusive-or'd with, where there is
    that, and make pairs of weights such that their sums fit 16 bits."""
    kernel = instance.kernel
    if not ISAS[kernel.isa].complements or kernel.layout == DEPTHWISE:
        return
    weights, masks = b.reshape(-1, 2, instance.b_row // 2).transpose(1, 0, 2)
    pairs = weights.reshape(len(weights), -1, 2)
    one, other = (pairs[..., at].astype(np.int16) for at in (0, 1))
    over = (one * other > 0) & (abs(one + other) > 128)
    pairs[..., 1] = np.where(over, -pairs[..., 1], pairs[..., 1])
    weights[:] = pairs.reshape(weights.shape)
    masks[:] = rng.choice([0, 255, 128, 127], masks.shape).astype(np.uint8).view(np.int8)


def contract(instance: KernelInstance, operands: list[np.ndarray], taps: int) -> np.ndarray:
    """The kernel's contract, row by row; what is not stored keeps its value."""
    a, b, bias, scale, c = operands
    taps = instance.lines.taps or taps
    kernel, isa = instance.kernel, ISAS[instance.kernel.isa]
    steps, residual = instance.epilogue.steps, None
    if instance.epilogue.residual:
        (first, *steps), residual = steps, scale
        scale = bias[first.offset :].view(np.float32)
    group = isa.channels_per_step(kernel.layout)
    depthwise = kernel.layout == DEPTHWISE
    moved = 0 if depthwise else isa.lhs_offset(kernel.lhs)
    masks = b if isa.complements and not depthwise else None
    a, b = a.astype(np.int64) + moved, b.astype(np.int64)
    c = c.copy()
    j = np.arange(instance.channels)
    for m in range(kernel.mr):
        total = bias[instance.bias_offset(m) + j].astype(np.int64) * instance.epilogue.bias
        for h, s in itertools.product(range(taps), instance.segments):
            if m not in s.rows:
                continue
            k = np.arange(s.length)[:, None]
            b_at = h * instance.b_step + s.b + k // group * instance.b_row + j * group + k % group
            a_at = h * instance.a_step + s.a + instance.a_offset(m)
            a_at = a_at + (j if depthwise else k // group * group * instance.a_k + k % group)
            pixels = a[a_at]
            if masks is not None:
                pixels = (pixels ^ masks[b_at + instance.b_row // 2]).astype(np.uint8).astype(np.int64)
            total += np.sum(pixels * b[b_at], axis=0)
        stored = m * instance.c_row + j
        added = None if residual is None else residual[stored].astype(np.float32)
        c[stored] = finished(instance, total, scale, steps, added)
    return c


def finished(
    instance: KernelInstance,
    total: np.ndarray,
    scale: np.ndarray,
    steps: Sequence[Step],
    residual: np.ndarray | None = None,
) -> np.ndarray:
    """Sums as they are stored, after these steps of their multiples."""
    destination = instance.kernel.destination
    assert np.abs(total).max(initial=0) < 2**31
    if destination == "i32":
        return total
    scaled = total.astype(np.float32) * scale
    stored = numpy_steps(steps, scaled, residual)
    return stored if destination == "f32" else np.rint(stored).astype(np.int64) + instance.zero


def assert_stored(got: np.ndarray, want: np.ndarray, instance: KernelInstance, taps: int) -> None:
    """What a kernel stored is what its contract says: to the bit, but for steps that round more than once.
    Those may be some units in the last place off as floats, and one off as bytes where that is near a tie."""
    what = f"{instance.name}, {taps} taps"
    if all(isinstance(step, Clip) for step in instance.epilogue.steps):
        np.testing.assert_array_equal(got, want, what)
    elif got.dtype == np.float32:
        np.testing.assert_allclose(got, want, 2e-6, 2e-6, err_msg=what)
    else:
        apart = np.abs(got.astype(np.int64) - want)
        assert apart.max() <= 1 and apart.sum() <= 1 + apart.size // 200, what
