"""LiteRT of AArch64 beside this library's code for that CPU, in one emulated process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from emulation import CPUS
from emulation.board import aarch64_python
from tflite_network import DATA, SCALES, network

import tvm_directconv as directconv

pytestmark = [pytest.mark.emulated, pytest.mark.slow]
WHEELS = ("ai-edge-litert==2.0.2", "backports.strenum", "flatbuffers", "tqdm")
"""LiteRT 2.3 ends by a segmentation fault under qemu 7.2 before it has read a file."""
SCRIPT = """
import sys
import numpy as np
import tvm
from ai_edge_litert.interpreter import Interpreter
from tvm import relax

library, network, given, result = sys.argv[1:]
x = np.load(given)
interpreter = Interpreter(model_path=network, num_threads=1)
interpreter.allocate_tensors()
interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
interpreter.invoke()
machine = relax.VirtualMachine(tvm.runtime.load_module(library), tvm.cpu())
theirs = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
np.savez(result, ours=machine["main"](tvm.runtime.tensor(x)).numpy(), theirs=theirs)
"""


@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_both_answer_alike(kind: str, tmp_path: Path) -> None:
    python, emulated = aarch64_python(*WHEELS), CPUS["neoverse-n1"]
    scale, zero = SCALES["x"]
    x = DATA if kind == "float32" else np.clip(np.rint(DATA / scale) + zero, -128, 127).astype(np.int8)
    files = [tmp_path / name for name in ("network.so", "network.tflite", "x.npy", "result.npz", "run.py")]
    library, path, given, result, script = files
    path.write_bytes(network(kind))
    directconv.compile(path, emulated.target_string).export_library(library)
    np.save(given, x)
    script.write_text(SCRIPT)
    command = [python, script, library, path, given, result]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    found = np.load(result)
    if kind == "float32":
        np.testing.assert_allclose(found["ours"], found["theirs"], rtol=1e-5, atol=1e-5)
    else:
        assert np.abs(found["ours"].astype(int) - found["theirs"]).max() <= 1
        assert len(np.unique(found["ours"])) > 2
