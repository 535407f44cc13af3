"""What Linux reports of this host: its processor, and the caches "native" has in place of those described.

Below machine_choice.py; LLVM's view of the host's CPU is in llvm.py.
"""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path

from .machine import Machine

HOST_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
HOST_PROCESSORS = Path("/proc/cpuinfo")


def processor_name() -> str:
    """Return the maker's name of this host's processor, or its architecture where none is reported."""
    try:
        lines = HOST_PROCESSORS.read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "cpu\t")))
    return next(names, "") or platform.processor() or platform.machine()


def with_host_caches(machine: Machine, folder: Path = HOST_CACHES) -> Machine:
    """Return ``machine`` named "native", its cache sizes, ways and lines replaced by those Linux reports.

    Levels ``machine`` does not describe are left out, as their latency is unknown; levels Linux
    does not report, or without size or ways as in some virtual machines, stay as they are.
    """
    reported = read_host_caches(folder)
    if not reported:
        return replace(machine, name="native")
    caches = tuple(
        replace(level, **reported.get(number, {})) for number, level in enumerate(machine.caches, start=1)
    )
    source = f"{machine.source} Cache sizes, ways and lines: Linux's report of this host."
    description = f"{machine.description}; caches read from this host"
    return replace(machine, name="native", description=description, caches=caches, source=source)


def read_host_caches(folder: Path = HOST_CACHES) -> dict[int, dict[str, int]]:
    """Return size, ways and line in bytes of each data or unified cache of the first core, by level."""
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
