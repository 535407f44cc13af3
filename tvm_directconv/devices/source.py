"""Scheduled PrimFuncs lowered to a device's language: one source, and for each function how it is launched.

TVM's own pipeline splits every function into kernels and what the host does around them. The host's part is
never compiled: which buffers each kernel takes, in which order, with how many work items, and what memory
passes between the kernels of one function is read from it instead, so that any host can do the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tvm
import tvm_ffi
from tvm import tirx
from tvm.target import Target
from tvm.tirx.build import split_host_device_mods
from tvm.tirx.compilation_pipeline import get_tir_pipeline

from tvm_directconv.errors import DeviceError, last_line, let_through
from tvm_directconv.problem.element_types import tensor_bytes

from .halves import halves_in_memory, without_refusal
from .rewriting import exact_constants, opencl_names

AXES = "xyz"
LONGEST_SYMBOL = 120
"""Characters of a kernel's name in the source, which is a file's name for some drivers."""


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel. ``arguments`` are its buffers in order, as positions among the function's
    parameters and, behind these, its workspaces. There are ``groups`` work groups of ``group`` work items
    along x, y and z."""

    kernel: str
    arguments: tuple[int, ...]
    groups: tuple[int, int, int]
    group: tuple[int, int, int]

    @property
    def items(self) -> tuple[int, int, int]:
        """Return the number of work items along x, y and z: OpenCL's global size."""
        x, y, z = (count * size for count, size in zip(self.groups, self.group, strict=True))
        return x, y, z


@dataclass(frozen=True)
class DeviceFunction:
    """A PrimFunc as its launches in order. ``workspaces`` are the bytes of the buffers that pass between
    them."""

    parameters: int
    workspaces: tuple[int, ...]
    launches: tuple[Launch, ...]

    @property
    def workspace_bytes(self) -> int:
        return sum(self.workspaces)


@dataclass(frozen=True)
class DeviceKernels:
    """The kernels of several functions: their source in ``kind``, "opencl" or "cuda", and each function by
    its name."""

    kind: str
    source: str
    functions: Mapping[str, DeviceFunction]


def lower_kernels(module: tvm.IRModule | tirx.PrimFunc, target: Target) -> DeviceKernels:
    """Return the kernels of PrimFuncs whose loops are bound to threads, for a target with a host, one source
    for all of them. A function alone is called "main".

    Raises DeviceError for functions that TVM cannot lower, such as one that reads memory outside any kernel.
    """
    if isinstance(module, tirx.PrimFunc):
        module = tvm.IRModule({"main": module})
    kernels = {
        # A private function lacks the host's part.
        var: _compact(function).with_attr("global_symbol", _symbol(str(var.name_hint)))
        for var, function in module.functions_items()
        if isinstance(function, tirx.PrimFunc)
    }
    names = {str(var.name_hint): len(function.params) for var, function in kernels.items()}
    try:
        source, host = _split(tvm.IRModule(kernels), target)
        functions = {
            str(var.name_hint): _read_host(str(var.name_hint), function, names[str(var.name_hint)])
            for var, function in host.functions_items()
            if str(var.name_hint) in names
        }
    except DeviceError:
        raise
    except Exception as error:  # TVM's passes and its code generators raise whatever came up
        let_through(error)
        if len(kernels) > 1:
            for var, function in kernels.items():
                lower_kernels(tvm.IRModule({var: function}), target)
        raise DeviceError(f"TVM cannot make kernels of '{', '.join(names)}': {_reason(error)}") from error
    return DeviceKernels(str(target.kind.name), source, functions)


def _symbol(name: str) -> str:
    """The name in the source. Joined kernels have the names of all their operators, and drivers make files
    of kernels' names."""
    if len(name) <= LONGEST_SYMBOL:
        return name
    return f"{name[:LONGEST_SYMBOL]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _compact(function: tirx.PrimFunc) -> tirx.PrimFunc:
    """The function with tensors that begin where their buffers do, where it leaves that open."""
    compact = {
        param: tirx.decl_buffer(param.shape, param.dtype, param.name)
        for param in function.params
        if not isinstance(param.elem_offset, tirx.IntImm)
    }
    return function.specialize(compact) if compact else function


def _reason(error: Exception) -> str:
    """What TVM says was wrong, before or behind which stands the whole function."""
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if "Check failed" in line or "Error" in line), last_line(error))


def _split(module: tvm.IRModule, target: Target) -> tuple[str, tvm.IRModule]:
    """The source of a module's kernels, and the module of what their host does."""
    if not module.functions:
        return "", module
    pipeline, _, finalize = get_tir_pipeline("s_tir")
    with target:
        lowered = pipeline(tirx.transform.BindTarget(target)(module))
    host, devices = split_host_device_mods(lowered)
    if not devices:
        return "", host
    ((device_target, device),) = devices.items()
    source = _printed(finalize()(device), device_target)
    return "\n".join(line for line in source.splitlines() if not _is_prototype(line)) + "\n", host


def _printed(device: tvm.IRModule, target: Target) -> str:
    kind = str(target.kind.name)
    build = tvm.get_global_func(f"target.build.{kind}")
    if kind == "opencl":
        device = opencl_names(halves_in_memory(device))
    return without_refusal(str(build(exact_constants(device, kind), target).inspect_source()))


def _read_host(name: str, function: tirx.PrimFunc, parameters: int) -> DeviceFunction:
    """What the host does for one function. A buffer is an argument, which is declared on what the caller
    passes; one that is allocated; or another declaration of either."""
    known: dict[Any, int] = {}
    workspaces: list[int] = []
    launches: list[Launch] = []

    def place(buffer: Any) -> int:
        if buffer not in known:
            raise DeviceError(
                f"a kernel of '{name}' reads '{buffer.name}', which is neither argument nor workspace"
            )
        return known[buffer]

    def declared(node: Any) -> None:
        source = node.data
        if getattr(getattr(source, "op", None), "name", "") == "tirx.buffer_data":
            known[node.buffer] = place(source.args[0])
        else:
            known[node.buffer] = sum(index < parameters for index in set(known.values()))

    def allocated(node: Any) -> None:
        known[node.buffer] = parameters + len(workspaces)
        if not all(isinstance(extent, tirx.IntImm) for extent in node.buffer.shape):
            raise DeviceError(f"'{name}' needs memory between its kernels of a size that changes")
        workspaces.append(tensor_bytes(node.buffer.shape, node.buffer.dtype))

    def called(node: Any) -> None:
        if getattr(node.op, "name", "") != "tirx.call_ffi_kernel":
            return
        kernel, *rest = node.args
        tags = [str(tag) for tag in node.attrs.launch_params]
        pointers, extents = rest[: len(rest) - len(tags)], rest[len(rest) - len(tags) :]
        if not all(isinstance(extent, tirx.IntImm) for extent in extents):
            raise DeviceError(f"kernel '{kernel.value}' is launched in a loop, with sizes that change")
        grid = {tag: int(extent) for tag, extent in zip(tags, extents, strict=True)}
        groups, group = (_extents(grid, kind) for kind in ("blockIdx", "threadIdx"))
        if grid:
            raise DeviceError(
                f"kernel '{kernel.value}' is launched with {', '.join(grid)}: no host here has that"
            )
        arguments = tuple(place(pointer.args[0]) for pointer in pointers)
        launches.append(Launch(str(kernel.value), arguments, groups, group))

    visitors = [(tirx.DeclBuffer, declared), (tirx.AllocBuffer, allocated), (tvm.ir.Call, called)]
    tvm_ffi.structural_walk(function.body, visitors)
    if not launches:
        raise DeviceError(f"'{name}' does not contain a kernel: none of its loops is a thread's")
    return DeviceFunction(parameters, tuple(workspaces), tuple(launches))


def _is_prototype(line: str) -> bool:
    """Whether a line declares a kernel that is defined elsewhere: TVM declares all before each."""
    return line.startswith("__kernel ") and line.endswith(");")


def _extents(grid: dict[str, int], kind: str) -> tuple[int, int, int]:
    x, y, z = (grid.pop(f"{kind}.{axis}", 1) for axis in AXES)
    return x, y, z
