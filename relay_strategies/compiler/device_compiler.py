"""Networks compiled for GPUs: as compilation.py does for CPUs, but to launch lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tvm

from relay_strategies.frontends.declared import Shape, shapes_text
from relay_strategies.passes.by_name import Words
from relay_strategies.passes.device import device_graph_passes, device_kernel_passes
from relay_strategies.relax.steps import FLOAT
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.records import Records
from tvm_directconv.devices.network import DeviceNetwork
from tvm_directconv.devices.source import lower_kernels
from tvm_directconv.errors import ModelError, WorkloadError
from tvm_directconv.targets.gpu import GpuTarget

from .compilation import Clock, graph_of
from .device_executable import DeviceExecutable
from .device_model import DeviceModel
from .launch_list import launch_list
from .report import Report
from .signature import Metadata, Size, described
from .sizes import sizes_of
from .source import read_source


def compile_for_device(
    given: tuple[Any, ...],
    target: GpuTarget,
    *,
    algorithm: Words,
    precision: Any,
    layout: str,
    limits: Limits,
    records: Records | None,
    sizes: tuple[Any, Any, bool],
    on_phase: Callable[[str], None] | None,
) -> DeviceModel:
    """Compile a network, given as ``read_source`` takes it, for a GPU. Raises what ``compile`` does."""
    *shapes_and_batch, on_demand = sizes
    if precision != FLOAT or layout != "NHWC":
        raise WorkloadError("networks on GPUs are computed in float32 and NHWC; leave precision and layout")
    if on_demand:
        raise ModelError("on_demand is of CPUs' models; name a GPU's sizes by batch or shapes")
    clock = Clock(on_phase)
    with clock.phase("import"):
        source = read_source(*given, keeps=False)
        wanted = sizes_of(source.inputs, *shapes_and_batch)
    tuned = None if records is None else records.choice
    passes = device_graph_passes(target, algorithm, limits, tuned)
    made: list[Size] = []
    networks: dict[str, DeviceNetwork] = {}
    launched: dict[str, tuple[str, ...]] = {}
    for number, shapes in enumerate(wanted):
        name = f"main_{number}" if number else "main"
        clock = clock if not number else Clock(on_phase, f" of {shapes_text(shapes)}")
        size, networks[name], launched[name] = _one_size(name, source.module, shapes, target, passes, clock)
        made.append(size)
    metadata = Metadata(
        str(target), *described(made, {**source.inputs, **source.outputs}, False), tuple(made)
    )
    return DeviceModel(DeviceExecutable(networks, launched), metadata)


def _one_size(
    name: str,
    imported: Callable[[Mapping[str, Shape]], tvm.IRModule],
    shapes: Mapping[str, Shape],
    target: GpuTarget,
    passes: Sequence[tvm.transform.Pass],
    clock: Clock,
) -> tuple[Size, DeviceNetwork, tuple[str, ...]]:
    graph = graph_of(lambda: imported(shapes), target.tvm_target, passes, clock)
    with target.tvm_target, clock.phase("kernels"):
        module = tvm.transform.Sequential(device_kernel_passes(target))(graph.module)
    with clock.phase("code"):
        kernels = lower_kernels(module, target.tvm_target)
        network, functions = launch_list(module["main"], kernels, str(target), graph.inputs, graph.outputs)
    of_layers = {layer.function for layer in graph.layers}
    others = dict(Counter(function for function in functions if function not in of_layers))
    report = Report(
        str(target),
        graph.layers,
        others,
        others,
        {},
        network.activation_bytes,
        compile_seconds=dict(clock.seconds),
    )
    return Size(graph.inputs, graph.outputs, report, name), network, tuple(functions)
