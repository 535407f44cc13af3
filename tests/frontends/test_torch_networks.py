"""Networks of torchvision and timm, each by one of the ways in from PyTorch, a few by all of them.

The ways are torch.export, the exporter to ONNX that traces, and the one of today. Images are small, weights
are drawn, PyTorch says what is right. Networks whose drawn weights make PyTorch's own float32 differ from its
float64, as products of activations do, are none that this could judge.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

import onnx
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchvision")
pytest.importorskip("timm")

from reference import run_by_name  # noqa: E402
from torch_support import leaves  # noqa: E402

import tvm_directconv as directconv  # noqa: E402
from tvm_directconv.zoo import libraries  # noqa: E402

pytestmark = pytest.mark.slow

NETWORKS = (
    *("torchvision:alexnet@96", "torchvision:vgg11_bn@224", "torchvision:resnet18@64"),
    *("torchvision:resnext50_32x4d@64", "torchvision:densenet121@64", "torchvision:googlenet@64"),
    *("torchvision:inception_v3@96", "torchvision:squeezenet1_1@64", "torchvision:mobilenet_v2@64"),
    *("torchvision:mobilenet_v3_small@64", "torchvision:shufflenet_v2_x0_5@64", "torchvision:mnasnet0_5@64"),
    *("torchvision:efficientnet_b0@64", "torchvision:regnet_y_400mf@64", "torchvision:convnext_tiny@64"),
    *("torchvision:swin_t@64", "torchvision:fcn_resnet50@64", "torchvision:vit_b_32@224"),
    *("torchvision:deeplabv3_mobilenet_v3_large@64", "torchvision:lraspp_mobilenet_v3_large@64"),
    *("torchvision:mc3_18@32", "timm:resnet18d@64", "timm:resnetv2_50@64", "timm:seresnext26d_32x4d@64"),
    *("timm:mobilenetv4_conv_small@64", "timm:ghostnet_050@64", "timm:repvgg_a0@64", "timm:dla34@64"),
    *("timm:res2net50_14w_8s@64", "timm:tf_efficientnet_b0@64", "timm:mixnet_s@64", "timm:eca_nfnet_l0@64"),
    *("timm:mobileone_s0@64", "timm:fastvit_t8@64", "timm:edgenext_xx_small@64", "timm:mobilevit_xxs@64"),
    *("timm:convnextv2_atto@64", "timm:cspresnet50@64", "timm:hrnet_w18_small@64", "timm:levit_128s@224"),
    *("timm:repvit_m0_9@64", "timm:hgnetv2_b0@64", "timm:inception_next_atto@64"),
    "timm:deit_tiny_patch16_224@224",
)
BY_ALL = ("torchvision:resnet18@64", "torchvision:mobilenet_v3_small@64", "timm:edgenext_xx_small@64")


def _exported(module: Any, inputs: tuple[Any, ...]) -> Any:
    return directconv.compile(module, example_inputs=inputs)


def _traced_onnx(module: Any, inputs: tuple[Any, ...]) -> Any:
    content = io.BytesIO()
    torch.onnx.export(module, inputs, content, dynamo=False)
    return directconv.compile(onnx.load_from_string(content.getvalue()))


def _exported_onnx(module: Any, inputs: tuple[Any, ...]) -> Any:
    return directconv.compile(torch.onnx.export(module, inputs, dynamo=True))


WAYS: dict[str, Callable[[Any, tuple[Any, ...]], Any]] = {
    "export": _exported,
    "onnx": _traced_onnx,
    "onnx-dynamo": _exported_onnx,
}
CASES = [
    (name, way)
    for place, name in enumerate(NETWORKS)
    for turn, way in enumerate(WAYS)
    if name in BY_ALL or turn == place % len(WAYS)
]


@pytest.mark.parametrize(("name", "way"), CASES)
def test_networks_are_pytorchs(name: str, way: str) -> None:
    if way == "onnx-dynamo":
        pytest.importorskip("onnxscript")
    module, inputs = libraries.build(libraries.parse(name))
    generator = torch.Generator().manual_seed(1)
    inputs = tuple(torch.randn(value.shape, generator=generator) for value in inputs)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = leaves(module(*inputs))
        model = WAYS[way](module, inputs)
    found = model.run(list(inputs))
    assert [value.shape for value in found] == [value.shape for value in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert abs(one - other).max() < 1e-3 * other.std(), name
    assert all(layer.name for layer in model.report().layers)


def test_a_detector_in_two_parts() -> None:
    """torchvision's SSDLite selects its boxes by their scores: the first part has all of its convolutions."""
    from torchvision.models.detection import ssdlite320_mobilenet_v3_large

    torch.manual_seed(1)
    module = ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None).eval()
    image, content = torch.rand(3, 320, 320), io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, ([image],), content, dynamo=False, opset_version=17)
    whole = onnx.load_from_string(content.getvalue())
    first, rest = directconv.split(whole)
    assert rest is not None and not any(node.op_type == "Conv" for node in rest.graph.node)
    model = directconv.compile(first)
    found = dict(zip(model.output_names, model.run([image.numpy()]), strict=True))
    (entry,) = whole.graph.input
    parts = run_by_name(rest, found)
    for name, wanted in run_by_name(whole, {entry.name: image.numpy()}).items():
        other = parts[name]
        assert other.shape == wanted.shape and abs(other - wanted).max() <= 1e-3 * max(1, abs(wanted).max())
