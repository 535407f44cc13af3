"""The forms a target may be written in, all read into one plain dict of options.

Below target.py, which asks LLVM what the options mean, and gpu.py, which shares the forms alone; here they
are names and, of CPUs, typed values only.
TVM reads dicts and JSON but dropped the strings its users know ("llvm -mcpu=znver5"), so that their
grammar lives on here: a kind, then ``-name=value``, ``-name value`` or a bare ``-flag``, with one
or two dashes. "portable" for a kind is "llvm -dispatch=portable". Source of the names and types: TVM's own
table of its llvm kind.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import tvm
from tvm.target import Target, TargetKind
from tvm.target.tag_registry.registry import list_tags

from tvm_directconv.errors import TargetError, last_line, let_through, nearest

from .instruction_sets import PORTABLE

OptionValue: TypeAlias = str | int | bool | tuple[str, ...]
Options: TypeAlias = dict[str, OptionValue]

CPU = "llvm"
"""The kind of CPUs' targets."""
LISTS = ("mattr", "keys", "cl-opt", "dispatch")
OURS: dict[str, type] = {"machine": str, "dispatch": tuple}
"""Options that TVM's llvm kind does not have."""
CHOICES: dict[str, tuple[OptionValue, ...]] = {
    "mfloat-abi": ("hard", "soft"),
    "jit": ("orcjit", "mcjit"),
    "opt-level": (0, 1, 2, 3),
    "vector-width": (64, 128, 256, 512, 1024, 2048),
}
REMOVED = "TVM removed it with its C runtime and Relay executors; drop it"
REFUSED = {
    "libs": "no kernel here calls an external library; drop it",
    "from_device": "write -mcpu=native to compile for this machine",
    "target_device_type": "a CPU target does not have another device type; drop it",
    "mtune": "LLVM tunes for -mcpu; use that",
    "march": "write -mcpu=<cpu>, or -mtriple=<triple> for another architecture",
    **dict.fromkeys(
        (
            "system-lib",
            "runtime",
            "executor",
            "link-params",
            "interface-api",
            "unpacked-api",
            "workspace-byte-alignment",
            "constants-byte-alignment",
        ),
        REMOVED,
    ),
}


def as_mapping(target: object) -> Mapping[str, Any]:
    """Return a target string, JSON text, dict, TVM tag or ``tvm.target.Target``, of any kind, as a dict like
    TVM's: "tag" alone for a tag, and None for an option that is named without a value.

    Raises TargetError for what has none of these forms.
    """
    if isinstance(target, Target):
        return dict(target.export())
    if isinstance(target, Mapping):
        return target
    if not isinstance(target, str):
        raise TargetError(
            f"a target is a string, a dict or a tvm.target.Target, not {target!r} "
            f"of type {type(target).__name__}"
        )
    text = target.strip()
    if text.startswith("{"):
        try:
            return dict(json.loads(text))
        except json.JSONDecodeError as error:
            raise TargetError(f"target '{text}' is not valid JSON: {error}") from None
    if text and "/" in text.split()[0]:
        return {"tag": text}
    return _read_words(text)


def read_options(target: object) -> Options:
    """Return the options of a CPU's target in any form.

    The result does not contain "kind" (it is always llvm) or empty values; "host" is text for the caller
    to read with this same function. Raises TargetError naming what is not understood.
    """
    given = as_mapping(target)
    if given.get("tag"):
        given = _expand_tag(given)
    _check_kind(str(given.get("kind", "")))
    options: Options = {}
    for key, value in given.items():
        name = str(key)
        # TVM derives "feature.*" from triple and CPU, and shows them among the options.
        if name in ("kind", "tag") or name.startswith("feature."):
            continue
        if value is None:
            value = "true" if _type_of(name) is bool else ""
        typed = _typed(name, value)
        if typed != ():
            options[name] = typed
        elif isinstance(value, str):
            raise TargetError(f"target option '-{name}' needs a value")
    return options


def write_options(options: Mapping[str, OptionValue], kind: str = CPU) -> str:
    """Return the target string that reads back as ``options``."""
    words = [kind]
    for name, value in options.items():
        if isinstance(value, tuple):
            value = ",".join(value)
        words.append(shlex.quote(f"-{name}={int(value) if isinstance(value, bool) else value}"))
    return " ".join(words)


def option_names() -> tuple[str, ...]:
    """Return every option a target may have, TVM's and our own, without those refused."""
    names = {*TargetKind.options_from_name("llvm"), *OURS} - {*REFUSED, "kind", "tag"}
    return tuple(sorted(names))


def _read_words(text: str) -> dict[str, str | None]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise TargetError(f"target '{text}': {error}") from None
    if not words or words[0].startswith("-"):
        raise TargetError(f"target '{text}' names no kind; write 'llvm -mcpu=native', for example")
    kind, *rest = words
    options: dict[str, str | None] = {}
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            like = "-mcpu=znver5" if kind == CPU else "-device=mali"
            raise TargetError(f"target '{text}': '{word}' is not an option; options look like {like}")
        name, equals, value = word.lstrip("-").partition("=")
        if name in options:
            raise TargetError(f"target '{text}' gives -{name} twice")
        followed = bool(rest) and not rest[0].startswith("-")
        options[name] = value if equals else rest.pop(0) if followed else None
    if kind == PORTABLE:
        return {"dispatch": PORTABLE, **options, "kind": CPU}
    return {**options, "kind": kind}


def _expand_tag(target: Mapping[str, Any]) -> dict[str, Any]:
    tags = [str(tag) for tag in (list_tags() or {})]
    tag = str(target["tag"])
    if tag not in tags:
        of_cpus = [name for name, tagged in list_tags().items() if str(tagged.kind) == "llvm"]
        raise TargetError(f"unknown target tag '{tag}'{nearest(tag, of_cpus)}")
    try:
        return dict(Target(dict(target)).export())
    except (ValueError, TypeError, tvm.error.InternalError) as error:
        let_through(error)
        raise TargetError(f"target tag '{tag}': {last_line(error)}") from None


def _check_kind(kind: str) -> None:
    if kind == CPU:
        return
    if kind in Target.list_kinds():
        raise TargetError(
            f"target kind '{kind}' is not supported here, a CPU's is wanted; write 'llvm -mcpu=native', "
            f"for example"
        )
    missing = f"unknown target kind '{kind}'{nearest(kind, ['llvm'])}" if kind else "no target kind"
    raise TargetError(f"{missing}; write 'llvm' and its options, for example 'llvm -mcpu=native'")


def _type_of(name: str) -> type:
    if name in REFUSED:
        raise TargetError(f"target option '-{name}' is not supported: {REFUSED[name]}")
    if name in OURS:
        return OURS[name]
    declared = str(TargetKind.options_from_name("llvm").get(name, ""))
    if not declared or name in ("kind", "tag"):
        raise TargetError(
            f"unknown target option '-{name}'{nearest(name, option_names())}; "
            f"known options: {', '.join(option_names())}"
        )
    return tuple if name in LISTS else {"int": int, "bool": bool}.get(declared, str)


def _typed(name: str, value: Any) -> OptionValue:
    kind = _type_of(name)
    if kind is tuple:
        parts = value.split(",") if isinstance(value, str) else _iterable(name, value)
        return tuple(part for part in (str(part).strip() for part in parts) if part)
    if name == "host":
        return value if isinstance(value, str) else json.dumps(_plain(value))
    if kind is str:
        if not isinstance(value, str) or not value:
            raise TargetError(f"target option '-{name}' needs a value, got {value!r}")
        typed: OptionValue = str(value)
    elif kind is bool:
        words = {"1": True, "true": True, "0": False, "false": False}
        if str(value).lower() not in words:
            raise TargetError(f"target option '-{name}' is 1 or 0, got {value!r}")
        typed = words[str(value).lower()]
    else:
        try:
            typed = int(value)
        except (TypeError, ValueError):
            raise TargetError(f"target option '-{name}' needs a whole number, got {value!r}") from None
        if name not in CHOICES and typed < 1:
            raise TargetError(f"target option '-{name}' must be positive, got {typed}")
    if name in CHOICES and typed not in CHOICES[name]:
        choices = [str(choice) for choice in CHOICES[name]]
        hint = nearest(str(typed), choices) if kind is str else ""
        raise TargetError(f"target option '-{name}' is one of {', '.join(choices)}, not {typed}{hint}")
    return typed


def _iterable(name: str, value: Any) -> Iterable[Any]:
    if not isinstance(value, Iterable):
        raise TargetError(f"target option '-{name}' needs a list of strings, got {value!r}")
    return value


def _plain(value: Any) -> Any:
    """Return a TVM target, map or array as JSON can write it."""
    if isinstance(value, Target):
        value = value.export()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    return [_plain(item) for item in _iterable("host", value)]
