"""Compiled models from the cache: equal to those compiled anew, where all that they depend on is equal."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import tvm
from cli_support import small_model
from graph_cases import CASES
from graph_support import draw

import tvm_directconv as directconv
from relay_strategies.c_export.launches import Weights
from relay_strategies.compiler import compiler, content
from relay_strategies.compiler.compilation import Compilation
from relay_strategies.compiler.content import key_of
from relay_strategies.compiler.source import ModelInput
from relay_strategies.compiler.stored import LIBRARY, PROGRAM, WEIGHTS
from relay_strategies.frontends.onnx.importer import import_onnx
from relay_strategies.strategies import conv2d_strategy
from relay_strategies.strategies.record_files import Record
from relay_strategies.strategies.records import Records
from tvm_directconv import trust
from tvm_directconv.cache import FOLDER, SWITCH, user_cache
from tvm_directconv.targets.target import CompileTarget, resolve_target

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no linker")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cache that is on."""
    monkeypatch.delenv(SWITCH)
    monkeypatch.setenv(FOLDER, str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def compiled_sizes(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, tuple[int, ...]]]:
    """The sizes that are compiled from here on."""
    sizes: list[dict[str, tuple[int, ...]]] = []
    add = Compilation.add

    def counted(self: Compilation, shapes: Any, *rest: Any) -> None:
        sizes.append(shapes)
        add(self, shapes, *rest)

    monkeypatch.setattr(Compilation, "add", counted)
    return sizes


def test_a_model_compiled_before_is_equal(folder: Path, compiled_sizes: list) -> None:
    path = small_model(folder)
    anew, first, second = (directconv.compile(path, cache=cached) for cached in (False, True, True))
    assert len(compiled_sizes) == 2
    image = draw(*(int(dim) for dim in anew.inputs[0].shape))
    wanted = anew.run(image)
    for number, model in enumerate((first, second)):
        assert (model.inputs, model.outputs, model.target) == (anew.inputs, anew.outputs, anew.target)
        assert model.report() == anew.report() and str(model) == str(anew)
        assert all(map(np.array_equal, model.run(image), wanted))
        library = folder / f"{number}.so"
        model.export_library(library)
        assert all(map(np.array_equal, directconv.load(library).run(image), wanted))
    assert first.report().compile_seconds == second.report().compile_seconds
    assert (folder / "0.so").read_bytes() == (folder / "1.so").read_bytes()
    (entry,) = user_cache().entries()
    assert str(path) in entry.label


def test_sizes_on_demand_follow_those_that_were_kept(folder: Path, compiled_sizes: list) -> None:
    path = small_model(folder, "n")
    first, second = (directconv.compile(path, batch=2, on_demand=True) for _ in range(2))
    assert len(compiled_sizes) == 1 and second.inputs == first.inputs
    image = draw(3, *(int(dim) for dim in second.sizes[0].inputs[0].shape[1:]))
    for count in (2, 3, 2):
        assert np.array_equal(first.run(image[:count])[0], second.run(image[:count])[0])
    assert [size.shapes for size in second.sizes] == [size.shapes for size in first.sizes]
    assert second.size(batch=3).report() == first.size(batch=3).report()
    second.export_library(folder / "grown.so")
    assert len(directconv.load(folder / "grown.so").sizes) == 2


def test_sizes_that_conditions_exclude_follow_a_model_that_was_kept(folder: Path) -> None:
    weight = draw(8, 3, 5, 5)
    value = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 3, "h", "w"])
    result = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    nodes = [onnx.helper.make_node("Conv", ["x", "filter"], ["y"], pads=[2, 2, 2, 2])]
    stored = onnx.numpy_helper.from_array(weight, "filter")
    model = onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", [value], [result], [stored]))
    image = draw(1, 3, 2, 2)
    padded = np.pad(image, ((0, 0), (0, 0), (2, 2), (2, 2)))
    windows = np.lib.stride_tricks.sliding_window_view(padded.astype(np.float64), (5, 5), (2, 3))
    wanted = np.einsum("nchwij,ocij->nohw", windows, weight)
    for _ in range(2):
        compiled = directconv.compile(model, typical={"h": 32, "w": 32})
        np.testing.assert_allclose(compiled.run(image)[0], wanted, rtol=1e-4, atol=1e-4)
        assert len(compiled.sizes) == 2


def test_a_model_without_kernels(folder: Path) -> None:
    value = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3])
    result = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [3, 2])
    nodes = [onnx.helper.make_node("Reshape", ["x", "s"], ["y"])]
    shape = onnx.numpy_helper.from_array(np.array([3, 2]), "s")
    model = onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", [value], [result], [shape]))
    image = draw(2, 3)
    for _ in range(2):
        assert np.array_equal(directconv.compile(model).run(image)[0], image.reshape(3, 2))


@pytest.mark.slow
@pytest.mark.parametrize("name", [PROGRAM, LIBRARY, WEIGHTS])
def test_a_damaged_model_is_compiled_again(folder: Path, compiled_sizes: list, name: str) -> None:
    path = small_model(folder)
    first = directconv.compile(path)
    image = draw(*(int(dim) for dim in first.inputs[0].shape))
    (entry,) = user_cache().entries()
    damaged = user_cache().folder / entry.key / name
    damaged.unlink()  # and not in place: the library is mapped
    damaged.write_bytes(b"\x7fELF")
    again = directconv.compile(path)
    assert np.array_equal(again.run(image)[0], first.run(image)[0])
    directconv.compile(path)
    assert len(compiled_sizes) == 2


def test_what_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small_model(folder)
    directconv.compile(path, cache=False)
    directconv.compile(path, "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")
    monkeypatch.setenv(SWITCH, "0")
    directconv.compile(path)
    assert user_cache().entries() == []


TARGET = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver3")
RECORD = Record(str(TARGET), 1, "w", "direct_nhwc", {}, (1.0,))


def key(**changes: Any) -> str | None:
    given: dict[str, Any] = {
        "model": CASES["conv_bias_relu"].model,
        "target": TARGET,
        "records": None,
        "options": (("auto", "NHWC", None), (None, None, False)),
    } | changes
    depends_on = {name: given.pop(name) for name in ("target", "records", "options")}
    return key_of(ModelInput(**given), **depends_on)


def machine_with(**costs: float) -> CompileTarget:
    machine = replace(TARGET.machine, costs=replace(TARGET.machine.costs, **costs))
    return replace(TARGET, machine=machine)


def model_with(change: Callable[[onnx.ModelProto], Any]) -> onnx.ModelProto:
    model = onnx.ModelProto.FromString(CASES["conv_bias_relu"].model.SerializeToString())
    change(model)
    return model


CHANGES: dict[str, Callable[[], dict[str, Any]]] = {
    "model": lambda: {"model": CASES["classifier"].model},
    "one weight": lambda: {"model": model_with(lambda m: _add_one(m.graph.initializer[0]))},
    "a weight's name": lambda: {"model": model_with(lambda m: setattr(m.graph.initializer[0], "name", "q"))},
    "weights in turn": lambda: {"model": model_with(lambda m: m.graph.initializer.reverse())},
    "a node": lambda: {"model": model_with(lambda m: setattr(m.graph.node[0], "name", "another"))},
    "opset": lambda: {"model": model_with(lambda m: setattr(m.opset_import[0], "version", 9))},
    "its bytes": lambda: {"model": CASES["conv_bias_relu"].model.SerializeToString()},
    "a Relax module": lambda: {"model": import_onnx(CASES["conv_bias_relu"].model)},
    "params": lambda: {"params": {"w": np.zeros(3)}},
    "other params": lambda: {"params": {"w": np.ones(3)}},
    "params in order": lambda: {"params": {"main": [tvm.runtime.tensor(np.ones(3))]}},
    "target": lambda: {"target": resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver4")},
    "machine": lambda: {"target": machine_with(call_cycles=7.0)},
    "no records": lambda: {"records": Records()},
    "records": lambda: {"records": Records(records=[RECORD])},
    "other records": lambda: {"records": Records(records=[replace(RECORD, seconds=(2.0,))])},
    "algorithm": lambda: {"options": (({"*": "sconv"}, "NHWC", None), (None, None, False))},
    "batch": lambda: {"options": (("auto", "NHWC", None), (None, np.int64(2), False))},
    "shapes": lambda: {"options": (("auto", "NHWC", None), ({"x": (1, None)}, None, False))},
    "limit": lambda: {"max_tensor_bytes": 5},
}


def _add_one(tensor: onnx.TensorProto) -> None:
    changed = onnx.numpy_helper.to_array(tensor).copy()
    changed.flat[-1] += 1
    tensor.CopyFrom(onnx.numpy_helper.from_array(changed, tensor.name))


def test_keys_say_all_that_a_model_depends_on() -> None:
    keys = {name: key(**change()) for name, change in CHANGES.items()} | {"": key()}
    assert None not in keys.values() and len(set(keys.values())) == len(keys)
    assert keys == {name: key(**change()) for name, change in CHANGES.items()} | {"": key()}


def test_keys_say_how_tvm_is_to_build() -> None:
    before = key()
    with tvm.transform.PassContext(config={"tirx.disable_vectorize": True}):
        assert key() not in (None, before)
    assert key() == before


def test_keys_are_the_same_in_every_process() -> None:
    """The order of sets is another in each; of these two, which are equal, it is one as they were made."""
    features = frozenset([0, 8]), frozenset([8, 0])
    assert list(features[0]) != list(features[1])
    machines = [replace(TARGET.machine, features=order) for order in features]  # type: ignore[arg-type]
    first, second = (key(target=replace(TARGET, machine=machine)) for machine in machines)
    assert first == second is not None


def test_keys_say_which_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    monkeypatch.setattr(content, "_version", lambda package: "1.2.3")
    other_versions = key()
    monkeypatch.setattr(content, "_own_files", lambda: "other files")
    assert len({before, other_versions, key()}) == 3


def test_external_data_is_part_of_a_model(tmp_path: Path) -> None:
    model = onnx.ModelProto()
    model.CopyFrom(CASES["conv_bias_relu"].model)
    keys = set()
    for change in (0.0, 1.0, 1.0):
        tensor = model.graph.initializer[0]
        tensor.CopyFrom(
            onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor) + change, tensor.name)
        )
        saved = onnx.ModelProto()
        saved.CopyFrom(model)
        path = tmp_path / "model.onnx"
        onnx.save(saved, path, save_as_external_data=True, location="data", size_threshold=0)
        keys.add(key(model=str(path)))
        (tmp_path / "data").unlink()
    assert len(keys) == 3 and None not in keys
    assert key(model=str(path)) is None  # the data is missing


def test_a_users_strategy_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(conv2d_strategy.functions, "mine", lambda workload, target: None)
    assert key() is None


@pytest.mark.parametrize("model", ["no-such-network", "/no/such/file.onnx", 3, None])
def test_what_is_no_model_has_no_key(model: Any) -> None:
    assert key(model=model) is None


@pytest.mark.slow
def test_a_full_disk_is_no_error(folder: Path, compiled_sizes: list, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the cache nor a temporary folder has room: LLVM keeps its code in memory, and meets no disk."""
    path, image = small_model(folder), draw(1, 3, 8, 8)
    want = directconv.compile(path, cache=False).run(image)[0]

    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    trust._SAID.clear()
    with monkeypatch.context() as patched:
        patched.setattr(Weights, "write", full)
        patched.setattr(compiler, "has_linking_room", lambda: False)
        patched.setattr(tvm.runtime.executable._utils, "tempdir", full)
        with pytest.warns(UserWarning, match="nothing can be kept .* No space left") as said:
            models = [directconv.compile(path) for _ in range(2)]
        for model in models:
            np.testing.assert_array_equal(model.run(image)[0], want)
    assert len([each for each in said if "kept" in str(each.message)]) == 1
    found = user_cache()
    assert found is not None and found.entries() == []
    directconv.compile(path)
    assert len(found.entries()) == 1
