"""What a point is estimated to take: from launch extents, instructions, bytes moved, registers and occupancy.

A kernel's cycles are those of its arithmetic and loads where a unit is full of work, more where lanes idle,
where registers leave too few threads to hide latencies, or where the last workgroups leave units idle; and
at least what its bytes take on their way from memory. The machine's file has the numbers.
"""

from __future__ import annotations

from math import ceil

from tvm_directconv.model.cost import Cost
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu_machine import GpuMachine

from .geometry import Geometry, is_channelwise
from .knobs import KERNEL, LOAD, LOCAL, LiftKnobs

LOAD_CYCLES = 2.0
"""Multiply-adds that a lane could do in the time of a load that hits the cache, whatever its width."""
DIVERGED = 4.0
"""A load whose lanes read lines far apart takes so many times the time of one whose lanes are neighbours."""
PREDICATE = 3.0
"""Instructions of a load that asks first whether it is inside the image."""
LOOP_CYCLES = 2.0
"""Instructions of a loop's step that is not written out."""
LAUNCH_CYCLES = 5000.0
"""Of a kernel, before its first thread runs."""
GROUP_CYCLES = 100.0
"""Of a workgroup on its unit, before its threads run."""
HIDING = 0.25
"""The share of a unit's threads that hides the latency of loads."""


def cost(w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, machine: GpuMachine) -> Cost:
    """Return the estimated cycles of all kernels of a point, by their causes."""
    threads = g.threads_x * g.threads_y
    groups = g.groups_x * g.groups_y
    instructions = thread_instructions(w, knobs, g)
    warps = ceil(threads / machine.lanes)
    busy = occupancy(g, machine, threads)
    rate = machine.fma_per_cycle / machine.lanes  # warps that a unit advances in a cycle
    rounds = ceil(groups / machine.compute_units)
    arithmetic = rounds * warps * instructions / (rate * min(1.0, busy / HIDING))
    bytes_per_cycle = machine.bandwidth_gb_s * 1e3 / machine.clock_mhz
    operands = w.element_bytes * (
        w.batch * w.height * w.width * w.in_channels + w.out_channels * g.chunks * g.steps * knobs.vector
    )
    output = w.out_bytes * w.batch * w.out_height * w.out_width * w.out_channels
    between = g.padded_bytes + g.partial_bytes + g.sums_bytes
    again = refetched(w, knobs, g, machine)
    traffic = max(0.0, (operands + output + again) / bytes_per_cycle - arithmetic)
    kernels = 1 + (knobs.pad == KERNEL) + (knobs.crop == KERNEL) + bool(g.partial_bytes)
    return Cost(
        arithmetic=arithmetic,
        packing=2 * between / bytes_per_cycle,
        traffic=traffic,
        overhead=kernels * LAUNCH_CYCLES + rounds * GROUP_CYCLES,
    )


def thread_instructions(w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry) -> float:
    """Return the instructions of a thread of the convolution's kernel, in lanes' cycles."""
    windows, channelwise = knobs.windows_h * knobs.windows_w, is_channelwise(w)
    products = g.thread_filters * windows * knobs.vector
    neighbours = channelwise or knobs.coalesce
    input_load = LOAD_CYCLES * (1.0 if neighbours else DIVERGED) + (PREDICATE if knobs.pad == LOAD else 0.0)
    loads = windows * input_load * (g.thread_filters if channelwise else 1) + g.thread_filters * LOAD_CYCLES
    loop = LOOP_CYCLES * (1 if knobs.unroll else 1 + g.thread_filters * windows)
    total = g.steps * (products + loads + loop)
    stores = g.thread_filters * windows * LOAD_CYCLES
    if g.chunks > 1 and knobs.sum == LOCAL:
        stores += g.thread_filters * windows * (LOAD_CYCLES + 1) * 2
    return total + stores


def occupancy(g: Geometry, machine: GpuMachine, threads: int) -> float:
    """Return the share of a unit's threads that registers, local memory and whole workgroups leave."""
    by_registers = machine.threads_per_unit * min(1.0, machine.registers_per_thread / (g.registers + 8))
    by_groups = by_registers // threads * threads or threads * min(1.0, by_registers / threads)
    if g.local_bytes:
        by_groups = min(by_groups, max(1, machine.local_memory_bytes // g.local_bytes) * threads)
    return float(by_groups / machine.threads_per_unit)


def refetched(w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, machine: GpuMachine) -> float:
    """Return the bytes that workgroups read again from memory, what the last cache does not hold."""
    tiles, kept = g.groups_y, machine.cache_bytes / 2
    filters = w.element_bytes * w.out_channels * g.chunks * g.steps * knobs.vector
    image = w.element_bytes * w.in_channels * g.padded_h * g.padded_w * w.batch
    again = 0.0
    if filters > kept:
        again += filters * max(0, tiles / machine.compute_units - 1)
    if image > kept:
        again += image * max(0, g.groups_x / machine.compute_units - 1)
    return again
