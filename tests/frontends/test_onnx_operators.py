"""Operators of drawn attributes against ONNX's reference implementation: many nodes in one model each."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from onnx import TensorProto
from onnx_support import Single, by_onnxruntime, differences, model_of

import tvm_directconv as directconv
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

RNG = np.random.default_rng(7)


BLOCKS = (
    ((9, 11), (3, 2), {"strides": (2, 3), "pads": (1, 0, 2, 1)}),
    ((7, 7), (1, 5), {"pads": (0, 2, 0, 2)}),
    ((13, 10), (3, 3), {"strides": (1, 2), "dilations": (2, 3)}),
    ((8, 8), (2, 2), {"strides": (3, 3), "pads": (0, 1, 1, 0)}),
)
"""An image, the blocks that it is made of, and attributes of Col2Im."""


def floats(*shape: int) -> np.ndarray:
    return np.asarray(RNG.standard_normal(shape), np.float32)


def integers(*shape: int, low: int = -9, high: int = 10, dtype: type = np.int32) -> np.ndarray:
    return RNG.integers(low, high, shape).astype(dtype)


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def one(kind: str, *inputs: np.ndarray, opset: int = 18, outputs: int = 1, **attributes: object) -> Single:
    """A node of operands given at run time."""
    operands = {f"i{number}": array for number, array in enumerate(inputs)}
    return Single(kind, operands, {}, attributes, opset, outputs)


def fixed(
    kind: str, x: np.ndarray, *constants: object, opset: int = 18, outputs: int = 1, **attributes: object
):
    """A node whose operands after the first are constants; None is one left out."""
    arrays = {f"c{i}": None if c is None else np.asarray(c) for i, c in enumerate(constants)}
    return Single(kind, {"x": x}, arrays, attributes, opset, outputs)


def factors(equation: str) -> list[np.ndarray]:
    """Tensors for an equation of a, b, c and d, and two axes of no letter."""
    extents = {"a": (2,), "b": (3,), "c": (4,), "d": (5,), "...": (2, 3)}
    terms = equation.partition("->")[0].split(",")
    axes = (re.findall(r"\.\.\.|\w", term) for term in terms)
    return [floats(*(extent for axis in each for extent in extents[axis])) for each in axes]


def normalizations() -> Iterator[Single]:
    x = floats(2, 4, 3, 5)
    for axis in (0, 1, -1):
        shape = x.shape[axis % 4 :]
        yield one("LayerNormalization", x, floats(*shape), floats(*shape), axis=axis, outputs=3)
    yield one("LayerNormalization", x, floats(5), axis=2, epsilon=0.1)
    yield one("LayerNormalization", x, floats(3, 1), floats(5), axis=2, outputs=2)
    for axis in (0, 2, -1):
        yield one("RMSNormalization", x, floats(*x.shape[axis % 4 :]), axis=axis, opset=23)
    for given in (x, floats(2, 4, 6), floats(1, 4, 2, 3, 3)):
        yield one("InstanceNormalization", given, floats(4), floats(4), epsilon=0.01)
    yield one("GroupNormalization", x, floats(4), floats(4), num_groups=2, opset=21)
    yield one("MeanVarianceNormalization", x, axes=[0, 2])
    statistics = (floats(4), floats(4), floats(4), np.abs(floats(4)))
    yield one("BatchNormalization", x, *statistics, epsilon=0.1, opset=15)
    yield one("BatchNormalization", x, *statistics, opset=15, outputs=3, training_mode=1, momentum=0.7)
    yield from softmaxes(13)


def softmaxes(opset: int) -> Iterator[Single]:
    for kind in ("Softmax", "LogSoftmax", "Hardmax"):
        yield from (one(kind, floats(2, 9, 16, 1), axis=axis, opset=opset) for axis in (1, 2))
        yield from (one(kind, floats(2, 3, 4), axis=axis, opset=opset) for axis in (0, 1, -1))


def reductions() -> Iterator[Single]:
    x = floats(2, 3, 4)
    kinds = ("Max", "Min", "Sum", "Mean", "Prod", "LogSumExp", "L1", "L2", "SumSquare")
    for kind in kinds:
        yield fixed(f"Reduce{kind}", x, numbers(0, -1), keepdims=0)
        yield fixed(f"Reduce{kind}", x)
        yield fixed(f"Reduce{kind}", x, numbers(), noop_with_empty_axes=1)
        yield one(f"Reduce{kind}", x, axes=[1], opset=12)
    for kind in ("ArgMax", "ArgMin"):
        ties = integers(3, 4, low=0, high=3).astype(np.float32)
        for last in (0, 1):
            yield one(kind, ties, axis=-1, select_last_index=last, keepdims=last)
    yield fixed("ReduceMax", RNG.random((3, 4)) < 0.2, numbers(1), opset=20)
    for exclusive in (0, 1):
        for reverse in (0, 1):
            yield fixed("CumSum", x, numbers(1)[0], exclusive=exclusive, reverse=reverse)


def arithmetic() -> Iterator[Single]:
    a, b = integers(3, 4), integers(3, 4, low=1)
    signed = b * np.where(RNG.random(b.shape) < 0.5, 1, -1).astype(np.int32)
    yield one("Mod", a, signed)
    yield one("Mod", a, signed, fmod=1)
    yield one("Mod", floats(3, 4), floats(3, 4), fmod=1)
    yield one("Pow", a, integers(3, 4, low=0, high=4))
    yield one("Pow", np.abs(floats(3, 4)), integers(4, dtype=np.int64))
    yield one("Pow", integers(3, 4, low=1), np.abs(floats(4)))
    yield one("Pow", floats(3, 4), np.array(2, np.float32))
    for dtype in (np.uint8, np.uint32):
        for direction in ("LEFT", "RIGHT"):
            yield one(
                "BitShift",
                integers(6, low=0, high=99, dtype=dtype),
                integers(6, low=0, high=7, dtype=dtype),
                direction=direction,
            )
    infinite = np.array([np.inf, -np.inf, np.nan, 1, 0], np.float32)
    for positive, negative in ((1, 0), (0, 1), (1, 1), (0, 0)):
        yield one("IsInf", infinite, detect_positive=positive, detect_negative=negative, opset=10)
    yield one("Round", np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4], np.float32))
    yield fixed("Clip", floats(9), np.float32(0.5), np.float32(-0.5))
    yield one("Mish", np.linspace(-40, 40, 41, dtype=np.float32))
    yield one("PRelu", floats(), floats())
    yield fixed("PRelu", integers(2, 3), np.array([2, -3, 4], np.int32))
    yield one("PRelu", floats(2, 3, 4, 5), floats(4, 5))
    yield one("PRelu", floats(2, 3, 4, 5), floats(5))
    yield one("PRelu", floats(2, 3, 4, 5), floats(3, 1, 1))
    yield one("Where", RNG.random((3, 1)) < 0.5, floats(4), floats(2, 1, 1))
    yield one("Equal", RNG.random((3, 1)) < 0.5, RNG.random((3, 4)) < 0.5)
    yield one("Einsum", floats(2, 3, 4), floats(2, 4, 5), equation="bij,bjk->bik")
    yield one("Einsum", floats(3, 3), equation="ij->ji")
    for equation, first, second in (
        ("bqc,bchw->bqhw", (2, 3, 4), (2, 4, 5, 6)),
        ("bhwc,kc->bkhw", (2, 3, 4, 5), (6, 5)),  # the second one's axis is before the first's in the result
        ("nkctv, kvw -> nctw", (2, 3, 4, 5, 6), (3, 6, 7)),
        ("abx,cby->ac", (2, 3, 4), (5, 3, 6)),  # x and y are summed alone
        ("...d,...de->...e", (2, 3, 4), (2, 3, 4, 5)),
        ("...d,de->e...", (2, 3, 4), (4, 5)),
        ("bij,bjk->bik", (1, 3, 4), (2, 4, 5)),
        ("iij,jk->ik", (3, 3, 4), (4, 5)),
        ("ab,ab->", (3, 4), (3, 4)),
        ("ab,c->cab", (3, 4), (5,)),
    ):
        yield one("Einsum", floats(*first), floats(*second), equation=equation)
    for equation in ("abc,abd,abc->abcd", "abc,abd,cd->ba", "...c,cd,...d->..."):
        yield one("Einsum", *factors(equation), equation=equation)
    yield one("Cast", np.array([1.9, -1.9, 0.2], np.float32), to=TensorProto.INT32)
    yield one("Gemm", floats(4, 3), floats(5, 4), floats(5), transA=1, transB=1, alpha=0.5, beta=2.0)
    yield fixed("Gemm", floats(3, 0), floats(0, 4), floats(4))


def division() -> Iterator[Single]:
    signs = np.array([7, -7, 7, -7, 8, -8], np.int32)
    yield one("Div", signs, np.array([2, 2, -2, -2, -4, -4], np.int32))
    yield one("Div", np.abs(signs).astype(np.int64), np.array([2, 3, 4, 5, 6, 7], np.int64))


def movement() -> Iterator[Single]:
    x = floats(2, 3, 5, 4)
    for mode in ("constant", "edge", "reflect", "wrap"):
        yield fixed("Pad", x, numbers(0, 1, 2, 0, 0, 0, 1, 3), mode=mode, opset=19)
        yield fixed("Pad", x, numbers(2, 1, 0, 3), None, numbers(-1, 2), mode=mode, opset=19)
    yield fixed("Pad", integers(3, 4), numbers(1, 0, 0, 2), np.int32(7))
    yield one("Pad", x, pads=[0, 0, 1, 1, 0, 0, 2, 0], value=0.5, opset=10)
    yield fixed("Split", floats(7, 2), num_outputs=3, outputs=3)
    yield fixed("Split", floats(2, 7), numbers(4, 1, 2), axis=-1, outputs=3, opset=13)
    yield fixed("Split", floats(2, 6), axis=1, outputs=2, opset=11)
    yield fixed("Split", floats(2, 6), numbers(6), axis=1)
    for mode in ("DCR", "CRD"):
        yield one("DepthToSpace", floats(1, 8, 2, 3), blocksize=2, mode=mode)
    yield one("SpaceToDepth", floats(1, 2, 4, 6), blocksize=2)
    for start, end, step in ((1, 9, 1), (-1, -9, -1), (3, 0, -2), (-4, 2**62, 3)):
        operands = (numbers(start, 0), numbers(end, 2), numbers(2, 0), numbers(step, 1))
        yield fixed("Slice", x, *operands)
    yield one("Slice", x, starts=[1, -3], ends=[9, -1], opset=9)
    for upper in (0, 1):
        for offset in (-1, 0, 2):
            yield fixed("Trilu", floats(2, 3, 4), np.int64(offset), upper=upper)
    values = np.array([2, 5], np.float32)
    yield fixed("OneHot", numbers(0, 2, -1, 7, -5), np.int64(4), values, opset=11)
    yield fixed("OneHot", integers(2, 3, low=-4, high=5), np.int64(4), values, axis=0, opset=11)
    yield one("EyeLike", integers(3, 4), k=1, dtype=TensorProto.FLOAT)
    yield one("Dropout", x, outputs=2, opset=13)
    yield one("Shape", x, start=1, end=-1)
    yield one("Size", x)
    yield fixed("Expand", floats(3, 1), numbers(2, 1, 4))
    yield fixed("Tile", floats(2, 3), numbers(2, 1))
    yield one("Transpose", x, perm=[3, 1, 0, 2])
    yield one("Flatten", x, axis=-1)
    yield one("Concat", floats(2, 3), floats(2, 1), axis=-1)


def pooling() -> Iterator[Single]:
    x = floats(1, 2, 7, 6)
    for ceil_mode in (0, 1):
        for pads in ([0, 0, 0, 0], [1, 0, 0, 1]):
            window = {"kernel_shape": [2, 3], "strides": [2, 2], "pads": pads, "ceil_mode": ceil_mode}
            yield one("MaxPool", x, **window, dilations=[2, 1])
            for count in (0, 1):
                yield one("AveragePool", x, **window, count_include_pad=count)
    yield one("LpPool", x, kernel_shape=[2, 2], strides=[2, 1], p=3)
    for kind in ("GlobalAveragePool", "GlobalMaxPool"):
        yield one(kind, x)


def overlaps() -> Iterator[Single]:
    """Col2Im by the columns of a transposed convolution, and in one dimension, which adds up places."""
    for image, block, attributes in BLOCKS:
        strides, dilations = (attributes.get(name, (1, 1)) for name in ("strides", "dilations"))
        pads = attributes.get("pads", (0, 0, 0, 0))
        axes = zip(image, block, strides, dilations, pads[:2], pads[2:], strict=True)
        count = math.prod(
            (size + one_side + other - dilation * (taps - 1) - 1) // stride + 1
            for size, taps, stride, dilation, one_side, other in axes
        )
        given = {name: list(values) for name, values in attributes.items()}
        yield fixed(
            "Col2Im", floats(2, 3 * math.prod(block), count), numbers(*image), numbers(*block), **given
        )
    yield fixed("Col2Im", floats(1, 6, 5), numbers(7), numbers(3))


def test_overlapping_blocks_add_up() -> None:
    assert differences(list(overlaps()), wanted=by_onnxruntime) == []


@pytest.mark.slow
@pytest.mark.parametrize("cases", [normalizations, reductions, arithmetic, movement, pooling])
def test_drawn_attributes_mean_what_onnx_says(cases: Callable[[], Iterator[Single]]) -> None:
    assert differences(list(cases())) == []


def recurrences() -> Iterator[Single]:
    steps, batch, size, hidden = 3, 2, 5, 3
    odd = ["HardSigmoid", "ScaledTanh", "Elu", "LeakyRelu", "Softsign", "Softplus"]
    thresholds = ["Affine", "ThresholdedRelu", "HardSigmoid", "Elu"]
    numbers_of = {"activation_alpha": [0.3, 0.8, 0.5, 0.1], "activation_beta": [0.4, 1.5]}
    of_thresholds = {"activation_alpha": [1.1, 0.2, 0.7, 0.5], "activation_beta": [0.1, 0.4]}
    chosen: tuple[tuple[str, int, str, dict[str, object]], ...] = (
        ("RNN", 1, "bidirectional", {"activations": ["Relu", "Tanh"]}),
        ("GRU", 3, "forward", {"linear_before_reset": 0}),
        ("GRU", 3, "bidirectional", {"linear_before_reset": 1}),
        ("LSTM", 4, "reverse", {}),
        ("LSTM", 4, "bidirectional", {"activations": odd, **numbers_of, "clip": 0.7}),
        ("GRU", 3, "bidirectional", {"activations": thresholds, **of_thresholds}),
        ("LSTM", 4, "forward", {"input_forget": 1, "clip": 0.5}),
    )
    for number, (kind, gates, direction, attributes) in enumerate(chosen):
        count, state = 1 + (direction == "bidirectional"), 1 + (kind == "LSTM")
        weights = [floats(count, gates * hidden, width) for width in (size, hidden)]
        constants = {"w": weights[0], "r": weights[1], "b": floats(count, 2 * gates * hidden)}
        states = {f"h{i}": floats(count, batch, hidden) for i in range(state)}
        inputs = {"x": floats(steps, batch, size), **states}
        attributes |= {"hidden_size": hidden, "direction": direction}
        # Lengths that are left out, constant, and known at run time.
        lengths = None if number % 3 == 0 else np.array([steps - 2, steps], np.int32)
        (inputs if number % 3 == 2 else constants)["l"] = lengths
        order = ("x", "w", "r", "b", "l", *states)
        yield Single(kind, inputs, constants, attributes, 22, 1 + state, order)


def integers_of_all_sizes() -> Iterator[Single]:
    """Means and norms, rounded towards zero and of their type, and signs of numbers that have none."""
    values = np.array([[-7, 4, 2], [0, 3, 125]])
    for kind in ("int32", "int64"):
        for reduction in ("Mean", "L2"):
            yield Single(f"Reduce{reduction}", {"x": values.astype(kind)}, {}, {"axes": [1]}, 13)
        for reduction in ("LogSum", "LogSumExp"):
            yield fixed(f"Reduce{reduction}", abs(values).astype(kind), numbers(1))
    for kind in ("uint8", "uint16", "uint32", "int8"):
        yield Single("Sign", {"x": values.astype(kind)})


def pools_of_other_kinds() -> Iterator[Single]:
    """Positions beside a MaxPool's results, and Lp pools, of which the last window is partly outside."""
    for shape, kernel, attributes in (
        ((2, 3, 9), [3], {"strides": [2], "ceil_mode": 1}),
        ((1, 2, 5, 6, 7), [2, 3, 2], {"pads": [1, 1, 1, 0, 0, 0], "dilations": [2, 2, 2]}),
    ):
        yield one("MaxPool", floats(*shape), outputs=2, kernel_shape=kernel, **attributes)
    yield one("LpPool", floats(1, 2, 8, 8), kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, p=3)
    yield one("LpPool", floats(1, 2, 8, 8), kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_LOWER", p=1)


def test_what_the_reference_implementation_does_not_know() -> None:
    """That integers are divided towards zero, that the axes of a softmax were one before opset 13, and that
    the channels of a local response go one further."""
    response = one("LRN", floats(2, 4, 3, 5), size=3, alpha=0.1, bias=2.0)
    assert differences([*division(), *softmaxes(11), response], wanted=by_onnxruntime) == []


@pytest.mark.slow
@pytest.mark.parametrize("cases", [recurrences, pools_of_other_kinds, integers_of_all_sizes])
def test_what_onnxruntime_says_alone(cases: Callable[[], Iterator[Single]]) -> None:
    assert differences(list(cases()), wanted=by_onnxruntime) == []


@pytest.mark.parametrize(
    ("case", "error", "message"),
    [
        (
            fixed("RNN", floats(4, 2, 3), floats(1, 2, 3), floats(1, 2, 2), opset=22, activations=["Gelu"]),
            ModelError,
            "activation 'Gelu' is none of ONNX's: relu, tanh",
        ),
        (
            fixed(
                "RNN",
                floats(2, 2, 3),
                floats(1, 2, 3),
                floats(1, 2, 2),
                None,
                np.array([2, 3], np.int32),
                opset=22,
            ),
            ModelError,
            r"sequence_lens \[2, 3\] are not lengths of 2 sequences up to 2",
        ),
        (fixed("Pad", floats(4), numbers(1, 1), mode="mirror"), ModelError, "mode 'mirror'"),
        (fixed("Split", floats(6), numbers(2, 3), outputs=2), ModelError, "Split|split"),
        (
            one("Split", floats(4), numbers(1, 3)),
            UnsupportedOperatorError,
            "split .* is an input of the model",
        ),
        (
            one("RoiAlign", floats(1, 1, 4, 4), floats(1, 4), numbers(0), mode="max", opset=16),
            UnsupportedOperatorError,
            "only the mode 'avg'",
        ),
    ],
    ids=str,
)
def test_what_is_not_supported_is_refused_by_name(case: Single, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        directconv.compile(model_of([case]))
