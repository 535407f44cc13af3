"""A network's object, header and weights in a folder: all of them, or none.

``launches.py`` reads the network, ``plain_kernels.py`` and ``launcher.py`` make code of it; here it gets
names.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Protocol

import tvm
from tvm import relax, tirx

from relay_strategies.relax.copying import copying_kernel
from relay_strategies.relax.outputs import result_types
from tvm_directconv.errors import DirectConvError, ModelError, let_through
from tvm_directconv.log import LOG
from tvm_directconv.memory import ALIGNMENT
from tvm_directconv.problem.element_types import tensor_bytes
from tvm_directconv.problem.open_sizes import active_sizes, sizes_of
from tvm_directconv.targets import llvm
from tvm_directconv.targets.target import CompileTarget
from tvm_directconv.version import __version__

from .launcher import (
    HEADER_BYTES,
    WRONG_SIZES,
    Opened,
    SetCode,
    code_of,
    label_of,
    without_repetitions,
    write_object,
)
from .launches import Weights, launches_of
from .plain_kernels import plain_kernels
from .table import Sizes, in_c

INSIDE, BESIDE = "inside", "beside"
MOST_INSIDE = 2**31 - 2**26
"""Code reaches this far at most, so that more weights do not fit inside."""
TYPES = {
    "float32": "float",
    "float64": "double",
    "bool": "uint8_t",
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
}
"""C's types of elements that have another name there; halves are their bits."""
C_WORDS = (
    "auto", "break", "case", "char", "const", "default", "do", "double", "else", "enum", "extern", "float",
    "goto", "inline", "int", "long", "main", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile",
)  # fmt: skip


class Described(Protocol):
    """An input or output: TensorInfo, which the compiler has."""

    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> tuple[int | str, ...]: ...
    @property
    def dtype(self) -> str: ...


@dataclass(frozen=True)
class ExportedC:
    """What was written, and its sizes in bytes."""

    header: Path
    object: Path
    weights: Path | None
    """The file of weights; None if they are in the object."""
    weights_bytes: int
    workspace_bytes: int
    """Bytes of one thread's workspace, of open sizes the typical ones."""


def check(name: object, weights: object) -> None:
    """Raise DirectConvError for a name that cannot begin those of C, and for another place of the weights."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise DirectConvError(
            f"the network's name in C must be letters, digits and underscores, not {name!r}"
        )
    if name in C_WORDS:
        raise DirectConvError(f"the network cannot be called '{name}', which is a word of C")
    if weights not in (INSIDE, BESIDE):
        raise DirectConvError(f"weights must be '{INSIDE}' or '{BESIDE}', not {weights!r}")


def set_code(
    module: tvm.IRModule, network: str, name: str, target: CompileTarget, weights: Weights
) -> SetCode:
    """Return the code of a network for the instruction set called ``name``: of a module that is ready for
    TVM's virtual machine, or of open sizes, which are active, as ``call_passes`` leave it. Its constants are
    put among the ``weights``.

    Raises ModelError for what C code cannot do.
    """
    module = _with_names(module)
    launches = launches_of(module, weights)
    called = {call.kernel for call in launches.calls}
    kernels: dict[str, tirx.PrimFunc] = {
        var.name_hint: body for var, body in module.functions_items() if var.name_hint in called
    }
    kernels |= {copy: copying_kernel(size) for copy, size in launches.copies.items()}
    plain, sizes, opened = plain_kernels(kernels, target), active_sizes(), None
    if sizes is not None:
        shapes = [sizes_of(ty.shape.values) or () for ty in result_types(module["main"])]
        opened = Opened(sizes, Sizes.of(sizes), shapes)
    return code_of(network, name, launches, plain, target, opened)


def export_c(
    codes: Sequence[SetCode],
    inputs: Sequence[Described],
    outputs: Sequence[Described],
    target: CompileTarget,
    folder: Path,
    name: str,
    weights: str,
) -> ExportedC:
    """Write the code of a network for the instruction sets of a target, the best first, with its weights
    INSIDE the object or BESIDE it.

    Raises DirectConvError for what cannot be written.
    """
    size = codes[0].launches.weights.size
    if weights == INSIDE and size > MOST_INSIDE:
        raise DirectConvError(
            f"{size} bytes of weights do not fit in an object; write them beside it (weights='{BESIDE}')"
        )
    return _write(folder, name, without_repetitions(codes), (inputs, outputs), target, weights == INSIDE)


def _with_names(module: tvm.IRModule) -> tvm.IRModule:
    """A module whose kernels have names that symbols may have: those of open sizes are called by these."""
    module, taken = module.clone(), {var.name_hint for var in module.get_global_vars()}
    for var, body in module.functions_items():
        name = re.sub(r"\W+", "_", var.name_hint)
        if isinstance(body, tirx.PrimFunc) and name != var.name_hint:
            while name in taken:
                name += "_"
            taken.add(name)
            module.update_func(var, body.with_attr("global_symbol", name))
    return relax.transform.NormalizeGlobalVar()(module)


def _write(
    folder: Path,
    name: str,
    codes: Sequence[SetCode],
    tensors: tuple[Sequence[Described], Sequence[Described]],
    target: CompileTarget,
    inside: bool,
) -> ExportedC:
    weights = codes[0].launches.weights
    suffix = ".obj" if llvm.system_of(target.triple) == "windows" else ".o"
    names = [f"{name}{suffix}", f"{name}.h", *([] if inside else [f"{name}.weights"])]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".export.") as aside:
            partial = Path(aside)
            data = partial / f"{name}.weights"
            content = weights.content()
            label = label_of(content)
            data.write_bytes((b"" if inside else label) + content)
            del content
            write_object(partial / names[0], name, codes, data if inside else None, label)
            header = _header(name, names[0], codes, tensors, target, inside)
            (partial / names[1]).write_text(header)
            for each in names:
                os.replace(partial / each, folder / each)
                LOG.info("wrote '%s', %d bytes", folder / each, (folder / each).stat().st_size)
    except OSError as error:
        let_through(error)
        raise DirectConvError(f"cannot write in '{folder}': {error.strerror}") from error
    paths = [folder / each for each in names]
    workspace = max(code.workspace_bytes for code in codes)
    return ExportedC(paths[1], paths[0], None if inside else paths[2], weights.size, workspace)


def _header(
    name: str,
    object_name: str,
    codes: Sequence[SetCode],
    tensors: tuple[Sequence[Described], Sequence[Described]],
    target: CompileTarget,
    inside: bool,
) -> str:
    macro, opened, weights = name.upper(), codes[0].opened, codes[0].launches.weights
    workspace = max(code.workspace_bytes for code in codes)
    sets = ", ".join(f"{number} {code.name}" for number, code in enumerate(codes))
    lines = []
    for kind, infos in zip(("INPUT", "OUTPUT"), tensors, strict=True):
        for number, info in enumerate(infos):
            ctype = TYPES.get(info.dtype, f"{info.dtype}_t")
            shape = "".join(f"[{in_c(extent)}]" for extent in info.shape)
            said = f"{_comment(info.name)}: {ctype}{_comment(shape)}"
            if opened is None:
                lines.append(f"#define {macro}_{kind}_{number}_BYTES {_bytes(info)}u /* {said} */")
            else:
                lines.append(f"/* {kind.lower()} {number}, {said} */")
    if inside:
        init = f"/* Makes a model; the weights are inside: pass NULL and 0. Returns {macro}_OK. */"
    else:
        init = (
            f"/* Makes a model of the bytes of {name}.weights, which stay where they are and are only read:\n"
            f" * map the file, or read it to an aligned address. Returns {macro}_OK. */"
        )
    values = {
        "name": name,
        "macro": macro,
        "object": object_name,
        **_size_words(name, workspace, opened),
        "where": " and weights" if inside else f"; {name}.weights is beside it",
        "target": _comment(str(target)),
        "version": __version__,
        "input_count": len(tensors[0]),
        "output_count": len(tensors[1]),
        "alignment": ALIGNMENT,
        "instruction_sets": sets,
        "weights_bytes": weights.size + (0 if inside else HEADER_BYTES),
        "weights_remark": " /* inside */" if inside else f" /* the size of {name}.weights */",
        "tensors": "\n".join(lines),
        "init_comment": init,
    }
    return Template(files(__package__).joinpath("header.h").read_text()).substitute(values)


def _comment(text: str) -> str:
    """What may stand in a comment of C."""
    return re.sub(r"[^ -~]|\*/|/\*|\\", "?", text)


def _size_words(name: str, workspace: int, opened: Opened | None) -> dict[str, str]:
    """What the header says of sizes, or of their one workspace."""
    macro = name.upper()
    words = {"sizes": "", "size_lines": "", "wrong_sizes": "", "extent": ""}
    if opened is None:
        line = f"#define {macro}_WORKSPACE_BYTES {workspace}u /* in one thread */"
        return words | {"workspace_line": line}
    given, numbers = opened.given, opened.given.typical
    held = ", ".join(f"{size} = {number}" for size, number in numbers.items())
    lines = [
        f"/* Open sizes: functions take an array of {macro}_SIZES numbers.",
        f" * In this order: {', '.join(numbers)}.",
        " * The network takes those with:",
        *(f" *   {condition}" for condition in given.words),
        " */",
        f"#define {macro}_SIZES {len(numbers)}",
    ]
    wrong = f"#define {macro}_WRONG_SIZES {WRONG_SIZES}    /* the network does not take such sizes */"
    extent = (
        "/* The size of an output's dimension; 0 where there is none, or for wrong sizes. */\n"
        f"int64_t {name}_output_extent(const int64_t *sizes, int32_t number, int32_t axis);"
    )
    return {
        "sizes": "const int64_t *sizes, ",
        "size_lines": "\n".join(lines) + "\n\n",
        "wrong_sizes": f"{wrong}\n",
        "extent": f"\n{extent}\n",
        "workspace_line": f"/* The workspace takes {workspace} bytes in one thread at {held}. */",
    }


def _bytes(info: Described) -> int:
    extents = [extent for extent in info.shape if isinstance(extent, int)]
    if len(extents) != len(info.shape):
        raise ModelError(f"'{info.name}' does not have a fixed shape, which C code needs")
    return tensor_bytes(extents, info.dtype)
