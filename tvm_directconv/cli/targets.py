"""Commands that list what there is: ``tvm-directconv kernels | targets``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from .console import print_json, print_rows, progress, shown_value
from .options import NATIVE, json_option, verbose_option

OPERANDS = {"8-bit": ("u8", "s8"), "bfloat16": ("bf16", "bf16"), "float16": ("f16", "f16")}
"""What kernels are called by the types of their activations and filters."""


@click.command()
@click.option("--isa", help="One instruction set only.")
@click.option("--analyze", metavar="TARGET", help="Estimate inner loops with llvm-mca's model of a CPU.")
@click.option("--time", "timed", is_flag=True, help="Time the kernels that this host can run.")
@json_option
def kernels(isa: str | None, analyze: str | None, timed: bool, as_json: bool) -> None:
    """List the registered micro-kernels.

    Smaller tiles of each are generated as they are needed.
    --analyze compiles those of a target, which need not be this host's, cuts out their inner loops and
    prints what LLVM's scheduling model makes of them: an estimate, not a measurement. --time measures
    them on one thread, operands in L1, against the peak of their instruction set in the same turns.
    """
    if analyze is not None and timed:
        raise click.UsageError("--analyze estimates and --time measures: give one of them")
    from intrinsics.isa import ISAS
    from intrinsics.registry import kernel_table
    from tvm_directconv.errors import TargetError, nearest

    if isa is not None and isa not in ISAS:
        raise TargetError(f"unknown instruction set '{isa}'{nearest(isa, ISAS)}; there are {', '.join(ISAS)}")
    if analyze is not None:
        from tvm_directconv.measure.analysis import analyze as analyze_target
        from tvm_directconv.runtime.words import target_label
        from tvm_directconv.targets.target import resolve_target

        target = resolve_target(analyze)
        with progress(f"analyzing kernels for {target}"):
            loops = [asdict(loop) for loop in analyze_target(target)]
        print_rows(loops, f"inner loops by llvm-mca's model, {target_label(str(target))}", as_json)
        return
    if timed:
        from tvm_directconv.measure.kernels import time_kernels
        from tvm_directconv.targets.target import resolve_target

        with progress("timing kernels"):
            timings = time_kernels(resolve_target(NATIVE), ISAS[isa] if isa else None)
        print_rows([asdict(timing) for timing in timings], "micro-kernels on this host, one thread", as_json)
        return
    rows = kernel_table(ISAS[isa] if isa else None)
    # A kernel's name says the rest.
    shown = ("name", "registers_used", "registers", "loads_per_fma")
    print_rows(
        rows if as_json else [{key: row[key] for key in shown} for row in rows], "micro-kernels", as_json
    )


@click.command()
@click.argument("target", default=NATIVE)
@verbose_option
@json_option
def targets(target: str, verbose: bool, as_json: bool) -> None:
    """Show what TARGET resolves to; this host's, if none is given.

    --verbose adds its features and the sources of its costs. 'machines' lists the CPUs and GPUs that targets
    may name.
    """
    from tvm_directconv.targets.gpu import is_gpu_target
    from tvm_directconv.text import wrapped

    facts, what, numbers = (_of_gpu if is_gpu_target(target) else _of_cpu)(target)
    if as_json:
        print_json(facts | {what: numbers})
        return
    for name, value in facts.items():
        if name != "features" or verbose:
            click.echo(wrapped(f"{name.replace('_', ' ')}: {shown_value(value)}"))
    hidden = () if verbose else ("source",)
    rows = [{key: value for key, value in row.items() if key not in hidden} for row in numbers]
    click.echo()
    print_rows(rows, f"{what} of {facts['machine']}, own or of its class", as_json)


Facts = tuple[dict[str, Any], str, list[dict[str, Any]]]
"""What is known of a target, and what its machine's numbers are called, and these, each with its source."""


def _of_cpu(target: str) -> Facts:
    from intrinsics.isa import best_isa
    from intrinsics.microkernel import DEPTHWISE, PANEL, ROW
    from tvm_directconv.targets.machine_files import cost_table
    from tvm_directconv.targets.target import resolve_target

    resolved = resolve_target(target)
    machine = resolved.machine

    def of_type(lhs: str, rhs: str) -> list[str]:
        layouts = (ROW, PANEL, DEPTHWISE)
        return list(dict.fromkeys(best_isa(resolved, lhs, rhs, layout).name for layout in layouts))

    facts = {
        "target": str(resolved),
        "keys": list(resolved.keys),
        "kernels": best_isa(resolved).name,
        **{f"{name} kernels": of_type(lhs, rhs) for name, (lhs, rhs) in OPERANDS.items()},
        "machine": machine.name,
        "vector_bits": machine.vector_bits,
        "vector_registers": machine.vector_registers,
        "fma_per_cycle": machine.fma_per_cycle,
        "caches": [cache.size_bytes for cache in machine.caches],
        "features": sorted(resolved.features),
    }
    return facts, "costs", cost_table(machine)


def _of_gpu(target: str) -> Facts:
    from tvm_directconv.targets.gpu import resolve_gpu_target
    from tvm_directconv.targets.gpu_machine import NUMBERS

    resolved = resolve_gpu_target(target)
    machine = resolved.machine
    facts = {
        "target": str(resolved),
        "keys": list(resolved.keys),
        "machine": machine.name,
        "description": machine.description,
    }
    values = ((name, getattr(machine, name), machine.sources[name]) for name in NUMBERS)
    return facts, "numbers", [dict(zip(("name", "value", "source"), row, strict=True)) for row in values]
