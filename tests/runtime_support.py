"""Libraries that are run where nothing is installed but numpy, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from graph_support import draw, network, node

import tvm_directconv as directconv

ROOT = Path(__file__).parents[1]

ALONE = """
import os, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        allowed = {"numpy", "tvm_directconv", "intrinsics", *sys.stdlib_module_names}
        if name.partition(".")[0] not in allowed:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
sys.meta_path.insert(0, Refuse())
import numpy as np
import tvm_directconv as directconv
"""
"""Nothing can be imported but numpy and the standard library."""


def alone(script: str, *arguments: str, root: Path = ROOT) -> str:
    """Return what a script prints that nothing but numpy is there for, and this package's modules in
    ``root``."""
    done = subprocess.run(
        [sys.executable, "-c", ALONE + script, *arguments],
        env=os.environ | {"PYTHONPATH": str(root), "TVM_NUM_THREADS": "3"},
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


RUN = """
model = directconv.load(sys.argv[1])
x = np.ones((3, 1024), np.float32)
model.threads = 2
(y,) = model.run({"x": x}, {"y": np.empty((3, 1024), np.float32)})
assert np.array_equal(model.request().run(x)[0], y) and np.array_equal(model.submit(x).result()[0], y)
assert np.array_equal(model(x), y) and model.memory(n=3) > 0 and "x: float32[n, 1024]" in repr(model)
for wrong in (model.report, model.profile, lambda: directconv.load("missing.so")):
    try:
        wrong()
    except directconv.DirectConvError as error:
        print(error)
print(*sorted(name for name in sys.modules if name.startswith(("tvm", "onnx"))))
"""


def dense_library(path: Path) -> Path:
    """Write a library of open sizes with 16 MiB of weights in dense layers; return its path."""
    nodes = [node("MatMul", "x w", "a"), node("Relu", "a", "b"), node("MatMul", "b v", "y")]
    weights = {"w": draw(1024, 2048), "v": draw(2048, 1024)}
    model = network(nodes, {"x": ("n", 1024)}, {"y": ("n", 1024)}, weights)
    directconv.compile(model, cache=False).export_library(path)
    return path
