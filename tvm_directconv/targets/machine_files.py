"""Machines as data: one JSON file per CPU in the folder machines/, read into frozen descriptions.

Below target.py, which picks a machine. Adding a CPU is adding a file; the file's name is the
machine's. A file whose ``mcpu`` is empty describes a class of CPUs: what any CPU with its features
may be assumed to have.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from tvm_directconv.errors import TargetError, nearest

from .machine import ARCHITECTURES, CacheLevel, Machine

HOST_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def known_machines() -> dict[str, Machine]:
    """Every machine described by a file, by name. Raises TargetError naming a malformed file."""
    return dict(_read_machines())


def machine_table() -> list[dict[str, object]]:
    """One row per machine, ready to print or to write as JSON; cache sizes in bytes."""
    return [
        {
            "name": machine.name,
            "arch": machine.arch,
            "mcpu": list(machine.mcpu),
            "features": sorted(machine.features),
            "vector_bits": machine.vector_bits,
            "vector_registers": machine.vector_registers,
            "fma_per_cycle": machine.fma_per_cycle,
            "caches": [level.size_bytes for level in machine.caches],
            "description": machine.description,
            "source": machine.source,
        }
        for machine in known_machines().values()
    ]


def find_machine(name: str) -> Machine:
    """The machine of that name. Raises TargetError with the nearest one."""
    machines = known_machines()
    if name not in machines:
        names = ", ".join(sorted(machines))
        raise TargetError(f"unknown machine '{name}'{nearest(name, machines)}; known machines: {names}")
    return machines[name]


def machine_of_cpu(arch: str, mcpu: str) -> Machine | None:
    """The machine described for one of LLVM's CPU names, or None."""
    found = (m for m in known_machines().values() if m.arch == arch and mcpu in m.mcpu)
    return next(found, None)


def machine_of_class(arch: str, features: Iterable[str]) -> Machine | None:
    """The class of CPUs that asks for the most of ``features``; None when even the least one of the
    architecture asks for more."""
    available = frozenset(features)
    classes = [m for m in known_machines().values() if m.arch == arch and not m.mcpu]
    fitting = [m for m in classes if m.features <= available]
    return max(fitting, key=lambda machine: len(machine.features), default=None)


def with_simd_of(machine: Machine, features: frozenset[str]) -> Machine:
    """``machine`` as code for ``features`` may use it.

    Where the features put the code in another class of CPUs than the machine's own (AVX2 code for a
    CPU with AVX-512), width, registers and FMAs per cycle are that class's; the caches stay.
    """
    usable = replace(machine, features=machine.features & features)
    own = machine_of_class(machine.arch, machine.features | _baseline(machine.arch))
    simd = machine_of_class(machine.arch, features)
    if simd is None or simd == own:
        return usable
    return replace(
        usable,
        description=f"{machine.description}; SIMD as in {simd.name}",
        features=usable.features | simd.features,
        vector_bits=simd.vector_bits,
        vector_registers=simd.vector_registers,
        fma_per_cycle=simd.fma_per_cycle,
    )


def with_host_caches(machine: Machine, folder: Path = HOST_CACHES) -> Machine:
    """``machine`` named "native", its cache sizes, ways and lines replaced by those Linux reports.

    Levels ``machine`` does not describe are left out, as their latency is unknown; levels Linux
    does not report, or without size or ways as in some virtual machines, stay as they are.
    """
    reported = read_host_caches(folder)
    caches = tuple(
        replace(level, **reported.get(number, {})) for number, level in enumerate(machine.caches, start=1)
    )
    if not reported:
        return replace(machine, name="native")
    source = f"{machine.source} Cache sizes, ways and lines: Linux's report of this host."
    description = f"{machine.description}; caches read from this host"
    return replace(machine, name="native", description=description, caches=caches, source=source)


def read_host_caches(folder: Path = HOST_CACHES) -> dict[int, dict[str, int]]:
    """Size, ways and line in bytes of each data or unified cache of the first core, by level."""
    found: dict[int, dict[str, int]] = {}
    for index in sorted(folder.glob("index*")):
        try:
            text = {
                name: (index / name).read_text().strip()
                for name in (
                    "level",
                    "type",
                    "size",
                    "ways_of_associativity",
                    "coherency_line_size",
                )
            }
            level = {
                "size_bytes": _parse_size(text["size"]),
                "ways": int(text["ways_of_associativity"]),
                "line_bytes": int(text["coherency_line_size"]),
            }
            number = int(text["level"])
        except (OSError, ValueError):
            continue
        if text["type"] != "Instruction" and min(level.values()) > 0:
            found[number] = level
    return found


def _parse_size(text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return int(text[:-1]) * units[text[-1]] if text[-1:] in units else int(text)


def _baseline(arch: str) -> frozenset[str]:
    classes = [m for m in known_machines().values() if m.arch == arch and not m.mcpu]
    return min((m.features for m in classes), key=len, default=frozenset())


@functools.cache
def _read_machines() -> dict[str, Machine]:
    files = sorted(
        (f for f in (resources.files(__package__) / "machines").iterdir() if f.name.endswith(".json")),
        key=lambda f: f.name,
    )
    return {
        machine.name: machine
        for machine in (parse_machine(f.name.removesuffix(".json"), f.read_text("utf-8")) for f in files)
    }


def parse_machine(name: str, text: str) -> Machine:
    """The machine a file's text describes. Raises TargetError naming file and field."""
    try:
        data: dict[str, Any] = json.loads(text)
        caches = tuple(
            CacheLevel(
                size_bytes=int(level["size_kib"]) * 1024,
                ways=int(level["ways"]),
                line_bytes=int(level["line_bytes"]),
                latency_cycles=int(level["latency_cycles"]),
            )
            for level in data.pop("caches")
        )
        features = frozenset(map(str, data.pop("features")))
        machine = Machine(
            name=name,
            caches=caches,
            features=features,
            mcpu=tuple(map(str, data.pop("mcpu"))),
            **data,
        )
    except KeyError as error:
        raise TargetError(f"machine file '{name}.json' lacks the field {error}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise TargetError(f"machine file '{name}.json' is malformed: {error}") from None
    if machine.arch not in ARCHITECTURES:
        hint = nearest(machine.arch, ARCHITECTURES)
        raise TargetError(f"machine file '{name}.json': unknown arch '{machine.arch}'{hint}")
    if not machine.caches or not machine.source:
        raise TargetError(f"machine file '{name}.json' needs at least one cache, and a source")
    return machine
