"""What an import of the library brings with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_torch_is_imported_by_what_uses_it(tmp_path: Path) -> None:
    """TVM would import it wherever it is installed; whoever imported it before has it."""
    (tmp_path / "torch.py").write_text("print('torch')")
    path = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    compiler = "import tvm_directconv; tvm_directconv.compile; import tvm.relax; print('ready'); import torch"
    done = subprocess.run(
        [sys.executable, "-c", compiler],
        env=os.environ | path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["ready", "torch"]
