"""Networks compiled for GPUs: run on the OpenCL device at hand, written as folders, and run from there by
C."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from cli_support import succeed
from graph_cases import CASES
from graph_support import draw, inputs_of, network, node
from onnx import helper
from reference import run_onnx_runtime

import tvm_directconv as directconv
from relay_strategies.compiler.device.model import DeviceModel
from tvm_directconv import zoo
from tvm_directconv.devices import cuda_driver
from tvm_directconv.devices.network_files import LIST, WEIGHTS, read_network
from tvm_directconv.errors import (
    AlgorithmError,
    DeviceError,
    DirectConvError,
    InputError,
    ModelError,
    WorkloadError,
)
from tvm_directconv.problem.workload import Conv2dWorkload

TARGET = "opencl -device=native"
EXAMPLE = Path(__file__).parents[2] / "examples" / "opencl" / "run_network.c"
HEADERS = (Path("/usr/include/CL/cl.h"), Path("/usr/include/cjson/cJSON.h"))


def small():
    """Convolutions with all of an epilogue, depthwise and strided, pooling, a join, a dense layer, and an
    input that no language would take the name of."""
    conv = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    return network(
        [
            node("Conv", "data/x:0 w1 b1", "c1", **conv),
            node("Relu", "c1", "r1"),
            node("MaxPool", "r1", "p", kernel_shape=[2, 2], strides=[2, 2]),
            node("Conv", "p w2", "c2", group=8, **conv),
            node("Add", "c2 p", "s"),
            node("Relu", "s", "r2"),
            node("Concat", "r2 p", "joined", axis=1),
            node("GlobalAveragePool", "joined", "g"),
            node("Flatten", "g", "f"),
            node("Gemm", "f w3 b3", "l", transB=1),
            node("Softmax", "l", "y", axis=1),
        ],
        {"data/x:0": ("N", 3, 12, 10)},
        {"y": ("N", 5), "r2": ("N", 8, 6, 5)},
        {
            "w1": draw(8, 3, 3, 3),
            "b1": draw(8),
            "w2": draw(8, 1, 3, 3),
            "w3": draw(5, 16),
            "b3": draw(5),
        },
    )


@cache
def compiled() -> DeviceModel:
    return directconv.compile(small(), TARGET, batch=(1, 2))


def given(batch=2):
    return draw(batch, 3, 12, 10)


def close(got, want):
    for array, expected in zip(got, want, strict=True):
        assert array.dtype == expected.dtype
        np.testing.assert_allclose(array, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("batch", [1, 2])
def test_a_network_agrees_with_onnx_runtime_in_every_size(batch):
    image = given(batch)
    want = run_onnx_runtime(small(), {"data/x:0": image})
    close(compiled().run({"data/x:0": image}), want)
    close(compiled()(image), want)
    close(compiled().run([image]), want)  # what was there before is not in the way


def test_tensors_between_layers_are_halves_where_it_is_asked():
    image, model = given(1), directconv.compile(small(), TARGET, batch=1, precision="float16")
    assert {Conv2dWorkload.parse(layer.workload).dtype for layer in model.report().layers} == {"float16"}
    assert model.report().activation_bytes < compiled().report().activation_bytes
    for got, want in zip(model.run([image]), run_onnx_runtime(small(), {"data/x:0": image}), strict=True):
        assert got.dtype == np.float32 and 1e-6 < np.abs(got - want).max() / np.abs(want).max() < 5e-3


@pytest.mark.parametrize(("precision", "most"), [("float32", 1e-6), ("float16", 5e-3)])
def test_steps_that_differ_by_channel_are_part_of_the_layer(precision, most):
    conv = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    steps = [node("PRelu", "c a", "p"), node("Mul", "p s", "m"), node("Add", "m t", "y")]
    constants = {"w": draw(8, 4, 3, 3), "a": draw(8, 1, 1), "s": draw(1, 8, 1, 1), "t": draw(1, 8, 1, 1)}
    shapes = {"x": (1, 4, 9, 9)}, {"y": (1, 8, 9, 9)}
    model = network([node("Conv", "x w", "c", **conv), *steps], *shapes, constants)
    data = draw(1, 4, 9, 9)
    compiled = directconv.compile(model, TARGET, precision=precision)
    (got,), (want,) = compiled.run([data]), run_onnx_runtime(model, {"x": data})
    assert np.abs(got - want).max() < most * np.abs(want).max()
    epilogue = Conv2dWorkload.parse(compiled.report().layers[0].workload).epilogue
    assert [step.name for step in epilogue.steps] == ["prelu", "channelscale", "channelshift"]


def test_tensors_of_types_that_numpy_does_not_have_are_taken():
    bfloat16, shape = onnx.TensorProto.BFLOAT16, (2, 3)
    graph = helper.make_graph(
        [node("Relu", "x", "y")],
        "halves",
        [helper.make_tensor_value_info("x", bfloat16, shape)],
        [helper.make_tensor_value_info("y", bfloat16, shape)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    data = draw(*shape).astype(ml_dtypes.bfloat16)
    (got,) = directconv.compile(model, TARGET).run([data])
    assert got.dtype == data.dtype
    np.testing.assert_array_equal(got, np.maximum(data, data.dtype.type(0)))


def test_tensors_of_other_libraries_are_taken_by_dlpack():
    class Foreign:
        def __dlpack__(self, **options):
            return given().__dlpack__(**options)

        def __dlpack_device__(self):
            return given().__dlpack_device__()

    for got, want in zip(compiled()(Foreign()), compiled()(given()), strict=True):
        np.testing.assert_array_equal(np.from_dlpack(got), want)


def test_inputs_may_be_set_before_and_timed_by_the_device():
    model = compiled()
    model.set_inputs([given()])
    model.invoke()
    close(model.get_outputs(), run_onnx_runtime(small(), [given()]))
    size = model.size(batch=2)
    timings = model.timings(size)
    assert [function for function, _, _ in timings] == list(model.executable.launched[size.function])
    assert all(0 <= seconds < 10 for _, _, seconds in timings)
    shares = model.report(timed=True).time_shares
    assert set(shares) == set(model.report().other_kernels) and sum(shares.values()) <= 1.0001


def test_a_profile_has_every_call_by_the_devices_clock():
    profile, size = compiled().profile(rounds=2), compiled().sizes[0]
    calls = size.report().calls
    assert [call.kernel for call in profile.calls] == [call.kernel for call in calls]
    assert sum(len(call.layers) for call in calls) == len(size.report().layers) == 3
    assert all(len(call.seconds) == 2 and call.least >= 0 for call in profile.calls)
    assert sum(call.seconds[0] for call in profile.calls) <= profile.instrumented[0]
    assert "by the description of" in profile.totals() and "on 0 thread" not in profile.totals()
    with pytest.raises(InputError, match="rounds=0"):
        compiled().profile(rounds=0)


def test_a_report_tells_of_memory_and_kernels():
    report, (network, *_) = compiled().report(), compiled().executable.networks.values()
    constants = {*network.constants, *(tensor.buffer for tensor in network.inputs)}
    held = [size for number, size in enumerate(network.buffers) if number not in constants]
    assert report.peak_bytes == sum(held) > sum(tensor.size for tensor in network.outputs)
    assert [layer.algorithm for layer in report.layers] == ["lift"] * 3
    functions = [function for function, _, _ in compiled().timings()]
    of_layers = {layer.function for layer in report.layers}
    assert Counter(f for f in functions if f not in of_layers) == report.other_kernels
    assert of_layers <= set(functions)
    assert network.weight_bytes == sum(array.nbytes for array in network.constants.values()) > 0
    assert str(report) and "compiled for" in str(compiled())


def test_workspaces_are_held_once():
    """A Mali's layers of VGG-16 pad in a kernel of their own."""
    conv = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    layers = [node("Conv", "x w", "c", **conv), node("Conv", "c w", "y", **conv)]
    shape = (1, 512, 14, 14)
    model = network(layers, {"x": shape}, {"y": shape}, {"w": draw(512, 512, 3, 3)})
    compiled = directconv.compile(model, "opencl -device=mali -model=g72")
    report, network_of = compiled.report(), compiled.executable.networks["main"]
    for layer in report.layers:
        assert 0 < layer.workspace_bytes == report.workspace_bytes == report.reserved_workspace_bytes
    others = {*network_of.constants, *(tensor.buffer for tensor in network_of.inputs)}
    held = sum(size for number, size in enumerate(network_of.buffers) if number not in others)
    assert report.peak_bytes == report.activation_bytes + report.workspace_bytes == held
    assert report.activation_bytes % (512 * 14 * 14 * 4) == 0, "whole maps alone"


def test_what_is_loaded_is_what_was_written(tmp_path):
    compiled().export(tmp_path / "out", batch=2)
    with pytest.raises(InputError, match="threads= are a CPU's"):
        directconv.load(tmp_path / "out", threads=1)
    loaded = directconv.load(tmp_path / "out")
    assert loaded.input_names == ("data/x:0",) and loaded.target == compiled().target
    assert (
        loaded.report().activation_bytes == compiled().report(size=compiled().size(batch=2)).activation_bytes
    )
    for got, want in zip(loaded.run([given()]), compiled().run([given()]), strict=True):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(InputError):
        loaded.run([given(1)])
    loaded.export(tmp_path / "again")
    for file in (LIST, WEIGHTS, "kernels.cl"):
        assert (tmp_path / "again" / file).read_bytes() == (tmp_path / "out" / file).read_bytes()


def test_a_c_program_prints_the_same_numbers(tmp_path):
    if not all(header.exists() for header in HEADERS) or shutil.which("cc") is None:
        pytest.skip("no C compiler, or no headers (Debian: ocl-icd-opencl-dev, opencl-headers, libcjson-dev)")
    nodes = [node("Conv", "x w", "c"), node("Relu", "c", "y"), node("Reshape", "y shape", "z")]
    weights = {"w": draw(4, 3, 1, 1), "shape": np.array([1, -1])}
    model = directconv.compile(
        network(nodes, {"x": (1, 3, 6, 5)}, {"y": (1, 4, 6, 5), "z": (1, 120)}, weights), TARGET
    )
    model.export(tmp_path / "out")
    image = draw(1, 3, 6, 5)
    image.tofile(tmp_path / "x.bin")
    program = tmp_path / "run_network"
    subprocess.run(
        ["cc", "-O1", "-Wall", "-Werror", EXAMPLE, "-lOpenCL", "-lcjson", "-o", program], check=True
    )

    def run(*words):
        environment = _environment(tmp_path)
        return subprocess.run(
            [program, *words], cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    done = run("out", "x.bin")
    assert done.returncode == 0, done.stderr
    for number, (name, want) in enumerate(zip("yz", model.run([image]), strict=True)):
        written = np.fromfile(tmp_path / f"output{number}.bin", np.float32)
        np.testing.assert_array_equal(written, want.ravel())
        (line,) = (line for line in done.stdout.splitlines() if line.startswith(f"{name}:"))
        assert line.split()[1:] == [f"{value:.9g}" for value in want.ravel()[:5]]
    (tmp_path / "out" / WEIGHTS).write_bytes(b"")
    broken = run("out")
    assert broken.returncode == 1 and "the weights are cut short" in broken.stderr


def _environment(folder):
    """One in which the system's loader finds pip's PoCL, where that is what is used."""
    import pyopencl

    drivers = sorted((Path(pyopencl.__file__).parent / ".libs").glob("libpocl*.so"))
    if not drivers:
        return dict(os.environ)
    (folder / "pocl.icd").write_text(f"{drivers[0]}\n")
    return {**os.environ, "OCL_ICD_VENDORS": str(folder / "pocl.icd")}


def test_the_command_line_writes_a_folder_and_runs_it(tmp_path):
    import onnx

    onnx.save(small(), tmp_path / "small.onnx")
    folder = tmp_path / "out"
    arguments = (
        "compile",
        tmp_path / "small.onnx",
        "--target",
        TARGET,
        "--batch",
        "1",
        "-o",
        folder,
        "--json",
    )
    facts = json.loads(succeed(*arguments))
    assert facts["library_bytes"] == sum(file.stat().st_size for file in folder.iterdir())
    assert json.loads(succeed("run", folder, "--rounds", "1", "--json"))["outputs"]["y"]["shape"] == [1, 5]


@pytest.mark.parametrize("target", ["opencl -device=mali -model=g72", "cuda -model=h200"])
def test_other_targets_are_compiled_without_their_device(target, tmp_path, monkeypatch):
    model = directconv.compile(small(), target, batch=1)
    model.export(tmp_path / "out")
    assert read_network(tmp_path / "out").target == target
    if target.startswith("cuda"):
        assert "__global__" in (tmp_path / "out" / "kernels.cu").read_text()
        monkeypatch.setattr(cuda_driver, "DRIVERS", ())
        cuda_driver.driver.cache_clear()
        with pytest.raises(DeviceError, match="there is no CUDA driver"):
            model.run([given(1)])


OPTIONS = {
    "not bfloat16": ({"precision": {"*": "bfloat16"}}, WorkloadError),
    "in NHWC, not 'NCHW'": ({"layout": "NCHW"}, WorkloadError),
    "on_demand is of CPUs": ({"on_demand": True}, ModelError),
    "typical= is of dimensions that stay open, and a GPU's are numbers": ({"typical": {"N": 2}}, ModelError),
    "sizes= is of dimensions that stay open, and a GPU's are numbers": ({"sizes": {"N": (1, 4)}}, ModelError),
    "'N' is symbolic; say how large with batch=, or with shapes={'data/x:0': (...)}": (
        {"batch": None},
        ModelError,
    ),
    "unknown algorithm 'lft'": ({"algorithm": "lft"}, AlgorithmError),
    "no layer has that name": ({"algorithm": {"nothing": "dlight"}}, AlgorithmError),
    "batch": ({"batch": 0}, ModelError),
}


@pytest.mark.parametrize("said", OPTIONS)
def test_options_that_gpus_do_not_take_are_refused(said):
    options, error = OPTIONS[said]
    with pytest.raises(error) as raised:
        directconv.compile(small(), TARGET, **{"batch": 1} | options)
    assert said in str(raised.value) and "\n" not in str(raised.value)
    assert "typical={" not in str(raised.value)  # which would not help


def test_an_operator_without_a_kernel_is_named():
    model = network([node("CumSum", "x axis", "y")], {"x": (1, 8)}, {"y": (1, 8)}, {"axis": np.array(1)})
    with pytest.raises(DeviceError, match="cumsum"):
        directconv.compile(model, "opencl")


def test_what_a_gpus_model_is_not():
    for call in (compiled().export_library, compiled().export_c):
        with pytest.raises(DirectConvError, match="write it as a folder, by export"):
            call("out")
    with pytest.raises(InputError, match="data/x:0"):
        compiled().run({"x": given()})


def _damage(folder, change):
    fields = json.loads((folder / LIST).read_text())
    change(fields)
    (folder / LIST).write_text(json.dumps(fields))


DAMAGES = {
    f"it has no {LIST}": lambda folder: (folder / LIST).unlink(),
    "is not a network exported": lambda folder: (folder / LIST).write_text("{"),
    "has format 9": lambda folder: _damage(folder, lambda f: f.update(format=9)),
    "weights end at 0": lambda folder: (folder / WEIGHTS).write_bytes(b""),
    "buffer 99": lambda folder: _damage(folder, lambda f: f["steps"][0]["buffers"].append(99)),
    "too small": lambda folder: _damage(folder, lambda f: f["buffers"][0].update(bytes=4)),
    "not have three sizes": lambda folder: _damage(folder, lambda f: f["steps"][0].update(local=[0, 1, 1])),
    "KeyError('kernel')": lambda folder: _damage(folder, lambda f: f["steps"][0].pop("kernel")),
    "what the library says": lambda folder: _damage(folder, lambda f: f.update(facts={})),
}


@pytest.mark.parametrize("said", DAMAGES)
def test_a_damaged_folder_is_one_error(said, tmp_path):
    compiled().export(tmp_path / "out", batch=1)
    DAMAGES[said](tmp_path / "out")
    with pytest.raises(ModelError) as error:
        directconv.load(tmp_path / "out")
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(DirectConvError, match="exists; give a new folder"):
        compiled().export(tmp_path, batch=1)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(DirectConvError, match="cannot be .*Not a directory"):
        compiled().export(tmp_path / "mine.txt" / "out", batch=1)


@pytest.mark.slow
def test_layers_may_be_left_to_dlight():
    model = directconv.compile(small(), TARGET, batch=1, algorithm={"Conv:*": "dlight"})
    assert [layer.name for layer in model.report().layers] == ["Gemm:l"]
    close(model.run([given(1)]), run_onnx_runtime(small(), [given(1)]))


KINDS = ("channel_shuffle", "filter_known_at_run_time", "input_returned", "local_response_normalization")
"""One of each kind: compiling them is what takes time."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CASES if name in KINDS])
def test_graphs_of_all_kinds_run_on_a_device(name):
    model = CASES[name].model
    given = inputs_of(model)
    got = directconv.compile(model, TARGET).run(given)
    for array, want in zip(got, run_onnx_runtime(model, given), strict=True):
        np.testing.assert_allclose(array, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())


@pytest.mark.slow
def test_a_whole_network_runs_on_a_device():
    model = zoo.load_model("squeezenet")
    image = zoo.reference_input("squeezenet")
    (got,) = directconv.compile(model, TARGET).run([image])
    (want,) = run_onnx_runtime(model, [image])
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-7)
