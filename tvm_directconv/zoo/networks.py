"""Networks by name: the nine ImageNet networks inside the onnx package, with weights worth computing with.

They serve the demo, the benchmarks and the tests; nothing is ever downloaded. The files
keep the graphs of AlexNet, DenseNet-121, Inception v1 and v2, ResNet-50, ShuffleNet, SqueezeNet,
VGG-19 and ZFNet-512, but their parameters are ``ConstantOfShape`` nodes that all hold 0.02: an
answer then hardly depends on which input channel met which tap. ``load_model`` therefore draws
seeded random parameters by role by default.

Beside them stand the project's own networks, ``unet`` and others: see own.py. Each of all these also exists
quantized to 8 bits, as ``light_resnet50_int8``: see quantized.py.

Source: ``onnx/backend/test/data/light`` of the installed onnx package.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from tvm_directconv.errors import ModelError, nearest
from tvm_directconv.problem.workload import Conv2dWorkload

from . import libraries, quantized
from .inputs import true_inputs
from .onnx_layers import convolution_layers
from .own import NETWORKS

# The first IR version whose initializers need not be listed as graph inputs is 4; 8 is what opset 9
# to 15 writers emit and every runtime of today reads.
IR_VERSION = 8

PREFIX, SUFFIX = "light_", "_int8"

KEPT = 2
_made: dict[tuple[str, str, int], onnx.ModelProto] = {}
"""These are the quantized networks made last: a benchmark asks for the model and for its layers."""


def list_models(quantized: bool = False) -> list[str]:
    """Return names of the networks found, such as ``light_resnet50``, or of their ``quantized`` forms, such
    as ``light_resnet50_int8``; askers may leave out the prefix."""
    suffix = SUFFIX if quantized else ""
    return sorted(path.stem + suffix for path in _folder().glob(f"{PREFIX}*.onnx"))


def load_model(
    name: str,
    weights: str = "random",
    seed: int = 0,
    on_phase: Callable[[str], None] = lambda phase: None,
) -> onnx.ModelProto:
    """Return the network as an ONNX model (NCHW, float32 in and out, batch 1).

    ``weights="random"`` replaces every float32 parameter by a draw from its role: convolution and
    dense weights N(0, 2 / fan-in), scales U(0.5, 1), variances U(0.8, 1.2), the rest N(0, 0.1^2).
    Parameters become initializers and leave the graph inputs. ``weights="original"`` is the file as
    shipped. VGG-19 takes 548 MiB. A name that ends in ``_int8`` is that network quantized, which takes
    seconds and onnxruntime; ``on_phase`` is told what begins. Raises ModelError for an unknown name or an
    unknown ``weights``, or without onnxruntime.
    """
    if weights not in ("random", "original"):
        raise ModelError(f"weights '{weights}' is not 'random' or 'original'")
    full = full_name(name)
    if _is_built(full) and not full.endswith(SUFFIX):
        if weights != "random":
            raise ModelError(f"'{full}' has random weights only")
        return NETWORKS[full](seed) if full in NETWORKS else libraries.load(full, seed, on_phase)
    if full.endswith(SUFFIX):
        copy = onnx.ModelProto()
        copy.CopyFrom(_quantized(full, weights, seed, on_phase))
        return copy
    model = onnx.load(_path(full))
    return model if weights == "original" else _with_random_parameters(model, seed)


def reference_input(name: str) -> np.ndarray:
    """Return the NCHW input ``reference_output`` belongs to: 0/n, 1/n, ... as in onnx's test runner."""
    (value,) = true_inputs(onnx.load(_path(name)).graph)
    shape = tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
    size = int(np.prod(shape))
    return (np.arange(size).reshape(shape) / size).astype(np.float32)


def reference_output(name: str) -> np.ndarray:
    """Return the output shipped beside the network, for ``reference_input`` and the original weights."""
    path = _path(name)
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.with_name(f"{path.stem}_output_0.pb").read_bytes())
    return numpy_helper.to_array(tensor)


def layers(
    name: str, on_phase: Callable[[str], None] = lambda phase: None
) -> list[tuple[Conv2dWorkload, int]]:
    """Return the network's different convolutions in order of first use, each with how often it occurs.

    Those of a quantized network are quantized, which takes ``load_model``'s time.
    """
    full = full_name(name)
    if full.endswith(SUFFIX) or _is_built(full):
        return convolution_layers(load_model(full, on_phase=on_phase))
    return convolution_layers(onnx.load(_path(full)))


def _folder() -> Path:
    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    if not folder.is_dir():
        raise ModelError(f"the installed onnx package has no {folder}: install onnx from its wheel")
    return folder


def full_name(name: str) -> str:
    """Return ``light_resnet50`` for itself and for ``resnet50``, and ``unet`` for itself.

    Raises ModelError for an unknown name.
    """
    if libraries.is_library_name(name):
        libraries.parse(name.removesuffix(SUFFIX))
    if _is_built(name.removesuffix(SUFFIX)):
        return name
    known = list_models()
    full = name if name.startswith(PREFIX) else PREFIX + name
    if full.removesuffix(SUFFIX) not in known:
        base = name.removeprefix(PREFIX).removesuffix(SUFFIX)
        short = nearest(base, [*(model.removeprefix(PREFIX) for model in known), *NETWORKS])
        raise ModelError(
            f"'{name}' is neither a file nor a light network{short}; there are {', '.join(known)}, "
            f"{', '.join(NETWORKS)}, and each quantized: {known[0]}{SUFFIX} ..., and torchvision:NAME and "
            "timm:NAME"
        )
    return full


def _is_built(name: str) -> bool:
    """Whether it is a network of this project's or of a library's, which is in no file."""
    return name in NETWORKS or libraries.is_library_name(name)


def _path(name: str) -> Path:
    full = full_name(name)
    if _is_built(full):
        raise ModelError(f"nothing is shipped beside '{full}', which is built when it is asked for")
    if full.endswith(SUFFIX):
        raise ModelError(
            f"nothing is shipped beside '{full}', which is made from {full.removesuffix(SUFFIX)}"
        )
    return _folder() / f"{full}.onnx"


def _quantized(full: str, weights: str, seed: int, on_phase: Callable[[str], None]) -> onnx.ModelProto:
    key = (full, weights, seed)
    if key not in _made:
        quantized.require_onnxruntime(f"'{full}'")
        on_phase(f"drawing weights of {full}")
        made = quantized.quantized(load_model(full.removesuffix(SUFFIX), weights, seed), on_phase)
        while len(_made) >= KEPT:
            del _made[next(iter(_made))]
        _made[key] = made
    return _made[key]


def _with_random_parameters(model: onnx.ModelProto, seed: int) -> onnx.ModelProto:
    graph = model.graph
    integers = {t.name: t for t in graph.initializer if t.data_type != onnx.TensorProto.FLOAT}
    shapes = {t.name: tuple(t.dims) for t in graph.initializer if t.name not in integers}
    for node in graph.node:
        if node.op_type == "ConstantOfShape":
            shapes[node.output[0]] = tuple(numpy_helper.to_array(integers[node.input[0]]).tolist())

    inputs = true_inputs(graph)
    nodes = [node for node in graph.node if node.op_type != "ConstantOfShape"]
    used = {name for node in nodes for name in node.input}
    roles = _roles(nodes)
    generator = np.random.default_rng(seed)

    without_floats = onnx.helper.make_graph(
        nodes, graph.name, inputs, graph.output, [t for n, t in integers.items() if n in used]
    )
    result = onnx.helper.make_model(without_floats, opset_imports=model.opset_import, ir_version=IR_VERSION)
    # One parameter at a time: VGG-19's first dense layer alone is 392 MiB.
    for name, shape in shapes.items():
        if name in used:
            values = _draw(generator, shape, roles.get(name, "shift"))
            result.graph.initializer.append(numpy_helper.from_array(values, name))
    return result


# This says what each operator's inputs are for; the first is the data where it is None.
_OPERAND_ROLES: dict[str, tuple[str | None, ...]] = {
    "Conv": (None, "weight (out, ...)", "shift"),
    "Gemm": (None, "weight (in, out)", "shift"),
    "BatchNormalization": (None, "scale", "shift", "shift", "variance"),
    "Mul": ("scale", "scale"),
    "Add": ("shift", "shift"),
}


def _roles(nodes: list[onnx.NodeProto]) -> dict[str, str]:
    unsqueezed = {n.output[0]: n.input[0] for n in nodes if n.op_type == "Unsqueeze"}
    roles = {}
    for node in nodes:
        for name, role in zip(node.input, _OPERAND_ROLES.get(node.op_type, ()), strict=False):
            if role == "weight (in, out)" and any(a.name == "transB" and a.i for a in node.attribute):
                role = "weight (out, ...)"
            if role is not None:
                roles[unsqueezed.get(name, name)] = role
    return roles


def _draw(generator: np.random.Generator, shape: tuple[int, ...], role: str) -> np.ndarray:
    if role == "scale":
        return generator.uniform(0.5, 1.0, shape).astype(np.float32)
    if role == "variance":
        return generator.uniform(0.8, 1.2, shape).astype(np.float32)
    deviation = 0.1
    if role.startswith("weight"):
        fan_in = shape[0] if role == "weight (in, out)" else int(np.prod(shape[1:]))
        deviation = (2 / fan_in) ** 0.5
    values = generator.standard_normal(shape, dtype=np.float32)
    values *= np.float32(deviation)
    return values
