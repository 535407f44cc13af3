"""What a work item takes where OpenCL runs on a CPU: work items one after the other, each in vectors that the
compiler makes of its neighbouring filters, where it does.

The numbers are fitted to PoCL with AVX2, to some two hundred points of seven layers. By these times its
compiler keeps the sums of a work item in registers where they are few, and then makes poor code of whatever
else there is: of addresses, of conditions, and where nothing is shared between filters no vectors at all.
More sums stay in memory: each is loaded and stored at every step, but all is in vectors.
"""

from __future__ import annotations

from math import ceil, gcd

from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu_machine import GpuMachine

from .geometry import Geometry, is_channelwise
from .knobs import LiftKnobs

IN_MEMORY = 1.5
"""Sums stay in memory that are more than so many times the floats of all registers."""
LOAD = 0.6
"""Instructions of a load of a window's number, or of a vector of weights."""
STORED = 1.8
"""Cycles of a multiply-add whose sum is in memory."""
MOVED = 2.1
"""The same where registers do not hold all sums and windows, and some move."""
OVERFLOWN, OVERFLOW = 1.75, 8.0
"""The same where these are more than so many times the registers, and its instructions."""
ADDRESS, ASKED = 2.0, 4.0
"""Instructions of a window's address where windows are of several rows, and of asking whether it is inside
the image; twice that where several vectors share it, none or one where sums are moved or stored anyway."""
UNMADE = 4.0
"""Instructions of a multiply-add in loops of which no vectors are made."""
SHUFFLED = 4.0
"""Loads that a vector of filters is put together by, where other threads' lie in between."""
THREAD = 40.0
"""Instructions of a work item before and behind its steps."""
PADDED = 12.0
"""Instructions for each vector that the padding's kernel copies."""


def item_instructions(
    w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, machine: GpuMachine, asks: bool
) -> float:
    """Return the instructions of a work item of the convolution's kernel, a vector's counted as one.

    ``asks``: a load asks whether it is inside the image.
    """
    windows, own, lanes = knobs.windows_h * knobs.windows_w, g.thread_filters, machine.vector_width
    apart, sums = is_channelwise(w), own * windows
    in_memory = sums >= IN_MEMORY * machine.registers_per_thread
    if not knobs.unroll or knobs.vector > 1 or g.chunks > 1:
        return THREAD + g.steps * sums * knobs.vector * (UNMADE + asks) + 2 * sums * g.chunks
    if apart and (asks or not in_memory or own < 2 * lanes):
        return THREAD + (g.steps * (2 + asks) + 2) * sums  # a multiply-add and a load each
    vectors = ceil(own / lanes)
    products, shared = vectors * windows, vectors > 1 and not apart
    there = machine.registers_per_thread / lanes
    needed = products + (windows if shared else 1) + 1
    each, address = 1.0, ASKED * asks * (1 + shared)
    if in_memory:
        each, address = STORED * (2 if shared and windows > there / 2 else 1), float(asks)
    elif needed > there:
        each = MOVED if needed <= OVERFLOWN * there else OVERFLOW
    elif g.steps > g.row:
        address += ADDRESS * (1 + shared)
    weights = vectors * (SHUFFLED if g.threads_x > 1 else 1.0)
    loads = LOAD * (weights + (products if apart else windows))
    return THREAD + g.steps * (products * each + loads + windows * address) + 2 * products


def padding_instructions(w: Conv2dWorkload, g: Geometry) -> float:
    """Return the instructions of the kernel that pads, whose vectors are of neighbouring channels."""
    return PADDED * g.padded_bytes / w.element_bytes / gcd(4, w.in_channels)
