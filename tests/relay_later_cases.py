"""Operators of Relay that came later, or that few networks have."""

from __future__ import annotations

import numpy as np
from graph_support import draw
from relay_case_support import Family, onnx


def sparse_tensors() -> Family:
    """Sparse matrices whose parts are constants, and are not; and coordinates."""
    rng = np.random.default_rng(2)
    dense = rng.standard_normal((6, 4), np.float32) * (rng.random((6, 4)) < 0.4)
    rows, columns = np.nonzero(dense)
    parts = {
        "v": dense[rows, columns],
        "c": columns.astype(np.int32),
        "e": np.searchsorted(rows, np.arange(7)).astype(np.int32),
    }
    x, at = draw(3, 4, seed=3), np.array([[0, 1], [0, 3], [2, 0], [3, 1]], np.int64)
    f = Family(
        {"x": x, "at": at, "four": draw(4, seed=4), "w": draw(6, 4, seed=5), "late": dense[rows, columns]}
    )
    f.weights = parts
    f.case("sparse_dense", "nn.sparse_dense(%x, %v, %c, %e)", x @ dense.T)
    f.case("sparse_dense of an input", "nn.sparse_dense(%x, %late, %c, %e)", x @ dense.T)
    f.case("sparse_add of an input", "nn.sparse_add(%w, %late, %c, %e)", f.inputs["w"] + dense)
    image = draw(1, 3, 2, 4, seed=6)
    f.inputs["image"] = image
    value = "nn.sparse_conv2d(%image, %v, %c, %e)"
    f.case("sparse_conv2d", value, image @ dense.T)
    f.weights |= {"shape": np.array([5, 6], np.int64), "wanted": np.array([3, -1, 2], np.int64)}
    flat = at @ [6, 1]
    value = np.stack(np.unravel_index(flat, (3, 5, 2)), 1)
    f.case("sparse_reshape", "sparse_reshape(%at, %shape, %wanted).0", value)
    f.case("sparse_reshape's shape", "sparse_reshape(%at, %shape, %wanted).1", np.array([3, 5, 2]))
    filled = np.array([[0, 1], [0, 3], [1, 0], [2, 0], [3, 1], [4, 0]])
    body = "sparse_fill_empty_rows(%at, %four, %shape, 7f)"
    f.case("sparse_fill_empty_rows", f"{body}.0", filled)
    value = np.insert(f.inputs["four"], [2, 4], np.float32(7))
    f.case("sparse_fill_empty_rows, values", f"{body}.1", value)
    f.case("sparse_fill_empty_rows, which", f"{body}.2", np.array([0, 1, 0, 0, 1]))
    whole = np.full((5, 6), -1, np.float32)
    whole[tuple(at.T)] = f.inputs["four"]
    f.case("dyn.sparse_to_dense", "dyn.sparse_to_dense(%at, %four, -1f, %shape)", whole)
    return f


def transforms() -> Family:
    """Spectra of one axis and of frames, from real and complex signals."""
    a, b, wave, window = draw(2, 3, 11), draw(2, 3, 11, seed=1), draw(40, seed=2), draw(10, seed=3)
    f = Family({"a": a, "b": b, "wave": wave, "window": window})
    for name, function in (("False", np.fft.fft), ("True", np.fft.ifft)):
        value = function(a + 1j * b)
        body = f"dft(%a, %b, inverse={name})"
        f.case(f"dft {name}", f"{body}.0", value.real.astype(np.float32))
        f.case(f"dft {name}, imaginary", f"{body}.1", value.imag.astype(np.float32))
    frames = np.lib.stride_tricks.sliding_window_view(wave, 10)[::4] * window
    value = np.fft.rfft(frames).T
    body = "stft(%wave, %window, n_fft=10, hop_length=4, win_length=10)"
    f.case("stft", body, np.stack([value.real, value.imag], -1).astype(np.float32))
    return f


def losses() -> Family:
    """Losses, and sums over what was broadcast."""
    x, wide = draw(3, 4), draw(2, 3, 4, seed=1)
    classes = np.array([[0, 2, 3, 1, 2], [1, 2, 0, 3, 3], [2, 2, 2, 0, 1]], np.int64)
    chances, weights = draw(3, 4, 5, seed=2), np.array([0.5, 1, 2, 0.25], np.float32)
    f = Family(
        {"x": x, "p": np.abs(x) + np.float32(0.1), "wide": wide, "chances": chances, "classes": classes}
    )
    f.inputs |= {"weights": weights, "target": np.abs(draw(3, 4, seed=3)), "column": draw(3, 1, seed=4)}
    target = f.inputs["target"]
    value = -(np.log(f.inputs["p"]) * target).sum() / 3
    f.case("cross_entropy", "nn.cross_entropy(%p, %target)", np.float32(value))
    value = -(x * target).sum() / 3
    f.case("cross_entropy of logits", "nn.cross_entropy_with_logits(%x, %target)", np.float32(value))
    for kind in ("mean", "sum", "none"):
        value = onnx("NegativeLogLikelihoodLoss", chances, classes, weights, reduction=kind, ignore_index=2)
        body = f'nn.nll_loss(%chances, %classes, %weights, reduction="{kind}", ignore_index=2)'
        f.case(f"nll_loss {kind}", body, value)
    f.case("collapse_sum_like", "collapse_sum_like(%wide, %column)", wide.sum((0, 2))[:, None])
    f.weights = {"shape": np.array([1, 4], np.int64)}
    f.case("collapse_sum_to", "collapse_sum_to(%wide, %shape)", wide.sum((0, 1))[None])
    return f


def rarities() -> Family:
    x, y = draw(2, 3, 7, 6), draw(2, 3, 7, 6, seed=1)
    i = np.array([-7, 7, -8, 5], np.int32)
    f = Family({"x": x, "y": y, "i": i, "j": np.array([2, -2, 3, 3], np.int32)})
    f.case("cast_like", "cast_like(%x, %i)", x.astype(np.int32))
    f.case("reinterpret", 'reinterpret(%x, dtype="int32")', x.view(np.int32))
    f.case("debug", "debug(%x)", x)
    f.case("trunc_divide", "trunc_divide(%i, %j)", np.array([-3, -3, -2, 1], np.int32))
    f.case("trunc_mod", "trunc_mod(%i, %j)", np.fmod(i, f.inputs["j"]))
    f.case("trunc_divide of reals", "trunc_divide(%x, %y)", np.trunc(x / y))
    deep = draw(10, 5, 4, seed=2)
    f.inputs["deep"] = deep
    f.case("reverse_reshape", "contrib_reverse_reshape(%deep, newshape=[-1, 0])", deep.reshape(50, 4))
    old = draw(2, 5, 7, 6, seed=3)
    f.inputs["old"] = old
    value = np.concatenate([old, x], 1)[:, 3:]
    f.case("fifo_buffer", "nn.fifo_buffer(%x, %old, axis=1)", value)
    value = np.lib.stride_tricks.sliding_window_view(x, (2, 3, 4), (1, 2, 3))[:, :, ::2]
    body = "sliding_window(%x, axis=1, window_shape=[2, 3, 4], strides=[1, 2, 1])"
    f.case("sliding_window", body, value)
    value = np.full((2, 3, 19, 11), 1.5, np.float32)
    value[:, :, ::3, ::2] = x
    f.case("dilate", "nn.dilate(%x, strides=[1, 1, 3, 2], dilation_value=1.5f)", value)
    for multiplies in (True, False):
        body = "nn.correlation(%x, %y, kernel_size=3, max_displacement=2, stride1=2, stride2=2, "
        body += f"padding=[1, 2, 3, 2], is_multiply={multiplies})"
        f.case(f"correlation {multiplies}", body, _correlation(x, y, multiplies))
    f.weights = {
        "size": np.array([9, 5], np.int64),
        "widths": np.array([[0, 0], [0, 0], [1, 2], [0, 3]], np.int64),
        "two": np.array(2, np.float32),
        "three": np.array(3, np.float32),
    }
    none = np.zeros(0, np.float32)
    value = onnx("Resize", x, none, none, np.array([2, 3, 9, 5]), mode="linear")
    f.case("dyn.resize2d", "dyn.image.resize2d(%x, %size, size=[], roi=[])", value)
    value = np.pad(x, [(0, 0), (0, 0), (1, 2), (0, 3)], constant_values=1.5)
    f.case("dyn.pad", "dyn.nn.pad(%x, %widths, 1.5f, pad_width=[])", value)
    value = x.repeat(2, 2).repeat(3, 3)
    f.case("dyn.upsampling", "dyn.nn.upsampling(%x, %two, %three, scale_h=0f, scale_w=0f)", value)
    cube = draw(1, 2, 3, 4, 5, seed=4)
    f.inputs["cube"] = cube
    value = cube.repeat(2, 2).repeat(2, 3).repeat(3, 4)
    body = "dyn.nn.upsampling3d(%cube, %two, %two, %three, scale_d=0f, scale_h=0f, scale_w=0f, "
    body += 'coordinate_transformation_mode="asymmetric")'
    f.case("dyn.upsampling3d", body, value)
    f.case("dyn.zeros", 'dyn.zeros(%size, shape=None, dtype="int32")', np.zeros((9, 5), np.int32))
    f.case("dyn.ones", 'dyn.ones(%size, shape=None, dtype="float32")', np.ones((9, 5), np.float32))
    return f


def _correlation(x: np.ndarray, y: np.ndarray, multiplies: bool) -> np.ndarray:
    """Windows of 3x3 around every second pixel, and those around nine places near, by 2 pixels."""
    a, b = (np.pad(each, [(0, 0), (0, 0), (1, 3), (2, 2)]) for each in (x, y))
    border, across = 3, range(-2, 3, 2)
    size = [-(-(extent - 2 * border) // 2) for extent in a.shape[2:]]
    result = np.zeros((2, 9, *size), np.float32)
    for row, column in np.ndindex(*size):
        top, left = row * 2 + 2, column * 2 + 2
        for number, (down, right) in enumerate((d, r) for d in across for r in across):
            one = a[:, :, top : top + 3, left : left + 3]
            other = b[:, :, top + down : top + down + 3, left + right : left + right + 3]
            pairs = one * other if multiplies else np.abs(one - other)
            result[:, number, row, column] = pairs.mean((1, 2, 3))
    return result
