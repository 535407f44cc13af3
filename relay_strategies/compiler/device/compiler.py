"""Networks compiled for GPUs, to lists of launches; compilation.py does the same for CPUs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import tvm

from relay_strategies.frontends.declared import Shape, shapes_text
from relay_strategies.passes.device import device_finish_passes, device_graph_passes, device_kernel_passes
from tvm_directconv.devices.device_program import shared_workspaces
from tvm_directconv.devices.network import DeviceNetwork
from tvm_directconv.devices.source import lower_kernels
from tvm_directconv.errors import ModelError, WorkloadError
from tvm_directconv.runtime.metadata import Metadata, Size
from tvm_directconv.targets.gpu import GpuTarget

from ..compilation import Clock, graph_of
from ..kernel_calls import kernel_calls
from ..layer_options import LayerOptions
from ..report import Report
from ..sizes import ShapeSpec, described
from ..source import ModelInput, read_source
from .executable import DeviceExecutable
from .launch_list import launch_list
from .model import DeviceModel


def compile_for_device(
    given: ModelInput,
    sizes: ShapeSpec,
    target: GpuTarget,
    options: LayerOptions,
    on_phase: Callable[[str], None] | None,
) -> DeviceModel:
    """Compile a network for a GPU. Raises what ``compile`` does."""
    precision = options.precision
    if options.layout != "NHWC":
        raise WorkloadError(f"networks on GPUs are computed in NHWC, not {options.layout!r}: leave layout")
    if "bfloat16" in (precision.values() if isinstance(precision, Mapping) else [precision]):
        raise WorkloadError("kernels of GPUs compute tensors of float32 and float16, not bfloat16")
    if sizes.on_demand:
        raise ModelError("on_demand is of CPUs' models; name a GPU's sizes by batch or shapes")
    for said, of in (("typical", sizes.typical), ("sizes", sizes.bounds)):
        if of:
            raise ModelError(
                f"{said}= is of dimensions that stay open, and a GPU's are numbers: leave it, and name them "
                "by batch= or shapes="
            )
    clock = Clock(on_phase)
    with clock.phase("import"):
        source = read_source(given, keeps=False)
        wanted = sizes.sizes(source.inputs, may_stay_open=False)
    passes = device_graph_passes(target, options.algorithm, options.limits, options.tuned, precision)
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
        planned = tvm.transform.Sequential(device_finish_passes())(module)
    with clock.phase("code"):
        kernels = lower_kernels(planned, target.tvm_target)  # names a kernel that no device can have
        calls = kernel_calls(module, graph.layers)
        network, functions = launch_list(planned["main"], kernels, str(target), graph.inputs, graph.outputs)
    spaces, of_layers = kernels.functions, {layer.function for layer in graph.layers}
    others = dict(Counter(function for function in functions if function not in of_layers))
    reserved = sum(shared_workspaces(spaces, [call.kernel for call in calls]))
    report = Report(
        str(target),
        graph.layers,
        others,
        others,
        {},
        network.run_bytes - reserved,
        tuple(replace(call, workspace_bytes=spaces[call.kernel].workspace_bytes) for call in calls),
        compile_seconds=dict(clock.seconds),
        reserved_workspace_bytes=reserved,
    )
    return Size(graph.inputs, graph.outputs, report, name), network, tuple(functions)
