"""Machine descriptions: the files, and the caches of this host."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tvm_directconv.errors import TargetError
from tvm_directconv.targets import llvm
from tvm_directconv.targets.host import HOST_CACHES, read_host_caches, with_host_caches
from tvm_directconv.targets.machine import COST_NAMES, SHARES
from tvm_directconv.targets.machine_files import cost_table, known_machines, machine_table, parse_machine
from tvm_directconv.targets.machine_format import machine_text, parse_file
from tvm_directconv.targets.target import resolve_target


@pytest.mark.parametrize("machine", known_machines().values(), ids=lambda machine: machine.name)
def test_machine_files_are_sane(machine):
    assert machine.vector_bits in (128, 256, 512)
    assert machine.vector_registers in (16, 32, 64)
    assert 1 <= machine.fma_per_cycle <= 4
    assert len(machine.source) > 40
    assert machine.description
    assert 2 <= len(machine.caches) <= 3
    assert 16 * 1024 <= machine.cache(1).size_bytes <= 128 * 1024
    assert machine.cache(9) == machine.caches[-1]
    for level in machine.caches:
        sets = level.size_bytes // (level.ways * level.line_bytes)
        assert level.size_bytes == sets * level.ways * level.line_bytes
        assert sets & (sets - 1) == 0
        assert level.line_bytes in (64, 128)
        assert level.ways <= 32
    for near, far in zip(machine.caches, machine.caches[1:], strict=False):
        assert near.size_bytes < far.size_bytes
        assert 2 <= near.latency_cycles < far.latency_cycles <= 200
    triple = f"{machine.arch}-linux-gnu"
    for name in machine.mcpu:
        assert name in llvm.cpu_names(triple)
        assert machine.features <= llvm.features_of(triple, name)
    if machine.arch != "generic":
        assert machine.features <= llvm.feature_names(triple)
        assert machine.features
    for name in COST_NAMES:
        assert 0 < getattr(machine.costs, name) <= (1 if name in SHARES else 1e6)
        assert len(machine.origins[name].source) > 20
    assert 1 <= machine.costs.loads_per_cycle <= 4
    assert 2 <= machine.costs.fma_latency <= 10


def test_no_two_machines_describe_one_cpu():
    names = [(m.arch, name) for m in known_machines().values() for name in m.mcpu]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "machine", [m for m in known_machines().values() if not m.mcpu], ids=lambda m: m.name
)
def test_a_class_of_cpus_promises_no_more_cache_than_its_least_cpu(machine):
    cpus = [
        m
        for m in known_machines().values()
        if m.mcpu
        and machine.arch in (m.arch, "generic")
        and machine.features <= m.features | {"64bit", "sse2"}
    ]
    for number, level in enumerate(machine.caches):
        levels = [m.caches[number] for m in cpus if len(m.caches) > number]
        assert level == min(levels, key=lambda c: (c.size_bytes, c.ways, c.latency_cycles))


UNDESCRIBED = {
    "levels of features, no CPUs": ("x86-64-v3", "x86-64-v4"),
    "Xeon Phi, without the AVX-512 that kernels use": ("knl", "knm", "mic_avx512"),
    "one model was sold": ("cannonlake",),
    "AMD's last core before Zen": ("bdver4",),
    "no published figures": ("clearwaterforest", "diamondrapids", "novalake", "pantherlake", "wildcatlake"),
}
"""These CPUs with AVX2 are scheduled for as their class, for that reason."""


def test_every_cpu_with_avx2_is_described_or_has_a_reason():
    triple = "x86_64-linux-gnu"
    with_avx2 = {name for name in llvm.cpu_names(triple) if "avx2" in llvm.features_of(triple, name)}
    described = {name for machine in known_machines().values() for name in machine.mcpu}
    assert with_avx2 - described == {name for names in UNDESCRIBED.values() for name in names}


@pytest.mark.parametrize(
    ("mcpu", "fmas", "loads"),
    [
        ("emeraldrapids", 2, 2),
        ("graniterapids", 2, 2),
        ("alderlake", 2, 3),
        ("tigerlake", 1, 2),
        ("skylake", 2, 2),
        ("broadwell", 2, 2),
        ("znver1", 1, 1),
        ("cortex-a53", 1, 1),
        ("cortex-a55", 1, 1),
        ("cortex-a78", 2, 3),
        ("cortex-x4", 4, 3),
        ("neoverse-n2", 2, 3),
        ("grace", 4, 3),
        ("apple-m1", 4, 3),
        ("apple-m4", 4, 3),
    ],
)
def test_common_cpus_have_figures_of_their_own(mcpu, fmas, loads):
    arch = "x86_64" if mcpu in llvm.cpu_names("x86_64-linux-gnu") else "aarch64"
    machine = resolve_target(f"llvm -mtriple={arch}-linux-gnu -mcpu={mcpu}").machine
    assert machine.mcpu and (machine.fma_per_cycle, machine.costs.loads_per_cycle) == (fmas, loads)


CACHE = {"size_kib": 32, "ways": 8, "line_bytes": 64, "latency_cycles": 4}
GOOD_FILE = {
    "description": "a CPU",
    "arch": "x86_64",
    "mcpu": [],
    "features": [],
    "vector_bits": 128,
    "vector_registers": 16,
    "fma_per_cycle": 1,
    "caches": [CACHE],
    "source": "a manual",
}


def test_a_machine_file_is_read():
    machine = parse_machine("mine", json.dumps(GOOD_FILE))
    assert (machine.name, machine.cache(1).size_bytes, machine.mcpu) == ("mine", 32768, ())


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"caches": None}, "malformed"),
        ({"caches": []}, "at least one cache"),
        ({"caches": [{"size_kib": 32}]}, "lacks the field 'ways'"),
        ({"source": ""}, "a source"),
        ({"arch": "x86"}, "'x86_64'"),
        ({"colour": "red"}, "colour"),
        ({"feature": []}, "did you mean 'features'?"),
        ({"mcpu": "znver5"}, '"znver5", not a list of names'),
        ({"features": ["avx2", 2]}, "'features'"),
        ({"vector_bits": 100}, "'vector_bits' is 100, not a multiple of 32"),
        ({"vector_registers": True}, "'vector_registers' is true"),
        ({"fma_per_cycle": 0}, "'fma_per_cycle' is 0, not a positive whole number"),
        ({"fma_per_cycle": 1.5}, "1.5"),
        ({"caches": [3]}, "caches 1 is malformed"),
        ({"caches": [{**CACHE, "ways": -8}]}, "caches 1 is malformed: 'ways' is -8"),
        ({"caches": [{**CACHE, "speed": 1}]}, "caches 1 has the unknown field 'speed'"),
        ({"caches": [CACHE, {**CACHE, "ways": 7}]}, "caches 2 is malformed: its size"),
        ({"costs": {}}, "'costs' is {}, not a list"),
        ({"costs": ["free"]}, "costs 1 is malformed"),
        ({"costs": [{"fma_latency": 4}]}, "costs 1 lacks the field 'source'"),
        ({"costs": [{"source": "", "fma_latency": 4}]}, "a source"),
        ({"costs": [{"source": "me", "fma_latncy": 4}]}, "did you mean 'fma_latency'?"),
        ({"costs": [{"source": "me", "fma_latency": "4"}]}, '"4", not a positive number'),
        ({"costs": [{"source": "me", "fma_latency": -4}]}, "'fma_latency' is -4"),
        ({"costs": [{"source": "me", "fma_latency": float("nan")}]}, "not a positive number"),
        ({"costs": [{"source": "me", "call_cycles": float("inf")}]}, "not a positive number"),
        ({"costs": [{"source": "me", "call_cycles": True}]}, "not a positive number"),
        ({"costs": [{"source": "me", "ways_passing": 2.5}]}, "not a positive whole number"),
        ({"costs": [{"source": "me", "exposed_traffic": 1.5}]}, "not a share of at most 1"),
        ({"costs": 2 * [{"source": "me", "fma_latency": 4}]}, "'fma_latency' twice"),
        ({"rates": [{"avx512": 1}]}, "rates 1 lacks the field 'source'"),
        ({"rates": [{"source": "me", "amxint9": 1}]}, "did you mean 'amxint8'?"),
        ({"rates": [{"source": "me", "amxint8": 0}]}, "'amxint8' is 0, not a positive number"),
        ({"rates": 2 * [{"source": "me", "amxint8": 1}]}, "the rate of 'amxint8' twice"),
    ],
)
def test_a_malformed_machine_file_is_named(changes, part):
    with pytest.raises(TargetError, match=r"mine\.json") as caught:
        parse_machine("mine", json.dumps({**GOOD_FILE, **changes}))
    assert part in str(caught.value)


@pytest.mark.parametrize("field", GOOD_FILE)
def test_a_missing_field_is_named(field):
    rest = {name: value for name, value in GOOD_FILE.items() if name != field}
    with pytest.raises(TargetError, match=field):
        parse_machine("mine", json.dumps(rest))


@pytest.mark.parametrize("text", ["", "[]", "3", "{", "{'arch': 1}", "[" * 100_000])
def test_what_is_no_json_object_is_refused(text):
    with pytest.raises(TargetError, match=r"machine file 'mine\.json' is malformed"):
        parse_machine("mine", text)


def test_costs_are_read_and_the_others_are_those_of_the_class():
    manual = {"source": "a manual", "fma_latency": 5, "loads_per_cycle": 1}
    measured = {"source": "a stopwatch", "exposed_traffic": 0.5}
    machine = parse_machine("mine", json.dumps({**GOOD_FILE, "costs": [manual, measured]}))
    of_class = known_machines()["x86_64"]
    assert machine.own_costs() == ("loads_per_cycle", "fma_latency", "exposed_traffic")
    assert (machine.costs.fma_latency, machine.origins["fma_latency"].source) == (5, "a manual")
    assert (machine.costs.exposed_traffic, machine.origins["exposed_traffic"].of_class) == (0.5, "")
    assert machine.costs.call_cycles == of_class.costs.call_cycles
    assert machine.origins["call_cycles"].of_class == "generic"
    assert machine.origins["call_cycles"].source == known_machines()["generic"].origins["call_cycles"].source


@pytest.mark.parametrize(
    ("features", "arch", "of_class"),
    [
        (["avx2", "fma", "avx512f"], "x86_64", "x86_64"),
        (["neon"], "aarch64", "aarch64"),
        (["altivec", "vsx", "mma"], "powerpc64le", "powerpc64le"),
        ([], "generic", "generic"),
    ],
)
def test_a_cpu_falls_back_to_the_nearest_class_that_says(features, arch, of_class):
    described = {**GOOD_FILE, "arch": arch, "features": features}
    machine = parse_machine("mine", json.dumps(described))
    assert machine.own_costs() == ()
    assert machine.origins["fma_latency"].of_class == of_class
    assert machine.costs.fma_latency == known_machines()[of_class].costs.fma_latency


def test_known_machines_say_which_costs_are_their_own():
    machines = known_machines()
    assert machines["generic"].own_costs() == COST_NAMES
    # It has no matrix unit.
    assert machines["znver5"].own_costs() == tuple(n for n in COST_NAMES if not n.startswith("tile_"))
    assert machines["cortex-a57"].own_costs() == ("loads_per_cycle", "fma_latency")
    assert machines["carmel"].origins["loads_per_cycle"].of_class == "aarch64"
    assert machines["znver4"].origins["loads_per_cycle"].of_class == "x86_64"
    rows = {row["name"]: row for row in cost_table(machines["haswell"])}
    assert (rows["fma_latency"]["value"], rows["fma_latency"]["of_class"]) == (5, "")
    assert rows["call_cycles"]["of_class"] == "generic"


@pytest.mark.parametrize("machine", known_machines().values(), ids=lambda machine: machine.name)
def test_a_machine_is_written_and_read_back(machine):
    if machine.name == "generic":
        assert parse_file(machine.name, machine_text(machine)).complete(None) == machine
    again = parse_machine(machine.name, machine_text(machine))
    assert again == machine
    assert again.origins == machine.origins


def test_without_a_class_every_cost_is_needed():
    with pytest.raises(TargetError, match="'mine.json' lacks the cost 'loads_per_cycle'"):
        parse_file("mine", json.dumps(GOOD_FILE)).complete(None)


def test_the_table_has_a_row_for_every_machine():
    rows = machine_table()
    assert {row["name"] for row in rows} == set(known_machines())
    json.dumps(rows)


@pytest.mark.skipif(not read_host_caches(), reason="Linux reports no caches here")
def test_native_caches_are_those_linux_reports(pytestconfig):
    if pytestconfig.option.host:
        pytest.skip("the host is taken for another CPU")
    for number, level in enumerate(resolve_target("llvm -mcpu=native").machine.caches, start=1):
        for folder in HOST_CACHES.glob("index*"):
            if (folder / "type").read_text().strip() == "Instruction":
                continue
            if int((folder / "level").read_text()) == number:
                assert level.ways == int((folder / "ways_of_associativity").read_text())
                assert f"{level.size_bytes // 1024}K" == (folder / "size").read_text().strip()


def write_cache(folder: Path, **values: object) -> None:
    folder.mkdir()
    names = {"ways": "ways_of_associativity", "line": "coherency_line_size"}
    for name, value in values.items():
        (folder / names.get(name, name)).write_text(f"{value}\n")


def test_caches_are_read_where_linux_tells_them(tmp_path):
    described = known_machines()["znver5"]
    write_cache(tmp_path / "index0", level=1, type="Data", size="64K", ways=16, line=64)
    write_cache(tmp_path / "index1", level=1, type="Instruction", size="32K", ways=8, line=64)
    write_cache(tmp_path / "index2", level=2, type="Unified", size="2M", ways=0, line=64)
    write_cache(tmp_path / "index3", level=3, type="Unified", size="what", ways=16, line=64)
    write_cache(tmp_path / "index4", level=4, type="Unified", size="1G", ways=16, line=64)
    native = with_host_caches(described, tmp_path)
    assert native.caches[0].size_bytes == 64 * 1024
    assert native.caches[0].ways == 16
    assert native.caches[0].latency_cycles == described.caches[0].latency_cycles
    assert native.caches[1:] == described.caches[1:]
    assert "this host" in native.source
    assert with_host_caches(described, tmp_path / "none").caches == described.caches
