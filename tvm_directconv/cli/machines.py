"""``tvm-directconv machines``: the CPUs with a description, and what can be measured of this one."""

from __future__ import annotations

from pathlib import Path

import click

from .console import print_json, print_rows, progress
from .options import NATIVE, NewFile, json_option, verbose_option

SHOWN = ("name", "arch", "vector_bits", "fma_per_cycle", "caches", "host")
VERBOSE = (*SHOWN, "own_costs", "description")
"""JSON has more columns."""
SHOWN_OF_GPUS = (
    "name",
    "threads_per_group",
    "local_memory_bytes",
    "compute_units",
    "clock_mhz",
    "peak_gflops",
)


@click.command()
@click.option("--measure", is_flag=True, help="Measure this host: rates, latencies, speed of copies.")
@click.option(
    "--save",
    type=NewFile(),
    help="With --measure, write a machine file, for targets with -machine=PATH.",
)
@verbose_option
@json_option
def machines(measure: bool, save: Path | None, verbose: bool, as_json: bool) -> None:
    """List the CPUs and GPUs known, or measure this host.

    --measure takes a few seconds on one core, longer where others use it, and prints what it finds beside
    what "-mcpu=native" uses; --verbose says where that is from, and without --measure what the machines are.
    In a file that --save writes, what cannot be measured is the host's CPU's, or its class's.
    """
    if save is not None and not measure:
        raise click.UsageError("--save writes what --measure finds; give both")
    if not measure:
        print_machines(as_json, verbose)
        return
    from tvm_directconv.files import write_atomically
    from tvm_directconv.measure.machine import measure_machine
    from tvm_directconv.targets.machine_format import machine_text

    with progress("measuring") as phase:
        measurement = measure_machine(
            lambda name, done, total: phase(f"measuring {name}, {done + 1} of {total}")
        )
    if save is not None:
        write_atomically(save, machine_text(measurement.described()).encode())
    if as_json:
        print_json({"source": measurement.source, "numbers": measurement.rows()})
    else:
        hidden = () if verbose else ("from",)
        rows = [{key: row[key] for key in row if key not in hidden} for row in measurement.rows()]
        print_rows(rows, measurement.source, as_json)
    if save is not None:
        click.echo(f"wrote {save}: compile with 'llvm -mcpu=native -machine={save}'", err=True)


def print_machines(as_json: bool, verbose: bool) -> None:
    """Print the machines with a description, this host's marked, and the GPUs, as tables or as one list in
    JSON, where GPUs are the rows with a "kind"."""
    from tvm_directconv.targets.gpu_machine import gpu_table
    from tvm_directconv.targets.machine_choice import implied_machine
    from tvm_directconv.targets.machine_files import machine_table
    from tvm_directconv.targets.target import resolve_target

    native = resolve_target(NATIVE)
    host = implied_machine(native.arch, str(native.tvm_target.attrs.get("mcpu", "")), native.features).name
    rows = [row | {"host": row["name"] == host} for row in machine_table()]
    if not as_json:
        rows = [row | {"vector_bits": f"{row['vector_registers']} x {row['vector_bits']}"} for row in rows]
        rows = [{key: row[key] for key in (VERBOSE if verbose else SHOWN)} for row in rows]
        shown = (*SHOWN_OF_GPUS, *(("description",) if verbose else ()))
        gpus = [{key: row[key] for key in shown} for row in gpu_table()]
        print_rows(rows, "machines", as_json)
        click.echo()
        print_rows(gpus, "GPUs", as_json)
        return
    print_json([*rows, *gpu_table()])
