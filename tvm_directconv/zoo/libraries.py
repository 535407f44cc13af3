"""Networks of torchvision and timm by name: ``torchvision:resnet18``, ``timm:resnet18@160``.

Their weights are drawn with a seed, by role, and nothing is downloaded; torch exports them to ONNX in memory.
The size of an image is the network's own unless the name gives one, as ``@160`` or ``@160x192``. Both
packages, and torch, are needed for this alone.
"""

from __future__ import annotations

import importlib
import inspect
import io
import math
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any

import onnx

from tvm_directconv.errors import ModelError, last_line, let_through, nearest

LIBRARIES = ("torchvision", "timm")
SIZE = re.compile(r"(\d+)(?:x(\d+))?")
FRAMES = 16
"""A video network is given so many."""
OPSET = 18


@dataclass(frozen=True)
class Spec:
    """A library, a network of it, and the height and width of its images where they are given."""

    library: str
    network: str
    size: tuple[int, int] | None


def is_library_name(name: str) -> bool:
    """Return whether ``name`` is meant to be one of a library's networks."""
    return name.partition(":")[0] in LIBRARIES and ":" in name


def parse(name: str) -> Spec:
    """Return what a name says. Raises ModelError for an unknown network or size, or a missing package."""
    library, _, rest = name.partition(":")
    network, _, size = rest.partition("@")
    found = SIZE.fullmatch(size)
    if size and (found is None or "0" in (found[1].lstrip("0") or "0", (found[2] or "1").lstrip("0") or "0")):
        raise ModelError(f"'{name}': the size '{size}' is neither SIZE nor HEIGHTxWIDTH")
    known = _names(library)
    if network not in known:
        raise ModelError(
            f"'{name}': {library} does not have a network '{network}'{nearest(network, known)}; "
            f"{library}.{'models.' if library == 'torchvision' else ''}list_models() names all {len(known)}"
        )
    return Spec(library, network, None if found is None else (int(found[1]), int(found[2] or found[1])))


def load(name: str, seed: int = 0, on_phase: Callable[[str], None] = lambda phase: None) -> onnx.ModelProto:
    """Return the network as an ONNX model in evaluation mode, batch 1. Raises ModelError."""
    spec = parse(name)
    on_phase(f"building {name}")
    module, inputs = build(spec, seed)
    on_phase(f"exporting {name}")
    return _exported(name, module, inputs)


def build(spec: Spec, seed: int = 0) -> tuple[Any, tuple[Any, ...]]:
    """Return the torch module with drawn weights, in evaluation mode, and inputs of zeros for it."""
    torch = _package("torch", spec.library)
    try:
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(seed)
            module, inputs = (_of_timm if spec.library == "timm" else _of_torchvision)(spec)
            module = module.eval()
            draw_weights(module)
            return module, inputs
    except ModelError:
        raise
    except Exception as error:  # the libraries raise whatever came up
        let_through(error)
        raise ModelError(f"{spec.library} cannot build '{spec.network}': {last_line(error)}") from error


def draw_weights(module: Any) -> None:
    """Give a torch module weights worth computing with, from torch's generator.

    Libraries begin training with zeros where a residual branch ends, and an answer would not depend on it.
    """
    import torch

    with torch.no_grad():
        for name, tensor in (*module.named_parameters(), *module.named_buffers()):
            kind = name.rpartition(".")[2]
            if not tensor.is_floating_point():
                continue
            if kind == "running_var":
                tensor.uniform_(0.8, 1.2)
            elif kind in ("running_mean", "bias"):
                tensor.normal_(0, 0.1)
            elif not isinstance(tensor, torch.nn.Parameter):
                continue  # tables, as of positions
            elif tensor.ndim < 2 or tensor.numel() == max(tensor.shape):
                tensor.uniform_(0.5, 1.0)
            else:
                tensor.normal_(0, math.sqrt(2 / math.prod(tensor.shape[1:])))


def _names(library: str) -> list[str]:
    package = _package(library, library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = package.models.list_models() if library == "torchvision" else package.list_models()
    return [name for name in names if not name.startswith("quantized_")]


def _package(name: str, library: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ModelError(
            f"networks of {library} need {name}, which cannot be imported ({error}): pip install {library}"
        ) from None


def _of_timm(spec: Spec) -> tuple[Any, tuple[Any, ...]]:
    import timm
    import torch

    module = timm.create_model(spec.network, pretrained=False)
    channels, *size = module.default_cfg["input_size"]
    if spec.size is not None and spec.size != tuple(size):
        with suppress(TypeError):  # networks of patches are built for a size, others know of none
            module = timm.create_model(spec.network, pretrained=False, img_size=spec.size)
        size = list(spec.size)
    return module, (torch.zeros(1, channels, *size),)


def _of_torchvision(spec: Spec) -> tuple[Any, tuple[Any, ...]]:
    import torch
    from torchvision import models

    builder = models.get_model_builder(spec.network)
    default = models.get_model_weights(spec.network).DEFAULT.transforms()
    own = getattr(default, "crop_size", None) or getattr(default, "resize_size", None) or [320]
    height, width = spec.size or (int(own[0]), int(own[-1]))
    has_backbone = "weights_backbone" in inspect.signature(builder).parameters
    backbone = {"weights_backbone": None} if has_backbone else {}
    module = models.get_model(spec.network, weights=None, **backbone)
    kind = builder.__module__.split(".")[2]
    image = torch.zeros(1, 3, height, width)
    inputs: dict[str, tuple[Any, ...]] = {
        "detection": ([image[0]],),
        "optical_flow": (image, image),
        "video": (torch.zeros(1, 3, FRAMES, height, width),),
    }
    return module, inputs.get(kind, (image,))


def _exported(name: str, module: Any, inputs: tuple[Any, ...]) -> onnx.ModelProto:
    """The network by the exporter that traces, which writes each layer's path; else by the one of today."""
    import torch

    reasons, said = [], io.StringIO()
    for dynamo in (False, True):
        content = io.BytesIO()
        options: dict[str, Any] = (
            {"dynamo": False, "opset_version": OPSET} if not dynamo else {"dynamo": True}
        )
        try:
            with (
                torch.no_grad(),
                _attention_in_parts(),
                warnings.catch_warnings(),
                redirect_stdout(said),
                redirect_stderr(said),
            ):
                warnings.simplefilter("ignore")
                made = torch.onnx.export(module, inputs, None if dynamo else content, **options)
            model = made.model_proto if dynamo else onnx.load_from_string(content.getvalue())
            model.graph.name = name
            return model
        except Exception as error:  # the exporters raise whatever came up
            let_through(error)
            reasons.append(last_line(error))
    raise ModelError(f"torch cannot export '{name}' to ONNX: {reasons[0]}; its newer exporter: {reasons[1]}")


@contextmanager
def _attention_in_parts() -> Iterator[None]:
    """Keep torch from tracing attention as one operator of its own, which ONNX does not name."""
    import torch

    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)
