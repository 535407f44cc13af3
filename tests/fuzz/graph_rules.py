"""What drawn graphs are made of: a graph as it grows, and the rules that add to it."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from graph_support import node
from onnx import NodeProto


class Drawing:
    """A graph as it grows: tensors of known shapes, of which new nodes take any."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.numbers = np.random.default_rng(rng.getrandbits(32))
        self.nodes: list[NodeProto] = []
        self.weights: dict[str, np.ndarray] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.used: set[str] = set()

    def input(self, *shape: int) -> None:
        self.shapes[f"in{len(self.shapes)}"] = shape

    def weight(self, array: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = array
        return name

    def normal(self, *shape: int) -> str:
        fan = max(1, int(np.prod(shape[1:]))) if len(shape) > 1 else 4
        return self.weight(self.numbers.standard_normal(shape, np.float32) / np.float32(fan**0.5))

    def add(self, kind: str, inputs: list[str], shape: tuple[int, ...], **attributes: object) -> None:
        output = f"t{len(self.nodes)}"
        self.nodes.append(node(kind, " ".join(inputs), output, **attributes))
        self.used |= set(inputs)
        self.shapes[output] = shape

    def any(self, rank: int | None = None) -> tuple[str, tuple[int, ...]]:
        """A tensor of that rank, later ones more often."""
        names = [name for name, shape in self.shapes.items() if rank in (None, len(shape))]
        if not names:
            raise Skip
        name = names[-1] if self.rng.random() < 0.6 else self.rng.choice(names)
        return name, self.shapes[name]


class Skip(Exception):
    """There is nothing this rule could take."""


def _maps(d: Drawing) -> tuple[str, tuple[int, ...], list[int]]:
    """A tensor with maps of one to three dimensions, its shape, and the maps'."""
    name, shape = d.any()
    if not 3 <= len(shape) <= 5:
        raise Skip
    return name, shape, list(shape[2:])


def _convolution(d: Drawing) -> None:
    name, (batch, channels, *_), sizes = _maps(d)
    rank, kernel = len(sizes), d.rng.choice((1, 1, 3, 3, 3, 5, 7))
    taps = [kernel if d.rng.random() < 0.9 else 1 for _ in sizes]
    stride, dilation = d.rng.choice((1, 1, 1, 2)), d.rng.choice((1, 1, 1, 1, 2))
    pads = [d.rng.choice((0, taps[axis % rank] // 2, taps[axis % rank] // 2)) for axis in range(2 * rank)]
    if d.rng.random() < 0.6:
        pads = [tap // 2 * dilation for tap in taps] * 2
    groups, outputs = _groups(d, channels)
    extents = []
    for axis, size in enumerate(sizes):
        room = size + pads[axis] + pads[axis + rank] - (taps[axis] - 1) * dilation - 1
        extents.append(room // stride + 1)
    if min(extents) < 1:
        raise Skip
    inputs = [name, d.normal(outputs, channels // groups, *taps)]
    if d.rng.random() < 0.6:
        inputs.append(d.normal(outputs))
    attributes = {"group": groups, "strides": [stride] * rank, "dilations": [dilation] * rank, "pads": pads}
    d.add("Conv", inputs, (batch, outputs, *extents), kernel_shape=taps, **attributes)


def _groups(d: Drawing, channels: int) -> tuple[int, int]:
    """How many groups a convolution has, and how many outputs."""
    groups = d.rng.choice((1, 1, 1, channels, max(g for g in (1, 2, 3, 4) if channels % g == 0)))
    outputs = groups * d.rng.choice((1, 2, 3)) if groups > 1 else d.rng.choice((1, 4, 8, 16, 20, 33))
    return groups, outputs if outputs <= 96 else groups


def _transposed_convolution(d: Drawing) -> None:
    name, (batch, channels, *_), sizes = _maps(d)
    rank = len(sizes)
    taps, strides = ([d.rng.choice((1, 2, 2, 3, 4)) for _ in sizes] for _ in range(2))
    dilations = [d.rng.choice((1, 1, 1, 2)) for _ in sizes]
    groups, outputs = _groups(d, channels)
    pads = [d.rng.randrange(taps[axis % rank]) for axis in range(2 * rank)]
    extra = [d.rng.randrange(stride) for stride in strides]
    axes = zip(sizes, strides, taps, dilations, extra, strict=True)
    whole = [(size - 1) * stride + (tap - 1) * apart + 1 + more for size, stride, tap, apart, more in axes]
    extents = [most - pads[axis] - pads[axis + rank] for axis, most in enumerate(whole)]
    if min(extents) < 1 or np.prod(extents) > 4000:
        raise Skip
    inputs = [name, d.normal(channels, outputs // groups, *taps)]
    if d.rng.random() < 0.6:
        inputs.append(d.normal(outputs))
    attributes = {"group": groups, "strides": strides, "dilations": dilations, "pads": pads}
    shape = (batch, outputs, *extents)
    d.add("ConvTranspose", inputs, shape, kernel_shape=taps, output_padding=extra, **attributes)


def _batch_norm(d: Drawing) -> None:
    name, shape, _ = _maps(d)
    statistics = [d.normal(shape[1]) for _ in range(3)]
    variance = d.weight(np.abs(d.numbers.standard_normal(shape[1], np.float32)) + np.float32(0.5))
    d.add("BatchNormalization", [name, *statistics, variance], shape)


UNARY = ("Relu", "Relu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "LeakyRelu", "Elu", "Softplus", "Erf")
UNARY = (*UNARY, "Abs", "Neg", "Exp", "Identity", "Selu", "Floor", "Sqrt")


def _activation(d: Drawing) -> None:
    name, shape = d.any()
    kind = d.rng.choice(UNARY)
    if kind == "Sqrt":
        d.add("Abs", [name], shape)
        name = list(d.shapes)[-1]
    if kind == "Exp":
        d.add("Tanh", [name], shape)
        name = list(d.shapes)[-1]
    if kind == "Floor":  # what is near an integer may round to either side
        kind = "Relu"
    d.add(kind, [name], shape)


def _clip(d: Drawing) -> None:
    name, shape = d.any()
    low, high = sorted(d.rng.uniform(-2, 2) for _ in range(2))
    bounds = [d.weight(np.asarray(bound, np.float32)) for bound in (low, high)]
    d.add("Clip", [name, *bounds], shape)


def _gate(d: Drawing) -> None:
    """``x * sigmoid(x)`` or ``x * hardsigmoid(x)``, written out as exporters do."""
    name, shape = d.any()
    d.add(d.rng.choice(("Sigmoid", "HardSigmoid", "Tanh")), [name], shape)
    d.add("Mul", [name, list(d.shapes)[-1]], shape)


def _squeeze_and_excite(d: Drawing) -> None:
    name, (batch, channels, height, width) = d.any(4)
    d.add("GlobalAveragePool", [name], (batch, channels, 1, 1))
    inner = d.rng.choice((1, 4, 8))
    for inputs, outputs, activation in ((channels, inner, "Relu"), (inner, channels, "HardSigmoid")):
        weights = d.normal(outputs, inputs, 1, 1)
        d.add("Conv", [list(d.shapes)[-1], weights, d.normal(outputs)], (batch, outputs, 1, 1))
        d.add(activation, [list(d.shapes)[-1]], (batch, outputs, 1, 1))
    d.add("Mul", [name, list(d.shapes)[-1]], (batch, channels, height, width))


def _binary(d: Drawing) -> None:
    name, shape = d.any()
    others = [other for other, its in d.shapes.items() if its == shape]
    other = d.rng.choice(others)
    if d.rng.random() < 0.4:
        narrow = [extent if d.rng.random() < 0.5 else 1 for extent in shape]
        other = d.normal(*narrow)
    inputs = [name, other]
    if d.rng.random() < 0.3:
        inputs.reverse()
    d.add(d.rng.choice(("Add", "Add", "Mul", "Sub", "Max", "Min")), inputs, shape)


def _constants(d: Drawing) -> None:
    """Sums and products with constants that repeat, as roundings are written; inputs alone are known to the
    bit, where large constants round them."""
    inputs = [name for name in d.shapes if name.startswith("in")]
    exact = d.rng.random() < 0.5
    name = d.rng.choice(inputs) if exact else d.any()[0]
    sizes = (1.5 * 2**23, 2.0**20, 1000.0, 3.0, 0.1) if exact else (3.0, 0.7)
    shape, size = d.shapes[name], d.rng.choice(sizes)
    pairs = {"Add": "Sub", "Sub": "Add"} if size > 3 else {"Add": "Sub", "Mul": "Div", "Div": "Mul"}
    kind = d.rng.choice(tuple(pairs))
    extents = d.rng.choice(([], [1] * len(shape), [1, *shape[1:2], *[1] * (len(shape) - 2)]))
    known = d.weight(np.full(extents[: len(shape)], size, np.float32))
    for each in (kind, pairs[kind], *d.rng.choice(((), (kind,), (pairs[kind],)))):
        d.add(each, [name, known], shape)
        name = list(d.shapes)[-1]


def _concat(d: Drawing) -> None:
    name, shape = d.any()
    if len(shape) < 2:
        raise Skip
    axis = d.rng.choice((1, 1, 1, len(shape) - 1))
    fitting = [
        other
        for other, its in d.shapes.items()
        if len(its) == len(shape)
        and all(a == b for i, (a, b) in enumerate(zip(its, shape, strict=True)) if i != axis)
    ]
    parts = [name, *(d.rng.choice(fitting) for _ in range(d.rng.choice((1, 1, 2, 3))))]
    total = sum(d.shapes[part][axis] for part in parts)
    if total > 200:
        raise Skip
    d.add("Concat", parts, (*shape[:axis], total, *shape[axis + 1 :]), axis=axis)


def _split(d: Drawing) -> None:
    name, shape = d.any()
    axis = d.rng.choice((1, len(shape) - 1))
    if len(shape) < 2 or shape[axis] < 2:
        raise Skip
    first = d.rng.randint(1, shape[axis] - 1)
    sizes = [first, shape[axis] - first]
    outputs = [f"t{len(d.nodes)}", f"t{len(d.nodes)}b"]
    split = d.weight(np.array(sizes, np.int64))
    d.nodes.append(node("Split", f"{name} {split}", " ".join(outputs), axis=axis))
    d.used.add(name)
    for output, size in zip(outputs, sizes, strict=True):
        d.shapes[output] = (*shape[:axis], size, *shape[axis + 1 :])


def _slice(d: Drawing) -> None:
    name, shape = d.any()
    axis = d.rng.randrange(len(shape))
    start = d.rng.randrange(shape[axis])
    step = d.rng.choice((1, 1, 2))
    taken = len(range(start, shape[axis], step))
    numbers = [d.weight(np.array([value], np.int64)) for value in (start, 2**31, axis, step)]
    d.add("Slice", [name, *numbers], (*shape[:axis], taken, *shape[axis + 1 :]))


def _pool(d: Drawing) -> None:
    name, (batch, channels, *_), sizes = _maps(d)
    rank = len(sizes)
    kind = d.rng.choice(("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"))
    if kind.startswith("Global"):
        d.add(kind, [name], (batch, channels, *[1] * rank))
        return
    kernel, stride = d.rng.choice((2, 3, 5)), d.rng.choice((1, 2, 3))
    pad = d.rng.choice((0, kernel // 2))
    extents = [(size + 2 * pad - kernel) // stride + 1 for size in sizes]
    if min(extents) < 1:
        raise Skip
    attributes = {"kernel_shape": [kernel] * rank, "strides": [stride] * rank, "pads": [pad] * (2 * rank)}
    if kind == "AveragePool":
        attributes["count_include_pad"] = d.rng.choice((0, 1))
    d.add(kind, [name], (batch, channels, *extents), **attributes)


def _resize(d: Drawing) -> None:
    name, (batch, channels, height, width) = d.any(4)
    if height * width > 400:
        raise Skip
    factors = [
        np.float32(d.rng.choice((1.5, 2.0, 2.0, 3.0, d.rng.randint(2, 29) / 10, d.rng.randint(1, 8) / 3)))
        for _ in range(2)
    ]
    pairs = list(zip((height, width), factors, strict=True))
    extents = [int(np.float32(size) * scale) for size, scale in pairs]
    # onnx infers sizes in float64, and neither its checker nor ONNX Runtime goes on from others.
    if min(extents) < 1 or extents != [int(size * float(scale)) for size, scale in pairs]:
        raise Skip
    modes = {"mode": d.rng.choice(("nearest", "linear", "cubic"))}
    coordinates = ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners")
    modes["coordinate_transformation_mode"] = d.rng.choice(coordinates)
    if modes["mode"] == "nearest":
        modes["nearest_mode"] = d.rng.choice(("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"))
    scales = d.weight(np.array([1, 1, *factors], np.float32))
    d.add("Resize", [name, "-", scales], (batch, channels, *extents), **modes)


def _transpose(d: Drawing) -> None:
    name, shape = d.any()
    order = d.rng.sample(range(len(shape)), len(shape))
    if len(shape) == 4 and d.rng.random() < 0.6:
        order = d.rng.choice(([0, 2, 3, 1], [0, 3, 1, 2]))
    d.add("Transpose", [name], tuple(shape[axis] for axis in order), perm=order)


def _reshape(d: Drawing) -> None:
    name, shape = d.any()
    rest = int(np.prod(shape[1:]))
    factor = d.rng.choice([f for f in range(1, rest + 1) if rest % f == 0])
    wanted = d.rng.choice(((shape[0], rest), (shape[0], factor, rest // factor)))
    if len(shape) == 4 and d.rng.random() < 0.5:  # as channel shuffles and windows do
        wanted = (shape[0], shape[1], shape[2] * shape[3])
    d.add("Reshape", [name, d.weight(np.array(wanted, np.int64))], wanted)


def _matrix(d: Drawing) -> None:
    name, shape = d.any()
    if len(shape) not in (2, 3) or shape[-1] > 4000:
        raise Skip
    outputs = d.rng.choice((1, 10, 33))
    if len(shape) == 2 and d.rng.random() < 0.6:
        transposed = d.rng.random() < 0.5
        weights = d.normal(*((outputs, shape[1]) if transposed else (shape[1], outputs)))
        d.add("Gemm", [name, weights, d.normal(outputs)], (shape[0], outputs), transB=int(transposed))
        return
    d.add("MatMul", [name, d.normal(shape[-1], outputs)], (*shape[:-1], outputs))


def _normalize(d: Drawing) -> None:
    name, shape = d.any()
    kind = d.rng.choice(("Softmax", "LayerNormalization", "InstanceNormalization", "ReduceMean", "ReduceMax"))
    if kind == "InstanceNormalization":
        name, shape = d.any(4)
        d.add(kind, [name, d.normal(shape[1]), d.normal(shape[1])], shape)
    elif kind == "LayerNormalization":
        d.add(kind, [name, d.normal(shape[-1]), d.normal(shape[-1])], shape, axis=-1)
    elif kind == "Softmax":
        d.add(kind, [name], shape, axis=d.rng.choice((-1, 1)))
    else:
        axis = d.rng.randrange(1, len(shape))
        d.add(kind, [name], (*shape[:axis], 1, *shape[axis + 1 :]), axes=[axis])


def _pad(d: Drawing) -> None:
    name, shape = d.any(4)
    pads = [0, 0, *(d.rng.randrange(3) for _ in range(2)), 0, 0, *(d.rng.randrange(3) for _ in range(2))]
    mode = d.rng.choice(("constant", "constant", "edge", "reflect"))
    if mode == "reflect" and min(shape[2:]) < 3:
        raise Skip
    extents = tuple(size + pads[2 + axis] + pads[6 + axis] for axis, size in enumerate(shape[2:]))
    d.add("Pad", [name, d.weight(np.array(pads, np.int64))], (*shape[:2], *extents), mode=mode)


def _prelu(d: Drawing) -> None:
    name, shape = d.any()
    if len(shape) < 3:
        raise Skip
    slopes = (shape[1], *[1] * (len(shape) - 2)) if d.rng.random() < 0.7 else (1,)
    d.add("PRelu", [name, d.normal(*slopes)], shape)


def _product(d: Drawing) -> None:
    """Of two computed matrices: by each other, or with scores of attention between."""
    name, shape = d.any()
    if len(shape) not in (3, 4) or max(shape[-2:]) > 200:
        raise Skip
    order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
    d.add("Transpose", [name], tuple(shape[axis] for axis in order), perm=order)
    square = (*shape[:-1], shape[-2])
    d.add("MatMul", [name, list(d.shapes)[-1]], square)
    if d.rng.random() < 0.6:
        scale = d.weight(np.float32(shape[-1] ** -0.5))
        d.add("Mul", [list(d.shapes)[-1], scale], square)
        d.add("Softmax", [list(d.shapes)[-1]], square, axis=-1)
        values = d.rng.choice([other for other, its in d.shapes.items() if its == shape])
        d.add("MatMul", [list(d.shapes)[-1], values], shape)


def _move(d: Drawing) -> None:
    """Gathers, tiles, and spaces made of depths."""
    name, shape = d.any()
    kind = d.rng.choice(("Gather", "Tile", "DepthToSpace", "SpaceToDepth"))
    if len(shape) < 2:
        raise Skip
    if kind == "Gather":
        axis, count = d.rng.randrange(1, len(shape)), d.rng.choice((1, 2, 5))
        at = d.weight(np.array([d.rng.randrange(shape[axis]) for _ in range(count)], np.int64))
        d.add(kind, [name, at], (*shape[:axis], count, *shape[axis + 1 :]), axis=axis)
    elif kind == "Tile":
        times = [d.rng.choice((1, 1, 2)) if axis else 1 for axis in range(len(shape))]
        tiled = tuple(size * each for size, each in zip(shape, times, strict=True))
        if np.prod(tiled) > 20000:
            raise Skip
        d.add(kind, [name, d.weight(np.array(times, np.int64))], tiled)
    elif len(shape) != 4:
        raise Skip
    else:
        batch, channels, height, width = shape
        if kind == "DepthToSpace" and channels % 4 == 0:
            moved, modes = (
                (batch, channels // 4, height * 2, width * 2),
                {"mode": d.rng.choice(("DCR", "CRD"))},
            )
        elif kind == "SpaceToDepth" and height % 2 == width % 2 == 0:
            moved, modes = (batch, channels * 4, height // 2, width // 2), {}
        else:
            raise Skip
        d.add(kind, [name], moved, blocksize=2, **modes)


def _choose(d: Drawing) -> None:
    """``where(x > threshold, x, y)``."""
    name, shape = d.any()
    other = d.rng.choice([other for other, its in d.shapes.items() if its == shape])
    condition = f"t{len(d.nodes)}"
    d.nodes.append(node("Greater", f"{name} {d.weight(np.float32(0.1))}", condition))
    d.add("Where", [condition, name, other], shape)


def _reduce(d: Drawing) -> None:
    name, shape = d.any()
    if len(shape) < 2:
        raise Skip
    axes = sorted(d.rng.sample(range(1, len(shape)), d.rng.randint(1, len(shape) - 1)))
    kept = d.rng.random() < 0.5 or len(shape) - len(axes) < 2
    sizes = tuple(1 if axis in axes else size for axis, size in enumerate(shape) if kept or axis not in axes)
    kind = d.rng.choice(("ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2"))
    d.add(kind, [name], sizes, axes=axes, keepdims=int(kept))


RULES: tuple[Callable[[Drawing], None], ...] = (
    *[_convolution] * 5,
    *[_activation] * 3,
    *[_binary] * 3,
    *[_batch_norm, _concat, _pool, _transposed_convolution, _constants] * 2,
    *(
        _clip,
        _gate,
        _squeeze_and_excite,
        _split,
        _slice,
        _resize,
        _transpose,
        _reshape,
        _matrix,
        _normalize,
        _pad,
        _prelu,
        _product,
        _move,
        _choose,
        _reduce,
    ),
)
