"""Whether LLVM compiles for a target at all, found by trying it in a process of its own.

Below target.py. Over what it cannot compile LLVM ends the process, so that targets which are not known to
work are tried in another one before anything of them is asked here: architectures, systems and features that
no machine here is described with.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path

from tvm_directconv.errors import TargetError
from tvm_directconv.temporary import temporary_folder

from . import llvm
from .machine import ARCHITECTURES
from .strings import Options, write_options

PROGRAM = """
import json, sys
import tvm
from tvm import te
from tvm.target import Target, codegen
config = json.loads(sys.argv[1])
target = Target(config)
codegen.llvm_get_cpu_archlist(Target({name: config[name] for name in ("kind", "mtriple", "vector-width")}))
codegen.llvm_get_cpu_features(target)
data = te.placeholder((256,), name="data")
result = te.compute((256,), lambda i: te.exp(data[i]) * data[i] + data[255 - i])
module = tvm.IRModule({"main": te.create_prim_func([data, result])})
tvm.compile(module, target).mod.write_to_file(sys.argv[2], "o")
"""
"""This asks LLVM what llvm.py does, and writes an object file of a loop over vectors with calls to the C
library."""
OURS = ("device", "keys", "machine", "vector-width")
"""These options say nothing to LLVM."""
SECONDS = 120
"""A trial takes one or two; one that takes this long never ends."""


def require_compilable(triple: str, mcpu: str, mattr: tuple[str, ...], options: Options) -> None:
    """Raise TargetError with LLVM's words if it cannot compile for that triple, CPU and attributes, and those
    of the target's other ``options`` that are LLVM's."""
    if _is_usual(triple, mattr):
        return
    config: Options = {"mtriple": triple, "mcpu": mcpu, "mattr": mattr}
    config = {name: value for name, value in config.items() if value}
    config |= {name: value for name, value in options.items() if name not in OURS}
    reason = _refusal(json.dumps({"kind": "llvm", "vector-width": 128, **config}))
    if reason:
        raise TargetError(f"LLVM cannot compile for '{write_options(config)}': {reason}")


def _is_usual(triple: str, mattr: tuple[str, ...]) -> bool:
    """Whether the architecture is one described, the system a common one, and some CPU has each feature;
    those that LLVM does not know at all are refused elsewhere."""
    if llvm.arch_of(triple) not in ARCHITECTURES or llvm.system_of(triple) not in llvm.USUAL_SYSTEMS:
        return False
    names = {attribute.lstrip("+-") for attribute in mattr} - llvm.feature_names(triple)
    if llvm.arch_of(triple) == llvm.arch_of(llvm.host_triple()):
        names -= llvm.host_report().keys()  # a host may have what no CPU has by default, as x86's rtm
    return not any(llvm.knows_feature(triple, "", name) for name in names if name)


@functools.cache
def _refusal(config: str) -> str:
    """Return why no object file can be written for TVM's target, or an empty string."""
    with temporary_folder() as folder:
        command = [sys.executable, "-c", PROGRAM, config, str(Path(folder) / "trial.o")]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", check=False, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return f"it takes longer than {SECONDS} seconds over a loop"
    if not done.returncode:
        return ""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    said = [line for line in lines if line.lower().startswith(("llvm error:", "error:"))] or lines[-1:]
    return said[0] if said else f"its process ended with {done.returncode}"
