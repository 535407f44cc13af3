"""Forked children run models, or say at once why not: after runs and ``submit``, and beside other threads.

Everything is in processes of its own, so that one that hangs is ended.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DEADLINE_SECONDS = 300
HERE = Path(__file__).parents[1]

BEGIN = """
import multiprocessing, os, signal, sys, tempfile, threading, time
sys.path[:0] = {path!r}
import numpy as np
from graph_support import draw, network, node
import tvm_directconv as directconv
from tvm_directconv.locks import with_stderr_into

SHAPE = (1, 8, 24, 24)
nodes = [node("Conv", "x w", "c", pads=[1] * 4), node("Relu", "c", "y")]
GRAPH = network(nodes, {{"x": SHAPE}}, {{"y": (1, 16, 24, 24)}}, {{"w": draw(16, 8, 3, 3)}})
GIVEN = draw(*SHAPE)

def check(got):
    assert np.array_equal(got[0], WANTED)

def forked(action, status=0):
    '''Perform an action in a child, which ends as a process of Python does: by sys.exit.'''
    sys.stdout.flush()
    child = os.fork()
    if not child:
        action()
        sys.exit(status)
    return child

def ended(child, status=0):
    found = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert found == status, found

def refused(action):
    try:
        action()
    except directconv.DirectConvError as error:
        assert "forked" in str(error), error
    else:
        assert False, "not refused"

compiled = directconv.compile(GRAPH)
WANTED = compiled.run(GIVEN)[0]
"""

AFTER = """
compiled.submit(GIVEN).result()
request = compiled.request()
request.run(GIVEN)
actions = {
    "run": lambda: check(compiled.run(GIVEN)),
    "submit": lambda: check(compiled.submit(GIVEN).result()),
    "request": lambda: check(request.run(GIVEN)),
    "compile": lambda: check(directconv.compile(GRAPH).run(GIVEN)),
    "a child of its own": lambda: ended(forked(lambda: check(compiled.run(GIVEN)))),
    "threads": lambda: [check(f.result()) for f in [compiled.submit(GIVEN) for _ in range(8)]],
    "nothing": lambda: None,
}
for status, (name, action) in enumerate(actions.items()):
    ended(forked(action, status), status)
    check(compiled.run(GIVEN))
compiled.concurrency = 2
ended(forked(actions["threads"]))
check(compiled.submit(GIVEN).result())
"""

PRELOADED = """
def worker(number):
    for _ in range(5):
        check(compiled.run(GIVEN))
        check(compiled.submit(GIVEN).result())
    return number

children = [forked(lambda: worker(0)) for _ in range(4)]
check(compiled.run(GIVEN))
for child in children:
    ended(child)
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(worker, range(4)) == [0, 1, 2, 3]
"""

BESIDE = """
going_on = True

def go_on():
    while going_on:
        check(compiled.run(GIVEN))

compiled.concurrency = 2
threads = [threading.Thread(target=go_on) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(8):
    ended(forked(lambda: (check(compiled.run(GIVEN)), check(compiled.submit(GIVEN).result()))))
going_on = False
for thread in threads:
    thread.join()
"""

COMPILING = """
begun, go_on = threading.Event(), threading.Event()

def phase(name):
    if name.startswith("graph"):
        begun.set()
        go_on.wait()

thread = threading.Thread(target=lambda: directconv.compile(GRAPH, on_phase=phase))
thread.start()
begun.wait()
cut_off = [
    lambda: compiled.run(GIVEN),
    lambda: compiled.submit(GIVEN).result(),
    lambda: compiled.profile(),
    lambda: directconv.compile(GRAPH),
    lambda: with_stderr_into(tempfile.TemporaryFile(), int),
]
ended(forked(lambda: list(map(refused, cut_off))))
check(compiled.run(GIVEN))
go_on.set()
thread.join()
ended(forked(lambda: check(compiled.run(GIVEN))))

# In a callback of the compiling thread itself.
children = []
directconv.compile(GRAPH, on_phase=lambda name: children.append(forked(lambda: os._exit(
    0 if np.array_equal(directconv.compile(GRAPH).run(GIVEN)[0], WANTED) else 1))))
assert children
for child in children:
    ended(child)
"""

DEVICE = """
on_device = directconv.compile(GRAPH, target="opencl -device=native")
on_device.run(GIVEN)
ended(forked(lambda: (refused(lambda: on_device.run(GIVEN)), check(compiled.run(GIVEN)), os._exit(0))))
on_device.run(GIVEN)
"""


def run(body: str, threads: int) -> None:
    code = BEGIN.format(path=[str(HERE), str(HERE.parent)]) + body + "\nprint('right')"
    environment = os.environ | {"TVM_NUM_THREADS": str(threads), "TVM_DIRECTCONV_CACHE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
    )
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["right"]), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("threads", [1, 2])
def test_children_run_what_their_parent_ran(threads: int) -> None:
    run(AFTER + PRELOADED, threads)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_children_beside_other_threads() -> None:
    run(BESIDE + COMPILING, threads=2)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_devices_refuse_children() -> None:
    pytest.importorskip("pyopencl")
    run(DEVICE, threads=2)


@pytest.mark.parametrize("package", ["intrinsics", "tvm_directconv", "relay_strategies"])
@pytest.mark.parametrize("given", [None, "7"])
def test_idle_threads_sleep_unless_the_user_says_otherwise(package: str, given: str | None) -> None:
    """TVM's first pool reads the variable, so that it is there when any of the packages is imported."""
    name = "TVM_THREAD_POOL_SPIN_COUNT"
    environment = {key: value for key, value in os.environ.items() if key != name}
    environment |= {"PYTHONPATH": str(HERE.parent)} | ({} if given is None else {name: given})
    code = f"import {package}, ctypes; get = ctypes.CDLL(None).getenv; get.restype = ctypes.c_char_p; "
    code += f"print(int(get(b'{name}')))"
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert int(said.stdout) == 7 if given else int(said.stdout) <= 10_000
