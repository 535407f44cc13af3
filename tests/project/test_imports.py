"""What an import of the library brings with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from cli_support import small_model

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


ALONE = """
import sys
from importlib.metadata import packages_distributions, requires
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

def needed(name, found):
    found.add(canonicalize_name(name))
    for text in requires(name) or ():
        requirement = Requirement(text)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and canonicalize_name(requirement.name) not in found:
            needed(requirement.name, found)
    return found

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name in extra:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

kept = needed("tvm-directconv", set())
extra = {
    module
    for module, names in packages_distributions().items()
    if not kept.intersection(map(canonicalize_name, names))
}
assert {"onnxruntime", "tflite", "flatbuffers", "scipy"} <= extra and not {"numpy", "tvm", "onnx"} & extra
sys.meta_path.insert(0, Refuse())
from tvm_directconv.cli import main
main()
"""
"""The command line where nothing is installed but what the package itself depends on."""


def test_what_extras_bring_is_not_needed(tmp_path: Path) -> None:
    model = str(small_model(tmp_path))
    for command in (["run", model, "--rounds", "1"], ["export-c", model, "c"]):
        done = subprocess.run(
            [sys.executable, "-c", ALONE, *command],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2000:]
