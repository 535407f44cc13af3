"""The snippets of the documentation's pages: found, told apart, and run in one process per page.

Run as a script it runs a page's snippets, given as JSON, in the current folder.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import textwrap
from dataclasses import dataclass
from importlib import import_module, util
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROGRAM = "tvm-directconv"
KINDS = {"python": "python", "sh": "shell"}
"""What fences call the languages that are run."""
TRIALS = 2
"""A snippet that tunes has so many trials."""
ONLY_PARSED = {
    "demo": "compiles a ResNet-50 by TVM's default pipeline, too",
    "bench": "takes minutes or hours",
    "starting": "starts processes of other libraries, too; test_starting does",
    "accuracy": "computes networks a hundred times; test_precision does twice",
    "kernels": "simulates or times some hundred kernels; test_analysis and test_kernel_timing do",
    "--tracker": "needs a tracker and a board; test_tuning_rpc starts them",
}
"""Commands with these words are parsed, with all their options, and not run, for these reasons."""
HOMES = {
    "docs/how_to/algorithm.md": (
        "tvm_directconv.algorithms.direct_nhwc",
        "tvm_directconv.algorithms.base",
        "tvm_directconv.algorithms.strips.plan",
    ),
    "docs/how_to/epilogue_step.md": ("intrinsics.epilogue.piecewise",),
    "docs/how_to/instruction_set.md": ("intrinsics.x86.avx2_bytes", "intrinsics.x86.avx2"),
    "docs/how_to/onnx_operator.md": ("relay_strategies.functional.accumulation",),
    "docs/how_to/pass.md": (
        "relay_strategies.passes.rewrite.fold_scales",
        "relay_strategies.relax.graph",
        "tvm",
    ),
}
"""Snippets of these pages are written into such files of the project, and have their names."""


NEEDED = ("torch", "torchvision", "timm")
"""Snippets with these words are run where such a package is; without it they are parsed."""


@dataclass(frozen=True)
class Snippet:
    """A block of code in a page: ``kind`` is "python", "shell" or "text"."""

    page: str
    line: int
    kind: str
    text: str

    @property
    def commands(self) -> list[list[str]]:
        """The commands of a shell snippet, each as words."""
        joined = self.text.replace("\\\n", " ")
        lines = (shlex.split(line, comments=True) for line in joined.splitlines())
        parts = [part for words in lines for part in _split(words, "&&")]
        return [[Path(words[0]).name, *words[1:]] for words in parts if words]

    @property
    def can_run(self) -> bool:
        """Whether what the snippet needs is installed."""
        words = set(re.findall(r"\w+", self.text))
        return not any(name in words and util.find_spec(name) is None for name in NEEDED)


def snippets_of(page: Path) -> list[Snippet]:
    """Return a page's blocks of code in order, those in list items included."""
    lines = page.read_text().splitlines()
    name = str(page.relative_to(ROOT))
    fences = [number for number, line in enumerate(lines) if line.lstrip().startswith("```")]
    return [
        Snippet(
            name,
            first + 2,
            KINDS.get(lines[first].strip("` "), "text"),
            textwrap.dedent("\n".join(lines[first + 1 : last])),
        )
        for first, last in zip(fences[::2], fences[1::2], strict=True)
    ]


def _split(words: list[str], separator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == separator:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def inline_commands(page: Path) -> list[list[str]]:
    """Return the commands of this program in a page's prose; `a | b` are two of them."""
    spans = re.findall(rf"`{PROGRAM} ([^`]+)`", re.sub(r"\n(?! {4})", " ", page.read_text()))
    return [shlex.split(part) for span in spans for part in span.split("|")]


def parse_command(arguments: list[str]) -> None:
    """Parse a command of the program with all its options; click's errors are raised."""
    import click

    from tvm_directconv.cli.group import commands

    context = commands.make_context(PROGRAM, list(arguments))
    name, command, rest = commands.resolve_command(context, list(arguments))
    assert command is not None, f"no command {name}"
    placeholders = any(word.isupper() for word in rest)
    try:
        command.make_context(name, rest, parent=context)
    except click.MissingParameter:
        # Prose names a command without its arguments.
        if not placeholders and rest:
            raise


def project_table() -> dict[str, Any]:
    """Return the table "project" of pyproject.toml; before Python 3.11 pytest brings what reads it."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    return toml.loads((ROOT / "pyproject.toml").read_text())["project"]


def register_entry_points(folder: Path) -> None:
    """Write what an installed package says of the project's backends, where Python finds packages."""
    group = "torch_dynamo_backends"
    lines = [f"{name} = {value}" for name, value in project_table()["entry-points"][group].items()]
    installed = folder / "stand_in-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: stand-in\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))


def check_other(words: list[str]) -> None:
    """Check what a command of another program names: extras, targets of make, modules."""
    program, *rest = words
    if program == "pip":
        extras = project_table()["optional-dependencies"]
        named = re.findall(r"\[([\w,]+)\]", " ".join(rest))
        assert all(extra in extras for group in named for extra in group.split(",")), words
    elif program == "make":
        made = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert set(rest) <= set(made), words
    elif rest[:1] == ["-m"]:
        assert util.find_spec(rest[1]), words
    elif program == "python":
        assert (ROOT / rest[0]).is_file(), words
    else:
        assert program == "pytest", words


def run_page(snippets: list[Snippet]) -> None:
    """Run a page's Python and its commands in order; names of Python are kept from one to the next."""
    import tvm_directconv
    from tvm_directconv.cli.group import commands

    names: dict[str, object] = {
        "__name__": "snippet",
        "directconv": tvm_directconv,
        "tvm_directconv": tvm_directconv,
    }
    for home in HOMES.get(snippets[0].page, ()):
        names |= {name: value for name, value in vars(import_module(home)).items() if name not in names}
    tune = tvm_directconv.tune
    few = mock.patch.object(
        tvm_directconv, "tune", lambda *a, **named: tune(*a, **{**named, "trials": TRIALS})
    )
    with few:
        for snippet in snippets:
            print(f"{snippet.page}, line {snippet.line}", flush=True)
            if not snippet.can_run:
                continue
            if snippet.kind == "python":
                code = compile(snippet.text, f"{snippet.page}:{snippet.line}", "exec", dont_inherit=True)
                exec(code, names)
                continue
            for program, *arguments in snippet.commands:
                if program != PROGRAM:
                    check_other([program, *arguments])
                elif set(arguments) & ONLY_PARSED.keys():
                    parse_command(arguments)
                else:
                    cheap = ["--trials", str(TRIALS)] if arguments[0] == "tune" else []
                    commands([*arguments, *cheap], standalone_mode=False)


if __name__ == "__main__":
    run_page([Snippet(**fields) for fields in json.loads(sys.argv[1])])
