"""Targets resolved: what code is compiled for, on which machine, and whether this host can run it.

Schedules ask a CompileTarget for its features and its Machine, strategies for its keys. The forms a
target may be written in are read by strings.py, its machine is chosen by machine_choice.py, and what
a CPU name or a feature means is LLVM's to say, through llvm.py. Where TVM would crash, or go on
with something else than was asked for, the error here names the mistake and the nearest valid name.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tvm.target import Target, codegen

from tvm_directconv.errors import TargetError, last_line, let_through, nearest
from tvm_directconv.runtime.metadata import BASELINE
from tvm_directconv.threads import check_thread_variables

from . import llvm
from .instruction_sets import ordered_sets
from .machine import KEYS, CacheLevel, Costs, Machine
from .machine_choice import choose_machine, described_arch, implied_machine
from .machine_files import known_machines, machine_of_class, machine_table
from .native import NATIVE, check_native, host_cpu, host_features
from .strings import CPU, Options, read_options, write_options
from .trial import require_compilable

__all__ = [
    "CacheLevel",
    "CompileTarget",
    "Costs",
    "Machine",
    "known_machines",
    "machine_table",
    "require_host",
    "resolve_target",
]

ARCH_KEYS = {architectures[0]: key for key, architectures in KEYS.items()}
# TVM has a vector width of its own for these; elsewhere it warns unless it is told.
TVM_KNOWS_WIDTH = ("x86_64", "i386", "aarch64", "arm")
# Instructions no compiler emits unasked: privileged, or for one intrinsic each. Virtual machines
# hide many of them, which is not a reason to refuse code for the very CPU they run on.
SYSTEM_FEATURES = frozenset({
    "cldemote", "clflushopt", "clwb", "clzero", "enqcmd", "fsgsbase", "hreset", "invpcid", "kl",
    "lwp", "movdir64b", "movdiri", "mwaitx", "pconfig", "pku", "prefetchi", "ptwrite", "rdpid",
    "rdpru", "rdrnd", "rdseed", "rtm", "serialize", "sgx", "shstk", "tsxldtrk", "uintr", "usermsr",
    "waitpkg", "wbnoinvd", "widekl", "xsavec", "xsaves",
})  # fmt: skip
# Names compilers accept and LLVM itself does not list.
CPU_ALIASES = {"apple-m1": "apple-a14", "apple-m2": "apple-a15", "apple-m3": "apple-a16"}
# What else code is checked for where LLVM reports only what the host has; LLVM's other features of
# these architectures are tuning hints or system registers.
CHECKED_FEATURES = frozenset({
    "neon", "fp-armv8", "aes", "bf16", "crc", "dotprod", "fullfp16", "i8mm", "lse", "rcpc", "rdm",
    "sha2", "sme", "sve", "sve2",
    "altivec", "vsx", "crypto", "mma", "power8-vector", "power9-vector", "power10-vector",
    "isa-v207-instructions", "isa-v30-instructions", "isa-v31-instructions", "prefix-instrs",
})  # fmt: skip


@dataclass(frozen=True, eq=False)
class CompileTarget:
    """A target resolved: TVM's target, the machine to schedule for, and the strategy keys.

    ``keys`` are most specific first: the user's own, then the architecture's, then "cpu". ``str``
    gives the canonical target string, which resolves back to an equal target (one for "native", on
    the same host). Targets are equal when they print the same and describe the same machine.
    """

    tvm_target: Target
    machine: Machine
    keys: tuple[str, ...]
    dispatch: Mapping[str, CompileTarget] = field(default_factory=dict)
    """The instruction sets that code holds beside this one, by name, the best first."""

    @property
    def instruction_sets(self) -> dict[str, CompileTarget]:
        """Return the target of each instruction set, the best first, in the end the target's own."""
        return {**self.dispatch, BASELINE: replace(self, dispatch={})}

    @functools.cached_property
    def features(self) -> frozenset[str]:
        """Return LLVM's names of all the code may use: mcpu's and mattr's, with all that they imply."""
        given = self.tvm_target.attrs
        return llvm.features_of(self.triple, str(given.get("mcpu", "")), _strings(given.get("mattr", ())))

    def rate(self, isa: str) -> float:
        """Return how often an instruction set multiplies on the machine, where float32 does once."""
        return self.machine.rate(isa)

    @property
    def triple(self) -> str:
        """Return the LLVM triple, which is always given."""
        return str(self.tvm_target.attrs["mtriple"])

    @property
    def arch(self) -> str:
        """Return the architecture as machines name it, "generic" where none is described."""
        return described_arch(llvm.arch_of(self.triple))

    def __str__(self) -> str:
        return self._text

    @functools.cached_property
    def _text(self) -> str:
        options = read_options(self.tvm_target)
        arch = llvm.arch_of(self.triple)
        options.pop("keys", None)
        if self.dispatch:
            options["dispatch"] = tuple(self.dispatch)[::-1]
        users_keys = tuple(key for key in self.keys if key not in (ARCH_KEYS.get(arch), "cpu"))
        if users_keys:
            options["keys"] = users_keys
        implied = implied_machine(arch, str(options.get("mcpu", "")), self.features)
        if self.machine.name != implied.name:
            options["machine"] = self.machine.name
        if arch not in TVM_KNOWS_WIDTH and options.get("vector-width") == implied.vector_bits:
            del options["vector-width"]
        ordered: Options = {}
        for name in ("mtriple", "mcpu", "mattr", *sorted(options)):
            if name in options:
                ordered[name] = options[name]
        return write_options(ordered)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CompileTarget):
            return NotImplemented
        return (str(self), self.machine, self.keys) == (str(other), other.machine, other.keys)

    def __hash__(self) -> int:
        return hash((str(self), self.machine))


def resolve_target(target: str | Mapping[str, Any] | Target | CompileTarget) -> CompileTarget:
    """Return the target that a string, JSON text, dict, TVM tag or ``tvm.target.Target`` means.

    Args:
        target: A target of TVM's llvm kind, as ``"llvm -mcpu=native"``. "-mcpu=native" is this host's CPU
            with exactly the features this host has and the cache sizes it reports; without "-mcpu" it is the
            architecture's baseline; without "-mtriple", this host's. "-device" and "-keys" put keys of the
            user's before the architecture's. "-machine" names the machine description to schedule for, where
            it is not to follow from the CPU: a known machine, the path of a machine file, or "native" for
            this host's. "-vector-width" narrows the vectors kernels may use. "-dispatch" names instruction
            sets that code holds beside the CPU's (docs/deploy.md); the target "portable" is the
            architecture's baseline and those that most networks gain by. What else TVM's llvm kind has goes
            to TVM unchanged.

    Raises:
        TargetError: An unknown or unsupported kind, option, triple, CPU, feature or machine.

    Examples:
        >>> import tvm_directconv as directconv
        >>> target = directconv.resolve_target("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72")
        >>> target.machine.name, target.keys
        ('cortex-a72', ('arm_cpu', 'cpu'))
    """
    if isinstance(target, CompileTarget):
        return target
    options = read_options(target)
    asked = _strings(options.pop("dispatch", ()))
    given = dict(options)
    triple = llvm.normalized(str(options.pop("mtriple", llvm.host_triple())))
    arch = _checked_arch(triple)
    _check_host_option(options.pop("host", None), arch)

    mcpu = str(options.pop("mcpu", llvm.DEFAULT_CPUS.get(arch, "")))
    mcpu = CPU_ALIASES.get(mcpu, mcpu)
    mattr = _strings(options.pop("mattr", ()))
    machine_name = str(options.pop("machine", ""))
    if mcpu == NATIVE:
        check_native("-mcpu", arch)
        mcpu, corrections = host_cpu()
        mattr = corrections + mattr
        machine_name = machine_name or NATIVE
    elif not mcpu:
        baseline = llvm.baseline_attributes(triple)
        mattr = (*(attribute for attribute in baseline if attribute not in mattr), *mattr)
    require_compilable(triple, mcpu, mattr, options)
    if mcpu:
        _check_cpu(mcpu, triple, arch)
    for attribute in mattr:
        _check_attribute(attribute, triple, mcpu, arch)

    features = llvm.features_of(triple, mcpu, mattr)
    _check_class(arch, mcpu, mattr, features)
    machine = choose_machine(machine_name, arch, mcpu, features)

    width = int(str(options.pop("vector-width", machine.vector_bits)))
    if width > machine.vector_bits:
        raise TargetError(
            f"-vector-width={width} is wider than the {machine.vector_bits}-bit vectors of "
            f"machine '{machine.name}'"
        )
    if width < machine.vector_bits or arch not in TVM_KNOWS_WIDTH:
        options["vector-width"] = width
        machine = replace(machine, vector_bits=width)

    device = _strings(options.pop("device", ()))
    keys = _strategy_keys((*device, *_strings(options.pop("keys", ()))), arch)
    config: dict[str, Any] = {"kind": "llvm", "keys": list(keys), "mtriple": triple}
    config.update({"mcpu": mcpu} if mcpu else {})
    config.update({"mattr": list(mattr)} if mattr else {})
    for name, value in options.items():
        config[name] = list(value) if isinstance(value, tuple) else value
    resolved = CompileTarget(_build(config), machine, keys)
    return replace(resolved, dispatch=_dispatched(resolved, asked, given)) if asked else resolved


def require_host(target: CompileTarget) -> None:
    """Raise TargetError unless this host can run code compiled for ``target``: it is of the same
    architecture and operating system and has every feature the code may use; InputError where the
    environment asks for threads that TVM cannot have."""
    check_thread_variables()
    triple = llvm.host_triple()
    if llvm.arch_of(target.triple) != llvm.arch_of(triple):
        raise TargetError(
            f"this host is {llvm.arch_of(triple)} and cannot run code for '{target}'; export the "
            f"code as a library and run it there"
        )
    system, host_system = llvm.system_of(target.triple), llvm.system_of(triple)
    if system and host_system and system != host_system:
        raise TargetError(f"this host runs {host_system}, not {system} as '{target}' needs")
    checked = (llvm.host_report().keys() | CHECKED_FEATURES) - SYSTEM_FEATURES
    missing = sorted((target.features & checked) - host_features())
    if missing:
        raise TargetError(
            f"this host's CPU lacks {', '.join(missing)}, which code for '{target}' may use; "
            f"compile for 'llvm -mcpu=native' to run it here"
        )


def _dispatched(base: CompileTarget, asked: tuple[str, ...], given: Options) -> dict[str, CompileTarget]:
    """Return the targets of instruction sets beside ``base``, whose options were ``given``."""
    arch, system = llvm.arch_of(base.triple), llvm.system_of(base.triple)
    found = {}
    for name, (mcpu, attributes) in ordered_sets(asked, arch, system).items():
        mattr = (*_strings(given.get("mattr", ())), *attributes)
        options: Options = {**given, "mtriple": base.triple}
        options |= {"mcpu": mcpu} if mcpu else {}
        options |= {"mattr": mattr} if mattr else {}
        found[name] = resolve_target({"kind": CPU, **options})
        if not found[name].features - base.features - SYSTEM_FEATURES:
            raise TargetError(f"-dispatch={name}: '{base}' has all that this set has; drop it")
    return found


def _checked_arch(triple: str) -> str:
    if llvm.has_short_pointers(triple):
        raise TargetError(f"-mtriple={triple} is not supported: its pointers are too short")
    if not llvm.compiles_for(triple):
        word = triple.split("-")[0]
        hint = nearest(word, {*llvm.arch_names(), "arm64", "amd64", "ppc64le"})
        raise TargetError(f"-mtriple={triple}: LLVM compiles for no CPU '{word}'{hint}")
    return llvm.arch_of(triple)


def _check_host_option(host: object, arch: str) -> None:
    """Refuse a host of another architecture; a CPU target is its own, so that any other is redundant."""
    if host is None:
        return
    host_arch = llvm.arch_of(str(read_options(host).get("mtriple", llvm.host_triple())))
    if host_arch != arch:
        raise TargetError(f"host '{host}' is {host_arch}, the target {arch}; drop the host")


def _check_cpu(mcpu: str, triple: str, arch: str) -> None:
    if mcpu in llvm.cpu_names(triple):
        return
    others = (a for a in ARCH_KEYS if a != arch and mcpu in llvm.cpu_names(f"{a}-linux-gnu"))
    other = next(others, None)
    hint = nearest(mcpu, llvm.cpu_names(triple))
    if other:
        hint = f"; it is of {other}, add -mtriple={other}-linux-gnu"
    raise TargetError(f"-mcpu={mcpu}: LLVM knows no {arch} CPU '{mcpu}'{hint}")


def _check_attribute(attribute: str, triple: str, mcpu: str, arch: str) -> None:
    name = attribute.lstrip("+-")
    if not name or attribute not in (f"+{name}", f"-{name}"):
        example = name or "avx2"
        raise TargetError(f"-mattr={attribute}: write '+{example}' or '-{example}'")
    # Of other architectures, some CPUs that LLVM lists for a triple end the process when they are asked for.
    known = llvm.feature_names(triple) if arch in ARCH_KEYS else llvm.features_of(triple, mcpu)
    if name not in known and not llvm.knows_feature(triple, mcpu, name):
        hint = nearest(name, known)
        raise TargetError(f"-mattr={attribute}: LLVM knows no {arch} feature '{name}'{hint}")


def _check_class(arch: str, mcpu: str, mattr: tuple[str, ...], features: frozenset[str]) -> None:
    if machine_of_class(described_arch(arch), features) is None:
        given = [f"-mcpu={mcpu}"] * bool(mcpu) + [f"-mattr={','.join(mattr)}"] * bool(mattr)
        code = " ".join(given)
        raise TargetError(f"{code}: {arch} code without 64-bit mode or SIMD is not supported")


def _strategy_keys(given: Iterable[str], arch: str) -> tuple[str, ...]:
    users: list[str] = []
    for key in given:
        archs = KEYS.get(key)
        if archs and arch not in archs:
            raise TargetError(
                f"key '{key}' is for {archs[0]}, the target is {arch}; add "
                f"-mtriple={archs[0]}-linux-gnu or drop the key"
            )
        if not archs and key != "cpu" and key not in users:
            users.append(key)
    own = (ARCH_KEYS[arch],) if arch in ARCH_KEYS else ()
    return (*users, *own, "cpu")


def _build(config: dict[str, Any]) -> Target:
    try:
        target = Target(config)
        # LLVM reads its own options (cl-opt, mabi) only when it is first asked something.
        codegen.llvm_get_vector_width(target)
    except (RuntimeError, ValueError, TypeError) as error:
        let_through(error)
        raise TargetError(f"TVM refuses the target {config}: {last_line(error)}") from None
    return target


def _strings(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value))
