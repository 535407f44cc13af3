"""Convolutions, dense layers, pooling and resizing of Relay over their attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from graph_support import draw
from relay_case_support import Family, blocked, nhwc, onnx


def convolutions() -> Family:
    x, w = draw(1, 8, 9, 11), draw(12, 8, 3, 3)
    grouped, depthwise, multiplied = draw(12, 4, 3, 3, seed=1), draw(8, 1, 3, 3), draw(8, 2, 3, 3, seed=2)
    blocks, wide, one = draw(16, 8, 3, 3, seed=3), draw(1, 16, 5, 5, seed=4), draw(16, 16, 1, 1)
    weights = {
        "w": w,
        "hwio": w.transpose(2, 3, 1, 0),
        "ohwi": w.transpose(0, 2, 3, 1),
        "hwoi": w.transpose(2, 3, 0, 1),
        "grouped": grouped,
        "depthwise": depthwise,
        "multiplied": multiplied,
        "depthwise_hwoi": multiplied.transpose(2, 3, 0, 1),
        "oihw4i8o": blocks.reshape(2, 8, 2, 4, 3, 3).transpose(0, 2, 4, 5, 3, 1),
        "oihw1i4o": depthwise.reshape(2, 4, 1, 1, 3, 3).transpose(0, 2, 4, 5, 3, 1),
        "one": one,
        "bias": draw(16),
        "bias_block": draw(16).reshape(1, 2, 1, 1, 8),
    }
    weights = {name: np.ascontiguousarray(array) for name, array in weights.items()}
    f = Family({"x": x, "xh": nhwc(x), "x4": blocked(x, 4), "wide": wide}, weights)
    plain = onnx("Conv", x, w)
    f.case("default", "nn.conv2d(%x, %w)", plain)
    f.case("said", "nn.conv2d(%x, %w, channels=12, kernel_size=[3, 3])", plain)
    padded = onnx("Conv", x, w, pads=[1, 2, 1, 2], strides=[2, 1])
    f.case("two paddings", "nn.conv2d(%x, %w, strides=[2, 1], padding=[1, 2])", padded)
    f.case(
        "four paddings",
        "nn.conv2d(%x, %w, padding=[0, 1, 2, 3])",
        onnx("Conv", x, w, pads=[0, 1, 2, 3]),
    )
    f.case("one padding", "nn.conv2d(%x, %w, padding=[1])", onnx("Conv", x, w, pads=[1, 1, 1, 1]))
    f.case(
        "dilation",
        "nn.conv2d(%x, %w, dilation=[2, 3], padding=[2, 3])",
        onnx("Conv", x, w, dilations=[2, 3], pads=[2, 3, 2, 3]),
    )
    f.case("groups", "nn.conv2d(%x, %grouped, groups=2)", onnx("Conv", x, grouped, group=2))
    f.case("depthwise", "nn.conv2d(%x, %depthwise, groups=8)", onnx("Conv", x, depthwise, group=8))
    many = onnx("Conv", x, multiplied.reshape(16, 1, 3, 3), group=8)
    f.case("multiplier", "nn.conv2d(%x, %multiplied, groups=8, channels=16)", many)
    f.case("HWIO", 'nn.conv2d(%x, %hwio, kernel_layout="HWIO")', plain)
    of_rows = 'nn.conv2d(%xh, %{}, data_layout="NHWC", kernel_layout="{}")'
    f.case("NHWC HWIO", of_rows.format("hwio", "HWIO"), nhwc(plain))
    f.case("NHWC OHWI", of_rows.format("ohwi", "OHWI"), nhwc(plain))
    f.case("NHWC OIHW", of_rows.format("w", "OIHW"), nhwc(plain))
    f.case("NHWC HWOI", of_rows.format("hwoi", "HWOI"), nhwc(plain))
    f.case(
        "NHWC depthwise",
        'nn.conv2d(%xh, %depthwise_hwoi, groups=8, data_layout="NHWC", kernel_layout="HWOI")',
        nhwc(many),
    )
    f.case("out_layout", 'nn.conv2d(%x, %w, out_layout="NHWC", out_dtype="float32")', nhwc(plain))
    in_blocks = onnx("Conv", x, blocks, pads=[1, 1, 1, 1])
    contrib = (
        'nn.contrib_conv2d_NCHWc(%x4, %oihw4i8o, padding=[1, 1], channels=16, kernel_size=[3, 3], '
        'data_layout="NCHW4c", kernel_layout="OIHW4i8o", out_layout="NCHW8c")'
    )  # fmt: skip
    f.case("NCHWc", contrib, blocked(in_blocks, 8))
    f.case(
        "NCHWc by conv2d",
        contrib.replace("nn.contrib_conv2d_NCHWc", "nn.conv2d"),
        blocked(in_blocks, 8),
    )
    f.case(
        "NCHWc depthwise",
        'nn.contrib_depthwise_conv2d_NCHWc(%x4, %oihw1i4o, groups=8, data_layout="NCHW4c", '
        'kernel_layout="OIHW1i4o", out_layout="NCHW4c")',
        blocked(onnx("Conv", x, depthwise, group=8), 4),
    )
    chain = np.maximum(in_blocks + draw(16).reshape(16, 1, 1), 0)
    f.case(
        "a chain in blocks",
        f"%0 = {contrib}; %1 = add(%0, %bias_block); %2 = nn.relu(%1);"
        '%3 = nn.max_pool2d(%2, pool_size=[3, 3], layout="NCHW8c"); %4 = (%3, %3);'
        "%5 = concatenate(%4, axis=1); "
        'layout_transform(%5, src_layout="NCHW8c", dst_layout="NCHW")',
        np.concatenate([onnx("MaxPool", chain, kernel_shape=[3, 3])] * 2, axis=1),
    )
    f.case(
        "into blocks",
        '%0 = layout_transform(%x, src_layout="NCHW", dst_layout="NCHW4c");'
        + contrib.replace("%x4", "%0")
        + "",
        blocked(in_blocks, 8),
    )
    f.case(
        "explicit pad",
        "%0 = nn.pad(%x, 0f, pad_width=[[0, 0], [0, 0], [1, 0], [2, 1]]); nn.conv2d(%0, %w, padding=[1, 0])",
        onnx("Conv", x, w, pads=[2, 2, 1, 1]),
    )
    f.case(
        "explicit pad, NHWC",
        "%0 = nn.pad(%xh, 0f, pad_width=[[0, 0], [1, 1], [1, 1], [0, 0]]); "
        'nn.conv2d(%0, %hwio, data_layout="NHWC", kernel_layout="HWIO")',
        nhwc(onnx("Conv", x, w, pads=[1, 1, 1, 1])),
    )
    f.case("bias", "nn.bias_add(nn.conv2d(%wide, %one), %bias)", onnx("Conv", wide, one, draw(16)))
    f.case(
        "bias of the last axis",
        '%0 = nn.conv2d(%wide, %one, out_layout="NHWC"); nn.bias_add(%0, %bias, axis=3)',
        nhwc(onnx("Conv", wide, one, draw(16))),
    )
    return f


def transposed_convolutions() -> Family:
    x, w, grouped = draw(1, 8, 5, 6), draw(8, 4, 3, 4), draw(8, 3, 3, 3, seed=1)
    f = Family(
        {"x": x, "xh": nhwc(x)},
        {
            "w": w,
            "grouped": grouped,
            "small": draw(8, 4, 1, 1),
            "oihw": w.transpose(1, 0, 2, 3).copy(),
            "square": draw(8, 8, 3, 3).transpose(1, 0, 2, 3).copy(),
        },
    )
    for strides in ([1, 1], [2, 2], [3, 2], [4, 5]):
        for pads in ([0, 0, 0, 0], [1, 0, 2, 1]):
            f.case(
                f"strides {strides}, pads {pads}",
                f"nn.conv2d_transpose(%x, %w, strides={strides}, padding={pads})",
                onnx("ConvTranspose", x, w, strides=strides, pads=pads),
            )
    f.case(
        "output_padding",
        "nn.conv2d_transpose(%x, %w, channels=4, kernel_size=[3, 4], strides=[2, 2], padding=[1, 1], "
        "output_padding=[1, 1])",
        onnx("ConvTranspose", x, w, strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]),
    )
    f.case(
        "output_padding past the taps",
        "nn.conv2d_transpose(%x, %small, strides=[3, 3], output_padding=[2, 2])",
        onnx("ConvTranspose", x, draw(8, 4, 1, 1), strides=[3, 3], output_padding=[2, 2]),
    )
    f.case(
        "groups",
        "nn.conv2d_transpose(%x, %grouped, groups=2, strides=[2, 2])",
        onnx("ConvTranspose", x, grouped, group=2, strides=[2, 2]),
    )
    f.case(
        "dilation",
        "nn.conv2d_transpose(%x, %w, dilation=[2, 1], strides=[2, 1])",
        onnx("ConvTranspose", x, w, dilations=[2, 1], strides=[2, 1]),
    )
    f.case(
        "NHWC",
        'nn.conv2d_transpose(%xh, %oihw, strides=[2, 2], data_layout="NHWC", kernel_layout="OIHW")',
        nhwc(onnx("ConvTranspose", x, w, strides=[2, 2])),
    )
    f.case(
        "as many outputs as inputs",
        'nn.conv2d_transpose(%x, %square, kernel_layout="OIHW")',
        onnx("ConvTranspose", x, draw(8, 8, 3, 3)),
    )
    return f


def dimensions() -> Family:
    row, video = draw(2, 4, 11), draw(1, 4, 4, 5, 6)
    w1, w3 = draw(6, 2, 3), draw(6, 4, 2, 3, 3)
    f = Family(
        {"row": row, "last": np.ascontiguousarray(row.transpose(0, 2, 1)), "video": video},
        {
            "w1": w1,
            "wio": np.ascontiguousarray(w1.transpose(2, 1, 0)),
            "w3": w3,
            "t1": draw(4, 3, 4),
            "t3": w3,
        },
    )
    grouped = onnx("Conv", row, w1, group=2, pads=[1, 2], strides=[2])
    f.case("1-D", "nn.conv1d(%row, %w1, groups=2, padding=[1, 2], strides=[2])", grouped)
    layouts = 'data_layout="NWC", kernel_layout="WIO"'
    f.case(
        "1-D, channels last",
        f"nn.conv1d(%last, %wio, groups=2, padding=[1, 2], strides=2, {layouts})",
        np.ascontiguousarray(grouped.transpose(0, 2, 1)),
    )
    f.case(
        "3-D",
        "nn.conv3d(%video, %w3, padding=[1, 1, 0], strides=[1, 2, 1], channels=6, kernel_size=[2, 3, 3])",
        onnx("Conv", video, w3, pads=[1, 1, 0] * 2, strides=[1, 2, 1]),
    )
    f.case(
        "1-D transposed",
        "nn.conv1d_transpose(%row, %t1, strides=[3], padding=[1, 0], output_padding=[2])",
        onnx("ConvTranspose", row, draw(4, 3, 4), strides=[3], pads=[1, 0], output_padding=[2]),
    )
    f.case(
        "3-D transposed",
        'nn.conv3d_transpose(%v6, %t3, strides=[2, 1, 2], kernel_layout="IODHW")',
        onnx("ConvTranspose", draw(1, 6, 2, 3, 3), w3, strides=[2, 1, 2]),
    )
    f.inputs["v6"] = draw(1, 6, 2, 3, 3)
    for kind, name in (("MaxPool", "nn.max_pool"), ("AveragePool", "nn.avg_pool")):
        f.case(
            f"1-D {kind}",
            f"{name}1d(%row, pool_size=[3], strides=[2], padding=[1, 0])",
            onnx(kind, row, kernel_shape=[3], strides=[2], pads=[1, 0]),
        )
        f.case(
            f"3-D {kind}",
            f"{name}3d(%video, pool_size=[2, 3, 2], strides=[2, 1, 2], padding=[1, 1, 0])",
            onnx(kind, video, kernel_shape=[2, 3, 2], strides=[2, 1, 2], pads=[1, 1, 0] * 2),
        )
    return f


def matrices() -> Family:
    x, w = draw(3, 20), draw(7, 20)
    more = draw(14, 20)
    weights = {"w": w, "bias": draw(7), "wt": w.T.copy(), "more": more}
    weights["packed"] = np.ascontiguousarray(more.reshape(2, 7, 20).transpose(0, 2, 1))
    f = Family({"x": x, "deep": draw(2, 3, 20)}, weights)
    f.case("dense", "nn.dense(%x, %w, units=7)", x @ w.T)
    f.case("without units", "nn.dense(%x, %w, units=None)", x @ w.T)
    f.case("dense of three dimensions", "nn.dense(%deep, %w)", draw(2, 3, 20) @ w.T)
    f.case("bias", "nn.bias_add(nn.dense(%x, %w), %bias, axis=-1)", x @ w.T + draw(7))
    f.case("matmul", "nn.matmul(%x, %wt, units=7)", x @ w.T)
    pack = 'nn.contrib_dense_pack(%x, {}, weight_layout="NC7n", units=None, out_dtype="float32")'
    f.case("dense_pack", pack.format("%packed"), x @ more.T)
    packed = 'layout_transform(%more, src_layout="NC", dst_layout="NC7n")'
    f.case("dense_pack of what is packed there", pack.format(packed), x @ more.T)
    f.case("matmul, transposed", "nn.matmul(%x, %w, transpose_b=True)", x @ w.T)
    return f


def pools() -> Family:
    x = draw(1, 8, 9, 10)
    f = Family({"x": x, "xh": nhwc(x), "x4": blocked(x, 4)})
    for kind, relay in (("MaxPool", "nn.max_pool2d"), ("AveragePool", "nn.avg_pool2d")):
        value = onnx(kind, x, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])
        window = "pool_size=[3, 2], strides=[2, 1], padding=[1, 0, 1, 1]"
        f.case(relay, f"{relay}(%x, {window})", value)
        f.case(f"{relay}, NHWC", f'{relay}(%xh, {window}, layout="NHWC")', nhwc(value))
        f.case(f"{relay}, blocks", f'{relay}(%x4, {window}, layout="NCHW4c")', blocked(value, 4))
        f.case(f"{relay}, stride 1", f"{relay}(%x, pool_size=[2, 2])", onnx(kind, x, kernel_shape=[2, 2]))
        f.case(
            f"{relay}, ceil",
            f"{relay}(%x, pool_size=[3, 3], strides=[2, 2], ceil_mode=True, out_layout=\"\")",
            onnx(kind, x, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
        )  # fmt: skip
    f.case(
        "dilation",
        "nn.max_pool2d(%x, pool_size=[3, 3], dilation=[2, 2])",
        onnx("MaxPool", x, kernel_shape=[3, 3], dilations=[2, 2]),
    )
    f.case(
        "count_include_pad",
        "nn.avg_pool2d(%x, pool_size=[3, 3], padding=[1, 1], count_include_pad=True)",
        onnx("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
    )
    for name, function in (("avg", np.mean), ("max", np.max)):
        whole = function(x, axis=(2, 3), keepdims=True)
        f.case(f"global {name}", f"nn.global_{name}_pool2d(%x)", whole)
        f.case(f"global {name}, NHWC", f'nn.global_{name}_pool2d(%xh, layout="NHWC")', nhwc(whole))
        f.case(f"adaptive {name}, 1", f"nn.adaptive_{name}_pool2d(%x, output_size=[1])", whole)
        cells = np.stack(
            [
                np.stack([_cell(x, function, i, j, 4, 3) for j in range(3)], axis=-1)
                for i in range(4)
            ],
            axis=-2,
        )  # fmt: skip
        f.case(f"adaptive {name}", f"nn.adaptive_{name}_pool2d(%x, output_size=[4, 3])", cells)
        f.case(
            f"adaptive {name}, NHWC",
            f'nn.adaptive_{name}_pool2d(%xh, output_size=[4, 3], layout="NHWC")',
            nhwc(cells),
        )
        f.case(f"contrib {name}", f"contrib.adaptive_{name}_pool2d(%x, output_size=[4, 3])", cells)
        f.case(f"adaptive {name}, the map's size", f"nn.adaptive_{name}_pool2d(%x)", x)
    return f


def _cell(x: np.ndarray, function: Callable[..., np.ndarray], i: int, j: int, rows: int, columns: int):  # type: ignore[no-untyped-def]
    height, width = x.shape[2:]
    area = x[
        :,
        :,
        i * height // rows : -(-(i + 1) * height // rows),
        j * width // columns : -(-(j + 1) * width // columns),
    ]
    return function(area, axis=(2, 3))


def resizes() -> Family:
    x = draw(1, 3, 6, 8)
    f = Family({"x": x, "xh": nhwc(x)})
    sizes = np.array([1, 3, 12, 20], np.int64)
    nothing = np.array([], np.float32)

    def value(mode: str, transformation: str, **more: Any) -> np.ndarray:
        return onnx(
            "Resize",
            x,
            nothing,
            nothing,
            sizes,
            mode=mode,
            coordinate_transformation_mode=transformation,
            **more,
        )

    body = 'image.resize2d(%x, size=[12, 20], method="{}", coordinate_transformation_mode="{}"{})'
    for transformation in ("half_pixel", "align_corners", "asymmetric"):
        f.case(
            f"linear {transformation}",
            body.format("linear", transformation, ""),
            value("linear", transformation),
        )
        f.case(
            f"cubic {transformation}",
            body.format("cubic", transformation, ", cubic_alpha=-0.75f"),
            value("cubic", transformation, cubic_coeff_a=-0.75),
        )
    f.case(
        "nearest asymmetric",
        body.format("nearest_neighbor", "asymmetric", ', rounding_method="floor"'),
        value("nearest", "asymmetric", nearest_mode="floor"),
    )
    f.case(
        "nearest half_pixel",
        body.format("nearest_neighbor", "half_pixel", ', rounding_method="ceil"'),
        value("nearest", "half_pixel", nearest_mode="ceil"),
    )
    for transformation, mode in (("asymmetric", "floor"), ("align_corners", "round_prefer_ceil")):
        f.case(
            f"nearest {transformation}, no rounding method",
            body.format("nearest_neighbor", transformation, ', roi=[0f, 0f, 0f, 0f], rounding_method=""'),
            value("nearest", transformation, nearest_mode=mode),
        )
    f.case("defaults", "image.resize2d(%x, size=[12, 20])", value("linear", "half_pixel"))
    f.case("NHWC", 'image.resize2d(%xh, size=[12, 20], layout="NHWC")', nhwc(value("linear", "half_pixel")))
    doubled = x.repeat(2, 2).repeat(2, 3)
    f.case("upsampling", "nn.upsampling(%x, scale_h=2f, scale_w=2f)", doubled)
    sizes = np.array([1, 3, 12, 16], np.int64)
    for method, mode in (("bilinear", "linear"), ("bicubic", "cubic")):
        # As topi has them, from the first version on.
        alpha = {"cubic_coeff_a": -0.5} if mode == "cubic" else {}
        f.case(
            f"{method} upsampling",
            f'nn.upsampling(%x, scale_h=2f, scale_w=2f, method="{method}")',
            value(mode, "asymmetric", **alpha),
        )
    sizes = np.array([1, 3, 3, 4], np.int64)
    f.case(
        "halves are rounded up",
        'image.resize2d(%x, size=[3, 4], method="nearest_neighbor")',
        value("nearest", "half_pixel", nearest_mode="round_prefer_ceil"),
    )
    return f
