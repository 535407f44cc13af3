"""What an exported network asks the CPU before anything else: whether it has what the kernels use."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from string import Template

from tvm_directconv.targets.x86_features import EXTENDED, OS_SAVES, questions

BASELINES = {"x86_64": "x86-64", "i386": "pentium4"}
"""CPUs that the check itself is compiled for, by the architectures that it knows to ask."""
NOT_ASKED = "define ptr @{}_missing(i32 signext %number) {{\n  ret ptr null\n}}\n"


def baseline_of(arch: str) -> str:
    """Return the attributes of functions that run on every CPU of an architecture; none where no CPU is
    asked."""
    cpu = BASELINES.get(arch)
    return f'"target-cpu"="{cpu}" "target-features"=""' if cpu else ""


def cpu_check(name: str, features: Iterable[str], arch: str) -> str:
    """Return LLVM IR of ``name_missing``, which names the ``features``, by LLVM's names, that a CPU lacks."""
    asked = questions(features) if arch in BASELINES else []
    if not asked:
        return NOT_ASKED.format(name)
    texts, rows = [], []
    for number, each in enumerate(asked):
        text = f"@{name}.feature{number}"
        texts.append(f'{text} = internal constant [{len(each.feature) + 1} x i8] c"{each.feature}\\00"')
        numbers = ", ".join(f"i32 {value}" for value in each[1:])
        rows.append(f"%{name}.question {{ {numbers}, ptr {text} }}")
    values = {"name": name, "count": len(asked), "texts": "\n".join(texts), "questions": ", ".join(rows)}
    values |= {"baseline": baseline_of(arch), "extended": EXTENDED, "os_saves": 1 << OS_SAVES}
    return Template(files(__package__).joinpath("cpu_check.ll").read_text()).substitute(values)
