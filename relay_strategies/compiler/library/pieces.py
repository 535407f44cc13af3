"""Pieces: a model's library as TVM's executable, and as C that runs the network without TVM.

Such a library has the kernels once: TVM's virtual machine calls them, and so does ``network.c``, as the plan
says (plan.py). The weights are constants of the library, which both read where they are: its pages are a
file's, and all processes share them. Networks that do more than call kernels one after the other have TVM's
executable alone, with the weights in it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tvm
import tvm_ffi
from tvm import relax

from relay_strategies.c_export.cpu_check import ASKED_ITSELF, cpu_check
from relay_strategies.c_export.export import MOST_INSIDE
from tvm_directconv.targets import llvm
from tvm_directconv.targets.target import CompileTarget

from .derived_filters import with_derived_filters
from .linking import Link, write_kernels, write_library
from .network_pieces import Network
from .program import linked
from .weights import Separated

SOURCE = Path(__file__).with_name("network.c")
SYSTEMS = {"": "", "linux": "", "darwin": "_", "macos": "_"}
"""The systems that the source is for, and what the names of C begin with in their assembly."""
LIBRARIES = {"": ["-pthread", "-ldl"], "_": []}
SECTIONS = {"": '.rodata,"a"', "_": "__TEXT,__const"}
NAME = "directconv"
UNASKED = f"""__attribute__((visibility("default"))) const char *{NAME}_missing(int number) {{
  (void)number;
  return 0;
}}
"""


def runs_without_tvm(target: CompileTarget) -> bool:
    """Return whether libraries for a target may have what runs them without TVM."""
    return llvm.system_of(target.triple) in SYSTEMS and llvm.arch_of(target.triple) not in llvm.BIG_ENDIAN


@dataclass(frozen=True)
class Pieces:
    """The pieces of a model's library, made when they are asked for."""

    target: CompileTarget
    functions: Callable[[], Separated]
    libraries: Callable[[], Sequence[Any]]
    weights: Sequence[tvm.runtime.Tensor]
    network: Network | None

    def whole(self) -> relax.VMExecutable:
        """Return TVM's executable with the weights inside."""
        return linked(self.target, [self.functions().holding(self.weights)], self.libraries())

    def write_library(self, path: Path, link: Link) -> None:
        """Write the library, whole or not at all. Raises DirectConvError with the linker's words."""
        network = self.network
        if network is None or network.bytes > MOST_INSIDE:
            write_library(self.whole(), self.target, path, link)
            return
        if self.target.dispatch:
            derived = with_derived_filters(network)
            more = functools.partial(embedded, derived, self.target)
            write_kernels(self.libraries(), self.target, path, link, more)
            return
        executable = linked(self.target, [self.functions().fetching()], self.libraries())
        write_library(
            executable, self.target, path, link, lambda folder: embedded(network, self.target, folder)
        )


class PiecedExecutable(relax.VMExecutable):
    """An executable of TVM's, and the pieces that a library of it is made of."""

    def __init__(self, program: Any, pieces: Pieces) -> None:
        super().__init__(program)
        self.pieces = pieces


def runner_source(target: CompileTarget, folder: Path) -> list[str]:
    """Return what a linker takes beside kernels, so that they run without TVM, with files in this folder."""
    libraries = LIBRARIES[SYSTEMS[llvm.system_of(target.triple)]]
    return ["-O2", "-fvisibility=hidden", str(SOURCE), str(_check(target, folder)), *libraries]


def _check(target: CompileTarget, folder: Path) -> Path:
    """Return the code that names what a CPU lacks. Where no CPU is asked it is C, whose compiler knows how
    floats are passed; LLVM would have to be told."""
    if llvm.arch_of(target.triple) not in ASKED_ITSELF:
        unasked = folder / "check.c"
        unasked.write_text(UNASKED)
        return unasked
    check = folder / "check.ll"
    features = frozenset[str]().union(*(each.features for each in target.instruction_sets.values()))
    check.write_text(f'target triple = "{target.triple}"\n{cpu_check(NAME, [features], target.triple)}')
    module = tvm_ffi.get_global_func("ffi.Module.load_from_file.ll")(str(check), "ll")
    module.write_to_file(str(check.with_suffix(".o")), "o")
    return check.with_suffix(".o")


def embedded(network: Network, target: CompileTarget, folder: Path) -> list[str]:
    """Return what a linker takes beside kernels, the description and the weights among it."""
    prefix = SYSTEMS[llvm.system_of(target.triple)]
    weights, description, data = folder / "weights", folder / "description", folder / "data.c"
    with weights.open("wb") as file:
        network.write(file)
        file.write(b"\0")  # no object is empty
    description.write_bytes(network.description.encode() + b"\0")
    lines = [f".section {SECTIONS[prefix]}"]
    for name, path in (("weights", weights), ("description", description)):
        symbol = f"{prefix}{NAME}_{name}"
        lines += [".balign 64", f".globl {symbol}", f"{symbol}:", f'.incbin "{path}"']
    assembly = "\n".join(f"{json.dumps(line + chr(10))}" for line in [*lines, ".text"])
    rows = ",\n".join(map(_row, network.kinds)) or "{0}"
    data.write_text(DATA.format(assembly=assembly, rows=rows, count=len(network.kinds)))
    return ["-DDIRECTCONV_WEIGHTS", *runner_source(target, folder), str(data)]


DATA = """#include <stdint.h>
#ifdef __cplusplus
extern "C" {{
#endif
typedef struct {{
  int64_t offset, shape[16];
  int32_t ndim, code, bits, lanes;
}} Weight;
extern const Weight directconv_weight_list[];
extern const int64_t directconv_weight_count;
__asm__({assembly});
const Weight directconv_weight_list[] = {{{rows}}};
const int64_t directconv_weight_count = {count};
#ifdef __cplusplus
}}
#endif
"""
"""C with the weights and the description as they are in files, and a list of what TVM is to know of
weights."""


def _row(kind: Sequence[Any]) -> str:
    shape, dtype, start = kind
    described = tvm_ffi.dtype(dtype)
    facts = [len(shape), described.type_code, described.bits, described.lanes]
    return f"{{{start}, {{{', '.join(map(str, shape)) or '0'}}}, {', '.join(map(str, facts))}}}"
