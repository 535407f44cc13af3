"""Target strings resolved: what code is compiled for, on which machine, and whether this host can run it.

Middle floor: schedules ask a CompileTarget for its features and its Machine, strategies for its keys; the
forms a target may be written in are read by target_string.py, the machines described in machines/. What a
CPU name or feature means is LLVM's to say and is asked through ``tvm.target.codegen``. TVM itself replaces
an unknown CPU by "generic", ignores an unknown feature and crashes on an unknown triple; here each is an
error that names it and the nearest valid one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tvm.target import Target, codegen
from tvm_ffi import get_global_func

from .errors import TargetError, nearest
from .machines import (
    CacheLevel,
    Machine,
    find_machine,
    known_machines,
    machine_of_class,
    machine_of_cpu,
    machine_table,
    with_host_caches,
    with_simd_of,
)
from .target_string import Options, read_options, write_options

__all__ = [
    "CacheLevel",
    "CompileTarget",
    "Machine",
    "host_features",
    "known_machines",
    "machine_table",
    "require_host",
    "resolve_target",
]

ARCH_KEYS = {"x86_64": "x86", "aarch64": "arm_cpu", "powerpc64le": "power"}
# LLVM architectures each of our keys makes sense for; "arm" alone is 32-bit and has portable kernels only.
KEY_FAMILIES = {
    "x86": ("x86_64", "i386"),
    "arm_cpu": ("aarch64", "arm", "thumb"),
    "power": ("powerpc64le", "powerpc64", "powerpc"),
}
# Other spellings LLVM accepts for the first word of a triple.
ARCH_SPELLINGS = (
    (r"amd64|x86_64h", "x86_64"),
    (r"i[3-9]86", "i386"),
    (r"arm64e?", "aarch64"),
    (r"ppc64le", "powerpc64le"),
    (r"ppc64", "powerpc64"),
    (r"ppc|ppc32", "powerpc"),
    (r"armv[4-9].*", "arm"),
    (r"thumbv[4-9].*", "thumb"),
)
# LLVM's code generator takes little-endian POWER for at least a POWER8; its feature query does not say so.
DEFAULT_CPUS = {"powerpc64le": "ppc64le"}
# The register width TVM assumes by itself for these; elsewhere it warns unless it is told.
TVM_KNOWS_WIDTH = ("x86_64", "i386", "aarch64", "arm", "thumb")
OPERATING_SYSTEMS = ("android", "linux", "windows", "darwin", "macos", "ios", "freebsd")
# Instructions no compiler emits unasked: privileged, or for one intrinsic each. Virtual machines hide many
# of them, which must not keep code for the CPU they run on from running.
SYSTEM_FEATURES = frozenset(
    "adx cldemote clflushopt clwb clzero enqcmd fsgsbase hreset invpcid kl lwp movdir64b movdiri mwaitx"
    " pconfig pku prefetchi ptwrite rdpid rdpru rdrnd rdseed rtm serialize sgx sha sha512 shstk sm3 sm4"
    " tsxldtrk uintr usermsr waitpkg wbnoinvd widekl xsavec xsaves".split()
)
# What code is checked for where LLVM's report of the host lists only what it has: LLVM's other features
# of these architectures are tuning hints or system registers.
CHECKED_FEATURES = frozenset(
    "neon fp-armv8 aes bf16 crc dotprod fullfp16 i8mm lse rcpc rdm sha2 sme sve sve2"
    " altivec vsx crypto power8-vector power9-vector power10-vector mma prefix-instrs"
    " isa-v207-instructions isa-v30-instructions isa-v31-instructions".split()
)


@dataclass(frozen=True, eq=False)
class CompileTarget:
    """A target resolved: TVM's target, the machine it stands for, and its strategy keys.

    ``keys`` are most specific first: the user's own, then the architecture's, then "cpu". Two targets are
    equal when they print the same and describe the same machine. ``str`` gives the canonical target string,
    which resolves back to an equal target (for "native": on the same host).
    """

    tvm_target: Target
    machine: Machine
    keys: tuple[str, ...]

    @functools.cached_property
    def features(self) -> frozenset[str]:
        """LLVM's names of all the code may use: those of mcpu and mattr, and all that they imply."""
        attributes = self.tvm_target.attrs
        return _features(self.triple, str(attributes.get("mcpu", "")), _strings(attributes.get("mattr", ())))

    @property
    def triple(self) -> str:
        """The LLVM triple, always given in full."""
        return str(self.tvm_target.attrs["mtriple"])

    @property
    def arch(self) -> str:
        """"x86_64", "aarch64", "powerpc64le", or "generic" for any other architecture."""
        arch = _llvm_arch(self.triple)
        return arch if arch in ARCH_KEYS else "generic"

    def __str__(self) -> str:
        options = read_options(self.tvm_target)
        arch = _llvm_arch(self.triple)
        own_keys = tuple(key for key in self.keys if key not in (ARCH_KEYS.get(arch), "cpu"))
        options.pop("keys", None)
        if own_keys:
            options["keys"] = own_keys
        if arch not in TVM_KNOWS_WIDTH and options.get("vector-width") == self.machine.vector_bits:
            del options["vector-width"]
        implied = _described_machine(arch, str(options.get("mcpu", "")), self.features)
        if implied is None or self.machine.name != implied.name:
            options["machine"] = self.machine.name
        first = {name: options.pop(name) for name in ("mtriple", "mcpu", "mattr") if name in options}
        return write_options({**first, **dict(sorted(options.items()))})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CompileTarget):
            return NotImplemented
        return (str(self), self.machine, self.keys) == (str(other), other.machine, other.keys)

    def __hash__(self) -> int:
        return hash((str(self), self.machine))


def resolve_target(target: str | Mapping[str, Any] | Target | CompileTarget) -> CompileTarget:
    """The target that a string, JSON text, dict, TVM tag or ``tvm.target.Target`` means.

    "-mcpu=native" is this host's CPU with exactly the features this host has and the cache sizes it
    reports. Without "-mcpu" it is the architecture's baseline; without "-mtriple" it is this host's.
    "-device" and "-keys" put keys of the user's before the architecture's. "-machine" names the machine
    description to schedule for ("native": this host's), where it is not to follow from the CPU.

    Raises TargetError for an unknown or unsupported kind, option, triple, CPU, feature or machine.
    """
    if isinstance(target, CompileTarget):
        return target
    options = read_options(target)
    triple = str(options.pop("mtriple", "")) or codegen.llvm_get_system_triple()
    arch = _checked_arch(triple)
    _check_host_option(options.pop("host", None), triple)

    mcpu = str(options.pop("mcpu", DEFAULT_CPUS.get(arch, "")))
    mattr = _strings(options.pop("mattr", ()))
    wanted_machine = str(options.pop("machine", ""))
    if mcpu == "native":
        _check_native(triple)
        mcpu, host_mattr = _host_cpu()
        mattr = host_mattr + mattr
        wanted_machine = wanted_machine or "native"
    if mcpu:
        _check_cpu(mcpu, triple, arch)
    _check_attributes(mattr, triple)
    features = _features(triple, mcpu, mattr)
    machine = _choose_machine(wanted_machine, triple, arch, mcpu, features)

    width = int(options.pop("vector-width", machine.vector_bits))
    if width > machine.vector_bits:
        raise TargetError(
            f"-vector-width={width} is wider than the {machine.vector_bits}-bit vectors of {machine.name}"
        )
    if width < machine.vector_bits or arch not in TVM_KNOWS_WIDTH:
        options["vector-width"] = width
        machine = replace(machine, vector_bits=width)

    device = _strings(options.pop("device", ()))
    keys = _strategy_keys((*device, *_strings(options.pop("keys", ()))), arch)
    config: dict[str, Any] = {"kind": "llvm", "keys": list(keys), "mtriple": triple}
    config.update({"mcpu": mcpu} if mcpu else {})
    config.update({"mattr": list(mattr)} if mattr else {})
    config.update({name: list(v) if isinstance(v, tuple) else v for name, v in options.items()})
    return CompileTarget(_build(config), machine, keys)


def require_host(target: CompileTarget) -> None:
    """Raises TargetError unless this host can run code compiled for ``target``: same architecture and
    system, and every feature the code may use."""
    host_triple = codegen.llvm_get_system_triple()
    if _llvm_arch(target.triple) != _llvm_arch(host_triple):
        raise TargetError(
            f"this host is {_llvm_arch(host_triple)} and cannot run code for '{target}'; "
            f"export a library and run it on the target"
        )
    system, host_system = _operating_system(target.triple), _operating_system(host_triple)
    if system and host_system and system != host_system:
        raise TargetError(f"this host runs {host_system} and cannot run {system} code for '{target}'")
    reported = _host_report()
    checked = reported.keys() | CHECKED_FEATURES
    missing = sorted((target.features & checked) - host_features() - SYSTEM_FEATURES)
    if missing:
        raise TargetError(
            f"this host's CPU lacks {', '.join(missing)}, which code for '{target}' may use; "
            f"compile for 'llvm -mcpu=native' to run it here"
        )


@functools.cache
def host_features() -> frozenset[str]:
    """LLVM's names of everything this host's CPU can do."""
    return _features(codegen.llvm_get_system_triple(), *_host_cpu())


@functools.cache
def _host_report() -> dict[str, bool]:
    """What LLVM finds by asking the host's CPU. On x86 every feature is there, present or not; on other
    architectures mostly those present."""
    return {str(name): bool(on) for name, on in get_global_func("tvm.codegen.llvm.GetHostCPUFeatures")().items()}


@functools.cache
def _host_cpu() -> tuple[str, tuple[str, ...]]:
    """The host's CPU name and the attributes that correct LLVM's idea of it to what is really there.

    A virtual machine may hide features of the CPU whose name it shows, and LLVM would still use them.
    """
    triple = codegen.llvm_get_system_triple()
    name = str(codegen.llvm_get_system_cpu())
    mcpu = name if name in _cpu_names(triple) else DEFAULT_CPUS.get(_llvm_arch(triple), "")
    believed = _features(triple, mcpu, ())
    report = sorted(_host_report().items())
    added = tuple(f"+{feature}" for feature, present in report if present and feature not in believed)
    removed = tuple(f"-{feature}" for feature, present in report if not present and feature in believed)
    return mcpu, added + removed


def _checked_arch(triple: str) -> str:
    arch = _llvm_arch(triple)
    known = {str(name) for name in codegen.llvm_get_targets()}
    # TVM crashes on a triple LLVM does not know, so that nothing may be asked about one.
    if arch not in known or not codegen.llvm_is_valid_cpu("generic", triple):
        hint = nearest(triple.split("-")[0], known | {"arm64", "amd64", "ppc64le"})
        raise TargetError(f"-mtriple={triple}: LLVM has no CPU '{triple.split('-')[0]}'{hint}")
    return arch


def _llvm_arch(triple: str) -> str:
    word = triple.split("-")[0]
    return next((arch for spelling, arch in ARCH_SPELLINGS if re.fullmatch(spelling, word)), word)


def _operating_system(triple: str) -> str:
    return next((name for name in OPERATING_SYSTEMS if name in triple), "")


def _check_native(triple: str) -> None:
    host = codegen.llvm_get_system_triple()
    if _llvm_arch(triple) != _llvm_arch(host):
        raise TargetError(f"-mcpu=native is this host's {_llvm_arch(host)} CPU, not one for -mtriple={triple}")


def _check_host_option(host: object, triple: str) -> None:
    """A CPU target is its own host; a host of the same architecture is redundant, any other a mistake."""
    if host is None:
        return
    host_triple = str(read_options(host).get("mtriple", "")) or codegen.llvm_get_system_triple()
    if _llvm_arch(host_triple) != _llvm_arch(triple):
        raise TargetError(f"host '{host}' is not {_llvm_arch(triple)}; a CPU target is its own host, drop it")


def _check_cpu(mcpu: str, triple: str, arch: str) -> None:
    names = _cpu_names(triple)
    if mcpu not in names:
        others = [a for a in ARCH_KEYS if a != arch and mcpu in _cpu_names(f"{a}-linux-gnu")]
        hint = f"; it is of {others[0]}: add -mtriple={others[0]}-linux-gnu" if others else nearest(mcpu, names)
        raise TargetError(f"-mcpu={mcpu}: LLVM knows no {arch} CPU '{mcpu}'{hint}")


@functools.cache
def _cpu_names(triple: str) -> tuple[str, ...]:
    return tuple(sorted(str(name) for name in codegen.llvm_get_cpu_archlist(_query(triple))))


def _check_attributes(mattr: Iterable[str], triple: str) -> None:
    for attribute in mattr:
        name = attribute[1:]
        if attribute[0] not in "+-" or not name:
            raise TargetError(f"-mattr: '{attribute}' must say + or -, for example '+{attribute.lstrip('+-')}'")
        # Features no CPU has by default are known to LLVM when asking for one turns it on.
        if name not in _feature_names(triple) and name not in _features(triple, "", (f"+{name}",)):
            hint = nearest(name, _feature_names(triple))
            raise TargetError(f"-mattr: LLVM knows no {_llvm_arch(triple)} feature '{name}'{hint}")


@functools.cache
def _feature_names(triple: str) -> frozenset[str]:
    return frozenset().union(*(_features(triple, name, ()) for name in _cpu_names(triple)))


@functools.cache
def _features(triple: str, mcpu: str, mattr: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(str, codegen.llvm_get_cpu_features(_query(triple, mcpu, mattr))))


def _query(triple: str, mcpu: str = "", mattr: tuple[str, ...] = ()) -> Target:
    """A target to ask LLVM about; its vector width only keeps TVM from warning."""
    config: dict[str, Any] = {"kind": "llvm", "mtriple": triple, "vector-width": 128, "mattr": list(mattr)}
    return Target(config | ({"mcpu": mcpu} if mcpu else {}))


def _described_machine(arch: str, mcpu: str, features: frozenset[str]) -> Machine | None:
    """The machine that follows from CPU and features alone."""
    described = arch if arch in ARCH_KEYS else "generic"
    return machine_of_cpu(described, mcpu) or machine_of_class(described, features)


def _choose_machine(name: str, triple: str, arch: str, mcpu: str, features: frozenset[str]) -> Machine:
    implied = _described_machine(arch, mcpu, features)
    if implied is None or (arch == "x86_64" and "64bit" not in features):
        code = f"-mcpu={mcpu}" if mcpu else "these attributes"
        raise TargetError(f"{code}: {arch} code without 64-bit mode or without SIMD is not supported")
    if name == "native":
        _check_native(triple)
        host_cpu, host_mattr = _host_cpu()
        host = _described_machine(arch, host_cpu, _features(triple, host_cpu, host_mattr)) or implied
        return with_simd_of(with_host_caches(host), features)
    machine = find_machine(name) if name else implied
    if machine.arch not in (arch, "generic"):
        raise TargetError(f"-machine={name} describes {machine.arch}, the target is {arch}")
    return with_simd_of(machine, features)


def _strategy_keys(given: Iterable[str], arch: str) -> tuple[str, ...]:
    own = [ARCH_KEYS[arch]] if arch in ARCH_KEYS else []
    users: list[str] = []
    for key in given:
        family = KEY_FAMILIES.get(key)
        if family and arch not in family:
            raise TargetError(
                f"key '{key}' is for {family[0]}, the target is {arch}; add -mtriple={family[0]}-linux-gnu"
            )
        if not family and key != "cpu" and key not in users:
            users.append(key)
    return (*users, *own, "cpu")


def _build(config: dict[str, Any]) -> Target:
    try:
        target = Target(config)
        codegen.llvm_get_vector_width(target)
    except (RuntimeError, ValueError, TypeError) as error:
        reason = str(error).strip().splitlines()[-1]
        raise TargetError(f"TVM refuses target {config}: {reason}") from None
    return target


def _strings(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(str(item) for item in value)
