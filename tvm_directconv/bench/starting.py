"""What it costs to have a network ready: the first answer of a fresh process, its memory, and idle runs.

Each contestant is a process of its own, started anew for every figure, in turns. All begin with Python and
numpy, whose own cost is not counted: seconds are those from numpy's import to the first answer, and bytes
those beyond a process that has imported numpy alone. Several processes at once share what they map of files,
which the proportional set size (PSS) counts once; those that one forks when it has answered share its memory,
too, as far as they do not write there."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from relay_strategies.compiler.compiler import compile as compile_model
from tvm_directconv import zoo
from tvm_directconv.errors import BenchmarkError
from tvm_directconv.temporary import temporary_folder
from tvm_directconv.text import Tabular, TextTable, bytes_label
from tvm_directconv.zoo.inputs import image_of

from .problems import SEED

NUMPY, FORKED = "numpy", "forked"
LOAD = "import tvm_directconv\nrun = tvm_directconv.load(LIBRARY, threads=THREADS).run"
OURS = {
    "load": LOAD,
    "compile": """
import tvm_directconv
run = tvm_directconv.compile(MODEL, threads=THREADS, memory=MEMORY).run
""",
}
"""A library that was exported, and a network that is in the cache."""
PEERS = {
    "onnxruntime": """
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads, options.log_severity_level = THREADS, 3
session = onnxruntime.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"])
run = lambda given: session.run(None, given)
""",
    "openvino": """
import openvino
options = {"INFERENCE_NUM_THREADS": THREADS, "INFERENCE_PRECISION_HINT": "f32"}
request = openvino.Core().compile_model(MODEL, "CPU", options).create_infer_request()
run = request.infer
""",
}
CONTESTANTS = {NUMPY: "run = lambda given: None", **OURS, FORKED: LOAD, **PEERS}
CHILD = """
import json, os, sys, time
import numpy as np
MODEL, LIBRARY, INPUTS, THREADS, RATE, SECONDS, MEMORY, FORKS, CODE = json.loads(sys.argv[1])

def memory():
    fields = dict.fromkeys(("Rss", "Pss"), 0)
    with open("/proc/self/smaps_rollup") as file:
        for line in file:
            name = line.partition(":")[0]
            if name in fields:
                fields[name] = int(line.split()[1]) << 10
    return fields["Rss"], fields["Pss"]

given = dict(np.load(INPUTS))
begin, used = time.perf_counter(), time.process_time()
exec(CODE)
ready = time.perf_counter() - begin
run(given)
answered = time.perf_counter() - begin
print(json.dumps([ready, answered, time.process_time() - used]), flush=True)
sys.stdin.readline()
if FORKS:
    said, told, ended = os.pipe(), os.pipe(), os.pipe()
    for _ in range(FORKS):
        if not os.fork():
            run(given)
            os.write(said[1], b"1")
            os.read(told[0], 1)
            os.write(said[1], b"%15d" % memory()[1])
            os.read(ended[0], 1)
            os._exit(0)
    for _ in range(FORKS):
        os.read(said[0], 1)
    os.write(told[1], b"1" * FORKS)
    whole = memory()[1] + sum(int(os.read(said[0], 15)) for _ in range(FORKS))
    os.write(ended[1], b"1" * FORKS)
    print(json.dumps([0, whole]), flush=True)
else:
    print(json.dumps(memory()), flush=True)
sys.stdin.readline()
if RATE:
    for _ in range(20):
        run(given)
    took = []
    used = time.process_time()
    for _ in range(50):
        start = time.perf_counter()
        run(given)
        took.append(time.perf_counter() - start)
    busy = (time.process_time() - used) / 50
    time.sleep(0.5)
    used, end, runs = time.process_time(), time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        run(given)
        runs += 1
        time.sleep(1 / RATE)
    print(json.dumps([sorted(took)[25], busy, runs, time.process_time() - used]), flush=True)
"""
"""The program of every contestant: it answers once, tells its memory when asked to, and runs now and then."""
MODEL, LIBRARY, INPUTS = "model.onnx", "model.so", "inputs.npz"


@dataclass(frozen=True)
class Start:
    """The figures of one contestant: medians of rounds, in seconds and bytes.

    ``processes`` bytes are the PSS of several at once, with Python's and numpy's; "forked" ones with that of
    the process that they were forked from. ``idle_seconds`` are those
    of CPUs in a second in which the network runs as often as was asked for, ``work_seconds`` what the same
    runs take one after the other."""

    contestant: str
    ready_seconds: float
    answer_seconds: float
    cpu_seconds: float
    """The CPU time until the first answer, which other processes change less."""
    bytes: int
    processes_bytes: int = 0
    run_seconds: float = 0.0
    work_seconds: float = 0.0
    idle_seconds: float = 0.0


@dataclass(frozen=True)
class Starts(Tabular):
    """The figures of all contestants on one network."""

    network: str
    threads: int
    processes: int
    rate: int
    starts: tuple[Start, ...]

    def rows(self) -> list[dict[str, Any]]:
        return [dict(vars(start)) for start in self.starts]

    def table(self) -> TextTable:
        columns = ["contestant", "ready ms", "first answer ms", "of CPU ms", "memory"]
        columns += [f"{self.processes} processes"] if self.processes else []
        columns += ["run ms", "CPU ms/s of work", "CPU ms/s"] if self.rate else []
        title = f"{self.network}, {self.threads} thread{'s' * (self.threads > 1)}, beyond Python and numpy"
        caption = f"run {self.rate} times a second" if self.rate else ""
        table = TextTable(title, columns, left=columns[:1], caption=caption)
        for start in self.starts:
            cells: list[str] = [start.contestant]
            seconds = (start.ready_seconds, start.answer_seconds, start.cpu_seconds)
            cells += [f"{1e3 * each:.0f}" for each in seconds]
            cells.append(bytes_label(start.bytes))
            cells += [bytes_label(start.processes_bytes)] if self.processes else []
            idle = (start.run_seconds, start.work_seconds, start.idle_seconds)
            cells += [f"{1e3 * seconds:.2f}" for seconds in idle] if self.rate else []
            table.add_row(*cells)
        return table


def bench_starts(
    network: str,
    threads: int = 1,
    rounds: int = 5,
    contestants: Sequence[str] | None = None,
    processes: int = 0,
    rate: int = 0,
    seconds: float = 5.0,
    memory: str = "fastest",
) -> Starts:
    """Return what it costs to have an ONNX network ready, of each contestant: "load", a library of ours,
    "compile", ours from the cache, "forked", processes of ours that one forks which has loaded the library,
    "onnxruntime" and "openvino"; those that are installed by default, and "forked" of several processes.

    Args:
        network: A file, or the name of a network.
        threads: How many threads a run uses.
        rounds: How many processes of each contestant there are for a median.
        contestants: Names of them.
        processes: How many of each run at once, for the memory that they share; 0: none.
        rate: How often a second the network runs while the process is idle; 0: never.
        seconds: How long it is idle.
        memory: What ``compile`` is told of memory, for ours.

    Raises:
        BenchmarkError: A contestant is not known or fails; the system does not tell processes' memory.
    """
    forked = [FORKED] if processes else []
    names = contestants or [*OURS, *forked, *(name for name in PEERS if find_spec(name))]
    for name in names:
        if name not in CONTESTANTS:
            raise BenchmarkError(f"no contestant '{name}'; there are {', '.join([*OURS, FORKED, *PEERS])}")
    if not os.path.exists("/proc/self/smaps_rollup"):
        raise BenchmarkError("this system does not tell what memory processes share")
    with temporary_folder() as name:
        folder = Path(name)
        _prepare(network, folder, memory)
        given = _Given(folder, threads, rate, seconds, memory)
        figures: dict[str, list[list[float]]] = {each: [] for each in (NUMPY, *names)}
        for _ in range(rounds):
            for each, found in figures.items():
                found.append(_figures(each, given))
        own = statistics.median(row[3] for row in figures.pop(NUMPY))
        shared = {each: _together(each, given, processes) if processes else 0 for each in names}
    starts = []
    for each in names:
        columns = zip(*figures[each], strict=True)
        ready, answer, used, held, run, busy, idle = map(statistics.median, columns)
        starts.append(Start(each, ready, answer, used, int(held - own), shared[each], run, busy, idle))
    return Starts(Path(network).stem, threads, processes, rate, tuple(starts))


@dataclass(frozen=True)
class _Given:
    """What a process is told, and how many it forks."""

    folder: Path
    threads: int
    rate: int
    seconds: float
    memory: str
    forks: int = 0


def _prepare(network: str, folder: Path, memory: str) -> None:
    """Write the network's files, and have it in the cache."""
    source = zoo.resolve_model(network)
    model = zoo.read_onnx(source) if isinstance(source, Path) else zoo.load_model(source)
    (folder / MODEL).write_bytes(model.SerializeToString())
    inputs: dict[str, Any] = dict(image_of(model, SEED))
    np.savez(folder / INPUTS, **inputs)
    compile_model(str(folder / MODEL), cache=False, memory=memory).export_library(folder / LIBRARY)
    _figures("compile", _Given(folder, 1, 0, 0.0, memory))


def _started(name: str, given: _Given) -> subprocess.Popen[str]:
    files = [str(given.folder / each) for each in (MODEL, LIBRARY, INPUTS)]
    rate = given.rate if name != NUMPY else 0
    numbers = [given.threads, rate, given.seconds, given.memory, given.forks]
    arguments = json.dumps([*files, *numbers, CONTESTANTS[name]])
    environment = {
        "TVM_NUM_THREADS": str(given.threads),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, arguments],
        env=os.environ | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _said(name: str, child: subprocess.Popen[str], asks: bool = True) -> list[float]:
    """Return what a process says next, after it was asked."""
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None
    if asks:
        child.stdin.write("\n")
        child.stdin.flush()
    line = child.stdout.readline()
    if not line:
        words = child.stderr.read().strip().splitlines()
        raise BenchmarkError(f"'{name}' failed: {words[-1] if words else 'it says nothing'}")
    return list(json.loads(line))


def _figures(name: str, given: _Given) -> list[float]:
    """Return a process's seconds until it is ready and answers, those of the CPU, its bytes, and the figures
    of idle runs."""
    with _started(name, given) as child:
        seconds = _said(name, child, asks=False)
        held, _ = _said(name, child)
        if not given.rate or name == NUMPY:
            child.communicate("\n")
            return [*seconds, held, 0.0, 0.0, 0.0]
        run, busy, runs, used = _said(name, child)
        child.communicate()
        return [*seconds, held, run, busy * runs / given.seconds, used / given.seconds]


def _together(name: str, given: _Given, count: int) -> int:
    """Return the memory of so many processes that have answered once, in bytes."""
    begun, forks = (1, count) if name == FORKED else (count, 0)
    children = [_started(name, replace(given, rate=0, forks=forks)) for _ in range(begun)]
    try:
        for child in children:
            _said(name, child, asks=False)
        return int(sum(_said(name, child)[1] for child in children))
    finally:
        for child in children:
            child.communicate("\n")
