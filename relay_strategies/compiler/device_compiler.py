"""Networks compiled for GPUs: as compilation.py does for CPUs, but to launch lists."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tvm

from relay_strategies.frontends.declared import Shape
from relay_strategies.passes.by_name import Words
from relay_strategies.passes.device import DEFAULT, device_graph_passes, device_kernel_passes
from relay_strategies.passes.layer_report import LayerReport
from relay_strategies.passes.lower_conv2d import LAYERS
from relay_strategies.relax.steps import FLOAT
from relay_strategies.strategies import strategy
from relay_strategies.strategies.records import Records
from tvm_directconv.devices.network import DeviceNetwork
from tvm_directconv.devices.source import lower_kernels
from tvm_directconv.errors import AlgorithmError, ModelError, WorkloadError, nearest
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget

from .compilation import Clock, inputs_of, outputs_of
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
    max_workspace_bytes: int | None,
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
    _check_algorithms(algorithm, target)
    clock = Clock(on_phase)
    with clock.phase("import"):
        source = read_source(*given, keeps=False)
        wanted = sizes_of(source.inputs, *shapes_and_batch)
    tuned = None if records is None else records.choice
    graph = device_graph_passes(target, algorithm, max_workspace_bytes, tuned)
    made: list[Size] = []
    networks: dict[str, DeviceNetwork] = {}
    launched: dict[str, tuple[str, ...]] = {}
    for number, shapes in enumerate(wanted):
        name = f"main_{number}" if number else "main"
        clock = clock if not number else Clock(on_phase, f" of {shapes}")
        size, networks[name], launched[name] = _one_size(name, source.module, shapes, target, graph, clock)
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
    graph: Sequence[tvm.transform.Pass],
    clock: Clock,
) -> tuple[Size, DeviceNetwork, tuple[str, ...]]:
    with clock.phase("import"):
        module = imported(shapes)
    inputs = inputs_of(module["main"])
    with target.tvm_target:
        with clock.phase("graph"):
            module = tvm.transform.Sequential(graph)(module)
        outputs = outputs_of(module["main"])
        layers = tuple(map(LayerReport.from_fields, json.loads(str(module.attrs[LAYERS]))))
        module = module.without_attr(LAYERS)
        with clock.phase("kernels"):
            module = tvm.transform.Sequential(device_kernel_passes(target))(module)
    with clock.phase("code"):
        kernels = lower_kernels(module, target.tvm_target)
        network, functions = launch_list(module["main"], kernels, str(target), inputs, outputs, {})
    of_layers = {layer.function for layer in layers}
    others = dict(Counter(function for function in functions if function not in of_layers))
    report = Report(
        str(target), layers, others, others, {}, network.activation_bytes, compile_seconds=dict(clock.seconds)
    )
    return Size(inputs, outputs, report, name), network, tuple(functions)


def device_algorithms(target: GpuTarget) -> list[str]:
    """Return the names of the algorithms for a plain convolution, "auto" first."""
    plain = Conv2dWorkload(1, 16, 16, 32, 32, (3, 3), padding=(1, 1, 1, 1))
    offered = strategy.conv2d_strategy(plain, target).implementations  # type: ignore[arg-type]
    return [strategy.AUTO, *(implementation.name for implementation in offered), DEFAULT]


def _check_algorithms(given: Words, target: GpuTarget) -> None:
    names = device_algorithms(target)
    for algorithm in [given] if isinstance(given, str) else given.values():
        if algorithm not in names:
            raise AlgorithmError(
                f"unknown algorithm '{algorithm}'{nearest(algorithm, names)}; {target} has {', '.join(names)}"
            )
