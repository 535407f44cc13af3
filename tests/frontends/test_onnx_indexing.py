"""Operators that take positions from a tensor mean what ONNX says, and none reaches outside its data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_support import network, node
from onnx import TensorProto
from onnx_support import Single, by_onnxruntime, differences, feeds, model_of

import tvm_directconv as directconv
from tvm_directconv.cache import SWITCH
from tvm_directconv.errors import InputError, ModelError

RNG = np.random.default_rng(5)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def within(extent: int, *shape: int, dtype: type = np.int64) -> np.ndarray:
    """Indices that an axis of that extent has, counted from either end."""
    return RNG.integers(-extent, extent, shape).astype(dtype)


def coordinates(extents: tuple[int, ...], *shape: int) -> np.ndarray:
    """Distinct coordinates, so that the order of scattered updates does not matter."""
    flat = RNG.permutation(int(np.prod(extents)))[: int(np.prod(shape))]
    return np.stack(np.unravel_index(flat, extents), axis=-1).reshape(*shape, len(extents)).astype(np.int64)


def permuted(shape: tuple[int, ...], axis: int) -> np.ndarray:
    """Indices of a scatter along ``axis`` that write no element twice."""
    drawn = np.argsort(RNG.random(shape), axis=axis).astype(np.int64)
    return np.where(RNG.random(shape) < 0.5, drawn, drawn - shape[axis])


def single(kind: str, data: np.ndarray, indices: np.ndarray, *more: np.ndarray, **attributes) -> list[Single]:
    """The node with its indices given at run time, and with constant ones."""
    rest = {f"m{i}": array for i, array in enumerate(more)}
    order = ("x", "i", *rest)
    return [
        Single(kind, {"x": data, "i": indices, **rest}, {}, attributes, order=order),
        Single(kind, {"x": data, **rest}, {"i": indices}, attributes, order=order),
    ]


def test_positions_mean_what_onnx_says() -> None:
    cube = floats(3, 4, 5)
    cases = [
        *single("Gather", cube, within(3, 2, 2), axis=0),
        *single("Gather", cube, within(5, 6, dtype=np.int32), axis=-1),
        *single("Gather", cube, np.array(-1), axis=1),
        single("Gather", np.arange(7), within(7, 0), axis=0)[1],
        *single("GatherElements", cube, within(4, 3, 2, 5), axis=1),
        *single("GatherElements", cube, within(5, 2, 3, 7), axis=-1),
        *single("GatherND", cube, np.stack([within(3, 6), within(4, 6)], -1)),
        *single("GatherND", cube, within(4, 3, 1), batch_dims=1),
        *single("ScatterND", cube, coordinates((3, 4), 5), floats(5, 5)),
        *single("ScatterND", cube, coordinates((3,), 2), floats(2, 4, 5)),
        *single("ScatterND", cube, within(3, 4, 1), floats(4, 4, 5), reduction="add"),
        *single("ScatterElements", cube, permuted((3, 4, 5), 1), floats(3, 4, 5), axis=1),
        *single("ScatterElements", cube, permuted((2, 4, 5), 0)[:1], floats(1, 4, 5)),
        *single("ScatterElements", cube, within(5, 2, 3, 8), floats(2, 3, 8), axis=2, reduction="add"),
        *single("ScatterElements", cube, within(4, 3, 6, 2), floats(3, 6, 2), axis=-2, reduction="max"),
    ]
    # ONNX's reference implementation wants indices of the data's own shape.
    assert differences(cases, wanted=by_onnxruntime) == []


def test_the_largest_and_the_smallest() -> None:
    data = RNG.permutation(60).reshape(3, 4, 5).astype(np.float32)
    cases = [
        Single("TopK", {"x": data}, {"k": np.array([k])}, {"axis": axis, "largest": largest}, outputs=2)
        for k, axis, largest in ((1, 0, 1), (3, 1, 0), (5, -1, 1), (4, 1, 1))
    ]
    assert differences(cases) == []


BOXES = np.array([[0, 1, 3, 5], [1.2, 2, 8.5, 6.1], [-3, -2, 2, 2], [3, 3, 3, 3], [4, 3, 2, 5]], np.float32)
"""The last ones have no area."""
IMAGES = np.array([0, 1, 1, 0, 1])


def test_boxes() -> None:
    data = floats(2, 3, 9, 7)
    of_images = np.concatenate([IMAGES[:, None].astype(np.float32), BOXES[:, :4]], 1)
    pooled = Single("MaxRoiPool", {"x": data, "r": of_images}, {}, {"pooled_shape": [2, 3]})
    sizes = {"output_height": 2, "output_width": 3, "spatial_scale": 0.6}
    aligned = [
        Single("RoiAlign", {"x": data, "r": BOXES, "i": IMAGES}, {}, {**sizes, **more}, opset)
        for opset, more in (
            (10, {}),
            (16, {}),
            (16, {"sampling_ratio": 2}),
            (16, {"coordinate_transformation_mode": "output_half_pixel"}),
        )
    ]
    wide = Single("RoiAlign", {"x": floats(2, 37, 7, 9), "r": BOXES, "i": IMAGES}, {}, sizes)
    assert differences([pooled, *aligned, wide], wanted=by_onnxruntime) == []


OUTSIDE = [
    *single("Gather", floats(3, 4), np.array([0, 4]), axis=1),
    *single("Gather", floats(3, 4), np.array([[-5]], np.int32), axis=1),
    *single("Gather", floats(3, 4), np.array(2**40), axis=0),
    *single("GatherElements", floats(3, 4), np.array([[0, 1, 2, 3]]), axis=0),
    *single("GatherND", floats(3, 4), np.array([[2, 3], [0, 4]])),
    *single("ScatterND", floats(3, 4), np.array([[-4]]), floats(1, 4)),
    *single("ScatterElements", floats(3, 4), np.array([[0, 4]]), floats(1, 2), axis=1),
    Single("RoiAlign", {"x": floats(1, 2, 3, 4), "r": BOXES[:1], "i": np.array([2**20])}),
    Single(
        "MaxRoiPool",
        {"x": floats(1, 2, 3, 4), "i": np.array([[2**20, 0, 0, 2, 2]], np.float32)},
        {},
        {"pooled_shape": [1, 1]},
    ),
]


@pytest.mark.parametrize("case", OUTSIDE, ids=str)
def test_positions_outside_the_data_are_errors(case: Single) -> None:
    """Constants are checked when the model is compiled, others when it runs; what ran before still does."""
    message = rf"node 'node0' \({case.kind}\): an index is outside"
    if "i" in case.constants:
        with pytest.raises(ModelError, match=message):
            directconv.compile(model_of([case]))
        return
    compiled = directconv.compile(model_of([case]))
    given = feeds([case])
    with pytest.raises(InputError, match=message):
        compiled.run(given)
    (result,) = compiled.run(given | {"n0_i": np.zeros_like(given["n0_i"])})
    assert np.isfinite(result).all()


def test_positions_that_the_network_computes_are_checked_too() -> None:
    """The kernels of what the program has allocated check nothing of it; these check what is in it."""
    nodes = [
        node("Cast", "p", "i", to=TensorProto.INT64),
        node("ScatterND", "x i u", "y"),
    ]
    shapes = {"p": (1, 1), "x": (3, 4), "u": (1, 4)}
    compiled = directconv.compile(network(nodes, shapes, {"y": (3, 4)}))
    given = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    for place in (3, -4, 2**40):
        with pytest.raises(InputError, match=r"\(ScatterND\): an index is outside"):
            compiled.run(given | {"p": np.full((1, 1), place, np.float32)})
    compiled.run(given | {"p": np.full((1, 1), -3, np.float32)})


def test_scatters_compile_in_silence(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(SWITCH, "0")
    directconv.compile(model_of(single("ScatterND", floats(3, 4), np.array([[2], [0]]), floats(2, 4))))
    assert capfd.readouterr().err == ""


def test_exported_libraries_check_positions_too(tmp_path: Path) -> None:
    case = OUTSIDE[0]
    directconv.compile(model_of([case])).export_library(tmp_path / "gather.so")
    with pytest.raises(InputError, match=r"node 'node0' \(Gather\)"):
        directconv.load(tmp_path / "gather.so").run(feeds([case]))


@pytest.mark.parametrize(
    ("case", "error", "message"),
    [
        (single("Gather", floats(3), np.array([0]), axis=1)[1], ModelError, "axis must be in"),
        (single("GatherND", floats(3, 4), np.array([[0, 0, 0]]))[0], ModelError, "Last dimension"),
        (single("GatherElements", floats(3, 4), within(4, 4, 4), axis=1)[0], ModelError, "4 elements along"),
        (Single("TopK", {"x": floats(3)}, {"k": np.array([4])}, outputs=2), ModelError, "requested k"),
    ],
    ids=str,
)
def test_operands_that_do_not_fit_are_errors(case: Single, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        directconv.compile(model_of([case]))
