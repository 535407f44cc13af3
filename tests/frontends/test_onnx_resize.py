"""Resize and Upsample of whatever parameters, against ONNX's reference implementation and ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_support import Single, by_onnxruntime, differences, model_of

import tvm_directconv as directconv
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

COORDINATES = (
    *("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners"),
    "tf_crop_and_resize",
)
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def data(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(np.float32)


def resize(x: np.ndarray, *, opset: int = 18, **parameters) -> Single:
    """A node whose ``roi``, ``scales`` and ``sizes`` are constants, and other parameters attributes."""
    constants = {
        name: None if parameters.get(name) is None else np.asarray(parameters[name], dtype)
        for name, dtype in (("roi", np.float32), ("scales", np.float32), ("sizes", np.int64))
    }
    attributes = {name: value for name, value in parameters.items() if name not in constants}
    return Single("Resize", {"x": x}, constants, attributes, opset)


def drawn(mode: str, count: int) -> Iterator[Single]:
    """Maps, lines and volumes by fractional scales or sizes, on some axes or all."""
    rng = np.random.default_rng([len(mode), count])
    for number in range(count):
        rank = int(rng.choice([3, 4, 4, 5]))
        x = data(*(int(e) for e in rng.integers(1, 7, rank)), seed=number)
        coordinates = COORDINATES[number % len(COORDINATES)]
        parameters: dict[str, object] = {"mode": mode, "coordinate_transformation_mode": coordinates}
        axes = sorted(rng.choice(rank, size=int(rng.integers(1, rank + 1)), replace=False).tolist())
        if number % 2:
            parameters["axes"] = axes
        count_of_axes = len(axes) if number % 2 else rank
        # The evaluator measures these in the size before it is rounded; all runtimes in that of the result.
        by_size = coordinates in ("pytorch_half_pixel", "align_corners", "tf_crop_and_resize")
        if number % 3 and not by_size:
            # Fractions whose positions are no ties, up to rounding.
            scales = rng.choice([0.37, 0.61, 0.83, 1.0, 1.21, 1.7, 2.0, 2.9], count_of_axes)
            kept = np.array(x.shape)[axes] if number % 2 else np.array(x.shape)
            parameters["scales"] = np.where(kept * scales < 1, 1.0, scales)
        else:
            parameters["sizes"] = rng.integers(1, 9, count_of_axes)
            if number % 2:
                parameters["keep_aspect_ratio_policy"] = str(
                    rng.choice(["stretch", "not_larger", "not_smaller"])
                )
        if coordinates == "tf_crop_and_resize":
            starts = rng.uniform(-0.2, 0.4, count_of_axes)
            parameters["roi"] = np.concatenate([starts, starts + rng.uniform(0.3, 0.9, count_of_axes)])
            parameters["extrapolation_value"] = 7.5
        if mode == "nearest":
            parameters["nearest_mode"] = ROUNDINGS[number % 4]
        else:
            parameters["antialias"] = int(rng.integers(2))
            parameters["exclude_outside"] = int(mode == "cubic" and rng.integers(2))
            parameters["cubic_coeff_a"] = float(rng.choice([-0.75, -0.5]))
        yield resize(x, **parameters)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_drawn_parameters_mean_what_onnx_says(mode: str) -> None:
    assert differences(list(drawn(mode, 14))) == []


def test_fractions_and_whole_scales_of_maps() -> None:
    """Tables and Relax's own operator, at positions that are ties, too."""
    x = data(1, 3, 5, 4)
    sizes: list[dict[str, list[float]]] = [{"scales": [1, 1, 2, 3]}, {"sizes": [1, 3, 7, 8]}]
    cases = [
        resize(x, mode=mode, coordinate_transformation_mode=coordinates, **sizes[number % 2])
        for mode in ("nearest", "linear", "cubic")
        for number, coordinates in enumerate(COORDINATES[:-1])
    ]
    cases += [resize(x, mode="nearest", scales=[1, 1, 2, 2], nearest_mode=r) for r in ROUNDINGS]
    cases += [
        resize(x, mode="nearest", scales=[1, 2, 1.3, 1]),
        resize(x, mode="linear", scales=[1, 1, 1.3, 0.6]),
        resize(x, mode="cubic", scales=[1, 1, 1, 0.6], antialias=1),
    ]
    assert differences(cases) == []
    opset_11 = [resize(x, mode="linear", scales=[1, 1, 1.61, 2.21], opset=11, roi=[])]
    assert differences(opset_11) == []


def test_a_map_of_one_position() -> None:
    """Coordinates divide by the new size less one, as the standard says and ONNX Runtime does."""
    x, roi = data(1, 2, 5, 4), [0.2, 0.1, 1, 1, 0.8, 1]
    cases = [
        resize(
            x,
            mode=mode,
            coordinate_transformation_mode=c,
            sizes=[1, 2, 1, 1],
            roi=[0, 0, *roi],
        )
        for mode in ("linear", "cubic")
        for c in ("align_corners", "tf_crop_and_resize", "pytorch_half_pixel")
    ]
    assert differences(cases, wanted=by_onnxruntime) == []


def test_integers_are_rounded_and_half_precision_kept() -> None:
    images = np.random.default_rng(1).integers(0, 256, (1, 2, 4, 5)).astype(np.uint8)
    cases = [
        resize(images, mode="cubic", scales=[1, 1, 1.7, 2.9]),
        resize(images, mode="nearest", scales=[1, 1, 1.7, 2.9]),
        resize(images.astype(np.int8), mode="linear", scales=[1, 1, 1.7, 0.6]),
    ]
    assert differences(cases) == []
    halves = resize(images.astype(np.float16), mode="linear", scales=[1, 1, 2, 2])
    assert differences([halves], rtol=1e-3) == []


@pytest.mark.parametrize("scales", [(1, 1, 2, 2), (1, 1, 1.7, 2.3), (1, 1, 0.5, 0.3)], ids=str)
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_older_opsets(mode: str, scales: tuple[float, ...]) -> None:
    x, given = data(1, 2, 6, 7), np.array(scales, np.float32)
    cases = [
        Single("Resize", {"x": x}, {"s": given}, {"mode": mode}, 10),
        Single("Upsample", {"x": x}, {"s": given}, {"mode": mode}, 9),
        Single("Upsample", {"x": x}, {}, {"mode": mode, "scales": [float(scale) for scale in scales]}, 7),
    ]
    upsampling = min(scales) >= 1
    cases = [case for case in cases if upsampling or case.kind == "Resize"]
    assert differences(cases, wanted=by_onnxruntime) == []


SCALES = (0.1, 0.3, 0.6, 0.7, 1 / 3, 1.05, 1.1, 1.2, 1.3, 1.4, 1.6, 2.3, 2.4, 2.9)


def test_scales_are_float32() -> None:
    """Sizes and positions as ONNX Runtime has them; in float64 a third of these are other ones."""
    rng, cases = np.random.default_rng(3), []
    for number, scale in enumerate(SCALES * 2):
        size = int(rng.integers(10, 120))
        cases.append(
            resize(
                np.arange(2 * size, dtype=np.float32).reshape(1, 1, 2, size),
                scales=[1, 1, 2, scale],
                mode="nearest",
                coordinate_transformation_mode=COORDINATES[number % 5],
                nearest_mode=ROUNDINGS[(2, 2, 0, 1, 3)[number // 5 % 5]],
            )
        )
    assert differences(cases, wanted=by_onnxruntime, rtol=0, atol=0) == []


@pytest.mark.parametrize("opset", [9, 10])
def test_scales_of_older_opsets_are_float32(opset: int) -> None:
    kind = "Resize" if opset == 10 else "Upsample"
    cases = [
        Single(kind, {"x": data(2, size)}, {"s": np.array([2, scale], np.float32)}, {"mode": mode}, opset)
        for scale, size in ((1.2, 10), (1.3, 10), (1.6, 8), (2.4, 10), (1.1, 37), (0.6, 10), (0.3, 50))
        for mode in ("nearest", "linear")
        if scale > 1 or kind == "Resize"
    ]
    assert differences(cases, wanted=by_onnxruntime) == []


def test_regions_scales_and_policies_are_float32() -> None:
    roi, x = [0, 0.1, 1, 0.7], data(3, 30)
    cases = [
        resize(
            x,
            scales=[2, s],
            mode=mode,
            coordinate_transformation_mode=COORDINATES[5],
            roi=roi,
            nearest_mode="floor",
        )
        for s in (0.7, 1.3, 2.3)
        for mode in ("nearest", "linear", "cubic")
    ]
    cases += [
        resize(data(1, 98, 14), sizes=sizes, axes=[1, 2], keep_aspect_ratio_policy=policy)
        for sizes in ([35, 7], [49, 3])
        for policy in ("not_larger", "not_smaller")
    ]
    assert differences(cases, wanted=by_onnxruntime) == []


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_data_that_keeps_its_sizes_is_copied(mode: str) -> None:
    cases = [resize(data(1, 1, 4, 10), scales=[1, 1, s, 1.08], mode=mode) for s in (1, 1.05, 1.7)]
    assert differences(cases, wanted=by_onnxruntime) == []


@pytest.mark.parametrize("declared", [None, 12, 13])
def test_a_file_declares_either_size(declared: int | None) -> None:
    """10 times the float32 next to 1.3: 13, and 12 where onnx infers it; what follows goes on with 13."""
    x = data(1, 1, 1, 10)
    nodes = [
        helper.make_node("Resize", ["x", "", "s"], ["r"], mode="linear"),
        helper.make_node("Relu", ["r"], ["a"]),
        helper.make_node("Resize", ["a", "", "s"], ["y"], mode="linear"),
    ]
    shape = None if declared is None else (1, 1, 1, int(declared * 1.3))
    graph = helper.make_graph(
        nodes,
        "sizes",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(np.array([1, 1, 1, 1.3], np.float32), "s")],
        value_info=[helper.make_tensor_value_info("r", TensorProto.FLOAT, (1, 1, 1, declared or 13))],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    (found,) = directconv.compile(model).run(x)
    del model.graph.value_info[:]
    model.graph.output[0].type.tensor_type.ClearField("shape")
    np.testing.assert_allclose(found, by_onnxruntime(model, {"x": x})["y"], rtol=1e-5, atol=1e-5)
    assert found.shape[3] == 16


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (resize(data(1, 1, 4, 4), scales=[1, 1, 2, 2], mode="sharp"), "mode 'sharp'"),
        (resize(data(1, 1, 4, 4), scales=[1, 1, 2, 2], coordinate_transformation_mode="x"), "mode 'x'"),
        (resize(data(1, 1, 4, 4), scales=[1, 1, 2, 2], nearest_mode="up"), "nearest_mode 'up'"),
        (resize(data(1, 1, 4, 4), sizes=[1, 1, 8, 8], coordinate_transformation_mode=COORDINATES[-1]), "roi"),
    ],
)
def test_parameters_that_onnx_does_not_have(case: Single, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        directconv.compile(model_of([case]))


def test_scales_of_run_time_are_refused() -> None:
    case = Single(
        "Resize", {"x": data(1, 1, 4, 4), "s": np.ones(4, np.float32)}, {"roi": None}, order=("x", "roi", "s")
    )
    with pytest.raises(UnsupportedOperatorError, match=r"constants.*'node0' \(Resize\): scales"):
        directconv.compile(model_of([case]))


@pytest.mark.parametrize("axes", [None, [2, 3]])
def test_aligned_corners_are_those_of_the_result(axes: list[int] | None) -> None:
    """5 rows by 1.5 are 7, the last of which is aligned, not a point half a row below it."""
    x = np.broadcast_to(np.arange(5, dtype=np.float32)[:, None], (1, 1, 5, 5)).copy()
    scales = [1.5, 1.5] if axes else [1, 1, 1.5, 1.5]
    attributes = {"axes": axes} if axes else {}
    node = resize(
        x, scales=scales, mode="linear", coordinate_transformation_mode="align_corners", **attributes
    )
    (found,) = directconv.compile(model_of([node])).run([x])
    np.testing.assert_allclose(found[0, 0, :, 0], np.arange(7) * 4 / 6, rtol=1e-6)
