"""What a point is estimated to take: its workgroups on their units, bytes from memory, launches.

The convolution's kernel takes what the busiest unit does, on GPUs (gpu_cost.py) and on CPUs, where work items
run one after the other (cpu_cost.py), and at least what its bytes take on their way from memory. The
machine's file has the numbers.
"""

from __future__ import annotations

import math
from math import ceil

from tvm_directconv.model.cost import Cost
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu_machine import GpuMachine

from .cpu_cost import item_instructions, padding_instructions
from .geometry import Geometry
from .gpu_cost import unit_cycles
from .knobs import KERNEL, LOAD, LiftKnobs

LAUNCH_CYCLES = 5000.0
"""Cycles of a kernel before its first thread runs."""
GROUP_CYCLES = 100.0
"""Cycles of a workgroup on its unit before its threads run."""
CPUS = ("pocl",)
"""Device classes whose work items run one after the other, and whose compilers make vectors of what each
does, unless that is behind a condition or before a barrier."""


def cost(w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, machine: GpuMachine) -> Cost:
    """Return the estimated cycles of all kernels of a point, by their causes."""
    on_cpu = machine.device in CPUS
    rounds = ceil(g.groups_x * g.groups_y / machine.compute_units)
    asks = knobs.pad == LOAD and needs_padding(w, g)
    rate = machine.fma_per_cycle / machine.vector_width
    if on_cpu:
        items = rounds * g.threads_x * g.threads_y
        arithmetic = items * item_instructions(w, knobs, g, machine, asks) / rate
    else:
        arithmetic = unit_cycles(w, knobs, g, machine, asks)
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


def needs_padding(w: Conv2dWorkload, g: Geometry) -> bool:
    """Return whether any window of a tile is partly outside the image."""
    top, left, _, _ = w.padding
    return bool(top or left) or g.padded_h > w.height or g.padded_w > w.width


def refetched(g: Geometry, machine: GpuMachine, filters: int, image: int, kept: float) -> float:
    """Return the bytes that are read again, since the cache that serves a unit holds but ``kept`` bytes: on a
    GPU the last before memory; on a CPU a core's own, which PoCL reports as local memory."""
    again = 0.0
    if filters > kept:
        again += filters * max(0.0, g.groups_y / machine.compute_units - 1)
    if image > kept:
        again += image * max(0.0, g.groups_x / machine.compute_units - 1)
    return again
