"""Every registered micro-kernel, and tails of each, against the contract stated in microkernel.py."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from byte_kernels import draw_jumps, draw_skipped, maybe_open, open_elements
from support import HALF_TARGETS, ISA_TARGETS, Record, assert_matches, kernel_target, run_kernels

from intrinsics import registry
from intrinsics.isa import ISAS, Isa
from intrinsics.microkernel import (
    DEPTHWISE,
    PANEL,
    ROW,
    KernelInstance,
    Lines,
    MicroKernel,
    RegisterBudgetError,
    Segment,
    TileEpilogue,
)
from tvm_directconv.problem.steps import numpy_steps
from tvm_directconv.targets.target import CompileTarget

CLIPS = [(-math.inf, math.inf), (0.0, math.inf), (-1.5, 2.25), (-math.inf, 0.5)]
TOLERANCE = 5e-5
"""Sums of up to 1000 terms of size 1, clipped to a range of about 1."""
TAPS = (3, 1, 0, 2, 2, 1)
"""Kernels walk so many filter rows in the trials of each."""
EXTRA_COLUMNS = 3
"""C's rows are this much longer than the tile, so that a store beyond it is seen."""
DTYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16}
ROUNDING = {"f32": 0.0, "bf16": 2.0**-8, "f16": 2.0**-11}
"""Half a step of the types around one, with some room where a sum lies between two numbers."""


def draw_instance(kernel: MicroKernel, rng: random.Random, *, full: bool) -> KernelInstance:
    """A random instance: a tail of the kernel unless ``full``, with borders, three segments, an epilogue,
    and unless it is depthwise, several blocks, and lanes of C in blocks; if it is, groups and lines."""
    mr = kernel.mr if full else rng.randint(1, kernel.mr)
    channels = kernel.nr if full else rng.randint(1, kernel.nr)
    destination = rng.choice([kernel.destination, "f32"])
    types = "_".join([destination, kernel.lhs, kernel.lhs])
    depthwise = kernel.layout == DEPTHWISE
    group, multiplier, lines = 1, 1, Lines()
    together = ISAS[kernel.isa].channels_per_step(kernel.layout)
    if depthwise and not full:
        group = rng.choice([1, 1, *ISAS[kernel.isa].groups])
        multiplier = rng.choice([1, *ISAS[kernel.isa].multipliers]) if group == 1 else 1
        group *= multiplier
        channels = -(-channels // group) * group
        # Groups' channels take registers that the tallest tiles leave none of.
        mr = max(1, min(mr, kernel.mr - 3))
        count = rng.choice([count for count in (1, 2, 3) if mr % count == 0])
        lines = Lines(count, 7 * channels, 2000, rng.choice([1, 2, 3])) if count > 1 else lines
    width = mr // lines.count
    length = group // multiplier if depthwise else rng.choice([1, 3, 16, 37])
    pixel = channels if depthwise else length
    whole = -(-length // together) * together
    a_k = mr if kernel.layout == PANEL else 1 if depthwise or together > 1 else rng.choice([1, 1, 5])
    a_row = together if kernel.layout == PANEL else 2 * pixel
    blocks = 1 if depthwise else rng.choice([1, 1, 2, 3])
    a_tap, b_tap = (whole if kernel.layout == PANEL else pixel) * a_k, whole * kernel.nr
    a_step, b_step = 2 * pixel * mr + 3 * a_tap, 3 * b_tap
    accumulate = destination == "f32" and rng.random() < 0.3
    lanes = ISAS[kernel.isa].lanes
    # Blocks of several lines would lie over each other.
    blocks_of_c = [(0, 0), (lanes, lanes + mr * (channels + EXTRA_COLUMNS))][: 1 if lines.count > 1 else 2]

    def segments(kinds: int, length: int) -> tuple[Segment, ...]:
        drawn = []
        for tap in range(kinds):
            all_rows = full or kernel.layout == PANEL
            first = 0 if all_rows else rng.randint(0, width - 1)
            last = width if all_rows else rng.randint(first + 1, width)
            segment = Segment(first, last, tap * a_tap, tap * b_tap, length)
            drawn.append(replace(segment, skipped=draw_skipped(kernel, segment, rng)))
        return tuple(drawn)

    instance = KernelInstance(
        MicroKernel(mr, kernel.nr, kernel.layout, kernel.isa, types),
        channels,
        a_row=a_row,
        a_step=a_step,
        b_row=kernel.nr * together,
        b_step=b_step,
        c_row=channels + EXTRA_COLUMNS,
        segments=segments(3, length),
        prefetch=rng.choice([0, 1, 4]),
        epilogue=TileEpilogue(not accumulate and rng.random() < 0.5, rng.random() < 0.5, *rng.choice(CLIPS)),
        a_k=a_k,
        accumulate=accumulate,
        bias_by_row=rng.random() < 0.3,
        blocks=blocks,
        a_block=4 * a_step if blocks > 1 else 0,
        b_block=4 * b_step if blocks > 1 else 0,
        tail_segments=segments(2, max(1, length // 2)) if blocks > 1 and rng.random() < 0.5 else (),
        c_block=rng.choice(blocks_of_c),
        group=group,
        lines=lines,
        a_rows=draw_jumps(kernel, mr, rng),
    )
    return maybe_open(instance, rng)


def contract(instance: KernelInstance, operands: list[np.ndarray], taps: int) -> np.ndarray:
    """The kernel's contract in float64, row by row; what is not stored keeps its value."""
    a, b, bias, residual, c = (array.astype(np.float64) for array in operands)
    depthwise = instance.kernel.layout == DEPTHWISE
    blocks = [instance.segments] * instance.blocks + [instance.tail_segments]
    together = ISAS[instance.kernel.isa].channels_per_step(instance.kernel.layout)
    channels = np.arange(instance.channels)[:, None]
    for m in range(instance.kernel.mr):
        at = np.array([c_index(instance, m, j) for j in range(instance.channels)])
        totals = c[at] * instance.accumulate
        totals += (bias[m] if instance.bias_by_row else bias[: instance.channels]) * instance.epilogue.bias
        y, x = divmod(m, instance.width)
        rows = instance.lines.taps if instance.lines.count > 1 else taps
        for q, h in itertools.product(range(len(blocks)), range(rows)):
            for s in blocks[q]:
                if x in s.rows:
                    k = np.arange(s.length)
                    step, within = k // together, k % together
                    a_at = q * instance.a_block + h * instance.a_step + s.a + instance.a_offset(x)
                    a_at += y * instance.lines.a
                    b_at = q * instance.b_block + h * instance.b_step + s.b + step * instance.b_row
                    own = channels // instance.group * s.length + k
                    shared = step * together * instance.a_k + within
                    taken = a[a_at + (own if depthwise else shared)]
                    totals += np.sum(taken * b[b_at + channels * together + within], axis=1)
        with np.errstate(invalid="ignore"):
            c[at] = numpy_steps(
                instance.epilogue.steps, totals, residual[at], lambda first: bias[first:][: instance.channels]
            )
    return c


def c_index(instance: KernelInstance, m: int, j: int) -> int:
    width, distance = instance.c_block
    y, x = divmod(m, instance.width)
    return y * instance.lines.c + x * instance.c_row + (j // width * distance + j % width if width else j)


def draw_operands(instance: KernelInstance, taps: int) -> list[np.ndarray]:
    """(a, b, bias, residual, c) of the sizes the instance reads and writes, and C somewhat beyond. What of A
    is not to be read is no number."""
    rng = np.random.default_rng(0)
    rows, together = instance.kernel.mr, ISAS[instance.kernel.isa].channels_per_step(instance.kernel.layout)
    c_size = c_index(instance, rows - 1, instance.channels - 1) + 1 + EXTRA_COLUMNS
    read = elements_read(instance, taps)
    sizes = (
        read.max() + 1 + open_elements(instance),
        instance.blocks * instance.b_block + max(1, taps, instance.lines.taps) * instance.b_step,
        max(
            rows, instance.channels + max((step.offset for step in instance.epilogue.per_channel), default=0)
        ),
        c_size,
        c_size,
    )
    a, b, bias, residual, c = (rng.standard_normal(size, np.float32) for size in sizes)
    if ISAS[instance.kernel.isa].half_terms:
        # Sums of such products are exact in float16, too: what is wrong is the kernel.
        a, b = (np.clip(np.rint(2 * array), -4, 4) for array in (a, b))
    # Not-a-number and infinities stay what they are by the rules of arithmetic, in every step, too.
    residual[rng.integers(0, residual.size, 3)] = math.nan, math.inf, -math.inf
    a[np.setdiff1d(np.arange(a.size), read)] = math.nan
    for h, s in itertools.product(range(max(1, taps)), (*instance.segments, *instance.tail_segments)):
        for k in range(s.length, -(-s.length // together) * together):
            for q in range(instance.blocks + 1):
                at = q * instance.b_block + h * instance.b_step + s.b + k // together * instance.b_row
                b[at + k % together : at + instance.kernel.nr * together : together] = 0
    of_operands, of_result = DTYPES[instance.kernel.lhs], DTYPES[instance.kernel.destination]
    return [
        *(array.astype(of_operands) for array in (a, b)), bias,
        *(array.astype(of_result) for array in (residual, c)),
    ]  # fmt: skip


def elements_read(instance: KernelInstance, taps: int) -> np.ndarray:
    """Where the elements of A are that the contract speaks of; a panel has whole groups of channels."""
    kernel, lines = instance.kernel, instance.lines
    together = ISAS[kernel.isa].channels_per_step(kernel.layout)
    rows, blocks = lines.taps if lines.count > 1 else taps, [instance.segments] * instance.blocks
    found = [np.zeros(1, int)]
    for (q, segments), h in itertools.product(enumerate([*blocks, instance.tail_segments]), range(rows)):
        for s, y in itertools.product(segments, range(lines.count)):
            length = s.length if kernel.layout != PANEL else -(-s.length // together) * together
            k = np.arange(length)
            own = k // together * together * instance.a_k + k % together
            if kernel.layout == DEPTHWISE:
                own = np.arange(-(-instance.channels // instance.group) * s.length)
            at = q * instance.a_block + h * instance.a_step + s.a + y * lines.a
            found += [at + instance.a_offset(x) + own for x in s.rows]
    return np.unique(np.concatenate(found))


def check_all(cases: list[tuple[KernelInstance, int]], target: CompileTarget | None) -> None:
    """Instances with their numbers of filter rows; compiled together, which costs little more than one."""
    operands = [draw_operands(instance, taps) for instance, taps in cases]
    for i, got in enumerate(run_kernels(cases, operands, target)):
        instance, taps = cases[i]
        assert_keeps_contract(instance, operands[i], taps, got)


def assert_keeps_contract(
    instance: KernelInstance, operands: list[np.ndarray], taps: int, got: np.ndarray
) -> None:
    """Each element within one rounding of what is stored, all within that of sums in float32."""
    want, got = contract(instance, operands, taps), got.astype(np.float64)
    rounding = ROUNDING[instance.kernel.destination]
    with np.errstate(invalid="ignore"):
        off = np.abs(got - want) > rounding * np.abs(want)
    assert_matches(np.where(off, got, want), want, f"{instance.name}, {taps} taps", TOLERANCE)


FLOAT_KERNELS = [kernel for kernel in registry.registered_kernels() if not ISAS[kernel.isa].of_bytes]
NATIVE = [k for k in FLOAT_KERNELS if k.isa in ISA_TARGETS | HALF_TARGETS]
"""Kernels of x86, interpreted where the host lacks their instructions, and those for any architecture; the
others run under emulation (test_emulated_kernels.py)."""
each_isa = pytest.mark.parametrize(
    "isa", [ISAS[name] for name in ISA_TARGETS | HALF_TARGETS], ids=lambda isa: isa.name
)


@pytest.mark.parametrize("kernel", NATIVE, ids=lambda kernel: kernel.name)
def test_kernel_keeps_its_contract(kernel: MicroKernel, record_property: Record) -> None:
    target = kernel_target(kernel.isa, record_property)
    rng = random.Random(kernel.name)
    check_all(
        [(draw_instance(kernel, rng, full=trial == 0), taps) for trial, taps in enumerate(TAPS)], target
    )


@each_isa
def test_every_mr_tail_of_the_widest_tiles(isa: Isa, record_property: Record) -> None:
    target = kernel_target(isa.name, record_property)
    nr = 2 * isa.lanes
    rng = random.Random(nr)
    kernels = (
        MicroKernel(mr, nr, ROW, isa.name, rng.choice(isa.types))
        for mr in range(1, isa.largest_mr(nr, ROW) + 1)
    )
    check_all([(draw_instance(kernel, rng, full=True), 2) for kernel in kernels], target)


@each_isa
def test_every_channel_tail(isa: Isa, record_property: Record) -> None:
    target = kernel_target(isa.name, record_property)
    kernel, together = MicroKernel(2, isa.lanes, ROW, isa.name, isa.types[0]), isa.channels_per_step(ROW)
    cases = []
    for channels in range(1, isa.lanes + 1):
        instance = KernelInstance(
            kernel, channels, 5, 20, isa.lanes * together, 8 * isa.lanes, channels + EXTRA_COLUMNS,
            (Segment(0, 2, 0, 0, 5),), TileEpilogue(True, True, 0.0, 1.0),
        )  # fmt: skip
        cases.append((instance, 2))
    check_all(cases, target)


def test_names_parse_back() -> None:
    rng = random.Random(0)
    for kernel in FLOAT_KERNELS:
        assert MicroKernel.parse(kernel.name) == kernel
        instance = draw_instance(kernel, rng, full=False)
        assert KernelInstance.parse(instance.name) == instance


@pytest.mark.parametrize(
    "name", ["", "f32_14x32", "f32_f32_f32_14x32_row_avx512__n32", "f32_f32_f32_x_row_avx2"]
)
def test_malformed_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not .* name"):
        KernelInstance.parse(name)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (MicroKernel(15, 32, ROW, "avx512"), "needs 33 vector registers .* avx512 has 32"),
        (MicroKernel(7, 16, ROW, "avx2"), "needs 18 vector registers .* avx2 has 16"),
        (MicroKernel(4, 20, ROW, "avx512"), "nr 20 is not a positive multiple of the vector's 16 lanes"),
        (MicroKernel(40, 4, DEPTHWISE, "portable"), "needs 42 vector registers"),
    ],
)
def test_tiles_beyond_the_registers_are_refused_with_the_reason(kernel: MicroKernel, reason: str) -> None:
    instance = KernelInstance(kernel, 1, 1, 1, kernel.nr, kernel.nr, 1, ())
    with pytest.raises(RegisterBudgetError, match=reason):
        registry.emit(instance)


def test_listed_kernels_are_the_tallest_that_fit() -> None:
    for kernel in registry.registered_kernels():
        isa = ISAS[kernel.isa]
        step = isa.lanes if kernel.layout == PANEL and kernel.mr % isa.lanes == 0 else 1
        taller = replace(kernel, mr=kernel.mr + step)
        assert isa.refusal(kernel) is None and isa.refusal(taller) is not None, kernel.name
