"""What a model says of itself to people, in a few words."""

from __future__ import annotations

import re
from collections.abc import Mapping


def facts_text(heading: str, facts: Mapping[str, str]) -> str:
    """Return a heading and, set in, a line for each fact that is not empty."""
    width = max(map(len, facts))
    lines = [f"  {name:{width}}  {text}" for name, text in facts.items() if text]
    return "\n".join([heading, *lines])


def target_label(target: str) -> str:
    """Return a target string in a few words: the CPU, or the architecture with its features, and whether it
    is this host; of a GPU its class and model."""
    options = dict(re.findall(r"-(\w[\w-]*)=(\S+)", target))
    kind = target.split()[0]
    words = [options.get("mcpu") or options.get("mtriple", kind).split("-")[0]]
    if kind in ("opencl", "cuda"):
        words += [options[name] for name in ("device", "model") if name in options]
    if "mcpu" not in options and "mattr" in options:
        words.append(options["mattr"].replace(",", " "))
    machine = options.get("machine")
    if machine is not None:
        words.append("(this host)" if machine == "native" else f"as {machine}")
    return " ".join(words)
