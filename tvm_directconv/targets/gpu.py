"""GPU targets resolved: "opencl -device=mali -model=g72" and the like, beside the CPUs' of target.py.

A GPU target has the limits that schedules keep to and the keys that strategies are chosen by; what of a
target says something of CPUs (features, triples) it has not, so that it is a type of its own. TVM's host
compiler never runs for it: its kernels alone are taken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tvm.target import Target

from tvm_directconv.devices import cuda_driver
from tvm_directconv.errors import TargetError, last_line, let_through, nearest

from .gpu_machine import KINDS, GpuMachine, class_of, find_gpu, known_gpus
from .native import NATIVE
from .native_gpu import native_gpu
from .strings import as_mapping, write_options
from .target import CompileTarget, resolve_target

OPTIONS = {
    "opencl": ("device", "model", "machine", "keys"),
    "cuda": ("device", "model", "machine", "arch", "keys"),
}
DERIVED = frozenset({
    "kind", "tag", "host", "thread_warp_size", "max_num_threads", "max_threads_per_block",
    "max_shared_memory_per_block", "max_function_args", "texture_spatial_limit", "texture_depth_limit",
    "image_base_address_alignment", "registers_per_block", "l2_cache_size_bytes", "libs",
})  # fmt: skip
"""TVM adds these to targets it has made; here the machine says what they say."""
LEAST_ARCH = "sm_75"
"""Code for it runs on every GPU that CUDA 13 still knows."""
ARCHS = {"h200": "sm_90", "h100": "sm_90"}


@dataclass(frozen=True, eq=False)
class GpuTarget:
    """A GPU target resolved: TVM's target, the machine to schedule for, and the strategy keys, the most
    specific first. ``str`` gives the canonical target string, which resolves back to an equal target (one for
    "native", on the same host)."""

    tvm_target: Target
    machine: GpuMachine
    keys: tuple[str, ...]
    text: str

    @property
    def kind(self) -> str:
        """Return the language of the kernels, "opencl" or "cuda"."""
        return self.machine.kind

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GpuTarget):
            return NotImplemented
        return (self.text, self.machine) == (other.text, other.machine)

    def __hash__(self) -> int:
        return hash((self.text, self.machine))


def is_gpu_target(target: object) -> bool:
    """Return whether a target in any of its forms names a GPU's kind; it need not be right otherwise."""
    if isinstance(target, GpuTarget):
        return True
    try:
        return _kind_and_options(target)[0] in KINDS
    except TargetError:
        return False


def resolve_any_target(
    target: str | Mapping[str, Any] | Target | CompileTarget | GpuTarget,
) -> CompileTarget | GpuTarget:
    """Return the target of a GPU or of a CPU, as ``resolve_gpu_target`` or ``resolve_target`` does."""
    return resolve_gpu_target(target) if is_gpu_target(target) else resolve_target(target)


def resolve_gpu_target(target: str | Mapping[str, Any] | Target | GpuTarget) -> GpuTarget:
    """Return the GPU target that a string, JSON text, dict or ``tvm.target.Target`` means.

    The kind is "opencl" or "cuda". "-device" is a class of GPUs ("mali", "adreno"), "-model" one of them
    ("g72"), or "-device=native" the device of that kind at hand, with the limits that it reports; without
    either it is any device of the kind. "-machine" names the description to schedule for where it is not to
    follow from these: a known GPU, the path of a file, or "native". "-keys" puts strategy keys of the user's
    before the target's. "-arch" is CUDA's ("sm_90").

    Raises TargetError for what is not understood, DeviceError where "native" finds no device.
    """
    if isinstance(target, GpuTarget):
        return target
    kind, given = _kind_and_options(target)
    if kind not in KINDS:
        raise TargetError(
            f"target kind '{kind}' is not a GPU's{nearest(kind, KINDS)}; write 'opencl' or 'cuda'"
        )
    options = {name: _text(name, value) for name, value in given.items() if value != "unknown"}
    for name in options:
        if name not in OPTIONS[kind]:
            known = ", ".join(OPTIONS[kind])
            raise TargetError(
                f"a target of {kind} does not have an option '-{name}'{nearest(name, OPTIONS[kind])}: {known}"
            )
    machine = _machine(kind, options)
    own = tuple(filter(None, (machine.device, kind, "gpu")))
    users = [key.strip() for key in options.pop("keys", "").split(",")]
    users = list(dict.fromkeys(key for key in users if key and key not in own))
    keys = (*users, *own)
    if users:
        options["keys"] = ",".join(users)
    text = write_options(dict(sorted(options.items())), kind)
    return GpuTarget(_build(kind, machine, keys, options), machine, keys, text)


def _machine(kind: str, options: Mapping[str, str]) -> GpuMachine:
    device, model = options.get("device", ""), options.get("model", "")
    if options.get("machine", device) == NATIVE:
        return native_gpu(kind)
    if "machine" in options:
        machine = find_gpu(options["machine"])
        if machine.kind != kind:
            raise TargetError(f"GPU '{machine.name}' runs kernels of {machine.kind}, the target is of {kind}")
        return machine
    gpus = known_gpus()
    own = {gpu.name: gpu for gpu in gpus.values() if gpu.kind == kind and gpu.device == device}
    if not own:
        there = sorted({gpu.device for gpu in gpus.values() if gpu.kind == kind and gpu.device} | {NATIVE})
        raise TargetError(
            f"no {kind} device '{device}'{nearest(device, there)}; there are {', '.join(there)}"
        )
    if not model:
        found = class_of(kind, device, own)
    else:
        found = next((gpu for gpu in own.values() if model.lower() in gpu.models), None)
        if found is None:
            models = sorted(name for gpu in own.values() for name in gpu.models)
            of = f"-device={device}" if device else kind
            raise TargetError(
                f"no model '{model}' of {of}{nearest(model, models)}; there are "
                f"{', '.join(models) or 'none'}, or name a GPU by -machine"
            )
    assert found is not None, "every class has a file"
    return found


def _build(kind: str, machine: GpuMachine, keys: tuple[str, ...], options: Mapping[str, str]) -> Target:
    config: dict[str, Any] = {
        "kind": kind,
        "keys": list(keys),
        "max_threads_per_block": machine.threads_per_group,
        "max_num_threads": min(machine.threads_per_group, machine.threads_per_dimension[0]),
        "max_shared_memory_per_block": machine.local_memory_bytes,
    }
    if kind == "cuda":
        arch = options.get("arch") or _arch(machine)
        if not re.fullmatch(r"sm_\d{2,3}a?", arch):
            raise TargetError(f"-arch={arch}: write it like '{LEAST_ARCH}'")
        config |= {"arch": arch, "thread_warp_size": machine.lanes, "model": options.get("model", "unknown")}
    else:
        config.update({name: options[name] for name in ("device", "model") if name in options})
    try:
        return Target(config, host={"kind": "llvm"})
    except (RuntimeError, ValueError, TypeError) as error:
        let_through(error)
        raise TargetError(f"TVM refuses the target {config}: {last_line(error)}") from None


def _arch(machine: GpuMachine) -> str:
    if machine.name == NATIVE:
        return cuda_driver.driver().arch
    return next((ARCHS[model] for model in machine.models if model in ARCHS), LEAST_ARCH)


def _kind_and_options(target: object) -> tuple[str, dict[str, Any]]:
    given = as_mapping(target)
    options = {str(name): value for name, value in given.items() if name not in DERIVED}
    keys = options.get("keys")
    if not isinstance(keys, str) and keys is not None:
        options["keys"] = ",".join(map(str, keys))
    return str(given.get("kind", "")), options


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TargetError(f"target option '-{name}' needs a value, got {value!r}")
    return str(value)
