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
KINDS = ("float32", "int8")
SCRIPT = """
import sys
import numpy as np
import tvm
from ai_edge_litert.interpreter import Interpreter
from tvm import relax

for kind in sys.argv[1:]:
    x = np.load(f"{kind}.npy")
    interpreter = Interpreter(model_path=f"{kind}.tflite", num_threads=1)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    theirs = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    machine = relax.VirtualMachine(tvm.runtime.load_module(f"./{kind}.so"), tvm.cpu())
    np.savez(f"{kind}.npz", ours=machine["main"](tvm.runtime.tensor(x)).numpy(), theirs=theirs)
"""


def test_both_answer_alike(tmp_path: Path) -> None:
    """One process runs networks of all types: most of its time under qemu is spent on imports."""
    python, emulated = aarch64_python(*WHEELS), CPUS["neoverse-n1"]
    scale, zero = SCALES["x"]
    quantized = np.clip(np.rint(DATA / scale) + zero, -128, 127).astype(np.int8)
    for kind, x in zip(KINDS, (DATA, quantized), strict=True):
        path = tmp_path / f"{kind}.tflite"
        path.write_bytes(network(kind))
        directconv.compile(path, emulated.target_string).export_library(tmp_path / f"{kind}.so")
        np.save(tmp_path / f"{kind}.npy", x)
    script = tmp_path / "run.py"
    script.write_text(SCRIPT)
    command = [str(part) for part in (python, script, *KINDS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    floats, integers = (np.load(tmp_path / f"{kind}.npz") for kind in KINDS)
    np.testing.assert_allclose(floats["ours"], floats["theirs"], rtol=1e-5, atol=1e-5)
    assert np.abs(integers["ours"].astype(int) - integers["theirs"]).max() <= 1
    assert len(np.unique(integers["ours"])) > 2
