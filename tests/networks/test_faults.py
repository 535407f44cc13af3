"""Whatever is wrong with what users pass is an error of this package's own, and takes no time or memory."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from graph_support import draw, network, node
from onnx import ModelProto, TensorProto, helper, numpy_helper

import tvm_directconv as directconv
from tvm_directconv.cli.group import commands
from tvm_directconv.errors import (
    AlgorithmError,
    DirectConvError,
    InputError,
    ModelError,
    TargetError,
    TuningError,
    WorkloadError,
)
from tvm_directconv.problem.operands import random_operands
from tvm_directconv.problem.workload import Conv2dWorkload

SHAPE = (1, 3, 6, 8)
LAYER = Conv2dWorkload(1, 6, 6, 8, 8, (3, 3))
HUGE = 1 << 33
RELU = network([node("Relu", "x", "y")], {"x": SHAPE}, {"y": SHAPE})

OPTIONS: dict[str, tuple[dict[str, Any], type[DirectConvError]]] = {
    "no model": ({"model": None}, ModelError),
    "a number for a model": ({"model": 5}, ModelError),
    "an empty path": ({"model": ""}, ModelError),
    "a path with a null byte": ({"model": "a\0b"}, ModelError),
    "a path too long": ({"model": "a" * 5000}, ModelError),
    "a folder": ({"model": "/"}, ModelError),
    "a device": ({"model": "/dev/zero"}, ModelError),
    "algorithm": ({"algorithm": 5}, AlgorithmError),
    "algorithm of a layer": ({"algorithm": {"a": None}}, AlgorithmError),
    "layout": ({"layout": 7}, WorkloadError),
    "layout, no word": ({"layout": ["NHWC"]}, WorkloadError),
    "workspace": ({"max_workspace_bytes": "x"}, WorkloadError),
    "negative workspace": ({"max_workspace_bytes": -1}, WorkloadError),
    "tensor bytes": ({"max_tensor_bytes": 1.5}, WorkloadError),
    "tuning": ({"tuning": 5}, TuningError),
    "tuning that is missing": ({"tuning": "/nope"}, TuningError),
    "tuning in a folder": ({"tuning": "/"}, TuningError),
    "tuning with a null byte": ({"tuning": "a\0"}, TuningError),
    "shapes": ({"shapes": 3}, ModelError),
    "a shape": ({"shapes": {"x": 3}}, ModelError),
    "dimensions": ({"shapes": {"x": ("a", 1)}}, ModelError),
    "an overflowing dimension": ({"shapes": {"x": (1, 3, 6, 1 << 70)}}, ModelError),
    "no shapes": ({"shapes": []}, ModelError),
    "shapes of several sizes": ({"shapes": [{"x": SHAPE}, SHAPE]}, ModelError),
    "batch": ({"batch": "8"}, ModelError),
    "no batch": ({"batch": ()}, ModelError),
    "an empty batch": ({"batch": (1, 0)}, ModelError),
    "a batch of truth": ({"batch": True}, ModelError),
    "target": ({"target": 3.5}, TargetError),
    "no target": ({"target": None}, TargetError),
    "params": ({"params": 7}, ModelError),
    "params of no array": ({"params": {"x": object()}}, ModelError),
    "data folder": ({"data_folder": 3}, ModelError),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_of_compile_are_checked(name: str) -> None:
    options, error = OPTIONS[name]
    with pytest.raises(error):
        directconv.compile(**({"model": RELU} | options))


LAYER_OPTIONS: dict[str, tuple[dict[str, Any], type[DirectConvError]]] = {
    "no workload": ({"workload": None}, WorkloadError),
    "algorithm": ({"algorithm": 5}, AlgorithmError),
    "target": ({"target": 3.5}, TargetError),
    "workspace": ({"max_workspace_bytes": "x"}, WorkloadError),
    "tuning": ({"tuning": "/nope"}, TuningError),
}


@pytest.mark.parametrize("name", LAYER_OPTIONS)
def test_options_of_layers_are_checked(name: str) -> None:
    options, error = LAYER_OPTIONS[name]
    with pytest.raises(error):
        directconv.build_conv2d(**({"workload": LAYER} | options))


class _WantsGradients:
    """As torch's tensors that require gradients."""

    def __array__(self, *arguments: Any, **options: Any) -> np.ndarray:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


BAD_INPUTS: dict[str, Any] = {
    "gradients": _WantsGradients(),
    "dtype": np.zeros(SHAPE),
    "shape": np.zeros(SHAPE[::-1], np.float32),
    "rank": np.zeros(SHAPE[1:], np.float32),
    "objects": np.full(SHAPE, None),
    "strings": np.full(SHAPE, "1.0"),
    "dates": np.zeros(SHAPE, "datetime64[s]"),
    "complex": np.zeros(SHAPE, np.complex64),
    "nothing": None,
    "a word": "x",
    "ragged": {"x": [[1.0], [2.0, 3.0]]},
    "count": [np.zeros(SHAPE, np.float32)] * 2,
    "none": [],
    "name": {"z": np.zeros(SHAPE, np.float32)},
    "no name": {None: np.zeros(SHAPE, np.float32)},
}


@pytest.fixture(scope="module")
def relu() -> directconv.CompiledModel:
    return directconv.compile(RELU)


@pytest.mark.parametrize("name", BAD_INPUTS)
def test_inputs_are_checked(name: str, relu: directconv.CompiledModel) -> None:
    for given in (relu.run, relu.set_inputs):
        with pytest.raises(InputError):
            given(BAD_INPUTS[name])


def test_any_memory_serves(relu: directconv.CompiledModel) -> None:
    """Strided, reversed, read-only and big-endian arrays hold the same numbers."""
    image = draw(*SHAPE)
    wanted = np.maximum(image, 0)
    frozen = image.copy()
    frozen.setflags(write=False)
    wide = np.zeros((*SHAPE[:3], 2 * SHAPE[3]), np.float32)
    wide[..., ::2] = image
    forms = (
        wide[..., ::2],
        image[..., ::-1].copy()[..., ::-1],
        frozen,
        image.astype(">f4"),
        np.asfortranarray(image),
    )
    for form in forms:
        np.testing.assert_array_equal(relu.run(form)[0], wanted)


@pytest.fixture(scope="module")
def layer() -> directconv.Conv2dLayer:
    return directconv.build_conv2d(LAYER)


@pytest.mark.parametrize("operand", [0, 1])
@pytest.mark.parametrize("value", [None, "x", 3.0, _WantsGradients(), np.zeros(3), [[1.0], [2.0, 3.0]]])
def test_operands_of_layers_are_checked(operand: int, value: Any, layer: directconv.Conv2dLayer) -> None:
    operands: list[Any] = list(random_operands(LAYER))
    operands[operand] = value
    with pytest.raises(InputError):
        layer(*operands)


@pytest.mark.parametrize("where", ["", ".", "a\0b", "n" * 5000, None, 5, "/proc/model.so"])
def test_libraries_are_written_to_files(where: Any, relu: directconv.CompiledModel) -> None:
    with pytest.raises(DirectConvError):
        relu.export_library(where)
    with pytest.raises(ModelError):
        directconv.load(where)


# ---- sizes


def _sized(kind: str, dims: list[int], shape: tuple[int, ...] = (1,), **attributes: Any) -> ModelProto:
    """One operator whose result has a shape that a constant gives."""
    inputs = {"ConstantOfShape": "dims", "Range": "zero dims one"}
    first = inputs.get(kind, "x dims" if kind != "Resize" else "x - - dims")
    weights = {
        "dims": np.array(dims, np.int64) if kind != "Range" else np.array(dims[0], np.int64),
        "zero": np.array(0, np.int64),
        "one": np.array(1, np.int64),
    }
    used = {name: array for name, array in weights.items() if name in first.split()}
    nodes = [node(kind, first, "big", **attributes), node("Cast", "big", "f", to=TensorProto.FLOAT)]
    nodes += [node("ReduceSum", "f", "s", keepdims=0), node("Add", "s x", "y")]
    return network(nodes, {"x": shape}, {"y": shape}, used, opset=13)


SIZED = {
    "ConstantOfShape": _sized("ConstantOfShape", [HUGE]),
    "ConstantOfShape of several": _sized("ConstantOfShape", [1 << 20, 1 << 20, 1 << 20]),
    "ConstantOfShape, overflowing": _sized("ConstantOfShape", [1 << 62, 1 << 62]),
    "ConstantOfShape, negative": _sized("ConstantOfShape", [-5]),
    "Expand": _sized("Expand", [HUGE]),
    "Tile": _sized("Tile", [HUGE]),
    "Pad": _sized("Pad", [0, HUGE]),
    "Resize": _sized("Resize", [1, 1, 1 << 17, 1 << 16], (1, 1, 2, 2), mode="nearest"),
    "Range": _sized("Range", [HUGE]),
    "input": network([node("Relu", "x", "y")], {"x": (HUGE,)}, {"y": (HUGE,)}),
}


@pytest.mark.parametrize("name", SIZED)
def test_large_tensors_are_refused(name: str) -> None:
    reasons = r"takes \d+ bytes, more than the 2147483648|elements; at most|negative|not a valid"
    with pytest.raises(ModelError, match=reasons):
        directconv.compile(SIZED[name])


def test_the_limit_can_be_moved() -> None:
    with pytest.raises(ModelError, match="takes 576 bytes, more than the 575.*max_tensor_bytes"):
        directconv.compile(RELU, max_tensor_bytes=575)
    module = _relax_module()
    with pytest.raises(ModelError, match="takes 576 bytes, more than the 575"):
        directconv.compile(module, max_tensor_bytes=575)
    assert directconv.compile(module, max_tensor_bytes=576).run(draw(*SHAPE))[0].shape == SHAPE


def test_the_command_line_has_the_limit(tmp_path: Path) -> None:
    (tmp_path / "relu.onnx").write_bytes(RELU.SerializeToString())
    result = CliRunner().invoke(
        commands, ["explain", str(tmp_path / "relu.onnx"), "--max-tensor-bytes", "575"]
    )
    assert result.exit_code != 0 and "takes 576 bytes" in result.output


def _relax_module() -> Any:
    from relay_strategies.frontends.onnx.importer import import_model

    return import_model(RELU)


def test_negative_dimensions_of_weights_are_refused() -> None:
    model = network([node("Add", "x w", "y")], {"x": (4,)}, {"y": (4,)}, {"w": np.ones(4, np.float32)})
    model.graph.initializer[0].dims[:] = [-1]
    with pytest.raises(ModelError, match=r"'w' has shape \(-1,\)"):
        directconv.compile(model)


# ---- external data


WEIGHT = np.arange(6, dtype=np.float32)


def _external(folder: Path, **entries: str) -> Path:
    """A model whose weight is in a file beside it, as ``entries`` say."""
    model = network([node("Add", "x w", "y")], {"x": (6,)}, {"y": (6,)}, {"w": WEIGHT})
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize("offset", [0, 8])
@pytest.mark.parametrize("length", ["24", None])
def test_external_data_is_read(offset: int, length: str | None, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "w.bin").write_bytes(b"\0" * offset + WEIGHT.tobytes())
    entries = {"location": "deep/w.bin", "offset": str(offset)} | (
        {} if length is None else {"length": length}
    )
    path = _external(tmp_path, **entries)
    proto = onnx.load(path, load_external_data=False)
    x = draw(6)
    for model, folder in ((path, None), (path.read_bytes(), tmp_path), (proto, tmp_path)):
        np.testing.assert_array_equal(directconv.compile(model, data_folder=folder).run(x)[0], x + WEIGHT)
    assert proto.graph.initializer[0].data_location == TensorProto.EXTERNAL


def test_models_without_a_folder_have_no_external_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHT.tobytes())
    path = _external(tmp_path, location="w.bin")
    monkeypatch.chdir(tmp_path)
    for model in (path.read_bytes(), onnx.load(path, load_external_data=False)):
        with pytest.raises(ModelError, match="'w' in another file.*data_folder"):
            directconv.compile(model)


BAD_DATA: dict[str, dict[str, str]] = {
    "no location": {},
    "missing": {"location": "nowhere.bin"},
    "absolute": {"location": "/etc/passwd"},
    "upwards": {"location": "../secret.bin"},
    "upwards in between": {"location": "deep/../../secret.bin"},
    "upwards, other slashes": {"location": "..\\secret.bin"},
    "a drive": {"location": "C:w.bin"},
    "the folder": {"location": "."},
    "a folder": {"location": "deep"},
    "a link": {"location": "link.bin"},
    "through a link": {"location": "linked/secret.bin"},
    "a pipe": {"location": "pipe"},
    "a null byte": {"location": "w.bin\0"},
    "a long name": {"location": "w" * 5000},
    "a long path": {"location": "w/" * 5000},
    "negative offset": {"location": "w.bin", "offset": "-4"},
    "no number": {"location": "w.bin", "offset": "four"},
    "offset past the end": {"location": "w.bin", "offset": "100"},
    "huge offset": {"location": "w.bin", "offset": "9" * 30},
    "negative length": {"location": "w.bin", "length": "-1"},
    "length past the end": {"location": "w.bin", "length": "25"},
    "other length": {"location": "w.bin", "length": "20"},
    "rest too short": {"location": "w.bin", "offset": "4"},
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_external_data_is_refused(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "w.bin").write_bytes(WEIGHT.tobytes())
    (tmp_path / "secret.bin").write_bytes(WEIGHT.tobytes())
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "linked").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    with pytest.raises(ModelError, match="'w'"):
        directconv.compile(_external(folder, **BAD_DATA[name]))


def test_deeply_nested_graphs_are_refused() -> None:
    inner = helper.make_graph([], "inner", [], [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)])
    for number in range(200):
        one = numpy_helper.from_array(np.array(True), "one")
        chosen = helper.make_node("If", ["one"], [f"r{number}"], then_branch=inner, else_branch=inner)
        inner = helper.make_graph(
            [chosen], "g", [], [helper.make_tensor_value_info(f"r{number}", 1, SHAPE)], [one]
        )
        if inner.ByteSize() > 1 << 16:
            break
    model = helper.make_model(inner)
    with pytest.raises(ModelError):
        directconv.compile(model)


# ---- records


def test_nested_brackets_are_no_records(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text("[" * 200_000 + "\n" + "[" * 60_000 + "\n")
    with pytest.raises(TuningError, match="holds no tuning records"):
        directconv.compile(RELU, tuning=path)
    with pytest.raises(TuningError, match="holds no tuning records"):
        directconv.tune(LAYER, trials=1, records=path)
    assert path.read_text().startswith("[[[")


def test_skipped_lines_are_counted(tmp_path: Path) -> None:
    from relay_strategies.strategies.record_files import Record

    good = Record("llvm", 1, str(LAYER), "direct_nhwc", {}, (1.0,))
    path = tmp_path / "records.jsonl"
    path.write_text(good.line() + "{}\n" + good.line().replace("1.0", "NaN"))
    with pytest.warns(UserWarning, match="2 lines of '.*records.jsonl' are not tuning records"):
        directconv.build_conv2d(LAYER, tuning=path)
    path.write_text(good.line())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        directconv.build_conv2d(LAYER, tuning=path)
