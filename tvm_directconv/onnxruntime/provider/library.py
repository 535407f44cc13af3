"""The execution provider's library, built from its C source when it is first asked for."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tvm_directconv.cache import user_cache
from tvm_directconv.errors import DirectConvError
from tvm_directconv.version import __version__

SOURCES = ("provider.c", "context.c", "work.c", "part.c", "model.c")
HEADERS = ("context.h", "host.h", "model.h", "part.h", "work.h")
OPTIONS = ("-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra")


def library_path() -> str:
    """Return the path of the library for ``onnxruntime.register_execution_provider_library``.

    The first call builds it, with the C compiler that CC names, ``cc`` or ziglang, in the cache's folder: it
    then knows this interpreter, which its worker runs. Raises DirectConvError where there is no compiler, or
    on Windows, whose processes it does not start.
    """
    if sys.platform == "win32":
        raise DirectConvError("the execution provider is not there for Windows")
    found = user_cache()
    if found is None:
        raise DirectConvError(
            "the execution provider keeps its library and compiled models in the cache's folder"
        )
    own, cache = Path(__file__).parent, found.folder
    settings = {"PYTHON": sys.executable, "CACHE": str(cache), "VERSION": __version__}
    defines = [f'-DDIRECTCONV_{name}="{value}"' for name, value in settings.items()]
    content = b"".join((own / name).read_bytes() for name in (*SOURCES, *HEADERS))
    key = hashlib.sha256(repr((defines, OPTIONS)).encode() + content).hexdigest()[:32]
    path = cache / "onnxruntime" / f"directconv-{key}{'.dylib' if sys.platform == 'darwin' else '.so'}"
    if not path.exists():
        _build(path, [*OPTIONS, *defines, *(str(own / name) for name in SOURCES), "-ldl"])
    return str(path)


def _build(path: Path, arguments: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".library.") as folder:
        partial = Path(folder) / path.name
        command = [*_compiler(), *arguments, "-o", str(partial)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise DirectConvError(f"'{shlex.join(command)}' failed: {done.stderr.strip()[-1000:]}")
        os.replace(partial, path)


def _compiler() -> list[str]:
    named = os.environ.get("CC")
    if named:
        return shlex.split(named)
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found:
        return [found]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise DirectConvError(
        "the execution provider's library is built by a C compiler when it is first asked for, and there is "
        "none: install gcc or clang, or run pip install 'tvm-directconv[cross]', or name one by CC"
    )
