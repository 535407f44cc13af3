"""Networks of torchvision and timm by name: what a name says, what is missing, and what is built of it."""

from __future__ import annotations

import sys

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from tvm_directconv import zoo
from tvm_directconv.errors import ModelError
from tvm_directconv.zoo import libraries


@pytest.mark.parametrize("name", ["torchvision:resnet18", "timm:resnet18@64", "timm:resnet18_int8"])
def test_a_missing_package_is_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library = name.partition(":")[0]
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ModelError, match=rf"need {library}, .*pip install {library}$") as caught:
        zoo.load_model(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("timm:resnet81", "timm does not have a network 'resnet81' .did you mean 'resnet"),
        ("torchvision:restnet18", "not have a network 'restnet18' .did you mean 'resnet18'"),
        ("timm:resnet18@0", "'0' is neither SIZE nor HEIGHTxWIDTH"),
        ("timm:resnet18@64x", "'64x' is neither"),
        ("timm:", "not have a network ''"),
    ],
)
def test_wrong_names(name: str, message: str) -> None:
    pytest.importorskip(name.partition(":")[0])
    with pytest.raises(ModelError, match=message):
        zoo.resolve_model(name)


@pytest.mark.parametrize(
    ("name", "shape"),
    [("timm:test_resnet", (1, 3, 160, 160)), ("timm:test_resnet@64x96", (1, 3, 64, 96))],
)
def test_a_network_is_exported_with_its_names_and_drawn_weights(name: str, shape: tuple[int, ...]) -> None:
    pytest.importorskip("timm")
    model, again = zoo.load_model(name), zoo.load_model(name)
    onnx.checker.check_model(model)
    (given,) = model.graph.input
    assert tuple(dim.dim_value for dim in given.type.tensor_type.shape.dim) == shape
    assert model == again != zoo.load_model(name, seed=1)
    assert model.graph.name == name
    arrays = [numpy_helper.to_array(tensor) for tensor in model.graph.initializer]
    assert all(np.ptp(array) > 0 for array in arrays if array.size > 64)
    assert any("layer1" in node.name for node in model.graph.node if node.op_type == "Conv")
    assert len(zoo.layers(name)) > 3
    with pytest.raises(ModelError, match="random weights only"):
        zoo.load_model(name, weights="original")
    with pytest.raises(ModelError, match="nothing is shipped beside"):
        zoo.reference_output(name)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("torchvision:squeezenet1_1@64", (1, 3, 64, 64)),
        ("torchvision:lraspp_mobilenet_v3_large@64", (1, 3, 64, 64)),
        ("torchvision:r3d_18@32", (1, 3, libraries.FRAMES, 32, 32)),
    ],
)
def test_torchvisions_inputs(name: str, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torchvision")
    monkeypatch.setattr("urllib.request.urlopen", None)
    module, (image,) = libraries.build(libraries.parse(name))
    assert not module.training
    assert tuple(image.shape) == shape
