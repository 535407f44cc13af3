"""Machines as data: one JSON file per CPU in the folder machines/, and what each falls back to.

Below machine_choice.py, which picks a machine for a target. Adding a CPU is adding a file; the file's name is
the machine's. A file whose ``mcpu`` is empty describes a class of CPUs: what any CPU with its features may be
assumed to have. Costs that a file leaves out are those of its class, and a class has what it leaves out from
the next wider one, the widest of an architecture from "generic".
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tvm_directconv.errors import TargetError, nearest

from .json_fields import is_path, text_of, texts_in
from .machine import COST_NAMES, GENERIC, Machine
from .machine_format import FILE, MachineFile, parse_file


def known_machines() -> dict[str, Machine]:
    """Return every machine described by a file here, by name. Raises TargetError naming a malformed file."""
    return dict(_read_machines())


def machine_table() -> list[dict[str, Any]]:
    """Return a row per machine, ready to print or to write as JSON, with cache sizes in bytes. ``own_costs``
    counts those costs that are not its class's."""
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
            "own_costs": len(machine.own_costs()),
            "description": machine.description,
            "source": machine.source,
            "costs": cost_table(machine),
        }
        for machine in known_machines().values()
    ]


def cost_table(machine: Machine) -> list[dict[str, Any]]:
    """Return a row per cost: its name and value, the class it is taken from (empty where it is the machine's
    own), and its source."""
    return [
        {
            "name": name,
            "value": getattr(machine.costs, name),
            "of_class": machine.origins[name].of_class,
            "source": machine.origins[name].source,
        }
        for name in COST_NAMES
    ]


def find_machine(name: str) -> Machine:
    """Return the machine of that name, or of the file that a path names. Raises TargetError with the nearest
    name, or saying what is wrong with the file."""
    if is_path(name):
        return read_machine_file(Path(name))
    machines = known_machines()
    if name not in machines:
        names = ", ".join(sorted(machines))
        raise TargetError(f"unknown machine '{name}'{nearest(name, machines)}; known machines: {names}")
    return machines[name]


def read_machine_file(path: Path) -> Machine:
    """Return the machine that a file anywhere describes; its name is the file's absolute path.

    Raises TargetError if the file cannot be read, or naming what is wrong in it.
    """
    return parse_machine(str(path.absolute()), text_of(path, FILE))


def parse_machine(name: str, text: str) -> Machine:
    """Return the machine that a file's text describes, what it leaves out as its class has it. Raises
    TargetError naming file and field."""
    return _complete(parse_file(name, text), known_machines().values())


def machine_of_cpu(arch: str, mcpu: str) -> Machine | None:
    """Return the machine described for one of LLVM's CPU names, or None."""
    found = (m for m in known_machines().values() if m.arch == arch and mcpu in m.mcpu)
    return next(found, None)


def machine_of_class(arch: str, features: Iterable[str]) -> Machine | None:
    """Return the class of CPUs that asks for the most of ``features``, or None when even the least one of the
    architecture asks for more."""
    return _class_among(known_machines().values(), arch, frozenset(features))


def baseline(arch: str) -> frozenset[str]:
    """Return the features that every CPU of an architecture has, whether or not its file names them."""
    return _least(known_machines().values(), arch)


def _class_among(machines: Iterable[Machine], arch: str, features: frozenset[str]) -> Machine | None:
    classes = (m for m in machines if m.arch == arch and not m.mcpu and m.features <= features)
    return max(classes, key=lambda machine: len(machine.features), default=None)


def _least(machines: Iterable[Machine], arch: str) -> frozenset[str]:
    classes = (m.features for m in machines if m.arch == arch and not m.mcpu)
    return min(classes, key=len, default=frozenset())


def _complete(file: MachineFile, machines: Iterable[Machine]) -> Machine:
    """Return the machine of a file among those there are to fall back to."""
    known = list(machines)
    arch = file.machine["arch"]
    own_class = _class_among(known, arch, file.features | _least(known, arch))
    return file.complete(own_class or next((m for m in known if m.name == GENERIC), None))


@functools.cache
def _read_machines() -> dict[str, Machine]:
    files = {name: parse_file(name, text) for name, text in texts_in("machines").items()}
    # Wider classes come first, so that each machine finds the one it falls back to.
    machines: dict[str, Machine] = {}
    for name in sorted(files, key=lambda n: (n != GENERIC, not files[n].is_class, len(files[n].features))):
        machines[name] = _complete(files[name], machines.values())
    return {name: machines[name] for name in files}
