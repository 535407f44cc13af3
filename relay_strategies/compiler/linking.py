"""How a compiled model becomes a shared library: the linker for its target, found or given.

This host's own C compiler links for this host. For another, the cross compiler of its triple, as Debian names
them, or else ziglang (``pip install tvm-directconv[cross]``), which links for all of them.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tvm.support import cc

from tvm_directconv.errors import DirectConvError
from tvm_directconv.targets import llvm
from tvm_directconv.targets.target import CompileTarget

OPTIONS = ("-Wl,--no-as-needed", "-lm")
"""TVM's loader leaves libm to the library itself."""
TRIPLES = {
    "x86_64": "x86_64-linux-gnu",
    "aarch64": "aarch64-linux-gnu",
    "powerpc64le": "powerpc64le-linux-gnu",
}


def shared_library_maker(target: CompileTarget, linker: str | None) -> Callable[..., Any]:
    """The function TVM's ``export_library`` links with; ``linker`` is a C compiler driver, None finds one.

    Raises DirectConvError where there is none, naming what to install.
    """
    if linker is not None:
        return cc.cross_compiler(linker, options=list(OPTIONS))
    if llvm.arch_of(target.triple) == llvm.arch_of(llvm.host_triple()):
        if cc.get_cc() is None:
            raise DirectConvError(
                "no C compiler found to link a library with; install gcc or clang, or name one with linker="
            )
        return cc.create_shared
    triple = TRIPLES.get(target.arch, target.triple)
    if shutil.which(f"{triple}-gcc"):
        return cc.cross_compiler(f"{triple}-gcc", options=list(OPTIONS))
    if importlib.util.find_spec("ziglang") is not None:
        return _ziglang(triple)
    raise DirectConvError(
        f"no linker for {triple} found; install {triple}-gcc, or ziglang "
        "(pip install tvm-directconv[cross]), or name a C compiler driver with linker="
    )


def _ziglang(triple: str) -> Callable[..., Any]:
    def link(output: str, objects: Sequence[str], options: Sequence[str] | None = None, **_: Any) -> None:
        files = [objects] if isinstance(objects, str) else list(objects)
        command = [sys.executable, "-m", "ziglang", "cc", "-target", triple, "-shared", "-fPIC"]
        done = subprocess.run(
            [*command, "-o", output, *files, "-lm", *(options or ())],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr or done.stdout)

    link.output_format = "so"  # type: ignore[attr-defined]
    return link
