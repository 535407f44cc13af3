"""Compiles the parts of a model for ONNX Runtime's execution provider, in a process of its own.

    python -m tvm_directconv.onnxruntime.provider.worker MODEL FOLDER [OPTION=VALUE ...]

The folder, which appears as a whole, then has for each part its library and a text of what it holds, and
``stays.txt``: the nodes that stay with ONNX Runtime, and why. ``part.c`` reads them. Nodes are told by their
first output's name.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import onnx
from onnx import ModelProto

from relay_strategies.compiler.arguments import check_options
from relay_strategies.compiler.compiler import compile as compile_network
from relay_strategies.compiler.library.linking import shared_library_maker
from relay_strategies.frontends.onnx.nodes import node_name, onnx_dims, operator_name
from relay_strategies.frontends.onnx.order import reads
from relay_strategies.frontends.onnx.partition import Part, Partition, partition
from relay_strategies.strategies.limits import Limits
from tvm_directconv.algorithms.accuracy import EXACT
from tvm_directconv.errors import DirectConvError, last_line
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.targets.target import resolve_target
from tvm_directconv.zoo.inputs import true_inputs

NAME = "part"
"""What the functions of each part's library begin with."""
OPEN = "its part has open dimensions, for which no library is compiled; fix them in the model"


VALUES = "the size of what it makes follows from values, and compiled libraries have fixed sizes"


def main() -> None:
    """Compile what the command line names; DirectConvError ends the process with its words."""
    model, folder, *given = sys.argv[1:]
    options = dict(each.split("=", 1) for each in given)
    try:
        compile_parts(onnx.load(model), Path(folder), options)
    except DirectConvError as error:
        sys.exit(str(error))


def compile_parts(model: ModelProto, folder: Path, options: dict[str, str]) -> None:
    """Write the parts of ``model`` that compile to ``folder``. Raises DirectConvError for wrong options."""
    limits = Limits(accuracy=options.get("accuracy", EXACT))
    check_options("auto", options.get("precision", "float32"), "NHWC", limits, None)
    shapes = {value.name: onnx_dims(value) or () for value in true_inputs(model.graph)}
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".part.") as aside:
        partial = Path(aside) / "entry"
        partial.mkdir(mode=0o700)
        sizes = {n: tuple(dim for dim in shape if isinstance(dim, int)) for n, shape in shapes.items()}
        if sizes != shapes:
            stays = {_key(node): (_label(node), OPEN) for node in model.graph.node}
        else:
            found = partition(model, lambda _: (OpenSizes(), sizes))
            found, libraries = _compiled(found, partial, options)
            taken = _write_texts(found, libraries)
            stays = {
                _key(node): (_label(node), found.reasons.get(i, "it follows from constants alone"))
                for i, node in enumerate(found.model.graph.node)
                if _key(node) not in taken
            }
        lines = ("\t".join((key, *said)).replace("\n", " ") for key, said in stays.items())
        (partial / "stays.txt").write_text("".join(f"{line}\n" for line in lines))
        if not folder.exists():
            os.rename(partial, folder)


def _compiled(found: Partition, folder: Path, options: dict[str, str]) -> tuple[Partition, dict[Part, Path]]:
    """Compile each part to a library in ``folder``; return the partition in which the nodes of those that do
    not compile stay, and the libraries."""
    target = resolve_target(options.get("target", "llvm -mcpu=native"))
    link = shared_library_maker(target, None)
    graph = found.model.graph
    changing = [i for i, node in enumerate(graph.node) if any(_is_open(found, name) for name in node.output)]
    found = found.staying(changing, VALUES)
    libraries: dict[Part, Path] = {}
    while missing := [part for part in found.parts if part.compiles and part not in libraries]:
        part, path = missing[0], folder / f"{len(libraries)}.so"
        try:
            compiled = compile_network(
                found.proto(part),
                target,
                precision=options.get("precision", "float32"),
                accuracy=options.get("accuracy", EXACT),
                cache=False,
            )
            with tempfile.TemporaryDirectory() as objects:
                exported = compiled.export_c(objects, name=NAME)
                link(str(path), [str(exported.object)], options=["-lm"])
        except DirectConvError as error:
            found = found.staying(part.nodes, last_line(error))
            continue
        libraries[part] = path
    return found, libraries


def _write_texts(found: Partition, libraries: dict[Part, Path]) -> set[str]:
    """Write each part's text beside its library; return the nodes taken."""
    taken = set[str]()
    for part in (part for part in found.parts if part.compiles):
        own = _fused(found, part) - taken
        taken |= own
        lines = [f"node\t{name}" for name in sorted(own)]
        for kind, names in (("input", part.inputs), ("output", part.outputs)):
            for name in names:
                shape, _ = found.described(name) or ((), "")
                lines.append(f"{kind}\t{name}\t{' '.join(map(str, shape))}")
        libraries[part].with_suffix(".txt").write_text("".join(f"{line}\n" for line in lines))
    return taken


def _fused(found: Partition, part: Part) -> set[str]:
    """Return the nodes that a part replaces: its own, and the constants' that nobody else reads."""
    graph = found.model.graph
    own = {_key(graph.node[i]) for i in part.nodes}
    copies = {_key(node) for node in found.proto(part).graph.node} - own
    readers: dict[str, set[str]] = {value.name: {""} for value in graph.output}
    for node in graph.node:
        for name in reads(node):
            readers.setdefault(name, set()).add(_key(node))
    for node in reversed(graph.node):
        if _key(node) in copies and all(readers.get(name, set()) <= own for name in node.output):
            own.add(_key(node))
    return own


def _is_open(found: Partition, name: str) -> bool:
    """Return whether a value is a tensor of which not all dimensions are numbers."""
    known = found.described(name) if name else None
    return known is not None and not all(isinstance(dim, int) for dim in known[0])


def _key(node: onnx.NodeProto) -> str:
    return next(filter(None, node.output), "")


def _label(node: onnx.NodeProto) -> str:
    return f"{node_name(node)} ({operator_name(node)})"


if __name__ == "__main__":
    main()
