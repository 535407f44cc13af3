"""What a point is estimated to take: from launch extents, instructions, bytes moved, registers and occupancy.

A kernel's cycles are those of its arithmetic and loads where a unit is full of work, more where lanes idle,
where registers leave too few threads to hide latencies, or where the last workgroups leave units idle; and
at least what its bytes take on their way from memory. The machine's file has the numbers.
"""

from __future__ import annotations

import math
from math import ceil

from tvm_directconv.model.cost import Cost
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu_machine import GpuMachine

from .cpu_cost import item_instructions, padding_instructions
from .geometry import Geometry, is_channelwise
from .knobs import KERNEL, LOAD, LiftKnobs

LOAD_CYCLES = 2.0
"""Multiply-adds that a lane could do in the time of a load that hits the cache, whatever its width."""
DIVERGED = 4.0
"""A load whose lanes read lines far apart takes so many times the time of one whose lanes are neighbours."""
PREDICATE = 3.0
"""Instructions of a load that asks first whether it is inside the image."""
LOOP_CYCLES = 2.0
"""Instructions of a loop's step, and for each multiply-add in it where these are not written out."""
SUM_CYCLES = 3.0
"""Instructions for each partial sum that goes through local memory."""
THREAD_CYCLES = 20.0
"""Of a thread, before and behind its loops."""
LAUNCH_CYCLES = 5000.0
"""Of a kernel, before its first thread runs."""
GROUP_CYCLES = 100.0
"""Of a workgroup on its unit, before its threads run."""
HIDING = 0.25
"""The share of a unit's threads that hides the latency of loads."""
CPUS = ("pocl",)
"""Device classes whose work items run one after the other, and whose compilers make vectors of what each
does, unless that is behind a condition or before a barrier."""


def cost(w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, machine: GpuMachine) -> Cost:
    """Return the estimated cycles of all kernels of a point, by their causes."""
    threads, on_cpu = g.threads_x * g.threads_y, machine.device in CPUS
    rounds = ceil(g.groups_x * g.groups_y / machine.compute_units)
    asks = knobs.pad == LOAD and needs_padding(w, g)
    if on_cpu:
        warps, busy = threads, 1.0
        rate = machine.fma_per_cycle / machine.vector_width
        instructions = item_instructions(w, knobs, g, machine, asks)
    else:
        warps, busy = ceil(threads / machine.lanes), occupancy(g, machine, threads)
        rate = machine.fma_per_cycle / machine.lanes  # warps that a unit advances in a cycle
        instructions = thread_instructions(w, knobs, g, asks)
    arithmetic = rounds * warps * instructions / (rate * min(1.0, busy / HIDING))
    bytes_per_cycle = machine.bandwidth_gb_s * 1e3 / machine.clock_mhz
    filters = w.element_bytes * math.prod(w.filter_shape)
    image = w.element_bytes * math.prod(w.input_shape)
    output = w.out_bytes * math.prod(w.output_shape)
    kept = (machine.local_memory_bytes if on_cpu else machine.cache_bytes) / 2
    again = refetched(g, machine, filters, image, kept)
    moved = filters + image + output + (0 if on_cpu else again)
    waited = again / bytes_per_cycle if on_cpu else 0.0  # nothing runs meanwhile
    padding = padding_instructions(w, g) / rate / machine.compute_units if on_cpu else 0.0
    between = g.padded_bytes + g.partial_bytes + g.sums_bytes
    kernels = 1 + (knobs.pad == KERNEL) + (knobs.crop == KERNEL) + bool(g.partial_bytes)
    return Cost(
        arithmetic=arithmetic,
        packing=max(padding, 2 * between / bytes_per_cycle),
        traffic=max(0.0, moved / bytes_per_cycle - arithmetic) + waited,
        overhead=kernels * LAUNCH_CYCLES + rounds * GROUP_CYCLES,
    )


def thread_instructions(w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, asks: bool) -> float:
    """Return the instructions of a thread of the convolution's kernel. ``asks``: a load asks whether it is
    inside the image."""
    windows, filters, apart = knobs.windows_h * knobs.windows_w, g.thread_filters, is_channelwise(w)
    products = filters * windows * knobs.vector
    input_load = LOAD_CYCLES * (1.0 if knobs.coalesce else DIVERGED) + PREDICATE * asks
    loads = windows * input_load * (filters if apart else 1) + filters * LOAD_CYCLES
    loop = LOOP_CYCLES * (1 if knobs.unroll else 1 + filters * windows)
    stores = filters * windows * LOAD_CYCLES
    if g.chunks > 1:
        stores += 2 * SUM_CYCLES * filters * windows
    return THREAD_CYCLES + g.steps * (products + loads + loop) + stores


def needs_padding(w: Conv2dWorkload, g: Geometry) -> bool:
    """Return whether any window of a tile is partly outside the image."""
    top, left, _, _ = w.padding
    return bool(top or left) or g.padded_h > w.height or g.padded_w > w.width


def occupancy(g: Geometry, machine: GpuMachine, threads: int) -> float:
    """Return the share of a unit's threads that registers, local memory and whole workgroups leave."""
    by_registers = machine.threads_per_unit * min(1.0, machine.registers_per_thread / (g.registers + 8))
    by_groups = by_registers // threads * threads or threads * min(1.0, by_registers / threads)
    if g.local_bytes:
        by_groups = min(by_groups, max(1, machine.local_memory_bytes // g.local_bytes) * threads)
    return float(by_groups / machine.threads_per_unit)


def refetched(g: Geometry, machine: GpuMachine, filters: int, image: int, kept: float) -> float:
    """Return the bytes that are read again, since the cache that serves a unit holds but ``kept`` bytes: on a
    GPU the last before memory; on a CPU a core's own, which PoCL reports as local memory."""
    again = 0.0
    if filters > kept:
        again += filters * max(0.0, g.groups_y / machine.compute_units - 1)
    if image > kept:
        again += image * max(0.0, g.groups_x / machine.compute_units - 1)
    return again
