"""What schedules need to know of a GPU: the limits of a launch, its vectors, its units, and its memory.

Ground for the strategies and searches of GPU kernels, as machine.py is of CPU ones; a GPU has a form of its
own, since hardly a number of a CPU's says something of it. One JSON file per GPU in the folder gpus/, named
after the machine: ``facts`` is a list of groups, under "source" where a group's numbers come from, and beside
it the numbers by the names of ``GpuMachine``'s fields. A file whose ``models`` are empty describes its whole
device class, whose other files must say all that they know better; they take the rest from it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tvm_directconv.errors import TargetError, nearest

from .json_fields import Fields, is_path, text_of, texts_in

FILE = "GPU file"
KINDS = ("opencl", "cuda")


@dataclass(frozen=True)
class GpuMachine:
    """A machine is a GPU as schedules need to know it, or a class of GPUs.

    ``kind`` is the language of its kernels, one of KINDS; ``device`` is TVM's word for its class ("mali"),
    empty where it has none, and ``models`` are the names that targets call it by. ``sources`` says of each
    number where it comes from.
    """

    name: str
    description: str
    kind: str
    device: str
    models: tuple[str, ...]

    threads_per_group: int
    """A work group (a block of CUDA's) has at most this many work items."""
    threads_per_dimension: tuple[int, int, int]
    """Most threads of a group along x, y and z."""
    local_memory_bytes: int
    """A work group has at most this much local memory (shared memory of CUDA's)."""
    local_memory_is_fast: bool
    """Local memory is memory of its own; on Mali it is a part of global memory, behind the same caches."""
    largest_buffer_bytes: int
    """A buffer is at most this large."""
    vector_width: int
    """A work item moves or multiplies this many floats by one instruction."""
    registers_per_thread: int
    """A work item has this many 32-bit registers with which as many run at once as the unit holds."""
    lanes: int
    """Work items that run in lockstep (a warp)."""
    threads_per_unit: int
    """A compute unit holds this many work items at once."""
    compute_units: int
    """Number of compute units (shader cores, multiprocessors)."""
    fma_per_cycle: int
    """A compute unit multiplies and adds this many floats in a cycle."""
    clock_mhz: int
    """Clock, in MHz."""
    bandwidth_gb_s: float
    """Billions of bytes that memory moves in a second."""
    cache_bytes: int
    """The last cache before memory."""
    unit_cache_bytes: int
    """A compute unit's own cache."""
    unit_cache_bytes_per_cycle: int
    """Bytes that its cache gives a compute unit in a cycle."""
    fetch_bytes_per_cycle: int
    """Bytes that a unit gets in a cycle from the last cache, where all of them ask."""
    cache_latency_cycles: int
    """Cycles from a request to the last cache until the bytes are there."""
    half: bool
    """Kernels may compute in float16."""

    sources: Mapping[str, str] = field(compare=False, repr=False, hash=False)

    @property
    def peak_gflops(self) -> float:
        """Return the billion operations in a second of float32, a multiply-add counted as two."""
        return 2e-3 * self.fma_per_cycle * self.compute_units * self.clock_mhz


NAMING = ("name", "description", "kind", "device", "models", "sources")
NUMBERS = tuple(f.name for f in fields(GpuMachine) if f.name not in NAMING)


def known_gpus() -> dict[str, GpuMachine]:
    """Return every GPU described by a file here, by name. Raises TargetError naming a malformed file."""
    return dict(_read_gpus())


def find_gpu(name: str) -> GpuMachine:
    """Return the GPU of that name, or of the file that a path names.

    Raises TargetError with the nearest name, or saying what is wrong.
    """
    if is_path(name):
        path = Path(name)
        return parse_gpu(str(path.absolute()), text_of(path, FILE), known_gpus())
    gpus = known_gpus()
    if name not in gpus:
        raise TargetError(f"unknown GPU '{name}'{nearest(name, gpus)}; known ones: {', '.join(sorted(gpus))}")
    return gpus[name]


def gpu_table() -> list[dict[str, Any]]:
    """Return a row per GPU, ready to print or to write as JSON, with sizes in bytes."""
    return [
        {
            "name": gpu.name,
            "host": False,
            "kind": gpu.kind,
            "models": list(gpu.models),
            **{name: getattr(gpu, name) for name in NUMBERS},
            "peak_gflops": round(gpu.peak_gflops),
            "description": gpu.description,
            "sources": dict(gpu.sources),
        }
        for gpu in known_gpus().values()
    ]


def parse_gpu(name: str, text: str, known: Mapping[str, GpuMachine]) -> GpuMachine:
    """Return the GPU that a file's text describes, what it leaves out as its class among those ``known`` has
    it. Raises TargetError naming file and field."""
    given = Fields.of_text(text, FILE, name)
    naming: dict[str, Any] = {
        "name": name,
        "description": given.text("description"),
        "kind": given.choice("kind", KINDS),
        "device": given.text("device") if given.left.get("device") else given.left.pop("device", ""),
        "models": given.texts("models"),
    }
    facts = given.sourced("facts", "the number", _number)
    given.refuse_rest(("description", "kind", "device", "models", "facts"))
    base = class_of(naming["kind"], naming["device"], known)
    for number in NUMBERS:
        if number not in facts:
            if base is None or base.name == name:
                raise TargetError(f"{given.where} lacks the number '{number}' and a class to take it from")
            facts[number] = getattr(base, number), f"as of {base.name}: {base.sources[number]}"
    numbers = {number: value for number, (value, _) in facts.items()}
    sources = {number: source for number, (_, source) in facts.items()}
    return GpuMachine(**naming, **numbers, sources=sources)


def class_of(kind: str, device: str, known: Mapping[str, GpuMachine]) -> GpuMachine | None:
    """Return the description of a whole class of GPUs, or else of all of its kind, or None."""
    classes = [gpu for gpu in known.values() if gpu.kind == kind and not gpu.models]
    own = [gpu for gpu in classes if gpu.device == device]
    return next(iter(own or [gpu for gpu in classes if not gpu.device]), None)


def _number(group: Fields, name: str) -> Any:
    if name not in NUMBERS:
        raise TargetError(f"{group.where} has the unknown number '{name}'{nearest(name, NUMBERS)}")
    if name in ("half", "local_memory_is_fast"):
        return group.flag(name)
    if name == "bandwidth_gb_s":
        return group.positive(name)
    if name == "threads_per_dimension":
        extents = group.left.pop(name)
        if not isinstance(extents, list) or len(extents) != 3:
            group.refuse(name, extents, "a list of three numbers")
        axes = Fields(dict(zip("xyz", extents, strict=True)), group.where)
        return tuple(axes.whole(axis) for axis in "xyz")
    return group.whole(name)


@functools.cache
def _read_gpus() -> dict[str, GpuMachine]:
    texts = texts_in("gpus")
    gpus: dict[str, GpuMachine] = {}
    # The name of a class is its device's or its kind's; it comes before what is of it.
    for name in sorted(texts, key=lambda name: (name not in KINDS, "-" in name, name)):
        gpus[name] = parse_gpu(name, texts[name], gpus)
    return gpus
