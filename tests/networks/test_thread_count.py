"""Threads of a run: as many as a model, a layer, the environment and the command line say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from graph_support import draw, network, node

import tvm_directconv as directconv
from tvm_directconv.errors import InputError
from tvm_directconv.threads import SIBLINGS, VARIABLES, core_count, physical_cores, usable_cpus

GRAPH = network(
    [node("Conv", "x w", "a"), node("Relu", "a", "y")],
    {"x": (1, 8, 20, 20)},
    {"y": (1, 8, 18, 18)},
    {"w": draw(8, 8, 3, 3)},
)
X = draw(1, 8, 20, 20)
WORKLOAD = directconv.Conv2dWorkload(1, 20, 20, 8, 8, kernel=(3, 3))
COUNTING = """
import sys
sys.path[:0] = sys.argv[1:]
import numpy as np
from test_thread_count import GRAPH, WORKLOAD, X
import tvm_directconv as directconv
from relay_strategies.compiler.model.thread_count import thread_count

one, two, whole = (directconv.compile(GRAPH, threads=count) for count in (1, 2, None))
found = []
for model in (one, two, whole, one, whole):
    model.run(X)
    found.append(thread_count())
one.threads = 2
one.request().run(X)
found.append(thread_count())
layer = directconv.build_conv2d(WORKLOAD, threads=2)
layer(np.ones((1, 20, 20, 8), np.float32), np.ones((8, 8, 3, 3), np.float32))
print(*found, thread_count())
"""


def test_each_model_has_its_own_threads() -> None:
    """Of one process, one after the other; TVM's pool is no larger than the CPUs of the process."""
    if core_count() < 2:
        pytest.skip("this process has one CPU")
    folder = os.path.dirname(__file__)
    environment = {**os.environ, "TVM_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, folder, os.path.dirname(folder)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.stdout == "1 2 2 1 2 2 2\n", done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("threads", [0, -1, 1.0, "2", True, 10**6])
def test_what_is_not_a_number_of_threads_is_refused(threads: object, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="threads="):
        directconv.compile(GRAPH, threads=threads)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="threads="):
        directconv.build_conv2d(WORKLOAD, threads=threads)  # type: ignore[arg-type]
    model = directconv.compile(GRAPH)
    model.export_library(tmp_path / "model.so")
    with pytest.raises(InputError, match="threads="):
        directconv.load(tmp_path / "model.so", threads=threads)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="threads="):
        model.threads = threads  # type: ignore[assignment]
    assert model.threads is None


@pytest.mark.slow
@pytest.mark.parametrize("said", ["abc", "0", "-2", "", "two 2"])
def test_what_the_environment_says_is_checked(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both variables that TVM reads, of which the first decides."""
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    monkeypatch.setenv("TVM_NUM_THREADS", "1")
    directconv.compile(GRAPH, cache=False).run(X)
    monkeypatch.setenv("TVM_NUM_THREADS", said)
    with pytest.raises(InputError, match=f"TVM_NUM_THREADS='{said}' is not a number of threads"):
        directconv.compile(GRAPH, cache=False).run(X)
    monkeypatch.delenv("TVM_NUM_THREADS")
    with pytest.raises(InputError, match=f"OMP_NUM_THREADS='{said}'"):
        directconv.build_conv2d(WORKLOAD).time(1, 0)


@pytest.mark.slow
def test_the_command_line_says_how_many(tmp_path: Path) -> None:
    import onnx

    onnx.save(GRAPH, tmp_path / "model.onnx")
    command = [sys.executable, "-m", "tvm_directconv", "run", str(tmp_path / "model.onnx"), "--rounds", "1"]
    done = subprocess.run([*command, "--threads", "100000"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "--threads 100000 is more than" in done.stderr
    done = subprocess.run([*command, "--threads", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("siblings", "cores"), [(["0", "1"], 2), (["0,2", "1,3", "0,2", "1,3"], 2), (["0-1", "0-1"], 1)]
)
def test_cores_are_counted_by_their_cpus(siblings: list[str], cores: int, tmp_path: Path) -> None:
    for cpu, text in enumerate(siblings):
        file = tmp_path / f"cpu{cpu}" / SIBLINGS
        file.parent.mkdir(parents=True)
        file.write_text(f"{text}\n")
    assert physical_cores(range(len(siblings)), tmp_path) == cores
    assert physical_cores([len(siblings)], tmp_path) is None


@pytest.mark.slow
@pytest.mark.parametrize("said", [None, "1"])
def test_a_run_has_a_thread_for_each_core_by_default(said: str | None) -> None:
    """On x86-64 TVM by itself has half of the CPUs, also where each is a core."""
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    environment |= {} if said is None else {"TVM_NUM_THREADS": said}
    module = "relay_strategies.compiler.model.thread_count"
    program = f"import tvm; from {module} import thread_count; print(thread_count())"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
    )
    cores = physical_cores(usable_cpus())
    if said is None and cores is None:
        pytest.skip("this system does not say which CPUs are one core")
    assert int(done.stdout) == (cores if said is None else 1)
