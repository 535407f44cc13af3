"""Libraries that run without TVM on an AArch64 Python under qemu: the bits of this host, and CPUs that lack
something."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from emulation.board import CPU, aarch64_python
from graph_support import draw, network, node

import tvm_directconv as directconv

pytestmark = pytest.mark.emulated
ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
sys.path.insert(0, {root!r})
import numpy as np
import tvm_directconv as directconv
given = np.load("given.npy")
model = directconv.load("runs.so")
for count in (1, 2):
    model.threads = count
    np.save(f"result{{count}}.npy", model.run(given)[0])
try:
    directconv.load("refused.so")
except directconv.TargetError as error:
    print(error)
assert "tvm" not in sys.modules
"""


def test_aarch64_runs_a_library_without_tvm(tmp_path: Path) -> None:
    python = aarch64_python()
    nodes = [node("Conv", "x w", "c", pads=[1, 1, 1, 1]), node("Relu", "c", "y")]
    model = network(nodes, {"x": ("n", 8, 24, 24)}, {"y": ("n", 16, 24, 24)}, {"w": draw(16, 8, 3, 3)})
    given = draw(2, 8, 24, 24)
    np.save(tmp_path / "given.npy", given)
    for name, cpu in (("runs", CPU), ("refused", "neoverse-v1")):
        target = f"llvm -mtriple=aarch64-linux-gnu -mcpu={cpu}"
        directconv.compile(model, target, cache=False).export_library(tmp_path / f"{name}.so")
    done = subprocess.run(
        [str(python), "-c", SCRIPT.format(root=str(ROOT))],
        cwd=tmp_path,
        env={"TVM_NUM_THREADS": "2", "PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "'refused.so' cannot run here: this host's CPU lacks bf16, fp16fml, i8mm, sve" in done.stdout
    (want,) = directconv.compile(model, cache=False).run(given)
    for count in (1, 2):
        np.testing.assert_allclose(np.load(tmp_path / f"result{count}.npy"), want, rtol=1e-5, atol=1e-5)
