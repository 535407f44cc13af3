"""The steps by name, by which texts and kernels' names are read, and neighbours that are one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, fields

from . import exponential, per_channel, piecewise
from .piecewise import Clip
from .step import Step, float_from_bits

STEPS: dict[str, type[Step]] = {
    kind.name: kind
    for module in (piecewise, exponential, per_channel)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Step) and kind.__module__ == module.__name__
    if "name" in vars(kind)
}
"""Every step by its name: the classes of these files that have one."""

ALIASES: dict[str, Step] = {"relu": Clip(low=0.0)}
"""These texts stand for a step with its constants."""


def joined(steps: Iterable[Step]) -> tuple[Step, ...]:
    """``steps`` with neighbours made one where they can be, and clips without bounds left out."""
    result: list[Step] = []
    for step in steps:
        if step == Clip():
            continue
        both = step.after(result[-1]) if result else None
        result[-1:] = [both] if both is not None else [*result[-1:], step]
    return tuple(result)


def parse_step(text: str) -> Step:
    """The step that ``str`` wrote as ``text``. Raises ValueError."""
    if text in ALIASES:
        return ALIASES[text]
    match = re.fullmatch(r"([a-z]+)(?:\(([^()]*)\))?", text)
    kind = STEPS.get(match[1]) if match else None
    if match is None or kind is None:
        known = ", ".join([*ALIASES, *(f"{name}({_signature(step)})" for name, step in STEPS.items())])
        raise ValueError(f"unknown part '{text}'; use bias, {known.replace('()', '')}")
    if match[2] is None and kind is not Clip and all(f.default is not MISSING for f in fields(kind)):
        return kind()
    try:
        numbers = [float(number) for number in (match[2] or "").split(",") if number]
    except ValueError:
        numbers = []
    if len(numbers) != len(fields(kind)):
        raise ValueError(f"'{text}' is not {kind.name}({_signature(kind)}) with {len(fields(kind))} numbers")
    return kind(*numbers)


def parse_codes(text: str) -> tuple[Step, ...]:
    """The steps whose codes are joined by "_" in a kernel's name, as ``CODES`` matches them. Raises
    ValueError."""
    return tuple(_parse_code(code) for code in text.split("_") if code)


def _parse_code(code: str) -> Step:
    for name, kind in STEPS.items():
        bits = rf"[0-9a-f]{{8}}(?:\.[0-9a-f]{{8}}){{{len(fields(kind)) - 1}}}" if fields(kind) else ""
        match = re.fullmatch(f"{name}({bits})", code)
        if match:
            return kind(*(float_from_bits(part) for part in match[1].split(".") if part))
    raise ValueError(f"'{code}' is not an epilogue step")


CODES = r"(?:_[a-z]{2,}(?:[0-9a-f]{8}(?:\.[0-9a-f]{8})*)?)*"
"""This pattern matches the codes of any steps, each with a "_" before it."""


def _signature(kind: type[Step]) -> str:
    return ",".join(f.name for f in fields(kind))
