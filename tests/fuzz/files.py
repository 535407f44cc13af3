"""Damaged model files: each compiles to what ONNX Runtime computes, or is refused in one line.

Files are damaged as bytes, and as messages: a field somewhere in the model takes another value, is taken
away, or is repeated.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from graph_support import draw, network, node
from onnx import ModelProto
from reference import run_onnx_runtime
from relay_support import sample_params, sample_text
from support import assert_matches
from test_relay_mutations import mutated

import tvm_directconv as directconv
from tvm_directconv.errors import DirectConvError

from .graphs import TOLERANCE, draw_model

NUMBERS = (0, 1, -1, 2, 3, 7, 13, 64, 2**31 - 1, 2**31, -(2**31), 2**40, 2**63 - 1, -(2**63))
TEXTS = (
    "",
    "x",
    "y",
    "Relu",
    "Conv",
    "Concat",
    "Reshape",
    "SAME_UPPER",
    "NCHW",
    "ai.onnx",
    "no\nsuch",
    "%s{}",
)
LONGEST, TIES = 2000, 0.02


def check(number: int) -> str:
    rng = random.Random(number)
    name = rng.choice(list(FILES))
    return f"{name} {FILES[name](rng)}"


def _onnx(rng: random.Random, model: ModelProto, folder: Path) -> str:
    if rng.random() < 0.35:
        data = _damaged_bytes(rng, model.SerializeToString())
    else:
        broken = ModelProto()
        broken.CopyFrom(model)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            _damage(rng, broken)
        data = broken.SerializeToString()
    path = folder / "damaged.onnx"
    path.write_bytes(data)
    try:
        compiled = directconv.compile(path, "llvm -mcpu=native")
    except DirectConvError as error:
        return _refused(error)
    # What compiles runs, and computes what ONNX Runtime does where that takes the model, too.
    try:
        inputs = {i.name: draw(*i.shape).astype(i.dtype) for i in compiled.inputs}
        got = compiled.run(inputs)
    except DirectConvError as error:
        return _refused(error)
    try:
        want = run_onnx_runtime(onnx.load(path), inputs)
    except Exception:
        return "compiled, of which ONNX Runtime says nothing"
    rounds = any(each.op_type == "QuantizeLinear" for each in onnx.load(path).graph.node)
    for index, (ours, theirs) in enumerate(zip(got, want, strict=True)):
        ours, theirs = (np.asarray(array, np.float64) for array in (ours, theirs))
        largest = np.abs(theirs)
        if not np.isfinite(largest).all() or largest.max(initial=0) > 1e6:
            return "compiled, and overflows"
        if np.isnan(ours).all() and not largest.any():
            return "compiled, a mean of nothing, which is undefined"
        if rounds:  # ties go either way
            off = np.abs(ours - theirs) > TOLERANCE * largest.max(initial=0)
            assert off.mean() < TIES, f"output {index}: {off.mean():.1%} of it are off"
            continue
        assert_matches(ours, theirs, f"output {index}", TOLERANCE)
    return "compiled"


def _refused(error: DirectConvError) -> str:
    text = str(error)
    assert text and "\n" not in text and len(text) < LONGEST, f"no message for people: {text!r}"
    return "refused"


def _damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    broken = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(broken))
        kind = rng.random()
        if kind < 0.6:
            broken[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        elif kind < 0.75:
            del broken[at : at + rng.choice((1, 2, 8, 100))]
        elif kind < 0.9:
            broken[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 2, 8))))
        else:
            del broken[at:]
        if not broken:
            break
    return bytes(broken)


def _damage(rng: random.Random, model: ModelProto) -> None:
    """One field of some message of the model."""
    message = rng.choice(list(_messages(model)))
    fields = [field for field, _ in message.ListFields()] or list(message.DESCRIPTOR.fields)
    field = rng.choice(fields if rng.random() < 0.8 else list(message.DESCRIPTOR.fields))
    kind = rng.random()
    if _repeated(field):
        values = getattr(message, field.name)
        if len(values) and kind < 0.3:
            del values[rng.randrange(len(values))]
        elif len(values) and kind < 0.5:
            values.append(values[rng.randrange(len(values))])
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            values.add()
        elif len(values):
            values[rng.randrange(len(values))] = _value(rng, field, values[0])
        else:
            values.append(_value(rng, field, None))
    elif field.type == FieldDescriptor.TYPE_MESSAGE or kind < 0.3:
        message.ClearField(field.name)
    else:
        setattr(message, field.name, _value(rng, field, getattr(message, field.name)))


def _value(rng: random.Random, field: FieldDescriptor, old: Any) -> Any:
    if field.type == FieldDescriptor.TYPE_STRING:
        return rng.choice((*TEXTS, f"{old}x"))
    if field.type == FieldDescriptor.TYPE_BYTES:
        data = old or b""
        return rng.choice((b"", data[: len(data) // 2], data + data, b"\xff\xfe", b"nearest", b"SAME_LOWER"))
    if field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
        return rng.choice((0.0, -1.0, 1e30, float("nan"), float("inf"), rng.uniform(-3, 3)))
    if field.type == FieldDescriptor.TYPE_INT64:
        return rng.choice((*NUMBERS, rng.randrange(16)))
    if field.type == FieldDescriptor.TYPE_ENUM:
        return rng.choice([value.number for value in field.enum_type.values])
    return rng.choice([number for number in NUMBERS if 0 <= number < 2**31])


def _messages(message: Message) -> Iterator[Message]:
    yield message
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if _repeated(field) else [value]:
                yield from _messages(inner)


def _repeated(field: FieldDescriptor) -> bool:
    return bool(field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED)


# ---- the models


@cache
def _small() -> ModelProto:
    """A block of a network: convolution, normalization, activation, pools and a classifier."""
    statistics = [draw(8, seed=seed) for seed in range(3)]
    weights = dict(zip(("s", "b", "m"), statistics, strict=True)) | {"v": np.abs(draw(8, seed=4)) + 1}
    weights |= {"w": draw(8, 3, 3, 3), "d": draw(8, 1, 3, 3), "fc": draw(8, 5), "shape": np.array([1, 8])}
    nodes = [
        node("Conv", "x w", "c", pads=[1] * 4, strides=[2, 2]),
        node("BatchNormalization", "c s b m v", "n"),
        node("Relu", "n", "r"),
        node("Conv", "r d", "e", group=8, auto_pad="SAME_UPPER"),
        node("Add", "r e", "a"),
        node("MaxPool", "a", "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("GlobalAveragePool", "p", "g"),
        node("Reshape", "g shape", "f"),
        node("MatMul", "f fc", "o"),
        node("Softmax", "o", "y"),
    ]
    return network(nodes, {"x": (1, 3, 12, 12)}, {"y": (1, 5)}, weights)


@cache
def _moving() -> ModelProto:
    """Operators that move, index and resize."""
    weights = {"i": np.array([0, 2, 5]), "pads": np.array([0, 0, 1, 1, 0, 0, 1, 1])}
    weights |= {"st": np.array([1]), "en": np.array([5]), "ax": np.array([1]), "parts": np.array([2, 4])}
    weights |= {"scales": np.array([1, 1, 2, 2], np.float32), "k": np.array([3])}
    nodes = [
        node("Split", "x parts", "s t", axis=1),
        node("Concat", "t s", "c", axis=1),
        node("Gather", "c i", "g", axis=1),
        node("Resize", "g - scales", "z", mode="nearest"),
        node("Pad", "z pads", "p", mode="reflect"),
        node("Transpose", "p", "u", perm=[0, 2, 3, 1]),
        node("Slice", "u st en ax", "l"),
        node("TopK", "l k", "v w", axis=-1),
        node("ReduceMean", "v", "m", axes=[1], keepdims=0),
        node("Clip", "m", "y"),
    ]
    return network(nodes, {"x": (1, 6, 4, 4)}, {"y": (1, 10, 3)}, weights)


@cache
def _quantized() -> ModelProto:
    """A QDQ convolution and its neighbours."""
    scales = {"sx": np.float32(0.02), "sw": np.float32(0.01), "sy": np.float32(0.05)}
    weights = {name: np.asarray(value) for name, value in scales.items()}
    weights |= {"zx": np.asarray(128, np.uint8), "zw": np.asarray(0, np.int8), "zy": np.asarray(3, np.uint8)}
    weights["w"] = np.random.default_rng(0).integers(-127, 128, (4, 3, 3, 3)).astype(np.int8)
    nodes = [
        node("QuantizeLinear", "x sx zx", "q"),
        node("DequantizeLinear", "q sx zx", "d"),
        node("DequantizeLinear", "w sw zw", "f"),
        node("Conv", "d f", "c", pads=[1] * 4),
        node("Relu", "c", "r"),
        node("QuantizeLinear", "r sy zy", "o"),
        node("DequantizeLinear", "o sy zy", "y"),
    ]
    return network(nodes, {"x": (1, 3, 8, 8)}, {"y": (1, 4, 8, 8)}, weights)


def _of_graph(model: Callable[[], ModelProto]) -> Callable[[random.Random], str]:
    def damaged(rng: random.Random) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return _onnx(rng, model(), Path(folder))

    return damaged


def _drawn(rng: random.Random) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return _onnx(rng, draw_model(random.Random(rng.randrange(100))), Path(folder))


def _external(rng: random.Random) -> str:
    """Weights in a file of their own, damaged with the model or cut short."""
    with tempfile.TemporaryDirectory() as name:
        folder, model = Path(name), ModelProto()
        model.CopyFrom(_small())
        options = {"save_as_external_data": True, "location": "weights.bin", "size_threshold": 0}
        onnx.save(model, folder / "whole.onnx", **options)
        weights = folder / "weights.bin"
        if rng.random() < 0.4:
            weights.write_bytes(_damaged_bytes(rng, weights.read_bytes()))
        return _onnx(rng, onnx.load(folder / "whole.onnx", load_external_data=False), folder)


def _relay(rng: random.Random) -> str:
    text, params = mutated(sample_text("mlp"), rng), sample_params("mlp")
    try:
        directconv.from_relay(text if text.strip() else "\n", params)
    except DirectConvError as error:
        return _refused(error)
    return "read"


FILES: dict[str, Callable[[random.Random], str]] = {
    "block": _of_graph(_small),
    "moving": _of_graph(_moving),
    "quantized": _of_graph(_quantized),
    "drawn": _drawn,
    "external": _external,
    "relay": _relay,
}
