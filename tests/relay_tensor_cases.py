"""Element-wise operators, data movement, normalization and reductions of Relay over their attributes."""

from __future__ import annotations

import numpy as np
from graph_support import draw
from relay_case_support import Family, blocked, nhwc, onnx


def elements() -> Family:
    x, y, row = draw(2, 6, 5, 4), draw(2, 6, 5, 4, seed=1), draw(4, seed=2)
    positive = np.abs(x) + np.float32(0.1)
    integers = np.arange(-12, 12, dtype=np.int32).reshape(2, 12)
    f = Family(
        {"x": x, "y": y, "row": row, "p": positive, "i": integers, "u": np.arange(250, dtype=np.uint8)},
        {"slope": draw(6)},
    )
    for name, function in {
        **{"abs": np.abs, "ceil": np.ceil, "cos": np.cos, "exp": np.exp, "floor": np.floor, "sin": np.sin},
        **{"negative": np.negative, "sign": np.sign, "tanh": np.tanh, "atan": np.arctan, "trunc": np.trunc},
        **{"zeros_like": np.zeros_like, "ones_like": np.ones_like, "isnan": np.isnan},
        "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
        "nn.relu": lambda v: np.maximum(v, 0),
        "nn.leaky_relu": lambda v: np.where(v > 0, v, v * np.float32(0.25)),
        "copy": lambda v: v,
    }.items():
        f.case(name, f"{name}(%x)", function(x))
    for name, function in {"log": np.log, "sqrt": np.sqrt, "rsqrt": lambda v: 1 / np.sqrt(v)}.items():
        f.case(name, f"{name}(%p)", function(positive))
    for name, function in {
        **{"acos": np.arccos, "asin": np.arcsin, "atanh": np.arctanh, "tan": np.tan, "cosh": np.cosh},
        **{"sinh": np.sinh, "asinh": np.arcsinh, "isfinite": np.isfinite, "isinf": np.isinf},
    }.items():
        f.case(name, f"{name}(multiply(%x, 0.5f))", function(x * np.float32(0.5)))
    f.case("acosh", "acosh(%p + 1f)", np.arccosh(positive + 1))
    f.case("not finite", "isfinite(log(%x - %x))", np.zeros(x.shape, bool))
    f.case("infinite", "isinf(log(%x - %x))", np.ones(x.shape, bool))
    f.case("mod", "mod(%x, %p)", np.fmod(x, positive))
    f.case("mod of integers", "mod(%i, 5)", np.fmod(integers, 5))
    f.case("floor_mod", "floor_mod(%i, 5)", np.mod(integers, 5))
    f.case("floor_divide", "floor_divide(%i, 5)", np.floor_divide(integers, 5))
    f.case("logical_xor", "logical_xor(greater(%x, 0f), greater(%y, 0f))", (x > 0) ^ (y > 0))
    for name in ("device_copy", "annotation.stop_fusion", "annotation.cast_hint", "annotation.checkpoint"):
        f.case(name, f"{name}(%x)", x)
    f.case(
        "compiler regions",
        'annotation.compiler_end(annotation.compiler_begin(%x, compiler="a"), compiler="a")',
        x,
    )
    f.case("erf", "erf(%x)", onnx("Erf", x))
    f.case("round", "round(multiply(%x, 3f))", np.rint(x * np.float32(3)))
    halves = np.array([0.5, 1.5, 2.5, -0.5, -2.5, 0.49999997, 8388609.0], np.float32)
    f.inputs["halves"] = halves
    away = np.trunc(halves + np.copysign(0.5, halves, dtype=float)).astype(np.float32)
    f.case("round away from zero", "round(%halves)", away)
    for name, function in {
        **{"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide},
        **{"maximum": np.maximum, "minimum": np.minimum, "less": np.less, "greater": np.greater},
        **{"equal": np.equal, "not_equal": np.not_equal, "less_equal": np.less_equal},
        "greater_equal": np.greater_equal,
    }.items():
        f.case(name, f"{name}(%x, %y)", function(x, y))
        f.case(f"{name}, a row", f"{name}(%x, %row)", function(x, row))
        f.case(f"{name}, a number", f"{name}(%x, 0.5f)", function(x, np.float32(0.5)))
    f.case("power", "power(%p, %y)", np.power(positive, y))
    f.case("add integers", "add(%i, 3)", integers + np.int32(3))
    f.case("infix", "%x * 2f + %y / (4f - 2f)", x * np.float32(2) + y / np.float32(2))
    both = np.logical_and(x > 0, y > 0)
    f.case("logical_and", "logical_and(greater(%x, 0f), %y > 0f)", both)
    f.case("logical_or", "logical_or(greater(%x, 0f), greater(%y, 0f))", np.logical_or(x > 0, y > 0))
    f.case("logical_not", "logical_not(greater(%x, 0f))", ~(x > 0))
    f.case("where", "where(greater(%x, 0f), %x, %y)", np.where(x > 0, x, y))
    f.case("clip", "clip(%x, a_min=-0.1f, a_max=0.25f)", np.clip(x, np.float32(-0.1), np.float32(0.25)))
    f.case("relu6", "clip(%x, a_min=0f, a_max=6f)", np.clip(x, 0, 6))
    f.case("clip without an end", "clip(%x, a_min=0f, a_max=inff)", np.maximum(x, 0))
    f.case("clip integers", "clip(%i, a_min=-3f, a_max=5f)", np.clip(integers, -3, 5))
    f.case("clip bytes", "clip(%u, a_min=0f, a_max=255f)", np.arange(250, dtype=np.uint8))
    f.case("clip bytes at 6", "clip(%u, a_min=2f, a_max=6f)", np.clip(np.arange(250), 2, 6).astype(np.uint8))
    f.case("leaky_relu", "nn.leaky_relu(%x, alpha=0.1f)", np.where(x > 0, x, x * np.float32(0.1)))
    f.case("prelu", "nn.prelu(%x, %slope)", np.where(x > 0, x, x * draw(6).reshape(6, 1, 1)))
    f.case("cast", 'cast(multiply(%x, 10f), dtype="int32")', (x * np.float32(10)).astype(np.int32))
    f.case("cast to itself", 'cast(%x, dtype="float32")', x)
    f.case("bias_add", "nn.bias_add(%x, %slope, axis=1)", x + draw(6).reshape(6, 1, 1))
    f.case("dropout", "%0 = nn.dropout(%x, rate=0.3f); %0.0", x)
    f.case("dropout's mask", "nn.dropout(%x).1", np.ones_like(x))
    f.case("on_device", "on_device(%x, virtual_device=meta[VirtualDevice][0])", x)
    return f


def movements() -> Family:
    x = draw(2, 6, 4, 5)
    f = Family({"x": x, "one": draw(1, 3, 1, 2), "y": draw(2, 3, 4, 5), "line": draw(12)})
    for shape in ([2, -1], [0, -1], [-1, 5], [0, 0, 20], [2, -2], [0, -3, 5], [0, -4, 2, 3, 4, 5], [-1]):
        f.case(f"reshape {shape}", f"reshape(%x, newshape={shape})", x.reshape(_expanded(shape)))
    split = x.reshape(2, 3, 2, 4, 5)
    f.case("reshape, an open split", "reshape(%x, newshape=[0, -4, -1, 2, -2])", split)
    f.case("transpose", "transpose(%x, axes=[0, 2, 3, 1])", x.transpose(0, 2, 3, 1))
    f.case("transpose, counted back", "transpose(%x, axes=[0, -2, -1, 1])", x.transpose(0, 2, 3, 1))
    f.case("transpose, all", "transpose(%x, axes=None)", x.transpose())
    f.case("batch_flatten", "nn.batch_flatten(%x)", x.reshape(2, -1))
    one = draw(1, 3, 1, 2)
    f.case("squeeze", "squeeze(%one)", one.reshape(3, 2))
    f.case("squeeze one", "squeeze(%one, axis=[-2])", one.reshape(1, 3, 2))
    f.case("expand_dims", "expand_dims(%line, axis=0)", draw(12)[None])
    f.case("expand_dims, several", "expand_dims(%line, axis=-1, num_newaxis=2)", draw(12)[:, None, None])
    y = draw(2, 3, 4, 5)
    f.case("concatenate", "concatenate((%x, %y), axis=1)", np.concatenate([x, y], 1))
    f.case("concatenate one", "concatenate((%x,), axis=-1)", x)
    f.case("concatenate the first axis", "concatenate((%x, %x))", np.concatenate([x, x], 0))
    f.case("stack", "stack((%x, %x), axis=1)", np.stack([x, x], 1))
    f.case("split", "split(%x, indices_or_sections=3, axis=1).2", x[:, 4:])
    f.case("split at", "split(%x, indices_or_sections=[1, 4], axis=1).1", x[:, 1:4])
    f.case("slice", "strided_slice(%x, begin=[0, 1], end=[2, 4], strides=[1, 2])", x[:, 1:4:2])
    f.case("slice axes", "strided_slice(%x, begin=[1], end=[-1], strides=[1], axes=[3])", x[..., 1:-1])
    f.case("slice past the end", "strided_slice(%x, begin=[0, 2], end=[99, 99])", x[:, 2:])
    f.case("slice sizes", 'strided_slice(%x, begin=[0, 2], end=[-1, 3], slice_mode="size")', x[:, 2:5])
    f.case(
        "slice backwards",
        "strided_slice(%x, begin=[3], end=[0], strides=[-1], axes=[2])",
        x[:, :, 3:0:-1],
    )
    f.case(
        "slice backwards, all",
        "strided_slice(%x, begin=[3], end=[-99], strides=[-2], axes=[2])",
        x[:, :, ::-2],
    )
    transform = 'layout_transform(%x, src_layout="{}", dst_layout="{}")'
    f.case("NCHW to NHWC", transform.format("NCHW", "NHWC"), nhwc(x))
    f.case("NCHW to NCHW3c", transform.format("NCHW", "NCHW3c"), blocked(x, 3))
    f.case("OIHW to OIHW2i2o", transform.format("OIHW", "OIHW2i2o"), _oihw2i2o(x))
    back = 'layout_transform(%0, src_layout="NCHW2c", dst_layout="NHWC")'
    f.case("NCHW2c to NHWC", f"%0 = {transform.format('NCHW', 'NCHW2c')}; {back}", nhwc(x))
    widths = "pad_width=[[0, 0], [0, 1], [2, 0], [1, 1]]"
    pairs = ((0, 0), (0, 1), (2, 0), (1, 1))
    f.case("pad", f"nn.pad(%x, 1.5f, {widths})", np.pad(x, pairs, constant_values=1.5))
    f.case(
        "pad, value as attribute",
        f"nn.pad(%x, pad_value=-2f, {widths})",
        np.pad(x, pairs, constant_values=-2),
    )
    f.case("pad, reflected", f'nn.pad(%x, 0f, {widths}, pad_mode="reflect")', np.pad(x, pairs, "reflect"))
    f.case("pad, edges", f'nn.pad(%x, 0f, {widths}, pad_mode="edge")', np.pad(x, pairs, "edge"))
    f.case("broadcast_to", "broadcast_to(%line, shape=[3, 12])", np.broadcast_to(draw(12), (3, 12)))
    f.case("zeros", 'zeros(shape=[2, 3], dtype="float32")', np.zeros((2, 3), np.float32))
    f.case("ones", 'ones(shape=[2, 3], dtype="int32")', np.ones((2, 3), np.int32))
    f.case("repeat", "repeat(%x, repeats=2, axis=3)", x.repeat(2, 3))
    f.case("tile", "tile(%line, reps=[2, 3])", np.tile(draw(12), (2, 3)))
    deep = draw(1, 12, 2, 3)
    f.inputs["deep"] = deep
    for mode in ("DCR", "CRD"):
        value = onnx("DepthToSpace", deep, blocksize=2, mode=mode)
        f.case(f"depth_to_space {mode}", f'nn.depth_to_space(%deep, block_size=2, mode="{mode}")', value)
    return f


def _expanded(shape: list[int]) -> tuple[int, ...]:
    known = {
        (2, -1): (2, 120),
        (0, -1): (2, 120),
        (-1, 5): (48, 5),
        (0, 0, 20): (2, 6, 20),
        (2, -2): (2, 6, 4, 5),
        (0, -3, 5): (2, 24, 5),
        (0, -4, 2, 3, 4, 5): (2, 2, 3, 4, 5),
        (-1,): (240,),
    }
    return known[tuple(shape)]


def _oihw2i2o(x: np.ndarray) -> np.ndarray:
    outputs, inputs, height, width = x.shape
    split = x.reshape(outputs // 2, 2, inputs // 2, 2, height, width)
    return np.ascontiguousarray(split.transpose(0, 2, 4, 5, 3, 1))


def normalizations() -> Family:
    x = draw(2, 6, 5, 4)
    statistics = [np.abs(draw(6, seed=i)) + np.float32(0.5) for i in range(4)]
    names = ("gamma", "beta", "mean", "var")
    f = Family({"x": x, "xh": nhwc(x)}, dict(zip(names, statistics, strict=True)))
    operands = ", ".join(f"%{name}" for name in names)
    value = onnx("BatchNormalization", x, *statistics, epsilon=1e-3)
    f.case("batch_norm", f"nn.batch_norm(%x, {operands}, epsilon=0.001f).0", value)
    f.case(
        "batch_norm, NHWC", f"%5 = nn.batch_norm(%xh, {operands}, axis=3, epsilon=0.001f); %5.0", nhwc(value)
    )
    default = onnx("BatchNormalization", x, *statistics)
    f.case("batch_norm, defaults", f"nn.batch_norm(%x, {operands}).0", default)
    gamma, beta, mean, variance = (array.reshape(6, 1, 1) for array in statistics)
    normal = (x - mean) / np.sqrt(variance + np.float32(1e-5))
    f.case("no scale", f"nn.batch_norm(%x, {operands}, scale=False).0", normal + beta)
    f.case("no center", f"nn.batch_norm(%x, {operands}, center=False).0", normal * gamma)
    f.case("running mean", f"nn.batch_norm(%x, {operands}).1", statistics[2])
    f.case("softmax", "nn.softmax(%x)", onnx("Softmax", x, axis=-1))
    f.case("softmax of channels", "nn.softmax(%x, axis=1)", onnx("Softmax", x, axis=1))
    f.case("log_softmax", "nn.log_softmax(%x, axis=1)", onnx("LogSoftmax", x, axis=1))
    value = onnx("LRN", x, size=3, alpha=0.02, beta=0.6, bias=1.5)
    f.case("lrn", "nn.lrn(%x, size=3, alpha=0.02f, beta=0.6f, bias=1.5f)", value)
    f.case(
        "lrn, NHWC",
        "nn.lrn(%xh, size=3, axis=3, alpha=0.02f, beta=0.6f, bias=1.5f)",
        nhwc(value),
    )
    f.case("lrn, defaults", "nn.lrn(%x)", onnx("LRN", x, size=5, alpha=1e-5, beta=0.75, bias=2.0))
    norm = np.sqrt(np.maximum((x * x).sum(1, keepdims=True), np.float32(1e-4)))
    f.case("l2_normalize", "nn.l2_normalize(%x, eps=0.0001f, axis=[1])", x / norm)
    for name, function in {
        **{"mean": np.mean, "sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod},
        "variance": np.var,
    }.items():
        if name != "variance":
            f.case(f"{name}, all", f"{name}(%x)", np.asarray(function(x)))
        f.case(f"{name}, map", f"{name}(%x, axis=[2, 3])", function(x, axis=(2, 3)))
        f.case(
            f"{name}, kept",
            f"{name}(%x, axis=[2, -1], keepdims=True)",
            function(x, axis=(2, 3), keepdims=True),
        )
        f.case(f"{name}, excluded", f"{name}(%x, axis=[1], exclude=True)", function(x, axis=(0, 2, 3)))
    f.case("argmax", "argmax(%x, axis=[1])", x.argmax(1).astype(np.int32))
    f.case("argmin", "argmin(%x, axis=[3], keepdims=True)", x.argmin(3, keepdims=True).astype(np.int32))
    return f
