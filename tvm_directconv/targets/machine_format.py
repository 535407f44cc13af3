"""The form of machine files: JSON read into what it says of a machine, and a machine written as JSON.

Below machine_files.py, which knows the files there are and fills in what one leaves out. The fields are those
of Machine, sizes of caches in KiB. ``costs`` is a list of groups: under "source" where its numbers come from,
beside it the numbers by the names of Costs; ``rates``, which may be left out, is such a list by the names of
instruction sets. Files may come from elsewhere, so that everything in them is checked, and errors name file
and field.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from intrinsics.isa import ISAS
from tvm_directconv.errors import TargetError, nearest

from .json_fields import Fields, named
from .machine import ARCHITECTURES, COST_NAMES, SHARES, CacheLevel, Costs, Machine, Origin, Rate

FILE = "machine file"
KIB = 1024
LANE_BITS = 32


@dataclass(frozen=True)
class MachineFile:
    """A file holds of a machine the fields of Machine but its costs, and of these those that it gives, each
    with its source."""

    machine: Mapping[str, Any]
    costs: Mapping[str, tuple[float, str]]

    @property
    def features(self) -> frozenset[str]:
        return self.machine["features"]

    @property
    def is_class(self) -> bool:
        return not self.machine["mcpu"]

    def complete(self, base: Machine | None) -> Machine:
        """Return the machine, with the costs that its file leaves out as the class ``base`` has them.

        Raises TargetError if a cost is left out and there is no class.
        """
        values: dict[str, Any] = {}
        origins: dict[str, Origin] = {}
        for name in COST_NAMES:
            if name in self.costs:
                values[name], source = self.costs[name]
                origins[name] = Origin("", source)
            elif base is None:
                raise TargetError(
                    f"{named(FILE, self.machine['name'])} lacks the cost '{name}' and a class to take it from"
                )
            else:
                values[name] = getattr(base.costs, name)
                origins[name] = Origin(base.origins[name].of_class or base.name, base.origins[name].source)
        return Machine(**self.machine, costs=Costs(**values), origins=origins)


def parse_file(name: str, text: str) -> MachineFile:
    """Read the text of the file of machine ``name``. Raises TargetError naming file and field."""
    fields = _Fields.of_text(text, FILE, name)
    machine: dict[str, Any] = {
        "name": name,
        "description": fields.text("description"),
        "arch": fields.choice("arch", ARCHITECTURES),
        "mcpu": fields.texts("mcpu"),
        "features": frozenset(fields.texts("features")),
        "vector_bits": fields.whole("vector_bits", LANE_BITS),
        "vector_registers": fields.whole("vector_registers"),
        "fma_per_cycle": fields.whole("fma_per_cycle"),
        "caches": tuple(map(_parse_cache, fields.objects("caches"))),
        "source": fields.text("source"),
    }
    if not machine["caches"]:
        raise TargetError(f"{fields.where} needs at least one cache")
    costs = fields.sourced("costs", "the cost", _Fields.cost)
    rates = fields.sourced("rates", "the rate of", _Fields.rate)
    machine["rates"] = tuple(Rate(isa, *rate) for isa, rate in rates.items())
    fields.refuse_rest((*machine, "costs"))
    return MachineFile(machine, costs)


def machine_text(machine: Machine) -> str:
    """Return the text of a file that describes ``machine``. It gives only the machine's own costs, so that
    the others stay those of its class."""
    groups: dict[str, dict[str, Any]] = {}
    for name in machine.own_costs():
        source = machine.origins[name].source
        groups.setdefault(source, {"source": source})[name] = getattr(machine.costs, name)
    rates: dict[str, dict[str, Any]] = {}
    for rate in machine.rates:
        rates.setdefault(rate.source, {"source": rate.source})[rate.isa] = rate.value
    caches = [
        {
            "size_kib": cache.size_bytes // KIB,
            "ways": cache.ways,
            "line_bytes": cache.line_bytes,
            "latency_cycles": cache.latency_cycles,
        }
        for cache in machine.caches
    ]
    fields = {
        "description": _json(machine.description),
        "arch": _json(machine.arch),
        "mcpu": _json(machine.mcpu),
        "features": _json(sorted(machine.features)),
        "vector_bits": _json(machine.vector_bits),
        "vector_registers": _json(machine.vector_registers),
        "fma_per_cycle": _json(machine.fma_per_cycle),
        "caches": "[\n    " + ",\n    ".join(map(_json, caches)) + "\n  ]",
        "source": _json(machine.source),
        "costs": _json(list(groups.values()), indent=2).replace("\n", "\n  "),
    }
    if rates:
        fields["rates"] = _json(list(rates.values()), indent=2).replace("\n", "\n  ")
    return "{\n" + ",\n".join(f'  "{name}": {value}' for name, value in fields.items()) + "\n}\n"


def _json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False)


def _parse_cache(fields: _Fields) -> CacheLevel:
    cache = CacheLevel(
        size_bytes=fields.whole("size_kib") * KIB,
        ways=fields.whole("ways"),
        line_bytes=fields.whole("line_bytes"),
        latency_cycles=fields.whole("latency_cycles"),
    )
    fields.refuse_rest(("size_kib", "ways", "line_bytes", "latency_cycles"))
    if cache.size_bytes % (cache.ways * cache.line_bytes):
        raise TargetError(f"{fields.where} is malformed: its size is not a whole number of sets")
    return cache


class _Fields(Fields):
    """Fields of a CPU's file."""

    def cost(self, name: str) -> float:
        if name not in COST_NAMES:
            raise TargetError(f"{self.where} has the unknown cost '{name}'{nearest(name, COST_NAMES)}")
        if name == "ways_passing":
            return self.whole(name)
        value = self.positive(name)
        if name in SHARES and value > 1:
            self.refuse(name, value, "a share of at most 1")
        return value

    def rate(self, isa: str) -> float:
        if isa not in ISAS:
            raise TargetError(
                f"{self.where} has a rate of the unknown instruction set '{isa}'{nearest(isa, ISAS)}"
            )
        return self.positive(isa)
