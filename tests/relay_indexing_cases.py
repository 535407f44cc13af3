"""Operators of Relay that find, order and place elements, and those of images and detectors."""

from __future__ import annotations

import numpy as np
from graph_support import draw
from relay_case_support import Family, nhwc, onnx


def indexing() -> Family:
    x, y = draw(3, 5, 4), draw(2, 3, seed=1)
    places = np.array([[0, 2, 1], [2, 9, -4]], np.int32)
    f = Family({"x": x, "y": y, "i": places, "long": np.array([2, 0, 2, 1], np.int64), "one": np.int32(1)})
    f.case("take", "take(%x, %i, axis=0)", x.take(places, 0, mode="clip"))
    f.case("take, all", "take(%x, %i)", x.take(places, mode="clip"))
    f.case("take, around", 'take(%x, %i, axis=1, mode="wrap")', x.take(places, 1, mode="wrap"))
    f.case("take one", "take(%x, %one, axis=1)", x.take(1, 1))
    inside = np.array([[[0, 2, 1, 1]], [[2, 0, 1, 0]]], np.int64)
    f.inputs["inside"] = inside
    f.case("gather", "gather(%x, axis=0, %inside)", np.take_along_axis(x[:, :1], inside, 0))
    rows = np.array([[0, 2], [1, 4], [3, 0]], np.int32)
    f.inputs["rows"] = rows
    f.case("gather_nd", "gather_nd(%x, %rows)", x[tuple(rows)])
    pairs = np.array([[0, 1, 4], [3, 0, 2]], np.int32)
    f.inputs["pairs"] = pairs
    f.case("gather_nd, a batch", "gather_nd(%x, %pairs, batch_dims=1)", x[np.arange(3), pairs[0], pairs[1]])
    updates = draw(2, 1, 4, seed=2)
    f.inputs["u"] = updates
    for name, options, kind in (
        ("scatter", "axis=0", "none"),
        ("scatter_add", "axis=0", "add"),
        ("scatter_elements", 'axis=0, reduction="mul"', "mul"),
        ("scatter_elements", 'axis=0, reduction="max"', "max"),
    ):
        value = onnx("ScatterElements", x, inside, updates, axis=0, reduction=kind)
        f.case(f"{name} {kind}", f"{name}(%x, %inside, %u, {options})", value)
    blocks = np.array([[0, 2, 0], [1, 4, 1]], np.int64)
    f.inputs |= {"blocks": blocks, "v": draw(3, 4, seed=3)}
    for mode in ("update", "add"):
        value = onnx("ScatterND", x, blocks.T.copy(), f.inputs["v"], reduction=mode.replace("update", "none"))
        f.case(f"scatter_nd {mode}", f'scatter_nd(%x, %blocks, %v, mode="{mode}")', value)
    order = np.argsort(-x, 1, kind="stable")
    f.case("topk", "topk(%x, k=2, axis=1).0", np.take_along_axis(x, order[:, :2], 1))
    f.case("topk's places", 'topk(%x, k=3, axis=1, dtype="int64").1', order[:, :3])
    f.case("topk, values", 'topk(%x, k=2, axis=1, ret_type="values", is_ascend=True)', np.sort(x, 1)[:, :2])
    f.case("topk, places", 'topk(%x, k=0, ret_type="indices")', np.argsort(-x, -1).astype(np.int32))
    f.case("sort", "sort(%x, axis=0, is_ascend=False)", -np.sort(-x, 0))
    f.case("argsort", "argsort(%x, axis=1)", np.argsort(x, 1).astype(np.int32))
    hot = np.full((2, 3, 4), -1, np.float32)
    for at in ((0, 0), (0, 1), (0, 2), (1, 0)):
        hot[(*at, places[at])] = 2
    value = 'one_hot(%i, 2f, -1f, depth=4, axis=-1, dtype="float32")'
    f.case("one_hot", value, hot)
    f.case("one_hot ahead", value.replace("axis=-1", "axis=0"), hot.transpose(2, 0, 1))
    f.case("cumsum", "cumsum(%x, axis=1)", x.cumsum(1))
    f.case("cumsum, all", "cumsum(%y)", y.cumsum())
    f.case("cumsum, exclusive", "cumsum(%y, axis=1, exclusive=True)", y.cumsum(1) - y)
    f.case("cumprod", "cumprod(%y, axis=0)", y.cumprod(0))
    f.case("reverse", "reverse(%x, axis=1)", x[:, ::-1])
    lengths = np.array([2, 5, 1, 3], np.int64)
    f.inputs["lengths"] = lengths
    turned = x.copy()
    for column, length in enumerate(lengths):
        turned[:, :length, column] = x[:, :length, column][:, ::-1]
    f.case("reverse_sequence", "reverse_sequence(%x, %lengths, seq_axis=1, batch_axis=2)", turned)
    kept = np.array([1, 0, 3, 2, 1], np.int32)
    f.inputs["kept"] = kept
    masked = np.where(np.arange(3)[:, None, None] < kept[:, None], x, np.float32(7))
    f.case("sequence_mask", "sequence_mask(%x, %kept, mask_value=7f, axis=0)", masked)
    f.case("slice_like", "slice_like(%x, %y)", x[:2, :3])
    f.case("slice_like, an axis", "slice_like(%x, %y, axes=[-2])", x[:, :3])
    f.case("arange", 'arange(1, 8, 3, dtype="int32")', np.arange(1, 8, 3, np.int32))
    f.case("full", 'full(3f, shape=[2, 1], dtype="float32")', np.full((2, 1), 3, np.float32))
    f.case("full_like", "full_like(%y, 2f)", np.full_like(y, 2))
    column, row = draw(3, seed=4), draw(2, seed=5)
    f.inputs |= {"column": column, "row": row}
    for name in ("ij", "xy"):
        value = np.meshgrid(column, row, indexing=name)[1]
        f.case(f"meshgrid {name}", f'meshgrid((%column, %row), indexing="{name}").1', value)
    f.case("trilu", "trilu(%x, 1, upper=True)", np.triu(x, 1))
    f.case("trilu, below", "trilu(%x, -1, upper=False)", np.tril(x, -1))
    f.case("einsum", 'einsum((%y, %column), equation="ij,j->i")', y @ column)
    diagonal = x.copy()
    diagonal[:, np.arange(4) + 1, np.arange(4)] = draw(3, 4, seed=3)
    f.case("matrix_set_diag", "matrix_set_diag(%x, %v, k1=-1, k2=-1)", diagonal)
    numbers = np.array([0, 7, 59, 33], np.int64)
    f.inputs["numbers"] = numbers
    f.weights = {"shape": np.array([3, 5, 4], np.int64), "two": np.array([2, 3], np.int64)}
    f.case("unravel_index", "unravel_index(%numbers, %shape)", np.array(np.unravel_index(numbers, (3, 5, 4))))
    f.case("shape_of", 'shape_of(%x, dtype="int64")', np.array([3, 5, 4]))
    f.case("ndarray_size", "ndarray_size(%x)", np.array(60, np.int32))
    wide = draw(15, 4, seed=6)
    f.inputs["wide"] = wide
    f.case("reshape_like", "reshape_like(%wide, %x)", wide.reshape(3, 5, 4))
    value = "reshape_like(%wide, %x, lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2)"
    f.case("reshape_like, a part", value, wide.reshape(3, 5, 4))
    f.case("broadcast_to_like", "broadcast_to_like(%column, %y)", np.broadcast_to(column, (2, 3)))
    part = x.copy()
    part[0:2, 1:5:2] = 9
    f.inputs["nine"] = np.full((2, 2, 4), 9, np.float32)
    f.weights |= {"from": np.array([0, 1]), "to": np.array([2, 5]), "by": np.array([1, 2])}
    f.case("strided_set", "strided_set(%x, %nine, %from, %to, %by)", part)
    dense = np.full((3, 5), -1, np.float32)
    dense[[0, 2], [1, 4]] = draw(2, seed=5)
    value = "sparse_to_dense(%at, %row, -1f, output_shape=[3, 5])"
    f.inputs["at"] = np.array([[0, 1], [2, 4]], np.int64)
    f.case("sparse_to_dense", value, dense)
    f.case("adv_index", "adv_index((%x, %long))", x[[2, 0, 2, 1]])
    borders = np.array([-1, 0, 0.5, 2], np.float32)
    f.inputs["borders"] = borders
    f.case("searchsorted", "searchsorted(%borders, %y)", np.searchsorted(borders, y).astype(np.int32))
    right = np.searchsorted(borders, np.float32([0, 0.5]), "right").astype(np.int64)
    f.inputs["ties"] = np.float32([0, 0.5])
    f.case("searchsorted, right", 'searchsorted(%borders, %ties, right=True, dtype="int64")', right)
    f.inputs["order"] = np.array([2, 0, 3, 1], np.int32)
    f.case("invert_permutation", "invert_permutation(%order)", np.array([1, 3, 0, 2], np.int32))
    f.case("dyn.reshape", "dyn.reshape(%y, %flat)", y.reshape(3, 2))
    f.weights["flat"] = np.array([3, 2], np.int64)
    f.case("dyn.broadcast_to", "dyn.broadcast_to(%column, %two)", np.broadcast_to(column, (2, 3)))
    f.case("dyn.tile", "dyn.tile(%row, %two)", np.tile(row, (2, 3)))
    f.case("dyn.full", 'dyn.full(4f, %two, dtype="float32")', np.full((2, 3), 4, np.float32))
    f.weights |= {
        "k": np.array([2], np.int64),
        "depth": np.array(4, np.int32),
        "unit": np.array([0], np.int64),
    }
    f.case("dyn.topk", 'dyn.topk(%x, %k, axis=1, ret_type="values")', np.take_along_axis(x, order[:, :2], 1))
    value = 'dyn.one_hot(%i, 2f, -1f, %depth, axis=-1, dtype="float32")'
    f.case("dyn.one_hot", value, hot)
    f.case("dyn.squeeze", "dyn.squeeze(expand_dims(%row, axis=0), %unit)", row)
    f.case("dyn.expand_dims", "dyn.expand_dims(%row, %unit)", row[None])
    f.case("dyn.strided_slice", "dyn.strided_slice(%x, %from, %to, %by)", x[0:2, 1:5:2])
    return f


def further() -> Family:
    """What later versions have beside the operators of the first."""
    x, i = draw(2, 6, 5, 4), np.array([[-70000, 5, 12345], [0, -1, 2**30]], np.int32)
    f = Family({"x": x, "p": np.abs(x) + np.float32(0.1), "i": i, "xh": nhwc(x)})
    scale, shift = draw(4, seed=1), draw(4, seed=2)
    f.weights = {"scale": scale, "shift": shift, "s6": draw(6, seed=3), "b6": draw(6, seed=4)}
    value = onnx("LayerNormalization", x, scale, shift, epsilon=1e-5)
    f.case("layer_norm", "nn.layer_norm(%x, %scale, %shift)", value)
    value = onnx("LayerNormalization", x, np.ones(4, np.float32), shift, epsilon=1e-3)
    f.case("layer_norm, no scale", "nn.layer_norm(%x, %scale, %shift, scale=False, epsilon=0.001f)", value)
    value = onnx("InstanceNormalization", x, f.weights["s6"], f.weights["b6"])
    f.case("instance_norm", "nn.instance_norm(%x, %s6, %b6)", value)
    f.case("instance_norm, NHWC", "nn.instance_norm(%xh, %s6, %b6, axis=3)", nhwc(value))
    groups = x.reshape(2, 3, -1)
    normal = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + 1e-5)
    value = normal.reshape(x.shape) * f.weights["s6"].reshape(6, 1, 1) + f.weights["b6"].reshape(6, 1, 1)
    f.case("group_norm", "nn.group_norm(%x, %s6, %b6, num_groups=3)", value.astype(np.float32))
    a, b = draw(3, 4, 5, seed=5), draw(3, 2, 5, seed=6)
    f.inputs |= {"a": a, "b": b}
    f.case("batch_matmul", "nn.batch_matmul(%a, %b)", a @ b.transpose(0, 2, 1))
    f.inputs["c"] = draw(3, 2, 4, seed=7)
    value = "nn.batch_matmul(%c, %b, transpose_a=True, transpose_b=False)"
    f.case("batch_matmul, turned", value, f.inputs["c"].transpose(0, 2, 1) @ b)
    f.case("log2", "log2(%p)", np.log2(f.inputs["p"]))
    f.case("log10", "log10(%p)", np.log10(f.inputs["p"]))
    for name, function in (("exp", np.exp), ("tanh", np.tanh)):
        f.case(f"fast_{name}", f"fast_{name}(%x)", function(x))
    f.case("fast_erf", "fast_erf(%x)", onnx("Erf", x))
    f.case("fast_sigmoid", "fast_sigmoid(%x)", 1 / (1 + np.exp(-x)))
    f.case("fast_softmax", "nn.fast_softmax(%x, axis=1)", onnx("Softmax", x, axis=1))
    for name, function in {
        **{"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor},
        **{"left_shift": np.left_shift, "right_shift": np.right_shift},
    }.items():
        f.case(name, f"{name}(%i, 3)", function(i, np.int32(3)))
    f.case("bitwise_not", "bitwise_not(%i)", ~i)
    f.case("all", "all(greater(%x, -1f), axis=[1])", (x > -1).all(1))
    f.case("any", "any(greater(%x, 1f), axis=[2, 3], keepdims=True)", (x > 1).any((2, 3), keepdims=True))
    for multiplier, more in ((1518500250, -2), (1073741824, 0), (2000000000, 3)):
        small = i // 64
        exact = (small.astype(object) * 2 ** max(more, 0) * multiplier * 2 + 2 ** (31 + max(-more, 0))) >> (
            32 + max(-more, 0)
        )
        name = f"fixed_point_multiply {more}"
        body = f"fixed_point_multiply(right_shift(%i, 6), multiplier={multiplier}, shift={more})"
        f.case(name, body, exact.astype(np.int32))
    f.weights |= {
        "many": np.array([1518500250, 1073741824, 2000000000], np.int32),
        "left": np.array([0, 1, 0], np.int32),
        "right": np.array([2, 0, 1], np.int32),
    }
    factors = zip((1518500250, 1073741824, 2000000000), (-2, 1, -1), strict=True)
    columns = [
        [
            int((int(v) << max(s, 0)) * m * 2 + 2 ** (31 + max(-s, 0))) >> (32 + max(-s, 0))
            for v in small[:, n]
        ]
        for n, (m, s) in enumerate(factors)
    ]
    body = "fixed_point_multiply_per_axis(right_shift(%i, 6), %many, %left, %right, axes=[1])"
    f.case("fixed_point_multiply_per_axis", body, np.array(columns, np.int32).T)
    offsets, filters = draw(2, 2 * 2 * 6, 5, 3, seed=11), draw(4, 3, 3, 2, seed=12)
    f.inputs["offsets"] = offsets
    f.weights["filters"] = filters
    options = {"strides": [1, 1], "pads": [1, 0, 1, 0], "group": 2, "offset_group": 2, "kernel_shape": [3, 2]}
    value = onnx("DeformConv", x, filters, offsets, opset=19, **options)
    body = "nn.deformable_conv2d(%x, %offsets, %filters, padding=[1, 0], groups=2, deformable_groups=2)"
    f.case("deformable_conv2d", body, value)
    deep = draw(1, 3, 4, 6, seed=8)
    f.inputs["deep"] = deep
    f.case(
        "space_to_depth", "nn.space_to_depth(%deep, block_size=2)", onnx("SpaceToDepth", deep, blocksize=2)
    )
    wide = np.pad(nhwc(deep), ((0, 0), (1, 1), (0, 0), (0, 0)))
    blocks = wide.reshape(1, 3, 2, 3, 2, 3).transpose(2, 4, 0, 1, 3, 5).reshape(4, 3, 3, 3)
    f.inputs["dh"] = nhwc(deep)
    body = "nn.space_to_batch_nd(%dh, block_shape=[2, 2], paddings=[[1, 1], [0, 0]], pad_value=0f)"
    f.case("space_to_batch", body, blocks)
    f.inputs["blocks"] = blocks
    body = "nn.batch_to_space_nd(%blocks, block_shape=[2, 2], crops=[[1, 1], [0, 0]])"
    f.case("batch_to_space", body, nhwc(deep))
    pairs = "[[0, 0], [0, 0], [1, 2], [2, 0]]"
    widths = ((0, 0), (0, 0), (1, 2), (2, 0))
    for mode in ("SYMMETRIC", "REFLECT"):
        value = np.pad(deep, widths, mode.lower())  # type: ignore[call-overload]
        f.case(f"mirror_pad {mode}", f'nn.mirror_pad(%deep, mode="{mode}", pad_width={pairs})', value)
    line, cube = draw(2, 3, 8, seed=9), draw(1, 2, 4, 6, 4, seed=10)
    f.inputs |= {"line": line, "cube": cube}
    for kind, function in (("avg", np.mean), ("max", np.max)):
        f.case(f"global_{kind}_pool1d", f"nn.global_{kind}_pool1d(%line)", function(line, 2, keepdims=True))
        value = function(cube, (2, 3, 4), keepdims=True)
        f.case(f"global_{kind}_pool3d", f"nn.global_{kind}_pool3d(%cube)", value)
        value = function(line.reshape(2, 3, 4, 2), 3)
        f.case(f"adaptive_{kind}_pool1d", f"nn.adaptive_{kind}_pool1d(%line, output_size=[4])", value)
        value = function(cube.reshape(1, 2, 2, 2, 3, 2, 2, 2), (3, 5, 7))
        body = f"nn.adaptive_{kind}_pool3d(%cube, output_size=[2, 3, 2])"
        f.case(f"adaptive_{kind}_pool3d", body, value)
    return f


def images() -> Family:
    x = draw(2, 3, 6, 8)
    grid = np.random.default_rng(1).uniform(-1.3, 1.3, (2, 4, 5, 2)).astype(np.float32)
    f = Family({"x": x, "xh": nhwc(x), "grid": np.ascontiguousarray(grid.transpose(0, 3, 1, 2))})
    for mode, corners in (("zeros", True), ("border", False)):
        value = onnx("GridSample", x, grid, mode="bilinear", padding_mode=mode, align_corners=int(corners))
        body = f'image.grid_sample(%x, %grid, padding_mode="{mode}", align_corners={corners})'
        f.case(f"grid_sample {mode}", body, value)
    theta = draw(2, 2, 3, seed=2)
    f.inputs["theta"] = theta
    row, column = np.meshgrid(np.linspace(-1, 1, 3), np.linspace(-1, 1, 4), indexing="ij")
    points = np.stack([column.ravel(), row.ravel(), np.ones(12)])
    value = (theta @ points).reshape(2, 2, 3, 4).astype(np.float32)
    f.case("affine_grid", "image.affine_grid(%theta, target_shape=[3, 4])", value)
    line, cube = draw(2, 3, 5, seed=3), draw(1, 2, 3, 4, 5, seed=4)
    f.inputs |= {"line": line, "cube": cube}
    none = np.zeros(0, np.float32)
    value = onnx("Resize", line, none, none, np.array([2, 3, 9]), mode="linear")
    f.case("resize1d", 'image.resize1d(%line, size=[9], method="linear")', value)
    value = onnx("Resize", cube, none, none, np.array([1, 2, 4, 3, 7]), mode="linear")
    f.case("resize3d", 'image.resize3d(%cube, size=[4, 3, 7], method="linear")', value)
    value = cube.repeat(2, 2).repeat(3, 3).repeat(2, 4)
    body = 'nn.upsampling3d(%cube, scale_d=2f, scale_h=3f, scale_w=2f, method="nearest_neighbor", '
    body += 'coordinate_transformation_mode="asymmetric")'
    f.case("upsampling3d", body, value)
    boxes = np.array([[0.1, 0.2, 0.8, 0.9], [-0.2, 0.5, 0.4, 1.3], [0.9, 0.1, 0.2, 0.7]], np.float32)
    f.inputs |= {"boxes": boxes, "which": np.array([1, 0, 1], np.int32)}
    body = 'image.crop_and_resize(%xh, %boxes, %which, crop_size=[3, 4], layout="NHWC", method="bilinear", '
    body += "extrapolation_value=-7f)"
    f.case("crop_and_resize", body, _cropped(nhwc(x), boxes, (1, 0, 1), (3, 4), -7))
    kernel = draw(3, 2, 3, seed=5)
    f.weights["kernel"] = kernel
    padded = np.pad(x, ((0, 0), (0, 0), (1, 0), (1, 1)), constant_values=np.finfo(np.float32).min)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::2, :, ::2]
    value = (windows + kernel[:, None, None]).max((-2, -1))
    body = "image.dilation2d(%x, %kernel, strides=[2, 1], padding=[1, 1, 0, 1], dilations=[2, 1])"
    f.case("dilation2d", body, value)
    return f


def _cropped(
    x: np.ndarray, boxes: np.ndarray, which: tuple[int, ...], size: tuple[int, int], outside: float
) -> np.ndarray:
    """TensorFlow's crop_and_resize, pixel by pixel."""
    _, height, width, channels = x.shape
    result = np.full((len(which), *size, channels), outside, np.float32)
    for n, (box, image) in enumerate(zip(boxes.astype(float), which, strict=True)):
        for i, j in np.ndindex(*size):
            y = (box[0] + (box[2] - box[0]) * i / (size[0] - 1)) * (height - 1)
            z = (box[1] + (box[3] - box[1]) * j / (size[1] - 1)) * (width - 1)
            if 0 <= y <= height - 1 and 0 <= z <= width - 1:
                top, left = int(y), int(z)
                low, right = min(top + 1, height - 1), min(left + 1, width - 1)
                upper = x[image, top, left] * (1 - z + left) + x[image, top, right] * (z - left)
                lower = x[image, low, left] * (1 - z + left) + x[image, low, right] * (z - left)
                result[n, i, j] = upper * (1 - y + top) + lower * (y - top)
    return result


def detections() -> Family:
    maps = draw(2, 3, 8, 9)
    rois = np.array([[0, 1, 1, 6, 5], [1, 0, 2, 7, 7], [0, 2, 0, 4, 7]], np.float32)
    f = Family({"maps": maps, "rois": rois})
    corners, which = rois[:, 1:].copy(), rois[:, 0].astype(np.int64)
    value = onnx(
        "RoiAlign",
        *(maps, corners, which),
        output_height=3,
        output_width=2,
        sampling_ratio=2,
        spatial_scale=0.5,
        coordinate_transformation_mode="output_half_pixel",
    )
    options = "pooled_size=[3, 2], spatial_scale=0.5f"
    f.case("roi_align", f"vision.roi_align(%maps, %rois, {options}, sample_ratio=2)", value)
    value = onnx("MaxRoiPool", maps, rois, pooled_shape=[3, 2], spatial_scale=1.0)
    f.case("roi_pool", "vision.roi_pool(%maps, %rois, pooled_size=[3, 2], spatial_scale=1f)", value)
    prior = onnx_prior()
    body = "vision.multibox_prior(%maps, sizes=[0.3f, 0.5f], ratios=[1f, 2f], clip=True)"
    f.case("multibox_prior", body, prior)
    reorg = draw(1, 8, 4, 6, seed=1)
    f.inputs["reorg"] = reorg
    f.case("yolo_reorg", "vision.yolo_reorg(%reorg, stride=2)", _reorganized(reorg, 2))
    rng = np.random.default_rng(2)
    chances = rng.dirichlet(np.ones(3), (2, 5)).transpose(0, 2, 1).astype(np.float32)
    offsets, low = draw(2, 20, seed=3), rng.uniform(0, 0.5, (1, 5, 2)).astype(np.float32)
    anchors = np.concatenate([low, low + np.float32(0.3)], -1)
    f.inputs |= {"chances": chances, "offsets": offsets, "anchors": anchors}
    rows, counts = _transformed(chances, offsets, anchors, 0.45)
    body = "vision.multibox_transform_loc(%chances, %offsets, %anchors, threshold=0.45f)"
    f.case("multibox_transform_loc", f"{body}.0", rows)
    f.case("multibox_transform_loc's count", f"{body}.1", counts)
    boxes = np.array(
        [
            [
                [0, 0.8, 1, 20, 25, 45],
                [1, 0.7, 30, 60, 50, 80],
                [0, 0.4, 4, 21, 19, 40],
                [2, 0.9, 35, 61, 52, 79],
            ],
            [[1, 0.2, 0, 0, 9, 9], [-1, 0.9, 0, 0, 9, 9], [1, 0.5, 0, 0, 10, 9], [0, 0.1, 50, 50, 60, 60]],
        ],
        np.float32,
    )
    f.inputs["boxes"] = boxes
    valid = (boxes[..., 1] > 0.15) & (boxes[..., 0] >= 0)
    moved = np.full_like(boxes, -1)
    for image in range(2):
        moved[image, : valid[image].sum()] = boxes[image, valid[image]]
    body = "vision.get_valid_counts(%boxes, 0.15f, id_index=0, score_index=1)"
    f.case("get_valid_counts", f"{body}.0", valid.sum(1).astype(np.int32))
    f.case("get_valid_counts, moved", f"{body}.1", moved)
    for force in (False, True):
        body = (
            "%1 = vision.get_valid_counts(%boxes, 0.15f, id_index=0, score_index=1); "
            "vision.non_max_suppression(%1.1, %1.0, %1.2, -1, 0.3f, return_indices=False, "
            f"invalid_to_bottom=True, force_suppress={force})"
        )
        f.case(f"non_max_suppression {force}", body, _suppressed(moved, valid.sum(1), 0.3, force))
    return f


def onnx_prior() -> np.ndarray:
    """Anchors of a map of 8 x 9 pixels, written out as MXNet's documentation has them."""
    anchors = []
    for row in range(8):
        for column in range(9):
            y, x = (row + 0.5) / 8, (column + 0.5) / 9
            for width, height in (
                (0.3 * 8 / 9 / 2, 0.15),
                (0.5 * 8 / 9 / 2, 0.25),
                (0.3 * 8 / 9 * 2**0.5 / 2, 0.3 / 2**0.5 / 2),
            ):
                anchors.append([x - width, y - height, x + width, y + height])
    return np.clip(np.array(anchors), 0, 1)[None].astype(np.float32)


def _reorganized(x: np.ndarray, stride: int) -> np.ndarray:
    """darknet's reorg layer, element by element over the memory of a map."""
    _, channels, height, width = x.shape
    flat, result, part = x.ravel(), np.empty(x.size, np.float32), channels // stride**2
    for k, j, i in np.ndindex(channels, height, width):
        across, down = i * stride + k // part % stride, j * stride + k // part // stride
        source = across + width * stride * (down + height * stride * (k % part))
        result[i + width * (j + height * k)] = flat[source]
    return result.reshape(1, channels * stride**2, height // stride, width // stride)


def _transformed(
    chances: np.ndarray, offsets: np.ndarray, anchors: np.ndarray, threshold: float
) -> tuple[np.ndarray, np.ndarray]:
    batch, _, count = chances.shape
    rows, counts = np.full((batch, count, 6), -1, np.float32), np.zeros(batch, np.int32)
    for image in range(batch):
        for n in range(count):
            scores = chances[image, 1:, n]
            if scores.max() < threshold:
                continue
            left, top, right, bottom = anchors[0, n]
            dx, dy, dw, dh = offsets[image].reshape(-1, 4)[n]
            width, height = right - left, bottom - top
            x, y = dx * 0.1 * width + (left + right) / 2, dy * 0.1 * height + (top + bottom) / 2
            w, h = np.exp(dw * 0.2) * width / 2, np.exp(dh * 0.2) * height / 2
            box = np.clip([x - w, y - h, x + w, y + h], 0, 1)
            rows[image, counts[image]] = [scores.argmax(), scores.max(), *box]
            counts[image] += 1
    return rows, counts


def _suppressed(rows: np.ndarray, counts: np.ndarray, overlap: float, force: bool) -> np.ndarray:
    result = np.full_like(rows, -1)
    for image, count in enumerate(counts):
        kept: list[np.ndarray] = []
        for row in sorted(rows[image, :count], key=lambda row: -row[1]):
            if all(
                _overlap(row[2:], other[2:]) < overlap or not (force or row[0] == other[0]) for other in kept
            ):
                kept.append(row)
        result[image, : len(kept)] = kept
    return result


def _overlap(a: np.ndarray, b: np.ndarray) -> float:
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    shared = np.prod(np.maximum(high - low, 0))
    return float(shared / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - shared))
