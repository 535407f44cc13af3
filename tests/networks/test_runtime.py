"""Libraries that run without TVM: the bits, errors and ways to run of TVM's virtual machine, and what they
are loaded with."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from graph_support import draw, network, node
from onnx import ModelProto, TensorProto, helper
from quantized_models import quantize
from runtime_support import RUN, alone, dense_library

import tvm_directconv as directconv
from relay_strategies.compiler.model.executable_model import ExecutableModel
from tvm_directconv import threads as process_threads
from tvm_directconv.errors import DirectConvError, InputError
from tvm_directconv.runtime import teams
from tvm_directconv.runtime.network_model import NetworkModel

THREADS = (1, 2, 3)
Given = Mapping[str, np.ndarray]


def small(batch: int | str = "n", height: int | str = "h") -> ModelProto:
    """Convolutions, a residual, a pool and a softmax, in two outputs, one of which is another's input."""
    nodes = [
        node("Conv", "x w3", "a", pads=[1, 1, 1, 1]),
        node("Relu", "a", "b"),
        node("Conv", "b w1", "c"),
        node("Add", "c b", "d"),
        node("MaxPool", "d", "y", kernel_shape=[2, 2], strides=[2, 2]),
        node("GlobalAveragePool", "y", "e"),
        node("Softmax", "e", "z", axis=1),
    ]
    weights = {"w3": draw(16, 3, 3, 3), "w1": draw(16, 16, 1, 1)}
    shapes = {"y": (batch, 16, "q", 8), "z": (batch, 16, 1, 1)}
    return network(nodes, {"x": (batch, 3, height, 16)}, shapes, weights)


def gathered() -> ModelProto:
    """Rows of a table, whose numbers are checked, a copy of the input, and a product."""
    nodes = [node("Gather", "t i", "g"), node("MatMul", "g w", "y"), node("Identity", "i", "j")]
    model = network(nodes, {}, {"y": (5, 7)}, {"t": draw(11, 6), "w": draw(6, 7)})
    model.graph.input.append(helper.make_tensor_value_info("i", TensorProto.INT64, [5]))
    model.graph.output.append(helper.make_tensor_value_info("j", TensorProto.INT64, [5]))
    return model


def image(*shape: int) -> Given:
    return {"x": draw(*shape)}


MODELS: dict[str, tuple[Any, dict[str, Any], list[Given]]] = {
    "fixed": (lambda: small(1, 16), {}, [image(1, 3, 16, 16)]),
    "open": (small, {}, [image(1, 3, 224, 16), image(2, 3, 37, 16), image(3, 3, 6, 16)]),
    "batches": (lambda: small(height=16), {"batch": (1, 4)}, [image(1, 3, 16, 16), image(4, 3, 16, 16)]),
    "bytes": (lambda: quantize(small(1, 16)), {}, [image(1, 3, 16, 16)]),
    "gather": (gathered, {}, [{"i": np.array([3, 0, 10, 10, -1])}]),
}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[ExecutableModel, NetworkModel]]:
    """Each model as TVM runs it, and its library without TVM."""
    folder, found = tmp_path_factory.mktemp("libraries"), {}
    for name, (make, options, _) in MODELS.items():
        compiled = directconv.compile(make(), cache=False, **options)
        compiled.export_library(folder / f"{name}.so")
        loaded = directconv.load(folder / f"{name}.so")
        assert isinstance(compiled, ExecutableModel) and isinstance(loaded, NetworkModel)
        found[name] = compiled, loaded
    return found


@pytest.fixture(autouse=True)
def three_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_NUM_THREADS", str(max(THREADS)))


@pytest.mark.parametrize("name", MODELS)
def test_results_are_those_of_tvm_to_the_bit(name: str, pairs: Any) -> None:
    compiled, loaded = pairs[name]
    assert loaded.inputs == compiled.inputs and loaded.outputs == compiled.outputs
    for given in MODELS[name][2]:
        wanted = compiled.run(given)
        for count in THREADS:
            loaded.threads = count
            for got, want in zip(loaded.run(given), wanted, strict=True):
                assert got.dtype == want.dtype
                np.testing.assert_array_equal(got, want)


WRONG: list[tuple[str, Any]] = [
    ("fixed", {}),
    ("fixed", {"X": np.zeros((1, 3, 16, 16), np.float32)}),
    ("fixed", [np.zeros(3, np.float32)] * 2),
    ("fixed", np.zeros((1, 3, 16, 16))),
    ("fixed", np.zeros((1, 3, 16, 17), np.float32)),
    ("fixed", None),
    ("fixed", np.array(["a"])),
    ("open", np.zeros((1, 3, 224), np.float32)),
    ("open", np.zeros((1, 3, 0, 16), np.float32)),
    ("batches", np.zeros((2, 3, 16, 16), np.float32)),
    ("gather", np.array([3, 0, 11, 0, 0])),
]


@pytest.mark.parametrize(("name", "given"), WRONG)
def test_errors_are_those_of_tvm(name: str, given: Any, pairs: Any) -> None:
    said, loaded = [], pairs[name][1]
    loaded.threads = 2
    for model in (loaded, loaded.taken_apart):
        with pytest.raises(InputError) as caught:
            model.run([given] if given is None else given)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_a_model_runs_after_an_error(pairs: Any) -> None:
    _, loaded = pairs["gather"]
    given = MODELS["gather"][2][0]
    want = loaded.run(given)
    with pytest.raises(InputError):
        loaded.run(np.array([3, 0, 11, 0, 0]))
    for got, expected in zip(loaded.run(given), want, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_every_way_to_run(pairs: Any) -> None:
    compiled, loaded = pairs["fixed"]
    x = np.array(MODELS["fixed"][2][0]["x"])
    want = compiled.run(x)
    outputs = {info.name: np.empty(info.shape, np.float32) for info in loaded.outputs}
    loaded.set_inputs({"x": x})
    loaded.invoke()
    fortran, unaligned = np.asfortranarray(x), np.empty(x.size + 1, np.float32)[1:].reshape(x.shape)
    unaligned[:] = x
    readable = x.copy()
    readable.flags.writeable = False
    ways = {
        "by position": loaded.run([x]),
        "by name": loaded.run({"x": x}),
        "into arrays": loaded.run(x, outputs),
        "request": loaded.request().run(x),
        "submit": loaded.submit(x).result(),
        "called": loaded(x),
        "called by name": loaded(x=x),
        "set": loaded.get_outputs(),
        "fortran's order": loaded.run(fortran),
        "unaligned": loaded.run(unaligned),
        "read only": loaded.run(readable),
        "lent by DLPack": loaded.run(tvm.runtime.tensor(x)),
        "into its input": loaded.run(x.copy(), [np.empty_like(want[0]), np.empty_like(want[1])]),
    }
    for way, results in ways.items():
        for got, expected in zip(results, want, strict=True):
            np.testing.assert_array_equal(got, expected, err_msg=way)
    assert ways["into arrays"][0] is outputs["y"]
    np.testing.assert_array_equal(loaded.get_output("z"), want[1])


def test_an_output_may_be_written_over_an_input(pairs: Any) -> None:
    _, loaded = pairs["gather"]
    given = np.array([3, 0, 10, 10, 1])
    y, j = loaded.run(given.copy())
    place = given.copy()
    got = loaded.run({"i": place}, {"y": np.empty_like(y), "j": place})
    np.testing.assert_array_equal(got[0], y)
    np.testing.assert_array_equal(place, j)


def test_it_is_described_and_taken_apart_as_tvm_has_it(pairs: Any) -> None:
    loaded = pairs["open"][1]
    compiled = loaded.taken_apart
    assert loaded.memory(n=2, h=40) == compiled.memory(n=2, h=40)
    assert str(loaded) == str(compiled) and loaded.report() == compiled.report()
    given = MODELS["open"][2][1]
    assert len(loaded.profile(given).calls) == len(compiled.profile(given).calls)
    # TVM has a copy of the library, so that each goes on with threads of its own.
    loaded.threads = 2
    for got, expected in zip(loaded.run(given), loaded.taken_apart.run(given), strict=True):
        np.testing.assert_array_equal(got, expected)
    with pytest.raises(DirectConvError, match="copy that file instead"):
        loaded.export_library("again.so")


def test_many_threads_run_at_once(pairs: Any) -> None:
    compiled, loaded = pairs["open"]
    loaded.threads, loaded.concurrency = 2, 3
    images = [draw(1, 3, 8 + 4 * (n % 3), 16, seed=n) for n in range(12)]
    wanted = [compiled.run(each) for each in images]
    requests = [loaded.request() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = [
            *pool.map(lambda n: requests[n % 4].run(images[n]), range(12)),
            *pool.map(loaded.run, images),
        ]
    found += [future.result() for future in map(loaded.submit, images)]
    loaded.concurrency = 1
    for got, want in zip(found, [*wanted] * 3, strict=True):
        np.testing.assert_array_equal(got[0], want[0])


def test_teams_are_kept_and_wait_as_they_are_told(pairs: Any) -> None:
    _, loaded = pairs["fixed"]
    given = MODELS["fixed"][2][0]
    want = loaded.run(given)
    try:
        for microseconds in (0, 1000, None):
            teams.set_spin_microseconds(microseconds)
            loaded.threads = 3
            loaded.run(given)
            before = len(os.listdir("/proc/self/task"))
            for _ in range(50):
                np.testing.assert_array_equal(loaded.run(given)[0], want[0])
            assert len(os.listdir("/proc/self/task")) <= before  # those of earlier pools may still be ending
    finally:
        teams.set_spin_microseconds(None)
    with pytest.raises(InputError, match="'often' is not a number of microseconds"):
        teams.set_spin_microseconds("often")  # type: ignore[arg-type]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
@pytest.mark.parametrize(
    "options", [pytest.param(["-fsanitize=thread"], marks=pytest.mark.slow), ["-fsanitize=undefined"]]
)
def test_each_task_of_a_launch_is_done_once(options: list[str], tmp_path: Path) -> None:
    """The C of teams by itself, by sanitizers: of data races, and of what C does not define."""
    program = tmp_path / "stress"
    source = Path(__file__).with_name("team_stress.c")
    build = ["gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", *options]
    subprocess.run([*build, str(source), "-o", str(program), "-pthread", "-ldl"], check=True)
    halting = {"TSAN_OPTIONS": "halt_on_error=1", "UBSAN_OPTIONS": "halt_on_error=1"}
    done = subprocess.run([str(program)], env=os.environ | halting, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_environment_says_how_long_threads_look_for_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(teams.SPIN, "7")
    assert teams.spin_microseconds() == 7
    monkeypatch.setenv(teams.SPIN, "long")
    with pytest.raises(InputError, match=f"{teams.SPIN}='long' is not a number of microseconds"):
        teams.spin_microseconds()


@pytest.mark.parametrize("count", [0, True, 1.5, 99])
def test_a_wrong_number_of_threads_is_refused(count: Any, pairs: Any) -> None:
    with pytest.raises(InputError, match=r"threads=.* is (not a number of threads|more than the 3)"):
        pairs["fixed"][1].threads = count


@pytest.mark.parametrize(
    ("files", "cpus"),
    [
        ({"cpu.max": "50000 100000"}, 1),
        ({"cpu.max": "250000 100000"}, 3),
        ({"cpu.max": "max 100000"}, None),
        ({"cpu/cpu.cfs_quota_us": "150000", "cpu/cpu.cfs_period_us": "100000"}, 2),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ({}, None),
    ],
)
def test_control_groups_limit_threads(files: dict[str, str], cpus: int | None, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    assert process_threads.granted_cpus(tmp_path) == cpus


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dense_library(tmp_path_factory.mktemp("dense") / "dense.so")


def test_numpy_is_all_that_a_library_takes(library: Path) -> None:
    *refused, imported = alone(RUN, str(library)).splitlines()
    assert len(refused) == 3 and all("tvm-directconv" in each or "missing.so" in each for each in refused)
    assert {name.partition(".")[0] for name in imported.split()} == {"tvm_directconv"}


MEMORY = """
def private():
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Anonymous")) << 10

x = np.ones((1, 1024), np.float32)
before = private()
model = directconv.load(sys.argv[1])
model.run(x)
print(private() - before)
"""


def test_weights_are_shared_with_whoever_has_the_file(library: Path) -> None:
    """A copy, or a relocation among them, would make their pages the process's own."""
    assert int(alone(MEMORY, str(library))) < (4 << 20) < 4 * 1024 * 2048


FORKED = """
def child(model, want):
    assert np.array_equal(model.run(x)[0], want)
    assert np.array_equal(model.submit(x).result()[0], want)

x = np.ones((1, 1024), np.float32)
model = directconv.load(sys.argv[1], threads=2)
want = model.run(x)[0]
children = []
for _ in range(3):
    children.append(os.fork())
    if not children[-1]:
        child(model, want)
        sys.exit(7)
assert np.array_equal(model.run(x)[0], want)
for each in children:
    print(os.waitstatus_to_exitcode(os.waitpid(each, 0)[1]))
"""


@pytest.mark.parametrize("cpus", ["all", "one"])
def test_forked_children_have_threads_of_their_own(library: Path, cpus: str) -> None:
    """On one CPU, too, where a thread that only looked for work would keep the other from doing it."""
    narrow = "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n" if cpus == "one" else ""
    assert alone(narrow + FORKED, str(library)).split() == ["7"] * 3


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the CPU is an x86 one")
def test_a_cpu_that_lacks_something_is_told_so(tmp_path: Path) -> None:
    """No CPU has both what is AMD's and Intel's alone: fma4 is of the one, and amx-tile of the other."""
    for feature in ("fma4", "amx-tile"):
        path = tmp_path / f"{feature}.so"
        target = f"llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -mattr=+{feature}"
        directconv.compile(small(1, 16), target, cache=False).export_library(path)
        try:
            directconv.load(path)
        except directconv.TargetError as error:
            assert f"'{path}' cannot run here: this host's CPU lacks {feature}, which code for" in str(error)
            return
    pytest.fail("both are said to be there")


def test_what_only_tvm_runs_is_loaded_by_tvm(tmp_path: Path) -> None:
    """A sort calls a function of TVM's runtime."""
    nodes = [node("TopK", "x k", "y i", axis=1, largest=1, sorted=1)]
    model = network(nodes, {"x": (2, 64)}, {"y": (2, 40)}, {"k": np.array([40])})
    model.graph.output.append(helper.make_tensor_value_info("i", TensorProto.INT64, [2, 40]))
    compiled = directconv.compile(model, cache=False)
    compiled.export_library(tmp_path / "sorted.so")
    loaded = directconv.load(tmp_path / "sorted.so")
    assert isinstance(loaded, ExecutableModel)
    x = draw(2, 64)
    for got, want in zip(loaded.run(x), compiled.run(x), strict=True):
        np.testing.assert_array_equal(got, want)
