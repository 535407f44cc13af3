"""What is measured of this host: numbers that can be, a file that says so; never how fast the host is."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tvm_directconv.cli.group import commands as main
from tvm_directconv.errors import TargetError
from tvm_directconv.measure.machine import (
    NOT_SAVED,
    MachineMeasurement,
    Progress,
    measure_machine,
    visiting_order,
)
from tvm_directconv.measure.probes import CHAINED_ADD, chase_probe, clock_probe
from tvm_directconv.targets import llvm
from tvm_directconv.targets.machine import COST_NAMES
from tvm_directconv.targets.machine_files import known_machines, read_machine_file
from tvm_directconv.targets.machine_format import machine_text
from tvm_directconv.targets.target import resolve_target

has_clock = pytest.mark.skipif(
    llvm.arch_of(llvm.host_triple()) not in CHAINED_ADD, reason="no clock to measure by on this architecture"
)


@pytest.fixture(scope="module")
def measurement() -> MachineMeasurement:
    return measure_machine(calls=2)


@has_clock
def test_every_number_is_positive(measurement: MachineMeasurement) -> None:
    machine = measurement.machine
    latencies = [f"L{level}_latency_cycles" for level, _ in enumerate(machine.caches, start=1)]
    costs = ["loads_per_cycle", "fma_latency", "misses_in_flight", "memory_latency_cycles"]
    assert set(measurement.measured) == {"fma_per_cycle", "copy_bytes_per_cycle", *latencies, *costs}
    assert all(math.isfinite(value) and value > 0 for value in measurement.measured.values())
    assert machine == resolve_target("llvm -mcpu=native").machine


@has_clock
def test_rows_set_the_measured_beside_what_is_in_use(measurement: MachineMeasurement) -> None:
    rows = {row["name"]: row for row in measurement.rows()}
    assert rows.keys() == measurement.measured.keys()
    assert rows["fma_per_cycle"]["in_use"] == measurement.machine.fma_per_cycle
    assert rows["fma_latency"]["in_use"] == measurement.machine.costs.fma_latency
    assert all(row["from"] for row in rows.values())
    json.dumps(list(rows.values()))


@has_clock
def test_what_was_measured_is_the_machines_own(measurement: MachineMeasurement) -> None:
    described = measurement.described()
    for name in COST_NAMES:
        if name in measurement.measured and name not in NOT_SAVED:
            assert described.origins[name].of_class == ""
            assert described.origins[name].source == measurement.source
        else:
            assert described.origins[name] == measurement.machine.origins[name]
            assert getattr(described.costs, name) == getattr(measurement.machine.costs, name)
    assert "machines --measure" in measurement.source
    assert measurement.source in described.source
    assert [c.size_bytes for c in described.caches] == [c.size_bytes for c in measurement.machine.caches]


@has_clock
def test_a_saved_machine_is_compiled_for(measurement: MachineMeasurement, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(machine_text(measurement.described()))
    machine = read_machine_file(path)
    assert machine.costs == measurement.described().costs
    assert machine.origins == measurement.described().origins
    assert machine.caches == measurement.described().caches
    target = resolve_target(f"llvm -mcpu=native -machine={path}")
    assert target.machine.costs == machine.costs
    assert resolve_target(str(target)) == target


@has_clock
def test_progress_is_told(measurement: MachineMeasurement) -> None:
    told: list[tuple[str, int, int]] = []
    again = measure_machine(lambda *step: told.append(step), calls=1)
    assert [name for name, _, _ in told] == list(again.measured)
    assert [done for _, done, _ in told] == list(range(len(told)))
    assert {total for _, _, total in told} == {len(told)}


@pytest.mark.parametrize("lines", [1, 2, 7, 1000])
def test_a_chain_visits_every_line_once_and_none_of_a_neighbour(lines: int) -> None:
    order = visiting_order(lines, 64)
    assert sorted(order // 128) == list(range(lines))
    assert set(np.asarray(order) % 64) == {0}


def test_a_chase_follows_its_pointers() -> None:
    target = resolve_target("llvm -mcpu=native")
    words = np.zeros(64, np.int64)
    address = words.__array_interface__["data"][0]
    ring = np.array([3, 17, 5, 60])
    words[ring] = address + 8 * np.roll(ring, -1)
    starts = [address + 8 * int(ring[0]), address + 8 * int(ring[2])]
    probe = chase_probe(target, starts)
    probe.run(32)
    ends = probe.state()
    # 16 steps of each chain are four times round the ring.
    assert ends[:2].tolist() == starts
    chase_probe(target, starts).fit(0.0001)


def test_a_clock_needs_a_known_instruction() -> None:
    with pytest.raises(TargetError, match="no clock to measure cycles by on powerpc64le"):
        clock_probe(resolve_target("llvm -mtriple=powerpc64le-linux-gnu"))


# ---- the command


def test_machines_are_listed() -> None:
    result = CliRunner().invoke(main, ["machines", "--json"])
    assert result.exit_code == 0
    rows = json.loads(result.stdout)
    cpus = [row for row in rows if "kind" not in row]
    assert {row["name"] for row in cpus} == set(known_machines())
    assert all({"name", "value", "of_class", "source"} == set(cost) for row in cpus for cost in row["costs"])
    table = CliRunner(env={"COLUMNS": "400"}).invoke(main, ["machines", "-v"]).stdout
    assert "cortex-a57" in table and "own costs" in table


def test_a_target_says_where_its_costs_are_from() -> None:
    named = "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a57"
    facts = json.loads(CliRunner().invoke(main, ["targets", named, "--json"]).stdout)
    costs = {cost["name"]: cost for cost in facts["costs"]}
    assert (costs["loads_per_cycle"]["value"], costs["loads_per_cycle"]["of_class"]) == (1, "")
    assert costs["call_cycles"]["of_class"] == "generic"
    table = CliRunner().invoke(main, ["targets", named, "-v"]).stdout
    assert "loads_per_cycle" in table and "UAN 0015" in table


@has_clock
def test_the_command_measures_and_saves(
    measurement: MachineMeasurement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured_before(on_progress: Progress) -> MachineMeasurement:
        on_progress("fma_latency", 0, 1)
        return measurement

    monkeypatch.setattr("tvm_directconv.measure.machine.measure_machine", measured_before)
    path = tmp_path / "mine.json"
    result = CliRunner().invoke(main, ["machines", "--measure", "--json", "--save", str(path)])
    assert result.exit_code == 0
    printed = json.loads(result.stdout)
    assert {row["name"] for row in printed["numbers"]} >= {"fma_latency", "L1_latency_cycles"}
    assert read_machine_file(path).origins["fma_latency"].source == printed["source"]
    assert [file.name for file in tmp_path.iterdir()] == ["mine.json"]


def test_only_what_is_measured_is_saved(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["machines", "--save", str(tmp_path / "mine.json")])
    assert result.exit_code == 2 and "--measure" in result.output
    assert not list(tmp_path.iterdir())
