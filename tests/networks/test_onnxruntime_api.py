"""tvm_directconv.onnxruntime beside onnxruntime itself: the same code gives the same answers and errors."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from graph_support import draw, network, node
from onnx import TensorProto, helper

import tvm_directconv.onnxruntime as ours

BOTH = pytest.mark.parametrize("ort", [ours, onnxruntime], ids=["ours", "theirs"])
OURS = "DirectConvExecutionProvider"
X = draw(2, 3, 9, 8)


def small() -> onnx.ModelProto:
    """A network of open batch and height, with two outputs and an initializer that may be overridden."""
    nodes = [node("Conv", "x w", "a"), node("Relu", "a", "y"), node("Add", "y b", "z")]
    model = network(
        nodes, {"x": ("n", 3, "h", 8), "b": (1,)}, {"y": ("n", 4, "p", 6), "z": ("n", 4, "p", 6)},
        {"w": draw(4, 3, 3, 3), "b": np.ones(1, np.float32)},
    )  # fmt: skip
    model.producer_name, model.domain, model.doc_string, model.model_version = "us", "here", "says", 7
    model.graph.doc_string = "of a graph"
    model.metadata_props.add(key="names", value="{0: 'a'}")
    return model


CONTENT = small().SerializeToString()


@pytest.fixture(scope="module")
def sessions() -> dict[str, Any]:
    return {"ours": ours.InferenceSession(CONTENT), "theirs": onnxruntime.InferenceSession(CONTENT)}


@pytest.fixture(params=["ours", "theirs"])
def session(request: pytest.FixtureRequest, sessions: dict[str, Any]) -> Any:
    return sessions[request.param]


def test_a_session_tells_what_onnx_runtime_tells(sessions: dict[str, Any]) -> None:
    told = []
    for each in sessions.values():
        sides = each.get_inputs(), each.get_outputs(), each.get_overridable_initializers()
        meta = each.get_modelmeta()
        told.append(
            (
                [[(arg.name, arg.type, arg.shape) for arg in side] for side in sides],
                {name: getattr(meta, name) for name in dir(meta) if not name.startswith("_")},
            )
        )
    assert told[0] == told[1]
    assert sessions["ours"].get_providers() == ["DirectConvExecutionProvider", "CPUExecutionProvider"]


@pytest.mark.parametrize("names", [None, [], ["y"], ["z", "y"], ["y", "y"]])
def test_outputs_are_those_asked_for(names: list[str] | None, sessions: dict[str, Any]) -> None:
    mine, theirs = (each.run(names, {"x": X}) for each in sessions.values())
    for one, other in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


def _bound_run(session: Any, *outputs: str, x: np.ndarray = X) -> Any:
    """A binding that has run."""
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    for name in outputs:
        binding.bind_output(name)
    session.run_with_iobinding(binding)
    return binding


def _terminated(session: Any, module: Any) -> None:
    options = module.RunOptions()
    options.terminate = True
    session.run(None, {"x": X}, options)


WRONG: dict[str, Callable[[Any, Any], Any]] = {
    "nothing": lambda s, o: s.run(None, {}),
    "an unknown input": lambda s, o: s.run(None, {"x": X, "q": X}),
    "another input": lambda s, o: s.run(None, {"q": X}),
    "an unknown output": lambda s, o: s.run(["q"], {"x": X}),
    "an output without a name": lambda s, o: s.run([""], {"x": X}),
    "another dtype": lambda s, o: s.run(None, {"x": X.astype("float64")}),
    "another rank": lambda s, o: s.run(None, {"x": X[0]}),
    "other sizes": lambda s, o: s.run(None, {"x": X[:, :2, :, :7]}),
    "a text": lambda s, o: s.run(None, {"x": "abc"}),
    "a list of inputs": lambda s, o: s.run(None, [X]),
    "an unknown binding": lambda s, o: s.io_binding().bind_cpu_input("q", X),
    "an entry that was not added": lambda s, o: o.SessionOptions().get_session_config_entry("q"),
    "a file that is not there": lambda s, o: o.InferenceSession("nowhere.onnx"),
    "noise": lambda s, o: o.InferenceSession(b"garbage"),
    "a number": lambda s, o: o.InferenceSession(3),
    "a model of no bytes": lambda s, o: o.InferenceSession(b""),
    "a number as an input": lambda s, o: s.run(None, {"x": 1}),
    "a run that is to end": _terminated,
    "a binding without outputs": lambda s, o: _bound_run(s),
    "a bound input of another dtype": lambda s, o: _bound_run(s, "y", x=X.astype("float64")),
    "a bound input of another rank": lambda s, o: _bound_run(s, "y", x=X[0]),
    "a list as a value": lambda s, o: o.OrtValue.ortvalue_from_numpy([1.0]),
    "an unknown device": lambda s, o: o.OrtValue.ortvalue_from_numpy(X, "nowhere"),
    "numbers that do not fit": lambda s, o: o.OrtValue.ortvalue_from_numpy(X).update_inplace(X[0]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_calls_raise_the_same(wrong: str, sessions: dict[str, Any]) -> None:
    """Errors of the same class, by its name and its place, with the same words."""
    raised = []
    for each, module in zip(sessions.values(), (ours, onnxruntime), strict=True):
        with pytest.raises(Exception) as error:
            WRONG[wrong](each, module)
        raised.append((type(error.value).__name__, str(error.value)))
    assert raised[0] == raised[1]
    name = raised[0][0]
    if not hasattr(__builtins__, name) and name in dir(onnxruntime.capi.onnxruntime_pybind11_state):
        assert issubclass(getattr(ours.capi.onnxruntime_pybind11_state, name), Exception)


def test_initializers_are_overridden(sessions: dict[str, Any]) -> None:
    """By a run, where they are inputs as well, and by the options of a session."""
    bias, filters = np.array([-3], np.float32), draw(4, 3, 3, 3, seed=5)
    answers = []
    for each in sessions.values():
        runs = each.run(["z"], {"x": X, "b": bias}), each.run(["z"], {"x": X})
        outputs = [value.shape() for value in _bound_run(each, "z", "y").get_outputs_as_ortvaluevector()]
        answers.append(([run[0] for run in runs], outputs))
    assert answers[0][1] == answers[1][1]
    for one, theirs in zip(answers[0][0], answers[1][0], strict=True):
        np.testing.assert_allclose(one, theirs, rtol=1e-5, atol=1e-5)
    options = ours.SessionOptions()
    options.add_initializer("w", ours.OrtValue.ortvalue_from_numpy(filters))
    (one,) = ours.InferenceSession(CONTENT, options).run(["z"], {"x": X})
    # Against the model that has them: ONNX Runtime 1.32 itself answered otherwise once options replaced them.
    other = onnx.load_from_string(CONTENT)
    place = next(at for at, each in enumerate(other.graph.initializer) if each.name == "w")
    other.graph.initializer[place].CopyFrom(onnx.numpy_helper.from_array(filters, "w"))
    (expected,) = onnxruntime.InferenceSession(other.SerializeToString()).run(["z"], {"x": X})
    np.testing.assert_allclose(one, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [("threads", 1, AttributeError), ("intra_op_num_threads", "2", TypeError)],
)
@BOTH
def test_options_have_types(ort: Any, name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        setattr(ort.SessionOptions(), name, value)


def test_what_is_absent_says_why() -> None:
    with pytest.raises(AttributeError, match="SparseTensor: tensors are dense"):
        _ = ours.SparseTensor
    with pytest.raises(Exception, match="FAIL.*custom operators is not run"):
        ours.SessionOptions().register_custom_ops_library("ops.so")
    with pytest.raises(Exception, match="FAIL.*ONNX Runtime itself"):
        ours.register_execution_provider_library("directconv", "ep.so")
    assert ours.get_ep_devices() == []


def test_what_is_not_supported_has_onnx_runtimes_class() -> None:
    from tvm_directconv.onnxruntime.capi.onnxruntime_pybind11_state import Fail, NotImplemented

    unknown = network([node("Frobnicate", "x", "y")], {"x": (1,)}, {"y": (1,)})
    with pytest.raises(NotImplemented, match=r"\[ONNXRuntimeError\] : 9 : NOT_IMPLEMENTED : .*Frobnicate"):
        ours.InferenceSession(unknown.SerializeToString(), providers=[(OURS, {"fallback": "none"})])
    with pytest.raises(NotImplemented, match="Frobnicate"):  # ONNX Runtime does not know it, either
        ours.InferenceSession(unknown.SerializeToString())
    broken = network([node("Relu", "q", "y")], {"x": (1,)}, {"y": (1,)})
    with pytest.raises(Fail, match="'q' is made by no node"):
        ours.InferenceSession(broken)


@BOTH
def test_values(ort: Any, sessions: dict[str, Any]) -> None:
    value = ort.OrtValue.ortvalue_from_numpy(X.copy())
    assert (value.shape(), value.data_type(), value.device_name()) == ([2, 3, 9, 8], "tensor(float)", "cpu")
    assert value.is_tensor() and value.has_value() and not value.is_sparse_tensor()
    assert (value.element_type(), value.tensor_size_in_bytes()) == (TensorProto.FLOAT, X.nbytes)
    np.testing.assert_array_equal(np.from_dlpack(value), X)
    np.testing.assert_array_equal(value, X)
    value.update_inplace(2 * X)
    np.testing.assert_array_equal(value.numpy(), 2 * X)
    empty = ort.OrtValue.ortvalue_from_shape_and_type([2, 3], np.int64)
    assert (empty.shape(), empty.data_type()) == ([2, 3], "tensor(int64)")
    assert ort.OrtDevice.make("cpu", 0).device_id() == 0
    session = sessions["ours" if ort is ours else "theirs"]
    (found,) = session.run_with_ort_values(["y"], {"x": ort.OrtValue.ortvalue_from_numpy(X)})
    np.testing.assert_allclose(found.numpy(), session.run(["y"], {"x": X})[0])


@BOTH
def test_bindings(ort: Any, sessions: dict[str, Any]) -> None:
    """Inputs by array and by address; outputs allocated, by value, and by address."""
    session = sessions["ours" if ort is ours else "theirs"]
    y, z = session.run(None, {"x": X})
    binding = session.io_binding()
    binding.bind_cpu_input("x", X)
    binding.bind_output("z")
    binding.bind_output("y")
    session.run_with_iobinding(binding)
    for one, other in zip(binding.copy_outputs_to_cpu(), (z, y), strict=True):
        np.testing.assert_array_equal(one, other)
    assert [value.shape() for value in binding.get_outputs()] == [[2, 4, 7, 6]] * 2
    binding.clear_binding_outputs()
    into, value = np.zeros_like(y), ort.OrtValue.ortvalue_from_numpy(np.zeros_like(z))
    binding.bind_output("y", "cpu", 0, np.float32, into.shape, into.ctypes.data)
    binding.bind_ortvalue_output("z", value)
    binding.clear_binding_inputs()
    binding.bind_input("x", "cpu", 0, np.float32, X.shape, X.ctypes.data)
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(into, y)
    np.testing.assert_array_equal(value.numpy(), z)


def test_runs_in_another_thread(session: Any) -> None:
    done, told = threading.Event(), []

    def callback(results: Any, data: Any, error: str) -> None:
        told.append((results, data, error))
        done.set()

    session.run_async(["y"], {"x": X}, callback, "mine")
    assert done.wait(60)
    ((results, data, error),) = told
    assert (data, error) == ("mine", "")
    np.testing.assert_allclose(results[0], session.run(["y"], {"x": X})[0])


@BOTH
def test_profiles(ort: Any, tmp_path: Path) -> None:
    options = ort.SessionOptions()
    options.enable_profiling, options.profile_file_prefix = True, str(tmp_path / "profile")
    session = ort.InferenceSession(CONTENT, options)
    session.run(None, {"x": X})
    events = json.loads(Path(session.end_profiling()).read_text())
    assert {"Session", "Node"} == {event["cat"] for event in events}
    assert "model_run" in {event["name"] for event in events}
    assert all(event["ph"] == "X" and event["dur"] >= 0 for event in events)


def test_options_that_mean_nothing_are_said_once() -> None:
    options = ours.SessionOptions()
    options.intra_op_num_threads, options.graph_optimization_level = 1, ours.GraphOptimizationLevel(0)
    options.enable_mem_pattern = options.enable_cpu_mem_arena = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_free_dimension_override_by_name("h", 9)
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = ours.InferenceSession(CONTENT, options)
    session.run(None, {"x": X})
    with pytest.raises(Exception, match="INVALID_ARGUMENT"):
        session.run(None, {"x": draw(1, 3, 10, 8)})  # the height is 9
    options.execution_mode = ours.ExecutionMode.ORT_PARALLEL
    with pytest.warns(UserWarning, match=r"SessionOptions.execution_mode is ignored"):
        ours.InferenceSession(CONTENT, options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.InferenceSession(CONTENT, options)


def test_providers() -> None:
    named = (OURS, {"precision": "bfloat16", "typical": "h=16"})
    half = ours.InferenceSession(CONTENT, providers=[named, "CPUExecutionProvider"])
    exact = ours.InferenceSession(CONTENT, providers=["CPUExecutionProvider"])
    difference = np.abs(half.run(["y"], {"x": X})[0] - exact.run(["y"], {"x": X})[0]).max()
    assert 0 < difference < 0.1
    assert half.get_provider_options()["DirectConvExecutionProvider"]["precision"] == "bfloat16"
    with pytest.warns(UserWarning, match="Specified provider 'CUDAExecutionProvider' is not in available"):
        ours.InferenceSession(CONTENT, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
    with pytest.raises(Exception, match="INVALID_ARGUMENT|precision"):
        ours.InferenceSession(small(), providers=[(named[0], {"precision": "float8"})]).run(None, {"x": X})


def rates() -> onnx.ModelProto:
    """A network with branches for two sampling rates, a number among its inputs, that shapes follow from."""
    equal = helper.make_node("Equal", ["sr", "fast"], ["is_fast"])

    def branch(name: str, times: int) -> onnx.GraphProto:
        value = helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        return helper.make_graph(
            [helper.make_node("Concat", ["x"] * times, [name], axis=1)], name, [], [value]
        )

    chosen = helper.make_node(
        "If", ["is_fast"], ["y"], then_branch=branch("one", 1), else_branch=branch("two", 2)
    )
    graph = helper.make_graph(
        [equal, chosen],
        "rates",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, "t"]),
            helper.make_tensor_value_info("sr", TensorProto.INT64, []),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, None])],
        [onnx.numpy_helper.from_array(np.array(16000), "fast")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def test_numbers_among_inputs_may_decide_what_is_computed() -> None:
    mine, theirs = ours.InferenceSession(rates()), onnxruntime.InferenceSession(rates().SerializeToString())
    for rate in (16000, 8000, 16000):
        for length in (5, 8):
            feed = {"x": draw(1, length), "sr": np.array(rate)}
            np.testing.assert_array_equal(mine.run(None, feed)[0], theirs.run(None, feed)[0])


@pytest.mark.slow
def test_onnx_runtime_computes_what_does_not_compile() -> None:
    """Also in a process in which its name is this module's."""
    code = """
import sys
sys.path[:0] = sys.argv[1:]
import tvm_directconv.onnxruntime
tvm_directconv.onnxruntime.install()
import onnxruntime
from test_onnxruntime_api import *
nodes = [node("Conv", "x w", "a"), node("Det", "m", "d"), node("Mul", "a d", "y")]
inputs = {"x": (1, 3, 8, 8), "m": (2, 2)}
model = network(nodes, inputs, {"y": (1, 4, 6, 6)}, {"w": draw(4, 3, 3, 3)}).SerializeToString()
feed = {"x": draw(1, 3, 8, 8), "m": np.array([[2, 1], [1, 3]], np.float32)}
found = [each.InferenceSession(model).run(None, feed)[0] for each in (onnxruntime, onnxruntime.theirs)]
assert onnxruntime is ours and np.allclose(*found, atol=1e-5)
try:
    ours.InferenceSession(model, providers=[(OURS, {"fallback": "none"})])
except ours.capi.onnxruntime_pybind11_state.NotImplemented:
    print("right")
"""
    here = Path(__file__).parent
    command = [sys.executable, "-c", code, str(here), str(here.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "right\n", done.stderr


@pytest.mark.slow
def test_packages_find_it_by_onnx_runtimes_name() -> None:
    code = """
import tvm_directconv.onnxruntime
tvm_directconv.onnxruntime.install()
import onnxruntime as ort
from onnxruntime import InferenceSession, SessionOptions
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument
from onnxruntime.capi import _pybind_state as C
from onnxruntime.quantization import QuantType  # the installed package's own
assert ort is tvm_directconv.onnxruntime and C.InvalidArgument is InvalidArgument
print(ort.get_available_providers()[0], ort.get_device(), ort.__version__ >= "1.20")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "DirectConvExecutionProvider CPU True\n", done.stderr
