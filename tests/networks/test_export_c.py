"""Networks as C without a runtime: the same numbers to the last bit, and no symbol but the header's."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import tvm
from c_support import Linked, built_example, host_compiler, in_reverse, room, run_example
from chain_support import chain, inverted_residual
from cli_support import small_model, succeed
from emulation import CPUS
from graph_cases import CASES, compiled
from graph_support import draw, inputs_of, network, node
from onnx import TensorProto
from reference import run_onnx_runtime
from support import assert_matches
from tvm import tirx

import tvm_directconv as directconv
from relay_strategies.c_export.launches import Life, Weights, places
from relay_strategies.c_export.plain_kernels import plain_kernels
from relay_strategies.c_export.routines import together
from tvm_directconv import zoo
from tvm_directconv.algorithms.chains.calls import chain_function
from tvm_directconv.errors import DirectConvError, ModelError
from tvm_directconv.targets.target import resolve_target

QUICK = ("classifier", "squeeze_and_excitation", "input_returned")
"""A network with dense layers, one with pools and branches, one without kernels."""
LIBC = {"expf", "logf", "powf", "tanhf", "memcpy", "memset", "memmove"}


def same_bits(got: Sequence[np.ndarray], want: Sequence[np.ndarray]) -> bool:
    return [a.tobytes() for a in got] == [b.tobytes() for b in want]


def in_c(case: str, folder: Path, threads: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The case's results from C and from TVM."""
    model, inputs = compiled(case), inputs_of(CASES[case].model)
    linked = Linked(model.export_c(folder))
    assert linked.init() == 0
    parallel = in_reverse if threads > 1 else None
    status, results = linked.run(list(inputs.values()), model.outputs, parallel, threads)
    assert status == 0
    return results, model.run(inputs)


@pytest.mark.slow
def test_the_tutorials_program_prints_the_best_class(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "tutorials" / "c.md"
    program, _ = re.findall(r"```c\n(.*?)```", page.read_text(), re.DOTALL)
    (tmp_path / "main.c").write_text(program)
    model = directconv.compile("squeezenet")
    model.export_c(tmp_path / "build", name="squeezenet")
    command = [
        host_compiler(),
        "-O2",
        "-Wall",
        "-Werror",
        "-I",
        "build",
        "main.c",
        "build/squeezenet.o",
        "-lm",
    ]
    subprocess.run([*command, "-o", "classify"], cwd=tmp_path, check=True)
    image = draw(1, 3, 224, 224)
    done = subprocess.run([tmp_path / "classify"], input=image.tobytes(), capture_output=True, check=True)
    assert int(done.stdout) == model.run([image])[0].argmax()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("case", QUICK)
def test_results_are_the_same_to_the_last_bit(case: str, threads: int, tmp_path: Path) -> None:
    assert same_bits(*in_c(case, tmp_path, threads))


@pytest.mark.slow
@pytest.mark.parametrize("case", sorted(CASES.keys() - set(QUICK)))
def test_results_of_all_cases_are_the_same(case: str, tmp_path: Path) -> None:
    assert same_bits(*in_c(case, tmp_path, 3))


def test_a_size_of_an_open_model_is_written(tmp_path: Path) -> None:
    """Where one is named, by model.size; the code is that of the size alone."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1]),
        node("MaxPool", "a", "b", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Resize", "b none scales", "c", mode="linear"),
        node("GlobalAveragePool", "c", "d"),
        node("Flatten", "d", "e"),
        node("Gemm", "e v", "y"),
    ]
    constants = {
        "w": draw(8, 3, 3, 3),
        "none": np.array([], np.float32),
        "scales": np.array([1, 1, 2, 2], np.float32),
        "v": draw(8, 5),
    }
    outputs = {"y": ("n", 5), "c": ("n", 8, "oh", "ow")}
    made = network(nodes, {"x": ("n", 3, "h", "w0")}, outputs, constants)
    model = directconv.compile(made, typical={"h": 16, "w0": 24}, cache=False)
    assert model.sizes[0].is_open
    for shape in ((1, 3, 16, 24), (3, 3, 17, 23)):
        image, folder = draw(*shape), tmp_path / str(shape[0])
        linked = Linked(model.export_c(folder, size=model.size({"x": shape})))
        assert linked.init() == 0
        status, results = linked.run([image], model.size({"x": shape}).outputs)
        assert status == 0
        for result, wanted in zip(results, run_onnx_runtime(made, {"x": image}), strict=True):
            assert_matches(result, wanted, f"{shape}")


def test_positions_stay_inside_the_data(tmp_path: Path) -> None:
    """Of kernels that declare their buffers themselves, and in C, which raises nothing."""
    nodes = [node("Cast", "p", "i", to=TensorProto.INT64), node("ScatterND", "x i u", "y")]
    model = directconv.compile(network(nodes, {"p": (1, 1), "x": (3, 4), "u": (1, 4)}, {"y": (3, 4)}))
    linked = Linked(model.export_c(tmp_path))
    assert linked.init() == 0
    data, update = draw(3, 4), draw(1, 4)
    for place, taken in ((1, 1), (-1, 2), (2**40, 2), (-(2**40), 0)):
        status, (result,) = linked.run([np.full((1, 1), place, np.float32), data, update], model.outputs)
        wanted = data.copy()
        wanted[taken] = update
        assert status == 0 and np.array_equal(result, wanted)


def test_the_object_has_no_other_symbols(tmp_path: Path) -> None:
    exported = compiled("squeeze_and_excitation").export_c(tmp_path, name="se")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["se.h", "se.o"]
    if shutil.which("nm") is None:
        pytest.skip("nm is not there to list symbols")
    listed = subprocess.run(["nm", str(exported.object)], capture_output=True, text=True, check=True)
    symbols = [line.split()[-2:] for line in listed.stdout.splitlines()]
    declared = set(re.findall(r"\b(se_\w+)\(", exported.header.read_text()))
    assert {name for kind, name in symbols if kind.isupper() and kind != "U"} == declared
    assert {name for kind, name in symbols if kind == "U"} <= LIBC


def test_the_example_runs_in_threads_with_weights_beside(tmp_path: Path) -> None:
    model, inputs = compiled("classifier"), inputs_of(CASES["classifier"].model)
    exported = model.export_c(tmp_path, weights="beside")
    assert exported.weights is not None
    program = built_example(exported, [host_compiler(), "-Wall", "-Wextra", "-Werror", "-std=gnu99"])
    options = ["-t", "3", "-w", str(exported.weights)]
    assert same_bits(run_example(program, inputs, model.outputs, options=options), model.run(inputs))


def test_one_model_runs_in_several_threads_at_once(tmp_path: Path) -> None:
    model = compiled("squeeze_and_excitation")
    linked = Linked(model.export_c(tmp_path))
    assert linked.init() == 0
    inputs = [draw(*map(int, model.inputs[0].shape), seed=seed) for seed in range(4)]
    wanted = [model.run([x]) for x in inputs]

    def runs(number: int) -> bool:
        found = (linked.run([inputs[number]], model.outputs) for _ in range(25))
        return all(status == 0 and same_bits(results, wanted[number]) for status, results in found)

    with ThreadPoolExecutor(len(inputs)) as pool:
        assert all(pool.map(runs, range(len(inputs))))


def test_what_callers_do_wrong_is_returned(tmp_path: Path) -> None:
    model = compiled("classifier")
    exported = model.export_c(tmp_path, weights="beside")
    assert exported.weights is not None
    linked, inputs = Linked(exported), [np.zeros(model.inputs[0].shape, np.float32)]
    assert linked.run(inputs, model.outputs)[0] == 2, "not initialized"
    data = np.frombuffer(exported.weights.read_bytes(), np.uint8)
    weights = room(data.size)
    weights[:] = data
    assert linked.init(weights) == 0
    assert linked.run(inputs, model.outputs)[0] == 0
    assert linked.run(inputs, model.outputs, shifted=4)[0] == 1, "misaligned"
    assert linked.run(inputs, model.outputs, lambda *_: 7, threads=2)[0] == 3, "a failed parallel"
    assert linked.init() == 2 and linked.init(weights[:-1]) == 2, "none, or too few weights"
    moved = room(data.size + 4)[4:]
    moved[:] = data
    assert linked.init(moved) == 1
    weights[20] ^= 1
    assert linked.init(weights) == 2, "another network's"
    sizes = linked.function("input_bytes"), linked.function("output_bytes")
    assert [size(0) for size in sizes] == [inputs[0].nbytes, model.run(inputs)[0].nbytes]
    assert [size(number) for size in sizes for number in (1, -1)] == [0, 0, 0, 0]


SORTED = network([node("TopK", "x k", "y i", axis=1)], {"x": (4, 9)}, {"y": (4, 3)}, {"k": np.array([3])})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"name": "my-net"}, DirectConvError, "letters, digits and underscores"),
        ({"name": "static"}, DirectConvError, "a word of C"),
        ({"weights": "outside"}, DirectConvError, "'inside' or 'beside', not 'outside'"),
    ],
)
def test_wrong_options_are_said(
    options: dict[str, str], error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        compiled("classifier").export_c(tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_what_needs_the_runtime_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot be exported as C: it calls '.*sort"):
        directconv.compile(SORTED).export_c(tmp_path / "there")
    assert not (tmp_path / "there").exists()
    library = tmp_path / "model.so"
    compiled("classifier").export_library(library)
    with pytest.raises(ModelError, match="loaded from a library"):
        directconv.load(library).export_c(tmp_path)


def test_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    with pytest.raises(DirectConvError, match="cannot write in"):
        compiled("classifier").export_c(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "precious"


def test_one_size_of_several_is_exported(tmp_path: Path) -> None:
    model = directconv.compile(
        network([node("Relu", "x", "y")], {"x": ("n", 4)}, {"y": ("n", 4)}), batch=(2, 3)
    )
    linked = Linked(model.export_c(tmp_path, size=model.size(batch=3)))
    assert linked.init() == 0
    x = draw(3, 4)
    status, results = linked.run([x], model.size(batch=3).outputs)
    assert status == 0 and same_bits(results, [np.maximum(x, 0)])


def test_the_command_line_exports(tmp_path: Path) -> None:
    arguments = ["--name", "net", "--weights", "beside", "--json"]
    facts = json.loads(succeed("export-c", small_model(tmp_path), tmp_path / "c", *arguments))
    assert sorted(facts["files"]) == ["net.h", "net.o", "net.weights"]
    assert f"NET_WORKSPACE_BYTES {facts['workspace_bytes']}u" in (tmp_path / "c" / "net.h").read_text()


# ---- emulated, and with musl


@pytest.mark.emulated
@pytest.mark.parametrize("cpu", ["cortex-a57", "power9", "power10", "rvv"])
def test_other_cpus_agree(cpu: str, tmp_path: Path) -> None:
    CPUS[cpu].architecture.require()
    compiler = [CPUS[cpu].architecture.compiler]
    agrees(CPUS[cpu].target_string, compiler, CPUS[cpu].emulators, tmp_path)


@pytest.mark.emulated
@pytest.mark.slow
def test_a_program_gives_the_same_bits_at_every_vector_length(tmp_path: Path) -> None:
    """A whole network, with depthwise and grouped layers, as one program."""
    rvv = CPUS["rvv"]
    rvv.architecture.require()
    model = zoo.load_model("light_shufflenet")
    native = directconv.compile(model, target="llvm -mcpu=native")
    inputs = {info.name: draw(*info.shape) for info in native.inputs}
    foreign = directconv.compile(model, target=rvv.target_string)
    program = built_example(foreign.export_c(tmp_path), [rvv.architecture.compiler])
    results = [run_example(program, inputs, foreign.outputs, emulator) for emulator in rvv.emulators]
    assert len(results) > 1 and all(same_bits(result, results[0]) for result in results)
    (got,), (want,) = results[0], native.run(inputs)
    assert_matches(got / np.abs(want).max(), want / np.abs(want).max(), "light_shufflenet", 1e-5)


@pytest.mark.skipif(not shutil.which("musl-gcc"), reason="musl-gcc is not installed (Debian: musl-tools)")
def test_programs_of_musl_agree(tmp_path: Path) -> None:
    agrees("llvm -mtriple=x86_64-linux-musl", ["musl-gcc"], [[]], tmp_path)


def agrees(target: str, compiler: list[str], emulators: list[list[str]], folder: Path) -> None:
    model, inputs = CASES["squeeze_and_excitation"].model, inputs_of(CASES["squeeze_and_excitation"].model)
    (want,) = compiled("squeeze_and_excitation").run(inputs)
    foreign = directconv.compile(model, target=target)
    program = built_example(foreign.export_c(folder), compiler)
    for options, emulator in itertools.product(([], ["-t", "2"]), emulators):
        (got,) = run_example(program, inputs, foreign.outputs, emulator, options)
        assert_matches(got, want, f"{target} {options}")


# ---- parts


def test_a_place_is_not_that_of_an_array_that_was_there_before() -> None:
    weights, first = Weights(), draw(40)
    equal = first.copy()
    offset = weights.place(first)
    assert weights.place(first) == weights.place(equal) == weights.place(equal.view(np.uint8)) == offset
    equal[:] = -first  # another array, at the address of one that is gone
    assert weights.place(equal) != offset and weights.place(first) == offset


@pytest.mark.parametrize(
    ("lives", "whole"),
    [
        ({}, 0),
        ({"a": Life(10, 0, 1)}, 64),
        ({"a": Life(100, 0, 1), "b": Life(64, 1, 2)}, 192),
        ({"a": Life(100, 0, 1), "b": Life(64, 2, 3)}, 128),
        # The smallest fits in the gap between two that are alive with it.
        ({"a": Life(256, 0, 9), "b": Life(128, 0, 3), "c": Life(128, 4, 9), "d": Life(64, 3, 3)}, 448),
    ],
)
def test_tensors_alive_together_are_apart(lives: dict[str, Life], whole: int) -> None:
    offsets, found = places(lives)
    assert found == whole and all(offset % 64 == 0 for offset in offsets.values())
    for a in lives:
        for b in lives:
            together = lives[a].first <= lives[b].last and lives[b].first <= lives[a].last
            if a < b and together:
                first, second = sorted((a, b), key=lambda name: offsets[name])
                assert offsets[first] + lives[first].size <= offsets[second]


def kernel_of(body: str) -> tirx.PrimFunc:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    source = (
        "@T.prim_func(s_tir=True)\n"
        f'def main(x: T.Buffer((600,), "float32"), y: T.Buffer((600,), "float32")):\n{lines}\n'
    )
    return tvm.script.from_source(source)


SUM = 'total = T.alloc_buffer((600,), "float32")\n'
FILL = "for i in T.parallel(600):\n    total[i] = x[i] + T.float32(1)\n"
USE = "for i in T.parallel(600):\n    y[i] = total[599 - i]\n"


@pytest.mark.parametrize(
    ("body", "parallel", "shared", "own"),
    [
        pytest.param(SUM + FILL + USE, [True, True], 2432, 0, id="two loops share what the first wrote"),
        pytest.param(
            SUM + FILL.replace("parallel", "serial") + USE, [False, True], 2432, 0, id="one task, then many"
        ),
        pytest.param(SUM + (FILL + USE).replace("parallel", "serial"), [False], 0, 2432, id="one task alone"),
        pytest.param(
            SUM + "for j in range(2):\n" + "".join(f"    {line}\n" for line in (FILL + USE).splitlines()),
            [False],
            0,
            2432,
            id="parallel loops inside another are one task's",
        ),
    ],
)
def test_parallel_loops_are_functions_of_their_own(
    body: str, parallel: list[bool], shared: int, own: int
) -> None:
    found = plain_kernels({"kernel": kernel_of(body)}, resolve_target("llvm -mcpu=native"))["kernel"]
    assert [phase.parallel for phase in found.phases] == parallel
    assert (found.shared_bytes, found.task_bytes) == (shared, own)


def test_workspace_that_a_kernel_asks_for_is_each_tasks_own() -> None:
    target = resolve_target("llvm -mcpu=native")
    found = chain(inverted_residual((1, 12, 12), (8, 48, 8)), target, rows=3)
    (plain,) = plain_kernels({"chain": chain_function(found).prim_func}, target).values()
    assert [phase.parallel for phase in plain.phases] == [True]
    assert plain.task_bytes == sum(-(-space.bytes // 64) * 64 for space in found.workspaces) > 0


def test_routines_are_put_together() -> None:
    """Attributes are numbered anew, but not what assembly says; declarations and equal routines are once."""
    golden = Path(__file__).parents[1] / "golden"
    texts = [(golden / f"{name}.ll").read_text() for name in ("neon", "portable", "neondot", "portable_silu")]
    whole = together([*texts, texts[0]])
    assert whole.count("define ") == sum(text.count("define ") for text in texts)
    declared = re.findall(r"^declare .*", whole, re.MULTILINE)
    assert declared and len(declared) == len(set(declared))
    groups = dict(re.findall(r"^attributes #(\d+) = (.*)", whole, re.MULTILINE))
    for text in texts:
        own = dict(re.findall(r"^attributes #(\d+) = (.*)", text, re.MULTILINE))
        for name, group in re.findall(r"^define i32 @(\S+)\(.*\) #(\d+) ", text, re.MULTILINE):
            (found,) = re.findall(rf"^define i32 @{re.escape(name)}\(.*\) #(\d+) ", whole, re.MULTILINE)
            assert groups[found] == own[group]
        for assembly in re.findall(r'asm sideeffect "([^"]*)"', text):
            assert assembly in whole
