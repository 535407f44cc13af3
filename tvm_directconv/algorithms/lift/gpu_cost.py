"""What a GPU's busiest unit takes for its workgroups: the longest of issuing their instructions, waiting for
loads, moving what they load out of the unit's own cache, and bringing it there.

A thread loads the vectors of one step, waits until they are there, and multiplies them; meanwhile other warps
run, as many as registers and local memory leave room for, or as many as there are. The warps of a workgroup
walk the same filters at about the same time, so that each comes to the unit once for a workgroup.
"""

from __future__ import annotations

from math import ceil

from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu_machine import GpuMachine

from .geometry import Geometry, is_channelwise
from .knobs import LiftKnobs

PREDICATE = 3.0
"""Instructions of a load that asks first whether it is inside the image."""
LOOP = 2.0
"""Instructions of a loop's step, and for each multiply-add in it where these are not written out."""
SUM = 3.0
"""Instructions for each partial sum that goes through local memory."""
STORE = 2.0
"""Instructions of a result: its address and its store."""
THREAD = 20.0
"""Cycles of a thread before and behind its loops."""
ADDRESSES = 24
"""Registers of a thread beside its sums and the vectors that it multiplies."""
SECTOR = 32
"""Bytes of the least that a load moves."""


def unit_cycles(w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, machine: GpuMachine, asks: bool) -> float:
    """Return the cycles of the unit that has most workgroups. ``asks``: a load asks whether it is inside the
    image."""
    groups = ceil(g.groups_x * g.groups_y / machine.compute_units)
    warps = ceil(g.threads_x * g.threads_y / machine.lanes)
    at_once = min(groups, resident_groups(g, machine))
    rate = machine.fma_per_cycle / machine.lanes  # warps that a unit advances in a cycle
    instructions = thread_instructions(w, knobs, g, machine, asks)
    issued = at_once * warps * instructions / rate
    alone = instructions + g.steps * machine.cache_latency_cycles
    loaded = groups * warps * g.steps * step_cycles(w, knobs, g, machine)
    fetched = groups * group_bytes(w, knobs, g, machine) / machine.fetch_bytes_per_cycle
    return max(groups / at_once * max(issued, alone), loaded, fetched)


def thread_instructions(
    w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, machine: GpuMachine, asks: bool
) -> float:
    """Return the instructions of a thread of the convolution's kernel."""
    windows, filters = knobs.windows_h * knobs.windows_w, g.thread_filters
    of_input, of_filter = loads(w, knobs, g, machine)
    loop = LOOP * (1 if knobs.unroll else 1 + filters * windows)
    step = filters * windows * knobs.vector + of_input * (1 + PREDICATE * asks) + of_filter + loop
    sums = 2 * SUM * filters * windows if g.chunks > 1 else 0.0
    return THREAD + g.steps * step + STORE * filters * windows + sums


def loads(w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, machine: GpuMachine) -> tuple[int, int]:
    """Return the loads of the input and of the filter that a thread does in a step: one for a vector, but for
    those of three numbers, of which CUDA's are loaded one by one."""
    windows = knobs.windows_h * knobs.windows_w
    each = 3 if knobs.vector == 3 and machine.kind == "cuda" else 1
    return each * windows * (g.thread_filters if is_channelwise(w) else 1), each * g.thread_filters


def resident_groups(g: Geometry, machine: GpuMachine) -> float:
    """Return the workgroups that run on a unit at once: less than one where the registers of a whole
    workgroup are more than a unit's."""
    threads = g.threads_x * g.threads_y
    room = machine.threads_per_unit * min(1.0, machine.registers_per_thread / (g.registers + ADDRESSES))
    found = room // threads or room / threads
    if g.local_bytes:
        found = min(found, max(1, machine.local_memory_bytes // g.local_bytes))
    return found


def step_cycles(w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, machine: GpuMachine) -> float:
    """Return the cycles in which a warp's loads of one step leave the unit's cache: neighbours' vectors of
    filters lie side by side, windows by themselves, and what several lanes load is moved once."""
    vector = knobs.vector * w.element_bytes
    along = min(machine.lanes, g.threads_x)
    filters = min(along, knobs.filter_threads)
    chunks, windows = ceil(along / filters), min(g.threads_y, ceil(machine.lanes / along))
    if is_channelwise(w):
        of_window = windows * max(SECTOR, filters * vector)
    elif knobs.coalesce:
        of_window = windows * max(SECTOR, chunks * vector)
    else:
        of_window = windows * chunks * max(SECTOR, vector)
    of_input, of_filter = loads(w, knobs, g, machine)
    a_cycle = machine.unit_cache_bytes_per_cycle
    return of_input * max(1.0, of_window / a_cycle) + of_filter * max(1.0, along * vector / a_cycle)


def group_bytes(w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, machine: GpuMachine) -> float:
    """Return the bytes that a workgroup brings to its unit: its filters, and its tile of the input, again for
    each tap where the unit's cache does not hold it."""
    taps, apart = w.kernel[0] * w.kernel[1], is_channelwise(w)
    channels = knobs.filters if apart else w.in_channels // w.groups
    pixels = knobs.tile_h * knobs.tile_w
    if pixels * channels * w.element_bytes > machine.unit_cache_bytes / 2:
        pixels = taps * g.rows * g.columns
    return w.element_bytes * (knobs.filters * taps * (1 if apart else channels) + pixels * channels)
