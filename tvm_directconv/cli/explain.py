"""``tvm-directconv explain``: what layers are compiled to and why; of a GPU's, what else they might be."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tvm_directconv.errors import InputError

from .console import print_table
from .networks import compiled
from .options import (
    compile_options,
    instruction_set_option,
    is_given,
    json_option,
    only_size,
    refuse_options,
    verbose_option,
)

if TYPE_CHECKING:
    from relay_strategies.compiler.report import Report
    from tvm_directconv.algorithms.lift.space import LiftSpace
    from tvm_directconv.problem.workload import Conv2dWorkload

SHOWN_VALUES = 6


@click.command()
@click.argument("model")
@compile_options
@instruction_set_option
@verbose_option
@click.option("--time", "timed", is_flag=True, help="Measure what share of the time other kernels take.")
@json_option
def explain(model: str, verbose: bool, timed: bool, as_json: bool, **options: Any) -> None:
    """Show what MODEL's convolutions are compiled to.

    MODEL may also be a layer's descriptor.
    --verbose also says why: the estimated cycles by which the algorithm was chosen, and those of the others;
    all kernels and tiles, for sconv the slicing analysis. Of a single layer all this is always shown, and for
    a GPU the parameters that it might have had, the constraints on them, and how many points these leave.
    """
    from tvm_directconv import zoo

    of_layer = zoo.is_descriptor(model)
    size = only_size(options["shapes"], options["batch"])
    if of_layer:
        refuse_options(
            "timed", reason="a layer alone does not have other kernels; 'breakdown' times its parts"
        )
        report, requested = layer_report(model, **options)
        space = _space(requested, options["target"])
    else:
        found = compiled(model, **options)
        report, space = found.report(timed, found.size(*size)), None
    if as_json:
        known = {} if space is None else {"space": _described(space), "memory": _memory(space, report)}
        click.echo(json.dumps(json.loads(report.with_all_estimates().to_json()) | known, indent=2))
    elif verbose or of_layer:
        click.echo(report.details())
        if space is not None:
            _print_space(space, report)
    else:
        print_table(report.table())


def layer_report(
    descriptor: str,
    target: str,
    algorithm: str | dict[str, str],
    precision: str | dict[str, str],
    accuracy: str,
    max_workspace_bytes: int | None,
    max_filter_bytes: int | None,
    tuning: Path | None,
    **of_networks: object,
) -> tuple[Report, Conv2dWorkload]:
    """Return the report of one layer, in the form of a network's, and the layer in its precision."""
    from relay_strategies.compiler.arguments import known_records
    from relay_strategies.compiler.layer import build_conv2d, in_precision
    from relay_strategies.compiler.report import Report
    from relay_strategies.passes.lower.layer_report import layer_report
    from relay_strategies.strategies.limits import Limits
    from relay_strategies.strategies.strategy import AUTO, implement_conv2d
    from tvm_directconv.problem.workload import Conv2dWorkload
    from tvm_directconv.targets.gpu import is_gpu_target, resolve_gpu_target
    from tvm_directconv.targets.target import resolve_target

    refuse_options(
        *("layout", "params", "shapes", "batch"),
        reason="a layer's descriptor says its layouts and shapes, and no weights are wanted",
    )
    algorithm = _of_layer("--algorithm", algorithm)
    workload = Conv2dWorkload.parse(descriptor)
    of_gpu, limits = is_gpu_target(target), Limits(max_workspace_bytes, max_filter_bytes, accuracy)
    resolved: Any = resolve_gpu_target(target) if of_gpu else resolve_target(target)
    if is_given("precision"):
        precision = _of_layer("--precision", precision)
        workload = in_precision(workload, precision, resolved, algorithm, limits)
    if of_gpu:
        known = known_records(tuning) if algorithm == AUTO else None
        found = None if known is None else known.choice(workload, resolved, limits)
        name, knobs = found or (algorithm, None)
        chosen = implement_conv2d(workload, resolved, name, limits, knobs)
        described = layer_report("the layer", "conv2d", "conv2d", chosen)
    else:
        bounds = max_workspace_bytes, tuning, max_filter_bytes, accuracy
        layer = build_conv2d(workload, resolved, algorithm, *bounds)
        described = layer_report("the layer", "conv2d", "conv2d", layer.implementation)
        named = str(workload)
        described = replace(described, workload=named, asked=named, workspace_bytes=layer.workspace_bytes)
    return Report(str(resolved), (described,), {}, {}, {}, 0), workload


def _of_layer(option: str, value: str | dict[str, str]) -> str:
    """Return an option's value for a layer alone. Raises InputError for one that is for layers by name."""
    if isinstance(value, str):
        return value
    raise InputError(f"a layer alone does not have a name: give {option} {next(iter(value.values()))}")


def _space(workload: Conv2dWorkload, target: str) -> LiftSpace | None:
    """The points that a layer's parameters might be, where the target is a GPU."""
    from tvm_directconv.algorithms.lift.space import LiftSpace
    from tvm_directconv.targets.gpu import is_gpu_target, resolve_gpu_target

    if not is_gpu_target(target):
        return None
    return LiftSpace(workload, resolve_gpu_target(target).machine)


def _described(space: LiftSpace) -> dict[str, Any]:
    """A space in JSON's types."""
    after, error = space.points_after
    return {
        "parameters": {name: list(values) for name, values in space.expression.parameters.items()},
        "constraints": [
            {"name": each.name, "condition": each.condition.text, "meaning": each.meaning}
            for each in space.expression.constraints
        ],
        "points_before": space.points_before,
        "points_after": after,
        "points_after_standard_error": error,
    }


def _memory(space: LiftSpace, report: Report) -> list[dict[str, Any]]:
    """What the chosen point takes with its chunks' sums added up in either way; nothing where it is not of
    lift."""
    from tvm_directconv.algorithms.lift.knobs import LiftKnobs

    (layer,) = report.layers
    return space.ways_of_summing(LiftKnobs(**layer.tile)) if layer.algorithm == "lift" else []


def _print_space(space: LiftSpace, report: Report) -> None:
    from tvm_directconv.text import TextTable

    (layer,) = report.layers
    parameters = TextTable("Parameters of lift", ("parameter", "chosen", "values"), ("parameter", "values"))
    for name, values in space.expression.parameters.items():
        shown = [str(value) for value in values]
        if len(shown) > SHOWN_VALUES:
            shown = [f"{shown[0]} to {shown[-1]}"]
        parameters.add_row(name, layer.tile.get(name, ""), ", ".join(shown))
    constraints = TextTable(
        "Constraints", ("constraint", "condition", "meaning"), ("constraint", "condition", "meaning")
    )
    for each in space.expression.constraints:
        constraints.add_row(each.name, each.condition.text, each.meaning)
    click.echo()
    print_table(parameters)
    click.echo()
    print_table(constraints)
    memory = TextTable(
        "Memory, with sums of chunks added up in either way",
        ("sum", "chunks", "workspace, bytes", "of a work group, bytes", "estimated cycles"),
        ("sum",),
    )
    for row in _memory(space, report):
        way = f"{row['sum']} (chosen)" if row["sum"] == layer.tile["sum"] else row["sum"]
        memory.add_row(
            way, *(f"{row[n]:.0f}" for n in ("chunks", "workspace_bytes", "local_bytes", "cycles"))
        )
    click.echo()
    print_table(memory)
    after, error = space.points_after
    click.echo(
        f"\n{space.points_before:.3g} points before these constraints, about {after:.3g} after "
        f"(estimated from draws, standard error {error:.2g})"
    )
