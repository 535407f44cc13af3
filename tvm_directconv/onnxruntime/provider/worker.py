"""Compiles the parts of a model for ONNX Runtime's execution provider, in a process of its own.

    python -m tvm_directconv.onnxruntime.provider.worker MODEL FOLDER [OPTION=VALUE ...]

The folder, an entry of a cache (``cache.py``), then has for each part its library and a text of what it
holds, and ``stays.txt``: the nodes that stay with ONNX Runtime, and why. ``part.c`` reads them. Nodes are
told by their first output's name.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import onnx
from onnx import ModelProto

from relay_strategies.compiler.arguments import check_options
from relay_strategies.compiler.compilation import keeping_lowered
from relay_strategies.compiler.compiler import compile as compile_network
from relay_strategies.compiler.fallback.compiler import opened_sizes
from relay_strategies.compiler.library.linking import shared_library_maker
from relay_strategies.compiler.sizes import ShapeSpec
from relay_strategies.frontends.declared import Shape
from relay_strategies.frontends.onnx.nodes import node_name, onnx_dims, operator_name
from relay_strategies.frontends.onnx.order import reads
from relay_strategies.frontends.onnx.partition import Part, Partition, partition
from relay_strategies.strategies.limits import Limits
from tvm_directconv.algorithms.accuracy import EXACT
from tvm_directconv.cache import Cache, limit_bytes
from tvm_directconv.errors import DirectConvError, last_line
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.problem.ties import Affine
from tvm_directconv.runtime.metadata import Size
from tvm_directconv.targets.target import resolve_target
from tvm_directconv.zoo.inputs import true_inputs

NAME = "part"
"""What the functions of each part's library begin with."""
STAYS = "stays.txt"
OPEN = "its part has open dimensions, and the option open_sizes is 0"
APART = "its part is compiled for each size by itself, which a library cannot be; fix its sizes in the model"
VALUES = "the size of what it makes follows from values, which compiled libraries cannot take"


class Library(NamedTuple):
    """A part's library, and the size that it is compiled for, which may stand for many."""

    path: Path
    size: Size

    def size_lines(self) -> list[str]:
        """Return where each open size is found, an input and a dimension of it, and the conditions."""
        places: dict[int | str, tuple[int, int]] = {}
        for number, info in enumerate(self.size.inputs):
            for axis, dim in enumerate(info.shape):
                places.setdefault(dim, (number, axis))
        found = [places[name] for name in self.size.typical]
        lines = [f"size\t{number}\t{axis}" for number, axis in found]
        return [*lines, *(f"condition\t{text}" for text in self.size.conditions)]


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
    if options.get("open_sizes", "1") not in ("0", "1"):
        raise DirectConvError(f"ep.directconv.open_sizes must be 0 or 1, not '{options['open_sizes']}'")
    dims = [dim for value in true_inputs(model.graph) for dim in onnx_dims(value) or ()]
    takes = options.get("open_sizes") != "0" or all(isinstance(dim, int) for dim in dims)
    with tempfile.TemporaryDirectory() as aside:
        stays = _stays(model, takes, Path(aside), options)
        lines = ("\t".join((key, *said)).replace("\n", " ") for key, said in stays.items())
        (Path(aside) / STAYS).write_text("".join(f"{line}\n" for line in lines))
        _keep(Path(aside), folder, f"{len(model.graph.node)} nodes of ONNX Runtime")


def _keep(aside: Path, folder: Path, label: str) -> None:
    """Put the files of a folder into the cache, under the name that ``folder`` ends with. They are kept even
    if they alone are more than the cache's limit: the session that waits for them loads them from there."""

    def copy(place: Path) -> None:
        shutil.copytree(aside, place, dirs_exist_ok=True)

    size = sum(path.stat().st_size for path in aside.iterdir())
    cache = Cache(folder.parent, max(limit_bytes(), size))
    if cache.put(folder.name, copy, label) is None:
        raise DirectConvError(f"the compiled parts cannot be kept in '{folder.parent}'")


def _stays(
    model: ModelProto, takes: bool, folder: Path, options: dict[str, str]
) -> dict[str, tuple[str, str]]:
    """Compile the parts into ``folder`` if the model is taken; return the nodes that stay, and why."""
    if not takes:
        return {_key(node): (_label(node), OPEN) for node in model.graph.node}
    found = partition(model, lambda ties: _opened(model, ties))
    found, libraries = _compiled(found, folder, options)
    taken = _write_texts(found, libraries)
    return {
        _key(node): (_label(node), found.reasons.get(i, "it follows from constants alone"))
        for i, node in enumerate(found.model.graph.node)
        if _key(node) not in taken
    }


def _opened(model: ModelProto, ties: Mapping[str, Affine]) -> tuple[OpenSizes, Mapping[str, Shape]]:
    """Return the open sizes of a model, none of which follow from others by floats: libraries in C lack
    these."""
    sizes, shapes = opened_sizes(model, ShapeSpec(), ties)
    sizes.computes = False
    return sizes, shapes


def _compiled(
    found: Partition, folder: Path, options: dict[str, str]
) -> tuple[Partition, dict[Part, Library]]:
    """Compile each part to a library in ``folder``; return the partition in which the nodes of those that do
    not compile stay, and the libraries."""
    target = resolve_target(options.get("target", "llvm -mcpu=native"))
    link = shared_library_maker(target, None)
    graph = found.model.graph
    changing = [i for i, node in enumerate(graph.node) if any(map(found.follows_from_values, node.output))]
    found = found.staying(changing, VALUES)
    declared = {value.name: value for value in true_inputs(graph)}
    libraries: dict[Part, Library] = {}
    while missing := [part for part in found.parts if part.compiles and part not in libraries]:
        part, path = missing[0], folder / f"{len(libraries)}.so"
        try:
            proto = found.proto(part)
            for value in proto.graph.input:  # conditions are told by the model's own names
                value.CopyFrom(declared.get(value.name, value))
            dims = [dim for value in proto.graph.input for dim in onnx_dims(value) or ()]
            typical = {str(dim): found.typical[str(dim)] for dim in dims if dim in found.typical}
            with keeping_lowered(), tempfile.TemporaryDirectory() as objects:
                compiled = compile_network(
                    proto,
                    target,
                    precision=options.get("precision", "float32"),
                    accuracy=options.get("accuracy", EXACT),
                    typical=typical or None,
                    cache=False,
                )
                (size,) = compiled.sizes
                if not size.is_open and any(isinstance(dim, str) for dim in dims):
                    raise DirectConvError(APART)
                exported = compiled.export_c(objects, name=NAME)
                link(str(path), [str(exported.object)], options=["-lm"])
        except DirectConvError as error:
            found = found.staying(part.nodes, last_line(error))
            continue
        libraries[part] = Library(path, size)
    return found, libraries


def _write_texts(found: Partition, libraries: dict[Part, Library]) -> set[str]:
    """Write each part's text beside its library; return the nodes taken."""
    taken = set[str]()
    for part in (part for part in found.parts if part.compiles):
        own = _fused(found, part) - taken
        taken |= own
        lines = [f"node\t{name}" for name in sorted(own)]
        for kind, names in (("input", part.inputs), ("output", part.outputs)):
            for name in names:
                shape, _ = found.described(name) or ((), "")
                numbers = (str(dim) if isinstance(dim, int) else "-1" for dim in shape)
                lines.append(f"{kind}\t{name}\t{' '.join(numbers)}")
        lines += libraries[part].size_lines()
        libraries[part].path.with_suffix(".txt").write_text("".join(f"{line}\n" for line in lines))
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


def _key(node: onnx.NodeProto) -> str:
    return next(filter(None, node.output), "")


def _label(node: onnx.NodeProto) -> str:
    return f"{node_name(node)} ({operator_name(node)})"


if __name__ == "__main__":
    main()
