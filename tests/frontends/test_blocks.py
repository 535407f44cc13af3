"""Files in blocks, on all cores: as if read from beginning to end; and what of a model is looked through."""

from __future__ import annotations

import io
import zlib

import numpy as np
import onnx
import pytest

from tvm_directconv import workers
from tvm_directconv.other_files import EXTERNAL, names_other_files
from tvm_directconv.workers import of_blocks


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 63, 64, 100])
@pytest.mark.parametrize("cores", [1, 2, 3])
def test_blocks_come_in_order(size: int, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "BLOCK", 8)
    monkeypatch.setattr(workers, "core_count", lambda: cores)
    content = np.random.default_rng(size).bytes(size)
    assert b"".join(of_blocks(io.BytesIO(content), bytes)) == content
    sums = of_blocks(io.BytesIO(content), zlib.crc32)
    assert sums == [zlib.crc32(content[at : at + 8]) for at in range(0, size, 8)]


def model_of(*tensors: onnx.TensorProto, nodes: tuple[onnx.NodeProto, ...] = ()) -> onnx.ModelProto:
    graph = onnx.helper.make_graph(list(nodes), "graph", [], [], list(tensors))
    return onnx.helper.make_model(graph, producer_version="1.2")


def tensor(name: str, values: bytes) -> onnx.TensorProto:
    return onnx.TensorProto(name=name, data_type=onnx.TensorProto.UINT8, dims=[len(values)], raw_data=values)


def external(name: str) -> onnx.TensorProto:
    made = onnx.TensorProto(name=name, data_type=onnx.TensorProto.UINT8, dims=[1], data_location=1)
    made.external_data.add(key="location", value="data")
    return made


def constant_of(value: onnx.TensorProto) -> onnx.NodeProto:
    return onnx.helper.make_node("Constant", [], ["y"], value=value)


MODELS = {
    "none": (model_of(), False),
    "values that look so": (model_of(tensor("w", EXTERNAL * 3), tensor("v", b"x" * 300)), False),
    "another file": (model_of(tensor("w", b"x" * 200), external("v")), True),
    "a node's": (model_of(tensor("w", b"x"), nodes=(constant_of(external("v")),)), True),
    "a node's own": (model_of(nodes=(constant_of(tensor("v", b"abc")),)), False),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_that_name_other_files(name: str) -> None:
    model, expected = MODELS[name]
    assert names_other_files(io.BytesIO(model.SerializeToString())) is expected


@pytest.mark.parametrize("missing", [1, 5, 100])
def test_a_model_that_is_cut_short(missing: int) -> None:
    data = model_of(external("v"), tensor("w", b"x" * 200)).SerializeToString()
    assert names_other_files(io.BytesIO(data[:-missing]))


@pytest.mark.parametrize("size", [1, 10, 40])
def test_what_is_no_model_may_name_them(size: int) -> None:
    """Reading it says what is wrong."""
    assert names_other_files(io.BytesIO(b"\xff" * size))
