"""What the text that names a model stands for: an ONNX file, a light network, or a layer's descriptor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx

from tvm_directconv.errors import ModelError, let_through
from tvm_directconv.files import read_file
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

from .networks import full_name, layers
from .onnx_layers import convolution_layers

OTHERS = {".relay": "a Relay module", ".tflite": "a TensorFlow Lite model"}
FILE_SUFFIXES = (".onnx", *OTHERS)
DESCRIPTOR_MARK = "_ih"
"""Every descriptor of a workload has this in it, and no network's name."""


def is_descriptor(text: str) -> bool:
    """Return whether a layer is meant: by its descriptor, which may be wrong."""
    return DESCRIPTOR_MARK in text and not _is_file(text)


def resolve_model(model: str | Path) -> Path | str:
    """Return the path of the file that is meant, or the full name of the light network.

    Raises ModelError for a name that is neither; whether the file can be read is seen when it is.
    """
    if isinstance(model, Path) or _is_file(model):
        return Path(model)
    if "/" in model:
        if Path(model).is_dir():
            raise ModelError(f"'{model}' is a directory, not a model's file")
        raise ModelError(f"'{model}': no such file")
    return full_name(model)


def read_onnx(path: str | Path) -> onnx.ModelProto:
    """Return the model in an ONNX file; ModelError where there is none."""
    if other := OTHERS.get(Path(path).suffix):
        raise ModelError(f"'{path}' is {other}: only ONNX models can be taken here")
    data = read_file(Path(path), f"'{path}'", ModelError)
    try:
        model = onnx.load_model_from_string(data)
        onnx.load_external_data_for_model(model, str(Path(path).parent))
    except Exception as error:  # those of the file system and of protobuf
        let_through(error)
        raise ModelError(f"{path}: cannot be read as an ONNX model ({error})") from None
    if not model.graph.node and not model.graph.output:
        raise ModelError(f"'{path}' holds no graph: not an ONNX model, or a truncated one")
    return model


def layers_of(
    model: str | Path | onnx.ModelProto | Conv2dWorkload,
    on_phase: Callable[[str], None] = lambda phase: None,
) -> list[tuple[Conv2dWorkload, int]]:
    """Return the different convolutions of a model, or of a single layer, each with its count.

    ``model`` is a workload or its descriptor, an ONNX file or model, or a light network's name. The layers
    lack epilogues, but quantized ones what they store. Raises ModelError or WorkloadError.
    """
    if isinstance(model, Conv2dWorkload):
        return [(model if model.quantized else model.with_epilogue(Epilogue()), 1)]
    if isinstance(model, onnx.ModelProto):
        return convolution_layers(model)
    if isinstance(model, str) and is_descriptor(model):
        return layers_of(Conv2dWorkload.parse(model))
    if not isinstance(model, str | Path):
        raise ModelError(f"a model or layer is given by path, name or value, not by {model!r}")
    source = resolve_model(model)
    return convolution_layers(read_onnx(source)) if isinstance(source, Path) else layers(source, on_phase)


def _is_file(text: str) -> bool:
    return text.endswith(FILE_SUFFIXES) or Path(text).is_file()
