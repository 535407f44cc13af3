"""The execution provider for ONNX Runtime: what it takes, what stays and why, what needs no worker."""

from __future__ import annotations

import ctypes
import shutil
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cpu_support import foreign_cpu
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tvm_directconv.cache import Cache
from tvm_directconv.errors import DirectConvError
from tvm_directconv.onnxruntime import library_path
from tvm_directconv.targets import llvm

onnxruntime = pytest.importorskip(
    "onnxruntime", minversion="1.24", reason="it has no providers from libraries"
)
if not any(map(shutil.which, ("cc", "gcc", "clang"))):
    pytest.skip("no C compiler builds the provider's library", allow_module_level=True)

NAME = "directconv"
NO_WORKER = "/bin/false"


@pytest.fixture(scope="module")
def devices(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TVM_DIRECTCONV_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        onnxruntime.register_execution_provider_library(NAME, library_path())
        yield [device for device in onnxruntime.get_ep_devices() if device.ep_name == NAME]


def session(model: str | bytes, devices: Any, config: Mapping[str, str] | None = None, **options: str) -> Any:
    wanted = onnxruntime.SessionOptions()
    wanted.log_severity_level = 4
    wanted.intra_op_num_threads = 1
    for key, value in (config or {}).items():
        wanted.add_session_config_entry(key, value)
    wanted.add_provider_for_devices(devices, options)
    return onnxruntime.InferenceSession(model, wanted)


def results(model: str, session: Any, shape: Sequence[int] | None = None) -> None:
    """Assert that a session's first results are those of ONNX Runtime's own provider."""
    own = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    image = np.random.default_rng(1).standard_normal(shape or own.get_inputs()[0].shape).astype("float32")
    feeds = {own.get_inputs()[0].name: image}
    np.testing.assert_allclose(session.run(None, feeds)[0], own.run(None, feeds)[0], rtol=1e-3, atol=1e-3)


def written(
    folder: Path, nodes: list[Any], outputs: Mapping[str, list[Any]], channels: int, size: Any = 8
) -> str:
    rng = np.random.default_rng(channels)
    weights = rng.standard_normal((channels, 3, 3, 3)).astype("float32")
    filters = rng.integers(-127, 128, weights.shape).astype("int8")
    scalars = {"scale": np.float32(0.05), "zero": np.uint8(128), "step": np.float32(0.01), "none": np.int8(0)}
    arrays = {"weights": weights, "filters": filters, **scalars}
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, size, 8])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in outputs.items()],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()],
    )
    model: ModelProto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path = folder / "network.onnx"
    path.write_bytes(model.SerializeToString())
    return str(path)


def mixed(folder: Path, channels: int, size: Any = 8) -> str:
    nodes = [
        helper.make_node("Conv", ["image", "weights"], ["layer"], name="layer"),
        helper.make_node("Relu", ["layer"], ["result"], name="clipped"),
        helper.make_node("Unique", ["result"], ["found"], name="values", sorted=1),
    ]
    return written(folder, nodes, {"result": [1, channels, None, 6], "found": [None]}, channels, size)


@pytest.mark.slow
def test_names_the_nodes_that_stay_and_runs_the_others(devices: Any, tmp_path: Path) -> None:
    model, report = mixed(tmp_path, 4), tmp_path / "report.txt"
    config = {"session.record_ep_graph_assignment_info": "1"}
    mine = session(model, devices, config, report=str(report))
    taken = {
        part.ep_name: {node.name for node in part.get_nodes()}
        for part in mine.get_provider_graph_assignment_info()
    }
    assert taken == {NAME: {"layer", "clipped"}, "CPUExecutionProvider": {"values"}}
    assert report.read_text().startswith("values (Unique): ") and report.read_text().count("\n") == 1
    results(model, mine)
    with pytest.raises(Exception, match=r"1 nodes stay with ONNX Runtime: values \(Unique\)"):
        session(model, devices, strict="1", python=NO_WORKER)  # from the cache


@pytest.mark.slow
def test_context_nodes_and_the_cache_need_no_worker(devices: Any, tmp_path: Path) -> None:
    model, context = mixed(tmp_path, 5), tmp_path / "context.onnx"
    with pytest.raises(Exception, match=f"the compiler '{NO_WORKER}' failed"):
        session(model, devices, python=NO_WORKER)
    session(model, devices, {"ep.context_enable": "1", "ep.context_file_path": str(context)})
    results(model, session(model, devices, python=NO_WORKER))
    nowhere = str(tmp_path / "nowhere")
    results(model, session(str(context), devices, python=NO_WORKER, cache=nowhere))


def context_of(model: str, devices: Any, folder: Path, embedded: str, **options: str) -> Path:
    """The path of a model's context model."""
    path = folder / f"context{embedded}.onnx"
    config = {"ep.context_enable": "1", "ep.context_file_path": str(path), "ep.context_embed_mode": embedded}
    session(model, devices, config, **options)
    return path


def test_contexts_are_inside_or_beside_the_model(devices: Any, tmp_path: Path) -> None:
    """A context model moves with the files beside it, and says what is missing or not its own."""
    model, elsewhere = mixed(tmp_path, 5), tmp_path / "elsewhere"
    inside, beside = (context_of(model, devices, tmp_path, mode) for mode in "10")
    elsewhere.mkdir()
    moved = shutil.move(beside, elsewhere / beside.name)
    with pytest.raises(Exception, match="cannot read '.*context0_directconv0.so'"):
        session(str(moved), devices)
    name = "context0_directconv0.so"
    library = shutil.move(tmp_path / name, elsewhere / name)
    assert moved.stat().st_size < library.stat().st_size < inside.stat().st_size
    for each in (inside, moved):
        results(model, session(str(each), devices, python=NO_WORKER, cache=str(tmp_path / "nowhere")))
    library.write_bytes(library.read_bytes()[:-100])
    with pytest.raises(Exception, match="bytes, and the model was written with"):
        session(str(moved), devices)


@pytest.mark.parametrize("embedded", [False, True])
def test_the_hosts_own_compiler_of_models(devices: Any, tmp_path: Path, embedded: bool) -> None:
    """ONNX Runtime's ModelCompiler, to a file, and from a model in memory to one."""
    model, path = mixed(tmp_path, 5), tmp_path / "compiled.onnx"
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_provider_for_devices(devices, {})
    compiler = onnxruntime.ModelCompiler(options, model, embed_compiled_data_into_model=embedded)
    compiler.compile_to_file(str(path))
    beside = [] if embedded else ["compiled_directconv0.so"]
    assert [each.name for each in tmp_path.glob("*.so")] == beside
    results(model, session(str(path), devices, python=NO_WORKER))
    in_memory = onnxruntime.ModelCompiler(
        options, Path(model).read_bytes(), embed_compiled_data_into_model=embedded
    ).compile_to_bytes()
    results(model, session(in_memory, devices, python=NO_WORKER))


def test_a_context_names_files_beside_it_alone(devices: Any, tmp_path: Path) -> None:
    model = mixed(tmp_path, 5)
    path = context_of(model, devices, tmp_path, "0")
    for named in ("../context0_directconv0.so", str(tmp_path / "context0_directconv0.so"), ""):
        changed(path, tmp_path / "changed.onnx", ep_cache_context=named.encode())
        with pytest.raises(Exception, match="not a file beside the model"):
            session(str(tmp_path / "changed.onnx"), devices)


def changed(path: Path, to: Path, **attributes: bytes) -> None:
    """A context model with other texts in the attributes of its node."""
    model = onnx.load(path)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name in attributes:
                attribute.s = attributes[attribute.name]
    onnx.save(model, to)


@pytest.mark.slow
def test_code_for_another_cpu_is_refused(devices: Any, tmp_path: Path) -> None:
    """From the cache, and in a context model, by the names of what this CPU lacks. A session that writes a
    context model for such a CPU runs nothing itself."""
    cpu = foreign_cpu()
    model, cache = mixed(tmp_path, 5), tmp_path / "cache"
    with pytest.raises(Exception, match="may use .*, which this CPU lacks: compile the model for this CPU"):
        session(model, devices, target=f"llvm -mcpu={cpu}", cache=str(cache))
    path = context_of(model, devices, tmp_path, "1", target=f"llvm -mcpu={cpu}", cache=str(cache))
    with pytest.raises(Exception, match="which this CPU lacks"):
        session(str(path), devices)
    config = {"ep.context_enable": "1", "ep.context_file_path": str(tmp_path / "again.onnx")}
    writing = session(model, devices, config, target=f"llvm -mcpu={cpu}", cache=str(cache))
    with pytest.raises(Exception, match="this session only wrote the context model"):
        results(model, writing)


@pytest.mark.slow
def test_one_context_holds_several_instruction_sets(devices: Any, tmp_path: Path) -> None:
    """Of which each CPU takes the best that it has; code for another architecture is refused."""
    model = mixed(tmp_path, 5)
    path = context_of(model, devices, tmp_path, "1", target="portable")
    results(model, session(str(path), devices, python=NO_WORKER))
    is_arm = llvm.arch_of(llvm.host_triple()) == "aarch64"
    triple = "x86_64-linux-gnu" if is_arm else "aarch64-linux-gnu"
    if not shutil.which(f"{triple.replace('_', '-')}-gcc") and not shutil.which(f"{triple}-gcc"):
        pytest.skip(f"nothing links for {triple}")
    path = context_of(model, devices, tmp_path, "0", target=f"portable -mtriple={triple}")
    assert path.exists()
    with pytest.raises(Exception, match="code for CPUs of another architecture"):
        session(str(path), devices)


@pytest.mark.slow
def test_the_cache_keeps_its_limit(devices: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least recently used go, and the one that is wanted now is kept, however large."""
    entries = Cache(tmp_path / "cache").provider
    models = []
    for channels in (4, 5, 6):
        (tmp_path / str(channels)).mkdir()
        models.append(mixed(tmp_path / str(channels), channels))
    for model in models[:2]:
        session(model, devices, cache=str(tmp_path / "cache"))
    first, second = entries.entries()
    session(models[0], devices, cache=str(tmp_path / "cache"), python=NO_WORKER)  # used again
    assert [each.key for each in entries.entries()] == [second.key, first.key]
    monkeypatch.setenv("TVM_DIRECTCONV_CACHE_BYTES", str(2 * first.bytes + second.bytes // 2))
    session(models[2], devices, cache=str(tmp_path / "cache"))
    kept = [each.key for each in entries.entries()]
    assert len(kept) == 2 and kept[0] == first.key
    monkeypatch.setenv("TVM_DIRECTCONV_CACHE_BYTES", "1")
    results(models[1], session(models[1], devices, cache=str(tmp_path / "cache")))
    assert [each.key for each in entries.entries()] == [second.key]
    Cache(tmp_path / "cache").clear()
    assert not entries.entries()


@pytest.mark.slow
def test_environment_variables_stand_in_for_options(
    devices: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, cache = mixed(tmp_path, 4), tmp_path / "cache"
    monkeypatch.setenv("TVM_DIRECTCONV_CACHE_DIR", str(cache))
    monkeypatch.setenv("TVM_DIRECTCONV_PYTHON", NO_WORKER)
    with pytest.raises(Exception, match=f"the compiler '{NO_WORKER}' failed"):
        session(model, devices)
    session(model, devices, python=sys.executable)  # options come first
    assert len(Cache(cache).provider.entries()) == 1
    path = context_of(model, devices, tmp_path, "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    with pytest.raises(Exception, match=r"cannot write '.*nowhere/directconv-"):
        session(str(path), devices)


@pytest.mark.slow
@pytest.mark.parametrize("option", [{"precision": "bfloat16"}, {"target": "llvm -mcpu=x86-64"}])
def test_options_of_the_compiler_reach_it(devices: Any, tmp_path: Path, option: dict[str, str]) -> None:
    """Other code, whose last bits are others'."""
    model = mixed(tmp_path, 4)
    feeds = {"image": np.random.default_rng(2).standard_normal((1, 3, 8, 8)).astype("float32")}
    first, other = (session(model, devices, **each).run(None, feeds)[0] for each in ({}, option))
    assert 0 < np.abs(first - other).max() < 0.2


def test_runs_in_several_threads(devices: Any, tmp_path: Path) -> None:
    model = mixed(tmp_path, 4)
    results(model, session(model, devices, threads="2"))


@pytest.mark.slow
def test_bytes(devices: Any, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("QuantizeLinear", ["image", "scale", "zero"], ["bytes"]),
        helper.make_node("DequantizeLinear", ["bytes", "scale", "zero"], ["read"]),
        helper.make_node("DequantizeLinear", ["filters", "step", "none"], ["filter"]),
        helper.make_node("Conv", ["read", "filter"], ["result"], name="layer"),
    ]
    model = written(tmp_path, nodes, {"result": [1, 4, 6, 6]}, 4)
    results(model, session(model, devices, strict="1"))


def open_network(folder: Path) -> str:
    """Halved and doubled again, with all sizes open: it takes even ones alone, as ONNX Runtime does."""
    rng = np.random.default_rng(7)
    arrays = {
        "w": rng.standard_normal((8, 3, 3, 3)),
        "v": rng.standard_normal((8, 8, 1, 1)),
        "s": [1, 1, 2, 2],
    }
    nodes = [
        helper.make_node("Conv", ["image", "w"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("MaxPool", ["a"], ["b"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["b", "v"], ["c"]),
        helper.make_node("Resize", ["c", "", "s"], ["d"], mode="linear"),
        helper.make_node("Add", ["a", "d"], ["result"]),
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, "h", "w"])],
        [helper.make_tensor_value_info("result", TensorProto.FLOAT, ["n", 8, "h", "w"])],
        [numpy_helper.from_array(np.asarray(array, np.float32), name) for name, array in arrays.items()],
    )
    path = folder / "open.onnx"
    path.write_bytes(
        helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9
        ).SerializeToString()
    )
    return str(path)


@pytest.mark.slow
def test_open_dimensions_stay_open(devices: Any, tmp_path: Path) -> None:
    """One compilation takes every size; one that the network does not take is an error that says which it
    does."""
    model, context = open_network(tmp_path), tmp_path / "context.onnx"
    config = {"ep.context_enable": "1", "ep.context_file_path": str(context)}
    made = session(model, devices, config, strict="1", threads="2")
    for each in (made, session(str(context), devices, python=NO_WORKER)):
        for shape in ((1, 3, 32, 32), (2, 3, 18, 64), (1, 3, 64, 50), (3, 3, 8, 16), (1, 3, 32, 32)):
            results(model, each, shape)
        with pytest.raises(
            Exception, match=r"does not take the sizes 1, 33, 32; it takes those with h % 2 == 0"
        ):
            each.run(None, {"image": np.zeros((1, 3, 33, 32), np.float32)})


def test_sessions_of_open_dimensions_run_at_the_same_time(devices: Any, tmp_path: Path) -> None:
    model = open_network(tmp_path)
    mine = session(model, devices)
    with ThreadPoolExecutor(4) as pool:
        shapes = [(1 + i % 3, 3, 8 + 2 * i, 60 - 2 * i) for i in range(12)]
        list(pool.map(lambda shape: results(model, mine, shape), shapes))


@pytest.mark.slow
def test_open_dimensions_may_stay(devices: Any, tmp_path: Path) -> None:
    report = tmp_path / "report.txt"
    model = mixed(tmp_path, 4, size="height")
    session(model, devices, report=str(report), open_sizes="0")
    assert "layer (Conv): its part has open dimensions" in report.read_text()
    results(model, session(model, devices, report=str(report)), (1, 3, 11, 8))
    assert "layer" not in report.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("threads", "none", "must be a number from 1 to"),
        ("strict", "yes", "must be 0 or 1, not 'yes'"),
        ("open_sizes", "no", "must be 0 or 1, not 'no'"),
        ("report", "/nowhere/report.txt", "cannot write the report"),
        ("python", "/nowhere/python", "cannot start the compiler|failed with state"),
        ("precision", "float12", "float12"),
        ("accuracy", "about", "about"),
        ("target", "llvm -mcpu=none", "none"),
    ],
)
def test_refuses_wrong_options(devices: Any, tmp_path: Path, option: str, value: str, said: str) -> None:
    with pytest.raises(Exception, match=said):
        session(
            mixed(tmp_path, 6 if option in ("python", "precision", "accuracy", "target") else 4),
            devices,
            **{option: value},
        )


def test_refuses_a_host_that_is_too_old(devices: Any) -> None:
    """The host's table then lacks what is called, but has had ``CreateStatus`` first since ever."""
    messages: list[bytes] = []
    create_status = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)(
        lambda code, message: messages.append(message) or 1
    )
    table = (ctypes.c_void_p * 1)(ctypes.cast(create_status, ctypes.c_void_p))
    get_api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(
        lambda version: ctypes.addressof(table) if version == 1 else None
    )
    version = ctypes.create_string_buffer(b"1.17.3")
    get_version = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: ctypes.addressof(version))
    base = (ctypes.c_void_p * 2)(
        ctypes.cast(get_api, ctypes.c_void_p), ctypes.cast(get_version, ctypes.c_void_p)
    )
    create = ctypes.CDLL(library_path()).CreateEpFactories
    create.restype = ctypes.c_void_p
    assert create(b"old", base, None, None, ctypes.c_size_t(4), None) == 1
    assert messages == [b"this execution provider needs ONNX Runtime 1.24 or later, and this is 1.17.3"]


def test_says_what_builds_the_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TVM_DIRECTCONV_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("tvm_directconv.onnxruntime.provider.library.shutil.which", lambda name: None)
    monkeypatch.setattr("tvm_directconv.onnxruntime.provider.library.find_spec", lambda name: None)
    with pytest.raises(DirectConvError, match="install gcc or clang"):
        library_path()
